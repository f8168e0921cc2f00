/* SPDX-License-Identifier: BSD-3-Clause */
/* Textbook loops that count what they do: decompositions, reflectors, reductions, as LAPACK's unblocked routines go about them. */
#ifndef TESTS_UNIT_KERNEL_DECOMPOSING_H
#define TESTS_UNIT_KERNEL_DECOMPOSING_H

#include "counting.h"

/* --- Triangles ----------------------------------------------------------------------------------------------------- */

static inline void cholesky(int n, struct view a) {
  for (int j = 0; j < n; j++) {
    *at(a, j, j) = root(*at(a, j, j));
    for (int i = j + 1; i < n; i++)
      *at(a, i, j) = over(*at(a, i, j), *at(a, j, j));
    for (int k = j + 1; k < n; k++)
      for (int i = k; i < n; i++)
        *at(a, i, k) = minus(*at(a, i, k), times(*at(a, i, j), *at(a, k, j)));
  }
}

/* inv(L) column by column from the right: column j is -inv(L) of what is below, times l_jj. */
static inline void invert(int n, bool unit, struct view l) {
  for (int j = n - 1; j >= 0; j--) {
    const int rest = n - j - 1;
    if (!unit)
      *at(l, j, j) = over(1, *at(l, j, j));
    /* a unit diagonal takes part with no product: the triangle below it is inverted already */
    trmv(rest, unit, from(l, j + 1, j + 1), from(l, j + 1, j));
    for (int i = j + 1; i < n; i++)
      *at(l, i, j) = unit ? -*at(l, i, j) : -times(*at(l, i, j), *at(l, j, j));
  }
}

/* L^T L */
static inline void square(int n, struct view l) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double sum = times(*at(l, i, i), *at(l, i, j));
      for (int k = i + 1; k < n; k++)
        sum = plus(sum, times(*at(l, k, i), *at(l, k, j)));
      *at(l, i, j) = sum;
    }
}

/* Without exchanges, which do not count. */
static inline void lu(int m, int n, struct view a) {
  for (int j = 0; j < m && j < n; j++) {
    for (int i = j + 1; i < m; i++)
      *at(a, i, j) = over(*at(a, i, j), *at(a, j, j));
    ger_minus(m - j - 1, n - j - 1, from(a, j + 1, j), transposed(from(a, j, j + 1)), from(a, j + 1, j + 1));
  }
}

/* L D L^T, columns [0, steps) with the update of the rest. */
static inline void indefinite(int n, int steps, struct view a) {
  for (int j = 0; j < n && j < steps; j++)
    for (int k = j + 1; k < n; k++) {
      const double quotient = over(*at(a, k, j), *at(a, j, j));
      for (int i = k; i < n; i++)
        *at(a, i, k) = minus(*at(a, i, k), times(*at(a, i, j), quotient));
    }
}

/* --- Reflectors ---------------------------------------------------------------------------------------------------- */

/* alpha, x := beta, v. Real LAPACK takes H = I for n = 1, complex LAPACK does not; both count. */
static inline double reflector(int n, double *alpha, struct view x) {
  const double before = *alpha;
  if (n <= 0)
    return 0;
  const double norm = root(dot(n - 1, x, x));
  const double beta = -copysign(root(plus(times(*alpha, *alpha), times(norm, norm))), *alpha);
  const double difference = minus(beta, *alpha), tau = over(difference, beta);
  scale(n - 1, over(-1, difference), x);
  *alpha = n == 1 ? before : beta;
  return n == 1 ? 0 : tau;
}

/* C := (I - tau v v^T) C */
static inline void reflect(int m, int n, struct view v, double tau, struct view c) {
  double w[SIDE] = { 0 };
  gemv(n, m, transposed(c), v, column(w));
  scale(n, tau, column(w));
  ger_minus(m, n, v, column(w), c);
}

/* The same with 1 in the place of the first element of v. */
static inline void reflect_unit(int m, int n, struct view v, double tau, struct view c) {
  const double first = *v.p;
  *v.p = 1;
  reflect(m, n, v, tau, c);
  *v.p = first;
}

static inline void qr(int m, int n, struct view a, double *tau) {
  for (int i = 0; i < m && i < n; i++) {
    tau[i] = reflector(m - i, at(a, i, i), from(a, i + 1, i));
    reflect_unit(m - i, n - i - 1, from(a, i, i), tau[i], from(a, i, i + 1));
  }
}

static inline void make_q(int m, int n, int k, struct view a, const double *tau) {
  for (int j = k; j < n; j++)
    for (int i = 0; i < m; i++)
      *at(a, i, j) = i == j;
  for (int i = k - 1; i >= 0; i--) {
    reflect_unit(m - i, n - i - 1, from(a, i, i), tau[i], from(a, i, i + 1));
    scale(m - i - 1, -tau[i], from(a, i + 1, i));
    *at(a, i, i) = minus(1, tau[i]);
    for (int j = 0; j < i; j++)
      *at(a, j, i) = 0;
  }
}

static inline void multiply_q(int m, int n, int k, struct view a, const double *tau, struct view c) {
  for (int i = 0; i < k; i++)
    reflect_unit(m - i, n, from(a, i, i), tau[i], from(c, i, 0));
}

/* T of the block reflector, from columns of unit lower trapezoidal V. */
static inline void block_factor(int n, int k, struct view v, const double *tau, struct view t) {
  for (int i = 0; i < k; i++) {
    for (int j = 0; j < i; j++) {
      double sum = *at(v, i, j);
      for (int row = i + 1; row < n; row++)
        sum = plus(sum, times(*at(v, row, j), *at(v, row, i)));
      *at(t, j, i) = -times(tau[i], sum);
    }
    /* the upper triangle that is there already, seen from its end */
    if (i > 0)
      trmv(i, false, reversed(t, i, i), reversed(from(t, 0, i), i, 1));
    *at(t, i, i) = tau[i];
  }
}

/* C := C - V T V^T C */
static inline void block_reflect(int m, int n, int k, struct view v, struct view t, struct view c) {
  double space[SPACE] = { 0 }, rest[SPACE] = { 0 };
  struct view w = { space, 1, SIDE }, u = { rest, 1, SIDE };
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < k; i++)
      *at(w, i, j) = *at(c, i, j);
    if (k > 0) /* V1^T from the left, unit upper */
      trmv(k, true, reversed(transposed(v), k, k), reversed(from(w, 0, j), k, 1));
    gemv(k, m - k, transposed(from(v, k, 0)), from(c, k, j), from(w, 0, j));
    if (k > 0)
      trmv(k, false, reversed(t, k, k), reversed(from(w, 0, j), k, 1));
    gemv_minus(m - k, k, from(v, k, 0), from(w, 0, j), from(c, k, j));
    for (int i = 0; i < k; i++)
      *at(u, i, j) = *at(w, i, j);
    trmv(k, true, v, from(u, 0, j));
    for (int i = 0; i < k; i++)
      *at(c, i, j) = minus(*at(c, i, j), *at(u, i, j));
  }
}

/* --- Reductions ---------------------------------------------------------------------------------------------------- */

static inline void tridiagonal(int n, struct view a, double *tau) {
  for (int i = 0; i + 1 < n; i++) {
    const int l = n - i - 1;
    struct view v = from(a, i + 1, i), rest = from(a, i + 1, i + 1);
    double space[SIDE] = { 0 };
    tau[i] = reflector(l, v.p, from(v, 1, 0));
    const double e = *v.p;
    *v.p = 1;
    symv(l, rest, v, column(space));
    scale(l, tau[i], column(space));
    const double alpha = -0.5 * times(tau[i], dot(l, column(space), v)); /* halving does not count */
    axpy(l, alpha, v, column(space));
    syr2_minus(l, v, column(space), rest);
    *v.p = e;
  }
}

/* nb columns of the same, and W. */
static inline void tridiagonal_panel(int n, int nb, struct view a, struct view w) {
  for (int i = 0; i < nb; i++) {
    const int l = n - i - 1;
    double t[SIDE] = { 0 };
    gemv_minus(n - i, i, from(a, i, 0), transposed(from(w, i, 0)), from(a, i, i));
    gemv_minus(n - i, i, from(w, i, 0), transposed(from(a, i, 0)), from(a, i, i));
    struct view v = from(a, i + 1, i), x = from(w, i + 1, i);
    const double tau = reflector(l, v.p, from(v, 1, 0));
    *v.p = 1;
    for (int j = 0; j < l; j++)
      *at(x, j, 0) = 0;
    symv(l, from(a, i + 1, i + 1), v, x);
    gemv(i, l, transposed(from(w, i + 1, 0)), v, column(t));
    gemv_minus(l, i, from(a, i + 1, 0), column(t), x);
    for (int j = 0; j < i; j++)
      t[j] = 0;
    gemv(i, l, transposed(from(a, i + 1, 0)), v, column(t));
    gemv_minus(l, i, from(w, i + 1, 0), column(t), x);
    scale(l, tau, x);
    axpy(l, -0.5 * times(tau, dot(l, x, v)), v, x);
  }
}

/* m >= n */
static inline void bidiagonal(int m, int n, struct view a, double *tauq, double *taup) {
  for (int i = 0; i < n; i++) {
    tauq[i] = reflector(m - i, at(a, i, i), from(a, i + 1, i));
    reflect_unit(m - i, n - i - 1, from(a, i, i), tauq[i], from(a, i, i + 1));
    taup[i] = 0;
    if (i + 1 == n)
      continue;
    struct view row = transposed(from(a, i, i + 1));
    taup[i] = reflector(n - i - 1, row.p, from(row, 1, 0));
    reflect_unit(n - i - 1, m - i - 1, row, taup[i], transposed(from(a, i + 1, i + 1)));
  }
}

/* nb < n <= m steps of the same, and X, Y. The columns of X and Y are 0 before. */
static inline void bidiagonal_panel(int m, int n, int nb, struct view a, struct view x, struct view y) {
  for (int i = 0; i < nb; i++) {
    const int rows = m - i, columns = n - i - 1;
    double t[SIDE] = { 0 }, u[SIDE] = { 0 };
    struct view v = from(a, i, i), row = transposed(from(a, i, i + 1)), yi = from(y, i + 1, i), xi = from(x, i + 1, i);
    gemv_minus(rows, i, from(a, i, 0), transposed(from(y, i, 0)), v);
    gemv_minus(rows, i, from(x, i, 0), from(a, 0, i), v);
    const double tauq = reflector(rows, v.p, from(v, 1, 0));
    *v.p = 1;
    gemv(columns, rows, transposed(from(a, i, i + 1)), v, yi);
    gemv(i, rows, transposed(from(a, i, 0)), v, column(t));
    gemv_minus(columns, i, from(y, i + 1, 0), column(t), yi);
    gemv(i, rows, transposed(from(x, i, 0)), v, column(u));
    gemv_minus(columns, i, transposed(from(a, 0, i + 1)), column(u), yi);
    scale(columns, tauq, yi);
    gemv_minus(columns, i + 1, from(y, i + 1, 0), transposed(from(a, i, 0)), row);
    gemv_minus(columns, i, transposed(from(a, 0, i + 1)), transposed(from(x, i, 0)), row);
    const double taup = reflector(columns, row.p, from(row, 1, 0));
    *row.p = 1;
    double s[SIDE] = { 0 }, r[SIDE] = { 0 };
    gemv(rows - 1, columns, from(a, i + 1, i + 1), row, xi);
    gemv(i + 1, columns, transposed(from(y, i + 1, 0)), row, column(s));
    gemv_minus(rows - 1, i + 1, from(a, i + 1, 0), column(s), xi);
    gemv(i, columns, from(a, 0, i + 1), row, column(r));
    gemv_minus(rows - 1, i, from(x, i + 1, 0), column(r), xi);
    scale(rows - 1, taup, xi);
  }
}

/* From column ilo on, from 1. */
static inline void hessenberg(int n, int ilo, struct view a, double *tau) {
  for (int i = ilo - 1; i + 1 < n; i++) {
    const int l = n - i - 1;
    struct view v = from(a, i + 1, i);
    tau[i] = reflector(l, v.p, from(v, 1, 0));
    reflect_unit(l, n, v, tau[i], transposed(from(a, 0, i + 1)));
    reflect_unit(l, l, v, tau[i], from(a, i + 1, i + 1));
  }
}

/* nb columns of the same: column j of the block is column j of a, which begins at column k - 1 of the whole (k from 1), and the reflector
 * in it begins in row k + j. T and Y are 0 before. */
static inline void hessenberg_panel(int n, int k, int nb, struct view a, struct view t, struct view y) {
  double last = 0;
  for (int i = 0; i < nb; i++) {
    const int l = n - k - i;
    struct view b = from(a, k, i), w = column((double[SIDE]){ 0 }), yi = from(y, k, i), ti = from(t, 0, i);
    if (i > 0) { /* column i: the update from the right, then I - V T^T V^T from the left */
      gemv_minus(n - k, i, from(y, k, 0), transposed(from(a, k + i - 1, 0)), b);
      for (int j = 0; j < i; j++)
        *at(w, j, 0) = *at(b, j, 0);
      trmv(i, true, reversed(transposed(from(a, k, 0)), i, i), reversed(w, i, 1));
      gemv(i, l, transposed(from(a, k + i, 0)), from(b, i, 0), w);
      trmv(i, false, transposed(t), w);
      gemv_minus(l, i, from(a, k + i, 0), w, from(b, i, 0));
      trmv(i, true, from(a, k, 0), w);
      for (int j = 0; j < i; j++)
        *at(b, j, 0) = minus(*at(b, j, 0), *at(w, j, 0));
      *at(a, k + i - 1, i - 1) = last;
    }
    const double tau = reflector(l, at(b, i, 0), from(b, i + 1, 0));
    last = *at(b, i, 0);
    *at(b, i, 0) = 1;
    gemv(n - k, l, from(a, k, i + 1), from(b, i, 0), yi);
    gemv(i, l, transposed(from(a, k + i, 0)), from(b, i, 0), ti);
    gemv_minus(n - k, i, from(y, k, 0), ti, yi);
    scale(n - k, tau, yi);
    scale(i, -tau, ti);
    if (i > 0)
      trmv(i, false, reversed(t, i, i), reversed(ti, i, 1));
    else
      trmv(0, false, t, ti);
    *at(t, i, i) = tau;
  }
  /* rows 0 ... k - 1 of Y = A V T: A(:, 1:nb) V1, the product with V2, T, each row on its own */
  for (int row = 0; row < k; row++) {
    struct view yr = transposed(from(y, row, 0));
    for (int j = 0; j < nb; j++)
      *at(yr, j, 0) = *at(a, row, j + 1);
    if (nb > 0)
      trmv(nb, true, reversed(transposed(from(a, k, 0)), nb, nb), reversed(yr, nb, 1));
    gemv(nb, n - k - nb, transposed(from(a, k + nb, 0)), transposed(from(a, row, nb + 1)), yr);
    trmv(nb, false, transposed(t), yr);
  }
}

/* A := inv(L) A inv(L^T), one row and column after the other; halving does not count. */
static inline void to_standard(int n, struct view a, struct view b) {
  for (int k = 0; k < n; k++) {
    const int q = n - k - 1;
    struct view x = from(a, k + 1, k), y = from(b, k + 1, k);
    const double diagonal = over(*at(a, k, k), times(*at(b, k, k), *at(b, k, k)));
    *at(a, k, k) = diagonal;
    for (int i = 0; i < q; i++)
      *at(x, i, 0) = over(*at(x, i, 0), *at(b, k, k));
    axpy(q, -0.5 * diagonal, y, x);
    syr2_minus(q, x, y, from(a, k + 1, k + 1));
    axpy(q, -0.5 * diagonal, y, x);
    trsv(q, false, from(b, k + 1, k + 1), x);
  }
}

/* A := L^T A L */
static inline void from_standard(int n, struct view a, struct view b) {
  for (int k = 0; k < n; k++) { /* k rows are done */
    struct view x = transposed(from(a, k, 0)), y = transposed(from(b, k, 0));
    const double diagonal = *at(a, k, k);
    if (k > 0)
      trmv(k, false, reversed(transposed(b), k, k), reversed(x, k, 1));
    axpy(k, 0.5 * diagonal, y, x);
    double negative[SIDE];
    for (int i = 0; i < k; i++)
      negative[i] = -*at(y, i, 0);
    syr2_minus(k, x, column(negative), a);
    axpy(k, 0.5 * diagonal, y, x);
    scale(k, *at(b, k, k), x);
    *at(a, k, k) = times(diagonal, times(*at(b, k, k), *at(b, k, k)));
  }
}

/* A X + X B = C, A and B upper triangular: from the last row and the first column. */
static inline void sylvester(int m, int n, struct view a, struct view b, struct view c) {
  for (int j = 0; j < n; j++)
    for (int i = m - 1; i >= 0; i--) {
      double sum = *at(c, i, j);
      for (int k = i + 1; k < m; k++)
        sum = minus(sum, times(*at(a, i, k), *at(c, k, j)));
      for (int k = 0; k < j; k++)
        sum = minus(sum, times(*at(c, i, k), *at(b, k, j)));
      *at(c, i, j) = over(sum, plus(*at(a, i, i), *at(b, j, j)));
    }
}

#endif
