/* SPDX-License-Identifier: BSD-3-Clause */
/* Making and releasing programs. */
#ifndef PPI_PROGRAM_TREE_H
#define PPI_PROGRAM_TREE_H

#include "program/program.h"

#define PPI_UNIT_MAX 16384 /* programs of one text */

struct ppi_unit *ppi_unit_create(void); /* with one reference; NULL: out of memory */
void ppi_unit_unref(struct ppi_unit *unit);
/* A new empty program as the unit's last. NULL: out of memory. */
struct perfpred_program *ppi_unit_add(struct ppi_unit *unit, const char *name);
/* Room for one more name or buffer. False: out of memory. */
bool ppi_program_grow_slots(struct perfpred_program *program);
bool ppi_program_grow_buffers(struct perfpred_program *program);

#endif
