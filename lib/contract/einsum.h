/* SPDX-License-Identifier: BSD-3-Clause */
/* From text and extents to a contraction. */
#ifndef PPI_CONTRACT_EINSUM_H
#define PPI_CONTRACT_EINSUM_H

#include "base/error.h"
#include "contract/contract.h"

/* What is given beside the text. Every index of the text needs exactly one extent. */
struct ppi_contract_given {
  enum ppi_type type;
  const char *const *names; /* of indices, a letter each */
  const int64_t *extents;   /* >= 0 */
  size_t count;
  const int64_t
      *strides[PPI_OPERANDS]; /* elements from one to the next, >= 1, for each dimension of the tensor; NULL: dense, the
                                           first index has stride 1 */
};

/* `ai,ibc->abc`, blanks anywhere between letters (`a i , i b c -> a b c` is the same). Upper and lower case differ. Messages name the
   index or tensor. PERFPRED_SYNTAX: the text is no einsum; PERFPRED_INVALID: an index or an extent is wrong; PERFPRED_UNSUPPORTED: other than
   two operands; PERFPRED_OVERFLOW: a tensor's bytes; PERFPRED_LIMIT: too many indices. */
enum perfpred_status ppi_contraction_read(const char *einsum, const struct ppi_contract_given *given,
                                          struct ppi_contraction *contraction, struct perfpred_error *error);

/* The indices of a tensor, in order, as text. */
void ppi_contract_letters(const struct ppi_contraction *contraction, int operand, char letters[PPI_RANK_MAX + 1]);

#endif
