/* SPDX-License-Identifier: BSD-3-Clause */
/* Linear inequalities on unknown integers, with affine forms in the place of numbers for constants, and their exact projections. */
#ifndef PPI_AFFINE_SYSTEM_H
#define PPI_AFFINE_SYSTEM_H

#include "affine/nest.h"

#define PPI_UNKNOWNS (2 * PPI_LOOPS) /* counters, then coordinates */
#define PPI_SYSTEM_ROWS 160
#define PPI_SYSTEM_ROOMS 16

struct ppi_row { /* sum of a[i] * unknown i, + form >= 0 */
  int64_t a[PPI_UNKNOWNS];
  struct ppi_form form;
};

/* Between low / low_divisor, rounded up, and high / high_divisor, rounded down, there is room for an integer. */
struct ppi_room {
  int64_t low_divisor, high_divisor;
  struct ppi_form low, high;
};

struct ppi_system {
  int count;
  bool never;    /* it has no solution, whatever the variables */
  bool fits;     /* false: numbers became too large */
  bool inexact;  /* a projection over the integers would have taken quotients */
  bool too_many; /* rows */
  struct ppi_row rows[PPI_SYSTEM_ROWS];
  int room_count; /* conditions that projections left and that no row can say */
  struct ppi_room rooms[PPI_SYSTEM_ROOMS];
};

void ppi_system_clear(struct ppi_system *system);
/* Drops what is trivial or implied by a row that differs by a number. */
void ppi_system_add(struct ppi_system *system, const struct ppi_row *row);
/* Puts in the place of unknown `var`, in all rows, the solution of equation = 0, in which it has the coefficient 1 or -1. */
void ppi_system_substitute(struct ppi_system *system, int var, const struct ppi_row *equation);
void ppi_row_substitute(struct ppi_row *row, int var, const struct ppi_row *equation, bool *fits);
/* The same where the coefficient is another one: exact for values of the rest of the equation that it divides. */
void ppi_system_substitute_quotient(struct ppi_system *system, int var, const struct ppi_row *equation);
/* Projects an unknown out. The rows that bounded it are handed to `bounds` (room for PPI_SYSTEM_ROWS), *count of them. */
void ppi_system_eliminate(struct ppi_system *system, int var, struct ppi_row *bounds, int *count);
/* The constraints of a reference: counters below `fixed` are the given forms, and bounds that concern these alone are left out. */
void ppi_system_add_domain(struct ppi_system *system, const struct ppi_nest_reference *reference, int fixed,
                           const struct ppi_form *counters);
/* An affine form over counters as a row: counters below `fixed` are the given forms. */
struct ppi_row ppi_row_of(const struct ppi_affine *affine, int depth, int fixed, const struct ppi_form *counters,
                          bool *fits);
bool ppi_row_is_known(const struct ppi_row *row); /* without unknowns */

struct ppi_path;
bool ppi_room_is_there(struct ppi_path *path, const struct ppi_room *room, bool *fits);

#endif
