/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixture.h"
#include "model/fold.h"

static struct perfpred_generate_options options(void) {
  struct perfpred_generate_options made = PERFPRED_GENERATE_OPTIONS_INIT;

  made.generator = PERFPRED_GENERATOR_ADAPTIVE;
  return made;
}

static struct perfpred_models *model(struct lab *lab, const char *name, const char *case_text, const int64_t *lower,
                                     const int64_t *upper, const struct perfpred_generate_options *options,
                                     struct perfpred_generate_report *report) {
  struct perfpred_kernel *kernel = catalogue_kernel(name);
  struct ppi_target target = target_of(kernel, case_text, lower, upper);
  struct ppi_source source = lab_source(lab);
  struct perfpred_models *models = NULL;
  struct perfpred_error error;

  ppi_error_clear(&error);
  cr_assert_eq(ppi_generate(&target, 1, &source, options, &models, report, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_eq(ppi_submodel_check(models->submodels, "models", &error), PERFPRED_OK, "%s", error.text);
  ppi_kernel_unref(kernel);
  return models;
}

static struct perfpred_models *trsm(struct lab *lab, const struct perfpred_generate_options *options, int64_t m,
                                    int64_t n, struct perfpred_generate_report *report) {
  return model(lab, "dtrsm", "R,L,T,N,1", (int64_t[]){ 8, 8 }, (int64_t[]){ m, n }, options, report);
}

/* Share of the multiples of 8 that are off by more than tolerance; no estimate may leave [least, most] of the truth. */
static double share_off(const struct perfpred_models *models, double (*time_s)(const int64_t *), int64_t m, int64_t n,
                        double tolerance, double least, double most) {
  int off = 0, all = 0;

  for (int64_t i = 8; i <= m; i += 8)
    for (int64_t j = 8; j <= n; j += 8) {
      const int64_t sizes[PPI_SIZE_MAX] = { i, j };
      struct perfpred_statistics time;

      cr_assert_eq(perfpred_models_estimate(models, 0, sizes, 2, &time), 0);
      off += relative(time.min, time_s(sizes)) > tolerance;
      all++;
      cr_assert(time.min > least * time_s(sizes) && time.min < most * time_s(sizes), "m = %d, n = %d: %g, not %g",
                (int)i, (int)j, time.min, time_s(sizes));
    }
  return (double)off / all;
}

static double polynomial(const int64_t *sizes) {
  double m = (double)sizes[0], n = (double)sizes[1];

  return 1e-6 + 1e-8 * n + 2e-10 * m * n + 1e-10 * m * n * n;
}

Test(adaptive, what_costs_say_needs_one_piece_and_few_samples) {
  struct lab lab = { .time_s = polynomial };
  struct perfpred_generate_options knobs = options();
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  struct perfpred_models *models = trsm(&lab, &knobs, 520, 1032, &report);

  cr_assert_eq(models->submodels[0].piece_count, 1);
  cr_assert_eq(models->submodels[0].pieces[0].degrees[0], 1); /* m n^2, and nothing beyond */
  cr_assert_eq(models->submodels[0].pieces[0].degrees[1], 2);
  cr_assert_lt(models->submodels[0].pieces[0].error, 1e-9);
  cr_assert_eq(share_off(models, polynomial, 520, 1032, 1e-9, 0.99, 1.01), 0.0);
  cr_assert_lt(report.points, 72); /* the published grid: (1 + 2 + 5) (2 + 2 + 5) */
  perfpred_models_unref(models);
}

/* C14: where m * n crosses a threshold, everything takes twice as long. */
static double step_product(const int64_t *sizes) {
  return polynomial(sizes) * (sizes[0] * sizes[1] > 20000 ? 2.0 : 1.0);
}

Test(adaptive, a_step_along_a_product_does_not_ring) {
  struct lab lab = { .time_s = step_product };
  struct perfpred_generate_options knobs = options();
  struct perfpred_models *models = trsm(&lab, &knobs, 264, 264, NULL);

  cr_assert_lt(share_off(models, step_product, 264, 264, 0.03, 0.45, 2.2), 0.05);
  perfpred_models_unref(models);
}

/* A path of its own as soon as any size is small. */
static double skinny(const int64_t *sizes) {
  return polynomial(sizes) * (sizes[0] < 40 || sizes[1] < 56 ? 1.6 : 1.0);
}

Test(adaptive, a_path_for_small_sizes_is_found_to_the_grain) {
  struct lab lab = { .time_s = skinny };
  struct perfpred_generate_options knobs = options();
  struct perfpred_models *models = trsm(&lab, &knobs, 520, 520, NULL);

  cr_assert_lt(share_off(models, skinny, 520, 520, 0.02, 0.6, 1.65), 0.01);
  cr_assert_leq(models->submodels[0].piece_count, 8);
  perfpred_models_unref(models);
}

static double step_three(const int64_t *sizes) {
  double work = (double)sizes[0] * (double)sizes[1] * (double)sizes[2];

  return (1e-6 + 1e-10 * work) * (sizes[2] > 100 ? 2.0 : 1.0);
}

Test(adaptive, a_step_in_the_third_size_takes_two_pieces) {
  struct lab lab = { .time_s = step_three };
  struct perfpred_generate_options knobs = options();
  struct perfpred_models *models =
      model(&lab, "dgemm", "N,T,-1,1", (int64_t[]){ 8, 8, 8 }, (int64_t[]){ 520, 520, 264 }, &knobs, NULL);
  const struct ppi_split *root = models->submodels[0].splits;
  const int64_t below[] = { 200, 200, 96 }, above[] = { 200, 200, 104 };
  struct perfpred_statistics time;

  cr_assert_eq(root->dimension, 2);
  cr_assert_eq(root->at, 96);
  perfpred_models_estimate(models, 0, below, 3, &time);
  cr_assert_lt(relative(time.min, step_three(below)), 0.01);
  perfpred_models_estimate(models, 0, above, 3, &time);
  cr_assert_lt(relative(time.min, step_three(above)), 0.01);
  perfpred_models_unref(models);
}

/* As OpenBLAS does with products of matrices (its kernels for small ones: m n k up to a million). */
static double small_kernel(const int64_t *sizes) {
  double work = (double)sizes[0] * (double)sizes[1] * (double)sizes[2];

  return 1e-7 + work * (work <= 1e6 ? 1.8e-11 : 2.6e-11);
}

/* What is kept from one call to the next changes nothing, on whatever side of the product they are. */
static void follow_line(const struct ppi_submodel *submodel, const int64_t *from, int64_t count) {
  struct ppi_fold fold = { .piece = NULL };
  struct ppi_fold_row row = { .count = count, .slopes = { 0, 0, 8 } };
  struct ppi_fold_sum sum;
  double med_s = 0.0;

  memcpy(row.sizes, from, 3 * sizeof *from);
  for (int64_t i = 0; i < count; i++) {
    const int64_t sizes[PPI_SIZE_MAX] = { from[0], from[1], from[2] + 8 * i };
    struct ppi_estimate kept, alone;

    cr_assert(ppi_fold_estimate(&fold, submodel, sizes, false, &kept));
    ppi_submodel_estimate(submodel, sizes, &alone);
    cr_assert_float_eq(kept.time_s.med, alone.time_s.med, 1e-12 * alone.time_s.med);
    med_s += alone.time_s.med;
  }
  fold.piece = NULL;
  ppi_fold_sum(&fold, submodel, &row, true, &sum);
  cr_assert_float_eq(sum.time_s.med, med_s, 1e-12 * med_s);
}

/* Boxes alone would have to be small all over the surface. */
Test(adaptive, a_step_along_the_product_of_three_sizes_takes_two_pieces) {
  struct lab lab = { .time_s = small_kernel };
  struct perfpred_generate_options knobs = options();
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  struct perfpred_models *models =
      model(&lab, "dgemm", "N,T,-1,1", (int64_t[]){ 8, 8, 8 }, (int64_t[]){ 520, 256, 520 }, &knobs, &report);
  const struct ppi_submodel *submodel = models->submodels;
  const struct ppi_split *root = submodel->splits;
  int off = 0, all = 0;

  cr_assert_eq(submodel->piece_count, 2);
  cr_assert_eq(root->dimension, 3);
  cr_expect(root->at >= 900000 && root->at <= 1100000, "at %lld", (long long)root->at);
  cr_expect_lt(report.points, 500);
  for (int i = 0; i < 2; i++)
    for (int d = 0; d < 3; d++) {
      cr_expect_eq(submodel->pieces[i].lower[d], submodel->lower[d]);
      cr_expect_eq(submodel->pieces[i].upper[d], submodel->upper[d]);
    }
  for (int64_t m = 8; m <= 520; m += 24)
    for (int64_t n = 8; n <= 256; n += 24)
      for (int64_t k = 8; k <= 520; k += 24) {
        const int64_t sizes[PPI_SIZE_MAX] = { m, n, k };
        struct perfpred_statistics time;

        perfpred_models_estimate(models, 0, sizes, 3, &time);
        off += relative(time.min, small_kernel(sizes)) > 0.01;
        all++;
      }
  cr_expect_lt(off, all / 100, "%d of %d", off, all);
  follow_line(submodel, (int64_t[]){ 248, 64, 8 }, 40);
  perfpred_models_unref(models);
}

/* Nothing that a polynomial follows. */
static double jagged(const int64_t *sizes) {
  int64_t k = sizes[0] / 8 * 3 + sizes[1] / 8;

  return polynomial(sizes) * (1.0 + 0.05 * (double)(k * k * k * 5 % 17));
}

Test(adaptive, what_no_polynomial_follows_is_measured_everywhere) {
  struct lab lab = { .time_s = jagged };
  struct perfpred_generate_options knobs = options();
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  struct perfpred_models *models = trsm(&lab, &knobs, 128, 128, &report);

  cr_assert_eq(report.points, 256);
  cr_assert_lt(share_off(models, jagged, 128, 128, 1e-6, 0.5, 2.0), 0.05);
  cr_assert_gt(report.max_error, 0.01); /* points left out are not met, and that is said */
  perfpred_models_unref(models);
}

/* No two neighbours have anything to do with each other: more samples tell nothing of what is between them. */
static double chaotic(const int64_t *sizes) {
  uint64_t mixed = ((uint64_t)sizes[0] << 32 | (uint64_t)sizes[1]) * UINT64_C(0x9e3779b97f4a7c15);

  mixed = (mixed ^ mixed >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
  return polynomial(sizes) * (1.0 + 0.4 * (double)(mixed >> 40) / (double)(1 << 24));
}

Test(adaptive, what_more_samples_do_not_help_is_given_up) {
  struct lab lab = { .time_s = chaotic };
  struct perfpred_generate_options knobs = options();
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  struct perfpred_models *models = trsm(&lab, &knobs, 1024, 1024, &report); /* 16384 places */

  cr_assert_gt(report.points, 1024);
  cr_assert_lt(report.points, 5000);
  cr_assert_gt(report.max_error, 0.1); /* and says what it is */
  perfpred_models_unref(models);
}

Test(adaptive, is_the_same_every_time) {
  struct lab lab = { .time_s = step_product }, twin = lab;
  struct perfpred_generate_options knobs = options();
  struct perfpred_models *models = trsm(&lab, &knobs, 264, 264, NULL), *others = trsm(&twin, &knobs, 264, 264, NULL);

  cr_assert_eq(lab.calls, twin.calls);
  cr_assert_eq(lab.now_s, twin.now_s);
  cr_assert_eq(models->submodels[0].piece_count, others->submodels[0].piece_count);
  for (int i = 0; i < models->submodels[0].piece_count; i++)
    cr_assert_eq(models->submodels[0].pieces[i].coefficients[0], others->submodels[0].pieces[i].coefficients[0]);
  perfpred_models_unref(others);
  perfpred_models_unref(models);
}

Test(adaptive, budgets_are_kept_within_a_tenth) {
  static const double budgets[] = { 0.5, 3.0, 10.0 };

  for (size_t i = 0; i < sizeof budgets / sizeof budgets[0]; i++) {
    struct lab lab = { .time_s = jagged, .rejects = 1, .overhead_s = 2e-4 };
    struct perfpred_generate_options knobs = options();
    struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
    struct perfpred_models *models;

    knobs.budget_s = budgets[i];
    models = trsm(&lab, &knobs, 520, 520, &report);
    cr_assert_leq(lab.now_s, 1.1 * budgets[i], "%g s for a budget of %g", lab.now_s, budgets[i]);
    cr_assert_geq(lab.now_s, 0.6 * budgets[i], "%g s for a budget of %g", lab.now_s, budgets[i]);
    cr_assert_eq(report.budget_exhausted, 1);
    perfpred_models_unref(models);
  }
}

/* Two rounds in a loud hour: what they say is too large, and is replaced once the gate lets samples pass. */
Test(adaptive, samples_that_did_not_pass_the_gate_are_replaced) {
  struct lab lab = { .time_s = polynomial, .loose = 2 };
  struct perfpred_generate_options knobs = options();
  struct perfpred_models *models = trsm(&lab, &knobs, 520, 1032, NULL);

  cr_assert_eq(share_off(models, polynomial, 520, 1032, 1e-9, 0.99, 1.01), 0.0);
  cr_assert_eq(models->submodels[0].piece_count, 1);
  perfpred_models_unref(models);
}

/* Where it never does, they are what there is, and the end is not waited for. */
Test(adaptive, samples_that_never_pass_the_gate_have_to_do) {
  struct lab lab = { .time_s = polynomial, .loose = 1000000 };
  struct perfpred_generate_options knobs = options();
  struct perfpred_models *models = trsm(&lab, &knobs, 264, 264, NULL);
  struct perfpred_statistics time;
  const int64_t sizes[] = { 200, 200 };

  perfpred_models_estimate(models, 0, sizes, 2, &time);
  cr_assert_lt(relative(time.min, 1.5 * polynomial(sizes)), 1e-9);
  perfpred_models_unref(models);
}

Test(adaptive, a_domain_of_one_size_is_a_constant) {
  struct lab lab = { .time_s = polynomial };
  struct perfpred_generate_options knobs = options();
  struct perfpred_models *models =
      model(&lab, "dtrsm", "R,L,T,N,1", (int64_t[]){ 64, 16 }, (int64_t[]){ 64, 16 }, &knobs, NULL);
  const int64_t sizes[] = { 64, 16 };
  struct perfpred_statistics time;

  perfpred_models_estimate(models, 0, sizes, 2, &time);
  cr_assert_lt(relative(time.min, polynomial(sizes)), 1e-9);
  cr_assert(isnan(models->submodels[0].pieces[0].error)); /* nothing to judge it by */
  perfpred_models_unref(models);
}

static void expect_failure(struct lab lab, enum perfpred_status status) {
  struct perfpred_kernel *kernel = catalogue_kernel("dtrsm");
  struct ppi_target target = target_of(kernel, "R,L,T,N,1", (int64_t[]){ 8, 8 }, (int64_t[]){ 264, 264 });
  struct ppi_source source = lab_source(&lab);
  struct perfpred_generate_options knobs = options();
  struct perfpred_models *models = NULL;

  cr_assert_eq(ppi_generate(&target, 1, &source, &knobs, &models, NULL, NULL), status);
  cr_assert_null(models);
  ppi_kernel_unref(kernel);
}

Test(adaptive, failures_come_through) {
  expect_failure((struct lab){ .time_s = jagged, .fail = PERFPRED_CRASHED }, PERFPRED_CRASHED);
  expect_failure((struct lab){ .time_s = jagged, .fail = PERFPRED_TIMEOUT, .fail_at = 3 }, PERFPRED_TIMEOUT);
  expect_failure((struct lab){ .time_s = polynomial, .solver_fails = true }, PERFPRED_NUMERIC);
}

Test(adaptive, the_option_is_checked) {
  struct perfpred_generate_options knobs = options(), full;
  struct perfpred_error error;

  ppi_error_clear(&error);
  knobs.generator = (enum perfpred_generator)7;
  cr_assert_eq(ppi_generate_defaults(&knobs, &full, &error), PERFPRED_INVALID);
  cr_assert_not_null(strstr(error.text, "options.generator"));
}
