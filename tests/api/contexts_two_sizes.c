/* SPDX-License-Identifier: BSD-3-Clause */
/* Models of calls in the steps of algorithms of two sizes, whose loops lie inside each other: Sylvester's, on a virtual clock on which a call's
   time depends on the call before it. */
#include "world.h"

static struct perfpred_context *context;

static void begin(void) {
  context = make_context();
}

static void finish(void) {
  perfpred_context_destroy(context);
}

TestSuite(contexts_two_sizes, .init = begin, .fini = finish);

static double alone_s(double flops) {
  return 1e-6 + flops / 10e9;
}

/* Twice as long after a dgemm as alone, three times as long after a dtrsyl. In Sylvester's one-dimensional algorithms every dgemm comes after a
   dtrsyl, and every dtrsyl but the first call of all after a dgemm. */
static double cost(void *data, const struct perfpred_virtual_call *call) {
  const double factor = !call->previous ? 1.0 : strcmp(call->previous, "dgemm") == 0 ? 2.0 : 3.0;
  (void)data;
  return factor * alone_s(call->flops);
}

static struct perfpred_program *find(const char *name) {
  struct perfpred_program *program = NULL;
  struct perfpred_error error;
  cr_assert_ok(perfpred_program_find(context, name, &program, &error), error);
  return program;
}

static struct perfpred_models *generate(struct perfpred_program *const *programs, size_t count,
                                        enum perfpred_contexts contexts) {
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  options.contexts = contexts;
  options.n_upper = 256;
  options.b_upper = 96;
  options.repetitions = 3;
  return virtual_models(context, programs, count, &options, cost, NULL);
}

static struct perfpred_prediction predict(struct perfpred_program *program, struct perfpred_models *models, int warm,
                                          const int64_t *sizes, size_t count) {
  struct perfpred_plan_options options = PERFPRED_PLAN_OPTIONS_INIT;
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  struct perfpred_plan *plan = NULL;
  struct perfpred_error error;
  options.warm = warm;
  cr_assert_ok(perfpred_plan_create(program, models, &options, &plan, &error), error);
  cr_assert_ok(perfpred_plan_predict(plan, sizes, count, &prediction, &error), error);
  perfpred_plan_destroy(plan);
  return prediction;
}

static double measure(struct perfpred_program *program, const int64_t *sizes, size_t count) {
  struct perfpred_measurement measurement = PERFPRED_MEASUREMENT_INIT;
  struct perfpred_error error;
  struct perfpred_sampler *sampler = virtual_sampler(context, cost, NULL);
  cr_assert_ok(perfpred_measure(sampler, program, sizes, count, NULL, &measurement, &error), error);
  perfpred_sampler_destroy(sampler);
  return measurement.time_s.med;
}

/* The first call, a dtrsyl of the first block, takes as long as alone and is priced as the others: twice that. All else is exact. */
static void expect_exact(struct perfpred_program *program, struct perfpred_models *models, int64_t m, int64_t n,
                         int64_t b) {
  const double h = (double)(m < b ? m : b), w = (double)(n < b ? n : b);
  const int64_t sizes[] = { m, n, b };
  const double measured = measure(program, sizes, 3), wanted = measured + alone_s(h * w * (h + w));
  const struct perfpred_prediction steps = predict(program, models, 0, sizes, 3);
  cr_expect_eq(steps.warm_calls, 0);
  cr_expect_eq(steps.notes, 0);
  cr_expect_float_eq(steps.time_s.med, wanted, 0.002 * wanted, "%s m %lld n %lld b %lld: %g, expected %g",
                     perfpred_program_name(program), (long long)m, (long long)n, (long long)b, steps.time_s.med,
                     wanted);
}

/* Sizes of which none, one and both are multiples of the block size; both tall and wide ones. */
Test(contexts_two_sizes, the_one_dimensional_algorithms) {
  static const char *const names[] = { "sylv-m1n1", "sylv-m1n2", "sylv-m2n1", "sylv-m2n2",
                                       "sylv-n1m1", "sylv-n1m2", "sylv-n2m1", "sylv-n2m2" };
  for (size_t i = 0; i < 8; i++) {
    struct perfpred_program *program = find(names[i]);
    struct perfpred_models *models = generate(&program, 1, PERFPRED_CONTEXTS_INSTEAD);
    cr_expect_eq(perfpred_models_count(models), 3, "%s: a dgemm in either loop and the dtrsyl, not %zu", names[i],
                 perfpred_models_count(models));
    expect_exact(program, models, 256, 256, 64);
    expect_exact(program, models, 250, 192, 64);
    expect_exact(program, models, 130, 256, 40);
    expect_exact(program, models, 200, 88, 24);
    perfpred_models_unref(models);
    perfpred_program_unref(program);
  }
}

/* Calls alone would have it that everything takes a half or a third. */
Test(contexts_two_sizes, calls_alone_stand_beside_them) {
  struct perfpred_program *program = find("sylv-m2n1");
  struct perfpred_models *models = generate(&program, 1, PERFPRED_CONTEXTS_BESIDE);
  const int64_t sizes[] = { 256, 256, 32 };
  const struct perfpred_prediction steps = predict(program, models, 0, sizes, 3),
                                   alone = predict(program, models, 1, sizes, 3);
  cr_expect_eq(steps.context_calls, alone.warm_calls);
  cr_expect_eq(alone.context_calls, 0);
  cr_expect_gt(steps.time_s.med, 2.0 * alone.time_s.med);
  cr_expect_lt(steps.time_s.med, 3.0 * alone.time_s.med);
  expect_exact(program, models, 256, 256, 32);
  perfpred_models_unref(models);
  perfpred_program_unref(program);
}

static void expect_model(const struct perfpred_models *models, const char *name, const char *kernel,
                         const char *const *sizes, const int64_t *upper) {
  for (size_t i = 0; i < perfpred_models_count(models); i++) {
    struct perfpred_model_info info = PERFPRED_MODEL_INFO_INIT;
    struct perfpred_error error;
    cr_assert_ok(perfpred_models_info(models, i, &info, &error), error);
    if (strcmp(info.context, name) != 0)
      continue;
    cr_expect_str_eq(info.kernel, kernel);
    cr_assert_eq(info.dimensions, 3);
    for (int d = 0; d < 3; d++) {
      cr_expect_str_eq(info.size_names[d], sizes[d]);
      cr_expect_eq(info.lower[d], 8, "%s: %s from %lld", name, sizes[d], (long long)info.lower[d]);
      cr_expect_eq(info.upper[d], upper[d], "%s: %s to %lld", name, sizes[d], (long long)info.upper[d]);
    }
    return;
  }
  cr_expect_fail("no model of %s", name);
}

/* m1n1: in the outer loop dgemm of what is done below, in the inner one of what is done on the left, in panels as high as a block, and dtrsyl.
   Both loops' models are found again in a file. */
Test(contexts_two_sizes, models_belong_to_either_loop) {
  static const char *const sizes[] = { "done", "width", "other" };
  struct perfpred_program *program = find("sylv-m1n1");
  struct perfpred_models *models = generate(&program, 1, PERFPRED_CONTEXTS_INSTEAD), *loaded = NULL;
  struct perfpred_error error;
  char *json = NULL;
  cr_assert_ok(perfpred_models_print(models, &json, &error), error);
  cr_assert_ok(perfpred_models_load_memory(context, json, strlen(json), "text", NULL, &loaded, &error), error);
  cr_assert_eq(perfpred_models_count(loaded), 3);
  expect_model(loaded, "sylv2-m1n1:0", "dgemm", sizes, (const int64_t[]){ 256, 96, 256 });
  expect_model(loaded, "sylv2-n1:0", "dgemm", sizes, (const int64_t[]){ 256, 96, 96 });
  expect_model(loaded, "sylv2-n1:sylv2-0:0", "dtrsyl", sizes, (const int64_t[]){ 256, 96, 96 });
  expect_exact(program, loaded, 200, 250, 40);
  perfpred_free(json);
  perfpred_models_unref(loaded);
  perfpred_models_unref(models);
  perfpred_program_unref(program);
}

/* Panels of diagonal algorithms are solved by the one-dimensional ones, whose calls have models; those of the diagonal loop itself, which goes
   through both sizes at once, are priced as calls alone. k of 0..3 with m = n = 256, b = 64: panels of k blocks each on either side, k dtrsyl and
   k - 1 dgemm in each: in all 12 and 6; alone 4 dtrsyl and, where they have work, four dgemm in three steps. */
Test(contexts_two_sizes, panels_of_diagonal_algorithms) {
  struct perfpred_program *program = find("sylv-d01-m1n1");
  struct perfpred_models *models = generate(&program, 1, PERFPRED_CONTEXTS_INSTEAD);
  const struct perfpred_prediction prediction = predict(program, models, 0, (const int64_t[]){ 256, 256, 64 }, 3);
  cr_expect_eq(prediction.context_calls, 12 + 6);
  cr_expect_eq(prediction.warm_calls, 4 + 3 * 4);
  perfpred_models_unref(models);
  perfpred_program_unref(program);
}

/* One that is also run by itself has a first step with nothing before it, panels of any height, and a model for these. */
Test(contexts_two_sizes, panels_by_themselves) {
  struct perfpred_program *programs[] = { find("sylv-m1n1"), find("sylv2-n1") };
  struct perfpred_models *models = generate(programs, 2, PERFPRED_CONTEXTS_INSTEAD);
  const int64_t sizes[] = { 256, 240, 64, 64 };
  const double measured = measure(programs[1], sizes, 4);
  const struct perfpred_prediction prediction = predict(programs[1], models, 0, sizes, 4);
  cr_expect_eq(prediction.warm_calls, 0);
  cr_expect_float_eq(prediction.time_s.med, measured, 0.002 * measured, "%g, measured %g", prediction.time_s.med,
                     measured);
  perfpred_models_unref(models);
  perfpred_program_unref(programs[0]);
  perfpred_program_unref(programs[1]);
}
