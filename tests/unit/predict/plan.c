/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans against sums worked by hand, and against the walker as an independent reader of the same program. */
#include <stddef.h>

#include "fixture.h"
#include "program/walk.h"

static struct fixture world;

static void begin(void) {
  fixture_begin(&world);
  fixture_models(&world);
}

static void finish(void) {
  fixture_end(&world);
}

TestSuite(plan, .init = begin, .fini = finish);

/* Creates a plan of a text, predicts the median, releases both. */
static double median_of(const char *text, const int64_t *parameters, size_t count) {
  struct perfpred_program *program = fixture_program(&world, text);
  struct perfpred_plan *plan = fixture_plan(&world, program, NULL);
  perfpred_program_unref(program);
  double med = predicted(plan, parameters, count);
  perfpred_plan_destroy(plan);
  return med;
}

static struct perfpred_plan *steps(const struct perfpred_plan_options *options) {
  return fixture_plan(&world, ppi_programs_find(world.programs, "steps"), options);
}

Test(plan, sums_of_a_loop_with_a_short_last_step) {
  struct perfpred_plan *plan = steps(NULL);
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  cr_assert_eq(perfpred_plan_predict(plan, (int64_t[]){ 20, 8 }, 2, &prediction, NULL), PERFPRED_OK);
  /* dpart 8, 8, 4; dfill 8 x 12, 8 x 4, 4 x 0 */
  const double terms[] = { 64e-6, 64e-6, 16e-6, 96e-6, 32e-6 };
  double sum = 0.0, squares = 0.0, errors = 0.0;
  for (int i = 0; i < 5; i++) {
    sum += terms[i];
    squares += terms[i] * terms[i];
    errors += terms[i] * (i < 3 ? 0.04 : 0.02);
  }
  cr_assert_near(prediction.time_s.med, sum);
  cr_assert_near(prediction.time_s.min, MIN_SHARE * sum);
  cr_assert_near(prediction.time_s.max, MAX_SHARE * sum);
  cr_assert_near(prediction.time_s.mean, MEAN_SHARE * sum);
  cr_assert_near(prediction.time_s.std, STD_SHARE * sqrt(squares));
  cr_assert_near(prediction.model_error, errors / sum);
  cr_assert_eq(prediction.calls, 6);
  cr_assert_eq(prediction.notes, 0);
  cr_assert_near(prediction.flops, 800.0);
  cr_assert_near(prediction.flops_per_s.med, 800.0 / sum);
  perfpred_plan_destroy(plan);
}

/* Calls of 64, 64, 16, 96 and 32 us. Each interruption takes 10 us; calls of less than half the time between two have none in their medians. */
Test(plan, interruptions_that_short_calls_do_not_show) {
  static const struct {
    double period_s;
    int threads, med, min;
  } cases[] = { { 1000e-6, 1, 0, 0 },
                { 300e-6, 1, 1, 0 }, /* all are short: 272 us */
                { 130e-6, 1, 1, 1 },
                { 260e-6, 2, 1, 1 },  /* all but one: 176 us */
                { 60e-6, 1, 0, 0 } }; /* 16 us */
  world.models->machine.interruptions.each_s = 10e-6;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    world.models->machine.interruptions.period_s = cases[i].period_s;
    world.models->setups[0].threads = cases[i].threads;
    struct perfpred_plan *plan = steps(NULL);
    struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
    const int64_t parameters[] = { 20, 8 };
    const double med_s = 272e-6 + 10e-6 * cases[i].med;
    double median_s = 0.0;
    unsigned notes = 0;
    cr_assert_eq(perfpred_plan_predict(plan, parameters, 2, &prediction, NULL), PERFPRED_OK);
    cr_assert_near(prediction.time_s.med, med_s);
    cr_assert_near(prediction.time_s.min, MIN_SHARE * 272e-6 + 10e-6 * cases[i].min);
    cr_assert_near(prediction.time_s.max, MAX_SHARE * 272e-6);
    cr_assert_eq(ppi_plan_median(plan, parameters, 2, INFINITY, &median_s, &notes, NULL), PERFPRED_OK);
    cr_assert_eq(median_s, prediction.time_s.med);
    cr_assert_eq(ppi_plan_median(plan, parameters, 2, med_s - 1e-6, &median_s, &notes, NULL), PERFPRED_CANCELLED);
    perfpred_plan_destroy(plan);
  }
}

Test(plan, block_larger_than_the_matrix) {
  struct perfpred_plan *plan = steps(NULL);
  cr_assert_near(predicted(plan, (int64_t[]){ 20, 64 }, 2), 400e-6);
  perfpred_plan_destroy(plan);
}

Test(plan, nothing_to_do_costs_exactly_nothing) {
  world.models->machine.peak_flops_per_s[1] = 1e9;
  world.models->machine.bandwidth_bytes_per_s = 1e9;
  struct perfpred_plan *plan = steps(NULL);
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  cr_assert_eq(perfpred_plan_predict(plan, (int64_t[]){ 0, 8 }, 2, &prediction, NULL), PERFPRED_OK);
  cr_assert_eq(prediction.time_s.min, 0.0);
  cr_assert_eq(prediction.time_s.max, 0.0);
  cr_assert_eq(prediction.time_s.std, 0.0);
  cr_assert_eq(prediction.notes, PERFPRED_NOTE_ZERO_WORK);
  cr_assert_eq(prediction.efficiency.med, 0.0);
  cr_assert_eq(prediction.efficiency_bandwidth.max, 0.0);
  cr_assert_eq(prediction.roofline_flops_per_s, 0.0);
  cr_assert_eq(prediction.model_error, 0.0);
  cr_assert_eq(prediction.compute_bound, -1);
  perfpred_plan_destroy(plan);
}

/* dfill(i, w) tells the start of every block from its width. */
Test(plan, loops_up_and_down_with_the_short_block_at_either_end) {
#define LOOP(header)                                                                                                   \
  "perfpred-text 1\nalgorithm l(n, b)\n  inout A: double matrix[n, n]\n  for i in 0:n " header                         \
  " by b as w\n    dfill(i, w, A[0, i])\n  end\nend\n"
#define LOOP_SHORT(header, which)                                                                                      \
  "perfpred-text 1\nalgorithm l(n, b)\n  inout A: double matrix[n, n]\n  for i in 0:n " header                         \
  " by b as w short " which "\n    dfill(i, w, A[0, i])\n  end\nend\n"
  const int64_t values[] = { 10, 4 };
  const double high = (4 * 4 + 8 * 2) * 1e-6; /* starts 0, 4, 8: widths 4, 4, 2 */
  const double low = (2 * 4 + 6 * 4) * 1e-6;  /* starts 0, 2, 6: widths 2, 4, 4; the same sum, so ... */
  cr_assert_near(median_of(LOOP(""), values, 2), high);
  cr_assert_near(median_of(LOOP("down"), values, 2), high);
  cr_assert_near(median_of(LOOP_SHORT("", "first"), values, 2), low);
  const int64_t others[] = { 11, 4 }; /* ... another size: 0, 4, 8 of 4, 4, 3 and 0, 3, 7 of 3, 4, 4 */
  cr_assert_near(median_of(LOOP(""), others, 2), 40e-6);
  cr_assert_near(median_of(LOOP("down"), others, 2), 40e-6);
  cr_assert_near(median_of(LOOP_SHORT("", "first"), others, 2), 40e-6);
  cr_assert_near(median_of(LOOP_SHORT("down", "last"), others, 2), 40e-6);
#undef LOOP
#undef LOOP_SHORT
}

/* With dpart on the start as well, the position of the short block shows: squares of starts. */
Test(plan, the_place_of_the_short_block_shows_in_the_starts) {
#define LOOP(header, tail)                                                                                             \
  "perfpred-text 1\nalgorithm l(n, b)\n  inout A: double matrix[n, n]\n  for i in 0:n " header " by b as w" tail       \
  "\n    dpart(L, i, A[0, 0])\n  end\nend\n"
  const int64_t values[] = { 11, 4 };
  cr_assert_near(median_of(LOOP("", ""), values, 2), (16 + 64) * 1e-6);
  cr_assert_near(median_of(LOOP("down", ""), values, 2), (16 + 64) * 1e-6);
  cr_assert_near(median_of(LOOP("", " short first"), values, 2), (9 + 49) * 1e-6);
  cr_assert_near(median_of(LOOP("down", " short last"), values, 2), (9 + 49) * 1e-6);
#undef LOOP
}

Test(plan, conditions_and_expressions_that_are_not_affine) {
  const char *text = "perfpred-text 1\n"
                     "algorithm c(n)\n"
                     "  inout A: double matrix[n, n]\n"
                     "  let h = n // 2\n"
                     "  if n % 2 == 0\n"
                     "    dfill(h, h * h, A[0, 0])\n"
                     "  else\n"
                     "    dpart(L, max(h, 3), A[0, 0])\n"
                     "  end\n"
                     "end\n";
  cr_assert_near(median_of(text, (int64_t[]){ 8 }, 1), 4 * 16 * 1e-6);
  cr_assert_near(median_of(text, (int64_t[]){ 9 }, 1), 16e-6);
  cr_assert_near(median_of(text, (int64_t[]){ 5 }, 1), 9e-6);
}

Test(plan, called_algorithms_and_recursion) {
  const char *text = "perfpred-text 1\n"
                     "algorithm halves(n)\n"
                     "  inout A: double matrix[n, n]\n"
                     "  if n <= 4\n"
                     "    dpart(L, n, A[0, 0])\n"
                     "  else\n"
                     "    halves(n // 2, A[0, 0])\n"
                     "    dfill(n - n // 2, n // 2, A[n // 2, 0])\n"
                     "    halves(n - n // 2, A[n // 2, n // 2])\n"
                     "  end\n"
                     "end\n";
  /* 11 = 5 + 6, dfill 6 x 5; 5 = 2 + 3, dfill 3 x 2; 6 = 3 + 3, dfill 3 x 3; leaves 2, 3, 3, 3 */
  cr_assert_near(median_of(text, (int64_t[]){ 11 }, 1), (30 + 6 + 9 + 4 + 9 + 9 + 9) * 1e-6);
  const char *caller = "perfpred-text 1\n"
                       "algorithm twice(n)\n"
                       "  inout A: double matrix[n, n]\n"
                       "  steps(n, 8, A[0, 0])\n"
                       "  steps(n, n, A[0, 0])\n"
                       "end\n";
  cr_assert_near(median_of(caller, (int64_t[]){ 20 }, 1), (272 + 400) * 1e-6);
}

Test(plan, endless_recursion_is_a_limit) {
  struct perfpred_program *program = fixture_program(&world, "perfpred-text 1\n"
                                                             "algorithm endless(n)\n"
                                                             "  inout A: double matrix[n, n]\n"
                                                             "  endless(n, A[0, 0])\n"
                                                             "end\n");
  struct perfpred_plan *plan = fixture_plan(&world, program, NULL);
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT, untouched = prediction;
  struct perfpred_error error;
  cr_assert_eq(perfpred_plan_predict(plan, (int64_t[]){ 8 }, 1, &prediction, &error), PERFPRED_LIMIT);
  cr_assert(strstr(error.text, "64"), "%s", error.text);
  cr_assert_eq(memcmp(&prediction, &untouched, sizeof prediction), 0);
  perfpred_plan_destroy(plan);
  perfpred_program_unref(program);
}

Test(plan, endless_loops_end_at_the_domain) {
  struct perfpred_plan *plan = steps(NULL);
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  cr_assert_eq(perfpred_plan_predict(plan, (int64_t[]){ INT64_MAX, 1 }, 2, &prediction, NULL), PERFPRED_OUT_OF_DOMAIN);
  perfpred_plan_destroy(plan);
}

/* Told at once: 2^63 steps are counted, not taken. */
Test(plan, idle_loops_are_a_limit, .timeout = 30) {
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  struct perfpred_program *program = fixture_program(&world, "perfpred-text 1\n"
                                                             "algorithm idle(n)\n"
                                                             "  inout A: double matrix[1, 1]\n"
                                                             "  for i in 0:n\n"
                                                             "    let r = i\n"
                                                             "  end\n"
                                                             "end\n");
  struct perfpred_plan *plan = fixture_plan(&world, program, NULL);
  cr_assert_eq(perfpred_plan_predict(plan, (int64_t[]){ INT64_MAX }, 1, &prediction, NULL), PERFPRED_LIMIT);
  perfpred_plan_destroy(plan);
  perfpred_program_unref(program);
}

Test(plan, refuses_a_call_without_model_naming_it_and_what_there_is) {
  struct perfpred_program *program = fixture_program(&world, "perfpred-text 1\n"
                                                             "algorithm u(n)\n"
                                                             "  inout A: double matrix[n, n]\n"
                                                             "  dpart(U, n, A[0, 0])\n"
                                                             "  dpart(L, n, A[0, 0])\n"
                                                             "end\n");
  struct perfpred_plan *plan = NULL;
  struct perfpred_error error;
  cr_assert_eq(perfpred_plan_create(program, world.models, NULL, &plan, &error), PERFPRED_UNMODELLED);
  cr_assert_null(plan);
  cr_assert(strstr(error.text, "dpart(U)") && strstr(error.text, "dpart(L)"), "%s", error.text);
  const struct perfpred_plan_options options = { .size = sizeof options, .partial = 1 };
  plan = fixture_plan(&world, program, &options);
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  cr_assert_eq(perfpred_plan_predict(plan, (int64_t[]){ 10 }, 1, &prediction, NULL), PERFPRED_OK);
  cr_assert_near(prediction.time_s.med, 100e-6);
  cr_assert_eq(prediction.notes, PERFPRED_NOTE_UNMODELLED);
  cr_assert_eq(perfpred_plan_predict(plan, (int64_t[]){ 0 }, 1, &prediction, NULL), PERFPRED_OK);
  cr_assert_eq(prediction.notes, PERFPRED_NOTE_ZERO_WORK);
  perfpred_plan_destroy(plan);
  perfpred_program_unref(program);
}

Test(plan, names_a_kernel_of_which_nothing_is_held) {
  struct perfpred_program *program = fixture_program(&world, "perfpred-text 1\n"
                                                             "algorithm v(n)\n"
                                                             "  inout x: double vector[n]\n"
                                                             "  dline(n, x[0])\n"
                                                             "end\n");
  struct perfpred_plan *plan = NULL;
  struct perfpred_error error;
  cr_assert_eq(perfpred_plan_create(program, world.models, NULL, &plan, &error), PERFPRED_UNMODELLED);
  cr_assert(strstr(error.text, "dline(1)") && strstr(error.text, "nothing"), "%s", error.text);
  perfpred_program_unref(program);
}

Test(plan, vectors_along_a_row_are_a_case_of_their_own) {
  fixture_model(&world, "dline", "1", 1, 100, 1, 1e-6, 0.0);
  fixture_model(&world, "dline", "x", 1, 100, 1, 5e-6, 0.0);
  const char *text = "perfpred-text 1\n"
                     "algorithm rows(n)\n"
                     "  inout A: double matrix[n, n]\n"
                     "  dline(n, A[0, 0])\n"
                     "  dline(n, row A[0, 0])\n"
                     "end\n";
  cr_assert_near(median_of(text, (int64_t[]){ 10 }, 1), 60e-6);
}

Test(plan, above_the_domain_is_an_error_that_names_call_sizes_and_domain) {
  struct perfpred_plan *plan = steps(NULL);
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  struct perfpred_error error;
  cr_assert_eq(perfpred_plan_predict(plan, (int64_t[]){ 1200, 8 }, 2, &prediction, &error), PERFPRED_OUT_OF_DOMAIN);
  cr_assert(strstr(error.text, "dfill") && strstr(error.text, "1192") && strstr(error.text, "[1, 1000]"), "%s",
            error.text);
  perfpred_plan_destroy(plan);
  const struct perfpred_plan_options options = { .size = sizeof options, .extrapolate = 1 };
  plan = steps(&options);
  cr_assert_eq(perfpred_plan_predict(plan, (int64_t[]){ 1200, 8 }, 2, &prediction, &error), PERFPRED_OK);
  cr_assert(prediction.notes & PERFPRED_NOTE_EXTRAPOLATED);
  cr_assert_gt(prediction.time_s.med, 0.0);
  perfpred_plan_destroy(plan);
}

/* dfill(1, 40): the first domain is exceeded by a little, the second begins further away, but its law goes on below. */
Test(plan, of_several_domains_one_that_is_not_exceeded) {
  fixture_end(&world);
  fixture_begin(&world);
  fixture_model(&world, "dfill", "", 1, 39, 1, 1e-6, 0.0);
  fixture_model(&world, "dfill", "", 20, 100, 1, 3e-6, 0.0);
  const char *text = "perfpred-text 1\n"
                     "algorithm one(n)\n"
                     "  inout A: double matrix[n, n]\n"
                     "  dfill(1, n, A[0, 0])\n"
                     "end\n";
  cr_assert_near(median_of(text, (int64_t[]){ 40 }, 1), 40 * 3e-6);
  cr_assert_near(median_of(text, (int64_t[]){ 39 }, 1), 39e-6);
}

/* An empty call has no business with a domain: dfill(64, 0) here, though 64 lies above it. */
Test(plan, empty_calls_are_never_outside_a_domain) {
  fixture_end(&world);
  fixture_begin(&world);
  fixture_model(&world, "dfill", "", 1, 32, 1, 1e-6, 0.0);
  fixture_model(&world, "dpart", "L", 1, 100, 2, 1e-6, 0.0);
  struct perfpred_plan *plan = steps(NULL);
  cr_assert_near(predicted(plan, (int64_t[]){ 64, 64 }, 2), 64 * 64 * 1e-6);
  perfpred_plan_destroy(plan);
}

Test(plan, below_the_domain_is_noted) {
  fixture_end(&world);
  fixture_begin(&world);
  fixture_model(&world, "dfill", "", 8, 100, 1, 1e-6, 0.0);
  fixture_model(&world, "dpart", "L", 8, 100, 2, 1e-6, (double)NAN);
  struct perfpred_plan *plan = steps(NULL);
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  cr_assert_eq(perfpred_plan_predict(plan, (int64_t[]){ 3, 8 }, 2, &prediction, NULL), PERFPRED_OK);
  cr_assert_near(prediction.time_s.med, 9e-6); /* 3 * 3 elements: the law goes on */
  cr_assert_eq(prediction.notes, PERFPRED_NOTE_CLAMPED | PERFPRED_NOTE_UNCERTAIN);
  cr_assert(isnan(prediction.model_error), "an error that was never estimated is not known");
  perfpred_plan_destroy(plan);
}

/* What is known of the one kernel's error says nothing about the other's. */
Test(plan, one_error_that_is_not_known_makes_the_whole_unknown) {
  fixture_end(&world);
  fixture_begin(&world);
  fixture_model(&world, "dfill", "", 1, 100, 1, 1e-6, 0.02);
  fixture_model(&world, "dpart", "L", 1, 100, 2, 1e-6, (double)NAN);
  struct perfpred_plan *plan = steps(NULL);
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  struct ppi_plan_sum sum;
  const int64_t values[] = { 20, 8 };
  cr_assert_eq(perfpred_plan_predict(plan, values, 2, &prediction, NULL), PERFPRED_OK);
  cr_assert_near(prediction.time_s.med, 272e-6);
  cr_assert(isnan(prediction.model_error));
  cr_assert_eq(prediction.notes, PERFPRED_NOTE_UNCERTAIN);
  /* for choices it counts as the whole time: dpart 8, 8, 4; of dfill 8 x 12 and 8 x 4 the known 2 % */
  cr_assert_eq(ppi_plan_sum(plan, values, 2, &sum, NULL), PERFPRED_OK);
  cr_assert_near(sum.error_s, 144e-6 + 0.02 * 128e-6);
  perfpred_plan_destroy(plan);
}

Test(plan, models_in_the_algorithm_that_are_demanded) {
  struct perfpred_plan_options options = PERFPRED_PLAN_OPTIONS_INIT;
  struct perfpred_program *program = ppi_programs_find(world.programs, "steps");
  struct perfpred_plan *plan = NULL;
  struct perfpred_error error;
  options.context = 1;
  cr_assert_eq(perfpred_plan_create(program, world.models, &options, &plan, &error), PERFPRED_UNMODELLED);
  cr_assert(strstr(error.text, "steps: expected models of its calls in the steps of its loop"), "%s", error.text);
  options.warm = 1;
  cr_assert_eq(perfpred_plan_create(program, world.models, &options, &plan, &error), PERFPRED_INVALID);
  cr_assert(strstr(error.text, "context or warm"), "%s", error.text);
  cr_assert_null(plan);
  options.size = offsetof(struct perfpred_plan_options, context); /* of somebody who does not know it */
  cr_assert_eq(perfpred_plan_create(program, world.models, &options, &plan, &error), PERFPRED_OK, "%s", error.text);
  perfpred_plan_destroy(plan);
}

Test(plan, marks_of_the_models_reach_every_prediction) {
  world.models->notes = PERFPRED_NOTE_OTHER_MACHINE | PERFPRED_NOTE_FORCED;
  struct perfpred_plan *plan = steps(NULL);
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  cr_assert_eq(perfpred_plan_predict(plan, (int64_t[]){ 8, 8 }, 2, &prediction, NULL), PERFPRED_OK);
  cr_assert_eq(prediction.notes, PERFPRED_NOTE_OTHER_MACHINE | PERFPRED_NOTE_FORCED);
  perfpred_plan_destroy(plan);
}

/* n = 20, b = 20: 400 us, 800 flops, 3200 bytes in and out. */
Test(plan, efficiency_bandwidth_and_roofline) {
  world.models->machine.peak_flops_per_s[0] = 16e6;
  world.models->machine.peak_flops_per_s[1] = 4e6;
  world.models->machine.bandwidth_bytes_per_s = 64e6;
  world.models->setups[0].threads = 2;
  struct perfpred_plan *plan = steps(NULL);
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  cr_assert_eq(perfpred_plan_predict(plan, (int64_t[]){ 20, 20 }, 2, &prediction, NULL), PERFPRED_OK);
  cr_assert_near(prediction.flops_per_s.med, 2e6);
  cr_assert_near(prediction.efficiency.med, 0.25);
  cr_assert_near(prediction.efficiency.max, 0.25 / MIN_SHARE);
  cr_assert_near(prediction.efficiency.min, 0.25 / MAX_SHARE);
  /* mean: cost / mean (1 + var / mean^2), std: cost sigma / mean^2, with sigma / mean = 0.4 */
  cr_assert_near(prediction.flops_per_s.mean, 2e6 / MEAN_SHARE * 1.16);
  cr_assert_near(prediction.flops_per_s.std, 2e6 / MEAN_SHARE * 0.4);
  cr_assert_near(prediction.data_bytes, 3200.0);
  cr_assert_near(prediction.movement_bytes, 6400.0);
  cr_assert_near(prediction.intensity_flops_per_byte, 0.125);
  cr_assert_near(prediction.bandwidth_bytes_per_s.med, 16e6);
  cr_assert_near(prediction.efficiency_bandwidth.med, 0.25);
  cr_assert_near(prediction.roofline_flops_per_s, 8e6);
  cr_assert_eq(prediction.compute_bound, 1);
  world.models->machine.bandwidth_bytes_per_s = 32e6;
  cr_assert_eq(perfpred_plan_predict(plan, (int64_t[]){ 20, 20 }, 2, &prediction, NULL), PERFPRED_OK);
  cr_assert_near(prediction.roofline_flops_per_s, 4e6);
  cr_assert_eq(prediction.compute_bound, 0);
  perfpred_plan_destroy(plan);
}

Test(plan, what_the_machine_does_not_tell_is_unknown) {
  struct perfpred_plan *plan = steps(NULL);
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  cr_assert_eq(perfpred_plan_predict(plan, (int64_t[]){ 20, 20 }, 2, &prediction, NULL), PERFPRED_OK);
  cr_assert(isnan(prediction.efficiency.med));
  cr_assert(isnan(prediction.efficiency_bandwidth.med));
  cr_assert(isnan(prediction.roofline_flops_per_s));
  cr_assert_eq(prediction.compute_bound, -1);
  perfpred_plan_destroy(plan);
}

/* The walker reads the same tree on its own account. */
static enum perfpred_status add_call(void *data, const struct ppi_node *node, const struct ppi_value *values,
                                     struct perfpred_error *error) {
  double *sum = data;
  (void)error;
  double size = 1.0;
  for (int i = 0; i < node->kernel->size_count; i++)
    size *= (double)values[node->kernel->sizes[i]].i;
  *sum += 1e-6 * (strcmp(node->kernel->name, "dpart") == 0 ? size * size : size);
  return PERFPRED_OK;
}

Test(plan, agrees_with_the_walker_everywhere) {
  const struct ppi_walker walker = { .call = add_call };
  struct perfpred_plan *plan = steps(NULL);
  for (int64_t n = 0; n <= 97; n += 1) {
    for (int64_t b = 1; b <= 40; b += 3) {
      double sum = 0.0;
      int64_t parameters[] = { n, b };
      cr_assert_eq(ppi_program_walk(plan->program, parameters, 2, &walker, &sum, NULL), PERFPRED_OK);
      cr_assert_near(predicted(plan, parameters, 2), sum);
    }
  }
  perfpred_plan_destroy(plan);
}

Test(plan, bad_parameters) {
  struct perfpred_plan *plan = steps(NULL);
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT, untouched = prediction;
  struct perfpred_error error;
  const struct {
    int64_t values[2];
    const char *names;
  } wrong[] = { { { -1, 8 }, "n" }, { { 8, 0 }, "b" }, { { 8, -8 }, "b" }, { { INT64_MIN, 8 }, "n" } };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    cr_assert_eq(perfpred_plan_predict(plan, wrong[i].values, 2, &prediction, &error), PERFPRED_INVALID);
    cr_assert(strstr(error.text, wrong[i].names), "%s", error.text);
    cr_assert_eq(error.status, PERFPRED_INVALID);
  }
  cr_assert_eq(perfpred_plan_predict(plan, (int64_t[]){ 8 }, 1, &prediction, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_plan_predict(plan, NULL, 2, &prediction, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_plan_predict(NULL, (int64_t[]){ 8, 8 }, 2, &prediction, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_plan_predict(plan, (int64_t[]){ 8, 8 }, 2, NULL, &error), PERFPRED_INVALID);
  cr_assert_eq(memcmp(&prediction, &untouched, sizeof prediction), 0);
  prediction.size = offsetof(struct perfpred_prediction, model_error); /* less than any release ever had */
  cr_assert_eq(perfpred_plan_predict(plan, (int64_t[]){ 8, 8 }, 2, &prediction, &error), PERFPRED_INVALID);
  prediction.size = 0;
  cr_assert_eq(perfpred_plan_predict(plan, (int64_t[]){ 8, 8 }, 2, &prediction, &error), PERFPRED_INVALID);
  perfpred_plan_destroy(plan);
}

Test(plan, bad_arguments_of_create) {
  struct perfpred_plan *plan = NULL;
  struct perfpred_error error;
  struct perfpred_program *program = ppi_programs_find(world.programs, "steps");
  struct perfpred_plan_options options = PERFPRED_PLAN_OPTIONS_INIT;
  cr_assert_eq(perfpred_plan_create(NULL, world.models, NULL, &plan, &error), PERFPRED_INVALID);
  cr_assert(strstr(error.text, "program"));
  cr_assert_eq(perfpred_plan_create(program, NULL, NULL, &plan, &error), PERFPRED_INVALID);
  cr_assert(strstr(error.text, "models"));
  cr_assert_eq(perfpred_plan_create(program, world.models, NULL, NULL, &error), PERFPRED_INVALID);
  cr_assert(strstr(error.text, "plan"));
  options.size = 0;
  cr_assert_eq(perfpred_plan_create(program, world.models, &options, &plan, &error), PERFPRED_INVALID);
  cr_assert(strstr(error.text, "size"));
  cr_assert_null(plan);
  perfpred_plan_destroy(NULL);
  cr_assert_null(perfpred_plan_program(NULL));
  cr_assert_eq(perfpred_plan_parameter(NULL, "b"), -1);
}

/* A caller of an older release knows fewer options: what it cannot say counts as zero. */
Test(plan, options_of_a_smaller_size) {
  struct perfpred_plan_options options = { .size = offsetof(struct perfpred_plan_options, partial), .partial = 77 };
  struct perfpred_program *program = fixture_program(&world, "perfpred-text 1\n"
                                                             "algorithm u(n)\n"
                                                             "  inout A: double matrix[n, n]\n"
                                                             "  dpart(U, n, A[0, 0])\n"
                                                             "end\n");
  struct perfpred_plan *plan = NULL;
  cr_assert_eq(perfpred_plan_create(program, world.models, &options, &plan, NULL), PERFPRED_UNMODELLED);
  perfpred_program_unref(program);
}

Test(plan, keeps_what_it_needs) {
  struct perfpred_plan *plan = steps(NULL);
  cr_assert_eq(perfpred_plan_program(plan), ppi_programs_find(world.programs, "steps"));
  cr_assert_eq(perfpred_plan_parameter(plan, "b"), 1);
  cr_assert_eq(perfpred_plan_parameter(plan, "x"), -1);
  fixture_end(&world);
  cr_assert_near(predicted(plan, (int64_t[]){ 20, 20 }, 2), 400e-6);
  perfpred_plan_destroy(plan);
  fixture_begin(&world);
}

Test(plan, refuses_loop_nests) {
  struct perfpred_program *program = fixture_program(&world, "perfpred-text 1\n"
                                                             "nest sum(n)\n"
                                                             "  double x[n]\n"
                                                             "  for i in 0:n\n"
                                                             "    read x[i]\n"
                                                             "  end\n"
                                                             "end\n");
  struct perfpred_plan *plan = NULL;
  cr_assert_eq(perfpred_plan_create(program, world.models, NULL, &plan, NULL), PERFPRED_UNSUPPORTED);
  perfpred_program_unref(program);
}
