/* SPDX-License-Identifier: BSD-3-Clause */
#include "contract/body.h"

#include <assert.h>
#include <inttypes.h>

static void place_loops(const struct ppi_contraction *contraction, const struct ppi_contract_algorithm *algorithm,
                        struct ppi_body *body) {
  body->loop_count = 0;
  for (int l = 0; l < algorithm->loop_count; l++)
    if (contraction->index[algorithm->loops[l]].extent != 1) {
      body->loops[body->loop_count] = algorithm->loops[l];
      body->level[body->loop_count++] = l;
    }
}

/* Of so many loops of the algorithm, those that the body has. */
static int depth_of(const struct ppi_body *body, int loops) {
  int depth = 0;
  while (depth < body->loop_count && body->level[depth] < loops)
    depth++;
  return depth;
}

/* The slice that the kernel or a copy goes through. */
static struct ppi_area slice_area(const struct ppi_body *body, const struct ppi_contract_slice *slice, int memory) {
  struct ppi_area area = { memory, 0 };
  for (int d = 0; d < slice->dimensions; d++)
    area.open |= UINT32_C(1) << slice->along[d] & body->terrain.indices[memory];
  return area;
}

static struct ppi_body_call *add_call(struct ppi_body *body, enum ppi_body_kind kind, int operand, int depth) {
  assert(body->call_count < PPI_BODY_CALLS_MAX);
  struct ppi_body_call *call = &body->calls[body->call_count++];
  *call = (struct ppi_body_call){ .kind = kind, .operand = operand, .depth = depth };
  return call;
}

static void add_copy(struct ppi_body *body, enum ppi_body_kind kind, const struct ppi_contract_call *call,
                     const struct ppi_contract_copy *copy) {
  struct ppi_body_call *added = add_call(body, kind, copy->operand, depth_of(body, copy->loops));
  const struct ppi_contract_slice *slice = &call->slices[copy->operand];
  added->areas[added->area_count++] = slice_area(body, slice, copy->operand);
  added->areas[added->area_count++] = slice_area(body, slice, PPI_OPERANDS + copy->operand);
}

static void add_copies_in(struct ppi_body *body, const struct ppi_contract_call *call) {
  for (int depth = 0; depth <= body->loop_count; depth++)
    for (int c = 0; c < call->copy_count; c++)
      if (depth_of(body, call->copies[c].loops) == depth)
        add_copy(body, PPI_BODY_COPY_IN, call, &call->copies[c]);
}

/* C alone is copied back, so these need no order. */
static void add_copies_out(struct ppi_body *body, const struct ppi_contract_call *call) {
  for (int c = 0; c < call->copy_count; c++)
    if (call->copies[c].out)
      add_copy(body, PPI_BODY_COPY_OUT, call, &call->copies[c]);
}

static void add_kernel(struct ppi_body *body, const struct ppi_contract_call *call) {
  struct ppi_body_call *added = add_call(body, PPI_BODY_KERNEL, -1, body->loop_count);
  for (int o = 0; o < PPI_OPERANDS; o++)
    added->areas[added->area_count++] =
        slice_area(body, &call->slices[o], call->slices[o].copied ? PPI_OPERANDS + o : o);
}

enum perfpred_status ppi_body_begin(const struct ppi_contraction *contraction,
                                    const struct ppi_contract_algorithm *algorithm, int64_t line_bytes,
                                    bool whole_lines, struct ppi_body *body, struct perfpred_error *error) {
  struct ppi_contract_call call;
  ppi_contract_resolve(contraction, algorithm, &call);
  body->call_count = 0;
  const enum perfpred_status status =
      ppi_terrain_begin(contraction, &call, line_bytes, whole_lines, &body->terrain, error);
  if (status)
    return status;
  place_loops(contraction, algorithm, body);
  for (int o = 0; o < PPI_OPERANDS; o++)
    for (int d = 0; d < 2; d++)
      body->along[o][d] = call.slices[o].along[d];
  if (call.zero) {
    struct ppi_body_call *zero = add_call(body, PPI_BODY_ZERO, PPI_OPERANDS - 1, 0);
    zero->areas[zero->area_count++] = (struct ppi_area){ PPI_OPERANDS - 1, body->terrain.indices[PPI_OPERANDS - 1] };
  }
  add_copies_in(body, &call);
  add_kernel(body, &call);
  add_copies_out(body, &call);
  return PERFPRED_OK;
}

struct ppi_area ppi_body_area(const struct ppi_body *body, int call, int area, int from) {
  struct ppi_area all = body->calls[call].areas[area];
  for (int l = from; l < body->calls[call].depth; l++)
    if (ppi_terrain_moves(&body->terrain, all.memory, body->loops[l]))
      all.open |= UINT32_C(1) << body->loops[l];
  return all;
}

enum perfpred_status ppi_body_count(const struct ppi_body *body, int depth, int64_t *count,
                                    struct perfpred_error *error) {
  const struct ppi_index *index = body->terrain.contraction->index;
  int64_t product = 1;
  for (int l = 0; l < depth; l++)
    if (index[body->loops[l]].extent == 0)
      product = 0;
  for (int l = 0; l < depth && product > 0; l++)
    if (__builtin_mul_overflow(product, index[body->loops[l]].extent, &product))
      return ppi_error_set(error, PERFPRED_OVERFLOW, "the loops have too many iterations, expected less than 2^63");
  *count = product;
  return PERFPRED_OK;
}
