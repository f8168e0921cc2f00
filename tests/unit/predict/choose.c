/* SPDX-License-Identifier: BSD-3-Clause */
/* Algorithm, threads and block size chosen together, against choices worked by hand. */
#include "fixture.h"

static struct fixture one, two; /* models for one thread, and for two */

static void begin(void) {
  fixture_begin(&one);
  fixture_models(&one);
  fixture_begin(&two);
  fixture_models(&two);
  two.models->setups[0].threads = 2;
}

static void finish(void) {
  fixture_end(&one);
  fixture_end(&two);
}

TestSuite(choose, .init = begin, .fini = finish);

/* (n - b)^2 + b^2 us: at n = 30 500, 450, 500 us for b = 10, 15, 20. */
static const char valley[] = "perfpred-text 1\n"
                             "algorithm valley(n, b)\n"
                             "  inout A: double matrix[n, n]\n"
                             "  dpart(L, max(n - b, 0), A[0, 0])\n"
                             "  dfill(b, b, A[0, 0])\n"
                             "end\n";
/* n + b us, and 400 us for what threads cost to start. */
static const char slope[] = "perfpred-text 1\n"
                            "algorithm slope(n, b = 32)\n"
                            "  inout A: double matrix[n, n]\n"
                            "  dfill(20, 20, A[0, 0])\n"
                            "  dfill(n, 1, A[0, 0])\n"
                            "  dfill(b, 1, A[0, 0])\n"
                            "end\n";

static struct perfpred_plan *plan_of(struct fixture *world, const char *text) {
  struct perfpred_program *program = fixture_program(world, text);
  struct perfpred_plan *plan = fixture_plan(world, program, NULL);
  perfpred_program_unref(program);
  return plan;
}

static double loss(double difference, double std) {
  double z = difference / std;
  return std * exp(-0.5 * z * z) / sqrt(2.0 * acos(-1.0)) - difference * 0.5 * erfc(z / sqrt(2.0));
}

static const struct perfpred_range tens = { 10, 20, 5 };

Test(choose, one_plan) {
  struct perfpred_plan *plan = plan_of(&one, valley);
  const struct perfpred_plan *list[] = { plan };
  struct perfpred_choice choice = PERFPRED_CHOICE_INIT;
  struct perfpred_choose_options options = PERFPRED_CHOOSE_OPTIONS_INIT;
  options.default_value = 10;
  cr_assert_eq(perfpred_choose(list, 1, 1, &tens, (int64_t[]){ 30, 999 }, 2, &options, &choice, NULL), PERFPRED_OK);
  cr_assert_eq(choice.value, 15);
  cr_assert_eq(choice.plan, 0);
  cr_assert_eq(choice.threads, 1);
  cr_assert_eq(choice.candidates, 3);
  cr_assert_eq(choice.default_value, 10);
  cr_assert_near(choice.time_s, 450e-6);
  cr_assert_near(choice.yield_default, 0.9);
  /* errors of 4 % and 2 %: 13.5 us at b = 15, 18 us at b = 10, 12 us at b = 20; b = 10 is the rival to be feared */
  cr_assert(loss(50.0, hypot(13.5, 18.0)) > loss(50.0, hypot(13.5, 12.0)));
  cr_assert_float_eq(choice.yield, 1.0 - loss(50.0, hypot(13.5, 18.0)) / 450.0, 1e-10);
  perfpred_plan_destroy(plan);
}

/* C18, C21: threads and block size together; with a limit of one thread the second plan is out. */
Test(choose, threads_and_block_size) {
  struct perfpred_plan *plans[] = { plan_of(&one, valley), plan_of(&two, slope) };
  const struct perfpred_plan *list[] = { plans[0], plans[1] };
  const struct perfpred_range ranges[] = { tens, { 8, 24, 8 } };
  struct perfpred_choice choice = PERFPRED_CHOICE_INIT;
  struct perfpred_choose_options options = PERFPRED_CHOOSE_OPTIONS_INIT;
  const struct {
    int64_t n, value;
    int limit, threads;
    double time_us;
  } wanted[] = { { 30, 8, 0, 2, 438.0 },  /* 450 us on one thread */
                 { 30, 15, 1, 1, 450.0 }, /* the limit */
                 { 30, 8, 2, 2, 438.0 },
                 { 20, 10, 0, 1, 200.0 } /* 428 us on two */ };
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    options.thread_limit = wanted[i].limit;
    cr_assert_eq(perfpred_choose(list, 2, 1, ranges, (int64_t[]){ wanted[i].n, 0 }, 2, &options, &choice, NULL),
                 PERFPRED_OK);
    cr_assert(choice.threads == wanted[i].threads && choice.value == wanted[i].value, "case %zu: %d threads, %ld", i,
              choice.threads, (long)choice.value);
    cr_assert_eq(choice.plan, (size_t)(wanted[i].threads - 1));
    cr_assert_near(choice.time_s, 1e-6 * wanted[i].time_us);
    cr_assert_eq(choice.candidates, wanted[i].limit == 1 ? 3 : 6);
    cr_assert_eq(choice.default_value, choice.plan == 0 ? 64 : 32, "what the text proposes, else 64");
  }
  perfpred_plan_destroy(plans[0]);
  perfpred_plan_destroy(plans[1]);
}

/* C22: a serial BLAS has models for one thread, whatever was asked for, and that is the advice. */
Test(choose, a_serial_library_gets_one_thread) {
  struct perfpred_plan *plan = plan_of(&one, slope);
  const struct perfpred_plan *list[] = { plan };
  struct perfpred_choice choice = PERFPRED_CHOICE_INIT;
  struct perfpred_choose_options options = PERFPRED_CHOOSE_OPTIONS_INIT;
  one.models->setups[0].threads = 0; /* not known: as one */
  for (options.thread_limit = 0; options.thread_limit <= 2; options.thread_limit++) {
    cr_assert_eq(perfpred_choose(list, 1, 1, &tens, (int64_t[]){ 30, 0 }, 2, &options, &choice, NULL), PERFPRED_OK);
    cr_assert_eq(choice.threads, 1);
  }
  perfpred_plan_destroy(plan);
}

Test(choose, one_more_candidate) {
  struct perfpred_plan *plan = plan_of(&one, valley);
  const struct perfpred_plan *list[] = { plan };
  const struct perfpred_range range = { 20, 30, 5 }; /* 500, 650, 900 us */
  struct perfpred_choice choice = PERFPRED_CHOICE_INIT;
  struct perfpred_choose_options options = PERFPRED_CHOOSE_OPTIONS_INIT;
  const struct {
    int64_t extra, value;
    uint64_t candidates;
  } wanted[] = { { 0, 20, 3 }, { 15, 15, 4 }, { 25, 20, 3 }, { 12, 12, 4 }, { 5000, 20, 3 } /* beyond the models */ };
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    options.extra = wanted[i].extra;
    cr_assert_eq(perfpred_choose(list, 1, 1, &range, (int64_t[]){ 30, 0 }, 2, &options, &choice, NULL), PERFPRED_OK);
    cr_assert(choice.value == wanted[i].value && choice.candidates == wanted[i].candidates, "case %zu", i);
  }
  perfpred_plan_destroy(plan);
}

/* C12 */
Test(choose, nothing_to_do) {
  static const char nothing[] = "perfpred-text 1\nalgorithm f(n, b)\n  inout A: double matrix[n, n]\n"
                                "  dfill(n, b, A[0, 0])\nend\n";
  struct perfpred_plan *plan = plan_of(&one, nothing);
  const struct perfpred_plan *list[] = { plan, plan };
  const struct perfpred_range ranges[] = { tens, tens };
  struct perfpred_choice choice = PERFPRED_CHOICE_INIT;
  cr_assert_eq(perfpred_choose(list, 2, 1, ranges, (int64_t[]){ 0, 0 }, 2, NULL, &choice, NULL), PERFPRED_OK);
  cr_assert(choice.plan == 0 && choice.value == 10 && choice.time_s == 0.0);
  cr_assert(choice.yield == 1.0 && choice.yield_default == 1.0);
  cr_assert_eq(choice.notes, PERFPRED_NOTE_ZERO_WORK);
  perfpred_plan_destroy(plan);
}

Test(choose, bad_arguments) {
  struct perfpred_plan *plans[] = { plan_of(&one, valley), plan_of(&two, slope) };
  const struct perfpred_plan *list[] = { plans[0] }, *dear[] = { plans[1] }, *hole[] = { plans[0], NULL };
  const struct perfpred_range upside_down = { 20, 10, 5 }, far = { 8, 5000, 8 };
  const int64_t values[] = { 30, 0 };
  struct perfpred_choice choice = PERFPRED_CHOICE_INIT;
  struct perfpred_choose_options options = PERFPRED_CHOOSE_OPTIONS_INIT;
  struct perfpred_error error;
  choice.value = 77;
  cr_assert_eq(perfpred_choose(NULL, 1, 1, &tens, values, 2, NULL, &choice, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_choose(list, 0, 1, &tens, values, 2, NULL, &choice, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_choose(hole, 2, 1, &tens, values, 2, NULL, &choice, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_choose(list, 1, 2, &tens, values, 2, NULL, &choice, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_choose(list, 1, -1, &tens, values, 2, NULL, &choice, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_choose(list, 1, 1, NULL, values, 2, NULL, &choice, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_choose(list, 1, 1, &upside_down, values, 2, NULL, &choice, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_choose(list, 1, 1, &tens, NULL, 2, NULL, &choice, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_choose(list, 1, 1, &tens, values, 1, NULL, &choice, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_choose(list, 1, 1, &tens, values, 2, NULL, NULL, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_choose(list, 1, 1, &far, values, 2, NULL, &choice, &error), PERFPRED_OUT_OF_DOMAIN);
  options.thread_limit = 1;
  cr_assert_eq(perfpred_choose(dear, 1, 1, &tens, values, 2, &options, &choice, &error), PERFPRED_NOT_FOUND);
  cr_assert_str_eq(error.text, "no plan is for at most 1 thread");
  options.thread_limit = -1;
  cr_assert_eq(perfpred_choose(list, 1, 1, &tens, values, 2, &options, &choice, &error), PERFPRED_INVALID);
  options.size = 1;
  cr_assert_eq(perfpred_choose(list, 1, 1, &tens, values, 2, &options, &choice, &error), PERFPRED_INVALID);
  choice.size = sizeof choice - 16;
  cr_assert_eq(perfpred_choose(list, 1, 1, &tens, values, 2, NULL, &choice, &error), PERFPRED_INVALID);
  cr_assert_eq(choice.value, 77);
  perfpred_plan_destroy(plans[0]);
  perfpred_plan_destroy(plans[1]);
}
