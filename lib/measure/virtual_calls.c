/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of executions and of steps, each with a time of its own, on the virtual clock. */
#include <assert.h>
#include <stdlib.h>

#include "measure/schedule.h"
#include "measure/virtual.h"
#include "program/calls.h"

/* --- Steps --------------------------------------------------------------------------------------------------------- */

struct step {
  struct virtual *sampler;
  struct ppi_calls calls;
  double *times_s; /* of each of the calls; 0: not made */
  int block_count, block;
  bool touched; /* the step before is not run */
};

static void begin_block(void *data, const struct ppi_node *loop, int index) {
  (void)loop;
  ((struct step *)data)->block = index;
}

static enum perfpred_status add_part(void *data, const struct ppi_node *node, const struct ppi_value *values,
                                     struct perfpred_error *error) {
  struct step *step = data;
  double cost = 0.0;
  if (step->block < 0 || ppi_kernel_is_empty(node->kernel, values))
    return PERFPRED_OK;
  if (step->touched && step->block + 1 < step->block_count) {
    step->sampler->previous = node->kernel->name; /* whose operands were touched last */
    return PERFPRED_OK;
  }
  enum perfpred_status status = ppi_virtual_spend(step->sampler, node->kernel, values, &cost, error);
  if (step->block + 1 == step->block_count)
    step->times_s[ppi_calls_place(&step->calls, node)] += cost;
  return status;
}

/* One run of a step and of the one before it, or of the whole, which counts as one step. */
static enum perfpred_status run_step(struct step *step, const struct perfpred_program *program,
                                     const struct ppi_window *window, struct perfpred_error *error) {
  const struct ppi_walk_block both[] = { window->lead, window->step };
  const bool led = window->lead.width > 0, whole = ppi_window_is_whole(window);
  struct ppi_walker walker = { .call = add_part, .without_views = true };
  step->block_count = led && !whole ? 2 : 1;
  step->block = whole ? 0 : -1;
  if (!whole) {
    walker.blocks = led ? both : both + 1;
    walker.block_count = step->block_count;
    walker.block = begin_block;
  }
  step->sampler->previous = NULL;
  step->sampler->state = (enum perfpred_cache_state)0;
  assert(step->times_s != NULL);
  for (size_t i = 0; i < step->calls.count; i++)
    step->times_s[i] = 0.0;
  return ppi_program_walk(program, window->parameters, (size_t)program->parameter_count, &walker, step, error);
}

static void keep_parts(const struct step *step, struct ppi_result *results) {
  for (size_t i = 0; i < step->calls.count; i++) {
    if (step->times_s[i] <= 0.0)
      continue;
    results[i].times_s[results[i].count++] = results[i].cpu_s = step->times_s[i];
    results[i].measure_s += step->times_s[i];
  }
}

static enum perfpred_status run_steps(struct step *step, const struct perfpred_program *program,
                                      const struct ppi_window *windows, size_t count,
                                      const struct ppi_sampling *sampling, size_t repetitions,
                                      struct ppi_result *results, struct perfpred_error *error) {
  double begin = step->sampler->time.now_s;
  enum perfpred_status status = PERFPRED_OK;
  for (size_t round = 0; round < repetitions && status == PERFPRED_OK; round++) {
    bool first = round == 0;
    if (!first && ppi_virtual_over_budget(step->sampler, sampling, begin))
      break;
    status = ppi_virtual_tell(step->sampler, sampling, begin, round * count, repetitions * count, error);
    for (size_t i = 0; i < count && status == PERFPRED_OK; i++) {
      if (first && sampling->partial && ppi_virtual_over_budget(step->sampler, sampling, begin))
        break;
      status = run_step(step, program, &windows[i], error);
      if (status == PERFPRED_OK)
        keep_parts(step, &results[i * step->calls.count]);
    }
  }
  return status == PERFPRED_OK
             ? ppi_virtual_tell(step->sampler, sampling, begin, repetitions * count, repetitions * count, error)
             : status;
}

static enum perfpred_status window_ld(const struct perfpred_program *program, const struct ppi_window *window,
                                      int64_t wanted, int64_t *ld, struct perfpred_error *error) {
  const struct ppi_execution execution = { program, window->parameters, (size_t)program->parameter_count };
  *ld = wanted;
  return ppi_window_is_whole(window) ? ppi_virtual_ld(&execution, wanted, ld, error) : PERFPRED_OK;
}

enum perfpred_status ppi_virtual_windows(struct perfpred_sampler *sampler, const struct perfpred_program *program,
                                         const struct ppi_window *windows, size_t count,
                                         const struct ppi_sampling *sampling, struct ppi_result *results,
                                         struct perfpred_error *error) {
  size_t repetitions = (size_t)(sampling->repetitions > 0 ? sampling->repetitions : PPI_DEFAULT_REPETITIONS);
  struct step step = { .sampler = (struct virtual *)sampler, .touched = sampling->touched };
  enum perfpred_status status = ppi_calls_of(program, &step.calls, error);
  if (status != PERFPRED_OK)
    return status;
  size_t all = count * step.calls.count;
  step.times_s = calloc(step.calls.count + 1, sizeof *step.times_s);
  status = step.times_s == NULL ? ppi_error_memory(error) : ppi_virtual_prepare(results, all, repetitions, error);
  if (status == PERFPRED_OK) {
    status = run_steps(&step, program, windows, count, sampling, repetitions, results, error);
    for (size_t i = 0; i < all && status == PERFPRED_OK; i++)
      status = window_ld(program, &windows[i / step.calls.count], sampling->ld, &results[i].ld, error);
    if (status != PERFPRED_OK)
      ppi_results_free(results, all);
  }
  free(step.times_s);
  ppi_calls_free(&step.calls);
  return status;
}

/* --- Call by call -------------------------------------------------------------------------------------------------- */

/* The calls of one execution, round by round. */
struct sequence {
  struct virtual *sampler;
  struct ppi_result *results;
  size_t at, count;
};

static enum perfpred_status add_to_sequence(void *data, const struct ppi_node *node, const struct ppi_value *values,
                                            struct perfpred_error *error) {
  struct sequence *sequence = data;
  double cost = 0.0;
  if (ppi_kernel_is_empty(node->kernel, values))
    return PERFPRED_OK;
  if (sequence->at == sequence->count)
    return ppi_error_set(error, PERFPRED_INVALID, "more calls are made than the %zu expected", sequence->count);
  enum perfpred_status status = ppi_virtual_spend(sequence->sampler, node->kernel, values, &cost, error);
  if (status != PERFPRED_OK)
    return status;
  struct ppi_result *result = &sequence->results[sequence->at++];
  result->times_s[result->count++] = result->cpu_s = cost;
  result->measure_s += cost;
  return PERFPRED_OK;
}

static enum perfpred_status run_sequence(struct sequence *sequence, const struct ppi_execution *execution,
                                         struct perfpred_error *error) {
  const struct ppi_walker walker = { .call = add_to_sequence, .without_views = true };
  sequence->at = 0;
  sequence->sampler->previous = NULL;
  sequence->sampler->state = (enum perfpred_cache_state)0;
  enum perfpred_status status =
      ppi_program_walk(execution->program, execution->parameters, execution->count, &walker, sequence, error);
  if (status == PERFPRED_OK && sequence->at < sequence->count)
    return ppi_error_set(error, PERFPRED_INVALID, "%s makes %zu calls, expected %zu", execution->program->name,
                         sequence->at, sequence->count);
  return status;
}

enum perfpred_status ppi_virtual_calls(struct perfpred_sampler *sampler, const struct ppi_execution *execution,
                                       size_t count, const struct ppi_sampling *sampling, struct ppi_result *results,
                                       struct perfpred_error *error) {
  struct sequence sequence = { .sampler = (struct virtual *)sampler, .results = results, .count = count };
  size_t repetitions = (size_t)(sampling->repetitions > 0 ? sampling->repetitions : PPI_DEFAULT_REPETITIONS);
  double begin = sequence.sampler->time.now_s;
  int64_t ld = 0;
  enum perfpred_status status = ppi_virtual_ld(execution, sampling->ld, &ld, error);
  if (status == PERFPRED_OK)
    status = ppi_virtual_prepare(results, count, repetitions, error);
  if (status != PERFPRED_OK)
    return status;
  for (size_t round = 0; round < repetitions && status == PERFPRED_OK; round++) {
    if (round > 0 && ppi_virtual_over_budget(sequence.sampler, sampling, begin))
      break;
    status = ppi_virtual_tell(sequence.sampler, sampling, begin, round, repetitions, error);
    if (status == PERFPRED_OK)
      status = run_sequence(&sequence, execution, error);
  }
  for (size_t i = 0; i < count; i++)
    results[i].ld = ld;
  if (status != PERFPRED_OK)
    ppi_results_free(results, count);
  return status;
}
