/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/stats.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static int compare(const void *left, const void *right) {
  const double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static void sort(double *values, size_t count) {
  qsort(values, count, sizeof *values, compare);
}

static double sorted_median(const double *values, size_t count) {
  const size_t middle = count / 2;
  return count % 2 ? values[middle] : 0.5 * values[middle - 1] + 0.5 * values[middle];
}

static double mean_of(const double *values, size_t count) {
  double sum = 0.0;
  for (size_t i = 0; i < count; i++)
    sum += values[i];
  return sum / (double)count;
}

void ppi_stats_of(double *values, size_t count, struct perfpred_statistics *statistics) {
  assert(count >= 1);
  sort(values, count);
  const double mean = mean_of(values, count);
  double squares = 0.0;
  for (size_t i = 0; i < count; i++)
    squares += (values[i] - mean) * (values[i] - mean);
  statistics->min = values[0];
  statistics->med = sorted_median(values, count);
  statistics->max = values[count - 1];
  statistics->mean = mean;
  statistics->std = count > 1 ? sqrt(squares / (double)(count - 1)) : 0.0;
}

void ppi_stats_values(double *values, size_t count, double statistics[PPI_STATISTICS]) {
  struct perfpred_statistics s;

  ppi_stats_of(values, count, &s);
  statistics[0] = s.min;
  statistics[1] = s.med;
  statistics[2] = s.max;
  statistics[3] = s.mean;
  statistics[4] = s.std;
}

double ppi_stats_median(double *values, size_t count) {
  assert(count >= 1);
  sort(values, count);
  return sorted_median(values, count);
}

double ppi_stats_percentile(double *values, size_t count, double share) {
  assert(count >= 1 && share >= 0.0 && share <= 1.0);
  sort(values, count);
  const double place = share * (double)(count - 1);
  size_t below = (size_t)place;
  if (below >= count - 1)
    return values[count - 1];
  return values[below] + (place - (double)below) * (values[below + 1] - values[below]);
}

double ppi_stats_noise(double *values, size_t count) {
  size_t half = count / 2;
  if (half == 0)
    return (double)NAN;
  double first = ppi_stats_median(values, half);
  double second = ppi_stats_median(values + half, count - half);
  return first + second > 0.0 ? fabs(first - second) / (0.5 * (first + second)) : 0.0;
}

void ppi_stats_add(struct perfpred_statistics *sum, const struct perfpred_statistics *term) {
  sum->min += term->min;
  sum->med += term->med;
  sum->max += term->max;
  sum->mean += term->mean;
  sum->std = sqrt(sum->std * sum->std + term->std * term->std);
}

static double quotient(double cost, double time) {
  return time != 0.0 ? cost / time : 0.0;
}

void ppi_stats_rate(const struct perfpred_statistics *time, double cost, struct perfpred_statistics *rate) {
  const double spread = quotient(time->std, time->mean);
  const double mean = quotient(cost, time->mean);
  *rate = (struct perfpred_statistics){
    .min = quotient(cost, time->max),
    .med = quotient(cost, time->med),
    .max = quotient(cost, time->min),
    .mean = mean * (1.0 + spread * spread),
    .std = mean * spread,
  };
}

void ppi_stats_scale(struct perfpred_statistics *statistics, double factor) {
  statistics->min *= factor;
  statistics->med *= factor;
  statistics->max *= factor;
  statistics->mean *= factor;
  statistics->std *= fabs(factor);
}
