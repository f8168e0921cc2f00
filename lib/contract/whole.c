/* SPDX-License-Identifier: BSD-3-Clause */
#include "contract/whole.h"

#include <assert.h>
#include <string.h>

enum { A, B, C };

/* Indices, the fastest first. */
struct list {
  int count;
  int places[PPI_RANK_MAX];
};

/* --- Indices of a kind ---------------------------------------------------------------------------------------------- */

/* Those of a tensor, by its strides. */
static struct list list_of(const struct ppi_contraction *contraction, int operand, enum ppi_index_kind kind) {
  const struct ppi_tensor *tensor = &contraction->tensor[operand];
  struct list list = { 0 };
  for (int d = 0; d < tensor->rank; d++) {
    const struct ppi_index *index = &contraction->index[tensor->dimension[d]];
    if (index->kind != kind)
      continue;
    int at = list.count++;
    for (; at > 0 && contraction->index[list.places[at - 1]].stride[operand] > index->stride[operand]; at--)
      list.places[at] = list.places[at - 1];
    list.places[at] = tensor->dimension[d];
  }
  return list;
}

/* In the order that a way has them. */
static struct list ordered(const struct ppi_contraction *contraction, int way, enum ppi_index_kind kind) {
  switch (kind) {
  case PPI_INDEX_CONTRACTED:
    return list_of(contraction, way & PPI_WAY_CONTRACTED ? B : A, kind);
  case PPI_INDEX_FREE_A:
    return list_of(contraction, way & PPI_WAY_FREE_A ? A : C, kind);
  case PPI_INDEX_FREE_B:
    return list_of(contraction, way & PPI_WAY_FREE_B ? B : C, kind);
  case PPI_INDEX_BATCH:
    break;
  }
  return list_of(contraction, C, PPI_INDEX_BATCH);
}

static int64_t extent_of(const struct ppi_contraction *contraction, const struct list *list) {
  int64_t product = 1;
  for (int i = 0; i < list->count; i++)
    product *= contraction->index[list->places[i]].extent;
  return product;
}

/* The first that goes anywhere; -1: the list is empty. */
static int first_of(const struct ppi_contraction *contraction, const struct list *list) {
  for (int i = 0; i < list->count; i++)
    if (contraction->index[list->places[i]].extent > 1)
      return list->places[i];
  return list->count > 0 ? list->places[0] : -1;
}

/* Whether they run through a tensor as one. */
static bool is_one(const struct ppi_contraction *contraction, const struct list *list, int operand) {
  int64_t next = 0;
  for (int i = 0; i < list->count; i++) {
    const struct ppi_index *index = &contraction->index[list->places[i]];
    if (index->extent <= 1)
      continue;
    if ((next > 0 && index->stride[operand] != next) ||
        __builtin_mul_overflow(index->stride[operand], index->extent, &next))
      return false;
  }
  return true;
}

/* --- Where things are in packed memory ------------------------------------------------------------------------------ */

static bool comes_before(const struct ppi_contraction *contraction, const struct list *one, const struct list *other,
                         int operand) {
  const int first = first_of(contraction, one), second = first_of(contraction, other);
  if (first < 0 || second < 0)
    return second < 0;
  return contraction->index[first].stride[operand] <= contraction->index[second].stride[operand];
}

/* The kinds of a tensor as they follow each other in packed memory: first the one whose elements lie closer in the tensor, so that as much as
   possible stays in its order; batch indices last. */
static void kinds_of(const struct ppi_contraction *contraction, int way, int operand, enum ppi_index_kind kinds[3]) {
  static const enum ppi_index_kind of[PPI_OPERANDS][2] = { { PPI_INDEX_CONTRACTED, PPI_INDEX_FREE_A },
                                                           { PPI_INDEX_CONTRACTED, PPI_INDEX_FREE_B },
                                                           { PPI_INDEX_FREE_A, PPI_INDEX_FREE_B } };
  const struct list first = ordered(contraction, way, of[operand][0]),
                    second = ordered(contraction, way, of[operand][1]);
  const int swap = !comes_before(contraction, &first, &second, operand);
  kinds[0] = of[operand][swap];
  kinds[1] = of[operand][1 - swap];
  kinds[2] = PPI_INDEX_BATCH;
}

int ppi_contract_dimensions(const struct ppi_contraction *contraction, const struct ppi_contract_algorithm *algorithm,
                            int operand, struct ppi_contract_dimension dimensions[PPI_RANK_MAX]) {
  enum ppi_index_kind kinds[3];
  int64_t packed = 1;
  int count = 0;
  kinds_of(contraction, algorithm->way, operand, kinds);
  for (int k = 0; k < 3; k++) {
    const struct list list = ordered(contraction, algorithm->way, kinds[k]);
    for (int i = 0; i < list.count; i++) {
      const struct ppi_index *index = &contraction->index[list.places[i]];
      dimensions[count++] =
          (struct ppi_contract_dimension){ list.places[i], index->extent, index->stride[operand], packed };
      packed *= index->extent > 0 ? index->extent : 1;
    }
  }
  return count;
}

/* --- As the kernel has it ------------------------------------------------------------------------------------------- */

static int add_index(const struct ppi_contraction *contraction, const struct list *list,
                     struct ppi_contraction *derived) {
  const int first = first_of(contraction, list);
  if (first < 0)
    return -1;
  struct ppi_index *made = &derived->index[derived->index_count];
  *made = (struct ppi_index){ .name = contraction->index[first].name,
                              .kind = contraction->index[first].kind,
                              .extent = extent_of(contraction, list) };
  for (int o = 0; o < PPI_OPERANDS; o++)
    made->stride[o] = contraction->index[first].stride[o];
  for (int i = 0; i < list->count; i++)
    strncat(made->joined, contraction->index[list->places[i]].joined, PPI_INDEX_MAX - strlen(made->joined));
  return derived->index_count++;
}

static bool has(const struct ppi_index *index, int operand) {
  static const enum ppi_index_kind lacks[PPI_OPERANDS] = { PPI_INDEX_FREE_B, PPI_INDEX_FREE_A, PPI_INDEX_CONTRACTED };
  return index->kind != lacks[operand];
}

/* Dimensions by rising stride. */
static void add_dimensions(struct ppi_contraction *derived, int operand) {
  struct ppi_tensor *tensor = &derived->tensor[operand];
  for (int i = 0; i < derived->index_count; i++) {
    const struct ppi_index *index = &derived->index[i];
    if (!has(index, operand))
      continue;
    int at = tensor->rank++;
    for (; at > 0 && derived->index[tensor->dimension[at - 1]].stride[operand] > index->stride[operand]; at--)
      tensor->dimension[at] = tensor->dimension[at - 1];
    tensor->dimension[at] = i;
  }
}

/* The strides of a packed tensor. */
static void pack(const struct ppi_contraction *contraction, const struct ppi_contract_algorithm *algorithm, int operand,
                 struct ppi_contraction *derived) {
  enum ppi_index_kind kinds[3];
  int64_t stride = 1, elements = 1;
  kinds_of(contraction, algorithm->way, operand, kinds);
  for (int k = 0; k < 3; k++)
    for (int i = derived->index_count - 1; i >= 0; i--) { /* batch indices: the innermost loop first */
      struct ppi_index *index = &derived->index[i];
      if (index->kind != kinds[k])
        continue;
      index->stride[operand] = stride;
      stride *= index->extent > 0 ? index->extent : 1;
      elements *= index->extent;
    }
  derived->tensor[operand].elements = elements;
}

void ppi_contract_derive(const struct ppi_contraction *contraction, const struct ppi_contract_algorithm *algorithm,
                         struct ppi_contraction *derived, struct ppi_contract_algorithm *nest) {
  struct ppi_contraction made = { .type = contraction->type, .flops = contraction->flops };
  const int way = algorithm->way;
  struct list lists[] = { ordered(contraction, way, PPI_INDEX_CONTRACTED), ordered(contraction, way, PPI_INDEX_FREE_A),
                          ordered(contraction, way, PPI_INDEX_FREE_B) };
  struct ppi_contract_algorithm own = { .kernel = algorithm->kernel, .copied = { -1, -1, -1 } };
  own.contracted = add_index(contraction, &lists[0], &made);
  own.free_a = add_index(contraction, &lists[1], &made);
  own.free_b = add_index(contraction, &lists[2], &made);
  for (int l = 0; l < algorithm->loop_count; l++) {
    const struct list one = { 1, { algorithm->loops[l] } };
    own.loops[own.loop_count++] = add_index(contraction, &one, &made);
  }
  for (int o = 0; o < PPI_OPERANDS; o++) {
    for (int i = 0; i < made.index_count; i++)
      if (!has(&made.index[i], o))
        made.index[i].stride[o] = 0;
    if (algorithm->copied[o] >= 0)
      pack(contraction, algorithm, o, &made);
    else {
      made.tensor[o].elements = contraction->tensor[o].elements;
      made.tensor[o].strided = contraction->tensor[o].strided;
    }
    add_dimensions(&made, o);
  }
  *derived = made;
  *nest = own;
}

/* --- Which there are ------------------------------------------------------------------------------------------------ */

static bool choose_kernel(const struct ppi_contract_algorithm *it, enum ppi_contract_kernel *kernel) {
  const int free = (it->free_a >= 0) + (it->free_b >= 0);
  if (it->contracted < 0 && free == 0)
    return false;
  if (it->contracted < 0)
    *kernel = free == 2 ? PPI_CONTRACT_GER : PPI_CONTRACT_AXPY;
  else
    *kernel = free == 2 ? PPI_CONTRACT_GEMM : free == 1 ? PPI_CONTRACT_GEMV : PPI_CONTRACT_DOT;
  return true;
}

/* False: no kernel fits. */
static bool outline(const struct ppi_contraction *contraction, int way, struct ppi_contract_algorithm *made) {
  const struct list k = ordered(contraction, way, PPI_INDEX_CONTRACTED),
                    a = ordered(contraction, way, PPI_INDEX_FREE_A);
  const struct list b = ordered(contraction, way, PPI_INDEX_FREE_B), h = ordered(contraction, way, PPI_INDEX_BATCH);
  *made = (struct ppi_contract_algorithm){ .way = way, .copied = { -1, -1, -1 } };
  made->contracted = first_of(contraction, &k);
  made->free_a = first_of(contraction, &a);
  made->free_b = first_of(contraction, &b);
  for (int i = h.count - 1; i >= 0; i--)
    made->loops[made->loop_count++] = h.places[i];
  return choose_kernel(made, &made->kernel);
}

/* Which tensors the kernel cannot take as they lie. */
static void find_copies(const struct ppi_contraction *contraction, struct ppi_contract_algorithm *made) {
  struct ppi_contraction derived;
  struct ppi_contract_algorithm nest;
  ppi_contract_derive(contraction, made, &derived, &nest);
  for (int o = 0; o < PPI_OPERANDS; o++) {
    struct ppi_contract_slice slice;
    enum ppi_index_kind kinds[3];
    kinds_of(contraction, made->way, o, kinds);
    ppi_contract_slice(&derived, &nest, o, &slice);
    bool fits = !slice.copied;
    for (int k = 0; k < 2; k++) {
      const struct list list = ordered(contraction, made->way, kinds[k]);
      fits = fits && is_one(contraction, &list, o);
    }
    made->copied[o] = fits ? -1 : 0;
  }
}

struct candidate {
  struct ppi_contract_algorithm it;
  unsigned set;         /* tensors that it transposes */
  double bytes, effort; /* elements moved, and how well */
};

/* Whether BLAS with integers of 32 bits can take it, and packed tensors are not larger than the given ones: where elements of inputs share places
   they may be anything. */
static bool is_possible(const struct ppi_contraction *contraction, const struct ppi_contract_algorithm *made) {
  struct ppi_contract_call call;
  bool fine = true;
  ppi_contract_resolve(contraction, made, &call);
  for (int i = 0; i < call.argument_count; i++)
    fine = fine && call.arguments[i].value <= INT32_MAX;
  for (int i = 0; i < call.copy_count; i++)
    fine = fine && call.copies[i].elements <= contraction->tensor[call.copies[i].operand].elements;
  return fine;
}

/* Short lines are dearer. */
static void weigh(const struct ppi_contraction *contraction, struct candidate *candidate) {
  candidate->set = 0;
  candidate->bytes = candidate->effort = 0.0;
  for (int o = 0; o < PPI_OPERANDS; o++) {
    struct ppi_contract_dimension dimensions[PPI_RANK_MAX];
    double elements = 1.0;
    int64_t line = 1;
    if (candidate->it.copied[o] < 0)
      continue;
    const int rank = ppi_contract_dimensions(contraction, &candidate->it, o, dimensions);
    for (int d = 0; d < rank; d++) {
      line *= dimensions[d].tensor == line && dimensions[d].packed == line && dimensions[d].extent > 0
                  ? dimensions[d].extent
                  : 1;
      elements *= (double)dimensions[d].extent;
    }
    candidate->set |= 1U << o;
    candidate->bytes += elements;
    candidate->effort += elements * (1.0 + 4.0 / (double)line);
  }
}

static bool is_in_family(const struct ppi_contraction *contraction, const struct candidate *candidate) {
  int counts[PPI_INDEX_BATCH + 1] = { 0 };
  for (int i = 0; i < contraction->index_count; i++)
    counts[contraction->index[i].kind]++;
  return candidate->set == 0 && counts[PPI_INDEX_CONTRACTED] <= 1 && counts[PPI_INDEX_FREE_A] <= 1 &&
         counts[PPI_INDEX_FREE_B] <= 1;
}

/* Whether the other one transposes the same tensors, or some of them alone. */
static bool is_beaten(const struct candidate *one, const struct candidate *other, bool earlier) {
  if ((one->set & other->set) != other->set)
    return false;
  if (one->set != other->set)
    return true;
  return other->effort < one->effort || (earlier && !(one->effort < other->effort));
}

static int list_ways(const struct ppi_contraction *contraction, struct candidate list[PPI_WAYS_MAX]) {
  int count = 0;
  for (int bits = 0; bits < PPI_WAYS_MAX; bits++) {
    struct candidate *made = &list[count];
    if (!outline(contraction, 1 + 2 * bits, &made->it))
      return 0;
    find_copies(contraction, &made->it);
    weigh(contraction, made);
    if (!is_in_family(contraction, made) && is_possible(contraction, &made->it))
      count++;
  }
  return count;
}

int ppi_contract_ways(const struct ppi_contraction *contraction, struct ppi_contract_algorithm ways[PPI_WAYS_MAX]) {
  struct candidate list[PPI_WAYS_MAX];
  double bytes[PPI_WAYS_MAX];
  const int all = contraction->flops > 0.0 ? list_ways(contraction, list) : 0;
  int count = 0;
  for (int i = 0; i < all; i++) {
    bool beaten = false;
    for (int k = 0; k < all && !beaten; k++)
      beaten = k != i && is_beaten(&list[i], &list[k], k < i);
    if (beaten)
      continue;
    int at = count++;
    for (; at > 0 && bytes[at - 1] > list[i].bytes; at--) {
      bytes[at] = bytes[at - 1];
      ways[at] = ways[at - 1];
    }
    bytes[at] = list[i].bytes;
    ways[at] = list[i].it;
  }
  return count;
}
