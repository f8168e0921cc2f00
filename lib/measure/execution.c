/* SPDX-License-Identifier: BSD-3-Clause */
/* Executions of programs as subjects: the calls of one at a time are laid out as frames on real buffers. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/arena.h"
#include "measure/core_state.h"
#include "measure/residual.h"
#include "measure/schedule.h"
#include "program/walk.h"

#define FRAME_BYTES_MAX ((size_t)1 << 30)

/* A buffer of the selected program, by its number in the walk. */
struct memory {
  size_t slot, pattern;
  bool own, restored; /* of the program itself; written by it */
  bool streaming;
  struct ppi_area area;
};

struct point {
  int64_t ld;
  double residual;
  bool met, checked; /* has run; its result has been looked at */
};

struct executions {
  struct ppi_core *core;
  const struct ppi_execution *list;
  int64_t wanted_ld; /* 0: the rule */
  struct ppi_arena arena;
  struct memory *memories;
  size_t memory_count;
  bool planning; /* sizes are collected; else frames are filled */
  bool ilp64;    /* some kernel has integers of 64 bits */
  struct ppi_frame *frames;
  size_t frame_count, frame_capacity; /* planning: most frames that any execution needs */
  struct point *points;
  size_t selected; /* SIZE_MAX: none */
  char what[256];
};

static enum perfpred_status grow_memories(struct executions *all, size_t count, struct perfpred_error *error) {
  if (count <= all->memory_count)
    return PERFPRED_OK;
  struct memory *memories = realloc(all->memories, count * sizeof *memories);
  if (memories == NULL)
    return ppi_error_memory(error);
  memset(memories + all->memory_count, 0, (count - all->memory_count) * sizeof *memories);
  all->memories = memories;
  all->memory_count = count;
  return PERFPRED_OK;
}

/* A buffer of given extents: planned, or placed. While planning, integers count as wide: not all kernels are known yet. */
static enum perfpred_status enter_buffer(void *data, int number, const struct ppi_buffer *buffer, int64_t rows,
                                         int64_t columns, struct perfpred_error *error) {
  struct executions *all = data;
  enum perfpred_status status = grow_memories(all, (size_t)number + 1, error);
  if (status != PERFPRED_OK)
    return status;
  struct memory *memory = &all->memories[number];
  struct ppi_area *area = &memory->area;
  *area = (struct ppi_area){ .rows = rows, .columns = columns, .step = 1 };
  area->element = ppi_type_bytes(buffer->type, all->planning || all->ilp64);
  area->part = buffer->shape == PPI_SHAPE_TRIANGLE ? buffer->uplo : 0;
  bool given = all->wanted_ld >= rows && buffer->shape != PPI_SHAPE_VECTOR;
  area->ld = given && all->wanted_ld > 0 ? all->wanted_ld : ppi_leading_dimension(rows);
  int64_t bytes = 0;
  status = ppi_area_bytes(rows, columns, 1, area->ld, area->element, &bytes, error);
  if (status == PERFPRED_OK) {
    const struct ppi_slot kind = { .written = true, .ordinal = number };
    status = ppi_arena_plan(&all->arena, &kind, bytes, &memory->slot, error);
  }
  if (status != PERFPRED_OK)
    return status;
  memory->own = memory->restored = false;
  memory->streaming = bytes > all->core->options.stream_bytes;
  area->base = all->arena.slots[memory->slot].base;
  return PERFPRED_OK;
}

/* Address, leading dimension and increment of a view. */
static void place_view(const struct executions *all, const struct ppi_arg *arg, int place, struct ppi_value *values,
                       void **addresses) {
  const struct memory *memory = &all->memories[values[place].buffer];
  const struct ppi_area *area = &memory->area;
  int64_t row = values[place].row, column = values[place].column;
  /* A view without elements may lie outside: its address is never used, but must be one. */
  bool inside = row >= 0 && column >= 0 && row < area->rows && column < area->columns;
  if (!all->planning)
    addresses[place] = area->base + (inside ? (size_t)(row + column * area->ld) * area->element : 0);
  if (arg->ld >= 0)
    values[arg->ld].i = area->ld;
  if (arg->inc >= 0)
    values[arg->inc].i = values[place].by_row ? area->ld : 1;
}

/* A workspace of a kernel. They are the calls' own: one slot for each that a call has. */
static enum perfpred_status place_work(struct executions *all, const struct perfpred_kernel *kernel, int place,
                                       int ordinal, const struct ppi_value *values, bool ilp64, void **addresses,
                                       struct perfpred_error *error) {
  int64_t rows = 0, columns = 0, bytes = 0;
  size_t slot = 0;
  const struct ppi_slot kind = { .written = true, .ordinal = -1 - ordinal };
  enum perfpred_status status = ppi_kernel_extent(kernel, values, place, &rows, &columns, error);
  if (status == PERFPRED_OK)
    status = ppi_area_bytes(rows, columns, 1, rows, ppi_type_bytes(kernel->args[place].type, ilp64), &bytes, error);
  if (status == PERFPRED_OK)
    status = ppi_arena_plan(&all->arena, &kind, bytes, &slot, error);
  if (status == PERFPRED_OK)
    addresses[place] = all->arena.slots[slot].base;
  return status;
}

static enum perfpred_status place_arguments(struct executions *all, const struct perfpred_kernel *kernel, bool ilp64,
                                            struct ppi_value *values, void **addresses, struct perfpred_error *error) {
  int works = 0;
  enum perfpred_status status = PERFPRED_OK;
  for (int i = 0; i < kernel->arg_count && status == PERFPRED_OK; i++) {
    const struct ppi_arg *arg = &kernel->args[i];
    if (arg->kind == PPI_ARG_WORK)
      status = place_work(all, kernel, i, works++, values, ilp64, addresses, error);
    else if (arg->kind == PPI_ARG_DATA && values[i].buffer >= 0)
      place_view(all, arg, i, values, addresses);
  }
  return status;
}

/* One call of the walk: counted, or laid out as the next frame. */
static enum perfpred_status visit_call(void *data, const struct ppi_node *node, const struct ppi_value *given,
                                       struct perfpred_error *error) {
  struct executions *all = data;
  const struct perfpred_kernel *kernel = node->kernel;
  if (ppi_kernel_is_empty(kernel, given))
    return PERFPRED_OK;
  struct ppi_value values[PPI_ARG_MAX];
  void *addresses[PPI_ARG_MAX] = { NULL };
  perfpred_fortran_fn *function = NULL;
  bool ilp64 = false;
  memcpy(values, given, (size_t)kernel->arg_count * sizeof *values);
  enum perfpred_status status = ppi_core_address(all->core, kernel, &function, &ilp64, error);
  if (status == PERFPRED_OK)
    status = place_arguments(all, kernel, ilp64, values, addresses, error);
  if (status != PERFPRED_OK)
    return status;
  all->ilp64 = all->ilp64 || ilp64;
  if (all->planning)
    all->frame_count++;
  else
    status = ppi_frame_fill(&all->frames[all->frame_count++], kernel, function, ilp64, values, addresses, error);
  return status;
}

/* A buffer that is only read. The other triangle of a triangle is 0: some routines look at the first subdiagonal. */
static enum perfpred_status fill_input(struct executions *all, enum ppi_type type, const struct memory *memory,
                                       struct perfpred_error *error) {
  if (memory->area.part != 0) {
    size_t zero = 0;
    enum perfpred_status status = ppi_arena_pattern(&all->arena, PPI_ZERO, type, all->ilp64, &zero, error);
    if (status != PERFPRED_OK)
      return status;
    struct ppi_area whole = memory->area;
    whole.part = 0;
    ppi_area_fill(&whole, &all->arena.patterns[zero], false);
  }
  ppi_area_fill(&memory->area, &all->arena.patterns[memory->pattern], false);
  return PERFPRED_OK;
}

static enum perfpred_status check_ld(const struct executions *all, const struct ppi_execution *execution,
                                     const struct ppi_buffer *buffer, int64_t rows, struct perfpred_error *error) {
  if (buffer->shape == PPI_SHAPE_VECTOR || all->wanted_ld <= 0 || all->wanted_ld >= rows)
    return PERFPRED_OK;
  return ppi_error_set(error, PERFPRED_INVALID,
                       "leading dimension %" PRId64 ": expected at least %" PRId64 ", the rows of %s in %s",
                       all->wanted_ld, rows, buffer->name, execution->program->name);
}

/* What a buffer starts with: its pattern, which is restored before every run; what is only read is filled once. */
static enum perfpred_status lay_out(struct executions *all, const struct ppi_buffer *buffer, struct memory *memory,
                                    struct perfpred_error *error) {
  enum perfpred_status status =
      ppi_arena_pattern(&all->arena, buffer->property, buffer->type, all->ilp64, &memory->pattern, error);
  return status == PERFPRED_OK && !memory->restored ? fill_input(all, buffer->type, memory, error) : status;
}

/* One buffer of the program itself: planned, or laid out with its pattern; one that is only read is filled here and stays. */
static enum perfpred_status enter_own_buffer(struct executions *all, const struct ppi_execution *execution, int number,
                                             int64_t *ld, struct perfpred_error *error) {
  const struct ppi_buffer *buffer = &execution->program->buffers[number];
  int64_t rows = 0, columns = 0;
  enum perfpred_status status =
      ppi_buffer_extent(execution->program, number, execution->parameters, &rows, &columns, error);
  if (status == PERFPRED_OK)
    status = check_ld(all, execution, buffer, rows, error);
  if (status == PERFPRED_OK)
    status = enter_buffer(all, number, buffer, rows, columns, error);
  if (status != PERFPRED_OK)
    return status;
  struct memory *memory = &all->memories[number];
  memory->own = true;
  memory->restored = (buffer->direction & PPI_OUT) != 0;
  if (buffer->shape != PPI_SHAPE_VECTOR && memory->area.ld > *ld)
    *ld = memory->area.ld;
  if (!all->planning)
    return lay_out(all, buffer, memory, error);
  if (buffer->property != PPI_GENERAL && buffer->property != PPI_ZERO)
    ppi_arena_plan_extent(&all->arena, rows > columns ? rows : columns);
  return PERFPRED_OK;
}

static enum perfpred_status enter_own_buffers(struct executions *all, const struct ppi_execution *execution,
                                              int64_t *ld, struct perfpred_error *error) {
  const struct perfpred_program *program = execution->program;
  *ld = 0;
  enum perfpred_status status = ppi_program_check(program, execution->parameters, execution->count, error);
  for (int i = 0; i < program->buffer_count && status == PERFPRED_OK; i++)
    if (!program->buffers[i].work)
      status = enter_own_buffer(all, execution, i, ld, error);
  return status;
}

static enum perfpred_status walk(struct executions *all, size_t index, struct perfpred_error *error) {
  const struct ppi_execution *execution = &all->list[index];
  const struct ppi_walker walker = { .call = visit_call, .enter = enter_buffer };
  for (size_t i = 0; i < all->memory_count; i++)
    all->memories[i].own = all->memories[i].restored = false;
  all->frame_count = 0;
  enum perfpred_status status = enter_own_buffers(all, execution, &all->points[index].ld, error);
  if (status != PERFPRED_OK)
    return status;
  return ppi_program_walk(execution->program, execution->parameters, execution->count, &walker, all, error);
}

static void describe(const struct ppi_execution *execution, char *text, size_t size) {
  int length = snprintf(text, size, "%s(", execution->program->name);
  for (size_t i = 0; i < execution->count && length > 0 && (size_t)length < size; i++)
    length += snprintf(text + length, size - (size_t)length, "%s%" PRId64, i > 0 ? "," : "", execution->parameters[i]);
  if (length > 0 && (size_t)length < size)
    snprintf(text + length, size - (size_t)length, ")");
}

static enum perfpred_status select_execution(void *data, size_t index, struct perfpred_error *error) {
  struct executions *all = data;
  if (all->selected == index)
    return PERFPRED_OK;
  all->selected = SIZE_MAX;
  enum perfpred_status status = walk(all, index, error);
  if (status != PERFPRED_OK)
    return status;
  describe(&all->list[index], all->what, sizeof all->what);
  all->selected = index;
  return PERFPRED_OK;
}

static void restore_buffers(void *data) {
  struct executions *all = data;
  ppi_core_announce(all->core, all->what);
  for (size_t i = 0; i < all->memory_count; i++) {
    const struct memory *memory = &all->memories[i];
    if (memory->own && memory->restored)
      ppi_area_fill(&memory->area, &all->arena.patterns[memory->pattern], memory->streaming);
  }
}

static void describe_frame(const struct ppi_frame *frame, char *text, size_t size) {
  struct ppi_value values[PPI_ARG_MAX] = { { 0 } };
  for (int i = 0; i < frame->kernel->arg_count; i++)
    values[i].i = frame->kernel->args[i].kind == PPI_ARG_FLAG ? frame->flags[i] : frame->wide[i];
  ppi_call_describe(frame->kernel, values, text, size);
}

/* The first run of a program tells each call, so that a crash has a name. */
static void run_first(struct executions *all) {
  char text[256];
  for (size_t i = 0; i < all->frame_count; i++) {
    describe_frame(&all->frames[i], text, sizeof text);
    ppi_core_announce(all->core, text);
    ppi_frame_call(&all->frames[i]);
  }
  all->points[all->selected].met = true;
}

static void run_frames(void *data) {
  struct executions *all = data;
  if (!all->points[all->selected].met) {
    run_first(all);
    return;
  }
  struct ppi_frame *end = all->frames + all->frame_count;
  for (struct ppi_frame *frame = all->frames; frame < end; frame++)
    ppi_frame_call(frame);
}

static enum perfpred_status check_frames(void *data, struct perfpred_error *error) {
  struct executions *all = data;
  struct point *point = &all->points[all->selected];
  for (size_t i = 0; i < all->frame_count; i++) {
    if (ppi_frame_info(&all->frames[i]) == 0)
      continue;
    char call[256], text[600];
    describe_frame(&all->frames[i], call, sizeof call);
    snprintf(text, sizeof text, "%s: %s", all->what, call);
    return ppi_call_check(&all->frames[i], text, error);
  }
  const struct perfpred_program *program = all->list[all->selected].program;
  if (!point->checked) {
    point->checked = true;
    if (program->buffer_count > 0 && all->memories[0].own && all->memories[0].restored)
      point->residual = ppi_residual(program->operation, program->buffers[0].type, &all->memories[0].area,
                                     &all->arena.patterns[all->memories[0].pattern]);
  }
  return PERFPRED_OK;
}

static double frames_overhead(void *data) {
  struct executions *all = data;
  double sum = 0.0;
  for (size_t i = 0; i < all->frame_count; i++)
    sum += ppi_core_overhead(all->core, &all->frames[i]);
  return sum;
}

/* Collects what all executions need, then allocates it. */
static enum perfpred_status prepare(struct executions *all, size_t count, struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  all->planning = true;
  for (size_t i = 0; i < count && status == PERFPRED_OK; i++) {
    all->points[i].residual = NAN;
    status = walk(all, i, error);
    if (all->frame_count > all->frame_capacity)
      all->frame_capacity = all->frame_count;
  }
  if (status == PERFPRED_OK && all->frame_capacity > FRAME_BYTES_MAX / sizeof *all->frames)
    status =
        ppi_error_set(error, PERFPRED_LIMIT, "a program of %zu calls is too long to be timed, expected at most %zu",
                      all->frame_capacity, FRAME_BYTES_MAX / sizeof *all->frames);
  if (status == PERFPRED_OK)
    status = ppi_arena_allocate(&all->arena, error);
  if (status != PERFPRED_OK)
    return status;
  all->planning = false;
  all->frames = calloc(all->frame_capacity + 1, sizeof *all->frames);
  return all->frames == NULL ? ppi_error_memory(error) : PERFPRED_OK;
}

enum perfpred_status ppi_core_execute(struct ppi_core *core, const struct ppi_execution *executions, size_t count,
                                      const struct ppi_sampling *sampling, struct ppi_result *results,
                                      struct perfpred_error *error) {
  struct executions all = { .core = core, .list = executions, .wanted_ld = sampling->ld, .selected = SIZE_MAX };
  all.points = calloc(count + 1, sizeof *all.points);
  enum perfpred_status status = all.points == NULL ? ppi_error_memory(error) : prepare(&all, count, error);
  if (status == PERFPRED_OK) {
    const struct ppi_subjects subjects = { count,      "executing",  select_execution, restore_buffers,
                                           run_frames, check_frames, frames_overhead,  &all,
                                           NULL,       false };
    const struct ppi_bench *bench = NULL;
    struct ppi_level *level = NULL;
    status = ppi_core_world(core, core->options.threads, &bench, &level, error);
    if (status == PERFPRED_OK)
      status = ppi_schedule_run(bench, level, &subjects, sampling, results, error);
  }
  for (size_t i = 0; i < count && status == PERFPRED_OK; i++) {
    results[i].ld = all.points[i].ld;
    results[i].residual = all.points[i].residual;
  }
  ppi_arena_free(&all.arena);
  free(all.memories);
  free(all.frames);
  free(all.points);
  return status;
}
