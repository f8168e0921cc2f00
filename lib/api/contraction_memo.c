/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/contraction_memo.h"

#include <stdlib.h>
#include <string.h>

static enum perfpred_status append(struct ppi_contraction_memo *memo, size_t group, const char *key,
                                   struct perfpred_error *error) {
  if (memo->count == memo->capacity) {
    const size_t capacity = memo->capacity ? 2 * memo->capacity : 64;
    struct ppi_contraction_known *items = realloc(memo->items, capacity * sizeof *items);
    if (!items)
      return ppi_error_memory(error);
    memo->items = items;
    memo->capacity = capacity;
  }
  char *copy = strdup(key);
  if (!copy)
    return ppi_error_memory(error);
  memo->items[memo->count++] = (struct ppi_contraction_known){ .group = group, .key = copy, .pending = true };
  return PERFPRED_OK;
}

enum perfpred_status ppi_contraction_memo_find(struct ppi_contraction_memo *memo, size_t group, const char *key,
                                               size_t *place, bool *is_new, struct perfpred_error *error) {
  for (*place = 0; *place < memo->count; ++*place)
    if (memo->items[*place].group == group && strcmp(memo->items[*place].key, key) == 0) {
      *is_new = false;
      return PERFPRED_OK;
    }
  *is_new = true;
  return append(memo, group, key, error);
}

/* Wall time that a request took; samplers that do not say where it went know what was timed. */
static double cost_of(const struct ppi_result *timing) {
  const struct ppi_spent *spent = &timing->spent;
  const double sum = spent->kept_s + spent->rejected_s + spent->spare_s + spent->yardstick_s + spent->restore_s;
  return sum > timing->measure_s ? sum : timing->measure_s;
}

void ppi_contraction_memo_take(struct ppi_contraction_memo *memo, const struct ppi_contraction_batch *batch) {
  for (size_t i = 0; i < memo->count; i++) {
    struct ppi_contraction_known *known = &memo->items[i];
    if (!known->pending)
      continue;
    known->pending = false;
    if (!known->is_windows) {
      ppi_contraction_batch_time(batch, known->request, &known->time_s);
      known->cost_s = cost_of(&batch->results[known->request].timing);
      continue;
    }
    ppi_contraction_windows_time(&known->windows, batch, &known->time_s);
    for (int k = 0; k < known->windows.strata.count; k++)
      known->cost_s += cost_of(&batch->results[known->windows.requests[k]].timing);
  }
}

void ppi_contraction_memo_forget(struct ppi_contraction_memo *memo, size_t place) {
  memo->items[place].key[0] = '\0'; /* no key is empty */
}

void ppi_contraction_memo_cut(struct ppi_contraction_memo *memo, size_t count) {
  while (memo->count > count)
    free(memo->items[--memo->count].key);
}

void ppi_contraction_memo_free(struct ppi_contraction_memo *memo) {
  ppi_contraction_memo_cut(memo, 0);
  free(memo->items);
}
