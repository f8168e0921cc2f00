/* SPDX-License-Identifier: BSD-3-Clause */
#include "contract/fuse.h"

#include <string.h>

static int position(const struct ppi_tensor *tensor, int place) {
  for (int d = 0; d < tensor->rank; d++)
    if (tensor->dimension[d] == place)
      return d;
  return -1;
}

/* Whether `second` follows right upon `first` in all tensors that have either of them, in dimensions and in memory. */
static bool follows(const struct ppi_contraction *contraction, int first, int second) {
  const struct ppi_index *before = &contraction->index[first], *behind = &contraction->index[second];
  if (before->kind != behind->kind)
    return false;
  const int64_t extent = before->extent > 0 ? before->extent : 1;
  for (int o = 0; o < PPI_OPERANDS; o++) {
    const int at = position(&contraction->tensor[o], first);
    if (at < 0)
      continue; /* of the same kind: it has the second as little */
    int64_t stride = 0;
    if (position(&contraction->tensor[o], second) != at + 1 ||
        __builtin_mul_overflow(before->stride[o], extent, &stride) || behind->stride[o] != stride)
      return false;
  }
  return true;
}

static void remove_dimension(struct ppi_tensor *tensor, int place) {
  const int at = position(tensor, place);
  if (at >= 0) {
    tensor->rank--;
    memmove(tensor->dimension + at, tensor->dimension + at + 1,
            (size_t)(tensor->rank - at) * sizeof *tensor->dimension);
  }
  for (int d = 0; d < tensor->rank; d++)
    tensor->dimension[d] -= tensor->dimension[d] > place;
}

static void join(struct ppi_contraction *contraction, int first, int second) {
  struct ppi_index *before = &contraction->index[first];
  const struct ppi_index behind = contraction->index[second];
  const size_t known = strlen(before->joined), more = strlen(behind.joined);
  before->extent *= behind.extent; /* below the elements of a tensor that has both, or 0 */
  memcpy(before->joined + known, behind.joined, more + 1);
  for (int o = 0; o < PPI_OPERANDS; o++)
    remove_dimension(&contraction->tensor[o], second);
  contraction->index_count--;
  memmove(contraction->index + second, contraction->index + second + 1,
          (size_t)(contraction->index_count - second) * sizeof *contraction->index);
}

static bool join_one(struct ppi_contraction *contraction) {
  for (int first = 0; first < contraction->index_count; first++)
    for (int second = 0; second < contraction->index_count; second++)
      if (first != second && follows(contraction, first, second)) {
        join(contraction, first, second);
        return true;
      }
  return false;
}

void ppi_contraction_fuse(struct ppi_contraction *contraction) {
  while (join_one(contraction))
    ;
}
