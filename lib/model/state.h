/* SPDX-License-Identifier: BSD-3-Clause */
/* Models of calls whose operands lie at a known place in the memory hierarchy when they begin (enum perfpred_cache_state). They stand
 * beside the others under the key of a sub-model: its context says the state. They are over the kernel's own sizes and have no basis, and a
 * plan that does not ask for them passes over them as over models of another algorithm. */
#ifndef PPI_MODEL_STATE_H
#define PPI_MODEL_STATE_H

#include <perfpred/sampler.h>

#include "model/model.h"

/* "cache:in", "cache:outer", "cache:out"; of the warm state "", as models of calls alone have it. No algorithm has such a context: behind
   the colon there would be a number. */
const char *ppi_state_context(enum perfpred_cache_state state);
/* The state that a context stands for; 0: none, it is of a call in an algorithm. "" is the warm one. */
enum perfpred_cache_state ppi_state_of(const char *context);

#endif
