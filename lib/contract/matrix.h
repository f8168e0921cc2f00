/* SPDX-License-Identifier: BSD-3-Clause */
/* A tensor as a plain matrix, whose slices are views of a program: its dimensions by stride, the first ones make the rows, the others
   the columns. */
#ifndef PPI_CONTRACT_MATRIX_H
#define PPI_CONTRACT_MATRIX_H

#include "base/error.h"
#include "base/text.h"
#include "contract/call.h"

struct ppi_contract_matrix {
  int rank;
  int order[PPI_RANK_MAX]; /* places of the indices by rising stride */
  int split;               /* order[split] is the first one of the columns; rank: there is one column */
  bool by_row;             /* the vectors that are taken from it run along its rows */
};

/* The matrix in which the operand of the kernel, or the vectors of which it is copied, are views. PERFPRED_UNSUPPORTED: strides were given
   by which elements share places, or interleave. */
enum perfpred_status ppi_contract_matrix(const struct ppi_contraction *contraction,
                                         const struct ppi_contract_call *call, int operand,
                                         struct ppi_contract_matrix *matrix, struct perfpred_error *error);

#endif
