/* SPDX-License-Identifier: BSD-3-Clause */
/* What einsum.c hands to contraction.c. */
#ifndef PPI_CONTRACT_TERM_H
#define PPI_CONTRACT_TERM_H

#include "base/error.h"
#include "contract/contract.h"

#define PPI_EINSUM_BYTES 1024 /* longest text */

/* The indices of a tensor, each once. */
struct ppi_contract_term {
  int count;
  char letters[PPI_RANK_MAX];
};

enum perfpred_status ppi_contract_terms(const char *einsum, struct ppi_contract_term terms[PPI_OPERANDS],
                                        struct perfpred_error *error);

#endif
