/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "kernel/signature.h"

void ppi_kernel_slots(const struct perfpred_kernel *kernel, const struct ppi_value *values, int64_t *slots) {
  for (int i = 0; i < kernel->arg_count; i++) {
    const struct ppi_arg *arg = &kernel->args[i];
    slots[i] = arg->kind == PPI_ARG_FLAG || arg->kind == PPI_ARG_SIZE ? values[i].i : 0;
    if (arg->option)
      slots[i] -= '0';
  }
}

/* Formulas of the texts hold for sensible sizes; elsewhere (n = 0 in n - 1) there is nothing to count. */
static double count_of(const struct ppi_expr *expr, const int64_t *slots) {
  double count = ppi_expr_real(expr, slots);
  return count > 0 ? count : 0;
}

static double flops_of(const struct perfpred_kernel *kernel, const int64_t *slots) {
  bool is_complex = ppi_type_is_complex(kernel->type);
  return count_of(kernel->multiplications, slots) * (is_complex ? 6 : 1) +
         count_of(kernel->additions, slots) * (is_complex ? 2 : 1);
}

double ppi_kernel_flops(const struct perfpred_kernel *kernel, const struct ppi_value *values) {
  int64_t slots[PPI_ARG_MAX];
  ppi_kernel_slots(kernel, values, slots);
  return flops_of(kernel, slots);
}

/* --- Movement ------------------------------------------------------------------------------------------------------ */

static double elements_of(const struct ppi_arg *arg, const int64_t *slots) {
  double rows = count_of(arg->rows, slots);
  if (arg->shape == PPI_SHAPE_VECTOR)
    return rows;
  if (arg->shape == PPI_SHAPE_MATRIX)
    return rows * count_of(arg->columns, slots);
  bool without_diagonal = arg->diag >= 0 && slots[arg->diag] == 'U';
  return rows * (without_diagonal ? rows - 1 : rows + 1) / 2;
}

static double movement_of(const struct perfpred_kernel *kernel, const int64_t *slots) {
  if (kernel->movement)
    return count_of(kernel->movement, slots) * (double)ppi_type_bytes(kernel->type, false);
  double bytes = 0;
  for (int i = 0; i < kernel->arg_count; i++) {
    const struct ppi_arg *arg = &kernel->args[i];
    if (arg->kind == PPI_ARG_DATA)
      bytes += elements_of(arg, slots) * (double)ppi_type_bytes(arg->type, kernel->ilp64) *
               (arg->direction == PPI_INOUT ? 2 : 1);
  }
  return bytes;
}

double ppi_kernel_movement_bytes(const struct perfpred_kernel *kernel, const struct ppi_value *values) {
  int64_t slots[PPI_ARG_MAX];
  ppi_kernel_slots(kernel, values, slots);
  return movement_of(kernel, slots);
}

bool ppi_kernel_only_copies(const struct perfpred_kernel *kernel, const struct ppi_value *values) {
  const double element = (double)ppi_type_bytes(kernel->type, false);
  return ppi_kernel_flops(kernel, values) * element < 0.5 * ppi_kernel_movement_bytes(kernel, values);
}

/* --- Degrees ------------------------------------------------------------------------------------------------------- */

typedef double counter(const struct perfpred_kernel *kernel, const int64_t *slots);

enum { POINTS = 8, DEGREE_DEFAULT = 3 };

/* Degree of the polynomial through equidistant values: how often they must be differenced until nothing is left.
 * DEGREE_DEFAULT for what is none. */
static int degree_of(double values[POINTS]) {
  double largest = 0;
  for (int i = 0; i < POINTS; i++)
    largest = fmax(largest, fabs(values[i]));
  for (int order = 0; order < POINTS - 1; order++) {
    double left = 0;
    for (int i = 0; i < POINTS - 1 - order; i++) {
      values[i] = values[i + 1] - values[i];
      left = fmax(left, fabs(values[i]));
    }
    if (left <= 1e-10 * largest)
      return order;
  }
  return DEGREE_DEFAULT;
}

static int degree_at(const struct perfpred_kernel *kernel, counter *count, int64_t *slots, int place, int64_t step) {
  double values[POINTS];
  for (int i = 0; i < POINTS; i++) {
    slots[place] = step * (i + 1);
    values[i] = count(kernel, slots);
  }
  return degree_of(values);
}

/* With all sizes the same or each one a quarter of the one before. */
static bool has_flops(const struct perfpred_kernel *kernel, int64_t *slots) {
  for (int shift = 0; shift <= 2; shift += 2) {
    for (int i = 0; i < kernel->size_count; i++)
      slots[kernel->sizes[i]] = (1 << 20) >> (shift * i);
    if (flops_of(kernel, slots) > 0)
      return true;
  }
  return false;
}

/* Counts of kernels such as getrf are one polynomial for m <= n and another one for m >= n. So the degree is that of the count far below
 * the other sizes, far above them, or between those that come before and those that come after, as in m >= n >= k; whichever is largest. */
void ppi_kernel_degrees(const struct perfpred_kernel *kernel, const struct ppi_value *values,
                        int degrees[PPI_SIZE_MAX]) {
  static const struct {
    int64_t step, before, after;
    int halvings; /* from one of the sizes before to the next */
  } surroundings[] = { { 8, 4096, 4096, 0 }, { 4096, 8, 8, 0 }, { 64, 8192, 8, 3 } };
  int64_t slots[PPI_ARG_MAX];
  ppi_kernel_slots(kernel, values, slots);
  counter *count = has_flops(kernel, slots) ? flops_of : movement_of;
  for (int i = 0; i < kernel->size_count; i++) {
    degrees[i] = 0;
    for (size_t at = 0; at < sizeof surroundings / sizeof surroundings[0]; at++) {
      for (int j = 0; j < kernel->size_count; j++)
        slots[kernel->sizes[j]] =
            (j < i ? surroundings[at].before >> (surroundings[at].halvings * j) : surroundings[at].after) +
            (surroundings[at].halvings ? 0 : 8 * j);
      int degree = degree_at(kernel, count, slots, kernel->sizes[i], surroundings[at].step);
      degrees[i] = degree > degrees[i] ? degree : degrees[i];
    }
  }
}

/* --- Extents ------------------------------------------------------------------------------------------------------- */

static enum perfpred_status extent(const struct perfpred_kernel *kernel, int place, const struct ppi_expr *expr,
                                   const int64_t *slots, int64_t *result, struct perfpred_error *error) {
  int64_t value = 0;
  enum perfpred_status status = ppi_expr_eval(expr, slots, &value, error);
  if (status == PERFPRED_OK && value < 0)
    status = ppi_error_set(error, PERFPRED_INVALID, "%s: argument '%s' would have an extent of %lld; expected >= 0",
                           kernel->name, kernel->args[place].name, (long long)value);
  if (status == PERFPRED_OK)
    *result = value;
  return status;
}

enum perfpred_status ppi_kernel_extent(const struct perfpred_kernel *kernel, const struct ppi_value *values, int place,
                                       int64_t *rows, int64_t *columns, struct perfpred_error *error) {
  const struct ppi_arg *arg = &kernel->args[place];
  int64_t slots[PPI_ARG_MAX], height = 0, width = 1;

  ppi_kernel_slots(kernel, values, slots);
  enum perfpred_status status = extent(kernel, place, arg->rows, slots, &height, error);
  if (status == PERFPRED_OK && arg->shape == PPI_SHAPE_TRIANGLE)
    width = height;
  if (status == PERFPRED_OK && arg->shape == PPI_SHAPE_MATRIX && arg->columns)
    status = extent(kernel, place, arg->columns, slots, &width, error);
  if (status == PERFPRED_OK) {
    *rows = height;
    *columns = width;
  }
  return status;
}

/* Whether every operand that has the direction, all of them for PPI_IN, is empty; false if there is none. */
static bool all_empty(const struct perfpred_kernel *kernel, const struct ppi_value *values, int direction) {
  bool found = false;
  for (int i = 0; i < kernel->arg_count; i++) {
    int64_t rows = 0, columns = 0;
    if (kernel->args[i].kind != PPI_ARG_DATA || !(kernel->args[i].direction & (unsigned)direction))
      continue;
    found = true;
    if (ppi_kernel_extent(kernel, values, i, &rows, &columns, NULL) != PERFPRED_OK || (rows > 0 && columns > 0))
      return false;
  }
  return found;
}

static bool has_output(const struct perfpred_kernel *kernel) {
  for (int i = 0; i < kernel->arg_count; i++)
    if (kernel->args[i].kind == PPI_ARG_DATA && kernel->args[i].direction & PPI_OUT)
      return true;
  return false;
}

/* A product over an inner dimension of 0 that is added to its output: nothing is left to do unless beta scales it. */
static bool is_rank_zero(const struct perfpred_kernel *kernel, const struct ppi_value *values) {
  int64_t constant;
  bool counts =
      !ppi_expr_is_constant(kernel->multiplications, &constant) || !ppi_expr_is_constant(kernel->additions, &constant);
  bool zero = false;
  for (int i = 0; i < kernel->size_count; i++)
    zero = zero || values[kernel->sizes[i]].i == 0;
  if (!counts || !zero || ppi_kernel_flops(kernel, values) > 0)
    return false;
  int beta = ppi_kernel_argument(kernel, "beta");
  return beta < 0 || kernel->args[beta].kind != PPI_ARG_SCALAR || (values[beta].re == 1 && values[beta].im == 0);
}

bool ppi_kernel_is_empty(const struct perfpred_kernel *kernel, const struct ppi_value *values) {
  return all_empty(kernel, values, has_output(kernel) ? PPI_OUT : PPI_IN) || is_rank_zero(kernel, values);
}
