/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernel calls as subjects: one at a time is laid out in memory that all of them share, and timed with the caches in the state that is
   asked for. */
#include <stdlib.h>
#include <string.h>

#include "measure/arena.h"
#include "measure/core_state.h"
#include "measure/schedule.h"

#define STAGE "sampling"

struct operand {
  int place;
  size_t slot;
  bool ilp64;
  struct ppi_slot kind;
  struct ppi_area area; /* base: see place_operands */
  int64_t bytes;
};

/* What a request comes to in memory. */
struct layout {
  struct ppi_value values[PPI_ARG_MAX];
  struct operand operands[PPI_ARG_MAX];
  int count;
  int64_t ld;
};

struct written {
  struct ppi_area area;
  size_t pattern;
  bool streaming;
};

struct calls {
  struct ppi_core *core;
  const struct ppi_request *requests;
  const enum perfpred_cache_state *states; /* NULL: all are warm */
  struct ppi_arena arena;
  enum perfpred_cache_state state; /* of the selected request */
  struct layout layout;            /* of the selected request */
  struct written written[PPI_ARG_MAX];
  int written_count;
  struct ppi_frame frame;
  char what[256];
};

static bool is_memory(const struct ppi_arg *arg) {
  return arg->kind == PPI_ARG_DATA || arg->kind == PPI_ARG_WORK;
}

static bool is_written(const struct ppi_arg *arg) {
  return arg->kind == PPI_ARG_WORK || (arg->direction & PPI_OUT) != 0;
}

/* Extents of all operands, and the leading dimension that matrices get unless they have more rows. */
static enum perfpred_status measure_operands(const struct ppi_request *request, struct layout *layout,
                                             struct perfpred_error *error) {
  const struct perfpred_kernel *kernel = request->kernel;
  int64_t most = 0;
  layout->count = 0;
  for (int place = 0; place < kernel->arg_count; place++) {
    if (!is_memory(&kernel->args[place]))
      continue;
    struct operand *operand = &layout->operands[layout->count++];
    memset(operand, 0, sizeof *operand);
    operand->place = place;
    enum perfpred_status status =
        ppi_kernel_extent(kernel, layout->values, place, &operand->area.rows, &operand->area.columns, error);
    if (status != PERFPRED_OK)
      return status;
    if (kernel->args[place].shape != PPI_SHAPE_VECTOR && operand->area.rows > most)
      most = operand->area.rows;
  }
  layout->ld = request->ld > 0 ? request->ld : ppi_leading_dimension(most);
  return PERFPRED_OK;
}

static char part_of(const struct ppi_arg *arg, const struct ppi_value *values) {
  if (arg->shape != PPI_SHAPE_TRIANGLE)
    return 0;
  int64_t letter = arg->uplo >= 0 ? values[arg->uplo].i : arg->uplo_letter;
  return letter == 'L' || letter == 'U' ? (char)letter : 0;
}

/* Step and leading dimension of an operand, which the call is told as well. */
static void set_strides(const struct ppi_arg *arg, struct layout *layout, struct operand *operand) {
  struct ppi_area *area = &operand->area;
  area->step = 1;
  area->ld = area->rows > 0 ? area->rows : 1;
  if (arg->kind == PPI_ARG_WORK)
    return;
  if (arg->inc >= 0) {
    int64_t *inc = &layout->values[arg->inc].i;
    if (*inc == 0)
      *inc = layout->values[operand->place].by_row ? layout->ld : 1;
    area->step = *inc < 0 ? -*inc : *inc;
  }
  if (arg->ld >= 0) {
    area->ld = layout->ld >= area->rows ? layout->ld : ppi_leading_dimension(area->rows);
    layout->values[arg->ld].i = area->ld;
  }
}

/* Number among the operands of the same kind in this call. */
static int ordinal_of(const struct layout *layout, const struct operand *operand) {
  int ordinal = 0;
  for (const struct operand *other = layout->operands; other < operand; other++)
    if (other->kind.written == operand->kind.written &&
        (operand->kind.written || (other->kind.property == operand->kind.property &&
                                   other->kind.type == operand->kind.type && other->kind.part == operand->kind.part)))
      ordinal++;
  return ordinal;
}

static enum perfpred_status lay_out(struct ppi_core *core, const struct ppi_request *request, struct layout *layout,
                                    perfpred_fortran_fn **function, bool *ilp64, struct perfpred_error *error) {
  const struct perfpred_kernel *kernel = request->kernel;
  memcpy(layout->values, request->values, (size_t)kernel->arg_count * sizeof *layout->values);
  enum perfpred_status status = ppi_core_address(core, kernel, function, ilp64, error);
  if (status == PERFPRED_OK)
    status = measure_operands(request, layout, error);
  int64_t ld = layout->ld;
  for (int i = 0; i < layout->count && status == PERFPRED_OK; i++) {
    struct operand *operand = &layout->operands[i];
    const struct ppi_arg *arg = &kernel->args[operand->place];
    operand->ilp64 = *ilp64;
    operand->area.element = ppi_type_bytes(arg->type, *ilp64);
    operand->area.part = part_of(arg, layout->values);
    set_strides(arg, layout, operand);
    operand->kind = (struct ppi_slot){ .written = is_written(arg), .property = arg->property, .type = arg->type };
    if (arg->property == PPI_TRIANGULAR)
      operand->kind.part = operand->area.part;
    operand->kind.ordinal = ordinal_of(layout, operand);
    if (arg->ld >= 0 && arg->kind == PPI_ARG_DATA && operand->area.ld > ld)
      ld = operand->area.ld;
    status = ppi_area_bytes(operand->area.rows, operand->area.columns, operand->area.step, operand->area.ld,
                            operand->area.element, &operand->bytes, error);
  }
  layout->ld = ld;
  return status;
}

static enum perfpred_status plan_operands(struct calls *calls, struct layout *layout, struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  for (int i = 0; i < layout->count && status == PERFPRED_OK; i++) {
    struct operand *operand = &layout->operands[i];
    if (operand->kind.property != PPI_GENERAL && operand->kind.property != PPI_ZERO) {
      ppi_arena_plan_extent(&calls->arena, operand->area.rows);
      ppi_arena_plan_extent(&calls->arena, operand->area.columns);
    }
    status = ppi_arena_plan(&calls->arena, &operand->kind, operand->bytes, &operand->slot, error);
  }
  return status;
}

static enum perfpred_status place_operand(struct calls *calls, const struct ppi_arg *arg, struct operand *operand,
                                          struct perfpred_error *error) {
  operand->area.base = calls->arena.slots[operand->slot].base;
  if (!operand->kind.written)
    return ppi_arena_ready(&calls->arena, operand->slot, &operand->area, operand->ilp64, error);
  if (arg->kind == PPI_ARG_WORK)
    return PERFPRED_OK;
  struct written *written = &calls->written[calls->written_count++];
  written->area = operand->area;
  written->streaming = ppi_area_exceeds(&operand->area, calls->core->options.stream_bytes);
  return ppi_arena_pattern(&calls->arena, arg->property, arg->type, operand->ilp64, &written->pattern, error);
}

static enum perfpred_status select_call(void *data, size_t index, struct perfpred_error *error) {
  struct calls *calls = data;
  const struct ppi_request *request = &calls->requests[index];
  struct layout *layout = &calls->layout;
  void *addresses[PPI_ARG_MAX] = { NULL };
  perfpred_fortran_fn *function = NULL;
  bool ilp64 = false;
  enum perfpred_status status = lay_out(calls->core, request, layout, &function, &ilp64, error);
  if (status == PERFPRED_OK)
    status = plan_operands(calls, layout, error);
  calls->written_count = 0;
  calls->state = calls->states != NULL ? calls->states[index] : PERFPRED_STATE_WARM;
  for (int i = 0; i < layout->count && status == PERFPRED_OK; i++) {
    struct operand *operand = &layout->operands[i];
    status = place_operand(calls, &request->kernel->args[operand->place], operand, error);
    addresses[operand->place] = operand->area.base;
  }
  if (status == PERFPRED_OK)
    status = ppi_frame_fill(&calls->frame, request->kernel, function, ilp64, layout->values, addresses, error);
  if (status == PERFPRED_OK)
    ppi_call_describe(request->kernel, layout->values, calls->what, sizeof calls->what);
  return status;
}

static void restore_call(void *data) {
  struct calls *calls = data;
  ppi_core_announce(calls->core, calls->what);
  for (int i = 0; i < calls->written_count; i++) {
    const struct written *written = &calls->written[i];
    ppi_area_fill(&written->area, &calls->arena.patterns[written->pattern], written->streaming);
  }
}

/* Reads operands in the order of the arguments. */
static void touch_operands(const struct calls *calls, bool written_too) {
  for (int i = 0; i < calls->layout.count; i++)
    if (written_too || !calls->layout.operands[i].kind.written)
      ppi_touch_area(&calls->layout.operands[i].area);
}

static void evict_operands(const struct calls *calls) {
  struct ppi_core *core = calls->core;
  if (core->eviction == PPI_EVICT_NONE) {
    ppi_core_sweep(core);
    return;
  }
  for (int i = 0; i < calls->layout.count; i++)
    ppi_evict_area(core->eviction, &calls->layout.operands[i].area);
  ppi_evict_finish();
}

/* Brings the caches into the state of the request. */
static void prepare_call(void *data) {
  const struct calls *calls = data;
  switch (calls->state) {
  case PERFPRED_STATE_WARM:
    break;
  case PERFPRED_STATE_IN:
    touch_operands(calls, false);
    break;
  case PERFPRED_STATE_OUTER:
    touch_operands(calls, true);
    ppi_core_displace(calls->core);
    break;
  case PERFPRED_STATE_OUT:
    evict_operands(calls);
    break;
  }
}

static void run_call(void *data) {
  struct calls *calls = data;
  ppi_frame_call(&calls->frame);
}

static enum perfpred_status check_call(void *data, struct perfpred_error *error) {
  const struct calls *calls = data;
  return ppi_call_check(&calls->frame, calls->what, error);
}

static double call_overhead(void *data) {
  struct calls idle = *(struct calls *)data;
  const struct ppi_subjects subjects = {
    .stage = STAGE, .restore = restore_call, .run = run_call, .check = check_call, .data = &idle
  };
  struct ppi_frame frame = idle.frame;
  ppi_frame_empty(&frame, &idle.frame);
  idle.written_count = 0;
  return ppi_core_idle(idle.core, &subjects, &frame);
}

/* Memory for all requests; the leading dimension of each. */
static enum perfpred_status plan_calls(struct calls *calls, size_t count, int64_t *lds, struct perfpred_error *error) {
  for (size_t i = 0; i < count; i++) {
    perfpred_fortran_fn *function = NULL;
    bool ilp64 = false;
    enum perfpred_status status = lay_out(calls->core, &calls->requests[i], &calls->layout, &function, &ilp64, error);
    if (status == PERFPRED_OK)
      status = plan_operands(calls, &calls->layout, error);
    if (status != PERFPRED_OK)
      return status;
    lds[i] = calls->layout.ld;
  }
  return ppi_arena_allocate(&calls->arena, error);
}

/* The buffers that states need. */
static enum perfpred_status prepare_states(const struct calls *calls, size_t count, struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  unsigned all = 0;
  for (size_t i = 0; i < count && calls->states != NULL; i++)
    all |= (unsigned)calls->states[i];
  if (all & PERFPRED_STATE_OUTER)
    status = ppi_core_displace_prepare(calls->core, error);
  if (status == PERFPRED_OK && (all & PERFPRED_STATE_OUT) && calls->core->eviction == PPI_EVICT_NONE)
    status = ppi_core_sweep_prepare(calls->core, error);
  return status;
}

static enum perfpred_status sample_calls(struct calls *calls, size_t count, const struct ppi_sampling *sampling,
                                         struct ppi_result *results, struct perfpred_error *error) {
  int64_t *lds = malloc((count + 1) * sizeof *lds);
  if (lds == NULL)
    return ppi_error_memory(error);
  enum perfpred_status status = plan_calls(calls, count, lds, error);
  if (status == PERFPRED_OK)
    status = prepare_states(calls, count, error);
  if (status == PERFPRED_OK) {
    const struct ppi_subjects subjects = { .count = count,
                                           .stage = STAGE,
                                           .select = select_call,
                                           .restore = restore_call,
                                           .run = run_call,
                                           .check = check_call,
                                           .overhead_s = call_overhead,
                                           .data = calls,
                                           .prepare = calls->states != NULL ? prepare_call : NULL };
    const struct ppi_bench *bench = NULL;
    struct ppi_level *level = NULL;
    status = ppi_core_world(calls->core, calls->core->options.threads, &bench, &level, error);
    if (status == PERFPRED_OK)
      status = ppi_schedule_run(bench, level, &subjects, sampling, results, error);
  }
  for (size_t i = 0; i < count && status == PERFPRED_OK; i++)
    results[i].ld = lds[i];
  free(lds);
  return status;
}

enum perfpred_status ppi_core_sample(struct ppi_core *core, const struct ppi_request *requests, size_t count,
                                     const struct ppi_sampling *sampling, struct ppi_result *results,
                                     struct perfpred_error *error) {
  struct calls *calls = calloc(1, sizeof *calls);
  if (calls == NULL)
    return ppi_error_memory(error);
  calls->core = core;
  calls->requests = requests;
  calls->states = sampling->states;
  enum perfpred_status status = sample_calls(calls, count, sampling, results, error);
  ppi_arena_free(&calls->arena);
  free(calls);
  return status;
}
