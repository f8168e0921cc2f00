/* SPDX-License-Identifier: BSD-3-Clause */
/* dgelsy of the loaded LAPACK, for callers with 32-bit integers whatever the library has. */
#include <stdlib.h>

#include "worker.h"

typedef void wide_dgelsy_fn(const int64_t *m, const int64_t *n, const int64_t *nrhs, double *a, const int64_t *lda,
                            double *b, const int64_t *ldb, int64_t *jpvt, const double *rcond, int64_t *rank,
                            double *work, const int64_t *lwork, int64_t *info);

/* The interface of dgelsy has no room for data of ours. */
static wide_dgelsy_fn *wide;

static void narrow(const int *m, const int *n, const int *nrhs, double *a, const int *lda, double *b, const int *ldb,
                   int *jpvt, const double *rcond, int *rank, double *work, const int *lwork, int *info) {
  const int64_t rows = *m, columns = *n, sides = *nrhs, a_ld = *lda, b_ld = *ldb, length = *lwork;
  int64_t found = 0, failure = 0;
  int64_t *pivots = calloc(columns > 0 ? (size_t)columns : 1, sizeof *pivots);
  if (!pivots) {
    *info = -1;
    return;
  }
  for (int64_t i = 0; i < columns; i++)
    pivots[i] = jpvt[i];
  wide(&rows, &columns, &sides, a, &a_ld, b, &b_ld, pivots, rcond, &found, work, &length, &failure);
  for (int64_t i = 0; i < columns; i++)
    jpvt[i] = (int)pivots[i];
  *rank = (int)found;
  *info = (int)failure;
  free(pivots);
}

perfpred_dgelsy_fn *worker_dgelsy(const struct worker_libraries *libraries) {
  void *address = worker_routine(libraries, "dgelsy");
  if (!address || !libraries->ilp64)
    return *(perfpred_dgelsy_fn **)&address;
  wide = *(wide_dgelsy_fn **)&address;
  return narrow;
}
