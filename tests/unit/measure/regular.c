/* SPDX-License-Identifier: BSD-3-Clause */
/* The general operands of samplers are as regular as random matrices: what LAPACK makes of them is what theory says of independent
   numbers. */
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>

#include <criterion/criterion.h>

#include "measure/pattern.h"

#ifndef LIBRARY_FOLDER
#define LIBRARY_FOLDER "/usr/lib/x86_64-linux-gnu"
#endif

enum { N = 200, WORK = 66 * N };

static double a[N * N], values[N], work[WORK];
static const int n = N, lwork = WORK;

static void fill(void) {
  struct ppi_pattern pattern;
  cr_assert_eq(ppi_pattern_make(&pattern, PPI_GENERAL, PPI_TYPE_D, false, N, NULL), PERFPRED_OK);
  const struct ppi_area area = { (unsigned char *)a, sizeof(double), N, N, 1, N, 0 };
  ppi_area_fill(&area, &pattern, false);
  ppi_pattern_free(&pattern);
}

static void *routine(const char *name) {
  if (!dlopen(LIBRARY_FOLDER "/blas/libblas.so.3", RTLD_NOW | RTLD_GLOBAL))
    cr_skip_test("%s", dlerror());
  void *library = dlopen(LIBRARY_FOLDER "/lapack/liblapack.so.3", RTLD_NOW | RTLD_GLOBAL);
  if (!library)
    cr_skip_test("%s", dlerror());
  void *found = dlsym(library, name);
  cr_assert_not_null(found, "%s", name);
  return found;
}

/* Numbers in (-1, 1) have the variance 1/3. The spectrum of a symmetric random matrix ends at 2 sqrt(n / 3) (Wigner), and eigenvalues
   keep apart. */
Test(regular, eigenvalues_lie_on_the_semicircle) {
  void (*dsyev)(const char *, const char *, const int *, double *, const int *, double *, double *, const int *, int *);
  int info = -1, inside = 0;
  *(void **)&dsyev = routine("dsyev_");
  for (int lower = 0; lower < 2; lower++) {
    const double edge = 2.0 * sqrt(N / 3.0);
    fill();
    dsyev("N", lower ? "L" : "U", &n, a, &n, values, work, &lwork, &info);
    cr_assert_eq(info, 0);
    cr_expect_float_eq(values[0], -edge, 0.15 * edge, "%g", values[0]);
    cr_expect_float_eq(values[N - 1], edge, 0.15 * edge, "%g", values[N - 1]);
    for (int i = 0; i < N; i++)
      inside += fabs(values[i]) < 0.5 * edge;
    for (int i = 1; i < N; i++)
      cr_expect_gt(values[i] - values[i - 1], 1e-5 * edge / N);
  }
  /* share of the semicircle between -1/2 and 1/2 of its radius: 1/3 + sqrt(3) / (2 pi) = 0.609 */
  cr_expect_float_eq(inside / (2.0 * N), 0.609, 0.06, "%g", inside / (2.0 * N));
}

/* Of a square random matrix the largest singular value is 2 sqrt(n / 3) (Marchenko and Pastur), the smallest of the order of 1 / sqrt(3 n). */
Test(regular, singular_values_are_those_of_a_random_matrix) {
  void (*dgesvd)(const char *, const char *, const int *, const int *, double *, const int *, double *, double *,
                 const int *, double *, const int *, double *, const int *, int *);
  int info = -1;
  double none[1];
  const int one = 1;
  const double edge = 2.0 * sqrt(N / 3.0), least = 1.0 / sqrt(3.0 * N);
  *(void **)&dgesvd = routine("dgesvd_");
  fill();
  dgesvd("N", "N", &n, &n, a, &n, values, none, &one, none, &one, work, &lwork, &info);
  cr_assert_eq(info, 0);
  cr_expect_float_eq(values[0], edge, 0.15 * edge, "%g", values[0]);
  cr_expect(values[N - 1] > 0.02 * least && values[N - 1] < 5.0 * least, "%g", values[N - 1]);
  for (int i = 1; i < N; i++)
    cr_expect_gt(values[i - 1] - values[i], 1e-5 * edge / N);
}

/* Random symmetric matrices are indefinite: L D L^T takes pivots of both kinds, and exchanges rows. */
Test(regular, ldl_takes_pivots_of_both_kinds) {
  void (*dsytrf)(const char *, const int *, double *, const int *, int *, double *, const int *, int *);
  int info = -1, pivots[N], twos = 0, moved = 0;
  *(void **)&dsytrf = routine("dsytrf_");
  fill();
  dsytrf("L", &n, a, &n, pivots, work, &lwork, &info);
  cr_assert_eq(info, 0);
  for (int i = 0; i < N; i++) {
    twos += pivots[i] < 0;
    moved += abs(pivots[i]) != i + 1;
  }
  cr_expect(twos > N / 5 && twos < N - N / 10, "%d columns belong to pivots of two", twos);
  cr_expect_gt(moved, N / 4, "%d", moved);
}

/* Pivots of LU: all but about ln(n) rows are exchanged. */
Test(regular, lu_exchanges_rows) {
  void (*dgetrf)(const int *, const int *, double *, const int *, int *, int *);
  int info = -1, pivots[N], stay = 0;
  *(void **)&dgetrf = routine("dgetrf_");
  fill();
  dgetrf(&n, &n, a, &n, pivots, &info);
  cr_assert_eq(info, 0);
  for (int i = 0; i < N; i++)
    stay += pivots[i] == i + 1;
  cr_expect(stay >= 1 && stay < 15, "%d", stay);
}
