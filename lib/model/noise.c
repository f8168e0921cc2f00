/* SPDX-License-Identifier: BSD-3-Clause */
/* How far a statistic of few samples may be from that of many. The smallest of n samples lies as far above the least possible time as
   it lies below the second smallest, on average, if times thin out towards their lower end like an exponential distribution does (its
   spacings: Renyi 1953). No other law of the noise is needed, and tails do no harm. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/adaptive.h"

#define GROUP 24          /* points that are pooled */
#define SAMPLES 256       /* more of one point are as good as these */
#define MEDIAN_SHARE 1.57 /* pi / 2: variance of a median, in units of that of the mean */

enum { MINIMUM, MEDIAN, MAXIMUM, MEAN, DEVIATION };

static const int levels[] = { PPI_REPETITIONS_LEAST, 5 };
enum { LEVELS = sizeof levels / sizeof levels[0] };

struct ranked {
  double time_s;
  int place;
};

static int by_time(const void *a, const void *b) {
  const struct ranked *x = a, *y = b;

  if (x->time_s < y->time_s || x->time_s > y->time_s)
    return x->time_s < y->time_s ? -1 : 1;
  return (x->place > y->place) - (x->place < y->place);
}

/* Distances of the two smallest and of the two largest of the first `count` samples, relative to the smallest and the largest. */
static void spacings(const double *times_s, int count, double *low, double *high) {
  double least[2] = { INFINITY, INFINITY }, most[2] = { 0.0, 0.0 };

  for (int i = 0; i < count; i++) {
    double t = times_s[i];

    if (t < least[0]) {
      least[1] = least[0];
      least[0] = t;
    } else if (t < least[1]) {
      least[1] = t;
    }
    if (t > most[0]) {
      most[1] = most[0];
      most[0] = t;
    } else if (t > most[1]) {
      most[1] = t;
    }
  }
  *low = least[1] / least[0] - 1.0;
  *high = 1.0 - most[1] / most[0];
}

static int used(const struct ppi_sampled *data, int place) {
  return data->repetitions[place] < SAMPLES ? data->repetitions[place] : SAMPLES;
}

/* A point that shows nothing itself, having one sample, takes the group's word for it. */
static void settle(struct ppi_sampled *data, int place, double low, double high, double deviation, int repetitions) {
  double *values = data->values + (size_t)place * PPI_STATISTICS;
  int count = used(data, place);
  double missing = 1.0 - (double)count / repetitions;

  data->variances[place] = data->reference == MINIMUM ? low * low : MEDIAN_SHARE * deviation * deviation / count;
  if (missing <= 0.0)
    return;
  values[MINIMUM] *= 1.0 - fmin(low * missing, 0.5);
  values[MAXIMUM] *= 1.0 + high * log((double)repetitions / count);
}

/* Points of one group have spacings of the same law; those of n samples are n times as narrow as those of one. */
static void settle_group(struct ppi_sampled *data, const double *const *times_s, const struct ranked *ranked, int count,
                         int repetitions) {
  double low = 0.0, high = 0.0, deviation = 0.0;
  int known = 0;

  for (int i = 0; i < count; i++) {
    int place = ranked[i].place, n = used(data, place);
    const double *values = data->values + (size_t)place * PPI_STATISTICS;
    double below, above;

    if (n < 2)
      continue;
    spacings(times_s[place], n, &below, &above);
    low += below * (n - 1);
    high += above;
    deviation += values[DEVIATION] / values[MEAN] * sqrt(n / (n - 1.0));
    known++;
  }
  for (int i = 0; i < count && known > 0; i++)
    settle(data, ranked[i].place, low / known / used(data, ranked[i].place), high / known, deviation / known,
           repetitions);
}

/* What noise leaves of the smallest of `level` samples, over all points that have so many; NaN: none has. */
static double noise_at(const struct ppi_sampled *data, const double *const *times_s, int level) {
  double sum = 0.0, low, high;
  int known = 0;

  for (int i = 0; i < data->count; i++)
    if (data->repetitions[i] >= level) {
      spacings(times_s[i], level, &low, &high);
      sum += low;
      known++;
    }
  return known > 0 ? sum / known : NAN;
}

/* The fewest repetitions with which noise stays within `bound`. Where times have long tails it falls much faster than with the root
   of their number, so fewer points with more of them are the better bargain. */
static int enough(const struct ppi_sampled *data, const double *const *times_s, int repetitions, double bound) {
  for (int k = 0; k < LEVELS; k++) {
    if (levels[k] >= repetitions)
      return repetitions;
    if (!(noise_at(data, times_s, levels[k]) > bound))
      return levels[k];
  }
  return repetitions;
}

enum perfpred_status ppi_noise_settle(struct ppi_sampled *data, const double *const *times_s, int repetitions,
                                      double bound, struct perfpred_error *error) {
  struct ranked *ranked = malloc((size_t)data->count * sizeof *ranked);

  if (!ranked)
    return ppi_error_memory(error);
  data->enough = enough(data, times_s, repetitions, bound);
  for (int i = 0; i < data->count; i++)
    ranked[i] = (struct ranked){ data->values[(size_t)i * PPI_STATISTICS + MEDIAN], i };
  qsort(ranked, (size_t)data->count, sizeof *ranked, by_time);
  for (int i = 0; i < data->count;) {
    int count = data->count - i < 2 * GROUP ? data->count - i : GROUP;

    settle_group(data, times_s, ranked + i, count, repetitions);
    i += count;
  }
  free(ranked);
  return PERFPRED_OK;
}
