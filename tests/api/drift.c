/* SPDX-License-Identifier: BSD-3-Clause */
/* Models against a virtual machine that changes its speed between generation and check: what comes out is known exactly. */
#include "world.h"

#include <jansson.h>

#include <perfpred/drift.h>

/* Speeds of the virtual machine: of all kernels, and of one. */
struct machine {
  double all, syrk, large; /* times as long; large: of calls above 2e7 flops */
  double loud;             /* of every other repetition */
  long calls, most;        /* cancels there; 0: never */
};

static struct perfpred_context *context;
static struct perfpred_program *program;
static struct machine machine;

static double cost(void *data, const struct perfpred_virtual_call *call) {
  struct machine *m = data;
  double time_s = (1e-6 + call->flops / 10e9) * m->all;
  m->calls++;
  if (strcmp(call->kernel_name, "dsyrk") == 0)
    time_s *= m->syrk;
  if (call->flops > 2e7)
    time_s *= m->large;
  return call->repetition % 10 < 5 ? time_s : time_s * m->loud;
}

static void begin(void) {
  machine = (struct machine){ 1.0, 1.0, 1.0, 1.0, 0, 0 };
  context = make_context();
  program = parse(context, chol_3);
}

static void finish(void) {
  perfpred_program_unref(program);
  perfpred_context_destroy(context);
}

TestSuite(drift, .init = begin, .fini = finish);

static struct perfpred_models *generate(const struct perfpred_generate_options *given,
                                        struct perfpred_generate_report *report) {
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  const struct perfpred_program *list[] = { program };
  struct perfpred_sampler *sampler = virtual_sampler(context, cost, &machine);
  struct perfpred_models *models = NULL;
  struct perfpred_error error;
  if (given)
    options = *given;
  options.n_upper = 600;
  options.b_upper = 128;
  cr_assert_ok(perfpred_generate(context, sampler, list, 1, &options, &models, report, &error), error);
  perfpred_sampler_destroy(sampler);
  return models;
}

static struct perfpred_drift *drift_of(struct perfpred_models *models) {
  struct perfpred_drift *drift = NULL;
  struct perfpred_error error;
  cr_assert_ok(perfpred_drift_create(models, &drift, &error), error);
  return drift;
}

static void measure(struct perfpred_drift *drift, const struct perfpred_drift_options *options) {
  struct perfpred_sampler *sampler = virtual_sampler(context, cost, &machine);
  struct perfpred_error error;
  cr_assert_ok(perfpred_drift_measure(drift, sampler, options, &error), error);
  perfpred_sampler_destroy(sampler);
}

static struct perfpred_drift_info info_of(const struct perfpred_drift *drift) {
  struct perfpred_drift_info info = PERFPRED_DRIFT_INFO_INIT;
  struct perfpred_error error;
  cr_assert_ok(perfpred_drift_describe(drift, &info, &error), error);
  return info;
}

static struct perfpred_drift_kernel kernel_of(const struct perfpred_drift *drift, const char *name) {
  struct perfpred_drift_kernel kernel = PERFPRED_DRIFT_KERNEL_INIT;
  for (size_t i = 0; perfpred_drift_kernel_at(drift, i, &kernel, NULL) == PERFPRED_OK; i++)
    if (strcmp(kernel.kernel, name) == 0)
      return kernel;
  cr_assert_fail("no kernel %s", name);
  return kernel;
}

static double predict(struct perfpred_models *models) {
  const int64_t parameters[] = { 512, 64 };
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  struct perfpred_plan *plan = make_plan(program, models);
  struct perfpred_error error;
  cr_assert_ok(perfpred_plan_predict(plan, parameters, 2, &prediction, &error), error);
  perfpred_plan_destroy(plan);
  return prediction.time_s.med;
}

static struct perfpred_models *apply(const struct perfpred_drift *drift, size_t expected) {
  struct perfpred_models *scaled = NULL;
  struct perfpred_error error;
  size_t count = 99;
  cr_assert_ok(perfpred_drift_apply(drift, &scaled, &count, &error), error);
  cr_assert_eq(count, expected, "%zu were scaled, expected %zu", count, expected);
  return scaled;
}

static char *text_of(const struct perfpred_models *models) {
  struct perfpred_error error;
  char *json = NULL;
  cr_assert_ok(perfpred_models_print(models, &json, &error), error);
  return json;
}

static struct perfpred_models *loaded(const char *json) {
  struct perfpred_models *models = NULL;
  struct perfpred_error error;
  cr_assert_ok(perfpred_models_load_memory(context, json, strlen(json), "text", NULL, &models, &error), error);
  return models;
}

/* --- Generation ----------------------------------------------------------------------------------------------------- */

Test(drift, a_generation_keeps_anchors_and_tells_of_them) {
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  struct perfpred_models *models = generate(NULL, &report);
  struct perfpred_model_info info = PERFPRED_MODEL_INFO_INIT;
  cr_assert_eq(perfpred_models_count(models), 3);
  size_t anchors = 0;
  for (size_t i = 0; i < 3; i++) {
    cr_assert_eq(perfpred_models_info(models, i, &info, NULL), PERFPRED_OK);
    cr_assert(info.anchors >= 2 && info.anchors <= 3, "%s has %zu", info.kernel, info.anchors);
    cr_assert_close(info.scale, 1.0, 0.0);
    cr_assert_str_eq(info.scaled_at, "");
    cr_assert_str_eq(info.scaled_from, "");
    anchors += info.anchors;
  }
  cr_assert_eq(report.anchors, anchors);
  cr_assert_close(report.anchor_change, 1.0, 1e-12);
  cr_assert(report.anchor_s > 0.0 && report.anchor_s < report.wall_s);
  perfpred_models_unref(models);
}

/* The speed changes when so many calls were made. */
static double changing(void *data, const struct perfpred_virtual_call *call) {
  long *calls = data;
  return (1e-6 + call->flops / 10e9) * (++*calls > 500 ? 1.25 : 1.0);
}

Test(drift, a_change_during_the_generation_is_told) {
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  const struct perfpred_program *list[] = { program };
  struct perfpred_models *models = NULL;
  struct perfpred_error error;
  long calls = 0;
  options.n_upper = 600;
  options.b_upper = 128;
  struct perfpred_sampler *sampler = virtual_sampler(context, changing, &calls);
  cr_assert_ok(perfpred_generate(context, sampler, list, 1, &options, &models, &report, &error), error);
  cr_assert_close(report.anchor_change, 1.25, 1e-12);
  perfpred_sampler_destroy(sampler);
  /* Then is the mean of both, and uncertain by half of what lies between them. */
  struct perfpred_drift *drift = drift_of(models);
  measure(drift, NULL);
  cr_assert_close(info_of(drift).ratio, 1.0 / 1.125, 1e-12);
  cr_assert_close(info_of(drift).noise, 0.125 / 1.125, 1e-12);
  cr_assert_eq(info_of(drift).verdict, PERFPRED_DRIFT_UNCLEAR);
  perfpred_drift_destroy(drift);
  perfpred_models_unref(models);
}

Test(drift, without_anchors_there_is_nothing_to_look_at) {
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  struct perfpred_error error;
  options.anchors = -1;
  struct perfpred_models *models = generate(&options, &report);
  struct perfpred_drift *drift = NULL;
  cr_assert_eq(report.anchors, 0);
  cr_assert(isnan(report.anchor_change));
  cr_assert_eq(perfpred_drift_create(models, &drift, &error), PERFPRED_NOT_FOUND);
  cr_assert(strstr(error.text, "no anchors"), "%s", error.text);
  cr_assert_null(drift);
  char *json = text_of(models);
  cr_assert_null(strstr(json, "anchors"));
  perfpred_free(json);
  perfpred_models_unref(models);
}

/* --- The same machine, a slower one --------------------------------------------------------------------------------- */

Test(drift, on_a_steady_machine_the_models_hold) {
  struct perfpred_models *models = generate(NULL, NULL);
  struct perfpred_drift *drift = drift_of(models);
  struct perfpred_drift_info info = info_of(drift);
  cr_assert_eq(info.verdict, PERFPRED_DRIFT_UNMEASURED);
  cr_assert(isnan(info.ratio) && isnan(info.noise));
  cr_assert_eq(info.kernels, 3);
  cr_assert_eq(info.measured, 0);
  measure(drift, NULL);
  info = info_of(drift);
  cr_assert_eq(info.verdict, PERFPRED_DRIFT_HOLDS);
  cr_assert_close(info.ratio, 1.0, 1e-12);
  cr_assert_eq(info.measured, info.anchors);
  cr_assert(info.wall_s > 0.0);
  struct perfpred_models *same = apply(drift, 0);
  char *before = text_of(models), *after = text_of(same);
  cr_assert_str_eq(after, before);
  perfpred_free(after);
  perfpred_free(before);
  perfpred_models_unref(same);
  perfpred_drift_destroy(drift);
  perfpred_models_unref(models);
}

Test(drift, a_machine_of_another_speed_is_seen_and_taken_out) {
  struct perfpred_models *models = generate(NULL, NULL);
  struct perfpred_drift *drift = drift_of(models);
  const double before_s = predict(models);
  machine.all = 1.07;
  measure(drift, NULL);
  cr_assert_eq(info_of(drift).verdict, PERFPRED_DRIFT_DRIFTED);
  cr_assert_close(info_of(drift).ratio, 1.07, 1e-12);
  cr_assert_close(kernel_of(drift, "dtrsm").ratio, 1.07, 1e-12);
  struct perfpred_models *scaled = apply(drift, 3);
  cr_assert_close(predict(scaled), 1.07 * before_s, 1e-12);
  cr_assert_close(predict(models), before_s, 0.0);
  perfpred_models_unref(scaled);
  perfpred_drift_destroy(drift);
  perfpred_models_unref(models);
}

Test(drift, kernels_are_told_apart) {
  struct perfpred_models *models = generate(NULL, NULL);
  struct perfpred_drift *drift = drift_of(models);
  machine.syrk = 0.8;
  measure(drift, NULL);
  const struct perfpred_drift_kernel syrk = kernel_of(drift, "dsyrk"), trsm = kernel_of(drift, "dtrsm");
  cr_assert_close(syrk.ratio, 0.8, 1e-12);
  cr_assert_close(syrk.threshold, 0.01, 1e-9);
  cr_assert_eq(syrk.verdict, PERFPRED_DRIFT_DRIFTED);
  cr_assert_close(trsm.ratio, 1.0, 1e-12);
  cr_assert_eq(trsm.verdict, PERFPRED_DRIFT_HOLDS);
  cr_assert_eq(info_of(drift).verdict, PERFPRED_DRIFT_DRIFTED);
  cr_assert_close(info_of(drift).ratio, 1.0, 1e-12);
  perfpred_models_unref(apply(drift, 1));
  perfpred_drift_destroy(drift);
  perfpred_models_unref(models);
}

/* By 0.9 % nothing is said, by 1.1 % it is: the threshold without noise is 1 %. */
Test(drift, the_threshold_is_kept) {
  struct perfpred_models *models = generate(NULL, NULL);
  struct perfpred_drift *drift = drift_of(models);
  machine.all = 1.009;
  measure(drift, NULL);
  cr_assert_eq(info_of(drift).verdict, PERFPRED_DRIFT_HOLDS);
  machine.all = 1.011;
  measure(drift, NULL);
  cr_assert_eq(info_of(drift).verdict, PERFPRED_DRIFT_DRIFTED);
  machine.all = 0.988;
  measure(drift, NULL);
  cr_assert_eq(info_of(drift).verdict, PERFPRED_DRIFT_DRIFTED);
  perfpred_drift_destroy(drift);
  perfpred_models_unref(models);
}

/* The second half of the samples takes 1.2 times as long: medians of the halves are 20/110 of the median apart, and twice that and 1 % is more
   than what 10 % of drift are. */
Test(drift, noise_widens_the_threshold_until_nothing_is_clear) {
  struct perfpred_models *models = generate(NULL, NULL);
  struct perfpred_drift *drift = drift_of(models);
  machine.loud = 1.2;
  measure(drift, NULL);
  const struct perfpred_drift_kernel syrk = kernel_of(drift, "dsyrk");
  cr_assert_close(syrk.ratio, 1.1, 1e-9);
  cr_assert_close(syrk.noise, 0.2 / 1.1, 1e-9);
  cr_assert_close(syrk.threshold, 0.01 + 0.4 / 1.1, 1e-9);
  cr_assert_eq(syrk.verdict, PERFPRED_DRIFT_UNCLEAR);
  cr_assert_eq(info_of(drift).verdict, PERFPRED_DRIFT_UNCLEAR);
  perfpred_models_unref(apply(drift, 0));
  perfpred_drift_destroy(drift);
  perfpred_models_unref(models);
}

/* --- Scaled models -------------------------------------------------------------------------------------------------- */

/* What is scaled twice is scaled from where it began: by 1.1, and then by 0.9 in all. */
Test(drift, scaling_again_starts_from_the_measured_anchors) {
  struct perfpred_models *models = generate(NULL, NULL);
  const double before_s = predict(models);
  struct perfpred_drift *drift = drift_of(models);
  machine.all = 1.1;
  measure(drift, NULL);
  struct perfpred_models *once = apply(drift, 3);
  perfpred_drift_destroy(drift);
  drift = drift_of(once);
  measure(drift, NULL);
  cr_assert_eq(info_of(drift).verdict, PERFPRED_DRIFT_HOLDS);
  cr_assert_close(kernel_of(drift, "dsyrk").scale, 1.1, 1e-12);
  cr_assert_close(info_of(drift).ratio, 1.0, 1e-12);
  machine.all = 0.9;
  measure(drift, NULL);
  cr_assert_close(info_of(drift).ratio, 0.9 / 1.1, 1e-12);
  struct perfpred_models *twice = apply(drift, 3);
  struct perfpred_model_info info = PERFPRED_MODEL_INFO_INIT;
  cr_assert_eq(perfpred_models_info(twice, 1, &info, NULL), PERFPRED_OK);
  cr_assert_close(info.scale, 0.9, 1e-12);
  cr_assert_close(predict(twice), 0.9 * before_s, 1e-12);
  perfpred_drift_destroy(drift);
  perfpred_models_unref(twice);
  perfpred_models_unref(once);
  perfpred_models_unref(models);
}

Test(drift, files_keep_anchors_and_what_was_scaled) {
  struct perfpred_models *models = generate(NULL, NULL);
  struct perfpred_drift *drift = drift_of(models);
  machine.syrk = 1.5;
  measure(drift, NULL);
  struct perfpred_models *scaled = apply(drift, 1);
  char *json = text_of(scaled);
  struct perfpred_models *again = loaded(json);
  char *twice = text_of(again);
  cr_assert_str_eq(twice, json);
  struct perfpred_model_info info = PERFPRED_MODEL_INFO_INIT;
  for (size_t i = 0; i < perfpred_models_count(again); i++) {
    cr_assert_eq(perfpred_models_info(again, i, &info, NULL), PERFPRED_OK);
    const bool syrk = strcmp(info.kernel, "dsyrk") == 0;
    cr_assert_close(info.scale, syrk ? 1.5 : 1.0, 1e-12);
    cr_assert_eq(strlen(info.scaled_at), syrk ? 20 : 0);
    cr_assert_eq(strlen(info.scaled_from), syrk ? 20 : 0);
  }
  cr_assert_close(predict(again), predict(scaled), 0.0);
  perfpred_free(twice);
  perfpred_free(json);
  perfpred_models_unref(again);
  perfpred_models_unref(scaled);
  perfpred_drift_destroy(drift);
  perfpred_models_unref(models);
}

/* Raw samples stay as they were measured: what is fitted from them is of that time again, and says so. */
Test(drift, a_refit_undoes_the_scaling) {
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  struct perfpred_error error;
  options.keep_samples = 1;
  struct perfpred_models *models = generate(&options, NULL), *fresh = NULL;
  struct perfpred_drift *drift = drift_of(models);
  machine.all = 1.3;
  measure(drift, NULL);
  struct perfpred_models *scaled = apply(drift, 3);
  struct perfpred_sampler *sampler = virtual_sampler(context, cost, &machine);
  cr_assert_ok(perfpred_models_refit(scaled, sampler, NULL, &fresh, NULL, &error), error);
  char *before = text_of(models), *after = text_of(fresh);
  cr_assert_str_eq(after, before);
  perfpred_free(after);
  perfpred_free(before);
  perfpred_sampler_destroy(sampler);
  perfpred_models_unref(fresh);
  perfpred_models_unref(scaled);
  perfpred_drift_destroy(drift);
  perfpred_models_unref(models);
}

/* --- Budget, cancelling, reports ------------------------------------------------------------------------------------ */

/* With a budget that is over at once the first anchor alone is timed, which is one of the kernel that comes first. */
Test(drift, a_budget_leaves_anchors_out) {
  struct perfpred_models *models = generate(NULL, NULL);
  struct perfpred_drift *drift = drift_of(models);
  struct perfpred_drift_options options = PERFPRED_DRIFT_OPTIONS_INIT;
  options.budget_s = 1e-9;
  machine.all = 2.0;
  measure(drift, &options);
  cr_assert_eq(info_of(drift).measured, 0, "one sample has no noise that is known");
  cr_assert_eq(info_of(drift).verdict, PERFPRED_DRIFT_UNMEASURED);
  options.budget_s = 0.2;
  measure(drift, &options);
  cr_assert(info_of(drift).measured > 0 && info_of(drift).measured <= info_of(drift).anchors);
  cr_assert_close(info_of(drift).ratio, 2.0, 1e-12);
  perfpred_drift_destroy(drift);
  perfpred_models_unref(models);
}

static int stop(void *data, const struct perfpred_progress *progress) {
  (void)progress;
  return --*(int *)data < 0;
}

Test(drift, cancelling_leaves_it_as_it_was) {
  struct perfpred_models *models = generate(NULL, NULL);
  struct perfpred_drift *drift = drift_of(models);
  struct perfpred_drift_options options = PERFPRED_DRIFT_OPTIONS_INIT;
  struct perfpred_sampler *sampler = virtual_sampler(context, cost, &machine);
  struct perfpred_models *scaled = NULL;
  struct perfpred_error error;
  int left = 3;
  options.progress = stop;
  options.progress_data = &left;
  cr_assert_eq(perfpred_drift_measure(drift, sampler, &options, &error), PERFPRED_CANCELLED);
  cr_assert_eq(info_of(drift).verdict, PERFPRED_DRIFT_UNMEASURED);
  cr_assert_eq(perfpred_drift_apply(drift, &scaled, NULL, &error), PERFPRED_INVALID);
  cr_assert_null(scaled);
  perfpred_sampler_destroy(sampler);
  perfpred_drift_destroy(drift);
  perfpred_models_unref(models);
}

Test(drift, a_generation_can_be_cancelled_at_its_anchors) {
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  const struct perfpred_program *list[] = { program };
  struct perfpred_sampler *sampler = virtual_sampler(context, cost, &machine);
  struct perfpred_models *models = NULL;
  struct perfpred_error error;
  int left = 1;
  options.n_upper = 600;
  options.progress = stop;
  options.progress_data = &left;
  cr_assert_eq(perfpred_generate(context, sampler, list, 1, &options, &models, NULL, &error), PERFPRED_CANCELLED);
  cr_assert_null(models);
  perfpred_sampler_destroy(sampler);
}

Test(drift, the_report_has_every_anchor) {
  struct perfpred_models *models = generate(NULL, NULL);
  struct perfpred_drift *drift = drift_of(models);
  struct perfpred_error error;
  char *json = NULL;
  machine.large = 1.5;
  measure(drift, NULL);
  cr_assert_ok(perfpred_drift_report(drift, &json, &error), error);
  json_t *root = json_loads(json, 0, NULL), *anchors = json_object_get(root, "anchors"), *anchor;
  size_t i, slow = 0;
  cr_assert_eq(json_array_size(anchors), info_of(drift).anchors);
  json_array_foreach(anchors, i, anchor) {
    const double ratio = json_real_value(json_object_get(anchor, "ratio"));
    const double then_s = json_real_value(json_object_get(anchor, "then_s"));
    cr_assert_close(json_real_value(json_object_get(anchor, "now_s")), ratio * then_s, 1e-9);
    cr_assert(fabs(ratio - 1.0) < 1e-9 || fabs(ratio - 1.5) < 1e-9);
    slow += ratio > 1.2 ? 1 : 0;
  }
  cr_assert(slow > 0 && slow < info_of(drift).anchors);
  cr_assert_eq(json_array_size(json_object_get(root, "kernels")), 3);
  json_decref(root);
  perfpred_free(json);
  perfpred_drift_destroy(drift);
  perfpred_models_unref(models);
}

/* --- Validation ------------------------------------------------------------------------------------------------------ */

/* Points of chol-3, n from 96 in steps of 32. */
static void fill_points(struct perfpred_validation_point *points, size_t count) {
  memset(points, 0, count * sizeof *points);
  for (size_t i = 0; i < count; i++) {
    points[i].parameters[0] = 96 + 32 * (int64_t)i;
    points[i].parameters[1] = 32;
  }
}

#define POINTS 10

struct validated {
  struct perfpred_validation_point points[POINTS];
  struct perfpred_drift_point corrected[POINTS];
  struct perfpred_validation validation;
  struct perfpred_drift_validation summary;
};

static void validate(struct perfpred_models *models, const struct perfpred_measure_options *options,
                     struct validated *made) {
  struct perfpred_plan *plan = make_plan(program, models);
  const struct perfpred_plan *const plans[] = { plan };
  struct perfpred_drift *drift = drift_of(models);
  struct perfpred_sampler *sampler = virtual_sampler(context, cost, &machine);
  struct perfpred_error error;
  fill_points(made->points, POINTS);
  made->validation = (struct perfpred_validation)PERFPRED_VALIDATION_INIT;
  made->summary = (struct perfpred_drift_validation)PERFPRED_DRIFT_VALIDATION_INIT;
  cr_assert_ok(perfpred_drift_validate(drift, plans, 1, sampler, options, made->points, made->corrected, POINTS,
                                       &made->validation, &made->summary, &error),
               error);
  perfpred_sampler_destroy(sampler);
  perfpred_drift_destroy(drift);
  perfpred_plan_destroy(plan);
}

/* Times are 1e-6 s and a rate: the models hold it exactly, so that what is left is the drift alone. */
Test(drift, a_validation_has_both_errors) {
  struct perfpred_models *models = generate(NULL, NULL);
  struct validated made;
  machine.all = 1.25;
  validate(models, NULL, &made);
  cr_assert_close(made.validation.mean_are, 0.2, 1e-3);
  cr_assert_close(made.validation.median_are, 0.2, 1e-3);
  cr_assert(made.summary.corrected_mean_are < 1e-3, "%g", made.summary.corrected_mean_are);
  cr_assert(made.summary.corrected_median_are < 1e-3);
  cr_assert_close(made.summary.ratio, 1.25, 1e-9);
  cr_assert_eq(made.summary.readings, 3, "ten points are two groups");
  cr_assert(made.summary.anchor_s > 0.0);
  for (size_t i = 0; i < POINTS; i++) {
    cr_assert_close(made.points[i].re, -0.2, 1e-3);
    cr_assert_close(made.corrected[i].corrected_s, 1.25 * made.points[i].predicted_s.med, 1e-9);
    cr_assert_close(made.corrected[i].corrected_are, fabs(made.corrected[i].corrected_re), 1e-12);
    cr_assert(made.corrected[i].corrected_are < 1e-3);
  }
  perfpred_models_unref(models);
}

/* One kernel is slower: each point has its own share of it taken out. */
Test(drift, a_validation_takes_out_what_each_kernel_has) {
  struct perfpred_models *models = generate(NULL, NULL);
  struct validated made;
  machine.syrk = 1.5;
  validate(models, NULL, &made);
  cr_assert(made.validation.mean_are > 0.05);
  for (size_t i = 0; i < POINTS; i++)
    cr_assert(made.corrected[i].corrected_are < 1e-3, "n = %d: %g", (int)made.points[i].parameters[0],
              made.corrected[i].corrected_are);
  perfpred_models_unref(models);
}

/* On a steady machine both are the same, and the same as without anchors in between. */
Test(drift, a_validation_on_a_steady_machine_is_the_plain_one) {
  struct perfpred_models *models = generate(NULL, NULL);
  struct perfpred_plan *plan = make_plan(program, models);
  const struct perfpred_plan *const plans[] = { plan };
  struct perfpred_validation_point points[POINTS];
  struct perfpred_validation validation = PERFPRED_VALIDATION_INIT;
  struct perfpred_sampler *sampler = virtual_sampler(context, cost, &machine);
  struct perfpred_error error;
  struct validated made;
  fill_points(points, POINTS);
  cr_assert_ok(perfpred_validate(plans, 1, sampler, NULL, points, POINTS, &validation, &error), error);
  validate(models, NULL, &made);
  cr_assert_close(made.validation.mean_are, validation.mean_are, 1e-9);
  cr_assert_close(made.validation.median_are, validation.median_are, 1e-9);
  cr_assert_close(made.validation.noise_floor, validation.noise_floor, 1e-9);
  cr_assert_close(made.summary.ratio, 1.0, 1e-12);
  for (size_t i = 0; i < POINTS; i++) {
    cr_assert_close(made.points[i].measured_s.med, points[i].measured_s.med, 1e-12);
    cr_assert_close(made.corrected[i].corrected_s, points[i].predicted_s.med, 1e-9);
  }
  perfpred_sampler_destroy(sampler);
  perfpred_plan_destroy(plan);
  perfpred_models_unref(models);
}

Test(drift, a_validation_refuses_what_does_not_fit) {
  struct perfpred_models *models = generate(NULL, NULL), *others = generate(NULL, NULL);
  struct perfpred_plan *plan = make_plan(program, models), *other = make_plan(program, others);
  const struct perfpred_plan *plans[] = { other };
  struct perfpred_drift *drift = drift_of(models);
  struct perfpred_sampler *sampler = virtual_sampler(context, cost, &machine);
  struct perfpred_measure_options options = PERFPRED_MEASURE_OPTIONS_INIT;
  struct perfpred_error error;
  struct validated made = { .validation = PERFPRED_VALIDATION_INIT, .summary = PERFPRED_DRIFT_VALIDATION_INIT };
  int left = 4;
  fill_points(made.points, POINTS);
#define VALIDATE(d, s, p, count)                                                                                       \
  perfpred_drift_validate(d, plans, 1, s, &options, p, made.corrected, count, &made.validation, &made.summary, &error)
  cr_assert_eq(VALIDATE(drift, sampler, made.points, POINTS), PERFPRED_INVALID);
  cr_assert(strstr(error.text, "plans[0]"), "%s", error.text);
  plans[0] = plan;
  cr_assert_eq(VALIDATE(NULL, sampler, made.points, POINTS), PERFPRED_INVALID);
  cr_assert_eq(VALIDATE(drift, NULL, made.points, POINTS), PERFPRED_INVALID);
  cr_assert_eq(VALIDATE(drift, sampler, NULL, POINTS), PERFPRED_INVALID);
  cr_assert_eq(VALIDATE(drift, sampler, made.points, 0), PERFPRED_INVALID);
  made.points[3].plan = 1;
  cr_assert_eq(VALIDATE(drift, sampler, made.points, POINTS), PERFPRED_INVALID);
  cr_assert(strstr(error.text, "points[3]"), "%s", error.text);
  made.points[3].plan = 0;
  options.progress = stop;
  options.progress_data = &left;
  cr_assert_eq(VALIDATE(drift, sampler, made.points, POINTS), PERFPRED_CANCELLED);
  cr_assert_eq(made.summary.readings, 0, "something was written");
#undef VALIDATE
  perfpred_sampler_destroy(sampler);
  perfpred_drift_destroy(drift);
  perfpred_plan_destroy(other);
  perfpred_plan_destroy(plan);
  perfpred_models_unref(others);
  perfpred_models_unref(models);
}

/* --- Bad input ------------------------------------------------------------------------------------------------------ */

Test(drift, bad_arguments_are_named) {
  struct perfpred_models *models = generate(NULL, NULL), *scaled = NULL;
  struct perfpred_drift *drift = drift_of(models), *none = NULL;
  struct perfpred_drift_options options = PERFPRED_DRIFT_OPTIONS_INIT;
  struct perfpred_drift_info info = PERFPRED_DRIFT_INFO_INIT;
  struct perfpred_drift_kernel kernel = PERFPRED_DRIFT_KERNEL_INIT;
  struct perfpred_sampler *sampler = virtual_sampler(context, cost, &machine);
  struct perfpred_error error;
  char *json = NULL;
  cr_assert_eq(perfpred_drift_create(NULL, &none, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_drift_create(models, NULL, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_drift_measure(NULL, sampler, NULL, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_drift_measure(drift, NULL, NULL, &error), PERFPRED_INVALID);
  options.setup = 2;
  cr_assert_eq(perfpred_drift_measure(drift, sampler, &options, &error), PERFPRED_INVALID);
  cr_assert(strstr(error.text, "options.setup"), "%s", error.text);
  options.setup = 0;
  options.repetitions = -1;
  cr_assert_eq(perfpred_drift_measure(drift, sampler, &options, &error), PERFPRED_INVALID);
  options.repetitions = 0;
  options.budget_s = NAN;
  cr_assert_eq(perfpred_drift_measure(drift, sampler, &options, &error), PERFPRED_INVALID);
  options.size = 1;
  cr_assert_eq(perfpred_drift_measure(drift, sampler, &options, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_drift_describe(drift, NULL, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_drift_describe(NULL, &info, &error), PERFPRED_INVALID);
  info.size = 0;
  cr_assert_eq(perfpred_drift_describe(drift, &info, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_drift_kernel_at(drift, 3, &kernel, &error), PERFPRED_NOT_FOUND);
  cr_assert_eq(perfpred_drift_kernel_at(drift, 0, NULL, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_drift_report(NULL, &json, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_drift_report(drift, NULL, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_drift_apply(NULL, &scaled, NULL, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_drift_apply(drift, NULL, NULL, &error), PERFPRED_INVALID);
  perfpred_drift_destroy(NULL);
  perfpred_sampler_destroy(sampler);
  perfpred_drift_destroy(drift);
  perfpred_models_unref(models);
}

static json_t *first_anchor(json_t *root) {
  json_t *model = json_array_get(json_object_get(root, "models"), 0);
  return json_array_get(json_object_get(model, "anchors"), 0);
}

static void refused(const char *json, const char *key, json_t *value, const char *naming) {
  json_t *root = json_loads(json, 0, NULL);
  struct perfpred_models *models = NULL;
  struct perfpred_error error;
  if (value)
    json_object_set_new(first_anchor(root), key, value);
  else
    json_object_del(first_anchor(root), key);
  char *text = json_dumps(root, 0);
  cr_assert_eq(perfpred_models_load_memory(context, text, strlen(text), "text", NULL, &models, &error),
               PERFPRED_CORRUPT, "%s is taken", key);
  cr_assert(strstr(error.text, naming), "%s", error.text);
  cr_assert_null(models);
  free(text);
  json_decref(root);
}

Test(drift, bad_anchors_in_a_file_are_refused) {
  struct perfpred_models *models = generate(NULL, NULL);
  char *json = text_of(models);
  refused(json, "time_s", json_real(0.0), "models[0].anchors[0].time_s");
  refused(json, "time_s", json_real(-1e-3), "models[0].anchors[0].time_s");
  refused(json, "time_s", json_null(), "models[0].anchors[0].time_s");
  refused(json, "time_s", NULL, "time_s");
  refused(json, "sizes", json_array(), "models[0].anchors[0].sizes");
  refused(json, "sizes", json_pack("[i,i,i,i]", 8, 8, 8, 8), "models[0].anchors[0].sizes");
  refused(json, "noise", json_real(-0.1), "models[0].anchors[0].noise");
  refused(json, "at", json_string("a date that is far longer than any date can be, and of no use"), "at");
  refused(json, "gated", json_integer(1), "gated");
  refused(json, "samples", json_integer(-1), "samples");
  perfpred_free(json);
  perfpred_models_unref(models);
}

/* A file as a release without anchors wrote it. */
Test(drift, files_without_anchors_are_read) {
  struct perfpred_models *models = generate(NULL, NULL);
  struct perfpred_drift *drift = NULL;
  struct perfpred_error error;
  char *json = text_of(models);
  json_t *root = json_loads(json, 0, NULL), *model;
  size_t i;
  json_array_foreach(json_object_get(root, "models"), i, model) json_object_del(model, "anchors");
  char *text = json_dumps(root, 0);
  struct perfpred_models *old = loaded(text);
  cr_assert_close(predict(old), predict(models), 0.0);
  cr_assert_eq(perfpred_drift_create(old, &drift, &error), PERFPRED_NOT_FOUND);
  free(text);
  json_decref(root);
  perfpred_free(json);
  perfpred_models_unref(old);
  perfpred_models_unref(models);
}
