/* SPDX-License-Identifier: BSD-3-Clause */
/* An algorithm with all its numbers, ready to be executed. What it does, with the operands' tensors at base[]:
 *
 *   for all o: address[o] = base[o]
 *   if (zero) C := 0                         its own elements, not what lies between them where strides were given
 *   copies with loops == 0: in
 *   for x0 in 0:trips[0]                     address[o] += step[0] of operand o each time, of all three
 *     copies with loops == 1: in
 *     for x1 in 0:trips[1] ...
 *       kernel                               one call of `routine`, with the operands' addresses or those of their packed copies
 *     copies with loops == 1: out, where `out` is set
 *   copies with loops == 0: out
 *
 * Copies of whole tensors stand before, and behind, all of that; the operand walks through its packed memory then: step, slices and
 * arguments are those of that, and indices those of ppi_contract_derive.
 *
 * Everything counts in elements of the contraction's type. A loop of 0 trips and a kernel with a size of 0 do nothing, C is 0 then where
 * it has elements: `zero` is set whenever the kernel alone would not do that. */
#ifndef PPI_CONTRACT_CALL_H
#define PPI_CONTRACT_CALL_H

#include "base/transposition.h"
#include "contract/contract.h"

#define PPI_CONTRACT_ARGUMENTS 13 /* of gemm */

enum ppi_contract_argument_kind {
  PPI_CONTRACT_FLAG,   /* flag: 'N' or 'T' */
  PPI_CONTRACT_SIZE,   /* value */
  PPI_CONTRACT_SCALAR, /* value: 0 or 1, in the type of the contraction */
  PPI_CONTRACT_DATA, /* address of `operand`, or of its packed copy; of axpy's alpha as well, which is an element of a tensor: the
                          routine of BLAS takes it by address anyhow */
  PPI_CONTRACT_LD, /* value, >= 1 and >= the rows */
  PPI_CONTRACT_INC /* value, >= 1 */
};

/* Arguments stand in the order of the routine, which is that of the kernel's signature in the catalogue. */
struct ppi_contract_argument {
  enum ppi_contract_argument_kind kind;
  char flag;
  int operand; /* DATA, LD and INC; otherwise -1 */
  int64_t value;
  int index; /* SIZE: the index whose extent it is; otherwise -1 */
};

/* Of a tensor that is copied as a whole: extent of an index, and elements from one to the next. */
struct ppi_contract_dimension {
  int index;
  int64_t extent, tensor, packed;
};

/* count vectors of `length` elements: packed + i * length (increment 1) from, and back to, tensor + i * step (increment inc), by the
   routine copy of BLAS; of a whole tensor the vectors along the first dimension of packed memory, with no single step between them. */
struct ppi_contract_copy {
  int operand;
  int loops; /* it stands right inside loops[loops - 1]; 0: before all loops */
  bool in;   /* not where C is written as a whole before it is read */
  bool out;  /* it goes back at the end of that iteration as well: of C */
  int64_t length, inc, count, step;
  int64_t elements; /* of the packed copy: length * count */
  int rank;         /* 0: of a slice; else the dimensions of the tensor, as they follow each other in packed memory */
  struct ppi_contract_dimension dimensions[PPI_RANK_MAX];
};

struct ppi_contract_call {
  char routine[8];      /* "dgemm", "zgeru", ... */
  char copy_routine[8]; /* "dcopy", ... */
  int argument_count;
  struct ppi_contract_argument arguments[PPI_CONTRACT_ARGUMENTS];
  bool returns; /* dot: what it returns goes to C's element */
  bool
      accumulates; /* the kernel adds to C (beta = 1; axpy and ger always do; dot: the result is added); otherwise C := (beta = 0) */
  bool zero; /* C is filled with zeros first */
  int loop_count;
  int64_t trips[PPI_INDEX_MAX];              /* of the loops, outermost first */
  int64_t step[PPI_OPERANDS][PPI_INDEX_MAX]; /* per operand and loop; 0: the operand stays where it is */
  int copy_count;
  struct ppi_contract_copy copies[PPI_OPERANDS]; /* in the order of the operands; several may stand at one place */
  struct ppi_contract_slice slices[PPI_OPERANDS];
  double calls;      /* of the kernel: the product of trips */
  double work_bytes; /* of all packed copies together */
};

void ppi_contract_resolve(const struct ppi_contraction *contraction, const struct ppi_contract_algorithm *algorithm,
                          struct ppi_contract_call *call);
/* How often a copy is made (times 2 for one that goes out, too): the product of trips of the loops around it. */
double ppi_contract_copies_made(const struct ppi_contract_call *call, const struct ppi_contract_copy *copy);
/* Of a copy of a whole tensor. */
void ppi_contract_transposed(const struct ppi_contract_copy *copy, struct ppi_transposed dimensions[PPI_RANK_MAX]);

#endif
