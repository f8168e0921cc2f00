/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of algorithms: the letters of the loops from outer to inner, a hyphen, the kernel: "cb-dger". An apostrophe follows the loop
   inside which an operand is copied, one for each: "i'c-dgemm"; before the first letter for a copy outside of all loops. Without
   loops the name is that of the kernel, "dgemm". Where whole tensors are copied: their letters, a star, a hyphen, the kernel: "AC*-dgemm". */
#ifndef PPI_CONTRACT_NAME_H
#define PPI_CONTRACT_NAME_H

#include "base/error.h"
#include "contract/contract.h"

#define PPI_CONTRACT_NAME_MAX 48 /* with its NUL */

void ppi_contract_name(const struct ppi_contraction *contraction, const struct ppi_contract_algorithm *algorithm,
                       char name[PPI_CONTRACT_NAME_MAX]);
/* The same for the text of a program, whose names have neither apostrophes nor stars: `_` and `__` stand in their places. */
void ppi_contract_program_name(const struct ppi_contraction *contraction,
                               const struct ppi_contract_algorithm *algorithm, char name[PPI_CONTRACT_NAME_MAX]);
/* By name. Apostrophes may be left out, all of them; where there are some (or `_` in their place) they must be right. PERFPRED_NOT_FOUND says what is wrong
   with the name. */
enum perfpred_status ppi_contract_find(const struct ppi_contraction *contraction, const char *name,
                                       struct ppi_contract_algorithm *algorithm, struct perfpred_error *error);
/* Routine of BLAS without the letter of the type where it is the same for all: "dot", "axpy", ...; and with it: "ddot", "zdotu",
   "dger", "zgeru". */
const char *ppi_contract_kernel_name(enum ppi_contract_kernel kernel);
const char *ppi_contract_routine(enum ppi_contract_kernel kernel, enum ppi_type type);
/* From "gemm" to its number; false: none is called so. */
bool ppi_contract_kernel_find(const char *name, enum ppi_contract_kernel *kernel);

#endif
