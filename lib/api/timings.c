/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/timings.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "api/states.h"
#include "base/stats.h"
#include "machine/clock.h"
#include "measure/options.h"

#define MIDDLE 2 /* of them is the value as it is */
#define TRIALS 5 /* values that each parameter of the smoothing is tried at, in each round */
#define ROUNDS 2
#define CACHES_SHARE 0.1 /* of a budget */

static const enum perfpred_cache_state states[PPI_TIMED_STATES] = { PERFPRED_STATE_WARM, PERFPRED_STATE_IN,
                                                                    PERFPRED_STATE_OUTER, PERFPRED_STATE_OUT };

struct study {
  struct ppi_timings timings;
  struct perfpred_sampler *sampler;
  struct perfpred_program *program;
  struct ppi_sampling sampling;
  struct perfpred_timings_options options;
  struct ppi_clock clock;
};

static double now(const struct study *study) {
  const struct perfpred_sampler *sampler = study->sampler;
  return sampler->ops->now_s ? sampler->ops->now_s(sampler) : study->clock.now(study->clock.state);
}

/* --- Measuring ----------------------------------------------------------------------------------------------------- */

static enum perfpred_status measure_algorithm(struct study *study, struct perfpred_error *error) {
  struct ppi_timings *timings = &study->timings;
  const struct ppi_execution execution = { timings->program, timings->parameters, timings->parameter_count };
  struct ppi_sampling sampling = study->sampling;
  double begin = now(study);
  sampling.budget_s *= 0.5;
  enum perfpred_status status = ppi_call_list_measure(&timings->list, study->sampler, &execution, &sampling,
                                                      timings->measured_s, &timings->ld, error);
  timings->algorithm_s = now(study) - begin;
  return status;
}

/* Every kind of call in every state. */
struct order {
  struct ppi_request *requests;
  enum perfpred_cache_state *states;
  struct ppi_result *results;
  size_t count;
};

static void order_release(struct order *order) {
  free(order->results);
  free(order->states);
  free(order->requests);
}

static enum perfpred_status order_init(struct order *order, const struct ppi_timings *timings,
                                       struct perfpred_error *error) {
  order->count = timings->list.kind_count * PPI_TIMED_STATES;
  order->requests = calloc(order->count, sizeof *order->requests);
  order->states = calloc(order->count, sizeof *order->states);
  order->results = calloc(order->count, sizeof *order->results);
  if (!order->requests || !order->states || !order->results)
    return ppi_error_memory(error);
  for (size_t i = 0; i < order->count; i++) {
    const struct ppi_call_kind *kind = &timings->list.kind[i / PPI_TIMED_STATES];
    order->requests[i] = (struct ppi_request){ .kernel = kind->kernel, .values = kind->values, .ld = timings->ld };
    order->states[i] = states[i % PPI_TIMED_STATES];
    if (!ppi_states_differ(kind->kernel, order->states[i]))
      order->states[i] = PERFPRED_STATE_WARM;
  }
  return PERFPRED_OK;
}

/* The samples of two states that are the same to a kernel are those of one: its median, for both, is of all of them. */
static enum perfpred_status join(const struct ppi_result results[PPI_TIMED_STATES], double alone_s[PPI_TIMED_STATES],
                                 struct perfpred_error *error) {
  const struct ppi_result *warm = &results[PPI_TIMED_WARM], *in = &results[PPI_TIMED_IN];
  double *times_s = malloc((warm->count + in->count) * sizeof *times_s);
  if (!times_s)
    return ppi_error_memory(error);
  memcpy(times_s, warm->times_s, warm->count * sizeof *times_s);
  memcpy(times_s + warm->count, in->times_s, in->count * sizeof *times_s);
  alone_s[PPI_TIMED_WARM] = alone_s[PPI_TIMED_IN] = ppi_stats_median(times_s, warm->count + in->count);
  free(times_s);
  return PERFPRED_OK;
}

static enum perfpred_status take(struct order *order, struct ppi_timings *timings, struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  for (size_t i = 0; i < order->count; i++) {
    struct ppi_result *result = &order->results[i];
    if (result->count == 0)
      return ppi_error_set(error, PERFPRED_TIMEOUT, "no sample was taken of %s; expected at least one",
                           timings->list.kind[i / PPI_TIMED_STATES].text);
    timings->alone_s[i / PPI_TIMED_STATES][i % PPI_TIMED_STATES] = ppi_stats_median(result->times_s, result->count);
  }
  for (size_t i = 0; i < timings->list.kind_count && !status; i++)
    if (!ppi_states_differ(timings->list.kind[i].kernel, PERFPRED_STATE_IN))
      status = join(&order->results[i * PPI_TIMED_STATES], timings->alone_s[i], error);
  return status;
}

static enum perfpred_status measure_states(struct study *study, struct perfpred_error *error) {
  struct order order = { .count = 0 };
  struct ppi_sampling sampling = study->sampling;
  double begin = now(study);
  enum perfpred_status status = order_init(&order, &study->timings, error);
  sampling.states = order.states;
  sampling.budget_s *= 0.5;
  if (!status)
    status = study->sampler->ops->sample(study->sampler, order.requests, order.count, &sampling, order.results, error);
  if (!status) {
    status = take(&order, &study->timings, error);
    ppi_results_free(order.results, order.count);
  }
  order_release(&order);
  study->timings.states_s = now(study) - begin;
  return status;
}

/* --- Estimates ----------------------------------------------------------------------------------------------------- */

/* Of a level of the analysis, memory being the one behind the last. */
static int state_of_level(size_t level, size_t level_count) {
  if (level == level_count)
    return PPI_TIMED_OUT;
  return level == 0 ? PPI_TIMED_IN : PPI_TIMED_OUTER;
}

static double blend(const double *alone_s, const double *shares, size_t level_count) {
  double sum = 0.0, all = 0.0;
  for (size_t l = 0; l <= level_count; l++) {
    sum += shares[l] * alone_s[state_of_level(l, level_count)];
    all += shares[l];
  }
  return all > 0.0 ? sum / all : alone_s[PPI_TIMED_IN];
}

static enum perfpred_status fill_estimates(struct ppi_timings *timings, const struct perfpred_cache *cache,
                                           enum ppi_estimate_kind kind, bool keep, struct perfpred_error *error) {
  enum { EACH = PERFPRED_CACHE_LEVELS + 1 };
  enum perfpred_status status = perfpred_cache_summary(cache, &timings->info, error);
  for (size_t i = 0; i < timings->list.count && !status; i++) {
    struct perfpred_cache_call call = PERFPRED_CACHE_CALL_INIT;
    size_t place = timings->list.kinds[i];
    status = perfpred_cache_call_at(cache, i, &call, error);
    if (status || place == PPI_CALL_EMPTY)
      continue;
    timings->estimates_s[kind][i] = blend(timings->alone_s[place], call.shares, timings->info.level_count);
    timings->steps[i] = keep ? call.step : timings->steps[i];
    for (int l = 0; l < EACH && keep; l++)
      timings->shares[i * EACH + (size_t)l] = call.shares[l];
  }
  return status;
}

/* Goes through the calls with these options. keep: shares and steps are those of the report. */
static enum perfpred_status estimate(struct study *study, const struct perfpred_cache_options *options,
                                     enum ppi_estimate_kind kind, bool keep, struct perfpred_error *error) {
  struct ppi_timings *timings = &study->timings;
  struct perfpred_cache *cache = NULL;
  enum perfpred_status status =
      perfpred_cache_create(study->program, timings->parameters, timings->parameter_count, options, &cache, error);
  if (!status)
    status = fill_estimates(timings, cache, kind, keep, error);
  perfpred_cache_destroy(cache);
  return status;
}

static void fill_single(struct ppi_timings *timings) {
  static const enum ppi_estimate_kind kinds[PPI_TIMED_STATES] = { PPI_ESTIMATE_REPEATED, PPI_ESTIMATE_IN,
                                                                  PPI_ESTIMATE_OUTER, PPI_ESTIMATE_OUT };
  for (size_t i = 0; i < timings->list.count; i++)
    for (int k = 0; k < PPI_TIMED_STATES && timings->list.kinds[i] != PPI_CALL_EMPTY; k++)
      timings->estimates_s[kinds[k]][i] = timings->alone_s[timings->list.kinds[i]][k];
}

struct ppi_timings_error ppi_timings_error(const struct ppi_timings *timings, const double *estimate_s, bool copies,
                                           const struct perfpred_kernel *kernel) {
  double sum = 0.0, estimated = 0.0, measured = 0.0, count = 0.0;
  for (size_t i = 0; i < timings->list.count; i++) {
    const size_t place = timings->list.kinds[i];
    const struct ppi_call_kind *kind = place == PPI_CALL_EMPTY ? NULL : &timings->list.kind[place];
    if (!kind || (kernel && kind->kernel != kernel) || (!copies && kind->copies))
      continue;
    sum += fabs(estimate_s[i] - timings->measured_s[i]) / timings->measured_s[i];
    estimated += estimate_s[i];
    measured += timings->measured_s[i];
    count += 1.0;
  }
  return (struct ppi_timings_error){ sum / count, (estimated - measured) / measured };
}

/* --- Smoothing fitted to this execution ---------------------------------------------------------------------------- */

/* Tries values around the present one, each `factor` apart, and keeps the best. */
static enum perfpred_status try_values(struct study *study, struct perfpred_cache_options *best, double *best_error,
                                       size_t offset, double factor, struct perfpred_error *error) {
  struct ppi_timings *timings = &study->timings;
  double middle = 0.0;
  enum perfpred_status status = PERFPRED_OK;
  memcpy(&middle, (const char *)best + offset, sizeof middle);
  for (int i = 0; i < TRIALS && !status; i++) {
    struct perfpred_cache_options trial = *best;
    double value = middle * pow(factor, i - MIDDLE);
    memcpy((char *)&trial + offset, &value, sizeof value);
    status = estimate(study, &trial, PPI_ESTIMATE_FITTED, false, error);
    if (status)
      return status;
    double mean = ppi_timings_error(timings, timings->estimates_s[PPI_ESTIMATE_FITTED], false, NULL).mean;
    if (isnan(mean)) /* copies are all there is */
      mean = ppi_timings_error(timings, timings->estimates_s[PPI_ESTIMATE_FITTED], true, NULL).mean;
    if (mean < *best_error) {
      *best_error = mean;
      *best = trial;
    }
  }
  return status;
}

/* One parameter after the other, in ever smaller steps. */
static enum perfpred_status fit(struct study *study, struct perfpred_error *error) {
  static const size_t offsets[] = { offsetof(struct perfpred_cache_options, alpha),
                                    offsetof(struct perfpred_cache_options, beta),
                                    offsetof(struct perfpred_cache_options, split_ratio) };
  struct perfpred_cache_options best = study->timings.cache;
  double best_error = INFINITY, factor = 4.0;
  enum perfpred_status status = PERFPRED_OK;
  for (int round = 0; round < ROUNDS && !status; round++) {
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0] && !status; i++)
      status = try_values(study, &best, &best_error, offsets[i], factor, error);
    factor = sqrt(factor);
  }
  study->timings.fitted = best;
  return status ? status : estimate(study, &best, PPI_ESTIMATE_FITTED, false, error);
}

static enum perfpred_status fill_blended(struct study *study, struct perfpred_error *error) {
  static const struct {
    enum perfpred_cache_mode mode;
    enum ppi_estimate_kind kind;
  } modes[] = { { PERFPRED_CACHE_INITIAL, PPI_ESTIMATE_INITIAL },
                { PERFPRED_CACHE_SPLIT, PPI_ESTIMATE_SPLIT },
                { PERFPRED_CACHE_SMOOTHED, PPI_ESTIMATE_SMOOTHED } };
  enum perfpred_status status = PERFPRED_OK;
  for (size_t i = 0; i < sizeof modes / sizeof modes[0] && !status; i++) {
    struct perfpred_cache_options options = study->timings.cache;
    options.mode = modes[i].mode;
    status = estimate(study, &options, modes[i].kind, modes[i].mode == PERFPRED_CACHE_SMOOTHED, error);
  }
  return status ? status : fit(study, error);
}

/* --- All together -------------------------------------------------------------------------------------------------- */

static void release(struct study *study) {
  struct ppi_timings *timings = &study->timings;
  for (int k = 0; k < PPI_ESTIMATES; k++)
    free(timings->estimates_s[k]);
  free(timings->steps);
  free(timings->shares);
  free(timings->alone_s);
  free(timings->measured_s);
  ppi_call_list_free(&timings->list);
}

static enum perfpred_status allocate(struct ppi_timings *timings, struct perfpred_error *error) {
  size_t count = timings->list.count;
  timings->measured_s = calloc(count, sizeof *timings->measured_s);
  timings->alone_s = calloc(timings->list.kind_count, sizeof *timings->alone_s);
  timings->shares = calloc(count * (PERFPRED_CACHE_LEVELS + 1), sizeof *timings->shares);
  timings->steps = calloc(count, sizeof *timings->steps);
  bool fine = timings->measured_s && timings->alone_s && timings->shares && timings->steps;
  for (int k = 0; k < PPI_ESTIMATES; k++) {
    timings->estimates_s[k] = calloc(count, sizeof *timings->estimates_s[k]);
    fine = fine && timings->estimates_s[k];
  }
  return fine ? PERFPRED_OK : ppi_error_memory(error);
}

/* Levels that nobody has given are those that are found now, but for the first one, whose content hardly outlives a call. Where there are
   none to measure, or only one is found, the analysis has a default. */
static enum perfpred_status find_levels(struct study *study, struct perfpred_error *error) {
  struct perfpred_cache_options *cache = &study->timings.cache;
  struct ppi_curve curve;
  struct ppi_effective levels[PPI_CACHE_MAX];
  if (cache->level_count > 0 || !study->sampler->ops->caches)
    return PERFPRED_OK;
  double limit_s = study->sampling.budget_s > 0.0 ? CACHES_SHARE * study->sampling.budget_s : (double)INFINITY;
  enum perfpred_status status = study->sampler->ops->caches(study->sampler, limit_s, &curve, error);
  if (status)
    return status;
  int count = ppi_levels_find(&curve, levels);
  for (int i = 1; i + 1 < count && cache->level_count < PERFPRED_CACHE_LEVELS; i++)
    cache->level_bytes[cache->level_count++] = levels[i].bytes;
  return PERFPRED_OK;
}

static enum perfpred_status run(struct study *study, struct perfpred_error *error) {
  struct ppi_timings *timings = &study->timings;
  enum perfpred_status status =
      ppi_call_list_of(timings->program, timings->parameters, timings->parameter_count, &timings->list, error);
  if (!status)
    status = allocate(timings, error);
  if (!status) /* before anything is measured: options may be at fault */
    status = estimate(study, &timings->cache, PPI_ESTIMATE_SMOOTHED, true, error);
  if (!status)
    status = find_levels(study, error);
  if (!status)
    status = measure_algorithm(study, error);
  if (!status)
    status = measure_states(study, error);
  if (status)
    return status;
  fill_single(timings);
  return fill_blended(study, error);
}

static enum perfpred_status check(const struct perfpred_sampler *sampler, const struct perfpred_program *program,
                                  const int64_t *parameters, size_t count,
                                  const struct perfpred_timings_options *options, char **json,
                                  struct perfpred_error *error) {
  const char *missing = NULL;
  if (!sampler)
    missing = "sampler";
  else if (!program)
    missing = "program";
  else if (!parameters && count > 0)
    missing = "parameters";
  else if (!json)
    missing = "json";
  if (missing)
    return ppi_error_set(error, PERFPRED_INVALID, "perfpred_timings: %s is NULL", missing);
  if (options && options->size < sizeof options->size)
    return ppi_error_set(error, PERFPRED_INVALID, "options.size is %zu, expected PERFPRED_TIMINGS_OPTIONS_INIT",
                         options->size);
  return PERFPRED_OK;
}

/* Defaults of the smoothing are written out, for they are where its fit begins. */
static void set_cache_options(struct study *study) {
  const struct perfpred_cache_options *given = study->options.cache;
  struct perfpred_cache_options *made = &study->timings.cache;
  *made = (struct perfpred_cache_options)PERFPRED_CACHE_OPTIONS_INIT;
  if (given)
    memcpy(made, given, given->size < sizeof *made ? given->size : sizeof *made);
  made->size = sizeof *made;
  made->mode = PERFPRED_CACHE_SMOOTHED;
  made->alpha = made->alpha > 0.0 ? made->alpha : 4.0;
  made->beta = made->beta > 0.0 ? made->beta : 4.0;
  made->split_ratio = made->split_ratio > 0.0 ? made->split_ratio : 0.125;
}

static enum perfpred_status set_options(struct study *study, const struct perfpred_timings_options *options,
                                        struct perfpred_error *error) {
  struct perfpred_measure_options measure = PERFPRED_MEASURE_OPTIONS_INIT;
  study->options = (struct perfpred_timings_options)PERFPRED_TIMINGS_OPTIONS_INIT;
  if (options)
    memcpy(&study->options, options, options->size < sizeof *options ? options->size : sizeof *options);
  const struct perfpred_cache_options *cache = study->options.cache;
  if (cache && cache->size < sizeof cache->size)
    return ppi_error_set(error, PERFPRED_INVALID, "options.cache.size is %zu, expected PERFPRED_CACHE_OPTIONS_INIT",
                         cache->size);
  measure.repetitions = study->options.repetitions;
  measure.ld = study->options.ld;
  measure.gate = study->options.gate;
  measure.budget_s = study->options.budget_s;
  measure.progress = study->options.progress;
  measure.progress_data = study->options.progress_data;
  set_cache_options(study);
  return ppi_measure_options(&measure, &study->sampling, error);
}

enum perfpred_status perfpred_timings(struct perfpred_sampler *sampler, struct perfpred_program *program,
                                      const int64_t *parameters, size_t count,
                                      const struct perfpred_timings_options *options, char **json,
                                      struct perfpred_error *error) {
  ppi_error_clear(error);
  enum perfpred_status status = check(sampler, program, parameters, count, options, json, error);
  if (status)
    return status;
  struct study study = { .sampler = sampler, .program = program };
  study.timings.program = program;
  study.timings.parameters = parameters;
  study.timings.parameter_count = count;
  study.timings.info = (struct perfpred_cache_info)PERFPRED_CACHE_INFO_INIT;
  ppi_clock_monotonic(&study.clock);
  status = set_options(&study, options, error);
  if (!status)
    status = run(&study, error);
  if (!status)
    status = ppi_timings_print(&study.timings, study.options.detail != 0, json, error);
  release(&study);
  return status;
}
