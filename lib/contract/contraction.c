/* SPDX-License-Identifier: BSD-3-Clause */
/* Kinds of indices, extents and strides. */
#include <inttypes.h>
#include <string.h>

#include "contract/einsum.h"
#include "contract/term.h"

static int find(const struct ppi_contraction *contraction, char letter) {
  for (int i = 0; i < contraction->index_count; i++)
    if (contraction->index[i].name == letter)
      return i;
  return -1;
}

/* Indices get their places, tensors their dimensions. */
static enum perfpred_status place_indices(struct ppi_contraction *contraction, const struct ppi_contract_term *terms,
                                          struct perfpred_error *error) {
  for (int o = 0; o < PPI_OPERANDS; o++)
    for (int d = 0; d < terms[o].count; d++) {
      const char letter = terms[o].letters[d];
      int place = find(contraction, letter);
      if (place < 0 && contraction->index_count == PPI_INDEX_MAX)
        return ppi_error_set(error, PERFPRED_LIMIT, "index %c is one more than %d, expected at most so many different",
                             letter, PPI_INDEX_MAX);
      if (place < 0) {
        place = contraction->index_count++;
        contraction->index[place].name = letter;
        contraction->index[place].joined[0] = letter;
        contraction->index[place].extent = -1;
      }
      contraction->tensor[o].dimension[contraction->tensor[o].rank++] = place;
    }
  return PERFPRED_OK;
}

static bool holds(const struct ppi_contraction *contraction, int operand, int place) {
  const struct ppi_tensor *tensor = &contraction->tensor[operand];
  for (int d = 0; d < tensor->rank; d++)
    if (tensor->dimension[d] == place)
      return true;
  return false;
}

static enum perfpred_status classify(struct ppi_contraction *contraction, struct perfpred_error *error) {
  for (int i = 0; i < contraction->index_count; i++) {
    struct ppi_index *index = &contraction->index[i];
    const bool a = holds(contraction, 0, i), b = holds(contraction, 1, i), c = holds(contraction, 2, i);
    if (a + b + c == 1)
      return ppi_error_set(error, PERFPRED_INVALID,
                           "index %c stands in %c alone, expected every index in two of the tensors or in all three",
                           index->name,
                           PPI_TENSOR_NAME(a   ? 0
                                           : b ? 1
                                               : 2));
    if (a && b)
      index->kind = c ? PPI_INDEX_BATCH : PPI_INDEX_CONTRACTED;
    else
      index->kind = a ? PPI_INDEX_FREE_A : PPI_INDEX_FREE_B;
  }
  return PERFPRED_OK;
}

static enum perfpred_status set_extent(struct ppi_contraction *contraction, const char *name, int64_t extent,
                                       struct perfpred_error *error) {
  if (!name || !name[0] || name[1])
    return ppi_error_set(error, PERFPRED_INVALID,
                         "an extent is given for %s%.40s%s, expected an index, a single letter", name ? "'" : "",
                         name ? name : "NULL", name ? "'" : "");
  const int place = find(contraction, name[0]);
  if (place < 0)
    return ppi_error_set(error, PERFPRED_INVALID, "an extent is given for %c, which is no index of the contraction",
                         name[0]);
  struct ppi_index *index = &contraction->index[place];
  if (index->extent >= 0)
    return ppi_error_set(error, PERFPRED_INVALID, "the extent of %c is given twice: %" PRId64 " and %" PRId64, name[0],
                         index->extent, extent);
  if (extent < 0)
    return ppi_error_set(error, PERFPRED_INVALID, "the extent of %c is %" PRId64 ", expected >= 0", name[0], extent);
  index->extent = extent;
  return PERFPRED_OK;
}

/* All that are missing are named at once. */
static enum perfpred_status check_extents(const struct ppi_contraction *contraction, struct perfpred_error *error) {
  char names[2 * PPI_INDEX_MAX + 1] = "", first = '\0';
  size_t length = 0, count = 0;
  for (int i = 0; i < contraction->index_count; i++) {
    const char name = contraction->index[i].name;
    if (contraction->index[i].extent >= 0)
      continue;
    if (count++ == 0)
      first = name;
    else
      names[length++] = ',';
    names[length++] = name;
  }
  names[length] = '\0';
  if (count == 0)
    return PERFPRED_OK;
  if (count == 1)
    return ppi_error_set(error, PERFPRED_INVALID, "index %c has no extent, expected one such as %c=100", first, first);
  return ppi_error_set(error, PERFPRED_INVALID, "indices %s have no extents, expected some such as %c=100", names,
                       first);
}

static enum perfpred_status set_extents(struct ppi_contraction *contraction, const struct ppi_contract_given *given,
                                        struct perfpred_error *error) {
  for (size_t i = 0; i < given->count; i++) {
    enum perfpred_status status = set_extent(contraction, given->names[i], given->extents[i], error);
    if (status)
      return status;
  }
  return check_extents(contraction, error);
}

/* Goes on by a dimension: *dense to its stride in a dense tensor of which it is the next, *reach behind the farthest element. An extent of 0
   counts as 1, so that no stride is 0. False: beyond `most` elements. */
static bool add_dimension(int64_t extent, int64_t stride, int64_t most, int64_t *dense, int64_t *reach) {
  const int64_t steps = extent > 1 ? extent - 1 : 0;
  int64_t part = 0;
  return stride <= most && !__builtin_mul_overflow(steps, stride, &part) &&
         !__builtin_add_overflow(*reach, part, reach) && *reach <= most &&
         !__builtin_mul_overflow(*dense, steps + 1, dense);
}

/* Strides, and from them the place of the last element. */
static enum perfpred_status set_strides(struct ppi_contraction *contraction, int operand, const int64_t *strides,
                                        struct perfpred_error *error) {
  struct ppi_tensor *tensor = &contraction->tensor[operand];
  const int64_t most = INT64_MAX / (int64_t)ppi_type_bytes(contraction->type, false);
  int64_t dense = 1, reach = 1;
  bool empty = false;
  tensor->strided = strides;
  for (int d = 0; d < tensor->rank; d++) {
    struct ppi_index *index = &contraction->index[tensor->dimension[d]];
    if (strides && strides[d] < 1)
      return ppi_error_set(error, PERFPRED_INVALID, "the stride of %c in %c is %" PRId64 ", expected >= 1", index->name,
                           PPI_TENSOR_NAME(operand), strides[d]);
    index->stride[operand] = strides ? strides[d] : dense;
    empty = empty || index->extent == 0;
    if (!add_dimension(index->extent, index->stride[operand], most, &dense, &reach))
      return ppi_error_set(error, PERFPRED_OVERFLOW, "%c reaches beyond 2^63 bytes with index %c of extent %" PRId64,
                           PPI_TENSOR_NAME(operand), index->name, index->extent);
  }
  tensor->elements = empty ? 0 : reach;
  return PERFPRED_OK;
}

/* The dimension of C of extent > 1 that has the smallest stride of those not yet seen; -1: none is left. */
static int next_dimension(const struct ppi_contraction *contraction, unsigned seen) {
  const struct ppi_tensor *tensor = &contraction->tensor[2];
  int best = -1;
  for (int d = 0; d < tensor->rank; d++) {
    const struct ppi_index *index = &contraction->index[tensor->dimension[d]];
    if (!(seen >> d & 1) && index->extent > 1 &&
        (best < 0 || index->stride[2] < contraction->index[tensor->dimension[best]].stride[2]))
      best = d;
  }
  return best;
}

/* No two elements of C may share a place: algorithms add to them in any order. Each stride goes beyond what all smaller ones reach, as it
   does in every part of a dense tensor; patterns that interleave without meeting are not needed. */
static enum perfpred_status check_overlap(const struct ppi_contraction *contraction, struct perfpred_error *error) {
  int64_t reach = 0;
  unsigned seen = 0;
  for (int d = next_dimension(contraction, seen); d >= 0; d = next_dimension(contraction, seen)) {
    const struct ppi_index *index = &contraction->index[contraction->tensor[2].dimension[d]];
    if (index->stride[2] <= reach)
      return ppi_error_set(error, PERFPRED_INVALID,
                           "the stride of %c in C is %" PRId64 ", expected at least %" PRId64
                           ": dimensions of smaller strides reach that far, elements would overlap",
                           index->name, index->stride[2], reach + 1);
    reach += (index->extent - 1) * index->stride[2]; /* below the elements, which were checked */
    seen |= 1U << d;
  }
  return PERFPRED_OK;
}

static void count_flops(struct ppi_contraction *contraction) {
  contraction->flops = ppi_type_is_complex(contraction->type) ? 8.0 : 2.0;
  for (int i = 0; i < contraction->index_count; i++)
    contraction->flops *= (double)contraction->index[i].extent;
}

enum perfpred_status ppi_contraction_read(const char *einsum, const struct ppi_contract_given *given,
                                          struct ppi_contraction *contraction, struct perfpred_error *error) {
  struct ppi_contract_term terms[PPI_OPERANDS];
  struct ppi_contraction made;
  memset(&made, 0, sizeof made);
  made.type = given->type;
  enum perfpred_status status = ppi_contract_terms(einsum, terms, error);
  if (!status)
    status = place_indices(&made, terms, error);
  if (!status)
    status = classify(&made, error);
  if (!status)
    status = set_extents(&made, given, error);
  for (int o = 0; o < PPI_OPERANDS && !status; o++)
    status = set_strides(&made, o, given->strides[o], error);
  if (!status)
    status = check_overlap(&made, error);
  if (status)
    return status;
  count_flops(&made);
  *contraction = made;
  return PERFPRED_OK;
}

void ppi_contract_letters(const struct ppi_contraction *contraction, int operand, char letters[PPI_RANK_MAX + 1]) {
  const struct ppi_tensor *tensor = &contraction->tensor[operand];
  for (int d = 0; d < tensor->rank; d++)
    letters[d] = contraction->index[tensor->dimension[d]].name;
  letters[tensor->rank] = '\0';
}
