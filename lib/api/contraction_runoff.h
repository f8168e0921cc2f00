/* SPDX-License-Identifier: BSD-3-Clause */
/* The run-off: the best predicted algorithms of a short contraction are executed, since that is cheaper than anything that would tell them
   apart as well. */
#ifndef PPI_API_CONTRACTION_RUNOFF_H
#define PPI_API_CONTRACTION_RUNOFF_H

#include "api/contraction_price.h"

#define PPI_RUNOFF_RUNS 5 /* of each, after one that does not count */

/* How many of the entries, the first ones, can be executed in so many seconds, as far as their times tell. */
size_t ppi_contraction_runoff_fit(const struct ppi_contraction_pricing *pricing, const size_t *entries, size_t count,
                                  double seconds);
/* Executes entries; those of which samples were taken have their times from then on. */
enum perfpred_status ppi_contraction_runoff(struct ppi_contraction_pricing *pricing, const size_t *entries,
                                            size_t count, struct perfpred_error *error);

#endif
