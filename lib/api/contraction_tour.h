/* SPDX-License-Identifier: BSD-3-Clause */
/* Algorithms of a contraction as tours, for samplers to run. */
#ifndef PPI_API_CONTRACTION_TOUR_H
#define PPI_API_CONTRACTION_TOUR_H

#include "contract/call.h"
#include "kernel/registry.h"
#include "measure/tour.h"

/* Type, tensors and indices of a batch; the rest of it stays as it is. */
void ppi_contraction_tour_batch(const struct ppi_contraction *contraction, struct ppi_tour_batch *batch);
/* The tour of an algorithm. values: PPI_CONTRACT_ARGUMENTS of them, which the tour keeps a pointer to; its kernels are borrowed. */
enum perfpred_status ppi_contraction_tour(const struct ppi_kernels *kernels, const struct ppi_contract_call *call,
                                          struct ppi_value *values, struct ppi_tour *tour,
                                          struct perfpred_error *error);

#endif
