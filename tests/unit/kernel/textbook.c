/* SPDX-License-Identifier: BSD-3-Clause */
/* The loops that count compute what LAPACK's unblocked routines compute, to the last reflector: so they count the right thing. */
#include <stdio.h>
#include <stdlib.h>

#include "decomposing.h"
#include "kernel/invoke.h"
#include "lapack.h"
#include "sizes.h"

TestSuite(textbook, .init = start, .fini = stop);

enum { M = 7, N = 5, K = 3, OPERANDS = 8 };

/* Two copies of everything: mine for the loops, theirs for the routine. In the order of the data arguments. */
static double mine[OPERANDS][SPACE], theirs[OPERANDS][SPACE];

static struct view view(int operand) {
  return (struct view){ mine[operand], 1, SIDE };
}

static void prepare(void) {
  for (int operand = 0; operand < OPERANDS; operand++)
    for (int i = 0; i < SPACE; i++) {
      int row = i % SIDE, at_column = i / SIDE;
      mine[operand][i] = row == at_column ? 4 + row : 1.0 / (2 + abs(row - at_column)) + 0.01 * operand;
    }
  memcpy(theirs, mine, sizeof mine);
}

static void clear(int operand) {
  memset(mine[operand], 0, sizeof mine[operand]);
  memset(theirs[operand], 0, sizeof theirs[operand]);
}

/* Calls the routine on theirs; leading dimensions are SIDE. */
static void call(const char *name, const char *flags, const int64_t *sizes) {
  static double work[4096];
  const struct perfpred_kernel *kernel = kernel_named(name);
  struct ppi_value values[PPI_ARG_MAX] = { { .i = 0 } };
  struct perfpred_error error = { .status = PERFPRED_OK };
  struct ppi_frame frame;
  void *data[PPI_ARG_MAX] = { NULL };
  char symbol[PPI_NAME_MAX + 1];
  perfpred_fortran_fn *function = NULL;
  int operand = 0;
  for (int i = 0; i < kernel->arg_count; i++) {
    if (kernel->args[i].kind == PPI_ARG_FLAG)
      values[i].i = *flags++;
    else if (kernel->args[i].kind == PPI_ARG_SIZE)
      values[i].i = *sizes++;
    else if (kernel->args[i].kind == PPI_ARG_SCALAR)
      values[i].re = 1;
    else if (kernel->args[i].kind == PPI_ARG_DATA)
      data[i] = theirs[operand++];
    else if (kernel->args[i].kind == PPI_ARG_WORK)
      data[i] = work;
    else if (kernel->args[i].kind == PPI_ARG_LD)
      values[i].i = SIDE;
  }
  snprintf(symbol, sizeof symbol, "%s_", name);
  void *address = dlsym(library, symbol);
  cr_assert_not_null(address, "%s", symbol);
  memcpy(&function, &address, sizeof function);
  cr_assert_eq(ppi_frame_fill(&frame, kernel, function, false, values, data, &error), PERFPRED_OK, "%s", error.text);
  ppi_frame_call(&frame);
  cr_assert_eq(ppi_frame_info(&frame), 0);
}

/* part: 'L', 'U', 'D' of the matrix, or all of it. */
static void expect_same(const char *what, int operand, int rows, int columns, char part) {
  for (int j = 0; j < columns; j++)
    for (int i = 0; i < rows; i++) {
      bool there = part == 'L' ? i >= j : part == 'U' ? i <= j : part == 'D' ? i == j : true;
      const double x = mine[operand][i + j * SIDE], y = theirs[operand][i + j * SIDE];
      if (there && fabs(x - y) > 1e-12 * (1 + fabs(y)))
        cr_assert_fail("%s, operand %d (%d, %d): %.17g, LAPACK %.17g", what, operand, i, j, x, y);
    }
}

Test(textbook, triangles) {
  prepare();
  cholesky(M, view(0));
  call("dpotf2", "L", (int64_t[]){ M });
  expect_same("dpotf2", 0, M, M, 'L');
  for (int unit = 0; unit < 2; unit++) {
    prepare();
    invert(M, unit, view(0));
    call("dtrti2", unit ? "LU" : "LN", (int64_t[]){ M });
    expect_same("dtrti2 L", 0, M, M, 'L');
    prepare();
    invert(M, unit, transposed(view(0)));
    call("dtrti2", unit ? "UU" : "UN", (int64_t[]){ M });
    expect_same("dtrti2 U", 0, M, M, 'U');
  }
  prepare();
  square(M, view(0));
  call("dlauu2", "L", (int64_t[]){ M });
  expect_same("dlauu2", 0, M, M, 'L');
  prepare();
  lu(M, N, view(0));
  call("dgetf2", "", (int64_t[]){ M, N });
  expect_same("dgetf2", 0, M, N, 'A');
  prepare();
  indefinite(M, M, view(0));
  call("dsytf2", "L", (int64_t[]){ M });
  expect_same("dsytf2", 0, M, M, 'D');
  prepare();
  sylvester(M, N, view(0), view(1), view(2));
  for (int j = 0; j < M; j++)
    for (int i = j + 1; i < M; i++)
      theirs[0][i + j * SIDE] = theirs[1][i + j * SIDE] = 0;
  call("dtrsyl", "NN", (int64_t[]){ M, N });
  expect_same("dtrsyl", 2, M, N, 'A');
}

Test(textbook, solutions_and_products) {
  static const char *const flags[] = { "LLN", "LLT", "LUN", "LUT", "RLN", "RLT", "RUN", "RUT" };
  for (size_t i = 0; i < 2 * sizeof flags / sizeof flags[0]; i++) {
    const char *flag = flags[i / 2];
    const bool solve = i % 2, right = flag[0] == 'R', transpose = (flag[2] == 'T') != right, upper = flag[1] == 'U';
    const int order = right ? N : M;
    char all[5];
    snprintf(all, sizeof all, "%sN", flag);
    prepare();
    triangle_times(order, right ? M : N, false, solve, upper != transpose, lower_of(view(0), order, upper, transpose),
                   right ? transposed(view(1)) : view(1));
    call(solve ? "dtrsm" : "dtrmm", all, (int64_t[]){ M, N });
    expect_same(all, 1, M, N, 'A');
  }
}

Test(textbook, generalised_problems) {
  prepare();
  to_standard(M, view(0), view(1));
  call("dsygs2", "1L", (int64_t[]){ M });
  expect_same("dsygs2 1", 0, M, M, 'L');
  prepare();
  from_standard(M, view(0), view(1));
  call("dsygs2", "2L", (int64_t[]){ M });
  expect_same("dsygs2 2", 0, M, M, 'L');
}

static void expect_decomposition(const char *name, int m, int n, bool rows, bool backward) {
  double tau[SIDE] = { 0 };
  struct view a = view(0);
  prepare();
  if (backward)
    a = reversed(a, m, n);
  qr(rows ? n : m, rows ? m : n, rows ? transposed(a) : a, tau);
  call(name, "", (int64_t[]){ m, n });
  expect_same(name, 0, m, n, 'A');
}

Test(textbook, orthogonal_decompositions) {
  expect_decomposition("dgeqr2", M, N, false, false);
  expect_decomposition("dgeqr2", N, M, false, false);
  expect_decomposition("dgeqr2", N, N, false, false);
  expect_decomposition("dgelq2", M, N, true, false);
  expect_decomposition("dgelq2", N, M, true, false);
  expect_decomposition("dgeql2", M, N, false, true);
  expect_decomposition("dgeql2", N, M, false, true);
  expect_decomposition("dgerq2", M, N, true, true);
  expect_decomposition("dgerq2", N, M, true, true);
}

Test(textbook, orthogonal_factors) {
  prepare();
  make_q(M, N, K, view(0), mine[1]);
  call("dorg2r", "", (int64_t[]){ M, N, K });
  expect_same("dorg2r", 0, M, N, 'A');
  prepare();
  make_q(M, N, K, transposed(view(0)), mine[1]);
  call("dorgl2", "", (int64_t[]){ N, M, K });
  expect_same("dorgl2", 0, N, M, 'A');
  prepare();
  multiply_q(M, N, K, view(0), mine[1], view(2));
  call("dorm2r", "LT", (int64_t[]){ M, N, K });
  expect_same("dorm2r L", 2, M, N, 'A');
  prepare();
  multiply_q(N, M, K, view(0), mine[1], transposed(view(2)));
  call("dorm2r", "RN", (int64_t[]){ M, N, K });
  expect_same("dorm2r R", 2, M, N, 'A');
  prepare();
  block_factor(M, K, view(0), mine[1], view(2));
  call("dlarft", "FC", (int64_t[]){ M, K });
  expect_same("dlarft", 2, K, K, 'U');
  prepare();
  block_reflect(M, N, K, view(0), view(1), view(2));
  call("dlarfb", "LNFC", (int64_t[]){ M, N, K });
  expect_same("dlarfb", 2, M, N, 'A');
}

Test(textbook, reductions) {
  double tau[SIDE], taup[SIDE];
  prepare();
  tridiagonal(M, view(0), tau);
  call("dsytd2", "L", (int64_t[]){ M });
  expect_same("dsytd2", 0, M, M, 'L');
  prepare();
  bidiagonal(M, N, view(0), tau, taup);
  call("dgebd2", "", (int64_t[]){ M, N });
  expect_same("dgebd2", 0, M, N, 'A');
  prepare();
  bidiagonal(M, N, transposed(view(0)), tau, taup);
  call("dgebd2", "", (int64_t[]){ N, M });
  expect_same("dgebd2", 0, N, M, 'A');
  for (int ilo = 1; ilo <= M; ilo++) {
    prepare();
    hessenberg(M, ilo, view(0), tau);
    call("dgehd2", "", (int64_t[]){ M, ilo });
    expect_same("dgehd2", 0, M, M, 'A');
  }
}

/* Operands of the routines: latrd a e tau w, labrd a d e tauq taup x y, lahr2 a tau t y. What is above the panels is not written. */
Test(textbook, panels) {
  prepare();
  clear(3);
  tridiagonal_panel(M, K, view(0), view(3));
  call("dlatrd", "L", (int64_t[]){ M, K });
  expect_same("dlatrd a", 0, M, M, 'L');
  for (int j = 0; j < K; j++)
    for (int i = 0; i <= j; i++)
      mine[3][i + j * SIDE] = theirs[3][i + j * SIDE];
  expect_same("dlatrd w", 3, M, K, 'A');
  prepare();
  clear(5);
  clear(6);
  bidiagonal_panel(M, N, K, view(0), view(5), view(6));
  call("dlabrd", "", (int64_t[]){ M, N, K });
  expect_same("dlabrd a", 0, M, N, 'A');
  for (int j = 0; j < K; j++)
    for (int i = 0; i <= j; i++)
      mine[5][i + j * SIDE] = theirs[5][i + j * SIDE], mine[6][i + j * SIDE] = theirs[6][i + j * SIDE];
  expect_same("dlabrd x", 5, M, K, 'A');
  expect_same("dlabrd y", 6, N, K, 'A');
  prepare();
  clear(2);
  clear(3);
  hessenberg_panel(M, 2, K, view(0), view(2), view(3));
  call("dlahr2", "", (int64_t[]){ M, 2, K });
  mine[0][2 + K - 1 + (K - 1) * SIDE] = theirs[0][2 + K - 1 + (K - 1) * SIDE]; /* the last e is put back at the end */
  expect_same("dlahr2 a", 0, M, M - 1, 'A');
  expect_same("dlahr2 t", 2, K, K, 'U');
  expect_same("dlahr2 y", 3, M, K, 'A');
}
