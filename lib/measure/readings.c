/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/readings.h"

#include <stdlib.h>

void ppi_readings_of(struct perfpred_sampler *sampler, struct ppi_readings *readings) {
  /* Too long for the stack of a small thread. */
  struct ppi_machine *machine = calloc(1, sizeof *machine);
  struct ppi_setup *setup = calloc(1, sizeof *setup);
  *readings = (struct ppi_readings){ 0.0, 0.0 };
  if (machine && setup && sampler->ops->describe(sampler, 0.0, machine, setup, NULL) == PERFPRED_OK)
    *readings = (struct ppi_readings){ setup->yardstick_s, setup->reference_s };
  free(setup);
  free(machine);
}
