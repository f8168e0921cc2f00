/* SPDX-License-Identifier: BSD-3-Clause */
/* Running programs: order and sizes of calls, views, limits, checks. Call lists are worked out by hand. */
#include "programs.h"

TestSuite(walk, .init = start, .fini = stop);

static void expect_calls(struct perfpred_program *program, const int64_t *values, size_t count, const char *expected) {
  char *calls = unrolled(program, values, count);
  cr_expect_str_eq(calls, expected);
  free(calls);
  perfpred_program_unref(program);
}

/* Walks and expects a failure. */
static void expect_error(struct perfpred_program *program, const int64_t *values, size_t count,
                         enum perfpred_status status, const char *message) {
  char *untouched = "x", *text = untouched;
  uint64_t calls = 77;
  struct perfpred_error error;
  ppi_error_clear(&error);
  enum perfpred_status got = perfpred_program_unroll(program, values, count, &calls, &text, &error);
  cr_expect_eq(got, status, "%s", error.text);
  cr_expect_str_eq(error.text, message);
  cr_expect_eq(text, untouched);
  cr_expect_eq(calls, 77);
  perfpred_program_unref(program);
}

Test(walk, cholesky_3) {
  expect_calls(found("chol-l-3"), (int64_t[]){ 300, 128 }, 2,
               "dpotrf2(L, 128, A[0, 0])\n"
               "dtrsm(R, L, T, N, 172, 128, 1, A[0, 0], A[128, 0])\n"
               "dsyrk(L, N, 172, 128, -1, A[128, 0], 1, A[128, 128])\n"
               "dpotrf2(L, 128, A[128, 128])\n"
               "dtrsm(R, L, T, N, 44, 128, 1, A[128, 128], A[256, 128])\n"
               "dsyrk(L, N, 44, 128, -1, A[256, 128], 1, A[256, 256])\n"
               "dpotrf2(L, 44, A[256, 256])\n"
               "dtrsm(R, L, T, N, 0, 44, 1, A[256, 256], A[300, 256])\n"
               "dsyrk(L, N, 0, 44, -1, A[300, 256], 1, A[300, 300])\n");
}

struct blocks {
  char seen[400];
  int begun[6];
  int count;
};

static void see_block(void *data, const struct ppi_node *loop, int index) {
  struct blocks *blocks = data;
  cr_assert_eq(loop->kind, PPI_NODE_FOR);
  if (blocks->count < 6)
    blocks->begun[blocks->count++] = index;
}

static enum perfpred_status see_block_call(void *data, const struct ppi_node *node, const struct ppi_value *values,
                                           struct perfpred_error *error) {
  struct blocks *blocks = data;
  size_t length = strlen(blocks->seen);
  (void)error;
  snprintf(blocks->seen + length, sizeof blocks->seen - length, "%s%d ", node->kernel->name,
           (int)values[node->kernel->sizes[0]].i);
  return PERFPRED_OK;
}

/* Blocks of the caller's in place of those of the loop: of n = 300, from 10 on 20 and from 30 on 40. Work of DPOTRF outside of the loop
   is none, as b < n. */
Test(walk, blocks_in_place_of_the_loops_own) {
  static const struct ppi_walk_block wanted[] = { { 10, 20 }, { 30, 40 } };
  const struct ppi_walker walker = { .call = see_block_call, .blocks = wanted, .block_count = 2, .block = see_block };
  struct blocks blocks = { .count = 0 };
  struct perfpred_program *program = found("dpotrf");
  struct perfpred_error error;
  cr_assert_eq(ppi_program_walk(program, (int64_t[]){ 300, 128 }, 2, &walker, &blocks, &error), PERFPRED_OK);
  cr_expect_str_eq(blocks.seen, "dsyrk20 dpotrf220 dgemm270 dtrsm270 dsyrk40 dpotrf240 dgemm230 dtrsm230 ");
  cr_expect_eq(blocks.count, 3);
  cr_expect_eq(blocks.begun[0], 0);
  cr_expect_eq(blocks.begun[1], 1);
  cr_expect_eq(blocks.begun[2], -1, "the end");
  perfpred_program_unref(program);
}

Test(walk, published_example) { /* Section 11: nine calls, the first two of size 0 */
  expect_calls(found("trinv-l-1"), (int64_t[]){ 800, 300 }, 2,
               "dtrmm(R, L, N, N, 300, 0, 1, A[0, 0], A[0, 0])\n"
               "dtrsm(L, L, N, N, 300, 0, -1, A[0, 0], A[0, 0])\n"
               "dtrti2(L, N, 300, A[0, 0])\n"
               "dtrmm(R, L, N, N, 300, 300, 1, A[0, 0], A[300, 0])\n"
               "dtrsm(L, L, N, N, 300, 300, -1, A[300, 300], A[300, 0])\n"
               "dtrti2(L, N, 300, A[300, 300])\n"
               "dtrmm(R, L, N, N, 200, 600, 1, A[0, 0], A[600, 0])\n"
               "dtrsm(L, L, N, N, 200, 600, -1, A[600, 600], A[600, 0])\n"
               "dtrti2(L, N, 200, A[600, 600])\n");
}

Test(
    walk,
    dpotrf_as_lapack) { /* DPOTRF 3.11, lower, N = 100, NB = 64: SYRK, POTRF2, GEMM, TRSM; the last step has no GEMM, TRSM */
  expect_calls(found("dpotrf"), (int64_t[]){ 100, 64 }, 2,
               "dsyrk(L, N, 64, 0, -1, A[0, 0], 1, A[0, 0])\n"
               "dpotrf2(L, 64, A[0, 0])\n"
               "dgemm(N, T, 36, 64, 0, -1, A[64, 0], A[0, 0], 1, A[64, 0])\n"
               "dtrsm(R, L, T, N, 36, 64, 1, A[0, 0], A[64, 0])\n"
               "dsyrk(L, N, 36, 64, -1, A[64, 0], 1, A[64, 64])\n"
               "dpotrf2(L, 36, A[64, 64])\n");
  expect_calls(found("zpotrf-u"), (int64_t[]){ 100, 64 }, 2,
               "zherk(U, C, 64, 0, -1, A[0, 0], 1, A[0, 0])\n"
               "zpotrf2(U, 64, A[0, 0])\n"
               "zgemm(C, N, 64, 36, 0, -1, A[0, 0], A[0, 64], 1, A[0, 64])\n"
               "ztrsm(L, U, C, N, 64, 36, 1, A[0, 0], A[0, 64])\n"
               "zherk(U, C, 36, 64, -1, A[0, 64], 1, A[64, 64])\n"
               "zpotrf2(U, 36, A[64, 64])\n");
  expect_calls(found("dpotrf"), (int64_t[]){ 64, 64 }, 2, "dpotrf2(L, 64, A[0, 0])\n");
  expect_calls(found("dpotrf"), (int64_t[]){ 100, 1 }, 2, "dpotrf2(L, 100, A[0, 0])\n");
  expect_calls(found("dpotrf"), (int64_t[]){ 0, 64 }, 2, "");
}

/* Starts and widths of the blocks of a loop, as "start+width ...". */
static void expect_blocks(const char *header, int64_t n, int64_t b, const char *expected) {
  char text[300], blocks[300] = "";
  snprintf(text, sizeof text,
           "algorithm a(n, b)\n  inout A: double matrix[n, n]\n  %s\n    dgemv(N, i, w, 1, A[0, 0], A[0, 0], 1, A[0, "
           "0])\n  end\nend\n",
           header);
  struct perfpred_program *program = parsed(text);
  char *calls = unrolled(program, (int64_t[]){ n, b }, 2);
  for (char *line = strtok(calls, "\n"); line; line = strtok(NULL, "\n")) {
    long long start_at = 0, width = 0;
    cr_assert_eq(sscanf(line, "dgemv(N, %lld, %lld,", &start_at, &width), 2);
    sprintf(blocks + strlen(blocks), "%s%lld+%lld", blocks[0] ? " " : "", start_at, width);
  }
  cr_expect_str_eq(blocks, expected, "%s, n = %d, b = %d: %s", header, (int)n, (int)b, blocks);
  free(calls);
  perfpred_program_unref(program);
}

Test(walk, forms_of_loops) {
  expect_blocks("for i in 0:n by b as w", 100, 32, "0+32 32+32 64+32 96+4");
  expect_blocks("for i in 0:n by b as w short last", 100, 32, "0+32 32+32 64+32 96+4");
  expect_blocks("for i in 0:n by b as w short first", 100, 32, "0+4 4+32 36+32 68+32");
  expect_blocks("for i in 0:n down by b as w", 100, 32, "96+4 64+32 32+32 0+32"); /* DTRTRI, lower */
  expect_blocks("for i in 0:n down by b as w short first", 100, 32, "96+4 64+32 32+32 0+32");
  expect_blocks("for i in 0:n down by b as w short last", 100, 32, "68+32 36+32 4+32 0+4");
  expect_blocks("for i in 1:n as w", 4, 1, "1+1 2+1 3+1");
  expect_blocks("for i in 1:n down as w", 4, 1, "3+1 2+1 1+1");
}

Test(walk, loops_at_the_edges) {
  static const char *const headers[] = { "for i in 0:n by b as w", "for i in 0:n by b as w short first",
                                         "for i in 0:n down by b as w", "for i in 0:n down by b as w short last" };
  for (int i = 0; i < 4; i++) {
    expect_blocks(headers[i], 0, 32, "");
    expect_blocks(headers[i], 32, 32, "0+32");
    expect_blocks(headers[i], 5, 32, "0+5");
  }
  expect_blocks("for i in n:3 as w", 5, 1, "");
  expect_blocks("for i in 2:n by b as w short first", 7, 3, "2+2 4+3");
}

Test(walk, conditions) {
  expect_calls(parsed("algorithm a(n)\n  inout A: double matrix[9, 9]\n"
                      "  for i in 0:n\n"
                      "    if i == 1 && n > 2\n      dpotrf2(L, 1, A[0, 0])\n"
                      "    else\n      let k = i > 1 ? i : 4\n      dpotrf2(U, k, A[0, 0])\n    end\n"
                      "  end\nend\n"),
               (int64_t[]){ 4 }, 1,
               "dpotrf2(U, 4, A[0, 0])\ndpotrf2(L, 1, A[0, 0])\ndpotrf2(U, 2, A[0, 0])\ndpotrf2(U, 3, A[0, 0])\n");
}

Test(walk, views_outside) {
  const char *text = "algorithm a(n, k)\n  inout A: double matrix[n, n]\n  dpotrf2(L, n, A[k, 0])\nend\n";
  expect_error(parsed(text), (int64_t[]){ 6, 1 }, 2, PERFPRED_INVALID,
               "a, line 3: argument a of dpotrf2 is 6 x 6 from [1, 0] on, expected it inside A, which is 6 x 6");
  const char *before = "algorithm a(n)\n  inout A: double matrix[n, n]\n  dpotrf2(L, 2, A[0, -1])\nend\n";
  expect_error(parsed(before), (int64_t[]){ 6 }, 1, PERFPRED_INVALID,
               "a, line 3: argument a of dpotrf2 is 2 x 2 from [0, -1] on, expected it inside A, which is 6 x 6");
  const char *row = "algorithm a(n)\n  inout A: double matrix[3, n]\n  daxpy(n, 1, row A[2, 1], row A[0, 0])\nend\n";
  expect_error(parsed(row), (int64_t[]){ 6 }, 1, PERFPRED_INVALID,
               "a, line 3: argument x of daxpy is 1 x 6 from [2, 1] on, expected it inside A, which is 3 x 6");
}

Test(walk, views_of_nothing_may_lie_anywhere) {
  expect_calls(parsed("algorithm a(n)\n  inout A: double matrix[n, n]\n"
                      "  dtrsm(R, L, T, N, 0, n, 1, A[0, 0], A[100, -5])\nend\n"),
               (int64_t[]){ 6 }, 1, "dtrsm(R, L, T, N, 0, 6, 1, A[0, 0], A[100, -5])\n");
}

Test(walk, negative_sizes) {
  expect_error(parsed("algorithm a(n)\n  inout A: double matrix[n, n]\n  dpotrf2(L, n - 8, A[0, 0])\nend\n"),
               (int64_t[]){ 6 }, 1, PERFPRED_INVALID, "a, line 3: n of dpotrf2 must be >= 0, got -2");
  expect_error(parsed("algorithm a(n)\n  inout A: double matrix[n - 8, n]\n  dpotrf2(L, 0, A[0, 0])\nend\n"),
               (int64_t[]){ 6 }, 1, PERFPRED_INVALID, "a: the extents of A must be >= 0, got -2");
}

Test(walk, views_of_views) {
  static const char text[] = "perfpred-text 1\n"
                             "algorithm outer(n)\n  inout A: double matrix[n, n]\n"
                             "  inner(n - 2, row A[1, 2], A[2, 1])\nend\n"
                             "algorithm inner(n)\n  in x: double vector[n]\n  inout y: double vector[n]\n"
                             "  daxpy(n - 1, 1, x[1], y[1])\nend\n";
  struct perfpred_error error;
  ppi_error_clear(&error);
  cr_assert_eq(ppi_programs_add_text(context.programs, context.kernels, text, sizeof text - 1, "t", &error),
               PERFPRED_OK, "%s", error.text);
  expect_calls(found("outer"), (int64_t[]){ 5 }, 1, "daxpy(2, 1, row A[1, 3], A[3, 1])\n");
  expect_error(parsed("algorithm a(n)\n  inout A: double matrix[n, n]\n  A[n, 0] += ddot(n, A[0, 0], A[0, 0])\nend\n"),
               (int64_t[]){ 6 }, 1, PERFPRED_INVALID,
               "a, line 3: argument result of ddot is 1 x 1 from [6, 0] on, expected it inside A, which is 6 x 6");
  expect_error(parsed("algorithm a(n)\n  inout A: double matrix[n, n]\n  daxpy(0, A[0, n], A[0, 0], A[0, 0])\nend\n"),
               (int64_t[]){ 6 }, 1, PERFPRED_INVALID,
               "a, line 3: argument alpha of daxpy is 1 x 1 from [0, 6] on, expected it inside A, which is 6 x 6");
  /* what the callee takes must lie inside what it was given, even where the caller's buffer is larger */
  static const char beyond[] =
      "perfpred-text 1\n"
      "algorithm outer2(n)\n  inout A: double matrix[n, n]\n  inner2(n - 2, A[0, 0])\nend\n"
      "algorithm inner2(n)\n  inout A: double matrix[n, n]\n  dpotrf2(L, n + 1, A[0, 0])\nend\n";
  cr_assert_eq(ppi_programs_add_text(context.programs, context.kernels, beyond, sizeof beyond - 1, "t", &error),
               PERFPRED_OK, "%s", error.text);
  expect_error(found("outer2"), (int64_t[]){ 5 }, 1, PERFPRED_INVALID,
               "inner2, line 8: argument a of dpotrf2 is 4 x 4 from [0, 0] on, expected it inside A, which is 3 x 3");
}

struct made {
  char log[400];
  int fail_at;
};

static enum perfpred_status log_enter(void *data, int buffer, const struct ppi_buffer *what, int64_t rows,
                                      int64_t columns, struct perfpred_error *error) {
  struct made *made = data;
  if (buffer == made->fail_at)
    return ppi_error_set(error, PERFPRED_NO_MEMORY, "no room");
  sprintf(made->log + strlen(made->log), "+%s%d(%" PRId64 ",%" PRId64 ")", what->name, buffer, rows, columns);
  return PERFPRED_OK;
}

static void log_leave(void *data, int buffer) {
  struct made *made = data;
  sprintf(made->log + strlen(made->log), "-%d", buffer);
}

static enum perfpred_status log_call(void *data, const struct ppi_node *node, const struct ppi_value *values,
                                     struct perfpred_error *error) {
  struct made *made = data;
  (void)node, (void)error;
  sprintf(made->log + strlen(made->log), " %d ", values[2].buffer);
  return PERFPRED_OK;
}

Test(walk, work_buffers_come_and_go) {
  struct perfpred_program *program =
      parsed("algorithm a(n)\n  work T: double matrix[n, 2]\n  work v: double vector[n]\n"
             "  if n > 1\n    a(n - 1)\n  end\n  dpotrf2(L, 1, T[0, 0])\nend\n");
  const struct ppi_walker walker = { .call = log_call, .enter = log_enter, .leave = log_leave };
  struct made made = { .fail_at = -1 };
  struct perfpred_error error;
  ppi_error_clear(&error);
  cr_assert_eq(ppi_program_walk(program, (int64_t[]){ 2 }, 1, &walker, &made, &error), PERFPRED_OK, "%s", error.text);
  cr_expect_str_eq(made.log, "+T0(2,2)+v1(2,1)+T2(1,2)+v3(1,1) 2 -3-2 0 -1-0");
  made = (struct made){ .fail_at = 3 };
  cr_expect_eq(ppi_program_walk(program, (int64_t[]){ 2 }, 1, &walker, &made, &error), PERFPRED_NO_MEMORY);
  cr_expect_str_eq(made.log, "+T0(2,2)+v1(2,1)+T2(1,2)-2-1-0");
  perfpred_program_unref(program);
}

Test(walk, recursion_is_limited) {
  const char *text = "algorithm a(n)\n  inout A: double matrix[1, 1]\n"
                     "  if n > 1\n    a(n - 1, A[0, 0])\n  end\n  dpotrf2(L, 1, A[0, 0])\nend\n";
  struct perfpred_program *program = parsed(text);
  uint64_t calls = 0;
  struct perfpred_error error;
  ppi_error_clear(&error);
  cr_expect_eq(perfpred_program_unroll(program, (int64_t[]){ 64 }, 1, &calls, NULL, &error), PERFPRED_OK);
  cr_expect_eq(calls, 64);
  expect_error(program, (int64_t[]){ 65 }, 1, PERFPRED_LIMIT, "a, line 4: a is called more than 64 levels deep");
  expect_error(parsed("algorithm a(n)\n  a(n)\nend\n"), (int64_t[]){ 1 }, 1, PERFPRED_LIMIT,
               "a, line 2: a is called more than 64 levels deep");
}

Test(walk, calls_are_limited) {
  struct perfpred_program *program = parsed("algorithm a(n)\n  inout A: double matrix[n, n]\n  for i in 0:n\n    "
                                            "dpotrf2(L, n, A[0, 0])\n    dpotrf2(L, n, A[0, 0])\n  end\nend\n");
  const struct ppi_walker walker = { .call = log_call, .limit = 4 };
  struct made made = { .fail_at = -1 };
  struct perfpred_error error;
  ppi_error_clear(&error);
  cr_expect_eq(ppi_program_walk(program, (int64_t[]){ 3 }, 1, &walker, &made, &error), PERFPRED_LIMIT);
  cr_expect_str_eq(error.text, "a, line 4: more than 4 calls");
  made.log[0] = '\0';
  cr_expect_eq(ppi_program_walk(program, (int64_t[]){ 2 }, 1, &walker, &made, &error), PERFPRED_OK);
  perfpred_program_unref(program);
}

Test(walk, parameters_are_checked) {
  expect_error(found("chol-l-3"), (int64_t[]){ -5, 8 }, 2, PERFPRED_INVALID, "n must be >= 0, got -5");
  expect_error(found("chol-l-3"), (int64_t[]){ 5, 0 }, 2, PERFPRED_INVALID, "b must be >= 1, got 0");
  expect_error(found("chol-l-3"), (int64_t[]){ 5, 8, 9 }, 3, PERFPRED_INVALID, "chol-l-3 takes 2 parameters, got 3");
  expect_error(found("chol-l-3"), NULL, 2, PERFPRED_INVALID, "parameters is NULL");
  /* any parameter that is a step, whatever its name */
  expect_error(parsed("algorithm a(n, s)\n  for i in 0:n by s\n  end\nend\n"), (int64_t[]){ 5, 0 }, 2, PERFPRED_INVALID,
               "s must be >= 1, got 0");
  expect_error(parsed("algorithm a(n, s)\n  for i in 0:n by s - 5\n  end\nend\n"), (int64_t[]){ 5, 0 }, 2,
               PERFPRED_INVALID, "a, line 2: the step of i must be >= 1, got -5");
  expect_error(
      parsed("algorithm a(n)\n  inout A: double spd triangle(L)[n]\n  call chol-l-3(n, n - 4, A[0, 0])\nend\n"),
      (int64_t[]){ 4 }, 1, PERFPRED_INVALID, "a, line 3: call of chol-l-3: b must be >= 1, got 0");
}

Test(walk, numbers_beyond_64_bits) {
  expect_error(parsed("algorithm a(n)\n  let m = n * n\nend\n"), (int64_t[]){ INT64_MAX }, 1, PERFPRED_OVERFLOW,
               "a, line 2: 9223372036854775807 * 9223372036854775807 goes beyond 64 bits");
  expect_error(parsed("algorithm a(n)\n  for i in -n:n by n\n  end\nend\n"), (int64_t[]){ INT64_MAX }, 1,
               PERFPRED_OVERFLOW,
               "a, line 2: the range -9223372036854775807:9223372036854775807 is longer than 64 bits can tell");
  expect_error(parsed("algorithm a(n)\n  let m = 7 / n\nend\n"), (int64_t[]){ 2 }, 1, PERFPRED_INVALID,
               "a, line 2: 7 / 2 leaves a remainder of 1");
}

Test(walk, cost) {
  struct perfpred_error error;
  ppi_error_clear(&error);
  double flops = 0;
  struct perfpred_program *program = found("trinv-l-1");
  cr_expect_eq(perfpred_program_cost(program, (int64_t[]){ 800, 300 }, 2, &flops, &error), PERFPRED_OK);
  cr_expect_eq(flops, 170986800.0); /* published */
  cr_expect_eq(perfpred_program_cost(program, (int64_t[]){ 800, 0 }, 2, &flops, &error), PERFPRED_INVALID);
  cr_expect_str_eq(error.text, "b must be >= 1, got 0");
  perfpred_program_unref(program);
  program = found("dpotrf"); /* n (n+1) (2n+1) / 6 for 10: 385 */
  cr_expect_eq(perfpred_program_cost(program, (int64_t[]){ 10, 4 }, 2, &flops, &error), PERFPRED_OK);
  cr_expect_eq(flops, 385.0);
  perfpred_program_unref(program);
  program = found("zpotrf"); /* 220 multiplications, 165 additions: 6 * 220 + 2 * 165 */
  cr_expect_eq(perfpred_program_cost(program, (int64_t[]){ 10, 4 }, 2, &flops, &error), PERFPRED_OK);
  cr_expect_eq(flops, 1650.0);
  perfpred_program_unref(program);
  program = parsed("algorithm a(n)\n  inout A: double matrix[n, n]\n"
                   "  dgemm(N, N, n, n, n, 1, A[0, 0], A[0, 0], 0, A[0, 0])\n"
                   "  dgemm(N, N, n, n, 1, 1, A[0, 0], A[0, 0], 0, A[0, 0])\nend\n");
  cr_expect_eq(perfpred_program_cost(program, (int64_t[]){ 10 }, 1, &flops, &error), PERFPRED_OK);
  cr_expect_eq(flops, 2200.0); /* the sum of the calls */
  perfpred_program_unref(program);
}

Test(walk, bytes) {
  struct perfpred_error error;
  ppi_error_clear(&error);
  double data = 0, movement = 0;
  struct perfpred_program *program =
      parsed("algorithm a(n)\n  in A: float matrix[n, 3]\n  inout B: double triangle(U)[n]\n"
             "  out x: cdouble vector[n]\n  work T: double matrix[n, n]\nend\n");
  cr_expect_eq(ppi_program_bytes(program, (int64_t[]){ 10 }, &data, &movement, &error), PERFPRED_OK);
  cr_expect_eq(data, 4 * 30 + 8 * 55 + 16 * 10);
  cr_expect_eq(movement, 4 * 30 + 2 * 8 * 55 + 16 * 10);
  perfpred_program_unref(program);
}

Test(walk, extents) {
  struct perfpred_program *program =
      parsed("algorithm a(n)\n  in A: float matrix[n, 3]\n  in B: double triangle(U)[n]\n"
             "  in x: double vector[2*n]\nend\n");
  static const int64_t expected[3][2] = { { 7, 3 }, { 7, 7 }, { 14, 1 } };
  for (int i = 0; i < 3; i++) {
    int64_t rows = -1, columns = -1;
    cr_expect_eq(ppi_buffer_extent(program, i, (int64_t[]){ 7 }, &rows, &columns, NULL), PERFPRED_OK);
    cr_expect_eq(rows, expected[i][0]);
    cr_expect_eq(columns, expected[i][1]);
  }
  perfpred_program_unref(program);
}

static enum perfpred_status sum_sizes(void *data, const struct ppi_node *node, const struct ppi_value *values,
                                      struct perfpred_error *error) {
  (void)error;
  for (int i = 0; i < node->kernel->arg_count; i++) {
    *(int64_t *)data += node->kernel->args[i].kind == PPI_ARG_SIZE ? values[i].i : 0;
    if (node->kernel->args[i].kind == PPI_ARG_DATA)
      cr_expect_eq(values[i].buffer, -1);
  }
  return PERFPRED_OK;
}

Test(walk, without_views) {
  struct perfpred_program *program = found("chol-l-3");
  const struct ppi_walker walker = { .call = sum_sizes, .without_views = true };
  int64_t sum = 0;
  cr_expect_eq(ppi_program_walk(program, (int64_t[]){ 300, 128 }, 2, &walker, &sum, NULL), PERFPRED_OK);
  cr_expect_eq(sum, 128 + 300 + 300 + 128 + 172 + 172 + 44 + 44 + 44);
  perfpred_program_unref(program);
}

Test(walk, nests_need_an_access_callback) {
  struct perfpred_program *program = parsed("nest a(n)\n  double x[n]\n  read x[0]\nend\n");
  const struct ppi_walker walker = { .call = sum_sizes };
  struct perfpred_error error;
  ppi_error_clear(&error);
  cr_expect_eq(ppi_program_walk(program, (int64_t[]){ 3 }, 1, &walker, NULL, &error), PERFPRED_UNSUPPORTED);
  perfpred_program_unref(program);
}
