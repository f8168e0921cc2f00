/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls of kernels in the text of a program and in those of the programs that it calls. */
#ifndef PPI_PROGRAM_CALLS_H
#define PPI_PROGRAM_CALLS_H

#include "program/program.h"

struct ppi_call_site {
  const struct ppi_node *node; /* a CALL */
  const struct perfpred_program *program;
};

struct ppi_calls {
  struct ppi_call_site *sites; /* each once; the same text gives the same order everywhere */
  size_t count, capacity;
};

/* calls: overwritten; on failure nothing is left to free. */
enum perfpred_status ppi_calls_of(const struct perfpred_program *program, struct ppi_calls *calls,
                                  struct perfpred_error *error);
/* The place of a call, which must be one of them. */
size_t ppi_calls_place(const struct ppi_calls *calls, const struct ppi_node *node);
void ppi_calls_free(struct ppi_calls *calls);

#endif
