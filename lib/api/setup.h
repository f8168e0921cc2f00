/* SPDX-License-Identifier: BSD-3-Clause */
/* Setups: whether what is measured is what was modelled. */
#ifndef PPI_API_SETUP_H
#define PPI_API_SETUP_H

#include "measure/sampler.h"
#include "model/model.h"
#include "predict/plan.h"

/* PERFPRED_OTHER_BLAS unless the libraries and threads of a setup of the models are those of `setup`. A virtual clock on
   either side and models that the caller forced pass. */
enum perfpred_status ppi_setup_compare(const struct perfpred_models *models, int place, const struct ppi_setup *setup,
                                       struct perfpred_error *error);

/* The same for a plan and what it was made for. One that was forced passes, too; *notes: those on what comes of it are added. */
enum perfpred_status ppi_setup_compare_plan(const struct perfpred_plan *plan, const struct ppi_setup *setup,
                                            unsigned *notes, struct perfpred_error *error);
/* The setup that a sampler measures; malloc'ed. */
enum perfpred_status ppi_setup_of(struct perfpred_sampler *sampler, struct ppi_setup **setup,
                                  struct perfpred_error *error);

#endif
