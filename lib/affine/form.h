/* SPDX-License-Identifier: BSD-3-Clause */
/* Affine forms over the variables of the analysis: blocks X and phases r of the loops around a reference (a loop's counter is
   modulus * X + r, or X alone), and coordinates u of array elements while they are summed over. */
#ifndef PPI_AFFINE_FORM_H
#define PPI_AFFINE_FORM_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define PPI_LOOPS 8                          /* loops around a reference that the analysis takes */
#define PPI_BLOCK_VAR(i) (i)                 /* X of loop i */
#define PPI_PHASE_VAR(i) (PPI_LOOPS + (i))   /* r of loop i */
#define PPI_ROW_VAR(i) (2 * PPI_LOOPS + (i)) /* coordinate i */
#define PPI_VARS (3 * PPI_LOOPS)
#define PPI_FORM_LIMIT ((int64_t)1 << 45) /* largest coefficient: sums and small multiples of such stay in 64 bits */

struct ppi_form {
  int64_t c[PPI_VARS + 1]; /* the constant last */
};

static inline int64_t ppi_floor_div(int64_t a, int64_t b) { /* b > 0 */
  return a / b - (a % b < 0);
}

static inline int64_t ppi_gcd(int64_t a, int64_t b) {
  while (b != 0) {
    const int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? -a : a;
}

static inline struct ppi_form ppi_form_constant(int64_t value) {
  struct ppi_form form;
  memset(&form, 0, sizeof form);
  form.c[PPI_VARS] = value;
  return form;
}

/* a * factor + b * other; a false *fits stays. */
static inline struct ppi_form ppi_form_combine(const struct ppi_form *a, int64_t factor, const struct ppi_form *b,
                                               int64_t other, bool *fits) {
  struct ppi_form form;
  uint64_t beyond = 0;
  for (int i = 0; i <= PPI_VARS; i++) {
    form.c[i] = (int64_t)((uint64_t)a->c[i] * (uint64_t)factor + (uint64_t)b->c[i] * (uint64_t)other);
    beyond |= ((uint64_t)form.c[i] + (uint64_t)PPI_FORM_LIMIT) & ~(2 * (uint64_t)PPI_FORM_LIMIT - 1);
  }
  if (beyond || factor > (1 << 16) || factor < -(1 << 16) || other > (1 << 16) || other < -(1 << 16))
    *fits = false;
  return form;
}

static inline struct ppi_form ppi_form_sub(const struct ppi_form *a, const struct ppi_form *b, bool *fits) {
  return ppi_form_combine(a, 1, b, -1, fits);
}

static inline struct ppi_form ppi_form_add(const struct ppi_form *a, const struct ppi_form *b, bool *fits) {
  return ppi_form_combine(a, 1, b, 1, fits);
}

static inline struct ppi_form ppi_form_plus(const struct ppi_form *a, int64_t value) {
  struct ppi_form form = *a;
  form.c[PPI_VARS] += value;
  return form;
}

static inline bool ppi_form_equal(const struct ppi_form *a, const struct ppi_form *b) {
  return memcmp(a, b, sizeof *a) == 0;
}

/* Whether variables first .. first + count - 1 do not occur. */
static inline bool ppi_form_lacks(const struct ppi_form *form, int first, int count) {
  int64_t any = 0;
  for (int i = first; i < first + count; i++)
    any |= form->c[i];
  return any == 0;
}

static inline bool ppi_form_is_constant(const struct ppi_form *form) {
  return ppi_form_lacks(form, 0, PPI_VARS);
}

/* Whether two forms differ by a constant; if so, a - b. */
static inline bool ppi_form_difference(const struct ppi_form *a, const struct ppi_form *b, int64_t *difference) {
  if (memcmp(a, b, PPI_VARS * sizeof a->c[0]) != 0)
    return false;
  *difference = a->c[PPI_VARS] - b->c[PPI_VARS];
  return true;
}

#endif
