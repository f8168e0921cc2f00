/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/interval.h"

#include <math.h>

#include "base/stats.h"

#define CONFIDENCE 0.95

/* The number of values below the median is binomial with probability 1/2: the interval misses the median when fewer than r of them lie
   below it, or fewer than r above. Terms are added from the outside until they exceed what may be missed. Each comes
   from the one before, in logarithms because the first ones underflow: lgamma writes a global variable. */
size_t ppi_interval_rank(size_t count) {
  double n = (double)count, log_term = -n * log(2.0), missed = 0.0;
  size_t rank = 0;
  for (size_t k = 0; 2 * k < count; k++) {
    missed += 2.0 * exp(log_term);
    if (missed > 1.0 - CONFIDENCE)
      break;
    rank = k + 1;
    log_term += log((n - (double)k) / ((double)k + 1.0));
  }
  return rank;
}

bool ppi_interval_median(double *values, size_t count, double *lower, double *upper) {
  size_t rank = ppi_interval_rank(count);
  if (rank == 0)
    return false;
  ppi_stats_median(values, count); /* sorts */
  *lower = values[rank - 1];
  *upper = values[count - rank];
  return true;
}

bool ppi_interval_narrow(double *values, size_t count, double width) {
  double lower = 0.0, upper = 0.0;
  if (!ppi_interval_median(values, count, &lower, &upper))
    return false;
  return upper - lower <= width * ppi_stats_median(values, count);
}
