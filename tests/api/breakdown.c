/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors split by kernels, on a virtual clock on which a kernel costs otherwise inside of an algorithm than alone. */
#include "world.h"

static struct perfpred_context *context;
static struct perfpred_program *program;
static struct perfpred_models *models;
static struct perfpred_plan *plan;
static struct perfpred_sampler *sampler;
static int calls_measured;

/* A call that follows dpotrf2 takes twice as long: no model of it alone can know. */
static double cost(void *data, const struct perfpred_virtual_call *call) {
  (void)data;
  calls_measured++;
  bool slowed = call->previous && strcmp(call->previous, "dpotrf2") == 0;
  return (slowed ? 2.0 : 1.0) * (1e-6 + call->flops / 10e9);
}

static void begin(void) {
  context = make_context();
  program = parse(context, chol_3);
  models = virtual_models(context, &program, 1, NULL, cost, NULL);
  plan = make_plan(program, models);
  sampler = virtual_sampler(context, cost, NULL);
  calls_measured = 0;
}

static void finish(void) {
  perfpred_sampler_destroy(sampler);
  perfpred_plan_destroy(plan);
  perfpred_models_unref(models);
  perfpred_program_unref(program);
  perfpred_context_destroy(context);
}

TestSuite(breakdown, .init = begin, .fini = finish);

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* In Cholesky 3 it is dtrsm that follows dpotrf2. n = 1000, b = 96: ten blocks of 96 and one of 40, below which there is nothing. */
Test(breakdown, names_the_kernel_at_fault) {
  const int64_t point[] = { 1000, 96 };
  struct perfpred_kernel_error items[4];
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  struct perfpred_measurement measurement = PERFPRED_MEASUREMENT_INIT;
  struct perfpred_error error;
  size_t count = 0;
  double dtrsm_s = 0.0, predicted_s = 0.0, measured_s = 0.0;
  for (int i = 0; i < 10; i++)
    dtrsm_s += 1e-6 + (1000.0 - 96.0 * (i + 1)) * 96.0 * 96.0 / 10e9;
  cr_assert_ok(perfpred_validate_kernels(plan, sampler, NULL, point, 2, items, 4, &count, &error), error);
  cr_assert_eq(count, 3);
  static const char *const names[] = { "dpotrf2", "dtrsm", "dsyrk" };
  static const uint64_t calls[] = { 11, 10, 10 };
  for (int i = 0; i < 3; i++) {
    cr_expect_str_eq(items[i].kernel, names[i]);
    cr_expect_eq(items[i].calls, calls[i]);
    cr_expect_eq(items[i].noise, 0.0);
    predicted_s += items[i].predicted_s.med;
    measured_s += items[i].measured_s;
  }
  cr_assert_close(items[1].predicted_s.med, dtrsm_s, 1e-6);
  cr_assert_close(items[1].measured_s, 2.0 * dtrsm_s, 1e-9);
  cr_assert_close(items[1].re, -0.5, 1e-5);
  cr_expect(fabs(items[0].re) < 1e-5 && fabs(items[2].re) < 1e-5, "%g, %g", items[0].re, items[2].re);
  cr_assert_ok(perfpred_plan_predict(plan, point, 2, &prediction, &error), error);
  cr_assert_close(predicted_s, prediction.time_s.med, 1e-12);
  cr_assert_ok(perfpred_measure(sampler, program, point, 2, NULL, &measurement, &error), error);
  cr_assert_close(measured_s, measurement.time_s.med, 1e-12);
}

/* The calls of programs that are called count with the others, whatever place of the text they come from. */
Test(breakdown, of_called_programs) {
  static const char text[] = "perfpred-text 1\n"
                             "algorithm half(n, b)\n"
                             "  inout A: double spd triangle(L)[n]\n"
                             "  for i in 0:n by b as w\n"
                             "    dpotrf2(L, w, A[i, i])\n"
                             "    dtrsm(R, L, T, N, n - i - w, w, 1, A[i, i], A[i+w, i])\n"
                             "    dsyrk(L, N, n - i - w, w, -1, A[i+w, i], 1, A[i+w, i+w])\n"
                             "  end\n"
                             "end\n";
  struct perfpred_error error;
  struct perfpred_kernel_error items[3];
  size_t count = 0;
  cr_assert_ok(perfpred_context_add_text(context, text, strlen(text), "test", &error), error);
  struct perfpred_program *both = parse(context, "perfpred-text 1\n"
                                                 "algorithm both(n, b)\n"
                                                 "  inout A: double spd triangle(L)[2 * n]\n"
                                                 "  call half(n, b, A[0, 0])\n"
                                                 "  dtrsm(R, L, T, N, n, n, 1, A[0, 0], A[n, 0])\n"
                                                 "  dsyrk(L, N, n, n, -1, A[n, 0], 1, A[n, n])\n"
                                                 "  call half(n, b, A[n, n])\n"
                                                 "end\n");
  struct perfpred_plan *other = make_plan(both, models);
  cr_assert_ok(perfpred_validate_kernels(other, sampler, NULL, (int64_t[]){ 96, 32 }, 2, items, 3, &count, &error),
               error);
  cr_assert_eq(count, 3);
  cr_expect_eq(items[0].calls, 2 * 3);
  cr_expect_eq(items[1].calls, 2 * 2 + 1);
  cr_expect_eq(items[2].calls, 2 * 2 + 1);
  /* all calls of dtrsm follow dpotrf2, which is the last one of `half`, too: with 64 and 32 rows below 32 columns, and 96 below 96 */
  cr_assert_close(items[1].measured_s, 2.0 * (5 * 1e-6 + (2 * (64.0 + 32.0) * 32.0 * 32.0 + 96.0 * 96.0 * 96.0) / 10e9),
                  1e-9);
  cr_assert_close(items[1].re, -0.5, 1e-5);
  perfpred_plan_destroy(other);
  perfpred_program_unref(both);
}

/* Cholesky 2 has dgemm as well, of which there is no model. The first dsyrk and dgemm have no columns. */
Test(breakdown, of_a_partial_plan) {
  static const char *const names[] = { "dpotrf2", "dtrsm", "dsyrk", "dgemm" };
  struct perfpred_plan_options options = PERFPRED_PLAN_OPTIONS_INIT;
  struct perfpred_kernel_error items[4];
  struct perfpred_plan *partial = NULL;
  struct perfpred_error error;
  size_t count = 0;
  options.partial = 1;
  struct perfpred_program *second = parse(context, chol_2);
  cr_assert_ok(perfpred_plan_create(second, models, &options, &partial, &error), error);
  cr_assert_ok(perfpred_validate_kernels(partial, sampler, NULL, (int64_t[]){ 96, 32 }, 2, items, 4, &count, &error),
               error);
  cr_assert_eq(count, 4);
  for (int i = 0; i < 4; i++)
    cr_expect_str_eq(items[i].kernel, names[i]);
  cr_expect_eq(items[3].predicted_s.med, 0.0);
  cr_assert_close(items[3].measured_s, 1e-6 + 2.0 * 32 * 32 * 32 / 10e9, 1e-9);
  cr_expect_eq(items[3].re, -1.0);
  perfpred_plan_destroy(partial);
  perfpred_program_unref(second);
}

/* A call of no size is none: one block is one call. */
Test(breakdown, calls_without_work_do_not_count) {
  struct perfpred_kernel_error item = { .calls = 77 };
  struct perfpred_error error;
  size_t count = 9;
  cr_assert_ok(perfpred_validate_kernels(plan, sampler, NULL, (int64_t[]){ 64, 64 }, 2, &item, 1, &count, &error),
               error);
  cr_expect_eq(count, 1);
  cr_expect_str_eq(item.kernel, "dpotrf2");
  cr_expect_eq(item.calls, 1);
  calls_measured = 0;
  cr_assert_ok(perfpred_validate_kernels(plan, sampler, NULL, (int64_t[]){ 0, 64 }, 2, &item, 1, &count, &error),
               error);
  cr_expect_eq(count, 0);
  cr_expect_eq(calls_measured, 0);
  cr_expect_eq(item.calls, 1);
}

Test(breakdown, fewer_places_than_kernels) {
  struct perfpred_kernel_error items[2] = { { .calls = 77 }, { .calls = 77 } };
  struct perfpred_error error;
  size_t count = 0;
  cr_assert_ok(perfpred_validate_kernels(plan, sampler, NULL, (int64_t[]){ 96, 32 }, 2, items, 1, &count, &error),
               error);
  cr_expect_eq(count, 3);
  cr_expect_eq(items[0].calls, 3);
  cr_expect_eq(items[1].calls, 77);
  cr_assert_ok(perfpred_validate_kernels(plan, sampler, NULL, (int64_t[]){ 96, 32 }, 2, NULL, 0, &count, &error),
               error);
  cr_expect_eq(count, 3);
}

/* The second half of the runs is 10 % slower than the first, as far as dsyrk goes. */
static double drifting(void *data, const struct perfpred_virtual_call *call) {
  (void)data;
  bool later = strcmp(call->kernel_name, "dsyrk") == 0 && call->repetition >= 5;
  return later ? 1.1e-6 : 1e-6;
}

Test(breakdown, noise_of_each_kernel) {
  struct perfpred_kernel_error items[3];
  struct perfpred_error error;
  size_t count = 0;
  perfpred_sampler_destroy(sampler);
  sampler = virtual_sampler(context, drifting, NULL);
  cr_assert_ok(perfpred_validate_kernels(plan, sampler, NULL, (int64_t[]){ 64, 32 }, 2, items, 3, &count, &error),
               error);
  cr_assert_eq(count, 3);
  cr_expect_eq(items[0].noise, 0.0);
  cr_assert_close(items[2].noise, 0.1 / 1.05, 1e-9);
}

/* Nothing is measured, nothing is written. */
Test(breakdown, what_cannot_be_predicted_fails_before_measuring) {
  static const struct {
    int64_t n, b;
    enum perfpred_status status;
  } wrong[] = { { 5000, 64, PERFPRED_OUT_OF_DOMAIN }, { -1, 64, PERFPRED_INVALID }, { 500, 0, PERFPRED_INVALID } };
  for (size_t i = 0; i < LENGTH(wrong); i++) {
    const int64_t point[] = { wrong[i].n, wrong[i].b };
    struct perfpred_kernel_error item = { .calls = 77 };
    size_t count = 9;
    cr_expect_eq(perfpred_validate_kernels(plan, sampler, NULL, point, 2, &item, 1, &count, NULL), wrong[i].status);
    cr_expect_eq(calls_measured, 0);
    cr_expect_eq(item.calls, 77);
    cr_expect_eq(count, 9);
  }
}

static int stop(void *data, const struct perfpred_progress *progress) {
  (void)data;
  (void)progress;
  return 1;
}

Test(breakdown, can_be_cancelled) {
  struct perfpred_measure_options options = PERFPRED_MEASURE_OPTIONS_INIT;
  struct perfpred_kernel_error item = { .calls = 77 };
  size_t count = 9;
  options.progress = stop;
  cr_expect_eq(perfpred_validate_kernels(plan, sampler, &options, (int64_t[]){ 96, 32 }, 2, &item, 1, &count, NULL),
               PERFPRED_CANCELLED);
  cr_expect_eq(item.calls, 77);
  cr_expect_eq(count, 9);
}

static void refused(const struct perfpred_plan *of, struct perfpred_sampler *by,
                    const struct perfpred_measure_options *options, const int64_t *parameters, size_t parameter_count,
                    struct perfpred_kernel_error *items, size_t *count, const char *naming) {
  struct perfpred_error error;
  cr_expect_eq(perfpred_validate_kernels(of, by, options, parameters, parameter_count, items, 1, count, &error),
               PERFPRED_INVALID, "%s", naming);
  cr_expect_not_null(strstr(error.text, naming), "%s: %s", naming, error.text);
}

Test(breakdown, bad_arguments) {
  static const int64_t point[] = { 96, 32 };
  struct perfpred_measure_options small = { 0 }, negative = PERFPRED_MEASURE_OPTIONS_INIT;
  struct perfpred_kernel_error item;
  size_t count = 9;
  negative.repetitions = -1;
  refused(NULL, sampler, NULL, point, 2, &item, &count, "plan is NULL");
  refused(plan, NULL, NULL, point, 2, &item, &count, "sampler is NULL");
  refused(plan, sampler, NULL, NULL, 2, &item, &count, "parameters is NULL");
  refused(plan, sampler, NULL, point, 1, &item, &count, "count is 1");
  refused(plan, sampler, NULL, point, 2, NULL, &count, "items is NULL");
  refused(plan, sampler, NULL, point, 2, &item, NULL, "item_count is NULL");
  refused(plan, sampler, &small, point, 2, &item, &count, "options.size");
  refused(plan, sampler, &negative, point, 2, &item, &count, "options.repetitions");
  cr_expect_eq(count, 9);
  cr_expect_eq(calls_measured, 0);
}
