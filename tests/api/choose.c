/* SPDX-License-Identifier: BSD-3-Clause */
/* Predicting, ranking and tuning on a virtual clock, where the right answers follow from formulas. */
#include "world.h"

#define LATENCY 2e-6

/* Seconds of one call; polynomials of the sizes, so that models can be exact, also below 8 where their domains begin. */
static double potrf2_s(int64_t n) {
  double x = (double)(n);
  return LATENCY + x * x * x / 3.0 / 4e9;
}

static double trsm_s(int64_t m, int64_t n) {
  double x = (double)(m), y = (double)(n);
  return LATENCY + x * y * y / 20e9;
}

static double syrk_s(int64_t n, int64_t k) {
  double x = (double)(n), y = (double)(k);
  return LATENCY + x * (x + 1.0) * y / 40e9;
}

static double gemm_s(int64_t m, int64_t n, int64_t k) {
  return LATENCY + 2.0 * (double)(m) * (double)(n) * (double)(k) / 50e9;
}

static double cost(void *data, const struct perfpred_virtual_call *call) {
  const int64_t *size = call->sizes;
  (void)data;
  if (strcmp(call->kernel_name, "dpotrf2") == 0)
    return potrf2_s(size[0]);
  if (strcmp(call->kernel_name, "dtrsm") == 0)
    return trsm_s(size[0], size[1]);
  if (strcmp(call->kernel_name, "dsyrk") == 0)
    return syrk_s(size[0], size[1]);
  if (strcmp(call->kernel_name, "dgemm") == 0)
    return gemm_s(size[0], size[1], size[2]);
  return (double)NAN;
}

/* The same sums by hand: loops of their own, calls without work left out. */
static double chol_1_s(int64_t n, int64_t b) {
  double sum = 0.0;
  for (int64_t i = 0; i < n; i += b) {
    int64_t w = n - i < b ? n - i : b;
    sum += potrf2_s(w);
    if (i > 0)
      sum += trsm_s(w, i) + syrk_s(w, i);
  }
  return sum;
}

static double chol_2_s(int64_t n, int64_t b) {
  double sum = 0.0;
  for (int64_t i = 0; i < n; i += b) {
    int64_t w = n - i < b ? n - i : b, r = n - i - w;
    sum += potrf2_s(w);
    if (i > 0)
      sum += syrk_s(w, i);
    if (r > 0)
      sum += trsm_s(r, w);
    if (r > 0 && i > 0)
      sum += gemm_s(r, w, i);
  }
  return sum;
}

static double chol_3_s(int64_t n, int64_t b) {
  double sum = 0.0;
  for (int64_t i = 0; i < n; i += b) {
    int64_t w = n - i < b ? n - i : b, r = n - i - w;
    sum += potrf2_s(w);
    if (r > 0)
      sum += trsm_s(r, w) + syrk_s(r, w);
  }
  return sum;
}

static double rising(void *data, const struct perfpred_virtual_call *call);

static double (*const formulas[3])(int64_t n, int64_t b) = { chol_1_s, chol_2_s, chol_3_s };

static struct perfpred_context *context;
static struct perfpred_program *programs[3];
static struct perfpred_models *models;
static struct perfpred_plan *plans[3];

static void begin(void) {
  context = make_context();
  programs[0] = parse(context, chol_1);
  programs[1] = parse(context, chol_2);
  programs[2] = parse(context, chol_3);
  models = virtual_models(context, programs, 3, NULL, cost, NULL);
  for (int i = 0; i < 3; i++)
    plans[i] = make_plan(programs[i], models);
}

static void finish(void) {
  for (int i = 0; i < 3; i++) {
    perfpred_plan_destroy(plans[i]);
    perfpred_program_unref(programs[i]);
  }
  perfpred_models_unref(models);
  perfpred_context_destroy(context);
}

TestSuite(choose, .init = begin, .fini = finish);

Test(choose, predictions_are_the_sums) {
  const int64_t points[][2] = { { 1000, 128 }, { 1024, 256 }, { 1024, 8 }, { 1000, 33 },
                                { 999, 100 },  { 500, 77 },   { 8, 8 },    { 257, 256 } };
  for (size_t k = 0; k < sizeof points / sizeof *points; k++) {
    for (int i = 0; i < 3; i++) {
      struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
      struct perfpred_error error;
      cr_assert_ok(perfpred_plan_predict(plans[i], points[k], 2, &prediction, &error), error);
      double wanted = formulas[i](points[k][0], points[k][1]);
      cr_assert_close(prediction.time_s.med, wanted, 1e-7);
      cr_assert_close(prediction.time_s.min, wanted, 1e-7);
      cr_assert_close(prediction.time_s.max, wanted, 1e-7);
      cr_assert(prediction.time_s.std <= 1e-7 * wanted);
    }
  }
}

Test(choose, short_last_steps_and_blocks_larger_than_the_matrix) {
  const int64_t points[][2] = { { 5, 8 }, { 100, 256 }, { 17, 8 }, { 1, 200 }, { 201, 100 } };
  for (size_t k = 0; k < sizeof points / sizeof *points; k++) {
    struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
    struct perfpred_error error;
    cr_assert_ok(perfpred_plan_predict(plans[2], points[k], 2, &prediction, &error), error);
    cr_assert_close(prediction.time_s.med, chol_3_s(points[k][0], points[k][1]), 1e-7);
  }
}

/* C12 */
Test(choose, nothing_to_do) {
  for (int i = 0; i < 3; i++) {
    struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
    struct perfpred_tuning tuning = PERFPRED_TUNING_INIT;
    struct perfpred_error error;
    cr_assert_ok(perfpred_plan_predict(plans[i], (int64_t[]){ 0, 64 }, 2, &prediction, &error), error);
    cr_assert_eq(prediction.time_s.med, 0.0);
    cr_assert_eq(prediction.time_s.std, 0.0);
    cr_assert_eq(prediction.flops, 0.0);
    cr_assert_eq(prediction.flops_per_s.med, 0.0);
    cr_assert_eq(prediction.notes & PERFPRED_NOTE_ZERO_WORK, PERFPRED_NOTE_ZERO_WORK);
    const struct perfpred_range range = { 8, 256, 8 };
    cr_assert_ok(perfpred_plan_tune(plans[i], 1, &range, (int64_t[]){ 0, 0 }, 2, &tuning, &error), error);
    cr_assert_eq(tuning.best, 8);
    cr_assert_eq(tuning.yield_default, 1.0);
  }
}

/* C12: m or n may be 0, which is no work at all; n below b is one step. */
Test(choose, nothing_to_do_in_one_direction) {
  static const struct {
    const char *name;
    int64_t parameters[4];
    bool empty;
  } points[] = { { "dgetrf-mn", { 0, 64, 16 }, true },
                 { "dgetrf-mn", { 64, 0, 16 }, true },
                 { "dgetrf-mn", { 64, 5, 16 }, false },
                 { "dgeqrf-nx0", { 0, 16 }, true },
                 { "dgeqrf-nx0", { 5, 16 }, false } };
  for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
    struct perfpred_program *program = NULL;
    struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
    struct perfpred_tuning tuning = PERFPRED_TUNING_INIT;
    struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
    struct perfpred_error error;
    options.n_upper = 96;
    options.b_upper = 64;
    cr_assert_ok(perfpred_program_find(context, points[i].name, &program, &error), error);
    size_t count = perfpred_program_parameter_count(program);
    struct perfpred_models *held = virtual_models(context, &program, 1, &options, rising, NULL);
    struct perfpred_plan *some = make_plan(program, held);
    cr_assert_ok(perfpred_plan_predict(some, points[i].parameters, count, &prediction, &error), error);
    cr_assert(isfinite(prediction.time_s.med) && (prediction.time_s.med > 0.0) != points[i].empty,
              "%s, point %zu: %g s", points[i].name, i, prediction.time_s.med);
    cr_assert_eq((prediction.notes & PERFPRED_NOTE_ZERO_WORK) != 0, points[i].empty);
    const struct perfpred_range range = { 8, 64, 8 };
    int place = perfpred_plan_parameter(some, "b");
    cr_assert_ok(perfpred_plan_tune(some, place, &range, points[i].parameters, count, &tuning, &error), error);
    cr_assert_geq(tuning.best, 8);
    cr_assert(tuning.yield_default > 0.0 && isfinite(tuning.yield_default));
    perfpred_plan_destroy(some);
    perfpred_models_unref(held);
    perfpred_program_unref(program);
  }
}

/* C12: without right-hand sides there is nothing to solve for, however large the matrix is. */
Test(choose, no_right_hand_sides) {
  static const char text[] = "perfpred-text 1\n"
                             "algorithm solve(n, nrhs, b)\n"
                             "  cost n*n*nrhs\n"
                             "  in A: double matrix[n, n]\n"
                             "  inout B: double matrix[n, nrhs]\n"
                             "  for i in 0:n by b as w\n"
                             "    dtrsm(L, L, N, U, w, nrhs, 1, A[i, i], B[i, 0])\n"
                             "  end\n"
                             "end\n";
  struct perfpred_program *program = parse(context, text);
  struct perfpred_models *held = virtual_models(context, &program, 1, NULL, rising, NULL);
  struct perfpred_plan *plan = make_plan(program, held);
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  struct perfpred_tuning tuning = PERFPRED_TUNING_INIT;
  struct perfpred_error error;
  const struct perfpred_range range = { 8, 64, 8 };
  const int64_t point[] = { 512, 0, 64 };
  cr_assert_ok(perfpred_plan_predict(plan, point, 3, &prediction, &error), error);
  cr_assert_eq(prediction.time_s.med, 0.0);
  cr_assert_eq(prediction.flops_per_s.med, 0.0);
  cr_assert_eq(prediction.notes, PERFPRED_NOTE_ZERO_WORK);
  cr_assert_ok(perfpred_plan_tune(plan, 2, &range, point, 3, &tuning, &error), error);
  cr_assert_eq(tuning.best, 8);
  cr_assert_eq(tuning.yield_default, 1.0);
  perfpred_plan_destroy(plan);
  perfpred_models_unref(held);
  perfpred_program_unref(program);
}

Test(choose, rank_by_the_formulas) {
  const int64_t point[] = { 1000, 104 };
  struct perfpred_ranked ranking[3];
  struct perfpred_error error;
  struct perfpred_rank_options options = PERFPRED_RANK_OPTIONS_INIT;
  options.tie = 0.001;
  cr_assert_ok(perfpred_rank((const struct perfpred_plan *const *)plans, 3, point, 2, &options, ranking, &error),
               error);
  double sum = 0.0;
  for (int i = 0; i < 3; i++) {
    cr_assert_close(ranking[i].time_s.med, formulas[ranking[i].plan](1000, 104), 1e-7);
    sum += ranking[i].likelihood;
    if (i > 0)
      cr_assert(formulas[ranking[i - 1].plan](1000, 104) < formulas[ranking[i].plan](1000, 104));
  }
  cr_assert_float_eq(sum, 1.0, 1e-12);
  cr_assert_float_eq(ranking[0].likelihood, 1.0, 1e-9); /* an exact model leaves no doubt */
}

Test(choose, block_size_by_the_formula) {
  const int64_t sizes[] = { 200, 500, 744, 1000, 1024 };
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    int64_t best = 32;
    for (int64_t b = 32; b <= 256; b += 8)
      if (chol_3_s(sizes[k], b) < chol_3_s(sizes[k], best) * (1.0 - 1e-7))
        best = b;
    const struct perfpred_range range = { 32, 256, 8 };
    struct perfpred_tuning tuning = PERFPRED_TUNING_INIT;
    struct perfpred_error error;
    int place = perfpred_plan_parameter(plans[2], "b");
    cr_assert_ok(perfpred_plan_tune(plans[2], place, &range, (int64_t[]){ sizes[k], 0 }, 2, &tuning, &error), error);
    cr_assert_eq(tuning.best, best, "n = %ld: %ld, expected %ld", (long)sizes[k], (long)tuning.best, (long)best);
    cr_assert_eq(tuning.candidates, 29);
    cr_assert_close(tuning.prediction.time_s.med, chol_3_s(sizes[k], best), 1e-7);
    cr_assert_close(tuning.yield_default, chol_3_s(sizes[k], best) / chol_3_s(sizes[k], 64), 1e-6);
  }
}

Test(choose, above_the_domain) {
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  struct perfpred_error error;
  cr_assert_eq(perfpred_plan_predict(plans[2], (int64_t[]){ 2000, 64 }, 2, &prediction, &error),
               PERFPRED_OUT_OF_DOMAIN);
  cr_assert(strstr(error.text, "dtrsm") && strstr(error.text, "1936") && strstr(error.text, "1016"), "%s", error.text);
  struct perfpred_plan_options options = PERFPRED_PLAN_OPTIONS_INIT;
  struct perfpred_plan *plan = NULL;
  options.extrapolate = 1;
  cr_assert_ok(perfpred_plan_create(programs[2], models, &options, &plan, &error), error);
  cr_assert_ok(perfpred_plan_predict(plan, (int64_t[]){ 10240, 64 }, 2, &prediction, &error), error);
  cr_assert(prediction.notes & PERFPRED_NOTE_EXTRAPOLATED);
  cr_assert(isfinite(prediction.time_s.med) && prediction.time_s.med > 0.0); /* C38 */
  perfpred_plan_destroy(plan);
}

/* C17. Rates that rise with the smallest dimension are no polynomials; the models are of the sizes up to 512, the choice
   is judged by the clock itself, at sizes where nothing was sampled. */
static double rising(void *data, const struct perfpred_virtual_call *call) {
  double least = (double)call->sizes[0];
  (void)data;
  for (size_t i = 1; i < call->size_count; i++)
    least = fmin(least, (double)call->sizes[i]);
  double top = strcmp(call->kernel_name, "dpotrf2") == 0 ? 8e9 : 60e9;
  return 1e-6 + call->flops / (top * (1.0 - exp(-least / 90.0)));
}

static double rising_potrf2(int64_t n) {
  double x = (double)n, flops = x * (x + 1.0) * (2.0 * x + 1.0) / 6.0;
  return 1e-6 + flops / (8e9 * (1.0 - exp(-x / 90.0)));
}

static double rising_pair(int64_t m, int64_t n, double flops) {
  return 1e-6 + flops / (60e9 * (1.0 - exp(-(double)(m < n ? m : n) / 90.0)));
}

static double rising_chol_3(int64_t n, int64_t b) {
  double sum = 0.0;
  for (int64_t i = 0; i < n; i += b) {
    int64_t w = n - i < b ? n - i : b, r = n - i - w;
    sum += rising_potrf2(w);
    if (r > 0)
      sum += rising_pair(r, w, (double)(r * w * w)) + rising_pair(r, w, (double)(r * (r + 1) * w));
  }
  return sum;
}

Test(choose, within_5_percent_of_exhaustive_search) {
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  options.n_upper = 512;
  options.b_upper = 192;
  struct perfpred_models *held = virtual_models(context, &programs[2], 1, &options, rising, NULL);
  struct perfpred_plan *plan = make_plan(programs[2], held);
  for (int64_t n = 101; n <= 512; n += 37) {
    int64_t best = 16;
    for (int64_t b = 16; b <= 192; b++)
      if (rising_chol_3(n, b) < rising_chol_3(n, best))
        best = b;
    const struct perfpred_range range = { 16, 192, 1 };
    struct perfpred_tuning tuning = PERFPRED_TUNING_INIT;
    struct perfpred_error error;
    cr_assert_ok(perfpred_plan_tune(plan, 1, &range, (int64_t[]){ n, 0 }, 2, &tuning, &error), error);
    double ratio = rising_chol_3(n, tuning.best) / rising_chol_3(n, best);
    cr_assert(ratio <= 1.05, "n = %ld: b = %ld costs %.3f times the best one's (%ld)", (long)n, (long)tuning.best,
              ratio, (long)best);
  }
  perfpred_plan_destroy(plan);
  perfpred_models_unref(held);
}

/* C18: threads cost a start each and help up to four. The formula gives 1 to n = 585, 2 to n = 1063, then 4; never 128. */
static double threaded(void *data, const struct perfpred_virtual_call *call) {
  const int threads = *(const int *)data;
  double n = (double)call->sizes[0], helping = threads < 4 ? threads : 4;
  double start = threads == 1 ? 0.0 : (threads == 2 ? 0.1 : (threads == 4 ? 0.4 : 50.0));
  return start + n * n * n / 1e9 / helping;
}

Test(choose, number_of_threads) {
  int threads[] = { 1, 2, 4, 128 };
  const int64_t sizes[] = { 128, 256, 512, 768, 1280, 2048 };
  const int answers[] = { 1, 1, 1, 2, 4, 4 };
  struct perfpred_program *whole = parse(context, "perfpred-text 1\n"
                                                  "algorithm whole(n)\n"
                                                  "  inout A: double spd triangle(L)[n]\n"
                                                  "  dpotrf(L, n, A[0, 0])\n"
                                                  "end\n");
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  options.n_upper = 2048;
  const struct perfpred_plan *candidates[4];
  struct perfpred_models *each[4];
  for (int i = 0; i < 4; i++) {
    each[i] = virtual_models(context, &whole, 1, &options, threaded, &threads[i]);
    candidates[i] = make_plan(whole, each[i]);
  }
  for (int k = 0; k < 6; k++) {
    struct perfpred_ranked ranking[4];
    struct perfpred_error error;
    cr_assert_ok(perfpred_rank(candidates, 4, &sizes[k], 1, NULL, ranking, &error), error);
    cr_assert_eq(threads[ranking[0].plan], answers[k]);
  }
  for (int i = 0; i < 4; i++) {
    perfpred_plan_destroy((struct perfpred_plan *)candidates[i]);
    perfpred_models_unref(each[i]);
  }
  perfpred_program_unref(whole);
}

/* C03: xORMQR computes with blocks of at most 64, whatever it is told: a larger one is the same thing, and the default is 32. */
Test(choose, a_cap_inside_lapack) {
  struct perfpred_program *program = NULL;
  struct perfpred_error error;
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  cr_assert_ok(perfpred_program_find(context, "dormqr-ln", &program, &error), error);
  options.n_upper = 256;
  options.b_upper = 160;
  struct perfpred_models *held = virtual_models(context, &program, 1, &options, rising, NULL);
  struct perfpred_plan *plan = make_plan(program, held);
  struct perfpred_prediction at[3] = { PERFPRED_PREDICTION_INIT, PERFPRED_PREDICTION_INIT, PERFPRED_PREDICTION_INIT };
  const int64_t blocks[] = { 64, 65, 160 };
  for (int i = 0; i < 3; i++)
    cr_assert_ok(perfpred_plan_predict(plan, (int64_t[]){ 200, blocks[i] }, 2, &at[i], &error), error);
  cr_assert(at[0].time_s.med > 0.0 && at[1].time_s.med == at[0].time_s.med && at[2].time_s.med == at[0].time_s.med);
  const struct perfpred_range range = { 40, 160, 8 };
  struct perfpred_tuning tuning = PERFPRED_TUNING_INIT;
  cr_assert_ok(perfpred_plan_tune(plan, 1, &range, (int64_t[]){ 200, 0 }, 2, &tuning, &error), error);
  cr_assert_leq(tuning.best, 64, "of equal ones the smallest");
  cr_assert_eq(tuning.default_value, 32);
  perfpred_plan_destroy(plan);
  perfpred_models_unref(held);
  perfpred_program_unref(program);
}

/* C32: three of 20 samples are 500 times slower. */
static double disturbed(void *data, const struct perfpred_virtual_call *call) {
  return cost(data, call) * (call->repetition % 7 == 3 ? 500.0 : 1.0);
}

Test(choose, outliers_do_not_move_the_median) {
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  options.n_upper = 256;
  options.b_upper = 64;
  options.repetitions = 20;
  struct perfpred_models *noisy = virtual_models(context, &programs[2], 1, &options, disturbed, NULL);
  struct perfpred_plan *plan = make_plan(programs[2], noisy);
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  struct perfpred_error error;
  cr_assert_ok(perfpred_plan_predict(plan, (int64_t[]){ 250, 40 }, 2, &prediction, &error), error);
  cr_assert_close(prediction.time_s.med, chol_3_s(250, 40), 0.05);
  cr_assert(prediction.time_s.std > 10.0 * prediction.time_s.med / 20.0, "the spread shows them");
  perfpred_plan_destroy(plan);
  perfpred_models_unref(noisy);
}
