/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics of values, and of sums and quotients of them (dissertation, Section 11). */
#ifndef PPI_BASE_STATS_H
#define PPI_BASE_STATS_H

#include <perfpred/common.h>

#define PPI_STATISTICS 5 /* min, med, max, mean, std: the order of the members of struct perfpred_statistics */

/* Of count >= 1 values; sorts them. */
void ppi_stats_of(double *values, size_t count, struct perfpred_statistics *statistics);
/* The same as an array, in the order of the members. */
void ppi_stats_values(double *values, size_t count, double statistics[PPI_STATISTICS]);
double ppi_stats_median(double *values, size_t count); /* sorts them */
double ppi_stats_percentile(double *values, size_t count,
                            double share); /* sorts them; linear interpolation, 0 <= share <= 1 */
/* Relative difference of the medians of the first and the second half: noise and drift of values in order of time. NaN: fewer than
   two. Sorts each half. */
double ppi_stats_noise(double *values, size_t count);
/* sum += term * factor: all but std add, std in squares (equations 2 and 3). */
void ppi_stats_add(struct perfpred_statistics *sum, const struct perfpred_statistics *term);
/* cost / time (equations 4 and 5). Time 0 gives 0. */
void ppi_stats_rate(const struct perfpred_statistics *time, double cost, struct perfpred_statistics *rate);
void ppi_stats_scale(struct perfpred_statistics *statistics, double factor);

#endif
