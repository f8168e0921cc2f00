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
static int64_t largest; /* rest, width and done of the dgemm of Cholesky 2, in all */

static double cost(void *data, const struct perfpred_virtual_call *call) {
  const double alone = 1e-6 + call->flops / 10e9;
  (void)data;
  if (strcmp(call->kernel_name, "dgemm") == 0 && call->sizes[0] + call->sizes[1] + call->sizes[2] > largest)
    largest = call->sizes[0] + call->sizes[1] + call->sizes[2];
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

/* Every copy of a column comes after another call, and so takes twice as long as alone; a model is of one of them. n = 300, b = 32: 10 blocks and as
   many dpotrf2, and 9 * 32 copies with something to do. */
Test(contexts, a_call_that_is_made_for_every_column) {
  struct perfpred_program *program =
      parse(context, "perfpred-text 1\nalgorithm copying(n, b)\n  inout A: double spd triangle(L)[n]\n"
                     "  work W: double matrix[n, b]\n  for i in 0:n by b as w\n    dpotrf2(L, w, A[i, i])\n"
                     "    for j in 0:w\n      dcopy(n - i - w, A[i+w, i+j], W[0, j])\n    end\n  end\nend\n");
  struct perfpred_models *models = generate(&program, 1, PERFPRED_CONTEXTS_BESIDE, 512, NULL);
  struct perfpred_prediction steps = predict(program, models, 0, 300, 32), alone = predict(program, models, 1, 300, 32);
  const double measured = measure(program, 300, 32), first = 1e-6 + (32.0 * 32.0 * 32.0 / 3.0 + 512.0) / 10e9;
  cr_expect_eq(perfpred_models_count(models), 4);
  cr_expect_eq(steps.warm_calls, 0);
  cr_expect_eq(steps.context_calls, 10 + 9 * 32);
  cr_expect_float_eq(steps.time_s.med, measured + first, 0.002 * measured, "%g, %g", steps.time_s.med, measured);
  cr_expect_float_eq(alone.time_s.med, 0.5 * (measured + first), 0.002 * measured);
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
  cr_expect_eq(largest, 256, "no step of a larger matrix is sampled, but of that one");
  cr_assert_ok(perfpred_models_print(models, &json, &error), error);
  cr_assert_ok(perfpred_models_load_memory(context, json, strlen(json), "text", NULL, &loaded, &error), error);
  /* dgemm has work to do where something is done and something left, dpotrf2 wherever there is a step */
  static const int64_t lower[4][3] = { { 8, 8, 0 }, { 8, 8, 8 }, { 0, 8, 0 }, { 0, 8, 8 } };
  uint64_t most = 0, samples[4] = { 0 };
  for (size_t i = 0; i < 4; i++) {
    struct perfpred_model_info info = PERFPRED_MODEL_INFO_INIT;
    cr_assert_ok(perfpred_models_info(loaded, i, &info, &error), error);
    cr_expect_str_eq(info.kernel, kernels[i]);
    cr_expect_str_eq(info.context, names[i]);
    cr_assert_eq(info.dimensions, 3, "done, width and rest");
    cr_expect_str_eq(info.size_names[0], "done");
    cr_expect_str_eq(info.size_names[1], "width");
    cr_expect_str_eq(info.size_names[2], "rest");
    samples[i] = info.samples;
    most = samples[i] > most ? samples[i] : most;
    for (int d = 0; d < 3; d++)
      cr_expect_eq(info.lower[d], lower[i][d], "%s: %s from %lld", kernels[i], info.size_names[d],
                   (long long)info.lower[d]);
    cr_expect_eq(info.upper[0], 256);
    cr_expect_eq(info.upper[1], 128);
    cr_expect_eq(info.upper[2], 248);
  }
  cr_expect_eq(samples[2], most, "calls of a step are sampled together");
  cr_expect_lt(samples[1], most);
  struct perfpred_prediction a = predict(program, models, 0, 250, 40), b = predict(program, loaded, 0, 250, 40);
  cr_expect_eq(memcmp(&a.time_s, &b.time_s, sizeof a.time_s), 0);
  cr_expect_eq(b.warm_calls, 0);
  perfpred_free(json);
  perfpred_models_unref(loaded);
  perfpred_models_unref(models);
  perfpred_program_unref(program);
}

/* The first call of an execution has none before it and takes half as long: dpotrf2 of the first step of Cholesky 1 and 2. It is sampled so, and
   hence priced so; the last step and a matrix of one block are, too. */
Test(contexts, the_first_step_is_priced_as_it_is) {
  static const char *const texts[] = { chol_1, chol_2 };
  static const int64_t points[][2] = { { 512, 64 }, { 500, 100 }, { 128, 128 }, { 200, 120 }, { 104, 8 }, { 64, 40 } };
  for (size_t k = 0; k < 2; k++) {
    struct perfpred_program *program = parse(context, texts[k]);
    struct perfpred_models *models = generate(&program, 1, PERFPRED_CONTEXTS_INSTEAD, 512, NULL);
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
      double measured = measure(program, points[i][0], points[i][1]);
      struct perfpred_prediction prediction = predict(program, models, 0, points[i][0], points[i][1]);
      cr_expect_eq(prediction.warm_calls, 0);
      cr_expect_eq(prediction.notes, 0);
      cr_expect_float_eq(prediction.time_s.med, measured, 1e-3 * measured,
                         "Cholesky %zu, n %lld b %lld: %g, measured %g", k + 1, (long long)points[i][0],
                         (long long)points[i][1], prediction.time_s.med, measured);
    }
    perfpred_models_unref(models);
    perfpred_program_unref(program);
  }
}

/* --- Samples ------------------------------------------------------------------------------------------------------- */

static int64_t calls; /* of the clock */

static double counted(void *data, const struct perfpred_virtual_call *call) {
  calls++;
  return cost(data, call) * (call->kernel_name[1] == 's' && call->sizes[0] > 100 ? 1.2 : 1.0);
}

static struct perfpred_models *generate_kept(struct perfpred_sampler *sampler, struct perfpred_program *program,
                                             enum perfpred_contexts contexts, const struct perfpred_models *known) {
  const struct perfpred_program *list[] = { program };
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  struct perfpred_models *models = NULL;
  struct perfpred_error error;
  options.contexts = contexts;
  options.n_upper = 256;
  options.b_upper = 128;
  options.keep_samples = 1;
  options.known = known;
  options.generator = PERFPRED_GENERATOR_PUBLISHED; /* of the calls alone: the others are what they are */
  cr_assert_ok(perfpred_generate(context, sampler, list, 1, &options, &models, NULL, &error), error);
  return models;
}

/* The sub-models alone, without the samples behind them. */
static char *submodels_of(const struct perfpred_models *models) {
  struct perfpred_error error;
  char *json = NULL;
  cr_assert_ok(perfpred_models_print(models, &json, &error), error);
  char *begin = strstr(json, "\n \"models\": ["), *end = strstr(json, "\n \"samples\": [");
  if (!end)
    end = strstr(json, "\n \"step_samples\": [");
  cr_assert(begin && end, "%s", json);
  char *text = strndup(begin, (size_t)(end - begin));
  perfpred_free(json);
  return text;
}

static void expect_same(const struct perfpred_models *a, const struct perfpred_models *b) {
  char *one = submodels_of(a), *two = submodels_of(b);
  cr_expect_str_eq(one, two);
  free(one);
  free(two);
}

/* What is kept, saved and loaded serves the next generation, which measures nothing, and a refit: both make the same models. */
Test(contexts, samples_of_steps_are_kept) {
  static const enum perfpred_contexts kinds[] = { PERFPRED_CONTEXTS_INSTEAD, PERFPRED_CONTEXTS_BESIDE };
  for (size_t i = 0; i < 2; i++) {
    struct perfpred_program *program = parse(context, chol_2);
    struct perfpred_sampler *sampler = virtual_sampler(context, counted, NULL);
    struct perfpred_models *models = generate_kept(sampler, program, kinds[i], NULL), *loaded = NULL, *fresh = NULL;
    struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
    struct perfpred_error error;
    char *json = NULL;
    cr_assert_ok(perfpred_models_print(models, &json, &error), error);
    cr_assert_ok(perfpred_models_load_memory(context, json, strlen(json), "text", NULL, &loaded, &error), error);
    int64_t before = calls;
    struct perfpred_models *again = generate_kept(sampler, program, kinds[i], loaded);
    cr_expect_eq(calls, before, "%lld calls were measured again", (long long)(calls - before));
    expect_same(again, models);
    cr_assert_ok(perfpred_models_refit(loaded, sampler, NULL, &fresh, &report, &error), error);
    cr_expect_eq(calls, before);
    cr_expect_eq(report.kept, 0);
    cr_expect_eq(report.missing, 0);
    expect_same(fresh, models);
    perfpred_free(json);
    perfpred_models_unref(fresh);
    perfpred_models_unref(again);
    perfpred_models_unref(loaded);
    perfpred_models_unref(models);
    perfpred_sampler_destroy(sampler);
    perfpred_program_unref(program);
  }
}

/* Another algorithm of the same name has other sizes in its steps: its calls are measured, and the others' samples stay. */
Test(contexts, samples_of_another_program_are_not_taken) {
  static const char other[] = "perfpred-text 1\n"
                              "algorithm two(n, b)\n"
                              "  cost n*(n+1)*(2*n+1)/6\n"
                              "  inout A: double spd triangle(L)[n]\n"
                              "  for i in 0:n by b as w\n"
                              "    dsyrk(L, N, w, i + w, -1, A[i, 0], 1, A[i, i])\n"
                              "    dpotrf2(L, w, A[i, i])\n"
                              "  end\n"
                              "end\n";
  struct perfpred_program *programs[] = { parse(context, chol_2), parse(context, other) };
  struct perfpred_sampler *sampler = virtual_sampler(context, counted, NULL);
  struct perfpred_models *models = generate_kept(sampler, programs[0], PERFPRED_CONTEXTS_INSTEAD, NULL);
  int64_t before = calls;
  struct perfpred_models *others = generate_kept(sampler, programs[1], PERFPRED_CONTEXTS_INSTEAD, models);
  cr_expect_gt(calls, before);
  perfpred_models_unref(others);
  perfpred_models_unref(models);
  perfpred_sampler_destroy(sampler);
  perfpred_program_unref(programs[0]);
  perfpred_program_unref(programs[1]);
}

/* --- What is not as expected --------------------------------------------------------------------------------------- */

static enum perfpred_status generate_with(enum perfpred_contexts contexts, struct perfpred_models **models,
                                          struct perfpred_error *error) {
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  struct perfpred_program *program = parse(context, chol_3);
  const struct perfpred_program *list[] = { program };
  struct perfpred_sampler *sampler = virtual_sampler(context, cost, NULL);
  options.contexts = contexts;
  enum perfpred_status status = perfpred_generate(context, sampler, list, 1, &options, models, NULL, error);
  perfpred_sampler_destroy(sampler);
  perfpred_program_unref(program);
  return status;
}

Test(contexts, options_are_checked) {
  struct perfpred_models *models = NULL;
  struct perfpred_error error;
  cr_expect_eq(generate_with((enum perfpred_contexts)3, &models, &error), PERFPRED_INVALID);
  cr_expect_not_null(strstr(error.text, "options.contexts: 3"), "%s", error.text);
  cr_expect_eq(generate_with((enum perfpred_contexts) - 1, &models, &error), PERFPRED_INVALID);
  cr_expect_null(models);
}

/* A clock that says NaN fails the generation, whose models were half made. */
static double failing(void *data, const struct perfpred_virtual_call *call) {
  int *left = data;
  (void)call;
  return --*left < 0 ? (double)NAN : 1e-6;
}

Test(contexts, a_call_that_fails_is_named) {
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  struct perfpred_program *program = parse(context, chol_3);
  const struct perfpred_program *list[] = { program };
  int left = 100;
  struct perfpred_sampler *sampler = virtual_sampler(context, failing, &left);
  struct perfpred_models *models = NULL;
  struct perfpred_error error;
  options.contexts = PERFPRED_CONTEXTS_BESIDE;
  cr_expect_eq(perfpred_generate(context, sampler, list, 1, &options, &models, NULL, &error), PERFPRED_NUMERIC);
  cr_expect_not_null(strstr(error.text, "virtual clock"), "%s", error.text);
  cr_expect_null(models);
  perfpred_sampler_destroy(sampler);
  perfpred_program_unref(program);
}

static void expect_corrupt(const char *json, const char *part, const char *instead, const char *named) {
  const char *at = strstr(json, part);
  struct perfpred_models *models = NULL;
  struct perfpred_error error;
  cr_assert_not_null(at, "%s", part);
  size_t before = (size_t)(at - json), length = strlen(json) - strlen(part) + strlen(instead);
  char *spoilt = malloc(length + 1);
  cr_assert_not_null(spoilt);
  memcpy(spoilt, json, before);
  memcpy(spoilt + before, instead, strlen(instead));
  memcpy(spoilt + before + strlen(instead), at + strlen(part), strlen(at + strlen(part)) + 1);
  cr_expect_eq(perfpred_models_load_memory(context, spoilt, length, "spoilt", NULL, &models, &error), PERFPRED_CORRUPT,
               "%s: %s", instead, error.text);
  cr_expect_not_null(strstr(error.text, named), "%s", error.text);
  cr_expect_null(models);
  free(spoilt);
}

/* dtrsm of Cholesky 3 is m = rest, n = width, of the sizes width and rest. */
Test(contexts, spoilt_files_are_refused) {
  struct perfpred_program *program = parse(context, chol_3);
  struct perfpred_models *models = generate(&program, 1, PERFPRED_CONTEXTS_INSTEAD, 256, NULL);
  struct perfpred_error error;
  char *json = NULL;
  cr_assert_ok(perfpred_models_print(models, &json, &error), error);
  static const char good[] = "\"step\": {\"arguments\": [0, 1, 0, 1, 0, 0], \"limit\": 0, \"sharing\": [0, 1]}";
  cr_assert_not_null(strstr(json, good), "%s", json);
  expect_corrupt(json, good, "\"step\": 5", "step");
  expect_corrupt(json, good, "\"step\": {\"arguments\": [0, 1, 0], \"limit\": 0, \"sharing\": [0, 1]}", "arguments");
  expect_corrupt(json, good, "\"step\": {\"arguments\": [0, 1, 0, 1, 0, 2e9], \"limit\": 0, \"sharing\": [0, 1]}",
                 "arguments");
  expect_corrupt(json, good, "\"step\": {\"arguments\": [0, 1, 0, 1, 0, 0], \"limit\": -1, \"sharing\": [0, 1]}",
                 "limit");
  expect_corrupt(json, good, "\"step\": {\"arguments\": [0, 1, 0, 1, 0, 0], \"limit\": 0, \"sharing\": [0, 2]}",
                 "sharing");
  expect_corrupt(json, good, "\"step\": {\"arguments\": [0, 1, 0, 1, 0, 0], \"limit\": 0}", "sharing");
  expect_corrupt(json, "\"context\": \"three:1\"", "\"context\": \"\"", "context");
  perfpred_free(json);
  perfpred_models_unref(models);
  perfpred_program_unref(program);
}

/* Another text of the same name: its calls are others, or the same ones with other sizes. */
Test(contexts, another_program_of_that_name_has_no_models) {
  static const char other[] = "perfpred-text 1\n"
                              "algorithm three(n, b)\n"
                              "  cost n*(n+1)*(2*n+1)/6\n"
                              "  inout A: double spd triangle(L)[n]\n"
                              "  for i in 0:n by b as w\n"
                              "    dpotrf2(L, w, A[i, i])\n"
                              "    dtrsm(R, L, T, N, n - i - w, w, 1, A[i, i], A[i+w, i])\n"
                              "    dsyrk(L, N, w, i, -1, A[i, 0], 1, A[i, i])\n"
                              "  end\n"
                              "end\n";
  struct perfpred_program *programs[] = { parse(context, chol_3), parse(context, other) };
  struct perfpred_models *models = generate(programs, 1, PERFPRED_CONTEXTS_INSTEAD, 256, NULL);
  struct perfpred_plan_options options = PERFPRED_PLAN_OPTIONS_INIT;
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  struct perfpred_plan *plan = NULL;
  struct perfpred_error error;
  cr_assert_ok(perfpred_plan_create(programs[1], models, &options, &plan, &error), error);
  cr_expect_eq(perfpred_plan_predict(plan, (int64_t[]){ 250, 40 }, 2, &prediction, &error), PERFPRED_UNMODELLED);
  cr_expect_not_null(strstr(error.text, "dsyrk"), "%s", error.text);
  perfpred_plan_destroy(plan);
  options.partial = 1;
  cr_assert_ok(perfpred_plan_create(programs[1], models, &options, &plan, &error), error);
  cr_assert_ok(perfpred_plan_predict(plan, (int64_t[]){ 250, 40 }, 2, &prediction, &error), error);
  cr_expect(prediction.notes & PERFPRED_NOTE_UNMODELLED);
  cr_expect_eq(prediction.context_calls, 13, "dpotrf2 of 7 steps, dtrsm of the 6 that leave something");
  perfpred_plan_destroy(plan);
  perfpred_models_unref(models);
  perfpred_program_unref(programs[0]);
  perfpred_program_unref(programs[1]);
}

/* Beyond the largest n a left-looking step may still lie in the box of its sizes: done 200, width 8 and rest 200 of n = 408, with models
   to n = 256. It is no step that was sampled. */
Test(contexts, parts_of_a_larger_matrix_are_beyond_the_domain) {
  struct perfpred_program *program = parse(context, chol_2);
  struct perfpred_models *models = generate(&program, 1, PERFPRED_CONTEXTS_INSTEAD, 256, NULL);
  struct perfpred_plan_options options = PERFPRED_PLAN_OPTIONS_INIT;
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  struct perfpred_plan *plan = make_plan(program, models);
  struct perfpred_error error;
  cr_assert_ok(perfpred_plan_predict(plan, (int64_t[]){ 256, 8 }, 2, &prediction, &error), error);
  cr_expect_eq(prediction.notes, 0);
  cr_expect_eq(perfpred_plan_predict(plan, (int64_t[]){ 264, 8 }, 2, &prediction, &error), PERFPRED_OUT_OF_DOMAIN);
  cr_expect_not_null(strstr(error.text, "with a sum of at most 256"), "%s", error.text);
  perfpred_plan_destroy(plan);
  options.extrapolate = 1;
  cr_assert_ok(perfpred_plan_create(program, models, &options, &plan, &error), error);
  cr_assert_ok(perfpred_plan_predict(plan, (int64_t[]){ 288, 32 }, 2, &prediction, &error), error);
  cr_expect(prediction.notes & PERFPRED_NOTE_EXTRAPOLATED);
  double measured = measure(program, 288, 32);
  cr_expect_float_eq(prediction.time_s.med, measured, 0.05 * measured, "%g, measured %g", prediction.time_s.med,
                     measured);
  perfpred_plan_destroy(plan);
  perfpred_models_unref(models);
  perfpred_program_unref(program);
}

/* Of both kinds of models those of calls alone answer where they are inside and the others are not: of n = 288, with models to n = 256,
   dpotrf2 of the first step, whose rest of 256 is too large. dtrsm and dsyrk are beyond both. */
Test(contexts, calls_alone_help_out_where_they_can) {
  struct perfpred_program *program = parse(context, chol_3);
  struct perfpred_models *models = generate(&program, 1, PERFPRED_CONTEXTS_BESIDE, 256, NULL);
  struct perfpred_plan_options options = PERFPRED_PLAN_OPTIONS_INIT;
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  struct perfpred_plan *plan = make_plan(program, models);
  struct perfpred_error error;
  cr_expect_eq(perfpred_plan_predict(plan, (int64_t[]){ 288, 32 }, 2, &prediction, &error), PERFPRED_OUT_OF_DOMAIN);
  cr_expect_not_null(strstr(error.text, "dtrsm(R,L,T,N,1) in a step with width = 32, rest = 256"), "%s", error.text);
  perfpred_plan_destroy(plan);
  options.extrapolate = 1;
  cr_assert_ok(perfpred_plan_create(program, models, &options, &plan, &error), error);
  cr_assert_ok(perfpred_plan_predict(plan, (int64_t[]){ 288, 32 }, 2, &prediction, &error), error);
  cr_expect_eq(prediction.warm_calls, 1);
  cr_expect_eq(prediction.context_calls, 9 * 3 - 2 - 1, "the last step is dpotrf2 alone");
  perfpred_plan_destroy(plan);
  perfpred_models_unref(models);
  perfpred_program_unref(program);
}

/* The last columns of DGEQRF are not blocked: a call outside of the loop, which is priced as a call alone. */
Test(contexts, both_kinds_of_models_add_up) {
  struct perfpred_program *program = NULL;
  struct perfpred_error error;
  cr_assert_ok(perfpred_program_find(context, "dgeqrf", &program, &error), error);
  struct perfpred_models *models = generate(&program, 1, PERFPRED_CONTEXTS_INSTEAD, 256, NULL);
  struct perfpred_prediction prediction = predict(program, models, 0, 256, 32);
  /* 4 blocks of 32 columns before the 128 that are not blocked: 8 calls in a step each and 32 copies; the last call */
  cr_expect_eq(prediction.context_calls, 4 * (8 + 32));
  cr_expect_eq(prediction.warm_calls, 1);
  perfpred_models_unref(models);
  perfpred_program_unref(program);
}

static double slower(void *data, const struct perfpred_virtual_call *call) {
  return 3.0 * cost(data, call);
}

/* A file that is added to may hold models of several ranges: those of the last generation answer where they can. */
Test(contexts, the_newest_of_several_domains_answers) {
  struct perfpred_program *program = parse(context, chol_3);
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  struct perfpred_models *wide = generate(&program, 1, PERFPRED_CONTEXTS_INSTEAD, 512, NULL), *both = NULL;
  struct perfpred_error error;
  options.contexts = PERFPRED_CONTEXTS_INSTEAD;
  options.n_upper = 256;
  options.b_upper = 128;
  struct perfpred_models *narrow = virtual_models(context, &program, 1, &options, slower, NULL);
  cr_assert_ok(perfpred_models_merge(wide, narrow, NULL, &both, &error), error);
  cr_assert_eq(perfpred_models_count(both), 6);
  struct perfpred_prediction old = predict(program, wide, 0, 200, 40), now = predict(program, both, 0, 200, 40);
  cr_expect_float_eq(now.time_s.med, 3.0 * old.time_s.med, 0.01 * now.time_s.med);
  cr_expect_gt(predict(program, both, 0, 512, 40).time_s.med, 0.0);
  perfpred_models_unref(both);
  perfpred_models_unref(narrow);
  perfpred_models_unref(wide);
  perfpred_program_unref(program);
}
