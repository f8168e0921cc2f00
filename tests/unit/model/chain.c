/* SPDX-License-Identifier: BSD-3-Clause */
/* Fits by more and more monomials against LAPACK's: each point is left out for true. */
#include "fixture.h"
#include "model/adaptive.h"

enum { POINTS = 90 };

struct bench {
  struct perfpred_kernel *kernel;
  struct ppi_target target;
  struct ppi_growth growth;
  struct ppi_terms terms;
  struct ppi_sampled data;
  int64_t sizes[3 * POINTS];
  double padded[3 * POINTS], values[POINTS * PPI_STATISTICS], variances[POINTS];
  int repetitions[POINTS], index[POINTS];
};

/* Scattered points whose third size takes `levels` values, and times that are a polynomial of many terms, but for 1 in 1000. */
static void bench_init(struct bench *bench, int levels) {
  static const int64_t lower[] = { 8, 8, 8 }, upper[] = { 512, 512, 256 };
  struct perfpred_generate_options given = PERFPRED_GENERATE_OPTIONS_INIT, options;

  memset(bench, 0, sizeof *bench);
  bench->kernel = catalogue_kernel("dgemm");
  bench->target = target_of(bench->kernel, "N,N,1,1", lower, upper);
  cr_assert_eq(ppi_generate_defaults(&given, &options, NULL), PERFPRED_OK);
  cr_assert_eq(ppi_growth_init(&bench->growth, &bench->target, &options, NULL), PERFPRED_OK);
  ppi_terms_of(&bench->growth, &bench->terms);
  for (int i = 0; i < POINTS; i++) {
    int64_t *sizes = bench->sizes + 3 * (size_t)i;
    double m, n, k;

    sizes[0] = 8 + (i * 37) % 64 * 8 % 505;
    sizes[1] = 8 + (i * 53) % 61 * 8;
    sizes[2] = 8 + (i * 7) % levels * 8;
    for (int d = 0; d < 3; d++)
      bench->padded[3 * i + d] = (double)sizes[d];
    m = (double)sizes[0] / 512.0;
    n = (double)sizes[1] / 512.0;
    k = (double)sizes[2] / 256.0;
    for (int s = 0; s < PPI_STATISTICS; s++)
      bench->values[i * PPI_STATISTICS + s] =
          (1.0 + m + 2.0 * n + m * n * (1.0 + k) + m * m * (0.5 + n) + n * n * k) * (1.0 + 1e-3 * sin((double)(i * i)));
    bench->repetitions[i] = 3;
    bench->index[i] = i;
  }
  bench->data = (struct ppi_sampled){ .dimensions = 3,
                                      .count = POINTS,
                                      .sizes = bench->sizes,
                                      .padded = bench->padded,
                                      .values = bench->values,
                                      .variances = bench->variances,
                                      .repetitions = bench->repetitions };
}

/* The taken monomials, scaled to the box and divided by the times, at point i. */
static void row_of(const struct bench *bench, const struct ppi_chain_fit *fit, int i, double *row) {
  int count = 0;

  for (int j = 0; j < fit->terms; j++) {
    double value = 1.0 / bench->values[i * PPI_STATISTICS];

    for (int d = 0; d < 3; d++) {
      double lower = (double)bench->target.lower[d], upper = (double)bench->target.upper[d];

      value *=
          pow((bench->padded[3 * i + d] - 0.5 * (lower + upper)) * 2.0 / (upper - lower), bench->terms.powers[j][d]);
    }
    if (fit->taken[j])
      row[count++] = value;
  }
  cr_assert_eq(count, fit->used);
}

/* The relative error of a fit to all points but one, there. */
static double error_without(const struct bench *bench, const struct ppi_chain_fit *fit, int out) {
  static double a[POINTS * PPI_TERM_MAX], b[POINTS];
  double row[PPI_TERM_MAX], value = 0.0;
  struct lab lab = { 0 };
  int rank = 0, made = 0;

  for (int i = 0; i < POINTS; i++) {
    if (i == out)
      continue;
    row_of(bench, fit, i, row);
    for (int k = 0; k < fit->used; k++)
      a[k * (POINTS - 1) + made] = row[k];
    b[made++] = 1.0;
  }
  cr_assert_eq(lab_solve(&lab, POINTS - 1, fit->used, 1, a, b, &rank, NULL), PERFPRED_OK);
  row_of(bench, fit, out, row);
  for (int k = 0; k < fit->used; k++)
    value += b[k] * row[k];
  return 1.0 - value;
}

static void expect_left_out(int levels, int least_terms, int dropped) {
  static struct bench bench;
  static double errors[POINTS], leverages[POINTS];
  struct ppi_chain chain;
  struct ppi_chain_fit fit;
  double squares = 0.0, sum = 0.0;

  bench_init(&bench, levels);
  cr_assert_eq(ppi_chain_init(&chain, &bench.terms, &bench.data, NULL), PERFPRED_OK);
  ppi_chain_run(&chain, bench.target.lower, bench.target.upper, bench.index, POINTS, &fit, errors, leverages);
  cr_assert_geq(fit.used, least_terms);
  cr_assert_eq(fit.terms - fit.used >= dropped, true, "%d of %d taken", fit.used, fit.terms);
  for (int i = 0; i < POINTS; i++) {
    double expected = error_without(&bench, &fit, i);

    cr_expect_float_eq(errors[i], expected, 1e-7 * (1.0 + fabs(expected)), "point %d: %g, expected %g", i, errors[i],
                       expected);
    squares += errors[i] * errors[i];
    sum += leverages[i];
  }
  cr_expect_float_eq(fit.press, squares, 1e-12 * squares);
  cr_expect_float_eq(sum, fit.used, 1e-9, "the trace of a projection is its rank");
  ppi_chain_release(&chain);
  ppi_growth_release(&bench.growth);
  ppi_kernel_unref(bench.kernel);
}

/* More terms than one panel has. */
Test(chain, errors_are_those_of_points_left_out) {
  expect_left_out(31, 12, 0);
}

/* Two values of the third size: its square is no different from what is there. */
Test(chain, terms_that_say_nothing_new_are_passed_over) {
  expect_left_out(2, 9, 1);
}
