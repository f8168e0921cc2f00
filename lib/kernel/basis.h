/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes, other than a kernel's own, that times are known over: those of the step of an algorithm that the kernel is called in. The
   kernel's own sizes are affine in them. */
#ifndef PPI_KERNEL_BASIS_H
#define PPI_KERNEL_BASIS_H

#include "kernel/kernel.h"

#define PPI_CONTEXT_MAX (2 * PPI_NAME_MAX + 16) /* longest name of a context with its NUL */

struct ppi_basis {
  int dimensions;
  char names[PPI_SIZE_MAX][PPI_NAME_MAX];
  int64_t matrix[PPI_SIZE_MAX][PPI_SIZE_MAX]; /* size argument k of the kernel: sum of matrix[k][d] * size d */
  int64_t constants[PPI_SIZE_MAX];            /* and constants[k] */
  /* The largest sum of all sizes, 0: none; where it is too large those that share it give way. Of a box of sizes that are parts of one n
     only a corner matters, and what lies beyond would be dear. */
  int64_t limit;
  bool sharing[PPI_SIZE_MAX];
  int64_t
      least; /* what those have at least in all: of an algorithm whose only step would be made in another way; 0: no matter */
};

/* Sets the size arguments of values; what would be negative is 0. */
void ppi_basis_apply(const struct ppi_basis *basis, const struct perfpred_kernel *kernel, const int64_t *sizes,
                     struct ppi_value *values);
/* Product of the kernel's size arguments, each of them 0 at least, PPI_PRODUCT_MAX at most; basis NULL: they are the sizes. */
#define PPI_PRODUCT_MAX (INT64_C(1) << 53)
int64_t ppi_basis_product(const struct ppi_basis *basis, const struct perfpred_kernel *kernel, const int64_t *sizes);
/* Degree of the kernel's cost in each size of the basis, at most that of any kernel. */
void ppi_basis_degrees(const struct ppi_basis *basis, const struct perfpred_kernel *kernel,
                       const struct ppi_value *values, int degrees[PPI_SIZE_MAX]);
bool ppi_basis_holds(const struct ppi_basis *basis, const int64_t *sizes);  /* within the limit */
bool ppi_basis_admits(const struct ppi_basis *basis, const int64_t *sizes); /* there is such a step */
/* Brings a point of a box that begins at lower within the limit, in multiples of grain from there, so that points all over the box come to lie
   all over the part of it that matters; where it has less than there is at least, the last size gets that. */
void ppi_basis_fold(const struct ppi_basis *basis, const int64_t *lower, int64_t grain, int64_t *sizes);
/* The same with all that share the limit cut down in one proportion, for points that lie beyond it. */
void ppi_basis_shrink(const struct ppi_basis *basis, const int64_t *lower, int64_t *sizes);
bool ppi_basis_same(const struct ppi_basis *a, const struct ppi_basis *b); /* either may be NULL */

#endif
