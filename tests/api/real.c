/* SPDX-License-Identifier: BSD-3-Clause */
/* The main job on real libraries, in small: generate, predict, tune, validate. What is asserted never depends on the time. */
#include "world.h"

static struct perfpred_context *context;
static struct perfpred_sampler *sampler;

static void begin(void) {
  struct perfpred_error error;
  context = make_context();
  cr_assert_ok(perfpred_sampler_create_worker(context, NULL, &sampler, &error), error);
}

static void finish(void) {
  perfpred_sampler_destroy(sampler);
  perfpred_context_destroy(context);
}

TestSuite(real, .init = begin, .fini = finish);

static struct perfpred_models *quick_models(const struct perfpred_program *program) {
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  struct perfpred_models *models = NULL;
  struct perfpred_error error;
  options.n_upper = 128;
  options.b_upper = 48;
  options.repetitions = 3;
  options.oversampling = 1;
  options.error_bound = 10.0; /* no refinement */
  options.gate = -1.0;
  cr_assert_ok(perfpred_generate(context, sampler, &program, 1, &options, &models, &report, &error), error);
  cr_assert_eq(report.models, 3);
  cr_assert_geq(report.samples, report.points);
  return models;
}

static int sensible(const struct perfpred_statistics *time) {
  return isfinite(time->min) && isfinite(time->std) && time->min > 0.0 && time->min <= time->med &&
         time->med <= time->max && time->mean >= time->min && time->mean <= time->max && time->std >= 0.0;
}

Test(real, generate_predict_tune_validate) {
  struct perfpred_program *program = NULL;
  struct perfpred_error error;
  cr_assert_ok(perfpred_program_find(context, "chol-l-3", &program, &error), error);
  struct perfpred_models *models = quick_models(program);
  struct perfpred_plan *plan = make_plan(program, models);
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  cr_assert_ok(perfpred_plan_predict(plan, (int64_t[]){ 120, 32 }, 2, &prediction, &error), error);
  cr_assert(sensible(&prediction.time_s));
  cr_assert_eq(prediction.calls, 12);
  cr_assert_eq(prediction.flops, 120.0 * 121 * 241 / 6);
  cr_assert(prediction.efficiency.med > 0.0 && isfinite(prediction.efficiency.med), "the peak was measured");
  cr_assert(prediction.roofline_flops_per_s > 0.0, "and the bandwidth");

  const struct perfpred_range range = { 8, 48, 8 };
  struct perfpred_tuning tuning = PERFPRED_TUNING_INIT;
  tuning.default_value = 32;
  cr_assert_ok(perfpred_plan_tune(plan, 1, &range, (int64_t[]){ 120, 0 }, 2, &tuning, &error), error);
  cr_assert(tuning.best >= 8 && tuning.best <= 48 && tuning.best % 8 == 0);
  cr_assert(tuning.yield_default > 0.0 && tuning.yield_default <= 1.0);

  const struct perfpred_plan *list[] = { plan };
  struct perfpred_validation_point points[2] = { { .plan = 0, .parameters = { 120, 32 } },
                                                 { .plan = 0, .parameters = { 64, 24 } } };
  struct perfpred_validation validation = PERFPRED_VALIDATION_INIT;
  struct perfpred_measure_options options = PERFPRED_MEASURE_OPTIONS_INIT;
  options.repetitions = 3;
  options.gate = -1.0;
  cr_assert_ok(perfpred_validate(list, 1, sampler, &options, points, 2, &validation, &error), error);
  for (int i = 0; i < 2; i++) {
    cr_assert(sensible(&points[i].measured_s));
    cr_assert(isfinite(points[i].are) && points[i].are == fabs(points[i].re));
    cr_assert_eq(points[i].ld, i == 0 ? 120 : 64);
  }
  cr_assert(isfinite(validation.mean_are) && isfinite(validation.median_are) && validation.wall_s > 0.0);

  struct perfpred_kernel_error items[4];
  size_t kernels = 0;
  static const uint64_t calls[] = { 4, 3, 3 }; /* blocks of 32, 32, 32, 24 */
  cr_assert_ok(
      perfpred_validate_kernels(plan, sampler, &options, (int64_t[]){ 120, 32 }, 2, items, 4, &kernels, &error), error);
  cr_assert_eq(kernels, 3);
  for (int i = 0; i < 3; i++) {
    cr_assert_eq(items[i].calls, calls[i]);
    cr_assert(items[i].measured_s > 0.0 && isfinite(items[i].re) && items[i].noise >= 0.0);
    cr_assert(sensible(&items[i].predicted_s));
  }
  perfpred_plan_destroy(plan);
  perfpred_models_unref(models);
  perfpred_program_unref(program);
}

/* Models of one BLAS, runs on another: the refusal names both. */
Test(real, another_blas_is_refused) {
  struct perfpred_program *program = NULL;
  struct perfpred_error error;
  cr_assert_ok(perfpred_program_find(context, "chol-l-3", &program, &error), error);
  struct perfpred_models *models = quick_models(program);
  struct perfpred_plan *plan = make_plan(program, models);
  struct perfpred_setup setup = PERFPRED_SETUP_INIT;
  struct perfpred_sampler *other = NULL;
  setup.blas = "/usr/lib/x86_64-linux-gnu/blas/libblas.so.3";
  enum perfpred_status status = perfpred_sampler_create_worker(context, &setup, &other, &error);
  if (status == PERFPRED_MISSING)
    cr_skip("the reference BLAS is not installed as %s", setup.blas);
  cr_assert_ok(status, error);
  const struct perfpred_plan *list[] = { plan };
  struct perfpred_validation_point point = { .plan = 0, .parameters = { 64, 24 } };
  struct perfpred_validation validation = PERFPRED_VALIDATION_INIT;
  cr_assert_eq(perfpred_validate(list, 1, other, NULL, &point, 1, &validation, &error), PERFPRED_OTHER_BLAS);
  cr_assert(strstr(error.text, "/blas/libblas.so.3") && strstr(error.text, "libblis"), "%s", error.text);
  struct perfpred_kernel_error item;
  size_t kernels = 77;
  cr_assert_eq(perfpred_validate_kernels(plan, other, NULL, (int64_t[]){ 64, 24 }, 2, &item, 1, &kernels, &error),
               PERFPRED_OTHER_BLAS);
  cr_assert(strstr(error.text, "/blas/libblas.so.3") && kernels == 77, "%s", error.text);
  perfpred_sampler_destroy(other);
  perfpred_plan_destroy(plan);
  perfpred_models_unref(models);
  perfpred_program_unref(program);
}
