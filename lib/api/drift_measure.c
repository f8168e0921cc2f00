/* SPDX-License-Identifier: BSD-3-Clause */
/* Anchors timed again, and judged. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/drift.h"
#include "api/setup.h"
#include "base/stats.h"
#include "machine/clock.h"
#include "measure/options.h"
#include "measure/readings.h"

/* --- Judging -------------------------------------------------------------------------------------------------------- */

/* Logarithms of the ratios of a line's anchors, and their noises. */
struct readings {
  double *ratios, *noises;
  size_t count, gated;
};

static void gather(const struct perfpred_drift *drift, size_t line, struct readings *readings) {
  readings->count = readings->gated = 0;
  for (size_t i = 0; i < drift->anchor_count; i++) {
    const struct ppi_drift_anchor *anchor = drift->anchors + i;
    double noise = NAN;
    if (anchor->line != line)
      continue;
    const double ratio = ppi_drift_ratio(drift, anchor, &noise);
    if (!(ratio > 0.0) || isnan(noise))
      continue;
    readings->gated += drift->calls[anchor->call].now.gated ? 1 : 0;
    readings->ratios[readings->count] = log(ratio);
    readings->noises[readings->count++] = noise;
  }
}

/* Anchors of one kernel that disagree are noise as well: 1.48 times the median of the deviations is the deviation of a normal distribution. */
static double spread(double *ratios, size_t count, double median) {
  for (size_t i = 0; i < count; i++)
    ratios[i] = fabs(ratios[i] - median);
  return 1.4826 * ppi_stats_median(ratios, count) / sqrt((double)count);
}

static enum perfpred_drift_verdict verdict_of(const struct ppi_drift_line *line, bool blind) {
  const double threshold = ppi_drift_threshold(line);
  if (blind)
    return PERFPRED_DRIFT_UNCLEAR;
  if (fabs(log(line->ratio)) > threshold) /* half the time is as far from 1 as twice the time */
    return PERFPRED_DRIFT_DRIFTED;
  return threshold > PPI_DRIFT_CLEAR ? PERFPRED_DRIFT_UNCLEAR : PERFPRED_DRIFT_HOLDS;
}

static void judge_line(struct perfpred_drift *drift, size_t place, struct readings *readings) {
  struct ppi_drift_line *line = drift->lines + place;
  gather(drift, place, readings);
  line->measured = readings->count;
  line->ratio = line->noise = NAN;
  line->verdict = PERFPRED_DRIFT_UNMEASURED;
  if (readings->count == 0)
    return;
  const double median = ppi_stats_median(readings->ratios, readings->count);
  line->ratio = exp(median);
  line->noise =
      fmax(ppi_stats_median(readings->noises, readings->count), spread(readings->ratios, readings->count, median));
  line->verdict = verdict_of(line, drift->setups[line->setup].gated && readings->gated == 0);
}

void ppi_drift_judge(struct perfpred_drift *drift) {
  struct readings readings = { drift->scratch, drift->scratch + drift->anchor_count, 0, 0 };
  for (size_t i = 0; i < drift->line_count; i++)
    judge_line(drift, i, &readings);
}

/* --- Timing --------------------------------------------------------------------------------------------------------- */

/* Anchors of one setup, those first that tell most. */
struct round {
  struct perfpred_drift *drift;
  int setup;
  const struct perfpred_share *kernels; /* these alone; NULL: all */
  size_t kernel_count;
  size_t *places;
  struct ppi_request *requests;
  struct ppi_result *results;
  size_t count;
};

static int last_rank(const struct perfpred_drift *drift) {
  int last = 0;
  for (size_t i = 0; i < drift->call_count; i++)
    last = drift->calls[i].rank > last ? drift->calls[i].rank : last;
  return last;
}

static bool belongs(const struct round *round, const struct ppi_drift_call *call) {
  bool listed = round->kernels == NULL;
  for (size_t i = 0; i < round->kernel_count && !listed; i++)
    listed = strcmp(round->kernels[i].kernel, call->kernel->name) == 0;
  return listed && call->setup == round->setup;
}

static enum perfpred_status round_init(struct round *round, struct perfpred_error *error) {
  const struct perfpred_drift *drift = round->drift;
  round->places = calloc(drift->call_count, sizeof *round->places);
  round->requests = calloc(drift->call_count, sizeof *round->requests);
  round->results = calloc(drift->call_count, sizeof *round->results);
  if (!round->places || !round->requests || !round->results)
    return ppi_error_memory(error);
  for (int rank = 0; rank <= last_rank(drift); rank++)
    for (size_t i = 0; i < drift->call_count; i++) {
      const struct ppi_drift_call *call = drift->calls + i;
      if (!belongs(round, call) || call->rank != rank)
        continue;
      round->places[round->count] = i;
      round->requests[round->count++] = (struct ppi_request){ call->kernel, call->values, call->ld };
    }
  return PERFPRED_OK;
}

static void round_release(struct round *round) {
  free(round->results);
  free(round->requests);
  free(round->places);
}

static void take_readings(struct round *round) {
  for (size_t i = 0; i < round->count; i++) {
    struct ppi_anchor_reading *now = &round->drift->calls[round->places[i]].now;
    *now = (struct ppi_anchor_reading){ .median_s = NAN, .noise = NAN };
    ppi_anchor_read_result(round->results + i, now);
  }
  ppi_results_free(round->results, round->count);
}

static double now_s(const struct perfpred_sampler *sampler) {
  struct ppi_clock clock;
  if (sampler->ops->now_s)
    return sampler->ops->now_s(sampler);
  ppi_clock_monotonic(&clock);
  return clock.now(clock.state);
}

static enum perfpred_status run_round(struct round *round, struct perfpred_sampler *sampler,
                                      const struct ppi_sampling *sampling, struct perfpred_error *error) {
  struct perfpred_drift *drift = round->drift;
  struct ppi_drift_setup *setup = drift->setups + round->setup;
  struct ppi_readings readings;
  const double begin_s = now_s(sampler);
  enum perfpred_status status = round_init(round, error);
  if (!status)
    status = sampler->ops->sample(sampler, round->requests, round->count, sampling, round->results, error);
  if (status)
    return status;
  take_readings(round);
  drift->wall_s += now_s(sampler) - begin_s;
  ppi_readings_of(sampler, &readings);
  *setup = (struct ppi_drift_setup){ true, !(sampling->gate < 0.0), readings.best_s };
  ppi_drift_judge(drift);
  return PERFPRED_OK;
}

enum perfpred_status ppi_drift_read(struct perfpred_drift *drift, int setup, const struct perfpred_share *kernels,
                                    size_t kernel_count, struct perfpred_sampler *sampler,
                                    const struct ppi_sampling *sampling, struct perfpred_error *error) {
  struct round round = { .drift = drift, .setup = setup, .kernels = kernels, .kernel_count = kernel_count };
  enum perfpred_status status = run_round(&round, sampler, sampling, error);
  round_release(&round);
  return status;
}

/* --- Which setup ---------------------------------------------------------------------------------------------------- */

static bool has_anchors(const struct perfpred_drift *drift, int setup) {
  for (size_t i = 0; i < drift->call_count; i++)
    if (drift->calls[i].setup == setup)
      return true;
  return false;
}

/* The one that was asked for, or the first one with anchors that the sampler measures. */
static enum perfpred_status find_setup(const struct perfpred_drift *drift, const struct ppi_setup *here, size_t wanted,
                                       int *place, struct perfpred_error *error) {
  const struct perfpred_models *models = drift->models;
  enum perfpred_status first = PERFPRED_OK;
  bool met = false;
  if (wanted > (size_t)models->setup_count)
    return ppi_error_set(error, PERFPRED_INVALID, "options.setup: %zu: expected at most the number of setups, %d",
                         wanted, models->setup_count);
  for (int i = 0; i < models->setup_count; i++) {
    if ((wanted > 0 && (size_t)i != wanted - 1) || !has_anchors(drift, i))
      continue;
    enum perfpred_status status = ppi_setup_compare(models, i, here, met ? NULL : error);
    if (!status) {
      *place = i;
      return PERFPRED_OK;
    }
    first = met ? first : status;
    met = true;
  }
  if (!met)
    return ppi_error_set(error, PERFPRED_NOT_FOUND, "models: setup %zu has no anchors: generate again", wanted);
  return first;
}

static enum perfpred_status measure(struct perfpred_drift *drift, struct perfpred_sampler *sampler, size_t wanted,
                                    const struct ppi_sampling *sampling, struct perfpred_error *error) {
  struct ppi_setup *here = NULL;
  int setup = 0;
  enum perfpred_status status = ppi_setup_of(sampler, &here, error);
  if (!status)
    status = find_setup(drift, here, wanted, &setup, error);
  if (!status)
    status = ppi_drift_read(drift, setup, NULL, 0, sampler, sampling, error);
  free(here);
  if (!status)
    ppi_error_clear(error);
  return status;
}

enum perfpred_status perfpred_drift_measure(struct perfpred_drift *drift, struct perfpred_sampler *sampler,
                                            const struct perfpred_drift_options *options,
                                            struct perfpred_error *error) {
  struct perfpred_drift_options full = PERFPRED_DRIFT_OPTIONS_INIT;
  struct ppi_sampling sampling;
  ppi_error_clear(error);
  if (!drift || !sampler)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", drift ? "sampler" : "drift");
  if (options && options->size < sizeof options->size)
    return ppi_error_set(error, PERFPRED_INVALID, "options.size: %zu: expected PERFPRED_DRIFT_OPTIONS_INIT",
                         options->size);
  if (options)
    memcpy(&full, options, options->size < sizeof full ? options->size : sizeof full);
  struct perfpred_measure_options measuring = PERFPRED_MEASURE_OPTIONS_INIT;
  measuring.repetitions = full.repetitions;
  measuring.gate = full.gate;
  measuring.budget_s = full.budget_s;
  measuring.progress = full.progress;
  measuring.progress_data = full.progress_data;
  enum perfpred_status status = ppi_measure_options(&measuring, &sampling, error);
  sampling.partial = full.budget_s > 0.0;
  return status ? status : measure(drift, sampler, full.setup, &sampling, error);
}
