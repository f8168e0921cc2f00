/* SPDX-License-Identifier: BSD-3-Clause */
/* The public options of measurements, checked. */
#ifndef PPI_MEASURE_OPTIONS_H
#define PPI_MEASURE_OPTIONS_H

#include <perfpred/sampler.h>

/* options may be NULL, or of a release with fewer members: those count as zero. */
enum perfpred_status ppi_measure_options(const struct perfpred_measure_options *options,
                                         struct perfpred_measure_options *full, struct perfpred_error *error);

#endif
