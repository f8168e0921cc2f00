/* SPDX-License-Identifier: BSD-3-Clause */
#include "trial.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "model/model.h"

int64_t trial_ld(const struct recording *recording) {
  const struct ppi_samples *samples = &recording->samples;
  int64_t found = 0;
  size_t most = 0;

  for (size_t i = 0; i < samples->count && 2 * most < samples->count; i++) {
    size_t same = 0;

    for (size_t k = 0; k < samples->count; k++)
      same += samples->records[k]->ld == samples->records[i]->ld;
    if (same > most) {
      most = same;
      found = samples->records[i]->ld;
    }
  }
  return found;
}

void trial_domain(const struct recording *recording, double share, int64_t lower[PPI_SIZE_MAX],
                  int64_t upper[PPI_SIZE_MAX]) {
  const struct ppi_samples *samples = &recording->samples;

  for (int d = 0; d < recording->kernel->size_count; d++) {
    lower[d] = upper[d] = samples->records[0]->sizes[d];
    for (size_t i = 1; i < samples->count; i++) {
      int64_t size = samples->records[i]->sizes[d];

      lower[d] = size < lower[d] ? size : lower[d];
      upper[d] = size > upper[d] ? size : upper[d];
    }
    if (share < 1.0)
      upper[d] = (int64_t)(share * (double)upper[d] / (double)recording->grain) * recording->grain;
  }
}

static enum perfpred_status sum_up(double *errors, size_t count, struct trial_errors *summary,
                                   struct perfpred_error *error) {
  if (count == 0)
    return ppi_error_set(error, PERFPRED_NOT_FOUND, "comparison: no recorded call is of that kind");
  summary->count = count;
  summary->mean = summary->maximum = 0.0;
  for (size_t i = 0; i < count; i++) {
    summary->mean += errors[i] / (double)count;
    summary->maximum = fmax(summary->maximum, errors[i]);
  }
  summary->percentile_90 = ppi_stats_percentile(errors, count, 0.9);
  return PERFPRED_OK;
}

/* On a copy: statistics are taken from sorted values, and a recording is in the order of time, for several threads to read. */
static void recorded_statistics(const struct ppi_record *record, struct perfpred_statistics *statistics) {
  double times_s[RECORDING_SAMPLES];

  assert(record->count <= RECORDING_SAMPLES);
  memcpy(times_s, record->times_s, record->count * sizeof *times_s);
  ppi_stats_of(times_s, record->count, statistics);
}

enum perfpred_status trial_compare(const struct perfpred_models *models, const struct recording *recording,
                                   trial_filter *filter, const void *data, struct trial_errors *errors,
                                   struct perfpred_error *error) {
  const struct ppi_samples *samples = &recording->samples;
  double *each = malloc((samples->count + 1) * sizeof *each);
  struct trial_errors made = { 0 };
  enum perfpred_status status;

  if (!each)
    return ppi_error_memory(error);
  for (size_t i = 0; i < samples->count; i++) {
    const struct ppi_record *record = samples->records[i];
    struct ppi_estimate estimate;
    struct perfpred_statistics recorded;
    double deviation;

    if (filter && !filter(record, data))
      continue;
    ppi_submodel_estimate(models->submodels, record->sizes, &estimate);
    if (recording->truth)
      recorded = recording->truth[i];
    else
      recorded_statistics(record, &recorded);
    deviation = (estimate.time_s.min - recorded.min) / recorded.min;
    made.bias += deviation;
    made.median_mean += fabs(estimate.time_s.med - recorded.med) / recorded.med;
    each[made.count++] = fabs(deviation);
  }
  made.bias /= (double)made.count;
  made.median_mean /= (double)made.count;
  status = sum_up(each, made.count, &made, error);
  free(each);
  if (!status)
    *errors = made;
  return status;
}

struct within {
  int64_t lower[PPI_SIZE_MAX], upper[PPI_SIZE_MAX], ld;
  const struct ppi_samples *samples;
  size_t *used; /* of each record, by the replay */
};

static bool is_within(const struct ppi_record *record, const void *data) {
  const struct within *within = data;

  for (int d = 0; d < record->kernel->size_count; d++)
    if (record->sizes[d] < within->lower[d] || record->sizes[d] > within->upper[d])
      return false;
  return record->ld == within->ld;
}

static bool is_unseen(const struct ppi_record *record, const void *data) {
  const struct within *within = data;
  size_t place = ppi_samples_place(within->samples, record->kernel, record->case_text, record->sizes, record->ld);

  return within->used[place] == 0 && is_within(record, data);
}

static enum perfpred_status generate(const struct recording *recording, struct within *within,
                                     const struct perfpred_generate_options *options, struct solver *solver,
                                     struct trial *trial, struct perfpred_error *error) {
  const struct ppi_source lapack = { NULL, solver_solve, NULL, solver };
  struct ppi_samples samples = recording->samples; /* only read */
  struct ppi_replay replay = { .samples = &samples, .solver = &lapack };
  struct perfpred_generate_options full = *options;
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  struct ppi_target target = { .kernel = recording->kernel, .grain = recording->grain };
  struct ppi_source source;
  enum perfpred_status status = ppi_case_parse(recording->kernel, recording->case_text, target.values, error);

  memcpy(target.lower, within->lower, sizeof target.lower);
  memcpy(target.upper, within->upper, sizeof target.upper);
  full.ld = within->ld;
  ppi_replay_source(&replay, &source);
  if (!status)
    status = ppi_generate(&target, 1, &source, &full, &trial->models, &report, error);
  trial->cost_s = replay.spent_s;
  trial->points = (size_t)report.points;
  trial->samples = (size_t)report.samples;
  within->used = replay.used; /* instead of releasing it */
  return status;
}

enum perfpred_status trial_run(const struct recording *recording, const struct perfpred_generate_options *options,
                               double share, struct solver *solver, struct trial *trial, struct perfpred_error *error) {
  struct within within = { .ld = trial_ld(recording), .samples = &recording->samples };
  struct trial made = { .models = NULL };
  enum perfpred_status status;

  trial_domain(recording, share, within.lower, within.upper);
  status = generate(recording, &within, options, solver, &made, error);
  if (status)
    goto out;
  made.pieces = made.models->submodels[0].piece_count;
  status = trial_compare(made.models, recording, is_within, &within, &made.errors, error);
  if (!status)
    (void)trial_compare(made.models, recording, is_unseen, &within, &made.unseen, NULL); /* there may be none */
  if (status)
    trial_release(&made);
  else
    *trial = made;

out:
  free(within.used);
  return status;
}

void trial_release(struct trial *trial) {
  perfpred_models_unref(trial->models);
  trial->models = NULL;
}
