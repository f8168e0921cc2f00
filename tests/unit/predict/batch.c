/* SPDX-License-Identifier: BSD-3-Clause */
/* Batches of configurations against predictions one by one, to the bit. */
#include "fixture.h"

static struct fixture world;

static void begin(void) {
  fixture_begin(&world);
  fixture_models(&world);
}

static void finish(void) {
  fixture_end(&world);
}

TestSuite(batch, .init = begin, .fini = finish);

static struct perfpred_plan *steps(void) {
  return fixture_plan(&world, ppi_programs_find(world.programs, "steps"), NULL);
}

/* Of the predictions 300 lie inside; sizes above 1000 and negative ones have none, n = 0 is nothing to do. */
enum { COUNT = 400 };
static int64_t configurations[2 * COUNT];

static void make_configurations(void) {
  for (int i = 0; i < COUNT; i++) {
    configurations[2 * i] = i < 300 ? 3 * i : i < 340 ? 2000 + i : i < 350 ? -i : 40;
    configurations[2 * i + 1] = i < 350 ? 1 + i % 70 : 0;
  }
}

Test(batch, each_is_the_prediction_to_the_bit) {
  static double medians[COUNT], alone[COUNT];
  static struct perfpred_statistics time_s[COUNT];
  static enum perfpred_status statuses[COUNT];
  struct perfpred_plan *plan = steps();
  struct perfpred_error error;
  make_configurations();
  cr_assert_eq(perfpred_plan_evaluate(plan, configurations, COUNT, 2, medians, time_s, statuses, &error), PERFPRED_OK,
               "%s", error.text);
  cr_assert_eq(perfpred_plan_evaluate(plan, configurations, COUNT, 2, alone, NULL, NULL, &error), PERFPRED_OK);
  int good = 0;
  for (int i = 0; i < COUNT; i++) {
    struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
    const enum perfpred_status status = perfpred_plan_predict(plan, configurations + 2 * i, 2, &prediction, NULL);
    cr_assert_eq(statuses[i], status, "configuration %d: %d, expected %d", i, (int)statuses[i], (int)status);
    if (status) {
      cr_assert(isnan(medians[i]) && isnan(alone[i]) && isnan(time_s[i].min) && isnan(time_s[i].std));
      continue;
    }
    good++;
    cr_assert_eq(memcmp(&time_s[i], &prediction.time_s, sizeof prediction.time_s), 0);
    cr_assert(medians[i] == prediction.time_s.med && alone[i] == prediction.time_s.med, "configuration %d", i);
  }
  cr_assert_eq(good, 300);
  cr_assert_eq(statuses[310], PERFPRED_OUT_OF_DOMAIN);
  cr_assert_eq(statuses[345], PERFPRED_INVALID);
  cr_assert_eq(statuses[399], PERFPRED_INVALID, "b = 0");
  perfpred_plan_destroy(plan);
}

/* By hand: n = 20, b = 8 of the test of plans: 64 + 64 + 16 + 96 + 32 us. */
Test(batch, a_sum_worked_by_hand) {
  struct perfpred_plan *plan = steps();
  double median = 0.0;
  cr_assert_eq(perfpred_plan_evaluate(plan, (int64_t[]){ 20, 8 }, 1, 2, &median, NULL, NULL, NULL), PERFPRED_OK);
  cr_assert_near(median, 272e-6);
  perfpred_plan_destroy(plan);
}

Test(batch, bad_arguments) {
  struct perfpred_plan *plan = steps();
  struct perfpred_error error;
  double median = 77.0;
  const int64_t one[] = { 20, 8 };
  cr_assert_eq(perfpred_plan_evaluate(NULL, one, 1, 2, &median, NULL, NULL, &error), PERFPRED_INVALID);
  cr_assert_str_eq(error.text, "plan is NULL");
  cr_assert_eq(perfpred_plan_evaluate(plan, NULL, 1, 2, &median, NULL, NULL, &error), PERFPRED_INVALID);
  cr_assert_str_eq(error.text, "configurations is NULL; expected 1 of 2 values");
  cr_assert_eq(perfpred_plan_evaluate(plan, one, 1, 1, &median, NULL, NULL, &error), PERFPRED_INVALID);
  cr_assert_str_eq(error.text, "count is 1; steps has 2 parameters");
  cr_assert_eq(perfpred_plan_evaluate(plan, one, 1, 2, NULL, NULL, NULL, &error), PERFPRED_INVALID);
  cr_assert_eq(median, 77.0);
  cr_assert_eq(perfpred_plan_evaluate(plan, NULL, 0, 2, &median, NULL, NULL, &error), PERFPRED_OK);
  cr_assert_eq(median, 77.0);
  perfpred_plan_destroy(plan);
}
