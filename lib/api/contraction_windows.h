/* SPDX-License-Identifier: BSD-3-Clause */
/* Replays: an algorithm's time from windows of its real iterations. */
#ifndef PPI_API_CONTRACTION_WINDOWS_H
#define PPI_API_CONTRACTION_WINDOWS_H

#include "api/contraction_batch.h"

/* What a set-up needs to know of the caches. */
struct ppi_contraction_caches {
  int64_t near_bytes; /* what comes back within so much is as near as it was */
  int64_t bytes;      /* and what does not within so much is in memory */
  double factor;      /* of bytes: so much is accessed to get the rest out */
  bool flushes;       /* lines can be evicted one by one */
};

struct ppi_contraction_windows {
  struct ppi_tour_strata strata;
  int started;                        /* loops that a window has as a whole */
  unsigned cold[PPI_TOUR_STRATA_MAX]; /* of each stratum: bit 1 << operand, where its data are in memory before it, */
  unsigned far[PPI_TOUR_STRATA_MAX];  /* or in the outer caches */
  bool warm;                          /* nothing leaves the nearest caches */
  size_t requests[PPI_TOUR_STRATA_MAX];
};

/* How the algorithm is divided. call_s: of a warm call, > 0. */
enum perfpred_status ppi_contraction_windows_divide(const struct ppi_contraction *contraction,
                                                    const struct ppi_contract_algorithm *algorithm, double call_s,
                                                    const struct ppi_contraction_caches *caches,
                                                    struct ppi_contraction_windows *windows,
                                                    struct perfpred_error *error);
/* Iterations that a repetition of all of them runs. */
double ppi_contraction_windows_iterations(const struct ppi_contraction_windows *windows);
/* Adds their requests for a tour of the batch, each of which may take limit_s. */
enum perfpred_status ppi_contraction_windows_add(struct ppi_contraction_windows *windows,
                                                 const struct ppi_contraction_caches *caches, size_t tour,
                                                 int repetitions, double limit_s, struct ppi_contraction_batch *batch,
                                                 struct perfpred_error *error);
/* Of all iterations with their copies; all NaN where samples are missing. */
void ppi_contraction_windows_time(const struct ppi_contraction_windows *windows,
                                  const struct ppi_contraction_batch *batch, struct perfpred_statistics *time_s);

#define PPI_CONTRACTION_KEY_MAX (PPI_INDEX_MAX + 2 * PPI_TOUR_STRATA_MAX + PPI_OPERANDS + 8)
/* Algorithms of one group with equal keys differ in nothing that a window sees. */
void ppi_contraction_windows_key(const struct ppi_contraction_windows *windows,
                                 const struct ppi_contract_algorithm *algorithm, char key[PPI_CONTRACTION_KEY_MAX]);

#endif
