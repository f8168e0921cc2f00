/* SPDX-License-Identifier: BSD-3-Clause */
/* The sampler on a virtual clock, and measuring programs with it: everything has an exact value. */
#include <math.h>

#include "measure/sampler.h"
#include "world.h"

static struct perfpred_sampler *sampler;
static int failing; /* NaN once calls reach this number; 0: never */
static int calls;

/* flops / 10^9 s, and 1 s more per execution of the very same call before. */
static double cost(void *data, const struct perfpred_virtual_call *call) {
  cr_assert_eq(call->size, sizeof *call);
  cr_assert_str_eq(call->kernel_name, perfpred_kernel_name(call->kernel));
  if (++calls == failing)
    return NAN;
  return *(const double *)data + call->flops / 1e9 + (double)call->repetition;
}

static double offset = 0.0;

static void start(void) {
  world_start();
  failing = calls = 0;
  offset = 0.0;
  cr_assert_eq(perfpred_sampler_create_virtual(&context, cost, &offset, NULL, &sampler, &error), PERFPRED_OK);
}

static void stop(void) {
  perfpred_sampler_destroy(sampler);
  world_stop();
}

TestSuite(virtual, .init = start, .fini = stop);

static void trsm(struct ppi_value *values, int64_t m, int64_t n) {
  const struct perfpred_kernel *kernel = ppi_kernels_find(context.kernels, "dtrsm");
  cr_assert_eq(ppi_case_parse(kernel, "R,L,T,N,1", values, &error), PERFPRED_OK);
  values[ppi_kernel_argument(kernel, "m")].i = m;
  values[ppi_kernel_argument(kernel, "n")].i = n;
}

/* dtrsm from the right, 100 x 10: 100 * 10 * 10 = 10^4 flops, 10 us; then 1 s more each time. */
Test(virtual, samples_are_costs) {
  struct ppi_value values[2][PPI_ARG_MAX];
  const struct perfpred_kernel *kernel = ppi_kernels_find(context.kernels, "dtrsm");
  trsm(values[0], 100, 10);
  trsm(values[1], 100, 20);
  const struct ppi_request requests[] = { { kernel, values[0], 104 }, { kernel, values[1], 104 } };
  const struct ppi_sampling sampling = { .repetitions = 3 };
  struct ppi_result results[2];
  cr_assert_eq(sampler->ops->sample(sampler, requests, 2, &sampling, results, &error), PERFPRED_OK);
  for (int i = 0; i < 2; i++) {
    cr_assert_eq(results[i].count, 3);
    for (int r = 0; r < 3; r++)
      cr_expect_float_eq(results[i].times_s[r], (i == 0 ? 10e-6 : 40e-6) + r, 1e-12);
    cr_expect(results[i].gated);
    cr_expect_eq(results[i].disturbed, 0);
    cr_expect_eq(results[i].ld, 104);
  }
  cr_expect_float_eq(results[0].measure_s, 3 + 30e-6, 1e-9);
  ppi_results_free(results, 2);
  /* the same call goes on counting in the next batch */
  cr_assert_eq(sampler->ops->sample(sampler, requests, 1, &sampling, results, &error), PERFPRED_OK);
  cr_expect_float_eq(results[0].times_s[0], 3 + 10e-6, 1e-9);
  ppi_results_free(results, 1);
}

static const char two_calls[] = "perfpred-text 1\nalgorithm two(n)\n  operation two\n  inout A: double triangle(L)[n]\n"
                                "  inout B: double matrix[n, n]\n  dtrsm(R, L, T, N, n, n, 1, A[0, 0], B[0, 0])\n"
                                "  dtrsm(R, L, T, N, 0, n, 1, A[0, 0], B[0, 0])\n"
                                "  dtrsm(L, L, N, N, n, n, 1, A[0, 0], B[0, 0])\nend\n";

/* Two calls of 10^3 flops and an empty one that is never asked for: 2 us, then 1 s more for each of the two. */
Test(virtual, programs_are_sums_of_calls) {
  struct perfpred_program *program = parse_program(two_calls + strlen("perfpred-text 1\n"));
  const int64_t n = 10;
  struct perfpred_measurement measurement = PERFPRED_MEASUREMENT_INIT;
  struct perfpred_measure_options options = PERFPRED_MEASURE_OPTIONS_INIT;
  options.repetitions = 5;
  cr_assert_eq(perfpred_measure(sampler, program, &n, 1, &options, &measurement, &error), PERFPRED_OK, "%s",
               error.text);
  cr_expect_eq(calls, 10);
  cr_expect_float_eq(measurement.time_s.min, 2e-6, 1e-12);
  cr_expect_float_eq(measurement.time_s.med, 4 + 2e-6, 1e-12);
  cr_expect_float_eq(measurement.time_s.max, 8 + 2e-6, 1e-12);
  cr_expect_float_eq(measurement.time_s.mean, 4 + 2e-6, 1e-12);
  cr_expect_float_eq(measurement.time_s.std, sqrt(10.0), 1e-12);
  cr_expect_eq(measurement.repetitions, 5);
  cr_expect_eq(measurement.disturbed, 0);
  cr_expect_eq(measurement.gated, 1);
  cr_expect_eq(measurement.ld, 16);
  cr_expect(isnan(measurement.residual));
  /* halves 2e-6, 2 + 2e-6 and 4, 6, 8: medians 1 and 6 */
  cr_expect_float_eq(measurement.noise, 5.0 / 3.5, 1e-5);
  perfpred_program_unref(program);
}

Test(virtual, defaults) {
  struct perfpred_program *program = parse_program(two_calls + strlen("perfpred-text 1\n"));
  const int64_t n = 10;
  struct perfpred_measurement measurement = PERFPRED_MEASUREMENT_INIT;
  cr_assert_eq(perfpred_measure(sampler, program, &n, 1, NULL, &measurement, NULL), PERFPRED_OK);
  cr_expect_eq(measurement.repetitions, 10);
  perfpred_program_unref(program);
}

/* C49: a program built against a release with fewer options: what lies beyond its size counts as 0. */
Test(virtual, options_of_a_smaller_size) {
  struct perfpred_program *program = parse_program(two_calls + strlen("perfpred-text 1\n"));
  const int64_t n = 10;
  struct perfpred_measurement measurement = PERFPRED_MEASUREMENT_INIT;
  struct perfpred_measure_options options = PERFPRED_MEASURE_OPTIONS_INIT;
  options.size = offsetof(struct perfpred_measure_options, ld);
  options.repetitions = 3;
  options.ld = -1; /* not there, as far as the caller knows */
  options.budget_s = NAN;
  cr_assert_eq(perfpred_measure(sampler, program, &n, 1, &options, &measurement, &error), PERFPRED_OK, "%s",
               error.text);
  cr_expect_eq(measurement.repetitions, 3);
  perfpred_program_unref(program);
}

/* C49: and results of a smaller size are written no further. */
Test(virtual, results_of_a_smaller_size) {
  struct perfpred_program *program = parse_program(two_calls + strlen("perfpred-text 1\n"));
  const int64_t n = 10;
  struct perfpred_measurement measurement = PERFPRED_MEASUREMENT_INIT;
  measurement.yardstick_s = measurement.yardstick_reference_s = 7.0;
  measurement.size = offsetof(struct perfpred_measurement, yardstick_s);
  cr_assert_eq(perfpred_measure(sampler, program, &n, 1, NULL, &measurement, &error), PERFPRED_OK);
  cr_expect(measurement.yardstick_s == 7.0 && measurement.yardstick_reference_s == 7.0);
  measurement.size = sizeof measurement;
  cr_assert_eq(perfpred_measure(sampler, program, &n, 1, NULL, &measurement, &error), PERFPRED_OK);
  cr_expect(measurement.yardstick_s == 0.0 && measurement.yardstick_reference_s == 0.0, "a virtual clock has none");
  measurement.size = offsetof(struct perfpred_measurement, residual);
  cr_assert_eq(perfpred_measure(sampler, program, &n, 1, NULL, &measurement, &error), PERFPRED_INVALID);
  perfpred_program_unref(program);
}

Test(virtual, nothing_to_do_takes_no_time) {
  struct perfpred_program *program = parse_program(two_calls + strlen("perfpred-text 1\n"));
  const int64_t n = 0;
  struct perfpred_measurement measurement = PERFPRED_MEASUREMENT_INIT;
  cr_assert_eq(perfpred_measure(sampler, program, &n, 1, NULL, &measurement, &error), PERFPRED_OK);
  cr_expect_eq(measurement.time_s.max, 0.0);
  cr_expect_eq(measurement.noise, 0.0);
  perfpred_program_unref(program);
}

Test(virtual, bad_arguments) {
  struct perfpred_program *program = parse_program(two_calls + strlen("perfpred-text 1\n"));
  const int64_t n = 10, negative = -1;
  struct perfpred_measurement measurement = PERFPRED_MEASUREMENT_INIT, untouched;
  measurement.ld = 77;
  struct perfpred_measure_options options[6];
  for (int i = 0; i < 6; i++)
    options[i] = (struct perfpred_measure_options)PERFPRED_MEASURE_OPTIONS_INIT;
  options[0].size = 0;
  options[1].repetitions = -1;
  options[2].ld = -8;
  options[3].gate = NAN;
  options[4].budget_s = -1.0;
  options[5].budget_s = NAN;
  for (int i = 0; i < 6; i++) {
    cr_expect_eq(perfpred_measure(sampler, program, &n, 1, &options[i], &measurement, &error), PERFPRED_INVALID);
    cr_expect_not_null(strstr(error.text, "options."), "%s", error.text);
  }
  cr_expect_eq(perfpred_measure(NULL, program, &n, 1, NULL, &measurement, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_measure(sampler, NULL, &n, 1, NULL, &measurement, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_measure(sampler, program, NULL, 1, NULL, &measurement, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_measure(sampler, program, &n, 1, NULL, NULL, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_measure(sampler, program, &n, 0, NULL, &measurement, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_measure(sampler, program, &n, 2, NULL, &measurement, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_measure(sampler, program, &negative, 1, NULL, &measurement, &error), PERFPRED_INVALID);
  cr_expect_not_null(strstr(error.text, "n"));
  cr_expect_eq(measurement.ld, 77);
  untouched = measurement;
  untouched.size = 0;
  cr_expect_eq(perfpred_measure(sampler, program, &n, 1, NULL, &untouched, &error), PERFPRED_INVALID);
  cr_expect_eq(calls, 0);
  perfpred_program_unref(program);
}

Test(virtual, creation_needs_context_and_cost) {
  struct perfpred_sampler *none = NULL;
  cr_expect_eq(perfpred_sampler_create_virtual(NULL, cost, NULL, NULL, &none, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_sampler_create_virtual(&context, NULL, NULL, NULL, &none, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_sampler_create_virtual(&context, cost, NULL, NULL, NULL, &error), PERFPRED_INVALID);
  cr_expect_null(none);
  perfpred_sampler_destroy(NULL);
}

Test(virtual, failing_cost_is_named) {
  struct perfpred_program *program = parse_program(two_calls + strlen("perfpred-text 1\n"));
  const int64_t n = 10;
  struct perfpred_measurement measurement = PERFPRED_MEASUREMENT_INIT;
  failing = 7;
  cr_expect_eq(perfpred_measure(sampler, program, &n, 1, NULL, &measurement, &error), PERFPRED_NUMERIC);
  cr_expect_not_null(strstr(error.text, "dtrsm"));
  failing = 0;
  offset = -100.0;
  cr_expect_eq(perfpred_measure(sampler, program, &n, 1, NULL, &measurement, &error), PERFPRED_NUMERIC, "not negative");
  perfpred_program_unref(program);
}

/* 2 us, 2 s, ...: a budget of a second is used up in the second round. */
Test(virtual, budget_is_of_virtual_time) {
  struct perfpred_program *program = parse_program(two_calls + strlen("perfpred-text 1\n"));
  const int64_t n = 10;
  struct perfpred_measurement measurement = PERFPRED_MEASUREMENT_INIT;
  struct perfpred_measure_options options = PERFPRED_MEASURE_OPTIONS_INIT;
  options.budget_s = 1.0;
  cr_assert_eq(perfpred_measure(sampler, program, &n, 1, &options, &measurement, &error), PERFPRED_OK);
  cr_expect_eq(measurement.repetitions, 2);
  perfpred_program_unref(program);
}

static int cancel(void *data, const struct perfpred_progress *progress) {
  (void)progress;
  return ++*(int *)data == 3;
}

Test(virtual, cancelling) {
  struct perfpred_program *program = parse_program(two_calls + strlen("perfpred-text 1\n"));
  const int64_t n = 10;
  int told = 0;
  struct perfpred_measurement measurement = PERFPRED_MEASUREMENT_INIT;
  struct perfpred_measure_options options = PERFPRED_MEASURE_OPTIONS_INIT;
  options.progress = cancel;
  options.progress_data = &told;
  cr_expect_eq(perfpred_measure(sampler, program, &n, 1, &options, &measurement, &error), PERFPRED_CANCELLED);
  cr_expect_eq(told, 3);
  perfpred_program_unref(program);
}

Test(virtual, description) {
  struct ppi_machine machine, here;
  struct ppi_setup setup;
  ppi_machine_here(&here);
  cr_assert_eq(sampler->ops->describe(sampler, INFINITY, &machine, &setup, &error), PERFPRED_OK);
  cr_expect_eq(ppi_machine_compare(&machine, &here, &error), PERFPRED_OK);
  cr_expect_str_eq(setup.clock, "virtual");
  cr_expect_str_eq(setup.blas.family, "virtual");
  cr_expect_eq(setup.yardstick_s, 0.0);
  cr_expect_eq(setup.threads, 1);
  cr_expect_eq(setup.protocol, PPI_PROTOCOL);
}

Test(virtual, least_squares_needs_a_routine) {
  double a[4] = { 1, 0, 0, 1 }, b[2] = { 1, 2 };
  int rank = 77;
  cr_expect_eq(sampler->ops->least_squares(sampler, 2, 2, 1, a, b, &rank, &error), PERFPRED_UNSUPPORTED);
  cr_expect_eq(rank, 77);
}
