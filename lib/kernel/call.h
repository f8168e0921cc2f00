/* SPDX-License-Identifier: BSD-3-Clause */
/* A single call as text, outside a program: "dtrsm(R,L,T,N,1000,128,1)". */
#ifndef PPI_KERNEL_CALL_H
#define PPI_KERNEL_CALL_H

#include "kernel/registry.h"

/* Reads a call at the scanner's place: flags, sizes and scalars into values (PPI_ARG_MAX of them; buffers -1, the rest 0). Data
   arguments may be left out, views are read and forgotten. The kernel is borrowed. */
enum perfpred_status ppi_call_parse(struct ppi_scanner *scanner, const struct ppi_kernels *kernels,
                                    const struct perfpred_kernel **kernel, struct ppi_value *values);

#endif
