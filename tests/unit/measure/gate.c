/* SPDX-License-Identifier: BSD-3-Clause */
/* Which samples count: levels, preemption, outliers, coarse clocks, on scripted noise. */
#include "script.h"

static struct script script;
static struct ppi_level level;
static struct perfpred_error error;
static struct ppi_result result;

static void start(void) {
  script_start(&script);
  level = (struct ppi_level){ 0 };
  memset(&error, 0, sizeof error);
  memset(&result, 0, sizeof result);
}

static void stop(void) {
  ppi_results_free(&result, 1);
}

TestSuite(gate, .init = start, .fini = stop);

static void sample(int repetitions) {
  const struct ppi_sampling sampling = { .repetitions = repetitions };
  cr_assert_eq(script_sample(&script, 1, &level, &sampling, &result, &error), PERFPRED_OK, "%s", error.text);
}

static void expect_close(double value, double expected, double relative) {
  cr_expect_leq(fabs(value - expected), relative * expected, "%g, expected %g", value, expected);
}

/* Two levels 40 % apart, 60 ms each, the slow one first. */
static double two_levels(double now_s) {
  return fmod(now_s, 0.12) < 0.06 ? 1.4 : 1.0;
}

Test(gate, picks_the_reference_level) {
  script.level = two_levels;
  script.run_s[0] = 2e-3;
  sample(40);
  cr_expect(result.gated);
  cr_expect_eq(result.count, 40);
  cr_expect_gt(result.disturbed, 0);
  expect_close(median_of(&result), 2e-3, 1e-9);
  expect_close(level.best_s, YARDSTICK_S, 1e-9);
}

/* A level that changes within the sample: the reading after it tells. */
Test(gate, both_sides_must_pass) {
  script.level = two_levels;
  script.run_s[0] = 17e-3;
  sample(20);
  for (size_t i = 0; i < result.count && result.gated; i++)
    expect_close(result.times_s[i], 17e-3, 1e-9);
  cr_expect(result.gated);
}

static double drifting(uint64_t nr) {
  return YARDSTICK_S * (nr % 7 == 0 ? 1.06 : nr % 3 == 0 ? 1.04 : 1.0);
}

Test(gate, width_is_five_per_cent_unless_told) {
  script.yardstick = drifting;
  script.run_s[0] = 1e-3;
  sample(20);
  cr_expect(result.gated);
  uint64_t disturbed = result.disturbed;
  cr_expect_gt(disturbed, 0, "6 %% is outside");
  stop();
  start();
  script.yardstick = drifting;
  script.run_s[0] = 1e-3;
  const struct ppi_sampling wide = { .repetitions = 20, .gate = 0.07 };
  cr_assert_eq(script_sample(&script, 1, &level, &wide, &result, &error), PERFPRED_OK);
  cr_expect_eq(result.disturbed, 0);
  stop();
  start();
  script.yardstick = drifting;
  script.run_s[0] = 1e-3;
  const struct ppi_sampling narrow = { .repetitions = 20, .gate = 0.03 };
  cr_assert_eq(script_sample(&script, 1, &level, &narrow, &result, &error), PERFPRED_OK);
  cr_expect_gt(result.disturbed, disturbed, "4 %% is outside now");
}

static bool every_third(uint64_t run) {
  return run % 3 == 0;
}

Test(gate, preempted_samples_are_measured_again) {
  script.preempted = every_third;
  script.run_s[0] = 1.7e-3;
  sample(20);
  cr_expect(result.gated);
  cr_expect_eq(result.count, 20);
  cr_expect_gt(result.disturbed, 0);
  for (size_t i = 0; i < result.count; i++)
    expect_close(result.times_s[i], 1.7e-3, 1e-9);
}

static bool always(uint64_t run) {
  (void)run;
  return true;
}

/* Long kernels on a loaded machine: CPU time is the clock that survives; and it ends. */
Test(gate, all_preempted_falls_back_to_cpu_time) {
  script.preempted = always;
  script.run_s[0] = 0.5;
  sample(10);
  cr_expect_not(result.gated);
  cr_expect_eq(result.count, 10);
  cr_expect_eq(result.disturbed, 80, "the limit on attempts");
  for (size_t i = 0; i < result.count; i++)
    expect_close(result.times_s[i], 0.5, 1e-9);
}

/* C32: three of 20 samples 500 times as slow, without any sign of why. */
static double slow_ones(uint64_t run) {
  return run == 8 || run == 20 || run == 30 ? 500.0 : 1.0; /* timed runs have even numbers: 0 is the first contact */
}

Test(gate, c32_outliers_hardly_move_the_median_and_show_in_the_spread) {
  script.extra = slow_ones;
  script.run_s[0] = 1e-3;
  sample(20);
  struct perfpred_statistics statistics;
  cr_expect_eq(result.count, 20);
  cr_expect_eq(result.disturbed, 0);
  expect_close(median_of(&result), 1e-3, 0.05);
  ppi_stats_of(result.times_s, result.count, &statistics);
  expect_close(statistics.max, 0.5, 1e-9);
  cr_expect_gt(statistics.std, 0.1);
}

/* C36: a clock of 1 ms and a kernel of 10 us. */
Test(gate, c36_coarse_clock) {
  script.resolution_s = 1e-3;
  script.run_s[0] = 10e-6;
  sample(10);
  cr_expect_geq(result.count, 1);
  for (size_t i = 0; i < result.count; i++) {
    cr_expect(isfinite(result.times_s[i]));
    cr_expect_gt(result.times_s[i], 0.0);
    cr_expect_leq(result.times_s[i], 2e-3);
  }
  cr_expect_lt(script.runs, 20000, "no runaway repetition");
  cr_expect(isfinite(level.best_s));
  cr_expect_gt(level.best_s, 0.0);
}

/* C36: neither does a kernel that nothing can be read of, or one that takes some steps of the clock. */
Test(gate, c36_coarse_clock_and_other_kernels) {
  static const double times_s[] = { 0.0, 1e-9, 99e-6, 0.4e-3, 7.3e-3 };
  for (size_t i = 0; i < sizeof times_s / sizeof times_s[0]; i++) {
    start();
    script.resolution_s = 1e-3;
    script.run_s[0] = times_s[i];
    sample(10);
    cr_expect_geq(result.count, 10);
    for (size_t k = 0; k < result.count; k++) {
      cr_expect_geq(result.times_s[k], 0.5e-3, "half a step is the least that is told");
      cr_expect_leq(fabs(result.times_s[k] - times_s[i]), 1e-3 + 1e-12);
    }
    cr_expect_lt(script.runs, 20000);
    stop();
  }
  result = (struct ppi_result){ 0 };
}

/* The best reading was seen once and never came back: nothing passes. Readings are 1.25 times it on average. */
static double never_as_good(uint64_t nr) {
  return YARDSTICK_S * (nr < 2 ? 1.0 : nr % 2 == 0 ? 1.2 : 1.3);
}

Test(gate, divides_by_the_yardstick_when_too_few_pass) {
  script.yardstick = never_as_good;
  script.run_s[0] = 5e-3;
  sample(12);
  cr_expect_not(result.gated);
  cr_expect_eq(result.count, 12);
  /* Samples with 1.0 and 1.2 around them come first: at most one of them; the others have 1.2 and 1.3. */
  expect_close(median_of(&result), 5e-3 / 1.25, 1e-9);
  expect_close(level.best_s, YARDSTICK_S, 1e-9);
}

/* The machine is slow at first, and nobody can know that. */
static double slow_start(double now_s) {
  return now_s < 0.05 ? 1.4 : 1.0;
}

Test(gate, a_better_reading_found_late_undoes_what_passed_before) {
  script.level = slow_start;
  script.run_s[0] = 2e-3;
  sample(30);
  cr_expect(result.gated);
  cr_expect_eq(result.count, 30);
  cr_expect_gt(result.disturbed, 5);
  for (size_t i = 0; i < result.count; i++)
    expect_close(result.times_s[i], 2e-3, 1e-9);
}

/* Bursts: 7 % faster in two of twenty milliseconds. */
static double bursts(double now_s) {
  return fmod(now_s, 20e-3) < 2e-3 ? 1.0 : 1.07;
}

Test(gate, rare_bursts_do_not_shut_it) {
  script.level = bursts;
  script.run_s[0] = 2e-3;
  sample(50);
  cr_expect(result.gated);
  cr_expect_eq(result.count, 50);
  cr_expect_lt(result.disturbed, 10);
  expect_close(level.best_s, YARDSTICK_S, 1e-9);
  expect_close(median_of(&result), 2e-3, 2e-2);
}

static double slow_for_ever(double now_s) {
  (void)now_s;
  return 1.2;
}

Test(gate, best_reading_lives_across_batches) {
  script.run_s[0] = 2e-3;
  sample(5);
  stop();
  script.level = slow_for_ever;
  sample(5);
  cr_expect_not(result.gated, "all readings are 20 %% above the best of the batch before");
  expect_close(level.best_s, YARDSTICK_S, 1e-9);
  expect_close(median_of(&result), 2e-3, 1e-9); /* brought to the best reading, though the machine runs 20 % slower */
}

/* A single reading far too short, as a clock that was set back would give. */
static double glitch(uint64_t nr) {
  return nr == 9 ? 1e-9 : YARDSTICK_S;
}

Test(gate, one_impossible_reading_does_not_shut_the_gate) {
  script.yardstick = glitch;
  script.run_s[0] = 1e-3;
  sample(20);
  cr_expect(result.gated);
  cr_expect_eq(result.count, 20);
  expect_close(level.best_s, YARDSTICK_S, 1e-9);
}

Test(gate, none_means_no_yardstick_at_all) {
  script.run_s[0] = 1e-3;
  script.level = two_levels;
  const struct ppi_sampling sampling = { .repetitions = 10, .gate = -1.0 };
  cr_assert_eq(script_sample(&script, 1, &level, &sampling, &result, &error), PERFPRED_OK);
  cr_expect_eq(script.readings, 0);
  cr_expect_not(result.gated);
  cr_expect_eq(result.count, 10);
  cr_expect_eq(result.disturbed, 0);
}

Test(gate, overhead_is_subtracted) {
  script.run_s[0] = 1e-3;
  script.overhead_s = 0.25e-3;
  sample(10);
  expect_close(median_of(&result), 1e-3, 1e-9);
  expect_close(result.cpu_s, 1e-3, 1e-9);
}

/* Every run that was timed counts, warm ones included: 10 samples of two runs each. */
Test(gate, sum_of_timed_runs) {
  script.run_s[0] = 1e-3;
  sample(10);
  expect_close(result.measure_s, 20e-3, 1e-9);
}

/* A reading from outside, 2.5 % above the best one: times become 2.5 % longer. Which samples pass does not depend on it. */
Test(gate, times_are_brought_to_a_given_reading) {
  script.level = two_levels;
  script.run_s[0] = 2e-3;
  level.given_s = 1.025 * YARDSTICK_S;
  sample(40);
  cr_expect(result.gated);
  cr_expect_gt(result.disturbed, 0, "the slow level is outside the gate all the same");
  expect_close(median_of(&result), 2.05e-3, 1e-9);
  expect_close(level.best_s, YARDSTICK_S, 1e-9);
}

static double slower_by_three(double now_s) {
  (void)now_s;
  return 1.03;
}

/* Two runs of a machine whose clock was 3 % slower throughout the second one: each for itself they are 3 % apart. */
Test(gate, a_common_reading_makes_runs_comparable) {
  double medians[2];
  for (int run = 0; run < 2; run++) {
    stop();
    start();
    script.level = run == 0 ? NULL : slower_by_three;
    script.run_s[0] = 2e-3;
    level.given_s = YARDSTICK_S;
    sample(20);
    medians[run] = median_of(&result);
  }
  expect_close(medians[0], 2e-3, 1e-9);
  expect_close(medians[1], 2e-3, 1e-9);
}

Test(gate, a_given_reading_serves_the_division_too) {
  script.yardstick = never_as_good;
  script.run_s[0] = 1e-3;
  level.given_s = 1.1 * YARDSTICK_S;
  sample(10);
  double with = median_of(&result);
  stop();
  start();
  script.yardstick = never_as_good;
  script.run_s[0] = 1e-3;
  sample(10);
  expect_close(with, 1.1 * median_of(&result), 1e-9);
}
