/* SPDX-License-Identifier: BSD-3-Clause */
/* The algorithms "as in LAPACK" compute what the routine computes, in all of its operands, to a few n eps. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "execute.h"
#include "trace.h"

#define CASES_MAX 128

static struct perfpred_context context;

static void start(void) {
  create_context(&context);
  open_lapack();
}

static void stop(void) {
  destroy_context(&context);
}

ParameterizedTestParameters(results, as_lapack) {
  return parameters_of_all();
}

static double epsilon_of(const struct operand *operand) {
  switch (operand->what->type) {
  case PPI_TYPE_S:
  case PPI_TYPE_C:
    return FLT_EPSILON;
  case PPI_TYPE_INT:
    return 0;
  default:
    return DBL_EPSILON;
  }
}

/* Largest difference between two operands over the largest element; NaN is infinitely different. */
static double difference(const struct operand *found, const struct operand *wanted) {
  double largest = 0, size = 1;
  for (int64_t j = 0; j < found->columns; j++)
    for (int64_t i = 0; i < found->rows; i++)
      for (int p = 0; p < parts_of(found) && is_stored(found, i, j); p++) {
        const double expected = part_of(wanted, i, j, p), gap = fabs(part_of(found, i, j, p) - expected);
        if (!(gap <= largest))
          largest = isnan(gap) ? (double)INFINITY : gap;
        if (fabs(expected) > size)
          size = fabs(expected);
      }
  return largest / size;
}

static void compare(const struct perfpred_program *program, const struct sizes *sizes, const struct operands *found,
                    const struct operands *wanted, double growth) {
  for (int i = 0; i < program->buffer_count; i++) {
    const struct operand *operand = &found->all[i];
    if (program->buffers[i].work)
      continue;
    const double bound = growth * (double)(sizes->m + sizes->n + 1) * epsilon_of(operand);
    const double gap = difference(operand, &wanted->all[i]);
    cr_expect(gap <= bound, "%s m=%d n=%d b=%d nx=%d: %s differs by %g, at most %g expected", program->name,
              (int)sizes->m, (int)sizes->n, (int)sizes->b, (int)sizes->nx, program->buffers[i].name, gap, bound);
  }
}

/* A tridiagonal matrix is no stable function of the full one: another sequence of operations gives quite other elements, of the same
   eigenvalues. Their sum and that of their squares are the full matrix's. */
static bool is_tridiagonal(const struct perfpred_program *program) {
  return strstr(program->name, "trd") != NULL;
}

static void add_diagonal(const struct operand *vector, double weight, double sums[2]) {
  for (int64_t i = 0; i < vector->rows; i++) {
    const double element = part_of(vector, i, 0, 0);
    sums[0] += weight == 1 ? element : 0;
    sums[1] += weight * element * element;
  }
}

static void add_matrix(const struct operand *a, double sums[2]) {
  for (int64_t j = 0; j < a->columns; j++)
    for (int64_t i = 0; i < a->rows; i++)
      for (int p = 0; p < parts_of(a) && is_stored(a, i, j); p++) {
        const double element = part_of(a, i, j, p);
        sums[0] += i == j ? element : 0;
        sums[1] += (i == j ? 1 : 2) * element * element;
      }
}

/* Operands A, d, e, tau; A has been overwritten. */
static void compare_eigenvalues(const struct perfpred_program *program, const struct sizes *sizes,
                                const struct operands *found) {
  int64_t parameters[PPI_PARAMETER_MAX];
  struct operands before;
  double wanted[2] = { 0, 0 }, sums[2] = { 0, 0 };
  fill_parameters(program, sizes, parameters);
  make_operands(program, parameters, &before);
  add_matrix(&before.all[0], wanted);
  add_diagonal(&found->all[1], 1, sums);
  add_diagonal(&found->all[2], 2, sums);
  free_operands(&before);
  const double eps = epsilon_of(&found->all[1]), bound = 4 * (double)(sizes->n + 1) * eps;
  cr_expect(fabs(sums[0] - wanted[0]) <= bound * (1 + sqrt(wanted[1])), "%s n=%d b=%d nx=%d: trace %.17g, not %.17g",
            program->name, (int)sizes->n, (int)sizes->b, (int)sizes->nx, sums[0], wanted[0]);
  cr_expect(fabs(sums[1] - wanted[1]) <= bound * (1 + wanted[1]),
            "%s n=%d b=%d nx=%d: square of the norm %.17g, not %.17g", program->name, (int)sizes->n, (int)sizes->b,
            (int)sizes->nx, sums[1], wanted[1]);
}

/* With the block size of the program and with the library's own, which is another sequence of operations. */
static void check(const struct perfpred_program *program, const struct perfpred_program *call,
                  const struct sizes *sizes) {
  int64_t parameters[PPI_PARAMETER_MAX];
  struct operands found, wanted;
  fill_parameters(program, sizes, parameters);
  make_operands(program, parameters, &found);
  run_program(program, parameters, &found);
  if (is_tridiagonal(program))
    compare_eigenvalues(program, sizes, &found);
  for (int own = 0; own < (is_tridiagonal(program) ? 1 : 2); own++) {
    make_operands(call, parameters, &wanted);
    if (own)
      trace_tune(-1, -1);
    else
      tune_routine(program, sizes);
    run_program(call, parameters, &wanted);
    compare(program, sizes, &found, &wanted, own ? 40 : 4);
    free_operands(&wanted);
  }
  free_operands(&found);
}

ParameterizedTest(struct name *name, results, as_lapack, .init = start, .fini = stop) {
  const struct perfpred_program *program = algorithm(&context, name->text), *call = call_of(&context, name->text);
  struct sizes sizes[CASES_MAX];
  const int count = cases_of(program, sizes, CASES_MAX);
  for (int i = 0; i < count; i++)
    check(program, call, &sizes[i]);
}
