/* SPDX-License-Identifier: BSD-3-Clause */
#include <criterion/criterion.h>
#include <math.h>

#include "base/stats.h"

static void check(double value, double expected) {
  cr_assert(fabs(value - expected) <= 1e-14 * fabs(expected), "%.17g instead of %.17g", value, expected);
}

Test(stats, of_values) {
  double values[] = { 4.0, 2.0, 9.0, 5.0 };
  struct perfpred_statistics s;
  ppi_stats_of(values, 4, &s);
  cr_assert_eq(s.min, 2.0);
  cr_assert_eq(s.med, 4.5);
  cr_assert_eq(s.max, 9.0);
  cr_assert_eq(s.mean, 5.0);
  check(s.std, sqrt(26.0 / 3.0)); /* squares 1 + 9 + 16 + 0 over 3 */
  cr_assert_eq(values[0], 2.0);
  cr_assert_eq(values[3], 9.0);
}

Test(stats, odd_count) {
  double values[] = { 7.0, 1.0, 3.0 };
  struct perfpred_statistics s;
  ppi_stats_of(values, 3, &s);
  cr_assert_eq(s.med, 3.0);
}

Test(stats, of_one_value) {
  double value = 0.25;
  struct perfpred_statistics s;
  ppi_stats_of(&value, 1, &s);
  cr_assert_eq(s.min, 0.25);
  cr_assert_eq(s.med, 0.25);
  cr_assert_eq(s.max, 0.25);
  cr_assert_eq(s.mean, 0.25);
  cr_assert_eq(s.std, 0.0);
  cr_assert_eq(ppi_stats_median(&value, 1), 0.25);
  cr_assert_eq(ppi_stats_percentile(&value, 1, 0.9), 0.25);
}

Test(stats, large_values_with_small_spread) {
  double values[] = { 1e9 + 1, 1e9 + 2, 1e9 + 3 };
  struct perfpred_statistics s;
  ppi_stats_of(values, 3, &s);
  cr_assert_eq(s.std, 1.0); /* the difference of two sums of squares would lose it */
}

Test(stats, percentile) {
  double values[] = { 50.0, 10.0, 40.0, 20.0, 30.0 };
  cr_assert_eq(ppi_stats_percentile(values, 5, 0.0), 10.0);
  cr_assert_eq(ppi_stats_percentile(values, 5, 0.5), 30.0);
  check(ppi_stats_percentile(values, 5, 0.9), 46.0); /* 3.6 places above the first */
  cr_assert_eq(ppi_stats_percentile(values, 5, 1.0), 50.0);
  double pair[] = { 1.0, 0.0 };
  cr_assert_eq(ppi_stats_percentile(pair, 2, 0.25), 0.25);
}

Test(stats, sums_add_variances) {
  struct perfpred_statistics sum = { 1.0, 2.0, 3.0, 2.0, 0.3 };
  const struct perfpred_statistics term = { 10.0, 20.0, 30.0, 21.0, 0.4 };
  ppi_stats_add(&sum, &term);
  cr_assert_eq(sum.min, 11.0);
  cr_assert_eq(sum.med, 22.0);
  cr_assert_eq(sum.max, 33.0);
  cr_assert_eq(sum.mean, 23.0);
  check(sum.std, 0.5);
}

/* The published example: dissertation, Section 11 (algorithms.md, "Golden example"). */
Test(stats, published_rates) {
  const struct perfpred_statistics time = { 16.18e-3, 16.22e-3, 16.46e-3, 16.25e-3, 95.88e-6 };
  struct perfpred_statistics rate;
  ppi_stats_rate(&time, 170986800.0, &rate);
  cr_assert(fabs(rate.med - 10.54e9) < 0.005e9);
  cr_assert(fabs(rate.max - 10.57e9) < 0.005e9); /* from the smallest time */
  cr_assert(fabs(rate.min - 10.39e9) < 0.005e9);
  cr_assert(fabs(rate.med / 20.8e9 - 0.5068) < 0.00005);
  check(rate.mean, 170986800.0 / 16.25e-3 * (1.0 + 95.88e-6 * 95.88e-6 / (16.25e-3 * 16.25e-3)));
  check(rate.std, 170986800.0 * 95.88e-6 / (16.25e-3 * 16.25e-3));
}

Test(stats, rates_by_hand) {
  const struct perfpred_statistics time = { 1.0, 2.0, 4.0, 2.0, 0.5 };
  struct perfpred_statistics rate;
  ppi_stats_rate(&time, 8.0, &rate);
  cr_assert_eq(rate.min, 2.0);
  cr_assert_eq(rate.med, 4.0);
  cr_assert_eq(rate.max, 8.0);
  cr_assert_eq(rate.mean, 4.25); /* 4 (1 + 1/16) */
  cr_assert_eq(rate.std, 1.0);   /* 8 0.5 / 4 */
}

Test(stats, rate_of_no_time) {
  const struct perfpred_statistics time = { 0.0, 0.0, 0.0, 0.0, 0.0 };
  struct perfpred_statistics rate = { 1.0, 1.0, 1.0, 1.0, 1.0 };
  ppi_stats_rate(&time, 8.0, &rate);
  cr_assert_eq(rate.min, 0.0);
  cr_assert_eq(rate.med, 0.0);
  cr_assert_eq(rate.max, 0.0);
  cr_assert_eq(rate.mean, 0.0);
  cr_assert_eq(rate.std, 0.0);
}

Test(stats, rate_in_place) {
  struct perfpred_statistics s = { 1.0, 2.0, 4.0, 2.0, 0.5 };
  ppi_stats_rate(&s, 8.0, &s);
  cr_assert_eq(s.min, 2.0);
  cr_assert_eq(s.max, 8.0);
  cr_assert_eq(s.mean, 4.25);
}

Test(stats, scale) {
  struct perfpred_statistics s = { 1.0, 2.0, 4.0, 2.0, 0.5 };
  ppi_stats_scale(&s, 2.0);
  cr_assert_eq(s.min, 2.0);
  cr_assert_eq(s.med, 4.0);
  cr_assert_eq(s.max, 8.0);
  cr_assert_eq(s.mean, 4.0);
  cr_assert_eq(s.std, 1.0);
}

/* Medians 2 and 3 of the halves: 1 / 2.5. With an odd number the middle one belongs to the second half. */
Test(stats, noise_is_the_difference_of_the_halves) {
  double even[] = { 3.0, 1.0, 2.0, 4.0, 3.0, 2.0 }, odd[] = { 1.0, 3.0, 3.0 }, one[] = { 5.0 }, zeros[] = { 0.0, 0.0 };
  cr_expect_float_eq(ppi_stats_noise(even, 6), 0.4, 1e-15);
  cr_expect_float_eq(ppi_stats_noise(odd, 3), 1.0, 1e-15);
  cr_expect(isnan(ppi_stats_noise(one, 1)));
  cr_expect_eq(ppi_stats_noise(zeros, 2), 0.0);
}
