/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix chains: executed on random data and compared with products written out here; all brackets are there; a published best one. */
#include "execute.h"

static void check(const char *name, const int64_t *parameters, int count, double gap, double bound) {
  char text[128] = "";
  for (int i = 0, length = 0; i < count; i++)
    length += snprintf(text + length, sizeof text - (size_t)length, "%s%d", i > 0 ? ", " : "", (int)parameters[i]);
  cr_expect_leq(gap, bound, "%s(%s): %g from the expected result, at most %g expected", name, text, gap, bound);
}

/* X := P op(A), P (d0 x m), A (m x n); with absolute values if asked for. */
static void multiply(int64_t d0, const double *p, const struct operand *a, bool absolute, double *x) {
  for (int64_t j = 0; j < a->columns; j++)
    for (int64_t i = 0; i < d0; i++) {
      long double sum = 0;
      for (int64_t l = 0; l < a->rows; l++) {
        const double number = a->before[l + j * a->rows];
        sum += (long double)p[i + l * d0] * (long double)(absolute ? fabs(number) : number);
      }
      x[i + j * d0] = (double)sum;
    }
}

/* From the left to the right; to be freed. */
static double *product(int matrices, bool absolute) {
  const int64_t d0 = operands[0].rows;
  double *p = copy_of(&operands[0]);
  for (int64_t i = 0; absolute && i < d0 * operands[0].columns; i++)
    p[i] = fabs(p[i]);
  for (int k = 1; k < matrices; k++) {
    double *x = calloc((size_t)(d0 * operands[k].columns) + 1, sizeof *x);
    cr_assert_not_null(x);
    multiply(d0, p, &operands[k], absolute, x);
    free(p);
    p = x;
  }
  return p;
}

static void check_chain(const char *name, int matrices, const int64_t *sizes) {
  double largest = 1.0, sum = 1.0;
  execute(name, sizes);
  struct operand *result = &operands[matrices];
  double *expected = product(matrices, false), *bounds = product(matrices, true);
  for (int i = 0; i <= matrices; i++)
    sum += (double)sizes[i];
  for (int64_t i = 0; i < result->rows * result->columns; i++)
    largest = fmax(largest, bounds[i]);
  check(name, sizes, matrices + 1, difference(result, expected, 0), sum * DBL_EPSILON * largest);
  free(bounds);
  free(expected);
}

Test(chain, products, .init = start, .fini = stop) {
  static const int counts[] = { 0, 0, 1, 2, 5, 14 };
  static const int64_t sizes[][6] = { { 7, 30, 2, 19, 11, 5 }, { 1, 1, 1, 1, 1, 1 }, { 20, 3, 20, 3, 20, 3 },
                                      { 4, 0, 5, 6, 0, 2 },    { 0, 5, 4, 3, 2, 0 }, { 16, 16, 16, 16, 16, 16 } };
  for (int k = 2; k <= 5; k++)
    for (int i = 1; i <= counts[k]; i++)
      for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        char name[16];
        snprintf(name, sizeof name, k == 2 ? "chain-%d" : "chain-%d-%d", k, i);
        check_chain(name, k, sizes[s]);
      }
}

/* Every way to set the brackets once: 1, 2, 5, 14 of them, all different, each with one product less than matrices. */
Test(chain, all_are_there, .init = create_context, .fini = destroy_context) {
  static const int counts[] = { 0, 0, 1, 2, 5, 14 };
  for (int k = 2; k <= 5; k++) {
    char operation[16], abouts[14][PPI_ABOUT_MAX];
    int count = 0;
    snprintf(operation, sizeof operation, "chain-%d", k);
    for (size_t i = 0; i < perfpred_program_count(&context); i++) {
      struct perfpred_program *program = NULL;
      uint64_t calls = 0;
      static const int64_t sizes[6] = { 2, 3, 4, 5, 6, 7 };
      cr_assert_eq(perfpred_program_find(&context, perfpred_program_name_at(&context, i), &program, &error),
                   PERFPRED_OK);
      if (strcmp(perfpred_program_operation(program), operation) == 0) {
        cr_assert_lt(count, counts[k]);
        strcpy(abouts[count], program->about);
        for (int j = 0; j < count; j++)
          cr_expect_str_neq(abouts[j], abouts[count]);
        count++;
        cr_assert_eq(perfpred_program_unroll(program, sizes, (size_t)k + 1, &calls, NULL, &error), PERFPRED_OK);
        cr_expect_eq(calls, (uint64_t)k - 1);
      }
      perfpred_program_unref(program);
    }
    cr_expect_eq(count, counts[k]);
  }
}

/* The published example of the literature on chains (Cormen and others, Introduction to Algorithms): 30 x 35, 35 x 15, 15 x 5, 5 x 10, 10 x 20.
   The best way needs 11,875 multiplications: (A (B C)) (D E). */
Test(chain, published_best, .init = create_context, .fini = destroy_context) {
  static const int64_t sizes[] = { 30, 35, 15, 5, 10, 20 };
  double least = INFINITY;
  char best[PPI_ABOUT_MAX] = "";
  for (int i = 1; i <= 14; i++) {
    char name[16];
    double flops = 0;
    struct perfpred_program *program = NULL;
    snprintf(name, sizeof name, "chain-5-%d", i);
    cr_assert_eq(perfpred_program_find(&context, name, &program, &error), PERFPRED_OK);
    cr_assert_eq(perfpred_program_cost(program, sizes, 6, &flops, &error), PERFPRED_OK);
    if (flops < least) {
      least = flops;
      strcpy(best, program->about);
    }
    perfpred_program_unref(program);
  }
  cr_expect_eq(least, 2 * 11875.0);
  cr_expect_str_eq(best, "product of 5 matrices, (A (B C)) (D E)");
}
