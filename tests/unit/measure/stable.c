/* SPDX-License-Identifier: BSD-3-Clause */
/* The interval of a median, and sampling until it is narrow. */
#include "measure/interval.h"
#include "script.h"

/* Chances by hand: 2 (1/2)^6 = 3.1 %; 2 (1 + 9) / 2^9 = 3.9 %; 2 (1 + 10) / 2^10 = 2.1 %. Those of 20, 25, 100 are tabulated. */
Test(interval, ranks_of_order_statistics) {
  static const size_t known[][2] = { { 0, 0 }, { 1, 0 },  { 5, 0 },  { 6, 1 },  { 8, 1 },
                                     { 9, 2 }, { 10, 2 }, { 20, 6 }, { 25, 8 }, { 100, 40 } };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    cr_expect_eq(ppi_interval_rank(known[i][0]), known[i][1], "%zu values: %zu", known[i][0],
                 ppi_interval_rank(known[i][0]));
  cr_expect_gt(ppi_interval_rank(1000000), 498000);
}

Test(interval, of_nine_values) {
  double values[] = { 9, 2, 8, 4, 5, 6, 7, 3, 1 }, lower = 0.0, upper = 0.0;
  cr_assert(ppi_interval_median(values, 9, &lower, &upper));
  cr_expect_float_eq(lower, 2.0, 1e-15);
  cr_expect_float_eq(upper, 8.0, 1e-15);
  cr_expect(ppi_interval_narrow(values, 9, 1.2));
  cr_expect_not(ppi_interval_narrow(values, 9, 1.19));
  cr_expect_not(ppi_interval_median(values, 5, &lower, &upper));
}

static double third_is_slow(uint64_t run) {
  return run % 3 == 0 ? 1.3 : 1.0;
}

static double alternating(uint64_t run) {
  return run / 2 % 2 == 0 ? 1.3 : 1.0;
}

static size_t samples_until(double (*extra)(uint64_t run), double width) {
  struct script script;
  struct ppi_level level = { 0 };
  struct ppi_result result;
  struct perfpred_error error;
  script_start(&script);
  script.run_s[0] = 1e-3;
  script.extra = extra;
  const struct ppi_sampling sampling = { .repetitions = 6, .stable = width, .repetitions_max = 61, .detailed = true };
  cr_assert_eq(script_sample(&script, 1, &level, &sampling, &result, &error), PERFPRED_OK);
  size_t count = result.count;
  cr_expect_eq(result.sample_count, count);
  cr_expect_float_eq(result.samples[0].before_s, YARDSTICK_S, 1e-12);
  ppi_results_free(&result, 1);
  return count;
}

Test(interval, sampling_ends_when_it_is_narrow) {
  cr_expect_eq(samples_until(NULL, 0.01), 6, "nothing varies");
  cr_expect_eq(samples_until(alternating, 0.01), 61, "one half and the other: the median is never known");
  size_t count = samples_until(third_is_slow, 0.01);
  cr_expect(count > 6 && count < 61, "%zu", count);
}

/* The first run of all takes a hundred times as long: it is told, and counts nowhere else. */
static double slow_start(uint64_t run) {
  return run == 0 ? 100.0 : 1.0;
}

Test(interval, first_call_is_kept_apart) {
  struct script script;
  struct ppi_level level = { 0 };
  struct ppi_result result;
  struct perfpred_error error;
  script_start(&script);
  script.run_s[0] = 1e-3;
  script.extra = slow_start;
  const struct ppi_sampling sampling = { .repetitions = 10 };
  cr_assert_eq(script_sample(&script, 1, &level, &sampling, &result, &error), PERFPRED_OK);
  cr_expect_float_eq(result.first_s, 0.1, 1e-9);
  for (size_t i = 0; i < result.count; i++)
    cr_expect_float_eq(result.times_s[i], 1e-3, 1e-9);
  ppi_results_free(&result, 1);
}

static struct script *watched;
static bool evicted;

static void evict(void *data) {
  (void)data;
  evicted = true;
}

/* A hundred times the time at first, thrice the time when the operands are gone. */
static double by_state(uint64_t run) {
  double factor = run == 0 ? 100.0 : evicted ? 3.0 : 1.0;
  evicted = false;
  return factor;
}

/* C34 */
Test(interval, c34_first_call_warm_and_cold_times_are_kept_apart) {
  for (int cold = 0; cold < 2; cold++) {
    struct script script;
    struct ppi_level level = { 0 };
    struct ppi_result result;
    struct perfpred_error error;
    script_start(&script);
    script.run_s[0] = 1e-3;
    script.extra = by_state;
    const struct ppi_bench bench = script_bench(&script);
    struct ppi_subjects subjects = script_subjects(&script, 1);
    subjects.prepare = cold ? evict : NULL;
    subjects.unpaired = cold;
    const struct ppi_sampling sampling = { .repetitions = 10, .detailed = true };
    cr_assert_eq(ppi_schedule_run(&bench, &level, &subjects, &sampling, &result, &error), PERFPRED_OK);
    cr_expect_float_eq(result.first_s, 0.1, 1e-9);
    cr_expect_eq(result.count, 10);
    for (size_t i = 0; i < result.count; i++)
      cr_expect_float_eq(result.times_s[i], cold ? 3e-3 : 1e-3, 1e-9);
    cr_expect_float_eq(result.spent.spare_s, 0.1, 1e-9);
    cr_expect_float_eq(result.measure_s, cold ? 30e-3 : 20e-3, 1e-9);
    ppi_results_free(&result, 1);
  }
}

static void prepare(void *data) {
  event(data, 'p');
}

Test(interval, cold_samples_have_no_warm_run) {
  struct script script;
  struct ppi_level level = { 0 };
  struct ppi_result result;
  struct perfpred_error error;
  script_start(&script);
  watched = &script;
  script.run_s[0] = 1e-3;
  const struct ppi_bench bench = script_bench(&script);
  struct ppi_subjects subjects = script_subjects(watched, 1);
  subjects.prepare = prepare;
  subjects.unpaired = true;
  const struct ppi_sampling sampling = { .repetitions = 2 };
  cr_assert_eq(ppi_schedule_run(&bench, &level, &subjects, &sampling, &result, &error), PERFPRED_OK);
  /* first contact, then restore, prepare, run, check between two yardsticks; the first reading is confirmed by another */
  cr_expect_eq(strncmp(script.events, "srxcyyrpxcy", 11), 0, "%s", script.events);
  ppi_results_free(&result, 1);
}
