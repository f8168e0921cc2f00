/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact numbers of integer points within linear constraints, all of them or those at which a polynomial exceeds a number: counters that
   nothing but simple bounds hold are summed up in closed form, for others the cases are gone through. */
#ifndef PPI_AFFINE_TOTAL_H
#define PPI_AFFINE_TOTAL_H

#include "affine/pause.h"
#include "affine/set.h"

struct ppi_total {
  const struct ppi_pause *pause;
  const char *name; /* of the nest, for messages */
  struct perfpred_error *error;
  enum perfpred_status status; /* sticks: PERFPRED_UNSUPPORTED where numbers are too large, or what the pause says */
  uint64_t steps;
};

/* The number of points; 0 on failure. */
uint64_t ppi_total_points(struct ppi_total *total, const struct ppi_set *set);
/* Of those at which the polynomial, over blocks alone, is > limit. */
uint64_t ppi_total_beyond(struct ppi_total *total, const struct ppi_set *set, const struct ppi_poly *poly,
                          int64_t limit);
#endif
