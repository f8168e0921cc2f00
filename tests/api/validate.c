/* SPDX-License-Identifier: BSD-3-Clause */
/* Validation on a virtual clock: models of one clock against runs on another. */
#include "world.h"

static struct perfpred_context *context;
static struct perfpred_program *program;
static struct perfpred_models *models;
static struct perfpred_plan *plan;
static struct perfpred_sampler *sampler;

/* The clock of the runs is `*data` times slower than that of the models. */
static double cost(void *data, const struct perfpred_virtual_call *call) {
  const double *factor = data;
  return (*factor) * (1e-6 + call->flops / 10e9);
}

static double as_modelled = 1.0, slower = 1.25;

static void begin(void) {
  context = make_context();
  program = parse(context, chol_3);
  models = virtual_models(context, &program, 1, NULL, cost, &as_modelled);
  plan = make_plan(program, models);
  sampler = virtual_sampler(context, cost, &slower);
}

static void finish(void) {
  perfpred_sampler_destroy(sampler);
  perfpred_plan_destroy(plan);
  perfpred_models_unref(models);
  perfpred_program_unref(program);
  perfpred_context_destroy(context);
}

TestSuite(validate, .init = begin, .fini = finish);

Test(validate, errors_of_a_slower_clock) {
  const struct perfpred_plan *list[] = { plan };
  struct perfpred_validation_point points[3] = { { .plan = 0, .parameters = { 1000, 96 } },
                                                 { .plan = 0, .parameters = { 504, 64 } },
                                                 { .plan = 0, .parameters = { 248, 32 } } };
  struct perfpred_validation validation = PERFPRED_VALIDATION_INIT;
  struct perfpred_error error;
  cr_assert_ok(perfpred_validate(list, 1, sampler, NULL, points, 3, &validation, &error), error);
  for (int i = 0; i < 3; i++) {
    cr_assert_close(points[i].measured_s.med, 1.25 * points[i].predicted_s.med, 1e-6);
    cr_assert_close(points[i].re, -0.2, 1e-5);
    cr_assert_close(points[i].are, 0.2, 1e-5);
    cr_assert_eq(points[i].noise, 0.0);
    cr_assert_eq(points[i].disturbed, 0);
    cr_assert_eq(points[i].gated, 1);
    cr_assert_eq(points[i].parameters[0], (i == 0 ? 1000 : (i == 1 ? 504 : 248)));
  }
  cr_assert_eq(points[0].ld, 1000);
  cr_assert_close(validation.mean_are, 0.2, 1e-5);
  cr_assert_close(validation.median_are, 0.2, 1e-5);
  cr_assert_eq(validation.noise_floor, 0.0);
  cr_assert_eq(validation.disturbed, 0);
  cr_assert(validation.wall_s >= 0.0);
}

/* The second half of the runs is 10 % slower than the first: that is the noise floor, against the mean of both medians. */
static double drifting(void *data, const struct perfpred_virtual_call *call) {
  (void)data;
  return (1e-6 + call->flops / 10e9) * (call->repetition >= 5 ? 1.1 : 1.0);
}

Test(validate, drift_is_noise) {
  const struct perfpred_plan *list[] = { plan };
  struct perfpred_validation_point point = { .plan = 0, .parameters = { 256, 256 } }; /* a single call */
  struct perfpred_validation validation = PERFPRED_VALIDATION_INIT;
  struct perfpred_error error;
  perfpred_sampler_destroy(sampler);
  sampler = virtual_sampler(context, drifting, NULL);
  cr_assert_ok(perfpred_validate(list, 1, sampler, NULL, &point, 1, &validation, &error), error);
  cr_assert_close(point.noise, 0.1 / 1.05, 1e-9);
  cr_assert_close(validation.noise_floor, 0.1 / 1.05, 1e-9);
}

/* C16: measured with a leading dimension of another kind than the models were, which took a multiple of 8 and not of 256. */
Test(validate, other_leading_dimension) {
  static const struct {
    int64_t asked;
    unsigned notes;
  } cases[] = { { 0, 0 }, { 1000, 0 }, { 1024, PERFPRED_NOTE_OTHER_LD }, { 1001, PERFPRED_NOTE_OTHER_LD } };
  const struct perfpred_plan *list[] = { plan };
  struct perfpred_measure_options options = PERFPRED_MEASURE_OPTIONS_INIT;
  struct perfpred_error error;
  for (int i = 0; i < 4; i++) {
    struct perfpred_validation_point point = { .plan = 0, .parameters = { 504, 64 } };
    struct perfpred_validation validation = PERFPRED_VALIDATION_INIT;
    options.ld = cases[i].asked;
    cr_assert_ok(perfpred_validate(list, 1, sampler, &options, &point, 1, &validation, &error), error);
    cr_expect_eq(point.ld, cases[i].asked ? cases[i].asked : 504);
    cr_expect_eq(validation.notes, cases[i].notes, "leading dimension %d", (int)cases[i].asked);
  }
}

Test(validate, several_plans) {
  struct perfpred_program *other = parse(context, chol_1);
  struct perfpred_models *its = virtual_models(context, &other, 1, NULL, cost, &as_modelled);
  struct perfpred_plan *second = make_plan(other, its);
  const struct perfpred_plan *list[] = { plan, second };
  struct perfpred_validation_point points[2] = { { .plan = 1, .parameters = { 500, 100 } },
                                                 { .plan = 0, .parameters = { 500, 100 } } };
  struct perfpred_validation validation = PERFPRED_VALIDATION_INIT;
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  struct perfpred_error error;
  cr_assert_ok(perfpred_validate(list, 2, sampler, NULL, points, 2, &validation, &error), error);
  cr_assert_ok(perfpred_plan_predict(second, (int64_t[]){ 500, 100 }, 2, &prediction, &error), error);
  cr_assert_eq(points[0].predicted_s.med, prediction.time_s.med);
  cr_assert_ok(perfpred_plan_predict(plan, (int64_t[]){ 500, 100 }, 2, &prediction, &error), error);
  cr_assert_eq(points[1].predicted_s.med, prediction.time_s.med);
  perfpred_plan_destroy(second);
  perfpred_models_unref(its);
  perfpred_program_unref(other);
}

static int counted;

static double counting(void *data, const struct perfpred_virtual_call *call) {
  (void)data;
  (void)call;
  counted++;
  return 1e-6;
}

/* The second point cannot be predicted: nothing is measured, nothing is written. */
Test(validate, what_cannot_be_predicted_fails_before_measuring) {
  const struct perfpred_plan *list[] = { plan };
  const struct {
    int64_t n, b;
    enum perfpred_status status;
  } wrong[] = { { 5000, 64, PERFPRED_OUT_OF_DOMAIN }, { -1, 64, PERFPRED_INVALID }, { 500, 0, PERFPRED_INVALID } };
  perfpred_sampler_destroy(sampler);
  sampler = virtual_sampler(context, counting, NULL);
  for (int i = 0; i < 3; i++) {
    struct perfpred_validation_point points[2] = { { .plan = 0, .parameters = { 500, 64 }, .are = 77.0 },
                                                   { .plan = 0, .parameters = { wrong[i].n, wrong[i].b } } };
    struct perfpred_validation validation = PERFPRED_VALIDATION_INIT;
    cr_assert_eq(perfpred_validate(list, 1, sampler, NULL, points, 2, &validation, NULL), wrong[i].status);
    cr_assert_eq(counted, 0);
    cr_assert_eq(points[0].are, 77.0);
    cr_assert_eq(validation.mean_are, 0.0);
  }
}

static int stop(void *data, const struct perfpred_progress *progress) {
  (void)data;
  (void)progress;
  return 1;
}

Test(validate, can_be_cancelled) {
  const struct perfpred_plan *list[] = { plan };
  struct perfpred_validation_point point = { .plan = 0, .parameters = { 500, 64 } };
  struct perfpred_validation validation = PERFPRED_VALIDATION_INIT;
  struct perfpred_measure_options options = PERFPRED_MEASURE_OPTIONS_INIT;
  options.progress = stop;
  cr_assert_eq(perfpred_validate(list, 1, sampler, &options, &point, 1, &validation, NULL), PERFPRED_CANCELLED);
}

Test(validate, bad_options) {
  const struct perfpred_plan *list[] = { plan };
  struct perfpred_validation_point point = { .plan = 0, .parameters = { 500, 64 } };
  struct perfpred_validation validation = PERFPRED_VALIDATION_INIT;
  const struct perfpred_measure_options fresh = PERFPRED_MEASURE_OPTIONS_INIT;
  struct perfpred_measure_options wrong[6] = { fresh, fresh, fresh, fresh, fresh, fresh };
  wrong[0].size = 0;
  wrong[1].repetitions = -1;
  wrong[2].ld = -8;
  wrong[3].gate = (double)NAN;
  wrong[4].budget_s = -1.0;
  wrong[5].budget_s = (double)NAN;
  for (int i = 0; i < 6; i++) {
    struct perfpred_error error;
    cr_assert_eq(perfpred_validate(list, 1, sampler, &wrong[i], &point, 1, &validation, &error), PERFPRED_INVALID,
                 "wrong[%d]", i);
    cr_assert(strstr(error.text, "options"), "%s", error.text);
  }
}

Test(validate, bad_arguments) {
  const struct perfpred_plan *list[] = { plan, NULL };
  struct perfpred_validation_point point = { .plan = 0, .parameters = { 500, 64 } }, beyond = { .plan = 1 };
  struct perfpred_validation validation = PERFPRED_VALIDATION_INIT, small = { 0 };
  struct perfpred_error error;
  cr_assert_eq(perfpred_validate(NULL, 1, sampler, NULL, &point, 1, &validation, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_validate(list, 0, sampler, NULL, &point, 1, &validation, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_validate(list, 2, sampler, NULL, &point, 1, &validation, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_validate(list, 1, NULL, NULL, &point, 1, &validation, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_validate(list, 1, sampler, NULL, NULL, 1, &validation, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_validate(list, 1, sampler, NULL, &point, 0, &validation, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_validate(list, 1, sampler, NULL, &beyond, 1, &validation, &error), PERFPRED_INVALID);
  cr_assert(strstr(error.text, "points[0]"));
  cr_assert_eq(perfpred_validate(list, 1, sampler, NULL, &point, 1, NULL, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_validate(list, 1, sampler, NULL, &point, 1, &small, &error), PERFPRED_INVALID);
}
