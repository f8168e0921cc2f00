/* SPDX-License-Identifier: BSD-3-Clause */
/* A set of values of blocks and phases on a path: linear constraints in doubles, which say whether it is worth exploring, and points. */
#ifndef PPI_AFFINE_PATH_STATE_H
#define PPI_AFFINE_PATH_STATE_H

#include "affine/path.h"

#define PPI_PATH_ROWS (PPI_PATH_CONSTRAINTS + PPI_LOOPS)

/* Constraints as a simplex dictionary: of the variables (blocks counted from `low`, then slacks) as many as there are blocks stand in
   columns, the rest in rows: value = row[0] + sum of row[1 + j] * column variable j. The slacks of `high` come first. */
struct ppi_path_state {
  struct ppi_constraint constraints[PPI_PATH_CONSTRAINTS];
  int count; /* of constraints */
  int rows;
  bool settled;                         /* the rows' values are >= 0: a point of the set */
  int column[PPI_LOOPS];                /* variable of each column */
  int basic[PPI_PATH_ROWS];             /* variable of each row */
  int place[PPI_LOOPS + PPI_PATH_ROWS]; /* of each variable: row, or -1 - column */
  double row[PPI_PATH_ROWS][PPI_LOOPS + 1];
  int points, capacity;
  uint32_t *point;
};

struct ppi_path_state *ppi_path_state_create(struct ppi_path *path);
/* Room for so many points. What was there is lost. */
bool ppi_path_state_reserve(struct ppi_path *path, struct ppi_path_state *state, int count);
void ppi_path_state_destroy(struct ppi_path_state *state);
void ppi_path_state_copy_blocks(struct ppi_path_state *to, const struct ppi_path_state *from);
bool ppi_path_state_copy_points(struct ppi_path *path, struct ppi_path_state *to, const struct ppi_path_state *from);
/* The constraint in terms of the columns. */
void ppi_path_state_express(const struct ppi_path *path, const struct ppi_path_state *state,
                            const struct ppi_constraint *constraint, double row[PPI_LOOPS + 1]);
void ppi_path_state_append(const struct ppi_path *path, struct ppi_path_state *state,
                           const struct ppi_constraint *constraint);
/* to = the values of `from` that meet the constraint. False: none does. */
bool ppi_path_state_restrict(struct ppi_path *path, const struct ppi_path_state *from,
                             const struct ppi_constraint *constraint, struct ppi_path_state *to);
struct ppi_constraint ppi_path_negate(const struct ppi_constraint *constraint);
/* What a constraint that differs by its constant alone says: 1 it holds, 0 it cannot, -1 nothing. */
int ppi_path_state_known(const struct ppi_path_state *state, const struct ppi_constraint *constraint);

#endif
