/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels that look at what they are given: operands, leading dimensions, restoring, failures. */
#include <math.h>
#include <stdio.h>

#include "measure/core.h"
#include "measure/schedule.h"
#include "script.h"
#include "world.h"

static struct script script;
static struct ppi_core *core;
static struct ppi_result results[4];
static char announced[256];

static void announce(void *data, const char *what) {
  (void)data;
  snprintf(announced, sizeof announced, "%s", what);
}

/* On a scripted clock that moves by itself with every reading, so that samples have a length. */
static double ticking(void *data) {
  struct script *at = data;
  at->now_s += 200e-6;
  return at->now_s;
}

static void start(void) {
  world_start();
  script_start(&script);
  struct ppi_bench bench = script_bench(&script);
  bench.wall.now = ticking;
  const struct ppi_core_options options = { .announce = announce, .bench = &bench, .stream_bytes = 4096 };
  cr_assert_eq(ppi_core_create(&options, &core, &error), PERFPRED_OK);
  memset(results, 0, sizeof results);
}

static void stop(void) {
  ppi_results_free(results, 4);
  ppi_core_destroy(core);
  world_stop();
}

TestSuite(operands, .init = start, .fini = stop);

struct sight {
  uint64_t calls, wrong;
  int64_t fail_after; /* calls; 0: never */
  int64_t n, m, lda, ldb, incx;
  double seen[4];
};

/* B := B with every element overwritten; A is triangular, C spd, x a vector. The values must be those of fresh operands. */
static int look(void *data, void *const args[]) {
  struct sight *sight = data;
  int64_t m = *(const int64_t *)args[0], n = *(const int64_t *)args[1];
  const double *a = args[2], *c = args[6];
  double *b = args[4];
  int64_t lda = *(const int64_t *)args[3], ldb = *(const int64_t *)args[5], ldc = *(const int64_t *)args[7];
  static double first[1 << 16];
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < m; i++) {
      double *element = &b[i + j * ldb];
      if (sight->calls == 0)
        first[i + j * m] = *element;
      sight->wrong += !(*element == first[i + j * m]) || fabs(*element) > 1.0;
      *element *= 1e30; /* ten of these without a restore are beyond all numbers */
    }
  for (int64_t i = 0; i < m; i++) {
    sight->wrong += a[i + i * lda] != 1.0;
    double sum = 0.0;
    for (int64_t j = 0; j < m; j++) {
      sight->wrong += c[i + j * ldc] != c[j + i * ldc];
      sum += i == j ? 0.0 : fabs(c[i + j * ldc]);
    }
    sight->wrong += !(sum < c[i + i * ldc]);
  }
  sight->m = m;
  sight->n = n;
  sight->lda = lda;
  sight->ldb = ldb;
  sight->calls++;
  return sight->fail_after > 0 && sight->calls >= (uint64_t)sight->fail_after ? 3 : 0;
}

static const char look_text[] =
    "kernel dlook(m: size, n: size, a: in triangle(L)[m], lda, b: inout matrix[m, n], ldb,\n"
    "  c: in spd matrix[m, m], ldc)\nend\n";

static void set_sizes(struct ppi_value *values, int64_t m, int64_t n) {
  memset(values, 0, PPI_ARG_MAX * sizeof *values);
  values[0].i = m;
  values[1].i = n;
}

Test(operands, ten_thousand_runs_do_not_drift) {
  struct sight sight = { 0 };
  struct ppi_value values[PPI_ARG_MAX];
  const struct perfpred_kernel *kernel = register_free_form(look_text, look, &sight);
  set_sizes(values, 9, 11);
  const struct ppi_request request = { kernel, values, 16 };
  const struct ppi_sampling sampling = { .repetitions = 5000 };
  cr_assert_eq(ppi_core_sample(core, &request, 1, &sampling, results, &error), PERFPRED_OK, "%s", error.text);
  cr_expect_geq(sight.calls, 10000);
  cr_expect_eq(sight.wrong, 0);
  cr_expect_eq(sight.lda, 16);
  cr_expect_eq(results[0].ld, 16);
  cr_expect_str_eq(announced, "dlook(9,11)");
}

/* Requests of different sizes share memory; every run sees its own operands all the same. Large ones are streamed. */
Test(operands, requests_share_memory_without_harm) {
  static const int64_t sizes[][2] = { { 5, 7 }, { 100, 60 }, { 33, 1 }, { 100, 3 } };
  struct sight sights[4] = { { 0 } };
  struct ppi_value values[4][PPI_ARG_MAX];
  struct ppi_request requests[4];
  for (int i = 0; i < 4; i++) {
    char text[512];
    snprintf(text, sizeof text, "kernel dlook%d%s", i, look_text + strlen("kernel dlook"));
    set_sizes(values[i], sizes[i][0], sizes[i][1]);
    requests[i] = (struct ppi_request){ register_free_form(text, look, &sights[i]), values[i], i == 1 ? 50 : 0 };
  }
  for (int alone = 0; alone < 4; alone++) { /* `first` inside the kernel is that of one shape at a time */
    const struct ppi_sampling sampling = { .repetitions = 3 };
    cr_assert_eq(ppi_core_sample(core, &requests[alone], 1, &sampling, &results[alone], &error), PERFPRED_OK);
    cr_expect_eq(sights[alone].wrong, 0, "%d", alone);
  }
  cr_expect_eq(sights[0].lda, 8);
  cr_expect_eq(sights[1].ldb, 104, "50 is too small for 100 rows");
  cr_expect_eq(results[1].ld, 104);
  cr_expect_eq(sights[2].ldb, 40);
}

struct sum {
  double sums[2];
  uint64_t calls;
};

static int add_up(void *data, void *const args[]) {
  struct sum *sum = data;
  int64_t n = *(const int64_t *)args[0], lda = *(const int64_t *)args[2];
  const double *a = args[1];
  double total = 0.0;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++)
      total += a[i + j * lda] * (double)(i + 3 * j + 1);
  if (sum->calls++ > 0 && total != sum->sums[0]) /* must not depend on what was run in between */
    sum->sums[1] = total;
  sum->sums[0] = total;
  return 0;
}

/* A structured operand that is only read is laid out anew where the leading dimension changes. */
Test(operands, read_only_operands_follow_the_leading_dimension) {
  struct sum small = { { 0 }, 0 }, large = { { 0 }, 0 };
  struct ppi_value values[2][PPI_ARG_MAX] = { { { .i = 20 } }, { { .i = 90 } } };
  const struct ppi_request requests[] = {
    { register_free_form("kernel dsmall(n: size, a: in spd matrix[n, n], lda)\nend\n", add_up, &small), values[0], 0 },
    { register_free_form("kernel dlarge(n: size, a: in spd matrix[n, n], lda)\nend\n", add_up, &large), values[1], 0 },
  };
  const struct ppi_sampling sampling = { .repetitions = 20, .seed = 3 };
  cr_assert_eq(ppi_core_sample(core, requests, 2, &sampling, results, &error), PERFPRED_OK);
  cr_expect_gt(small.calls, 20);
  cr_expect_eq(small.sums[1], 0.0);
  cr_expect_eq(large.sums[1], 0.0);
  cr_expect_neq(small.sums[0], large.sums[0]);
}

static int look_vector(void *data, void *const args[]) {
  struct sight *sight = data;
  double *x = args[1];
  sight->n = *(const int64_t *)args[0];
  sight->incx = *(const int64_t *)args[2];
  for (int64_t i = 0; i < sight->n; i++)
    x[i * sight->incx] = 0.0;
  sight->calls++;
  return 0;
}

Test(operands, increments_are_one_or_the_leading_dimension) {
  struct sight sight = { 0 };
  const struct perfpred_kernel *kernel =
      register_free_form("kernel dlookv(n: size, x: inout vector[n], incx)\nend\n", look_vector, &sight);
  const struct ppi_sampling sampling = { .repetitions = 2 };
  static const int64_t expected[] = { 1, 5000 };
  static const char *const cases[] = { "1", "x" };
  for (int i = 0; i < 2; i++) {
    struct ppi_value values[PPI_ARG_MAX];
    cr_assert_eq(ppi_case_parse(kernel, cases[i], values, &error), PERFPRED_OK);
    values[0].i = 12;
    const struct ppi_request request = { kernel, values, 5000 };
    cr_assert_eq(ppi_core_sample(core, &request, 1, &sampling, &results[i], &error), PERFPRED_OK);
    cr_expect_eq(sight.incx, expected[i], "case %s", cases[i]);
  }
}

Test(operands, failure_names_kernel_and_sizes) {
  struct sight sight = { .fail_after = 4 };
  struct ppi_value values[PPI_ARG_MAX];
  const struct perfpred_kernel *kernel = register_free_form(look_text, look, &sight);
  set_sizes(values, 9, 11);
  const struct ppi_request request = { kernel, values, 0 };
  const struct ppi_sampling sampling = { .repetitions = 10 };
  struct ppi_result untouched = { .count = 77 };
  cr_expect_eq(ppi_core_sample(core, &request, 1, &sampling, &untouched, &error), PERFPRED_NUMERIC);
  cr_expect_not_null(strstr(error.text, "dlook(9,11)"), "%s", error.text);
  cr_expect_not_null(strstr(error.text, "3"));
  cr_expect_eq(untouched.count, 77);
}

Test(operands, kernel_without_address) {
  struct ppi_value values[PPI_ARG_MAX];
  const struct perfpred_kernel *kernel = ppi_kernels_find(context.kernels, "dtrsm");
  cr_assert_eq(ppi_case_parse(kernel, "R,L,T,N,1", values, &error), PERFPRED_OK);
  const struct ppi_request request = { kernel, values, 0 };
  const struct ppi_sampling sampling = { .repetitions = 2 };
  cr_expect_eq(ppi_core_sample(core, &request, 1, &sampling, results, &error), PERFPRED_UNSUPPORTED);
  cr_expect_not_null(strstr(error.text, "dtrsm"));
}

Test(operands, absurd_sizes_are_refused) {
  struct sight sight = { 0 };
  struct ppi_value values[PPI_ARG_MAX];
  const struct perfpred_kernel *kernel = register_free_form(look_text, look, &sight);
  static const int64_t sizes[] = { INT64_C(1) << 40, INT64_MAX, INT64_C(1) << 62 };
  for (int i = 0; i < 3; i++) {
    set_sizes(values, sizes[i], sizes[i]);
    const struct ppi_request request = { kernel, values, 0 };
    const struct ppi_sampling sampling = { .repetitions = 2 };
    cr_expect_eq(ppi_core_sample(core, &request, 1, &sampling, results, &error), PERFPRED_LIMIT);
    cr_expect_eq(sight.calls, 0);
  }
}

struct triangles {
  uint64_t wrong, calls;
};

/* The triangle that is not named holds 0, so that routines that look at the first subdiagonal see a triangle. */
static int look_triangle(void *data, void *const args[]) {
  struct triangles *triangles = data;
  bool upper = *(const char *)args[0] == 'U';
  int64_t n = *(const int64_t *)args[1], lda = *(const int64_t *)args[3];
  const double *a = args[2];
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++)
      triangles->wrong += (a[i + j * lda] == 0.0) != (upper ? i > j : i < j);
  triangles->calls++;
  return 0;
}

Test(operands, other_triangle_is_zero) {
  struct triangles triangles = { 0 };
  const struct perfpred_kernel *kernel = register_free_form(
      "kernel dtriangle(uplo: flag L U, n: size, a: in triangle(uplo)[n], lda)\nend\n", look_triangle, &triangles);
  struct ppi_value values[3][PPI_ARG_MAX] = { { { .i = 'L' }, { .i = 30 } },
                                              { { .i = 'U' }, { .i = 30 } },
                                              { { .i = 'U' }, { .i = 50 } } };
  const struct ppi_request requests[] = { { kernel, values[0], 56 },
                                          { kernel, values[1], 56 },
                                          { kernel, values[2], 0 } };
  const struct ppi_sampling sampling = { .repetitions = 10 };
  cr_assert_eq(ppi_core_sample(core, requests, 3, &sampling, results, &error), PERFPRED_OK, "%s", error.text);
  cr_expect_gt(triangles.calls, 60);
  cr_expect_eq(triangles.wrong, 0);
}

Test(operands, sizes_of_zero_run) {
  struct sight sight = { 0 };
  struct ppi_value values[PPI_ARG_MAX];
  const struct perfpred_kernel *kernel = register_free_form(look_text, look, &sight);
  set_sizes(values, 0, 0);
  const struct ppi_request request = { kernel, values, 0 };
  const struct ppi_sampling sampling = { .repetitions = 2 };
  cr_expect_eq(ppi_core_sample(core, &request, 1, &sampling, results, &error), PERFPRED_OK);
  cr_expect_gt(sight.calls, 0);
}
