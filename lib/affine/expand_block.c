/* SPDX-License-Identifier: BSD-3-Clause */
/* Statements of an expanded program as text. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "affine/expand_writer.h"

#define TEXT_MAX (4 * 1024 * 1024)

static void indent(struct ppi_writer *writer) {
  for (int i = 0; i <= writer->blocks; i++)
    ppi_text_append(&writer->body, "  ");
}

enum perfpred_status ppi_writer_check(const struct ppi_writer *writer, const struct ppi_expanded *frame) {
  if (writer->body.failed || writer->arrays.failed)
    return ppi_error_memory(writer->error);
  if (writer->body.length > TEXT_MAX)
    return ppi_error_set(writer->error, PERFPRED_LIMIT, "%s: its calls expand into too many loops",
                         frame->program->name);
  return PERFPRED_OK;
}

/* An element of a buffer: its view's place plus the subscripts. */
static enum perfpred_status write_element(struct ppi_writer *writer, const struct ppi_expanded *frame,
                                          const struct ppi_node *node) {
  const struct ppi_place_view *view = &frame->places[node->buffer];
  const int dimensions = frame->program->buffers[node->buffer].dimensions;
  const struct ppi_expr *row = node->subscripts[0], *column = dimensions > 1 ? node->subscripts[1] : NULL;
  const struct ppi_expr *down = view->by_row ? column : row, *across = view->by_row ? row : column;
  char *parts[2] = { NULL, NULL };
  enum perfpred_status status = PERFPRED_OK;
  if (down)
    status = ppi_frame_add(writer, view->row, frame, down, &parts[0]);
  if (!status && across)
    status = ppi_frame_add(writer, view->column, frame, across, &parts[1]);
  ppi_text_printf(&writer->body, "%s[%s", view->array, parts[0] ? parts[0] : view->row);
  if (!view->vector)
    ppi_text_printf(&writer->body, ", %s", parts[1] ? parts[1] : view->column);
  ppi_text_append(&writer->body, "]");
  free(parts[0]);
  free(parts[1]);
  return status;
}

static enum perfpred_status note_access(struct ppi_writer *writer, int call, int argument) {
  struct ppi_expansion *expansion = writer->expansion;
  if (expansion->access_count == expansion->access_capacity) {
    const size_t capacity = expansion->access_capacity ? 2 * expansion->access_capacity : 64;
    struct ppi_expanded_access *accesses = realloc(expansion->accesses, capacity * sizeof *accesses);
    if (!accesses)
      return ppi_error_memory(writer->error);
    expansion->accesses = accesses;
    expansion->access_capacity = capacity;
  }
  expansion->accesses[expansion->access_count++] = (struct ppi_expanded_access){ call, argument };
  return PERFPRED_OK;
}

static const char *const verbs[] = { [PPI_IN] = "read ", [PPI_OUT] = "write ", [PPI_INOUT] = "update " };

enum perfpred_status ppi_writer_element(struct ppi_writer *writer, const struct ppi_expanded *frame,
                                        const struct ppi_operand *operand, enum ppi_direction access, int call,
                                        int argument) {
  struct ppi_place_view view;
  enum perfpred_status status = ppi_frame_view(writer, frame, operand, &view);
  if (!status) {
    indent(writer);
    ppi_text_printf(&writer->body, "%s%s[%s", verbs[access], view.array, view.row);
    if (!view.vector)
      ppi_text_printf(&writer->body, ", %s", view.column);
    ppi_text_append(&writer->body, "]\n");
    status = note_access(writer, call, argument);
  }
  free(view.row);
  free(view.column);
  return status;
}

/* All accesses of one statement. */
static enum perfpred_status write_accesses(struct ppi_writer *writer, const struct ppi_expanded *frame,
                                           const struct ppi_node **node) {
  const struct ppi_node *at = *node;
  enum perfpred_status status = PERFPRED_OK;
  indent(writer);
  ppi_text_append(&writer->body, at->may ? "may " : "");
  for (;; at = at->next) {
    ppi_text_append(&writer->body, verbs[at->access]);
    status = write_element(writer, frame, at);
    if (!status)
      status = note_access(writer, frame->call, frame->places[at->buffer].argument);
    *node = at;
    if (status || !at->next || at->next->kind != PPI_NODE_ACCESS || at->next->statement != at->statement)
      break;
    ppi_text_append(&writer->body, "; ");
  }
  ppi_text_append(&writer->body, "\n");
  return status;
}

static enum perfpred_status open_block(struct ppi_writer *writer, const struct ppi_expanded *frame) {
  if (writer->blocks == PPI_BLOCK_MAX)
    return ppi_error_set(writer->error, PERFPRED_LIMIT,
                         "%s: its calls expand into more than %d loops inside each other", frame->program->name,
                         PPI_BLOCK_MAX);
  writer->blocks++;
  return ppi_writer_check(writer, frame);
}

static void close_block(struct ppi_writer *writer) {
  writer->blocks--;
  indent(writer);
  ppi_text_append(&writer->body, "end\n");
}

/* A loop, from the text of its range on. */
static enum perfpred_status write_loop(struct ppi_writer *writer, struct ppi_expanded *frame,
                                       const struct ppi_node *node, const char *range, const char *width) {
  indent(writer);
  ppi_text_printf(&writer->body, "for %s in %s%s%s\n", frame->names[node->slot], range, width ? " as " : "",
                  width ? width : "");
  enum perfpred_status status = open_block(writer, frame);
  if (!status)
    status = ppi_writer_block(writer, frame, node->body);
  if (!status)
    close_block(writer);
  return status;
}

/* LO:HI [down] [by STEP] */
static void write_range(const struct ppi_expanded *frame, const struct ppi_node *node, struct ppi_text *range) {
  int64_t step = 0;
  ppi_frame_print(frame, node->lower, range);
  ppi_text_append(range, ":");
  ppi_frame_print(frame, node->upper, range);
  ppi_text_append(range, node->down ? " down" : "");
  if (ppi_frame_is_known(frame, node->step, &step) && step == 1)
    return;
  ppi_text_append(range, " by ");
  ppi_frame_print(frame, node->step, range);
}

/* A name for the width, and which block is the short one. */
static enum perfpred_status write_width(struct ppi_writer *writer, struct ppi_expanded *frame,
                                        const struct ppi_node *node, char *width, size_t size) {
  width[0] = '\0';
  if (node->width_slot < 0)
    return PERFPRED_OK;
  enum perfpred_status status = ppi_frame_define(writer, frame, node->width_slot);
  const char *order = node->short_first == node->down ? "" : node->short_first ? " short first" : " short last";
  snprintf(width, size, "%s%s", frame->names[node->width_slot], order);
  return status;
}

/* The range is written before its name is known, as the name may stand in it for something else. */
static enum perfpred_status write_plain_for(struct ppi_writer *writer, struct ppi_expanded *frame,
                                            const struct ppi_node *node) {
  struct ppi_text range = PPI_TEXT_INIT;
  char width[2 * PPI_NAME_MAX];
  const struct ppi_span lower = ppi_frame_span(frame, node->lower), upper = ppi_frame_span(frame, node->upper);
  write_range(frame, node, &range);
  enum perfpred_status status = ppi_frame_define(writer, frame, node->slot);
  frame->spans[node->slot] = (struct ppi_span){ lower.low, upper.high };
  if (!status)
    status = write_width(writer, frame, node, width, sizeof width);
  if (!status && !range.data)
    status = ppi_error_memory(writer->error);
  if (!status)
    status = write_loop(writer, frame, node, range.data, width[0] ? width : NULL);
  ppi_text_free(&range);
  return status;
}

/* The blocks of full width. */
static enum perfpred_status write_full(struct ppi_writer *writer, struct ppi_expanded *frame,
                                       const struct ppi_node *node, int64_t lower, int64_t upper, int64_t step) {
  char range[100];
  snprintf(range, sizeof range, "%" PRId64 ":%" PRId64 "%s by %" PRId64, lower, upper, node->down ? " down" : "", step);
  enum perfpred_status status = lower < upper ? ppi_frame_define(writer, frame, node->slot) : PERFPRED_OK;
  if (!status && lower < upper) {
    frame->spans[node->slot] = (struct ppi_span){ lower, upper - step };
    status = ppi_frame_set(writer, frame, node->width_slot, step);
  }
  return status || lower >= upper ? status : write_loop(writer, frame, node, range, NULL);
}

/* The short one. */
static enum perfpred_status write_rest(struct ppi_writer *writer, struct ppi_expanded *frame,
                                       const struct ppi_node *node, int64_t start, int64_t width) {
  enum perfpred_status status = ppi_frame_set(writer, frame, node->slot, start);
  if (!status)
    status = ppi_frame_set(writer, frame, node->width_slot, width);
  return status ? status : ppi_writer_block(writer, frame, node->body);
}

/* The range of a loop with widths, where its bounds are numbers. */
struct range {
  int64_t lower, upper, step, rest; /* rest: width of the short block; 0: there is none */
};

static bool find_range(const struct ppi_expanded *frame, const struct ppi_node *node, struct range *range) {
  int64_t length = 0;
  if (node->width_slot < 0 || !ppi_frame_is_known(frame, node->lower, &range->lower) ||
      !ppi_frame_is_known(frame, node->upper, &range->upper) || !ppi_frame_is_known(frame, node->step, &range->step))
    return false;
  if (range->step < 1 || __builtin_sub_overflow(range->upper, range->lower, &length))
    return false;
  range->rest = length > 0 ? length % range->step : 0;
  return true;
}

/* The short block is written apart: the widths of both are numbers then, and all is affine. */
static enum perfpred_status write_blocks(struct ppi_writer *writer, struct ppi_expanded *frame,
                                         const struct ppi_node *node, const struct range *range) {
  const bool below = node->short_first != node->down; /* where the short block lies */
  const int64_t begin = below ? range->lower + range->rest : range->lower;
  const int64_t end = below ? range->upper : range->upper - range->rest;
  const int64_t apart = below ? range->lower : end;
  enum perfpred_status status = PERFPRED_OK;
  if (range->rest > 0 && node->short_first)
    status = write_rest(writer, frame, node, apart, range->rest);
  if (!status)
    status = write_full(writer, frame, node, begin, end, range->step);
  if (!status && range->rest > 0 && !node->short_first)
    status = write_rest(writer, frame, node, apart, range->rest);
  return status;
}

static enum perfpred_status write_for(struct ppi_writer *writer, struct ppi_expanded *frame,
                                      const struct ppi_node *node) {
  struct range range;
  return find_range(frame, node, &range) ? write_blocks(writer, frame, node, &range)
                                         : write_plain_for(writer, frame, node);
}

static enum perfpred_status write_if(struct ppi_writer *writer, struct ppi_expanded *frame,
                                     const struct ppi_node *node) {
  int64_t holds = 0;
  if (ppi_frame_is_known(frame, node->value, &holds))
    return ppi_writer_block(writer, frame, holds ? node->body : node->otherwise);
  indent(writer);
  ppi_text_append(&writer->body, "if ");
  ppi_frame_print(frame, node->value, &writer->body);
  ppi_text_append(&writer->body, "\n");
  enum perfpred_status status = open_block(writer, frame);
  if (!status)
    status = ppi_writer_block(writer, frame, node->body);
  if (!status && node->otherwise) {
    writer->blocks--;
    indent(writer);
    ppi_text_append(&writer->body, "else\n");
    writer->blocks++;
    status = ppi_writer_block(writer, frame, node->otherwise);
  }
  if (!status)
    close_block(writer);
  return status;
}

static enum perfpred_status write_let(struct ppi_writer *writer, struct ppi_expanded *frame,
                                      const struct ppi_node *node) {
  struct ppi_text value = PPI_TEXT_INIT;
  int64_t number = 0;
  if (ppi_frame_is_known(frame, node->value, &number))
    return ppi_frame_set(writer, frame, node->slot, number);
  const struct ppi_span span = ppi_frame_span(frame, node->value);
  ppi_frame_print(frame, node->value, &value);
  enum perfpred_status status = ppi_frame_define(writer, frame, node->slot);
  frame->spans[node->slot] = span;
  if (!status) {
    indent(writer);
    ppi_text_printf(&writer->body, "let %s = %s\n", frame->names[node->slot], value.data ? value.data : "");
    writer->body.failed = writer->body.failed || value.failed;
  }
  ppi_text_free(&value);
  return status;
}

static enum perfpred_status write_node(struct ppi_writer *writer, struct ppi_expanded *frame,
                                       const struct ppi_node **node) {
  switch ((*node)->kind) {
  case PPI_NODE_FOR:
    return write_for(writer, frame, *node);
  case PPI_NODE_IF:
    return write_if(writer, frame, *node);
  case PPI_NODE_LET:
    return write_let(writer, frame, *node);
  case PPI_NODE_CALL:
    return ppi_writer_call(writer, frame, *node);
  case PPI_NODE_RUN:
    return ppi_writer_run(writer, frame, *node);
  case PPI_NODE_ACCESS:
    return write_accesses(writer, frame, node);
  }
  return PERFPRED_INVALID;
}

enum perfpred_status ppi_writer_block(struct ppi_writer *writer, struct ppi_expanded *frame,
                                      const struct ppi_node *node) {
  enum perfpred_status status = PERFPRED_OK;
  for (; node && !status; node = node->next) {
    status = write_node(writer, frame, &node);
    if (!status)
      status = ppi_writer_check(writer, frame);
  }
  return status;
}
