/* SPDX-License-Identifier: BSD-3-Clause */
/* What tours run on. All of a batch share the tensors. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "measure/core_tour.h"

#define FAR_FACTOR 4 /* remote memory, as a multiple of what one set-up reads of it */
#define FAR_MIN ((size_t)16 << 20)
#define FAR_MAX ((size_t)1 << 30)
#define SPARE ((int64_t)1 << 20) /* bytes that a slot may be larger than is needed */

void ppi_tour_memory_destroy(struct ppi_tour_memory *memory) {
  if (memory == NULL)
    return;
  ppi_arena_free(&memory->arena);
  free(memory);
}

/* Bytes of tensors and packed copies; some more for the latter, which differ from batch to batch. */
static void need(const struct ppi_tour_batch *batch, int64_t bytes[2 * PPI_TOUR_OPERANDS]) {
  const int64_t element = (int64_t)ppi_type_bytes(batch->type, false);
  for (int o = 0; o < PPI_TOUR_OPERANDS; o++) {
    int64_t *packed = &bytes[PPI_TOUR_OPERANDS + o];
    bytes[o] = (batch->elements[o] > 0 ? batch->elements[o] : 1) * element;
    *packed = element;
    for (size_t i = 0; i < batch->tour_count; i++) {
      const struct ppi_tour_copy *copy = &batch->tours[i].operands[o].copy;
      if (copy->loops >= 0 && copy->length * copy->count * element > *packed)
        *packed = copy->length * copy->count * element;
    }
  }
}

/* Tensors have to be as large as they are asked for, or hardly larger: what is much too large is given back. */
static bool fits(const struct ppi_tour_memory *memory, enum ppi_type type, const int64_t bytes[2 * PPI_TOUR_OPERANDS]) {
  bool fine = memory != NULL && memory->type == type;
  for (int o = 0; o < PPI_TOUR_OPERANDS && fine; o++)
    fine = bytes[o] <= memory->bytes[o] && memory->bytes[o] <= 2 * bytes[o] + SPARE;
  return fine;
}

/* Room for packed copies; tensors stay, as filling those takes longer than all that is measured. */
static enum perfpred_status grow_packed(struct ppi_tour_memory *memory, const int64_t bytes[2 * PPI_TOUR_OPERANDS],
                                        struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  for (int i = PPI_TOUR_OPERANDS; i < 2 * PPI_TOUR_OPERANDS && status == PERFPRED_OK; i++) {
    if (bytes[i] <= memory->bytes[i])
      continue;
    status = ppi_arena_grow(&memory->arena, memory->slots[i], bytes[i], error);
    memory->bytes[i] = status == PERFPRED_OK ? bytes[i] : 0;
  }
  return status;
}

/* A tensor is a column of the pattern, each of them another one. */
static enum perfpred_status fill(struct ppi_tour_memory *memory, struct perfpred_error *error) {
  const int64_t element = (int64_t)ppi_type_bytes(memory->type, false);
  size_t pattern = 0;
  enum perfpred_status status = ppi_arena_pattern(&memory->arena, PPI_GENERAL, memory->type, false, &pattern, error);
  for (int o = 0; o < PPI_TOUR_OPERANDS && status == PERFPRED_OK; o++) {
    const struct ppi_area area = { .base = memory->arena.slots[memory->slots[o]].base,
                                   .element = (size_t)element,
                                   .rows = memory->bytes[o] / element,
                                   .columns = PPI_TOUR_OPERANDS,
                                   .step = 1,
                                   .ld = 0 };
    ppi_area_fill_box(&area, &memory->arena.patterns[pattern], 0, o, area.rows, 1, false);
  }
  return status;
}

static enum perfpred_status make(enum ppi_type type, const int64_t bytes[2 * PPI_TOUR_OPERANDS],
                                 struct ppi_tour_memory **memory, struct perfpred_error *error) {
  struct ppi_tour_memory *made = calloc(1, sizeof *made);
  enum perfpred_status status = PERFPRED_OK;
  if (made == NULL)
    return ppi_error_memory(error);
  for (int i = 0; i < 2 * PPI_TOUR_OPERANDS && status == PERFPRED_OK; i++) {
    const struct ppi_slot slot = { .written = true, .ordinal = i };
    made->bytes[i] = i >= PPI_TOUR_OPERANDS && bytes[i] < SPARE ? SPARE : bytes[i];
    status = ppi_arena_plan(&made->arena, &slot, made->bytes[i], &made->slots[i], error);
  }
  if (status == PERFPRED_OK) {
    made->type = type;
    status = ppi_arena_allocate(&made->arena, error);
  }
  if (status == PERFPRED_OK)
    status = fill(made, error);
  if (status == PERFPRED_OK)
    *memory = made;
  else
    ppi_tour_memory_destroy(made);
  return status;
}

/* Remote memory, kept like the rest: touching it for the first time takes longer than reading it. */
static enum perfpred_status need_far(struct ppi_core *core, size_t bytes, struct perfpred_error *error) {
  if (core->tour_far_bytes >= bytes && core->tour_far_bytes <= 2 * bytes + FAR_MIN)
    return PERFPRED_OK;
  free(core->tour_far);
  core->tour_far_bytes = 0;
  core->tour_far = malloc(bytes);
  if (core->tour_far == NULL)
    return ppi_error_memory(error);
  memset(core->tour_far, 1, bytes);
  core->tour_far_bytes = bytes;
  return PERFPRED_OK;
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
  size_t bytes = most < FAR_MAX / FAR_FACTOR ? most * FAR_FACTOR : FAR_MAX;
  enum perfpred_status status = need_far(tours->core, bytes < FAR_MIN ? FAR_MIN : bytes, error);
  tours->far = tours->core->tour_far;
  tours->far_bytes = tours->core->tour_far_bytes;
  return status;
}

enum perfpred_status ppi_tours_allocate(struct ppi_tours *tours, struct perfpred_error *error) {
  const size_t count = tours->batch->request_count;
  int64_t bytes[2 * PPI_TOUR_OPERANDS];
  tours->courses = calloc(count + 1, sizeof *tours->courses);
  tours->wanted = calloc(count + 1, sizeof *tours->wanted);
  tours->limits_s = calloc(count + 1, sizeof *tours->limits_s);
  if (tours->courses == NULL || tours->wanted == NULL || tours->limits_s == NULL)
    return ppi_error_memory(error);
  enum perfpred_status status = allocate_far(tours, error);
  need(tours->batch, bytes);
  if (status == PERFPRED_OK && !fits(tours->core->tour_memory, tours->batch->type, bytes)) {
    ppi_tour_memory_destroy(tours->core->tour_memory); /* before there is more, as both may not fit */
    tours->core->tour_memory = NULL;
    status = make(tours->batch->type, bytes, &tours->core->tour_memory, error);
  }
  if (status == PERFPRED_OK)
    status = grow_packed(tours->core->tour_memory, bytes, error);
  if (status != PERFPRED_OK)
    return status;
  const struct ppi_tour_memory *memory = tours->core->tour_memory;
  assert(memory != NULL);
  for (int o = 0; o < PPI_TOUR_OPERANDS; o++) {
    tours->tensors[o] = memory->arena.slots[memory->slots[o]].base;
    tours->packed[o] = memory->arena.slots[memory->slots[PPI_TOUR_OPERANDS + o]].base;
  }
  return PERFPRED_OK;
}

void ppi_tours_release(struct ppi_tours *tours) {
  free(tours->limits_s);
  free(tours->wanted);
  free(tours->courses);
}
