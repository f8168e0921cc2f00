/* SPDX-License-Identifier: BSD-3-Clause */
/* Recursive LU decomposition and operations that consist of others, executed on random data and compared with LAPACK's drivers. */
#include "execute.h"

static void check(const char *name, const int64_t *parameters, int count, double gap, double bound) {
  char text[128] = "";
  for (int i = 0, length = 0; i < count; i++)
    length += snprintf(text + length, sizeof text - (size_t)length, "%s%d", i > 0 ? ", " : "", (int)parameters[i]);
  cr_expect_leq(gap, bound, "%s(%s): %g from the expected result, at most %g expected", name, text, gap, bound);
}

/* --- LU decomposition ----------------------------------------------------------------------------------------------------- */

/* The rows of A, m x n, as the pivots say. */
static void swap_rows(double *a, int64_t m, int64_t n, const struct operand *pivots) {
  for (int64_t i = 0; i < pivots->rows; i++)
    for (int64_t j = 0; j < n; j++) {
      const int64_t row = (int64_t)pivots->after[i] - 1;
      const double number = a[i + j * m];
      a[i + j * m] = a[row + j * m];
      a[row + j * m] = number;
    }
}

/* Largest element of |P A - L U|, relative to the largest of |L| |U|. */
static double lu_residual(void) {
  const int64_t m = operands[0].rows, n = operands[0].columns, k = m < n ? m : n;
  double *a = copy_of(&operands[0]), largest = 0.0, size = 1.0;
  const double *lu = operands[0].after;
  swap_rows(a, m, n, &operands[1]);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < m; i++) {
      long double sum = 0, bound = 0;
      for (int64_t l = 0; l <= i && l <= j && l < k; l++) {
        const long double term = (long double)(l == i ? 1.0 : lu[i + l * m]) * (long double)lu[l + j * m];
        sum += term;
        bound += term < 0 ? -term : term;
      }
      const double gap = fabs(a[i + j * m] - (double)sum);
      if (!(gap <= largest))
        largest = isnan(gap) ? INFINITY : gap;
      size = fmax(size, (double)bound);
    }
  free(a);
  return largest / size;
}

typedef void getrf_fn(const int *, const int *, double *, const int *, int *, int *);

static void check_lu(const int64_t parameters[3]) {
  ROUTINE(getrf_fn *, dgetrf);
  const int m = (int)parameters[0], n = (int)parameters[1], ld = m > 0 ? m : 1;
  int info = -1, pivots[128];
  execute("lu-rec", parameters);
  double *a = copy_of(&operands[0]);
  dgetrf(&m, &n, a, &ld, pivots, &info);
  cr_assert_eq(info, 0);
  free(a);
  for (int i = 0; i < operands[1].rows; i++)
    cr_expect_eq((int)operands[1].after[i], pivots[i], "lu-rec(%d, %d, %d): pivot %d is %g, not %d", m, n,
                 (int)parameters[2], i, operands[1].after[i], pivots[i]);
  check("lu-rec", parameters, 3, lu_residual(), 2.0 * (m + n + 1) * DBL_EPSILON);
}

Test(composite, recursive_lu, .init = start, .fini = stop) {
  static const int shapes[][2] = { { 0, 0 }, { 0, 3 },   { 3, 0 },   { 1, 1 },   { 1, 9 },
                                   { 9, 1 }, { 40, 40 }, { 61, 33 }, { 33, 61 }, { 100, 100 } };
  static const int stops[] = { 1, 4, 24, 200 };
  for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
    for (size_t b = 0; b < sizeof stops / sizeof stops[0]; b++)
      check_lu((const int64_t[]){ shapes[s][0], shapes[s][1], stops[b] });
}

/* --- Least squares, inverse, eigenvalues ------------------------------------------------------------------------------------ */

typedef void gels_fn(const char *, const int *, const int *, const int *, double *, const int *, double *, const int *,
                     double *, const int *, int *, size_t);

/* Random matrices with twice as many rows as columns have a condition of about 6. */
static void check_least_squares(const char *name, const int64_t *parameters, int count) {
  ROUTINE(gels_fn *, dgels);
  const int m = (int)parameters[0], n = (int)parameters[1], k = (int)parameters[2], ld = m > 0 ? m : 1, length = 20000;
  int info = -1;
  execute(name, parameters);
  double *a = copy_of(&operands[0]), *x = copy_of(&operands[1]), *work = calloc((size_t)length, sizeof *work);
  cr_assert_not_null(work);
  dgels("N", &m, &n, &k, a, &ld, x, &ld, work, &length, &info, 1);
  cr_assert_eq(info, 0);
  /* In the rows below the solution are residuals, which the same reflectors make. */
  check(name, parameters, count, difference(&operands[1], x, 0), 50.0 * (m + 1) * DBL_EPSILON);
  free(work);
  free(x);
  free(a);
}

Test(composite, least_squares, .init = start, .fini = stop) {
  static const int shapes[][3] = { { 1, 1, 1 }, { 2, 1, 4 }, { 40, 20, 7 }, { 100, 37, 1 }, { 80, 10, 30 } };
  static const int blocks[] = { 1, 8, 32, 200 };
  for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
    check_least_squares("lstsq-qr", (const int64_t[]){ shapes[s][0], shapes[s][1], shapes[s][2] }, 3);
    for (size_t b = 0; b < sizeof blocks / sizeof blocks[0]; b++)
      for (int64_t nx = 0; nx <= 128; nx += 64)
        check_least_squares("lstsq-qr-b", (const int64_t[]){ shapes[s][0], shapes[s][1], shapes[s][2], blocks[b], nx },
                            5);
  }
}

typedef void potrf_fn(const char *, const int *, double *, const int *, int *, size_t);

static void check_inverse(const char *uplo, const int64_t parameters[2]) {
  ROUTINE(potrf_fn *, dpotrf);
  ROUTINE(potrf_fn *, dpotri);
  const int n = (int)parameters[0], ld = n > 0 ? n : 1;
  const char *name = *uplo == 'L' ? "spdinv-l" : "spdinv-u";
  int info = -1;
  execute(name, parameters);
  double *a = copy_of(&operands[0]);
  dpotrf(uplo, &n, a, &ld, &info, 1);
  cr_assert_eq(info, 0);
  dpotri(uplo, &n, a, &ld, &info, 1);
  cr_assert_eq(info, 0);
  check(name, parameters, 2, difference(&operands[0], a, *uplo), 8.0 * (n + 1) * DBL_EPSILON);
  free(a);
}

static const int sizes[] = { 0, 1, 7, 50, 101 }, blocks[] = { 1, 8, 32, 200 };

Test(composite, inverse_of_a_positive_definite_matrix, .init = start, .fini = stop) {
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
    for (size_t b = 0; b < sizeof blocks / sizeof blocks[0]; b++) {
      check_inverse("L", (const int64_t[]){ sizes[s], blocks[b] });
      check_inverse("U", (const int64_t[]){ sizes[s], blocks[b] });
    }
}

typedef void sygst_fn(const int *, const char *, const int *, double *, const int *, const double *, const int *, int *,
                      size_t);
typedef void sytrd_fn(const char *, const int *, double *, const int *, double *, double *, double *, double *,
                      const int *, int *, size_t);

typedef void sterf_fn(const int *, double *, double *, int *);

/* Elements of tridiagonal matrices depend on the order of operations, their eigenvalues do not. */
static void compare_eigenvalues(const char *name, const int64_t *parameters, int count, double *d, double *e) {
  ROUTINE(sterf_fn *, dsterf);
  const int n = (int)parameters[0];
  int info = -1;
  double largest = 1.0, gap = 0.0;
  dsterf(&n, d, e, &info);
  cr_assert_eq(info, 0);
  dsterf(&n, operands[2].after, operands[3].after, &info);
  cr_assert_eq(info, 0);
  for (int i = 0; i < n; i++) {
    largest = fmax(largest, fabs(d[i]));
    const double difference = fabs(d[i] - operands[2].after[i]);
    gap = difference <= gap ? gap : isnan(difference) ? INFINITY : difference;
  }
  check(name, parameters, count, gap / largest, 8.0 * (n + 1) * DBL_EPSILON);
}

static void check_reduction(const char *name, const int64_t *parameters, int count) {
  ROUTINE(potrf_fn *, dpotrf);
  ROUTINE(sygst_fn *, dsygst);
  ROUTINE(sytrd_fn *, dsytrd);
  const int n = (int)parameters[0], ld = n > 0 ? n : 1, one = 1, length = 20000;
  int info = -1;
  execute(name, parameters);
  double *a = copy_of(&operands[0]), *b = copy_of(&operands[1]);
  double *d = calloc((size_t)n + 1, sizeof *d), *e = calloc((size_t)n + 1, sizeof *e),
         *t = calloc((size_t)n + 1, sizeof *t);
  double *work = calloc((size_t)length, sizeof *work);
  cr_assert(d != NULL && e != NULL && t != NULL && work != NULL);
  dpotrf("L", &n, b, &ld, &info, 1);
  cr_assert_eq(info, 0);
  dsygst(&one, "L", &n, a, &ld, b, &ld, &info, 1);
  cr_assert_eq(info, 0);
  dsytrd("L", &n, a, &ld, d, e, t, work, &length, &info, 1);
  cr_assert_eq(info, 0);
  compare_eigenvalues(name, parameters, count, d, e);
  free(work);
  free(t);
  free(e);
  free(d);
  free(b);
  free(a);
}

Test(composite, generalised_eigenvalues, .init = start, .fini = stop) {
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
    check_reduction("geneig-l-drivers", (const int64_t[]){ sizes[s] }, 1);
    for (size_t b = 0; b < sizeof blocks / sizeof blocks[0]; b++)
      check_reduction("geneig-l", (const int64_t[]){ sizes[s], blocks[b] }, 2);
  }
}
