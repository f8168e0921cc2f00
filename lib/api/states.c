/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/states.h"

#include <stdio.h>
#include <stdlib.h>

#include "api/derive.h"
#include "model/state.h"

enum perfpred_status ppi_states_sample(struct perfpred_sampler *sampler, const struct ppi_request *requests,
                                       size_t count, const struct ppi_sampling *sampling, struct ppi_result *results,
                                       struct perfpred_error *error) {
  struct ppi_sampling alone = *sampling;
  enum perfpred_cache_state *states = calloc(count + 1, sizeof *states);
  if (!states)
    return ppi_error_memory(error);
  for (size_t i = 0; i < count; i++)
    states[i] = ppi_state_of(sampling->spots[i].context);
  alone.states = states;
  alone.spots = NULL;
  enum perfpred_status status = sampler->ops->sample(sampler, requests, count, &alone, results, error);
  free(states);
  return status;
}

bool ppi_states_differ(const struct perfpred_kernel *kernel, enum perfpred_cache_state state) {
  bool inputs = false;
  for (int i = 0; i < kernel->arg_count; i++)
    inputs = inputs || (kernel->args[i].kind == PPI_ARG_DATA && !(kernel->args[i].direction & PPI_OUT));
  return state != PERFPRED_STATE_WARM && (inputs || state != PERFPRED_STATE_IN);
}

enum perfpred_status ppi_states_targets(const struct perfpred_program *const *programs, size_t program_count,
                                        const struct perfpred_generate_options *options, struct ppi_target **targets,
                                        size_t *count, struct perfpred_error *error) {
  static const enum perfpred_cache_state states[] = { PERFPRED_STATE_IN, PERFPRED_STATE_OUTER, PERFPRED_STATE_OUT };
  enum { STATES = sizeof states / sizeof states[0] };
  struct ppi_target *warm = NULL;
  size_t warm_count = 0, used = 0;
  enum perfpred_status status = ppi_derive_others(programs, program_count, options, NULL, &warm, &warm_count, error);
  if (status)
    return status;
  struct ppi_target *made = calloc(STATES * warm_count + 1, sizeof *made);
  for (int s = 0; made && s < STATES; s++)
    for (size_t i = 0; i < warm_count && (options->states & (unsigned)states[s]); i++) {
      if (!ppi_states_differ(warm[i].kernel, states[s]))
        continue;
      made[used] = warm[i];
      snprintf(made[used++].context, sizeof made->context, "%s", ppi_state_context(states[s]));
    }
  free(warm);
  if (!made)
    return ppi_error_memory(error);
  *targets = made;
  *count = used;
  return PERFPRED_OK;
}
