/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations that consist of others, executed on random data and compared with LAPACK's drivers. */
#include "execute.h"

static void check(const char *name, const int64_t *parameters, int count, double gap, double bound) {
  char text[128] = "";
  for (int i = 0, length = 0; i < count; i++)
    length += snprintf(text + length, sizeof text - (size_t)length, "%s%d", i > 0 ? ", " : "", (int)parameters[i]);
  cr_expect_leq(gap, bound, "%s(%s): %g from the expected result, at most %g expected", name, text, gap, bound);
}

/* --- Least squares, inverse, eigenvalues ------------------------------------------------------------------------------------ */

typedef void gels_fn(const char *, const int *, const int *, const int *, double *, const int *, double *, const int *,
                     double *, const int *, int *, size_t);

/* Random matrices with twice as many rows as columns have a condition of about 6. */
static void check_least_squares(const int64_t parameters[3]) {
  ROUTINE(gels_fn *, dgels);
  const int m = (int)parameters[0], n = (int)parameters[1], k = (int)parameters[2], ld = m > 0 ? m : 1, length = 20000;
  int info = -1;
  execute("lstsq-qr", parameters);
  double *a = copy_of(&operands[0]), *x = copy_of(&operands[1]), *work = calloc((size_t)length, sizeof *work);
  cr_assert_not_null(work);
  dgels("N", &m, &n, &k, a, &ld, x, &ld, work, &length, &info, 1);
  cr_assert_eq(info, 0);
  /* In the rows below the solution are residuals, which the same reflectors make. */
  check("lstsq-qr", parameters, 3, difference(&operands[1], x, 0), 50.0 * (m + 1) * DBL_EPSILON);
  free(work);
  free(x);
  free(a);
}

Test(composite, least_squares, .init = start, .fini = stop) {
  static const int shapes[][3] = { { 1, 1, 1 }, { 2, 1, 4 }, { 40, 20, 7 }, { 100, 37, 1 }, { 80, 10, 30 } };
  for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
    check_least_squares((const int64_t[]){ shapes[s][0], shapes[s][1], shapes[s][2] });
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

static void check_reduction(const int64_t parameters[2]) {
  ROUTINE(potrf_fn *, dpotrf);
  ROUTINE(sygst_fn *, dsygst);
  ROUTINE(sytrd_fn *, dsytrd);
  const int n = (int)parameters[0], ld = n > 0 ? n : 1, one = 1, length = 20000;
  int info = -1;
  execute("geneig-l", parameters);
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
  check("geneig-l", parameters, 2, difference(&operands[2], d, 0), 50.0 * (n + 1) * DBL_EPSILON);
  check("geneig-l", parameters, 2, difference(&operands[3], e, 0), 50.0 * (n + 1) * DBL_EPSILON);
  free(work);
  free(t);
  free(e);
  free(d);
  free(b);
  free(a);
}

Test(composite, generalised_eigenvalues, .init = start, .fini = stop) {
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
    for (size_t b = 0; b < sizeof blocks / sizeof blocks[0]; b++)
      check_reduction((const int64_t[]){ sizes[s], blocks[b] });
}
