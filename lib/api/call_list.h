/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls of an execution in their order, and which of them are alike: same kernel, case and sizes. */
#ifndef PPI_API_CALL_LIST_H
#define PPI_API_CALL_LIST_H

#include "measure/sampler.h"

/* Calls that are alike. */
struct ppi_call_kind {
  const struct perfpred_kernel *kernel; /* the program's */
  struct ppi_value values[PPI_ARG_MAX]; /* as a request has them */
  char text[256];                       /* "dtrsm(R,L,T,N,1000,128)" */
  double flops;
  bool copies; /* it hardly computes: less than one flop for two elements that it moves */
  size_t calls;
};

#define PPI_CALL_EMPTY SIZE_MAX

struct ppi_call_list {
  size_t *kinds; /* of each call, its place; PPI_CALL_EMPTY: it has nothing to do */
  size_t count, capacity;
  size_t made; /* calls that have something to do */
  struct ppi_call_kind *kind;
  size_t kind_count, kind_capacity;
  size_t *slots; /* hash table of places + 1 */
  size_t slot_count;
};

/* list: overwritten; on failure nothing is left to free. PERFPRED_INVALID: no call has anything to do. */
enum perfpred_status ppi_call_list_of(const struct perfpred_program *program, const int64_t *parameters, size_t count,
                                      struct ppi_call_list *list, struct perfpred_error *error);
void ppi_call_list_free(struct ppi_call_list *list);

/* Median time of each call in the running program: list->count of them, NaN for those that have nothing to do. ld: leading dimension of its
   matrices; may be NULL. */
enum perfpred_status ppi_call_list_measure(const struct ppi_call_list *list, struct perfpred_sampler *sampler,
                                           const struct ppi_execution *execution, const struct ppi_sampling *sampling,
                                           double *times_s, int64_t *ld, struct perfpred_error *error);

#endif
