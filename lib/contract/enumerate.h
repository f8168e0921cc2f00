/* SPDX-License-Identifier: BSD-3-Clause */
/* The algorithms of a contraction by number: nothing is stored, each is computed from its place.
 *
 * Order: kernels from the one that does most at once (gemm, gemv, ger, axpy, dot); within a kernel by order of the loops, and within that by
 * the indices that the kernel claims, so that the first few of a kernel are one for each set of claimed indices. Orders of loops are
 * lexicographic; the first has those indices outermost that stand far back in their tensors. Extents and strides have no influence on
 * the order, only on which operands are copied. */
#ifndef PPI_CONTRACT_ENUMERATE_H
#define PPI_CONTRACT_ENUMERATE_H

#include "base/error.h"
#include "contract/contract.h"

enum ppi_contract_copies { PPI_COPIES_ANY, PPI_COPIES_NONE, PPI_COPIES_SOME };
enum ppi_contract_wholes { PPI_WHOLES_NONE, PPI_WHOLES_TOO, PPI_WHOLES_ALONE };

/* All zero: all algorithms of the family. */
struct ppi_contract_filter {
  unsigned kernels;                /* bit 1 << enum ppi_contract_kernel for each that is wanted; 0: all */
  enum ppi_contract_copies copies; /* with copies of operands or without */
  uint64_t at_most;                /* the first so many; 0: all */
  enum ppi_contract_wholes wholes; /* algorithms that copy whole tensors (whole.h), which come first */
};

/* Closed form, at once for any size. PERFPRED_OVERFLOW: more than 2^64 - 1; those with smaller numbers can be had all the same. */
enum perfpred_status ppi_contract_count(const struct ppi_contraction *contraction,
                                        const struct ppi_contract_filter *filter, uint64_t *count,
                                        struct perfpred_error *error);
/* The algorithm at a place, from 0, among those that pass the filter; false: there are fewer. */
bool ppi_contract_at(const struct ppi_contraction *contraction, const struct ppi_contract_filter *filter,
                     uint64_t place, struct ppi_contract_algorithm *algorithm);
/* The reverse, for an algorithm that passes the filter; UINT64_MAX: it does not, or its place is beyond 64 bits. */
uint64_t ppi_contract_place(const struct ppi_contraction *contraction, const struct ppi_contract_filter *filter,
                            const struct ppi_contract_algorithm *algorithm);

/* Fills in copied[] from kernel, claimed indices and loops. */
void ppi_contract_set_copies(const struct ppi_contraction *contraction, struct ppi_contract_algorithm *algorithm);

#endif
