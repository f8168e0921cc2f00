/* SPDX-License-Identifier: BSD-3-Clause */
/* Points within linear constraints and bounds. */
#ifndef PPI_AFFINE_SET_H
#define PPI_AFFINE_SET_H

#include "affine/path.h"
#include "affine/poly.h"

#define PPI_SET_ROWS (PPI_PATH_CONSTRAINTS + 32)

struct ppi_set { /* of blocks */
  int variables, count;
  int64_t low[PPI_LOOPS], high[PPI_LOOPS];
  struct ppi_constraint rows[PPI_SET_ROWS];
};

/* Bounds on one variable: forms over the others. */
struct ppi_bounds {
  int count;
  struct ppi_constraint forms[PPI_SET_ROWS + 1];
};

/* Narrows the bounds of the set to what its constraints leave, and drops rows that the bounds imply. False: no points. */
bool ppi_set_tighten(struct ppi_set *set);
/* Puts a number for a variable. */
void ppi_set_assign(struct ppi_set *set, int var, int64_t value);
/* Takes the rows of a variable, whose coefficients are 1 and -1, and its bounds out of the set; of those that are never tighter than
   another one none is told. */
void ppi_set_take_bounds(struct ppi_set *set, int var, struct ppi_bounds *low, struct ppi_bounds *high);
/* Bounds on variable `in` for a value of variable `over`, where there are no others. */
void ppi_set_range(const struct ppi_set *set, int over, int64_t value, int in, int64_t *low, int64_t *high);
/* a - b - less >= 0 */
struct ppi_constraint ppi_constraint_between(const struct ppi_constraint *a, const struct ppi_constraint *b,
                                             int64_t less);

#endif
