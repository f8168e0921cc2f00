/* SPDX-License-Identifier: BSD-3-Clause */
/* What each operation of the catalogue does, as loops that count. */
#ifndef TESTS_UNIT_KERNEL_REFERENCES_H
#define TESTS_UNIT_KERNEL_REFERENCES_H

#include <stdlib.h>
#include <string.h>

#include "decomposing.h"

/* What a call is about: sizes (0 where the kernel has none of that name) and flags ('\0'). */
struct shape {
  int m, n, k, nb, nrhs, itype, ilo;
  char side, uplo, trans, diag, norm, type, jobz, jobu, jobvt, jobvl, jobvr;
  bool is_complex;
};

static double first[SPACE], second[SPACE], third[SPACE], fourth[SPACE], factors[SIDE], others[SIDE];
static const struct view a = { first, 1, SIDE }, b = { second, 1, SIDE }, c = { third, 1, SIDE },
                         d = { fourth, 1, SIDE };

/* Well conditioned, symmetric, no zeros. */
static void prepare(void) {
  for (int i = 0; i < SPACE; i++)
    first[i] = second[i] = third[i] = i % (SIDE + 1) == 0 ? 8 : 1.0 / (1 + abs(i / SIDE - i % SIDE));
  memset(fourth, 0, sizeof fourth);
  for (int i = 0; i < SIDE; i++)
    factors[i] = others[i] = 0.5;
  multiplications = additions = 0;
}

typedef void counter(const struct shape *s);

/* In complex kernels an operation on real numbers counts by its flops. */
static double real_product(const struct shape *s) {
  return s->is_complex ? 1.0 / 6 : 1;
}

static double real_sum(const struct shape *s) {
  return s->is_complex ? 1.0 / 2 : 1;
}

/* --- Level 1 ------------------------------------------------------------------------------------------------------- */

static void nothing(const struct shape *s) {
  (void)s;
}

static void count_axpy(const struct shape *s) {
  axpy(s->n, 2, a, b);
}

/* Only additions. */
static void count_gesub(const struct shape *s) {
  additions += (double)s->m * s->n;
}

static void count_scal(const struct shape *s) {
  scale(s->n, 2, a);
}

/* A complex number times a real one: two real products. */
static void count_real_scal(const struct shape *s) {
  for (int i = 0; i < s->n; i++)
    multiplications += 2 * real_product(s);
}

static void count_dot(const struct shape *s) {
  dot(s->n, a, b);
}

static void count_dot_plus(const struct shape *s) {
  plus(1, dot(s->n, a, b));
}

/* Of complex numbers |Re| + |Im| each. */
static void count_asum(const struct shape *s) {
  for (int i = 0; i < s->n; i++)
    additions += s->is_complex ? 2 * real_sum(s) : 1;
}

static void count_squares(const struct shape *s, int count) {
  for (int i = 0; i < count; i++) {
    multiplications += s->is_complex ? 2 * real_product(s) : 1;
    additions += s->is_complex ? 2 * real_sum(s) : 1;
  }
}

static void count_nrm2(const struct shape *s) {
  count_squares(s, s->n);
}

static void count_rot(const struct shape *s) {
  for (int i = 0; i < s->n; i++) {
    const double x = *at(a, i, 0), y = *at(b, i, 0);
    *at(a, i, 0) = plus(times(0.6, x), times(0.8, y));
    *at(b, i, 0) = minus(times(0.6, y), times(0.8, x));
  }
}

static void count_real_rot(const struct shape *s) {
  count_rot(s);
  multiplications /= 3; /* two flops for six */
}

static void count_mixed_rot(const struct shape *s) {
  count_rot(s);
  multiplications = multiplications / 2 + multiplications / 2 / 3; /* c is real, s is not */
}

static void count_rotg(const struct shape *s) {
  (void)s;
  const double r = root(plus(times(3, 3), times(4, 4)));
  over(3, r);
  over(4, r);
  over(1, 0.6);
}

static void count_rotm(const struct shape *s) {
  axpy(s->n, 2, a, b);
  axpy(s->n, 2, b, a);
}

/* --- Level 2 and 3 ------------------------------------------------------------------------------------------------- */

static void count_gemv(const struct shape *s) {
  if (s->trans == 'N')
    gemv(s->m, s->n, a, b, c);
  else
    gemv(s->n, s->m, transposed(a), b, c);
}

static void count_ger(const struct shape *s) {
  ger_minus(s->m, s->n, b, c, a);
}

static void count_symv(const struct shape *s) {
  symv(s->n, s->uplo == 'L' ? a : transposed(a), b, c);
}

static void count_syr(const struct shape *s) {
  syrk(s->n, 1, b, b, a);
}

static void count_syr2(const struct shape *s) {
  syr2_minus(s->n, b, c, a);
}

/* op(A) from the left of the columns, or from the right of the rows. */
static void triangle(const struct shape *s, bool solve, char side, int m, int n) {
  const int order = side == 'R' ? n : m, columns = side == 'R' ? m : n;
  const bool upper = s->uplo == 'U', transpose = (s->trans != 'N') != (side == 'R');
  if (order > 0)
    triangle_times(order, columns, s->diag == 'U', solve, upper != transpose, lower_of(a, order, upper, transpose),
                   side == 'R' ? transposed(b) : b);
}

static void count_trmv(const struct shape *s) {
  triangle(s, false, 'L', s->n, 1);
}

static void count_trsv(const struct shape *s) {
  triangle(s, true, 'L', s->n, 1);
}

static void count_trmm(const struct shape *s) {
  triangle(s, false, s->side, s->m, s->n);
}

static void count_trsm(const struct shape *s) {
  triangle(s, true, s->side, s->m, s->n);
}

static void count_trtrs(const struct shape *s) {
  triangle(s, true, 'L', s->n, s->nrhs);
}

static void count_gemm(const struct shape *s) {
  gemm(s->m, s->n, s->k, a, b, c);
}

static void count_symm(const struct shape *s) {
  for (int j = 0; j < (s->side == 'L' ? s->n : s->m); j++)
    symv(s->side == 'L' ? s->m : s->n, a, from(b, 0, j), from(c, 0, j));
}

static void count_syrk(const struct shape *s) {
  syrk(s->n, s->k, a, b, c);
}

static void count_syr2k(const struct shape *s) {
  syrk(s->n, s->k, a, b, c);
  syrk(s->n, s->k, b, a, c);
}

/* --- Cholesky, LU, triangles --------------------------------------------------------------------------------------- */

static void count_potrf(const struct shape *s) {
  cholesky(s->n, s->uplo == 'L' ? a : transposed(a));
}

static void solve_twice(const struct shape *s, bool unit) {
  triangle_times(s->n, s->nrhs, unit, true, false, a, b);
  if (s->n > 0)
    triangle_times(s->n, s->nrhs, false, true, true, lower_of(a, s->n, false, true), b);
}

static void count_potrs(const struct shape *s) {
  solve_twice(s, false);
}

static void count_posv(const struct shape *s) {
  count_potrf(s);
  solve_twice(s, false);
}

static void count_trtri(const struct shape *s) {
  invert(s->n, s->diag == 'U', s->uplo == 'L' ? a : transposed(a));
}

static void count_lauum(const struct shape *s) {
  square(s->n, s->uplo == 'L' ? a : transposed(a));
}

static void count_potri(const struct shape *s) {
  count_trtri(s);
  count_lauum(s);
}

static void count_getrf(const struct shape *s) {
  lu(s->m, s->n, a);
}

static void count_getrs(const struct shape *s) {
  solve_twice(s, true);
}

static void count_gesv(const struct shape *s) {
  lu(s->n, s->n, a);
  solve_twice(s, true);
}

/* inv(A) L = inv(U), from the last column on. */
static void count_getri(const struct shape *s) {
  invert(s->n, false, transposed(a));
  for (int j = s->n - 2; j >= 0; j--)
    gemv_minus(s->n, s->n - j - 1, from(a, 0, j + 1), from(b, j + 1, 0), from(a, 0, j));
}

static void count_sygst(const struct shape *s) {
  (s->itype == 1 ? to_standard : from_standard)(s->n, s->uplo == 'L' ? a : transposed(a), b);
}

static void count_trsyl(const struct shape *s) {
  sylvester(s->m, s->n, a, b, c);
}

/* Elements that a triangle of the matrix has; H is U and the diagonal below. */
static int elements(const struct shape *s) {
  int count = 0;
  for (int j = 0; j < s->n; j++)
    for (int i = 0; i < s->m; i++)
      count += s->type == 'L' ? i >= j : s->type == 'U' ? i <= j : s->type == 'H' ? i <= j + 1 : 1;
  return count;
}

static void count_lascl(const struct shape *s) {
  for (int i = elements(s); i > 0; i--)
    multiplications += s->is_complex ? 2 * real_product(s) : 1;
}

static void count_lange(const struct shape *s) {
  if (s->norm == 'F') {
    count_squares(s, s->m * s->n);
    return;
  }
  for (int i = 0; i < s->m * s->n; i++) {
    if (s->is_complex) { /* two squares, their sum, a root */
      multiplications += 3 * real_product(s);
      additions += real_sum(s);
    }
    if (s->norm != 'M')
      additions += real_sum(s);
  }
}

/* --- Reflectors ---------------------------------------------------------------------------------------------------- */

static void count_larfg(const struct shape *s) {
  reflector(s->n, first, from(a, 1, 0));
}

static void count_larf(const struct shape *s) {
  if (s->side == 'L')
    reflect(s->m, s->n, b, 0.5, c);
  else
    reflect(s->n, s->m, b, 0.5, transposed(c));
}

static void count_larft(const struct shape *s) {
  block_factor(s->n, s->k, a, factors, d);
}

static void count_larfb(const struct shape *s) {
  if (s->side == 'L')
    block_reflect(s->m, s->n, s->k, a, b, c);
  else
    block_reflect(s->n, s->m, s->k, a, b, transposed(c));
}

static void count_geqrf(const struct shape *s) {
  qr(s->m, s->n, a, factors);
}

static void count_gelqf(const struct shape *s) {
  qr(s->n, s->m, transposed(a), factors);
}

static void count_geqlf(const struct shape *s) {
  if (s->m > 0 && s->n > 0)
    qr(s->m, s->n, reversed(a, s->m, s->n), factors);
}

static void count_gerqf(const struct shape *s) {
  if (s->m > 0 && s->n > 0)
    qr(s->n, s->m, transposed(reversed(a, s->m, s->n)), factors);
}

static void count_geqp3(const struct shape *s) {
  for (int j = 0; j < s->n; j++)
    dot(s->m, from(a, 0, j), from(a, 0, j));
  qr(s->m, s->n, a, factors);
}

static void count_orgqr(const struct shape *s) {
  make_q(s->m, s->n, s->k, a, factors);
}

static void count_orglq(const struct shape *s) {
  make_q(s->n, s->m, s->k, transposed(a), factors);
}

static void count_ormqr(const struct shape *s) {
  if (s->side == 'L')
    multiply_q(s->m, s->n, s->k, a, factors, c);
  else
    multiply_q(s->n, s->m, s->k, a, factors, transposed(c));
}

/* The shorter side has the triangle; Q is of the longer one. */
static void count_gels(const struct shape *s) {
  const int rows = s->m < s->n ? s->n : s->m, columns = s->m < s->n ? s->m : s->n;
  qr(rows, columns, a, factors);
  multiply_q(rows, s->nrhs, columns, a, factors, b);
  triangle_times(columns, s->nrhs, false, true, false, transposed(a), b);
}

/* --- Reductions ---------------------------------------------------------------------------------------------------- */

static void count_sytrd(const struct shape *s) {
  tridiagonal(s->n, a, factors);
}

static void count_latrd(const struct shape *s) {
  tridiagonal_panel(s->n, s->nb, a, d);
}

static void count_gebrd(const struct shape *s) {
  if (s->m >= s->n)
    bidiagonal(s->m, s->n, a, factors, others);
  else
    bidiagonal(s->n, s->m, transposed(a), factors, others);
}

static void count_labrd(const struct shape *s) {
  memset(third, 0, sizeof third);
  if (s->m >= s->n)
    bidiagonal_panel(s->m, s->n, s->nb, a, c, d);
  else
    bidiagonal_panel(s->n, s->m, s->nb, transposed(a), c, d);
}

static void count_gehrd(const struct shape *s) {
  hessenberg(s->n, s->ilo > 0 ? s->ilo : 1, a, factors);
}

static void count_lahr2(const struct shape *s) {
  memset(third, 0, sizeof third);
  hessenberg_panel(s->n, s->k, s->nb, a, c, d);
}

static void count_sytrf(const struct shape *s) {
  indefinite(s->n, s->n, a);
}

static void count_lasyf(const struct shape *s) {
  indefinite(s->n, s->nb < s->n ? s->nb - 1 : s->n, a);
}

static void count_sysv(const struct shape *s) {
  count_sytrf(s);
  count_getrs(s);
}

/* --- Iterations: the orders that doc/kernels.md names -------------------------------------------------------------- */

static void halves(double flops) {
  multiplications = additions = flops / 2;
}

static double cube(double n) {
  return n * n * n;
}

static void order_syev(const struct shape *s) {
  halves((s->jobz == 'N' ? 4.0 / 3 : 9) * cube(s->n));
}

static void order_syevd(const struct shape *s) {
  halves((s->jobz == 'N' ? 4.0 / 3 : 4) * cube(s->n));
}

static void order_sygv(const struct shape *s) {
  halves((s->jobz == 'N' ? 4.0 / 3 : 9) * cube(s->n) + (1.0 / 3 + 1) * cube(s->n) + (s->jobz == 'V' ? cube(s->n) : 0));
}

static void order_geev(const struct shape *s) {
  halves((s->jobvl == 'V' || s->jobvr == 'V' ? 25 : 10) * cube(s->n));
}

static void order_svd(const struct shape *s, bool vectors, bool all) {
  const double p = s->m > s->n ? s->m : s->n, q = s->m > s->n ? s->n : s->m;
  halves(!vectors ? 4 * p * q * q - 4 * cube(q) / 3
         : all    ? 4 * p * p * q + 8 * p * q * q + 9 * cube(q)
                  : 14 * p * q * q + 8 * cube(q));
}

static void order_gesvd(const struct shape *s) {
  order_svd(s, s->jobu != 'N' || s->jobvt != 'N', (s->m < s->n ? s->jobvt : s->jobu) == 'A');
}

static void order_gesdd(const struct shape *s) {
  order_svd(s, s->jobz != 'N', s->jobz == 'A');
}

#endif
