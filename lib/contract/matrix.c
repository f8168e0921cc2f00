/* SPDX-License-Identifier: BSD-3-Clause */
#include "contract/matrix.h"

#include <assert.h>
#include <inttypes.h>

/* An extent of 0 comes last, so that there are rows in any case: BLAS wants them where it takes no columns. */
static bool comes_before(const struct ppi_index *one, const struct ppi_index *other, int operand) {
  if ((one->extent == 0) != (other->extent == 0))
    return other->extent == 0;
  if (one->stride[operand] != other->stride[operand])
    return one->stride[operand] < other->stride[operand];
  return one->extent < other->extent;
}

static void sort(const struct ppi_contraction *contraction, int operand, struct ppi_contract_matrix *matrix) {
  const struct ppi_tensor *tensor = &contraction->tensor[operand];
  matrix->rank = tensor->rank;
  for (int d = 0; d < tensor->rank; d++) {
    const struct ppi_index *index = &contraction->index[tensor->dimension[d]];
    int at = d;
    for (; at > 0 && comes_before(index, &contraction->index[matrix->order[at - 1]], operand); at--)
      matrix->order[at] = matrix->order[at - 1];
    matrix->order[at] = tensor->dimension[d];
  }
}

/* Whether each stride goes beyond what the smaller ones reach, so that rows do not run into the next column. */
static enum perfpred_status check_order(const struct ppi_contraction *contraction, int operand,
                                        const struct ppi_contract_matrix *matrix, struct perfpred_error *error) {
  int64_t reach = 0;
  for (int d = 0; d < matrix->rank; d++) {
    const struct ppi_index *index = &contraction->index[matrix->order[d]];
    if (index->extent <= 1)
      continue;
    if (index->stride[operand] <= reach)
      return ppi_error_set(error, PERFPRED_UNSUPPORTED,
                           "the stride of %c in %c is %" PRId64 ", expected at least %" PRId64
                           " for a program: smaller strides reach that far, %c is no matrix",
                           index->name, PPI_TENSOR_NAME(operand), index->stride[operand], reach + 1,
                           PPI_TENSOR_NAME(operand));
    reach += (index->extent - 1) * index->stride[operand];
  }
  return PERFPRED_OK;
}

static int place_of(const struct ppi_contract_matrix *matrix, int index) {
  int d = 0;
  while (d < matrix->rank && matrix->order[d] != index)
    d++;
  return d;
}

/* The first dimension behind a place that really goes anywhere. */
static int next_place(const struct ppi_contraction *contraction, const struct ppi_contract_matrix *matrix, int place) {
  assert(matrix->rank <= PPI_RANK_MAX);
  do
    place++;
  while (place < matrix->rank && contraction->index[matrix->order[place]].extent == 1);
  return place < matrix->rank ? place : matrix->rank;
}

enum perfpred_status ppi_contract_matrix(const struct ppi_contraction *contraction,
                                         const struct ppi_contract_call *call, int operand,
                                         struct ppi_contract_matrix *matrix, struct perfpred_error *error) {
  const struct ppi_contract_slice *slice = &call->slices[operand];
  struct ppi_contract_matrix made = { 0 };
  sort(contraction, operand, &made);
  enum perfpred_status status = check_order(contraction, operand, &made, error);
  if (status)
    return status;
  const bool vector = slice->dimensions == 1 || slice->copied;
  made.by_row = vector && slice->stride[0] > 1 && slice->extent[0] > 1;
  if (made.by_row)
    made.split = place_of(&made, slice->along[0]);
  else if (slice->dimensions == 2 && !slice->copied && slice->extent[1] > 1)
    made.split = place_of(&made, slice->along[1]);
  else
    made.split = next_place(contraction, &made, slice->dimensions > 0 ? place_of(&made, slice->along[0]) : 0);
  while (made.split > 0 && contraction->index[made.order[made.split - 1]].extent == 0)
    made.split--;
  *matrix = made;
  return PERFPRED_OK;
}
