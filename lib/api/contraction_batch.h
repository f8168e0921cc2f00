/* SPDX-License-Identifier: BSD-3-Clause */
/* Micro-benchmarks of algorithms of one contraction that a sampler runs together. */
#ifndef PPI_API_CONTRACTION_BATCH_H
#define PPI_API_CONTRACTION_BATCH_H

#include "api/contraction_tour.h"
#include "measure/sampler.h"

struct ppi_contraction_batch_values {
  struct ppi_value it[PPI_CONTRACT_ARGUMENTS];
};

struct ppi_contraction_batch {
  const struct ppi_contraction *contraction; /* whose tensors they go through */
  size_t tour_count, tour_capacity;
  struct ppi_tour *tours;
  struct ppi_contraction_batch_values *values; /* of the tours */
  size_t request_count, request_capacity;
  struct ppi_tour_request *requests;
  size_t *items_at; /* of each request, place of its first item */
  size_t item_count, item_capacity;
  struct ppi_tour_item *items;
  struct ppi_tour_result *results; /* once it was run */
};

/* Adds the tour of an algorithm; contraction: the batch's, or one with smaller extents of indices that the kernel goes through. */
enum perfpred_status ppi_contraction_batch_tour(struct ppi_contraction_batch *batch, const struct ppi_kernels *kernels,
                                                const struct ppi_contraction *contraction,
                                                const struct ppi_contract_algorithm *algorithm, size_t *place,
                                                struct perfpred_error *error);
/* Adds a request; its items are copied. */
enum perfpred_status ppi_contraction_batch_request(struct ppi_contraction_batch *batch,
                                                   const struct ppi_tour_request *request, size_t *place,
                                                   struct perfpred_error *error);
/* PERFPRED_UNSUPPORTED: the sampler runs no tours. */
enum perfpred_status ppi_contraction_batch_run(struct ppi_contraction_batch *batch, struct perfpred_sampler *sampler,
                                               const struct ppi_sampling *sampling, struct perfpred_error *error);
/* Of a request's samples; all NaN where there are none. */
void ppi_contraction_batch_time(const struct ppi_contraction_batch *batch, size_t place,
                                struct perfpred_statistics *time_s);
void ppi_contraction_batch_free(struct ppi_contraction_batch *batch);

#endif
