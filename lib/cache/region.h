/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of memory that an operand is, element by element and in cache lines. */
#ifndef PPI_CACHE_REGION_H
#define PPI_CACHE_REGION_H

#include "kernel/kernel.h"

/* Which elements of the rows x columns rectangle belong to it. */
enum ppi_outline {
  PPI_OUTLINE_FULL,
  PPI_OUTLINE_LOWER, /* row >= column + diagonal */
  PPI_OUTLINE_UPPER  /* row <= column + diagonal */
};

/* Column-major. A vector along a row is a matrix of one row. */
struct ppi_region {
  int64_t base;    /* address of element (0, 0) in bytes, on an axis that all buffers share */
  int64_t element; /* bytes */
  int64_t rows, columns, ld;
  enum ppi_outline outline;
  int64_t diagonal;
};

/* Outline of a data argument for the flags in values: triangles, without their diagonal where it is implicit, and the trapezoids of
   reflectors (flags direct and storev), which start with an implicit 1. rows, columns: its extents. */
void ppi_region_outline(const struct perfpred_kernel *kernel, const struct ppi_value *values, int place, int64_t rows,
                        int64_t columns, struct ppi_region *region);

/* Rows [*first, *end) of a column that belong to it; none: both 0. */
void ppi_region_column(const struct ppi_region *region, int64_t column, int64_t *first, int64_t *end);

/* Calls visit with runs of lines [first, end), rising, apart from each other; a line is 2^shift bytes. */
typedef void ppi_region_visit(void *data, int64_t first, int64_t end);
void ppi_region_lines(const struct ppi_region *region, int shift, ppi_region_visit *visit, void *data);
int64_t ppi_region_line_count(const struct ppi_region *region, int shift);

#endif
