/* SPDX-License-Identifier: BSD-3-Clause */
/* A sampler on a virtual clock: the time of a call is what a function says. Nothing is run, everything is deterministic. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/core.h"
#include "measure/schedule.h"
#include "measure/virtual.h"

#define VIRTUAL_CLOCK_HZ 1e9 /* of the core of Apex-MAP's runs */

enum perfpred_status ppi_virtual_spend(struct virtual *sampler, const struct perfpred_kernel *kernel,
                                       const struct ppi_value *values, double *cost, struct perfpred_error *error) {
  char flags[PPI_SIZE_MAX + 1] = "";
  int64_t sizes[PPI_SIZE_MAX];
  enum perfpred_status status = ppi_kernel_check(kernel, values, error);
  if (status != PERFPRED_OK)
    return status;
  for (int i = 0; i < kernel->flag_count; i++)
    flags[i] = (char)values[kernel->flags[i]].i;
  for (int i = 0; i < kernel->size_count; i++)
    sizes[i] = values[kernel->sizes[i]].i;
  uint64_t *executions = ppi_tally_of(&sampler->tally, kernel, values);
  if (executions == NULL)
    return ppi_error_memory(error);
  const struct perfpred_virtual_call call = { sizeof call,
                                              kernel,
                                              kernel->name,
                                              flags,
                                              sizes,
                                              (size_t)kernel->size_count,
                                              ppi_kernel_flops(kernel, values),
                                              (*executions)++,
                                              sampler->previous,
                                              sampler->state,
                                              0.0 };
  double seconds = sampler->cost(sampler->data, &call);
  if (!(seconds > 0.0) || !isfinite(seconds))
    return ppi_error_set(error, PERFPRED_NUMERIC, "%s: the virtual clock says %g s, expected more than 0", kernel->name,
                         seconds);
  sampler->time.now_s += seconds;
  sampler->previous = kernel->name;
  *cost = seconds;
  return PERFPRED_OK;
}

/* What is timed in a batch: request or execution `index`, once. */
typedef enum perfpred_status once_fn(struct virtual *sampler, const void *items, size_t index, double *time_s,
                                     struct perfpred_error *error);

enum perfpred_status ppi_virtual_tell(const struct virtual *sampler, const struct ppi_sampling *sampling,
                                      double begin_s, uint64_t done, uint64_t all, struct perfpred_error *error) {
  if (sampling->progress == NULL)
    return PERFPRED_OK;
  double elapsed = sampler->time.now_s - begin_s;
  const struct perfpred_progress progress = { sizeof progress,
                                              "sampling",
                                              all > 0 ? (double)done / (double)all : 1.0,
                                              elapsed,
                                              done > 0 ? elapsed * (double)(all - done) / (double)done : NAN,
                                              done };
  if (sampling->progress(sampling->progress_data, &progress) != 0)
    return ppi_error_set(error, PERFPRED_CANCELLED, "cancelled by the caller while sampling");
  return PERFPRED_OK;
}

enum perfpred_status ppi_virtual_prepare(struct ppi_result *results, size_t count, size_t repetitions,
                                         struct perfpred_error *error) {
  for (size_t i = 0; i < count; i++) {
    results[i] = (struct ppi_result){ .gated = true, .residual = NAN };
    results[i].times_s = malloc(repetitions * sizeof *results[i].times_s);
    if (results[i].times_s == NULL) {
      ppi_results_free(results, i);
      return ppi_error_memory(error);
    }
  }
  return PERFPRED_OK;
}

bool ppi_virtual_over_budget(const struct virtual *sampler, const struct ppi_sampling *sampling, double begin) {
  return sampling->budget_s > 0.0 && sampler->time.now_s - begin >= sampling->budget_s;
}

/* Round by round, so that a budget cuts all of them at the same number; the first round is whole unless some may be left out. */
/* Every item once. first: with a budget that may leave some out, the rest have no samples. */
static enum perfpred_status run_round(struct virtual *sampler, const void *items, size_t count, once_fn *once,
                                      const struct ppi_sampling *sampling, double begin, bool first,
                                      struct ppi_result *results, struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  for (size_t i = 0; i < count && status == PERFPRED_OK; i++) {
    if (first && sampling->partial && ppi_virtual_over_budget(sampler, sampling, begin))
      break;
    double time = 0.0;
    status = once(sampler, items, i, &time, error);
    results[i].times_s[results[i].count++] = time;
    results[i].cpu_s = time;
    results[i].measure_s += time;
  }
  return status;
}

static enum perfpred_status run_rounds(struct virtual *sampler, const void *items, size_t count, once_fn *once,
                                       const struct ppi_sampling *sampling, struct ppi_result *results,
                                       struct perfpred_error *error) {
  size_t repetitions = (size_t)(sampling->repetitions > 0 ? sampling->repetitions : PPI_DEFAULT_REPETITIONS);
  enum perfpred_status status = ppi_virtual_prepare(results, count, repetitions, error);
  if (status != PERFPRED_OK)
    return status;
  double begin = sampler->time.now_s;
  for (size_t round = 0; round < repetitions && status == PERFPRED_OK; round++) {
    if (round > 0 && ppi_virtual_over_budget(sampler, sampling, begin))
      break;
    status = ppi_virtual_tell(sampler, sampling, begin, round * count, repetitions * count, error);
    if (status == PERFPRED_OK)
      status = run_round(sampler, items, count, once, sampling, begin, round == 0, results, error);
  }
  if (status == PERFPRED_OK)
    status = ppi_virtual_tell(sampler, sampling, begin, repetitions * count, repetitions * count, error);
  if (status != PERFPRED_OK)
    ppi_results_free(results, count);
  return status;
}

static enum perfpred_status one_request(struct virtual *sampler, const void *items, size_t index, double *time_s,
                                        struct perfpred_error *error) {
  const struct ppi_request *request = (const struct ppi_request *)items + index;
  sampler->previous = NULL;
  sampler->state = sampler->states != NULL ? sampler->states[index] : PERFPRED_STATE_WARM;
  return ppi_virtual_spend(sampler, request->kernel, request->values, time_s, error);
}

struct sum {
  struct virtual *sampler;
  double time_s;
};

static enum perfpred_status add_call(void *data, const struct ppi_node *node, const struct ppi_value *values,
                                     struct perfpred_error *error) {
  struct sum *sum = data;
  if (ppi_kernel_is_empty(node->kernel, values))
    return PERFPRED_OK;
  double cost = 0.0;
  enum perfpred_status status = ppi_virtual_spend(sum->sampler, node->kernel, values, &cost, error);
  sum->time_s += cost;
  return status;
}

static enum perfpred_status one_execution(struct virtual *sampler, const void *items, size_t index, double *time_s,
                                          struct perfpred_error *error) {
  const struct ppi_execution *execution = (const struct ppi_execution *)items + index;
  const struct ppi_walker walker = { .call = add_call, .without_views = true };
  struct sum sum = { sampler, 0.0 };
  sampler->previous = NULL;
  sampler->state = (enum perfpred_cache_state)0;
  enum perfpred_status status =
      ppi_program_walk(execution->program, execution->parameters, execution->count, &walker, &sum, error);
  *time_s = sum.time_s;
  return status;
}

enum perfpred_status ppi_virtual_ld(const struct ppi_execution *execution, int64_t wanted, int64_t *ld,
                                    struct perfpred_error *error) {
  *ld = 0;
  enum perfpred_status status = ppi_program_check(execution->program, execution->parameters, execution->count, error);
  for (int i = 0; i < execution->program->buffer_count && status == PERFPRED_OK; i++) {
    int64_t rows = 0, columns = 0;
    status = ppi_buffer_extent(execution->program, i, execution->parameters, &rows, &columns, error);
    int64_t own = wanted > 0 && wanted >= rows ? wanted : ppi_leading_dimension(rows);
    if (!execution->program->buffers[i].work && execution->program->buffers[i].shape != PPI_SHAPE_VECTOR && own > *ld)
      *ld = own;
  }
  return status;
}

static enum perfpred_status virtual_sample(struct perfpred_sampler *sampler, const struct ppi_request *requests,
                                           size_t count, const struct ppi_sampling *sampling,
                                           struct ppi_result *results, struct perfpred_error *error) {
  struct virtual *virtual = (struct virtual *)sampler;
  virtual->states = sampling->states;
  enum perfpred_status status = run_rounds(virtual, requests, count, one_request, sampling, results, error);
  virtual->states = NULL;
  for (size_t i = 0; i < count && status == PERFPRED_OK; i++)
    results[i].ld = requests[i].ld;
  return status;
}

static enum perfpred_status virtual_execute(struct perfpred_sampler *sampler, const struct ppi_execution *executions,
                                            size_t count, const struct ppi_sampling *sampling,
                                            struct ppi_result *results, struct perfpred_error *error) {
  enum perfpred_status status =
      run_rounds((struct virtual *)sampler, executions, count, one_execution, sampling, results, error);
  for (size_t i = 0; i < count && status == PERFPRED_OK; i++) {
    status = ppi_virtual_ld(&executions[i], sampling->ld, &results[i].ld, error);
    if (status != PERFPRED_OK)
      ppi_results_free(results, count);
  }
  return status;
}

static enum perfpred_cache_state state_of(enum ppi_precondition precondition) {
  switch (precondition) {
  case PPI_IN_CACHE:
    return PERFPRED_STATE_IN;
  case PPI_OUTER_CACHE:
    return PERFPRED_STATE_OUTER;
  case PPI_FLUSH:
  case PPI_SWEEP:
    return PERFPRED_STATE_OUT;
  case PPI_WARM:
  case PPI_BARE:
    break;
  }
  return PERFPRED_STATE_WARM;
}

/* A call after the other in each lane, lanes side by side. */
static enum perfpred_status unit_cost(struct virtual *sampler, const struct ppi_script *script,
                                      const struct ppi_script_unit *unit, double *time_s,
                                      struct perfpred_error *error) {
  *time_s = 0.0;
  for (size_t i = 0; i < unit->lane_count; i++) {
    const struct ppi_script_lane *lane = &script->lanes[unit->lane_first + i];
    double sum = 0.0;
    sampler->previous = NULL;
    sampler->state = state_of(unit->settings.precondition);
    for (size_t k = 0; k < lane->call_count; k++) {
      const struct ppi_script_call *call = &script->calls[lane->call_first + k];
      double cost = 0.0;
      enum perfpred_status status = ppi_virtual_spend(sampler, call->kernel, call->values, &cost, error);
      if (status != PERFPRED_OK)
        return status;
      sum += cost;
    }
    *time_s = fmax(*time_s, sum);
  }
  return PERFPRED_OK;
}

static enum perfpred_status virtual_unit(void *data, const struct ppi_script *script, size_t number,
                                         const struct ppi_sampling *sampling, struct ppi_unit_result *result,
                                         struct perfpred_error *error) {
  const struct ppi_script_unit *unit = &script->units[number];
  int wanted = unit->settings.repetitions > 0 ? unit->settings.repetitions : sampling->repetitions;
  size_t repetitions = (size_t)(wanted > 0 ? wanted : PPI_DEFAULT_REPETITIONS);
  struct ppi_unit_result made = { .threads = (int)unit->lane_count };
  enum perfpred_status status = ppi_virtual_prepare(&made.timing, 1, repetitions, error);
  if (status != PERFPRED_OK)
    return status;
  made.timing.samples = calloc(repetitions, sizeof *made.timing.samples);
  if (made.timing.samples == NULL)
    status = ppi_error_memory(error);
  for (size_t i = 0; i < repetitions && status == PERFPRED_OK; i++) {
    double time = 0.0;
    status = unit_cost(data, script, unit, &time, error);
    made.timing.times_s[made.timing.count++] = time;
    made.timing.samples[made.timing.sample_count++] =
        (struct ppi_sample){ .wall_s = time, .cpu_s = time, .passed = true };
    made.timing.first_s = i == 0 ? time : made.timing.first_s;
    made.timing.cpu_s = time;
    made.timing.measure_s += time;
  }
  if (status == PERFPRED_OK)
    *result = made;
  else
    ppi_unit_result_free(&made);
  return status;
}

static enum perfpred_status virtual_script(struct perfpred_sampler *sampler, const struct ppi_script *script,
                                           const struct ppi_sampling *sampling, struct ppi_outcome *outcomes,
                                           struct perfpred_error *error) {
  return ppi_script_run(script, sampling, virtual_unit, sampler, outcomes, error);
}

/* A repetition after the other; the call has no kernel. */
static enum perfpred_status virtual_apex_run(struct virtual *sampler, const struct ppi_apex_run *run,
                                             size_t repetitions, struct ppi_result *result,
                                             struct perfpred_error *error) {
  const bool strided = run->kind == PPI_APEX_STRIDED;
  const int64_t every = ppi_apex_every(run);
  const int64_t sizes[] = { run->m, strided ? run->s : run->l, run->c, strided ? every : run->i, every };
  struct perfpred_virtual_call call = { .size = sizeof call,
                                        .kernel_name = strided ? "apex-strided" : "apex-random",
                                        .flags = "",
                                        .sizes = sizes,
                                        .size_count = strided ? 4 : 5,
                                        .flops = ppi_apex_flops(run),
                                        .alpha = run->alpha };
  enum perfpred_status status = ppi_virtual_prepare(result, 1, repetitions, error);
  if (status != PERFPRED_OK)
    return status;
  for (; call.repetition < repetitions; call.repetition++) {
    double seconds = sampler->cost(sampler->data, &call);
    if (!(seconds > 0.0) || !isfinite(seconds)) {
      ppi_results_free(result, 1);
      return ppi_error_set(error, PERFPRED_NUMERIC, "%s: the virtual clock says %g s, expected more than 0",
                           call.kernel_name, seconds);
    }
    sampler->time.now_s += seconds;
    result->times_s[result->count++] = result->cpu_s = seconds;
    result->measure_s += seconds;
  }
  return PERFPRED_OK;
}

static enum perfpred_status virtual_apex(struct perfpred_sampler *sampler, const struct ppi_apex_batch *batch,
                                         const struct ppi_sampling *sampling, struct ppi_apex_report *report,
                                         struct perfpred_error *error) {
  struct virtual *own = (struct virtual *)sampler;
  const size_t repetitions = (size_t)(sampling->repetitions > 0 ? sampling->repetitions : PPI_DEFAULT_REPETITIONS);
  const double begin = own->time.now_s;
  for (size_t i = 0; i < batch->count; i++) {
    struct ppi_apex_result *result = &report->results[i];
    enum perfpred_status status = ppi_virtual_tell(own, sampling, begin, i, batch->count, error);
    if (status == PERFPRED_OK)
      status = virtual_apex_run(own, &batch->runs[i], repetitions, &result->timing, error);
    if (status != PERFPRED_OK) {
      ppi_apex_results_free(report->results, i);
      return status;
    }
    for (int event = 0; event < PPI_APEX_EVENTS; event++)
      result->counts[event] = PPI_COUNT_NONE;
  }
  report->clock_hz = VIRTUAL_CLOCK_HZ;
  snprintf(report->instruction_set, sizeof report->instruction_set, "virtual");
  snprintf(report->note, sizeof report->note, "a virtual clock counts no events");
  return PERFPRED_OK;
}

/* The machine is this one, so that model files made here are accepted here; rates are left unmeasured. */
static enum perfpred_status virtual_describe(struct perfpred_sampler *sampler, double rates_s,
                                             struct ppi_machine *machine, struct ppi_setup *setup,
                                             struct perfpred_error *error) {
  (void)sampler;
  (void)rates_s;
  (void)error;
  ppi_machine_here(machine);
  *setup = (struct ppi_setup){ .threads = 1, .clock = "virtual", .protocol = PPI_PROTOCOL, .pinned = -1 };
  snprintf(setup->blas.family, sizeof setup->blas.family, "virtual");
  snprintf(setup->lapack.family, sizeof setup->lapack.family, "virtual");
  snprintf(setup->library, sizeof setup->library, "%s", PPI_VERSION);
  return PERFPRED_OK;
}

static enum perfpred_status virtual_least_squares(struct perfpred_sampler *sampler, int m, int n, int nrhs, double *a,
                                                  double *b, int *rank, struct perfpred_error *error) {
  return ppi_least_squares(((struct virtual *)sampler)->dgelsy, m, n, nrhs, a, b, rank, error);
}

static double virtual_now(const struct perfpred_sampler *sampler) {
  return ((const struct virtual *)sampler)->time.now_s;
}

static void virtual_destroy(struct perfpred_sampler *sampler) {
  ppi_tally_free(&((struct virtual *)sampler)->tally);
  free(sampler);
}

static const struct ppi_sampler_ops virtual_ops = { .sample = virtual_sample,
                                                    .execute = virtual_execute,
                                                    .windows = ppi_virtual_windows,
                                                    .calls = ppi_virtual_calls,
                                                    .script = virtual_script,
                                                    .apex = virtual_apex,
                                                    .tour = ppi_virtual_tour,
                                                    .describe = virtual_describe,
                                                    .least_squares = virtual_least_squares,
                                                    .destroy = virtual_destroy,
                                                    .now_s = virtual_now };

enum perfpred_status perfpred_sampler_create_virtual(const struct perfpred_context *context, perfpred_cost_fn *cost,
                                                     void *data, perfpred_dgelsy_fn *least_squares,
                                                     struct perfpred_sampler **sampler, struct perfpred_error *error) {
  ppi_error_clear(error);
  if (context == NULL || cost == NULL || sampler == NULL)
    return ppi_error_set(error, PERFPRED_INVALID,
                         "perfpred_sampler_create_virtual: context, cost or sampler is NULL, expected all three");
  struct virtual *made = calloc(1, sizeof *made);
  if (made == NULL)
    return ppi_error_memory(error);
  made->base.ops = &virtual_ops;
  made->cost = cost;
  made->data = data;
  made->dgelsy = least_squares;
  *sampler = &made->base;
  return PERFPRED_OK;
}
