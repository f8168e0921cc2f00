/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/response.h"

#include <float.h>
#include <math.h>

#include "measure/history.h"

#define OUTLIER 3.0       /* times the quickest sample */
#define SAMPLES_LEAST 12  /* below that the slope is chance */
#define SPREAD_LEAST 0.03 /* of the readings, relative: below that as well */
#define NOISE_MOST 0.5    /* of the readings' variance: above that as well */
#define SHORT_S 1e-3      /* where the second length begins, */
#define MEDIUM_S 10e-3    /* and the third */

static bool clean(const struct ppi_sample *sample) {
  return !sample->preempted && sample->wall_s > 0.0 && sample->before_s > 0.0 && sample->after_s > 0.0;
}

static double reading(const struct ppi_sample *sample) {
  return log(ppi_sample_reading(sample));
}

/* Variance of the mean of two readings, from their difference, unless that is a change of the machine's speed. */
static double variance(const struct ppi_sample *sample) {
  if (ppi_sample_is_torn(sample))
    return 0.0;
  const double difference = log(sample->before_s / sample->after_s);
  return 0.25 * difference * difference;
}

static void add(struct ppi_response *sum, const struct ppi_response *more) {
  sum->xx += more->xx;
  sum->xy += more->xy;
  sum->noise += more->noise;
  sum->count += more->count;
}

static double quickest(const struct ppi_history *history) {
  double quickest_s = DBL_MAX;
  for (size_t i = 0; i < history->count; i++) {
    const struct ppi_sample *sample = &history->entries[i].sample;
    if (clean(sample))
      quickest_s = fmin(quickest_s, sample->wall_s);
  }
  return quickest_s;
}

static size_t length_of(double time_s) {
  return time_s < SHORT_S ? 0 : time_s < MEDIUM_S ? 1 : 2;
}

void ppi_response_add(struct ppi_responses *responses, const struct ppi_history *history) {
  double quickest_s = quickest(history), sum_x = 0.0, sum_y = 0.0, xx = 0.0, xy = 0.0, noise = 0.0;
  size_t count = 0;
  for (size_t i = 0; i < history->count; i++) {
    const struct ppi_sample *sample = &history->entries[i].sample;
    if (!clean(sample) || sample->wall_s > OUTLIER * quickest_s)
      continue;
    sum_x += reading(sample);
    sum_y += log(sample->wall_s);
    count++;
  }
  if (count < 2)
    return;
  for (size_t i = 0; i < history->count; i++) {
    const struct ppi_sample *sample = &history->entries[i].sample;
    if (!clean(sample) || sample->wall_s > OUTLIER * quickest_s)
      continue;
    double x = reading(sample) - sum_x / (double)count, y = log(sample->wall_s) - sum_y / (double)count;
    xx += x * x;
    xy += x * y;
    noise += variance(sample);
  }
  add(&responses->of[length_of(quickest_s)], &(const struct ppi_response){ xx, xy, noise, count });
}

void ppi_response_merge(struct ppi_responses *all, const struct ppi_responses *run) {
  for (size_t i = 0; i < PPI_RESPONSE_LENGTHS; i++)
    add(&all->of[i], &run->of[i]);
}

/* Noise of the readings makes the slope too small; what is left without it is the variance of the levels (errors in variables). */
static double exponent(const struct ppi_response *response) {
  const double levels = response->xx - response->noise;
  if (response->count < SAMPLES_LEAST || response->xx < SPREAD_LEAST * SPREAD_LEAST * (double)response->count ||
      response->noise > NOISE_MOST * response->xx)
    return NAN;
  return fmin(fmax(response->xy / levels, 0.0), 1.0);
}

double ppi_response_exponent(const struct ppi_responses *responses, const struct ppi_history *history) {
  struct ppi_response all = { 0 };
  const double own = exponent(&responses->of[length_of(quickest(history))]);
  for (size_t i = 0; i < PPI_RESPONSE_LENGTHS; i++)
    add(&all, &responses->of[i]);
  return isnan(own) ? exponent(&all) : own;
}
