/* SPDX-License-Identifier: BSD-3-Clause */
/* A contraction C := A B of two tensors, and its algorithms: loops around one BLAS kernel (doc/contractions.md). Everybody who counts,
   names, analyses, prints, predicts or runs algorithms sees them through this header. */
#ifndef PPI_CONTRACT_CONTRACT_H
#define PPI_CONTRACT_CONTRACT_H

#include "kernel/kernel.h"

#define PPI_INDEX_MAX 24 /* different indices of a contraction */
#define PPI_RANK_MAX 16  /* dimensions of a tensor */
#define PPI_OPERANDS 3   /* A, B, C */
#define PPI_TENSOR_NAME(operand) ((char)('A' + (operand)))

/* Which tensors have an index. */
enum ppi_index_kind { PPI_INDEX_CONTRACTED, PPI_INDEX_FREE_A, PPI_INDEX_FREE_B, PPI_INDEX_BATCH };

struct ppi_index {
  char name; /* a letter */
  enum ppi_index_kind kind;
  int64_t extent;               /* >= 0 */
  int64_t stride[PPI_OPERANDS]; /* elements from one to the next in A, B, C; 0 where the tensor lacks it */
  char joined[PPI_INDEX_MAX +
              1]; /* letters of the indices that it stands for: its own, or several where indices were fused */
};

struct ppi_tensor {
  int rank;
  int dimension[PPI_RANK_MAX]; /* places of its indices; the first has stride 1 unless strides were given */
  bool strided;                /* strides were given */
  int64_t elements;            /* from its first to behind its last one; 0 where an extent is 0 */
};

struct ppi_contraction {
  enum ppi_type type;
  int index_count;
  struct ppi_index index[PPI_INDEX_MAX]; /* in the order in which A, then B, then C name them first */
  struct ppi_tensor tensor[PPI_OPERANDS];
  double
      flops; /* as BLAS counts: a multiplication and an addition for each combination of all indices, complex 6 and 2 */
};

enum ppi_contract_kernel {
  PPI_CONTRACT_DOT,
  PPI_CONTRACT_AXPY,
  PPI_CONTRACT_GEMV,
  PPI_CONTRACT_GER,
  PPI_CONTRACT_GEMM,
  PPI_CONTRACT_KERNELS
};

/* One algorithm. The kernel claims at most one index of each kind; all others are loops. Or, with a `way`, all indices of a kind as one, of which
   the first is given; batch indices are loops, and tensors are copied as a whole (whole.h). */
struct ppi_contract_algorithm {
  enum ppi_contract_kernel kernel;
  int contracted, free_a, free_b; /* places of the indices that the kernel goes through; -1: none of that kind */
  int loop_count;
  int loops[PPI_INDEX_MAX]; /* places of the others, outermost first */
  int copied
      [PPI_OPERANDS]; /* loops around the copy of the operand: it stands right inside loops[copied - 1]; -1: it is not copied */
  int way;            /* 0: none */
};

/* What an operand of the kernel is: extents and strides of its slice in its tensor, 1 and 0 for a dimension that it has not. */
struct ppi_contract_slice {
  int dimensions; /* 0: an element, 1: a vector, 2: a matrix */
  int along[2]; /* indices; of a matrix that with elements next to each other (or of extent <= 1) first, or where there
                        is none that of the smaller stride; -1: none */
  int64_t extent[2]; /* their extents */
  int64_t stride[2]; /* their strides */
  bool copied;       /* the kernel sees a packed copy: strides 1 and extent[0] */
};
void ppi_contract_slice(const struct ppi_contraction *contraction, const struct ppi_contract_algorithm *algorithm,
                        int operand, struct ppi_contract_slice *slice);

#endif
