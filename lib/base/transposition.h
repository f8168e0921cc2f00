/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole tensors into packed memory, in another order of their dimensions, and back: in which order their elements are gone through, by
   those who do it and by those who print it. */
#ifndef PPI_BASE_TRANSPOSITION_H
#define PPI_BASE_TRANSPOSITION_H

#include <stdbool.h>
#include <stdint.h>

#define PPI_TRANSPOSED_RANK_MAX 16
#define PPI_TRANSPOSED_TILE 16 /* elements along either side of a tile: its lines stay in the nearest cache */

/* A dimension: so many elements, and how far one is from the next, in elements. */
struct ppi_transposed {
  int64_t extent, tensor, packed;
};

/* Planes, one after the other, whose first dimension is the fastest one of the packed memory, and whose second is the tensor's, so that
   both are read and written by lines. Planes whose first dimension is the fastest of both are copied line by line, others by tiles. */
struct ppi_transposition {
  bool empty;
  int loop_count;
  struct ppi_transposed loops[PPI_TRANSPOSED_RANK_MAX]; /* outermost last */
  struct ppi_transposed plane[2];                       /* the first one inside */
};

/* dimensions: in any order; those that run through both memories as one are joined: one of their places, the strides of the first. */
void ppi_transposition_plan(const struct ppi_transposed *dimensions, int rank, struct ppi_transposition *transposition);
static inline bool ppi_transposition_has_lines(const struct ppi_transposition *transposition) {
  return transposition->plane[0].tensor == 1 && transposition->plane[0].packed == 1;
}

#endif
