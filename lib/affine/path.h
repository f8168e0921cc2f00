/* SPDX-License-Identifier: BSD-3-Clause */
/* Exploring what a computation on affine forms does for all values of the variables.

   The computation runs on forms in place of numbers. Where it goes on one way or the other by the sign of a form it asks
   ppi_path_sign, and runs again and again until every way that some values may take has been taken. The questions that had both answers
   cut the values into disjoint sets, one a run: blocks X within linear constraints, times a list of phases r. Constraints that mix both
   do not arise: m * A(X) + b(r) >= 0 becomes a question about b(r) / m, rounded down, and one about A(X).
   Whether a set has points is decided over the rationals for X: a run too many does no harm, as points are counted exactly later. */
#ifndef PPI_AFFINE_PATH_H
#define PPI_AFFINE_PATH_H

#include "affine/form.h"
#include "base/error.h"

#define PPI_PATH_CONSTRAINTS 64
#define PPI_MODULUS_MAX 256
#define PPI_PATH_POINTS (1 << 18) /* most combinations of phases */

enum ppi_path_stop {
  PPI_PATH_GOES_ON,
  PPI_PATH_EMPTY,  /* no such values: nothing to count */
  PPI_PATH_VOID,   /* the set turns out to have no points, whose blocks are integers */
  PPI_PATH_PHASES, /* more loops need phases: wanted[] */
  PPI_PATH_BEYOND, /* beyond the method: reason */
  PPI_PATH_LIMIT,  /* of memory */
  PPI_PATH_MEMORY
};

struct ppi_constraint { /* sum of c[i] * X[i], + constant >= 0 */
  int64_t c[PPI_LOOPS], constant;
};

struct ppi_path_state; /* path_state.h: a set of values */

struct ppi_path_answer {
  bool answer, other_is_open;
};

struct ppi_path {
  int loops, modulus[PPI_LOOPS];           /* 1: no phases */
  int64_t low[PPI_LOOPS], high[PPI_LOOPS]; /* of the blocks */
  int phase_count, phase_loop[PPI_LOOPS];  /* phased loops */
  int point_count;                         /* all combinations of phases */
  uint8_t *phases;                         /* of point i: phases[i * phase_count ...] */
  struct ppi_path_answer *answers;
  int answer_count, answer_capacity, cursor;
  struct ppi_path_state *now, *first, *second, **open; /* open: a stack, for the answers that are */
  int open_count, open_capacity;
  uint64_t bytes, limit_bytes; /* of the sets */
  enum ppi_path_stop stop;
  const char *reason;
  int64_t wanted[PPI_LOOPS]; /* moduli */
};

/* low and high of the counters of `loops` loops, modulus * X + r each. PPI_PATH_BEYOND at once if that makes too many phases.
   PERFPRED_NO_MEMORY, PERFPRED_LIMIT, without texts. */
enum perfpred_status ppi_path_create(int loops, uint64_t limit_bytes, const int64_t *modulus, const int64_t *low,
                                     const int64_t *high, struct ppi_path **path);
void ppi_path_destroy(struct ppi_path *path); /* NULL is fine */
/* Goes to the next set. The answers before *changed are those of the last run. False: all is explored. */
bool ppi_path_next(struct ppi_path *path, int *changed);

/* Whether the form (without row variables) is >= 0 for the values of this run. Once stopped, always false. */
bool ppi_path_sign(struct ppi_path *path, const struct ppi_form *form);
/* form / divisor, rounded down; divisor > 0. */
struct ppi_form ppi_path_floor(struct ppi_path *path, const struct ppi_form *form, int64_t divisor);
void ppi_path_give_up(struct ppi_path *path, const char *reason); /* reason: a static string */
void ppi_path_stop(struct ppi_path *path, enum ppi_path_stop stop);

struct ppi_form ppi_path_counter(const struct ppi_path *path, int loop); /* the counter of a loop, as a form */
/* The set of values of this run. */
int ppi_path_constraints(const struct ppi_path *path, const struct ppi_constraint **constraints);
int ppi_path_points(const struct ppi_path *path, const uint32_t **points);

#endif
