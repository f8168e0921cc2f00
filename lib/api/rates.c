/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/rates.h"

#include <math.h>

bool ppi_rates_known(const struct ppi_machine *machine) {
  return machine->peak_flops_per_s[0] > 0.0 && machine->peak_flops_per_s[1] > 0.0 &&
         machine->bandwidth_bytes_per_s > 0.0;
}

static void take(struct ppi_machine *machine, const struct ppi_machine *from) {
  machine->peak_flops_per_s[0] = from->peak_flops_per_s[0];
  machine->peak_flops_per_s[1] = from->peak_flops_per_s[1];
  machine->bandwidth_bytes_per_s = from->bandwidth_bytes_per_s;
}

enum perfpred_status ppi_rates_describe(struct perfpred_sampler *sampler, double budget_s,
                                        const struct perfpred_models *known, struct ppi_machine *machine,
                                        struct ppi_setup *setup, struct perfpred_error *error) {
  bool bounded = budget_s > 0.0;
  enum perfpred_status status = sampler->ops->describe(sampler, 0.0, machine, setup, error);
  if (status || ppi_setup_is_virtual(setup))
    return status;
  if (bounded && known && ppi_rates_known(&known->machine) &&
      ppi_machine_compare(&known->machine, machine, NULL) == PERFPRED_OK) {
    take(machine, &known->machine);
    return PERFPRED_OK;
  }
  return sampler->ops->describe(sampler, bounded ? PPI_RATES_SHARE * budget_s : (double)INFINITY, machine, setup,
                                error);
}
