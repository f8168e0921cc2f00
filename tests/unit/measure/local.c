/* SPDX-License-Identifier: BSD-3-Clause */
/* The sampler in process, with the real clocks: results are plausible, never compared with a speed. */
#include <math.h>

#include "measure/core_state.h"
#include "measure/history.h"
#include "world.h"

static struct perfpred_sampler *sampler;

static void start(void) {
  world_start();
  cr_assert_eq(perfpred_sampler_create_local(&context, NULL, &sampler, &error), PERFPRED_OK, "%s", error.text);
}

static void stop(void) {
  perfpred_sampler_destroy(sampler);
  world_stop();
}

TestSuite(local, .init = start, .fini = stop);

static int scale(void *data, void *const args[]) {
  int64_t n = *(const int64_t *)args[0];
  double alpha = *(const double *)args[1], *x = args[2];
  for (int64_t i = 0; i < n; i++)
    x[i] *= alpha;
  ++*(uint64_t *)data;
  return 0;
}

/* By reference, as Fortran does; fails for n of 13. */
static void scale_fortran(const int *n, const double *alpha, double *x, const int *incx, int *info) {
  for (int i = 0; i < *n; i++)
    x[i * *incx] *= *alpha;
  *info = *n == 13 ? 5 : 0;
}

static const char scale_text[] = "kernel dscale(n: size, alpha: scalar, x: inout vector[n])\n  mul n\nend\n";
static const char fortran_text[] =
    "kernel dscalef(n: size, alpha: scalar, x: inout vector[n], incx, info)\n  mul n\nend\n";

Test(local, samples_a_kernel_of_the_users) {
  uint64_t calls = 0;
  struct ppi_value values[PPI_ARG_MAX];
  const struct perfpred_kernel *kernel = register_free_form(scale_text, scale, &calls);
  cr_assert_eq(ppi_case_parse(kernel, "x", values, &error), PERFPRED_OK);
  values[0].i = 100000;
  const struct ppi_request request = { kernel, values, 0 };
  const struct ppi_sampling sampling = { .repetitions = 5 };
  struct ppi_result result;
  cr_assert_eq(sampler->ops->sample(sampler, &request, 1, &sampling, &result, &error), PERFPRED_OK, "%s", error.text);
  cr_expect_geq(result.count, 5 / 3);
  cr_expect_geq(calls, 2 * result.count);
  double sum = 0.0;
  for (size_t i = 0; i < result.count; i++) {
    cr_expect(isfinite(result.times_s[i]) && result.times_s[i] > 0.0);
    sum += result.times_s[i];
  }
  cr_expect_geq(result.measure_s, 0.0);
  cr_expect(isfinite(sum));
  ppi_results_free(&result, 1);
}

/* A kernel that does nothing: what is left after subtracting the overhead is tiny, but never 0 or negative. */
static int nothing(void *data, void *const args[]) {
  (void)data;
  (void)args;
  return 0;
}

Test(local, doing_nothing_is_not_no_time) {
  struct ppi_value values[PPI_ARG_MAX] = { { .i = 4 } };
  const struct perfpred_kernel *kernel =
      register_free_form("kernel dnothing(n: size, x: inout vector[n])\nend\n", nothing, NULL);
  const struct ppi_request request = { kernel, values, 0 };
  const struct ppi_sampling sampling = { .repetitions = 5 };
  struct ppi_result result;
  cr_assert_eq(sampler->ops->sample(sampler, &request, 1, &sampling, &result, &error), PERFPRED_OK);
  for (size_t i = 0; i < result.count; i++)
    cr_expect_gt(result.times_s[i], 0.0);
  ppi_results_free(&result, 1);
}

/* A clock that shows whole milliseconds; 50 ns pass from one look at it to the next. */
struct coarse {
  double now_s;
  uint64_t looks;
};

static double coarse_now(void *data) {
  struct coarse *coarse = data;
  coarse->looks++;
  coarse->now_s += 50e-9;
  return floor(coarse->now_s / 1e-3) * 1e-3;
}

static double coarse_yardstick(void *data) {
  ((struct coarse *)data)->now_s += 50e-6;
  return 25e-6;
}

static uint64_t no_switches(void *data) {
  (void)data;
  return 0;
}

/* C36: the overhead that is subtracted is not one of the clock's steps, and finding it out ends. */
Test(local, c36_overhead_on_a_coarse_clock) {
  struct coarse coarse = { 0 };
  const struct ppi_bench bench = { .wall = { "coarse", coarse_now, 1e-3, 0.0, &coarse },
                                   .cpu = { "coarse", coarse_now, 1e-3, 0.0, &coarse },
                                   .yardstick = coarse_yardstick,
                                   .switches = no_switches,
                                   .data = &coarse };
  const struct ppi_core_options options = { .bench = &bench };
  const struct perfpred_kernel *kernel =
      register_free_form("kernel dnothing(n: size, x: inout vector[n])\nend\n", nothing, NULL);
  struct ppi_value values[PPI_ARG_MAX] = { { .i = 4 } };
  const struct ppi_request request = { kernel, values, 0 };
  const struct ppi_sampling sampling = { .repetitions = 10 };
  struct ppi_core *core = NULL;
  struct ppi_result result;
  cr_assert_eq(ppi_core_create(&options, &core, &error), PERFPRED_OK);
  cr_assert_eq(ppi_core_sample(core, &request, 1, &sampling, &result, &error), PERFPRED_OK, "%s", error.text);
  cr_expect_gt(core->overhead_count, 0);
  for (int i = 0; i < core->overhead_count; i++)
    cr_expect(core->overheads[i].time_s >= 0.0 && core->overheads[i].time_s < 0.5e-3, "%g", core->overheads[i].time_s);
  for (size_t i = 0; i < result.count; i++)
    cr_expect(isfinite(result.times_s[i]) && result.times_s[i] > 0.0);
  cr_expect_geq(result.count, 10);
  cr_expect_lt(coarse.looks, 1000000);
  ppi_results_free(&result, 1);
  ppi_core_destroy(core);
}

/* What was said to be run, before any kernel was. */
struct signs {
  uint64_t count, calls;
};

static void count_signs(void *data, const char *what) {
  struct signs *signs = data;
  signs->count++;
  signs->calls += what[0] != '\0';
}

/* Whoever waits for a call and takes silence for a hang hears of every reading. */
Test(local, calibration_is_no_silence) {
  struct signs signs = { 0 };
  const struct ppi_core_options options = { .announce = count_signs, .data = &signs };
  struct ppi_core *core = NULL;
  cr_assert_eq(ppi_core_create(&options, &core, &error), PERFPRED_OK);
  ppi_core_calibrate(core);
  cr_expect_gt(core->level.count, 100);
  cr_expect_eq(signs.count, core->level.count);
  cr_expect_eq(signs.calls, 0);
  ppi_core_destroy(core);
}

Test(local, fortran_kernel_and_its_info) {
  cr_assert_eq(perfpred_kernel_register(&context, fortran_text, (perfpred_fortran_fn *)scale_fortran, &error),
               PERFPRED_OK, "%s", error.text);
  const struct perfpred_kernel *kernel = ppi_kernels_find(context.kernels, "dscalef");
  struct ppi_value values[PPI_ARG_MAX];
  const struct ppi_sampling sampling = { .repetitions = 2 };
  struct ppi_result result;
  static const enum perfpred_status expected[] = { PERFPRED_OK, PERFPRED_NUMERIC };
  for (int i = 0; i < 2; i++) {
    cr_assert_eq(ppi_case_parse(kernel, "x,x", values, &error), PERFPRED_OK);
    values[0].i = 12 + i;
    const struct ppi_request request = { kernel, values, 200 };
    cr_expect_eq(sampler->ops->sample(sampler, &request, 1, &sampling, &result, &error), expected[i]);
  }
  cr_expect_not_null(strstr(error.text, "dscalef(13)"), "%s", error.text);
  ppi_results_free(&result, 1);
}

static int fill_ones(void *data, void *const args[]) {
  int64_t m = *(const int64_t *)args[0], n = *(const int64_t *)args[1], lda = *(const int64_t *)args[3];
  double *a = args[2];
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < m; i++)
      a[i + j * lda] = 1.0;
  ++*(int *)data;
  return 0;
}

/* Counts what the kernel before it left: a view of 3 x 2 in a work buffer. */
static int count_ones(void *data, void *const args[]) {
  int64_t m = *(const int64_t *)args[0], n = *(const int64_t *)args[1], lda = *(const int64_t *)args[3];
  const double *a = args[2];
  double sum = 0.0;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < m; i++)
      sum += a[i + j * lda];
  *(double *)data = sum;
  return sum == 6.0 ? 0 : 9;
}

Test(local, executes_programs_with_work_buffers_and_views) {
  int fills = 0;
  double seen = 0.0;
  register_free_form("kernel dones(m: size, n: size, a: out matrix[m, n], lda)\nend\n", fill_ones, &fills);
  register_free_form("kernel dcount(m: size, n: size, a: in matrix[m, n], lda)\nend\n", count_ones, &seen);
  struct perfpred_program *program = parse_program("algorithm ones(n)\n  inout A: double matrix[n, n]\n"
                                                   "  work W: double matrix[n, n]\n  dones(3, 2, W[4, 5])\n"
                                                   "  dones(0, n, W[0, 0])\n  dcount(3, 2, W[4, 5])\nend\n");
  const int64_t n = 250;
  struct perfpred_measurement measurement = PERFPRED_MEASUREMENT_INIT;
  struct perfpred_measure_options options = PERFPRED_MEASURE_OPTIONS_INIT;
  options.repetitions = 3;
  cr_assert_eq(perfpred_measure(sampler, program, &n, 1, &options, &measurement, &error), PERFPRED_OK, "%s",
               error.text);
  cr_expect_eq(seen, 6.0);
  cr_expect_gt(fills, 6);
  cr_expect_eq(measurement.ld, 264, "250 rows: 256 is avoided");
  cr_expect_gt(measurement.time_s.min, 0.0);
  cr_expect(isnan(measurement.residual));
  options.ld = 1000;
  cr_assert_eq(perfpred_measure(sampler, program, &n, 1, &options, &measurement, &error), PERFPRED_OK);
  cr_expect_eq(measurement.ld, 1000);
  perfpred_program_unref(program);
}

/* Sizes that break a demand are refused before anything runs: alone and in a program. */
Test(local, calls_that_a_kernel_does_not_admit) {
  uint64_t calls = 0;
  const struct perfpred_kernel *kernel = register_free_form(
      "kernel dneed(n: size, k: size, x: inout vector[n])\n  require k <= n\nend\n", nothing, &calls);
  struct ppi_value values[PPI_ARG_MAX] = { { .i = 4 }, { .i = 5 } };
  const struct ppi_request request = { kernel, values, 0 };
  const struct ppi_sampling sampling = { .repetitions = 2 };
  struct ppi_result result;
  cr_expect_eq(sampler->ops->sample(sampler, &request, 1, &sampling, &result, &error), PERFPRED_INVALID);
  cr_expect_str_eq(error.text, "dneed: n = 4, k = 5; expected k <= n");
  struct perfpred_program *program =
      parse_program("algorithm need(n)\n  inout x: double vector[4]\n  dneed(4, n, x[0])\nend\n");
  struct perfpred_measurement measurement = PERFPRED_MEASUREMENT_INIT;
  int64_t n = 4;
  cr_expect_eq(perfpred_measure(sampler, program, &n, 1, NULL, &measurement, &error), PERFPRED_OK, "%s", error.text);
  n = 6;
  cr_expect_eq(perfpred_measure(sampler, program, &n, 1, NULL, &measurement, &error), PERFPRED_INVALID);
  cr_expect_str_eq(error.text, "dneed: n = 4, k = 6; expected k <= n");
  perfpred_program_unref(program);
}

Test(local, program_with_an_unbound_kernel) {
  struct perfpred_program *program =
      parse_program("algorithm solve(n)\n  inout A: double triangle(L)[n]\n  inout B: double matrix[n, n]\n"
                    "  dtrsm(R, L, T, N, n, n, 1, A[0, 0], B[0, 0])\nend\n");
  const int64_t n = 10;
  struct perfpred_measurement measurement = PERFPRED_MEASUREMENT_INIT;
  cr_expect_eq(perfpred_measure(sampler, program, &n, 1, NULL, &measurement, &error), PERFPRED_UNSUPPORTED);
  cr_expect_not_null(strstr(error.text, "dtrsm"));
  perfpred_program_unref(program);
}

Test(local, description) {
  struct ppi_machine machine;
  struct ppi_setup setup;
  cr_assert_eq(sampler->ops->describe(sampler, PPI_DESCRIBE_NOTHING_MEASURED, &machine, &setup, &error), PERFPRED_OK);
  cr_expect_eq(setup.yardstick_s, 0.0);
  cr_expect_eq(setup.protocol, PPI_PROTOCOL);
  cr_assert_eq(sampler->ops->describe(sampler, 0.0, &machine, &setup, &error), PERFPRED_OK);
  cr_expect_str_eq(setup.blas.family, "local");
  cr_expect_gt(setup.yardstick_s, 0.0);
  cr_expect_eq(setup.protocol, PPI_PROTOCOL);
  cr_expect(strcmp(setup.clock, "tsc") == 0 ? machine.tsc_hz > 1e6 : machine.tsc_hz == 0.0);
  cr_expect_str_neq(machine.cpu, "");
}

/* dgelsy's interface, for 2 x 2 diagonal systems. */
static void diagonal(const int *m, const int *n, const int *nrhs, double *a, const int *lda, double *b, const int *ldb,
                     int *jpvt, const double *rcond, int *rank, double *work, const int *lwork, int *info) {
  *info = *m < 0 || *lda < *m || *ldb < *n || jpvt[0] != 0 || *rcond <= 0.0 ? -1 : 0;
  if (*lwork == -1) {
    work[0] = 64.0;
    return;
  }
  work[*lwork - 1] = 0.0;
  *rank = 0;
  for (int i = 0; i < *n; i++) {
    *rank += a[i + i * *lda] != 0.0;
    for (int j = 0; j < *nrhs; j++)
      b[i + j * *ldb] /= a[i + i * *lda];
  }
}

Test(local, least_squares) {
  struct perfpred_sampler *with = NULL;
  cr_assert_eq(perfpred_sampler_create_local(&context, diagonal, &with, &error), PERFPRED_OK);
  double a[4] = { 2, 0, 0, 4 }, b[4] = { 2, 8, 6, 12 };
  int rank = 0;
  cr_assert_eq(with->ops->least_squares(with, 2, 2, 2, a, b, &rank, &error), PERFPRED_OK);
  cr_expect(b[0] == 1.0 && b[1] == 2.0 && b[2] == 3.0 && b[3] == 3.0);
  cr_expect_eq(rank, 2);
  double singular[4] = { 2, 0, 0, 0 }, right[2] = { 1, 1 }, nan[4] = { NAN, 0, 0, 1 };
  rank = 77;
  cr_expect_eq(with->ops->least_squares(with, 2, 2, 1, singular, right, &rank, &error), PERFPRED_NUMERIC);
  right[1] = 1.0;
  cr_expect_eq(with->ops->least_squares(with, 2, 2, 1, nan, right, &rank, &error), PERFPRED_NUMERIC);
  cr_expect_eq(with->ops->least_squares(with, 0, 2, 1, a, b, &rank, &error), PERFPRED_INVALID);
  cr_expect_eq(sampler->ops->least_squares(sampler, 2, 2, 1, a, b, &rank, &error), PERFPRED_UNSUPPORTED);
  cr_expect_eq(rank, 77);
  perfpred_sampler_destroy(with);
}

Test(local, bad_arguments) {
  struct perfpred_sampler *none = NULL;
  cr_expect_eq(perfpred_sampler_create_local(NULL, NULL, &none, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_sampler_create_local(&context, NULL, NULL, &error), PERFPRED_INVALID);
  cr_expect_null(none);
}
