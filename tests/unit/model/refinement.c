/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixture.h"

static struct perfpred_generate_options options(void) {
  struct perfpred_generate_options made = PERFPRED_GENERATE_OPTIONS_INIT;

  made.repetitions = 2;
  made.generator = PERFPRED_GENERATOR_PUBLISHED;
  return made;
}

/* The published defaults. */
static const struct perfpred_generate_options *published(void) {
  static struct perfpred_generate_options made = PERFPRED_GENERATE_OPTIONS_INIT;

  made.generator = PERFPRED_GENERATOR_PUBLISHED;
  return &made;
}

/* Models of dpotrf2(L, n) on one domain. */
static struct perfpred_models *model_n(struct lab *lab, const struct perfpred_generate_options *options, int64_t lower,
                                       int64_t upper, struct perfpred_generate_report *report) {
  struct perfpred_kernel *kernel = catalogue_kernel("dpotrf2");
  struct ppi_target target = target_of(kernel, "L", &lower, &upper);
  struct ppi_source source = lab_source(lab);
  struct perfpred_models *models = NULL;
  struct perfpred_error error;

  ppi_error_clear(&error);
  cr_assert_eq(ppi_generate(&target, 1, &source, options, &models, report, &error), PERFPRED_OK, "%s", error.text);
  ppi_kernel_unref(kernel);
  return models;
}

/* Models of dtrsm(R, L, T, N) on [lower, upper] for both sizes. */
static struct perfpred_models *model_mn(struct lab *lab, const struct perfpred_generate_options *options, int64_t lower,
                                        int64_t upper, struct perfpred_generate_report *report) {
  struct perfpred_kernel *kernel = catalogue_kernel("dtrsm");
  struct ppi_target target = target_of(kernel, "R,L,T,N,1", (int64_t[]){ lower, lower }, (int64_t[]){ upper, upper });
  struct ppi_source source = lab_source(lab);
  struct perfpred_models *models = NULL;
  struct perfpred_error error;

  ppi_error_clear(&error);
  cr_assert_eq(ppi_generate(&target, 1, &source, options, &models, report, &error), PERFPRED_OK, "%s", error.text);
  ppi_kernel_unref(kernel);
  return models;
}

static double cubic(const int64_t *sizes) {
  double n = (double)sizes[0];

  return 1e-6 + 2e-8 * n + 3e-10 * n * n + 4e-11 * n * n * n;
}

/* Two cubics that meet where [8, 520] is halved, and three, where its lower half [8, 264] is halved again. */
static double two_cubics(const int64_t *sizes) {
  double n = (double)sizes[0];

  return sizes[0] <= 264 ? cubic(sizes) : cubic(sizes) + 2e-8 * (n - 264.0);
}

static double three_cubics(const int64_t *sizes) {
  double n = (double)sizes[0];

  return sizes[0] <= 136 ? two_cubics(sizes) : two_cubics(sizes) + 1e-10 * (n - 136.0) * (n - 136.0);
}

static void expect_pieces(double (*time_s)(const int64_t *), int pieces) {
  struct lab lab = { .time_s = time_s };
  struct perfpred_generate_options knobs = options();
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  struct perfpred_models *models;

  knobs.overfitting = -1;
  knobs.error_bound = 1e-9;
  models = model_n(&lab, &knobs, 8, 520, &report);
  cr_assert_eq(models->submodels[0].piece_count, pieces, "%d pieces", models->submodels[0].piece_count);
  cr_assert_lt(report.max_error, 1e-10);
  cr_assert_eq(report.budget_exhausted, 0);
  cr_assert_eq(ppi_submodel_check(models->submodels, "models[0]", NULL), PERFPRED_OK);
  for (int64_t n = 8; n <= 520; n++) {
    struct perfpred_statistics time;

    cr_assert_eq(perfpred_models_estimate(models, 0, &n, 1, &time), 0);
    cr_assert_lt(relative(time.min, time_s(&n)), 1e-9, "n = %lld", (long long)n);
  }
  perfpred_models_unref(models);
}

Test(refinement, one_two_and_three_cubics) {
  expect_pieces(cubic, 1);
  expect_pieces(two_cubics, 2);
  expect_pieces(three_cubics, 3);
}

Test(refinement, counts_what_it_did) {
  /* Degree 3, no overfitting, oversampling 4: 8 Chebyshev points on [8, 520], one piece, 2 repetitions. */
  struct lab lab = { .time_s = cubic, .rejects = 1 };
  struct perfpred_generate_options knobs = options();
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  struct perfpred_models *models;
  struct perfpred_model_info info = PERFPRED_MODEL_INFO_INIT;

  knobs.overfitting = -1;
  models = model_n(&lab, &knobs, 8, 520, &report);
  cr_assert_eq(report.models, 1);
  cr_assert_eq(report.points, 8);
  cr_assert_eq(report.samples, 16);
  cr_assert_eq(report.disturbed, 16);
  cr_assert_float_eq(report.pass_rate, 0.5, 1e-15);
  cr_assert_float_eq(report.wall_s, lab.now_s, 1e-15);
  cr_assert_eq(lab.batches, 1);
  cr_assert_eq(lab.ld, 1032); /* from n_upper = 1024: a multiple of 8, not of 256 */
  cr_assert_eq(perfpred_models_info(models, 0, &info, NULL), PERFPRED_OK);
  cr_assert_str_eq(info.kernel, "dpotrf2");
  cr_assert_str_eq(info.case_text, "L");
  cr_assert_eq(info.coefficients, 4);
  cr_assert_eq(info.samples, 16);
  cr_assert_eq(info.lower[0], 8);
  cr_assert_eq(info.upper[0], 520);
  perfpred_models_unref(models);
}

Test(refinement, statistics_are_those_of_the_samples) {
  /* Three samples of t, 2 t, 3 t: minimum t, median 2 t, maximum 3 t, mean 2 t, deviation t. */
  struct lab lab = { .time_s = cubic, .spread = 1.0 };
  struct perfpred_generate_options knobs = options();
  struct perfpred_models *models;
  struct perfpred_statistics time;
  int64_t n = 300;
  double t = cubic(&n);

  knobs.repetitions = 3;
  models = model_n(&lab, &knobs, 8, 520, NULL);
  cr_assert_eq(perfpred_models_estimate(models, 0, &n, 1, &time), 0);
  cr_assert_lt(relative(time.min, t), 1e-9);
  cr_assert_lt(relative(time.med, 2 * t), 1e-9);
  cr_assert_lt(relative(time.max, 3 * t), 1e-9);
  cr_assert_lt(relative(time.mean, 2 * t), 1e-9);
  cr_assert_lt(relative(time.std, t), 1e-9);
  perfpred_models_unref(models);
}

Test(refinement, defaults_are_the_published_ones) {
  struct perfpred_generate_options full;

  cr_assert_eq(ppi_generate_defaults(NULL, &full, NULL), PERFPRED_OK);
  cr_assert_eq(full.oversampling, 4);
  cr_assert_eq(full.repetitions, 10);
  cr_assert_eq(full.grid, PERFPRED_GRID_CHEBYSHEV);
  cr_assert_eq(full.reference, PERFPRED_REFERENCE_MINIMUM);
  cr_assert_eq(full.error_measure, PERFPRED_ERROR_MAXIMUM);
  cr_assert_eq(full.error_bound, 0.01);
  cr_assert_eq(full.n_lower, 8);
  cr_assert_eq(full.n_upper, 1024);
  cr_assert_eq(full.b_upper, 256);
  cr_assert_eq(full.ld, 1032);
}

static double gemm_time(const int64_t *sizes) {
  return 1e-6 + 1e-10 * (double)sizes[0] * (double)sizes[1] * (double)sizes[2];
}

Test(refinement, three_sizes_need_fewer_points) {
  /* dgemm: degree 1 in each size, overfitting 0, oversampling 4: 6^3 points; two sizes (dtrsm R): (1 + 2 + 5)(2 + 2 + 5). */
  struct lab lab = { .time_s = gemm_time };
  struct perfpred_kernel *kernel = catalogue_kernel("dgemm");
  struct ppi_target target = target_of(kernel, "N,T,-1,1", (int64_t[]){ 8, 8, 8 }, (int64_t[]){ 1024, 1024, 256 });
  struct ppi_source source = lab_source(&lab);
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  struct perfpred_models *models = NULL;

  cr_assert_eq(ppi_generate(&target, 1, &source, published(), &models, &report, NULL), PERFPRED_OK);
  cr_assert_eq(report.points, 216);
  cr_assert_eq(report.samples, 2160);
  cr_assert_eq(models->submodels[0].pieces[0].count, 8);
  perfpred_models_unref(models);
  ppi_kernel_unref(kernel);
}

static double smooth_mn(const int64_t *sizes) {
  return 1e-6 + 1e-10 * (double)sizes[0] * (double)sizes[1] * (double)sizes[1];
}

Test(refinement, two_sizes_take_the_product_of_their_grids) {
  struct lab lab = { .time_s = smooth_mn };
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  struct perfpred_models *models = model_mn(&lab, published(), 8, 1024, &report);

  cr_assert_eq(report.points, 72);
  cr_assert_eq(report.samples, 720);
  cr_assert_eq(models->submodels[0].pieces[0].degrees[0], 3);
  cr_assert_eq(models->submodels[0].pieces[0].degrees[1], 4);
  perfpred_models_unref(models);
}

/* Nothing that a polynomial follows. */
static double jagged(const int64_t *sizes) {
  int64_t k = sizes[0] / 8;

  return 1e-3 * (1.0 + (double)(k * k * k * 5 % 17));
}

Test(refinement, ends_at_the_minimum_width) {
  /* [8, 264] is 256 wide: halves of 128, 64, 32, 16 wide; 16 is below 32. So 16 pieces if none of them is good enough. */
  struct lab lab = { .time_s = jagged };
  struct perfpred_generate_options knobs = options();
  struct perfpred_models *models;

  knobs.overfitting = -1;
  models = model_n(&lab, &knobs, 8, 264, NULL);
  cr_assert_eq(models->submodels[0].piece_count, 16);
  for (int i = 0; i < 16; i++) {
    const struct ppi_piece *piece = models->submodels[0].pieces + i;

    cr_assert_eq(piece->upper[0] - piece->lower[0], 16);
  }
  perfpred_models_unref(models);

  knobs.minimum_width = 128;
  models = model_n(&lab, &knobs, 8, 264, NULL);
  cr_assert_eq(models->submodels[0].piece_count, 4);
  perfpred_models_unref(models);
}

Test(refinement, ends_where_the_midpoint_is_an_end) {
  /* A minimum width of 1 lets [8, 16] be asked for again and again; its midpoint rounds to 16. */
  struct lab lab = { .time_s = jagged };
  struct perfpred_generate_options knobs = options();
  struct perfpred_models *models;

  knobs.overfitting = -1;
  knobs.minimum_width = 1;
  models = model_n(&lab, &knobs, 8, 264, NULL);
  cr_assert_leq(models->submodels[0].piece_count, 32);
  cr_assert_eq(ppi_submodel_check(models->submodels, "models[0]", NULL), PERFPRED_OK);
  perfpred_models_unref(models);
}

Test(refinement, cartesian_grids_use_samples_again) {
  /* Degree 3 and oversampling 5 give 9 points on [8, 520], every 64; on each half 9 points, every 32, of which 5 are known.
     Two pieces: 9 + 2 * 4 = 17 points. */
  struct lab lab = { .time_s = two_cubics };
  struct perfpred_generate_options knobs = options();
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  struct perfpred_models *models;

  knobs.overfitting = -1;
  knobs.oversampling = 5;
  knobs.error_bound = 1e-9;
  knobs.grid = PERFPRED_GRID_CARTESIAN;
  models = model_n(&lab, &knobs, 8, 520, &report);
  cr_assert_eq(models->submodels[0].piece_count, 2);
  cr_assert_eq(report.points, 17);
  cr_assert_eq(lab.requests, 17);
  cr_assert_eq(lab.batches, 2);
  cr_assert_neq(lab.seeds[0], lab.seeds[1]); /* batches are shuffled differently */
  perfpred_models_unref(models);

  /* Chebyshev grids share the ends of the halves and, here, their middles with the first grid: 9 + 9 + 9 - 3 = 24 at most. */
  memset(&lab, 0, sizeof lab);
  lab.time_s = two_cubics;
  knobs.grid = PERFPRED_GRID_CHEBYSHEV;
  models = model_n(&lab, &knobs, 8, 520, &report);
  cr_assert_gt(report.points, 17);
  cr_assert_leq(report.points, 24);
  cr_assert_eq(lab.requests, (long)report.points);
  perfpred_models_unref(models);
}

/* C14: where m * n crosses a threshold, everything takes twice as long. */
static double step(const int64_t *sizes) {
  return smooth_mn(sizes) * (sizes[0] * sizes[1] > 20000 ? 2.0 : 1.0);
}

Test(refinement, a_step_does_not_ring) {
  struct lab lab = { .time_s = step };
  struct perfpred_generate_options knobs = options();
  struct perfpred_models *models = model_mn(&lab, &knobs, 8, 264, NULL);
  int wrong = 0, all = 0;

  for (int64_t m = 8; m <= 264; m += 8)
    for (int64_t n = 8; n <= 264; n += 8) {
      const int64_t sizes[] = { m, n };
      bool near = (m + 16) * (n + 16) > 20000 && (m - 16) * (n - 16) <= 20000;
      struct perfpred_statistics time;

      perfpred_models_estimate(models, 0, sizes, 2, &time);
      if (!near)
        cr_assert_lt(relative(time.min, step(sizes)), 0.03, "m = %lld, n = %lld: %g, not %g", (long long)m,
                     (long long)n, time.min, step(sizes));
      /* at the break itself no estimate leaves what lies on its two sides */
      cr_assert_gt(time.min, 0.9 * smooth_mn(sizes));
      cr_assert_lt(time.min, 2.2 * smooth_mn(sizes));
      wrong += relative(time.min, step(sizes)) > 0.03;
      all++;
    }
  cr_assert_lt(wrong, all / 20, "%d of %d", wrong, all);
  perfpred_models_unref(models);
}

Test(refinement, several_targets_go_through_the_same_rounds) {
  struct lab lab = { .time_s = two_cubics };
  struct perfpred_kernel *kernel = catalogue_kernel("dpotrf2");
  struct ppi_target targets[2];
  struct ppi_source source = lab_source(&lab);
  struct perfpred_generate_options knobs = options();
  struct perfpred_models *models = NULL;
  int places[4];

  targets[0] = target_of(kernel, "L", (int64_t[]){ 8 }, (int64_t[]){ 520 });
  targets[1] = target_of(kernel, "U", (int64_t[]){ 8 }, (int64_t[]){ 520 });
  knobs.overfitting = -1;
  knobs.error_bound = 1e-9;
  cr_assert_eq(ppi_generate(targets, 2, &source, &knobs, &models, NULL, NULL), PERFPRED_OK);
  cr_assert_eq(lab.batches, 2);
  cr_assert_eq(lab.first_requests, 16);
  cr_assert_eq(perfpred_models_count(models), 2);
  cr_assert_eq(ppi_models_find(models, "dpotrf2", "U", places, 4), 1);
  cr_assert_eq(places[0], 1);
  cr_assert_eq(ppi_models_find(models, "dpotrf2", "X", places, 4), 0);
  perfpred_models_unref(models);

  targets[1] = targets[0]; /* the same model twice */
  models = NULL;
  cr_assert_eq(ppi_generate(targets, 2, &source, &knobs, &models, NULL, NULL), PERFPRED_EXISTS);
  cr_assert_null(models);
  ppi_kernel_unref(kernel);
}

static void expect_failure(struct lab *lab, enum perfpred_status status, const char *text) {
  struct perfpred_kernel *kernel = catalogue_kernel("dpotrf2");
  struct ppi_target target = target_of(kernel, "L", (int64_t[]){ 8 }, (int64_t[]){ 520 });
  struct ppi_source source = lab_source(lab);
  struct perfpred_models *models = NULL;
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  struct perfpred_error error;

  ppi_error_clear(&error);
  cr_assert_eq(ppi_generate(&target, 1, &source, published(), &models, &report, &error), status);
  cr_assert_str_eq(error.text, text);
  cr_assert_null(models);
  cr_assert_eq(report.samples, 0);
  ppi_kernel_unref(kernel);
}

Test(refinement, failures_come_through) {
  struct lab first = { .time_s = jagged, .fail = PERFPRED_CRASHED };
  struct lab later = { .time_s = jagged, .fail = PERFPRED_TIMEOUT, .fail_at = 2 };
  struct lab unsolved = { .time_s = jagged, .solver_fails = true };

  expect_failure(&first, PERFPRED_CRASHED, "the laboratory is closed");
  expect_failure(&later, PERFPRED_TIMEOUT, "the laboratory is closed");
  cr_assert_eq(later.batches, 2);
  expect_failure(&unsolved, PERFPRED_NUMERIC, "dgelsy: info 1");
}

static int stop_after(void *data, const struct perfpred_progress *progress) {
  double *last = data;

  cr_assert_geq(progress->fraction, last[1]);
  cr_assert_leq(progress->fraction, 1.0);
  last[1] = progress->fraction;
  return last[0]-- <= 0.0;
}

Test(refinement, can_be_cancelled) {
  struct lab lab = { .time_s = jagged };
  struct perfpred_kernel *kernel = catalogue_kernel("dpotrf2");
  struct ppi_target target = target_of(kernel, "L", (int64_t[]){ 8 }, (int64_t[]){ 520 });
  struct ppi_source source = lab_source(&lab);
  struct perfpred_generate_options knobs = options();
  struct perfpred_models *models = NULL;
  double calls[] = { 2.0, 0.0 };

  knobs.progress = stop_after;
  knobs.progress_data = calls;
  cr_assert_eq(ppi_generate(&target, 1, &source, &knobs, &models, NULL, NULL), PERFPRED_CANCELLED);
  cr_assert_null(models);
  cr_assert_eq(lab.batches, 2);
  ppi_kernel_unref(kernel);
}

static void expect_invalid(void (*spoil)(struct perfpred_generate_options *), const char *name) {
  struct perfpred_generate_options knobs = PERFPRED_GENERATE_OPTIONS_INIT, full;
  struct perfpred_error error;

  ppi_error_clear(&error);
  memset(&full, 0x5a, sizeof full);
  spoil(&knobs);
  cr_assert_eq(ppi_generate_defaults(&knobs, &full, &error), PERFPRED_INVALID, "%s", name);
  cr_assert_not_null(strstr(error.text, name), "%s: %s", name, error.text);
  cr_assert_eq(full.repetitions, 0x5a5a5a5a);
}

#define SPOILT(name, member, value)                                                                                    \
  static void name(struct perfpred_generate_options *options) {                                                        \
    options->member = value;                                                                                           \
  }
SPOILT(bad_size, size, 0)
SPOILT(bad_n, n_lower, -8)
SPOILT(bad_range, n_lower, 2000)
SPOILT(bad_b, b_upper, -1)
SPOILT(bad_overfitting, overfitting, 9)
SPOILT(bad_oversampling, oversampling, -2)
SPOILT(bad_repetitions, repetitions, -1)
SPOILT(bad_grid, grid, (enum perfpred_grid)7)
SPOILT(bad_reference, reference, (enum perfpred_reference)7)
SPOILT(bad_measure, error_measure, (enum perfpred_error_measure)7)
SPOILT(bad_bound, error_bound, NAN)
SPOILT(bad_width, minimum_width, -1)
SPOILT(bad_budget, budget_s, -1.0)
SPOILT(bad_ld, ld, -1)
SPOILT(bad_gate, gate, NAN)

static void inverted(struct perfpred_generate_options *options) {
  options->n_lower = 512;
  options->n_upper = 256;
}

Test(refinement, options_are_checked) {
  expect_invalid(bad_size, "options.size");
  expect_invalid(bad_n, "options.n_lower");
  expect_invalid(inverted, "options.n_lower");
  expect_invalid(bad_b, "options.b_lower");
  expect_invalid(bad_overfitting, "options.overfitting");
  expect_invalid(bad_oversampling, "options.oversampling");
  expect_invalid(bad_repetitions, "options.repetitions");
  expect_invalid(bad_grid, "options.grid");
  expect_invalid(bad_reference, "options.reference");
  expect_invalid(bad_measure, "options.error_measure");
  expect_invalid(bad_bound, "options.error_bound");
  expect_invalid(bad_width, "options.minimum_width");
  expect_invalid(bad_budget, "options.budget_s");
  expect_invalid(bad_ld, "options.ld");
  expect_invalid(bad_gate, "options.gate");
}

Test(refinement, a_lower_end_alone_moves_the_default_upper_end) {
  struct perfpred_generate_options knobs = PERFPRED_GENERATE_OPTIONS_INIT, full;

  bad_range(&knobs);
  cr_assert_eq(ppi_generate_defaults(&knobs, &full, NULL), PERFPRED_OK);
  cr_assert_eq(full.n_upper, 2000);
  cr_assert_eq(full.ld, 2000);
}

Test(refinement, domains_are_checked) {
  static const int64_t bounds[][2] = { { 0, 100 }, { -8, 100 }, { 100, 8 } };
  struct lab lab = { .time_s = cubic };
  struct perfpred_kernel *kernel = catalogue_kernel("dpotrf2");
  struct ppi_source source = lab_source(&lab);
  struct perfpred_models *models = NULL;

  for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
    struct ppi_target target = target_of(kernel, "L", &bounds[i][0], &bounds[i][1]);
    struct perfpred_error error;

    ppi_error_clear(&error);
    cr_assert_eq(ppi_generate(&target, 1, &source, NULL, &models, NULL, &error), PERFPRED_INVALID);
    cr_assert_not_null(strstr(error.text, "dpotrf2"));
    cr_assert_not_null(strstr(error.text, "domain of n"));
  }
  cr_assert_eq(ppi_generate(NULL, 0, &source, NULL, &models, NULL, NULL), PERFPRED_INVALID);
  cr_assert_eq(lab.batches, 0);
  ppi_kernel_unref(kernel);
}

Test(refinement, options_of_an_older_caller_end_early) {
  struct perfpred_generate_options knobs = PERFPRED_GENERATE_OPTIONS_INIT, full;

  knobs.repetitions = 7;
  knobs.oversampling = 9; /* before the end of what the caller knows */
  knobs.gate = 0.5;       /* behind it */
  knobs.size = offsetof(struct perfpred_generate_options, ld);
  cr_assert_eq(ppi_generate_defaults(&knobs, &full, NULL), PERFPRED_OK);
  cr_assert_eq(full.repetitions, 7);
  cr_assert_eq(full.oversampling, 9);
  cr_assert_eq(full.gate, 0.0);
  cr_assert_eq(full.size, sizeof full);
}
