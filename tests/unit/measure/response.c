/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples made by a known law, time = c * reading^e, must give its exponent back. */
#include <criterion/criterion.h>
#include <math.h>

#include "measure/history.h"
#include "measure/response.h"

static struct perfpred_error error;

static void add_between(struct ppi_history *history, double before_s, double after_s, double wall_s, bool preempted) {
  struct ppi_sample sample = { .wall_s = wall_s, .cpu_s = wall_s, .preempted = preempted };
  cr_assert_eq(ppi_history_add(history, &sample, &error), PERFPRED_OK);
  ppi_history_close_batch(history, before_s, after_s);
}

static void add(struct ppi_history *history, double reading_s, double wall_s, bool preempted) {
  add_between(history, reading_s, reading_s, wall_s, preempted);
}

/* Two subjects of different length whose samples follow the same law. */
static void two_subjects(struct ppi_history histories[2], double exponent, double span) {
  for (int s = 0; s < 2; s++)
    for (int i = 0; i < 10; i++) {
      double reading = 20e-6 * (1.0 + span * i / 9.0);
      add(&histories[s], reading, (s + 1) * 1e-3 * pow(reading / 20e-6, exponent), false);
    }
}

static double exponent_of(struct ppi_history histories[2]) {
  struct ppi_responses responses = { 0 };
  for (int s = 0; s < 2; s++)
    ppi_response_add(&responses, &histories[s]);
  const double exponent = ppi_response_exponent(&responses, &histories[0]);
  for (int s = 0; s < 2; s++)
    ppi_history_free(&histories[s]);
  return exponent;
}

static void check(double exponent, double expected) {
  cr_assert_float_eq(exponent, expected, 1e-12, "%.15g, expected %.15g", exponent, expected);
}

Test(response, the_exponent_of_a_law_is_found) {
  static const double exponents[] = { 0.0, 0.25, 0.4, 1.0 };
  for (size_t i = 0; i < sizeof exponents / sizeof exponents[0]; i++) {
    struct ppi_history histories[2] = { { 0 } };
    two_subjects(histories, exponents[i], 0.4);
    check(exponent_of(histories), exponents[i]);
  }
}

Test(response, it_lies_between_0_and_1) {
  struct ppi_history histories[2] = { { 0 } };
  two_subjects(histories, 1.7, 0.4);
  check(exponent_of(histories), 1.0);
  histories[0] = histories[1] = (struct ppi_history){ 0 };
  two_subjects(histories, -0.5, 0.4);
  check(exponent_of(histories), 0.0);
}

Test(response, preempted_and_far_off_samples_have_no_say) {
  struct ppi_history histories[2] = { { 0 } };
  two_subjects(histories, 0.4, 0.4);
  add(&histories[0], 80e-6, 0.5e-3, true);
  add(&histories[1], 80e-6, 500e-3, false);
  check(exponent_of(histories), 0.4);
}

static void check_unknown(double exponent) {
  cr_assert(isnan(exponent), "%.15g", exponent);
}

Test(response, readings_that_hardly_differ_tell_nothing) {
  struct ppi_history histories[2] = { { 0 } };
  two_subjects(histories, 0.4, 0.02);
  check_unknown(exponent_of(histories));
}

Test(response, nor_do_few_samples) {
  struct ppi_history histories[2] = { { 0 } };
  for (int i = 0; i < 5; i++)
    add(&histories[0], 20e-6 * (1.0 + i), 1e-3, false);
  check_unknown(exponent_of(histories));
  histories[0] = (struct ppi_history){ 0 };
  check_unknown(exponent_of(histories));
}

/* One slow level, readings of which scatter by a tenth to either side, each for itself: the times have no slope, which says nothing of
   other levels. */
Test(response, noise_of_the_readings_is_no_law) {
  static const double scatter[] = { 0.9, 1.1, 1.1, 0.9, 0.9, 0.9, 1.1, 1.1 }; /* all four pairs equally often */
  struct ppi_history histories[2] = { { 0 } };
  for (int i = 0; i < 32; i++)
    add_between(&histories[i % 2], 25e-6 * scatter[i / 2 % 4 * 2], 25e-6 * scatter[i / 2 % 4 * 2 + 1], 1e-3, false);
  check_unknown(exponent_of(histories));
}

/* Readings that scatter about two levels: the slope of the law, not the flatter one of the noisy points. With logarithms l = ln 1.4 apart
   and readings of +-s about them, s = ln 1.02, the variance is l^2 / 4 + s^2 / 2 and the covariance e l^2 / 4; the differences of pairs
   are 0 or 2 s, half of the time each, which takes s^2 / 2 off. */
Test(response, noise_is_taken_off_the_slope) {
  static const double signs[4][2] = { { 1, 1 }, { 1, -1 }, { -1, 1 }, { -1, -1 } };
  struct ppi_history histories[2] = { { 0 } };
  for (int i = 0; i < 64; i++) {
    double level = 20e-6 * (i / 8 % 2 == 0 ? 1.0 : 1.4);
    const double *sign = signs[i / 2 % 4];
    add_between(&histories[i % 2], level * pow(1.02, sign[0]), level * pow(1.02, sign[1]),
                1e-3 * pow(level / 20e-6, 0.4), false);
  }
  const double exponent = exponent_of(histories);
  cr_assert_float_eq(exponent, 0.4, 1e-3, "%g", exponent);
}

/* What too few passed is brought to the reference reading by the law: one batch at 1.4 times it, none inside the gate. */
Test(response, the_fall_back_follows_it) {
  struct ppi_history history = { 0 };
  struct ppi_level level = { .best_s = 20e-6, .reference_s = 20e-6 };
  struct ppi_result result;
  add(&history, 28e-6, 2e-3, false);
  cr_assert_eq(ppi_history_conclude(&history, &level, 0.05, 0.0, 1, &result, &error), PERFPRED_OK);
  cr_assert_float_eq(result.times_s[0], 2e-3, 1e-15);
  cr_assert_not(result.gated);
  ppi_results_free(&result, 1);
  cr_assert_eq(ppi_history_conclude(&history, &level, 0.05, 1.0, 1, &result, &error), PERFPRED_OK);
  cr_assert_float_eq(result.times_s[0], 2e-3 * 20.0 / 28.0, 1e-15);
  ppi_results_free(&result, 1);
  ppi_history_free(&history);
}

/* A neighbour on the core that halves the yardstick's speed: what it costs the kernel is not known, a clock that came down by more than
   a fifth is not believed. Within that the time follows the reading. */
Test(response, of_an_unknown_law_no_more_than_a_clock_may_drift) {
  static const struct {
    double reading_s, factor;
  } cases[] = { { 22e-6, 20.0 / 22.0 }, { 25e-6, 0.8 }, { 48e-6, 0.8 }, { 400e-6, 0.8 } };
  struct ppi_level level = { .best_s = 20e-6, .reference_s = 20e-6 };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct ppi_history history = { 0 };
    struct ppi_result result;
    add(&history, cases[i].reading_s, 51e-3, false);
    cr_assert_eq(ppi_history_conclude(&history, &level, 0.05, NAN, 1, &result, &error), PERFPRED_OK);
    cr_assert_float_eq(result.times_s[0], 51e-3 * cases[i].factor, 1e-12);
    ppi_results_free(&result, 1);
    ppi_history_free(&history);
  }
}

/* Three runs, none of which has samples enough for itself. */
Test(response, short_runs_tell_it_together) {
  struct ppi_responses all = { 0 };
  struct ppi_history histories[3] = { { 0 } };
  for (int run = 0; run < 3; run++) {
    struct ppi_responses responses = { 0 };
    for (int i = 0; i < 5; i++)
      add(&histories[run], 20e-6 * (1.0 + 0.1 * i), 1e-3 * (run + 1) * pow(1.0 + 0.1 * i, 0.3), false);
    ppi_response_add(&responses, &histories[run]);
    check_unknown(ppi_response_exponent(&responses, &histories[run]));
    ppi_response_merge(&all, &responses);
  }
  check(ppi_response_exponent(&all, &histories[1]), 0.3);
  for (int run = 0; run < 3; run++)
    ppi_history_free(&histories[run]);
}

/* Short runs follow the yardstick, long ones hardly; of a length that has not been seen the law is that of all. */
Test(response, long_runs_have_a_law_of_their_own) {
  struct ppi_responses responses = { 0 };
  struct ppi_history histories[3] = { { 0 } };
  for (int i = 0; i < 20; i++) {
    double slower = 1.0 + 0.05 * (i % 10);
    add(&histories[0], 20e-6 * slower, 0.1e-3 * slower, false);
    add(&histories[1], 20e-6 * slower, 100e-3 * pow(slower, 0.2), false);
  }
  add(&histories[2], 20e-6, 5e-3, false);
  for (int k = 0; k < 3; k++)
    ppi_response_add(&responses, &histories[k]);
  check(ppi_response_exponent(&responses, &histories[0]), 1.0);
  check(ppi_response_exponent(&responses, &histories[1]), 0.2);
  check(ppi_response_exponent(&responses, &histories[2]), 0.6);
  for (int k = 0; k < 3; k++)
    ppi_history_free(&histories[k]);
}

/* A neighbour comes or goes during the sample: the quicker reading counts, and the other one is no noise. */
Test(response, torn_readings_are_a_change_of_speed) {
  struct ppi_responses responses = { 0 };
  struct ppi_history history = { 0 };
  for (int i = 0; i < 8; i++) {
    add_between(&history, 20e-6, 44e-6, 2e-3, false);
    add_between(&history, 44e-6, 20e-6, 2e-3, false);
    add_between(&history, 40e-6, 40e-6, 2e-3 * pow(2.0, 0.25), false);
  }
  ppi_response_add(&responses, &history);
  check(ppi_response_exponent(&responses, &history), 0.25);
  ppi_history_free(&history);
}

/* The times that one sample comes to, where none passes the gate. */
static double concluded(double before_s, double after_s) {
  struct ppi_history history = { 0 };
  struct ppi_level level = { .best_s = 20e-6, .reference_s = 20e-6, .count = 1 };
  struct ppi_result result;
  add_between(&history, before_s, after_s, 0.16, true);
  cr_assert_eq(ppi_history_conclude(&history, &level, 0.05, 1.0, 1, &result, &error), PERFPRED_OK);
  const double time_s = result.times_s[0];
  cr_assert_not(result.gated);
  ppi_results_free(&result, 1);
  ppi_history_free(&history);
  return time_s;
}

/* A yardstick that was interrupted itself would make of 160 ms less than one. */
Test(response, an_interrupted_reading_is_none_of_the_machine) {
  cr_assert_float_eq(concluded(30e-6, 34e-6), 0.16 * 20.0 / 32.0, 1e-12);
  cr_assert_float_eq(concluded(20e-6, 4e-3), 0.16, 1e-12);
  cr_assert_float_eq(concluded(4e-3, 25e-6), 0.16 * 20.0 / 25.0, 1e-12);
  cr_assert_float_eq(concluded(4e-3, 4e-3), 0.16 / 8.0, 1e-12);
}
