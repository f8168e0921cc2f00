/* SPDX-License-Identifier: BSD-3-Clause */
/* Fitting models anew from their samples, on a virtual clock: nothing is measured, and what comes out is known. */
#include "world.h"

static struct perfpred_context *context;
static struct perfpred_program *program;
static struct perfpred_sampler *sampler;
static long calls;

/* A step, so that domains are cut, and samples that differ, so that statistics do. */
static double stepped(void *data, const struct perfpred_virtual_call *call) {
  (void)data;
  calls++;
  return (1e-6 + call->flops / 10e9) * (call->sizes[0] > 300 ? 1.3 : 1.0) *
         (1.0 + 0.002 * (double)(call->repetition % 3));
}

static double smooth(void *data, const struct perfpred_virtual_call *call) {
  (void)data;
  calls++;
  return 1e-6 + call->flops / 10e9;
}

static void begin(void) {
  context = make_context();
  program = parse(context, chol_3);
  sampler = virtual_sampler(context, stepped, NULL);
}

static void finish(void) {
  perfpred_sampler_destroy(sampler);
  perfpred_program_unref(program);
  perfpred_context_destroy(context);
}

TestSuite(refit, .init = begin, .fini = finish);

static struct perfpred_generate_options options_of(enum perfpred_generator generator) {
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  options.n_upper = 600;
  options.b_upper = 128;
  options.generator = generator;
  options.keep_samples = 1;
  return options;
}

static struct perfpred_models *generate(const struct perfpred_generate_options *options) {
  const struct perfpred_program *list[] = { program };
  struct perfpred_models *models = NULL;
  struct perfpred_error error;
  cr_assert_ok(perfpred_generate(context, sampler, list, 1, options, &models, NULL, &error), error);
  return models;
}

static struct perfpred_models *refit(const struct perfpred_models *models,
                                     const struct perfpred_generate_options *options,
                                     struct perfpred_generate_report *report) {
  struct perfpred_models *fresh = NULL;
  struct perfpred_error error;
  long before = calls;
  cr_assert_ok(perfpred_models_refit(models, sampler, options, &fresh, report, &error), error);
  cr_assert_eq(calls, before, "something was measured");
  return fresh;
}

/* The sub-models alone, without the samples behind them. */
static char *text_of(const struct perfpred_models *models) {
  char *json = NULL;
  struct perfpred_error error;
  cr_assert_ok(perfpred_models_print(models, &json, &error), error);
  char *start = strstr(json, "\n \"models\": ["), *end = strstr(json, "\n \"samples\": [");
  cr_assert(start);
  size_t length = end ? (size_t)(end - start) : strlen(start);
  char *text = calloc(length + 1, 1);
  memcpy(text, start, length);
  perfpred_free(json);
  return text;
}

static void expect_same(const struct perfpred_models *a, const struct perfpred_models *b) {
  char *one = text_of(a), *two = text_of(b);
  cr_assert_str_eq(one, two);
  free(one);
  free(two);
}

static size_t kept_samples(const struct perfpred_models *models) {
  struct perfpred_setup_info info = PERFPRED_SETUP_INFO_INIT;
  struct perfpred_error error;
  cr_assert_ok(perfpred_models_setup_info(models, 0, &info, &error), error);
  return (size_t)info.kept_samples;
}

static void the_same_again(enum perfpred_generator generator) {
  const struct perfpred_generate_options options = options_of(generator);
  struct perfpred_models *models = generate(&options), *loaded = NULL;
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  struct perfpred_error error;
  char *json = NULL;
  cr_assert_ok(perfpred_models_print(models, &json, &error), error);
  cr_assert_ok(perfpred_models_load_memory(context, json, strlen(json), "text", NULL, &loaded, &error), error);
  struct perfpred_models *fresh = refit(loaded, NULL, &report);
  expect_same(fresh, models);
  cr_assert_eq(report.missing, 0);
  cr_assert_eq(report.kept, 0);
  cr_assert_eq(report.models, perfpred_models_count(models));
  cr_assert_eq(report.samples, kept_samples(models));
  cr_assert_eq(report.budget_exhausted, 0);
  cr_assert_eq(kept_samples(fresh), kept_samples(models));
  perfpred_models_unref(fresh);
  perfpred_models_unref(loaded);
  perfpred_models_unref(models);
  perfpred_free(json);
}

Test(refit, with_the_same_options_the_same_models) {
  the_same_again(PERFPRED_GENERATOR_PUBLISHED);
}

Test(refit, with_the_same_options_the_same_models_adaptive) {
  the_same_again(PERFPRED_GENERATOR_ADAPTIVE);
}

/* Whatever was measured for either is there: each comes out of the samples of both as it came out of the measurement. */
static void as_a_generation_would(const struct perfpred_generate_options *first,
                                  const struct perfpred_generate_options *second) {
  struct perfpred_models *one = generate(first);
  struct perfpred_generate_options with = *second;
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  with.known = one;
  struct perfpred_models *two = generate(&with);
  struct perfpred_models *again = refit(two, first, &report);
  cr_assert_eq(report.missing, 0);
  expect_same(again, one);
  perfpred_models_unref(again);
  again = refit(one, first, &report);
  expect_same(again, one);
  perfpred_models_unref(again);
  again = refit(two, second, &report);
  cr_assert_eq(report.missing, 0);
  expect_same(again, two);
  perfpred_models_unref(again);
  perfpred_models_unref(two);
  perfpred_models_unref(one);
}

Test(refit, with_another_reference) {
  struct perfpred_generate_options first = options_of(PERFPRED_GENERATOR_PUBLISHED), second = first;
  second.reference = PERFPRED_REFERENCE_MEDIAN;
  second.error_measure = PERFPRED_ERROR_AVERAGE;
  as_a_generation_would(&first, &second);
}

Test(refit, with_other_degrees_and_another_grid) {
  struct perfpred_generate_options first = options_of(PERFPRED_GENERATOR_PUBLISHED), second = first;
  second.overfitting = 1;
  second.grid = PERFPRED_GRID_CARTESIAN;
  as_a_generation_would(&first, &second);
}

Test(refit, with_the_other_generator) {
  struct perfpred_generate_options first = options_of(PERFPRED_GENERATOR_PUBLISHED),
                                   second = options_of(PERFPRED_GENERATOR_ADAPTIVE);
  as_a_generation_would(&first, &second);
}

/* The times are polynomials: whatever points the fit goes through, it has to meet them everywhere. */
static void without_some(enum perfpred_generator from, enum perfpred_generator to, int overfitting) {
  struct perfpred_generate_options options = options_of(from);
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  perfpred_sampler_destroy(sampler);
  sampler = virtual_sampler(context, smooth, NULL);
  struct perfpred_models *models = generate(&options);
  options = options_of(to);
  options.overfitting = overfitting;
  struct perfpred_models *fresh = refit(models, &options, &report);
  cr_assert_gt(report.missing, 0);
  cr_assert_eq(perfpred_models_count(fresh), perfpred_models_count(models));
  struct perfpred_plan *one = make_plan(program, models), *two = make_plan(program, fresh);
  for (int64_t n = 48; n <= 600; n += 92) {
    struct perfpred_prediction a = PERFPRED_PREDICTION_INIT, b = PERFPRED_PREDICTION_INIT;
    struct perfpred_error error;
    cr_assert_ok(perfpred_plan_predict(one, (int64_t[]){ n, 40 }, 2, &a, &error), error);
    cr_assert_ok(perfpred_plan_predict(two, (int64_t[]){ n, 40 }, 2, &b, &error), error);
    cr_assert_close(b.time_s.med, a.time_s.med, 1e-3);
    cr_assert_close(b.time_s.min, a.time_s.min, 1e-3);
  }
  perfpred_plan_destroy(one);
  perfpred_plan_destroy(two);
  perfpred_models_unref(fresh);
  perfpred_models_unref(models);
}

Test(refit, makes_do_with_the_points_there_are) {
  without_some(PERFPRED_GENERATOR_PUBLISHED, PERFPRED_GENERATOR_PUBLISHED, 4);
}

Test(refit, makes_do_with_the_points_of_the_other_generator) {
  without_some(PERFPRED_GENERATOR_ADAPTIVE, PERFPRED_GENERATOR_PUBLISHED, 0);
}

Test(refit, the_adaptive_one_makes_do_as_well) {
  without_some(PERFPRED_GENERATOR_PUBLISHED, PERFPRED_GENERATOR_ADAPTIVE, 0);
}

/* Where the step lies is in the samples of the adaptive one: boxes are cut there as long as they hold enough points. */
Test(refit, a_step_is_met_with_the_points_there_are) {
  struct perfpred_generate_options options = options_of(PERFPRED_GENERATOR_PUBLISHED);
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  struct perfpred_models *models = generate(&options);
  options.grid = PERFPRED_GRID_CARTESIAN;
  options.overfitting = 1;
  struct perfpred_models *fresh = refit(models, &options, &report);
  struct perfpred_plan *one = make_plan(program, models), *two = make_plan(program, fresh);
  cr_assert_gt(report.missing, 0);
  for (int64_t n = 48; n <= 600; n += 92) {
    struct perfpred_prediction a = PERFPRED_PREDICTION_INIT, b = PERFPRED_PREDICTION_INIT;
    struct perfpred_error error;
    cr_assert_ok(perfpred_plan_predict(one, (int64_t[]){ n, 40 }, 2, &a, &error), error);
    cr_assert_ok(perfpred_plan_predict(two, (int64_t[]){ n, 40 }, 2, &b, &error), error);
    cr_assert_close(b.time_s.med, a.time_s.med, 0.1);
  }
  perfpred_plan_destroy(one);
  perfpred_plan_destroy(two);
  perfpred_models_unref(fresh);
  perfpred_models_unref(models);
}

/* Hardly any points, and knobs that ask for many: every estimate is a time. */
Test(refit, few_points) {
  static const enum perfpred_generator generators[] = { PERFPRED_GENERATOR_PUBLISHED, PERFPRED_GENERATOR_ADAPTIVE };
  struct perfpred_generate_options options = options_of(PERFPRED_GENERATOR_PUBLISHED);
  options.n_upper = 40;
  options.b_upper = 16;
  options.overfitting = options.oversampling = -1;
  struct perfpred_models *models = generate(&options);
  for (int i = 0; i < 4; i++) {
    options.generator = generators[i % 2];
    options.overfitting = i < 2 ? 4 : -1;
    options.oversampling = 6;
    struct perfpred_models *fresh = refit(models, &options, NULL);
    for (size_t k = 0; k < perfpred_models_count(fresh); k++) {
      struct perfpred_model_info info = PERFPRED_MODEL_INFO_INIT;
      struct perfpred_statistics time_s;
      struct perfpred_error error;
      cr_assert_ok(perfpred_models_info(fresh, k, &info, &error), error);
      cr_assert_eq(perfpred_models_estimate(fresh, k, info.upper, info.dimensions, &time_s) & PERFPRED_NOTE_ERROR, 0u);
      cr_assert(isfinite(time_s.med) && time_s.med > 0.0);
    }
    perfpred_models_unref(fresh);
  }
  perfpred_models_unref(models);
}

/* More repetitions than were taken: there are as many as there are. */
Test(refit, fewer_repetitions_than_asked_for) {
  struct perfpred_generate_options options = options_of(PERFPRED_GENERATOR_PUBLISHED);
  struct perfpred_models *models = generate(&options);
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  options.repetitions = 30;
  struct perfpred_models *fresh = refit(models, &options, &report);
  cr_assert_eq(report.missing, 0);
  expect_same(fresh, models);
  perfpred_models_unref(fresh);
  options.generator = PERFPRED_GENERATOR_ADAPTIVE;
  fresh = refit(models, &options, &report);
  perfpred_models_unref(fresh);
  perfpred_models_unref(models);
}

/* Of two generations in one file the one that kept its samples is refitted, the other one stays. */
Test(refit, what_has_no_samples_stays) {
  struct perfpred_generate_options options = options_of(PERFPRED_GENERATOR_PUBLISHED);
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  struct perfpred_models *first = generate(&options), *both = NULL;
  struct perfpred_error error;
  perfpred_program_unref(program);
  program = parse(context, chol_2);
  options.keep_samples = 0;
  options.n_upper = 400;
  struct perfpred_models *second = generate(&options);
  cr_assert_ok(perfpred_models_merge(first, second, NULL, &both, &error), error);
  struct perfpred_models *fresh = refit(both, NULL, &report);
  cr_assert_eq(perfpred_models_count(fresh), perfpred_models_count(both));
  cr_assert_eq(report.models + report.kept, perfpred_models_count(both));
  cr_assert_gt(report.kept, 0);
  cr_assert_eq(report.missing, 0);
  cr_assert_eq(perfpred_models_refit(second, sampler, NULL, &fresh, NULL, &error), PERFPRED_NOT_FOUND);
  cr_assert(strstr(error.text, "keep_samples"), "%s", error.text);
  perfpred_models_unref(fresh);
  perfpred_models_unref(both);
  perfpred_models_unref(second);
  perfpred_models_unref(first);
}

Test(refit, tells_the_options_that_it_used) {
  struct perfpred_generate_options options = options_of(PERFPRED_GENERATOR_PUBLISHED),
                                   told = PERFPRED_GENERATE_OPTIONS_INIT;
  struct perfpred_error error;
  options.budget_s = 1000.0;
  struct perfpred_models *models = generate(&options);
  cr_assert_ok(perfpred_models_options(models, &told, &error), error);
  cr_assert_eq(told.generator, PERFPRED_GENERATOR_PUBLISHED);
  cr_assert_eq(told.n_upper, 600);
  cr_assert_eq(told.repetitions, 10);
  cr_assert_eq(told.budget_s, 1000.0);
  cr_assert_null(told.journal);
  told.error_bound = 0.05;
  struct perfpred_models *fresh = refit(models, &told, NULL);
  cr_assert_ok(perfpred_models_options(fresh, &told, &error), error);
  cr_assert_eq(told.error_bound, 0.05);
  cr_assert_eq(told.budget_s, 0.0);
  cr_assert_eq(told.n_upper, 600);
  told.size = offsetof(struct perfpred_generate_options, n_upper);
  told.n_upper = 7;
  cr_assert_ok(perfpred_models_options(fresh, &told, &error), error);
  cr_assert_eq(told.n_upper, 7);
  told.size = 0;
  cr_assert_eq(perfpred_models_options(fresh, &told, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_models_options(NULL, &told, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_models_options(fresh, NULL, &error), PERFPRED_INVALID);
  perfpred_models_unref(fresh);
  perfpred_models_unref(models);
}

static int stop(void *data, const struct perfpred_progress *progress) {
  (void)progress;
  return ++*(int *)data == 2;
}

Test(refit, can_be_cancelled) {
  struct perfpred_generate_options options = options_of(PERFPRED_GENERATOR_PUBLISHED);
  struct perfpred_models *models = generate(&options), *fresh = NULL;
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT, untouched = report;
  struct perfpred_error error;
  int told = 0;
  options.progress = stop;
  options.progress_data = &told;
  cr_assert_eq(perfpred_models_refit(models, sampler, &options, &fresh, &report, &error), PERFPRED_CANCELLED);
  cr_assert_null(fresh);
  cr_assert_eq(memcmp(&report, &untouched, sizeof report), 0);
  perfpred_models_unref(models);
}

Test(refit, bad_arguments) {
  struct perfpred_generate_options options = options_of(PERFPRED_GENERATOR_PUBLISHED);
  struct perfpred_models *models = generate(&options), *fresh = NULL;
  struct perfpred_generate_report report = { 0 };
  struct perfpred_sampler *unable = NULL;
  struct perfpred_error error;
  cr_assert_eq(perfpred_models_refit(NULL, sampler, NULL, &fresh, NULL, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_models_refit(models, NULL, NULL, &fresh, NULL, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_models_refit(models, sampler, NULL, NULL, NULL, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_models_refit(models, sampler, NULL, &fresh, &report, &error), PERFPRED_INVALID);
  cr_assert(strstr(error.text, "report"));
  options.error_bound = -1.0;
  cr_assert_eq(perfpred_models_refit(models, sampler, &options, &fresh, NULL, &error), PERFPRED_INVALID);
  cr_assert(strstr(error.text, "error_bound"));
  options.size = 0;
  cr_assert_eq(perfpred_models_refit(models, sampler, &options, &fresh, NULL, &error), PERFPRED_INVALID);
  cr_assert(strstr(error.text, "options.size"));
  cr_assert_ok(perfpred_sampler_create_virtual(context, stepped, NULL, NULL, &unable, &error), error);
  cr_assert_eq(perfpred_models_refit(models, unable, NULL, &fresh, NULL, &error), PERFPRED_UNSUPPORTED);
  cr_assert_null(fresh);
  perfpred_sampler_destroy(unable);
  perfpred_models_unref(models);
}
