/* SPDX-License-Identifier: BSD-3-Clause */
/* What tours run on. All of a batch share the tensors. */
#include <stdlib.h>
#include <string.h>

#include "measure/core_tour.h"

#define FAR_FACTOR 4 /* remote memory, as a multiple of what one set-up reads of it */
#define FAR_MIN ((size_t)16 << 20)
#define FAR_MAX ((size_t)1 << 30)

static enum perfpred_status plan_slots(struct ppi_tours *tours, size_t slots[2 * PPI_TOUR_OPERANDS],
                                       struct perfpred_error *error) {
  const struct ppi_tour_batch *batch = tours->batch;
  const int64_t element = (int64_t)ppi_type_bytes(batch->type, false);
  enum perfpred_status status = PERFPRED_OK;
  for (int o = 0; o < PPI_TOUR_OPERANDS && status == PERFPRED_OK; o++) {
    const struct ppi_slot tensor = { .written = true, .ordinal = o };
    const struct ppi_slot packed = { .written = true, .ordinal = PPI_TOUR_OPERANDS + o };
    int64_t most = 1;
    for (size_t i = 0; i < batch->tour_count; i++) {
      const struct ppi_tour_copy *copy = &batch->tours[i].operands[o].copy;
      if (copy->loops >= 0 && copy->length * copy->count > most)
        most = copy->length * copy->count;
    }
    status = ppi_arena_plan(&tours->arena, &tensor, (batch->elements[o] > 0 ? batch->elements[o] : 1) * element,
                            &slots[o], error);
    if (status == PERFPRED_OK)
      status = ppi_arena_plan(&tours->arena, &packed, most * element, &slots[PPI_TOUR_OPERANDS + o], error);
  }
  return status;
}

/* A tensor is a column of the pattern, each of them another one. */
static enum perfpred_status fill_tensors(struct ppi_tours *tours, struct perfpred_error *error) {
  const struct ppi_tour_batch *batch = tours->batch;
  size_t pattern = 0;
  enum perfpred_status status = ppi_arena_pattern(&tours->arena, PPI_GENERAL, batch->type, false, &pattern, error);
  for (int o = 0; o < PPI_TOUR_OPERANDS && status == PERFPRED_OK; o++) {
    const struct ppi_area area = { .base = tours->tensors[o],
                                   .element = ppi_type_bytes(batch->type, false),
                                   .rows = batch->elements[o],
                                   .columns = PPI_TOUR_OPERANDS,
                                   .step = 1,
                                   .ld = 0 };
    ppi_area_fill_box(&area, &tours->arena.patterns[pattern], 0, o, batch->elements[o], 1, false);
  }
  return status;
}

static enum perfpred_status allocate_far(struct ppi_tours *tours, struct perfpred_error *error) {
  size_t most = 0;
  for (size_t i = 0; i < tours->batch->request_count; i++) {
    const struct ppi_tour_request *request = &tours->batch->requests[i];
    size_t sum = 0;
    for (size_t k = 0; k < request->item_count; k++) {
      if (request->items[k].kind == PPI_TOUR_REMOTE)
        sum += (size_t)request->items[k].bytes;
      if (request->items[k].kind == PPI_TOUR_FLUSH && tours->core->eviction == PPI_EVICT_NONE)
        return ppi_error_set(error, PERFPRED_UNSUPPORTED,
                             "this processor has no instruction that evicts a cache line: caches cannot be set up");
    }
    most = sum > most ? sum : most;
  }
  if (most == 0)
    return PERFPRED_OK;
  tours->far_bytes = most < FAR_MAX / FAR_FACTOR ? most * FAR_FACTOR : FAR_MAX;
  if (tours->far_bytes < FAR_MIN)
    tours->far_bytes = FAR_MIN;
  tours->far = malloc(tours->far_bytes);
  if (tours->far == NULL)
    return ppi_error_memory(error);
  memset(tours->far, 1, tours->far_bytes);
  return PERFPRED_OK;
}

enum perfpred_status ppi_tours_allocate(struct ppi_tours *tours, struct perfpred_error *error) {
  const size_t count = tours->batch->request_count;
  size_t slots[2 * PPI_TOUR_OPERANDS] = { 0 };
  tours->courses = calloc(count + 1, sizeof *tours->courses);
  tours->wanted = calloc(count + 1, sizeof *tours->wanted);
  tours->limits_s = calloc(count + 1, sizeof *tours->limits_s);
  if (tours->courses == NULL || tours->wanted == NULL || tours->limits_s == NULL)
    return ppi_error_memory(error);
  enum perfpred_status status = allocate_far(tours, error);
  if (status == PERFPRED_OK)
    status = plan_slots(tours, slots, error);
  if (status == PERFPRED_OK)
    status = ppi_arena_allocate(&tours->arena, error);
  if (status != PERFPRED_OK)
    return status;
  for (int o = 0; o < PPI_TOUR_OPERANDS; o++) {
    tours->tensors[o] = tours->arena.slots[slots[o]].base;
    tours->packed[o] = tours->arena.slots[slots[PPI_TOUR_OPERANDS + o]].base;
  }
  return fill_tensors(tours, error);
}

void ppi_tours_release(struct ppi_tours *tours) {
  free(tours->limits_s);
  free(tours->wanted);
  free(tours->courses);
  free(tours->far);
  ppi_arena_free(&tours->arena);
}
