/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/contraction_tour.h"

#include <string.h>

void ppi_contraction_tour_batch(const struct ppi_contraction *contraction, struct ppi_tour_batch *batch) {
  batch->type = contraction->type;
  batch->index_count = contraction->index_count;
  for (int i = 0; i < contraction->index_count; i++)
    batch->indices[i].length = contraction->index[i].extent;
  for (int o = 0; o < PPI_TOUR_OPERANDS; o++) {
    batch->elements[o] = contraction->tensor[o].elements;
    for (int i = 0; i < contraction->index_count; i++)
      batch->indices[i].stride[o] = contraction->index[i].stride[o];
  }
}

static void place_operand(const struct ppi_contract_call *call, int number, struct ppi_tour_operand *operand) {
  const struct ppi_contract_slice *slice = &call->slices[number];
  *operand = (struct ppi_tour_operand){ .place = -1, .copy.loops = -1 };
  for (int i = 0; i < call->argument_count; i++)
    if (call->arguments[i].kind == PPI_CONTRACT_DATA && call->arguments[i].operand == number)
      operand->place = i;
  memcpy(operand->step, call->step[number], (size_t)call->loop_count * sizeof *operand->step);
  for (int d = 0; d < 2; d++) {
    operand->extent[d] = slice->extent[d];
    operand->stride[d] = slice->stride[d];
  }
}

static void place_copy(const struct ppi_contract_copy *copy, struct ppi_tour_operand *operand) {
  operand->copy = (struct ppi_tour_copy){ .loops = copy->loops,
                                          .in = copy->in,
                                          .out = copy->out,
                                          .length = copy->length,
                                          .inc = copy->inc,
                                          .count = copy->count,
                                          .step = copy->step };
  if (copy->rank == 0)
    return;
  operand->copy.length = copy->elements;
  operand->copy.count = 1;
  operand->copy.inc = 0;
  operand->copy.rank = copy->rank;
  ppi_contract_transposed(copy, operand->copy.dimensions);
}

static bool copies_slices(const struct ppi_contract_call *call) {
  bool found = false;
  for (int i = 0; i < call->copy_count; i++)
    found = found || call->copies[i].rank == 0;
  return found;
}

static void put_value(const struct ppi_contract_argument *argument, struct ppi_value *value) {
  *value = (struct ppi_value){ .buffer = -1 };
  if (argument->kind == PPI_CONTRACT_FLAG)
    value->i = (unsigned char)argument->flag;
  else if (argument->kind == PPI_CONTRACT_SCALAR)
    value->re = (double)argument->value;
  else if (argument->kind != PPI_CONTRACT_DATA)
    value->i = argument->value;
}

enum perfpred_status ppi_contraction_tour(const struct ppi_kernels *kernels, const struct ppi_contract_call *call,
                                          struct ppi_value *values, struct ppi_tour *tour,
                                          struct perfpred_error *error) {
  struct ppi_tour made = {
    .values = values, .added = call->accumulates, .zeroed = call->zero, .loop_count = call->loop_count
  };
  enum perfpred_status status = ppi_kernels_require(kernels, call->routine, &made.kernel, error);
  if (status == PERFPRED_OK && copies_slices(call))
    status = ppi_kernels_require(kernels, call->copy_routine, &made.copier, error);
  if (status != PERFPRED_OK)
    return status;
  for (int i = 0; i < call->argument_count; i++)
    put_value(&call->arguments[i], &values[i]);
  memcpy(made.length, call->trips, (size_t)call->loop_count * sizeof *made.length);
  for (int o = 0; o < PPI_TOUR_OPERANDS; o++)
    place_operand(call, o, &made.operands[o]);
  for (int i = 0; i < call->copy_count; i++)
    place_copy(&call->copies[i], &made.operands[call->copies[i].operand]);
  *tour = made;
  return PERFPRED_OK;
}
