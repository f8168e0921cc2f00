/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that are modelled in states of the caches. */
#ifndef PPI_API_STATES_H
#define PPI_API_STATES_H

#include "measure/sampler.h"
#include "model/generate.h"

/* Whether a state is another one than warm to a kernel: operands that are only read are touched in the state `in`, and without any there is
   nothing to touch. */
bool ppi_states_differ(const struct perfpred_kernel *kernel, enum perfpred_cache_state state);

/* All calls of the programs, in every state of options->states but the warm one, which is that of calls alone, and but those that are the same
   as that. malloc'ed: free. */
enum perfpred_status ppi_states_targets(const struct perfpred_program *const *programs, size_t program_count,
                                        const struct perfpred_generate_options *options, struct ppi_target **targets,
                                        size_t *count, struct perfpred_error *error);
/* Answers requests for such targets: calls alone, each in the state that the context of its spot names. */
enum perfpred_status ppi_states_sample(struct perfpred_sampler *sampler, const struct ppi_request *requests,
                                       size_t count, const struct ppi_sampling *sampling, struct ppi_result *results,
                                       struct perfpred_error *error);

#endif
