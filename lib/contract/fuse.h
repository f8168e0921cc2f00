/* SPDX-License-Identifier: BSD-3-Clause */
/* Several indices that run through memory as one. */
#ifndef PPI_CONTRACT_FUSE_H
#define PPI_CONTRACT_FUSE_H

#include "contract/contract.h"

/* Joins indices that stand next to each other, in the same order, in all tensors that hold them, where the strides allow it: contraction
   `ai,ibc->abc` becomes `ai,ib->ab` with the extents of b and c multiplied. The joint index keeps the name of its first one and
   lists all of them in `joined`. Flops and tensors' elements stay. */
void ppi_contraction_fuse(struct ppi_contraction *contraction);

#endif
