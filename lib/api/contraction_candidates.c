/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/contraction_candidates.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract/whole.h"

#define GROUP_LOOPS 20 /* 20! still fits into 64 bits */

void ppi_contraction_candidates_free(struct ppi_contraction_candidates *candidates) {
  for (size_t i = 0; i < candidates->group_count; i++)
    free(candidates->groups[i].derived);
  free(candidates->entries);
  free(candidates->groups);
}

/* --- Groups -------------------------------------------------------------------------------------------------------- */

static bool is_of(const struct ppi_contraction_group *group, const struct ppi_contract_algorithm *algorithm) {
  return group->kernel == algorithm->kernel && group->contracted == algorithm->contracted &&
         group->free_a == algorithm->free_a && group->free_b == algorithm->free_b && group->way == algorithm->way;
}

static void write_call(const struct ppi_contract_call *call, char *text, size_t size) {
  int length = snprintf(text, size, "%s(", call->routine);
  const char *separator = "";
  for (int i = 0; i < call->argument_count && length > 0 && (size_t)length < size; i++) {
    const struct ppi_contract_argument *argument = &call->arguments[i];
    if (argument->kind == PPI_CONTRACT_FLAG)
      length += snprintf(text + length, size - (size_t)length, "%s%c", separator, argument->flag);
    else if (argument->kind == PPI_CONTRACT_SIZE)
      length += snprintf(text + length, size - (size_t)length, "%s%" PRId64, separator, argument->value);
    else
      continue;
    separator = ",";
  }
  if (length > 0 && (size_t)length < size)
    snprintf(text + length, size - (size_t)length, ")");
}

static enum perfpred_status derive(const struct ppi_contraction *contraction,
                                   const struct ppi_contract_algorithm *algorithm, const struct ppi_contract_call *call,
                                   struct ppi_contraction_group *group, struct perfpred_error *error) {
  const double element_bytes = (double)ppi_type_bytes(contraction->type, false);
  group->derived = malloc(sizeof *group->derived);
  if (!group->derived)
    return ppi_error_memory(error);
  ppi_contract_derive(contraction, algorithm, group->derived, &group->nest);
  for (int i = 0; i < call->copy_count; i++)
    group->moved_bytes +=
        2.0 * ppi_contract_copies_made(call, &call->copies[i]) * (double)call->copies[i].elements * element_bytes;
  return PERFPRED_OK;
}

static enum perfpred_status describe(const struct ppi_contraction *contraction,
                                     const struct ppi_contract_algorithm *algorithm,
                                     struct ppi_contraction_group *group, struct perfpred_error *error) {
  struct ppi_contract_call call;
  ppi_contract_resolve(contraction, algorithm, &call);
  *group = (struct ppi_contraction_group){ .kernel = algorithm->kernel,
                                           .contracted = algorithm->contracted,
                                           .free_a = algorithm->free_a,
                                           .free_b = algorithm->free_b,
                                           .way = algorithm->way,
                                           .calls = call.calls,
                                           .work_bytes = call.work_bytes,
                                           .zero = call.zero,
                                           .call_s = (double)NAN,
                                           .best_s = (double)INFINITY };
  write_call(&call, group->text, sizeof group->text);
  return algorithm->way != 0 ? derive(contraction, algorithm, &call, group, error) : PERFPRED_OK;
}

/* The group of an algorithm, made where there is none yet. */
static enum perfpred_status find_group(struct ppi_contraction_candidates *candidates,
                                       const struct ppi_contract_algorithm *algorithm, size_t *place,
                                       struct perfpred_error *error) {
  for (*place = 0; *place < candidates->group_count; ++*place)
    if (is_of(&candidates->groups[*place], algorithm))
      return PERFPRED_OK;
  if (candidates->group_count == candidates->group_capacity) {
    const size_t capacity = candidates->group_capacity ? 2 * candidates->group_capacity : 16;
    struct ppi_contraction_group *groups = realloc(candidates->groups, capacity * sizeof *groups);
    if (!groups)
      return ppi_error_memory(error);
    candidates->groups = groups;
    candidates->group_capacity = capacity;
  }
  enum perfpred_status status =
      describe(&candidates->contraction, algorithm, &candidates->groups[candidates->group_count], error);
  candidates->group_count += status ? 0 : 1;
  return status;
}

/* --- Entries ------------------------------------------------------------------------------------------------------- */

struct gathering {
  struct ppi_contraction_candidates *candidates;
  const struct ppi_contraction_choice *choice;
  double least_bytes; /* of those that need too much */
  bool any;           /* some algorithm passes the filter */
};

static enum perfpred_status append(struct ppi_contraction_candidates *candidates,
                                   const struct ppi_contraction_entry *entry, struct perfpred_error *error) {
  if (candidates->entry_count == candidates->entry_capacity) {
    const size_t capacity = candidates->entry_capacity ? 2 * candidates->entry_capacity : 64;
    struct ppi_contraction_entry *entries = realloc(candidates->entries, capacity * sizeof *entries);
    if (!entries)
      return ppi_error_memory(error);
    candidates->entries = entries;
    candidates->entry_capacity = capacity;
  }
  candidates->entries[candidates->entry_count++] = *entry;
  return PERFPRED_OK;
}

static uint64_t add_saturated(uint64_t a, uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* An algorithm that stands for so many of its group, itself among them. */
static enum perfpred_status take(struct gathering *gathering, const struct ppi_contract_algorithm *algorithm,
                                 uint64_t place, uint64_t stands_for, struct perfpred_error *error) {
  struct ppi_contraction_candidates *candidates = gathering->candidates;
  struct ppi_contraction_entry entry = { .algorithm = *algorithm,
                                         .place = place,
                                         .source = PERFPRED_CONTRACTION_DROPPED,
                                         .time_s = { (double)NAN, (double)NAN, (double)NAN, (double)NAN,
                                                     (double)NAN } };
  const int64_t limit = gathering->choice->memory_bytes;
  enum perfpred_status status = find_group(candidates, algorithm, &entry.group, error);
  if (status)
    return status;
  struct ppi_contraction_group *group = &candidates->groups[entry.group];
  const double bytes = candidates->tensor_bytes + group->work_bytes;
  gathering->any = true;
  if (limit > 0 && bytes > (double)limit) {
    gathering->least_bytes = fmin(gathering->least_bytes, bytes);
    return PERFPRED_OK;
  }
  group->algorithms = add_saturated(group->algorithms, stands_for);
  group->entries++;
  candidates->total = add_saturated(candidates->total, stands_for);
  return append(candidates, &entry, error);
}

/* Those with whole tensors come first. */
static uint64_t place_of(const struct ppi_contraction *contraction, const struct ppi_contract_algorithm *algorithm) {
  const struct ppi_contract_filter all = { 0 };
  return algorithm->way != 0 ? (uint64_t)algorithm->way / 2
                             : add_saturated(ppi_contract_place(contraction, &all, algorithm), PPI_WAYS_MAX);
}

static enum perfpred_status take_named(struct gathering *gathering, struct perfpred_error *error) {
  const struct ppi_contraction *contraction = &gathering->candidates->contraction;
  enum perfpred_status status = PERFPRED_OK;
  for (size_t i = 0; i < gathering->choice->name_count && !status; i++) {
    struct ppi_contract_algorithm algorithm;
    status = ppi_contract_find(contraction, gathering->choice->names[i], &algorithm, error);
    if (status)
      break;
    const uint64_t place = place_of(contraction, &algorithm);
    for (size_t k = 0; k < gathering->candidates->entry_count; k++)
      if (place != UINT64_MAX && gathering->candidates->entries[k].place == place)
        return ppi_error_set(error, PERFPRED_EXISTS, "options.names[%zu]: %s is there already", i,
                             gathering->choice->names[i]);
    status = take(gathering, &algorithm, place, 1, error);
  }
  return status;
}

/* The first ones that pass a filter; *taken: how many. */
static enum perfpred_status take_first(struct gathering *gathering, const struct ppi_contract_filter *filter,
                                       uint64_t count, uint64_t *taken, struct perfpred_error *error) {
  const uint64_t before = filter->wholes == PPI_WHOLES_ALONE ? 0 : PPI_WAYS_MAX;
  enum perfpred_status status = PERFPRED_OK;
  struct ppi_contract_algorithm algorithm;
  for (*taken = 0; *taken < count && !status; ++*taken) {
    if (!ppi_contract_at(&gathering->candidates->contraction, filter, *taken, &algorithm))
      break;
    status = take(gathering, &algorithm, before + *taken, 1, error);
  }
  return status;
}

/* What samplers have no memory for: loops may do with less. */
static void drop_huge(struct ppi_contraction_candidates *candidates) {
  const double most = (double)ppi_tour_most_bytes();
  size_t kept = 0;
  for (size_t i = 0; i < candidates->entry_count; i++) {
    struct ppi_contraction_group *group = &candidates->groups[candidates->entries[i].group];
    if (candidates->tensor_bytes + group->work_bytes <= most) {
      candidates->entries[kept++] = candidates->entries[i];
      continue;
    }
    group->entries = 0;
    group->algorithms = 0;
    candidates->total--;
  }
  candidates->entry_count = kept;
}

static enum perfpred_status take_wholes(struct gathering *gathering, uint64_t *taken, struct perfpred_error *error) {
  struct ppi_contract_filter filter = gathering->choice->filter;
  *taken = 0;
  if (filter.wholes == PPI_WHOLES_NONE)
    return PERFPRED_OK;
  filter.wholes = PPI_WHOLES_ALONE;
  enum perfpred_status status = take_first(gathering, &filter, PPI_WAYS_MAX, taken, error);
  if (!status && gathering->choice->filter.wholes == PPI_WHOLES_TOO)
    drop_huge(gathering->candidates);
  return status;
}

/* --- Large families ------------------------------------------------------------------------------------------------ */

/* The indices that are left, those first that move farthest: a good order for loops that no window sees. */
static void order_loops(const struct ppi_contraction *contraction, struct ppi_contract_algorithm *algorithm) {
  double weights[PPI_INDEX_MAX];
  algorithm->loop_count = 0;
  for (int i = 0; i < contraction->index_count; i++) {
    const int64_t *stride = contraction->index[i].stride;
    if (i == algorithm->contracted || i == algorithm->free_a || i == algorithm->free_b)
      continue;
    int at = algorithm->loop_count++;
    const double weight = (double)stride[0] + (double)stride[1] + (double)stride[2];
    for (; at > 0 && weights[at - 1] < weight; at--) {
      weights[at] = weights[at - 1];
      algorithm->loops[at] = algorithm->loops[at - 1];
    }
    weights[at] = weight;
    algorithm->loops[at] = i;
  }
}

/* The loop at `from` goes to the innermost place. */
static void move_inside(struct ppi_contract_algorithm *algorithm, int from) {
  const int moved = algorithm->loops[from];
  memmove(algorithm->loops + from, algorithm->loops + from + 1,
          (size_t)(algorithm->loop_count - 1 - from) * sizeof *algorithm->loops);
  algorithm->loops[algorithm->loop_count - 1] = moved;
}

static bool passes(const struct ppi_contract_filter *filter, const struct ppi_contract_algorithm *algorithm) {
  bool copies = false;
  for (int i = 0; i < PPI_OPERANDS; i++)
    copies = copies || algorithm->copied[i] >= 0;
  return filter->copies == PPI_COPIES_ANY || copies == (filter->copies == PPI_COPIES_SOME);
}

/* One algorithm for each pair of innermost loops: those make the difference. */
static enum perfpred_status take_group(struct gathering *gathering, const struct ppi_contract_algorithm *claim,
                                       struct perfpred_error *error) {
  const struct ppi_contraction *contraction = &gathering->candidates->contraction;
  struct ppi_contract_algorithm base = *claim;
  order_loops(contraction, &base);
  const int loops = base.loop_count;
  uint64_t stands_for = 1;
  for (int i = 2; i <= loops - 2; i++)
    stands_for = i <= GROUP_LOOPS ? stands_for * (uint64_t)i : UINT64_MAX;
  enum perfpred_status status = PERFPRED_OK;
  for (int second = 0; second < (loops > 0 ? loops : 1) && !status; second++)
    for (int last = 0; last < (loops > 1 ? loops - 1 : 1) && !status; last++) {
      struct ppi_contract_algorithm algorithm = base;
      if (loops > 1) {
        move_inside(&algorithm, second);
        move_inside(&algorithm, last);
      }
      ppi_contract_set_copies(contraction, &algorithm);
      if (!passes(&gathering->choice->filter, &algorithm))
        return PERFPRED_OK;
      status = take(gathering, &algorithm, place_of(contraction, &algorithm), stands_for, error);
    }
  return status;
}

/* Indices of one kind that a kernel may claim: their places, or -1 alone where it claims none. */
static int claims(const struct ppi_contraction *contraction, enum ppi_index_kind kind, bool claimed,
                  int places[PPI_INDEX_MAX]) {
  int count = 0;
  places[0] = -1;
  for (int i = 0; i < contraction->index_count && claimed; i++)
    if (contraction->index[i].kind == kind)
      places[count++] = i;
  return claimed ? count : 1;
}

static enum perfpred_status take_claims(struct gathering *gathering, enum ppi_contract_kernel kernel, bool contracted,
                                        bool free_a, bool free_b, struct perfpred_error *error) {
  const struct ppi_contraction *contraction = &gathering->candidates->contraction;
  int k[PPI_INDEX_MAX], a[PPI_INDEX_MAX], b[PPI_INDEX_MAX];
  const int k_count = claims(contraction, PPI_INDEX_CONTRACTED, contracted, k);
  const int a_count = claims(contraction, PPI_INDEX_FREE_A, free_a, a);
  const int b_count = claims(contraction, PPI_INDEX_FREE_B, free_b, b);
  enum perfpred_status status = PERFPRED_OK;
  for (int i = 0; i < k_count * a_count * b_count && !status; i++) {
    const struct ppi_contract_algorithm claim = { .kernel = kernel,
                                                  .contracted = k[i / (a_count * b_count)],
                                                  .free_a = a[i / b_count % a_count],
                                                  .free_b = b[i % b_count] };
    status = take_group(gathering, &claim, error);
  }
  return status;
}

static enum perfpred_status take_some(struct gathering *gathering, struct perfpred_error *error) {
  static const struct {
    enum ppi_contract_kernel kernel;
    bool contracted, free_a, free_b;
  } slots[] = {
    { PPI_CONTRACT_GEMM, true, true, true },   { PPI_CONTRACT_GEMV, true, true, false },
    { PPI_CONTRACT_GEMV, true, false, true },  { PPI_CONTRACT_GER, false, true, true },
    { PPI_CONTRACT_AXPY, false, true, false }, { PPI_CONTRACT_AXPY, false, false, true },
    { PPI_CONTRACT_DOT, true, false, false },
  };
  const unsigned kernels = gathering->choice->filter.kernels;
  enum perfpred_status status = PERFPRED_OK;
  gathering->candidates->sampled = true;
  for (size_t i = 0; i < sizeof slots / sizeof slots[0] && !status; i++)
    if (kernels == 0 || (kernels & 1U << slots[i].kernel))
      status = take_claims(gathering, slots[i].kernel, slots[i].contracted, slots[i].free_a, slots[i].free_b, error);
  return status;
}

/* --- All together -------------------------------------------------------------------------------------------------- */

static enum perfpred_status gather(struct gathering *gathering, struct perfpred_error *error) {
  struct ppi_contract_filter filter = gathering->choice->filter;
  uint64_t count = 0, taken = 0;
  if (gathering->choice->names)
    return take_named(gathering, error);
  enum perfpred_status status = take_wholes(gathering, &taken, error);
  if (status || filter.wholes == PPI_WHOLES_ALONE || (filter.at_most > 0 && taken >= filter.at_most))
    return status;
  filter.wholes = PPI_WHOLES_NONE;
  if (ppi_contract_count(&gathering->candidates->contraction, &filter, &count, NULL))
    count = UINT64_MAX;
  if (filter.at_most > PPI_CANDIDATES_LISTED && count > PPI_CANDIDATES_LISTED)
    return ppi_error_set(error, PERFPRED_LIMIT, "filter.at_most is %" PRIu64 ", expected at most %d, or 0 for all",
                         filter.at_most, PPI_CANDIDATES_LISTED);
  if (count > PPI_CANDIDATES_LISTED)
    return take_some(gathering, error);
  filter.at_most -= filter.at_most > 0 ? taken : 0;
  return take_first(gathering, &filter, count, &taken, error);
}

enum perfpred_status ppi_contraction_candidates_of(const struct ppi_contraction *contraction,
                                                   const struct ppi_contraction_choice *choice,
                                                   struct ppi_contraction_candidates *candidates,
                                                   struct perfpred_error *error) {
  struct gathering gathering = { candidates, choice, (double)INFINITY, false };
  *candidates = (struct ppi_contraction_candidates){ .contraction = *contraction };
  for (int i = 0; i < PPI_OPERANDS; i++)
    candidates->tensor_bytes +=
        (double)contraction->tensor[i].elements * (double)ppi_type_bytes(contraction->type, false);
  enum perfpred_status status = gather(&gathering, error);
  if (!status && !gathering.any)
    status = ppi_error_set(
        error, PERFPRED_NOT_FOUND,
        "no algorithm: none passes the filter, or no kernel fits (batch indices alone are for loops), expected at "
        "least one");
  if (!status && candidates->entry_count == 0)
    status = ppi_error_set(error, PERFPRED_LIMIT,
                           "options.memory_bytes is %" PRId64 ", but every algorithm needs %.0f bytes or more",
                           choice->memory_bytes, gathering.least_bytes);
  return status;
}
