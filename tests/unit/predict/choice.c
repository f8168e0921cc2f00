/* SPDX-License-Identifier: BSD-3-Clause */
/* Tuning and ranking against choices worked by hand. */
#include "fixture.h"

static struct fixture world;

static void begin(void) {
  fixture_begin(&world);
  fixture_models(&world);
}

static void finish(void) {
  fixture_end(&world);
}

TestSuite(tune, .init = begin, .fini = finish);
TestSuite(rank, .init = begin, .fini = finish);

/* One dpart of 30 - b and b dfills of 1 x b: (30 - b)^2 + b^2, smallest at b = 15. */
static const char valley[] = "perfpred-text 1\n"
                             "algorithm valley(n, b)\n"
                             "  inout A: double matrix[n, n]\n"
                             "  dpart(L, max(n - b, 0), A[0, 0])\n"
                             "  dfill(b, b, A[0, 0])\n"
                             "end\n";

static struct perfpred_plan *plan_of(const char *text) {
  struct perfpred_program *program = fixture_program(&world, text);
  struct perfpred_plan *plan = fixture_plan(&world, program, NULL);
  perfpred_program_unref(program);
  return plan;
}

Test(tune, finds_the_minimum) {
  struct perfpred_plan *plan = plan_of(valley);
  struct perfpred_tuning tuning = PERFPRED_TUNING_INIT;
  const struct perfpred_range range = { 1, 30, 1 };
  tuning.default_value = 10;
  cr_assert_eq(perfpred_plan_tune(plan, 1, &range, (int64_t[]){ 30, 999 }, 2, &tuning, NULL), PERFPRED_OK);
  cr_assert_eq(tuning.best, 15);
  cr_assert_eq(tuning.candidates, 30);
  cr_assert_near(tuning.prediction.time_s.med, 450e-6);
  cr_assert_near(tuning.yield_default, 450.0 / 500.0);
  cr_assert_eq(tuning.default_value, 10);
  cr_assert_eq(tuning.prediction.size, sizeof tuning.prediction);
  perfpred_plan_destroy(plan);
}

Test(tune, of_equal_values_the_smallest) {
  struct perfpred_plan *plan = plan_of(valley);
  struct perfpred_tuning tuning = PERFPRED_TUNING_INIT;
  const struct perfpred_range range = { 12, 18, 6 }; /* 12 and 18 are alike */
  cr_assert_eq(perfpred_plan_tune(plan, 1, &range, (int64_t[]){ 30, 0 }, 2, &tuning, NULL), PERFPRED_OK);
  cr_assert_eq(tuning.best, 12);
  cr_assert_eq(tuning.candidates, 2);
  cr_assert_eq(tuning.default_value, 64);
  cr_assert_near(tuning.yield_default, (18.0 * 18 + 144) / (64.0 * 64)); /* b = 64 leaves nothing for dpart */
  perfpred_plan_destroy(plan);
}

Test(tune, a_step_that_overshoots_the_upper_end) {
  struct perfpred_plan *plan = plan_of(valley);
  struct perfpred_tuning tuning = PERFPRED_TUNING_INIT;
  const struct perfpred_range range = { 4, 30, 7 }; /* 4, 11, 18, 25 */
  cr_assert_eq(perfpred_plan_tune(plan, 1, &range, (int64_t[]){ 30, 0 }, 2, &tuning, NULL), PERFPRED_OK);
  cr_assert_eq(tuning.candidates, 4);
  cr_assert_eq(tuning.best, 18);
  perfpred_plan_destroy(plan);
}

Test(tune, a_default_without_prediction_has_no_yield) {
  struct perfpred_plan *plan = plan_of(valley);
  struct perfpred_tuning tuning = PERFPRED_TUNING_INIT;
  const struct perfpred_range range = { 8, 16, 8 };
  tuning.default_value = 5000;
  cr_assert_eq(perfpred_plan_tune(plan, 1, &range, (int64_t[]){ 30, 0 }, 2, &tuning, NULL), PERFPRED_OK);
  cr_assert(isnan(tuning.yield_default));
  perfpred_plan_destroy(plan);
}

Test(tune, bad_arguments) {
  struct perfpred_plan *plan = plan_of(valley);
  struct perfpred_tuning tuning = PERFPRED_TUNING_INIT;
  struct perfpred_range range = { 1, 30, 1 };
  const int64_t values[] = { 30, 0 };
  struct perfpred_error error;
  cr_assert_eq(perfpred_plan_tune(NULL, 1, &range, values, 2, &tuning, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_plan_tune(plan, -1, &range, values, 2, &tuning, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_plan_tune(plan, 2, &range, values, 2, &tuning, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_plan_tune(plan, 1, NULL, values, 2, &tuning, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_plan_tune(plan, 1, &range, NULL, 2, &tuning, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_plan_tune(plan, 1, &range, values, 1, &tuning, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_plan_tune(plan, 1, &range, values, 2, NULL, &error), PERFPRED_INVALID);
  const struct perfpred_range wrong[] = { { 1, 30, 0 }, { 1, 30, -1 }, { 30, 1, 1 }, { -1, 3, 1 }, { 0, 3, 1 } };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    cr_assert_eq(perfpred_plan_tune(plan, 1, &wrong[i], values, 2, &tuning, &error), PERFPRED_INVALID);
  range.upper = INT64_MAX;
  cr_assert_eq(perfpred_plan_tune(plan, 1, &range, values, 2, &tuning, &error), PERFPRED_LIMIT);
  cr_assert(strstr(error.text, "65536"));
  cr_assert_eq(perfpred_plan_tune(plan, 1, &(struct perfpred_range){ 8, 2000, 8 }, values, 2, &tuning, &error),
               PERFPRED_OUT_OF_DOMAIN);
  tuning.size = sizeof tuning - 8;
  cr_assert_eq(perfpred_plan_tune(plan, 1, &(struct perfpred_range){ 1, 2, 1 }, values, 2, &tuning, &error),
               PERFPRED_INVALID);
  cr_assert_eq(tuning.best, 0);
  perfpred_plan_destroy(plan);
}

#define FILL(rows, columns)                                                                                            \
  "perfpred-text 1\nalgorithm f(n)\n  inout A: double matrix[n, n]\n  dfill(" rows ", " columns ", A[0, 0])\nend\n"

/* 100, 101, 103 and 120 microseconds at n = 100; all with a model error of 2 %. */
static void make_plans(struct perfpred_plan *plans[4]) {
  plans[0] = plan_of(FILL("120", "1"));
  plans[1] = plan_of(FILL("101", "1"));
  plans[2] = plan_of(FILL("100", "1"));
  plans[3] = plan_of(FILL("103", "1"));
}

static void rank(struct perfpred_plan *const *plans, double tie, struct perfpred_ranked ranking[4]) {
  const struct perfpred_plan *list[4] = { plans[0], plans[1], plans[2], plans[3] };
  struct perfpred_rank_options options = PERFPRED_RANK_OPTIONS_INIT;
  options.tie = tie;
  cr_assert_eq(perfpred_rank(list, 4, (int64_t[]){ 200 }, 1, &options, ranking, NULL), PERFPRED_OK);
}

static void check_groups(const struct perfpred_ranked ranking[4], unsigned a, unsigned b, unsigned c, unsigned d) {
  cr_assert(ranking[0].group == a && ranking[1].group == b && ranking[2].group == c && ranking[3].group == d,
            "groups are %u %u %u %u, expected %u %u %u %u", ranking[0].group, ranking[1].group, ranking[2].group,
            ranking[3].group, a, b, c, d);
}

Test(rank, by_median_with_ties) {
  struct perfpred_plan *plans[4];
  struct perfpred_ranked ranking[4];
  make_plans(plans);
  rank(plans, -1.0, ranking);
  cr_assert(ranking[0].plan == 2 && ranking[1].plan == 1 && ranking[2].plan == 3 && ranking[3].plan == 0);
  cr_assert_near(ranking[1].time_s.med, 101e-6);
  check_groups(ranking, 0, 1, 2, 3);
  rank(plans, 0.015, ranking);
  check_groups(ranking, 0, 0, 1, 2); /* 1 %, 1.98 %, 16.5 % */
  rank(plans, 0.1, ranking);
  check_groups(ranking, 0, 0, 0, 1);
  rank(plans, 0.0, ranking); /* the models' own: sqrt(2) 2 % */
  check_groups(ranking, 0, 0, 0, 1);
  double sum = 0.0;
  for (int i = 0; i < 4; i++)
    sum += ranking[i].likelihood;
  cr_assert_float_eq(sum, 1.0, 1e-12);
  cr_assert(ranking[0].likelihood > ranking[1].likelihood && ranking[1].likelihood > ranking[2].likelihood);
  for (int i = 0; i < 4; i++)
    perfpred_plan_destroy(plans[i]);
}

/* Two: P = Phi(difference / sqrt of the sum of squares), a spread of 50 % and a model error of 2 % each. */
Test(rank, likelihood_of_two) {
  struct perfpred_plan *a = plan_of(FILL("100", "1")), *b = plan_of(FILL("150", "1"));
  const struct perfpred_plan *list[] = { b, a };
  struct perfpred_ranked ranking[2];
  cr_assert_eq(perfpred_rank(list, 2, (int64_t[]){ 200 }, 1, NULL, ranking, NULL), PERFPRED_OK);
  double spread = hypot(0.5, 0.02), z = 50.0 / (spread * hypot(100.0, 150.0));
  cr_assert_eq(ranking[0].plan, 1);
  cr_assert_float_eq(ranking[0].likelihood, 0.5 * erfc(-z / sqrt(2.0)), 1e-7);
  perfpred_plan_destroy(a);
  perfpred_plan_destroy(b);
}

Test(rank, equal_plans_share) {
  struct perfpred_plan *plan = plan_of(FILL("100", "1"));
  const struct perfpred_plan *list[] = { plan, plan, plan };
  struct perfpred_ranked ranking[3];
  cr_assert_eq(perfpred_rank(list, 3, (int64_t[]){ 200 }, 1, NULL, ranking, NULL), PERFPRED_OK);
  for (size_t i = 0; i < 3; i++) {
    cr_assert_eq(ranking[i].plan, i);
    cr_assert_eq(ranking[i].group, 0);
    cr_assert_float_eq(ranking[i].likelihood, 1.0 / 3, 1e-12);
  }
  perfpred_plan_destroy(plan);
}

Test(rank, nothing_to_do_is_a_tie) {
  struct perfpred_plan *a = plan_of(FILL("n", "n")), *b = plan_of(FILL("n", "1"));
  const struct perfpred_plan *list[] = { a, b };
  struct perfpred_ranked ranking[2];
  cr_assert_eq(perfpred_rank(list, 2, (int64_t[]){ 0 }, 1, NULL, ranking, NULL), PERFPRED_OK);
  cr_assert_eq(ranking[1].group, 0);
  cr_assert_eq(ranking[0].likelihood, 0.5);
  cr_assert_eq(ranking[0].notes, PERFPRED_NOTE_ZERO_WORK);
  perfpred_plan_destroy(a);
  perfpred_plan_destroy(b);
}

#define TWO(first, second)                                                                                             \
  "perfpred-text 1\nalgorithm f(n)\n  inout A: double matrix[n, n]\n  dfill(" first ", 1, A[0, 0])\n"                  \
  "  dfill(" second ", 1, A[0, 0])\nend\n"

/* 1000 us are common to both, their error of 20 us cancels: what is left are 10 and 13 us, each known to 2 %. */
Test(rank, errors_of_shared_calls_cancel) {
  struct perfpred_plan *a = plan_of(TWO("1000", "10")), *b = plan_of(TWO("13", "1000"));
  const struct perfpred_plan *list[] = { b, a };
  struct perfpred_ranked ranking[2];
  struct perfpred_rank_options options = PERFPRED_RANK_OPTIONS_INIT;
  cr_assert_eq(perfpred_rank(list, 2, (int64_t[]){ 1000 }, 1, NULL, ranking, NULL), PERFPRED_OK);
  cr_assert(ranking[0].plan == 1 && ranking[1].plan == 0);
  cr_assert_eq(ranking[1].group, 1, "3 us apart, 0.33 us of error");
  /* E[max(0, first - second)]: a normal of mean 3 us and standard deviation 0.02 hypot(10, 13) us */
  double std = 0.02 * hypot(10.0, 13.0), z = 3.0 / std;
  double loss = std * exp(-0.5 * z * z) / sqrt(2.0 * acos(-1.0)) - 3.0 * 0.5 * erfc(z / sqrt(2.0));
  cr_assert_float_eq(ranking[0].loss_s, loss * 1e-6, 1e-13);
  cr_assert_float_eq(ranking[1].loss_s, (3.0 + loss) * 1e-6, 1e-13);
  options.noise = 0.0029; /* of 1010 us: 2.93; with the error 2.947 us: less than 3 */
  cr_assert_eq(perfpred_rank(list, 2, (int64_t[]){ 1000 }, 1, &options, ranking, NULL), PERFPRED_OK);
  cr_assert_eq(ranking[1].group, 1);
  options.noise = 0.0030; /* 3.03 us */
  cr_assert_eq(perfpred_rank(list, 2, (int64_t[]){ 1000 }, 1, &options, ranking, NULL), PERFPRED_OK);
  cr_assert_eq(ranking[1].group, 0);
  options.noise = 0.0;
  options.error = 0.0031; /* as validated: 3.13 us, in place of the models' own */
  cr_assert_eq(perfpred_rank(list, 2, (int64_t[]){ 1000 }, 1, &options, ranking, NULL), PERFPRED_OK);
  cr_assert_eq(ranking[1].group, 0);
  options.tie = -1.0;
  cr_assert_eq(perfpred_rank(list, 2, (int64_t[]){ 1000 }, 1, &options, ranking, NULL), PERFPRED_OK);
  cr_assert_eq(ranking[1].group, 1);
  perfpred_plan_destroy(a);
  perfpred_plan_destroy(b);
}

/* 100 us of which nothing is known count as off by 100 us, beside 120 us that are known to 2 %. */
Test(rank, an_error_that_is_not_known_is_not_none) {
  fixture_end(&world);
  fixture_begin(&world);
  fixture_model(&world, "dfill", "", 1, 200, 1, 1e-6, 0.02);
  fixture_model(&world, "dpart", "L", 1, 100, 2, 1e-6, (double)NAN);
  struct perfpred_plan *a = plan_of("perfpred-text 1\nalgorithm f(n)\n  inout A: double matrix[n, n]\n"
                                    "  dpart(L, 10, A[0, 0])\nend\n");
  struct perfpred_plan *b = plan_of(FILL("120", "1"));
  const struct perfpred_plan *list[] = { a, b };
  struct perfpred_ranked ranking[2];
  cr_assert_eq(perfpred_rank(list, 2, (int64_t[]){ 200 }, 1, NULL, ranking, NULL), PERFPRED_OK);
  cr_assert_eq(ranking[0].plan, 0);
  cr_assert_eq(ranking[1].group, 0, "20 us apart, more than 100 us of error");
  double std = hypot(100.0, 0.02 * 120.0), z = 20.0 / std;
  double loss = std * exp(-0.5 * z * z) / sqrt(2.0 * acos(-1.0)) - 20.0 * 0.5 * erfc(z / sqrt(2.0));
  cr_assert_float_eq(ranking[0].loss_s, loss * 1e-6, 1e-10);
  perfpred_plan_destroy(a);
  perfpred_plan_destroy(b);
}

/* A call that is made twice is shared once with one that makes it once. */
Test(rank, calls_cancel_as_often_as_both_make_them) {
  struct perfpred_plan *a = plan_of(TWO("100", "100")), *b = plan_of(TWO("100", "101"));
  const struct perfpred_plan *list[] = { a, b };
  struct perfpred_ranked ranking[2];
  cr_assert_eq(perfpred_rank(list, 2, (int64_t[]){ 200 }, 1, NULL, ranking, NULL), PERFPRED_OK);
  cr_assert_eq(ranking[1].group, 0, "1 us apart, 0.02 hypot(100, 101) us of error");
  double std = 0.02 * hypot(100.0, 101.0), z = 1.0 / std;
  double loss = std * exp(-0.5 * z * z) / sqrt(2.0 * acos(-1.0)) - 0.5 * erfc(z / sqrt(2.0));
  cr_assert_float_eq(ranking[0].loss_s, loss * 1e-6, 1e-12);
  cr_assert_float_eq(ranking[1].loss_s, (1.0 + loss) * 1e-6, 1e-12);
  perfpred_plan_destroy(a);
  perfpred_plan_destroy(b);
}

/* Whatever both do: the same algorithm twice has nothing to lose. */
Test(rank, equal_plans_lose_nothing) {
  struct perfpred_plan *plan = plan_of(TWO("100", "90"));
  const struct perfpred_plan *list[] = { plan, plan };
  struct perfpred_ranked ranking[2];
  cr_assert_eq(perfpred_rank(list, 2, (int64_t[]){ 200 }, 1, NULL, ranking, NULL), PERFPRED_OK);
  cr_assert_eq(ranking[0].loss_s, 0.0);
  cr_assert_eq(ranking[1].loss_s, 0.0);
  perfpred_plan_destroy(plan);
}

#define OF(name, operation)                                                                                            \
  "perfpred-text 1\nalgorithm " name "(n)\n" operation "  inout A: double matrix[n, n]\n  dfill(9, 1, A[0, 0])\nend\n"

/* Times of different operations say nothing; a program that states none may be any. */
Test(rank, of_one_operation) {
  struct perfpred_plan *fill = plan_of(OF("fill", "  operation filling\n")), *any = plan_of(OF("any", ""));
  struct perfpred_plan *again = plan_of(OF("again", "  operation filling\n"));
  struct perfpred_plan *clear = plan_of(OF("clear", "  operation clearing\n"));
  const struct perfpred_plan *same[] = { any, fill, again }, *mixed[] = { any, fill, clear };
  struct perfpred_ranked ranking[3];
  struct perfpred_error error;
  cr_assert_eq(perfpred_rank(same, 3, (int64_t[]){ 20 }, 1, NULL, ranking, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_eq(perfpred_rank(mixed, 3, (int64_t[]){ 20 }, 1, NULL, ranking, &error), PERFPRED_INVALID);
  cr_assert_str_eq(error.text,
                   "'fill' computes 'filling', 'clear' computes 'clearing': expected algorithms of one operation");
  perfpred_plan_destroy(fill);
  perfpred_plan_destroy(any);
  perfpred_plan_destroy(again);
  perfpred_plan_destroy(clear);
}

Test(rank, bad_arguments) {
  struct perfpred_plan *plan = plan_of(FILL("n", "1")), *two = plan_of(valley);
  const struct perfpred_plan *list[] = { plan, NULL }, *mixed[] = { plan, two };
  struct perfpred_ranked ranking[2] = { { .plan = 77 } };
  const int64_t n = 20;
  struct perfpred_error error;
  cr_assert_eq(perfpred_rank(NULL, 1, &n, 1, NULL, ranking, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_rank(list, 0, &n, 1, NULL, ranking, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_rank(list, 2, &n, 1, NULL, ranking, &error), PERFPRED_INVALID);
  cr_assert(strstr(error.text, "plans[1]"));
  cr_assert_eq(perfpred_rank(mixed, 2, &n, 1, NULL, ranking, &error), PERFPRED_INVALID);
  const struct perfpred_rank_options wrong[] = { { sizeof *wrong, (double)NAN, 0.0, 0.0 },
                                                 { sizeof *wrong, 0.0, -0.1, 0.0 },
                                                 { sizeof *wrong, 0.0, (double)NAN, 0.0 },
                                                 { sizeof *wrong, 0.0, 0.0, 1.5 },
                                                 { 1, 0.0, 0.0, 0.0 } };
  const char *const named[] = { "tie", "noise", "noise", "error", "PERFPRED_RANK_OPTIONS_INIT" };
  for (size_t i = 0; i < 5; i++) {
    cr_assert_eq(perfpred_rank(list, 1, &n, 1, &wrong[i], ranking, &error), PERFPRED_INVALID);
    cr_assert(strstr(error.text, named[i]), "%s", error.text);
  }
  cr_assert_eq(perfpred_rank(list, 1, &n, 1, NULL, NULL, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_rank(list, 1, NULL, 1, NULL, ranking, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_rank(list, 1, (int64_t[]){ -1 }, 1, NULL, ranking, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_rank(list, 1, (int64_t[]){ 5000 }, 1, NULL, ranking, &error), PERFPRED_OUT_OF_DOMAIN);
  cr_assert_eq(ranking[0].plan, 77);
  perfpred_plan_destroy(plan);
  perfpred_plan_destroy(two);
}
