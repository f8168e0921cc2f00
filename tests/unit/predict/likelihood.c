/* SPDX-License-Identifier: BSD-3-Clause */
/* Probabilities against closed forms: two normals, three of equal mean (orthant formula), single values. */
#include <criterion/criterion.h>
#include <math.h>

#include "predict/plan.h"

static void check(size_t count, const double *med, const double *std, const double *wanted) {
  double got[8], sum = 0.0;
  cr_assert_eq(ppi_likelihoods(med, std, count, got, NULL, NULL), PERFPRED_OK);
  for (size_t i = 0; i < count; i++) {
    cr_assert(fabs(got[i] - wanted[i]) < 1e-7, "likelihood %zu is %.12g, expected %.12g", i, got[i], wanted[i]);
    sum += got[i];
  }
  cr_assert_float_eq(sum, 1.0, 1e-14);
}

static double below(double z) {
  return 0.5 * erfc(-z / sqrt(2.0));
}

Test(likelihood, two_normals_follow_their_difference) {
  const double med[] = { 1.0, 1.3 }, std[] = { 0.3, 0.4 };
  double first = below(0.3 / 0.5);
  check(2, med, std, (double[]){ first, 1.0 - first });
}

Test(likelihood, a_narrow_normal_beside_a_wide_one) {
  const double med[] = { 1.1, 1.0 }, std[] = { 1e-7, 0.5 };
  double first = below(-0.1 / hypot(1e-7, 0.5));
  check(2, med, std, (double[]){ first, 1.0 - first });
}

Test(likelihood, three_of_equal_mean) {
  const double med[] = { 2.0, 2.0, 2.0 }, std[] = { 0.1, 0.1, 0.2 };
  double wanted[3];
  for (int i = 0; i < 3; i++) {
    double a = std[i] * std[i], b = std[(i + 1) % 3] * std[(i + 1) % 3], c = std[(i + 2) % 3] * std[(i + 2) % 3];
    wanted[i] = 0.25 + asin(a / sqrt((a + b) * (a + c))) / (2.0 * acos(-1.0));
  }
  check(3, med, std, wanted);
}

Test(likelihood, equal_ones_share) {
  const double med[] = { 1.0, 1.0, 1.0, 9.0 }, std[] = { 0.1, 0.1, 0.1, 0.1 };
  check(4, med, std, (double[]){ 1.0 / 3, 1.0 / 3, 1.0 / 3, 0.0 });
}

Test(likelihood, without_spread_the_smallest_wins_and_equal_ones_share) {
  check(3, (double[]){ 3.0, 2.0, 2.5 }, (double[]){ 0.0, 0.0, 0.0 }, (double[]){ 0.0, 1.0, 0.0 });
  check(3, (double[]){ 2.0, 2.0, 2.5 }, (double[]){ 0.0, 0.0, 0.0 }, (double[]){ 0.5, 0.5, 0.0 });
  check(2, (double[]){ 0.0, 0.0 }, (double[]){ 0.0, 0.0 }, (double[]){ 0.5, 0.5 });
  check(1, (double[]){ 1.0 }, (double[]){ 0.0 }, (double[]){ 1.0 });
}

Test(likelihood, a_normal_beside_a_single_value) {
  double slower = 1.0 - below((1.0 - 1.2) / 0.2);
  check(2, (double[]){ 1.2, 1.0 }, (double[]){ 0.2, 0.0 }, (double[]){ 1.0 - slower, slower });
  check(3, (double[]){ 1.2, 1.0, 1.0 }, (double[]){ 0.2, 0.0, 0.0 },
        (double[]){ 1.0 - slower, slower / 2, slower / 2 });
}

Test(likelihood, far_apart_means_certain) {
  check(2, (double[]){ 1.0, 2.0 }, (double[]){ 1e-3, 1e-3 }, (double[]){ 1.0, 0.0 });
  check(2, (double[]){ 1e-6, 1e3 }, (double[]){ 1e-9, 1.0 }, (double[]){ 1.0, 0.0 });
}

/* The mean of the smallest: two alike lie 1 / sqrt(pi) standard deviations below their mean, three 3 / (2 sqrt(pi)). */
Test(likelihood, mean_of_the_smallest) {
  const double med[] = { 5.0, 5.0, 5.0 }, std[] = { 0.2, 0.2, 0.2 }, none[] = { 0.0, 0.0, 0.0 },
               apart[] = { 7.0, 5.5, 6.0 };
  double got[3], least = 0.0;
  const double root_pi = sqrt(acos(-1.0));
  cr_assert_eq(ppi_likelihoods(med, std, 2, got, &least, NULL), PERFPRED_OK);
  cr_assert_float_eq(least, 5.0 - 0.2 / root_pi, 1e-9);
  cr_assert_eq(ppi_likelihoods(med, std, 3, got, &least, NULL), PERFPRED_OK);
  cr_assert_float_eq(least, 5.0 - 0.2 * 1.5 / root_pi, 1e-9);
  cr_assert_eq(ppi_likelihoods(apart, none, 3, got, &least, NULL), PERFPRED_OK);
  cr_assert_eq(least, 5.5);
  /* one that is certain: E[min(X, c)] = mu - E[max(0, X - c)] */
  const double mixed[] = { 5.0, 5.1 }, wide[] = { 0.4, 0.0 };
  cr_assert_eq(ppi_likelihoods(mixed, wide, 2, got, &least, NULL), PERFPRED_OK);
  cr_assert_float_eq(least, 5.0 - ppi_expected_loss(0.1, 0.4), 1e-7);
}

/* Standard normal: E[max(0, X)] = 1 / sqrt(2 pi) = 0.3989423, E[max(0, X - 1)] = 0.0833155. */
Test(likelihood, expected_loss) {
  cr_assert_float_eq(ppi_expected_loss(0.0, 1.0), 0.3989422804, 1e-10);
  cr_assert_float_eq(ppi_expected_loss(1.0, 1.0), 0.0833154706, 1e-10);
  cr_assert_float_eq(ppi_expected_loss(-1.0, 1.0), 1.0833154706, 1e-10);
  cr_assert_eq(ppi_expected_loss(2.0, 0.0), 0.0);
  cr_assert_eq(ppi_expected_loss(-2.0, 0.0), 2.0);
}
