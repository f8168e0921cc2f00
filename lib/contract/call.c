/* SPDX-License-Identifier: BSD-3-Clause */
#include "contract/call.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "contract/name.h"
#include "contract/whole.h"

enum { A, B, C };

struct resolver {
  const struct ppi_contraction *contraction;
  const struct ppi_contract_algorithm *algorithm;
  struct ppi_contract_call *call;
};

static void put(const struct resolver *resolver, enum ppi_contract_argument_kind kind, int operand, int64_t value) {
  struct ppi_contract_call *call = resolver->call;
  assert(call->argument_count < PPI_CONTRACT_ARGUMENTS);
  call->arguments[call->argument_count++] = (struct ppi_contract_argument){ kind, '\0', operand, value, -1 };
}

/* The extent of an index. */
static void put_size(const struct resolver *resolver, int index) {
  put(resolver, PPI_CONTRACT_SIZE, -1, resolver->contraction->index[index].extent);
  resolver->call->arguments[resolver->call->argument_count - 1].index = index;
}

static void put_flag(const struct resolver *resolver, char flag) {
  put(resolver, PPI_CONTRACT_FLAG, -1, 0);
  resolver->call->arguments[resolver->call->argument_count - 1].flag = flag;
}

static int64_t at_least(int64_t value, int64_t least) {
  return value > least ? value : least;
}

/* A matrix and its leading dimension. Where it has one column, its stride may be anything. */
static void put_matrix(const struct resolver *resolver, int operand) {
  const struct ppi_contract_slice *slice = &resolver->call->slices[operand];
  const int64_t rows = at_least(slice->extent[0], 1);
  put(resolver, PPI_CONTRACT_DATA, operand, 0);
  put(resolver, PPI_CONTRACT_LD, operand, slice->copied ? rows : at_least(slice->stride[1], rows));
}

static void put_vector(const struct resolver *resolver, int operand) {
  put(resolver, PPI_CONTRACT_DATA, operand, 0);
  put(resolver, PPI_CONTRACT_INC, operand, resolver->call->slices[operand].stride[0]);
}

static void put_beta(const struct resolver *resolver) {
  put(resolver, PPI_CONTRACT_SCALAR, -1, resolver->call->accumulates);
}

static void put_alpha(const struct resolver *resolver) {
  put(resolver, PPI_CONTRACT_SCALAR, -1, 1);
}

static void fill_dot(const struct resolver *resolver) {
  put_size(resolver, resolver->algorithm->contracted);
  put_vector(resolver, A);
  put_vector(resolver, B);
}

static void fill_axpy(const struct resolver *resolver) {
  const int vector = resolver->algorithm->free_a >= 0 ? A : B;
  put_size(resolver, resolver->call->slices[vector].along[0]);
  put(resolver, PPI_CONTRACT_DATA, 1 - vector, 0);
  put_vector(resolver, vector);
  put_vector(resolver, C);
}

static void fill_gemv(const struct resolver *resolver) {
  const int matrix = resolver->algorithm->free_a >= 0 ? A : B;
  const struct ppi_contract_slice *slice = &resolver->call->slices[matrix];
  put_flag(resolver, slice->along[0] == resolver->algorithm->contracted ? 'T' : 'N');
  put_size(resolver, slice->along[0]);
  put_size(resolver, slice->along[1]);
  put_alpha(resolver);
  put_matrix(resolver, matrix);
  put_vector(resolver, 1 - matrix);
  put_beta(resolver);
  put_vector(resolver, C);
}

/* The operand whose free index runs down the columns of C. */
static int left_operand(const struct resolver *resolver) {
  return resolver->call->slices[C].along[0] == resolver->algorithm->free_a ? A : B;
}

static void fill_ger(const struct resolver *resolver) {
  const int left = left_operand(resolver);
  put_size(resolver, resolver->call->slices[C].along[0]);
  put_size(resolver, resolver->call->slices[C].along[1]);
  put_alpha(resolver);
  put_vector(resolver, left);
  put_vector(resolver, 1 - left);
  put_matrix(resolver, C);
}

static void fill_gemm(const struct resolver *resolver) {
  const int left = left_operand(resolver), contracted = resolver->algorithm->contracted;
  const struct ppi_contract_slice *slices = resolver->call->slices;
  put_flag(resolver, slices[left].along[0] == contracted ? 'T' : 'N');
  put_flag(resolver, slices[1 - left].along[0] == contracted ? 'N' : 'T');
  put_size(resolver, slices[C].along[0]);
  put_size(resolver, slices[C].along[1]);
  put_size(resolver, contracted);
  put_alpha(resolver);
  put_matrix(resolver, left);
  put_matrix(resolver, 1 - left);
  put_beta(resolver);
  put_matrix(resolver, C);
}

/* Whether C is added to: by each of several calls, or by a kernel that cannot do otherwise. A contracted index of extent 0 leaves C to the
   zeros: gemv, unlike gemm, does nothing then. */
static bool accumulates(const struct resolver *resolver) {
  const struct ppi_contract_algorithm *algorithm = resolver->algorithm;
  const struct ppi_index *indices = resolver->contraction->index;
  if (algorithm->kernel == PPI_CONTRACT_AXPY || algorithm->kernel == PPI_CONTRACT_GER)
    return true;
  if (algorithm->contracted >= 0 && indices[algorithm->contracted].extent == 0)
    return true;
  for (int l = 0; l < algorithm->loop_count; l++)
    if (indices[algorithm->loops[l]].kind == PPI_INDEX_CONTRACTED)
      return true;
  return false;
}

static void fill_loops(const struct resolver *resolver) {
  struct ppi_contract_call *call = resolver->call;
  call->loop_count = resolver->algorithm->loop_count;
  call->calls = 1.0;
  for (int l = 0; l < call->loop_count; l++) {
    const struct ppi_index *index = &resolver->contraction->index[resolver->algorithm->loops[l]];
    call->trips[l] = index->extent;
    call->calls *= (double)index->extent;
    for (int o = 0; o < PPI_OPERANDS; o++)
      call->step[o][l] = index->stride[o];
  }
}

static void fill_copies(const struct resolver *resolver) {
  struct ppi_contract_call *call = resolver->call;
  for (int o = 0; o < PPI_OPERANDS; o++) {
    const struct ppi_contract_slice *slice = &call->slices[o];
    if (!slice->copied)
      continue;
    call->copies[call->copy_count++] = (struct ppi_contract_copy){ .operand = o,
                                                                   .loops = resolver->algorithm->copied[o],
                                                                   .in = true,
                                                                   .out = o == C,
                                                                   .length = slice->extent[0],
                                                                   .inc = slice->stride[0],
                                                                   .count = slice->extent[1],
                                                                   .step = slice->stride[1],
                                                                   .elements = slice->extent[0] * slice->extent[1] };
    call->work_bytes += (double)slice->extent[0] * (double)slice->extent[1] *
                        (double)ppi_type_bytes(resolver->contraction->type, false);
  }
}

static void resolve_nest(const struct ppi_contraction *contraction, const struct ppi_contract_algorithm *algorithm,
                         struct ppi_contract_call *call) {
  static void (*const fill[PPI_CONTRACT_KERNELS])(const struct resolver *) = {
    [PPI_CONTRACT_DOT] = fill_dot, [PPI_CONTRACT_AXPY] = fill_axpy, [PPI_CONTRACT_GEMV] = fill_gemv,
    [PPI_CONTRACT_GER] = fill_ger, [PPI_CONTRACT_GEMM] = fill_gemm,
  };
  const struct resolver resolver = { contraction, algorithm, call };
  memset(call, 0, sizeof *call);
  snprintf(call->routine, sizeof call->routine, "%s", ppi_contract_routine(algorithm->kernel, contraction->type));
  snprintf(call->copy_routine, sizeof call->copy_routine, "%ccopy", ppi_type_letter(contraction->type));
  for (int o = 0; o < PPI_OPERANDS; o++)
    ppi_contract_slice(contraction, algorithm, o, &call->slices[o]);
  call->returns = algorithm->kernel == PPI_CONTRACT_DOT;
  call->accumulates = accumulates(&resolver);
  call->zero = call->accumulates;
  fill_loops(&resolver);
  fill_copies(&resolver);
  fill[algorithm->kernel](&resolver);
}

/* C is read first only where the kernel cannot but add to it. */
static void fill_transpositions(const struct ppi_contraction *contraction,
                                const struct ppi_contract_algorithm *algorithm, struct ppi_contract_call *call) {
  for (int o = 0; o < PPI_OPERANDS; o++) {
    struct ppi_contract_copy *copy = &call->copies[call->copy_count];
    if (algorithm->copied[o] < 0)
      continue;
    *copy = (struct ppi_contract_copy){ .operand = o, .in = o != C || call->accumulates, .out = o == C, .elements = 1 };
    copy->rank = ppi_contract_dimensions(contraction, algorithm, o, copy->dimensions);
    for (int d = 0; d < copy->rank; d++)
      copy->elements *= copy->dimensions[d].extent;
    copy->length = copy->dimensions[0].extent;
    copy->inc = copy->dimensions[0].tensor;
    copy->count = copy->length > 0 ? copy->elements / copy->length : 0;
    call->work_bytes += (double)copy->elements * (double)ppi_type_bytes(contraction->type, false);
    call->copy_count++;
  }
}

void ppi_contract_resolve(const struct ppi_contraction *contraction, const struct ppi_contract_algorithm *algorithm,
                          struct ppi_contract_call *call) {
  struct ppi_contraction derived;
  struct ppi_contract_algorithm nest;
  if (algorithm->way == 0) {
    resolve_nest(contraction, algorithm, call);
    return;
  }
  ppi_contract_derive(contraction, algorithm, &derived, &nest);
  resolve_nest(&derived, &nest, call);
  fill_transpositions(contraction, algorithm, call);
}

double ppi_contract_copies_made(const struct ppi_contract_call *call, const struct ppi_contract_copy *copy) {
  double made = (double)copy->in + (double)copy->out;
  for (int l = 0; l < copy->loops; l++)
    made *= (double)call->trips[l];
  return made;
}

void ppi_contract_transposed(const struct ppi_contract_copy *copy, struct ppi_transposed dimensions[PPI_RANK_MAX]) {
  for (int d = 0; d < copy->rank; d++)
    dimensions[d] =
        (struct ppi_transposed){ copy->dimensions[d].extent, copy->dimensions[d].tensor, copy->dimensions[d].packed };
}
