/* SPDX-License-Identifier: BSD-3-Clause */
/* Tuners against choices worked by hand and against searches one by one. */
#include "fixture.h"

#include <perfpred/memo.h>
#include <perfpred/tuner.h>

#include "base/context.h"

static struct fixture world;
static struct perfpred_context context;

/* valley: (n - b)^2 + b^2 us. slope: n + b us and 400 us for what starting costs. flat has no block size: 500 us up to n = 40. other
   has another size, lost a kernel without models, wide five sizes. */
static const char text[] = "perfpred-text 1\n"
                           "algorithm valley(n, b)\n"
                           "  operation choice\n"
                           "  inout A: double matrix[n, n]\n"
                           "  dpart(L, max(n - b, 0), A[0, 0])\n"
                           "  dfill(b, b, A[0, 0])\n"
                           "end\n"
                           "algorithm slope(b = 32, n, twice = 1)\n"
                           "  operation choice\n"
                           "  inout A: double matrix[n, n]\n"
                           "  dfill(20*twice, 20, A[0, 0])\n"
                           "  dfill(n, 1, A[0, 0])\n"
                           "  dfill(b, 1, A[0, 0])\n"
                           "end\n"
                           "algorithm flat(n)\n"
                           "  operation choice\n"
                           "  inout A: double matrix[n, n]\n"
                           "  dfill(n > 40 ? 2000 : 50, 10, A[0, 0])\n"
                           "end\n"
                           "algorithm other(m, b)\n"
                           "  operation choice\n"
                           "  inout A: double matrix[m, m]\n"
                           "  dpart(L, m, A[0, 0])\n"
                           "end\n"
                           "algorithm lost(n, b)\n"
                           "  operation losses\n"
                           "  inout A: double matrix[n, n]\n"
                           "  dpart(U, n, A[0, 0])\n"
                           "end\n"
                           "algorithm wide(k, l, m, n, o, b)\n"
                           "  inout A: double matrix[n, n]\n"
                           "  dfill(k + l + m + n + o, b, A[0, 0])\n"
                           "end\n";

static void begin(void) {
  struct perfpred_error error;
  fixture_begin(&world);
  fixture_models(&world);
  ppi_error_clear(&error);
  cr_assert_eq(ppi_programs_add_text(world.programs, world.kernels, text, strlen(text), "tuner", &error), PERFPRED_OK,
               "%s", error.text);
  context.kernels = world.kernels;
  context.programs = world.programs;
}

static void finish(void) {
  fixture_end(&world);
}

TestSuite(tuner, .init = begin, .fini = finish);

static struct perfpred_tuner *tuner_of(const char *const *names, size_t count,
                                       const struct perfpred_tuner_options *options) {
  struct perfpred_tuner *tuner = NULL;
  struct perfpred_error error;
  cr_assert_eq(perfpred_tuner_create(&context, world.models, names, count, options, &tuner, &error), PERFPRED_OK, "%s",
               error.text);
  return tuner;
}

static struct perfpred_tuner_options fives(void) {
  struct perfpred_tuner_options options = PERFPRED_TUNER_OPTIONS_INIT;
  options.range = (struct perfpred_range){ 5, 40, 5 };
  return options;
}

static const char *const routines[] = { "choice", "steps", "losses", "valley" };

/* By hand, b = 5, 10, ... 40: at n = 20 valley takes 100 + 100 us with b = 10; at n = 30 valley 450 us with b = 15, slope 400 + 30 + 5
   us; at n = 60 valley 1800 us, slope 465; at n = 100 slope 505, and flat is out of its domain above 40. */
Test(tuner, choices_worked_by_hand) {
  const struct perfpred_tuner_options options = fives();
  struct perfpred_tuner *tuner = tuner_of(routines, 4, &options);
  static const struct {
    int64_t n, value;
    int variant;
    double time_us;
  } cases[] = { { 20, 10, 0, 200.0 }, { 30, 5, 1, 435.0 }, { 60, 5, 1, 465.0 }, { 100, 5, 1, 505.0 } };
  const int id = perfpred_tuner_routine(tuner, "choice");
  cr_assert_eq(id, 0);
  for (int again = 0; again < 3; again++)
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
      struct perfpred_tuner_answer answer = PERFPRED_TUNER_ANSWER_INIT;
      cr_assert_eq(perfpred_tuner_ask(tuner, id, &cases[i].n, 1, 0, &answer), PERFPRED_OK);
      cr_assert_eq(answer.value, cases[i].value);
      cr_assert_eq(answer.variant, cases[i].variant);
      cr_assert_eq(answer.threads, 1);
      cr_assert_near(answer.time_s, 1e-6 * cases[i].time_us);
      cr_assert_eq(perfpred_tuner_block_size(tuner, id, &cases[i].n, 1, 0, 77), cases[i].value);
    }
  cr_assert_str_eq(perfpred_tuner_variant(tuner, id, 0), "valley");
  cr_assert_str_eq(perfpred_tuner_variant(tuner, id, 1), "slope");
  cr_assert_str_eq(perfpred_tuner_variant(tuner, id, 2), "flat");
  cr_assert_null(perfpred_tuner_variant(tuner, id, 3), "other has another size");
  cr_assert_null(perfpred_tuner_variant(tuner, id, -1));
  cr_assert_null(perfpred_tuner_variant(tuner, 99, 0));
  perfpred_tuner_destroy(tuner);
}

/* A variant without a block size: at n = 40 and b = 10 alone valley takes 900 + 100, slope 450 us + what `twice` proposes. */
Test(tuner, a_variant_without_the_parameter_has_the_value_0) {
  struct perfpred_tuner_options options = fives();
  options.range = (struct perfpred_range){ 100, 100, 1 };
  struct perfpred_tuner *tuner = tuner_of(routines, 1, &options);
  struct perfpred_tuner_answer answer = PERFPRED_TUNER_ANSWER_INIT;
  /* slope: 400 + 40 + 100 us, flat: 500 us */
  cr_assert_eq(perfpred_tuner_ask(tuner, 0, (int64_t[]){ 40 }, 1, 0, &answer), PERFPRED_OK);
  cr_assert(answer.variant == 2 && answer.value == 0, "variant %d", answer.variant);
  cr_assert_near(answer.time_s, 500e-6);
  perfpred_tuner_destroy(tuner);
}

Test(tuner, the_same_as_tuning_one_plan) {
  struct perfpred_tuner *tuner = tuner_of(routines, 4, NULL);
  struct perfpred_plan *plan = fixture_plan(&world, ppi_programs_find(world.programs, "steps"), NULL);
  static const struct perfpred_range range = { 8, 256, 8 };
  for (int64_t n = 1; n <= 1000; n += 37) {
    struct perfpred_tuning tuning = PERFPRED_TUNING_INIT;
    struct perfpred_tuner_answer answer = PERFPRED_TUNER_ANSWER_INIT;
    cr_assert_eq(perfpred_plan_tune(plan, 1, &range, (int64_t[]){ n, 0 }, 2, &tuning, NULL), PERFPRED_OK);
    cr_assert_eq(perfpred_tuner_ask(tuner, 1, &n, 1, 0, &answer), PERFPRED_OK);
    cr_assert(answer.value == tuning.best && answer.time_s == tuning.prediction.time_s.med, "n = %lld", (long long)n);
  }
  perfpred_plan_destroy(plan);
  perfpred_tuner_destroy(tuner);
}

Test(tuner, what_a_routine_is) {
  struct perfpred_tuner *tuner = tuner_of(routines, 4, NULL);
  struct perfpred_routine_info info = PERFPRED_ROUTINE_INFO_INIT;
  struct perfpred_error error;
  cr_assert_eq(perfpred_tuner_routine_count(tuner), 4);
  cr_assert_eq(perfpred_tuner_info(tuner, 0, &info, &error), PERFPRED_OK);
  cr_assert(info.size_count == 1 && info.variant_count == 3 && info.plan_count == 3 && info.threads_max == 1);
  cr_assert_str_eq(info.name, "choice");
  cr_assert_str_eq(info.size_names[0], "n");
  cr_assert_eq(perfpred_tuner_info(tuner, 2, &info, &error), PERFPRED_OK);
  cr_assert(info.size_count == 0 && info.variant_count == 0 && info.plan_count == 0 && info.threads_max == 0);
  cr_assert_eq(perfpred_tuner_info(tuner, 4, &info, &error), PERFPRED_NOT_FOUND);
  cr_assert_str_eq(error.text, "routine is 4; expected 0 to 3");
  cr_assert_eq(perfpred_tuner_info(NULL, 0, &info, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_tuner_info(tuner, 0, NULL, &error), PERFPRED_INVALID);
  info.size = 8;
  cr_assert_eq(perfpred_tuner_info(tuner, 0, &info, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_tuner_routine(tuner, "losses"), 2);
  cr_assert_eq(perfpred_tuner_routine(tuner, "loss"), -1);
  cr_assert_eq(perfpred_tuner_routine(tuner, NULL), -1);
  cr_assert_eq(perfpred_tuner_routine(NULL, "steps"), -1);
  cr_assert_eq(perfpred_tuner_routine_count(NULL), 0);
  perfpred_tuner_destroy(tuner);
  perfpred_tuner_destroy(NULL);
}

/* Whatever is asked for there is an answer: that of the models, or the caller's. */
Test(tuner, the_callers_default_where_there_is_no_model) {
  const struct perfpred_tuner_options options = fives();
  struct perfpred_tuner *tuner = tuner_of(routines, 4, &options);
  static const struct {
    int routine;
    int64_t n;
    size_t count;
    int limit;
    enum perfpred_status status;
  } cases[] = {
    { -1, 20, 1, 0, PERFPRED_NOT_FOUND },
    { 4, 20, 1, 0, PERFPRED_NOT_FOUND },
    { 2, 20, 1, 0, PERFPRED_UNMODELLED },
    { 1, 0, 1, 0, PERFPRED_OUT_OF_DOMAIN },
    { 1, -5, 1, 0, PERFPRED_INVALID },
    { 1, 5000, 1, 0, PERFPRED_OUT_OF_DOMAIN },
    { 1, INT64_MAX, 1, 0, PERFPRED_OUT_OF_DOMAIN },
    { 1, INT64_MIN, 1, 0, PERFPRED_INVALID },
    { 1, 20, 2, 0, PERFPRED_INVALID },
    { 1, 20, 0, 0, PERFPRED_INVALID },
    { 1, 20, 1, -1, PERFPRED_INVALID },
  };
  for (int again = 0; again < 2; again++)
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
      const int64_t sizes[] = { cases[i].n, 1 };
      struct perfpred_tuner_answer answer = PERFPRED_TUNER_ANSWER_INIT;
      answer.value = 48;
      answer.threads = 3;
      cr_assert_eq(perfpred_tuner_ask(tuner, cases[i].routine, sizes, cases[i].count, cases[i].limit, &answer),
                   cases[i].status, "case %zu", i);
      cr_assert(answer.value == 48 && answer.threads == 3 && answer.time_s == 0.0);
      cr_assert_eq(perfpred_tuner_block_size(tuner, cases[i].routine, sizes, cases[i].count, cases[i].limit, 64), 64);
    }
  cr_assert_eq(perfpred_tuner_block_size(NULL, 0, (int64_t[]){ 20 }, 1, 0, 64), 64);
  cr_assert_eq(perfpred_tuner_block_size(tuner, 1, NULL, 1, 0, 64), 64);
  cr_assert_eq(perfpred_tuner_ask(tuner, 1, (int64_t[]){ 20 }, 1, 0, NULL), PERFPRED_INVALID);
  perfpred_tuner_destroy(tuner);
}

/* The same models once more, made with so many threads and slower or faster by a factor. */
static void add_setup(int threads, double factor) {
  struct ppi_setup setup = world.models->setups[0];
  int place = 0;
  setup.threads = threads;
  cr_assert_eq(ppi_models_add_setup(world.models, &setup, &place, NULL), PERFPRED_OK);
  const int before = world.models->count;
  fixture_model(&world, "dfill", "", 1, 900 + threads, 1, 1e-6 * factor, 0.02);
  fixture_model(&world, "dpart", "L", 1, 900 + threads, 2, 1e-6 * factor, 0.04);
  for (int i = before; i < world.models->count; i++)
    world.models->submodels[i].setup = place;
}

Test(tuner, threads_are_chosen_below_the_limit) {
  world.models->setups[0].threads = 1;
  add_setup(2, 0.6);
  add_setup(4, 0.7);
  const struct perfpred_tuner_options options = fives();
  struct perfpred_tuner *tuner = tuner_of(routines, 4, &options);
  struct perfpred_routine_info info = PERFPRED_ROUTINE_INFO_INIT;
  static const int limits[] = { 0, 1, 2, 3, 4, 9 }, threads[] = { 2, 1, 2, 2, 2, 2 };
  cr_assert_eq(perfpred_tuner_info(tuner, 0, &info, NULL), PERFPRED_OK);
  cr_assert(info.plan_count == 9 && info.variant_count == 3 && info.threads_max == 4);
  for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
    struct perfpred_tuner_answer answer = PERFPRED_TUNER_ANSWER_INIT;
    cr_assert_eq(perfpred_tuner_ask(tuner, 0, (int64_t[]){ 20 }, 1, limits[i], &answer), PERFPRED_OK);
    cr_assert_eq(answer.threads, threads[i], "limit %d: %d", limits[i], answer.threads);
    cr_assert_near(answer.time_s, threads[i] == 1 ? 200e-6 : 120e-6);
  }
  perfpred_tuner_destroy(tuner);
  /* with plans for two and four threads alone nothing is left for one */
  struct perfpred_plan_options plan = PERFPRED_PLAN_OPTIONS_INIT;
  struct perfpred_tuner_options few = fives();
  plan.threads = 4;
  few.plan = &plan;
  tuner = tuner_of(routines, 4, &few);
  struct perfpred_tuner_answer answer = PERFPRED_TUNER_ANSWER_INIT;
  cr_assert_eq(perfpred_tuner_ask(tuner, 0, (int64_t[]){ 20 }, 1, 3, &answer), PERFPRED_NOT_FOUND);
  cr_assert_eq(perfpred_tuner_ask(tuner, 0, (int64_t[]){ 20 }, 1, 4, &answer), PERFPRED_OK);
  cr_assert_eq(answer.threads, 4);
  perfpred_tuner_destroy(tuner);
}

Test(tuner, of_equal_times_fewer_threads) {
  world.models->setups[0].threads = 2;
  add_setup(1, 1.0);
  struct perfpred_tuner *tuner = tuner_of(routines, 1, NULL);
  struct perfpred_tuner_answer answer = PERFPRED_TUNER_ANSWER_INIT;
  cr_assert_eq(perfpred_tuner_ask(tuner, 0, (int64_t[]){ 20 }, 1, 0, &answer), PERFPRED_OK);
  cr_assert_eq(answer.threads, 1);
  perfpred_tuner_destroy(tuner);
}

/* A table of eight places, many more questions: what it cannot keep is computed, and the same. */
Test(tuner, answers_do_not_depend_on_what_is_kept) {
  struct perfpred_tuner_options options = fives();
  struct perfpred_tuner *large = tuner_of(routines, 4, &options);
  options.answers = 1;
  struct perfpred_tuner *small = tuner_of(routines, 4, &options);
  for (int again = 0; again < 3; again++)
    for (int routine = 3; routine >= 0; routine--)
      for (int64_t n = -3; n < 400; n += 2) {
        struct perfpred_tuner_answer a = PERFPRED_TUNER_ANSWER_INIT, b = PERFPRED_TUNER_ANSWER_INIT;
        cr_assert_eq(perfpred_tuner_ask(large, routine, &n, 1, 0, &a),
                     perfpred_tuner_ask(small, routine, &n, 1, 0, &b));
        cr_assert(a.value == b.value && a.variant == b.variant && a.threads == b.threads && a.time_s == b.time_s &&
                  a.notes == b.notes);
      }
  perfpred_tuner_destroy(small);
  perfpred_tuner_destroy(large);
}

Test(tuner, routines_of_many_sizes_are_answered_without_being_kept) {
  const char *const names[] = { "wide" };
  const struct perfpred_tuner_options options = fives();
  struct perfpred_tuner *tuner = tuner_of(names, 1, &options);
  struct perfpred_tuner_answer answer = PERFPRED_TUNER_ANSWER_INIT;
  for (int i = 0; i < 3; i++) {
    cr_assert_eq(perfpred_tuner_ask(tuner, 0, (int64_t[]){ 1, 2, 3, 4, 5 + i }, 5, 0, &answer), PERFPRED_OK);
    cr_assert_eq(answer.value, 5);
    cr_assert_near(answer.time_s, 5e-6 * (15 + i));
  }
  perfpred_tuner_destroy(tuner);
}

#define REFUSED(wanted, message, ...)                                                                                  \
  do {                                                                                                                 \
    cr_assert_eq(perfpred_tuner_create(__VA_ARGS__, &tuner, &error), wanted);                                          \
    cr_assert_str_eq(error.text, message);                                                                             \
  } while (0)

/* steps: the smallest time is at some block size or other; what counts is that a memo says what its tuner says. */
Test(tuner, memos_have_the_tuners_answers) {
  struct perfpred_tuner *tuner = tuner_of(routines, 4, NULL);
  struct perfpred_memo memo = PERFPRED_MEMO_INIT(tuner, 1, 0, 77);
  cr_assert_eq(perfpred_memo_block_size(&memo, 0), 77, "nothing to do");
  for (int again = 0; again < 2; again++)
    for (int64_t n = -3; n <= 1200; n++)
      cr_assert_eq(perfpred_memo_block_size(&memo, n), perfpred_tuner_block_size(tuner, 1, &n, 1, 0, 77), "n=%d",
                   (int)n);
  cr_assert_eq(perfpred_memo_block_size(&memo, INT64_MAX), 77);
  /* what it has it has without the tuner */
  const int64_t last = perfpred_memo_block_size(&memo, 500);
  cr_assert_neq(last, 77);
  memo.tuner = NULL;
  cr_assert_eq(perfpred_memo_block_size(&memo, 500), last);
  cr_assert_eq(perfpred_memo_block_size(&memo, 501 + 100000), 77);
  perfpred_tuner_destroy(tuner);
}

Test(tuner, memos_of_two_sizes) {
  static const char two[] = "perfpred-text 1\n"
                            "algorithm two(m, n, b)\n"
                            "  inout A: double matrix[m, n]\n"
                            "  dfill(m, max(b, 16), A[0, 0])\n"
                            "  dfill(n > m ? max(40 - b, 1) : 1, n, A[0, 0])\n"
                            "end\n";
  struct perfpred_error error;
  cr_assert_eq(ppi_programs_add_text(world.programs, world.kernels, two, strlen(two), "two", &error), PERFPRED_OK, "%s",
               error.text);
  struct perfpred_tuner *tuner = tuner_of((const char *const[]){ "two" }, 1, NULL);
  struct perfpred_memo memo = PERFPRED_MEMO_INIT(tuner, 0, 0, 77);
  /* m = 100, n = 10: b = 8, as 16 does nothing more; m = 10, n = 100: the larger b the better up to 40 */
  for (int again = 0; again < 2; again++) {
    cr_assert_eq(perfpred_memo_block_size_2(&memo, 100, 10), 8);
    cr_assert_eq(perfpred_memo_block_size_2(&memo, 10, 100), 40);
    cr_assert_eq(perfpred_memo_block_size_2(&memo, 0, 0), 77);
    cr_assert_eq(perfpred_memo_block_size_2(&memo, 100000, 10), 77, "out of the domain");
    cr_assert_eq(perfpred_memo_block_size_2(&memo, 0, 10), 40);
  }
  memo.tuner = NULL;
  cr_assert_eq(perfpred_memo_block_size_2(&memo, 10, 100), 40);
  perfpred_tuner_destroy(tuner);
}

Test(tuner, bad_arguments) {
  struct perfpred_tuner *const untouched = (struct perfpred_tuner *)&world, *tuner = untouched;
  struct perfpred_models *models = world.models;
  struct perfpred_error error;
  struct perfpred_tuner_options options = fives();
  struct perfpred_plan_options plan = PERFPRED_PLAN_OPTIONS_INIT;
  const char *const typo[] = { "stepps" }, *const twice[] = { "steps", "choice", "steps" }, *const hole[] = { NULL };
  REFUSED(PERFPRED_INVALID, "context is NULL", NULL, models, routines, 1, NULL);
  REFUSED(PERFPRED_INVALID, "models is NULL", &context, NULL, routines, 1, NULL);
  REFUSED(PERFPRED_INVALID, "names is empty; expected at least one routine", &context, models, NULL, 1, NULL);
  REFUSED(PERFPRED_INVALID, "names is empty; expected at least one routine", &context, models, routines, 0, NULL);
  REFUSED(PERFPRED_INVALID, "names[0] is NULL", &context, models, hole, 1, NULL);
  REFUSED(PERFPRED_EXISTS, "names[2] is steps, as names[0] is", &context, models, twice, 3, NULL);
  REFUSED(PERFPRED_NOT_FOUND, "no algorithm is called stepps, did you mean steps?, and no operation", &context, models,
          typo, 1, NULL);
  options.range.step = -1;
  REFUSED(PERFPRED_INVALID, "range: step is -1; expected at least 1", &context, models, routines, 1, &options);
  options = fives();
  options.answers = (size_t)1 << 25;
  REFUSED(PERFPRED_LIMIT, "options.answers is 33554432; expected at most 16777216", &context, models, routines, 1,
          &options);
  options = fives();
  options.size = 3;
  REFUSED(PERFPRED_INVALID, "options: size is 3; expected PERFPRED_TUNER_OPTIONS_INIT", &context, models, routines, 1,
          &options);
  options = fives();
  options.plan = &plan;
  plan.size = 3;
  REFUSED(PERFPRED_INVALID, "options.plan: size is 3; expected PERFPRED_PLAN_OPTIONS_INIT", &context, models, routines,
          1, &options);
  plan.size = sizeof plan;
  plan.threads = 7;
  cr_assert_eq(perfpred_tuner_create(&context, models, routines, 4, &options, &tuner, &error), PERFPRED_NOT_FOUND);
  cr_assert(error.text[0] != '\0');
  plan.threads = 0;
  plan.ld = -1;
  cr_assert_eq(perfpred_tuner_create(&context, models, routines, 4, &options, &tuner, &error), PERFPRED_INVALID);
  cr_assert_eq(tuner, untouched);
  add_setup(1, 2.0);
  strcpy(world.models->setups[1].blas.family, "another");
  cr_assert_eq(perfpred_tuner_create(&context, models, routines, 4, NULL, &tuner, &error), PERFPRED_AMBIGUOUS);
  cr_assert(strstr(error.text, "several setups of 1 thread; expected"), "%s", error.text);
  cr_assert_eq(tuner, untouched);
}
