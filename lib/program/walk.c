/* SPDX-License-Identifier: BSD-3-Clause */
/* The one interpreter of loop trees. It allocates nothing: values and views live in one frame per program on the stack. */
#include "program/walk.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "program/loop.h"

#define DEFAULT_LIMIT UINT64_C(100000000)
#define PULSE_STEPS 4096

/* Where a buffer of the running program lies: rows x columns from (row, column) on in buffer `number`. A vector that runs
   along a row has by_row set. */
struct view {
  int number;
  bool by_row;
  int64_t row, column, rows, columns;
};

struct walk {
  const struct ppi_walker *walker;
  void *data;
  struct perfpred_error *error;
  uint64_t calls, call_limit; /* calls and accesses */
  uint64_t steps, step_limit; /* iterations and runs: a loop without calls ends as well */
  int next_number;            /* of the next work buffer of a called program */
  int loops;                  /* that are open, those of calling programs among them */
};

struct frame {
  struct walk *walk;
  const struct perfpred_program *program;
  int level;
  int64_t slots[PPI_SLOT_MAX];
  struct view views[PPI_BUFFER_MAX];
};

static enum perfpred_status run_block(struct frame *frame, const struct ppi_node *node);

/* Name of what a CALL, RUN or ACCESS is about, for messages. */
static const char *name_of(const struct frame *frame, const struct ppi_node *node) {
  if (node->kind == PPI_NODE_CALL)
    return node->kernel->name;
  if (node->kind == PPI_NODE_RUN)
    return node->callee ? node->callee->name : frame->program->name;
  return frame->program->buffers[node->buffer].name;
}

/* An expression's value; a failure names the program and the line. */
static enum perfpred_status value_of(struct frame *frame, const struct ppi_node *node, const struct ppi_expr *expr,
                                     int64_t *value) {
  struct perfpred_error inner;
  ppi_error_clear(&inner);
  enum perfpred_status status = ppi_expr_eval(expr, frame->slots, value, &inner);
  if (status)
    ppi_error_set(frame->walk->error, status, "%s, line %d: %s", frame->program->name, node->line, inner.text);
  return status;
}

static enum perfpred_status too_much(struct frame *frame, const struct ppi_node *node, const char *what,
                                     uint64_t limit) {
  return ppi_error_set(frame->walk->error, PERFPRED_LIMIT, "%s, line %d: more than %" PRIu64 " %s",
                       frame->program->name, node->line, limit, what);
}

/* Offsets of a view inside a view. False: beyond 64 bits. */
static bool inside(const struct view *outer, int64_t row, int64_t column, struct view *inner) {
  if (outer->by_row)
    return !__builtin_add_overflow(outer->row, column, &inner->row) &&
           !__builtin_add_overflow(outer->column, row, &inner->column);
  return !__builtin_add_overflow(outer->row, row, &inner->row) &&
         !__builtin_add_overflow(outer->column, column, &inner->column);
}

static enum perfpred_status outside(struct frame *frame, const struct ppi_node *node, const char *argument,
                                    const struct ppi_buffer *buffer, const struct view *whole, int64_t row,
                                    int64_t column, int64_t rows, int64_t columns) {
  return ppi_error_set(frame->walk->error, PERFPRED_INVALID,
                       "%s, line %d: argument %s of %s is %" PRId64 " x %" PRId64 " from [%" PRId64 ", %" PRId64
                       "] on, expected it inside %s, which is %" PRId64 " x %" PRId64,
                       frame->program->name, node->line, argument, name_of(frame, node), rows, columns, row, column,
                       buffer->name, whole->rows, whole->columns);
}

/* Nothing lies within anything. */
static bool lies_within(int64_t row, int64_t rows, int64_t whole_rows, int64_t column, int64_t columns,
                        int64_t whole_columns) {
  if (rows <= 0 || columns <= 0)
    return true;
  return row >= 0 && column >= 0 && rows <= whole_rows && row <= whole_rows - rows && columns <= whole_columns &&
         column <= whole_columns - columns;
}

/* The view that an operand stands for. rows x columns is what the callee needs; along a row it is turned. */
static enum perfpred_status place_view(struct frame *frame, const struct ppi_node *node, const char *argument,
                                       const struct ppi_operand *operand, int64_t rows, int64_t columns,
                                       struct view *view) {
  const struct view *whole = &frame->views[operand->fixed.buffer];
  const bool turned = operand->fixed.by_row;
  int64_t row = 0, column = 0;
  enum perfpred_status status = value_of(frame, node, operand->row, &row);
  if (!status)
    status = value_of(frame, node, operand->column, &column);
  if (status)
    return status;
  const int64_t down = turned ? columns : rows, across = turned ? rows : columns;
  if (!lies_within(row, down, whole->rows, column, across, whole->columns))
    return outside(frame, node, argument, &frame->program->buffers[operand->fixed.buffer], whole, row, column, down,
                   across);
  if (!inside(whole, row, column, view))
    return ppi_error_set(frame->walk->error, PERFPRED_OVERFLOW, "%s, line %d: argument %s of %s lies beyond 64 bits",
                         frame->program->name, node->line, argument, name_of(frame, node));
  view->number = whole->number;
  view->by_row = turned || whole->by_row;
  view->rows = rows;
  view->columns = columns;
  return PERFPRED_OK;
}

static enum perfpred_status negative(struct frame *frame, const struct ppi_node *node, const char *argument,
                                     int64_t value) {
  return ppi_error_set(frame->walk->error, PERFPRED_INVALID, "%s, line %d: %s of %s must be >= 0, got %" PRId64,
                       frame->program->name, node->line, argument, name_of(frame, node), value);
}

/* Flags, sizes and scalars; extents of the data depend on them. */
static enum perfpred_status fill_values(struct frame *frame, const struct ppi_node *node, struct ppi_value *values) {
  for (int i = 0; i < node->operand_count; i++) {
    values[i] = node->operands[i].fixed;
    if (!node->operands[i].integer)
      continue;
    enum perfpred_status status = value_of(frame, node, node->operands[i].integer, &values[i].i);
    if (status)
      return status;
    if (values[i].i < 0)
      return negative(frame, node, node->kernel->args[i].name, values[i].i);
  }
  return PERFPRED_OK;
}

static enum perfpred_status fill_view(struct frame *frame, const struct ppi_node *node, int place,
                                      struct ppi_value *values) {
  const struct ppi_arg *arg = &node->kernel->args[place];
  int64_t rows = 1, columns = 1;
  struct view view;
  enum perfpred_status status = PERFPRED_OK;
  if (arg->kind != PPI_ARG_SCALAR)
    status = ppi_kernel_extent(node->kernel, values, place, &rows, &columns, frame->walk->error);
  if (!status)
    status = place_view(frame, node, arg->name, &node->operands[place], rows, columns, &view);
  if (status)
    return status;
  if (view.by_row && arg->inc < 0 && rows > 1)
    return ppi_error_set(frame->walk->error, PERFPRED_INVALID,
                         "%s, line %d: argument %s of %s has no increment, so it cannot run along a row",
                         frame->program->name, node->line, arg->name, node->kernel->name);
  struct ppi_value *value = &values[place];
  value->buffer = view.number;
  value->by_row = view.by_row;
  value->row = view.row;
  value->column = view.column;
  return PERFPRED_OK;
}

static enum perfpred_status fill_result(struct frame *frame, const struct ppi_node *node, struct ppi_value *value) {
  struct view view;
  *value = node->result->fixed;
  value->buffer = -1;
  if (frame->walk->walker->without_views)
    return PERFPRED_OK;
  enum perfpred_status status = place_view(frame, node, "result", node->result, 1, 1, &view);
  if (status)
    return status;
  value->buffer = view.number;
  value->row = view.row;
  value->column = view.column;
  return PERFPRED_OK;
}

/* Whether a vector runs along a row still matters: its increment is part of the case. */
static void skip_view(const struct frame *frame, struct ppi_value *value) {
  value->by_row = value->by_row || frame->views[value->buffer].by_row;
  value->buffer = -1;
}

static enum perfpred_status run_call(struct frame *frame, const struct ppi_node *node) {
  struct walk *walk = frame->walk;
  struct ppi_value values[PPI_ARG_MAX];
  if (++walk->calls > walk->call_limit)
    return too_much(frame, node, "calls", walk->call_limit);
  enum perfpred_status status = fill_values(frame, node, values);
  for (int i = 0; i < node->operand_count && !status; i++)
    if (node->operands[i].row) {
      if (walk->walker->without_views)
        skip_view(frame, &values[i]);
      else
        status = fill_view(frame, node, i, values);
    }
  if (!status && node->result)
    status = fill_result(frame, node, &values[node->kernel->arg_count]);
  return status ? status : walk->walker->call(walk->data, node, values, walk->error);
}

static enum perfpred_status run_access(struct frame *frame, const struct ppi_node *node) {
  struct walk *walk = frame->walk;
  const struct ppi_buffer *buffer = &frame->program->buffers[node->buffer];
  int64_t subscripts[8] = { 0 };
  if (++walk->calls > walk->call_limit)
    return too_much(frame, node, "accesses", walk->call_limit);
  for (int i = 0; i < buffer->dimensions; i++) {
    enum perfpred_status status = value_of(frame, node, node->subscripts[i], &subscripts[i]);
    if (status)
      return status;
  }
  return walk->walker->access(walk->data, node, node->buffer, subscripts, walk->error);
}

/* Extents of all buffers of a frame's program. */
static enum perfpred_status measure_buffers(struct frame *frame) {
  for (int i = 0; i < frame->program->buffer_count; i++) {
    struct view *view = &frame->views[i];
    enum perfpred_status status =
        ppi_buffer_extent(frame->program, i, frame->slots, &view->rows, &view->columns, frame->walk->error);
    if (status)
      return status;
  }
  return PERFPRED_OK;
}

static void leave_buffers(struct frame *frame, int count) {
  const struct ppi_walker *walker = frame->walk->walker;
  for (int i = count - 1; i >= 0; i--)
    if (frame->program->buffers[i].work && walker->leave)
      walker->leave(frame->walk->data, frame->views[i].number);
}

/* Makes the work buffers, runs the body, and unmakes them again whatever happened. */
static enum perfpred_status run_frame(struct frame *frame) {
  struct walk *walk = frame->walk;
  const struct ppi_walker *walker = walk->walker;
  const int first_number = walk->next_number;
  enum perfpred_status status = PERFPRED_OK;
  int made = 0;
  for (; made < frame->program->buffer_count && !status; made++) {
    struct view *view = &frame->views[made];
    const struct ppi_buffer *buffer = &frame->program->buffers[made];
    if (!buffer->work)
      continue;
    const int number = frame->level == 1 ? made : walk->next_number++;
    *view = (struct view){ .number = number, .rows = view->rows, .columns = view->columns };
    if (walker->enter)
      status = walker->enter(walk->data, view->number, buffer, view->rows, view->columns, walk->error);
    if (status)
      break;
  }
  if (walker->program)
    walker->program(walk->data, frame->program, walk->loops, true);
  if (!status)
    status = run_block(frame, frame->program->body);
  if (walker->program)
    walker->program(walk->data, frame->program, walk->loops, false);
  leave_buffers(frame, made);
  walk->next_number = first_number;
  return status;
}

static enum perfpred_status pass_parameters(struct frame *frame, const struct ppi_node *node, struct frame *callee) {
  for (int i = 0; i < callee->program->parameter_count; i++) {
    enum perfpred_status status = value_of(frame, node, node->operands[i].integer, &callee->slots[i]);
    if (status)
      return status;
  }
  struct perfpred_error inner;
  ppi_error_clear(&inner);
  enum perfpred_status status =
      ppi_program_check(callee->program, callee->slots, (size_t)callee->program->parameter_count, &inner);
  if (status)
    ppi_error_set(frame->walk->error, status, "%s, line %d: call of %s: %s", frame->program->name, node->line,
                  callee->program->name, inner.text);
  return status;
}

static enum perfpred_status pass_buffers(struct frame *frame, const struct ppi_node *node, struct frame *callee) {
  int operand = callee->program->parameter_count;
  enum perfpred_status status = measure_buffers(callee);
  for (int i = 0; i < callee->program->buffer_count && !status; i++)
    if (!callee->program->buffers[i].work)
      status = place_view(frame, node, callee->program->buffers[i].name, &node->operands[operand++],
                          callee->views[i].rows, callee->views[i].columns, &callee->views[i]);
  return status;
}

/* One more iteration or run. */
static enum perfpred_status count_step(struct frame *frame, const struct ppi_node *node) {
  struct walk *walk = frame->walk;
  if (++walk->steps > walk->step_limit)
    return too_much(frame, node, "steps", walk->step_limit);
  if (walk->steps % PULSE_STEPS != 0 || !walk->walker->pulse)
    return PERFPRED_OK;
  return walk->walker->pulse(walk->data, walk->error);
}

static enum perfpred_status run_run(struct frame *frame, const struct ppi_node *node) {
  struct walk *walk = frame->walk;
  struct frame callee;
  callee.walk = walk;
  callee.program = node->callee ? node->callee : frame->program;
  callee.level = frame->level + 1;
  if (callee.level > PPI_RECURSION_MAX)
    return ppi_error_set(walk->error, PERFPRED_LIMIT, "%s, line %d: %s is called more than %d levels deep",
                         frame->program->name, node->line, callee.program->name, PPI_RECURSION_MAX);
  enum perfpred_status status = count_step(frame, node);
  if (!status)
    status = pass_parameters(frame, node, &callee);
  if (!status)
    status = pass_buffers(frame, node, &callee);
  return status ? status : run_frame(&callee);
}

static enum perfpred_status run_iteration(struct frame *frame, const struct ppi_node *node, int64_t start,
                                          int64_t width) {
  struct walk *walk = frame->walk;
  enum perfpred_status status = count_step(frame, node);
  if (status)
    return status;
  frame->slots[node->slot] = start;
  if (node->width_slot >= 0)
    frame->slots[node->width_slot] = width;
  if (walk->walker->start && walk->loops == 0) {
    const struct ppi_walk_block block = { start, width };
    walk->walker->start(walk->data, node, &block);
  }
  if (walk->walker->iteration)
    walk->walker->iteration(walk->data, walk->loops, true);
  walk->loops++;
  status = run_block(frame, node->body);
  walk->loops--;
  if (walk->walker->iteration)
    walk->walker->iteration(walk->data, walk->loops, false);
  return status;
}

/* The blocks of the walker in place of the loop's own. */
static enum perfpred_status run_blocks(struct frame *frame, const struct ppi_node *node) {
  struct walk *walk = frame->walk;
  const struct ppi_walker *walker = walk->walker;
  enum perfpred_status status = PERFPRED_OK;
  for (int i = 0; i < walker->block_count && !status; i++) {
    walker->block(walk->data, node, i);
    status = run_iteration(frame, node, walker->blocks[i].start, walker->blocks[i].width);
  }
  walker->block(walk->data, node, -1);
  return status;
}

static enum perfpred_status run_for(struct frame *frame, const struct ppi_node *node) {
  struct walk *walk = frame->walk;
  if (walk->walker->blocks && walk->loops == 0)
    return run_blocks(frame, node);
  int64_t lower = 0, upper = 0, step = 0;
  enum perfpred_status status = value_of(frame, node, node->lower, &lower);
  if (!status)
    status = value_of(frame, node, node->upper, &upper);
  if (!status)
    status = value_of(frame, node, node->step, &step);
  if (status)
    return status;
  struct ppi_loop loop;
  if (step < 1)
    return ppi_error_set(walk->error, PERFPRED_INVALID, "%s, line %d: the step of %s must be >= 1, got %" PRId64,
                         frame->program->name, node->line, frame->program->slots[node->slot], step);
  if (!ppi_loop_begin(&loop, node, lower, upper, step))
    return ppi_error_set(walk->error, PERFPRED_OVERFLOW,
                         "%s, line %d: the range %" PRId64 ":%" PRId64 " is longer than 64 bits can tell",
                         frame->program->name, node->line, lower, upper);
  int64_t start = 0, width = 0;
  bool done = false;
  if (walk->walker->loop)
    status = walk->walker->loop(walk->data, node, frame->slots, &loop, &done, walk->error);
  while (!status && !done && ppi_loop_next(&loop, &start, &width))
    status = run_iteration(frame, node, start, width);
  return status;
}

static enum perfpred_status run_node(struct frame *frame, const struct ppi_node *node) {
  int64_t value = 0;
  enum perfpred_status status;
  switch (node->kind) {
  case PPI_NODE_FOR:
    return run_for(frame, node);
  case PPI_NODE_IF:
    status = value_of(frame, node, node->value, &value);
    return status ? status : run_block(frame, value != 0 ? node->body : node->otherwise);
  case PPI_NODE_LET:
    return value_of(frame, node, node->value, &frame->slots[node->slot]);
  case PPI_NODE_CALL:
    return run_call(frame, node);
  case PPI_NODE_RUN:
    return run_run(frame, node);
  case PPI_NODE_ACCESS:
    return run_access(frame, node);
  }
  return PERFPRED_INVALID;
}

static enum perfpred_status run_block(struct frame *frame, const struct ppi_node *node) {
  enum perfpred_status status = PERFPRED_OK;
  for (; node && !status; node = node->next)
    status = run_node(frame, node);
  return status;
}

enum perfpred_status ppi_program_walk(const struct perfpred_program *program, const int64_t *parameters, size_t count,
                                      const struct ppi_walker *walker, void *data, struct perfpred_error *error) {
  enum perfpred_status status = ppi_program_check(program, parameters, count, error);
  if (status)
    return status;
  if (program->nest && !walker->access)
    return ppi_error_set(error, PERFPRED_UNSUPPORTED, "%s is a loop nest of accesses, expected an algorithm of calls",
                         program->name);
  struct walk walk = { .walker = walker, .data = data, .error = error };
  walk.call_limit = walker->limit ? walker->limit : DEFAULT_LIMIT;
  walk.step_limit = walk.call_limit;
  walk.next_number = program->buffer_count;
  struct frame frame;
  frame.walk = &walk;
  frame.program = program;
  frame.level = 1;
  if (count > 0) /* NULL otherwise */
    memcpy(frame.slots, parameters, count * sizeof *parameters);
  for (int i = 0; i < program->buffer_count; i++)
    frame.views[i] = (struct view){ .number = i };
  status = measure_buffers(&frame);
  return status ? status : run_frame(&frame);
}

static enum perfpred_status extent_of(const struct perfpred_program *program, int index, const struct ppi_expr *expr,
                                      const int64_t *parameters, int64_t *extent, struct perfpred_error *error) {
  struct perfpred_error inner;
  ppi_error_clear(&inner);
  enum perfpred_status status = ppi_expr_eval(expr, parameters, extent, &inner);
  if (status)
    return ppi_error_set(error, status, "%s: extent of %s: %s", program->name, program->buffers[index].name,
                         inner.text);
  if (*extent < 0)
    return ppi_error_set(error, PERFPRED_INVALID, "%s: the extents of %s must be >= 0, got %" PRId64, program->name,
                         program->buffers[index].name, *extent);
  return PERFPRED_OK;
}

/* Of an array of a nest: the first extent by the product of the others. */
static enum perfpred_status array_extent(const struct perfpred_program *program, int index, const int64_t *parameters,
                                         int64_t *rows, int64_t *columns, struct perfpred_error *error) {
  const struct ppi_buffer *buffer = &program->buffers[index];
  int64_t product = 1, extent = 0;
  enum perfpred_status status = extent_of(program, index, buffer->extent[0], parameters, rows, error);
  for (int i = 1; i < buffer->dimensions && !status; i++) {
    status = extent_of(program, index, buffer->extent[i], parameters, &extent, error);
    if (!status && __builtin_mul_overflow(product, extent, &product))
      status =
          ppi_error_set(error, PERFPRED_OVERFLOW, "%s: %s has more than 2^63 elements", program->name, buffer->name);
  }
  *columns = product;
  return status;
}

enum perfpred_status ppi_buffer_extent(const struct perfpred_program *program, int index, const int64_t *parameters,
                                       int64_t *rows, int64_t *columns, struct perfpred_error *error) {
  assert(index >= 0 && index < program->buffer_count);
  const struct ppi_buffer *buffer = &program->buffers[index];
  if (buffer->dimensions > 0)
    return array_extent(program, index, parameters, rows, columns, error);
  enum perfpred_status status = extent_of(program, index, buffer->rows, parameters, rows, error);
  if (status)
    return status;
  if (buffer->shape == PPI_SHAPE_MATRIX)
    return extent_of(program, index, buffer->columns, parameters, columns, error);
  *columns = buffer->shape == PPI_SHAPE_TRIANGLE ? *rows : 1;
  return PERFPRED_OK;
}
