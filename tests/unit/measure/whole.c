/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole executions timed call by call: exact on the virtual clock and, in process, on a clock that the kernels themselves move. */
#include "measure/layout.h"
#include "program/calls.h"
#include "script.h"
#include "world.h"

static struct script script;
static int calls_made, wrong;
static int64_t last_ld;

/* A kernel that takes a given time and changes its operand. */
struct work {
  double time_s, first;
};

static int touch(void *data, void *const args[]) {
  struct work *work = data;
  int64_t m = *(const int64_t *)args[0], n = *(const int64_t *)args[1], lda = *(const int64_t *)args[3];
  double *a = args[2];
  if (work->first == 0.0)
    work->first = a[0];
  wrong += a[0] != work->first;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < m; i++)
      a[i + j * lda] += 1.0;
  script.now_s += work->time_s;
  last_ld = lda;
  calls_made++;
  return 0;
}

static struct work first_work, second_work;

static void start(void) {
  world_start();
  register_free_form("kernel dfirst(m: size, n: size, a: inout matrix[m, n], lda)\nend\n", touch, &first_work);
  register_free_form("kernel dsecond(m: size, n: size, a: inout matrix[m, n], lda)\nend\n", touch, &second_work);
}

TestSuite(whole, .init = start, .fini = world_stop);

/* Seconds by the kernel that was called before: 1 after none, 2 after dpotrf2, 3 after dtrsm, 4 after dsyrk. */
static double cost(void *data, const struct perfpred_virtual_call *call) {
  static const char *const names[] = { "dpotrf2", "dtrsm", "dsyrk" };
  (void)data;
  for (int i = 0; call->previous && i < 3; i++)
    if (strcmp(call->previous, names[i]) == 0)
      return 2.0 + i;
  return 1.0;
}

/* Cholesky 3 at n = 20, b = 8: dpotrf2 three times, after none and twice after dsyrk; the others twice, for nothing is below the last block. At
   n = 8 there is dpotrf2 alone. */
Test(whole, a_call_made_many_times_has_the_sum) {
  static const int64_t larger[] = { 20, 8 }, smaller[] = { 8, 8 };
  static const double expected[6] = { 1.0 + 4.0 + 4.0, 2.0 + 2.0, 3.0 + 3.0, 1.0, -1.0, -1.0 };
  const struct ppi_window windows[] = { { .parameters = larger }, { .parameters = smaller } };
  const struct ppi_sampling sampling = { .repetitions = 2 };
  const struct perfpred_program *program = ppi_programs_find(context.programs, "chol-l-3");
  struct perfpred_sampler *sampler = NULL;
  struct ppi_result results[6];
  cr_assert_eq(perfpred_sampler_create_virtual(&context, cost, NULL, NULL, &sampler, &error), PERFPRED_OK);
  cr_assert_eq(sampler->ops->windows(sampler, program, windows, 2, &sampling, results, &error), PERFPRED_OK, "%s",
               error.text);
  for (int i = 0; i < 6; i++) {
    cr_assert_eq(results[i].count, expected[i] > 0.0 ? 2 : 0, "part %d: %zu samples", i, results[i].count);
    for (size_t k = 0; k < results[i].count; k++)
      cr_expect_eq(results[i].times_s[k], expected[i], "part %d", i);
    cr_expect_eq(results[i].ld, i < 3 ? 24 : 8, "as in an execution");
  }
  ppi_results_free(results, 6);
  perfpred_sampler_destroy(sampler);
}

#define OUTER "algorithm outer(n, b)\n  inout A: double triangular matrix[n, n]\n"
#define INNER                                                                                                          \
  "perfpred-text 1\nalgorithm inner(n, b)\n  inout A: double triangular matrix[n, n]\n  for i in 0:n by b as w\n"      \
  "    dfirst(w, w, A[i, i])\n    dsecond(n - i - w, w, A[i+w, i])\n  end\nend\n"

static enum perfpred_status run(const char *text, const struct ppi_window *windows, size_t count, int64_t ld,
                                struct ppi_result *results) {
  struct ppi_core *core = NULL;
  first_work = (struct work){ 3.0, 0.0 };
  second_work = (struct work){ 5.0, 0.0 };
  script_start(&script);
  const struct ppi_bench bench = script_bench(&script);
  const struct ppi_core_options options = { .bench = &bench, .stream_bytes = 4096 };
  const struct ppi_sampling sampling = { .repetitions = 3, .ld = ld };
  struct perfpred_program *program = parse_program(text);
  cr_assert_eq(ppi_core_create(&options, &core, &error), PERFPRED_OK);
  calls_made = wrong = 0;
  enum perfpred_status status = ppi_core_windows(core, program, windows, count, &sampling, results, &error);
  ppi_core_destroy(core);
  perfpred_program_unref(program);
  return status;
}

static void expect_times(const struct ppi_result *result, double time_s) {
  cr_expect_geq(result->count, 3);
  cr_expect(result->gated);
  for (size_t k = 0; k < result->count; k++)
    cr_expect_float_eq(result->times_s[k], time_s, 1e-9 * time_s, "%g, expected %g", result->times_s[k], time_s);
}

/* Two loops. n = 20, b = 8: dfirst three times in each, dsecond twice. n = 40: five and four times, in buffers that are restored past the caches. */
Test(whole, of_several_loops) {
  static const int64_t small[] = { 20, 8 }, large[] = { 40, 8 };
  static const char loops[] = OUTER "  for i in 0:n by b as w\n    dfirst(w, w, A[i, i])\n  end\n"
                                    "  for i in 0:n by b as w\n    dsecond(n - i - w, w, A[i+w, i])\n  end\nend\n";
  const struct ppi_window windows[] = { { .parameters = small }, { .parameters = large } };
  struct ppi_result results[4];
  cr_assert_eq(run(loops, windows, 2, 0, results), PERFPRED_OK, "%s", error.text);
  expect_times(&results[0], 3 * 3.0);
  expect_times(&results[1], 2 * 5.0);
  expect_times(&results[2], 5 * 3.0);
  expect_times(&results[3], 4 * 5.0);
  cr_expect_eq(wrong, 0, "%d of %d calls met what an earlier run had left", wrong, calls_made);
  cr_expect_eq(results[1].ld, 24);
  cr_expect_eq(results[2].ld, 40);
  ppi_results_free(results, 4);
}

/* A program that is called twice has one result for each of its calls: dfirst 2 x 2 times, dsecond 2 x 1. */
Test(whole, of_called_programs) {
  static const int64_t parameters[] = { 32, 8 };
  const struct ppi_window window = { .parameters = parameters };
  struct ppi_result results[2];
  cr_assert_eq(ppi_programs_add_text(context.programs, context.kernels, INNER, strlen(INNER), "inner", &error),
               PERFPRED_OK, "%s", error.text);
  cr_assert_eq(
      run(OUTER "  call inner(16, b, A[0, 0])\n  call inner(16, b, A[16, 16])\nend\n", &window, 1, 56, results),
      PERFPRED_OK, "%s", error.text);
  expect_times(&results[0], 4 * 3.0);
  expect_times(&results[1], 2 * 5.0);
  cr_expect_eq(results[0].ld, 56);
  cr_expect_eq(last_ld, 56);
  cr_expect_eq(wrong, 0);
  ppi_results_free(results, 2);
}

static void expect_failure(const char *text, const int64_t *parameters, int64_t ld, enum perfpred_status status,
                           const char *naming) {
  const struct ppi_window window = { .parameters = parameters };
  struct ppi_result results[2];
  memset(&error, 0, sizeof error);
  cr_expect_eq(run(text, &window, 1, ld, results), status, "%s", error.text);
  cr_expect_not_null(strstr(error.text, naming), "%s", error.text);
  cr_expect_eq(calls_made, 0);
}

Test(whole, what_cannot_be_run) {
  static const int64_t parameters[] = { 40, 8 }, wrong_block[] = { 40, 0 };
  expect_failure(OUTER "end\n", parameters, 0, PERFPRED_INVALID, "outer calls no kernel");
  expect_failure(OUTER "  dfirst(n, n, A[1, 0])\nend\n", parameters, 0, PERFPRED_INVALID, "expected it inside A");
  expect_failure(OUTER "  dfirst(n, n, A[0, 0])\nend\n", parameters, 39, PERFPRED_INVALID, "leading dimension 39");
  expect_failure(OUTER "  dfirst(n, n, A[0, 0])\nend\n", wrong_block, 0, PERFPRED_INVALID, "b");
}

/* 20 columns of 160 bytes are 3840 bytes in lines, of 40 and more they are 12800: 4096 are the limit. What lies between the columns does not count. */
Test(whole, what_fits_into_the_cache_is_restored_there) {
  static const struct {
    int64_t n, ld;
    bool streaming;
  } cases[] = { { 20, 0, false }, { 20, 5000, false }, { 40, 0, true }, { 40, 5000, true } };
  struct perfpred_program *program = parse_program(OUTER "  dfirst(n, b, A[0, 0])\nend\n");
  const struct ppi_core_options options = { .stream_bytes = 4096 };
  const struct ppi_walker walker = { .call = ppi_layout_call };
  struct ppi_core *core = NULL;
  cr_assert_eq(ppi_core_create(&options, &core, &error), PERFPRED_OK, "%s", error.text);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const int64_t parameters[] = { cases[i].n, 8 };
    const struct ppi_execution execution = { program, parameters, 2 };
    struct ppi_layout layout = { .core = core, .wanted_ld = cases[i].ld, .planning = true };
    int64_t ld = 0;
    cr_assert_eq(ppi_layout_walk(&layout, &execution, walker, &ld, &error), PERFPRED_OK, "%s", error.text);
    cr_expect_eq(layout.memories[0].streaming, cases[i].streaming, "case %zu", i);
    ppi_layout_free(&layout);
  }
  ppi_core_destroy(core);
  perfpred_program_unref(program);
}
