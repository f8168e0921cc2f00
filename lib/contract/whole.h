/* SPDX-License-Identifier: BSD-3-Clause */
/* What people write by hand: whole tensors are transposed so that all indices of a kind run through memory as one, and one call goes through all
   of them; batch indices alone are loops. C is transposed back. Beyond the dissertation's family.
 *
 * A tensor that needs no transposition is taken as it lies. Ways differ in the orders of the contracted indices and of the free ones; of ways
 * that transpose the same tensors one is kept, and none that transposes more than another one does. */
#ifndef PPI_CONTRACT_WHOLE_H
#define PPI_CONTRACT_WHOLE_H

#include "contract/call.h"

#define PPI_WAYS_MAX 8
/* Sum of 1, these and no others is the `way` of an algorithm. */
#define PPI_WAY_FREE_A 2     /* free indices of A are in the order of A, else of C */
#define PPI_WAY_FREE_B 4     /* of B in that of B, else of C */
#define PPI_WAY_CONTRACTED 8 /* contracted ones in that of B, else of A */

/* Those that there are, the fewest bytes moved first. Those that call BLAS with more than 2^31 - 1 as an extent or stride are none, nor
   is what would unfold elements that share places, nor what
   is an algorithm of the family in all but its name; where an extent is 0 there is none. */
int ppi_contract_ways(const struct ppi_contraction *contraction, struct ppi_contract_algorithm ways[PPI_WAYS_MAX]);

/* The contraction as the kernel of such an algorithm has it, with one index of each kind, of the tensors that it goes through: packed where
   they are transposed. nest: the algorithm in it, which copies nothing. */
void ppi_contract_derive(const struct ppi_contraction *contraction, const struct ppi_contract_algorithm *algorithm,
                         struct ppi_contraction *derived, struct ppi_contract_algorithm *nest);
/* The dimensions of a tensor that is transposed, as they follow each other in packed memory; their number is returned. */
int ppi_contract_dimensions(const struct ppi_contraction *contraction, const struct ppi_contract_algorithm *algorithm,
                            int operand, struct ppi_contract_dimension dimensions[PPI_RANK_MAX]);

#endif
