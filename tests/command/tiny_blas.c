/* SPDX-License-Identifier: BSD-3-Clause */
/* A BLAS and LAPACK in one library, with just what the right-looking Cholesky decomposition calls, by textbook loops. Its
   integers are INTEGER, so that calls with integers of another width compute something else, or nothing. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#define AT(matrix, i, j) (matrix)[(i) + (j) * *ld_##matrix]
#define EXPORT __attribute__((visibility("default")))

EXPORT void dgemm_(const char *, const char *, const INTEGER *, const INTEGER *, const INTEGER *, const double *,
                   const double *, const INTEGER *, const double *, const INTEGER *, const double *, double *,
                   const INTEGER *, size_t, size_t);
EXPORT void dsyrk_(const char *, const char *, const INTEGER *, const INTEGER *, const double *, const double *,
                   const INTEGER *, const double *, double *, const INTEGER *, size_t, size_t);
EXPORT void dtrsm_(const char *, const char *, const char *, const char *, const INTEGER *, const INTEGER *,
                   const double *, const double *, const INTEGER *, double *, const INTEGER *, size_t, size_t, size_t,
                   size_t);
EXPORT void dpotrf2_(const char *, const INTEGER *, double *, const INTEGER *, INTEGER *, size_t);
EXPORT void dpotrf_(const char *, const INTEGER *, double *, const INTEGER *, INTEGER *, size_t);
EXPORT INTEGER idamax_(const INTEGER *, const double *, const INTEGER *);
EXPORT void ilaver_(INTEGER *, INTEGER *, INTEGER *);

/* Neither operand transposed. */
void dgemm_(const char *transa, const char *transb, const INTEGER *m, const INTEGER *n, const INTEGER *k,
            const double *alpha, const double *a, const INTEGER *ld_a, const double *b, const INTEGER *ld_b,
            const double *beta, double *c, const INTEGER *ld_c, size_t transa_length, size_t transb_length) {
  (void)transa, (void)transb, (void)transa_length, (void)transb_length;
  for (INTEGER j = 0; j < *n; j++)
    for (INTEGER i = 0; i < *m; i++) {
      double sum = 0.0;
      for (INTEGER l = 0; l < *k; l++)
        sum += AT(a, i, l) * AT(b, l, j);
      AT(c, i, j) = *alpha * sum + *beta * AT(c, i, j);
    }
}

/* Lower triangle, A not transposed. */
void dsyrk_(const char *uplo, const char *trans, const INTEGER *n, const INTEGER *k, const double *alpha,
            const double *a, const INTEGER *ld_a, const double *beta, double *c, const INTEGER *ld_c,
            size_t uplo_length, size_t trans_length) {
  (void)uplo, (void)trans, (void)uplo_length, (void)trans_length;
  for (INTEGER j = 0; j < *n; j++)
    for (INTEGER i = j; i < *n; i++) {
      double sum = 0.0;
      for (INTEGER l = 0; l < *k; l++)
        sum += AT(a, i, l) * AT(a, j, l);
      AT(c, i, j) = *alpha * sum + *beta * AT(c, i, j);
    }
}

/* X A^T = alpha B with A lower triangular. */
void dtrsm_(const char *side, const char *uplo, const char *transa, const char *diag, const INTEGER *m,
            const INTEGER *n, const double *alpha, const double *a, const INTEGER *ld_a, double *b, const INTEGER *ld_b,
            size_t side_length, size_t uplo_length, size_t transa_length, size_t diag_length) {
  (void)side, (void)uplo, (void)transa, (void)diag;
  (void)side_length, (void)uplo_length, (void)transa_length, (void)diag_length;
  for (INTEGER j = 0; j < *n; j++)
    for (INTEGER i = 0; i < *m; i++) {
      double sum = *alpha * AT(b, i, j);
      for (INTEGER l = 0; l < j; l++)
        sum -= AT(b, i, l) * AT(a, j, l);
      AT(b, i, j) = sum / AT(a, j, j);
    }
}

/* Lower triangle. */
void dpotrf2_(const char *uplo, const INTEGER *n, double *a, const INTEGER *ld_a, INTEGER *info, size_t uplo_length) {
  (void)uplo, (void)uplo_length;
  *info = 0;
  for (INTEGER j = 0; j < *n; j++) {
    for (INTEGER i = j; i < *n; i++) {
      for (INTEGER l = 0; l < j; l++)
        AT(a, i, j) -= AT(a, i, l) * AT(a, j, l);
      AT(a, i, j) = i == j ? sqrt(AT(a, j, j)) : AT(a, i, j) / AT(a, j, j);
    }
  }
}

void dpotrf_(const char *uplo, const INTEGER *n, double *a, const INTEGER *ld_a, INTEGER *info, size_t uplo_length) {
  dpotrf2_(uplo, n, a, ld_a, info, uplo_length);
}

INTEGER idamax_(const INTEGER *n, const double *x, const INTEGER *inc) {
  INTEGER best = *n >= 1;
  for (INTEGER i = 1; i < *n; i++)
    if (fabs(x[i * *inc]) > fabs(x[(best - 1) * *inc]))
      best = i + 1;
  return best;
}

void ilaver_(INTEGER *major, INTEGER *minor, INTEGER *patch) {
  *major = 3;
  *minor = 0;
  *patch = 0;
}
