/* SPDX-License-Identifier: BSD-3-Clause */
/* Loop nests of polybench.nests once more, as C: regions 1 to 6. The file compiles. */
#include <math.h>
#include <stdio.h>

#include "sizes.h"

#define M BOUND(N, n)

void cholesky(int n, MATRIX(A, N, N)) {
  int i, j, k;
#pragma scop
  for (i = 0; i < M; i++) {
    for (j = 0; j < i; j++) {
      for (k = 0; k < j; k++)
        A[i][j] -= A[i][k] * A[j][k];
      A[i][j] /= A[j][j];
    }
    for (k = 0; k <= i - 1; ++k)
      A[i][i] -= A[i][k] * A[i][k];
    A[i][i] = sqrt(A[i][i]);
  }
#pragma endscop
}

static void jacobi_2d(int tsteps, int n, number A[n][n], number (*B)[n]) {
#pragma scop
  for (int t = 0; t < tsteps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j <= n - 2; j++)
        B[i][j] = 0.2 * (A[i][j] + A[i][j - 1] + A[i][1 + j] + A[1 + i][j] + A[i - 1][j]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j <= n - 2; j++)
        A[i][j] = 0.2 * (B[i][j] + B[i][j - 1] + B[i][1 + j] + B[1 + i][j] + B[i - 1][j]);
  }
#pragma endscop
}

static void nussinov(int n, char seq[n], int table[n][n]) {
  int i, j, k;
#pragma scop
  for (i = n - 1; i >= 0; i--) {
    for (j = i + 1; j < n; j++) {
      if (j - 1 >= 0)
        table[i][j] = MAX(table[i][j], table[i][j - 1]);
      if (i + 1 < n)
        table[i][j] = MAX(table[i][j], table[i + 1][j]);
      if (j - 1 >= 0 && i + 1 < n) {
        if (i < j - 1)
          table[i][j] = MAX(table[i][j], table[i + 1][j - 1] + (seq[i] + seq[j] == 3));
        else
          table[i][j] = MAX(table[i][j], table[i + 1][j - 1]);
      }
      for (k = i + 1; k < j; k++)
        table[i][j] = MAX(table[i][j], table[i][k] + table[k + 1][j]);
    }
  }
#pragma endscop
}

static void durbin(int n, VECTOR(r, 400), VECTOR(y, 400)) {
  number z[400];
  number alpha, beta, sum;
  int i, k;
#pragma scop
  y[0] = -r[0];
  beta = 1.0;
  alpha = -r[0];
  for (k = 1; k < n; k++) {
    beta = (1 - alpha * alpha) * beta;
    sum = 0.0;
    for (i = 0; i < k; i++)
      sum += r[k - i - 1] * y[i];
    alpha = -(r[k] + sum) / beta;
    for (i = 0; i < k; i++)
      z[i] = y[i] + alpha * y[k - i - 1];
    for (i = 0; i < k; i++)
      y[i] = z[i];
    y[k] = alpha;
  }
#pragma endscop
}

/* In tiles of 16. */
static void gemm(int ni, int nj, int nk, double alpha, double beta, number C[ni][nj], number A[ni][nk],
                 number B[nk][nj]) {
#define LEAST(a, b) ((a) < (b) ? (a) : (b))
#pragma scop
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nj; j++)
      C[i][j] *= beta;
  for (int ti = 0; ti < ni; ti += 16)
    for (int tk = 0; tk < nk; tk += 16)
      for (int tj = 0; tj < nj; tj += 16)
        for (int i = ti; i < LEAST(ti + 16, ni); i++)
          for (int k = tk; k < tk + 16 && k < nk; k++)
            for (int j = tj; j < LEAST(tj + 16, nj); j++)
              C[i][j] += alpha * A[i][k] * B[k][j];
#pragma endscop
}

static void adi_sweep(int n, number *u, number *p) {
#pragma scop
  for (int i = 1; i < n - 1; i++)
    for (int j = n - 2; j >= 1; j -= 3)
      u[i * n + j] = p[n * i + j] * u[i * n + (j + 1)];
#pragma endscop
}

int main(void) {
  static MATRIX(A, N, N);
  static number B[40][40], C[40][40], r[400], y[400], u[1600];
  static char seq[40];
  static int table[40][40];
  cholesky(N, A);
  jacobi_2d(1, 40, B, C);
  nussinov(40, seq, table);
  durbin(10, r, y);
  gemm(40, 40, 40, 1.0, 1.0, B, C, B);
  adi_sweep(40, u, u);
  printf("%g\n", B[1][1]);
  return 0;
}
