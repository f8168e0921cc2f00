/* SPDX-License-Identifier: BSD-3-Clause */
#include "cache/accesses.h"

#include <stdlib.h>
#include <string.h>

static void tree_add(struct ppi_accesses *accesses, size_t place, int64_t value) {
  for (; place < accesses->capacity; place += place & (~place + 1))
    accesses->tree[place] += value;
}

/* Sum of own over the accesses 1 ... place. */
static int64_t tree_sum(const struct ppi_accesses *accesses, size_t place) {
  int64_t sum = 0;
  for (; place > 0; place &= place - 1)
    sum += accesses->tree[place];
  return sum;
}

/* Room for one more access. The tree covers the whole capacity and is built anew. */
static bool reserve(struct ppi_accesses *accesses) {
  if (accesses->count < accesses->capacity)
    return true;
  const size_t capacity = accesses->capacity ? 2 * accesses->capacity : 64;
  if (capacity > UINT32_MAX || !ppi_owner_tally_reserve(&accesses->tally, capacity))
    return false;
  struct ppi_past *past = realloc(accesses->past, capacity * sizeof *past);
  if (!past)
    return false;
  accesses->past = past;
  int64_t *tree = realloc(accesses->tree, capacity * sizeof *tree);
  if (!tree)
    return false;
  accesses->tree = tree;
  accesses->capacity = capacity;
  memset(tree, 0, capacity * sizeof *tree);
  for (size_t i = 1; i < accesses->count; i++)
    tree_add(accesses, i, accesses->past[i].own);
  return true;
}

enum perfpred_status ppi_accesses_begin(struct ppi_accesses *accesses, int64_t lines, int shift,
                                        struct perfpred_error *error) {
  *accesses = (struct ppi_accesses){ .shift = shift };
  if (!ppi_owners_begin(&accesses->owners, lines) || !reserve(accesses)) {
    ppi_accesses_end(accesses);
    return ppi_error_memory(error);
  }
  accesses->past[0] = (struct ppi_past){ 0 };
  accesses->count = 1;
  return PERFPRED_OK;
}

void ppi_accesses_end(struct ppi_accesses *accesses) {
  ppi_owners_end(&accesses->owners);
  ppi_owner_tally_free(&accesses->tally);
  free(accesses->past);
  free(accesses->tree);
  accesses->past = NULL;
  accesses->tree = NULL;
}

static void count_run(void *data, int64_t first, int64_t end) {
  struct ppi_accesses *accesses = data;
  ppi_owners_count(&accesses->owners, first, end, &accesses->tally);
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

static struct ppi_part part_of(const struct ppi_accesses *accesses, uint32_t access) {
  const struct ppi_past *past = &accesses->past[access];
  struct ppi_part part = { .lines = accesses->tally.lines[access], .access = access };
  if (access == 0)
    return part;
  part.step = past->step;
  part.own = past->own;
  part.after = accesses->known - tree_sum(accesses, access);
  part.sum = accesses->sum - past->before;
  return part;
}

enum perfpred_status ppi_accesses_find(struct ppi_accesses *accesses, const struct ppi_region *region,
                                       struct ppi_parts *parts, struct perfpred_error *error) {
  struct ppi_owner_tally *tally = &accesses->tally;
  ppi_region_lines(region, accesses->shift, count_run, accesses);
  const bool room = reserve_parts(parts, tally->met_count);
  const size_t count = room ? tally->met_count : 0;
  for (size_t i = 0; i < count; i++)
    parts->items[parts->count + i] = part_of(accesses, tally->met[i]);
  if (count > 1)
    qsort(parts->items + parts->count, count, sizeof *parts->items, by_access);
  parts->count += count;
  ppi_owner_tally_clear(tally);
  return room ? PERFPRED_OK : ppi_error_memory(error);
}

static void take_run(void *data, int64_t first, int64_t end) {
  struct ppi_accesses *accesses = data;
  ppi_owners_take(&accesses->owners, first, end, (uint32_t)(accesses->count - 1), &accesses->tally);
}

/* What the present access has taken from others is its own now. */
static void settle(struct ppi_accesses *accesses) {
  struct ppi_owner_tally *tally = &accesses->tally;
  const size_t present = accesses->count - 1;
  int64_t taken = 0;
  for (size_t i = 0; i < tally->met_count; i++) {
    const size_t from = tally->met[i];
    const int64_t lines = tally->lines[from];
    if (from == present) /* regions that overlap */
      continue;
    taken += lines;
    if (from == 0) {
      accesses->known += lines;
      continue;
    }
    accesses->past[from].own -= lines;
    tree_add(accesses, from, -lines);
  }
  accesses->past[present].own = taken;
  tree_add(accesses, present, taken);
  ppi_owner_tally_clear(tally);
}

enum perfpred_status ppi_accesses_add(struct ppi_accesses *accesses, uint64_t step, const struct ppi_region *regions,
                                      const int64_t *lines, int count, struct perfpred_error *error) {
  if (!reserve(accesses))
    return ppi_error_memory(error);
  accesses->past[accesses->count++] = (struct ppi_past){ .step = step, .before = accesses->sum };
  for (int i = 0; i < count; i++) {
    ppi_region_lines(&regions[i], accesses->shift, take_run, accesses);
    accesses->sum += lines[i];
  }
  settle(accesses);
  return accesses->owners.failed ? ppi_error_memory(error) : PERFPRED_OK;
}
