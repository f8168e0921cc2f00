/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the arrays of a nest lie, in lines: each starts on a line, and its innermost dimension is padded to whole lines. */
#ifndef PPI_AFFINE_LAYOUT_H
#define PPI_AFFINE_LAYOUT_H

#include "program/program.h"

#define PPI_ARRAY_DIMENSIONS 8

struct ppi_layout_array {
  int dimensions;
  int inner; /* the subscript along which elements are neighbours: the last one of a row-major array, else the first */
  int64_t extent[PPI_ARRAY_DIMENSIONS];
  int64_t per_line;                     /* elements of a line, >= 1 */
  int64_t stride[PPI_ARRAY_DIMENSIONS]; /* lines from one value of a subscript to the next; 0 for the inner one */
  int64_t first, lines;                 /* number of its first line, and how many it has */
};

struct ppi_layout {
  int64_t line_bytes;
  int count;
  struct ppi_layout_array arrays[PPI_BUFFER_MAX]; /* as the program's buffers */
  int64_t lines;                                  /* of all arrays */
};

/* PERFPRED_INVALID: a line that is not a whole number of some array's elements; PERFPRED_OVERFLOW: arrays beyond 64 bits. */
enum perfpred_status ppi_layout_make(const struct perfpred_program *nest, const int64_t *parameters, int64_t line_bytes,
                                     struct ppi_layout *layout, struct perfpred_error *error);
/* The line of an element, whose subscripts lie inside the extents. */
int64_t ppi_layout_line(const struct ppi_layout *layout, int array, const int64_t *subscripts);
/* The subscript that lies outside of its extent, or -1. */
int ppi_layout_outside(const struct ppi_layout *layout, int array, const int64_t *subscripts);

#endif
