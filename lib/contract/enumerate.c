/* SPDX-License-Identifier: BSD-3-Clause */
#include "contract/enumerate.h"

#include <assert.h>

#include "contract/whole.h"

/* The indices that a kernel claims, by kind: one of those kinds that are set. */
struct slots {
  bool contracted, free_a, free_b;
};

struct pattern {
  int count; /* of alternatives */
  struct slots slots[2];
};

static const struct pattern patterns[PPI_CONTRACT_KERNELS] = {
  [PPI_CONTRACT_DOT] = { 1, { { true, false, false } } },
  [PPI_CONTRACT_AXPY] = { 2, { { false, true, false }, { false, false, true } } },
  [PPI_CONTRACT_GEMV] = { 2, { { true, true, false }, { true, false, true } } },
  [PPI_CONTRACT_GER] = { 1, { { false, true, true } } },
  [PPI_CONTRACT_GEMM] = { 1, { { true, true, true } } },
};

static const enum ppi_contract_kernel order[PPI_CONTRACT_KERNELS] = { PPI_CONTRACT_GEMM, PPI_CONTRACT_GEMV,
                                                                      PPI_CONTRACT_GER, PPI_CONTRACT_AXPY,
                                                                      PPI_CONTRACT_DOT };

/* Places of the indices of one kind; an index that is not claimed is the place -1. */
struct choices {
  int count;
  int places[PPI_INDEX_MAX];
};

static struct choices choices_of(const struct ppi_contraction *contraction, bool wanted, enum ppi_index_kind kind) {
  struct choices choices = { 0 };
  if (!wanted)
    choices.places[choices.count++] = -1;
  for (int i = 0; wanted && i < contraction->index_count; i++)
    if (contraction->index[i].kind == kind)
      choices.places[choices.count++] = i;
  return choices;
}

struct search {
  const struct ppi_contraction *contraction;
  const struct ppi_contract_filter *filter;
  uint64_t wanted; /* place among the sets of claimed indices that pass; UINT64_MAX: count them all */
  uint64_t passed;
  struct ppi_contract_algorithm *found; /* the wanted one's kernel and claimed indices; or NULL */
};

static bool passes(const struct search *search, const struct ppi_contract_algorithm *algorithm) {
  if (search->filter->copies == PPI_COPIES_ANY)
    return true;
  bool copied = false;
  for (int o = 0; o < PPI_OPERANDS && !copied; o++) {
    struct ppi_contract_slice slice;
    ppi_contract_slice(search->contraction, algorithm, o, &slice);
    copied = slice.copied;
  }
  return copied == (search->filter->copies == PPI_COPIES_SOME);
}

/* True: the wanted one has been found. */
static bool visit(struct search *search, const struct ppi_contract_algorithm *claim) {
  if (!passes(search, claim))
    return false;
  if (search->passed++ != search->wanted)
    return false;
  if (search->found) {
    search->found->kernel = claim->kernel;
    search->found->contracted = claim->contracted;
    search->found->free_a = claim->free_a;
    search->found->free_b = claim->free_b;
  }
  return true;
}

static bool search_slots(struct search *search, enum ppi_contract_kernel kernel, struct slots slots) {
  const struct choices contracted = choices_of(search->contraction, slots.contracted, PPI_INDEX_CONTRACTED);
  const struct choices free_a = choices_of(search->contraction, slots.free_a, PPI_INDEX_FREE_A);
  const struct choices free_b = choices_of(search->contraction, slots.free_b, PPI_INDEX_FREE_B);
  struct ppi_contract_algorithm claim = { .kernel = kernel };
  for (int k = 0; k < contracted.count; k++)
    for (int a = 0; a < free_a.count; a++)
      for (int b = 0; b < free_b.count; b++) {
        claim.contracted = contracted.places[k];
        claim.free_a = free_a.places[a];
        claim.free_b = free_b.places[b];
        if (visit(search, &claim))
          return true;
      }
  return false;
}

static bool search_kernel(struct search *search, enum ppi_contract_kernel kernel) {
  const struct pattern *pattern = &patterns[kernel];
  for (int i = 0; i < pattern->count; i++)
    if (search_slots(search, kernel, pattern->slots[i]))
      return true;
  return false;
}

static int claim_size(enum ppi_contract_kernel kernel) {
  const struct slots *slots = &patterns[kernel].slots[0];
  return slots->contracted + slots->free_a + slots->free_b;
}

/* Sets of claimed indices of a kernel that pass the filter. */
static uint64_t count_claims(const struct ppi_contraction *contraction, const struct ppi_contract_filter *filter,
                             enum ppi_contract_kernel kernel) {
  struct search search = { .contraction = contraction, .filter = filter, .wanted = UINT64_MAX };
  if (filter->wholes == PPI_WHOLES_ALONE)
    return 0;
  if (filter->kernels != 0 && !(filter->kernels >> kernel & 1))
    return 0;
  search_kernel(&search, kernel);
  return search.passed;
}

static uint64_t multiply(uint64_t left, uint64_t right) { /* UINT64_MAX: so many or more */
  uint64_t product = 0;
  return __builtin_mul_overflow(left, right, &product) ? UINT64_MAX : product;
}

static uint64_t add(uint64_t left, uint64_t right) {
  uint64_t sum = 0;
  return __builtin_add_overflow(left, right, &sum) ? UINT64_MAX : sum;
}

static uint64_t factorial(int n) { /* UINT64_MAX: so many or more */
  uint64_t product = 1;
  for (int i = 2; i <= n; i++)
    product = multiply(product, (uint64_t)i);
  return product;
}

static bool is_wanted(const struct ppi_contract_filter *filter, const struct ppi_contract_algorithm *way) {
  bool copied = false;
  for (int o = 0; o < PPI_OPERANDS; o++)
    copied = copied || way->copied[o] >= 0;
  return (filter->kernels == 0 || (filter->kernels >> way->kernel & 1)) &&
         (filter->copies == PPI_COPIES_ANY || copied == (filter->copies == PPI_COPIES_SOME));
}

/* Those with whole tensors that pass. */
static int list_wholes(const struct ppi_contraction *contraction, const struct ppi_contract_filter *filter,
                       struct ppi_contract_algorithm ways[PPI_WAYS_MAX]) {
  int passed = 0;
  if (filter->wholes == PPI_WHOLES_NONE)
    return 0;
  const int count = ppi_contract_ways(contraction, ways);
  for (int i = 0; i < count; i++)
    if (is_wanted(filter, &ways[i]))
      ways[passed++] = ways[i];
  return passed;
}

/* Of one kernel. */
static uint64_t count_kernel(const struct ppi_contraction *contraction, uint64_t claims,
                             enum ppi_contract_kernel kernel) {
  return claims == 0 ? 0 : multiply(claims, factorial(contraction->index_count - claim_size(kernel)));
}

enum perfpred_status ppi_contract_count(const struct ppi_contraction *contraction,
                                        const struct ppi_contract_filter *filter, uint64_t *count,
                                        struct perfpred_error *error) {
  struct ppi_contract_algorithm ways[PPI_WAYS_MAX];
  uint64_t sum = (uint64_t)list_wholes(contraction, filter, ways);
  for (int i = 0; i < PPI_CONTRACT_KERNELS; i++)
    sum = add(sum, count_kernel(contraction, count_claims(contraction, filter, order[i]), order[i]));
  if (filter->at_most != 0 && sum > filter->at_most)
    sum = filter->at_most;
  if (sum == UINT64_MAX)
    return ppi_error_set(error, PERFPRED_OVERFLOW,
                         "%d indices make 2^64 algorithms or more, expected a filter that leaves fewer",
                         contraction->index_count);
  *count = sum;
  return PERFPRED_OK;
}

/* How far back in its tensors an index stands. */
static int depth(const struct ppi_contraction *contraction, int place) {
  int sum = 0;
  for (int o = 0; o < PPI_OPERANDS; o++)
    for (int d = 0; d < contraction->tensor[o].rank; d++)
      if (contraction->tensor[o].dimension[d] == place)
        sum += d;
  return sum;
}

/* The loops in their first order, deepest first. */
static void first_loops(const struct ppi_contraction *contraction, const struct ppi_contract_algorithm *claim,
                        struct choices *loops) {
  loops->count = 0;
  for (int i = 0; i < contraction->index_count; i++) {
    if (i == claim->contracted || i == claim->free_a || i == claim->free_b)
      continue;
    int at = loops->count++;
    for (; at > 0 && depth(contraction, loops->places[at - 1]) < depth(contraction, i); at--)
      loops->places[at] = loops->places[at - 1];
    loops->places[at] = i;
  }
}

static int take(struct choices *rest, int at) {
  const int place = rest->places[at];
  rest->count--;
  for (int i = at; i < rest->count; i++)
    rest->places[i] = rest->places[i + 1];
  return place;
}

/* The permutation at a place, in lexicographic order. */
static void permute(struct choices *rest, uint64_t place, struct ppi_contract_algorithm *algorithm) {
  algorithm->loop_count = rest->count;
  for (int i = 0; i < algorithm->loop_count; i++) {
    const uint64_t each = factorial(rest->count - 1);
    const uint64_t at = place / each;
    place %= each;
    assert(at < (uint64_t)rest->count);
    algorithm->loops[i] = take(rest, (int)at);
  }
}

bool ppi_contract_at(const struct ppi_contraction *contraction, const struct ppi_contract_filter *filter,
                     uint64_t place, struct ppi_contract_algorithm *algorithm) {
  struct ppi_contract_algorithm ways[PPI_WAYS_MAX];
  if (filter->at_most != 0 && place >= filter->at_most)
    return false;
  const uint64_t wholes = (uint64_t)list_wholes(contraction, filter, ways);
  if (place < wholes) {
    *algorithm = ways[place];
    return true;
  }
  place -= wholes;
  for (int i = 0; i < PPI_CONTRACT_KERNELS; i++) {
    const uint64_t claims = count_claims(contraction, filter, order[i]);
    const uint64_t all = count_kernel(contraction, claims, order[i]);
    if (place >= all) {
      place -= all;
      continue;
    }
    struct choices loops;
    struct search search = { .contraction = contraction, .filter = filter, .wanted = place % claims };
    search.found = algorithm;
    *algorithm = (struct ppi_contract_algorithm){ 0 };
    const bool found = search_kernel(&search, order[i]);
    assert(found);
    (void)found;
    first_loops(contraction, algorithm, &loops);
    permute(&loops, place / claims, algorithm);
    ppi_contract_set_copies(contraction, algorithm);
    return true;
  }
  return false;
}

/* Place of a claim among those of its kernel that pass; UINT64_MAX: it does not. */
static uint64_t place_of_claim(const struct ppi_contraction *contraction, const struct ppi_contract_filter *filter,
                               uint64_t claims, const struct ppi_contract_algorithm *algorithm) {
  for (uint64_t place = 0; place < claims; place++) {
    struct ppi_contract_algorithm claim;
    struct search search = { contraction, filter, place, 0, &claim };
    if (search_kernel(&search, algorithm->kernel) && claim.contracted == algorithm->contracted &&
        claim.free_a == algorithm->free_a && claim.free_b == algorithm->free_b)
      return place;
  }
  return UINT64_MAX;
}

static uint64_t place_of_loops(const struct ppi_contraction *contraction,
                               const struct ppi_contract_algorithm *algorithm) {
  struct choices rest;
  uint64_t place = 0;
  first_loops(contraction, algorithm, &rest);
  for (int i = 0; i < algorithm->loop_count; i++) {
    int at = 0;
    while (at < rest.count && rest.places[at] != algorithm->loops[i])
      at++;
    assert(at < rest.count);
    place = add(place, multiply((uint64_t)at, factorial(rest.count - 1)));
    take(&rest, at);
  }
  return place;
}

uint64_t ppi_contract_place(const struct ppi_contraction *contraction, const struct ppi_contract_filter *filter,
                            const struct ppi_contract_algorithm *algorithm) {
  struct ppi_contract_algorithm ways[PPI_WAYS_MAX];
  uint64_t before = (uint64_t)list_wholes(contraction, filter, ways);
  int i = 0;
  if (algorithm->way != 0) {
    uint64_t at = 0;
    while (at < before && ways[at].way != algorithm->way)
      at++;
    return at < before && (filter->at_most == 0 || at < filter->at_most) ? at : UINT64_MAX;
  }
  for (; order[i] != algorithm->kernel; i++)
    before = add(before, count_kernel(contraction, count_claims(contraction, filter, order[i]), order[i]));
  const uint64_t claims = count_claims(contraction, filter, order[i]);
  const uint64_t claim = place_of_claim(contraction, filter, claims, algorithm);
  if (claim == UINT64_MAX)
    return UINT64_MAX;
  const uint64_t place = add(before, add(claim, multiply(claims, place_of_loops(contraction, algorithm))));
  return filter->at_most != 0 && place >= filter->at_most ? UINT64_MAX : place;
}
