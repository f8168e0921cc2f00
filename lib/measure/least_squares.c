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

enum perfpred_status ppi_least_squares(perfpred_dgelsy_fn *dgelsy, int m, int n, int nrhs, double *a, double *b,
                                       int *rank, struct perfpred_error *error) {
  if (dgelsy == NULL)
    return ppi_error_set(error, PERFPRED_UNSUPPORTED,
                         "fitting needs a least-squares routine, and the sampler has none");
  if (m < 1 || n < 1 || nrhs < 1)
    return ppi_error_set(error, PERFPRED_INVALID, "least squares of %d x %d with %d right-hand sides: expected >= 1", m,
                         n, nrhs);
  int ldb = m > n ? m : n, found = 0, info = 0, query = -1;
  if (!all_finite(a, (size_t)m * (size_t)n) || !all_finite(b, (size_t)ldb * (size_t)nrhs))
    return ppi_error_set(error, PERFPRED_NUMERIC, "least squares: a number is not finite");
  double rcond = RCOND, size = 0.0, *work = NULL;
  int *pivots = calloc((size_t)n, sizeof *pivots); /* 0: free columns */
  enum perfpred_status status = pivots == NULL ? ppi_error_memory(error) : PERFPRED_OK;
  if (status == PERFPRED_OK) {
    dgelsy(&m, &n, &nrhs, a, &m, b, &ldb, pivots, &rcond, &found, &size, &query, &info);
    int least = 4 * (n + 1) + m + nrhs; /* enough for the unblocked code, whatever the query says */
    query = info == 0 && size > least && size < 1e9 ? (int)size : least;
    work = malloc((size_t)query * sizeof *work);
    if (work == NULL)
      status = ppi_error_memory(error);
  }
  if (status == PERFPRED_OK) {
    dgelsy(&m, &n, &nrhs, a, &m, b, &ldb, pivots, &rcond, &found, work, &query, &info);
    if (info != 0 || found < 0 || found > n || !all_finite(b, (size_t)ldb * (size_t)nrhs))
      status = ppi_error_set(error, PERFPRED_NUMERIC, "least squares of %d x %d failed (info %d)", m, n, info);
  }
  if (status == PERFPRED_OK)
    *rank = found;
  free(work);
  free(pivots);
  return status;
}
