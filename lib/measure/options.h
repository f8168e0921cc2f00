/* SPDX-License-Identifier: BSD-3-Clause */
/* The public options of measurements, checked, as what samplers are asked. */
#ifndef PPI_MEASURE_OPTIONS_H
#define PPI_MEASURE_OPTIONS_H

#include <perfpred/sampler.h>

#include "measure/sample.h"

/* options may be NULL, or of a release with fewer members: those count as zero, which is the sampler's default. */
enum perfpred_status ppi_measure_options(const struct perfpred_measure_options *options, struct ppi_sampling *sampling,
                                         struct perfpred_error *error);

#endif
