/* SPDX-License-Identifier: BSD-3-Clause */
/* In which order things happen, and when it ends. */
#include "script.h"

static struct script script;
static struct ppi_level level;
static struct perfpred_error error;
static struct ppi_result results[SUBJECTS_MAX];

static void start(void) {
  script_start(&script);
  level = (struct ppi_level){ 0 };
  memset(&error, 0, sizeof error);
  memset(results, 0, sizeof results);
}

static void stop(void) {
  ppi_results_free(results, SUBJECTS_MAX);
}

TestSuite(schedule, .init = start, .fini = stop);

/* First contact: select, restore, run, check; then yardstick (twice: the first best reading is confirmed), restore, warm run and
   its check, restore, timed run, yardstick. Every later sample starts with its selection. */
Test(schedule, order_of_one_sample) {
  script.run_s[0] = 1e-3;
  const struct ppi_sampling sampling = { .repetitions = 3 };
  cr_assert_eq(script_sample(&script, 1, &level, &sampling, results, &error), PERFPRED_OK);
  cr_expect_str_eq(script.events, "srxc"
                                  "yyrxcrxy"
                                  "syrxcrxy"
                                  "syrxcrxy");
}

/* Between two yardsticks at least 400 us pass for a kernel of 3 us, from the first sample on: 50 repetitions of 2 (3 + 1) us, each warmed
   up and timed by itself. 16 of them are kept, and samples come from four batches. */
Test(schedule, short_kernels_come_in_batches) {
  script.run_s[0] = 3e-6;
  script.restore_s = 1e-6;
  const struct ppi_sampling sampling = { .repetitions = 10 };
  cr_assert_eq(script_sample(&script, 1, &level, &sampling, results, &error), PERFPRED_OK);
  cr_expect_eq(script.restores, script.runs);
  cr_expect(results[0].gated);
  cr_expect_eq(results[0].count, 4 * 16);
  for (size_t i = 0; i < results[0].count; i++)
    cr_expect_float_eq(results[0].times_s[i], 3e-6, 1e-14);
  cr_expect_geq(script.shortest_gap_s, 400e-6);
  cr_expect_geq(script.runs, 1 + 4 * 2 * 50);
  cr_expect_leq(script.runs, 1 + 4 * 2 * 51, "sums of such numbers are not exact");
}

/* Ten times as slow until it is warm: a batch that is planned by its first repetition would be over too early. */
static double slow_at_first(uint64_t run) {
  return run < 4 ? 10.0 : 1.0;
}

static bool first_sample(uint64_t run) {
  return run == 2;
}

/* Whatever a kernel below 100 us takes, and whatever its first sample looks like. */
Test(schedule, no_batch_of_a_short_kernel_is_shorter_than_400_us) {
  static const double times_s[] = { 0.05e-6, 0.3e-6, 1e-6, 3e-6, 9.9e-6, 33e-6, 70e-6, 99.9e-6 };
  static const struct {
    double (*extra)(uint64_t run);
    bool (*preempted)(uint64_t run);
  } beginnings[] = { { NULL, NULL }, { slow_at_first, NULL }, { NULL, first_sample } };
  for (size_t k = 0; k < sizeof beginnings / sizeof beginnings[0]; k++)
    for (size_t i = 0; i < sizeof times_s / sizeof times_s[0]; i++) {
      const struct ppi_sampling sampling = { .repetitions = 40 };
      start();
      script.run_s[0] = times_s[i];
      script.extra = beginnings[k].extra;
      script.preempted = beginnings[k].preempted;
      cr_assert_eq(script_sample(&script, 1, &level, &sampling, results, &error), PERFPRED_OK);
      cr_expect_geq(script.shortest_gap_s, 400e-6, "%g s, %zu: %g s", times_s[i], k, script.shortest_gap_s);
      cr_expect_geq(results[0].count, 40);
      ppi_results_free(results, 1);
    }
}

Test(schedule, longer_kernels_are_sampled_one_by_one) {
  script.run_s[0] = 101e-6;
  const struct ppi_sampling sampling = { .repetitions = 10 };
  cr_assert_eq(script_sample(&script, 1, &level, &sampling, results, &error), PERFPRED_OK);
  cr_expect_eq(script.runs, 1 + 2 * 10);
  cr_expect_eq(results[0].count, 10);
}

/* A sample takes 2 ms and two readings of 50 us: after three of them, 6.3 ms, another one would go beyond 8 ms. */
Test(schedule, subjects_have_wishes_and_limits_of_their_own) {
  static const unsigned wanted[] = { 2, 5, 10 };
  static const double limits_s[] = { 0.0, 0.0, 8e-3 };
  const struct ppi_bench bench = script_bench(&script);
  struct ppi_subjects subjects = script_subjects(&script, 3);
  const struct ppi_sampling sampling = { .repetitions = 4 };
  subjects.wanted = wanted;
  for (int i = 0; i < 3; i++)
    script.run_s[i] = 1e-3;
  cr_assert_eq(ppi_schedule_run(&bench, &level, &subjects, &sampling, results, &error), PERFPRED_OK);
  cr_expect_eq(results[0].count, 2);
  cr_expect_eq(results[1].count, 5);
  cr_expect_eq(results[2].count, 10);
  ppi_results_free(results, 3);
  subjects.limits_s = limits_s;
  cr_assert_eq(ppi_schedule_run(&bench, &level, &subjects, &sampling, results, &error), PERFPRED_OK);
  cr_expect_eq(results[0].count, 2);
  cr_expect_eq(results[1].count, 5);
  cr_expect_eq(results[2].count, 3, "%zu samples", results[2].count);
}

Test(schedule, repetitions_of_all_subjects_are_shuffled) {
  for (size_t i = 0; i < 8; i++)
    script.run_s[i] = 1e-3 * (double)(i + 1);
  const struct ppi_sampling sampling = { .repetitions = 10, .seed = 7 };
  cr_assert_eq(script_sample(&script, 8, &level, &sampling, results, &error), PERFPRED_OK);
  cr_expect_eq(script.order_count, 8 * 10);
  size_t changes = 0, first_round[8] = { 0 };
  for (size_t i = 1; i < script.order_count; i++)
    changes += script.order[i] != script.order[i - 1];
  for (size_t i = 0; i < 8; i++)
    first_round[script.order[i]]++;
  cr_expect_gt(changes, 50, "%zu changes of subject", changes);
  for (size_t i = 0; i < 8; i++) {
    cr_expect_eq(first_round[i], 1, "every subject is met once before anything is repeated");
    cr_expect_eq(results[i].count, 10);
    cr_expect_float_eq(results[i].times_s[0], 1e-3 * (double)(i + 1), 1e-12);
  }
}

Test(schedule, seed_decides_the_order) {
  static struct script other;
  struct ppi_result unused[8];
  const struct ppi_sampling seven = { .repetitions = 5, .seed = 7 }, eight = { .repetitions = 5, .seed = 8 };
  for (int i = 0; i < 8; i++)
    script.run_s[i] = 1e-3;
  cr_assert_eq(script_sample(&script, 8, &level, &seven, results, &error), PERFPRED_OK);
  for (int round = 0; round < 2; round++) {
    script_start(&other);
    memcpy(other.run_s, script.run_s, sizeof other.run_s);
    level = (struct ppi_level){ 0 };
    cr_assert_eq(script_sample(&other, 8, &level, round == 0 ? &seven : &eight, unused, &error), PERFPRED_OK);
    ppi_results_free(unused, 8);
    cr_assert_eq(other.order_count, script.order_count);
    bool same = memcmp(other.order, script.order, script.order_count * sizeof *script.order) == 0;
    cr_expect_eq(same, round == 0);
  }
}

/* 20 subjects of 10 ms, a budget of half a second: far fewer than 20 x 10 x 2 runs fit. */
Test(schedule, budget_is_kept_and_everyone_has_a_sample) {
  for (int i = 0; i < 20; i++)
    script.run_s[i] = 10e-3;
  const struct ppi_sampling sampling = { .repetitions = 10, .budget_s = 1.0 };
  cr_assert_eq(script_sample(&script, 20, &level, &sampling, results, &error), PERFPRED_OK);
  cr_expect_leq(script.now_s, 1.0);
  cr_expect_geq(script.now_s, 0.9, "and used");
  for (int i = 0; i < 20; i++)
    cr_expect_geq(results[i].count, 1);
}

Test(schedule, tiny_budget_still_gives_one_sample_each) {
  for (int i = 0; i < 5; i++)
    script.run_s[i] = 10e-3;
  const struct ppi_sampling sampling = { .repetitions = 10, .budget_s = 1e-6 };
  cr_assert_eq(script_sample(&script, 5, &level, &sampling, results, &error), PERFPRED_OK);
  for (int i = 0; i < 5; i++) {
    cr_expect_eq(results[i].count, 1);
    cr_expect_float_eq(results[i].times_s[0], 10e-3, 1e-12);
  }
}

/* Where some may be left out: met in order of request until the budget is spent, the one under way is finished. 10 ms runs: first
   contact takes three of them, so four are met in 0.1 s. */
Test(schedule, partial_budget_leaves_out_the_last) {
  for (int i = 0; i < 10; i++)
    script.run_s[i] = 10e-3;
  const struct ppi_sampling sampling = { .repetitions = 10, .budget_s = 0.1, .seed = 3, .partial = true };
  cr_assert_eq(script_sample(&script, 10, &level, &sampling, results, &error), PERFPRED_OK);
  cr_expect_lt(script.now_s, 0.13);
  for (int i = 0; i < 10; i++) {
    cr_expect_eq(results[i].count, i < 4 ? 1 : 0, "subject %d has %zu", i, results[i].count);
    cr_expect_eq(results[i].times_s == NULL, i >= 4);
  }
}

Test(schedule, partial_without_a_budget_is_whole) {
  for (int i = 0; i < 5; i++)
    script.run_s[i] = 1e-3;
  const struct ppi_sampling sampling = { .repetitions = 3, .partial = true };
  cr_assert_eq(script_sample(&script, 5, &level, &sampling, results, &error), PERFPRED_OK);
  for (int i = 0; i < 5; i++)
    cr_expect_eq(results[i].count, 3);
}

struct witness {
  double last;
  int calls, cancel_at;
  uint64_t samples;
};

static int watch(void *data, const struct perfpred_progress *progress) {
  struct witness *witness = data;
  cr_expect_eq(progress->size, sizeof *progress);
  cr_expect_str_eq(progress->stage, "sampling");
  cr_expect_geq(progress->fraction, witness->last);
  cr_expect_leq(progress->fraction, 1.0);
  cr_expect_geq(progress->samples, witness->samples);
  witness->last = progress->fraction;
  witness->samples = progress->samples;
  return ++witness->calls == witness->cancel_at;
}

static double noisy(double now_s) {
  return fmod(now_s, 0.12) < 0.06 ? 1.4 : 1.0;
}

Test(schedule, progress_never_falls_and_ends_at_one) {
  struct witness witness = { 0 };
  script.level = noisy;
  for (int i = 0; i < 10; i++)
    script.run_s[i] = 3e-3;
  const struct ppi_sampling sampling = { .repetitions = 10, .progress = watch, .progress_data = &witness };
  cr_assert_eq(script_sample(&script, 10, &level, &sampling, results, &error), PERFPRED_OK);
  cr_expect_gt(witness.calls, 5);
  cr_expect_eq(witness.last, 1.0);
}

Test(schedule, cancelling) {
  for (int at = 1; at <= 4; at++) {
    struct witness witness = { .cancel_at = at };
    struct ppi_result untouched = { .count = 77 };
    start();
    script.run_s[0] = 0.1;
    const struct ppi_sampling sampling = { .repetitions = 10, .progress = watch, .progress_data = &witness };
    cr_expect_eq(script_sample(&script, 1, &level, &sampling, &untouched, &error), PERFPRED_CANCELLED);
    cr_expect_eq(witness.calls, at);
    cr_expect_eq(untouched.count, 77);
  }
}

Test(schedule, failing_check_ends_the_batch) {
  static const uint64_t at[] = { 1, 2, 9 };
  for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
    struct ppi_result untouched = { .count = 77 };
    start();
    script.run_s[0] = 1e-3;
    script.fail_check_at = at[i];
    const struct ppi_sampling sampling = { .repetitions = 10 };
    cr_expect_eq(script_sample(&script, 1, &level, &sampling, &untouched, &error), PERFPRED_NUMERIC);
    cr_expect_not_null(strstr(error.text, "info 3"));
    cr_expect_eq(untouched.count, 77);
  }
}

/* 20 samples of 1 ms, every third one preempted for 4 ms; restored in 0.1 ms before each run. */
static bool every_third(uint64_t run) {
  return run % 3 == 0;
}

Test(schedule, all_time_is_accounted_for) {
  script.run_s[0] = 1e-3;
  script.restore_s = 0.1e-3;
  script.preempted = every_third;
  const struct ppi_sampling sampling = { .repetitions = 20 };
  cr_assert_eq(script_sample(&script, 1, &level, &sampling, results, &error), PERFPRED_OK);
  const struct ppi_spent *spent = &results[0].spent;
  /* the very first run is preempted; of samples 1 to 29 every third loses its timed run, and 2, 5, ..., 29 their warm one */
  cr_expect_eq(results[0].count, 20);
  cr_expect_eq(results[0].disturbed, 9);
  cr_expect_float_eq(spent->kept_s, 20 * 2e-3 + 10 * 4e-3, 1e-9);
  cr_expect_float_eq(spent->rejected_s, 9 * (2e-3 + 4e-3), 1e-9);
  cr_expect_float_eq(spent->spare_s, 1e-3 + 4e-3, 1e-9);
  cr_expect_float_eq(spent->restore_s, (double)script.restores * 0.1e-3, 1e-9);
  cr_expect_float_eq(spent->yardstick_s, (double)script.readings * 2 * YARDSTICK_S, 1e-9);
  cr_expect_float_eq(spent->kept_s + spent->rejected_s + spent->spare_s + spent->restore_s + spent->yardstick_s,
                     script.now_s, 1e-9);
  cr_expect_float_eq(spent->kept_s + spent->rejected_s, results[0].measure_s, 1e-9);
}

/* Of 50 repetitions 16 are kept. What a calibration took before is the first subject's; and nothing is told twice. */
Test(schedule, time_of_batches_and_of_a_calibration) {
  const struct ppi_bench bench = script_bench(&script);
  script.run_s[0] = 3e-6;
  script.run_s[1] = 1e-3;
  for (int i = 0; i < 10; i++)
    ppi_schedule_reading(&bench, &level);
  const struct ppi_sampling sampling = { .repetitions = 10 };
  cr_assert_eq(script_sample(&script, 2, &level, &sampling, results, &error), PERFPRED_OK);
  cr_expect_float_eq(results[0].spent.kept_s, 64 * 6e-6, 1e-9);
  cr_expect_gt(results[0].spent.spare_s, 3 * 64 * 6e-6, "400 us hold 66.7 runs of two");
  cr_expect_float_eq(results[0].spent.rejected_s, 0.0, 1e-12);
  cr_expect_float_eq(results[1].spent.kept_s, 10 * 2e-3, 1e-9);
  cr_expect_float_eq(results[1].spent.spare_s, 1e-3, 1e-9);
  double sum = 0.0;
  for (int i = 0; i < 2; i++) {
    const struct ppi_spent *spent = &results[i].spent;
    sum += spent->kept_s + spent->rejected_s + spent->spare_s + spent->restore_s + spent->yardstick_s;
  }
  cr_expect_float_eq(sum, script.now_s, 1e-9);
  cr_expect_float_eq(level.spent_s, 0.0, 0.0);
}

Test(schedule, no_subjects) {
  const struct ppi_sampling sampling = { .repetitions = 10 };
  cr_expect_eq(script_sample(&script, 0, &level, &sampling, results, &error), PERFPRED_OK);
  cr_expect_eq(script.readings, 0);
}

/* Defaults: 10 repetitions, 5 %. */
Test(schedule, zero_means_default) {
  script.run_s[0] = 1e-3;
  const struct ppi_sampling sampling = { 0 };
  cr_assert_eq(script_sample(&script, 1, &level, &sampling, results, &error), PERFPRED_OK);
  cr_expect_eq(results[0].count, 10);
}

/* Splitmix64 with seed 1234567: the published first values. */
Test(schedule, random_numbers_are_the_published_ones) {
  struct ppi_random random = { 1234567 };
  cr_expect_eq(ppi_random_next(&random), UINT64_C(6457827717110365317));
  cr_expect_eq(ppi_random_next(&random), UINT64_C(3203168211198807973));
  cr_expect_eq(ppi_random_next(&random), UINT64_C(9817491932198370423));
  double sum = 0.0;
  for (int i = 0; i < 10000; i++) {
    double value = ppi_random_symmetric(&random);
    cr_assert(value > -1.0 && value < 1.0 && fabs(value) > 1e-17);
    sum += value;
  }
  cr_expect_lt(fabs(sum / 10000.0), 0.03); /* five standard deviations */
}
