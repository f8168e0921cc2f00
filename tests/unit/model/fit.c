/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixture.h"

/* A polynomial of the degrees that dtrsm(R, ...) has: 1 in m, 2 in n. */
static double known(int64_t m, int64_t n) {
  return 1e-6 * (2.0 + 0.5 * (double)m + 0.03 * (double)(m * n) + 1e-3 * (double)(m * n * n));
}

static int fill(int64_t *points, double *values, int count_m, int count_n) {
  int count = 0;

  for (int i = 0; i < count_m; i++)
    for (int j = 0; j < count_n; j++, count++) {
      double t = known(8 + 40 * i, 8 + 24 * j);

      points[2 * count] = 8 + 40 * i;
      points[2 * count + 1] = 8 + 24 * j;
      values[5 * count] = t;
      values[5 * count + 1] = 1.5 * t;
      values[5 * count + 2] = 3.0 * t;
      values[5 * count + 3] = 1.75 * t;
      values[5 * count + 4] = 0.25 * t;
    }
  return count;
}

Test(fit, recovers_a_polynomial_of_the_kernel_s_degree) {
  static const double factors[] = { 1.0, 1.5, 3.0, 1.75, 0.25 };
  struct lab lab = { 0 };
  struct ppi_source source = lab_source(&lab);
  struct ppi_piece piece = { .lower = { 8, 8 }, .upper = { 208, 128 }, .degrees = { 1, 2 } };
  int64_t points[2 * 36];
  double values[5 * 36];
  int count = fill(points, values, 6, 6);

  cr_assert_eq(ppi_fit(&piece, 2, points, values, count, &source, NULL), PERFPRED_OK);
  cr_assert_eq(piece.count, 6);
  cr_assert_lt(piece.error, 1e-12);
  for (int64_t m = 8; m <= 208; m += 5)
    for (int64_t n = 8; n <= 128; n += 7)
      for (int s = 0; s < 5; s++)
        cr_assert_lt(relative(ppi_piece_value(&piece, 2, s, (int64_t[]){ m, n }), factors[s] * known(m, n)), 1e-10);
  /* floors: half of the smallest sampled value, none for the deviation */
  cr_assert_lt(relative(piece.floors[2], 1.5 * known(8, 8)), 1e-12);
  cr_assert_eq(piece.floors[4], 0.0);
  free(piece.coefficients);
}

Test(fit, is_relative) {
  /* A constant c for 1 and 2: (c - 1)^2 + (c / 2 - 1)^2 is least at c = 1.2; absolute least squares would say 1.5. */
  struct lab lab = { 0 };
  struct ppi_source source = lab_source(&lab);
  struct ppi_piece piece = { .lower = { 8 }, .upper = { 16 }, .degrees = { 0 } };
  const int64_t points[] = { 8, 16 };
  const double values[] = { 1, 1, 1, 1, 0, 2, 2, 2, 2, 0 };

  cr_assert_eq(ppi_fit(&piece, 1, points, values, 2, &source, NULL), PERFPRED_OK);
  cr_assert_float_eq(piece.coefficients[0], 1.2, 1e-12);
  cr_assert_float_eq(piece.coefficients[4], 0.0, 1e-15); /* a deviation of 0 everywhere */
  cr_assert_float_eq(piece.error, 0.4, 1e-12);           /* |1.2 - 2| / 2 */
  free(piece.coefficients);
}

Test(fit, error_measures) {
  /* The same constant 1.2 against 1 and 2: errors 0.2 and 0.4. */
  static const double expected[] = { 0.4, 0.38, 0.3 };
  struct lab lab = { 0 };
  struct ppi_source source = lab_source(&lab);
  struct ppi_piece piece = { .lower = { 8 }, .upper = { 16 }, .degrees = { 0 } };
  const int64_t points[] = { 8, 16 };
  const double values[] = { 1, 10, 10, 10, 0, 2, 10, 10, 10, 0 };
  double error = -1.0;

  cr_assert_eq(ppi_fit(&piece, 1, points, values, 2, &source, NULL), PERFPRED_OK);
  for (int k = 0; k < 3; k++) {
    cr_assert_eq(ppi_fit_error(&piece, 1, points, values, 2, PERFPRED_REFERENCE_MINIMUM, (enum perfpred_error_measure)k,
                               &error, NULL),
                 PERFPRED_OK);
    cr_assert_float_eq(error, expected[k], 1e-12, "measure %d: %g", k, error);
  }
  /* the medians are equal, so that the constant meets them */
  cr_assert_eq(
      ppi_fit_error(&piece, 1, points, values, 2, PERFPRED_REFERENCE_MEDIAN, PERFPRED_ERROR_MAXIMUM, &error, NULL),
      PERFPRED_OK);
  cr_assert_lt(error, 1e-12);
  free(piece.coefficients);
}

/* Degree wanted 5 on so many points in steps of 8; the values are those of a cubic. */
static void expect_degree(int count, int wanted, int expected, bool estimated) {
  struct lab lab = { 0 };
  struct ppi_source source = lab_source(&lab);
  struct ppi_piece piece = { .lower = { 8 }, .upper = { 8 * count }, .degrees = { wanted } };
  int64_t points[16];
  double values[5 * 16];

  for (int i = 0; i < count; i++) {
    points[i] = 8 * (i + 1);
    for (int s = 0; s < 5; s++)
      values[5 * i + s] = 1e-9 * (double)(points[i] * points[i] * points[i]);
  }
  cr_assert_eq(ppi_fit(&piece, 1, points, values, count, &source, NULL), PERFPRED_OK);
  cr_assert_eq(piece.degrees[0], expected, "%d points: degree %d, expected %d", count, piece.degrees[0], expected);
  cr_assert_eq(!isnan(piece.error), estimated, "%d points: error %g", count, piece.error);
  if (expected >= 3 || count <= expected + 1) /* a cubic is met by one, and by any curve through all points */
    for (int i = 0; i < count; i++)
      cr_assert_lt(relative(ppi_piece_value(&piece, 1, 0, points + i), values[5 * i]), 1e-10);
  free(piece.coefficients);
}

Test(fit, few_points_lower_the_degree) {
  expect_degree(7, 5, 5, true);
  expect_degree(6, 5, 4, true);
  expect_degree(5, 5, 3, true);
  expect_degree(4, 5, 3, false);
  expect_degree(3, 5, 2, false);
  expect_degree(2, 5, 1, false);
  expect_degree(1, 5, 0, false);
  expect_degree(5, 3, 3, true);
  expect_degree(4, 3, 3, false);
  expect_degree(4, 2, 2, true);
  expect_degree(3, 2, 2, false);
}

Test(fit, refuses_times_that_are_none) {
  static const double bad[] = { 0.0, -1.0, NAN, INFINITY };
  struct lab lab = { 0 };
  struct ppi_source source = lab_source(&lab);
  const int64_t points[] = { 8, 16, 24 };

  for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
    struct ppi_piece piece = { .lower = { 8 }, .upper = { 24 }, .degrees = { 1 } };
    double values[15];
    struct perfpred_error error;

    ppi_error_clear(&error);
    for (int i = 0; i < 15; i++)
      values[i] = 1.0;
    values[6] = bad[k];
    cr_assert_eq(ppi_fit(&piece, 1, points, values, 3, &source, &error), PERFPRED_NUMERIC);
    cr_assert(strlen(error.text) > 0);
    cr_assert_null(piece.coefficients);
  }
}

Test(fit, passes_on_what_the_solver_says) {
  struct lab lab = { .solver_fails = true };
  struct ppi_source source = lab_source(&lab);
  struct ppi_piece piece = { .lower = { 8 }, .upper = { 24 }, .degrees = { 1 } };
  const int64_t points[] = { 8, 16, 24 };
  const double values[] = { 1, 1, 1, 1, 0, 2, 2, 2, 2, 0, 3, 3, 3, 3, 0 };
  struct perfpred_error error;

  ppi_error_clear(&error);
  cr_assert_eq(ppi_fit(&piece, 1, points, values, 3, &source, &error), PERFPRED_NUMERIC);
  cr_assert_str_eq(error.text, "dgelsy: info 1");
  cr_assert_null(piece.coefficients);
}

Test(fit, a_size_that_never_varies_costs_nothing) {
  struct lab lab = { 0 };
  struct ppi_source source = lab_source(&lab);
  struct ppi_piece piece = { .lower = { 64, 8 }, .upper = { 64, 128 }, .degrees = { 3, 4 } };
  int64_t points[2 * 6];
  double values[5 * 6];

  for (int j = 0; j < 6; j++) {
    points[2 * j] = 64;
    points[2 * j + 1] = 8 + 24 * j;
    for (int s = 0; s < 5; s++)
      values[5 * j + s] = known(64, 8 + 24 * j);
  }
  cr_assert_eq(ppi_fit(&piece, 2, points, values, 6, &source, NULL), PERFPRED_OK);
  cr_assert_eq(piece.degrees[0], 0);
  cr_assert_eq(piece.degrees[1], 4);
  cr_assert_lt(relative(ppi_piece_value(&piece, 2, 0, (int64_t[]){ 64, 100 }), known(64, 100)), 1e-10);
  free(piece.coefficients);
}
