/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/call_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"

#define CALLS_MAX 1000000

static bool equal(double a, double b) {
  return !(a < b) && !(a > b);
}

static bool same(const struct ppi_call_kind *kind, const struct perfpred_kernel *kernel,
                 const struct ppi_value *values) {
  if (kind->kernel != kernel)
    return false;
  for (int i = 0; i < kernel->arg_count; i++) {
    const struct ppi_value *a = &kind->values[i], *b = &values[i];
    if (a->i != b->i || a->by_row != b->by_row || !equal(a->re, b->re) || !equal(a->im, b->im))
      return false;
  }
  return true;
}

static uint64_t mix(uint64_t hash, uint64_t more) {
  hash = (hash ^ more) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ (hash >> 32);
}

static uint64_t hash_of(const struct perfpred_kernel *kernel, const struct ppi_value *values) {
  uint64_t hash = mix(1, (uint64_t)(uintptr_t)kernel);
  for (int i = 0; i < kernel->arg_count; i++)
    hash = mix(mix(hash, (uint64_t)values[i].i), values[i].by_row);
  return hash;
}

/* Place of the slot of a kind, or of the free one that it would have. */
static size_t slot_of(const struct ppi_call_list *list, const struct perfpred_kernel *kernel,
                      const struct ppi_value *values) {
  size_t slot = (size_t)hash_of(kernel, values) & (list->slot_count - 1);
  while (list->slots[slot] && !same(&list->kind[list->slots[slot] - 1], kernel, values))
    slot = (slot + 1) & (list->slot_count - 1);
  return slot;
}

/* At most half of the slots are taken. */
static enum perfpred_status grow_slots(struct ppi_call_list *list, struct perfpred_error *error) {
  size_t count = list->slot_count > 0 ? 2 * list->slot_count : 64;
  size_t *slots = calloc(count, sizeof *slots), *before = list->slots;
  if (!slots)
    return ppi_error_memory(error);
  list->slots = slots;
  list->slot_count = count;
  for (size_t i = 0; i < list->kind_count; i++)
    slots[slot_of(list, list->kind[i].kernel, list->kind[i].values)] = i + 1;
  free(before);
  return PERFPRED_OK;
}

static enum perfpred_status grow_kinds(struct ppi_call_list *list, struct perfpred_error *error) {
  size_t capacity = list->kind_capacity > 0 ? 2 * list->kind_capacity : 32;
  struct ppi_call_kind *kind = realloc(list->kind, capacity * sizeof *kind);
  if (!kind)
    return ppi_error_memory(error);
  list->kind = kind;
  list->kind_capacity = capacity;
  return PERFPRED_OK;
}

static enum perfpred_status add_kind(struct ppi_call_list *list, const struct perfpred_kernel *kernel,
                                     const struct ppi_value *values, size_t *place, struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  if (2 * (list->kind_count + 1) > list->slot_count)
    status = grow_slots(list, error);
  if (!status && list->kind_count == list->kind_capacity)
    status = grow_kinds(list, error);
  if (status)
    return status;
  size_t *slot = &list->slots[slot_of(list, kernel, values)];
  if (!*slot) {
    struct ppi_call_kind *made = &list->kind[list->kind_count++];
    *made = (struct ppi_call_kind){ .kernel = kernel, .flops = ppi_kernel_flops(kernel, values) };
    made->copies = ppi_kernel_only_copies(kernel, values);
    memcpy(made->values, values, (size_t)kernel->arg_count * sizeof *values);
    ppi_call_describe(kernel, values, made->text, sizeof made->text);
    *slot = list->kind_count;
  }
  *place = *slot - 1;
  list->kind[*place].calls++;
  return PERFPRED_OK;
}

static enum perfpred_status grow_calls(struct ppi_call_list *list, struct perfpred_error *error) {
  size_t capacity = list->capacity > 0 ? 2 * list->capacity : 256;
  size_t *kinds = realloc(list->kinds, capacity * sizeof *kinds);
  if (!kinds)
    return ppi_error_memory(error);
  list->kinds = kinds;
  list->capacity = capacity;
  return PERFPRED_OK;
}

static enum perfpred_status see_call(void *data, const struct ppi_node *node, const struct ppi_value *values,
                                     struct perfpred_error *error) {
  struct ppi_call_list *list = data;
  enum perfpred_status status = PERFPRED_OK;
  size_t place = PPI_CALL_EMPTY;
  if (list->count == list->capacity)
    status = grow_calls(list, error);
  if (!status && !ppi_kernel_is_empty(node->kernel, values)) {
    status = add_kind(list, node->kernel, values, &place, error);
    list->made++;
  }
  if (!status)
    list->kinds[list->count++] = place;
  return status;
}

enum perfpred_status ppi_call_list_of(const struct perfpred_program *program, const int64_t *parameters, size_t count,
                                      struct ppi_call_list *list, struct perfpred_error *error) {
  const struct ppi_walker walker = { .call = see_call, .without_views = true, .limit = CALLS_MAX };
  *list = (struct ppi_call_list){ .count = 0 };
  enum perfpred_status status = ppi_program_walk(program, parameters, count, &walker, list, error);
  if (!status && list->made == 0)
    status = ppi_error_set(error, PERFPRED_INVALID,
                           "%s makes no call that has work to do, expected one that can be timed", program->name);
  if (status)
    ppi_call_list_free(list);
  return status;
}

void ppi_call_list_free(struct ppi_call_list *list) {
  free(list->slots);
  free(list->kind);
  free(list->kinds);
  *list = (struct ppi_call_list){ .count = 0 };
}

static enum perfpred_status take_medians(const struct ppi_call_list *list, const struct ppi_result *results,
                                         double *times_s, struct perfpred_error *error) {
  size_t made = 0;
  for (size_t i = 0; i < list->count; i++) {
    times_s[i] = NAN;
    if (list->kinds[i] == PPI_CALL_EMPTY)
      continue;
    const struct ppi_result *result = &results[made++];
    if (result->count == 0)
      return ppi_error_set(error, PERFPRED_TIMEOUT, "no sample was taken of %s; expected at least one",
                           list->kind[list->kinds[i]].text);
    times_s[i] = ppi_stats_median(result->times_s, result->count);
  }
  return PERFPRED_OK;
}

enum perfpred_status ppi_call_list_measure(const struct ppi_call_list *list, struct perfpred_sampler *sampler,
                                           const struct ppi_execution *execution, const struct ppi_sampling *sampling,
                                           double *times_s, int64_t *ld, struct perfpred_error *error) {
  struct ppi_result *results = calloc(list->made, sizeof *results);
  if (!results)
    return ppi_error_memory(error);
  enum perfpred_status status = sampler->ops->calls(sampler, execution, list->made, sampling, results, error);
  if (!status) {
    if (ld)
      *ld = results[0].ld;
    status = take_medians(list, results, times_s, error);
    ppi_results_free(results, list->made);
  }
  free(results);
  return status;
}
