/* SPDX-License-Identifier: BSD-3-Clause */
/* A nest with numbers for its parameters, as the analysis takes it: references in the order of the text, each with its loops and
   the constraints on their counters. A counter rises by one from iteration to iteration, whatever the loop's step and direction. */
#ifndef PPI_AFFINE_NEST_H
#define PPI_AFFINE_NEST_H

#include "affine/form.h"
#include "affine/layout.h"

#define PPI_NEST_ROWS 48
#define PPI_NEST_ARRAYS 48
#define PPI_COUNTER_MAX ((int64_t)1 << 31)

struct ppi_affine { /* over the counters of the loops around, outermost first */
  int64_t c[PPI_LOOPS], constant;
};

struct ppi_nest_row { /* form >= 0 */
  struct ppi_affine form;
  int loop; /* depth of the loop whose bound it is; -1: a condition */
};

struct ppi_nest_reference {
  const struct ppi_node *node;
  int array, depth;    /* array: of the nest */
  int loop[PPI_LOOPS]; /* numbers of the loops around: loops are the same if their numbers are */
  const struct ppi_node *loop_node[PPI_LOOPS];
  struct ppi_affine value[PPI_LOOPS]; /* of the loops' names */
  int row_count;
  struct ppi_nest_row rows[PPI_NEST_ROWS];
  struct ppi_affine given[PPI_ARRAY_DIMENSIONS];      /* subscripts as in the text */
  struct ppi_affine subscripts[PPI_ARRAY_DIMENSIONS]; /* those of the array below */
  bool empty;                                         /* surely without an instance */
  int64_t low[PPI_LOOPS], high[PPI_LOOPS];            /* of the counters */
  int twin;        /* the first reference with the same loops, conditions and subscripts: maybe itself */
  bool later_twin; /* there is one behind */
};

/* What the analysis takes for an array: all of one, or those of its elements that some references have to themselves. */
struct ppi_nest_array {
  int buffer;            /* of the program */
  int dimensions, inner; /* inner: the subscript along lines */
  int64_t per_line;
};

struct ppi_nest {
  struct ppi_layout layout;
  int array_count;
  struct ppi_nest_array arrays[PPI_NEST_ARRAYS];
  int count;
  struct ppi_nest_reference *references;
};

/* PERFPRED_UNSUPPORTED and a reason: not affine, or beyond what the analysis takes. */
enum perfpred_status ppi_nest_create(const struct perfpred_program *program, const int64_t *parameters,
                                     int64_t line_bytes, struct ppi_nest **nest, struct perfpred_error *error);
void ppi_nest_destroy(struct ppi_nest *nest); /* NULL is fine */

/* lattice.c: finds the arrays, and the subscripts in terms of these. Where all references to an array go by strides, their elements are
   numbered in strides, and references to other elements go to an array of their own. */
void ppi_nest_find_arrays(struct ppi_nest *nest);

/* Loops that two references share. */
int ppi_nest_common(const struct ppi_nest_reference *a, const struct ppi_nest_reference *b);

#endif
