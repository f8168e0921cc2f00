/* SPDX-License-Identifier: BSD-3-Clause */
/* Triangular inverses 4 and 8 of the catalogue are unstable. On data of a small condition, as in algorithms.c, nothing is to be seen of that; here is a
 * triangle where there is. A stable method (Du Croz and Higham, Stability of methods for matrix inversion, 1992) leaves a small residual on one
 * side, element by element: of 1 to 3 |L X - I| is a few n eps |L| |X|, of their mirror images 5 to 7 |X L - I| a few n eps |X| |L|. Those of the two others
 * are large on both sides, but |L X - I| stays within the looser bound n eps (|L| |X|)^2. */
#include "execute.h"

enum { N = 20 };

/* The transposed R of a Vandermonde matrix on equidistant points, by Gram-Schmidt, twice over. Its inverse has elements of more than 1e11. */
static void make_triangle(long double r[N][N]) {
  long double v[N][N]; /* by columns */
  memset(r, 0, sizeof(long double[N][N]));
  for (int j = 0; j < N; j++) {
    for (int i = 0; i < N; i++)
      v[j][i] = powl(i / (N - 1.0L), j);
    for (int pass = 0; pass < 2; pass++)
      for (int k = 0; k < j; k++) {
        long double product = 0;
        for (int i = 0; i < N; i++)
          product += v[k][i] * v[j][i];
        r[j][k] += product;
        for (int i = 0; i < N; i++)
          v[j][i] -= product * v[k][i];
      }
    for (int i = 0; i < N; i++)
      r[j][j] += v[j][i] * v[j][i];
    r[j][j] = sqrtl(r[j][j]);
    for (int i = 0; i < N; i++)
      v[j][i] /= r[j][j];
  }
}

static bool is_mirrored; /* about the anti-diagonal, as algorithms 5 to 8 are */

static void fill_triangle(struct operand *operand) {
  long double l[N][N];
  make_triangle(l);
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++)
      operand->before[i + j * N] = (double)(is_mirrored ? l[N - 1 - j][N - 1 - i] : l[i][j]);
}

/* Lower triangles, by columns; c is a b, of absolute values if asked for. */
static void multiply(const double *a, const double *b, bool absolute, double *c) {
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++) {
      long double sum = 0;
      for (int k = j; k <= i; k++) {
        const long double term = (long double)a[i + k * N] * (long double)b[k + j * N];
        sum += absolute ? fabsl(term) : term;
      }
      c[i + j * N] = (double)sum;
    }
}

/* The largest element of |A B - I| over n eps times that of bound. */
static double ratio_of(const double *a, const double *b, const double *bound) {
  double product[N * N], largest = 0;
  multiply(a, b, false, product);
  for (int j = 0; j < N; j++)
    for (int i = j; i < N; i++) {
      const double ratio = fabs(product[i + j * N] - (i == j)) / (N * DBL_EPSILON * bound[i + j * N]);
      if (!(ratio <= largest))
        largest = isnan(ratio) ? INFINITY : ratio;
    }
  return largest;
}

Test(unstable, inverses, .init = start, .fini = stop) {
  static const int64_t blocks[] = { 1, 4 };
  special = fill_triangle;
  for (int k = 1; k <= 8; k++)
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
      char name[16];
      double right[N * N], left[N * N], loose[N * N];
      is_mirrored = k > 4;
      snprintf(name, sizeof name, "trinv-l-%d", k);
      execute(name, (const int64_t[]){ N, blocks[i] });
      const double *l = operands[0].before, *x = operands[0].after;
      multiply(l, x, true, right);
      multiply(x, l, true, left);
      multiply(right, right, true, loose);
      const double sides[] = { ratio_of(l, x, right), ratio_of(x, l, left) };
      const double own = sides[is_mirrored], other = sides[!is_mirrored];
      if (k == 4 || k == 8)
        cr_expect(own > 40.0 && other > 3.0, "%s, b = %d: %g and %g, which is stable", name, (int)blocks[i], own,
                  other);
      else
        cr_expect_leq(own, 8.0, "%s, b = %d: %g, which is not stable", name, (int)blocks[i], own);
      cr_expect_leq(ratio_of(l, x, loose), 1.0, "%s, b = %d: %g of the looser bound", name, (int)blocks[i],
                    ratio_of(l, x, loose));
    }
}
