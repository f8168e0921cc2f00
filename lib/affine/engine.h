/* SPDX-License-Identifier: BSD-3-Clause */
/* The computation that is explored (affine/path.h): for an instance of a reference, which access touched its line last, and how many
   lines were touched since. */
#ifndef PPI_AFFINE_ENGINE_H
#define PPI_AFFINE_ENGINE_H

#include "affine/path.h"
#include "affine/poly.h"
#include "affine/system.h"

struct ppi_instance {
  int index; /* of the reference in the nest */
  struct ppi_form counters[PPI_LOOPS];
};

/* A bound on a coordinate: value >= (or <=) form / divisor, where forms may use the row variables of the coordinates before. */
struct ppi_bound {
  int64_t divisor;
  struct ppi_form form;
};

/* A coordinate is base, but for multiples of step. */
struct ppi_stride {
  int coordinate;
  int64_t step;
  struct ppi_form base;
};

/* Lines that a reference touches in a part of the iterations. Coordinates are those of the array but the inner one, in order, and last
   the run along lines: element = factor * run + offset. Empty unless all conditions hold. */
struct ppi_footprint {
  int first_condition, condition_count;                                                         /* in the list's */
  int first_stride, stride_count;                                                               /* in its strides */
  int first_low[PPI_LOOPS], low_count[PPI_LOOPS], first_high[PPI_LOOPS], high_count[PPI_LOOPS]; /* in its bounds */
  int64_t factor;
  struct ppi_form offset;
};

struct ppi_footprints {
  int count, capacity, bound_count, bound_capacity, condition_count, condition_capacity, stride_count, stride_capacity;
  struct ppi_footprint *footprints;
  struct ppi_bound *bounds;
  struct ppi_room *conditions;
  struct ppi_stride *strides;
};

#define PPI_STAGES (PPI_NEST_ARRAYS + 1) /* the last access, then the arrays */

struct ppi_stage {
  bool built;            /* footprints are those of the present last access */
  int answers;           /* asked up to the end of the stage, in the present run; -1: it has not come to its end */
  struct ppi_poly lines; /* so far, this stage included */
};

struct ppi_engine {
  const struct ppi_nest *nest;
  struct ppi_path *path;
  struct ppi_instance target, source;
  bool found;      /* a source */
  int split_level; /* loops that target and source share and run through together */
  bool carried;    /* by the loop of that depth */
  struct ppi_form rows[PPI_ARRAY_DIMENSIONS],
      line; /* of the target: subscripts but the inner one, and the line along it */
  struct ppi_stage stages[PPI_STAGES];
  struct ppi_footprints footprints[PPI_NEST_ARRAYS];
  /* Scratch. */
  struct ppi_system system;
  struct ppi_row taken[PPI_SYSTEM_ROWS];
  struct ppi_row kept[PPI_LOOPS][PPI_SYSTEM_ROWS];
};

/* Whether a system came out exactly; if not, the path gives up. */
bool ppi_engine_accept(struct ppi_engine *engine);

/* previous.c: the last access to the target's line before the target: found, source, split_level, carried. */
void ppi_engine_find_previous(struct ppi_engine *engine);

/* footprint.c: what the accesses between source and target to an array touch. */
void ppi_engine_find_footprints(struct ppi_engine *engine, int array);
void ppi_footprints_clear(struct ppi_footprints *footprints);
void ppi_footprints_free(struct ppi_footprints *footprints);

/* united.c: lines += how many different lines these are. */
void ppi_engine_count_lines(struct ppi_engine *engine, int array, struct ppi_poly *lines);

#endif
