/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans for contractions by a worker. FAULTY, set by the build, is a library whose dgemm misbehaves for certain numbers of rows. */
#include "patience.h"
#include "world.h"

static struct perfpred_context *context;
static struct perfpred_error error;

static void begin(void) {
  context = make_context();
}

static void finish(void) {
  perfpred_context_destroy(context);
}

TestSuite(contraction_worker, .init = begin, .fini = finish);

static struct perfpred_sampler *start(const char *library) {
  static const char *const plain_signals[] = { "ASAN_OPTIONS=handle_segv=0:handle_abort=0:detect_leaks=0", NULL };
  struct perfpred_setup setup = PERFPRED_SETUP_INIT;
  struct perfpred_sampler *sampler = NULL;
  setup.blas = setup.lapack = library;
  setup.timeout_s = PATIENT_S;
  setup.environment = library ? plain_signals : NULL;
  cr_assert_ok(perfpred_sampler_create_worker(context, &setup, &sampler, &error), error);
  return sampler;
}

static struct perfpred_contraction *contract(const char *einsum, const int64_t *extents, size_t count) {
  static const char *const names[] = { "a", "b", "c", "i", "j" };
  struct perfpred_contraction *contraction = NULL;
  cr_assert_ok(perfpred_contraction_create(einsum, names, extents, count, NULL, &contraction, &error), error);
  return contraction;
}

static enum perfpred_status ask(struct perfpred_contraction_planner *planner, int64_t rows,
                                struct perfpred_contraction_plan **plan) {
  struct perfpred_contraction *contraction = contract("ac,cb->ab", (int64_t[]){ rows, 8, 8 }, 3);
  const enum perfpred_status status = perfpred_contraction_planner_ask(planner, contraction, plan, &error);
  perfpred_contraction_destroy(contraction);
  return status;
}

/* A dgemm of 13 rows crashes; the next plan has a worker again. */
Test(contraction_worker, a_crash_names_the_kernel_and_is_not_kept) {
  struct perfpred_contraction_filter filter = PERFPRED_CONTRACTION_FILTER_INIT;
  struct perfpred_contraction_plan_options options = PERFPRED_CONTRACTION_PLAN_OPTIONS_INIT;
  struct perfpred_contraction_planner *planner = NULL;
  struct perfpred_contraction_plan *plan = NULL;
  struct perfpred_sampler *sampler = start(FAULTY);
  filter.kernels = 1U << PERFPRED_CONTRACTION_GEMM;
  options.filter = &filter;
  options.gate = -1.0;
  cr_assert_ok(perfpred_contraction_planner_create(context, sampler, NULL, &options, &planner, &error), error);
  for (int i = 0; i < 2; i++) {
    cr_expect_eq(ask(planner, 13, &plan), PERFPRED_CRASHED, "%s", error.text);
    cr_expect(strstr(error.text, "dgemm(N,N,13,8,8") && !plan, "%s", error.text);
  }
  cr_assert_ok(ask(planner, 12, &plan), error);
  struct perfpred_contraction_prediction first = PERFPRED_CONTRACTION_PREDICTION_INIT;
  cr_assert_ok(perfpred_contraction_plan_at(plan, 0, &first, &error), error);
  cr_expect_str_eq(first.name, "dgemm");
  cr_expect_gt(first.time_s.med, 0.0);
  perfpred_contraction_plan_destroy(plan);
  perfpred_contraction_planner_destroy(planner);
  perfpred_sampler_destroy(sampler);
}

/* All modes predict all algorithms, which are executed beside. How well does not matter here. */
Test(contraction_worker, every_mode_predicts_what_is_executed) {
  struct perfpred_sampler *sampler = start(NULL);
  struct perfpred_contraction *contraction = contract("ija,jbic->abc", (int64_t[]){ 12, 10, 9, 4, 5 }, 5);
  struct perfpred_contraction_plan *measured = NULL;
  for (int mode = PERFPRED_CONTRACTION_REPLAY; mode <= PERFPRED_CONTRACTION_REMOTE; mode++) {
    static const char *const names[] = { "i'c-dgemm", "jc'-dgemm", "cbi-dgemv", "cbij-daxpy" };
    struct perfpred_contraction_plan_options options = PERFPRED_CONTRACTION_PLAN_OPTIONS_INIT;
    struct perfpred_contraction_planner *planner = NULL;
    struct perfpred_contraction_plan *plan = NULL;
    struct perfpred_contraction_validation validation = PERFPRED_CONTRACTION_VALIDATION_INIT;
    struct perfpred_contraction_measure_options executions = PERFPRED_CONTRACTION_MEASURE_OPTIONS_INIT;
    options.mode = (enum perfpred_contraction_mode)mode;
    options.complete = 1;
    options.repetitions = 1;
    options.gate = executions.gate = -1.0;
    options.cache_bytes = 4096;
    options.names = names;
    options.name_count = 4;
    executions.repetitions = 1;
    cr_assert_ok(perfpred_contraction_planner_create(context, sampler, NULL, &options, &planner, &error), error);
    cr_assert_ok(perfpred_contraction_planner_ask(planner, contraction, &plan, &error), error);
    if (measured)
      cr_assert_ok(perfpred_contraction_plan_compare(plan, measured, &validation, &error), error);
    else
      cr_assert_ok(perfpred_contraction_plan_measure(plan, sampler, &executions, &validation, &error), error);
    cr_expect_eq(validation.executed, 4);
    cr_expect_eq(validation.compared, 4);
    for (size_t rank = 0; rank < 4; rank++) {
      struct perfpred_contraction_prediction one = PERFPRED_CONTRACTION_PREDICTION_INIT;
      cr_assert_ok(perfpred_contraction_plan_at(plan, rank, &one, &error), error);
      cr_expect(one.time_s.med > 0.0 && one.measured_s > 0.0 && one.cost_s > 0.0, "%s", one.name);
      /* what a disturbed bound makes implausible is rough */
      cr_expect(one.source == PERFPRED_CONTRACTION_MEASURED || one.source == PERFPRED_CONTRACTION_ROUGH);
    }
    perfpred_contraction_planner_destroy(planner);
    if (measured)
      perfpred_contraction_plan_destroy(plan);
    else
      measured = plan;
  }
  perfpred_contraction_plan_destroy(measured);
  perfpred_contraction_destroy(contraction);
  perfpred_sampler_destroy(sampler);
}
