/* SPDX-License-Identifier: BSD-3-Clause */
/* The programs of a context, by name. */
#ifndef PPI_PROGRAM_REGISTRY_H
#define PPI_PROGRAM_REGISTRY_H

#include "kernel/registry.h"
#include "program/program.h"

struct ppi_programs;

/* With the catalogue, whose texts are read one by one when an algorithm of them is asked for; several threads may ask. The kernels
   must live as long. */
enum perfpred_status ppi_programs_create(const struct ppi_kernels *kernels, struct ppi_programs **programs,
                                         struct perfpred_error *error);
void ppi_programs_destroy(struct ppi_programs *programs);
/* Borrowed; NULL if there is none, or no memory to read it. */
struct perfpred_program *ppi_programs_find(const struct ppi_programs *programs, const char *name);
bool ppi_programs_has(const struct ppi_programs *programs, const char *name); /* without reading it */
/* Borrowed; PERFPRED_NOT_FOUND names the algorithm and a near one. */
enum perfpred_status ppi_programs_require(const struct ppi_programs *programs, const char *name,
                                          struct perfpred_program **program, struct perfpred_error *error);
/* Parses a whole text (kernels, algorithms, nests) into both registries, all or nothing. */
enum perfpred_status ppi_programs_add_text(struct ppi_programs *programs, struct ppi_kernels *kernels, const char *text,
                                           size_t length, const char *source, struct perfpred_error *error);
/* Parses exactly one algorithm or nest; the caller gets a reference. */
enum perfpred_status ppi_program_parse(const struct ppi_programs *programs, const struct ppi_kernels *kernels,
                                       const char *text, size_t length, const char *source,
                                       struct perfpred_program **program, struct perfpred_error *error);

#endif
