/* SPDX-License-Identifier: BSD-3-Clause */
/* Names and values of a program that is expanded, in terms of the nest. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "affine/expand_writer.h"

void ppi_frame_clear(struct ppi_expanded *frame) {
  for (int i = 0; i < PPI_SLOT_MAX; i++)
    free(frame->texts[i]);
  if (!frame->program)
    return;
  for (int i = 0; i < frame->program->buffer_count; i++) {
    free(frame->places[i].row);
    free(frame->places[i].column);
  }
}

struct ppi_scope ppi_frame_scope(const struct ppi_expanded *frame) {
  return (struct ppi_scope){ frame->names, (size_t)frame->program->slot_count, NULL };
}

struct ppi_span ppi_frame_span(const struct ppi_expanded *frame, const struct ppi_expr *expr) {
  return ppi_span_of(expr, frame->spans);
}

bool ppi_frame_is_known(const struct ppi_expanded *frame, const struct ppi_expr *expr, int64_t *value) {
  const struct ppi_span span = ppi_frame_span(frame, expr);
  if (ppi_span_is_number(&span))
    *value = span.low;
  return ppi_span_is_number(&span);
}

void ppi_frame_print(const struct ppi_expanded *frame, const struct ppi_expr *expr, struct ppi_text *text) {
  const struct ppi_scope scope = ppi_frame_scope(frame);
  int64_t value = 0;
  if (ppi_frame_is_known(frame, expr, &value)) {
    ppi_text_printf(text, value < 0 ? "(%" PRId64 ")" : "%" PRId64, value);
    return;
  }
  ppi_text_append(text, "(");
  ppi_expr_print(expr, &scope, false, text);
  ppi_text_append(text, ")");
}

enum perfpred_status ppi_writer_take(struct ppi_writer *writer, struct ppi_text *text, char **taken) {
  *taken = ppi_text_take(text);
  return *taken ? PERFPRED_OK : ppi_error_memory(writer->error);
}

static enum perfpred_status name_slot(struct ppi_writer *writer, struct ppi_expanded *frame, int slot,
                                      struct ppi_text *text) {
  free(frame->texts[slot]);
  frame->texts[slot] = NULL;
  frame->spans[slot] = ppi_span_all();
  enum perfpred_status status = ppi_writer_take(writer, text, &frame->texts[slot]);
  frame->names[slot] = status ? "" : frame->texts[slot];
  return status;
}

enum perfpred_status ppi_frame_set(struct ppi_writer *writer, struct ppi_expanded *frame, int slot, int64_t value) {
  struct ppi_text text = PPI_TEXT_INIT;
  ppi_text_printf(&text, value < 0 ? "(%" PRId64 ")" : "%" PRId64, value);
  enum perfpred_status status = name_slot(writer, frame, slot, &text);
  frame->spans[slot] = (struct ppi_span){ value, value };
  return status;
}

enum perfpred_status ppi_frame_pass(struct ppi_writer *writer, const struct ppi_expanded *frame,
                                    const struct ppi_expr *expr, struct ppi_expanded *callee, int slot) {
  struct ppi_text text = PPI_TEXT_INIT;
  int64_t value = 0;
  if (ppi_frame_is_known(frame, expr, &value))
    return ppi_frame_set(writer, callee, slot, value);
  ppi_frame_print(frame, expr, &text);
  enum perfpred_status status = name_slot(writer, callee, slot, &text);
  callee->spans[slot] = ppi_frame_span(frame, expr);
  return status;
}

enum perfpred_status ppi_frame_define(struct ppi_writer *writer, struct ppi_expanded *frame, int slot) {
  struct ppi_text text = PPI_TEXT_INIT;
  if (frame->level == 0)
    ppi_text_append(&text, frame->program->slots[slot]);
  else
    ppi_text_printf(&text, "%.40s__%d", frame->program->slots[slot], frame->level);
  return name_slot(writer, frame, slot, &text);
}

enum perfpred_status ppi_frame_add(struct ppi_writer *writer, const char *base, const struct ppi_expanded *frame,
                                   const struct ppi_expr *expr, char **sum) {
  struct ppi_text text = PPI_TEXT_INIT;
  int64_t value = 0;
  const bool nothing = ppi_expr_is_constant(expr, &value) && value == 0;
  ppi_text_append(&text, base);
  if (!nothing && !strcmp(base, "0"))
    text.length = 0;
  if (!nothing) {
    ppi_text_append(&text, text.length > 0 ? " + " : "");
    ppi_frame_print(frame, expr, &text);
  }
  return ppi_writer_take(writer, &text, sum);
}

enum perfpred_status ppi_frame_view(struct ppi_writer *writer, const struct ppi_expanded *frame,
                                    const struct ppi_operand *operand, struct ppi_place_view *view) {
  const struct ppi_place_view *whole = &frame->places[operand->fixed.buffer];
  const struct ppi_expr *down = whole->by_row ? operand->column : operand->row;
  const struct ppi_expr *across = whole->by_row ? operand->row : operand->column;
  *view = (struct ppi_place_view){ .vector = whole->vector,
                                   .by_row = whole->by_row || operand->fixed.by_row,
                                   .argument = whole->argument };
  strcpy(view->array, whole->array);
  enum perfpred_status status = ppi_frame_add(writer, whole->row, frame, down, &view->row);
  return status ? status : ppi_frame_add(writer, whole->column, frame, across, &view->column);
}
