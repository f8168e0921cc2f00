/* SPDX-License-Identifier: BSD-3-Clause */
/* Apex-MAP from runs to predictions on a virtual clock: every number is known. */
#include <perfpred/perfpred.h>

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct perfpred_context *context;
static struct perfpred_sampler *sampler;
static struct perfpred_error error;
static double slowness; /* of computing */

/* At 1 GHz: 3 cycles for each element that is walked over, 8 for each iteration of compute. */
static double cost(void *data, const struct perfpred_virtual_call *call) {
  const bool strided = strcmp(call->kernel_name, "apex-strided") == 0;
  (void)data;
  if (call->kernel != NULL || call->size_count != (strided ? 4u : 5u))
    return (double)NAN;
  double elements = strided ? (double)(call->sizes[0] / call->sizes[1]) : (double)(call->sizes[1] * call->sizes[3]);
  double every = (double)call->sizes[strided ? 3 : 4];
  return 1e-9 * elements * (3.0 + 8.0 * slowness * (double)call->sizes[2] / every);
}

static void begin(void) {
  slowness = 1.0;
  cr_assert_eq(perfpred_context_create(&context, &error), PERFPRED_OK);
  cr_assert_eq(perfpred_sampler_create_virtual(context, cost, NULL, NULL, &sampler, &error), PERFPRED_OK);
}

static void end(void) {
  perfpred_sampler_destroy(sampler);
  perfpred_context_destroy(context);
}

TestSuite(apex, .init = begin, .fini = end, .timeout = 60);

static struct perfpred_apex_text text_of(const char *text) {
  return (struct perfpred_apex_text){ text, strlen(text), NULL };
}

/* The number behind the key, of the place-th object of that key in the text. */
static double number_of(const char *json, const char *key, int place) {
  char name[64];
  snprintf(name, sizeof name, "\"%s\":", key);
  for (; json != NULL && place >= 0; place--) {
    json = strstr(json, name);
    if (json != NULL)
      json += strlen(name);
  }
  cr_assert_not_null(json, "no %s", key);
  return strtod(json, NULL);
}

/* A stride of 8 over memory brings in 64 bytes for each element; C = 1: 138 flops in 11 cycles. */
static const char runs[] =
    "strided M=1000000 S=8 C=0\nstrided M=1000000 S=8 C=1\nrandom M=100000 L=8 alpha=0 C=4 I=10\n";

static char *points(const struct perfpred_apex_text *mix, const char *text) {
  struct perfpred_apex_options options = PERFPRED_APEX_OPTIONS_INIT;
  char *json = NULL;
  options.runs = text;
  options.cache_bytes = 1 << 20;
  cr_assert_eq(perfpred_apex_points(context, sampler, mix, &options, &json, &error), PERFPRED_OK, "%s", error.text);
  return json;
}

Test(apex, points_lie_where_they_are_computed_to_lie) {
  static const double expected[][2] = { { 64.0 / 3.0, 2.0 / 3.0 },
                                        { 64.0 / 11.0, 138.0 / 11.0 },
                                        { 0.0, 522.0 / 35.0 } };
  char *json = points(NULL, runs);
  for (int i = 0; i < 3; i++) {
    cr_expect_float_eq(number_of(json, "bytes_per_cycle", i), expected[i][0], 1e-9);
    cr_expect_float_eq(number_of(json, "flops_per_cycle", i), expected[i][1], 1e-9);
    cr_expect_float_eq(number_of(json, "flops_per_s", i), 1e9 * expected[i][1], 1.0);
  }
  cr_expect_float_eq(number_of(json, "clock_hz", 0), 1e9, 0.0);
  cr_expect_not_null(strstr(json, "\"bytes_source\": \"modelled\""));
  cr_expect_not_null(strstr(json, "\"counters_note\": \"a virtual clock counts no events\""));
  cr_expect_null(strstr(json, "\"coverage\""));
  perfpred_free(json);
}

/* Compute beside each fourth element: of four, 138 + 3 * 2 flops in 4 * 3 + 8 cycles for 256 bytes. */
Test(apex, compute_beside_some_elements) {
  char *json = points(NULL, "strided M=1000000 S=8 C=1 K=4\nrandom M=100000 L=8 alpha=0 C=4 I=10 K=8\n");
  cr_expect_float_eq(number_of(json, "bytes_per_cycle", 0), 256.0 / 20.0, 1e-9);
  cr_expect_float_eq(number_of(json, "flops_per_cycle", 0), 144.0 / 20.0, 1e-9);
  cr_expect_float_eq(number_of(json, "flops_per_cycle", 1), (522.0 + 14.0) / (24.0 + 32.0), 1e-9);
  cr_expect_not_null(strstr(json, "\"run\": \"strided M=1000000 S=8 C=1 K=4\""));
  perfpred_free(json);
}

/* Three quarters of the time near the first run, one quarter near the third. */
static const char samples[] = "time_s,flops,bytes\n2,1.34e9,4.28e10\n1,6.7e8,2.14e10\n1,1.49e10,0\n";

Test(apex, weights_and_both_predictions) {
  char *json = points(NULL, runs), *weights = NULL, *report = NULL;
  const struct perfpred_apex_text mix = text_of(samples), old = text_of(json);
  cr_assert_eq(perfpred_apex_weights(context, &mix, &old, NULL, &weights, &error), PERFPRED_OK, "%s", error.text);
  cr_expect_float_eq(number_of(weights, "covered", 0), 1.0, 1e-12);
  cr_expect_float_eq(number_of(weights, "weight", 0), 0.75, 1e-12);
  cr_expect_float_eq(number_of(weights, "weight", 1), 0.25, 1e-12);
  cr_expect_not_null(strstr(weights, "\"run\": \"random M=100000 L=8 alpha=0 C=4 I=10\""));
  const struct perfpred_apex_text mixed = text_of(weights);
  cr_assert_eq(perfpred_apex_predict(context, &mixed, NULL, NULL, &report, &error), PERFPRED_OK, "%s", error.text);
  double here = 0.75 * 2e9 / 3.0 + 0.25 * 522e9 / 35.0, there = 0.75 + 0.25 * 67.0 / 35.0;
  cr_expect_float_eq(number_of(report, "flops_per_s", 0), here, 1.0);
  cr_expect_float_eq(number_of(report, "measured_flops_per_s", 0), 16.91e9 / 4.0, 1.0);
  cr_expect_float_eq(number_of(report, "error", 0), here / 4.2275e9 - 1.0, 1e-9);
  perfpred_free(report);
  /* On a machine that computes at half the speed the third run takes 67 cycles instead of 35. */
  slowness = 2.0;
  char *slow = points(NULL, runs);
  const struct perfpred_apex_text elsewhere = text_of(slow);
  const struct perfpred_apex_text measured = text_of("{\"samples\":[{\"time_s\":5,\"flops\":1.6e10,\"bytes\":0}]}");
  cr_assert_eq(perfpred_apex_predict(context, &mixed, &elsewhere, &measured, &report, &error), PERFPRED_OK, "%s",
               error.text);
  cr_expect_float_eq(number_of(report, "flops_per_s", 0), here / there, 1.0);
  cr_expect_float_eq(number_of(report, "flops_per_s", 1), 0.75 * 2e9 / 3.0 + 0.25 * 522e9 / 67.0, 1.0);
  cr_expect_float_eq(number_of(report, "error", 1), here / there / 3.2e9 - 1.0, 1e-9);
  cr_expect_float_eq(number_of(report, "flops_per_s", 3), 16.91e9 / 4.0 / there, 1.0);
  perfpred_free(report);
  perfpred_free(slow);
  perfpred_free(weights);
  perfpred_free(json);
}

/* Without runs of the caller's own: the design, then runs that aim. */
Test(apex, a_mix_is_aimed_at) {
  const struct perfpred_apex_text mix = text_of(
      "time_s,flops,bytes\n1,6.7e8,1.2e9\n1,6.7e8,5.2e9\n1,1.252e10,2.2e9\n2,2.984e10,1.4e9\n1,1.402e10,2.6e9\n");
  char *json = points(&mix, NULL);
  cr_expect_float_eq(number_of(json, "covered", 0), 1.0, 1e-12);
  cr_expect_not_null(strstr(json, "\"aimed\": true"));
  perfpred_free(json);
}

Test(apex, a_call_is_a_sample) {
  char *json = points(NULL, runs), *weights = NULL;
  const struct perfpred_apex_text mix = text_of("call,time_s\n\"dgemm(N,N,100,100,100,1,0)\",0.001\n");
  const struct perfpred_apex_text old = text_of(json);
  cr_assert_eq(perfpred_apex_weights(context, &mix, &old, NULL, &weights, &error), PERFPRED_OK, "%s", error.text);
  cr_expect_float_eq(number_of(weights, "flops", 0), 2e6, 0.0);
  cr_expect_float_eq(number_of(weights, "flops_per_s", 0), 2e9, 1e-3);
  perfpred_free(weights);
  cr_expect_eq(perfpred_apex_weights(NULL, &mix, &old, NULL, &weights, &error), PERFPRED_CORRUPT);
  perfpred_free(json);
}

static void expect_failure(enum perfpred_status status, enum perfpred_status expected, const char *text) {
  cr_expect_eq(status, expected, "%s: %s", perfpred_status_name(status), error.text);
  cr_expect_not_null(strstr(error.text, text), "'%s' is not in '%s'", text, error.text);
}

Test(apex, wrong_options_are_named) {
  struct perfpred_apex_options options = PERFPRED_APEX_OPTIONS_INIT;
  char *json = NULL;
#define REFUSED(member, value, status, text)                                                                           \
  options.member = (value);                                                                                            \
  expect_failure(perfpred_apex_points(context, sampler, NULL, &options, &json, &error), status, text);                 \
  options = (struct perfpred_apex_options)PERFPRED_APEX_OPTIONS_INIT
  REFUSED(clock_hz, -1.0, PERFPRED_INVALID, "options.clock_hz is -1, expected 0 or 1000 to 1e+13");
  REFUSED(clock_hz, (double)NAN, PERFPRED_INVALID, "options.clock_hz is ");
  REFUSED(cell_bytes_per_cycle, -0.5, PERFPRED_INVALID, "options.cell_bytes_per_cycle is -0.5");
  REFUSED(threshold, 1.5, PERFPRED_INVALID, "options.threshold is 1.5");
  REFUSED(threads, -1, PERFPRED_INVALID, "options.threads is -1, expected 0 to 256");
  REFUSED(cache_bytes, -1, PERFPRED_INVALID, "options.cache_bytes is -1");
  REFUSED(runs_max, -3, PERFPRED_INVALID, "options.runs_max is -3");
  REFUSED(instruction_set, "abcdefghijklmnopqrstuvwxyz", PERFPRED_INVALID, "options.instruction_set 'abcdefg");
  REFUSED(runs, "strided M=10 S=20", PERFPRED_INVALID, "runs:1:1: S is 20");
  REFUSED(size, 2, PERFPRED_INVALID, "options.size is 2, expected PERFPRED_APEX_OPTIONS_INIT");
  expect_failure(perfpred_apex_points(context, NULL, NULL, NULL, &json, &error), PERFPRED_INVALID, "sampler is NULL");
  expect_failure(perfpred_apex_points(context, sampler, NULL, NULL, NULL, &error), PERFPRED_INVALID, "json is NULL");
  const struct perfpred_apex_text none = { NULL, 3, NULL };
  expect_failure(perfpred_apex_weights(context, &none, &none, NULL, &json, &error), PERFPRED_INVALID,
                 "samples is NULL, expected a text");
  expect_failure(perfpred_apex_predict(context, NULL, NULL, NULL, &json, &error), PERFPRED_INVALID, "weights is NULL");
  cr_expect_null(json);
}

Test(apex, a_clock_that_says_nothing_is_told) {
  char *json = NULL;
  slowness = (double)NAN;
  expect_failure(perfpred_apex_points(context, sampler, NULL, NULL, &json, &error), PERFPRED_NUMERIC,
                 "the virtual clock says ");
  cr_expect_null(json);
}

Test(apex, hostile_samples_are_refused) {
  static const char *const texts[][2] = {
    { "", "samples: empty" },
    { "{", "samples:1:" },
    { "{}", "samples: samples: " },
    { "{\"samples\":[]}", "samples: samples: " },
    { "{\"samples\":[{\"time_s\":1,\"flops\":1}]}", "samples: samples[0].bytes" },
    { "{\"samples\":[{\"time_s\":0,\"flops\":1,\"bytes\":1}]}", "samples[0]: time_s is 0" },
    { "{\"samples\":[{\"time_s\":1,\"flops\":-1,\"bytes\":1}]}", "samples[0].flops" },
    { "{\"samples\":[{\"time_s\":1,\"flops\":1e31,\"bytes\":1}]}", "samples[0]: flops is 1e+31" },
    { "{\"samples\":[{\"time_s\":1,\"flops\":NaN,\"bytes\":1}]}", "samples:1:" },
    { "{\"samples\":[{\"time_s\":1,\"call\":\"dgemn(1)\"}]}", "samples[0].call" },
    { "time_s,flops,bytes\n1,1e30,1\n", "sample 1: " },
  };
  char *json = points(NULL, runs), *weights = NULL;
  const struct perfpred_apex_text old = text_of(json);
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    const struct perfpred_apex_text mix = text_of(texts[i][0]);
    enum perfpred_status status = perfpred_apex_weights(context, &mix, &old, NULL, &weights, &error);
    cr_expect(status == PERFPRED_CORRUPT || status == PERFPRED_LIMIT, "%s: %s", texts[i][0], error.text);
    cr_expect_not_null(strstr(error.text, texts[i][1]), "'%s' is not in '%s'", texts[i][1], error.text);
    cr_expect_null(weights);
  }
  perfpred_free(json);
}

/* Every beginning of a report, and reports of another kind. */
Test(apex, spoilt_reports_are_refused) {
  char *json = points(NULL, runs), *weights = NULL, *report = NULL;
  const struct perfpred_apex_text mix = text_of(samples), old = text_of(json);
  cr_assert_eq(perfpred_apex_weights(context, &mix, &old, NULL, &weights, &error), PERFPRED_OK, "%s", error.text);
  const struct perfpred_apex_text mixed = text_of(weights);
  char *made = NULL;
  for (size_t length = 0; length < old.length; length += 7) {
    const struct perfpred_apex_text part = { json, length, "part" };
    cr_expect_eq(perfpred_apex_weights(context, &mix, &part, NULL, &made, &error), PERFPRED_CORRUPT, "%zu", length);
  }
  expect_failure(perfpred_apex_weights(context, &mix, &mixed, NULL, &made, &error), PERFPRED_CORRUPT,
                 "points: report: expected \"apex points\", found \"apex weights\"");
  expect_failure(perfpred_apex_predict(context, &old, NULL, NULL, &made, &error), PERFPRED_CORRUPT,
                 "weights: report: expected \"apex weights\", found \"apex points\"");
  *(strstr(weights, "\"version\": 1") + 11) = '2';
  expect_failure(perfpred_apex_predict(context, &mixed, NULL, NULL, &made, &error), PERFPRED_VERSION,
                 "weights: version: expected 1, found 2");
  *(strstr(weights, "\"version\": 2") + 11) = '1';
  char *other = points(NULL, "strided M=1000000 S=8 C=0");
  const struct perfpred_apex_text few = text_of(other);
  expect_failure(
      perfpred_apex_predict(context, &mixed, &few, NULL, &report, &error), PERFPRED_NOT_FOUND,
      "points: no point of 'random M=100000 L=8 alpha=0 C=4 I=10', which is a representative of the weights");
  cr_expect(made == NULL && report == NULL);
  perfpred_free(other);
  perfpred_free(weights);
  perfpred_free(json);
}
