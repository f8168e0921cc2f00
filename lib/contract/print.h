/* SPDX-License-Identifier: BSD-3-Clause */
/* Algorithms as programs and as C. */
#ifndef PPI_CONTRACT_PRINT_H
#define PPI_CONTRACT_PRINT_H

#include "base/context.h"
#include "base/text.h"
#include "contract/call.h"
#include "contract/einsum.h"

/* "C[a,b] := A[a,i] B[i,b]" */
void ppi_contract_print_formula(const struct ppi_contraction *contraction, struct ppi_text *text);
/* What an index is called in C: A, B and C are the tensors, and headers may have a macro I. */
#define PPI_INDEX_NAME 3
void ppi_contract_print_index(const struct ppi_contraction *contraction, int index, char name[PPI_INDEX_NAME]);
/* Loops of C that copy a whole tensor, whose pointer is A, B or C, to its packed memory PA, PB or PC, or back. */
void ppi_contract_print_transposition(const struct ppi_contraction *contraction, const struct ppi_contract_copy *copy,
                                      bool out, struct ppi_text *text);
bool ppi_contract_has_lines(const struct ppi_contract_copy *copy); /* they call memcpy */
/* The text of `algorithm NAME(...)` (doc/language.md), named by ppi_contract_program_name. The extents are parameters, na for index a, that
   propose the contraction's; they are numbers, without parameters, where strides were given, an extent is below 2 or there are more than 8
   indices. PERFPRED_UNSUPPORTED: strides of an input by which elements share places. */
enum perfpred_status ppi_contract_print_program(const struct ppi_contraction *contraction,
                                                const struct ppi_contract_algorithm *algorithm, struct ppi_text *text,
                                                struct perfpred_error *error);
/* The same as a program; the caller gets a reference. */
enum perfpred_status ppi_contract_program(const struct perfpred_context *context,
                                          const struct ppi_contraction *contraction,
                                          const struct ppi_contract_algorithm *algorithm,
                                          struct perfpred_program **program, struct perfpred_error *error);
/* A self-contained file of C: a function that calls CBLAS, and one that says how much memory its packed copies take. PERFPRED_OVERFLOW: an
   extent or stride that is an argument of BLAS is beyond its 32-bit integers, or that memory is beyond 2^63 bytes. */
enum perfpred_status ppi_contract_print_c(const struct ppi_contraction *contraction,
                                          const struct ppi_contract_algorithm *algorithm, const char *function,
                                          struct ppi_text *text, struct perfpred_error *error);

#endif
