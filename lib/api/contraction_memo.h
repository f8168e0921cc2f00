/* SPDX-License-Identifier: BSD-3-Clause */
/* Micro-benchmarks that were run for a plan, so that none is run twice. */
#ifndef PPI_API_CONTRACTION_MEMO_H
#define PPI_API_CONTRACTION_MEMO_H

#include "api/contraction_windows.h"

#define PPI_MEMO_NONE SIZE_MAX

/* A micro-benchmark: a request of a batch, or the windows of an algorithm. */
struct ppi_contraction_known {
  size_t group; /* PPI_MEMO_NONE: of all */
  char *key;
  bool pending; /* it is in the present batch */
  bool is_windows;
  size_t request; /* while pending */
  struct ppi_contraction_windows windows;
  struct perfpred_statistics time_s; /* NaN: no sample was taken */
  double cost_s;
};

struct ppi_contraction_memo {
  size_t count, capacity;
  struct ppi_contraction_known *items;
};

/* Its place, made where there is none; *is_new says so. */
enum perfpred_status ppi_contraction_memo_find(struct ppi_contraction_memo *memo, size_t group, const char *key,
                                               size_t *place, bool *is_new, struct perfpred_error *error);
/* Times of what is pending, from a batch that was run. */
void ppi_contraction_memo_take(struct ppi_contraction_memo *memo, const struct ppi_contraction_batch *batch);
/* It will not be found any more. */
void ppi_contraction_memo_forget(struct ppi_contraction_memo *memo, size_t place);
/* Forgets from the end until count are left: those of a batch that failed. */
void ppi_contraction_memo_cut(struct ppi_contraction_memo *memo, size_t count);
void ppi_contraction_memo_free(struct ppi_contraction_memo *memo);

#endif
