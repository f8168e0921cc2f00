/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes of a plan: of its calls, and whether its matrices have room for their rows. */
#include "predict/plan.h"
#include "program/walk.h"

enum perfpred_status ppi_plan_size_eval(const struct ppi_plan_size *size, const int64_t *slots, int64_t *result,
                                        struct perfpred_error *error) {
  int64_t sum = size->constant;
  bool exact = size->terms >= 0;
  for (int i = 0; exact && i < size->terms; i++) {
    int64_t product;
    exact = !__builtin_mul_overflow(size->coefficients[i], slots[size->slots[i]], &product) &&
            !__builtin_add_overflow(sum, product, &sum);
  }
  if (!exact) /* the expression itself may stay in range, and if not it says so */
    return ppi_expr_eval(size->expr, slots, result, error);
  *result = size->condition ? sum >= 0 : sum;
  return PERFPRED_OK;
}

enum perfpred_status ppi_plan_check_ld(const struct perfpred_plan *plan, const int64_t *parameters, size_t count,
                                       struct perfpred_error *error) {
  const struct perfpred_program *program = plan->program;
  enum perfpred_status status = plan->ld > 0 ? ppi_program_check(program, parameters, count, error) : PERFPRED_OK;
  for (int i = 0; plan->ld > 0 && i < program->buffer_count && !status; i++) {
    const struct ppi_buffer *buffer = &program->buffers[i];
    int64_t rows = 0, columns = 0;
    if (buffer->work || buffer->shape == PPI_SHAPE_VECTOR)
      continue;
    status = ppi_buffer_extent(program, i, parameters, &rows, &columns, error);
    if (!status && rows > plan->ld)
      status = ppi_error_set(error, PERFPRED_INVALID, "leading dimension %lld: expected at least the %lld rows of %s",
                             (long long)plan->ld, (long long)rows, buffer->name);
  }
  return status;
}
