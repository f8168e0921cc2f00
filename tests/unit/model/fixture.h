/* SPDX-License-Identifier: BSD-3-Clause */
/* A laboratory without a machine: run times are formulas, the clock is a number, LAPACK solves. */
#ifndef TEST_MODEL_FIXTURE_H
#define TEST_MODEL_FIXTURE_H

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/registry.h"
#include "model/generate.h"

void dgelsy_(const int *m, const int *n, const int *nrhs, double *a, const int *lda, double *b, const int *ldb,
             int *jpvt, const double *rcond, int *rank, double *work, const int *lwork, int *info);

struct lab {
  double (*time_s)(const int64_t *sizes); /* of one call */
  double spread;                          /* sample k of a point takes 1 + spread * k times as long */
  long loose;        /* batches in which no sample passes the gate, and all take half as long again; 0: none */
  int rejects;       /* samples that the gate throws away for each that it keeps */
  int spare;         /* short calls are kept at least so often, whatever was wanted */
  double overhead_s; /* wall time per timed call besides the call and its warm-up */
  double start_s, batch_s, solve_s,
      tick_s; /* wall time of the first batch, of each, of each fit, of whatever else is between two looks at
                                               the clock */
  double now_s;
  long calls, requests, batches, first_requests; /* timed calls; requests in all and in the first batch */
  int least_repetitions, most_repetitions;
  enum perfpred_status fail; /* what the sampler answers instead, from batch fail_at on */
  long fail_at;
  bool solver_fails;
  uint64_t seeds[64];
  int64_t ld;
};

static inline double lab_now(void *data) {
  struct lab *lab = data;

  return lab->now_s += lab->tick_s;
}

static inline void lab_fill(struct lab *lab, const struct ppi_request *request, int repetitions,
                            struct ppi_result *result) {
  int64_t sizes[PPI_SIZE_MAX] = { 0 };
  int calls;

  for (int d = 0; d < request->kernel->size_count; d++)
    sizes[d] = request->values[request->kernel->sizes[d]].i;
  if (lab->time_s(sizes) < 1e-4 && repetitions < lab->spare)
    repetitions = lab->spare;
  calls = repetitions * (1 + lab->rejects);
  result->times_s = malloc((size_t)repetitions * sizeof(double));
  result->count = (size_t)repetitions;
  result->disturbed = (uint64_t)(calls - repetitions);
  result->gated = !lab->loose || lab->batches >= lab->loose;
  for (int k = 0; k < repetitions; k++)
    result->times_s[k] = lab->time_s(sizes) * (1.0 + lab->spread * k) * (result->gated ? 1.0 : 1.5);
  result->measure_s = 2.0 * calls * lab->time_s(sizes);
  lab->now_s += result->measure_s + calls * lab->overhead_s;
  lab->calls += calls;
  lab->ld = request->ld;
}

static inline enum perfpred_status lab_sample(void *data, const struct ppi_request *requests, size_t count,
                                              const struct ppi_sampling *sampling, struct ppi_result *results,
                                              struct perfpred_error *error) {
  struct lab *lab = data;

  if (lab->fail && lab->batches >= lab->fail_at)
    return ppi_error_set(error, lab->fail, "the laboratory is closed");
  if (sampling->progress) {
    struct perfpred_progress progress = { sizeof progress, "sample", 0.5, 0.0, 0.0, 1 };

    if (sampling->progress(sampling->progress_data, &progress))
      return ppi_error_set(error, PERFPRED_CANCELLED, "cancelled");
  }
  lab->now_s += lab->batch_s + (lab->batches == 0 ? lab->start_s : 0.0);
  for (size_t i = 0; i < count; i++)
    lab_fill(lab, requests + i, sampling->repetitions, results + i);
  if (lab->batches < 64)
    lab->seeds[lab->batches] = sampling->seed;
  if (lab->batches++ == 0)
    lab->first_requests = (long)count;
  lab->requests += (long)count;
  if (lab->least_repetitions == 0 || sampling->repetitions < lab->least_repetitions)
    lab->least_repetitions = sampling->repetitions;
  if (sampling->repetitions > lab->most_repetitions)
    lab->most_repetitions = sampling->repetitions;
  return PERFPRED_OK;
}

static inline enum perfpred_status lab_solve(void *data, int m, int n, int nrhs, double *a, double *b, int *rank,
                                             struct perfpred_error *error) {
  const double rcond = 1e-14;
  int lwork = 64 * (m + n + nrhs) + 1024, info = 0, ldb = m > n ? m : n;
  double *work = malloc((size_t)lwork * sizeof *work);
  int *pivots = calloc((size_t)n, sizeof *pivots);

  ((struct lab *)data)->now_s += ((struct lab *)data)->solve_s;
  if (((struct lab *)data)->solver_fails)
    info = 1;
  else
    dgelsy_(&m, &n, &nrhs, a, &m, b, &ldb, pivots, &rcond, rank, work, &lwork, &info);
  free(pivots);
  free(work);
  return info ? ppi_error_set(error, PERFPRED_NUMERIC, "dgelsy: info %d", info) : PERFPRED_OK;
}

static inline struct ppi_source lab_source(struct lab *lab) {
  struct ppi_source source = { lab_sample, lab_solve, lab_now, lab };

  return source;
}

/* A kernel of the catalogue; the caller gives the reference back. */
static inline struct perfpred_kernel *catalogue_kernel(const char *name) {
  struct ppi_kernels *kernels = NULL;
  struct perfpred_kernel *kernel = NULL;

  cr_assert_eq(ppi_kernels_create(&kernels, NULL), PERFPRED_OK);
  cr_assert_not_null(ppi_kernels_find(kernels, name), "no kernel %s", name);
  kernel = ppi_kernel_ref(ppi_kernels_find(kernels, name));
  ppi_kernels_destroy(kernels);
  return kernel;
}

static inline struct ppi_target target_of(const struct perfpred_kernel *kernel, const char *case_text,
                                          const int64_t *lower, const int64_t *upper) {
  struct ppi_target target;
  struct perfpred_error error;

  memset(&target, 0, sizeof target);
  ppi_error_clear(&error);
  target.kernel = kernel;
  cr_assert_eq(ppi_case_parse(kernel, case_text, target.values, &error), PERFPRED_OK, "%s", error.text);
  for (int d = 0; d < kernel->size_count; d++) {
    target.lower[d] = lower[d];
    target.upper[d] = upper[d];
  }
  return target;
}

static inline double relative(double value, double expected) {
  return fabs(value - expected) / fabs(expected);
}

#endif
