/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of our own: what LAPACK's routines do in loops of their own between their calls, so that a blocked algorithm has all of it. */
#ifndef PPI_KERNEL_OWN_H
#define PPI_KERNEL_OWN_H

#include <perfpred/kernel.h>
#include <stdbool.h>

/* The routine of that name, with the calling convention of Fortran and integers of 64 or 32 bits; NULL: none is called so. */
perfpred_fortran_fn *ppi_kernel_own(const char *name, bool ilp64);

/* The statements of a C function that does the same, over arguments with the names of the kernel's and a last one called `length`, for
   programs printed as C; NULL: no kernel of our own. */
const char *ppi_kernel_own_body(const char *name);

#endif
