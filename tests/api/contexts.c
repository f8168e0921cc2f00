/* SPDX-License-Identifier: BSD-3-Clause */
/* Models of calls in the steps of their algorithm, on a virtual clock on which a call's time depends on the call before it. */
#include "world.h"

static struct perfpred_context *context;

static void begin(void) {
  context = make_context();
}

static void finish(void) {
  perfpred_context_destroy(context);
}

TestSuite(contexts, .init = begin, .fini = finish);

/* Twice as slow after another kernel as alone: everything that is not the first call of an execution or a step without another one
   before it. The first call of an execution is dpotrf2 in Cholesky 3. */
static double cost(void *data, const struct perfpred_virtual_call *call) {
  const double alone = 1e-6 + call->flops / 10e9;
  (void)data;
  return call->previous ? 2.0 * alone : alone;
}

static struct perfpred_models *generate(struct perfpred_program *const *programs, size_t count,
                                        enum perfpred_contexts contexts, int64_t n_upper,
                                        struct perfpred_generate_report *report) {
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  const struct perfpred_program *list[8];
  struct perfpred_models *models = NULL;
  struct perfpred_error error;
  struct perfpred_sampler *sampler = virtual_sampler(context, cost, NULL);
  options.contexts = contexts;
  options.n_upper = n_upper;
  options.b_upper = 128;
  options.repetitions = 3;
  for (size_t i = 0; i < count; i++)
    list[i] = programs[i];
  cr_assert_ok(perfpred_generate(context, sampler, list, count, &options, &models, report, &error), error);
  perfpred_sampler_destroy(sampler);
  return models;
}

static struct perfpred_prediction predict(struct perfpred_program *program, struct perfpred_models *models, int warm,
                                          int64_t n, int64_t b) {
  struct perfpred_plan_options options = PERFPRED_PLAN_OPTIONS_INIT;
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  struct perfpred_plan *plan = NULL;
  struct perfpred_error error;
  options.warm = warm;
  cr_assert_ok(perfpred_plan_create(program, models, &options, &plan, &error), error);
  cr_assert_ok(perfpred_plan_predict(plan, (int64_t[]){ n, b }, 2, &prediction, &error), error);
  perfpred_plan_destroy(plan);
  return prediction;
}

static double measure(struct perfpred_program *program, int64_t n, int64_t b) {
  struct perfpred_measurement measurement = PERFPRED_MEASUREMENT_INIT;
  struct perfpred_error error;
  struct perfpred_sampler *sampler = virtual_sampler(context, cost, NULL);
  cr_assert_ok(perfpred_measure(sampler, program, (int64_t[]){ n, b }, 2, NULL, &measurement, &error), error);
  perfpred_sampler_destroy(sampler);
  return measurement.time_s.med;
}

/* The measured run has one call that is not slowed down, its first: dpotrf2 of b, (b^3/3 + b^2/2 + b/6) flops or about that. Where it
   is small beside the rest, the models with a context are right and the others wrong by half. */
Test(contexts, a_call_is_priced_as_it_stands_in_its_algorithm) {
  struct perfpred_program *program = parse(context, chol_3);
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  struct perfpred_models *models = generate(&program, 1, PERFPRED_CONTEXTS_BESIDE, 512, &report);
  cr_assert_eq(perfpred_models_count(models), 6);
  cr_assert_eq(report.models, 6);
  static const int64_t points[][2] = { { 512, 64 }, { 500, 100 }, { 311, 37 }, { 104, 8 } };
  for (size_t i = 0; i < 4; i++) {
    int64_t n = points[i][0], b = points[i][1];
    double measured = measure(program, n, b);
    struct perfpred_prediction steps = predict(program, models, 0, n, b), alone = predict(program, models, 1, n, b);
    double first = 1e-6 + ((double)b * (double)b * (double)b / 3.0 + (double)(b * b) / 2.0) / 10e9;
    cr_expect_eq(steps.warm_calls, 0);
    cr_expect_eq(alone.context_calls, 0);
    cr_expect_eq(steps.context_calls, alone.warm_calls);
    cr_expect_float_eq(steps.time_s.med, measured + first, 0.002 * measured, "n %lld b %lld: %g, %g and %g",
                       (long long)n, (long long)b, steps.time_s.med, measured, first);
    cr_expect_float_eq(alone.time_s.med, 0.5 * (measured + first), 0.002 * measured);
  }
  perfpred_models_unref(models);
  perfpred_program_unref(program);
}

/* What the models are of is told, and stays when they are saved and loaded. */
Test(contexts, models_know_their_steps) {
  struct perfpred_program *program = parse(context, chol_2);
  struct perfpred_models *models = generate(&program, 1, PERFPRED_CONTEXTS_INSTEAD, 256, NULL), *loaded = NULL;
  static const char *const kernels[] = { "dsyrk", "dgemm", "dpotrf2", "dtrsm" };
  static const char *const names[] = { "two:0", "two:1", "two:2", "two:3" };
  struct perfpred_error error;
  char *json = NULL;
  cr_assert_eq(perfpred_models_count(models), 4);
  cr_assert_ok(perfpred_models_print(models, &json, &error), error);
  cr_assert_ok(perfpred_models_load_memory(context, json, strlen(json), "text", NULL, &loaded, &error), error);
  for (size_t i = 0; i < 4; i++) {
    struct perfpred_model_info info = PERFPRED_MODEL_INFO_INIT;
    cr_assert_ok(perfpred_models_info(loaded, i, &info, &error), error);
    cr_expect_str_eq(info.kernel, kernels[i]);
    cr_expect_str_eq(info.context, names[i]);
    cr_assert_eq(info.dimensions, 3, "done, width and rest");
    for (int d = 0; d < 3; d++)
      cr_expect_eq(info.lower[d], 8);
    cr_expect_eq(info.upper[0], 256);
    cr_expect_eq(info.upper[1], 128);
    cr_expect_eq(info.upper[2], 248);
  }
  struct perfpred_prediction a = predict(program, models, 0, 250, 40), b = predict(program, loaded, 0, 250, 40);
  cr_expect_eq(memcmp(&a.time_s, &b.time_s, sizeof a.time_s), 0);
  cr_expect_eq(b.warm_calls, 0);
  perfpred_free(json);
  perfpred_models_unref(loaded);
  perfpred_models_unref(models);
  perfpred_program_unref(program);
}
