/* SPDX-License-Identifier: BSD-3-Clause */
/* What prints algorithms as programs: views of tensors as matrices, and copies of whole tensors. */
#ifndef PPI_CONTRACT_PRINT_VIEW_H
#define PPI_CONTRACT_PRINT_VIEW_H

#include "base/error.h"
#include "base/text.h"
#include "contract/matrix.h"

struct ppi_contract_printer {
  const struct ppi_contraction *contraction; /* whose tensors the loops go through */
  const struct ppi_contract_algorithm *algorithm;
  const struct ppi_contraction *given; /* the same, but where whole tensors are copied, */
  const struct ppi_contract_algorithm *named;
  unsigned packed; /* bit 1 << operand for these */
  struct ppi_contract_call call;
  struct ppi_contract_matrix matrices[PPI_OPERANDS];
  bool open;  /* the extents are parameters */
  int column; /* index over which vectors are being copied; -1: none */
  struct ppi_text *text;
};

/* print_view.c: an extent, of several indices that became one the product; the product of the extents of order[from], ..., order[to - 1]; the
   variable of a loop; where the present slice of an operand begins; rows and columns of its buffer. */
void ppi_contract_put_extent(const struct ppi_contract_printer *printer, int index);
void ppi_contract_put_product(const struct ppi_contract_printer *printer, const struct ppi_contract_matrix *matrix,
                              int from, int to);
void ppi_contract_put_loop(const struct ppi_contract_printer *printer, int index);
void ppi_contract_put_view(const struct ppi_contract_printer *printer, int operand);
void ppi_contract_indent(const struct ppi_contract_printer *printer, int depth);
void ppi_contract_put_shape(const struct ppi_contract_printer *printer, int operand);

/* print_whole.c: loops of copies of whole tensors, in or out; rows and columns of a tensor as it lies. */
enum perfpred_status ppi_contract_put_transpositions(const struct ppi_contract_printer *printer, bool out,
                                                     struct perfpred_error *error);
enum perfpred_status ppi_contract_put_tensor_shape(const struct ppi_contract_printer *printer, int operand,
                                                   struct perfpred_error *error);

#endif
