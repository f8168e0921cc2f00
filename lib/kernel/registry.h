/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of a context, by name. */
#ifndef PPI_KERNEL_REGISTRY_H
#define PPI_KERNEL_REGISTRY_H

#include "kernel/kernel.h"

struct ppi_kernels;

/* With the catalogue, whose texts are read kernel by kernel when one is asked for; several threads may ask. */
enum perfpred_status ppi_kernels_create(struct ppi_kernels **kernels, struct perfpred_error *error);
void ppi_kernels_destroy(struct ppi_kernels *kernels);
/* Borrowed; NULL if there is none, or no memory to read it. */
const struct perfpred_kernel *ppi_kernels_find(const struct ppi_kernels *kernels, const char *name);
/* Whether there is one, and its name by place in the order of names (NULL from ppi_kernels_count on); without reading it. */
bool ppi_kernels_has(const struct ppi_kernels *kernels, const char *name);
const char *ppi_kernels_name_at(const struct ppi_kernels *kernels, size_t index);
/* By place in the order of names; NULL from ppi_kernels_count on, or without memory. */
const struct perfpred_kernel *ppi_kernels_at(const struct ppi_kernels *kernels, size_t index);
/* Borrowed; PERFPRED_NOT_FOUND names the kernel and a near one. */
enum perfpred_status ppi_kernels_require(const struct ppi_kernels *kernels, const char *name,
                                         const struct perfpred_kernel **kernel, struct perfpred_error *error);
const char *ppi_kernels_nearest(const struct ppi_kernels *kernels, const char *name); /* NULL: none is near */
enum perfpred_status ppi_kernels_add(struct ppi_kernels *kernels, struct perfpred_kernel *kernel,
                                     struct perfpred_error *error); /* takes the reference */
/* Steps over the line `perfpred-text 1`; a text that starts with a kernel does without. */
enum perfpred_status ppi_kernels_first_line(struct ppi_scanner *scanner);
/* A text of kernels alone, all or nothing. The line `perfpred-text 1` may be missing. */
enum perfpred_status ppi_kernels_add_text(struct ppi_kernels *kernels, const char *text, size_t length,
                                          const char *source, struct perfpred_error *error);
/* Forgets the newest ones until count are left: to undo a text that failed half-way. */
void ppi_kernels_truncate(struct ppi_kernels *kernels, size_t count);
size_t ppi_kernels_count(const struct ppi_kernels *kernels);

#endif
