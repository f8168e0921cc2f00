/* SPDX-License-Identifier: BSD-3-Clause */
/* Least squares through a routine that was handed in. */
#include <math.h>
#include <stdlib.h>

#include "measure/core.h"

#define RCOND 1e-12 /* columns that depend on others up to this are left out of the solution */

static bool all_finite(const double *values, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!isfinite(values[i]))
      return false;
  return true;
}

struct system {
  int m, n, nrhs, ldb;
  double *a, *b;
  int *pivots;
};

/* One call of the routine; gives its INFO. */
static int call(perfpred_dgelsy_fn *dgelsy, const struct system *system, double *work, int lwork, int *rank) {
  const double rcond = RCOND;
  int info = 0;
  dgelsy(&system->m, &system->n, &system->nrhs, system->a, &system->m, system->b, &system->ldb, system->pivots, &rcond,
         rank, work, &lwork, &info);
  return info;
}

static enum perfpred_status solve(perfpred_dgelsy_fn *dgelsy, const struct system *system, int *rank,
                                  struct perfpred_error *error) {
  double wish = 0.0;
  int found = 0, info = call(dgelsy, system, &wish, -1, &found);
  int least =
      4 * (system->n + 1) + system->m + system->nrhs; /* enough for the unblocked code, whatever is wished for */
  int lwork = info == 0 && wish > least && wish < 1e9 ? (int)wish : least;
  double *work = malloc((size_t)lwork * sizeof *work);
  if (work == NULL)
    return ppi_error_memory(error);
  info = call(dgelsy, system, work, lwork, &found);
  free(work);
  if (info != 0 || found < 0 || found > system->n || !all_finite(system->b, (size_t)system->ldb * (size_t)system->nrhs))
    return ppi_error_set(error, PERFPRED_NUMERIC, "least squares of %d x %d failed (info %d)", system->m, system->n,
                         info);
  *rank = found;
  return PERFPRED_OK;
}

enum perfpred_status ppi_least_squares(perfpred_dgelsy_fn *dgelsy, int m, int n, int nrhs, double *a, double *b,
                                       int *rank, struct perfpred_error *error) {
  if (dgelsy == NULL)
    return ppi_error_set(error, PERFPRED_UNSUPPORTED,
                         "fitting needs a least-squares routine, and the sampler has none");
  if (m < 1 || n < 1 || nrhs < 1)
    return ppi_error_set(error, PERFPRED_INVALID, "least squares of %d x %d with %d right-hand sides: expected >= 1", m,
                         n, nrhs);
  struct system system = { m, n, nrhs, m > n ? m : n, a, b, NULL };
  if (!all_finite(a, (size_t)m * (size_t)n) || !all_finite(b, (size_t)system.ldb * (size_t)nrhs))
    return ppi_error_set(error, PERFPRED_NUMERIC, "least squares: a number is not finite");
  system.pivots = calloc((size_t)n, sizeof *system.pivots); /* 0: free columns */
  if (system.pivots == NULL)
    return ppi_error_memory(error);
  enum perfpred_status status = solve(dgelsy, &system, rank, error);
  free(system.pivots);
  return status;
}
