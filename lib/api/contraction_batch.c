/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/contraction_batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"

void ppi_contraction_batch_free(struct ppi_contraction_batch *batch) {
  if (batch->results)
    ppi_tour_results_free(batch->results, batch->request_count);
  free(batch->results);
  free(batch->items);
  free(batch->items_at);
  free(batch->requests);
  free(batch->values);
  free(batch->tours);
}

static bool grow_tours(struct ppi_contraction_batch *batch) {
  const size_t capacity = batch->tour_capacity ? 2 * batch->tour_capacity : 16;
  struct ppi_tour *tours = realloc(batch->tours, capacity * sizeof *tours);
  if (!tours)
    return false;
  batch->tours = tours;
  struct ppi_contraction_batch_values *values = realloc(batch->values, capacity * sizeof *values);
  if (!values)
    return false;
  batch->values = values;
  batch->tour_capacity = capacity;
  return true;
}

static bool grow_requests(struct ppi_contraction_batch *batch) {
  const size_t capacity = batch->request_capacity ? 2 * batch->request_capacity : 64;
  struct ppi_tour_request *requests = realloc(batch->requests, capacity * sizeof *requests);
  if (!requests)
    return false;
  batch->requests = requests;
  size_t *items_at = realloc(batch->items_at, capacity * sizeof *items_at);
  if (!items_at)
    return false;
  batch->items_at = items_at;
  batch->request_capacity = capacity;
  return true;
}

static bool grow_items(struct ppi_contraction_batch *batch, size_t more) {
  const size_t capacity = 2 * batch->item_capacity + more + 64;
  struct ppi_tour_item *items = realloc(batch->items, capacity * sizeof *items);
  if (!items)
    return false;
  batch->items = items;
  batch->item_capacity = capacity;
  return true;
}

enum perfpred_status ppi_contraction_batch_tour(struct ppi_contraction_batch *batch, const struct ppi_kernels *kernels,
                                                const struct ppi_contraction *contraction,
                                                const struct ppi_contract_algorithm *algorithm, size_t *place,
                                                struct perfpred_error *error) {
  struct ppi_contract_call call;
  if (batch->tour_count == batch->tour_capacity && !grow_tours(batch))
    return ppi_error_memory(error);
  ppi_contract_resolve(contraction, algorithm, &call);
  enum perfpred_status status = ppi_contraction_tour(kernels, &call, batch->values[batch->tour_count].it,
                                                     &batch->tours[batch->tour_count], error);
  if (!status)
    *place = batch->tour_count++;
  return status;
}

enum perfpred_status ppi_contraction_batch_request(struct ppi_contraction_batch *batch,
                                                   const struct ppi_tour_request *request, size_t *place,
                                                   struct perfpred_error *error) {
  if (batch->request_count == batch->request_capacity && !grow_requests(batch))
    return ppi_error_memory(error);
  if (batch->item_count + request->item_count > batch->item_capacity && !grow_items(batch, request->item_count))
    return ppi_error_memory(error);
  *place = batch->request_count++;
  batch->requests[*place] = *request;
  batch->items_at[*place] = batch->item_count;
  if (request->item_count > 0)
    memcpy(batch->items + batch->item_count, request->items, request->item_count * sizeof *batch->items);
  batch->item_count += request->item_count;
  return PERFPRED_OK;
}

enum perfpred_status ppi_contraction_batch_run(struct ppi_contraction_batch *batch, struct perfpred_sampler *sampler,
                                               const struct ppi_sampling *sampling, struct perfpred_error *error) {
  struct ppi_tour_batch tours = { .tours = batch->tours,
                                  .tour_count = batch->tour_count,
                                  .requests = batch->requests,
                                  .request_count = batch->request_count };
  if (!sampler->ops->tour)
    return ppi_error_set(error, PERFPRED_UNSUPPORTED, "this sampler runs no algorithms of contractions");
  if (batch->request_count == 0)
    return PERFPRED_OK;
  ppi_contraction_tour_batch(batch->contraction, &tours);
  /* the lists have come to rest */
  for (size_t i = 0; i < batch->tour_count; i++)
    batch->tours[i].values = batch->values[i].it;
  for (size_t i = 0; i < batch->request_count; i++)
    batch->requests[i].items = batch->items ? batch->items + batch->items_at[i] : NULL;
  struct ppi_tour_result *results = calloc(batch->request_count, sizeof *results);
  if (!results)
    return ppi_error_memory(error);
  enum perfpred_status status = sampler->ops->tour(sampler, &tours, sampling, results, error);
  if (status)
    free(results);
  else
    batch->results = results;
  return status;
}

void ppi_contraction_batch_time(const struct ppi_contraction_batch *batch, size_t place,
                                struct perfpred_statistics *time_s) {
  const struct ppi_result *timing = &batch->results[place].timing;
  *time_s = (struct perfpred_statistics){ (double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN };
  if (timing->count > 0)
    ppi_stats_of(timing->times_s, timing->count, time_s); /* sorts them: their order is of no use here */
}
