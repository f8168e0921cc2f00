/* SPDX-License-Identifier: BSD-3-Clause */
/* Expanding writes a text: statements of called programs and of references with the caller's expressions in the place of their
   parameters, and views as sums of places. It is read like any other nest. */
#include "affine/expand_writer.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "affine/reference.h"
#include "base/context.h"
#include "kernel/signature.h"
#include "program/tree.h"

#define LEVEL_MAX 64        /* programs that call each other */
#define OPEN_EXTENT 1000000 /* rows of the scratch of called programs: only which lines differ matters */

/* *call: its place. A short block that stands apart has no calls of its own. */
static enum perfpred_status note_call(struct ppi_writer *writer, const struct ppi_expanded *frame,
                                      const struct ppi_node *node, int *call) {
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

static enum perfpred_status pass_argument(struct ppi_writer *writer, const struct ppi_expanded *frame,
                                          const struct ppi_node *node, struct ppi_expanded *reference, int parameter) {
  const int place = find_operand(node->kernel, reference->program->slots[parameter]);
  assert(place >= 0); /* as tests of all references tell */
  const struct ppi_operand *operand = &node->operands[place];
  if (operand->integer)
    return ppi_frame_pass(writer, frame, operand->integer, reference, parameter);
  const struct ppi_arg *arg = &node->kernel->args[place];
  const int64_t value = arg->kind != PPI_ARG_FLAG ? scalar_case(&operand->fixed)
                        : arg->option             ? operand->fixed.i - '0'
                                                  : operand->fixed.i == 'U';
  return ppi_frame_set(writer, reference, parameter, value);
}

static enum perfpred_status write_zero(struct ppi_writer *writer, char **zero) {
  struct ppi_text text = PPI_TEXT_INIT;
  ppi_text_append(&text, "0");
  return ppi_writer_take(writer, &text, zero);
}

/* An array of the nest for a buffer. */
static enum perfpred_status make_array(struct ppi_writer *writer, struct ppi_expanded *frame, int index) {
  const struct ppi_buffer *buffer = &frame->program->buffers[index];
  struct ppi_place_view *place = &frame->places[index];
  const struct ppi_scope scope = ppi_frame_scope(frame);
  place->vector = buffer->dimensions == 1 || buffer->shape == PPI_SHAPE_VECTOR; /* of a reference, or an algorithm */
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

/* Whether the smaller one of a call's sizes is a number. */
static bool is_sized(const struct ppi_expanded *frame, const struct ppi_node *node) {
  struct ppi_span least = { INT64_MAX, INT64_MAX };
  for (int i = 0; i < node->kernel->size_count; i++) {
    const struct ppi_span size = ppi_frame_span(frame, node->operands[node->kernel->sizes[i]].integer);
    least.low = size.low < least.low ? size.low : least.low;
    least.high = size.high < least.high ? size.high : least.high;
  }
  return ppi_span_is_number(&least);
}

/* The arguments of a call. Those of a call within a reference are parts of the arguments of the algorithm's call. */
static enum perfpred_status enter_reference(struct ppi_writer *writer, const struct ppi_expanded *frame,
                                            const struct ppi_node *node, struct ppi_expanded *reference) {
  const struct perfpred_program *program = reference->program;
  enum perfpred_status status = PERFPRED_OK;
  for (int i = 0; i < program->parameter_count && !status; i++)
    status = pass_argument(writer, frame, node, reference, i);
  for (int i = 0; i < program->buffer_count && !status; i++) {
    const int place = find_operand(node->kernel, program->buffers[i].name);
    assert(place >= 0);
    const bool scratch = node->kernel->args[place].kind == PPI_ARG_WORK;
    assert(!scratch || frame->call < 0);
    status = scratch ? make_array(writer, reference, i)
                     : ppi_frame_view(writer, frame, &node->operands[place], &reference->places[i]);
    if (frame->call < 0)
      reference->places[i].argument = place;
  }
  return status;
}

/* Of a call within a reference it is part of an argument of the algorithm's call, as all of its operands are. */
static enum perfpred_status write_element(struct ppi_writer *writer, const struct ppi_expanded *frame,
                                          const struct ppi_operand *operand, enum ppi_direction access, int call,
                                          int argument) {
  const int inner = frame->places[operand->fixed.buffer].argument;
  return ppi_writer_element(writer, frame, operand, access, call, frame->call < 0 ? argument : inner);
}

/* Scalars that are elements are read before the loops of the reference. */
static enum perfpred_status write_scalars(struct ppi_writer *writer, const struct ppi_expanded *frame,
                                          const struct ppi_node *node, int call) {
  enum perfpred_status status = PERFPRED_OK;
  for (int i = 0; i < node->kernel->arg_count && !status; i++)
    if (node->kernel->args[i].kind == PPI_ARG_SCALAR && node->operands[i].row)
      status = write_element(writer, frame, &node->operands[i], PPI_IN, call, i);
  return status;
}

enum perfpred_status ppi_writer_call(struct ppi_writer *writer, struct ppi_expanded *frame,
                                     const struct ppi_node *node) {
  struct ppi_expanded *reference = calloc(1, sizeof *reference);
  if (!reference)
    return ppi_error_memory(writer->error);
  *reference = (struct ppi_expanded){ .caller = frame, .level = frame->level + 1, .call = frame->call };
  enum perfpred_status status =
      ppi_reference_find(writer->references, node, is_sized(frame, node), &reference->program, writer->error);
  if (!status && frame->call < 0)
    status = note_call(writer, frame, node, &reference->call);
  if (!status)
    status = enter_reference(writer, frame, node, reference);
  if (!status)
    status = write_scalars(writer, frame, node, reference->call);
  if (!status)
    status = ppi_writer_block(writer, reference, reference->program->body);
  if (!status && node->result)
    status = write_element(writer, frame, node->result, node->adds ? PPI_INOUT : PPI_OUT, reference->call,
                           node->kernel->arg_count);
  ppi_frame_clear(reference);
  free(reference);
  return status;
}

/* The innermost frame of a program that is being expanded; NULL: there is none. */
static const struct ppi_expanded *find_open(const struct ppi_expanded *frame, const struct perfpred_program *program) {
  while (frame && frame->program != program)
    frame = frame->caller;
  return frame;
}

/* A program that calls itself comes to an end where one of its sizes is known to fall from call to call. */
static bool falls(const struct ppi_expanded *callee, const struct ppi_expanded *open) {
  for (int i = 0; i < callee->program->parameter_count; i++)
    if (callee->spans[i].high < open->spans[i].low)
      return true;
  return false;
}

static enum perfpred_status check_callee(struct ppi_writer *writer, const struct ppi_expanded *frame,
                                         const struct ppi_node *node, const struct ppi_expanded *callee) {
  const struct ppi_expanded *open = find_open(frame, callee->program);
  if (open && !falls(callee, open))
    return ppi_error_set(writer->error, PERFPRED_UNSUPPORTED,
                         "%s, line %d: %s calls itself with sizes that are not known to fall, which no loop nest does",
                         frame->program->name, node->line, callee->program->name);
  if (frame->level >= LEVEL_MAX)
    return ppi_error_set(writer->error, PERFPRED_LIMIT, "%s: more than %d algorithms call each other",
                         frame->program->name, LEVEL_MAX);
  return PERFPRED_OK;
}

static enum perfpred_status enter_callee(struct ppi_writer *writer, const struct ppi_expanded *frame,
                                         const struct ppi_node *node, struct ppi_expanded *callee) {
  int operand = callee->program->parameter_count;
  enum perfpred_status status = PERFPRED_OK;
  for (int i = 0; i < callee->program->parameter_count && !status; i++)
    status = ppi_frame_pass(writer, frame, node->operands[i].integer, callee, i);
  for (int i = 0; i < callee->program->buffer_count && !status; i++)
    status = callee->program->buffers[i].work
                 ? make_array(writer, callee, i)
                 : ppi_frame_view(writer, frame, &node->operands[operand++], &callee->places[i]);
  return status;
}

/* Calls of a program that calls itself are those of its text, at whatever depth they are made. */
static uint64_t way_of(const struct ppi_expanded *frame, const struct ppi_node *node,
                       const struct perfpred_program *callee) {
  const struct ppi_expanded *open = find_open(frame, callee);
  return open ? open->way : (frame->way + (uint64_t)node->site + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

enum perfpred_status ppi_writer_run(struct ppi_writer *writer, struct ppi_expanded *frame,
                                    const struct ppi_node *node) {
  struct ppi_expanded *callee = calloc(1, sizeof *callee);
  if (!callee)
    return ppi_error_memory(writer->error);
  *callee = (struct ppi_expanded){ .program = node->callee ? node->callee : frame->program,
                                   .caller = frame,
                                   .level = frame->level + 1,
                                   .call = frame->call };
  callee->way = way_of(frame, node, callee->program);
  enum perfpred_status status = enter_callee(writer, frame, node, callee);
  if (!status)
    status = check_callee(writer, frame, node, callee);
  if (!status)
    status = ppi_writer_block(writer, callee, callee->program->body);
  ppi_frame_clear(callee);
  free(callee);
  return status;
}

static void write_head(const struct perfpred_program *algorithm, struct ppi_text *text) {
  ppi_text_printf(text, "perfpred-text 1\nnest %s(", algorithm->name);
  for (int i = 0; i < algorithm->parameter_count; i++)
    ppi_text_printf(text, "%s%s", i > 0 ? ", " : "", algorithm->slots[i]);
  ppi_text_append(text, ")\n");
}

static enum perfpred_status read_nest(const struct perfpred_context *context, struct ppi_writer *writer,
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
      text.failed ? PERFPRED_NO_MEMORY : ppi_writer_check(writer, &(struct ppi_expanded){ .program = algorithm });
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
static enum perfpred_status write_algorithm(struct ppi_writer *writer, const struct perfpred_program *algorithm,
                                            const int64_t *parameters) {
  struct ppi_expanded *top = calloc(1, sizeof *top);
  if (!top)
    return ppi_error_memory(writer->error);
  *top = (struct ppi_expanded){ .program = algorithm, .call = -1 };
  enum perfpred_status status = PERFPRED_OK;
  for (int i = 0; i < algorithm->parameter_count && !status; i++)
    status = ppi_frame_define(writer, top, i);
  for (int i = 0; i < algorithm->buffer_count && !status; i++)
    status = make_array(writer, top, i);
  for (int i = 0; i < algorithm->parameter_count && !status && parameters; i++)
    status = ppi_frame_set(writer, top, i, parameters[i]);
  if (!status)
    status = ppi_writer_block(writer, top, algorithm->body);
  ppi_frame_clear(top);
  free(top);
  return status;
}

enum perfpred_status ppi_expand(const struct perfpred_context *context, const struct perfpred_program *algorithm,
                                const int64_t *parameters, struct ppi_expansion *expansion,
                                struct perfpred_error *error) {
  struct ppi_writer writer = { .expansion = expansion, .error = error };
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
