/* SPDX-License-Identifier: BSD-3-Clause */
/* What the prediction of an algorithm costs: how many samples there are of each micro-benchmark, and how long they take. */
#ifndef PPI_API_CONTRACTION_EFFORT_H
#define PPI_API_CONTRACTION_EFFORT_H

#include "api/contraction_price.h"

#define PPI_CONTRACTION_REPETITIONS_LEAST 2
#define PPI_CONTRACTION_SHORT_S 2e-6    /* calls that need no set-up are repeated so long */
#define PPI_CONTRACTION_MEMORY_RATE 5e9 /* bytes per second, roughly, that one thread moves */

/* Predictions come from windows of iterations. */
bool ppi_contraction_is_replayed(const struct ppi_contraction_pricing *pricing);
/* Of the group's kernel, roughly: its bound, where there is one. */
double ppi_contraction_call_time(const struct ppi_contraction_group *group);
/* Samples of each micro-benchmark of an entry. */
int ppi_contraction_repetitions(const struct ppi_contraction_pricing *pricing, size_t entry);
/* Of so many samples. Samplers that wait for an undisturbed machine give up then and take what they have. */
double ppi_contraction_patience(double sample_s, int repetitions);
/* The same of a micro-benchmark of an entry. */
double ppi_contraction_limit(const struct ppi_contraction_pricing *pricing, size_t entry);

#endif
