/* SPDX-License-Identifier: BSD-3-Clause */
/* Batches of tours between the library and the worker. */
#include <stdlib.h>

#include "measure/protocol.h"

/* Each takes more of a message, so a senseless number is seen before memory is asked for. */
#define TOUR_BYTES 300
#define REQUEST_BYTES 80

/* --- Put ------------------------------------------------------------------------------------------------------------- */

static void put_operand(struct ppi_wire *wire, const struct ppi_tour_operand *operand, int loop_count) {
  const struct ppi_tour_copy *copy = &operand->copy;
  const int64_t numbers[] = { operand->place,     operand->start,     operand->extent[0], operand->extent[1],
                              operand->stride[0], operand->stride[1], copy->loops,        copy->in,
                              copy->out,          copy->length,       copy->inc,          copy->count,
                              copy->step };
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    ppi_wire_put_i64(wire, numbers[i]);
  for (int l = 0; l < loop_count; l++)
    ppi_wire_put_i64(wire, operand->step[l]);
  ppi_wire_put_i64(wire, copy->rank);
  for (int d = 0; d < copy->rank; d++) {
    ppi_wire_put_i64(wire, copy->dimensions[d].extent);
    ppi_wire_put_i64(wire, copy->dimensions[d].tensor);
    ppi_wire_put_i64(wire, copy->dimensions[d].packed);
  }
}

/* The call travels as a request does. */
static void put_tour(struct ppi_wire *wire, const struct ppi_tour *tour) {
  const struct ppi_request call = { tour->kernel, tour->values, 0 };
  ppi_put_request(wire, &call);
  ppi_wire_put_string(wire, tour->copier != NULL ? tour->copier->name : "");
  ppi_wire_put_i64(wire, tour->added);
  ppi_wire_put_i64(wire, tour->zeroed);
  ppi_wire_put_i64(wire, tour->loop_count);
  for (int l = 0; l < tour->loop_count; l++)
    ppi_wire_put_i64(wire, tour->length[l]);
  for (int o = 0; o < PPI_TOUR_OPERANDS; o++)
    put_operand(wire, &tour->operands[o], tour->loop_count);
}

static void put_demand(struct ppi_wire *wire, const struct ppi_tour_request *request) {
  const int64_t numbers[] = { (int64_t)request->tour, request->subject,     request->operand,
                              request->timed,         request->lead,        request->level,
                              request->warm,          request->repetitions, (int64_t)request->item_count };
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    ppi_wire_put_i64(wire, numbers[i]);
  ppi_wire_put_f64(wire, request->limit_s);
  for (size_t i = 0; i < request->item_count; i++) {
    const struct ppi_tour_item *item = &request->items[i];
    const int64_t parts[] = { item->kind, item->operand, item->packed, item->extent[0], item->extent[1], item->bytes };
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
      ppi_wire_put_i64(wire, parts[k]);
  }
}

void ppi_put_tour_batch(struct ppi_wire *wire, const struct ppi_tour_batch *batch) {
  ppi_wire_put_i64(wire, batch->type);
  ppi_wire_put_i64(wire, batch->memory_bytes);
  for (int o = 0; o < PPI_TOUR_OPERANDS; o++)
    ppi_wire_put_i64(wire, batch->elements[o]);
  ppi_wire_put_i64(wire, batch->index_count);
  for (int i = 0; i < batch->index_count; i++) {
    ppi_wire_put_i64(wire, batch->indices[i].length);
    for (int o = 0; o < PPI_TOUR_OPERANDS; o++)
      ppi_wire_put_i64(wire, batch->indices[i].stride[o]);
  }
  ppi_wire_put_i64(wire, (int64_t)batch->tour_count);
  for (size_t i = 0; i < batch->tour_count; i++)
    put_tour(wire, &batch->tours[i]);
  for (size_t i = 0; i < batch->request_count; i++)
    put_demand(wire, &batch->requests[i]);
}

/* --- Get ------------------------------------------------------------------------------------------------------------- */

/* A number of things, at most `most` of them. */
static size_t get_count(struct ppi_wire *wire, size_t most) {
  const int64_t count = ppi_wire_get_i64(wire);
  if (count < 0 || (uint64_t)count > most)
    wire->bad = true;
  return wire->bad ? 0 : (size_t)count;
}

static int get_small(struct ppi_wire *wire) {
  const int64_t number = ppi_wire_get_i64(wire);
  if (number < -1 || number > INT32_MAX)
    wire->bad = true;
  return wire->bad ? 0 : (int)number;
}

static void get_operand(struct ppi_wire *wire, struct ppi_tour_operand *operand, int loop_count) {
  struct ppi_tour_copy *copy = &operand->copy;
  operand->place = get_small(wire);
  operand->start = ppi_wire_get_i64(wire);
  for (int d = 0; d < 2; d++)
    operand->extent[d] = ppi_wire_get_i64(wire);
  for (int d = 0; d < 2; d++)
    operand->stride[d] = ppi_wire_get_i64(wire);
  copy->loops = get_small(wire);
  copy->in = ppi_wire_get_i64(wire) != 0;
  copy->out = ppi_wire_get_i64(wire) != 0;
  copy->length = ppi_wire_get_i64(wire);
  copy->inc = ppi_wire_get_i64(wire);
  copy->count = ppi_wire_get_i64(wire);
  copy->step = ppi_wire_get_i64(wire);
  for (int l = 0; l < loop_count; l++)
    operand->step[l] = ppi_wire_get_i64(wire);
  copy->rank = (int)get_count(wire, PPI_TRANSPOSED_RANK_MAX);
  for (int d = 0; d < copy->rank; d++) {
    copy->dimensions[d].extent = ppi_wire_get_i64(wire);
    copy->dimensions[d].tensor = ppi_wire_get_i64(wire);
    copy->dimensions[d].packed = ppi_wire_get_i64(wire);
  }
}

static enum perfpred_status get_tour(struct ppi_wire *wire, const struct ppi_kernels *kernels, struct ppi_tour *tour,
                                     struct ppi_value values[PPI_ARG_MAX], struct perfpred_error *error) {
  int count = 0;
  int64_t ld = 0;
  const char *name = ppi_get_request(wire, values, &count, &ld);
  const char *copier = ppi_wire_get_string(wire);
  tour->values = values;
  tour->added = ppi_wire_get_i64(wire) != 0;
  tour->zeroed = ppi_wire_get_i64(wire) != 0;
  tour->loop_count = (int)get_count(wire, PPI_TOUR_LOOPS_MAX);
  for (int l = 0; l < tour->loop_count; l++)
    tour->length[l] = ppi_wire_get_i64(wire);
  for (int o = 0; o < PPI_TOUR_OPERANDS; o++)
    get_operand(wire, &tour->operands[o], tour->loop_count);
  if (wire->bad)
    return PERFPRED_OK;
  enum perfpred_status status = ppi_kernels_require(kernels, name, &tour->kernel, error);
  if (status == PERFPRED_OK && copier[0] != '\0')
    status = ppi_kernels_require(kernels, copier, &tour->copier, error);
  if (status == PERFPRED_OK && count != tour->kernel->arg_count)
    wire->bad = true;
  return status;
}

static void get_demand(struct ppi_wire *wire, struct ppi_tour_request *request,
                       struct ppi_tour_item items[PPI_TOUR_ITEMS_MAX]) {
  request->tour = (size_t)get_small(wire);
  request->subject = (enum ppi_tour_subject)get_small(wire);
  request->operand = get_small(wire);
  request->timed = ppi_wire_get_i64(wire);
  request->lead = ppi_wire_get_i64(wire);
  request->level = get_small(wire);
  request->warm = ppi_wire_get_i64(wire) != 0;
  request->repetitions = get_small(wire);
  request->item_count = get_count(wire, PPI_TOUR_ITEMS_MAX);
  request->limit_s = ppi_wire_get_f64(wire);
  request->items = items;
  for (size_t i = 0; i < request->item_count; i++) {
    items[i].kind = (enum ppi_tour_item_kind)get_small(wire);
    items[i].operand = get_small(wire);
    items[i].packed = ppi_wire_get_i64(wire) != 0;
    for (int d = 0; d < 2; d++)
      items[i].extent[d] = ppi_wire_get_i64(wire);
    items[i].bytes = ppi_wire_get_i64(wire);
  }
}

static void get_tensors(struct ppi_wire *wire, struct ppi_tour_batch *batch) {
  batch->type = (enum ppi_type)get_small(wire);
  batch->memory_bytes = ppi_wire_get_i64(wire);
  for (int o = 0; o < PPI_TOUR_OPERANDS; o++)
    batch->elements[o] = ppi_wire_get_i64(wire);
  batch->index_count = (int)get_count(wire, PPI_TOUR_INDICES_MAX);
  for (int i = 0; i < batch->index_count; i++) {
    batch->indices[i].length = ppi_wire_get_i64(wire);
    for (int o = 0; o < PPI_TOUR_OPERANDS; o++)
      batch->indices[i].stride[o] = ppi_wire_get_i64(wire);
  }
}

static enum perfpred_status get_tours(struct ppi_wire *wire, const struct ppi_kernels *kernels,
                                      struct ppi_tour_parcel *parcel, struct perfpred_error *error) {
  const size_t count = get_count(wire, wire->length / TOUR_BYTES);
  parcel->tours = calloc(count + 1, sizeof *parcel->tours);
  parcel->values = calloc(count + 1, sizeof *parcel->values);
  if (parcel->tours == NULL || parcel->values == NULL)
    return ppi_error_memory(error);
  enum perfpred_status status = PERFPRED_OK;
  for (size_t i = 0; i < count && status == PERFPRED_OK && !wire->bad; i++)
    status = get_tour(wire, kernels, &parcel->tours[i], parcel->values[i], error);
  parcel->batch.tours = parcel->tours;
  parcel->batch.tour_count = count;
  return status;
}

static enum perfpred_status get_demands(struct ppi_wire *wire, struct ppi_tour_parcel *parcel,
                                        struct perfpred_error *error) {
  const size_t count = parcel->batch.request_count;
  if (count > wire->length / REQUEST_BYTES) {
    wire->bad = true;
    return PERFPRED_OK;
  }
  parcel->requests = calloc(count + 1, sizeof *parcel->requests);
  parcel->items = calloc(count + 1, sizeof *parcel->items);
  if (parcel->requests == NULL || parcel->items == NULL)
    return ppi_error_memory(error);
  for (size_t i = 0; i < count && !wire->bad; i++)
    get_demand(wire, &parcel->requests[i], parcel->items[i]);
  parcel->batch.requests = parcel->requests;
  return PERFPRED_OK;
}

enum perfpred_status ppi_get_tour_batch(struct ppi_wire *wire, const struct ppi_kernels *kernels, size_t count,
                                        struct ppi_tour_parcel *parcel, struct perfpred_error *error) {
  *parcel = (struct ppi_tour_parcel){ .batch.request_count = count };
  get_tensors(wire, &parcel->batch);
  enum perfpred_status status = get_tours(wire, kernels, parcel, error);
  if (status == PERFPRED_OK && !wire->bad)
    status = get_demands(wire, parcel, error);
  if (status == PERFPRED_OK && wire->bad)
    status = ppi_error_set(error, PERFPRED_WORKER, "the worker cannot read a batch of tours");
  return status == PERFPRED_OK ? ppi_tour_check(&parcel->batch, error) : status;
}

void ppi_tour_parcel_free(struct ppi_tour_parcel *parcel) {
  free(parcel->items);
  free(parcel->requests);
  free(parcel->values);
  free(parcel->tours);
}

/* --- Results --------------------------------------------------------------------------------------------------------- */

void ppi_put_tour_results(struct ppi_wire *wire, const struct ppi_tour_result *results, size_t count) {
  for (size_t i = 0; i < count; i++) {
    ppi_put_results(wire, &results[i].timing, 1);
    ppi_wire_put_i64(wire, results[i].timed);
  }
}

enum perfpred_status ppi_get_tour_results(struct ppi_wire *wire, struct ppi_tour_result *results, size_t count,
                                          struct perfpred_error *error) {
  for (size_t i = 0; i < count; i++) {
    enum perfpred_status status = ppi_get_results(wire, &results[i].timing, 1, error);
    if (status != PERFPRED_OK) {
      ppi_tour_results_free(results, i);
      return status;
    }
    results[i].timed = ppi_wire_get_i64(wire);
  }
  if (!wire->bad)
    return PERFPRED_OK;
  ppi_tour_results_free(results, count);
  return ppi_error_set(error, PERFPRED_WORKER, "the worker sent times of tours that cannot be read");
}
