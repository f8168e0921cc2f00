/* SPDX-License-Identifier: BSD-3-Clause */
/* What an execution does, step by step: how much each place of the text that calls a kernel has to do in each step of the loop. */
#ifndef PPI_API_REPLAY_PLAN_H
#define PPI_API_REPLAY_PLAN_H

#include "api/call_list.h"
#include "program/calls.h"

struct ppi_replay_plan {
  const struct perfpred_program *program;
  const int64_t *parameters;
  struct ppi_calls calls;
  struct ppi_walk_block *blocks; /* the steps */
  size_t step_count;
  double *
      work; /* step_count * calls.count: flops, bytes moved where there are none, 1 where there is neither; 0: not called */
  struct ppi_call_kind *outside; /* calls outside of the loop, alike ones together */
  size_t outside_count, outside_capacity;
};

/* plan: overwritten; to be released whatever is returned. PERFPRED_UNSUPPORTED: no loop, or several. */
enum perfpred_status ppi_replay_plan_init(struct ppi_replay_plan *plan, const struct perfpred_program *program,
                                          const int64_t *parameters, size_t count, struct perfpred_error *error);
void ppi_replay_plan_release(struct ppi_replay_plan *plan);

/* Steps that are worth measuring, at most `most` (at least 2), rising: the first and the last, and others as Chebyshev's points lie between
   them; all where there are no more. A last step that is narrower or has less to do than others is taken with its neighbour. Returns
   how many. */
size_t ppi_replay_choose(const struct ppi_replay_plan *plan, size_t most, size_t *chosen);

#endif
