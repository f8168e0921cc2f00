/* SPDX-License-Identifier: BSD-3-Clause */
/* Expanding writes a text: statements of called programs and of references with the caller's expressions in the place of their
   parameters, and views as sums of places. It is read like any other nest. */
#include "affine/expand.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "affine/reference.h"
#include "base/context.h"
#include "base/text.h"
#include "kernel/signature.h"
#include "program/tree.h"

#define TEXT_MAX (4 * 1024 * 1024)
#define LEVEL_MAX 16        /* programs that call each other */
#define OPEN_EXTENT 1000000 /* rows of the scratch of called programs: only which lines differ matters */

/* Where a buffer lies: from (row, column) on in an array of the nest. */
struct place {
  char array[PPI_NAME_MAX];
  bool vector, by_row;
  char *row, *column; /* expressions of the nest; owned */
  int argument;       /* of the call that is being expanded */
};

/* A program whose statements are being written. */
struct frame {
  const struct perfpred_program *program;
  const struct frame *caller;
  int level, call; /* call: that is being expanded; -1: none, it is an algorithm */
  uint64_t way;    /* tells apart the calls by which an algorithm is reached */
  char *texts[PPI_SLOT_MAX];
  const char *names[PPI_SLOT_MAX];
  bool known[PPI_SLOT_MAX]; /* the value is this number, wherever the statements are */
  int64_t values[PPI_SLOT_MAX];
  struct place places[PPI_BUFFER_MAX];
};

struct writer {
  struct ppi_expansion *expansion;
  struct ppi_unit *references;
  struct ppi_text arrays, body;
  int blocks, scratch; /* open blocks; arrays made for called programs */
  struct perfpred_error *error;
};

static enum perfpred_status write_block(struct writer *writer, struct frame *frame, const struct ppi_node *node);

static void free_frame(struct frame *frame) {
  for (int i = 0; i < PPI_SLOT_MAX; i++)
    free(frame->texts[i]);
  for (int i = 0; i < frame->program->buffer_count; i++) {
    free(frame->places[i].row);
    free(frame->places[i].column);
  }
}

static struct ppi_scope scope_of(const struct frame *frame) {
  return (struct ppi_scope){ frame->names, (size_t)frame->program->slot_count, NULL };
}

static bool is_known(const struct frame *frame, const struct ppi_expr *expr, int64_t *value) {
  for (int i = 0; i < frame->program->slot_count; i++)
    if (!frame->known[i] && ppi_expr_uses(expr, (size_t)i))
      return false;
  return ppi_expr_eval(expr, frame->values, value, NULL) == PERFPRED_OK;
}

static void print_expr(const struct frame *frame, const struct ppi_expr *expr, struct ppi_text *text) {
  const struct ppi_scope scope = scope_of(frame);
  int64_t value = 0;
  if (is_known(frame, expr, &value)) {
    ppi_text_printf(text, value < 0 ? "(%" PRId64 ")" : "%" PRId64, value);
    return;
  }
  ppi_text_append(text, "(");
  ppi_expr_print(expr, &scope, false, text);
  ppi_text_append(text, ")");
}

static enum perfpred_status take(struct writer *writer, struct ppi_text *text, char **taken) {
  *taken = ppi_text_take(text);
  return *taken ? PERFPRED_OK : ppi_error_memory(writer->error);
}

static enum perfpred_status name_slot(struct writer *writer, struct frame *frame, int slot, struct ppi_text *text) {
  free(frame->texts[slot]);
  frame->texts[slot] = NULL;
  frame->known[slot] = false;
  enum perfpred_status status = take(writer, text, &frame->texts[slot]);
  frame->names[slot] = status ? "" : frame->texts[slot];
  return status;
}

static enum perfpred_status set_known(struct writer *writer, struct frame *frame, int slot, int64_t value) {
  struct ppi_text text = PPI_TEXT_INIT;
  ppi_text_printf(&text, value < 0 ? "(%" PRId64 ")" : "%" PRId64, value);
  enum perfpred_status status = name_slot(writer, frame, slot, &text);
  frame->known[slot] = true;
  frame->values[slot] = value;
  return status;
}

/* The value of an expression of another frame, as a number where it is one. */
static enum perfpred_status pass_value(struct writer *writer, const struct frame *frame, const struct ppi_expr *expr,
                                       struct frame *callee, int slot) {
  struct ppi_text text = PPI_TEXT_INIT;
  int64_t value = 0;
  if (is_known(frame, expr, &value))
    return set_known(writer, callee, slot, value);
  print_expr(frame, expr, &text);
  return name_slot(writer, callee, slot, &text);
}

/* Loops and lets of called programs get names of their own. */
static enum perfpred_status define(struct writer *writer, struct frame *frame, int slot) {
  struct ppi_text text = PPI_TEXT_INIT;
  if (frame->level == 0)
    ppi_text_append(&text, frame->program->slots[slot]);
  else
    ppi_text_printf(&text, "%.40s__%d", frame->program->slots[slot], frame->level);
  return name_slot(writer, frame, slot, &text);
}

static void indent(struct writer *writer) {
  for (int i = 0; i <= writer->blocks; i++)
    ppi_text_append(&writer->body, "  ");
}

static enum perfpred_status check_length(const struct writer *writer, const struct frame *frame) {
  if (writer->body.failed || writer->arrays.failed)
    return ppi_error_memory(writer->error);
  if (writer->body.length > TEXT_MAX)
    return ppi_error_set(writer->error, PERFPRED_LIMIT, "%s: its calls expand into too many loops",
                         frame->program->name);
  return PERFPRED_OK;
}

/* A sum of an expression of the nest and one of a frame. */
static enum perfpred_status add(struct writer *writer, const char *base, const struct frame *frame,
                                const struct ppi_expr *expr, char **sum) {
  struct ppi_text text = PPI_TEXT_INIT;
  int64_t value = 0;
  const bool nothing = ppi_expr_is_constant(expr, &value) && value == 0;
  ppi_text_append(&text, base);
  if (!nothing && !strcmp(base, "0"))
    text.length = 0;
  if (!nothing) {
    ppi_text_append(&text, text.length > 0 ? " + " : "");
    print_expr(frame, expr, &text);
  }
  return take(writer, &text, sum);
}

/* The view that an operand of the frame's program stands for. */
static enum perfpred_status place_view(struct writer *writer, const struct frame *frame,
                                       const struct ppi_operand *operand, struct place *view) {
  const struct place *whole = &frame->places[operand->fixed.buffer];
  const struct ppi_expr *down = whole->by_row ? operand->column : operand->row;
  const struct ppi_expr *across = whole->by_row ? operand->row : operand->column;
  *view = (struct place){ .vector = whole->vector, .by_row = whole->by_row || operand->fixed.by_row };
  strcpy(view->array, whole->array);
  enum perfpred_status status = add(writer, whole->row, frame, down, &view->row);
  return status ? status : add(writer, whole->column, frame, across, &view->column);
}

/* An element of a buffer: its view's place plus the subscripts. */
static enum perfpred_status write_element(struct writer *writer, const struct frame *frame,
                                          const struct ppi_node *node) {
  const struct place *view = &frame->places[node->buffer];
  const int dimensions = frame->program->buffers[node->buffer].dimensions;
  const struct ppi_expr *row = node->subscripts[0], *column = dimensions > 1 ? node->subscripts[1] : NULL;
  const struct ppi_expr *down = view->by_row ? column : row, *across = view->by_row ? row : column;
  char *parts[2] = { NULL, NULL };
  enum perfpred_status status = PERFPRED_OK;
  if (down)
    status = add(writer, view->row, frame, down, &parts[0]);
  if (!status && across)
    status = add(writer, view->column, frame, across, &parts[1]);
  ppi_text_printf(&writer->body, "%s[%s", view->array, parts[0] ? parts[0] : view->row);
  if (!view->vector)
    ppi_text_printf(&writer->body, ", %s", parts[1] ? parts[1] : view->column);
  ppi_text_append(&writer->body, "]");
  free(parts[0]);
  free(parts[1]);
  return status;
}

static enum perfpred_status note_access(struct writer *writer, const struct frame *frame, const struct ppi_node *node) {
  struct ppi_expansion *expansion = writer->expansion;
  if (expansion->access_count == expansion->access_capacity) {
    const size_t capacity = expansion->access_capacity ? 2 * expansion->access_capacity : 64;
    struct ppi_expanded_access *accesses = realloc(expansion->accesses, capacity * sizeof *accesses);
    if (!accesses)
      return ppi_error_memory(writer->error);
    expansion->accesses = accesses;
    expansion->access_capacity = capacity;
  }
  expansion->accesses[expansion->access_count++] =
      (struct ppi_expanded_access){ frame->call, frame->places[node->buffer].argument };
  return PERFPRED_OK;
}

/* All accesses of one statement. */
static enum perfpred_status write_accesses(struct writer *writer, const struct frame *frame,
                                           const struct ppi_node **node) {
  static const char *const verbs[] = { [PPI_IN] = "read ", [PPI_OUT] = "write ", [PPI_INOUT] = "update " };
  const struct ppi_node *at = *node;
  enum perfpred_status status = PERFPRED_OK;
  indent(writer);
  for (;; at = at->next) {
    ppi_text_append(&writer->body, verbs[at->access]);
    status = write_element(writer, frame, at);
    if (!status)
      status = note_access(writer, frame, at);
    *node = at;
    if (status || !at->next || at->next->kind != PPI_NODE_ACCESS || at->next->statement != at->statement)
      break;
    ppi_text_append(&writer->body, "; ");
  }
  ppi_text_append(&writer->body, "\n");
  return status;
}

static enum perfpred_status open_block(struct writer *writer, const struct frame *frame) {
  if (writer->blocks == PPI_BLOCK_MAX)
    return ppi_error_set(writer->error, PERFPRED_LIMIT,
                         "%s: its calls expand into more than %d loops inside each other", frame->program->name,
                         PPI_BLOCK_MAX);
  writer->blocks++;
  return check_length(writer, frame);
}

static void close_block(struct writer *writer) {
  writer->blocks--;
  indent(writer);
  ppi_text_append(&writer->body, "end\n");
}

/* A loop, from the text of its range on. */
static enum perfpred_status write_loop(struct writer *writer, struct frame *frame, const struct ppi_node *node,
                                       const char *range, const char *width) {
  indent(writer);
  ppi_text_printf(&writer->body, "for %s in %s%s%s\n", frame->names[node->slot], range, width ? " as " : "",
                  width ? width : "");
  enum perfpred_status status = open_block(writer, frame);
  if (!status)
    status = write_block(writer, frame, node->body);
  if (!status)
    close_block(writer);
  return status;
}

/* The range is written before its name is known, as the name may stand in it for something else. */
static enum perfpred_status write_plain_for(struct writer *writer, struct frame *frame, const struct ppi_node *node) {
  struct ppi_text range = PPI_TEXT_INIT;
  char width[2 * PPI_NAME_MAX] = "";
  int64_t step = 0;
  print_expr(frame, node->lower, &range);
  ppi_text_append(&range, ":");
  print_expr(frame, node->upper, &range);
  ppi_text_append(&range, node->down ? " down" : "");
  if (!is_known(frame, node->step, &step) || step != 1) {
    ppi_text_append(&range, " by ");
    print_expr(frame, node->step, &range);
  }
  enum perfpred_status status = define(writer, frame, node->slot);
  if (!status && node->width_slot >= 0)
    status = define(writer, frame, node->width_slot);
  if (!status && node->width_slot >= 0)
    snprintf(width, sizeof width, "%s%s", frame->names[node->width_slot],
             node->short_first == node->down ? ""
             : node->short_first             ? " short first"
                                             : " short last");
  if (!status && !range.data)
    status = ppi_error_memory(writer->error);
  if (!status)
    status = write_loop(writer, frame, node, range.data, width[0] ? width : NULL);
  ppi_text_free(&range);
  return status;
}

/* The blocks of full width. */
static enum perfpred_status write_full(struct writer *writer, struct frame *frame, const struct ppi_node *node,
                                       int64_t lower, int64_t upper, int64_t step) {
  char range[100];
  snprintf(range, sizeof range, "%" PRId64 ":%" PRId64 "%s by %" PRId64, lower, upper, node->down ? " down" : "", step);
  enum perfpred_status status = lower < upper ? define(writer, frame, node->slot) : PERFPRED_OK;
  if (!status && lower < upper)
    status = set_known(writer, frame, node->width_slot, step);
  return status || lower >= upper ? status : write_loop(writer, frame, node, range, NULL);
}

/* The short one. */
static enum perfpred_status write_rest(struct writer *writer, struct frame *frame, const struct ppi_node *node,
                                       int64_t start, int64_t width) {
  enum perfpred_status status = set_known(writer, frame, node->slot, start);
  if (!status)
    status = set_known(writer, frame, node->width_slot, width);
  return status ? status : write_block(writer, frame, node->body);
}

/* Where the bounds are numbers, the short block is written apart: the widths of both are numbers then, and all is affine. */
static enum perfpred_status write_for(struct writer *writer, struct frame *frame, const struct ppi_node *node) {
  int64_t lower = 0, upper = 0, step = 0, length = 0;
  if (node->width_slot < 0 || !is_known(frame, node->lower, &lower) || !is_known(frame, node->upper, &upper) ||
      !is_known(frame, node->step, &step) || step < 1 || __builtin_sub_overflow(upper, lower, &length))
    return write_plain_for(writer, frame, node);
  const int64_t rest = length > 0 ? length % step : 0;
  const bool rest_below = node->short_first != node->down;
  const int64_t begin = rest_below ? lower + rest : lower, end = rest_below ? upper : upper - rest;
  enum perfpred_status status = PERFPRED_OK;
  if (rest > 0 && node->short_first)
    status = write_rest(writer, frame, node, rest_below ? lower : end, rest);
  if (!status)
    status = write_full(writer, frame, node, begin, end, step);
  if (!status && rest > 0 && !node->short_first)
    status = write_rest(writer, frame, node, rest_below ? lower : end, rest);
  return status;
}

static enum perfpred_status write_if(struct writer *writer, struct frame *frame, const struct ppi_node *node) {
  int64_t holds = 0;
  if (is_known(frame, node->value, &holds))
    return write_block(writer, frame, holds ? node->body : node->otherwise);
  indent(writer);
  ppi_text_append(&writer->body, "if ");
  print_expr(frame, node->value, &writer->body);
  ppi_text_append(&writer->body, "\n");
  enum perfpred_status status = open_block(writer, frame);
  if (!status)
    status = write_block(writer, frame, node->body);
  if (!status && node->otherwise) {
    writer->blocks--;
    indent(writer);
    ppi_text_append(&writer->body, "else\n");
    writer->blocks++;
    status = write_block(writer, frame, node->otherwise);
  }
  if (!status)
    close_block(writer);
  return status;
}

static enum perfpred_status write_let(struct writer *writer, struct frame *frame, const struct ppi_node *node) {
  struct ppi_text value = PPI_TEXT_INIT;
  int64_t number = 0;
  if (is_known(frame, node->value, &number))
    return set_known(writer, frame, node->slot, number);
  print_expr(frame, node->value, &value);
  enum perfpred_status status = define(writer, frame, node->slot);
  if (!status) {
    indent(writer);
    ppi_text_printf(&writer->body, "let %s = %s\n", frame->names[node->slot], value.data ? value.data : "");
    writer->body.failed = writer->body.failed || value.failed;
  }
  ppi_text_free(&value);
  return status;
}

/* *call: its place. A short block that stands apart has no calls of its own. */
static enum perfpred_status note_call(struct writer *writer, const struct frame *frame, const struct ppi_node *node,
                                      int *call) {
  struct ppi_expansion *expansion = writer->expansion;
  for (size_t i = 0; i < expansion->call_count; i++)
    if (expansion->calls[i].node == node && expansion->calls[i].way == frame->way) {
      *call = (int)i;
      return PERFPRED_OK;
    }
  if (expansion->call_count == expansion->call_capacity) {
    const size_t capacity = expansion->call_capacity ? 2 * expansion->call_capacity : 16;
    struct ppi_expanded_call *calls = realloc(expansion->calls, capacity * sizeof *calls);
    if (!calls)
      return ppi_error_memory(writer->error);
    expansion->calls = calls;
    expansion->call_capacity = capacity;
  }
  *call = (int)expansion->call_count;
  expansion->calls[expansion->call_count++] = (struct ppi_expanded_call){ node, frame->program, frame->way };
  return PERFPRED_OK;
}

static bool is_called(const char *name, const char *argument) {
  return name[0] == tolower((unsigned char)argument[0]) && !strcmp(name + 1, argument + 1);
}

/* The operand of a call that a parameter or array of its reference is called after; -1: none. */
static int find_operand(const struct perfpred_kernel *kernel, const char *name) {
  for (int i = 0; i < kernel->arg_count; i++)
    if (is_called(kernel->args[i].name, name))
      return i;
  return -1;
}

/* 0, 1, or 2 for other values. */
static int scalar_case(const struct ppi_value *value) {
  if (value->im != 0.0)
    return 2;
  return value->re == 0.0 ? 0 : value->re == 1.0 ? 1 : 2;
}

static enum perfpred_status pass_argument(struct writer *writer, const struct frame *frame, const struct ppi_node *node,
                                          struct frame *reference, int parameter) {
  const int place = find_operand(node->kernel, reference->program->slots[parameter]);
  assert(place >= 0); /* as tests of all references tell */
  const struct ppi_operand *operand = &node->operands[place];
  if (operand->integer)
    return pass_value(writer, frame, operand->integer, reference, parameter);
  const bool flag = node->kernel->args[place].kind == PPI_ARG_FLAG;
  return set_known(writer, reference, parameter, flag ? operand->fixed.i == 'U' : scalar_case(&operand->fixed));
}

static enum perfpred_status write_call(struct writer *writer, struct frame *frame, const struct ppi_node *node) {
  struct frame reference = { .caller = frame, .level = frame->level + 1 };
  enum perfpred_status status = ppi_reference_find(writer->references, node, &reference.program, writer->error);
  if (!status)
    status = note_call(writer, frame, node, &reference.call);
  if (status)
    return status;
  const struct perfpred_program *program = reference.program;
  for (int i = 0; i < program->parameter_count && !status; i++)
    status = pass_argument(writer, frame, node, &reference, i);
  for (int i = 0; i < program->buffer_count && !status; i++) {
    const int place = find_operand(node->kernel, program->buffers[i].name);
    assert(place >= 0);
    status = place_view(writer, frame, &node->operands[place], &reference.places[i]);
    reference.places[i].argument = place;
  }
  if (!status)
    status = write_block(writer, &reference, program->body);
  free_frame(&reference);
  return status;
}

static enum perfpred_status write_zero(struct writer *writer, char **zero) {
  struct ppi_text text = PPI_TEXT_INIT;
  ppi_text_append(&text, "0");
  return take(writer, &text, zero);
}

/* An array of the nest for a buffer. */
static enum perfpred_status make_array(struct writer *writer, struct frame *frame, int index) {
  const struct ppi_buffer *buffer = &frame->program->buffers[index];
  struct place *place = &frame->places[index];
  const struct ppi_scope scope = scope_of(frame);
  place->vector = buffer->shape == PPI_SHAPE_VECTOR;
  if (frame->level == 0)
    strcpy(place->array, buffer->name);
  else
    snprintf(place->array, sizeof place->array, "%.40s__w%d", buffer->name, ++writer->scratch);
  ppi_text_printf(&writer->arrays, "  %s column-major %s[", ppi_type_name(buffer->type), place->array);
  const struct ppi_expr *columns = buffer->shape == PPI_SHAPE_TRIANGLE ? buffer->rows : buffer->columns;
  if (frame->level == 0)
    ppi_expr_print(buffer->rows, &scope, false, &writer->arrays);
  else
    ppi_text_printf(&writer->arrays, "%d", OPEN_EXTENT);
  if (!place->vector)
    ppi_text_append(&writer->arrays, ", ");
  if (!place->vector && frame->level == 0)
    ppi_expr_print(columns, &scope, false, &writer->arrays);
  else if (!place->vector)
    ppi_text_printf(&writer->arrays, "%d", OPEN_EXTENT);
  ppi_text_append(&writer->arrays, "]\n");
  enum perfpred_status status = write_zero(writer, &place->row);
  return status ? status : write_zero(writer, &place->column);
}

static enum perfpred_status check_callee(struct writer *writer, const struct frame *frame,
                                         const struct ppi_node *node) {
  const struct perfpred_program *callee = node->callee ? node->callee : frame->program;
  for (const struct frame *at = frame; at; at = at->caller)
    if (at->program == callee)
      return ppi_error_set(writer->error, PERFPRED_UNSUPPORTED, "%s, line %d: %s calls itself, which no loop nest does",
                           frame->program->name, node->line, callee->name);
  if (frame->level >= LEVEL_MAX)
    return ppi_error_set(writer->error, PERFPRED_LIMIT, "%s: more than %d algorithms call each other",
                         frame->program->name, LEVEL_MAX);
  return PERFPRED_OK;
}

static enum perfpred_status enter_callee(struct writer *writer, const struct frame *frame, const struct ppi_node *node,
                                         struct frame *callee) {
  int operand = callee->program->parameter_count;
  enum perfpred_status status = PERFPRED_OK;
  for (int i = 0; i < callee->program->parameter_count && !status; i++)
    status = pass_value(writer, frame, node->operands[i].integer, callee, i);
  for (int i = 0; i < callee->program->buffer_count && !status; i++)
    status = callee->program->buffers[i].work
                 ? make_array(writer, callee, i)
                 : place_view(writer, frame, &node->operands[operand++], &callee->places[i]);
  return status;
}

static enum perfpred_status write_run(struct writer *writer, struct frame *frame, const struct ppi_node *node) {
  enum perfpred_status status = check_callee(writer, frame, node);
  if (status)
    return status;
  struct frame *callee = calloc(1, sizeof *callee);
  if (!callee)
    return ppi_error_memory(writer->error);
  *callee = (struct frame){ .program = node->callee, .caller = frame, .level = frame->level + 1, .call = -1 };
  callee->way = (frame->way + (uint64_t)node->site + 1) * UINT64_C(0x9e3779b97f4a7c15);
  status = enter_callee(writer, frame, node, callee);
  if (!status)
    status = write_block(writer, callee, callee->program->body);
  free_frame(callee);
  free(callee);
  return status;
}

static enum perfpred_status write_node(struct writer *writer, struct frame *frame, const struct ppi_node **node) {
  switch ((*node)->kind) {
  case PPI_NODE_FOR:
    return write_for(writer, frame, *node);
  case PPI_NODE_IF:
    return write_if(writer, frame, *node);
  case PPI_NODE_LET:
    return write_let(writer, frame, *node);
  case PPI_NODE_CALL:
    return write_call(writer, frame, *node);
  case PPI_NODE_RUN:
    return write_run(writer, frame, *node);
  case PPI_NODE_ACCESS:
    return write_accesses(writer, frame, node);
  }
  return PERFPRED_INVALID;
}

static enum perfpred_status write_block(struct writer *writer, struct frame *frame, const struct ppi_node *node) {
  enum perfpred_status status = PERFPRED_OK;
  for (; node && !status; node = node->next) {
    status = write_node(writer, frame, &node);
    if (!status)
      status = check_length(writer, frame);
  }
  return status;
}

static void write_head(const struct perfpred_program *algorithm, struct ppi_text *text) {
  ppi_text_printf(text, "perfpred-text 1\nnest %s(", algorithm->name);
  for (int i = 0; i < algorithm->parameter_count; i++)
    ppi_text_printf(text, "%s%s", i > 0 ? ", " : "", algorithm->slots[i]);
  ppi_text_append(text, ")\n");
}

static enum perfpred_status read_nest(const struct perfpred_context *context, struct writer *writer,
                                      const struct perfpred_program *algorithm) {
  struct ppi_text text = PPI_TEXT_INIT;
  struct perfpred_error inner;
  write_head(algorithm, &text);
  if (writer->arrays.data)
    ppi_text_append_n(&text, writer->arrays.data, writer->arrays.length);
  if (writer->body.data)
    ppi_text_append_n(&text, writer->body.data, writer->body.length);
  ppi_text_append(&text, "end\n");
  enum perfpred_status status =
      text.failed ? PERFPRED_NO_MEMORY : check_length(writer, &(struct frame){ .program = algorithm });
  if (!status) {
    status = perfpred_program_parse(context, text.data, text.length, "nest", &writer->expansion->nest, &inner);
    if (status && status != PERFPRED_NO_MEMORY)
      ppi_error_set(writer->error, status == PERFPRED_SYNTAX ? PERFPRED_LIMIT : status, "%s expanded into loops: %s",
                    algorithm->name, inner.text);
    status = status == PERFPRED_SYNTAX ? PERFPRED_LIMIT : status;
  }
  if (status == PERFPRED_NO_MEMORY)
    ppi_error_memory(writer->error);
  ppi_text_free(&text);
  return status;
}

/* Declarations have the names of parameters, statements their values. */
static enum perfpred_status write_algorithm(struct writer *writer, const struct perfpred_program *algorithm,
                                            const int64_t *parameters) {
  struct frame *top = calloc(1, sizeof *top);
  if (!top)
    return ppi_error_memory(writer->error);
  *top = (struct frame){ .program = algorithm, .call = -1 };
  enum perfpred_status status = PERFPRED_OK;
  for (int i = 0; i < algorithm->parameter_count && !status; i++)
    status = define(writer, top, i);
  for (int i = 0; i < algorithm->buffer_count && !status; i++)
    status = make_array(writer, top, i);
  for (int i = 0; i < algorithm->parameter_count && !status && parameters; i++)
    status = set_known(writer, top, i, parameters[i]);
  if (!status)
    status = write_block(writer, top, algorithm->body);
  free_frame(top);
  free(top);
  return status;
}

enum perfpred_status ppi_expand(const struct perfpred_context *context, const struct perfpred_program *algorithm,
                                const int64_t *parameters, struct ppi_expansion *expansion,
                                struct perfpred_error *error) {
  struct writer writer = { .expansion = expansion, .error = error };
  *expansion = (struct ppi_expansion){ 0 };
  enum perfpred_status status = ppi_references_read(context, &writer.references, error);
  if (!status)
    status = write_algorithm(&writer, algorithm, parameters);
  if (!status)
    status = read_nest(context, &writer, algorithm);
  ppi_text_free(&writer.body);
  ppi_text_free(&writer.arrays);
  ppi_unit_unref(writer.references);
  if (status)
    ppi_expansion_free(expansion);
  return status;
}

void ppi_expansion_free(struct ppi_expansion *expansion) {
  perfpred_program_unref(expansion->nest);
  free(expansion->accesses);
  free(expansion->calls);
  *expansion = (struct ppi_expansion){ 0 };
}
