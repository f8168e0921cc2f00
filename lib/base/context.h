/* SPDX-License-Identifier: BSD-3-Clause */
/* The context: two registries, each known in full only to its own module. */
#ifndef PPI_BASE_CONTEXT_H
#define PPI_BASE_CONTEXT_H

#include <perfpred/common.h>

struct ppi_kernels;  /* kernel/registry.h */
struct ppi_programs; /* program/registry.h */

struct perfpred_context {
  struct ppi_kernels *kernels;
  struct ppi_programs *programs;
};

#endif
