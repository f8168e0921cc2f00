/* SPDX-License-Identifier: BSD-3-Clause */
/* The analysis of nests against hand-worked and published counts, against the simulation of made-up nests, and on hostile ones. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>

#include "affine/misses.h"
#include "base/context.h"
#include "program/registry.h"
#include "random_nest.h"
#include "thorough.h"

#define LEVELS 16

static struct perfpred_context context;
static const int64_t lines[LEVELS] = { 1, 2, 3, 4, 5, 6, 8, 11, 16, 22, 32, 45, 64, 100, 200, 16384 };

static void start(void) {
  struct perfpred_error error;
  ppi_error_clear(&error);
  cr_assert_eq(ppi_kernels_create(&context.kernels, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_eq(ppi_programs_create(context.kernels, &context.programs, &error), PERFPRED_OK, "%s", error.text);
}

static void stop(void) {
  ppi_programs_destroy(context.programs);
  ppi_kernels_destroy(context.kernels);
}

TestSuite(analysis, .init = start, .fini = stop);

static struct perfpred_program *parsed(const char *text) {
  struct perfpred_program *program = NULL;
  struct perfpred_error error;
  ppi_error_clear(&error);
  cr_assert_eq(perfpred_program_parse(&context, text, strlen(text), "test", &program, &error), PERFPRED_OK, "%s\n%s",
               error.text, text);
  return program;
}

typedef enum perfpred_status engine(const struct perfpred_program *nest, const int64_t *parameters,
                                    const struct ppi_misses_options *options, struct ppi_misses *misses,
                                    struct perfpred_error *error);

static enum perfpred_status counted(engine *count, const struct perfpred_program *program, const int64_t *parameters,
                                    const struct ppi_misses_options *options, struct ppi_misses **misses,
                                    struct perfpred_error *error) {
  ppi_error_clear(error);
  cr_assert_eq(ppi_misses_create(program, options->level_count, misses, error), PERFPRED_OK);
  enum perfpred_status status = count(program, parameters, options, *misses, error);
  if (!status)
    status = ppi_misses_sum(*misses, program, error);
  return status;
}

static struct ppi_misses_options options_for(const int64_t *cache_bytes, size_t count, int64_t line_bytes) {
  return (struct ppi_misses_options){
    .cache_bytes = cache_bytes, .level_count = count, .line_bytes = line_bytes, .budget_s = 60, .budget_bytes = 1u << 30
  };
}

/* By a text of the expected numbers: accesses, compulsory, then capacity of each cache. */
static void expect_counts(const char *text, const int64_t *parameters, const int64_t *cache_bytes, size_t count,
                          const char *expected) {
  struct perfpred_program *program = parsed(text);
  struct ppi_misses_options options = options_for(cache_bytes, count, 64);
  struct ppi_misses *misses = NULL;
  struct perfpred_error error;
  char got[400];
  const enum perfpred_status status = counted(ppi_misses_analytic, program, parameters, &options, &misses, &error);
  cr_assert_eq(status, PERFPRED_OK, "%s", error.text);
  int length = snprintf(got, sizeof got, "%" PRIu64 " %" PRIu64, misses->total.accesses, misses->total.compulsory);
  for (size_t i = 0; i < count; i++)
    length += snprintf(got + length, sizeof got - (size_t)length, " %" PRIu64, misses->total.capacity[i]);
  cr_expect_str_eq(got, expected);
  ppi_misses_destroy(misses);
  perfpred_program_unref(program);
}

static const char stream[] = "perfpred-text 1\n"
                             "nest stream(n)\n"
                             "  double A[n]\n"
                             "  for t in 0:3\n"
                             "    for i in 0:n\n"
                             "      read A[i]\n"
                             "    end\n"
                             "  end\n"
                             "end\n";

/* 100 elements are 13 lines. Each sweep touches them in the same order: distance 13 at the first element of a line, in the
   second and the third sweep; 1 at the others. */
Test(analysis, stream) {
  expect_counts(stream, (int64_t[]){ 100 }, (int64_t[]){ 64, 12 * 64, 13 * 64, 13 * 64 + 1 }, 4, "300 13 26 26 0 0");
}

/* Rows of one line each, read down a column and then up: turning back gives distances 1, 2, ... n. */
Test(analysis, down_and_up) {
  static const char text[] = "perfpred-text 1\n"
                             "nest turn(n)\n"
                             "  double A[n, 8]\n"
                             "  for i in 0:n\n"
                             "    read A[i, 3]\n"
                             "  end\n"
                             "  for i in 0:n down\n"
                             "    read A[i, 5]\n"
                             "  end\n"
                             "end\n";
  expect_counts(text, (int64_t[]){ 10 }, (int64_t[]){ 64, 4 * 64, 9 * 64, 10 * 64 }, 4, "20 10 9 6 1 0");
}

static const char gemm[] = "perfpred-text 1\n"
                           "nest gemm(ni, nj, nk)\n"
                           "  double C[ni, nj], A[ni, nk], B[nk, nj]\n"
                           "  for i in 0:ni\n"
                           "    for j in 0:nj\n"
                           "      update C[i, j]\n"
                           "    end\n"
                           "    for k in 0:nk\n"
                           "      for j in 0:nj\n"
                           "        read C[i, j], A[i, k], B[k, j]; write C[i, j]\n"
                           "      end\n"
                           "    end\n"
                           "  end\n"
                           "end\n";

/* PolyBench's gemm, from exact simulation by others: MINI, and LARGE, which has 5 * 10^9 accesses. */
Test(analysis, gemm) {
  const int64_t caches[] = { 4096, 32768, 1048576 };
  expect_counts(gemm, (int64_t[]){ 20, 25, 30 }, caches, 3, "61000 280 2280 0 0");
  expect_counts(gemm, (int64_t[]){ 1000, 1100, 1200 }, caches + 1, 2, "5282200000 453600 165434400 165434400");
}

static void expect_same_counts(const struct ppi_misses_count *a, const struct ppi_misses_count *b, const char *text) {
  cr_assert_eq(a->accesses, b->accesses, "%" PRIu64 " %" PRIu64 "\n%s", a->accesses, b->accesses, text);
  cr_assert_eq(a->compulsory, b->compulsory, "%" PRIu64 " %" PRIu64 "\n%s", a->compulsory, b->compulsory, text);
  for (int i = 0; i < LEVELS; i++)
    cr_assert_eq(a->capacity[i], b->capacity[i], "%d lines: %" PRIu64 " %" PRIu64 "\n%s", (int)lines[i], a->capacity[i],
                 b->capacity[i], text);
}

/* True if the analysis applied: then it has the simulation's counts for each reference. */
static bool agrees(const char *text, int64_t line_bytes) {
  int64_t caches[LEVELS];
  for (int i = 0; i < LEVELS; i++)
    caches[i] = lines[i] * line_bytes;
  struct perfpred_program *program = parsed(text);
  struct ppi_misses_options options = options_for(caches, LEVELS, line_bytes);
  struct ppi_misses *analysed = NULL, *simulated = NULL;
  struct perfpred_error error;
  const int64_t parameters[] = { 10 };
  const enum perfpred_status status = counted(ppi_misses_analytic, program, parameters, &options, &analysed, &error);
  cr_assert(status == PERFPRED_OK || status == PERFPRED_UNSUPPORTED || status == PERFPRED_INVALID, "%s\n%s", error.text,
            text);
  if (status != PERFPRED_UNSUPPORTED) /* invalid: a subscript leaves its array */
    cr_assert_eq(counted(ppi_misses_simulate, program, parameters, &options, &simulated, &error), status, "%s\n%s",
                 error.text, text);
  if (!status) {
    for (size_t i = 0; i < analysed->reference_count; i++)
      expect_same_counts(&analysed->references[i], &simulated->references[i], text);
  }
  ppi_misses_destroy(simulated);
  ppi_misses_destroy(analysed);
  perfpred_program_unref(program);
  return status == PERFPRED_OK;
}

static void expect_agreement(int hard, int quick, int all) {
  static struct random_nest nest;
  int applied = 0;
  const int count = is_thorough() ? all : quick;
  for (int i = 0; i < count; i++) {
    random_nest_make(&nest, (uint64_t)(i + 1), hard);
    applied += agrees(nest.text, i % 3 == 0 ? 16 : 32);
  }
  cr_expect_geq(applied, hard ? count / 3 : count * 4 / 5, "applied to %d of %d", applied, count);
}

Test(analysis, made_up_nests) {
  expect_agreement(0, 70, 1000);
}

Test(analysis, hard_made_up_nests) {
  expect_agreement(1, 90, 3000);
}

/* The analysis alone. */
static enum perfpred_status analysed(const char *text, const int64_t *parameters, struct ppi_misses **misses,
                                     struct perfpred_error *error) {
  static const int64_t caches[] = { 32768 };
  struct perfpred_program *program = parsed(text);
  struct ppi_misses_options options = options_for(caches, 1, 64);
  const enum perfpred_status status = counted(ppi_misses_analytic, program, parameters, &options, misses, error);
  perfpred_program_unref(program);
  return status;
}

static void expect_unsupported(const char *text, const int64_t *parameters) {
  struct ppi_misses *misses = NULL;
  struct perfpred_error error;
  cr_expect_eq(analysed(text, parameters, &misses, &error), PERFPRED_UNSUPPORTED, "%s", text);
  cr_expect_neq(error.text[0], '\0');
  ppi_misses_destroy(misses);
}

Test(analysis, empty_loops) {
  expect_counts(stream, (int64_t[]){ 0 }, (int64_t[]){ 64 }, 1, "0 0 0");
  expect_counts(stream, (int64_t[]){ 1 }, (int64_t[]){ 64 }, 1, "3 1 0");
  expect_counts(gemm, (int64_t[]){ 0, 7, 7 }, (int64_t[]){ 64 }, 1, "0 0 0");
  expect_counts(gemm, (int64_t[]){ 1, 1, 0 }, (int64_t[]){ 64 }, 1, "2 1 0");
}

/* 3 * 2^30 accesses to 2^27 lines. */
Test(analysis, long_loops) {
  expect_counts(stream, (int64_t[]){ 1 << 30 }, (int64_t[]){ 64, 1 << 20 }, 2,
                "3221225472 134217728 268435456 268435456");
}

Test(analysis, loops_beyond_what_it_takes) {
  expect_unsupported(stream, (int64_t[]){ INT64_C(1000000000000000000) });
  expect_unsupported("perfpred-text 1\nnest far(n)\n  double A[4000000000]\n  for i in 0:n\n    for j in 0:n\n"
                     "      read A[999999999*i + j]\n    end\n  end\nend\n",
                     (int64_t[]){ 3 });
}

/* Three rows of a line each that is touched. */
Test(analysis, large_coefficients) {
  expect_counts("perfpred-text 1\nnest far(n)\n  double A[4000000000]\n  for i in 0:n\n    for j in 0:n\n"
                "      read A[1000000000*i + j]\n    end\n  end\nend\n",
                (int64_t[]){ 3 }, (int64_t[]){ 64 }, 1, "9 3 0");
}

Test(analysis, deep_loops) {
  char text[2000] = "perfpred-text 1\nnest deep(n)\n  double A[n]\n";
  for (int i = 0; i < 10; i++)
    snprintf(text + strlen(text), sizeof text - strlen(text), "for i%d in 0:n\n", i);
  strcat(text, "read A[i9]\n");
  for (int i = 0; i < 10; i++)
    strcat(text, "end\n");
  strcat(text, "end\n");
  expect_unsupported(text, (int64_t[]){ 3 });
}

Test(analysis, subscripts_outside) {
  struct ppi_misses *misses = NULL;
  struct perfpred_error error;
  static const char text[] = "perfpred-text 1\nnest outside(n)\n  double A[n, n]\n  for i in 0:n\n    for j in 0:i+1\n"
                             "      read A[i, j+1]\n    end\n  end\nend\n";
  cr_expect_eq(analysed(text, (int64_t[]){ 9 }, &misses, &error), PERFPRED_INVALID);
  cr_expect_str_eq(error.text, "outside, line 6: subscript 2 of A leaves the array, expected 0 to 8");
  ppi_misses_destroy(misses);
}

/* Rows of two colours, with strides in both subscripts: every other element of every other row. */
Test(analysis, strides) {
  static const char text[] = "perfpred-text 1\n"
                             "nest colours(n)\n"
                             "  double A[2*n + 2, 4*n + 2]\n"
                             "  for t in 0:3\n"
                             "    for i in 0:2*n by 2\n"
                             "      for j in 0:2*n\n"
                             "        read A[i, 2*j], A[i + 1, 2*j + 1]; write A[i, 2*j]\n"
                             "      end\n"
                             "    end\n"
                             "    for i in 0:n\n"
                             "      for j in 0:2*n down\n"
                             "        update A[2*i + 1, 2*j]\n"
                             "      end\n"
                             "    end\n"
                             "  end\n"
                             "end\n";
  cr_expect(agrees(text, 32));
  cr_expect(agrees(text, 64));
}

/* Every other row of an array whose other rows are touched as well; rows on lines that depend on the number of the row, which is that of a
   block of two subscripts. */
Test(analysis, rows_by_classes) {
  static const char text[] = "perfpred-text 1\n"
                             "nest classes(n)\n"
                             "  double A[3*n + 3, 4*n], D[n + 5, n + 5, n + 9]\n"
                             "  for t in 0:3\n"
                             "    for i in 0:n\n"
                             "      for j in 0:2*n\n"
                             "        read A[3*i + 1, j]\n"
                             "      end\n"
                             "      read A[2*i, 3], D[i, 2, i]\n"
                             "    end\n"
                             "    for i in 0:n\n"
                             "      for j in 0:i\n"
                             "        read D[i + 2, j, j + 3], A[i + 4, j + 2]\n"
                             "      end\n"
                             "    end\n"
                             "  end\n"
                             "end\n";
  cr_expect(agrees(text, 16));
  cr_expect(agrees(text, 32));
}

/* Rows that begin on lines that depend on the outermost of three subscripts. */
Test(analysis, three_subscripts) {
  static const char text[] = "perfpred-text 1\n"
                             "nest wedge(n)\n"
                             "  double A[2*n, 2*n, 4*n]\n"
                             "  for t in 0:2\n"
                             "    for i in 0:n\n"
                             "      for j in 0:n\n"
                             "        for k in i:3*n\n"
                             "          read A[i, j, k]\n"
                             "        end\n"
                             "      end\n"
                             "    end\n"
                             "  end\n"
                             "end\n";
  cr_expect(agrees(text, 32));
  cr_expect(agrees(text, 64));
}

/* Status of the analysis of gemm within budgets. */
static enum perfpred_status within(double budget_s, uint64_t budget_bytes, struct perfpred_error *error) {
  static const int64_t caches[] = { 32768 };
  struct perfpred_program *program = parsed(gemm);
  struct ppi_misses_options options = options_for(caches, 1, 64);
  struct ppi_misses *misses = NULL;
  options.budget_s = budget_s;
  options.budget_bytes = budget_bytes;
  const enum perfpred_status status =
      counted(ppi_misses_analytic, program, (int64_t[]){ 100, 100, 100 }, &options, &misses, error);
  ppi_misses_destroy(misses);
  perfpred_program_unref(program);
  return status;
}

Test(analysis, budgets) {
  struct perfpred_error error;
  cr_expect_eq(within(60, 1 << 20, &error), PERFPRED_OK, "%s", error.text);
  cr_expect_eq(within(60, 1000, &error), PERFPRED_LIMIT);
  cr_expect_str_eq(error.text, "gemm: the analysis takes more than the 1000 bytes of memory allowed");
  cr_expect_eq(within(1e-9, 1 << 20, &error), PERFPRED_TIMEOUT);
  cr_expect_str_eq(error.text, "gemm: counting takes longer than the 1e-09 s allowed");
}

/* Matrices in one-dimensional arrays: rows of whole lines, of which there are 10 and 16 elements. */
Test(analysis, rows_by_hand) {
  static const char text[] = "perfpred-text 1\n"
                             "nest flat(n)\n"
                             "  double A[16*n], B[16*n], D[160*n]\n"
                             "  for i in 0:n\n"
                             "    for j in 0:16\n"
                             "      for k in 0:n\n"
                             "        read A[16*i + k], B[16*k + j]; update A[16*i + j]\n"
                             "      end\n"
                             "    end\n"
                             "  end\n"
                             "  for i in 0:n\n"
                             "    for j in 0:n\n"
                             "      for k in 1:16\n"
                             "        read D[160*i + 16*j + k], D[160*i + 16*j + k - 1]\n"
                             "      end\n"
                             "    end\n"
                             "  end\n"
                             "end\n";
  cr_expect(agrees(text, 32));
  cr_expect(agrees(text, 128));
}
