/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls in known states of the caches, executions call by call, steps behind touched operands: exact on the virtual clock, and in process
   with kernels that look at what they are given. */
#include <math.h>

#include "measure/core_state.h"
#include "measure/sampler.h"
#include "world.h"

static struct perfpred_sampler *sampler;

TestSuite(states, .init = world_start, .fini = world_stop);

/* 1 s warm, 2 in, 3 outer, 4 out; 10 in an execution, and 20 behind a dtrsm. */
static double cost(void *data, const struct perfpred_virtual_call *call) {
  (void)data;
  switch ((int)call->state) {
  case PERFPRED_STATE_WARM:
    return 1.0;
  case PERFPRED_STATE_IN:
    return 2.0;
  case PERFPRED_STATE_OUTER:
    return 3.0;
  case PERFPRED_STATE_OUT:
    return 4.0;
  default:
    return call->previous && strcmp(call->previous, "dtrsm") == 0 ? 20.0 : 10.0;
  }
}

static void virtual_sampler(void) {
  cr_assert_eq(perfpred_sampler_create_virtual(&context, cost, NULL, NULL, &sampler, &error), PERFPRED_OK);
}

Test(states, a_virtual_clock_knows_the_state) {
  static const enum perfpred_cache_state states[] = { PERFPRED_STATE_OUT, PERFPRED_STATE_WARM, PERFPRED_STATE_OUTER,
                                                      PERFPRED_STATE_IN };
  static const double expected[] = { 4.0, 1.0, 3.0, 2.0 };
  const struct perfpred_kernel *kernel = ppi_kernels_find(context.kernels, "dgemm");
  struct ppi_value values[PPI_ARG_MAX];
  struct ppi_request requests[4];
  struct ppi_result results[4];
  struct ppi_sampling sampling = { .repetitions = 1, .states = states };
  virtual_sampler();
  cr_assert_eq(ppi_case_parse(kernel, "N,N,1,1", values, &error), PERFPRED_OK, "%s", error.text);
  for (int k = 0; k < kernel->size_count; k++)
    values[kernel->sizes[k]].i = 8;
  for (int i = 0; i < 4; i++)
    requests[i] = (struct ppi_request){ .kernel = kernel, .values = values };
  cr_assert_eq(sampler->ops->sample(sampler, requests, 4, &sampling, results, &error), PERFPRED_OK, "%s", error.text);
  for (int i = 0; i < 4; i++)
    cr_expect_eq(results[i].times_s[0], expected[i]);
  ppi_results_free(results, 4);
  sampling.states = NULL;
  cr_assert_eq(sampler->ops->sample(sampler, requests, 4, &sampling, results, &error), PERFPRED_OK);
  cr_expect_eq(results[3].times_s[0], 1.0, "warm is what nothing else is said of");
  ppi_results_free(results, 4);
  perfpred_sampler_destroy(sampler);
}

/* Cholesky 3, n = 24, b = 8: dpotrf2 dtrsm dsyrk, dpotrf2 dtrsm dsyrk, dpotrf2; the other two have nothing to do in the last step. */
Test(states, calls_of_an_execution_have_times_of_their_own) {
  static const int64_t parameters[] = { 24, 8 };
  static const double expected[] = { 10.0, 10.0, 20.0, 10.0, 10.0, 20.0, 10.0 };
  const struct ppi_execution execution = { ppi_programs_find(context.programs, "chol-l-3"), parameters, 2 };
  const struct ppi_sampling sampling = { .repetitions = 3 };
  struct ppi_result results[8];
  virtual_sampler();
  cr_assert_eq(sampler->ops->calls(sampler, &execution, 7, &sampling, results, &error), PERFPRED_OK, "%s", error.text);
  for (int i = 0; i < 7; i++) {
    cr_assert_eq(results[i].count, 3);
    for (int k = 0; k < 3; k++)
      cr_expect_eq(results[i].times_s[k], expected[i], "call %d", i);
  }
  ppi_results_free(results, 7);
  cr_expect_eq(sampler->ops->calls(sampler, &execution, 6, &sampling, results, &error), PERFPRED_INVALID);
  ppi_error_clear(&error);
  cr_expect_eq(sampler->ops->calls(sampler, &execution, 8, &sampling, results, &error), PERFPRED_INVALID);
  perfpred_sampler_destroy(sampler);
}

/* --- In process ---------------------------------------------------------------------------------------------------- */

struct seen {
  int calls, wrong;
  double first[3];
};

/* A lower triangle and a matrix that are read, one that is overwritten: they have the values of the first call every time. */
static int look(void *data, void *const args[]) {
  struct seen *seen = data;
  int64_t n = *(const int64_t *)args[0];
  double *l = args[1], *a = args[3], *c = args[5];
  double now[3] = { l[n - 1], a[0], c[0] };
  for (int i = 0; i < 3; i++) {
    if (seen->calls == 0)
      seen->first[i] = now[i];
    seen->wrong += memcmp(&now[i], &seen->first[i], sizeof now[i]) != 0;
  }
  c[0] += 1.0;
  seen->calls++;
  return 0;
}

Test(states, operands_have_their_values_in_every_state) {
  static const enum perfpred_cache_state states[] = { PERFPRED_STATE_WARM, PERFPRED_STATE_IN, PERFPRED_STATE_OUTER,
                                                      PERFPRED_STATE_OUT };
  struct seen seen = { 0 };
  struct ppi_value values[PPI_ARG_MAX] = { { .i = 40 } };
  const struct perfpred_kernel *kernel = register_free_form(
      "kernel dlook(n: size, l: in triangle(L)[n], ldl, a: in matrix[n, n], lda, c: inout matrix[n, n], "
      "ldc)\nend\n",
      look, &seen);
  struct ppi_request requests[4];
  struct ppi_result results[4];
  const struct ppi_sampling sampling = { .repetitions = 3, .gate = -1.0, .states = states };
  cr_assert_eq(perfpred_sampler_create_local(&context, NULL, &sampler, &error), PERFPRED_OK);
  for (int i = 0; i < 4; i++)
    requests[i] = (struct ppi_request){ .kernel = kernel, .values = values };
  cr_assert_eq(sampler->ops->sample(sampler, requests, 4, &sampling, results, &error), PERFPRED_OK, "%s", error.text);
  cr_expect_eq(seen.wrong, 0, "%d of %d calls", seen.wrong, seen.calls);
  for (int i = 0; i < 4; i++)
    for (size_t k = 0; k < results[i].count; k++)
      cr_expect(isfinite(results[i].times_s[k]) && results[i].times_s[k] > 0.0);
  ppi_results_free(results, 4);
  perfpred_sampler_destroy(sampler);
}

struct lines {
  const unsigned char *line[64];
  size_t count;
};

static void add_line(void *data, const unsigned char *line) {
  struct lines *lines = data;
  cr_assert_lt(lines->count, 64);
  lines->line[lines->count++] = line;
}

static _Alignas(4096) unsigned char memory[8192];

/* 16 x 3 doubles at a distance of 32 (256 bytes): columns of 128 bytes, two lines each. Of the lower triangle column 2 begins at row 2,
   byte 16; of the upper one each column is within its first line. Of 8 x 3 lower with rows from 0 the whole is one line each. */
Test(states, lines_of_triangles) {
  struct lines lines = { .count = 0 };
  struct ppi_area area = { memory, 8, 16, 3, 1, 32, 'U' };
  ppi_area_lines(&area, add_line, &lines);
  cr_assert_eq(lines.count, 3);
  for (size_t i = 0; i < 3; i++)
    cr_expect_eq(lines.line[i], memory + 256 * i);
  lines.count = 0;
  area.part = 'L';
  ppi_area_lines(&area, add_line, &lines);
  cr_expect_eq(lines.count, 6);
  lines.count = 0;
  area = (struct ppi_area){ memory, 8, 10, 10, 1, 32, 'L' }; /* columns 8 and 9 begin in their second line */
  ppi_area_lines(&area, add_line, &lines);
  cr_assert_eq(lines.count, 18);
  cr_expect_eq(lines.line[16], memory + 8 * 256 + 64);
  cr_expect_eq(lines.line[17], memory + 9 * 256 + 64);
  ppi_evict_area(ppi_evict_kind(), &area);
  ppi_evict_range(ppi_evict_kind(), memory, memory + sizeof memory);
  ppi_evict_finish();
  ppi_touch_area(&area);
}

static int made;

static int count_call(void *data, void *const args[]) {
  (void)data;
  (void)args;
  made++;
  return 0;
}

/* A step of one call behind a step of one: two calls in a run, or one where the step before is touched. The first step has none before it
   either way. */
Test(states, a_step_before_is_run_or_touched) {
  static const int64_t parameters[] = { 40, 8 };
  const struct ppi_window windows[] = { { parameters, { 8, 8 }, { 16, 8 }, 1 }, { parameters, { 0, 0 }, { 0, 8 }, 1 } };
  struct ppi_sampling sampling = { .repetitions = 2, .gate = -1.0, .touched = true };
  struct ppi_result results[2];
  register_free_form("kernel dcount(m: size, n: size, a: inout matrix[m, n], lda)\nend\n", count_call, NULL);
  struct perfpred_program *program =
      parse_program("algorithm counting(n, b)\n  inout A: double matrix[n, n]\n"
                    "  for i in 0:n by b as w\n    dcount(n - i, w, A[i, i])\n  end\nend\n");
  cr_assert_eq(perfpred_sampler_create_local(&context, NULL, &sampler, &error), PERFPRED_OK);
  if (ppi_evict_kind() == PPI_EVICT_NONE) {
    cr_expect_eq(sampler->ops->windows(sampler, program, windows, 2, &sampling, results, &error), PERFPRED_UNSUPPORTED);
  } else {
    int touched;
    cr_assert_eq(sampler->ops->windows(sampler, program, windows, 1, &sampling, results, &error), PERFPRED_OK, "%s",
                 error.text);
    cr_expect_geq(results[0].count, 2);
    ppi_results_free(results, 1);
    touched = made;
    cr_expect_gt(touched, 0);
    cr_assert_eq(sampler->ops->windows(sampler, program, windows, 2, &sampling, results, &error), PERFPRED_OK, "%s",
                 error.text);
    ppi_results_free(results, 2);
  }
  perfpred_program_unref(program);
  perfpred_sampler_destroy(sampler);
}

/* The virtual clock charges nothing for the step before, whose last call is dsyrk all the same. */
Test(states, virtual_steps_behind_touched_operands) {
  static const int64_t parameters[] = { 40, 8 };
  const struct ppi_window window = { parameters, { 8, 8 }, { 16, 8 }, 1 };
  const struct ppi_sampling sampling = { .repetitions = 1, .touched = true };
  struct ppi_result results[3];
  virtual_sampler();
  cr_assert_eq(sampler->ops->windows(sampler, ppi_programs_find(context.programs, "chol-l-3"), &window, 1, &sampling,
                                     results, &error),
               PERFPRED_OK);
  cr_expect_eq(results[0].times_s[0] + results[1].times_s[0] + results[2].times_s[0], 40.0);
  cr_expect_eq(sampler->ops->now_s(sampler), 40.0);
  ppi_results_free(results, 3);
  perfpred_sampler_destroy(sampler);
}

/* Six calls of an algorithm in process: each has a time, and INFO of none is wrong. */
Test(states, calls_in_process) {
  static const int64_t parameters[] = { 48, 8 };
  const struct ppi_sampling sampling = { .repetitions = 2, .gate = -1.0 };
  struct ppi_result results[6];
  register_free_form("kernel dcount(m: size, n: size, a: inout matrix[m, n], lda)\nend\n", count_call, NULL);
  struct perfpred_program *program =
      parse_program("algorithm counting(n, b)\n  inout A: double matrix[n, n]\n"
                    "  for i in 0:n by b as w\n    dcount(n - i, w, A[i, i])\n  end\nend\n");
  const struct ppi_execution execution = { program, parameters, 2 };
  cr_assert_eq(perfpred_sampler_create_local(&context, NULL, &sampler, &error), PERFPRED_OK);
  cr_assert_eq(sampler->ops->calls(sampler, &execution, 6, &sampling, results, &error), PERFPRED_OK, "%s", error.text);
  for (int i = 0; i < 6; i++) {
    cr_expect_geq(results[i].count, 2);
    for (size_t k = 0; k < results[i].count; k++)
      cr_expect_gt(results[i].times_s[k], 0.0);
  }
  ppi_results_free(results, 6);
  cr_expect_eq(sampler->ops->calls(sampler, &execution, 5, &sampling, results, &error), PERFPRED_INVALID);
  perfpred_program_unref(program);
  perfpred_sampler_destroy(sampler);
}
