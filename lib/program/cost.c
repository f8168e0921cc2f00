/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of parameters, cost and bytes of a program. */
#include <inttypes.h>
#include <math.h>

#include "program/walk.h"

enum perfpred_status ppi_program_check(const struct perfpred_program *program, const int64_t *parameters, size_t count,
                                       struct perfpred_error *error) {
  if (count != (size_t)program->parameter_count)
    return ppi_error_set(error, PERFPRED_INVALID, "%s takes %d parameters, got %zu", program->name,
                         program->parameter_count, count);
  if (!parameters && count > 0)
    return ppi_error_set(error, PERFPRED_INVALID, "parameters is NULL");
  for (size_t i = 0; i < count; i++) {
    const int least = program->positive[i] ? 1 : 0;
    if (parameters[i] < least)
      return ppi_error_set(error, PERFPRED_INVALID, "%s must be >= %d, got %" PRId64, program->slots[i], least,
                           parameters[i]);
  }
  return PERFPRED_OK;
}

enum ppi_type ppi_program_type(const struct perfpred_program *program) {
  for (int i = 0; i < program->buffer_count; i++)
    if (program->buffers[i].type != PPI_TYPE_INT)
      return program->buffers[i].type;
  return PPI_TYPE_D;
}

int64_t ppi_buffer_element_bytes(const struct ppi_buffer *buffer) {
  return buffer->element_bytes > 0 ? buffer->element_bytes : (int64_t)ppi_type_bytes(buffer->type, false);
}

static enum perfpred_status add_flops(void *data, const struct ppi_node *node, const struct ppi_value *values,
                                      struct perfpred_error *error) {
  (void)error;
  *(double *)data += ppi_kernel_flops(node->kernel, values);
  return PERFPRED_OK;
}

double ppi_program_cost(const struct perfpred_program *program, const int64_t *parameters,
                        struct perfpred_error *error) {
  const bool complex = ppi_type_is_complex(ppi_program_type(program));
  if (ppi_program_check(program, parameters, (size_t)program->parameter_count, error))
    return NAN;
  double flops = 0;
  if (!program->cost_multiplications) {
    const struct ppi_walker sum = { .call = add_flops, .without_views = true };
    if (!program->nest && ppi_program_walk(program, parameters, (size_t)program->parameter_count, &sum, &flops, error))
      return NAN;
    return flops;
  }
  flops = ppi_expr_real(program->cost_multiplications, parameters);
  if (program->cost_additions) {
    const double additions = ppi_expr_real(program->cost_additions, parameters);
    flops = complex ? 6 * flops + 2 * additions : flops + additions;
  }
  if (!isfinite(flops)) {
    ppi_error_set(error, PERFPRED_INVALID, "%s: its cost is no number for these parameters", program->name);
    return NAN;
  }
  return flops;
}

enum perfpred_status perfpred_program_cost(const struct perfpred_program *program, const int64_t *parameters,
                                           size_t count, double *flops, struct perfpred_error *error) {
  ppi_error_clear(error);
  if (!program || !flops)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", program ? "flops" : "program");
  struct perfpred_error inner;
  ppi_error_clear(&inner);
  enum perfpred_status status = ppi_program_check(program, parameters, count, error);
  if (status)
    return status;
  const double value = ppi_program_cost(program, parameters, &inner);
  if (isnan(value))
    return ppi_error_set(error, inner.status, "%s", inner.text);
  *flops = value;
  return PERFPRED_OK;
}

enum perfpred_status ppi_program_bytes(const struct perfpred_program *program, const int64_t *parameters,
                                       double *data_bytes, double *movement_bytes, struct perfpred_error *error) {
  double data = 0, movement = 0;
  enum perfpred_status status = ppi_program_check(program, parameters, (size_t)program->parameter_count, error);
  for (int i = 0; i < program->buffer_count && !status; i++) {
    const struct ppi_buffer *buffer = &program->buffers[i];
    int64_t rows = 0, columns = 0;
    if (buffer->work)
      continue;
    status = ppi_buffer_extent(program, i, parameters, &rows, &columns, error);
    double elements = (double)rows * (double)columns;
    if (buffer->shape == PPI_SHAPE_TRIANGLE)
      elements = (double)rows * ((double)rows + 1) / 2;
    const double bytes = elements * (double)ppi_type_bytes(buffer->type, false);
    data += bytes;
    movement += (buffer->direction & PPI_IN ? bytes : 0) + (buffer->direction & PPI_OUT ? bytes : 0);
  }
  if (status)
    return status;
  *data_bytes = data;
  *movement_bytes = movement;
  return PERFPRED_OK;
}
