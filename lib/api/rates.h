/* SPDX-License-Identifier: BSD-3-Clause */
/* Peak and bandwidth of a generation: a part of what it costs, and of its budget. */
#ifndef PPI_API_RATES_H
#define PPI_API_RATES_H

#include "measure/sampler.h"
#include "model/model.h"

#define PPI_RATES_SHARE 0.1 /* of a budget */

/* Machine and setup, with the rates: what it takes without a budget (0), else those of models of this machine, else measured in a share of it. Rates
   that there was no time for are 0. known may be NULL. A virtual machine has none. */
enum perfpred_status ppi_rates_describe(struct perfpred_sampler *sampler, double budget_s,
                                        const struct perfpred_models *known, struct ppi_machine *machine,
                                        struct ppi_setup *setup, struct perfpred_error *error);
/* Whether all of them are known. */
bool ppi_rates_known(const struct ppi_machine *machine);

#endif
