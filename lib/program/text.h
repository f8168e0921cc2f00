/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading whole texts into a unit of programs. */
#ifndef PPI_PROGRAM_TEXT_H
#define PPI_PROGRAM_TEXT_H

#include "program/registry.h"

/* Kernels go straight into their registry (and leave it again on failure), programs into a new unit with one reference. */
enum perfpred_status ppi_text_read(const struct ppi_programs *programs, struct ppi_kernels *kernels, const char *text,
                                   size_t length, const char *source, struct ppi_unit **unit,
                                   struct perfpred_error *error);
/* The same of a text without kernels, whose names may be known to the registry: it comes from there. */
enum perfpred_status ppi_text_read_algorithms(const struct ppi_programs *programs, const struct ppi_kernels *kernels,
                                              const char *text, size_t length, const char *source,
                                              struct ppi_unit **unit, struct perfpred_error *error);

#endif
