/* SPDX-License-Identifier: BSD-3-Clause */
/* Predictions split by kernels, and marks of models measured with another leading dimension; worked by hand. */
#include "fixture.h"

static struct fixture world;

static void begin(void) {
  fixture_begin(&world);
  fixture_models(&world);
}

static void finish(void) {
  fixture_end(&world);
}

TestSuite(shares, .init = begin, .fini = finish);
TestSuite(leading, .init = begin, .fini = finish);

static struct perfpred_plan *steps(const struct perfpred_plan_options *options) {
  return fixture_plan(&world, ppi_programs_find(world.programs, "steps"), options);
}

/* n = 20, b = 8: dpart 8, 8, 4; dfill 8 x 12, 8 x 4 and 4 x 0, which is no work. Times are 1 us per flop. */
Test(shares, of_a_loop_with_a_short_last_step) {
  struct perfpred_plan *plan = steps(NULL);
  struct perfpred_share shares[3];
  size_t count = 0;
  cr_assert_eq(perfpred_plan_shares(plan, (int64_t[]){ 20, 8 }, 2, shares, 3, &count, NULL), PERFPRED_OK);
  cr_assert_eq(count, 2);
  cr_expect_str_eq(shares[0].kernel, "dpart");
  cr_expect_eq(shares[0].calls, 3);
  cr_assert_near(shares[0].time_s.med, 144e-6);
  cr_assert_near(shares[0].time_s.min, MIN_SHARE * 144e-6);
  cr_assert_near(shares[0].time_s.std, STD_SHARE * sqrt(64e-6 * 64e-6 * 2 + 16e-6 * 16e-6));
  cr_assert_near(shares[0].flops, 144.0);
  cr_expect_str_eq(shares[1].kernel, "dfill");
  cr_expect_eq(shares[1].calls, 2);
  cr_assert_near(shares[1].time_s.med, 128e-6);
  cr_assert_near(shares[1].flops, 128.0);
  cr_assert_near(predicted(plan, (int64_t[]){ 20, 8 }, 2), 144e-6 + 128e-6);
  perfpred_plan_destroy(plan);
}

Test(shares, of_no_work_and_of_too_few_places) {
  struct perfpred_plan *plan = steps(NULL);
  struct perfpred_share shares[2] = { { .calls = 77 }, { .calls = 77 } };
  size_t count = 9;
  cr_assert_eq(perfpred_plan_shares(plan, (int64_t[]){ 0, 8 }, 2, shares, 2, &count, NULL), PERFPRED_OK);
  cr_expect_eq(count, 0);
  cr_assert_eq(perfpred_plan_shares(plan, (int64_t[]){ 20, 8 }, 2, NULL, 0, &count, NULL), PERFPRED_OK);
  cr_expect_eq(count, 2);
  cr_assert_eq(perfpred_plan_shares(plan, (int64_t[]){ 20, 8 }, 2, shares, 1, &count, NULL), PERFPRED_OK);
  cr_expect_eq(count, 2);
  cr_expect_eq(shares[0].calls, 3);
  cr_expect_eq(shares[1].calls, 77);
  perfpred_plan_destroy(plan);
}

Test(shares, wrong_arguments) {
  struct perfpred_plan *plan = steps(NULL);
  struct perfpred_share share = { .calls = 77 };
  struct perfpred_error error;
  size_t count = 9;
  const int64_t point[] = { 20, 8 }, beyond[] = { 5000, 8 };
  cr_expect_eq(perfpred_plan_shares(NULL, point, 2, &share, 1, &count, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_plan_shares(plan, point, 1, &share, 1, &count, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_plan_shares(plan, point, 2, &share, 1, NULL, &error), PERFPRED_INVALID);
  cr_expect_not_null(strstr(error.text, "share_count"));
  cr_expect_eq(perfpred_plan_shares(plan, point, 2, NULL, 1, &count, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_plan_shares(plan, beyond, 2, &share, 1, &count, &error), PERFPRED_OUT_OF_DOMAIN);
  cr_expect_eq(count, 9);
  cr_expect_eq(share.calls, 77);
  perfpred_plan_destroy(plan);
}

static unsigned notes_with(int64_t asked, int64_t measured) {
  struct perfpred_plan_options options = PERFPRED_PLAN_OPTIONS_INIT;
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  options.ld = asked;
  for (int i = 0; i < world.models->count; i++)
    world.models->submodels[i].ld = measured;
  struct perfpred_plan *plan = steps(&options);
  cr_assert_eq(perfpred_plan_predict(plan, (int64_t[]){ 20, 8 }, 2, &prediction, NULL), PERFPRED_OK);
  perfpred_plan_destroy(plan);
  return prediction.notes;
}

/* C16: a model built with an odd leading dimension, asked at 4096, is outside the measured condition. */
Test(leading, of_another_kind_is_marked) {
  static const int64_t kinds[3][2] = { { 1032, 5000 }, { 1024, 4096 }, { 1001, 5001 } };
  for (int asked = 0; asked < 3; asked++)
    for (int measured = 0; measured < 3; measured++)
      cr_expect_eq(notes_with(kinds[asked][0], kinds[measured][1]), asked == measured ? 0U : PERFPRED_NOTE_OTHER_LD);
}

Test(leading, left_open_is_that_of_the_models) {
  cr_expect_eq(notes_with(0, 4096), 0);
  cr_expect_eq(notes_with(0, 5001), 0);
}

/* Of a model that does not say how it was measured the default is taken, which is no multiple of 256. */
Test(leading, unknown_counts_as_the_default) {
  cr_expect_eq(notes_with(1032, 0), 0);
  cr_expect_eq(notes_with(1024, 0), PERFPRED_NOTE_OTHER_LD);
}

/* What has no work to do is no matter of leading dimensions, nor is a kernel of vectors. */
Test(leading, of_nothing_is_not_marked) {
  static const char text[] = "algorithm line(n)\n  inout X: double vector[n]\n  dline(n, X[0])\nend\n";
  struct perfpred_plan_options options = PERFPRED_PLAN_OPTIONS_INIT;
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  options.ld = 4096;
  struct perfpred_plan *plan = steps(&options);
  cr_assert_eq(perfpred_plan_predict(plan, (int64_t[]){ 0, 8 }, 2, &prediction, NULL), PERFPRED_OK);
  cr_expect_eq(prediction.notes, PERFPRED_NOTE_ZERO_WORK);
  perfpred_plan_destroy(plan);
  fixture_model(&world, "dline", "1", 1, 1000, 1, 1e-6, 0.02);
  struct perfpred_program *program = fixture_program(&world, text);
  plan = fixture_plan(&world, program, &options);
  cr_assert_eq(perfpred_plan_predict(plan, (int64_t[]){ 20 }, 1, &prediction, NULL), PERFPRED_OK);
  cr_expect_eq(prediction.notes, 0);
  perfpred_plan_destroy(plan);
  perfpred_program_unref(program);
}

Test(leading, too_small_or_negative) {
  struct perfpred_plan_options options = PERFPRED_PLAN_OPTIONS_INIT;
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  struct perfpred_plan *none = NULL;
  struct perfpred_error error;
  options.ld = -1;
  cr_expect_eq(perfpred_plan_create(ppi_programs_find(world.programs, "steps"), world.models, &options, &none, &error),
               PERFPRED_INVALID);
  cr_expect_not_null(strstr(error.text, "options.ld: -1"));
  cr_expect_null(none);
  options.ld = 19;
  struct perfpred_plan *plan = steps(&options);
  cr_expect_eq(perfpred_plan_predict(plan, (int64_t[]){ 20, 8 }, 2, &prediction, &error), PERFPRED_INVALID);
  cr_expect_not_null(strstr(error.text, "leading dimension 19: expected at least the 20 rows of A"), "%s", error.text);
  cr_expect_eq(perfpred_plan_predict(plan, (int64_t[]){ 19, 8 }, 2, &prediction, &error), PERFPRED_OK);
  perfpred_plan_destroy(plan);
}
