/* SPDX-License-Identifier: BSD-3-Clause */
/* The count of different lines of some footprints as it goes on: the slabs of rows that it stands in, questions on forms all over
   these (uniter.c), and lines that were counted (tally.c). */
#ifndef PPI_AFFINE_UNITER_H
#define PPI_AFFINE_UNITER_H

#include "affine/engine.h"

#define PPI_UNITER_MEMBERS 96
#define PPI_TALLY_QUOTIENTS 32 /* quotients of row numbers that are summed up at a time */

struct ppi_tally_quotient { /* times * (form / per_line, rounded down) */
  struct ppi_form form, times;
};

struct ppi_tally {
  struct ppi_poly lines;
  int count;
  struct ppi_tally_quotient parts[PPI_TALLY_QUOTIENTS];
};

struct ppi_interval {
  struct ppi_form first, last; /* elements, or lines */
};

/* Rows of a level: scale * u + shift for u from low to high. */
struct ppi_slab {
  struct ppi_form low, high;
  int64_t scale, shift;
};

struct ppi_uniter {
  struct ppi_engine *engine;
  struct ppi_path *path;
  const struct ppi_footprints *list;
  int levels; /* of rows: dimensions - 1 */
  int64_t per_line;
  bool fixed[PPI_LOOPS];            /* the row of a level is one: low */
  struct ppi_slab slabs[PPI_LOOPS]; /* the present ones */
  bool cut;                         /* a slab is to be cut */
  int cut_level, cuts;
  int64_t classes;        /* into so many of rows; 1: in two */
  struct ppi_form cut_at; /* where the second part starts */
};

static inline bool ppi_uniter_goes_on(const struct ppi_uniter *uniter) {
  return !uniter->cut && !uniter->path->stop;
}

static inline struct ppi_form ppi_uniter_difference(struct ppi_uniter *uniter, const struct ppi_form *a,
                                                    const struct ppi_form *b) {
  return ppi_form_sub(a, b, &uniter->engine->system.fits);
}

/* All that asks may ask for a cut, or stop the path: what it returns then means nothing (ppi_uniter_goes_on). */

/* The form with a value for the row of a level. */
struct ppi_form ppi_uniter_put(struct ppi_uniter *uniter, const struct ppi_form *form, int level,
                               const struct ppi_form *value);
/* The slab of a level is to be taken apart, so that a form with this factor of the row's number has a quotient. */
void ppi_uniter_ask_classes(struct ppi_uniter *uniter, int level, int64_t factor, int64_t divisor);
/* Whether rows' numbers leave quotients of the form as they are; otherwise classes are asked for. */
bool ppi_uniter_divides(struct ppi_uniter *uniter, const struct ppi_form *form, int64_t divisor);
/* form / divisor, rounded down. */
struct ppi_form ppi_uniter_floor(struct ppi_uniter *uniter, const struct ppi_form *form, int64_t divisor);
/* Whether a >= b + more. */
bool ppi_uniter_reaches(struct ppi_uniter *uniter, const struct ppi_form *a, const struct ppi_form *b, int64_t more);
/* A form of the list in terms of the present slabs' rows, with the fixed ones put in, which are in these terms already. */
struct ppi_form ppi_uniter_resolve(struct ppi_uniter *uniter, const struct ppi_form *form);
/* Of a footprint: its coordinates of a level. */
struct ppi_interval ppi_uniter_range(struct ppi_uniter *uniter, int member, int level);

void ppi_tally_begin(struct ppi_tally *tally); /* sets nothing but what counts: tallies are large */
/* Counts the lines in one row, of all levels. */
void ppi_tally_row(struct ppi_uniter *uniter, const int *members, int count, struct ppi_tally *tally);
/* Adds what was counted in a row of a slab, for all its rows. */
void ppi_tally_add_slab(struct ppi_uniter *uniter, const struct ppi_tally *row, int level, struct ppi_tally *tally);

#endif
