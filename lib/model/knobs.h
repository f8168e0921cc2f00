/* SPDX-License-Identifier: BSD-3-Clause */
/* The eight knobs as they hold for one target. */
#ifndef PPI_MODEL_KNOBS_H
#define PPI_MODEL_KNOBS_H

#include "model/generate.h"

#define PPI_OVERSAMPLING_MAX 32

struct ppi_knobs {
  int overfitting, oversampling; /* 0 is 0 here */
  int64_t minimum_width;
  int64_t grain; /* of the target */
};

/* full: from ppi_generate_defaults. */
void ppi_knobs_of(const struct perfpred_generate_options *full, int dimensions, struct ppi_knobs *knobs);

#endif
