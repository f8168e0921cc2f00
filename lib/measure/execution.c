/* SPDX-License-Identifier: BSD-3-Clause */
/* Executions of programs as subjects, timed as a whole or call by call. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "measure/layout.h"
#include "measure/residual.h"
#include "measure/schedule.h"
#include "measure/stamps.h"

struct point {
  int64_t ld;
  double residual;
  bool met, checked; /* has run; its result has been looked at */
};

struct executions {
  struct ppi_layout layout; /* first: walks hand it on */
  const struct ppi_execution *list;
  struct point *points;
  struct ppi_stamps *stamps; /* NULL: the whole is timed */
  size_t selected;           /* SIZE_MAX: none */
  char what[256];
};

static enum perfpred_status visit_call(void *data, const struct ppi_node *node, const struct ppi_value *values,
                                       struct perfpred_error *error) {
  struct executions *all = data;
  return ppi_stamps_call(all->stamps, &all->layout, node, values, error);
}

static enum perfpred_status walk(struct executions *all, size_t index, struct perfpred_error *error) {
  const struct ppi_walker walker = { .call = all->stamps ? visit_call : ppi_layout_call };
  return ppi_layout_walk(&all->layout, &all->list[index], walker, &all->points[index].ld, error);
}

static enum perfpred_status select_execution(void *data, size_t index, struct perfpred_error *error) {
  struct executions *all = data;
  if (all->selected == index)
    return PERFPRED_OK;
  all->selected = SIZE_MAX;
  enum perfpred_status status = walk(all, index, error);
  if (status != PERFPRED_OK)
    return status;
  ppi_layout_describe(&all->list[index], all->what, sizeof all->what);
  all->selected = index;
  return PERFPRED_OK;
}

static void restore_buffers(void *data) {
  struct executions *all = data;
  struct ppi_layout *layout = &all->layout;
  ppi_core_announce(layout->core, all->what);
  for (size_t i = 0; i < layout->memory_count; i++) {
    const struct ppi_memory *memory = &layout->memories[i];
    if (memory->own && memory->restored)
      ppi_area_fill(&memory->area, &layout->arena.patterns[memory->pattern], memory->streaming);
  }
}

static void run_frames(void *data) {
  struct executions *all = data;
  struct point *point = &all->points[all->selected];
  struct ppi_frame *end = all->layout.frames + all->layout.frame_count;
  for (struct ppi_frame *frame = all->layout.frames; !point->met && frame < end; frame++) {
    ppi_layout_announce_call(&all->layout, frame);
    ppi_frame_call(frame);
  }
  for (struct ppi_frame *frame = all->layout.frames; point->met && frame < end; frame++)
    ppi_frame_call(frame);
  point->met = true;
}

static void run_parts(void *data) {
  struct executions *all = data;
  struct point *point = &all->points[all->selected];
  ppi_stamps_run(all->stamps, &all->layout, 0, !point->met);
  point->met = true;
}

static const double *parts_of(void *data) {
  struct executions *all = data;
  return ppi_stamps_times(all->stamps, &all->layout, 0);
}

static enum perfpred_status check_frames(void *data, struct perfpred_error *error) {
  struct executions *all = data;
  const struct ppi_layout *layout = &all->layout;
  struct point *point = &all->points[all->selected];
  enum perfpred_status status = ppi_layout_check(layout, all->what, error);
  if (status != PERFPRED_OK || point->checked)
    return status;
  const struct perfpred_program *program = all->list[all->selected].program;
  point->checked = true;
  if (program->buffer_count > 0 && layout->memories[0].own && layout->memories[0].restored)
    point->residual = ppi_residual(program->operation, program->buffers[0].type, &layout->memories[0].area,
                                   &layout->arena.patterns[layout->memories[0].pattern]);
  return PERFPRED_OK;
}

static double frames_overhead(void *data) {
  const struct executions *all = data;
  return ppi_layout_overhead(&all->layout);
}

/* Collects what all executions need, then allocates it. */
static enum perfpred_status prepare(struct executions *all, size_t count, struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  all->layout.planning = true;
  for (size_t i = 0; i < count && status == PERFPRED_OK; i++) {
    all->points[i].residual = NAN;
    status = walk(all, i, error);
  }
  if (status == PERFPRED_OK)
    status = ppi_layout_allocate(&all->layout, error);
  return status == PERFPRED_OK && all->stamps ? ppi_stamps_allocate(all->stamps, &all->layout, error) : status;
}

static enum perfpred_status run(struct executions *all, size_t count, const struct ppi_sampling *sampling,
                                struct ppi_result *results, struct perfpred_error *error) {
  struct ppi_core *core = all->layout.core;
  const struct ppi_subjects subjects = { .count = count,
                                         .stage = "executing",
                                         .select = select_execution,
                                         .restore = restore_buffers,
                                         .run = all->stamps ? run_parts : run_frames,
                                         .check = check_frames,
                                         .overhead_s = frames_overhead,
                                         .data = all,
                                         .part_count = all->stamps ? all->stamps->part_count : 0,
                                         .parts_s = parts_of };
  const struct ppi_bench *bench = NULL;
  struct ppi_level *level = NULL;
  enum perfpred_status status = ppi_core_world(core, core->options.threads, &bench, &level, error);
  return status == PERFPRED_OK ? ppi_schedule_run(bench, level, &subjects, sampling, results, error) : status;
}

/* Whoever wants a time of every call has to know how many there are. */
static enum perfpred_status check_parts(const struct executions *all, size_t wanted, struct perfpred_error *error) {
  if (all->stamps == NULL || !all->stamps->apart || all->stamps->part_count == wanted)
    return PERFPRED_OK;
  return ppi_error_set(error, PERFPRED_INVALID, "%s makes %zu calls, expected %zu", all->list[0].program->name,
                       all->stamps->part_count, wanted);
}

/* The results of each execution, one or `each` of its parts, side by side. */
static enum perfpred_status execute(struct executions *all, size_t count, size_t each,
                                    const struct ppi_sampling *sampling, struct ppi_result *results,
                                    struct perfpred_error *error) {
  all->selected = SIZE_MAX;
  all->layout.wanted_ld = sampling->ld;
  all->points = calloc(count + 1, sizeof *all->points);
  enum perfpred_status status = all->points == NULL ? ppi_error_memory(error) : prepare(all, count, error);
  if (status == PERFPRED_OK)
    status = check_parts(all, each, error);
  if (status == PERFPRED_OK)
    status = run(all, count, sampling, results, error);
  for (size_t i = 0; i < count * each && status == PERFPRED_OK; i++) {
    results[i].ld = all->points[i / each].ld;
    results[i].residual = all->points[i / each].residual;
  }
  ppi_layout_free(&all->layout);
  free(all->points);
  return status;
}

enum perfpred_status ppi_core_execute(struct ppi_core *core, const struct ppi_execution *executions, size_t count,
                                      const struct ppi_sampling *sampling, struct ppi_result *results,
                                      struct perfpred_error *error) {
  struct executions all = { .list = executions };
  all.layout.core = core;
  return execute(&all, count, 1, sampling, results, error);
}

enum perfpred_status ppi_core_execute_parts(struct ppi_core *core, const struct perfpred_program *program,
                                            const struct ppi_window *windows, size_t count,
                                            const struct ppi_sampling *sampling, struct ppi_result *results,
                                            struct perfpred_error *error) {
  struct ppi_stamps stamps = { .places = NULL };
  struct ppi_execution *list = calloc(count + 1, sizeof *list);
  enum perfpred_status status = list == NULL ? ppi_error_memory(error) : ppi_stamps_begin(&stamps, program, error);
  if (status == PERFPRED_OK) {
    struct executions all = { .list = list, .stamps = &stamps };
    assert(list != NULL);
    for (size_t i = 0; i < count; i++)
      list[i] = (struct ppi_execution){ program, windows[i].parameters, (size_t)program->parameter_count };
    all.layout.core = core;
    status = execute(&all, count, stamps.calls.count, sampling, results, error);
  }
  ppi_stamps_free(&stamps);
  free(list);
  return status;
}

enum perfpred_status ppi_core_calls(struct ppi_core *core, const struct ppi_execution *execution, size_t count,
                                    const struct ppi_sampling *sampling, struct ppi_result *results,
                                    struct perfpred_error *error) {
  struct ppi_stamps stamps = { .apart = true };
  enum perfpred_status status = ppi_stamps_begin(&stamps, execution->program, error);
  if (status == PERFPRED_OK) {
    struct executions all = { .list = execution, .stamps = &stamps };
    all.layout.core = core;
    status = execute(&all, 1, count, sampling, results, error);
  }
  ppi_stamps_free(&stamps);
  return status;
}
