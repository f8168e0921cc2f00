/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of executions as rows of a fit of the weights: what a call took, relative to which the estimate is
 *   warm + sum over places of weight x,   x = share of the operands in the place times (time there - warm time).
 * The rows of an execution weigh 1 together, each as much as its call's time is of the whole. */
#ifndef PPI_CACHE_ROWS_H
#define PPI_CACHE_ROWS_H

#include "cache/cache.h"

struct ppi_row {
  const struct perfpred_cache *cache;
  const struct ppi_cache_call *call;
  double measured_s, weight;
  double error; /* of the warm estimate, relative */
  size_t execution, kernel;
  double x[PPI_CACHE_PLACES]; /* relative */
};

struct ppi_rows {
  struct ppi_row *items;
  size_t count, executions;
  size_t *folds; /* of each execution: those of an algorithm are one */
  size_t fold_count;
  const struct perfpred_kernel **kernels;
  bool *warm; /* kernels that stay so: x does not count */
  size_t kernel_count;
};

/* rows: overwritten; to be released whatever is returned. An execution by itself is two folds, of its odd and its even steps. */
enum perfpred_status ppi_rows_init(struct ppi_rows *rows, const struct perfpred_cache *const *caches,
                                   const double *const *measured_s, size_t count, struct perfpred_error *error);
void ppi_rows_release(struct ppi_rows *rows);

/* x, by a smoothing. */
void ppi_rows_price(struct ppi_rows *rows, const struct perfpred_cache_options *options);

/* Least squares of the rows' errors, without those of a fold (SIZE_MAX: of all): weights from 0 to 1 of the places of a mask (bit k: place k), 0 of
   all others, drawn to 0, which is the warm estimate. A factor that all measured times have in common, as of a machine that was faster
   then, is allowed for and left out of the result. */
void ppi_rows_solve(const struct ppi_rows *rows, size_t left_out, unsigned mask, double weights[PPI_CACHE_PLACES]);

/* Whether a row is of a fold. */
bool ppi_row_is_of(const struct ppi_rows *rows, const struct ppi_row *row, size_t fold);

/* How far estimates are off: for each execution the errors of its calls as a share of its time, and the error of their sum, added; the mean over
   executions. Rows of one kernel alone (SIZE_MAX: of all) and of one fold (SIZE_MAX: of all). weights: for each fold, those that
   hold for its rows; NULL: warm estimates. */
double ppi_rows_error(const struct ppi_rows *rows, size_t kernel, size_t fold,
                      const double (*weights)[PPI_CACHE_PLACES]);

#endif
