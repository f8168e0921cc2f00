/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of quotients that are rounded down, as polynomials. */
#ifndef PPI_AFFINE_QUOTIENT_H
#define PPI_AFFINE_QUOTIENT_H

#include "affine/path.h"
#include "affine/poly.h"

/* (factor * u + form) / divisor, rounded down. */
struct ppi_quotient {
  int64_t factor, divisor;
  struct ppi_form form;
};

/* Sum over u from low to high (low <= high + 1) of u^power, 0 or 1, times the quotient. The path gives up where the slope that
   whole multiples of the divisor leave does not divide it, and where numbers become too large. */
void ppi_quotient_sum(struct ppi_path *path, const struct ppi_quotient *quotient, const struct ppi_form *low,
                      const struct ppi_form *high, int power, struct ppi_poly *sum);

#endif
