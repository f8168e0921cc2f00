/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel sees of each tensor, and where it has to be copied. */
#include <assert.h>

#include "contract/enumerate.h"

/* Places of the indices of an operand that the kernel goes through; their number is returned. */
static int claimed(const struct ppi_contract_algorithm *algorithm, int operand, int places[2]) {
  const int first = operand < 2 ? algorithm->contracted : algorithm->free_a;
  const int second = operand == 0 ? algorithm->free_a : algorithm->free_b;
  int count = 0;
  if (first >= 0)
    places[count++] = first;
  if (second >= 0)
    places[count++] = second;
  return count;
}

/* Whether BLAS can take a matrix whose columns run along one dimension and whose leading dimension is the stride of the other. */
static bool fits(int64_t rows, int64_t row_stride, int64_t columns, int64_t column_stride) {
  return (row_stride == 1 || rows <= 1) && (columns <= 1 || column_stride >= rows);
}

void ppi_contract_slice(const struct ppi_contraction *contraction, const struct ppi_contract_algorithm *algorithm,
                        int operand, struct ppi_contract_slice *slice) {
  assert(operand >= 0 && operand < PPI_OPERANDS);
  int places[2] = { -1, -1 };
  *slice = (struct ppi_contract_slice){ .along = { -1, -1 }, .extent = { 1, 1 } };
  slice->dimensions = claimed(algorithm, operand, places);
  for (int i = 0; i < slice->dimensions; i++) {
    slice->along[i] = places[i];
    slice->extent[i] = contraction->index[places[i]].extent;
    slice->stride[i] = contraction->index[places[i]].stride[operand];
  }
  if (slice->dimensions < 2)
    return;
  const bool as_is = fits(slice->extent[0], slice->stride[0], slice->extent[1], slice->stride[1]);
  const bool turned = fits(slice->extent[1], slice->stride[1], slice->extent[0], slice->stride[0]);
  slice->copied = !as_is && !turned;
  if (as_is != turned ? turned : slice->stride[1] < slice->stride[0]) {
    const struct ppi_contract_slice old = *slice;
    for (int i = 0; i < 2; i++) {
      slice->along[i] = old.along[1 - i];
      slice->extent[i] = old.extent[1 - i];
      slice->stride[i] = old.stride[1 - i];
    }
  }
}

void ppi_contract_set_copies(const struct ppi_contraction *contraction, struct ppi_contract_algorithm *algorithm) {
  for (int o = 0; o < PPI_OPERANDS; o++) {
    struct ppi_contract_slice slice;
    algorithm->copied[o] = -1;
    ppi_contract_slice(contraction, algorithm, o, &slice);
    if (!slice.copied)
      continue;
    int loops = algorithm->loop_count; /* the innermost loop that selects the slice */
    while (loops > 0 && contraction->index[algorithm->loops[loops - 1]].stride[o] == 0)
      loops--;
    algorithm->copied[o] = loops;
  }
}
