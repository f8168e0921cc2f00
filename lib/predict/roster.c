/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict/roster.h"

#include <stdlib.h>
#include <string.h>

#define CAPACITY_FIRST 64

static size_t hash_of(const struct ppi_submodel *submodel, int dimensions, const int64_t *sizes) {
  uint64_t hash = (uint64_t)(uintptr_t)submodel;
  for (int i = 0; i < dimensions; i++)
    hash = (hash ^ (uint64_t)sizes[i]) * UINT64_C(0x9e3779b97f4a7c15);
  return (size_t)(hash ^ (hash >> 29));
}

/* The place of a call, or the free one where it belongs. The capacity is a power of two, and some place is free. */
static struct ppi_roster_item *place_of(const struct ppi_roster *roster, const struct ppi_submodel *submodel,
                                        int dimensions, const int64_t *sizes) {
  for (size_t i = hash_of(submodel, dimensions, sizes);; i++) {
    struct ppi_roster_item *item = &roster->items[i & (roster->capacity - 1)];
    if (!item->submodel ||
        (item->submodel == submodel && memcmp(item->sizes, sizes, (size_t)dimensions * sizeof *sizes) == 0))
      return item;
  }
}

static bool grow(struct ppi_roster *roster) {
  struct ppi_roster larger = { .count = roster->count,
                               .capacity = roster->capacity ? 2 * roster->capacity : CAPACITY_FIRST };
  larger.items = calloc(larger.capacity, sizeof *larger.items);
  if (!larger.items)
    return false;
  for (size_t i = 0; i < roster->capacity; i++) {
    const struct ppi_roster_item *item = &roster->items[i];
    if (item->submodel)
      *place_of(&larger, item->submodel, item->dimensions, item->sizes) = *item;
  }
  free(roster->items);
  *roster = larger;
  return true;
}

static bool add(void *data, const struct ppi_plan_watched *watched) {
  struct ppi_roster *roster = data;
  const struct ppi_estimate *estimate = watched->estimate;
  if (2 * (roster->count + 1) > roster->capacity && !grow(roster))
    return false;
  struct ppi_roster_item *item = place_of(roster, watched->submodel, watched->dimensions, watched->sizes);
  if (!item->submodel) {
    item->submodel = watched->submodel;
    item->dimensions = watched->dimensions;
    memcpy(item->sizes, watched->sizes, (size_t)watched->dimensions * sizeof *item->sizes);
    roster->count++;
  }
  item->count++;
  item->error_s += ppi_estimate_error_s(estimate);
  return true;
}

enum perfpred_status ppi_roster_of(const struct perfpred_plan *plan, const int64_t *parameters, size_t count,
                                   struct ppi_roster *roster, struct ppi_plan_sum *sum, struct perfpred_error *error) {
  const struct ppi_plan_watcher watcher = { add, roster };
  return ppi_plan_sum_watched(plan, parameters, count, &watcher, sum, error);
}

void ppi_roster_free(struct ppi_roster *roster) {
  free(roster->items);
  *roster = (struct ppi_roster){ .count = 0 };
}

uint64_t ppi_roster_shared(const struct ppi_roster_item *item, const struct ppi_roster *const *others, size_t count) {
  uint64_t shared = item->count;
  for (size_t i = 0; i < count; i++) {
    const struct ppi_roster_item *same =
        others[i]->capacity ? place_of(others[i], item->submodel, item->dimensions, item->sizes) : NULL;
    uint64_t times = same && same->submodel ? same->count : 0;
    shared = times < shared ? times : shared;
  }
  return shared;
}

double ppi_roster_error(const struct ppi_roster *one, const struct ppi_roster *const *others, size_t count) {
  double error_s = 0.0;
  for (size_t i = 0; i < one->capacity; i++) {
    const struct ppi_roster_item *item = &one->items[i];
    if (item->submodel)
      error_s += (double)(item->count - ppi_roster_shared(item, others, count)) / (double)item->count * item->error_s;
  }
  return error_s;
}
