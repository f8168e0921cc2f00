/* SPDX-License-Identifier: BSD-3-Clause */
/* A kernel of four sizes, all the way: text, generation by both generators, file, refit, estimate, prediction. */
#include "world.h"

static const char text[] = "perfpred-text 1\n"
                           "kernel dfour(m: size, n: size, k: size, l: size, a: inout matrix[m, n], lda)\n"
                           "  mul m*n*k*l\n"
                           "end\n"
                           "algorithm quad(n, b)\n"
                           "  inout A: double matrix[n, n]\n"
                           "  for i in 0:n by b as w\n"
                           "    let r = n - i - w\n"
                           "    dfour(w, r, i, n, A[i, i+w])\n"
                           "  end\n"
                           "end\n";

static struct perfpred_context *context;
static struct perfpred_program *program;

/* Of the four sizes and nothing else. */
static double product(const int64_t *sizes) {
  return 1e-6 + 1e-11 * (double)sizes[0] * (double)sizes[1] * (double)sizes[2] * (double)sizes[3];
}

static double smooth(void *data, const struct perfpred_virtual_call *call) {
  (void)data;
  return product(call->sizes);
}

/* From 65 on in the last size everything takes half as long again. */
static double stepped(void *data, const struct perfpred_virtual_call *call) {
  (void)data;
  return product(call->sizes) * (call->sizes[3] > 64 ? 1.5 : 1.0);
}

static void begin(void) {
  struct perfpred_error error;
  context = make_context();
  cr_assert_ok(perfpred_context_add_text(context, text, strlen(text), "four", &error), error);
  cr_assert_ok(perfpred_program_find(context, "quad", &program, &error), error);
}

static void finish(void) {
  perfpred_program_unref(program);
  perfpred_context_destroy(context);
}

TestSuite(four_sizes, .init = begin, .fini = finish);

static struct perfpred_models *models_of(enum perfpred_generator generator, perfpred_cost_fn *cost,
                                         struct perfpred_generate_report *report) {
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  const struct perfpred_program *list[] = { program };
  struct perfpred_models *models = NULL;
  struct perfpred_error error;
  struct perfpred_sampler *sampler = virtual_sampler(context, cost, NULL);
  options.n_lower = 32;
  options.n_upper = 128;
  options.b_lower = 8;
  options.b_upper = 32;
  options.repetitions = 2;
  options.generator = generator;
  options.keep_samples = 1;
  cr_assert_ok(perfpred_generate(context, sampler, list, 1, &options, &models, report, &error), error);
  perfpred_sampler_destroy(sampler);
  return models;
}

/* Largest relative error over points that no grid has. */
static double largest_error(const struct perfpred_models *models, perfpred_cost_fn *cost) {
  static const int64_t scale[4] = { 7, 23, 29, 31 };
  struct perfpred_model_info info = PERFPRED_MODEL_INFO_INIT;
  struct perfpred_error error;
  double largest = 0.0;
  cr_assert_ok(perfpred_models_info(models, 0, &info, &error), error);
  for (int64_t i = 1; i <= 200; i++) {
    struct perfpred_virtual_call call;
    struct perfpred_statistics time_s;
    int64_t sizes[4];
    memset(&call, 0, sizeof call);
    for (int d = 0; d < 4; d++)
      sizes[d] = info.lower[d] + i * scale[d] % (info.upper[d] - info.lower[d] + 1);
    call.sizes = sizes;
    cr_assert_eq(perfpred_models_estimate(models, 0, sizes, 4, &time_s), 0u);
    largest = fmax(largest, fabs(time_s.med / cost(NULL, &call) - 1.0));
  }
  return largest;
}

static void check_model(const struct perfpred_models *models) {
  struct perfpred_model_info info = PERFPRED_MODEL_INFO_INIT;
  struct perfpred_statistics time_s;
  struct perfpred_error error;
  cr_assert_eq(perfpred_models_count(models), 1);
  cr_assert_ok(perfpred_models_info(models, 0, &info, &error), error);
  cr_assert_str_eq(info.kernel, "dfour");
  cr_assert_eq(info.dimensions, 4);
  cr_assert_eq(info.upper[0], 32);
  cr_assert_eq(info.upper[3], 128);
  cr_assert(perfpred_models_estimate(models, 0, info.upper, 3, &time_s) & PERFPRED_NOTE_ERROR);
  cr_assert(perfpred_models_estimate(models, 0, (int64_t[]){ 8, 64, 64, 256 }, 4, &time_s) &
            PERFPRED_NOTE_EXTRAPOLATED);
}

/* Through a file, and anew from its samples. */
static void check_file(const struct perfpred_models *models, perfpred_cost_fn *cost, double tolerance) {
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  struct perfpred_models *loaded = NULL, *fresh = NULL;
  struct perfpred_sampler *sampler = virtual_sampler(context, cost, NULL);
  struct perfpred_error error;
  char *json = NULL, *again = NULL;
  cr_assert_ok(perfpred_models_print(models, &json, &error), error);
  cr_assert_ok(perfpred_models_load_memory(context, json, strlen(json), "four", NULL, &loaded, &error), error);
  cr_assert_ok(perfpred_models_print(loaded, &again, &error), error);
  cr_assert_str_eq(again, json);
  cr_assert_lt(largest_error(loaded, cost), tolerance);
  cr_assert_ok(perfpred_models_refit(loaded, sampler, NULL, &fresh, &report, &error), error);
  cr_assert_eq(report.missing, 0);
  cr_assert_lt(largest_error(fresh, cost), tolerance);
  perfpred_models_unref(fresh);
  perfpred_models_unref(loaded);
  perfpred_free(again);
  perfpred_free(json);
  perfpred_sampler_destroy(sampler);
}

/* The sum over the calls, by hand. */
static void check_prediction(struct perfpred_models *models, double tolerance) {
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  struct perfpred_plan *plan = make_plan(program, models);
  struct perfpred_error error;
  double expected = 0.0;
  for (int64_t i = 24; i + 24 < 120; i += 24)
    expected += product((int64_t[]){ 24, 120 - i - 24, i, 120 });
  cr_assert_ok(perfpred_plan_predict(plan, (int64_t[]){ 120, 24 }, 2, &prediction, &error), error);
  cr_assert_close(prediction.time_s.med, expected, tolerance);
  perfpred_plan_destroy(plan);
}

static void all_the_way(enum perfpred_generator generator) {
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  struct perfpred_models *models = models_of(generator, smooth, &report);
  check_model(models);
  cr_assert_lt(largest_error(models, smooth), 1e-6);
  check_file(models, smooth, 1e-6);
  check_prediction(models, 1e-6);
  perfpred_models_unref(models);
}

Test(four_sizes, published) {
  all_the_way(PERFPRED_GENERATOR_PUBLISHED);
}

Test(four_sizes, adaptive) {
  all_the_way(PERFPRED_GENERATOR_ADAPTIVE);
}

/* The adaptive one finds the step at 64 exactly, among four sizes. */
Test(four_sizes, a_step_in_one_of_them) {
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  struct perfpred_models *models = models_of(PERFPRED_GENERATOR_ADAPTIVE, stepped, &report);
  const int64_t below[] = { 16, 64, 64, 64 }, above[] = { 16, 64, 64, 72 };
  struct perfpred_statistics time_s;
  perfpred_models_estimate(models, 0, below, 4, &time_s);
  cr_assert_close(time_s.med, product(below), 0.01);
  perfpred_models_estimate(models, 0, above, 4, &time_s);
  cr_assert_close(time_s.med, 1.5 * product(above), 0.01);
  perfpred_models_unref(models);
}
