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
/* Places of the parameters that tell a program's steps. */
struct ppi_blocking {
  int size, block; /* the loop over blocks goes through the one in pieces of the other */
  int other;       /* another size, which the loop leaves alone; -1: there is none */
};

/* Whether a program has steps to be told. It has two parameters, one of which is a block size: the loop is in its own text or in that of a
   program that it calls outside of loops. Or it has two sizes, and block sizes: the loop over one of them is in its own text. */
bool ppi_program_blocking(const struct perfpred_program *program, struct ppi_blocking *blocking);
/* Whose steps calls belong to, and in how many loops that program is run. */
struct ppi_owner {
  const struct perfpred_program *program; /* NULL: none has steps */
  struct ppi_blocking blocking;
  int base;
};
/* Of the calls in a program that is run in so many loops; outer: that of the calls beside it. A program of one size takes them outside of all
   loops; one of two sizes anywhere, but not from one of one size, such as LAPACK's routines for square matrices. */
struct ppi_owner ppi_owner_of(const struct perfpred_program *program, const struct ppi_owner *outer, int loops);
/* Name of the models of a call in the steps of a program: "dpotrf:3", "dgetrf:dgetrf-mn:2". */
void ppi_call_context(const struct perfpred_program *owner, const struct ppi_call_site *site, char *text, size_t size);
/* The place of a call, which must be one of them. */
size_t ppi_calls_place(const struct ppi_calls *calls, const struct ppi_node *node);
void ppi_calls_free(struct ppi_calls *calls);

#endif
