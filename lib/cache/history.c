/* SPDX-License-Identifier: BSD-3-Clause */
#include "cache/history.h"

#include <stdlib.h>
#include <string.h>

static void tree_add(struct ppi_history *history, size_t place, int64_t value) {
  for (; place < history->capacity; place += place & (~place + 1))
    history->tree[place] += value;
}

/* Sum of own over the accesses 1 ... place. */
static int64_t tree_sum(const struct ppi_history *history, size_t place) {
  int64_t sum = 0;
  for (; place > 0; place &= place - 1)
    sum += history->tree[place];
  return sum;
}

/* Room for one more access. The tree covers the whole capacity and is built anew. */
static bool reserve(struct ppi_history *history) {
  if (history->count < history->capacity)
    return true;
  const size_t capacity = history->capacity ? 2 * history->capacity : 64;
  if (capacity > UINT32_MAX || !ppi_tally_reserve(&history->tally, capacity))
    return false;
  struct ppi_past *past = realloc(history->past, capacity * sizeof *past);
  if (!past)
    return false;
  history->past = past;
  int64_t *tree = realloc(history->tree, capacity * sizeof *tree);
  if (!tree)
    return false;
  history->tree = tree;
  history->capacity = capacity;
  memset(tree, 0, capacity * sizeof *tree);
  for (size_t i = 1; i < history->count; i++)
    tree_add(history, i, history->past[i].own);
  return true;
}

enum perfpred_status ppi_history_begin(struct ppi_history *history, int64_t lines, int shift,
                                       struct perfpred_error *error) {
  *history = (struct ppi_history){ .shift = shift };
  if (!ppi_owners_begin(&history->owners, lines) || !reserve(history)) {
    ppi_history_end(history);
    return ppi_error_memory(error);
  }
  history->past[0] = (struct ppi_past){ 0 };
  history->count = 1;
  return PERFPRED_OK;
}

void ppi_history_end(struct ppi_history *history) {
  ppi_owners_end(&history->owners);
  ppi_tally_free(&history->tally);
  free(history->past);
  free(history->tree);
  history->past = NULL;
  history->tree = NULL;
}

static void count_run(void *data, int64_t first, int64_t end) {
  struct ppi_history *history = data;
  ppi_owners_count(&history->owners, first, end, &history->tally);
}

static bool reserve_parts(struct ppi_parts *parts, size_t more) {
  if (parts->count + more <= parts->capacity)
    return true;
  size_t capacity = parts->capacity ? 2 * parts->capacity : 64;
  while (capacity < parts->count + more)
    capacity *= 2;
  struct ppi_part *items = realloc(parts->items, capacity * sizeof *items);
  if (!items)
    return false;
  parts->items = items;
  parts->capacity = capacity;
  return true;
}

/* The latest access first; nobody's is access 0 and so the last. */
static int by_access(const void *a, const void *b) {
  const struct ppi_part *x = a, *y = b;
  return (x->access < y->access) - (x->access > y->access);
}

static struct ppi_part part_of(const struct ppi_history *history, uint32_t access) {
  const struct ppi_past *past = &history->past[access];
  struct ppi_part part = { .lines = history->tally.lines[access], .access = access };
  if (access == 0)
    return part;
  part.step = past->step;
  part.own = past->own;
  part.after = history->known - tree_sum(history, access);
  part.sum = history->sum - past->before;
  return part;
}

enum perfpred_status ppi_history_find(struct ppi_history *history, const struct ppi_region *region,
                                      struct ppi_parts *parts, struct perfpred_error *error) {
  struct ppi_tally *tally = &history->tally;
  ppi_region_lines(region, history->shift, count_run, history);
  const bool room = reserve_parts(parts, tally->met_count);
  const size_t count = room ? tally->met_count : 0;
  for (size_t i = 0; i < count; i++)
    parts->items[parts->count + i] = part_of(history, tally->met[i]);
  if (count > 1)
    qsort(parts->items + parts->count, count, sizeof *parts->items, by_access);
  parts->count += count;
  ppi_tally_clear(tally);
  return room ? PERFPRED_OK : ppi_error_memory(error);
}

static void take_run(void *data, int64_t first, int64_t end) {
  struct ppi_history *history = data;
  ppi_owners_take(&history->owners, first, end, (uint32_t)(history->count - 1), &history->tally);
}

/* What the present access has taken from others is its own now. */
static void settle(struct ppi_history *history) {
  struct ppi_tally *tally = &history->tally;
  const size_t present = history->count - 1;
  int64_t taken = 0;
  for (size_t i = 0; i < tally->met_count; i++) {
    const size_t from = tally->met[i];
    const int64_t lines = tally->lines[from];
    if (from == present) /* regions that overlap */
      continue;
    taken += lines;
    if (from == 0) {
      history->known += lines;
      continue;
    }
    history->past[from].own -= lines;
    tree_add(history, from, -lines);
  }
  history->past[present].own = taken;
  tree_add(history, present, taken);
  ppi_tally_clear(tally);
}

enum perfpred_status ppi_history_add(struct ppi_history *history, uint64_t step, const struct ppi_region *regions,
                                     const int64_t *lines, int count, struct perfpred_error *error) {
  if (!reserve(history))
    return ppi_error_memory(error);
  history->past[history->count++] = (struct ppi_past){ .step = step, .before = history->sum };
  for (int i = 0; i < count; i++) {
    ppi_region_lines(&regions[i], history->shift, take_run, history);
    history->sum += lines[i];
  }
  settle(history);
  return history->owners.failed ? ppi_error_memory(error) : PERFPRED_OK;
}
