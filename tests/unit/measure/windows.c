/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps timed call by call: on the virtual clock with exact times, and in process, where kernels look at what they are given. */
#include "measure/blocks.h"
#include "measure/core.h"
#include "program/calls.h"
#include "world.h"

static struct perfpred_sampler *sampler;

TestSuite(windows, .init = world_start, .fini = world_stop);

/* Seconds by the kernel that was called before: 1 after none, 2 after dpotrf2, 3 after dtrsm, 4 after dsyrk. */
static double cost(void *data, const struct perfpred_virtual_call *call) {
  static const char *const names[] = { "dpotrf2", "dtrsm", "dsyrk" };
  (void)data;
  for (int i = 0; call->previous && i < 3; i++)
    if (strcmp(call->previous, names[i]) == 0)
      return 2.0 + i;
  return 1.0;
}

static void virtual_sampler(void) {
  cr_assert_eq(perfpred_sampler_create_virtual(&context, cost, NULL, NULL, &sampler, &error), PERFPRED_OK);
}

/* dpotrf2, dtrsm, dsyrk of Cholesky 3 at n = 40, b = 8. */
Test(windows, calls_are_timed_after_those_of_the_step_before) {
  static const int64_t parameters[] = { 40, 8 };
  static const double expected[3][3] = { { 4.0, 2.0, 3.0 }, { 1.0, 2.0, 3.0 }, { 4.0, -1.0, -1.0 } };
  const struct ppi_window windows[] = { { parameters, { 8, 8 }, { 16, 8 }, 0 },
                                        { parameters, { 0, 0 }, { 0, 8 }, 0 },     /* the first: nothing before it */
                                        { parameters, { 24, 8 }, { 32, 8 }, 0 } }; /* the last: nothing below it */
  const struct ppi_sampling sampling = { .repetitions = 2, .ld = 48 };
  const struct perfpred_program *program = ppi_programs_find(context.programs, "chol-l-3");
  struct ppi_result results[9];
  virtual_sampler();
  cr_assert_eq(sampler->ops->windows(sampler, program, windows, 3, &sampling, results, &error), PERFPRED_OK, "%s",
               error.text);
  for (int i = 0; i < 9; i++) {
    double wanted = expected[i / 3][i % 3];
    cr_assert_eq(results[i].count, wanted > 0.0 ? 2 : 0, "part %d: %zu samples", i, results[i].count);
    for (size_t k = 0; k < results[i].count; k++)
      cr_expect_eq(results[i].times_s[k], wanted, "part %d", i);
    cr_expect_eq(results[i].ld, 48);
  }
  ppi_results_free(results, 9);
  perfpred_sampler_destroy(sampler);
}

/* A block need not be one of those that the loop itself would visit. */
Test(windows, any_place_will_do) {
  static const int64_t parameters[] = { 41, 8 };
  const struct ppi_window window = { parameters, { 3, 8 }, { 11, 8 }, 0 };
  const struct ppi_sampling sampling = { .repetitions = 1 };
  const struct perfpred_program *program = ppi_programs_find(context.programs, "chol-l-3");
  struct ppi_result results[3];
  virtual_sampler();
  cr_assert_eq(sampler->ops->windows(sampler, program, &window, 1, &sampling, results, &error), PERFPRED_OK);
  cr_expect_eq(results[2].times_s[0], 3.0);
  ppi_results_free(results, 3);
  perfpred_sampler_destroy(sampler);
}

static void expect_blocks(const char *name, int64_t n, const struct ppi_window *like, bool touched,
                          const struct ppi_walk_block *expected, int count) {
  const int64_t parameters[] = { n, 8 };
  struct ppi_blocks blocks = { .items = NULL };
  struct ppi_window window = *like;
  window.parameters = parameters;
  cr_assert_eq(ppi_blocks_find(&blocks, ppi_programs_find(context.programs, name), &window, touched, &error),
               PERFPRED_OK, "%s", error.text);
  cr_assert_eq(blocks.count, count, "%s, %lld: %d steps", name, (long long)window.step.start, blocks.count);
  for (int i = 0; i < count; i++) {
    cr_expect_eq(blocks.items[i].start, expected[i].start, "%s: step %d", name, i);
    cr_expect_eq(blocks.items[i].width, expected[i].width, "%s: step %d", name, i);
  }
  ppi_blocks_free(&blocks);
}

/* Blocks of 8: 0, 8, 16, 24, 32 of 40; of 20, which dtrtri goes through from the end, 16 (the last 4), 8, 0. */
Test(windows, steps_before_are_those_of_the_loop) {
  static const struct ppi_walk_block up[] = { { 0, 8 }, { 8, 8 }, { 16, 8 }, { 24, 8 }, { 32, 8 } };
  static const struct ppi_walk_block down[] = { { 16, 4 }, { 8, 8 }, { 0, 8 } };
  struct ppi_window window = { NULL, { 24, 8 }, { 32, 8 }, 2 };
  expect_blocks("chol-l-3", 40, &window, true, up + 2, 3);
  expect_blocks("chol-l-3", 40, &window, false, up + 3, 2);
  window.reach = 1000;
  expect_blocks("chol-l-3", 40, &window, true, up, 5);
  window.reach = 0;
  expect_blocks("chol-l-3", 40, &window, true, up + 4, 1);
  window = (struct ppi_window){ NULL, { 0, 0 }, { 0, 8 }, 3 };
  expect_blocks("chol-l-3", 40, &window, true, up, 1);
  expect_blocks("chol-l-3", 40, &window, false, up, 1);
  window = (struct ppi_window){ NULL, { 8, 8 }, { 0, 8 }, 3 };
  expect_blocks("dtrtri", 20, &window, true, down, 3);
  window.reach = 1;
  expect_blocks("dtrtri", 20, &window, true, down + 1, 2);
  window = (struct ppi_window){ NULL, { 3, 8 }, { 11, 8 }, 2 }; /* not one of the loop's */
  expect_blocks("chol-l-3", 41, &window, true, (const struct ppi_walk_block[]){ { 11, 8 } }, 1);
}

/* The calls of called programs come behind the program's own, each text once: dgetrf is dgetrf-mn, whose first call is the unblocked one. */
Test(windows, calls_have_one_order) {
  struct ppi_calls calls;
  cr_assert_eq(ppi_calls_of(ppi_programs_find(context.programs, "dgetrf"), &calls, &error), PERFPRED_OK);
  cr_assert_geq(calls.count, 7);
  cr_expect_str_eq(calls.sites[0].program->name, "dgetrf-mn");
  cr_expect_str_eq(calls.sites[0].node->kernel->name, "dgetrf2");
  cr_expect_str_eq(calls.sites[1].node->kernel->name, "dgetrf2");
  cr_expect_str_eq(calls.sites[2].node->kernel->name, "dlaswp");
  for (size_t i = 0; i < calls.count; i++)
    cr_expect_eq(ppi_calls_place(&calls, calls.sites[i].node), i);
  ppi_calls_free(&calls);
}

/* --- In process ---------------------------------------------------------------------------------------------------- */

static int calls_made, wrong;
static double diagonal, below;
static int64_t sizes[8], last_ld;

/* Adds 1 to all of its operand, whose first element has to be what it was the first time. */
static int touch(void *const args[], double *first) {
  int64_t m = *(const int64_t *)args[0], n = *(const int64_t *)args[1], lda = *(const int64_t *)args[3];
  double *a = args[2];
  if (*first == 0.0)
    *first = a[0];
  wrong += a[0] != *first;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < m; i++)
      a[i + j * lda] += 1.0;
  if (calls_made < 8)
    sizes[calls_made] = m;
  last_ld = lda;
  calls_made++;
  return 0;
}

static int touch_diagonal(void *data, void *const args[]) {
  (void)data;
  return touch(args, &diagonal);
}

static int touch_below(void *data, void *const args[]) {
  (void)data;
  return touch(args, &below);
}

static struct perfpred_program *touching(const char *loops) {
  char text[600];
  register_free_form("kernel ddiagonal(m: size, n: size, a: inout matrix[m, n], lda)\nend\n", touch_diagonal, NULL);
  register_free_form("kernel dbelow(m: size, n: size, a: inout matrix[m, n], lda)\nend\n", touch_below, NULL);
  snprintf(text, sizeof text, "algorithm touching(n, b)\n  inout A: double triangular matrix[n, n]\n%send\n", loops);
  calls_made = wrong = 0;
  diagonal = below = 0.0;
  cr_assert_eq(perfpred_sampler_create_local(&context, NULL, &sampler, &error), PERFPRED_OK);
  return parse_program(text);
}

#define LOOP "  for i in 0:n by b as w\n    ddiagonal(w, w, A[i, i])\n    dbelow(n - i - w, w, A[i+w, i])\n  end\n"

/* All elements of one distance from the diagonal start equal in a triangular matrix, so every call of either kernel meets the same value if what runs
   before it overwrote has been put back. */
Test(windows, operands_are_put_back) {
  static const int64_t small[] = { 40, 8 }, large[] = { 600, 8 };
  const struct ppi_window windows[] = { { small, { 8, 8 }, { 16, 8 }, 0 }, { large, { 8, 8 }, { 16, 8 }, 0 } };
  const struct ppi_sampling sampling = { .repetitions = 4, .gate = -1.0, .ld = 48 };
  struct ppi_result results[4];
  struct perfpred_program *program = touching(LOOP);
  cr_assert_eq(sampler->ops->windows(sampler, program, windows, 2, &sampling, results, &error), PERFPRED_OK, "%s",
               error.text);
  cr_expect_eq(wrong, 0, "%d of %d calls met other values", wrong, calls_made);
  cr_expect_gt(calls_made, 4 * 2 * 4);
  cr_expect_eq(calls_made % 4, 0);
  cr_expect_eq(sizes[0], 8);
  cr_expect_eq(sizes[2], 8);
  cr_expect_eq(sizes[3] - sizes[1], -8, "the step comes after the one before it");
  for (int i = 0; i < 4; i++) {
    cr_expect_geq(results[i].count, 4);
    cr_expect_eq(results[i].ld, 600, "600 rows do not fit into 48");
    for (size_t k = 0; k < results[i].count; k++)
      cr_expect_gt(results[i].times_s[k], 0.0);
  }
  ppi_results_free(results, 4);
  perfpred_program_unref(program);
  perfpred_sampler_destroy(sampler);
}

/* T of 8 rows in a program whose matrix has 600. */
Test(windows, scratch_is_as_in_an_execution) {
  static const int64_t parameters[] = { 600, 8 };
  const struct ppi_window window = { parameters, { 8, 8 }, { 16, 8 }, 0 };
  const struct ppi_sampling sampling = { .repetitions = 1, .gate = -1.0 };
  struct ppi_result results[2];
  struct perfpred_program *program = touching("  work T: double matrix[b, b]\n  for i in 0:n by b as w\n"
                                              "    ddiagonal(w, w, A[i, i])\n    dbelow(w, w, T[0, 0])\n  end\n");
  cr_assert_eq(sampler->ops->windows(sampler, program, &window, 1, &sampling, results, &error), PERFPRED_OK, "%s",
               error.text);
  cr_expect_eq(results[0].ld, 600);
  cr_expect_eq(last_ld, 8);
  ppi_results_free(results, 2);
  perfpred_program_unref(program);
  perfpred_sampler_destroy(sampler);
}

static void expect_failure(const char *loops, const struct ppi_window *window, enum perfpred_status expected,
                           const char *text) {
  const struct ppi_sampling sampling = { .repetitions = 1 };
  struct ppi_result results[8];
  struct perfpred_program *program = touching(loops);
  cr_expect_eq(sampler->ops->windows(sampler, program, window, 1, &sampling, results, &error), expected, "%s",
               error.text);
  cr_expect_not_null(strstr(error.text, text), "%s", error.text);
  cr_expect_eq(calls_made, 0);
  perfpred_program_unref(program);
  perfpred_sampler_destroy(sampler);
}

Test(windows, one_loop_is_expected) {
  static const int64_t parameters[] = { 40, 8 };
  const struct ppi_window window = { parameters, { 8, 8 }, { 16, 8 }, 0 };
  expect_failure(LOOP LOOP, &window, PERFPRED_UNSUPPORTED, "touching has several loops, expected one");
}

Test(windows, calls_are_expected) {
  static const int64_t parameters[] = { 40, 8 };
  const struct ppi_window window = { parameters, { 8, 8 }, { 16, 8 }, 0 };
  expect_failure("", &window, PERFPRED_INVALID, "touching calls no kernel");
}

Test(windows, steps_outside_of_the_matrix) {
  static const int64_t parameters[] = { 40, 8 };
  const struct ppi_window window = { parameters, { 32, 8 }, { 40, 8 }, 0 };
  expect_failure(LOOP, &window, PERFPRED_INVALID, "expected it inside A, which is 40 x 40");
}

Test(windows, parameters_are_checked) {
  static const int64_t parameters[] = { 40, 0 };
  const struct ppi_window window = { parameters, { 8, 8 }, { 16, 8 }, 0 };
  expect_failure(LOOP, &window, PERFPRED_INVALID, "b");
}
