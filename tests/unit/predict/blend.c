/* SPDX-License-Identifier: BSD-3-Clause */
/* Predictions blended by what calls find in the caches, worked by hand. */
#include "fixture.h"

#include <perfpred/cache.h>
#include <perfpred/tuner.h>

#include "base/context.h"

static struct fixture fixture;

static void begin(void) {
  fixture_begin(&fixture);
}

static void finish(void) {
  fixture_end(&fixture);
}

TestSuite(blend, .init = begin, .fini = finish);

/* The first call finds A, n lines, nowhere; the second one as the first one has left it, n deep; the third one half of it, n deep again. */
static const char thrice[] = "algorithm thrice(n)\n"
                             "  inout A: double matrix[8, n]\n"
                             "  dfill(8, n, A[0, 0])\n"
                             "  dfill(8, n, A[0, 0])\n"
                             "  dfill(8, n//2, A[0, 0])\n"
                             "end\n";

/* dfill(m, n): m n microseconds times 1 warm, 0.5 in, 1.5 in the outer cache, 4 in memory. */
static void all_states(void) {
  fixture_model(&fixture, "dfill", "", 1, 1000, 1, 1e-6, 0.02);
  fixture_model_in(&fixture, "cache:in", "dfill", "", 1, 1000, 1, 0.5e-6, 0.02);
  fixture_model_in(&fixture, "cache:outer", "dfill", "", 1, 1000, 1, 1.5e-6, 0.04);
  fixture_model_in(&fixture, "cache:out", "dfill", "", 1, 1000, 1, 4e-6, 0.04);
}

static struct perfpred_cache_options levels(int64_t first_lines, int64_t second_lines) {
  struct perfpred_cache_options options = PERFPRED_CACHE_OPTIONS_INIT;
  options.mode = PERFPRED_CACHE_SPLIT;
  options.level_count = second_lines > 0 ? 2 : 1;
  options.level_bytes[0] = 64 * first_lines;
  options.level_bytes[1] = 64 * second_lines;
  return options;
}

static struct perfpred_prediction predict(const struct perfpred_cache_options *cache, int64_t n) {
  struct perfpred_plan_options options = PERFPRED_PLAN_OPTIONS_INIT;
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  struct perfpred_error error;
  struct perfpred_program *program = fixture_program(&fixture, thrice);
  options.cache = cache;
  struct perfpred_plan *plan = fixture_plan(&fixture, program, &options);
  cr_assert_eq(perfpred_plan_predict(plan, &n, 1, &prediction, &error), PERFPRED_OK, "%s", error.text);
  double median_s = 0.0;
  cr_assert_eq(perfpred_plan_evaluate(plan, &n, 1, 1, &median_s, NULL, NULL, &error), PERFPRED_OK, "%s", error.text);
  cr_expect_eq(median_s, prediction.time_s.med);
  perfpred_plan_destroy(plan);
  perfpred_program_unref(program);
  return prediction;
}

Test(blend, each_call_is_priced_where_its_operands_are) {
  all_states();
  struct perfpred_cache_options cache = levels(100, 0);
  struct perfpred_prediction prediction = predict(&cache, 100); /* memory, in, in */
  cr_assert_near(prediction.time_s.med, 800e-6 * 4 + 800e-6 * 0.5 + 400e-6 * 0.5);
  cr_assert_near(prediction.time_s.min, MIN_SHARE * prediction.time_s.med);
  cr_assert_near(prediction.time_s.mean, MEAN_SHARE * prediction.time_s.med);
  cr_assert_near(prediction.time_s.std, STD_SHARE * sqrt(3200e-6 * 3200e-6 + 400e-6 * 400e-6 + 200e-6 * 200e-6));
  cr_assert_near(prediction.model_error, (3200.0 * 0.04 + 600.0 * 0.02) / 3800.0);
  cr_expect_eq(prediction.cache_calls, 3);
  cr_expect_eq(prediction.warm_calls, 0);
  cr_expect_eq(prediction.calls, 3);
  cache = levels(99, 0);
  cr_assert_near(predict(&cache, 100).time_s.med, 2000e-6 * 4); /* memory, memory, memory */
  cache = levels(99, 100);
  cr_assert_near(predict(&cache, 100).time_s.med, 800e-6 * 4 + 1200e-6 * 1.5);
  cache.weights[1] = 2.0;
  cr_assert_near(predict(&cache, 100).time_s.med, 800e-6 * 4 + 1200e-6 * 1.5 * 2);
  cache.first =
      PERFPRED_CACHE_REPEATED; /* half of the first one's lines were touched last, n/2 deep, the others n deep */
  cache.weights[1] = 1.0;
  cache.level_bytes[0] = 64 * 50;
  cr_assert_near(predict(&cache, 100).time_s.med, 400e-6 * 0.5 + 400e-6 * 1.5 + 1200e-6 * 1.5);
}

Test(blend, states_without_models_are_taken_by_the_next_one_inwards) {
  struct perfpred_cache_options cache = levels(99, 100);
  fixture_model(&fixture, "dfill", "", 1, 1000, 1, 1e-6, 0.02);
  cr_assert_near(predict(&cache, 100).time_s.med, 2000e-6); /* warm alone */
  fixture_model_in(&fixture, "cache:in", "dfill", "", 1, 1000, 1, 0.5e-6, 0.02);
  cr_assert_near(predict(&cache, 100).time_s.med, 2000e-6 * 0.5);
  fixture_model_in(&fixture, "cache:out", "dfill", "", 1, 1000, 1, 4e-6, 0.04);
  cr_assert_near(predict(&cache, 100).time_s.med, 800e-6 * 4 + 1200e-6 * 0.5);
}

Test(blend, out_of_cache_models_alone_are_better_than_none) {
  struct perfpred_cache_options cache = levels(100, 0);
  fixture_model_in(&fixture, "cache:out", "dfill", "", 1, 1000, 1, 4e-6, 0.04);
  cr_assert_near(predict(&cache, 100).time_s.med, 2000e-6 * 4);
}

Test(blend, plans_without_a_cache_do_not_see_models_of_states) {
  struct perfpred_error error;
  struct perfpred_plan *plan = NULL;
  struct perfpred_program *program = fixture_program(&fixture, thrice);
  fixture_model_in(&fixture, "cache:in", "dfill", "", 1, 1000, 1, 0.5e-6, 0.02);
  cr_expect_eq(perfpred_plan_create(program, fixture.models, NULL, &plan, &error), PERFPRED_UNMODELLED);
  fixture_model(&fixture, "dfill", "", 1, 1000, 1, 1e-6, 0.02);
  cr_assert_near(predict(NULL, 100).time_s.med, 2000e-6);
  perfpred_program_unref(program);
}

Test(blend, an_analysis_of_a_plan_has_times) {
  const struct perfpred_cache_options options = levels(100, 0);
  struct perfpred_program *program = fixture_program(&fixture, thrice);
  struct perfpred_cache_info info = PERFPRED_CACHE_INFO_INIT;
  struct perfpred_cache_call call = PERFPRED_CACHE_CALL_INIT;
  struct perfpred_cache *cache = NULL;
  struct perfpred_error error;
  all_states();
  struct perfpred_plan *plan = fixture_plan(&fixture, program, NULL);
  cr_assert_eq(perfpred_plan_cache(plan, (int64_t[]){ 100 }, 1, &options, &cache, &error), PERFPRED_OK, "%s",
               error.text);
  perfpred_plan_destroy(plan);
  perfpred_program_unref(program);
  cr_assert_eq(perfpred_cache_summary(cache, &info, &error), PERFPRED_OK);
  cr_expect_eq(info.priced, 3);
  cr_expect_eq(info.blended, 3);
  cr_assert_near(info.warm_s, 2000e-6);
  cr_assert_near(info.level_s[0], 1000e-6);
  cr_assert_near(info.level_s[1], 8000e-6);
  cr_assert_near(info.time_s, 3800e-6);
  cr_assert_near(info.shares[0], 150.0 / 250.0);
  cr_assert_eq(perfpred_cache_call_at(cache, 2, &call, &error), PERFPRED_OK);
  cr_expect_str_eq(call.text, "dfill(8,50)");
  cr_assert_near(call.time_s, 200e-6);
  cr_assert_near(call.warm_s, 400e-6);
  cr_assert_near(call.level_s[1], 1600e-6);
  perfpred_cache_destroy(cache);
}

Test(blend, notes_are_told_from_the_most_serious_down) {
  unsigned notes = PERFPRED_NOTE_ZERO_WORK | PERFPRED_NOTE_FORCED | PERFPRED_NOTE_EXTRAPOLATED | 1U << 20;
  cr_expect_str_eq(perfpred_note_take(&notes), "forced");
  cr_expect_str_eq(perfpred_note_take(&notes), "extrapolated");
  cr_expect_str_eq(perfpred_note_take(&notes), "zero work");
  cr_expect_null(perfpred_note_take(&notes));
  cr_expect_eq(notes, 0, "a bit that nobody knows is no note");
  cr_expect_null(perfpred_note_take(NULL));
}

/* A fit that models keep fills in levels and coefficients, as long as the question leaves them open or means the same caches. */
Test(blend, models_keep_a_fit) {
  struct perfpred_cache_options fit = levels(100, 0), none = PERFPRED_CACHE_OPTIONS_INIT;
  struct perfpred_plan_options options = PERFPRED_PLAN_OPTIONS_INIT;
  struct perfpred_error error;
  all_states();
  fit.mode = PERFPRED_CACHE_SMOOTHED;
  fit.alpha = 1000.0;
  fit.beta = 1000.0;
  fit.weights[0] = 0.5;
  fit.weights[1] = 0.25;
  cr_expect_eq(perfpred_cache_keep(fixture.models, &none, &error), PERFPRED_INVALID, "no levels");
  cr_assert_eq(perfpred_cache_keep(fixture.models, &fit, &error), PERFPRED_OK, "%s", error.text);
  /* of each column: half of the way from the warm time to that in the cache, a quarter of that to memory's */
  const double in = 0.75e-6 * 8, out = 1.75e-6 * 8, all_out = 4e-6 * 8;
  cr_assert_near(predict(&none, 50).time_s.med, 50 * out + 50 * in + 25 * in);
  struct perfpred_cache_options other = levels(100, 0);
  other.mode = PERFPRED_CACHE_SMOOTHED;
  cr_assert_near(predict(&other, 50).time_s.med, 50 * out + 50 * in + 25 * in);
  other.weights[1] = 1.0;
  cr_assert_near(predict(&other, 50).time_s.med, 50 * all_out + 50 * in + 25 * in);
  other.level_bytes[0] += 64; /* another cache: the defaults, up to smoothing that is not sharp */
  other.weights[1] = 0.0;
  cr_expect_gt(predict(&other, 10).time_s.med, 10 * all_out);
  other = levels(100, 0);
  cr_assert_near(predict(&other, 50).time_s.med, 50 * all_out + 75 * 0.5e-6 * 8); /* the fit is of smoothed estimates */
  struct perfpred_program *program = fixture_program(&fixture, thrice);
  struct perfpred_plan *plan = fixture_plan(&fixture, program, &options);
  cr_expect_eq(perfpred_cache_keep(fixture.models, &fit, &error), PERFPRED_INVALID);
  cr_expect_not_null(strstr(error.text, "in use"), "%s", error.text);
  perfpred_plan_destroy(plan);
  perfpred_program_unref(program);
  struct perfpred_models *bare = NULL, *joined = NULL;
  cr_assert_eq(ppi_models_create(&bare, NULL), PERFPRED_OK);
  cr_assert_eq(perfpred_models_merge(fixture.models, bare, NULL, &joined, &error), PERFPRED_OK, "%s", error.text);
  cr_expect_eq(joined->machine.blending.alpha, 1000.0, "what is added has none");
  perfpred_models_unref(joined);
  fit.alpha = 3.0;
  cr_assert_eq(perfpred_cache_keep(bare, &fit, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_eq(perfpred_models_merge(fixture.models, bare, NULL, &joined, &error), PERFPRED_OK, "%s", error.text);
  cr_expect_eq(joined->machine.blending.alpha, 3.0);
  perfpred_models_unref(joined);
  perfpred_models_unref(bare);
  fit.beta = 1001.0; /* a file would not be read again */
  cr_expect_eq(perfpred_cache_keep(fixture.models, &fit, &error), PERFPRED_INVALID);
  cr_expect_not_null(strstr(error.text, "0.001 to 1000"), "%s", error.text);
  cr_expect_eq(perfpred_cache_keep(NULL, &fit, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_cache_keep(fixture.models, NULL, &error), PERFPRED_INVALID);
}

/* What has no model counts as 0, and is marked. */
Test(blend, partial_plans_price_what_they_can) {
  static const char both[] = "algorithm both(n)\n"
                             "  inout A: double matrix[8, n]\n"
                             "  dfill(8, n, A[0, 0])\n"
                             "  dpart(L, 8, A[0, 0])\n"
                             "end\n";
  const struct perfpred_cache_options cache = levels(100, 0);
  struct perfpred_plan_options options = PERFPRED_PLAN_OPTIONS_INIT;
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  struct perfpred_program *program = fixture_program(&fixture, both);
  struct perfpred_error error;
  all_states();
  options.cache = &cache;
  options.partial = 1;
  struct perfpred_plan *plan = fixture_plan(&fixture, program, &options);
  cr_assert_eq(perfpred_plan_predict(plan, (int64_t[]){ 10 }, 1, &prediction, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_near(prediction.time_s.med, 80e-6 * 4);
  cr_expect(prediction.notes & PERFPRED_NOTE_UNMODELLED);
  cr_expect_eq(prediction.cache_calls, 1);
  cr_expect_eq(prediction.calls, 2);
  perfpred_plan_destroy(plan);
  perfpred_program_unref(program);
}

static void expect_refused(const struct perfpred_plan_options *options, enum perfpred_status wanted, const char *word) {
  struct perfpred_program *program = fixture_program(&fixture, thrice);
  struct perfpred_plan *plan = NULL;
  struct perfpred_error error;
  cr_expect_eq(perfpred_plan_create(program, fixture.models, options, &plan, &error), wanted, "%s", error.text);
  cr_expect_not_null(strstr(error.text, word), "'%s' lacks '%s'", error.text, word);
  cr_expect_null(plan);
  perfpred_program_unref(program);
}

Test(blend, bad_input) {
  struct perfpred_cache_options cache = levels(100, 0);
  struct perfpred_plan_options options = PERFPRED_PLAN_OPTIONS_INIT;
  struct perfpred_error error;
  options.cache = &cache;
  expect_refused(&options, PERFPRED_UNMODELLED, "no model of dfill");
  all_states();
  options.warm = 1;
  expect_refused(&options, PERFPRED_INVALID, "context or warm or cache");
  options.warm = 0;
  cache.level_bytes[0] = 0;
  expect_refused(&options, PERFPRED_INVALID, "a cache of 0 bytes");
  cache = levels(100, 0);
  struct perfpred_program *program = fixture_program(&fixture, thrice);
  struct perfpred_plan *plan = fixture_plan(&fixture, program, &options);
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  cr_expect_eq(perfpred_plan_predict(plan, (int64_t[]){ 1001 }, 1, &prediction, &error), PERFPRED_OUT_OF_DOMAIN);
  cr_expect_not_null(strstr(error.text, "dfill(8,1001) is above the domain"), "%s", error.text);
  cr_expect_eq(perfpred_plan_predict(plan, (int64_t[]){ -1 }, 1, &prediction, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_plan_predict(plan, (int64_t[]){ 0 }, 1, &prediction, &error), PERFPRED_OK);
  cr_expect_eq(prediction.time_s.med, 0.0);
  cr_expect(prediction.notes & PERFPRED_NOTE_ZERO_WORK);
  cr_expect_eq(perfpred_plan_cache(NULL, NULL, 0, NULL, NULL, &error), PERFPRED_INVALID);
  struct perfpred_cache *made = NULL;
  cr_expect_eq(perfpred_plan_cache(plan, NULL, 1, NULL, &made, &error), PERFPRED_INVALID);
  cr_expect_null(made);
  perfpred_plan_destroy(plan);
  const struct perfpred_context context = { fixture.kernels, fixture.programs };
  struct perfpred_tuner_options tuning = PERFPRED_TUNER_OPTIONS_INIT;
  struct perfpred_tuner *tuner = NULL;
  tuning.plan = &options;
  cr_expect_eq(
      perfpred_tuner_create(&context, fixture.models, (const char *const[]){ "steps" }, 1, &tuning, &tuner, &error),
      PERFPRED_INVALID);
  cr_expect_not_null(strstr(error.text, "expected no cache"), "%s", error.text);
  options.extrapolate = 1;
  plan = fixture_plan(&fixture, program, &options);
  cr_assert_eq(perfpred_plan_predict(plan, (int64_t[]){ 1001 }, 1, &prediction, &error), PERFPRED_OK);
  cr_expect(prediction.notes & PERFPRED_NOTE_EXTRAPOLATED);
  perfpred_plan_destroy(plan);
  perfpred_program_unref(program);
}
