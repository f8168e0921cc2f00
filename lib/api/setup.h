/* SPDX-License-Identifier: BSD-3-Clause */
/* Setups: whether what is measured is what was modelled. */
#ifndef PPI_API_SETUP_H
#define PPI_API_SETUP_H

#include "machine/machine.h"
#include "model/model.h"

/* PERFPRED_OTHER_BLAS unless the libraries and threads of a setup of the models are those of `setup`. A virtual clock on
   either side and models that the caller forced pass. */
enum perfpred_status ppi_setup_compare(const struct perfpred_models *models, int place, const struct ppi_setup *setup,
                                       struct perfpred_error *error);

#endif
