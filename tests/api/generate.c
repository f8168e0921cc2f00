/* SPDX-License-Identifier: BSD-3-Clause */
/* Generating models on a virtual clock. */
#include "world.h"

static struct perfpred_context *context;
static struct perfpred_program *program;
static struct perfpred_sampler *sampler;

static double cost(void *data, const struct perfpred_virtual_call *call) {
  (void)data;
  return 1e-6 + call->flops / 10e9;
}

static void begin(void) {
  context = make_context();
  program = parse(context, chol_3);
  sampler = virtual_sampler(context, cost, NULL);
}

static void finish(void) {
  perfpred_sampler_destroy(sampler);
  perfpred_program_unref(program);
  perfpred_context_destroy(context);
}

TestSuite(generate, .init = begin, .fini = finish);

static enum perfpred_status generate(const struct perfpred_generate_options *options, struct perfpred_models **models,
                                     struct perfpred_generate_report *report, struct perfpred_error *error) {
  const struct perfpred_program *list[] = { program };
  return perfpred_generate(context, sampler, list, 1, options, models, report, error);
}

Test(generate, makes_what_the_program_needs) {
  struct perfpred_models *models = NULL;
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  struct perfpred_error error;
  cr_assert_ok(generate(NULL, &models, &report, &error), error);
  cr_assert_eq(perfpred_models_count(models), 3);
  cr_assert_eq(report.models, 3);
  cr_assert_eq(report.disturbed, 0);
  cr_assert_eq(report.budget_exhausted, 0);
  cr_assert(report.points > 0 && report.samples >= 3 * report.points);
  cr_assert(report.max_error >= 0.0 && report.max_error < 1e-6);
  cr_assert_eq(report.pass_rate, 1.0);
  cr_assert(report.measure_s > 0.0 && report.wall_s > 0.0);
  const struct {
    const char *kernel, *case_text;
    int64_t upper[2];
  } wanted[] = { { "dpotrf2", "L", { 256, 0 } },
                 { "dtrsm", "R,L,T,N,1", { 1016, 256 } },
                 { "dsyrk", "L,N,-1,1", { 1016, 256 } } };
  for (size_t k = 0; k < 3; k++) {
    size_t i = 0;
    struct perfpred_model_info info = PERFPRED_MODEL_INFO_INIT;
    do {
      cr_assert_ok(perfpred_models_info(models, i++, &info, &error), error);
    } while (strcmp(info.kernel, wanted[k].kernel) != 0);
    cr_assert_str_eq(info.case_text, wanted[k].case_text);
    for (size_t d = 0; d < info.dimensions; d++) {
      cr_assert_eq(info.lower[d], 8);
      cr_assert_eq(info.upper[d], wanted[k].upper[d]);
    }
  }
  perfpred_models_unref(models);
}

Test(generate, the_same_twice) {
  struct perfpred_models *models[2];
  char *json[2];
  struct perfpred_error error;
  for (int i = 0; i < 2; i++) {
    perfpred_sampler_destroy(sampler);
    sampler = virtual_sampler(context, cost, NULL);
    cr_assert_ok(generate(NULL, &models[i], NULL, &error), error);
    cr_assert_ok(perfpred_models_print(models[i], &json[i], &error), error);
  }
  const char *a = strstr(json[0], "\"models\""), *b = strstr(json[1], "\"models\"");
  cr_assert(a && b);
  cr_assert_str_eq(a, b);
  for (int i = 0; i < 2; i++) {
    perfpred_free(json[i]);
    perfpred_models_unref(models[i]);
  }
}

/* Saved and loaded, models answer as before. */
Test(generate, survives_saving) {
  struct perfpred_models *models = NULL, *loaded = NULL;
  char *json = NULL;
  struct perfpred_error error;
  cr_assert_ok(generate(NULL, &models, NULL, &error), error);
  cr_assert_ok(perfpred_models_print(models, &json, &error), error);
  cr_assert_ok(perfpred_models_load_memory(context, json, strlen(json), "text", NULL, &loaded, &error), error);
  struct perfpred_plan *one = make_plan(program, models), *two = make_plan(program, loaded);
  struct perfpred_prediction a = PERFPRED_PREDICTION_INIT, b = PERFPRED_PREDICTION_INIT;
  cr_assert_ok(perfpred_plan_predict(one, (int64_t[]){ 1000, 100 }, 2, &a, &error), error);
  cr_assert_ok(perfpred_plan_predict(two, (int64_t[]){ 1000, 100 }, 2, &b, &error), error);
  cr_assert_eq(memcmp(&a.time_s, &b.time_s, sizeof a.time_s), 0);
  perfpred_plan_destroy(one);
  perfpred_plan_destroy(two);
  perfpred_models_unref(models);
  perfpred_models_unref(loaded);
  perfpred_free(json);
}

struct watching {
  int calls, stop_after;
  double fraction;
  int fell;
};

static int watch(void *data, const struct perfpred_progress *progress) {
  struct watching *watching = data;
  cr_assert_not_null(progress->stage);
  watching->fell |= progress->fraction < watching->fraction || progress->fraction > 1.0;
  watching->fraction = progress->fraction;
  return ++watching->calls == watching->stop_after;
}

Test(generate, tells_its_progress) {
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  struct watching watching = { 0 };
  struct perfpred_models *models = NULL;
  struct perfpred_error error;
  options.progress = watch;
  options.progress_data = &watching;
  cr_assert_ok(generate(&options, &models, NULL, &error), error);
  cr_assert_gt(watching.calls, 0);
  cr_assert_eq(watching.fell, 0);
  perfpred_models_unref(models);
}

Test(generate, can_be_cancelled) {
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  struct watching watching = { 0 };
  struct perfpred_models *models = NULL;
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT, untouched = report;
  struct perfpred_error error;
  options.progress = watch;
  options.progress_data = &watching;
  watching.stop_after = 1;
  cr_assert_eq(generate(&options, &models, &report, &error), PERFPRED_CANCELLED);
  cr_assert_null(models);
  cr_assert_eq(memcmp(&report, &untouched, sizeof report), 0);
  cr_assert_eq(error.status, PERFPRED_CANCELLED);
  cr_assert(error.text[0]);
}

/* The budget is of wall time, of which a virtual clock takes next to none. */
Test(generate, accepts_a_budget) {
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  struct perfpred_models *models = NULL;
  struct perfpred_error error;
  options.budget_s = 100.0;
  cr_assert_ok(generate(&options, &models, NULL, &error), error);
  perfpred_models_unref(models);
}

static double slow(void *data, const struct perfpred_virtual_call *call) {
  const double ripple = (call->sizes[0] / 8 + call->sizes[call->size_count - 1] / 8) % 2 ? 1.0 : 1.1;
  return 100.0 * ripple * cost(data, call);
}

/* What was spent before is missing; what cannot be shortened is told. On this clock nothing takes time but the calls. */
Test(generate, a_budget_of_which_a_part_is_spent) {
  static const double spent_s[] = { 0.0, 15.0, 30.0 };
  double walls_s[3];
  perfpred_sampler_destroy(sampler);
  sampler = virtual_sampler(context, slow, NULL);
  for (int i = 0; i < 3; i++) {
    struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
    struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
    struct perfpred_models *models = NULL;
    struct perfpred_error error;
    options.budget_s = 20.0;
    options.spent_s = spent_s[i];
    cr_assert_ok(generate(&options, &models, &report, &error), error);
    cr_assert_eq(report.budget_exhausted, 1);
    cr_assert_eq(report.floor_s > options.budget_s, i == 2, "%g", report.floor_s);
    cr_assert_geq(report.floor_s, spent_s[i]);
    cr_assert(i == 2 || report.wall_s <= 1.1 * (20.0 - spent_s[i]), "%g s", report.wall_s);
    cr_assert(i == 2 || report.wall_s >= 0.5 * (20.0 - spent_s[i]), "%g s", report.wall_s);
    walls_s[i] = report.wall_s;
    struct perfpred_generate_options told = PERFPRED_GENERATE_OPTIONS_INIT;
    cr_assert_ok(perfpred_models_options(models, &told, &error), error);
    cr_assert_eq(told.budget_s, 20.0);
    cr_assert_eq(told.spent_s, 0.0);
    perfpred_models_unref(models);
  }
  cr_assert_lt(walls_s[1], walls_s[0]);
  cr_assert_lt(walls_s[2], walls_s[1]);
}

/* A caller of an older release that knew only the ranges. */
Test(generate, options_of_a_smaller_size) {
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  struct perfpred_models *models = NULL;
  struct perfpred_error error;
  options.size = offsetof(struct perfpred_generate_options, overfitting);
  options.n_upper = 128;
  options.b_upper = 32;
  options.overfitting = -1000; /* these are not its own */
  options.budget_s = -1.0;
  cr_assert_ok(generate(&options, &models, NULL, &error), error);
  cr_assert_eq(perfpred_models_count(models), 3);
  perfpred_models_unref(models);
}

Test(generate, bad_options) {
  const struct perfpred_generate_options fresh = PERFPRED_GENERATE_OPTIONS_INIT;
  struct perfpred_generate_options wrong[15];
  for (int i = 0; i < 15; i++)
    wrong[i] = fresh;
  wrong[0].n_lower = -8;
  wrong[1].n_lower = 512;
  wrong[1].n_upper = 256;
  wrong[2].b_lower = 512;
  wrong[2].b_upper = 8;
  wrong[3].repetitions = -1;
  wrong[4].error_bound = -0.01;
  wrong[5].error_bound = (double)NAN;
  wrong[6].budget_s = -1.0;
  wrong[7].grid = (enum perfpred_grid)7;
  wrong[8].error_measure = (enum perfpred_error_measure)9;
  wrong[9].overfitting = -2;
  wrong[10].size = 0;
  wrong[11].reference = (enum perfpred_reference) - 1;
  wrong[12].generator = (enum perfpred_generator)3;
  wrong[13].spent_s = -1.0;
  wrong[14].spent_s = (double)NAN;
  for (int i = 0; i < 15; i++) {
    struct perfpred_models *models = NULL;
    struct perfpred_error error;
    cr_assert_eq(generate(&wrong[i], &models, NULL, &error), PERFPRED_INVALID, "wrong[%d]: %s", i, error.text);
    cr_assert(error.text[0], "wrong[%d] is refused without a word", i);
    cr_assert_null(models);
  }
}

Test(generate, bad_arguments) {
  const struct perfpred_program *list[] = { program, NULL };
  struct perfpred_models *models = NULL;
  struct perfpred_generate_report report = { 0 };
  struct perfpred_error error;
  cr_assert_eq(perfpred_generate(NULL, sampler, list, 1, NULL, &models, NULL, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_generate(context, NULL, list, 1, NULL, &models, NULL, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_generate(context, sampler, NULL, 1, NULL, &models, NULL, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_generate(context, sampler, list, 0, NULL, &models, NULL, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_generate(context, sampler, list, 2, NULL, &models, NULL, &error), PERFPRED_INVALID);
  cr_assert(strstr(error.text, "programs[1]"));
  cr_assert_eq(perfpred_generate(context, sampler, list, 1, NULL, NULL, NULL, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_generate(context, sampler, list, 1, NULL, &models, &report, &error), PERFPRED_INVALID);
  cr_assert(strstr(error.text, "report"));
  cr_assert_null(models);
}

/* A clock that says nonsense for one call: the kernel failed. */
static double failing(void *data, const struct perfpred_virtual_call *call) {
  (void)data;
  return strcmp(call->kernel_name, "dsyrk") == 0 ? (double)NAN : 1e-6;
}

Test(generate, a_failing_kernel) {
  struct perfpred_models *models = NULL;
  struct perfpred_error error;
  perfpred_sampler_destroy(sampler);
  sampler = virtual_sampler(context, failing, NULL);
  cr_assert_eq(generate(NULL, &models, NULL, &error), PERFPRED_NUMERIC);
  cr_assert(strstr(error.text, "dsyrk"), "%s", error.text);
  cr_assert_null(models);
}

Test(generate, without_least_squares) {
  struct perfpred_models *models = NULL;
  struct perfpred_error error;
  perfpred_sampler_destroy(sampler);
  cr_assert_ok(perfpred_sampler_create_virtual(context, cost, NULL, NULL, &sampler, &error), error);
  cr_assert_eq(generate(NULL, &models, NULL, &error), PERFPRED_UNSUPPORTED);
  cr_assert_null(models);
}

Test(generate, programs_without_work) {
  struct perfpred_models *models = NULL;
  struct perfpred_error error;
  perfpred_program_unref(program);
  program = parse(context, "perfpred-text 1\n"
                           "algorithm idle(n)\n"
                           "  inout A: double matrix[n, n]\n"
                           "  dtrsm(L, L, N, N, 0, n, 1, A[0, 0], A[0, 0])\n"
                           "end\n");
  cr_assert_eq(generate(NULL, &models, NULL, &error), PERFPRED_INVALID);
  cr_assert(strstr(error.text, "idle"), "%s", error.text);
}

Test(generate, describes_the_sampler) {
  char *json = NULL;
  struct perfpred_error error;
  cr_assert_ok(perfpred_sampler_describe(sampler, &json, &error), error);
  cr_assert_eq(json[0], '{');
  cr_assert(strstr(json, "\"virtual\""));
  perfpred_free(json);
  cr_assert_eq(perfpred_sampler_describe(NULL, &json, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_sampler_describe(sampler, NULL, &error), PERFPRED_INVALID);
}
