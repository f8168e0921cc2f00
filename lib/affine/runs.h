/* SPDX-License-Identifier: BSD-3-Clause */
/* Where polynomials in one variable, or in two of which one has a number, are >= 0. A false *fits: numbers became too large. */
#ifndef PPI_AFFINE_RUNS_H
#define PPI_AFFINE_RUNS_H

#include "affine/poly.h"

#define PPI_RUNS_DEGREE 8 /* highest power of a variable */

struct ppi_univariate {
  int degree;
  ppi_wide c[PPI_RUNS_DEGREE + 1];
};

struct ppi_runs {
  int count;
  int64_t first[PPI_RUNS_DEGREE + 2], last[PPI_RUNS_DEGREE + 2];
};

/* A polynomial in two variables, `over` and `in`, as polynomials in `in` for values of `over`. */
struct ppi_bivariate {
  int degree_over, degree_in;
  ppi_wide c[PPI_RUNS_DEGREE + 1][PPI_RUNS_DEGREE + 1];
};

/* Integers from low to high at which the polynomial is >= 0, in order. */
void ppi_runs_find(const struct ppi_univariate *poly, int64_t low, int64_t high, struct ppi_runs *runs, bool *fits);

/* Of a polynomial that uses no other variables; denominators are left out. False: its degree is too high. */
bool ppi_bivariate_make(const struct ppi_poly *poly, int over, int in, struct ppi_bivariate *made);
/* Puts a number for variable `over`. */
struct ppi_univariate ppi_bivariate_put(const struct ppi_bivariate *poly, int64_t value, bool *fits);

#endif
