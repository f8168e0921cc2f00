/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole tensors into packed memory, in another order of their dimensions, and back. */
#ifndef PPI_MEASURE_TRANSPOSITION_H
#define PPI_MEASURE_TRANSPOSITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PPI_TRANSPOSED_RANK_MAX 16

/* A dimension: so many elements, and how far one is from the next, in elements. */
struct ppi_transposed {
  int64_t extent, tensor, packed;
};

/* How one is gone through: planes, one after the other, whose first dimension is the fastest one of the packed memory, and whose second is the
   tensor's, so that both are read and written by lines. */
struct ppi_transposition {
  size_t element; /* bytes: 4, 8 or 16 */
  bool empty;
  int loop_count;
  struct ppi_transposed loops[PPI_TRANSPOSED_RANK_MAX]; /* outermost last */
  struct ppi_transposed plane[2];
};

/* dimensions: in any order; those that run through both memories as one are joined. */
void ppi_transposition_plan(const struct ppi_transposed *dimensions, int rank, size_t element,
                            struct ppi_transposition *transposition);
/* out: from packed memory to the tensor. They do not overlap. */
void ppi_transposition_run(const struct ppi_transposition *transposition, void *tensor, void *packed, bool out);

/* Whether all of it stays inside of memories of so many elements, with nothing negative. */
bool ppi_transposition_fits(const struct ppi_transposed *dimensions, int rank, int64_t tensor, int64_t packed);

#endif
