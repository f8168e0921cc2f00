/* SPDX-License-Identifier: BSD-3-Clause */
/* Textbook loops that count what they do, to hold the catalogue's formulas against: scalars, vectors, products, triangles. Every
 * routine computes; upper triangles are transposed lower ones, products from the right transposed products from the left. */
#ifndef TESTS_UNIT_KERNEL_COUNTING_H
#define TESTS_UNIT_KERNEL_COUNTING_H

#include <math.h>
#include <stdbool.h>

enum { SIDE = 8, SPACE = SIDE * SIDE }; /* sizes are below SIDE */

static double multiplications, additions;

static inline double times(double a, double b) {
  multiplications++;
  return a * b;
}

static inline double over(double a, double b) {
  multiplications++;
  return a / b;
}

static inline double root(double a) {
  multiplications++;
  return sqrt(a);
}

static inline double plus(double a, double b) {
  additions++;
  return a + b;
}

static inline double minus(double a, double b) {
  additions++;
  return a - b;
}

/* A matrix whose element (i, j) is at p[i*down + j*right], or a vector that is its first column. */
struct view {
  double *p;
  int down, right;
};

static inline double *at(struct view a, int i, int j) {
  return a.p + i * a.down + j * a.right;
}

static inline struct view from(struct view a, int i, int j) {
  return (struct view){ at(a, i, j), a.down, a.right };
}

static inline struct view transposed(struct view a) {
  return (struct view){ a.p, a.right, a.down };
}

/* The last element first. */
static inline struct view reversed(struct view a, int rows, int columns) {
  return (struct view){ at(a, rows - 1, columns - 1), -a.down, -a.right };
}

static inline struct view column(double *p) {
  return (struct view){ p, 1, SIDE };
}

/* --- Vectors ------------------------------------------------------------------------------------------------------- */

static inline double dot(int n, struct view x, struct view y) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum = plus(sum, times(*at(x, i, 0), *at(y, i, 0)));
  return sum;
}

static inline void axpy(int n, double alpha, struct view x, struct view y) {
  for (int i = 0; i < n; i++)
    *at(y, i, 0) = plus(*at(y, i, 0), times(alpha, *at(x, i, 0)));
}

static inline void scale(int n, double alpha, struct view x) {
  for (int i = 0; i < n; i++)
    *at(x, i, 0) = times(alpha, *at(x, i, 0));
}

/* --- Matrices ------------------------------------------------------------------------------------------------------ */

/* y := y + A x */
static inline void gemv(int m, int n, struct view a, struct view x, struct view y) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      *at(y, i, 0) = plus(*at(y, i, 0), times(*at(a, i, j), *at(x, j, 0)));
}

/* y := y - A x */
static inline void gemv_minus(int m, int n, struct view a, struct view x, struct view y) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      *at(y, i, 0) = minus(*at(y, i, 0), times(*at(a, i, j), *at(x, j, 0)));
}

/* C := C + A B */
static inline void gemm(int m, int n, int k, struct view a, struct view b, struct view c) {
  for (int j = 0; j < n; j++)
    gemv(m, k, a, from(b, 0, j), from(c, 0, j));
}

/* A := A - x y^T */
static inline void ger_minus(int m, int n, struct view x, struct view y, struct view a) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++)
      *at(a, i, j) = minus(*at(a, i, j), times(*at(x, i, 0), *at(y, j, 0)));
}

/* y := y + A x, the lower triangle of A */
static inline void symv(int n, struct view a, struct view x, struct view y) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      *at(y, i, 0) = plus(*at(y, i, 0), times(i >= j ? *at(a, i, j) : *at(a, j, i), *at(x, j, 0)));
}

/* C := C + A B^T, the lower triangle */
static inline void syrk(int n, int k, struct view a, struct view b, struct view c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      gemv(1, k, from(a, i, 0), transposed(from(b, j, 0)), from(c, i, j));
}

/* A := A - x y^T - y x^T, the lower triangle */
static inline void syr2_minus(int n, struct view x, struct view y, struct view a) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      *at(a, i, j) = minus(*at(a, i, j), times(*at(x, i, 0), *at(y, j, 0)));
      *at(a, i, j) = minus(*at(a, i, j), times(*at(y, i, 0), *at(x, j, 0)));
    }
}

/* x := L x */
static inline void trmv(int n, bool unit, struct view l, struct view x) {
  for (int i = n - 1; i >= 0; i--) {
    double sum = unit ? *at(x, i, 0) : times(*at(l, i, i), *at(x, i, 0));
    for (int j = 0; j < i; j++)
      sum = plus(sum, times(*at(l, i, j), *at(x, j, 0)));
    *at(x, i, 0) = sum;
  }
}

/* x := inv(L) x */
static inline void trsv(int n, bool unit, struct view l, struct view x) {
  for (int i = 0; i < n; i++) {
    double sum = *at(x, i, 0);
    for (int j = 0; j < i; j++)
      sum = minus(sum, times(*at(l, i, j), *at(x, j, 0)));
    *at(x, i, 0) = unit ? sum : over(sum, *at(l, i, i));
  }
}

/* The lower triangular view of op(A), for the solution or product from the left: U and transposition are both exchanges. */
static inline struct view lower_of(struct view a, int n, bool upper, bool transpose) {
  if (transpose)
    a = transposed(a);
  return upper != transpose ? reversed(a, n, n) : a;
}

/* B := op(A) B or inv(op(A)) B, the vectors in the order of op(A)'s lower view. */
static inline void triangle_times(int n, int columns, bool unit, bool solve, bool backward, struct view l,
                                  struct view b) {
  for (int j = 0; j < columns; j++) {
    struct view x = from(b, 0, j);
    if (backward && n > 0)
      x = reversed(x, n, 1);
    (solve ? trsv : trmv)(n, unit, l, x);
  }
}

#endif
