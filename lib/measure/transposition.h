/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole tensors into packed memory, in another order of their dimensions, and back. */
#ifndef PPI_MEASURE_TRANSPOSITION_H
#define PPI_MEASURE_TRANSPOSITION_H

#include <stddef.h>

#include "base/transposition.h"

/* element: bytes, 4, 8 or 16. out: from packed memory to the tensor. They do not overlap. */
void ppi_transposition_run(const struct ppi_transposition *transposition, size_t element, void *tensor, void *packed,
                           bool out);

/* Whether all of it stays inside of memories of so many elements, with nothing negative. */
bool ppi_transposition_fits(const struct ppi_transposed *dimensions, int rank, int64_t tensor, int64_t packed);

#endif
