/* SPDX-License-Identifier: BSD-3-Clause */
/* Polynomials with rational coefficients over the variables of affine forms. What does not fit sets `bad`, which sticks. */
#ifndef PPI_AFFINE_POLY_H
#define PPI_AFFINE_POLY_H

#include "affine/form.h"
#include "base/text.h"

#define PPI_POLY_TERMS 96
#define PPI_POLY_DEGREE 15 /* highest power of a variable */

__extension__ typedef __int128 ppi_wide;
__extension__ typedef unsigned __int128 ppi_powers; /* four bits for each variable */

struct ppi_poly_term {
  ppi_powers powers;
  ppi_wide coefficient;
};

struct ppi_poly {
  int count;
  bool bad;
  int64_t denominator; /* of all coefficients, > 0 */
  struct ppi_poly_term terms[PPI_POLY_TERMS];
};

static inline int ppi_power_of(ppi_powers powers, int var) {
  return (int)(powers >> (4 * var)) & 15;
}

static inline ppi_powers ppi_power(int var, int power) {
  return (ppi_powers)(unsigned)power << (4 * var);
}

void ppi_poly_constant(struct ppi_poly *poly, int64_t value);
void ppi_poly_form(struct ppi_poly *poly, const struct ppi_form *form);
void ppi_poly_copy(struct ppi_poly *to, const struct ppi_poly *from);
/* sum += term * factor */
void ppi_poly_add(struct ppi_poly *sum, const struct ppi_poly *term, int64_t factor);
void ppi_poly_multiply(const struct ppi_poly *a, const struct ppi_poly *b, struct ppi_poly *product); /* no aliasing */
/* Of the sum over u from 0 to form - 1 of u^power, as a polynomial that telescopes below 0. power <= 6. */
void ppi_poly_power_sum(const struct ppi_form *form, int power, struct ppi_poly *sum);
/* Sum of a polynomial over its variable from first to last (first <= last + 1). */
void ppi_poly_sum(const struct ppi_poly *poly, int var, const struct ppi_form *first, const struct ppi_form *last,
                  struct ppi_poly *sum);
/* Puts a number for a variable. */
void ppi_poly_assign(struct ppi_poly *poly, int var, int64_t value);
bool ppi_poly_uses(const struct ppi_poly *poly, int var);
int ppi_poly_degree(const struct ppi_poly *poly, int var); /* in one variable */
int ppi_poly_total_degree(const struct ppi_poly *poly);
/* range.c: Bounds on a polynomial in all variables within low and high of each; false: none known. They need not be reached. */
bool ppi_poly_range(const struct ppi_poly *poly, const int64_t low[PPI_VARS], const int64_t high[PPI_VARS],
                    ppi_wide *least, ppi_wide *most);
/* With these names of the variables. */
void ppi_poly_print(const struct ppi_poly *poly, const char *const *names, struct ppi_text *text);

#endif
