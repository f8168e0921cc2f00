/* SPDX-License-Identifier: BSD-3-Clause */
/* What emitted contractions call, by textbook loops, under the name cblas.h: no library, no header of a distribution. */
#ifndef SMALL_CBLAS_H
#define SMALL_CBLAS_H

enum CBLAS_LAYOUT { CblasRowMajor = 101, CblasColMajor = 102 };
enum CBLAS_TRANSPOSE { CblasNoTrans = 111, CblasTrans = 112 };

static inline double cblas_ddot(int n, const double *x, int incx, const double *y, int incy) {
  double sum = 0.0;
  for (int i = 0; i < n; i++)
    sum += x[i * incx] * y[i * incy];
  return sum;
}

/* Complex ones take addresses without a type, and scalars by address. */
#define DEFINE_COPY(name, type, memory)                                                                                \
  static inline void name(int n, const memory *from, int incx, memory *to, int incy) {                                 \
    const type *x = from;                                                                                              \
    type *y = to;                                                                                                      \
    for (int i = 0; i < n; i++)                                                                                        \
      y[i * incy] = x[i * incx];                                                                                       \
  }
DEFINE_COPY(cblas_scopy, float, float)
DEFINE_COPY(cblas_dcopy, double, double)
DEFINE_COPY(cblas_ccopy, float _Complex, void)
DEFINE_COPY(cblas_zcopy, double _Complex, void)

static inline void cblas_daxpy(int n, double alpha, const double *x, int incx, double *y, int incy) {
  for (int i = 0; i < n; i++)
    y[i * incy] += alpha * x[i * incx];
}

static inline void cblas_dger(enum CBLAS_LAYOUT layout, int m, int n, double alpha, const double *x, int incx,
                              const double *y, int incy, double *a, int lda) {
  (void)layout;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++)
      a[i + j * lda] += alpha * x[i * incx] * y[j * incy];
}

static inline void cblas_dgemv(enum CBLAS_LAYOUT layout, enum CBLAS_TRANSPOSE trans, int m, int n, double alpha,
                               const double *a, int lda, const double *x, int incx, double beta, double *y, int incy) {
  const int rows = trans == CblasNoTrans ? m : n, columns = trans == CblasNoTrans ? n : m;
  (void)layout;
  for (int i = 0; i < rows; i++) {
    double sum = 0.0;
    for (int j = 0; j < columns; j++)
      sum += (trans == CblasNoTrans ? a[i + j * lda] : a[j + i * lda]) * x[j * incx];
    y[i * incy] = alpha * sum + (beta != 0.0 ? beta * y[i * incy] : 0.0);
  }
}

#define DEFINE_GEMM(name, type, memory, scalar, VALUE)                                                                 \
  static inline void name(enum CBLAS_LAYOUT layout, enum CBLAS_TRANSPOSE transa, enum CBLAS_TRANSPOSE transb, int m,   \
                          int n, int k, scalar alpha, const memory *a_, int lda, const memory *b_, int ldb,            \
                          scalar beta, memory *c_, int ldc) {                                                          \
    const type *a = a_, *b = b_;                                                                                       \
    type *c = c_;                                                                                                      \
    (void)layout;                                                                                                      \
    for (int j = 0; j < n; j++)                                                                                        \
      for (int i = 0; i < m; i++) {                                                                                    \
        type sum = 0;                                                                                                  \
        for (int l = 0; l < k; l++)                                                                                    \
          sum += (transa == CblasNoTrans ? a[i + l * lda] : a[l + i * lda]) *                                          \
                 (transb == CblasNoTrans ? b[l + j * ldb] : b[j + l * ldb]);                                           \
        c[i + j * ldc] =                                                                                               \
            VALUE(type, alpha) * sum + (VALUE(type, beta) != 0 ? VALUE(type, beta) * c[i + j * ldc] : (type)0);        \
      }                                                                                                                \
  }
#define BY_VALUE(type, scalar) (scalar)
#define BY_ADDRESS(type, scalar) (*(const type *)(scalar))
DEFINE_GEMM(cblas_sgemm, float, float, float, BY_VALUE)
DEFINE_GEMM(cblas_dgemm, double, double, double, BY_VALUE)
DEFINE_GEMM(cblas_cgemm, float _Complex, void, const void *, BY_ADDRESS)
DEFINE_GEMM(cblas_zgemm, double _Complex, void, const void *, BY_ADDRESS)

#endif
