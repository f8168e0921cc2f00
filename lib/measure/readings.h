/* SPDX-License-Identifier: BSD-3-Clause */
/* The readings of a sampler's yardstick, which say to what state of the machine its times were brought. */
#ifndef PPI_MEASURE_READINGS_H
#define PPI_MEASURE_READINGS_H

#include "measure/sampler.h"

struct ppi_readings {
  double best_s, reference_s; /* 0: none */
};
/* Of what was measured so far. A sampler that cannot tell (any more) has none: what was measured stands all the same. */
void ppi_readings_of(struct perfpred_sampler *sampler, struct ppi_readings *readings);

#endif
