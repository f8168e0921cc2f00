/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows without models: measured steps, and the others interpolated between them. */
#include <math.h>
#include <perfpred/replay.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "api/replay_plan.h"
#include "base/stats.h"
#include "cache/settings.h"
#include "machine/clock.h"
#include "measure/options.h"

#define STEPS 8
#define STEPS_MAX 100000
#define REPETITIONS 5
#define APART 2.0 /* works of a call in two steps that are too far apart for one time per work */
#define REPLAY_SIZE (offsetof(struct perfpred_replayed, ld) + sizeof(int64_t))

struct replaying {
  struct ppi_replay_plan plan;
  struct perfpred_sampler *sampler;
  struct ppi_sampling sampling;
  struct perfpred_replay_options options;
  size_t *chosen;
  size_t chosen_count;
  struct perfpred_statistics *measured_s; /* chosen_count * calls: of each call in the step */
  struct perfpred_replayed result;
  double interpolated_s;
};

/* --- Measuring ----------------------------------------------------------------------------------------------------- */

static enum perfpred_status take(const struct ppi_result *result, const char *what, struct perfpred_statistics *time_s,
                                 struct perfpred_error *error) {
  if (result->count == 0)
    return ppi_error_set(error, PERFPRED_TIMEOUT, "no sample was taken of %s; expected at least one", what);
  ppi_stats_of(result->times_s, result->count, time_s);
  return PERFPRED_OK;
}

/* What a step does not call has no samples. */
static enum perfpred_status take_windows(struct replaying *replaying, const struct ppi_result *results,
                                         struct perfpred_error *error) {
  const struct ppi_replay_plan *plan = &replaying->plan;
  size_t each = plan->calls.count;
  enum perfpred_status status = PERFPRED_OK;
  for (size_t i = 0; i < replaying->chosen_count * each && !status; i++) {
    if (plan->work[replaying->chosen[i / each] * each + i % each] <= 0.0)
      continue;
    status = take(&results[i], plan->calls.sites[i % each].node->kernel->name, &replaying->measured_s[i], error);
    replaying->result.disturbed += i % each == 0 ? results[i].disturbed : 0;
  }
  if (replaying->chosen_count > 0)
    replaying->result.ld = results[0].ld;
  return status;
}

/* How far back the steps before each chosen one are touched. Of a first access nothing is left, whatever the options say of executions before. */
static enum perfpred_status set_reaches(struct replaying *replaying, struct ppi_window *windows,
                                        struct perfpred_error *error) {
  struct ppi_replay_plan *plan = &replaying->plan;
  struct perfpred_program *program = (struct perfpred_program *)plan->program; /* a reference is counted, no more */
  struct perfpred_cache_options full;
  struct perfpred_cache *cache = NULL;
  enum perfpred_status status = ppi_cache_settings(replaying->options.cache, NULL, &full, error);
  full.first = PERFPRED_CACHE_COLD;
  full.history = 0;
  full.ld = full.ld > 0 ? full.ld : replaying->options.ld;
  if (!status)
    status = ppi_cache_analyze(program, plan->parameters, (size_t)program->parameter_count, &full, &cache, error);
  for (size_t i = 0; i < replaying->chosen_count && !status; i++) {
    const size_t reach = ppi_replay_reach(plan, cache, replaying->chosen[i]);
    windows[i].reach = (int64_t)reach;
    replaying->result.reach = reach > replaying->result.reach ? reach : replaying->result.reach;
  }
  perfpred_cache_destroy(cache);
  return status;
}

static enum perfpred_status measure_windows(struct replaying *replaying, struct ppi_window *windows,
                                            struct ppi_result *results, struct perfpred_error *error) {
  const struct ppi_replay_plan *plan = &replaying->plan;
  struct ppi_sampling sampling = replaying->sampling;
  size_t all = replaying->chosen_count * plan->calls.count;
  for (size_t i = 0; i < replaying->chosen_count; i++) {
    size_t step = replaying->chosen[i];
    windows[i].parameters = plan->parameters;
    windows[i].step = plan->blocks[step];
    if (step > 0)
      windows[i].lead = plan->blocks[step - 1];
  }
  sampling.touched = replaying->options.mode == PERFPRED_REPLAY_TOUCH;
  enum perfpred_status status = sampling.touched ? set_reaches(replaying, windows, error) : PERFPRED_OK;
  if (!status)
    status = replaying->sampler->ops->windows(replaying->sampler, plan->program, windows, replaying->chosen_count,
                                              &sampling, results, error);
  if (status)
    return status;
  status = take_windows(replaying, results, error);
  ppi_results_free(results, all);
  return status;
}

static enum perfpred_status measure_steps(struct replaying *replaying, struct perfpred_error *error) {
  size_t count = replaying->chosen_count, each = replaying->plan.calls.count;
  struct ppi_window *windows = calloc(count, sizeof *windows);
  struct ppi_result *results = calloc(count * each + 1, sizeof *results);
  replaying->measured_s = calloc(count * each + 1, sizeof *replaying->measured_s);
  enum perfpred_status status = windows && results && replaying->measured_s
                                    ? measure_windows(replaying, windows, results, error)
                                    : ppi_error_memory(error);
  free(results);
  free(windows);
  return status;
}

static void add_times(struct perfpred_statistics *sum, const struct perfpred_statistics *term, double times) {
  struct perfpred_statistics scaled = *term;
  ppi_stats_scale(&scaled, times);
  ppi_stats_add(sum, &scaled);
}

static enum perfpred_status add_outside(struct replaying *replaying, struct ppi_result *results,
                                        struct perfpred_error *error) {
  const struct ppi_replay_plan *plan = &replaying->plan;
  enum perfpred_status status = PERFPRED_OK;
  for (size_t i = 0; i < plan->outside_count && !status; i++) {
    struct perfpred_statistics time_s = { 0 };
    status = take(&results[i], plan->outside[i].text, &time_s, error);
    if (status)
      break;
    replaying->result.disturbed += results[i].disturbed;
    replaying->result.outside += plan->outside[i].calls;
    replaying->result.outside_s += (double)plan->outside[i].calls * time_s.med;
    add_times(&replaying->result.time_s, &time_s, (double)plan->outside[i].calls);
  }
  return status;
}

static enum perfpred_status sample_outside(struct replaying *replaying, struct ppi_request *requests,
                                           struct ppi_result *results, struct perfpred_error *error) {
  const struct ppi_replay_plan *plan = &replaying->plan;
  size_t count = plan->outside_count;
  for (size_t i = 0; i < count; i++)
    requests[i] = (struct ppi_request){ .kernel = plan->outside[i].kernel,
                                        .values = plan->outside[i].values,
                                        .ld = replaying->result.ld };
  enum perfpred_status status =
      replaying->sampler->ops->sample(replaying->sampler, requests, count, &replaying->sampling, results, error);
  if (status)
    return status;
  status = add_outside(replaying, results, error);
  ppi_results_free(results, count);
  return status;
}

static enum perfpred_status measure_outside(struct replaying *replaying, struct perfpred_error *error) {
  size_t count = replaying->plan.outside_count;
  if (count == 0)
    return PERFPRED_OK;
  struct ppi_request *requests = calloc(count, sizeof *requests);
  struct ppi_result *results = calloc(count, sizeof *results);
  enum perfpred_status status =
      requests && results ? sample_outside(replaying, requests, results, error) : ppi_error_memory(error);
  free(results);
  free(requests);
  return status;
}

/* --- Interpolating ------------------------------------------------------------------------------------------------- */

/* Work of a call in a step that was measured. */
static double work_at(const struct replaying *replaying, size_t measured, size_t call) {
  const struct ppi_replay_plan *plan = &replaying->plan;
  return plan->work[replaying->chosen[measured] * plan->calls.count + call];
}

static int64_t width_of(const struct replaying *replaying, size_t step) {
  return replaying->plan.blocks[step].width;
}

/* Measured steps next to a step, at it or before and behind it. */
struct neighbours {
  size_t before, behind; /* SIZE_MAX: none */
};

/* Those in which the call is made; alike: and whose blocks are as wide. One on one side alone counts for both. */
static struct neighbours find_neighbours(const struct replaying *replaying, size_t step, size_t call, bool alike) {
  struct neighbours found = { SIZE_MAX, SIZE_MAX };
  for (size_t i = 0; i < replaying->chosen_count; i++) {
    if (work_at(replaying, i, call) <= 0.0 ||
        (alike && width_of(replaying, replaying->chosen[i]) != width_of(replaying, step)))
      continue;
    if (replaying->chosen[i] <= step)
      found.before = i;
    if (replaying->chosen[i] >= step && found.behind == SIZE_MAX)
      found.behind = i;
  }
  found.before = found.before == SIZE_MAX ? found.behind : found.before;
  found.behind = found.behind == SIZE_MAX ? found.before : found.behind;
  return found;
}

/* Factors of the neighbours' times. Where one of them has several times the work of the other and the step lies between, its time does:
   part of a short call's time does not depend on its work, and must not be multiplied by that of a long one. Otherwise the time per
   work is linear in the number of the step. */
static void shares_of(double place, double work, double before, double behind, double shares[2]) {
  const double least = fmin(before, behind), most = fmax(before, behind);
  if (most > APART * least && work >= least && work <= most) {
    shares[1] = (work - before) / (behind - before);
    shares[0] = 1.0 - shares[1];
    return;
  }
  shares[0] = (1.0 - place) * work / before;
  shares[1] = place * work / behind;
}

static void add_share(struct perfpred_statistics *sum, const struct perfpred_statistics *term, double factor) {
  struct perfpred_statistics scaled = *term;
  ppi_stats_scale(&scaled, factor);
  sum->min += scaled.min;
  sum->med += scaled.med;
  sum->max += scaled.max;
  sum->mean += scaled.mean;
  sum->std += scaled.std;
}

/* The statistics of a call in a step, from those in measured ones. A call that no measured step makes is one that only few steps make. */
static enum perfpred_status interpolate(const struct replaying *replaying, size_t step, size_t call, double work,
                                        struct perfpred_statistics *time_s, struct perfpred_error *error) {
  const size_t each = replaying->plan.calls.count;
  struct neighbours found = find_neighbours(replaying, step, call, true);
  if (found.before == SIZE_MAX)
    found = find_neighbours(replaying, step, call, false);
  if (found.before == SIZE_MAX)
    return ppi_error_set(
        error, PERFPRED_UNSUPPORTED,
        "%s: %s is called in steps that were not measured alone, expected more than %zu measured steps",
        replaying->plan.program->name, replaying->plan.calls.sites[call].node->kernel->name, replaying->chosen_count);
  const size_t from = replaying->chosen[found.before], to = replaying->chosen[found.behind];
  const double place = to > from ? (double)(step - from) / (double)(to - from) : 0.0;
  double shares[2];
  shares_of(place, work, work_at(replaying, found.before, call), work_at(replaying, found.behind, call), shares);
  *time_s = (struct perfpred_statistics){ 0 };
  add_share(time_s, &replaying->measured_s[found.before * each + call], shares[0]);
  add_share(time_s, &replaying->measured_s[found.behind * each + call], shares[1]);
  return PERFPRED_OK;
}

static bool is_measured(const struct replaying *replaying, size_t step) {
  for (size_t i = 0; i < replaying->chosen_count; i++)
    if (replaying->chosen[i] == step)
      return true;
  return false;
}

static enum perfpred_status add_steps(struct replaying *replaying, struct perfpred_error *error) {
  const struct ppi_replay_plan *plan = &replaying->plan;
  size_t each = plan->calls.count;
  enum perfpred_status status = PERFPRED_OK;
  for (size_t step = 0; step < plan->step_count && !status; step++)
    for (size_t call = 0; call < each && !status; call++) {
      struct perfpred_statistics time_s = { 0 };
      double work = plan->work[step * each + call];
      if (work <= 0.0)
        continue;
      status = interpolate(replaying, step, call, work, &time_s, error);
      if (status)
        break;
      ppi_stats_add(&replaying->result.time_s, &time_s);
      replaying->interpolated_s += is_measured(replaying, step) ? 0.0 : time_s.med;
    }
  return status;
}

/* --- All together -------------------------------------------------------------------------------------------------- */

static enum perfpred_status run(struct replaying *replaying, const struct perfpred_program *program,
                                const int64_t *parameters, size_t count, struct perfpred_error *error) {
  enum perfpred_status status = ppi_replay_plan_init(&replaying->plan, program, parameters, count, error);
  if (status)
    return status;
  replaying->chosen = calloc((size_t)replaying->options.steps, sizeof *replaying->chosen);
  if (!replaying->chosen)
    return ppi_error_memory(error);
  replaying->chosen_count = ppi_replay_choose(&replaying->plan, (size_t)replaying->options.steps, replaying->chosen);
  replaying->result.steps = replaying->plan.step_count;
  replaying->result.measured = replaying->chosen_count;
  status = measure_steps(replaying, error);
  if (!status)
    status = measure_outside(replaying, error);
  return status ? status : add_steps(replaying, error);
}

static void conclude(struct replaying *replaying, double cost_s, struct perfpred_replayed *replay) {
  struct perfpred_replayed *result = &replaying->result;
  result->size = replay->size;
  result->cost_s = cost_s;
  result->ratio = cost_s / result->time_s.med;
  result->measured_share = 1.0 - replaying->interpolated_s / result->time_s.med;
  memcpy(replay, result, result->size < sizeof *result ? result->size : sizeof *result);
}

static enum perfpred_status set_options(struct replaying *replaying, const struct perfpred_replay_options *options,
                                        struct perfpred_error *error) {
  struct perfpred_replay_options full = PERFPRED_REPLAY_OPTIONS_INIT;
  struct perfpred_measure_options measure = PERFPRED_MEASURE_OPTIONS_INIT;
  if (options)
    memcpy(&full, options, options->size < sizeof full ? options->size : sizeof full);
  if (full.steps == 0)
    full.steps = STEPS;
  if (full.repetitions == 0)
    full.repetitions = REPETITIONS;
  if (full.steps < 2 || full.steps > STEPS_MAX)
    return ppi_error_set(error, PERFPRED_INVALID, "options.steps is %d, expected 2 to %d (0: %d)", full.steps,
                         STEPS_MAX, STEPS);
  if (full.mode != PERFPRED_REPLAY_RUN && full.mode != PERFPRED_REPLAY_TOUCH)
    return ppi_error_set(error, PERFPRED_INVALID, "options.mode is %d, expected a value of enum perfpred_replay_mode",
                         (int)full.mode);
  replaying->options = full;
  measure.repetitions = full.repetitions;
  measure.ld = full.ld;
  measure.gate = full.gate;
  measure.budget_s = full.budget_s;
  measure.progress = full.progress;
  measure.progress_data = full.progress_data;
  return ppi_measure_options(&measure, &replaying->sampling, error);
}

static enum perfpred_status check(const struct perfpred_sampler *sampler, const struct perfpred_program *program,
                                  const int64_t *parameters, size_t count,
                                  const struct perfpred_replay_options *options, const struct perfpred_replayed *replay,
                                  struct perfpred_error *error) {
  if (!sampler || !program || (!parameters && count > 0) || !replay)
    return ppi_error_set(error, PERFPRED_INVALID,
                         "perfpred_replay: sampler, program, parameters or replay is NULL, expected all four");
  if (options && options->size < sizeof options->size)
    return ppi_error_set(error, PERFPRED_INVALID, "options.size is %zu, expected PERFPRED_REPLAY_OPTIONS_INIT",
                         options->size);
  if (replay->size < REPLAY_SIZE)
    return ppi_error_set(error, PERFPRED_INVALID, "replay.size is %zu, expected PERFPRED_REPLAYED_INIT", replay->size);
  return PERFPRED_OK;
}

static void release(struct replaying *replaying) {
  free(replaying->measured_s);
  free(replaying->chosen);
  ppi_replay_plan_release(&replaying->plan);
}

enum perfpred_status perfpred_replay(struct perfpred_sampler *sampler, const struct perfpred_program *program,
                                     const int64_t *parameters, size_t count,
                                     const struct perfpred_replay_options *options, struct perfpred_replayed *replay,
                                     struct perfpred_error *error) {
  ppi_error_clear(error);
  enum perfpred_status status = check(sampler, program, parameters, count, options, replay, error);
  if (status)
    return status;
  struct replaying replaying = { .sampler = sampler };
  struct ppi_clock clock;
  ppi_clock_monotonic(&clock);
  status = set_options(&replaying, options, error);
  if (status)
    return status;
  double begin = sampler->ops->now_s ? sampler->ops->now_s(sampler) : clock.now(clock.state);
  status = run(&replaying, program, parameters, count, error);
  double end = sampler->ops->now_s ? sampler->ops->now_s(sampler) : clock.now(clock.state);
  if (!status)
    conclude(&replaying, end - begin, replay);
  release(&replaying);
  return status;
}
