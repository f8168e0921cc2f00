/* SPDX-License-Identifier: BSD-3-Clause */
/* The smallest of three samples is larger than the smallest of ten. How much larger follows from how samples of the same call
   spread, which all points near each other in run time tell together. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/adaptive.h"

#define GROUP 16        /* points that are pooled */
#define OUTLIER 1.5     /* times the smallest sample of a point: no noise but a disturbance */
#define REPETITIONS 256 /* more are as good as these */

enum { MINIMUM, MEDIAN, MAXIMUM, MEAN, DEVIATION };

/* Relative deviations of pooled samples, ascending. */
struct pool {
  double *items;
  int count, capacity;
};

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

static enum perfpred_status pool_add(struct pool *pool, double item, struct perfpred_error *error) {
  if (pool->count == pool->capacity) {
    int capacity = 2 * pool->capacity + 64;
    double *items = realloc(pool->items, (size_t)capacity * sizeof *items);

    if (!items)
      return ppi_error_memory(error);
    pool->items = items;
    pool->capacity = capacity;
  }
  pool->items[pool->count++] = item;
  return PERFPRED_OK;
}

/* Deviations from a mean of few are too small by sqrt((n - 1) / n). */
static enum perfpred_status pool_point(struct pool *pool, const double *times_s, int count,
                                       struct perfpred_error *error) {
  double least = times_s[0], sum = 0.0, mean;
  int kept = 0;
  enum perfpred_status status = PERFPRED_OK;

  for (int i = 1; i < count; i++)
    least = fmin(least, times_s[i]);
  for (int i = 0; i < count; i++)
    if (times_s[i] <= OUTLIER * least) {
      sum += times_s[i];
      kept++;
    }
  mean = sum / kept;
  for (int i = 0; kept > 1 && !status && i < count; i++)
    if (times_s[i] <= OUTLIER * least)
      status = pool_add(pool, 1.0 + (times_s[i] / mean - 1.0) * sqrt(kept / (kept - 1.0)), error);
  return status;
}

/* Mean and relative variance of the smallest (largest: side 1) of n samples. */
static void extreme(const struct pool *pool, int n, int side, double *mean, double *variance) {
  double sum = 0.0, squares = 0.0, count = pool->count;

  for (int i = 0; i < pool->count; i++) {
    double item = pool->items[side ? pool->count - 1 - i : i];
    double weight = pow((count - i) / count, n) - pow((count - i - 1) / count, n);

    sum += weight * item;
    squares += weight * item * item;
  }
  *mean = sum;
  *variance = fmax(squares / (sum * sum) - 1.0, 0.0);
}

static double variance_of(const struct pool *pool) {
  double mean, variance;

  extreme(pool, 1, 0, &mean, &variance);
  return variance;
}

/* Of a point, from the spread of its group. */
static void settle(struct ppi_sampled *data, int place, const struct pool *pool, int repetitions) {
  double *values = data->values + (size_t)place * PPI_STATISTICS;
  int count = data->repetitions[place] < REPETITIONS ? data->repetitions[place] : REPETITIONS;
  double mean[2], variance, full;

  if (pool->count < 2) {
    data->variances[place] = 0.0;
    return;
  }
  extreme(pool, count, 0, &mean[0], &variance);
  data->variances[place] = data->reference == MINIMUM ? variance : 1.57 * variance_of(pool) / count;
  if (count >= repetitions)
    return;
  extreme(pool, repetitions, 0, &full, &variance);
  values[MINIMUM] *= fmin(full / mean[0], 1.0);
  extreme(pool, count, 1, &mean[1], &variance);
  extreme(pool, repetitions, 1, &full, &variance);
  values[MAXIMUM] *= fmax(full / mean[1], 1.0);
}

struct ranked {
  double time_s;
  int place;
};

static int by_time(const void *a, const void *b) {
  const struct ranked *x = a, *y = b;

  if (x->time_s != y->time_s)
    return x->time_s < y->time_s ? -1 : 1;
  return (x->place > y->place) - (x->place < y->place);
}

static enum perfpred_status settle_group(struct ppi_sampled *data, const double *const *times_s,
                                         const struct ranked *ranked, int count, int repetitions, struct pool *pool,
                                         struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;

  pool->count = 0;
  for (int i = 0; !status && i < count; i++)
    status = pool_point(pool, times_s[ranked[i].place], data->repetitions[ranked[i].place], error);
  if (status)
    return status;
  if (pool->count > 0)
    qsort(pool->items, (size_t)pool->count, sizeof *pool->items, ascending);
  for (int i = 0; i < count; i++)
    settle(data, ranked[i].place, pool, repetitions);
  return PERFPRED_OK;
}

enum perfpred_status ppi_noise_settle(struct ppi_sampled *data, const double *const *times_s, int repetitions,
                                      struct perfpred_error *error) {
  struct ranked *ranked = malloc((size_t)data->count * sizeof *ranked);
  struct pool pool = { NULL, 0, 0 };
  enum perfpred_status status = PERFPRED_OK;

  if (!ranked)
    return ppi_error_memory(error);
  for (int i = 0; i < data->count; i++)
    ranked[i] = (struct ranked){ data->values[(size_t)i * PPI_STATISTICS + MEDIAN], i };
  qsort(ranked, (size_t)data->count, sizeof *ranked, by_time);
  for (int i = 0; !status && i < data->count;) {
    int count = data->count - i < 2 * GROUP ? data->count - i : GROUP;

    status = settle_group(data, times_s, ranked + i, count, repetitions, &pool, error);
    i += count;
  }
  free(pool.items);
  free(ranked);
  return status;
}
