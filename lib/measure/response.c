/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/response.h"

#include <float.h>
#include <math.h>

#include "measure/history.h"

#define OUTLIER 3.0       /* times the quickest sample */
#define SAMPLES_LEAST 12  /* below that the slope is chance */
#define SPREAD_LEAST 0.03 /* of the readings, relative: below that as well */
#define NOISE_MOST 0.5    /* of the readings' variance: above that as well */

static bool clean(const struct ppi_sample *sample) {
  return !sample->preempted && sample->wall_s > 0.0 && sample->before_s > 0.0 && sample->after_s > 0.0;
}

static double reading(const struct ppi_sample *sample) {
  return log(0.5 * (sample->before_s + sample->after_s));
}

/* Variance of the mean of two readings, from their difference. */
static double variance(const struct ppi_sample *sample) {
  const double difference = log(sample->before_s / sample->after_s);
  return 0.25 * difference * difference;
}

void ppi_response_add(struct ppi_response *response, const struct ppi_history *history) {
  double quickest_s = DBL_MAX, sum_x = 0.0, sum_y = 0.0, xx = 0.0, xy = 0.0;
  size_t count = 0;
  for (size_t i = 0; i < history->count; i++) {
    const struct ppi_sample *sample = &history->entries[i].sample;
    if (clean(sample))
      quickest_s = fmin(quickest_s, sample->wall_s);
  }
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
    response->noise += variance(sample);
  }
  response->xx += xx;
  response->xy += xy;
  response->count += count;
}

void ppi_response_merge(struct ppi_response *all, const struct ppi_response *run) {
  all->xx += run->xx;
  all->xy += run->xy;
  all->noise += run->noise;
  all->count += run->count;
}

/* Noise of the readings makes the slope too small; what is left without it is the variance of the levels (errors in variables). */
double ppi_response_exponent(const struct ppi_response *response) {
  const double levels = response->xx - response->noise;
  if (response->count < SAMPLES_LEAST || response->xx < SPREAD_LEAST * SPREAD_LEAST * (double)response->count ||
      response->noise > NOISE_MOST * response->xx)
    return NAN;
  return fmin(fmax(response->xy / levels, 0.0), 1.0);
}
