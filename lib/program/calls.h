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
/* Whether a program has two parameters, one of which is a block size: their places. The loop over blocks of such a program, in its own
   text or in that of a program that it calls outside of loops, is gone through in steps. */
bool ppi_program_is_blocked(const struct perfpred_program *program, int *size, int *block);
/* Name of the models of a call in the steps of a program: "dpotrf:3", "dgetrf:dgetrf-mn:2". */
void ppi_call_context(const struct perfpred_program *owner, const struct ppi_call_site *site, char *text, size_t size);
/* The place of a call, which must be one of them. */
size_t ppi_calls_place(const struct ppi_calls *calls, const struct ppi_node *node);
void ppi_calls_free(struct ppi_calls *calls);

#endif
