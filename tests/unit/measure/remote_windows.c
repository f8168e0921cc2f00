/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps of LAPACK's algorithms in the worker: the kernels succeed on what the step before leaves, left-looking ones too. Tours there. */
#include <math.h>

#include "measure/sampler.h"
#include "program/calls.h"
#include "tour_world.h"
#include "world.h"

TestSuite(remote_windows, .init = world_start, .fini = world_stop, .timeout = 100);

static void expect_steps(struct perfpred_sampler *sampler, const char *name, const bool *made) {
  static const int64_t inner[] = { 200, 32 }, small[] = { 24, 8 };
  const struct ppi_window windows[] = { { inner, { 32, 32 }, { 64, 32 }, 0 }, { small, { 0, 8 }, { 8, 8 }, 0 } };
  const struct ppi_sampling sampling = { .repetitions = 3, .gate = -1.0, .ld = 208 };
  const struct perfpred_program *program = ppi_programs_find(context.programs, name);
  struct ppi_result results[2 * 64];
  struct ppi_calls calls;
  cr_assert_eq(ppi_calls_of(program, &calls, &error), PERFPRED_OK);
  cr_assert_leq(calls.count, 64);
  cr_assert_eq(sampler->ops->windows(sampler, program, windows, 2, &sampling, results, &error), PERFPRED_OK, "%s: %s",
               name, error.text);
  for (size_t i = 0; i < 2 * calls.count; i++) {
    cr_expect_eq(results[i].count > 0, made[i % calls.count], "%s, call %zu", name, i % calls.count);
    for (size_t k = 0; k < results[i].count; k++)
      cr_expect(results[i].times_s[k] > 0.0 && isfinite(results[i].times_s[k]));
  }
  ppi_results_free(results, 2 * calls.count);
  ppi_calls_free(&calls);
}

Test(remote_windows, steps_of_lapack) {
  struct perfpred_sampler *sampler = NULL;
  cr_assert_eq(perfpred_sampler_create_worker(&context, NULL, &sampler, &error), PERFPRED_OK, "%s", error.text);
  /* the first call is the unblocked one, outside of the loop; then dsyrk, dpotrf2, dgemm, dtrsm */
  expect_steps(sampler, "dpotrf", (const bool[]){ false, true, true, true, true });
  expect_steps(sampler, "dpotrf-u", (const bool[]){ false, true, true, true, true });
  expect_steps(sampler, "zpotrf", (const bool[]){ false, true, true, true, true });
  expect_steps(sampler, "chol-l-3", (const bool[]){ true, true, true });
  /* dgetrf2, dlaswp, dlaswp, dtrsm, dgemm, dpivadd */
  expect_steps(sampler, "dgetrf", (const bool[]){ false, true, true, true, true, true, true });
  perfpred_sampler_destroy(sampler);
}

/* All kernels succeed on operands that no step but the one before has touched, in every place, down to the smallest. */
Test(remote_windows, steps_of_other_routines_succeed) {
  static const char *const names[] = { "dtrtri", "dtrtri-u", "dlauum",   "dsygst",    "dsygst-u",
                                       "dgeqrf", "zgetrf",   "spotrf-u", "trinv-l-8", "chol-u-2" };
  static const int64_t parameters[] = { 120, 24 }, small[] = { 24, 8 };
  const struct ppi_window windows[] = {
    { parameters, { 24, 24 }, { 48, 24 }, 0 },
    { parameters, { 48, 24 }, { 24, 24 }, 0 }, /* as a loop that runs downwards has them */
    { parameters, { 0, 0 }, { 0, 24 }, 0 },
    { small, { 8, 8 }, { 16, 8 }, 0 }
  };
  const struct ppi_sampling sampling = { .repetitions = 2, .gate = -1.0 };
  struct perfpred_sampler *sampler = NULL;
  cr_assert_eq(perfpred_sampler_create_worker(&context, NULL, &sampler, &error), PERFPRED_OK, "%s", error.text);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    const struct perfpred_program *program = ppi_programs_find(context.programs, names[i]);
    struct ppi_result results[4 * 64];
    struct ppi_calls calls;
    size_t samples = 0;
    cr_assert_not_null(program, "%s", names[i]);
    cr_assert_eq(ppi_calls_of(program, &calls, &error), PERFPRED_OK);
    cr_assert_leq(calls.count, 64);
    cr_assert_eq(sampler->ops->windows(sampler, program, windows, 4, &sampling, results, &error), PERFPRED_OK, "%s: %s",
                 names[i], error.text);
    for (size_t k = 0; k < 4 * calls.count; k++)
      samples += results[k].count;
    cr_expect_geq(samples, 4 * 2);
    ppi_results_free(results, 4 * calls.count);
    ppi_calls_free(&calls);
  }
  perfpred_sampler_destroy(sampler);
}

/* Whole executions: pivots, scalars of reflectors, scratch, called programs and recursive ones. Each call that has a result at all has as many
   samples as the others, and every kernel succeeds on what those before it leave. */
Test(remote_windows, whole_executions) {
  static const struct {
    const char *name;
    int64_t parameters[4];
  } runs[] = { { "dgetrf", { 100, 32 } },       { "dgetrf", { 24, 32 } },       { "zgetrf", { 60, 16 } },
               { "dgeqrf", { 100, 24 } },       { "dpotrf-u", { 100, 24 } },    { "chol-l-rec", { 100, 16 } },
               { "lu-rec", { 90, 70, 16 } },    { "chol-l-tiled", { 80, 16 } }, { "sylv-rec", { 50, 70, 16 } },
               { "sylv-m1n1", { 50, 70, 16 } }, { "dsygst", { 80, 24 } },       { "dsytrd", { 90, 16, 32 } },
               { "dsytrf", { 80, 16 } },        { "lstsq-qr", { 60, 20, 4 } },  { "dormqr-ln", { 80, 24 } } };
  const struct ppi_sampling sampling = { .repetitions = 3, .gate = -1.0 };
  struct perfpred_sampler *sampler = NULL;
  cr_assert_eq(perfpred_sampler_create_worker(&context, NULL, &sampler, &error), PERFPRED_OK, "%s", error.text);
  for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
    const struct perfpred_program *program = ppi_programs_find(context.programs, runs[i].name);
    const struct ppi_window window = { .parameters = runs[i].parameters };
    struct ppi_result results[200];
    struct ppi_calls calls;
    size_t made = 0, samples = 0;
    cr_assert_not_null(program, "%s", runs[i].name);
    cr_assert_eq(ppi_calls_of(program, &calls, &error), PERFPRED_OK);
    cr_assert_leq(calls.count, 200);
    cr_assert_eq(sampler->ops->windows(sampler, program, &window, 1, &sampling, results, &error), PERFPRED_OK, "%s: %s",
                 runs[i].name, error.text);
    for (size_t k = 0; k < calls.count; k++) {
      made += results[k].count > 0;
      samples = results[k].count > samples ? results[k].count : samples;
    }
    cr_expect_gt(made, 0, "%s", runs[i].name);
    cr_expect_geq(samples, 3, "%s", runs[i].name);
    for (size_t k = 0; k < calls.count; k++)
      cr_expect(results[k].count == 0 || results[k].count == samples, "%s, call %zu: %zu samples, not %zu",
                runs[i].name, k, results[k].count, samples);
    ppi_results_free(results, calls.count);
    ppi_calls_free(&calls);
  }
  perfpred_sampler_destroy(sampler);
}

/* All that can be asked of a tour; the real BLAS computes what the tensors' indices say. */
static void expect_tour(struct perfpred_sampler *sampler, struct tour_case *made) {
  const struct ppi_tour_item items[] = { { .kind = PPI_TOUR_REMOTE, .bytes = 100000 },
                                         { .kind = PPI_TOUR_TOUCH, .operand = 0, .extent = { 1, 1 } },
                                         { .kind = PPI_TOUR_FLUSH, .operand = 1 } };
#if defined(__x86_64__)
  enum { ITEMS = 3 };
#else
  enum { ITEMS = 2 };
#endif
  const struct ppi_tour_request requests[] = {
    { .subject = PPI_TOUR_WHOLE, .level = -1, .warm = true, .limit_s = 60.0 },
    { .subject = PPI_TOUR_WINDOW, .timed = 2, .lead = 2, .level = -1, .items = items, .item_count = ITEMS },
    { .subject = PPI_TOUR_WINDOW, .timed = 2, .lead = 2, .level = 1 },
    { .subject = PPI_TOUR_CALL, .level = -1, .warm = true, .timed = 10 },
    { .subject = PPI_TOUR_CALL, .level = -1, .items = items, .item_count = ITEMS },
    { .subject = PPI_TOUR_ZERO, .level = -1 },
    { .subject = PPI_TOUR_COPY_IN, .level = -1 },
    { .subject = PPI_TOUR_COPY_OUT, .level = -1 },
  };
  enum { COUNT = sizeof requests / sizeof requests[0], COPIES = 2 };
  struct ppi_tour_result results[COUNT] = { 0 };
  const struct ppi_sampling sampling = { .repetitions = 3, .gate = -1.0, .seed = 5 };
  const size_t count = made->tour.operands[0].copy.loops >= 0 ? COUNT : COUNT - COPIES;
  made->batch.tours = &made->tour;
  made->batch.requests = requests;
  made->batch.request_count = count;
  cr_assert_eq(sampler->ops->tour(sampler, &made->batch, &sampling, results, &error), PERFPRED_OK, "%s", error.text);
  for (size_t i = 0; i < count; i++) {
    cr_expect_geq(results[i].timing.count, 3, "%s: request %zu", made->tour.kernel->name, i);
    for (size_t k = 0; k < results[i].timing.count; k++)
      cr_expect(results[i].timing.times_s[k] > 0.0 && isfinite(results[i].timing.times_s[k]));
  }
  cr_expect_lt(results[0].timing.residual, 1e-14, "%s: residual %g", made->tour.kernel->name,
               results[0].timing.residual);
  cr_expect_eq(results[3].timed, 10);
  ppi_tour_results_free(results, count);
}

Test(remote_windows, tours) {
  struct tour_case made;
  struct perfpred_sampler *sampler = NULL;
  cr_assert_eq(perfpred_sampler_create_worker(&context, NULL, &sampler, &error), PERFPRED_OK, "%s", error.text);
  tour_ca_dgemv(&made, context.kernels);
  expect_tour(sampler, &made);
  tour_i_dgemv(&made, context.kernels);
  expect_tour(sampler, &made);
  tour_c_dgemm(&made, context.kernels);
  expect_tour(sampler, &made);
  tour_bi_daxpy(&made, context.kernels);
  expect_tour(sampler, &made);
  tour_i_dot(&made, context.kernels, PPI_TYPE_D);
  expect_tour(sampler, &made);
  tour_i_dot(&made, context.kernels, PPI_TYPE_Z);
  expect_tour(sampler, &made);
  made.batch.memory_bytes = 1; /* is told before anything is sent */
  const struct ppi_tour_request request = { .subject = PPI_TOUR_WHOLE, .level = -1 };
  struct ppi_tour_result result;
  made.batch.requests = &request;
  made.batch.request_count = 1;
  cr_expect_eq(sampler->ops->tour(sampler, &made.batch, &(struct ppi_sampling){ .repetitions = 1 }, &result, &error),
               PERFPRED_LIMIT);
  perfpred_sampler_destroy(sampler);
}
