/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of the virtual sampler share: virtual.c spends time on calls, virtual_calls.c times them one by one. */
#ifndef PPI_MEASURE_VIRTUAL_H
#define PPI_MEASURE_VIRTUAL_H

#include "measure/core.h"
#include "measure/tally.h"

struct virtual {
  struct perfpred_sampler base;
  perfpred_cost_fn *cost;
  void *data;
  perfpred_dgelsy_fn *dgelsy;
  struct ppi_virtual_time time;
  struct ppi_tally tally;                  /* executions of each call so far */
  const char *previous;                    /* kernel that was called before in the present execution, or NULL */
  const enum perfpred_cache_state *states; /* of the requests of the present batch; NULL: all are warm */
  enum perfpred_cache_state state;         /* of the present call; 0: it runs in an execution or a step */
};

/* Cost of one execution of a call; the clock advances. */
enum perfpred_status ppi_virtual_spend(struct virtual *sampler, const struct perfpred_kernel *kernel,
                                       const struct ppi_value *values, double *cost, struct perfpred_error *error);
enum perfpred_status ppi_virtual_tell(const struct virtual *sampler, const struct ppi_sampling *sampling,
                                      double begin_s, uint64_t done, uint64_t all, struct perfpred_error *error);
/* Room for so many samples in each result; on failure nothing is left to free. */
enum perfpred_status ppi_virtual_prepare(struct ppi_result *results, size_t count, size_t repetitions,
                                         struct perfpred_error *error);
bool ppi_virtual_over_budget(const struct virtual *sampler, const struct ppi_sampling *sampling, double begin);
/* Leading dimension that a real execution would use: that of the buffer with most rows. */
enum perfpred_status ppi_virtual_ld(const struct ppi_execution *execution, int64_t wanted, int64_t *ld,
                                    struct perfpred_error *error);

/* As the operations. */
enum perfpred_status ppi_virtual_windows(struct perfpred_sampler *sampler, const struct perfpred_program *program,
                                         const struct ppi_window *windows, size_t count,
                                         const struct ppi_sampling *sampling, struct ppi_result *results,
                                         struct perfpred_error *error);
enum perfpred_status ppi_virtual_calls(struct perfpred_sampler *sampler, const struct ppi_execution *execution,
                                       size_t count, const struct ppi_sampling *sampling, struct ppi_result *results,
                                       struct perfpred_error *error);

/* Tours on a virtual clock. All calls of a tour cost the same; beside them cost
   - the lines of an operand's slice, PPI_VIRTUAL_LINE_S each, in every iteration that has the operand at another place than the one before, in the
     first one of all, and in a single call or copy that its set-up left without the operand: where it was flushed, or where more than
     PPI_VIRTUAL_CACHE_BYTES were touched after it; what a set-up does not name is there when it begins;
   - the lines of a packed copy, whenever it is made, and those of what is zeroed.
   `warm` has everything there. */
#define PPI_VIRTUAL_LINE_S 1e-9
#define PPI_VIRTUAL_CACHE_BYTES (1 << 20)
enum perfpred_status ppi_virtual_tour(struct perfpred_sampler *sampler, const struct ppi_tour_batch *batch,
                                      const struct ppi_sampling *sampling, struct ppi_tour_result *results,
                                      struct perfpred_error *error);

#endif
