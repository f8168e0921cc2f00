/* SPDX-License-Identifier: BSD-3-Clause */
/* What models say of the calls of an algorithm. */
#ifndef PPI_API_CONTRACTION_MODELS_H
#define PPI_API_CONTRACTION_MODELS_H

#include <perfpred/contraction_plan.h>

#include "contract/call.h"
#include "kernel/registry.h"
#include "model/model.h"

struct ppi_contraction_models {
  struct perfpred_models *models; /* NULL: none */
  int setup;                      /* place of theirs that answers */
};

/* Finds the setup that the options mean, or without any that of the sampler. sampler: NULL: none. */
enum perfpred_status ppi_contraction_models_choose(struct ppi_contraction_models *models,
                                                   const struct perfpred_plan_options *options,
                                                   struct perfpred_sampler *sampler, struct perfpred_error *error);
/* What is known of a call. */
enum ppi_contraction_answer {
  PPI_CONTRACTION_UNMODELLED, /* no model of the kernel in this case */
  PPI_CONTRACTION_OUTSIDE,    /* its sizes lie outside of the domain */
  PPI_CONTRACTION_KNOWN
};
enum ppi_contraction_answer ppi_contraction_models_call(const struct ppi_contraction_models *models,
                                                        const struct ppi_kernels *kernels,
                                                        const struct ppi_contract_call *call,
                                                        struct perfpred_statistics *time_s);
/* Moving so many elements from one place to another: by the models of xcopy, in calls of `length`; else by the bandwidth of the models'
   machine; 0 where that is not known either. */
double ppi_contraction_models_move(const struct ppi_contraction_models *models, const struct ppi_kernels *kernels,
                                   const struct ppi_contract_call *call, const struct ppi_contract_copy *copy,
                                   size_t element_bytes);
/* Writing so many bytes. */
double ppi_contraction_models_fill(const struct ppi_contraction_models *models, double bytes);

#endif
