/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixture.h"

/* Rough enough that refinement never ends by itself before the minimum width. */
static double rough(const int64_t *sizes) {
  double m = (double)sizes[0], n = (double)sizes[1];

  return 1e-6 + 2e-11 * m * n * n * ((sizes[0] / 8 + sizes[1] / 8) % 2 ? 1.0 : 1.1);
}

/* Has a shape to follow, at which polynomials fail but in small boxes. */
static double wavy(const int64_t *sizes) {
  double m = (double)sizes[0], n = (double)sizes[1];

  return 1e-6 + 2e-11 * m * n * n * (1.2 + sin(m / 17.0) * sin(n / 13.0));
}

/* Two cases of dtrsm, one with tall and one with wide right-hand sides. */
static struct perfpred_models *generate_by(enum perfpred_generator generator, struct lab *lab, double budget_s,
                                           int repetitions, struct perfpred_generate_report *report) {
  struct perfpred_kernel *kernel = catalogue_kernel("dtrsm");
  struct ppi_source source = lab_source(lab);
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  struct ppi_target targets[2];
  struct perfpred_models *models = NULL;
  struct perfpred_error error;

  ppi_error_clear(&error);
  targets[0] = target_of(kernel, "R,L,T,N,1", (int64_t[]){ 8, 8 }, (int64_t[]){ 1024, 256 });
  targets[1] = target_of(kernel, "L,L,N,N,1", (int64_t[]){ 8, 8 }, (int64_t[]){ 256, 1024 });
  options.generator = generator;
  options.budget_s = budget_s;
  options.repetitions = repetitions;
  cr_assert_eq(ppi_generate(targets, 2, &source, &options, &models, report, &error), PERFPRED_OK, "%s", error.text);
  for (int i = 0; i < 2; i++)
    cr_assert_eq(ppi_submodel_check(models->submodels + i, "models", NULL), PERFPRED_OK);
  ppi_kernel_unref(kernel);
  return models;
}

static struct perfpred_models *generate(struct lab *lab, double budget_s, int repetitions,
                                        struct perfpred_generate_report *report) {
  return generate_by(PERFPRED_GENERATOR_PUBLISHED, lab, budget_s, repetitions, report);
}

/* Everything takes its time: the worker's start, each batch, each fit, each look at the samples between two readings of the clock. */
static void expect_kept(enum perfpred_generator generator, const struct lab *like, double budget_s) {
  struct lab lab = *like;
  lab.time_s = generator == PERFPRED_GENERATOR_PUBLISHED ? rough : wavy;
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  struct perfpred_models *models = generate_by(generator, &lab, budget_s, 10, &report);

  cr_expect_leq(lab.now_s, 1.1 * budget_s, "generator %d: %g s for a budget of %g", (int)generator, lab.now_s,
                budget_s);
  cr_expect_geq(lab.now_s, 0.5 * budget_s, "generator %d: %g s for a budget of %g", (int)generator, lab.now_s,
                budget_s);
  cr_expect_eq(report.budget_exhausted, 1);
  cr_expect_lt(report.floor_s, budget_s);
  perfpred_models_unref(models);
}

Test(budget, is_kept_whatever_is_slow) {
  static const double budgets[] = { 5.0, 8.0, 12.0 };
  static const struct lab labs[] = {
    { .rejects = 1, .overhead_s = 2e-4, .start_s = 1.0 },
    { .rejects = 1, .overhead_s = 2e-4, .batch_s = 0.1 },
    { .rejects = 1, .overhead_s = 2e-4, .solve_s = 4e-3 },
    { .rejects = 1, .overhead_s = 2e-4, .tick_s = 0.03 },
    { .rejects = 2, .overhead_s = 2e-4, .start_s = 0.7, .batch_s = 0.05, .solve_s = 2e-3, .tick_s = 0.01 },
  };

  for (size_t i = 0; i < sizeof labs / sizeof labs[0]; i++)
    for (size_t k = 0; k < sizeof budgets / sizeof budgets[0]; k++) {
      expect_kept(PERFPRED_GENERATOR_PUBLISHED, labs + i, budgets[k]);
      expect_kept(PERFPRED_GENERATOR_ADAPTIVE, labs + i, budgets[k]);
    }
}

/* The start alone takes longer than the budget: what is done after it is the least there can be, and the report says what it took. */
Test(budget, that_is_too_short_is_told_from_the_floor) {
  struct lab lab = { .time_s = rough, .overhead_s = 2e-4, .start_s = 3.0, .solve_s = 0.01 };
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  struct perfpred_models *models = generate_by(PERFPRED_GENERATOR_ADAPTIVE, &lab, 1.0, 10, &report);

  cr_assert_eq(report.points, 4, "a sample at either corner of both domains");
  cr_assert_eq(report.samples, 4);
  cr_assert_float_eq(report.floor_s, lab.now_s, 1e-9);
  cr_assert_float_eq(report.floor_s, report.wall_s, 1e-9);
  cr_assert_eq(report.budget_exhausted, 1);
  perfpred_models_unref(models);
  report = (struct perfpred_generate_report)PERFPRED_GENERATE_REPORT_INIT;
  models = generate_by(PERFPRED_GENERATOR_ADAPTIVE, &(struct lab){ .time_s = rough }, 0.0, 3, &report);
  cr_assert_eq(report.floor_s, 0.0, "no budget, no floor");
  perfpred_models_unref(models);
}

Test(budget, is_kept_within_a_tenth) {
  static const double budgets[] = { 3.0, 10.0, 30.0, 60.0 };
  long pieces = 0;

  for (size_t i = 0; i < sizeof budgets / sizeof budgets[0]; i++) {
    struct lab lab = { .time_s = rough, .rejects = 1, .overhead_s = 2e-4 };
    struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
    struct perfpred_models *models = generate(&lab, budgets[i], 10, &report);
    long more = models->submodels[0].piece_count + models->submodels[1].piece_count;

    cr_assert_leq(lab.now_s, 1.1 * budgets[i], "%g s for a budget of %g", lab.now_s, budgets[i]);
    cr_assert_geq(lab.now_s, 0.6 * budgets[i], "%g s for a budget of %g", lab.now_s, budgets[i]);
    cr_assert_eq(report.budget_exhausted, 1);
    cr_assert_float_eq(report.pass_rate, 0.5, 1e-12);
    cr_assert_gt(more, pieces); /* more time, finer models */
    pieces = more;
    perfpred_models_unref(models);
  }
}

Test(budget, short_calls_that_are_sampled_more_often_are_reckoned_with) {
  static const double budgets[] = { 5.0, 20.0 };

  for (size_t i = 0; i < sizeof budgets / sizeof budgets[0]; i++) {
    struct lab lab = { .time_s = rough, .rejects = 1, .overhead_s = 5e-5, .spare = 64 };
    struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
    struct perfpred_models *models = generate(&lab, budgets[i], 10, &report);

    cr_assert_leq(lab.now_s, 1.1 * budgets[i], "%g s for a budget of %g", lab.now_s, budgets[i]);
    cr_assert_geq(lab.now_s, 0.6 * budgets[i], "%g s for a budget of %g", lab.now_s, budgets[i]);
    perfpred_models_unref(models);
  }
}

Test(budget, what_is_not_needed_is_left) {
  struct lab lab = { .time_s = rough, .overhead_s = 2e-4 };
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  struct perfpred_models *models = generate(&lab, 1e6, 10, &report);

  cr_assert_lt(lab.now_s, 1e5);
  cr_assert_eq(report.budget_exhausted, 0);
  perfpred_models_unref(models);
}

Test(budget, repetitions_go_first_but_not_below_three) {
  struct lab poor = { .time_s = rough, .overhead_s = 2e-4 }, rich = poor;
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  struct perfpred_models *models = generate(&poor, 0.8, 10, &report);

  cr_assert_eq(poor.most_repetitions, 3);
  perfpred_models_unref(models);
  models = generate(&rich, 200.0, 10, &report);
  cr_assert_eq(rich.most_repetitions, 10);
  perfpred_models_unref(models);
}

Test(budget, oversampling_goes_last) {
  /* At 10 s the first round has its 72 points per target; when it would not fit there are fewer of them, at least the 4 * 5
     coefficients and one more point per dimension: 5 * 6. */
  struct lab enough = { .time_s = rough, .overhead_s = 2e-4 }, tight = enough;
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  struct perfpred_models *models = generate(&enough, 10.0, 10, &report);

  cr_assert_geq(models->submodels[0].points, 72);
  perfpred_models_unref(models);
  models = generate(&tight, 0.2, 10, &report);
  cr_assert_lt(models->submodels[0].points, 72);
  cr_assert_geq(models->submodels[0].points, 30);
  cr_assert_eq(report.budget_exhausted, 1);
  perfpred_models_unref(models);
}

static int collect(void *data, const struct perfpred_progress *progress) {
  double *last = data;

  cr_assert_geq(progress->fraction, *last);
  cr_assert_leq(progress->fraction, 1.0);
  cr_assert_geq(progress->remaining_s, 0.0);
  *last = progress->fraction;
  return 0;
}

Test(budget, progress_follows_the_clock) {
  struct lab lab = { .time_s = rough, .overhead_s = 2e-4 };
  struct perfpred_kernel *kernel = catalogue_kernel("dtrsm");
  struct ppi_source source = lab_source(&lab);
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  struct ppi_target target = target_of(kernel, "R,L,T,N,1", (int64_t[]){ 8, 8 }, (int64_t[]){ 1024, 256 });
  struct perfpred_models *models = NULL;
  double last = 0.0;

  options.generator = PERFPRED_GENERATOR_PUBLISHED;
  options.budget_s = 10.0;
  options.progress = collect;
  options.progress_data = &last;
  cr_assert_eq(ppi_generate(&target, 1, &source, &options, &models, NULL, NULL), PERFPRED_OK);
  cr_assert_gt(last, 0.5);
  perfpred_models_unref(models);
  ppi_kernel_unref(kernel);
}
