/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/layout.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAME_BYTES_MAX ((size_t)1 << 30)

static enum perfpred_status grow_memories(struct ppi_layout *layout, size_t count, struct perfpred_error *error) {
  if (count <= layout->memory_count)
    return PERFPRED_OK;
  struct ppi_memory *memories = realloc(layout->memories, count * sizeof *memories);
  if (memories == NULL)
    return ppi_error_memory(error);
  memset(memories + layout->memory_count, 0, (count - layout->memory_count) * sizeof *memories);
  layout->memories = memories;
  layout->memory_count = count;
  return PERFPRED_OK;
}

/* A buffer of given extents: planned, or placed. Planned integers count as wide; when they are placed, the first kernel that uses them tells. */
static enum perfpred_status enter_buffer(void *data, int number, const struct ppi_buffer *buffer, int64_t rows,
                                         int64_t columns, struct perfpred_error *error) {
  struct ppi_layout *layout = data;
  enum perfpred_status status = grow_memories(layout, (size_t)number + 1, error);
  if (status != PERFPRED_OK)
    return status;
  struct ppi_memory *memory = &layout->memories[number];
  struct ppi_area *area = &memory->area;
  *area = (struct ppi_area){ .rows = rows, .columns = columns, .step = 1 };
  area->element = ppi_type_bytes(buffer->type, layout->planning);
  area->part = buffer->shape == PPI_SHAPE_TRIANGLE ? buffer->uplo : 0;
  /* scratch is as in an execution where the leading dimension of everything else is the caller's for reasons of his own */
  bool given = layout->wanted_ld >= rows && buffer->shape != PPI_SHAPE_VECTOR && !(layout->kept && buffer->work);
  area->ld = given && layout->wanted_ld > 0 ? layout->wanted_ld : ppi_leading_dimension(rows);
  int64_t bytes = 0;
  status = ppi_area_bytes(rows, columns, 1, area->ld, area->element, &bytes, error);
  if (status == PERFPRED_OK) {
    const struct ppi_slot kind = { .written = true, .ordinal = number };
    status = ppi_arena_plan(&layout->arena, &kind, bytes, &memory->slot, error);
  }
  if (status != PERFPRED_OK)
    return status;
  memory->own = memory->restored = memory->wide = false;
  memory->user = NULL;
  memory->streaming = ppi_area_exceeds(area, layout->core->options.stream_bytes);
  area->base = layout->arena.slots[memory->slot].base;
  return PERFPRED_OK;
}

/* Integers have the width of the kernels that use them, which must be the same: pivots of 64 bits are none to a kernel that reads 32. */
static enum perfpred_status agree_on_width(const struct ppi_layout *layout, const struct perfpred_kernel *kernel,
                                           const struct ppi_arg *arg, bool ilp64, struct ppi_memory *memory,
                                           struct perfpred_error *error) {
  if (arg->type != PPI_TYPE_INT)
    return PERFPRED_OK;
  if (memory->user != NULL && memory->wide != ilp64)
    return ppi_error_set(
        error, PERFPRED_UNSUPPORTED,
        "%s: integers of argument '%s' have %d bits, %s uses the same buffer with %d bits; expected one "
        "width",
        kernel->name, arg->name, ilp64 ? 64 : 32, memory->user->name, memory->wide ? 64 : 32);
  memory->user = kernel;
  memory->wide = ilp64;
  if (!layout->planning)
    memory->area.element = ppi_type_bytes(arg->type, ilp64);
  return PERFPRED_OK;
}

/* Address, leading dimension and increment of a view. */
static enum perfpred_status place_view(const struct ppi_layout *layout, const struct perfpred_kernel *kernel, int place,
                                       bool ilp64, struct ppi_value *values, void **addresses,
                                       struct perfpred_error *error) {
  const struct ppi_arg *arg = &kernel->args[place];
  struct ppi_memory *memory = &layout->memories[values[place].buffer];
  const struct ppi_area *area = &memory->area;
  int64_t row = values[place].row, column = values[place].column;
  enum perfpred_status status = agree_on_width(layout, kernel, arg, ilp64, memory, error);
  if (status != PERFPRED_OK)
    return status;
  /* A view without elements may lie outside: its address is never used, but must be one. */
  bool inside = row >= 0 && column >= 0 && row < area->rows && column < area->columns;
  if (!layout->planning)
    addresses[place] = area->base + (inside ? (size_t)(row + column * area->ld) * area->element : 0);
  if (arg->ld >= 0)
    values[arg->ld].i = area->ld;
  if (arg->inc >= 0)
    values[arg->inc].i = values[place].by_row ? area->ld : 1;
  return PERFPRED_OK;
}

/* A workspace of a kernel. They are the calls' own: one slot for each that a call has. */
static enum perfpred_status place_work(struct ppi_layout *layout, const struct perfpred_kernel *kernel, int place,
                                       int ordinal, const struct ppi_value *values, bool ilp64, void **addresses,
                                       struct perfpred_error *error) {
  int64_t rows = 0, columns = 0, bytes = 0;
  size_t slot = 0;
  const struct ppi_slot kind = { .written = true, .ordinal = -1 - ordinal };
  enum perfpred_status status = ppi_kernel_extent(kernel, values, place, &rows, &columns, error);
  if (status == PERFPRED_OK)
    status = ppi_area_bytes(rows, columns, 1, rows, ppi_type_bytes(kernel->args[place].type, ilp64), &bytes, error);
  if (status == PERFPRED_OK)
    status = ppi_arena_plan(&layout->arena, &kind, bytes, &slot, error);
  if (status == PERFPRED_OK)
    addresses[place] = layout->arena.slots[slot].base;
  return status;
}

static enum perfpred_status place_arguments(struct ppi_layout *layout, const struct perfpred_kernel *kernel, bool ilp64,
                                            struct ppi_value *values, void **addresses, struct perfpred_error *error) {
  int works = 0;
  enum perfpred_status status = PERFPRED_OK;
  for (int i = 0; i < kernel->arg_count && status == PERFPRED_OK; i++) {
    const struct ppi_arg *arg = &kernel->args[i];
    if (arg->kind == PPI_ARG_WORK)
      status = place_work(layout, kernel, i, works++, values, ilp64, addresses, error);
    else if (arg->kind == PPI_ARG_DATA && values[i].buffer >= 0)
      status = place_view(layout, kernel, i, ilp64, values, addresses, error);
  }
  return status;
}

enum perfpred_status ppi_layout_call(void *data, const struct ppi_node *node, const struct ppi_value *given,
                                     struct perfpred_error *error) {
  struct ppi_layout *layout = data;
  const struct perfpred_kernel *kernel = node->kernel;
  if (ppi_kernel_is_empty(kernel, given))
    return PERFPRED_OK;
  struct ppi_value values[PPI_ARG_MAX];
  void *addresses[PPI_ARG_MAX] = { NULL };
  perfpred_fortran_fn *function = NULL;
  bool ilp64 = false;
  memcpy(values, given, (size_t)kernel->arg_count * sizeof *values);
  enum perfpred_status status = ppi_core_address(layout->core, kernel, &function, &ilp64, error);
  if (status == PERFPRED_OK)
    status = place_arguments(layout, kernel, ilp64, values, addresses, error);
  if (status != PERFPRED_OK)
    return status;
  if (layout->planning)
    layout->frame_count++;
  else
    status = ppi_frame_fill(&layout->frames[layout->frame_count++], kernel, function, ilp64, values, addresses, error);
  return status;
}

/* A buffer that is only read. The other triangle of a triangle is 0: some routines look at the first subdiagonal. */
static enum perfpred_status fill_input(struct ppi_layout *layout, enum ppi_type type, const struct ppi_memory *memory,
                                       struct perfpred_error *error) {
  if (memory->area.part != 0) {
    size_t zero = 0;
    enum perfpred_status status = ppi_arena_pattern(&layout->arena, PPI_ZERO, type, memory->wide, &zero, error);
    if (status != PERFPRED_OK)
      return status;
    struct ppi_area whole = memory->area;
    whole.part = 0;
    ppi_area_fill(&whole, &layout->arena.patterns[zero], false);
  }
  ppi_area_fill(&memory->area, &layout->arena.patterns[memory->pattern], false);
  return PERFPRED_OK;
}

static enum perfpred_status check_ld(const struct ppi_layout *layout, const struct ppi_execution *execution,
                                     const struct ppi_buffer *buffer, int64_t rows, struct perfpred_error *error) {
  if (buffer->shape == PPI_SHAPE_VECTOR || layout->wanted_ld <= 0 || layout->wanted_ld >= rows)
    return PERFPRED_OK;
  return ppi_error_set(error, PERFPRED_INVALID,
                       "leading dimension %" PRId64 ": expected at least %" PRId64 ", the rows of %s in %s",
                       layout->wanted_ld, rows, buffer->name, execution->program->name);
}

/* What a buffer starts with: its pattern, which is restored before every run; what is only read is filled once. */
static enum perfpred_status lay_out(struct ppi_layout *layout, const struct ppi_buffer *buffer,
                                    struct ppi_memory *memory, struct perfpred_error *error) {
  enum perfpred_status status =
      ppi_arena_pattern(&layout->arena, buffer->property, buffer->type, memory->wide, &memory->pattern, error);
  return status == PERFPRED_OK && !memory->restored && !layout->kept ? fill_input(layout, buffer->type, memory, error)
                                                                     : status;
}

/* One buffer of the program itself. */
static enum perfpred_status enter_own_buffer(struct ppi_layout *layout, const struct ppi_execution *execution,
                                             int number, int64_t *ld, struct perfpred_error *error) {
  const struct ppi_buffer *buffer = &execution->program->buffers[number];
  int64_t rows = 0, columns = 0;
  enum perfpred_status status =
      ppi_buffer_extent(execution->program, number, execution->parameters, &rows, &columns, error);
  if (status == PERFPRED_OK)
    status = check_ld(layout, execution, buffer, rows, error);
  if (status == PERFPRED_OK)
    status = enter_buffer(layout, number, buffer, rows, columns, error);
  if (status != PERFPRED_OK)
    return status;
  struct ppi_memory *memory = &layout->memories[number];
  memory->own = true;
  memory->restored = (buffer->direction & PPI_OUT) != 0;
  if (buffer->shape != PPI_SHAPE_VECTOR && memory->area.ld > *ld)
    *ld = memory->area.ld;
  if (buffer->property != PPI_GENERAL && buffer->property != PPI_ZERO)
    ppi_arena_plan_extent(&layout->arena, rows > columns ? rows : columns);
  return PERFPRED_OK;
}

static enum perfpred_status enter_own_buffers(struct ppi_layout *layout, const struct ppi_execution *execution,
                                              int64_t *ld, struct perfpred_error *error) {
  const struct perfpred_program *program = execution->program;
  *ld = 0;
  enum perfpred_status status = ppi_program_check(program, execution->parameters, execution->count, error);
  for (int i = 0; i < program->buffer_count && status == PERFPRED_OK; i++)
    if (!program->buffers[i].work)
      status = enter_own_buffer(layout, execution, i, ld, error);
  return status;
}

/* After the walk, which tells how wide integers are. */
static enum perfpred_status lay_out_own_buffers(struct ppi_layout *layout, const struct perfpred_program *program,
                                                struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  for (int i = 0; i < program->buffer_count && status == PERFPRED_OK; i++)
    if (!program->buffers[i].work)
      status = lay_out(layout, &program->buffers[i], &layout->memories[i], error);
  return status;
}

enum perfpred_status ppi_layout_walk(struct ppi_layout *layout, const struct ppi_execution *execution,
                                     struct ppi_walker walker, int64_t *ld, struct perfpred_error *error) {
  walker.enter = enter_buffer;
  for (size_t i = 0; i < layout->memory_count; i++)
    layout->memories[i].own = layout->memories[i].restored = false;
  layout->frame_count = 0;
  enum perfpred_status status = enter_own_buffers(layout, execution, ld, error);
  if (status == PERFPRED_OK)
    status = ppi_program_walk(execution->program, execution->parameters, execution->count, &walker, layout, error);
  if (status == PERFPRED_OK && !layout->planning)
    status = lay_out_own_buffers(layout, execution->program, error);
  if (layout->planning && layout->frame_count > layout->frame_capacity)
    layout->frame_capacity = layout->frame_count;
  return status;
}

enum perfpred_status ppi_layout_allocate(struct ppi_layout *layout, struct perfpred_error *error) {
  if (layout->frame_capacity > FRAME_BYTES_MAX / sizeof *layout->frames)
    return ppi_error_set(error, PERFPRED_LIMIT, "a program of %zu calls is too long to be timed, expected at most %zu",
                         layout->frame_capacity, FRAME_BYTES_MAX / sizeof *layout->frames);
  enum perfpred_status status = ppi_arena_allocate(&layout->arena, error);
  if (status != PERFPRED_OK)
    return status;
  layout->planning = false;
  layout->frames = calloc(layout->frame_capacity + 1, sizeof *layout->frames);
  return layout->frames == NULL ? ppi_error_memory(error) : PERFPRED_OK;
}

void ppi_layout_free(struct ppi_layout *layout) {
  ppi_arena_free(&layout->arena);
  free(layout->memories);
  free(layout->frames);
}

void ppi_layout_describe(const struct ppi_execution *execution, char *text, size_t size) {
  int length = snprintf(text, size, "%s(", execution->program->name);
  for (size_t i = 0; i < execution->count && length > 0 && (size_t)length < size; i++)
    length += snprintf(text + length, size - (size_t)length, "%s%" PRId64, i > 0 ? "," : "", execution->parameters[i]);
  if (length > 0 && (size_t)length < size)
    snprintf(text + length, size - (size_t)length, ")");
}

static void describe_frame(const struct ppi_frame *frame, char *text, size_t size) {
  struct ppi_value values[PPI_ARG_MAX] = { { 0 } };
  for (int i = 0; i < frame->kernel->arg_count; i++)
    values[i].i = frame->kernel->args[i].kind == PPI_ARG_FLAG ? frame->flags[i] : frame->wide[i];
  ppi_call_describe(frame->kernel, values, text, size);
}

void ppi_layout_announce_call(const struct ppi_layout *layout, const struct ppi_frame *frame) {
  char text[256];
  describe_frame(frame, text, sizeof text);
  ppi_core_announce(layout->core, text);
}

enum perfpred_status ppi_layout_check(const struct ppi_layout *layout, const char *what, struct perfpred_error *error) {
  for (size_t i = 0; i < layout->frame_count; i++) {
    if (ppi_frame_info(&layout->frames[i]) == 0)
      continue;
    char call[256], text[600];
    describe_frame(&layout->frames[i], call, sizeof call);
    snprintf(text, sizeof text, "%s: %s", what, call);
    return ppi_call_check(&layout->frames[i], text, error);
  }
  return PERFPRED_OK;
}

double ppi_layout_overhead(const struct ppi_layout *layout) {
  double sum = layout->core->bench.wall.overhead_s;
  for (size_t i = 0; i < layout->frame_count; i++)
    sum += ppi_core_overhead(layout->core, &layout->frames[i]);
  return sum;
}
