/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "measure/sampler.h"
#include "store/store.h"

enum perfpred_status perfpred_sampler_describe(struct perfpred_sampler *sampler, char **json,
                                               struct perfpred_error *error) {
  ppi_error_clear(error);
  if (!sampler || !json)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", !sampler ? "sampler" : "json");
  /* Too long for the stack of a small thread. */
  struct ppi_machine *machine = calloc(1, sizeof *machine);
  struct ppi_setup *setup = calloc(1, sizeof *setup);
  enum perfpred_status status;
  if (!machine || !setup)
    status = ppi_error_memory(error);
  else
    status = sampler->ops->describe(sampler, INFINITY, machine, setup, error);
  if (!status)
    status = ppi_store_machine(machine, setup, json, error);
  free(setup);
  free(machine);
  return status;
}
