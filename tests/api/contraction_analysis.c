/* SPDX-License-Identifier: BSD-3-Clause */
/* The cache analysis of a contraction's algorithm through the public interface: the worked example, its report, and what is refused. */
#include "world.h"

#include <jansson.h>
#include <perfpred/contraction_analysis.h>

static struct perfpred_contraction *contraction;
static struct perfpred_error error;

static const char *const names[] = { "a", "b", "c", "i" };
static const int64_t extents[] = { 400, 400, 400, 8 };

static void begin(void) {
  cr_assert_ok(perfpred_contraction_create("ai,ibc->abc", names, extents, 4, NULL, &contraction, &error), error);
}

static void finish(void) {
  perfpred_contraction_destroy(contraction);
}

TestSuite(contraction_analysis, .init = begin, .fini = finish);

static struct perfpred_contraction_analysis_options six_mebibytes(void) {
  struct perfpred_contraction_analysis_options options = PERFPRED_CONTRACTION_ANALYSIS_OPTIONS_INIT;
  options.cache_bytes = 6 << 20;
  return options;
}

static struct perfpred_contraction_analysis *analysis_of(const char *name,
                                                         const struct perfpred_contraction_analysis_options *options) {
  struct perfpred_contraction_analysis *analysis = NULL;
  cr_assert_ok(perfpred_contraction_analyze(contraction, name, options, &analysis, &error), error);
  return analysis;
}

static void expect_operand(const struct perfpred_contraction_analysis *analysis, size_t index,
                           struct perfpred_contraction_operand wanted) {
  struct perfpred_contraction_operand operand = PERFPRED_CONTRACTION_OPERAND_INIT;
  cr_assert_ok(perfpred_contraction_analysis_operand_at(analysis, 0, index, &operand, &error), error);
  cr_expect_eq(operand.tensor, wanted.tensor);
  cr_expect_eq(operand.packed, 0);
  cr_expect_str_eq(operand.text, wanted.text);
  cr_expect_str_eq(operand.since, wanted.since);
  cr_expect_eq(operand.bytes, wanted.bytes);
  cr_expect_eq(operand.line_bytes, wanted.line_bytes);
  cr_expect_eq(operand.distance_bytes, wanted.distance_bytes);
  cr_expect_eq(operand.corrected_bytes, wanted.corrected_bytes);
  cr_expect_eq(operand.prefetch, wanted.prefetch);
}

Test(contraction_analysis, operands_of_the_worked_example) {
  const struct perfpred_contraction_analysis_options options = six_mebibytes();
  struct perfpred_contraction_analysis *analysis = analysis_of("ca-dgemv", &options);
  struct perfpred_contraction_analysis_info info = PERFPRED_CONTRACTION_ANALYSIS_INFO_INIT;
  struct perfpred_contraction_call call = PERFPRED_CONTRACTION_CALL_INIT;
  cr_assert_ok(perfpred_contraction_analysis_summary(analysis, &info, &error), error);
  cr_expect_str_eq(info.name, "ca-dgemv");
  cr_expect_eq(info.stage, PERFPRED_CONTRACTION_STAGE_FIRST);
  cr_expect_eq(info.cache_bytes, 6291456);
  cr_expect_eq(info.limit_bytes, 7864320);
  cr_expect_eq(info.line_bytes, 64);
  cr_expect_eq(info.calls, 1);
  cr_expect_eq(info.occurrences, 3);
  cr_assert_ok(perfpred_contraction_analysis_call_at(analysis, 0, &call, &error), error);
  cr_expect_eq(call.kind, PERFPRED_CONTRACTION_CALL_KERNEL);
  cr_expect_eq(call.tensor, 0);
  cr_expect_eq(call.count, 160000);
  cr_expect_eq(call.operands, 3);
  const size_t size = sizeof(struct perfpred_contraction_operand);
  expect_operand(analysis, 0,
                 (struct perfpred_contraction_operand){ size, 'A', 0, "A[a,:]", 64, 512, "A, B[:,:,c], C[:,:,c]",
                                                        1331200, 1356800, PERFPRED_CONTRACTION_PREFETCH_LINE });
  expect_operand(analysis, 1,
                 (struct perfpred_contraction_operand){ size, 'B', 0, "B[:,:,c]", 25600, 25600, "", 0, 0,
                                                        PERFPRED_CONTRACTION_PREFETCH_NONE });
  expect_operand(analysis, 2,
                 (struct perfpred_contraction_operand){ size, 'C', 0, "C[a,:,c]", 3200, 25600, "A, B, C", 522265600,
                                                        522265600, PERFPRED_CONTRACTION_PREFETCH_LINE });
  perfpred_contraction_destroy(contraction); /* the analysis has what it needs */
  contraction = NULL;
  cr_assert_ok(perfpred_contraction_analysis_summary(analysis, &info, &error), error);
  cr_expect_str_eq(info.name, "ca-dgemv");
  perfpred_contraction_analysis_destroy(analysis);
}

static void expect_item(const struct perfpred_contraction_analysis *analysis, size_t occurrence, size_t index,
                        enum perfpred_contraction_access access, char tensor, int64_t bytes) {
  struct perfpred_contraction_item item = PERFPRED_CONTRACTION_ITEM_INIT;
  cr_assert_ok(perfpred_contraction_analysis_item_at(analysis, occurrence, index, &item, &error), error);
  cr_expect_eq(item.access, access);
  cr_expect_eq(item.tensor, tensor);
  cr_expect_eq(item.bytes, bytes);
}

Test(contraction_analysis, occurrences_of_the_worked_example) {
  static const int64_t counts[] = { 140000, 19600, 400 }, remotes[] = { 0, 6533056 + 1305600, 6533056 + 1331200 };
  const struct perfpred_contraction_analysis_options options = six_mebibytes();
  struct perfpred_contraction_analysis *analysis = analysis_of("ca-dgemv", &options);
  double total_s = 0.0;
  for (size_t i = 0; i < 3; i++) {
    struct perfpred_contraction_occurrence occurrence = PERFPRED_CONTRACTION_OCCURRENCE_INIT;
    cr_assert_ok(perfpred_contraction_analysis_occurrence_at(analysis, i, &occurrence, &error), error);
    cr_expect_eq((int)occurrence.kind, (int)i);
    cr_expect_eq(occurrence.begun, i == 2);
    cr_expect_eq(occurrence.count, counts[i]);
    cr_expect_eq(occurrence.remote_bytes, remotes[i]);
  }
  expect_item(analysis, 1, 0, PERFPRED_CONTRACTION_ACCESS_REMOTE, 0, 6533056);
  expect_item(analysis, 1, 1, PERFPRED_CONTRACTION_ACCESS_WHOLE, 'A', 64);
  expect_item(analysis, 1, 3, PERFPRED_CONTRACTION_ACCESS_WHOLE, 'B', 25600);
  cr_assert_ok(perfpred_contraction_analysis_time(analysis, (const double[]){ 2e-6, 5e-6, 9e-6 }, 3, &total_s, &error),
               error);
  cr_assert_close(total_s, 381.6e-3, 1e-12);
  perfpred_contraction_analysis_destroy(analysis);
}

Test(contraction_analysis, options_that_reach_far) {
  struct perfpred_contraction_analysis_options options = six_mebibytes();
  struct perfpred_contraction_analysis_info info = PERFPRED_CONTRACTION_ANALYSIS_INFO_INIT;
  options.stage = PERFPRED_CONTRACTION_STAGE_DISTANCES;
  options.untruncated = 1;
  struct perfpred_contraction_analysis *analysis = analysis_of("ca-dgemv", &options);
  cr_assert_ok(perfpred_contraction_analysis_summary(analysis, &info, &error), error);
  cr_expect_eq(info.limit_bytes, INT64_MAX);
  cr_expect_eq(info.occurrences, 1);
  expect_item(analysis, 0, 0, PERFPRED_CONTRACTION_ACCESS_WHOLE, 'C', 3200);
  expect_item(analysis, 0, 1, PERFPRED_CONTRACTION_ACCESS_REMOTE, 0, 520934336);
  perfpred_contraction_analysis_destroy(analysis);
  options.untruncated = 0;
  options.cache_bytes = INT64_MAX; /* times 1.25 is more than there is */
  analysis = analysis_of("ca-dgemv", &options);
  cr_assert_ok(perfpred_contraction_analysis_summary(analysis, &info, &error), error);
  cr_expect_eq(info.limit_bytes, INT64_MAX);
  perfpred_contraction_analysis_destroy(analysis);
  analysis = analysis_of("ca-dgemv", NULL); /* some cache of this machine */
  cr_assert_ok(perfpred_contraction_analysis_summary(analysis, &info, &error), error);
  cr_expect_geq(info.cache_bytes, 64);
  cr_expect_float_eq(info.factor, 1.25, 0.0);
  perfpred_contraction_analysis_destroy(analysis);
}

static int64_t number_at(const json_t *object, const char *key) {
  const json_t *number = json_object_get(object, key);
  cr_assert(json_is_integer(number), "%s is no integer", key);
  return json_integer_value(number);
}

static const char *word_at(const json_t *object, const char *key) {
  const json_t *word = json_object_get(object, key);
  cr_assert(json_is_string(word), "%s is no string", key);
  return json_string_value(word);
}

Test(contraction_analysis, report) {
  const struct perfpred_contraction_analysis_options options = six_mebibytes();
  struct perfpred_contraction_analysis *analysis = analysis_of("ci-dger", &options);
  char *text = NULL;
  cr_assert_ok(perfpred_contraction_analysis_report(analysis, &text, &error), error);
  json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
  cr_assert_not_null(root, "%s", text);
  cr_expect_str_eq(word_at(root, "name"), "ci-dger");
  cr_expect_str_eq(word_at(root, "einsum"), "ai,ibc->abc");
  cr_expect_str_eq(word_at(root, "type"), "d");
  cr_expect_str_eq(word_at(root, "stage"), "first");
  cr_expect_eq(number_at(json_object_get(root, "extents"), "i"), 8);
  cr_expect_eq(number_at(root, "limit_bytes"), 7864320);
  const json_t *calls = json_object_get(root, "calls"), *occurrences = json_object_get(root, "occurrences");
  cr_assert_eq(json_array_size(calls), 2);
  cr_expect_str_eq(word_at(json_array_get(calls, 0), "call"), "zero");
  cr_expect_str_eq(word_at(json_array_get(calls, 0), "tensor"), "C");
  const json_t *a = json_array_get(json_object_get(json_array_get(calls, 1), "operands"), 0);
  cr_expect_str_eq(word_at(a, "area"), "A[:,i]");
  cr_expect_str_eq(word_at(a, "prefetch"), "next");
  cr_expect_eq(number_at(a, "distance_bytes"), 1331200);
  cr_expect_eq(number_at(a, "corrected_bytes"), 2611200);
  cr_expect_eq(json_array_size(json_object_get(a, "since")), 3);
  cr_expect_str_eq(word_at(json_array_get(json_object_get(a, "since"), 2), "area"), "C[:,:,c]");
  cr_expect_eq(number_at(json_array_get(json_object_get(a, "since"), 2), "bytes"), 1280000);
  cr_assert_eq(json_array_size(occurrences), 3);
  const json_t *normal = json_array_get(occurrences, 1), *setup = json_object_get(normal, "setup");
  cr_expect_str_eq(word_at(normal, "kind"), "normal");
  cr_expect_eq(number_at(normal, "call"), 1);
  cr_expect_eq(number_at(normal, "count"), 2800);
  cr_assert_eq(json_array_size(setup), 5);
  cr_expect_str_eq(word_at(json_array_get(setup, 1), "access"), "remote");
  cr_expect_eq(number_at(json_array_get(setup, 1), "bytes"), 47936);
  cr_expect(json_is_null(json_object_get(json_array_get(setup, 1), "tensor")));
  cr_expect_str_eq(word_at(json_array_get(setup, 4), "access"), "line");
  json_decref(root);
  perfpred_free(text);
  perfpred_contraction_analysis_destroy(analysis);
}

static void expect_refused(const char *name, const struct perfpred_contraction_analysis_options *options,
                           enum perfpred_status status, const char *word) {
  struct perfpred_contraction_analysis *const untouched = (struct perfpred_contraction_analysis *)(void *)&error;
  struct perfpred_contraction_analysis *analysis = untouched;
  cr_expect_eq(perfpred_contraction_analyze(contraction, name, options, &analysis, &error), status, "%s", word);
  cr_expect_not_null(strstr(error.text, word), "%s lacks %s", error.text, word);
  cr_expect_eq(analysis, untouched);
}

Test(contraction_analysis, bad_input) {
  struct perfpred_contraction_analysis_options options = six_mebibytes();
  expect_refused("ci-dgemv", &options, PERFPRED_NOT_FOUND, "ci-dgemv");
  expect_refused(NULL, &options, PERFPRED_INVALID, "algorithm is NULL");
  options.size = 3;
  expect_refused("ca-dgemv", &options, PERFPRED_INVALID, "options->size is 3");
  options = six_mebibytes();
  options.cache_bytes = -1;
  expect_refused("ca-dgemv", &options, PERFPRED_INVALID, "options->cache_bytes is -1");
  options.cache_bytes = 63;
  expect_refused("ca-dgemv", &options, PERFPRED_INVALID, "at least a line of 64");
  options = six_mebibytes();
  static const double factors[] = { -1.0, NAN, INFINITY };
  for (size_t i = 0; i < 3; i++) {
    options.factor = factors[i];
    expect_refused("ca-dgemv", &options, PERFPRED_INVALID, "options->factor is");
  }
  options = six_mebibytes();
  static const int64_t lines[] = { -64, 8, 48, 131072 };
  for (size_t i = 0; i < 4; i++) {
    options.line_bytes = lines[i];
    expect_refused("ca-dgemv", &options, PERFPRED_INVALID, "options->line_bytes is");
  }
  options = six_mebibytes();
  options.stage = (enum perfpred_contraction_stage)6;
  expect_refused("ca-dgemv", &options, PERFPRED_INVALID, "options->stage is 6");
}

Test(contraction_analysis, sizes_and_places) {
  const struct perfpred_contraction_analysis_options options = six_mebibytes();
  struct perfpred_contraction_analysis *analysis = analysis_of("ca-dgemv", &options);
  struct perfpred_contraction_analysis_info info = PERFPRED_CONTRACTION_ANALYSIS_INFO_INIT;
  struct perfpred_contraction_call call = PERFPRED_CONTRACTION_CALL_INIT;
  struct perfpred_contraction_operand operand = PERFPRED_CONTRACTION_OPERAND_INIT;
  struct perfpred_contraction_occurrence occurrence = PERFPRED_CONTRACTION_OCCURRENCE_INIT;
  struct perfpred_contraction_item item = PERFPRED_CONTRACTION_ITEM_INIT;
  const double times_s[] = { 1.0, -1.0, 1.0 };
  double total_s = 4.0;
  cr_expect_eq(perfpred_contraction_analysis_call_at(analysis, 1, &call, &error), PERFPRED_NOT_FOUND);
  cr_expect_eq(perfpred_contraction_analysis_operand_at(analysis, 1, 0, &operand, &error), PERFPRED_NOT_FOUND);
  cr_expect_eq(perfpred_contraction_analysis_operand_at(analysis, 0, 3, &operand, &error), PERFPRED_NOT_FOUND);
  cr_expect_eq(perfpred_contraction_analysis_occurrence_at(analysis, 3, &occurrence, &error), PERFPRED_NOT_FOUND);
  cr_expect_eq(perfpred_contraction_analysis_item_at(analysis, 0, 0, &item, &error), PERFPRED_NOT_FOUND);
  cr_expect_eq(perfpred_contraction_analysis_item_at(analysis, 3, 0, &item, &error), PERFPRED_NOT_FOUND);
  cr_expect_eq(call.count, 0);
  info.size = call.size = operand.size = occurrence.size = item.size = sizeof(size_t);
  cr_expect_eq(perfpred_contraction_analysis_summary(analysis, &info, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_contraction_analysis_call_at(analysis, 0, &call, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_contraction_analysis_operand_at(analysis, 0, 0, &operand, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_contraction_analysis_occurrence_at(analysis, 0, &occurrence, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_contraction_analysis_item_at(analysis, 1, 0, &item, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_contraction_analysis_time(analysis, times_s, 2, &total_s, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_contraction_analysis_time(analysis, times_s, 3, &total_s, &error), PERFPRED_INVALID);
  cr_expect_not_null(strstr(error.text, "times_s[1] is -1"), "%s", error.text);
  cr_expect_float_eq(total_s, 4.0, 0.0);
  perfpred_contraction_analysis_destroy(analysis);
}

Test(contraction_analysis, null) {
  const struct perfpred_contraction_analysis_options options = six_mebibytes();
  struct perfpred_contraction_analysis *analysis = analysis_of("ca-dgemv", &options);
  const double times_s[] = { 1.0, 1.0, 1.0 };
  double total_s;
  char *text;
  const enum perfpred_status refused[] = {
    perfpred_contraction_analyze(NULL, "ca-dgemv", &options, &analysis, &error),
    perfpred_contraction_analyze(contraction, "ca-dgemv", &options, NULL, &error),
    perfpred_contraction_analysis_summary(analysis, NULL, &error),
    perfpred_contraction_analysis_summary(NULL, NULL, &error),
    perfpred_contraction_analysis_call_at(analysis, 0, NULL, &error),
    perfpred_contraction_analysis_operand_at(analysis, 0, 0, NULL, &error),
    perfpred_contraction_analysis_occurrence_at(analysis, 0, NULL, &error),
    perfpred_contraction_analysis_item_at(analysis, 1, 0, NULL, &error),
    perfpred_contraction_analysis_time(NULL, times_s, 3, &total_s, &error),
    perfpred_contraction_analysis_time(analysis, NULL, 3, &total_s, &error),
    perfpred_contraction_analysis_time(analysis, times_s, 3, NULL, &error),
    perfpred_contraction_analysis_report(analysis, NULL, &error),
    perfpred_contraction_analysis_report(NULL, &text, &error),
  };
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
    cr_expect_eq(refused[i], PERFPRED_INVALID, "case %zu", i);
  cr_expect(error.text[0]);
  cr_expect_eq(perfpred_contraction_analysis_report(analysis, &text, NULL), PERFPRED_OK);
  perfpred_free(text);
  perfpred_contraction_analysis_destroy(analysis);
  perfpred_contraction_analysis_destroy(NULL);
}
