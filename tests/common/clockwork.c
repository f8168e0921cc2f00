/* SPDX-License-Identifier: BSD-3-Clause */
#include "clockwork.h"

#include <math.h>

double clockwork_cost(void *data, const struct perfpred_virtual_call *call) {
  (void)data;
  return 1e-6 + 1e-9 * call->flops;
}

/* Makes the reflection that takes column[0..count) to a multiple of the first unit vector; returns that multiple. */
static double reflect(double *column, int count) {
  double norm = 0.0;
  for (int i = 0; i < count; i++)
    norm = hypot(norm, column[i]);
  const double head = column[0] > 0.0 ? -norm : norm;
  column[0] -= head;
  return head;
}

/* target -= 2 (v . target) / (v . v) v */
static void apply(const double *v, int count, double *target) {
  double square = 0.0, product = 0.0;
  for (int i = 0; i < count; i++) {
    square += v[i] * v[i];
    product += v[i] * target[i];
  }
  if (square > 0.0)
    for (int i = 0; i < count; i++)
      target[i] -= 2.0 * product / square * v[i];
}

/* Solves R x = b with the diagonal of R in `diagonal`; returns the number of columns that count. */
static int solve(int n, const double *a, int lda, const double *diagonal, double limit, double *b) {
  int rank = 0;
  for (int k = n - 1; k >= 0; k--) {
    const int counts = fabs(diagonal[k]) > limit;
    rank += counts;
    b[k] = counts ? b[k] / diagonal[k] : 0.0;
    for (int i = 0; i < k; i++)
      b[i] -= a[i + (long)k * lda] * b[k];
  }
  return rank;
}

void clockwork_dgelsy(const int *m, const int *n, const int *nrhs, double *a, const int *lda, double *b, const int *ldb,
                      int *jpvt, const double *rcond, int *rank, double *work, const int *lwork, int *info) {
  (void)jpvt;
  *info = 0;
  if (*lwork < 0) {
    work[0] = *n + 1;
    return;
  }
  if (*lwork < *n || *m < *n) {
    *info = -12;
    return;
  }
  double largest = 0.0;
  for (int k = 0; k < *n; k++) {
    double *column = a + k + (long)k * *lda;
    work[k] = reflect(column, *m - k);
    largest = fmax(largest, fabs(work[k]));
    for (int j = k + 1; j < *n; j++)
      apply(column, *m - k, a + k + (long)j * *lda);
    for (int j = 0; j < *nrhs; j++)
      apply(column, *m - k, b + k + (long)j * *ldb);
  }
  *rank = *n;
  for (int j = 0; j < *nrhs; j++)
    *rank = solve(*n, a, *lda, work, fmax(*rcond, 1e-13) * largest, b + (long)j * *ldb);
}

struct perfpred_generate_options clockwork_options(void) {
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  options.n_lower = 8;
  options.n_upper = 96;
  options.b_lower = 8;
  options.b_upper = 32;
  options.overfitting = -1;
  options.oversampling = 1;
  options.repetitions = 2;
  options.gate = -1.0;
  return options;
}

enum perfpred_status clockwork_models(const struct perfpred_context *context, const char *name,
                                      struct perfpred_models **models, struct perfpred_error *error) {
  const struct perfpred_generate_options options = clockwork_options();
  struct perfpred_sampler *sampler = NULL;
  struct perfpred_program *program = NULL;
  enum perfpred_status status = perfpred_program_find(context, name, &program, error);
  if (status)
    return status;
  status = perfpred_sampler_create_virtual(context, clockwork_cost, NULL, clockwork_dgelsy, &sampler, error);
  const struct perfpred_program *const programs[] = { program };
  if (!status)
    status = perfpred_generate(context, sampler, programs, 1, &options, models, NULL, error);
  perfpred_sampler_destroy(sampler);
  perfpred_program_unref(program);
  return status;
}
