/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans for contractions on a virtual clock: what they say is compared with executing every algorithm on the same clock. */
#include <jansson.h>
#include <stdio.h>

#include "world.h"

static struct perfpred_context *context;
static struct perfpred_sampler *sampler;
static struct perfpred_error error;

/* What a call costs: each kernel has a rate, in flops per second, and a start. */
struct machine {
  double rates[5], start_s; /* dot, axpy, gemv, ger, gemm */
  int fails;                /* 1: every call does */
};
static struct machine machine;
static const struct machine usual = { { 1e9, 1e9, 2e9, 1.5e9, 20e9 }, 1e-7, 0 };

static int kernel_of(const char *name) {
  static const char *const names[] = { "dot", "axpy", "gemv", "ger", "gemm" };
  for (int i = 4; i >= 0; i--)
    if (strstr(name, names[i]))
      return i;
  return 1;
}

static double cost(void *data, const struct perfpred_virtual_call *call) {
  const struct machine *of = data;
  return of->fails ? (double)NAN : of->start_s + call->flops / of->rates[kernel_of(call->kernel_name)];
}

static void begin(void) {
  machine = usual;
  context = make_context();
  sampler = virtual_sampler(context, cost, &machine);
}

static void finish(void) {
  perfpred_sampler_destroy(sampler);
  perfpred_context_destroy(context);
}

TestSuite(contraction_plan, .init = begin, .fini = finish);

/* "a=8 b=9" */
static struct perfpred_contraction *contract(const char *einsum, const char *extents) {
  const char *names[24];
  char letters[24][2];
  int64_t values[24];
  size_t count = 0;
  for (const char *at = extents; *at; count++) {
    letters[count][0] = at[0];
    letters[count][1] = '\0';
    names[count] = letters[count];
    char *end = NULL;
    values[count] = strtoll(at + 2, &end, 10);
    at = *end ? end + 1 : end;
  }
  struct perfpred_contraction *contraction = NULL;
  cr_assert_ok(perfpred_contraction_create(einsum, names, values, count, NULL, &contraction, &error), error);
  return contraction;
}

static struct perfpred_contraction_planner *plan_with(const struct perfpred_contraction_plan_options *options) {
  struct perfpred_contraction_planner *planner = NULL;
  cr_assert_ok(perfpred_contraction_planner_create(context, sampler, NULL, options, &planner, &error), error);
  return planner;
}

static struct perfpred_contraction_plan *ask(struct perfpred_contraction_planner *planner,
                                             const struct perfpred_contraction *contraction) {
  struct perfpred_contraction_plan *plan = NULL;
  cr_assert_ok(perfpred_contraction_planner_ask(planner, contraction, &plan, &error), error);
  return plan;
}

/* By a planner of its own. */
static struct perfpred_contraction_plan *plan_once(const struct perfpred_contraction_plan_options *options,
                                                   const char *einsum, const char *extents) {
  struct perfpred_contraction_planner *planner = plan_with(options);
  struct perfpred_contraction *contraction = contract(einsum, extents);
  struct perfpred_contraction_plan *plan = ask(planner, contraction);
  perfpred_contraction_destroy(contraction);
  perfpred_contraction_planner_destroy(planner);
  return plan;
}

static struct perfpred_contraction_plan_info info_of(const struct perfpred_contraction_plan *plan) {
  struct perfpred_contraction_plan_info info = PERFPRED_CONTRACTION_PLAN_INFO_INIT;
  cr_assert_ok(perfpred_contraction_plan_summary(plan, &info, &error), error);
  return info;
}

static struct perfpred_contraction_prediction at(const struct perfpred_contraction_plan *plan, size_t rank) {
  struct perfpred_contraction_prediction prediction = PERFPRED_CONTRACTION_PREDICTION_INIT;
  cr_assert_ok(perfpred_contraction_plan_at(plan, rank, &prediction, &error), error);
  return prediction;
}

static struct perfpred_contraction_prediction named(const struct perfpred_contraction_plan *plan, const char *name) {
  const int64_t rank = perfpred_contraction_plan_find(plan, name);
  cr_assert_geq(rank, 0, "%s is not listed", name);
  return at(plan, (size_t)rank);
}

static struct perfpred_contraction_validation measure(struct perfpred_contraction_plan *plan) {
  struct perfpred_contraction_validation validation = PERFPRED_CONTRACTION_VALIDATION_INIT;
  struct perfpred_contraction_measure_options options = PERFPRED_CONTRACTION_MEASURE_OPTIONS_INIT;
  options.repetitions = 1;
  cr_assert_ok(perfpred_contraction_plan_measure(plan, sampler, &options, &validation, &error), error);
  return validation;
}

/* The three contractions of the dissertation, small; one with a batch index; one that gemm has to copy for. */
static const char *const contractions[][2] = {
  { "ai,ibc->abc", "a=24 i=8 b=20 c=16" },    { "iaj,ji->a", "i=20 a=40 j=24" },
  { "ija,jbic->abc", "i=6 j=5 a=8 b=9 c=7" }, { "qij,qjk->qik", "q=5 i=12 j=40 k=16" },
  { "bgk,bkd->bgd", "b=8 g=4 k=64 d=16" },
};
#define CONTRACTIONS (sizeof contractions / sizeof contractions[0])

/* --- Truth --------------------------------------------------------------------------------------------------------- */

static struct perfpred_contraction_plan *complete(size_t which, enum perfpred_contraction_mode mode) {
  struct perfpred_contraction_plan_options options = PERFPRED_CONTRACTION_PLAN_OPTIONS_INIT;
  options.complete = 1;
  options.mode = mode;
  return plan_once(&options, contractions[which][0], contractions[which][1]);
}

Test(contraction_plan, all_are_predicted_and_ranked_as_they_run) {
  for (size_t i = 0; i < CONTRACTIONS; i++) {
    struct perfpred_contraction_plan *plan = complete(i, PERFPRED_CONTRACTION_REPLAY);
    const struct perfpred_contraction_plan_info info = info_of(plan);
    cr_expect_eq(info.predicted, info.candidates);
    cr_expect_eq(info.listed, info.candidates);
    const struct perfpred_contraction_validation validation = measure(plan);
    cr_expect_eq(validation.executed, info.candidates);
    cr_expect_eq(validation.compared, info.candidates);
    cr_expect_lt(validation.mean_are, 0.02, "%s: %g", contractions[i][0], validation.mean_are);
    cr_expect_gt(validation.tau, 0.97, "%s: %g", contractions[i][0], validation.tau);
    cr_expect_leq(validation.loss, 0.01, "%s: %g", contractions[i][0], validation.loss);
    perfpred_contraction_plan_destroy(plan);
  }
}

/* The best few of a short contraction are executed: their times are those of executions, and nothing that was not executed stands before them. */
Test(contraction_plan, the_best_of_short_contractions_are_executed) {
  struct perfpred_contraction_plan *plan = plan_once(NULL, contractions[0][0], contractions[0][1]);
  size_t executed = 0;
  while (executed < info_of(plan).predicted && at(plan, executed).source == PERFPRED_CONTRACTION_EXECUTED)
    executed++;
  cr_expect_geq(executed, 2);
  measure(plan);
  for (size_t rank = 0; rank < executed; rank++)
    cr_expect_float_eq(at(plan, rank).time_s.med, at(plan, rank).measured_s, 1e-9 * at(plan, rank).measured_s);
  perfpred_contraction_plan_destroy(plan);
  plan = complete(0, PERFPRED_CONTRACTION_REPLAY);
  for (size_t rank = 0; rank < info_of(plan).predicted; rank++)
    cr_expect_eq(at(plan, rank).source, PERFPRED_CONTRACTION_MEASURED);
  perfpred_contraction_plan_destroy(plan);
}

/* No algorithm that is dropped is faster than the pick, and no bound lies above the truth. */
Test(contraction_plan, dropping_never_drops_the_winner) {
  for (size_t i = 0; i < CONTRACTIONS; i++) {
    struct perfpred_contraction_plan *truth = complete(i, PERFPRED_CONTRACTION_REPLAY);
    struct perfpred_contraction_plan *plan = plan_once(NULL, contractions[i][0], contractions[i][1]);
    struct perfpred_contraction_validation validation = PERFPRED_CONTRACTION_VALIDATION_INIT;
    const struct perfpred_contraction_plan_info info = info_of(plan);
    measure(truth);
    cr_assert_ok(perfpred_contraction_plan_compare(plan, truth, &validation, &error), error);
    cr_expect_leq(validation.loss, 0.01, "%s: %g", contractions[i][0], validation.loss);
    cr_expect_eq(validation.executed, info.candidates);
    cr_expect_eq(info.listed, info.candidates);
    if (i != 1) /* the eight of the second one are too near to each other */
      cr_expect_lt(info.predicted, info.candidates, "%s: nothing was dropped", contractions[i][0]);
    cr_expect(info.bounded);
    for (size_t rank = 0; rank < info.listed; rank++) {
      const struct perfpred_contraction_prediction one = at(plan, rank);
      cr_expect_eq(one.source == PERFPRED_CONTRACTION_DROPPED, rank >= info.predicted);
      cr_expect_leq(one.bound_s, one.measured_s * (1.0 + 1e-9), "%s", one.name);
      cr_expect_gt(one.bound_s, 0.0);
      if (rank >= info.predicted) {
        cr_expect(isnan(one.time_s.med) && isnan(one.flops_per_s));
        cr_expect_geq(one.bound_s, info.best_s * (1.0 - 1e-9), "%s", one.name);
        cr_expect_neq(one.bound, PERFPRED_CONTRACTION_BOUND_NONE);
      }
    }
    perfpred_contraction_plan_destroy(plan);
    perfpred_contraction_plan_destroy(truth);
  }
}

/* Kernels that are all as fast per flop, but gemm pays dearly for each call: few flops are not what counts. */
Test(contraction_plan, the_pick_is_the_fastest_not_the_highest_kernel) {
  machine = (struct machine){ { 1e9, 1e9, 1e9, 1e9, 1e9 }, 1e-7, 0 };
  machine.rates[4] = 0.2e9;
  struct perfpred_contraction_plan *plan = plan_once(NULL, "bgk,bkd->bgd", "b=8 g=4 k=64 d=16");
  cr_expect_neq(at(plan, 0).kernel, PERFPRED_CONTRACTION_GEMM);
  perfpred_contraction_plan_destroy(plan);
  machine = usual;
  plan = plan_once(NULL, "bgk,bkd->bgd", "b=8 g=4 k=64 d=16");
  cr_expect_eq(at(plan, 0).kernel, PERFPRED_CONTRACTION_GEMM);
  perfpred_contraction_plan_destroy(plan);
}

/* The same at the size of a model's attention, by the two kernels of matrices, on both machines: the pick takes at most 1.1 times what the fastest takes. */
Test(contraction_plan, the_pick_of_a_large_contraction_is_as_fast_as_the_fastest) {
  for (int slow = 0; slow < 2; slow++) {
    struct perfpred_contraction_filter filter = PERFPRED_CONTRACTION_FILTER_INIT;
    struct perfpred_contraction_plan_options options = PERFPRED_CONTRACTION_PLAN_OPTIONS_INIT;
    filter.kernels = 1u << PERFPRED_CONTRACTION_GEMM | 1u << PERFPRED_CONTRACTION_GEMV;
    options.filter = &filter;
    machine = usual;
    if (slow)
      machine.rates[4] = 0.2e9;
    struct perfpred_contraction_plan *plan = plan_once(&options, "bgk,bkd->bgd", "b=64 g=8 k=4096 d=128");
    const struct perfpred_contraction_validation validation = measure(plan);
    cr_expect_eq(validation.executed, info_of(plan).listed);
    cr_expect_leq(validation.loss, 0.1, "%g", validation.loss);
    cr_expect_eq(at(plan, 0).kernel == PERFPRED_CONTRACTION_GEMM, !slow);
    perfpred_contraction_plan_destroy(plan);
  }
}

Test(contraction_plan, a_batch_index_is_a_loop_of_gemm) {
  struct perfpred_contraction_plan *plan = plan_once(NULL, "qij,qjk->qik", "q=5 i=12 j=40 k=16");
  const struct perfpred_contraction_prediction one = named(plan, "q-dgemm");
  cr_expect_eq(one.kernel, PERFPRED_CONTRACTION_GEMM);
  cr_expect_eq(one.copies, 3); /* q comes first everywhere */
  perfpred_contraction_plan_destroy(plan);
}

/* --- Whole tensors ------------------------------------------------------------------------------------------------- */

/* Four to six dimensions, where loops leave little to the kernel: one call after a transposition is fastest by far, and predicted as it runs, be
   its call and copies short or shortened. */
Test(contraction_plan, whole_tensors_are_transposed_where_that_pays) {
  static const struct {
    const char *einsum, *extents, *name;
  } cases[] = { { "gfec,abdg->abcefd", "a=6 b=6 c=6 d=6 e=6 f=6 g=6", "C*-dgemm" },
                { "gfec,abdg->abcefd", "a=14 b=15 c=14 d=13 e=14 f=12 g=16", "C*-dgemm" },
                { "mhkn,ukvh->munv", "m=12 h=11 k=10 n=12 u=12 v=13", "ABC*-dgemm" },
                { "gij,kgj->kig", "g=9 i=20 j=200 k=30", "A*-dgemm" } };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct perfpred_contraction_plan_options options = PERFPRED_CONTRACTION_PLAN_OPTIONS_INIT;
    struct perfpred_contraction_plan *plan = plan_once(NULL, cases[i].einsum, cases[i].extents);
    measure(plan);
    const struct perfpred_contraction_prediction pick = at(plan, 0), whole = named(plan, cases[i].name);
    cr_expect(whole.whole && whole.copies > 0);
    cr_expect(whole.copy_s > 0.0 || whole.source == PERFPRED_CONTRACTION_EXECUTED);
    cr_expect_float_eq(whole.time_s.med, whole.measured_s, 0.05 * whole.measured_s, "%s: %g, %g", whole.name,
                       whole.time_s.med, whole.measured_s);
    cr_expect_leq(whole.bound_s, whole.measured_s);
    if (i < 3)
      cr_expect_str_eq(pick.name, cases[i].name);
    options.no_wholes = 1;
    struct perfpred_contraction_plan *loops = plan_once(&options, cases[i].einsum, cases[i].extents);
    cr_expect_eq(perfpred_contraction_plan_find(loops, cases[i].name), -1);
    cr_expect_lt(info_of(loops).candidates, info_of(plan).candidates);
    cr_expect_geq(info_of(loops).best_s, info_of(plan).best_s * 0.999);
    perfpred_contraction_plan_destroy(loops);
    perfpred_contraction_plan_destroy(plan);
  }
}

Test(contraction_plan, whole_tensors_alone_or_by_name) {
  struct perfpred_contraction_plan_options options = PERFPRED_CONTRACTION_PLAN_OPTIONS_INIT;
  struct perfpred_contraction_filter filter = PERFPRED_CONTRACTION_FILTER_INIT;
  const char *names[] = { "ABC*-dgemm", "nvk-dgemm" };
  struct perfpred_contraction_planner *planner = NULL;
  filter.wholes = PERFPRED_CONTRACTION_WHOLES_ALONE;
  options.filter = &filter;
  struct perfpred_contraction_plan *plan = plan_once(&options, "mhkn,ukvh->munv", "m=6 h=7 k=5 n=4 u=6 v=3");
  const struct perfpred_contraction_plan_info info = info_of(plan);
  cr_expect(info.candidates >= 1 && info.candidates <= 8);
  cr_expect_eq(info.predicted, info.candidates);
  perfpred_contraction_plan_destroy(plan);
  options.no_wholes = 1;
  cr_expect_eq(perfpred_contraction_planner_create(context, sampler, NULL, &options, &planner, &error),
               PERFPRED_INVALID);
  cr_expect_not_null(strstr(error.text, "no_wholes"), "%s", error.text);
  options.filter = NULL;
  options.no_wholes = 2;
  cr_expect_eq(perfpred_contraction_planner_create(context, sampler, NULL, &options, &planner, &error),
               PERFPRED_INVALID);
  options.no_wholes = 0;
  filter.wholes = (enum perfpred_contraction_wholes)3;
  options.filter = &filter;
  cr_expect_eq(perfpred_contraction_planner_create(context, sampler, NULL, &options, &planner, &error),
               PERFPRED_INVALID);
  options.filter = NULL;
  options.names = names;
  options.name_count = 2;
  plan = plan_once(&options, "mhkn,ukvh->munv", "m=6 h=7 k=5 n=4 u=6 v=3");
  cr_expect_eq(info_of(plan).candidates, 2);
  cr_expect_eq(at(plan, 0).whole + at(plan, 1).whole, 1);
  perfpred_contraction_plan_destroy(plan);
}

/* --- Modes and stages ---------------------------------------------------------------------------------------------- */

Test(contraction_plan, modes_and_stages_have_errors_of_their_own) {
  struct perfpred_contraction_plan *truth = complete(0, PERFPRED_CONTRACTION_REPLAY);
  measure(truth);
  for (int mode = PERFPRED_CONTRACTION_REPLAY; mode <= PERFPRED_CONTRACTION_REMOTE; mode++)
    for (int stage = PERFPRED_CONTRACTION_STAGE_REPEATED; stage <= PERFPRED_CONTRACTION_STAGE_FIRST; stage++) {
      struct perfpred_contraction_plan_options options = PERFPRED_CONTRACTION_PLAN_OPTIONS_INIT;
      struct perfpred_contraction_validation validation = PERFPRED_CONTRACTION_VALIDATION_INIT;
      options.complete = 1;
      options.mode = (enum perfpred_contraction_mode)mode;
      options.stage = (enum perfpred_contraction_stage)stage;
      options.cache_bytes = 4096;
      struct perfpred_contraction_plan *plan = plan_once(&options, contractions[0][0], contractions[0][1]);
      cr_assert_ok(perfpred_contraction_plan_compare(plan, truth, &validation, &error), error);
      cr_expect_eq(validation.compared, 36 + 1); /* one call without loops */
      cr_expect_eq(info_of(plan).mode, options.mode);
      cr_expect_eq(info_of(plan).stage, options.stage);
      cr_expect(isfinite(validation.mean_are) && validation.mean_are < 1.0, "mode %d, stage %d: %g", mode, stage,
                validation.mean_are);
      cr_expect_leq(validation.loss, 0.05, "mode %d, stage %d: %g", mode, stage, validation.loss);
      perfpred_contraction_plan_destroy(plan);
    }
  perfpred_contraction_plan_destroy(truth);
}

/* A call 100 ns and 1 ns per flop: 2 * 8 * 24 flops of dgemv(24, 8) in each of 20 * 16 iterations, twice that without the caches. */
Test(contraction_plan, repeated_calls_are_calls_times_their_number) {
  struct perfpred_contraction_plan_options options = PERFPRED_CONTRACTION_PLAN_OPTIONS_INIT;
  machine = (struct machine){ { 1e9, 1e9, 1e9, 1e9, 1e9 }, 1e-7, 0 };
  options.stage = PERFPRED_CONTRACTION_STAGE_REPEATED;
  options.complete = 1;
  struct perfpred_contraction_plan *plan = plan_once(&options, "ai,ibc->abc", "a=24 i=8 b=20 c=16");
  const struct perfpred_contraction_prediction one = named(plan, "cb-dgemv");
  cr_assert_close(one.time_s.med, 320.0 * (1e-7 + 384e-9), 1e-9);
  cr_assert_close(one.flops_per_s, 320.0 * 384.0 / one.time_s.med, 1e-9);
  cr_expect_eq(one.time_s.std, 0.0);
  cr_expect_eq(one.zero_s, 0.0); /* beta is 0 */
  cr_expect_gt(named(plan, "cbi-daxpy").zero_s, 0.0);
  perfpred_contraction_plan_destroy(plan);
}

/* --- Copies and memory --------------------------------------------------------------------------------------------- */

/* `i'c-dgemm` of contraction 3 multiplies A[i,:,:] (j by a) and B[:,:,i,c] (j by b): A is packed, 5 * 8 elements; C is a by b. */
Test(contraction_plan, copies_take_time_and_memory) {
  struct perfpred_contraction_plan *plan = complete(2, PERFPRED_CONTRACTION_REPLAY);
  const double tensors = 8.0 * (6 * 5 * 8 + 5 * 9 * 6 * 7 + 8 * 9 * 7);
  const struct perfpred_contraction_prediction one = named(plan, "i'c-dgemm");
  cr_expect_eq(one.copies, 1);
  cr_expect_eq(one.buffer_bytes, 8.0 * 5 * 8);
  cr_expect_eq(one.memory_bytes, tensors + 8.0 * 5 * 8);
  cr_expect_eq(named(plan, "cbij-daxpy").buffer_bytes, 0.0);
  perfpred_contraction_plan_destroy(plan);
  struct perfpred_contraction_plan_options options = PERFPRED_CONTRACTION_PLAN_OPTIONS_INIT;
  options.complete = 1;
  options.mode = PERFPRED_CONTRACTION_REMOTE;
  plan = plan_once(&options, contractions[2][0], contractions[2][1]);
  cr_expect_gt(named(plan, "i'c-dgemm").copy_s, 0.0);
  cr_expect_lt(named(plan, "i'c-dgemm").copy_s, named(plan, "ci'-dgemm").copy_s); /* 6 times and 6 * 7 times */
  cr_expect_eq(named(plan, "cbij-daxpy").copy_s, 0.0);
  perfpred_contraction_plan_destroy(plan);
}

Test(contraction_plan, memory_is_a_limit) {
  struct perfpred_contraction_plan_options options = PERFPRED_CONTRACTION_PLAN_OPTIONS_INIT;
  const int64_t tensors = 8 * (6 * 5 * 8 + 5 * 9 * 6 * 7 + 8 * 9 * 7);
  options.memory_bytes = tensors; /* no room for copies: all 8 gemm and 18 gemv go */
  struct perfpred_contraction_plan *plan = plan_once(&options, contractions[2][0], contractions[2][1]);
  cr_expect_eq(info_of(plan).candidates, 176 - 8 - 18);
  perfpred_contraction_plan_destroy(plan);
  options.memory_bytes = tensors - 1;
  struct perfpred_contraction_planner *planner = plan_with(&options);
  struct perfpred_contraction *contraction = contract(contractions[2][0], contractions[2][1]);
  char bytes[32];
  plan = NULL;
  cr_expect_eq(perfpred_contraction_planner_ask(planner, contraction, &plan, &error), PERFPRED_LIMIT);
  snprintf(bytes, sizeof bytes, "%lld", (long long)tensors);
  cr_expect(strstr(error.text, bytes) && !plan, "%s", error.text);
  perfpred_contraction_destroy(contraction);
  perfpred_contraction_planner_destroy(planner);
  /* 2^14 to the power of 3 elements: more than any machine has */
  planner = plan_with(NULL);
  contraction = contract("ai,ibc->abc", "a=16384 i=8 b=16384 c=16384");
  cr_expect_eq(perfpred_contraction_planner_ask(planner, contraction, &plan, &error), PERFPRED_LIMIT);
  cr_expect(strstr(error.text, "bytes") && !plan, "%s", error.text);
  perfpred_contraction_destroy(contraction);
  perfpred_contraction_planner_destroy(planner);
}

/* --- Budgets ------------------------------------------------------------------------------------------------------- */

Test(contraction_plan, a_budget_is_kept_and_there_is_a_pick) {
  static const double budgets[] = { 1e-9, 1e-4, 1e-3, 5e-3 };
  for (size_t i = 0; i < sizeof budgets / sizeof budgets[0]; i++) {
    struct perfpred_contraction_plan_options options = PERFPRED_CONTRACTION_PLAN_OPTIONS_INIT;
    options.budget_s = budgets[i];
    struct perfpred_contraction_plan *plan = plan_once(&options, "ija,jbic->abc", "i=6 j=5 a=80 b=90 c=70");
    const struct perfpred_contraction_plan_info info = info_of(plan);
    cr_expect_geq(info.predicted, 1);
    cr_expect_eq(info.budget_s, budgets[i]);
    if (budgets[i] > 2e-3) /* the bounds, of one sample each, take as long as that */
      cr_expect_leq(info.planning_s, 1.05 * budgets[i], "%g s", info.planning_s);
    else
      cr_expect_eq(at(plan, 0).source, PERFPRED_CONTRACTION_ROUGH);
    perfpred_contraction_plan_destroy(plan);
  }
}

/* A gemm of 5000 cubed takes 12.5 s on this clock: it is scaled from a smaller one, for less than a twentieth of that. */
Test(contraction_plan, calls_too_long_to_be_run_are_scaled) {
  struct perfpred_contraction_plan *plan = plan_once(NULL, "ac,cb->ab", "a=5000 b=5000 c=5000");
  const struct perfpred_contraction_plan_info info = info_of(plan);
  const struct perfpred_contraction_prediction pick = at(plan, 0);
  cr_expect_str_eq(pick.name, "dgemm");
  cr_expect_eq(pick.source, PERFPRED_CONTRACTION_ROUGH);
  cr_expect_eq(pick.bound, PERFPRED_CONTRACTION_BOUND_SCALED);
  cr_assert_close(pick.time_s.med, 12.5, 0.01);
  cr_expect_leq(info.planning_s, 0.05 * 12.5, "%g s", info.planning_s);
  perfpred_contraction_plan_destroy(plan);
}

/* What a tiny contraction takes is less than planning it, which is told. */
Test(contraction_plan, planning_a_tiny_contraction_costs_more_than_it) {
  struct perfpred_contraction_plan *plan = plan_once(NULL, "ai,ibc->abc", "a=2 i=2 b=2 c=2");
  const struct perfpred_contraction_plan_info info = info_of(plan);
  cr_expect_gt(info.planning_s, info.best_s);
  cr_expect_eq(info.planning_s, info.made_s);
  cr_expect_leq(info.planning_s, 0.05);
  perfpred_contraction_plan_destroy(plan);
}

/* Nine indices, three of each kind: 27 * 6! of gemm and so on. A handful of each way to call a kernel is looked at. */
Test(contraction_plan, hundreds_of_thousands_are_bounded_by_groups) {
  struct perfpred_contraction_plan *plan =
      plan_once(NULL, "uvwabc,uvwdef->abcdef", "a=3 b=4 c=5 d=3 e=4 f=5 u=3 v=4 w=5");
  const struct perfpred_contraction_plan_info info = info_of(plan);
  /* 8! (3 + 6) + 7! (18 + 9) + 6! 27, and one call of all indices, which takes the tensors as they lie */
  cr_expect_eq(info.candidates, 40320u * 9 + 5040u * 27 + 720u * 27 + 1);
  cr_expect_eq(info.groups, 9 + 27 + 27 + 1);
  cr_expect_eq(info.listed, info.predicted);
  cr_expect_lt(info.predicted, 3000);
  cr_expect_leq(info.planning_s, 1.0, "%g s", info.planning_s);
  cr_expect_eq(at(plan, 0).kernel, PERFPRED_CONTRACTION_GEMM);
  uint64_t sum = 0, untimed = 0;
  for (size_t i = 0; i < info.groups; i++) {
    struct perfpred_contraction_group group = PERFPRED_CONTRACTION_GROUP_INIT;
    cr_assert_ok(perfpred_contraction_plan_group_at(plan, i, &group, &error), error);
    if (group.bound == PERFPRED_CONTRACTION_BOUND_CALLS) {
      cr_expect_neq(group.kernel, PERFPRED_CONTRACTION_GEMM);
      cr_expect(isnan(group.call_s) && group.predicted == 0, "%s: %g s, %g", group.call, group.call_s,
                (double)group.predicted);
      cr_assert_close(group.bound_s, 1e-8 * group.calls, 1e-12);
      untimed++;
    } else {
      cr_expect_eq(group.bound, PERFPRED_CONTRACTION_BOUND_WARM);
      cr_assert_close(group.bound_s, 0.9 * group.calls * group.call_s, 1e-12);
    }
    sum += group.algorithms;
  }
  cr_expect_eq(sum, info.candidates);
  cr_expect(untimed > 0 && untimed <= 9 + 27);
  perfpred_contraction_plan_destroy(plan);
}

/* --- What is kept -------------------------------------------------------------------------------------------------- */

Test(contraction_plan, a_repeated_question_is_answered_from_what_is_kept) {
  struct perfpred_contraction_planner *planner = plan_with(NULL);
  struct perfpred_contraction *first = contract("ai,ibc->abc", "a=24 i=8 b=20 c=16");
  struct perfpred_contraction *renamed = contract("xk,kyz->xyz", "x=24 k=8 y=20 z=16");
  struct perfpred_contraction *other = contract("ai,ibc->abc", "a=24 i=8 b=20 c=17");
  struct perfpred_contraction_plan *plans[] = { ask(planner, first), ask(planner, first), ask(planner, renamed),
                                                ask(planner, other) };
  const int kept[] = { 0, 1, 1, 0 };
  for (size_t i = 0; i < 4; i++) {
    const struct perfpred_contraction_plan_info info = info_of(plans[i]);
    cr_expect_eq(info.from_cache, kept[i]);
    cr_expect_eq(info.planning_s > 0.0, !kept[i]);
    cr_expect_gt(info.made_s, 0.0);
  }
  cr_expect_eq(at(plans[1], 0).time_s.med, at(plans[0], 0).time_s.med);
  cr_expect_eq(perfpred_contraction_plan_find(plans[0], "cb-dgemv"),
               perfpred_contraction_plan_find(plans[2], "zy-dgemv"));
  cr_expect_eq(perfpred_contraction_plan_find(plans[2], "cb-dgemv"), -1);
  perfpred_contraction_planner_destroy(planner); /* plans stay */
  cr_expect_eq(info_of(plans[0]).candidates, 36 + 1);
  for (size_t i = 0; i < 4; i++)
    perfpred_contraction_plan_destroy(plans[i]);
  perfpred_contraction_destroy(other);
  perfpred_contraction_destroy(renamed);
  perfpred_contraction_destroy(first);
}

Test(contraction_plan, the_least_recently_used_answer_goes) {
  struct perfpred_contraction_plan_options options = PERFPRED_CONTRACTION_PLAN_OPTIONS_INIT;
  static const char *const extents[] = { "a=4 b=4 c=4", "a=5 b=4 c=4", "a=4 b=4 c=4",
                                         "a=6 b=4 c=4", "a=4 b=4 c=4", "a=5 b=4 c=4" };
  const int kept[] = { 0, 0, 1, 0, 1, 0 };
  options.answers = 2;
  struct perfpred_contraction_planner *planner = plan_with(&options);
  for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
    struct perfpred_contraction *contraction = contract("ac,cb->ab", extents[i]);
    struct perfpred_contraction_plan *plan = ask(planner, contraction);
    cr_expect_eq(info_of(plan).from_cache, kept[i], "question %zu", i);
    perfpred_contraction_plan_destroy(plan);
    perfpred_contraction_destroy(contraction);
  }
  perfpred_contraction_planner_destroy(planner);
}

Test(contraction_plan, sweeps_plan_every_extent) {
  const int64_t values[] = { 8, 16, 8 }, negative[] = { 8, -1 };
  struct perfpred_contraction_plan *plans[3] = { NULL };
  struct perfpred_contraction_planner *planner = plan_with(NULL);
  struct perfpred_contraction *contraction = contract("ai,ibc->abc", "a=24 i=8 b=20 c=16");
  cr_assert_ok(perfpred_contraction_planner_sweep(planner, contraction, "abc", values, 3, plans, &error), error);
  for (size_t i = 0; i < 3; i++) {
    const double n = (double)values[i];
    cr_expect_eq(info_of(plans[i]).flops, 2.0 * 8.0 * n * n * n);
    cr_expect_eq(info_of(plans[i]).from_cache, i == 2);
    perfpred_contraction_plan_destroy(plans[i]);
    plans[i] = NULL;
  }
  cr_expect_eq(perfpred_contraction_planner_sweep(planner, contraction, "ax", values, 3, plans, &error),
               PERFPRED_INVALID);
  cr_expect(strstr(error.text, "x"), "%s", error.text);
  cr_expect_eq(perfpred_contraction_planner_sweep(planner, contraction, "", values, 3, plans, &error),
               PERFPRED_INVALID);
  cr_expect_eq(perfpred_contraction_planner_sweep(planner, contraction, "a", negative, 2, plans, &error),
               PERFPRED_INVALID);
  cr_expect_eq(perfpred_contraction_planner_sweep(planner, contraction, "a", values, 0, plans, &error),
               PERFPRED_INVALID);
  cr_expect(!plans[0]);
  perfpred_contraction_destroy(contraction);
  perfpred_contraction_planner_destroy(planner);
}

/* --- Filters ------------------------------------------------------------------------------------------------------- */

static enum perfpred_status try(const struct perfpred_contraction_plan_options *options, const char *einsum,
                                const char *extents) {
  struct perfpred_contraction_planner *planner = NULL;
  struct perfpred_contraction *contraction = contract(einsum, extents);
  struct perfpred_contraction_plan *plan = NULL;
  enum perfpred_status status = perfpred_contraction_planner_create(context, sampler, NULL, options, &planner, &error);
  if (!status)
    status = perfpred_contraction_planner_ask(planner, contraction, &plan, &error);
  cr_expect_eq(plan != NULL, status == PERFPRED_OK);
  perfpred_contraction_plan_destroy(plan);
  perfpred_contraction_destroy(contraction);
  perfpred_contraction_planner_destroy(planner);
  return status;
}

Test(contraction_plan, filters_and_names_choose) {
  struct perfpred_contraction_filter filter = PERFPRED_CONTRACTION_FILTER_INIT;
  struct perfpred_contraction_plan_options options = PERFPRED_CONTRACTION_PLAN_OPTIONS_INIT;
  const char *names[] = { "cb-dgemv", "b-dgemm" }, *twice[] = { "b-dgemm", "b-dgemm" }, *wrong[] = { "x-dgemm" };
  options.filter = &filter;
  filter.kernels = 1U << PERFPRED_CONTRACTION_GER;
  struct perfpred_contraction_plan *plan = plan_once(&options, "ai,ibc->abc", "a=24 i=8 b=20 c=16");
  cr_expect_eq(info_of(plan).candidates, 4);
  cr_expect_eq(at(plan, 0).kernel, PERFPRED_CONTRACTION_GER);
  perfpred_contraction_plan_destroy(plan);
  filter.copies = PERFPRED_CONTRACTION_COPIES_SOME; /* there are none */
  cr_expect_eq(try(&options, "ai,ibc->abc", "a=24 i=8 b=20 c=16"), PERFPRED_NOT_FOUND);
  filter.copies = (enum perfpred_contraction_copies)9;
  cr_expect_eq(try(&options, "ai,ibc->abc", "a=24 i=8 b=20 c=16"), PERFPRED_INVALID);
  options.names = names;
  options.name_count = 2;
  cr_expect_eq(try(&options, "ai,ibc->abc", "a=24 i=8 b=20 c=16"), PERFPRED_INVALID); /* both */
  options.filter = NULL;
  plan = plan_once(&options, "ai,ibc->abc", "a=24 i=8 b=20 c=16");
  cr_expect_eq(info_of(plan).candidates, 2);
  cr_expect_str_eq(at(plan, 0).name, "b-dgemm");
  perfpred_contraction_plan_destroy(plan);
  options.names = twice;
  cr_expect_eq(try(&options, "ai,ibc->abc", "a=24 i=8 b=20 c=16"), PERFPRED_EXISTS);
  options.names = wrong;
  options.name_count = 1;
  cr_expect_eq(try(&options, "ai,ibc->abc", "a=24 i=8 b=20 c=16"), PERFPRED_NOT_FOUND);
  cr_expect_eq(try(NULL, "a,a->a", "a=5"), PERFPRED_NOT_FOUND); /* no kernel fits */
}

/* --- Sizes 0 and 1 ------------------------------------------------------------------------------------------------- */

Test(contraction_plan, nothing_to_compute_takes_no_time) {
  struct perfpred_contraction_plan *plan = plan_once(NULL, "ai,ibc->abc", "a=0 i=8 b=20 c=16");
  cr_expect_eq(info_of(plan).best_s, 0.0);
  cr_expect_eq(info_of(plan).predicted, 36);
  cr_expect_eq(info_of(plan).ties, 36);
  perfpred_contraction_plan_destroy(plan);
  plan = plan_once(NULL, "ai,ibc->abc", "a=1 i=1 b=1 c=1");
  cr_expect_eq(info_of(plan).flops, 2.0);
  cr_expect_gt(info_of(plan).best_s, 0.0);
  perfpred_contraction_plan_destroy(plan);
}

/* --- Failures ------------------------------------------------------------------------------------------------------ */

static int cancel(void *data, const struct perfpred_progress *progress) {
  double *last = data;
  cr_expect_geq(progress->fraction, *last);
  cr_expect_leq(progress->fraction, 1.0);
  cr_expect_str_eq(progress->stage, "planning");
  *last = progress->fraction;
  return machine.fails;
}

Test(contraction_plan, failures_are_told_and_not_kept) {
  double last = 0.0;
  struct perfpred_contraction_plan_options options = PERFPRED_CONTRACTION_PLAN_OPTIONS_INIT;
  struct perfpred_contraction *contraction = contract("ai,ibc->abc", "a=24 i=8 b=20 c=16");
  struct perfpred_contraction_plan *plan = NULL;
  struct perfpred_contraction_planner *planner = plan_with(NULL);
  machine.fails = 1; /* the call itself */
  cr_expect_eq(perfpred_contraction_planner_ask(planner, contraction, &plan, &error), PERFPRED_NUMERIC);
  cr_expect(!plan);
  machine.fails = 0;
  plan = ask(planner, contraction);
  cr_expect_eq(info_of(plan).from_cache, 0);
  perfpred_contraction_plan_destroy(plan);
  perfpred_contraction_planner_destroy(planner);
  options.progress = cancel;
  options.progress_data = &last;
  planner = plan_with(&options);
  plan = ask(planner, contraction);
  cr_expect_gt(last, 0.0);
  perfpred_contraction_plan_destroy(plan);
  plan = NULL;
  perfpred_contraction_planner_destroy(planner);
  planner = plan_with(&options);
  last = 0.0;
  machine.fails = 1; /* cancels before any call fails */
  cr_expect_eq(perfpred_contraction_planner_ask(planner, contraction, &plan, &error), PERFPRED_CANCELLED);
  cr_expect(!plan);
  perfpred_contraction_planner_destroy(planner);
  perfpred_contraction_destroy(contraction);
}

Test(contraction_plan, bad_options_are_refused_by_name) {
  static const struct {
    struct perfpred_contraction_plan_options options;
    const char *word;
  } bad[] = {
    { { .size = 4 }, "size" },
    { { .size = sizeof(struct perfpred_contraction_plan_options), .mode = (enum perfpred_contraction_mode)7 }, "mode" },
    { { .size = sizeof(struct perfpred_contraction_plan_options), .mode = PERFPRED_CONTRACTION_MODELS }, "models" },
    { { .size = sizeof(struct perfpred_contraction_plan_options), .stage = (enum perfpred_contraction_stage)6 },
      "stage" },
    { { .size = sizeof(struct perfpred_contraction_plan_options), .budget_s = -1.0 }, "budget_s" },
    { { .size = sizeof(struct perfpred_contraction_plan_options), .budget_s = NAN }, "budget_s" },
    { { .size = sizeof(struct perfpred_contraction_plan_options), .factor = -1.0 }, "factor" },
    { { .size = sizeof(struct perfpred_contraction_plan_options), .factor = INFINITY }, "factor" },
    { { .size = sizeof(struct perfpred_contraction_plan_options), .tie = NAN }, "tie" },
    { { .size = sizeof(struct perfpred_contraction_plan_options), .gate = NAN }, "gate" },
    { { .size = sizeof(struct perfpred_contraction_plan_options), .cache_bytes = -1 }, "cache_bytes" },
    { { .size = sizeof(struct perfpred_contraction_plan_options), .memory_bytes = -1 }, "memory_bytes" },
    { { .size = sizeof(struct perfpred_contraction_plan_options), .repetitions = -1 }, "repetitions" },
    { { .size = sizeof(struct perfpred_contraction_plan_options), .answers = 1000000 }, "answers" },
    { { .size = sizeof(struct perfpred_contraction_plan_options), .name_count = 2 }, "name" },
  };
  struct perfpred_contraction_planner *planner = NULL;
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    cr_expect_eq(perfpred_contraction_planner_create(context, sampler, NULL, &bad[i].options, &planner, &error),
                 PERFPRED_INVALID, "%zu", i);
    cr_expect(strstr(error.text, bad[i].word), "%zu: %s", i, error.text);
  }
  cr_expect_eq(perfpred_contraction_planner_create(NULL, sampler, NULL, NULL, &planner, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_contraction_planner_create(context, NULL, NULL, NULL, &planner, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_contraction_planner_create(context, sampler, NULL, NULL, NULL, &error), PERFPRED_INVALID);
  cr_expect(!planner);
  perfpred_contraction_planner_destroy(NULL);
  perfpred_contraction_plan_destroy(NULL);
}

Test(contraction_plan, bad_questions_are_refused) {
  struct perfpred_contraction_plan *plan = plan_once(NULL, "ai,ibc->abc", "a=24 i=8 b=20 c=16");
  struct perfpred_contraction_plan *other = plan_once(NULL, "ai,ibc->abc", "a=24 i=8 b=20 c=17");
  struct perfpred_contraction_prediction prediction = PERFPRED_CONTRACTION_PREDICTION_INIT;
  struct perfpred_contraction_group group = PERFPRED_CONTRACTION_GROUP_INIT;
  struct perfpred_contraction_plan_info info = PERFPRED_CONTRACTION_PLAN_INFO_INIT;
  struct perfpred_contraction_validation validation = PERFPRED_CONTRACTION_VALIDATION_INIT;
  struct perfpred_contraction_measure_options options = PERFPRED_CONTRACTION_MEASURE_OPTIONS_INIT;
  const char *wrong[] = { "x-dgemm" };
  char *json = NULL;
  cr_expect_eq(perfpred_contraction_plan_at(plan, 37, &prediction, &error), PERFPRED_NOT_FOUND);
  cr_expect_eq(perfpred_contraction_plan_at(NULL, 0, &prediction, &error), PERFPRED_INVALID);
  prediction.size = 8;
  cr_expect_eq(perfpred_contraction_plan_at(plan, 0, &prediction, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_contraction_plan_group_at(plan, 1000, &group, &error), PERFPRED_NOT_FOUND);
  group.size = 8;
  cr_expect_eq(perfpred_contraction_plan_group_at(plan, 0, &group, &error), PERFPRED_INVALID);
  info.size = 8;
  cr_expect_eq(perfpred_contraction_plan_summary(plan, &info, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_contraction_plan_find(plan, NULL), -1);
  cr_expect_eq(perfpred_contraction_plan_find(plan, "dgemm"), -1);
  cr_expect_eq(perfpred_contraction_plan_report(NULL, 0, &json, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_contraction_plan_measure(plan, NULL, NULL, &validation, &error), PERFPRED_INVALID);
  options.names = wrong;
  options.name_count = 1;
  cr_expect_eq(perfpred_contraction_plan_measure(plan, sampler, &options, &validation, &error), PERFPRED_NOT_FOUND);
  options.name_count = 0;
  cr_expect_eq(perfpred_contraction_plan_measure(plan, sampler, &options, &validation, &error), PERFPRED_INVALID);
  options.names = NULL;
  options.limit_s = NAN;
  cr_expect_eq(perfpred_contraction_plan_measure(plan, sampler, &options, &validation, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_contraction_plan_compare(plan, other, &validation, &error), PERFPRED_INVALID);
  measure(other);
  cr_expect_eq(perfpred_contraction_plan_compare(plan, other, &validation, &error), PERFPRED_INVALID);
  cr_expect_eq(validation.executed, 0);
  cr_expect(isnan(at(plan, 0).measured_s));
  perfpred_contraction_plan_destroy(other);
  perfpred_contraction_plan_destroy(plan);
}

/* --- Executions ---------------------------------------------------------------------------------------------------- */

Test(contraction_plan, the_best_ones_alone_are_executed) {
  struct perfpred_contraction_plan *plan = plan_once(NULL, "ai,ibc->abc", "a=24 i=8 b=20 c=16");
  struct perfpred_contraction_validation validation = PERFPRED_CONTRACTION_VALIDATION_INIT;
  struct perfpred_contraction_measure_options options = PERFPRED_CONTRACTION_MEASURE_OPTIONS_INIT;
  const char *names[] = { "cba-ddot", "cab-ddot" };
  options.best = 2;
  cr_assert_ok(perfpred_contraction_plan_measure(plan, sampler, &options, &validation, &error), error);
  cr_expect_eq(validation.executed, 2);
  cr_expect(isnan(at(plan, 2).measured_s) && !isnan(at(plan, 1).measured_s));
  options.names = names;
  options.name_count = 2;
  cr_assert_ok(perfpred_contraction_plan_measure(plan, sampler, &options, &validation, &error), error);
  cr_expect_eq(validation.executed, 4);
  cr_expect_gt(named(plan, "cba-ddot").measured_s, at(plan, 0).measured_s);
  options.name_count = 0;
  options.names = NULL;
  options.best = 0;
  options.limit_s = 1e-12; /* none but the first */
  cr_assert_ok(perfpred_contraction_plan_measure(plan, sampler, &options, &validation, &error), error);
  cr_expect_eq(validation.executed, 1);
  cr_expect_eq(validation.loss, 0.0);
  cr_expect(isnan(validation.tau) && validation.pairs == 0);
  perfpred_contraction_plan_destroy(plan);
}

/* --- Models -------------------------------------------------------------------------------------------------------- */

static struct perfpred_models *gemm_models(void) {
  static const char text[] = "perfpred-text 1\n"
                             "algorithm product(n)\n"
                             "  in A: double matrix[n, n]\n"
                             "  in B: double matrix[n, n]\n"
                             "  out C: double matrix[n, n]\n"
                             "  dgemm(N, N, n, n, n, 1, A[0, 0], B[0, 0], 0, C[0, 0])\n"
                             "end\n";
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  struct perfpred_program *program = parse(context, text);
  options.n_lower = 8;
  options.n_upper = 64;
  struct perfpred_models *models = virtual_models(context, &program, 1, &options, cost, &machine);
  perfpred_program_unref(program);
  return models;
}

Test(contraction_plan, models_answer_where_they_reach) {
  struct perfpred_models *models = gemm_models();
  struct perfpred_contraction_plan_options options = PERFPRED_CONTRACTION_PLAN_OPTIONS_INIT;
  struct perfpred_contraction_planner *planner = NULL;
  struct perfpred_contraction_plan *plan = NULL;
  struct perfpred_contraction *inside = contract("ai,ibc->abc", "a=24 i=16 b=20 c=16");
  struct perfpred_contraction *outside = contract("ai,ibc->abc", "a=24 i=16 b=200 c=160");
  struct perfpred_contraction *vectors = contract("iaj,ji->a", "i=20 a=40 j=24");
  cr_assert_ok(perfpred_contraction_planner_create(context, sampler, models, NULL, &planner, &error), error);
  plan = ask(planner, inside);
  cr_expect_eq(at(plan, 0).source, PERFPRED_CONTRACTION_MODELLED);
  cr_expect_eq(at(plan, 0).bound, PERFPRED_CONTRACTION_BOUND_MODELS);
  cr_expect_str_eq(at(plan, 0).name, "c-dgemm"); /* 16 calls instead of 20, as many flops */
  perfpred_contraction_plan_destroy(plan);
  plan = ask(planner, outside);
  cr_expect_neq(at(plan, 0).source, PERFPRED_CONTRACTION_MODELLED);
  perfpred_contraction_plan_destroy(plan);
  plan = NULL;
  perfpred_contraction_planner_destroy(planner);
  options.mode = PERFPRED_CONTRACTION_MODELS;
  cr_assert_ok(perfpred_contraction_planner_create(context, NULL, models, &options, &planner, &error), error);
  plan = ask(planner, inside);
  cr_expect_eq(info_of(plan).benchmarks, 0);
  cr_expect_eq(info_of(plan).predicted, 2);
  /* 16 calls of 24 by 20 by 16, 20 of 24 by 16 by 16 */
  cr_assert_close(named(plan, "c-dgemm").time_s.med, 16 * (1e-7 + 2.0 * 24 * 20 * 16 / 20e9), 0.02);
  cr_assert_close(named(plan, "b-dgemm").time_s.med, 20 * (1e-7 + 2.0 * 24 * 16 * 16 / 20e9), 0.02);
  cr_expect_eq(named(plan, "cb-dgemv").source, PERFPRED_CONTRACTION_DROPPED);
  perfpred_contraction_plan_destroy(plan);
  plan = NULL;
  cr_expect_eq(perfpred_contraction_planner_ask(planner, outside, &plan, &error), PERFPRED_OUT_OF_DOMAIN);
  cr_expect_eq(perfpred_contraction_planner_ask(planner, vectors, &plan, &error), PERFPRED_UNMODELLED);
  cr_expect(!plan);
  perfpred_contraction_planner_destroy(planner);
  options.mode = PERFPRED_CONTRACTION_REPLAY;
  cr_expect_eq(perfpred_contraction_planner_create(context, NULL, models, &options, &planner, &error),
               PERFPRED_INVALID);
  perfpred_contraction_destroy(vectors);
  perfpred_contraction_destroy(outside);
  perfpred_contraction_destroy(inside);
  perfpred_models_unref(models);
}

/* --- The report ---------------------------------------------------------------------------------------------------- */

Test(contraction_plan, the_report_has_the_closed_form_and_the_ranking) {
  static const char *const kernels[] = { "dot", "axpy", "gemv", "ger", "gemm", "total" };
  const int counts[] = { 6, 18, 6, 4, 2, 36 };
  struct perfpred_contraction_filter filter = PERFPRED_CONTRACTION_FILTER_INIT;
  struct perfpred_contraction_plan_options options = PERFPRED_CONTRACTION_PLAN_OPTIONS_INIT;
  options.filter = &filter;
  filter.kernels = 1U << PERFPRED_CONTRACTION_GEMV;
  struct perfpred_contraction_plan *plan = plan_once(&options, "ai,ibc->abc", "a=24 i=8 b=20 c=16");
  char *json = NULL;
  measure(plan);
  cr_assert_ok(perfpred_contraction_plan_report(plan, 3, &json, &error), error);
  json_t *root = json_loads(json, 0, NULL);
  cr_assert(root);
  cr_expect_str_eq(json_string_value(json_object_get(root, "einsum")), "ai,ibc->abc");
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
    cr_expect_eq(json_integer_value(json_object_get(json_object_get(root, "count"), kernels[i])), counts[i]);
  cr_expect_eq(json_integer_value(json_object_get(root, "candidates")), 6);
  cr_expect_gt(json_real_value(json_object_get(root, "planning_s")), 0.0);
  const json_t *algorithms = json_object_get(root, "algorithms");
  cr_assert_eq(json_array_size(algorithms), 3);
  const json_t *first = json_array_get(algorithms, 0);
  cr_expect_str_eq(json_string_value(json_object_get(first, "name")), at(plan, 0).name);
  cr_expect_str_eq(json_string_value(json_object_get(first, "name")), json_string_value(json_object_get(root, "pick")));
  cr_expect_str_eq(json_string_value(json_object_get(first, "kernel")), "gemv");
  cr_expect_eq(json_real_value(json_object_get(first, "predicted_s")), at(plan, 0).time_s.med);
  cr_expect_eq(json_real_value(json_object_get(first, "measured_s")), at(plan, 0).measured_s);
  cr_expect_eq(json_integer_value(json_object_get(json_object_get(root, "validation"), "executed")), 6);
  json_decref(root);
  perfpred_free(json);
  perfpred_contraction_plan_destroy(plan);
}
