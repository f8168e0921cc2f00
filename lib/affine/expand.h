/* SPDX-License-Identifier: BSD-3-Clause */
/* The loops behind an algorithm's calls: a nest in which each call is the reference of its kernel, on the algorithm's buffers. */
#ifndef PPI_AFFINE_EXPAND_H
#define PPI_AFFINE_EXPAND_H

#include "program/registry.h"

/* A call of the text: calls of an algorithm that is called in two places count as two. */
struct ppi_expanded_call {
  const struct ppi_node *node;            /* a CALL */
  const struct perfpred_program *program; /* whose text it is part of */
  uint64_t way;                           /* tells apart the places from which that is called */
};

/* Whose access a reference of the nest is. */
struct ppi_expanded_access {
  int call, argument; /* place among the calls, and of the kernel's argument; behind the last one its result */
};

struct ppi_expansion {
  struct perfpred_program *nest; /* with the algorithm's parameters; a reference is held */
  struct ppi_expanded_call *calls;
  size_t call_count, call_capacity;
  struct ppi_expanded_access *accesses; /* by the nest's sites */
  size_t access_count, access_capacity;
};

/* context: for the reader of texts. parameters: a nest for these values alone, in which what they decide is decided and short blocks stand
   apart; NULL: for all values. The calls are borrowed from the algorithm, which must live as long.
   PERFPRED_UNSUPPORTED: a kernel without reference, or an algorithm that calls itself. */
enum perfpred_status ppi_expand(const struct perfpred_context *context, const struct perfpred_program *algorithm,
                                const int64_t *parameters, struct ppi_expansion *expansion,
                                struct perfpred_error *error);
void ppi_expansion_free(struct ppi_expansion *expansion);

#endif
