/* SPDX-License-Identifier: BSD-3-Clause */
/* What an execution does, step by step: how much each place of the text that calls a kernel has to do in each step of the loop. */
#ifndef PPI_API_REPLAY_PLAN_H
#define PPI_API_REPLAY_PLAN_H

#include "api/call_list.h"
#include "cache/cache.h"
#include "program/calls.h"

struct ppi_replay_plan {
  const struct perfpred_program *program;
  const int64_t *parameters;
  struct ppi_calls calls;
  struct ppi_walk_block *blocks; /* the steps */
  size_t *first_calls;           /* calls of the execution that stand before each step, empty ones too */
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

/* Steps that are worth measuring, at most `most` (at least 2), rising: all where there are no more. Otherwise, of the steps of the widest blocks
   the first and the last, and others as Chebyshev's points lie between them; and of those of other widths (the end of a loop that
   b does not divide) as many as leave two of the former. Returns how many. chosen: room for `most`. */
size_t ppi_replay_choose(const struct ppi_replay_plan *plan, size_t most, size_t *chosen);

/* How many steps before a step have to be gone through for an LRU cache to hold what it would, were all of them: back to the one that was the last
   to touch anything that the step itself touches, as far as that is no deeper than the last level of the analysis. 0: nothing of it is
   left. cache: of the same execution. */
size_t ppi_replay_reach(const struct ppi_replay_plan *plan, const struct perfpred_cache *cache, size_t step);

#endif
