/* SPDX-License-Identifier: BSD-3-Clause */
/* How well a median is known, whatever the distribution: an interval between two order statistics. */
#ifndef PPI_MEASURE_INTERVAL_H
#define PPI_MEASURE_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>

/* Rank r, from 1, of the narrowest interval [r-th smallest, r-th largest] of `count` values that holds the median of what they are
   drawn from with a probability of at least 95 %. 0: too few values (below 6). */
size_t ppi_interval_rank(size_t count);
/* The interval; sorts the values. false: too few. */
bool ppi_interval_median(double *values, size_t count, double *lower, double *upper);
/* Whether its width is at most `width` times the median; sorts the values. */
bool ppi_interval_narrow(double *values, size_t count, double width);

#endif
