/* SPDX-License-Identifier: BSD-3-Clause */
/* The handle of a contraction. What it holds is plain data: whoever needs it longer copies it. */
#ifndef PPI_API_CONTRACTION_H
#define PPI_API_CONTRACTION_H

#include <perfpred/contraction.h>

#include "contract/enumerate.h"

#define PPI_EINSUM_MAX (PPI_OPERANDS * PPI_RANK_MAX + 4)

struct perfpred_contraction {
  struct ppi_contraction it;
  char einsum[PPI_EINSUM_MAX]; /* without blanks */
};

/* From the caller's filter, NULL for all; PERFPRED_INVALID names the member. */
enum perfpred_status ppi_contraction_filter(const struct perfpred_contraction_filter *given,
                                            struct ppi_contract_filter *filter, struct perfpred_error *error);
/* What the caller sees of an algorithm, up to the size that it states. */
void ppi_contraction_describe(const struct ppi_contraction *contraction, const struct ppi_contract_algorithm *algorithm,
                              struct perfpred_contraction_algorithm *out);

#endif
