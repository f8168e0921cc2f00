/* SPDX-License-Identifier: BSD-3-Clause */
/* Tours written by hand, and routines of BLAS as plain as their definitions, to run them on. */
#ifndef TESTS_COMMON_TOUR_WORLD_H
#define TESTS_COMMON_TOUR_WORLD_H

#include <string.h>

#include "kernel/registry.h"
#include "measure/tour.h"

typedef double _Complex tour_complex;

/* --- BLAS ------------------------------------------------------------------------------------------------------------ */

static inline double tour_ddot(const int *n, const double *x, const int *incx, const double *y, const int *incy) {
  double sum = 0.0;
  for (int i = 0; i < *n; i++)
    sum += x[(ptrdiff_t)i * *incx] * y[(ptrdiff_t)i * *incy];
  return sum;
}

static inline tour_complex tour_zdotu(const int *n, const tour_complex *x, const int *incx, const tour_complex *y,
                                      const int *incy) {
  tour_complex sum = 0.0;
  for (int i = 0; i < *n; i++)
    sum += x[(ptrdiff_t)i * *incx] * y[(ptrdiff_t)i * *incy];
  return sum;
}

static inline void tour_daxpy(const int *n, const double *alpha, const double *x, const int *incx, double *y,
                              const int *incy) {
  for (int i = 0; i < *n; i++)
    y[(ptrdiff_t)i * *incy] += *alpha * x[(ptrdiff_t)i * *incx];
}

static inline void tour_dcopy(const int *n, const double *x, const int *incx, double *y, const int *incy) {
  for (int i = 0; i < *n; i++)
    y[(ptrdiff_t)i * *incy] = x[(ptrdiff_t)i * *incx];
}

static inline void tour_dgemm(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                              const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
                              const double *beta, double *c, const int *ldc) {
  for (int j = 0; j < *n; j++)
    for (int i = 0; i < *m; i++) {
      double sum = 0.0, *to = &c[i + (ptrdiff_t)j * *ldc];
      for (int l = 0; l < *k; l++)
        sum += (*transa == 'N' ? a[i + (ptrdiff_t)l * *lda] : a[l + (ptrdiff_t)i * *lda]) *
               (*transb == 'N' ? b[l + (ptrdiff_t)j * *ldb] : b[j + (ptrdiff_t)l * *ldb]);
      *to = *alpha * sum + (*beta == 0.0 ? 0.0 : *beta * *to);
    }
}

static inline void tour_dger(const int *m, const int *n, const double *alpha, const double *x, const int *incx,
                             const double *y, const int *incy, double *a, const int *lda) {
  for (int j = 0; j < *n; j++)
    for (int i = 0; i < *m; i++)
      a[i + (ptrdiff_t)j * *lda] += *alpha * x[(ptrdiff_t)i * *incx] * y[(ptrdiff_t)j * *incy];
}

static inline void tour_dgemv(const char *trans, const int *m, const int *n, const double *alpha, const double *a,
                              const int *lda, const double *x, const int *incx, const double *beta, double *y,
                              const int *incy) {
  const int rows = *trans == 'N' ? *m : *n, columns = *trans == 'N' ? *n : *m;
  for (int i = 0; i < rows; i++) {
    double sum = 0.0, *to = &y[(ptrdiff_t)i * *incy];
    for (int j = 0; j < columns; j++)
      sum += (*trans == 'N' ? a[i + (ptrdiff_t)j * *lda] : a[j + (ptrdiff_t)i * *lda]) * x[(ptrdiff_t)j * *incx];
    *to = *alpha * sum + (*beta == 0.0 ? 0.0 : *beta * *to);
  }
}

/* NULL: none of them. */
static inline perfpred_fortran_fn *tour_routine(const char *name) {
  static const struct {
    const char *name;
    perfpred_fortran_fn *function;
  } all[] = { { "ddot", (perfpred_fortran_fn *)tour_ddot },   { "zdotu", (perfpred_fortran_fn *)tour_zdotu },
              { "daxpy", (perfpred_fortran_fn *)tour_daxpy }, { "dcopy", (perfpred_fortran_fn *)tour_dcopy },
              { "dgemm", (perfpred_fortran_fn *)tour_dgemm }, { "dgemv", (perfpred_fortran_fn *)tour_dgemv },
              { "dger", (perfpred_fortran_fn *)tour_dger } };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    if (strcmp(all[i].name, name) == 0)
      return all[i].function;
  return NULL;
}

/* resolve of struct ppi_core_options */
static inline perfpred_fortran_fn *tour_resolve(void *data, const struct perfpred_kernel *kernel, bool *ilp64) {
  (void)data;
  *ilp64 = false;
  return tour_routine(kernel->name);
}

/* --- Tours ----------------------------------------------------------------------------------------------------------- */

/* A tour and all that it points to. */
struct tour_case {
  struct ppi_tour tour;
  struct ppi_value values[16];
  struct ppi_tour_batch batch; /* without requests */
};

static inline void tour_finish(struct tour_case *made, const struct ppi_kernels *kernels, const char *name,
                               enum ppi_type type) {
  made->tour.kernel = ppi_kernels_find(kernels, name);
  made->tour.values = made->values;
  made->batch.type = type;
  made->batch.tours = &made->tour;
  made->batch.tour_count = 1;
}

/* ai,ibc->abc as ca-dgemv with a = 3, i = 2, b = 4, c = 5: C[a,:,c] := B[:,:,c]^T A[a,:]. */
static inline void tour_ca_dgemv(struct tour_case *made, const struct ppi_kernels *kernels) {
  enum { A = 3, K = 2, B = 4, N = 5 };
  *made = (struct tour_case){
    .tour = { .loop_count = 2,
              .length = { N, A },
              .operands = { { .place = 6, .step = { 0, 1 }, .extent = { K, 1 }, .stride = { A, 0 }, .copy.loops = -1 },
                            { .place = 4,
                              .step = { K * B, 0 },
                              .extent = { K, B },
                              .stride = { 1, K },
                              .copy.loops = -1 },
                            { .place = 9,
                              .step = { A * B, 1 },
                              .extent = { B, 1 },
                              .stride = { A, 0 },
                              .copy.loops = -1 } } },
    .values = { { .i = 'T' },
                { .i = K },
                { .i = B },
                { .re = 1.0 },
                { .buffer = -1 },
                { .i = K },
                { .buffer = -1 },
                { .i = A },
                { .re = 0.0 },
                { .buffer = -1 },
                { .i = A } },
    .batch = { .elements = { A * K, K * B * N, A * B * N },
               .index_count = 4,
               .indices = { { A, { 1, 0, 1 } }, { K, { A, 1, 0 } }, { B, { 0, K, A } }, { N, { 0, K * B, A * B } } } }
  };
  tour_finish(made, kernels, "dgemv", PPI_TYPE_D);
}

/* iaj,ji->a as i'-dgemv with i = 3, a = 4, j = 5: C += A[i,:,:] B[:,i], the slice of A copied in each iteration. */
static inline void tour_i_dgemv(struct tour_case *made, const struct ppi_kernels *kernels) {
  enum { K = 3, A = 4, J = 5 };
  *made = (struct tour_case){
    .tour = { .loop_count = 1,
              .length = { K },
              .zeroed = true,
              .operands = { { .place = 4,
                              .step = { 1 },
                              .extent = { A, J },
                              .stride = { K, K * A },
                              .copy = { .loops = 1, .in = true, .length = A, .inc = K, .count = J, .step = K * A } },
                            { .place = 6, .step = { J }, .extent = { J, 1 }, .stride = { 1, 0 }, .copy.loops = -1 },
                            { .place = 9, .extent = { A, 1 }, .stride = { 1, 0 }, .copy.loops = -1 } } },
    .values = { { .i = 'N' },
                { .i = A },
                { .i = J },
                { .re = 1.0 },
                { .buffer = -1 },
                { .i = A },
                { .buffer = -1 },
                { .i = 1 },
                { .re = 1.0 },
                { .buffer = -1 },
                { .i = 1 } },
    .batch = { .elements = { K * A * J, J * K, A },
               .index_count = 3,
               .indices = { { K, { 1, J, 0 } }, { A, { K, 0, 1 } }, { J, { K * A, 1, 0 } } } }
  };
  tour_finish(made, kernels, "dgemv", PPI_TYPE_D);
  made->tour.copier = ppi_kernels_find(kernels, "dcopy");
}

/* ia,cib->cab as c'-dgemm with i = 2, a = 3, c = 4, b = 5: slices of B and C are copied, that of C back as well. */
static inline void tour_c_dgemm(struct tour_case *made, const struct ppi_kernels *kernels) {
  enum { K = 2, A = 3, N = 4, B = 5 };
  *made = (struct tour_case){
    .tour = { .loop_count = 1,
              .length = { N },
              .operands = { { .place = 6, .extent = { K, A }, .stride = { 1, K }, .copy.loops = -1 },
                            { .place = 8,
                              .step = { 1 },
                              .extent = { K, B },
                              .stride = { N, N * K },
                              .copy = { .loops = 1, .in = true, .length = K, .inc = N, .count = B, .step = N * K } },
                            { .place = 11,
                              .step = { 1 },
                              .extent = { A, B },
                              .stride = { N, N * A },
                              .copy = { .loops = 1,
                                        .in = true,
                                        .out = true,
                                        .length = A,
                                        .inc = N,
                                        .count = B,
                                        .step = N * A } } } },
    .values = { { .i = 'T' },
                { .i = 'N' },
                { .i = A },
                { .i = B },
                { .i = K },
                { .re = 1.0 },
                { .buffer = -1 },
                { .i = K },
                { .buffer = -1 },
                { .i = K },
                { .re = 0.0 },
                { .buffer = -1 },
                { .i = A } },
    .batch = { .elements = { K * A, N * K * B, N * A * B },
               .index_count = 4,
               .indices = { { K, { 1, N, 0 } }, { A, { K, 0, N } }, { N, { 0, 1, 1 } }, { B, { 0, N * K, N * A } } } }
  };
  tour_finish(made, kernels, "dgemm", PPI_TYPE_D);
  made->tour.copier = ppi_kernels_find(kernels, "dcopy");
}

/* ij,ij-> as i-ddot with i = 3, j = 4: C += A[i,:] B[i,:], or in complex numbers. */
static inline void tour_i_dot(struct tour_case *made, const struct ppi_kernels *kernels, enum ppi_type type) {
  enum { K = 3, J = 4 };
  *made = (struct tour_case){
    .tour = { .loop_count = 1,
              .length = { K },
              .zeroed = true,
              .added = true,
              .operands = { { .place = 1, .step = { 1 }, .extent = { J, 1 }, .stride = { K, 0 }, .copy.loops = -1 },
                            { .place = 3, .step = { 1 }, .extent = { J, 1 }, .stride = { K, 0 }, .copy.loops = -1 },
                            { .place = -1, .extent = { 1, 1 }, .copy.loops = -1 } } },
    .values = { { .i = J }, { .buffer = -1 }, { .i = K }, { .buffer = -1 }, { .i = K } },
    .batch = { .elements = { K * J, K * J, 1 },
               .index_count = 2,
               .indices = { { K, { 1, 1, 0 } }, { J, { K, K, 0 } } } }
  };
  tour_finish(made, kernels, type == PPI_TYPE_Z ? "zdotu" : "ddot", type);
}

/* ai,ib->ab as bi-daxpy with a = 3, i = 2, b = 4: C[:,b] += B[i,b] A[:,i], alpha is an element of B. */
static inline void tour_bi_daxpy(struct tour_case *made, const struct ppi_kernels *kernels) {
  enum { A = 3, K = 2, B = 4 };
  *made = (struct tour_case){
    .tour = { .loop_count = 2,
              .length = { B, K },
              .zeroed = true,
              .added = true,
              .operands = { { .place = 2, .step = { 0, A }, .extent = { A, 1 }, .stride = { 1, 0 }, .copy.loops = -1 },
                            { .place = 1, .step = { K, 1 }, .extent = { 1, 1 }, .copy.loops = -1 },
                            { .place = 4,
                              .step = { A, 0 },
                              .extent = { A, 1 },
                              .stride = { 1, 0 },
                              .copy.loops = -1 } } },
    .values = { { .i = A }, { .buffer = -1 }, { .buffer = -1 }, { .i = 1 }, { .buffer = -1 }, { .i = 1 } },
    .batch = { .elements = { A * K, K * B, A * B },
               .index_count = 3,
               .indices = { { A, { 1, 0, 1 } }, { K, { A, 1, 0 } }, { B, { 0, K, A } } } }
  };
  tour_finish(made, kernels, "daxpy", PPI_TYPE_D);
}

#endif
