/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs by name: a sorted array of borrowed pointers. */
#ifndef PPI_PROGRAM_NAMES_H
#define PPI_PROGRAM_NAMES_H

#include "program/program.h"

struct ppi_names {
  size_t count, capacity;
  struct perfpred_program **sorted;
};

bool ppi_names_reserve(struct ppi_names *names, size_t more); /* false: out of memory */
struct perfpred_program *ppi_names_find(const struct ppi_names *names, const char *name);
void ppi_names_add(struct ppi_names *names, struct perfpred_program *program); /* room is reserved, the name is new */
void ppi_names_free(struct ppi_names *names);

#endif
