/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_S 1e-12 /* a clock that subtracts its own overhead may read 0 or less; relative errors need more */

static uint64_t hash(size_t target, const int64_t sizes[PPI_SIZE_MAX]) {
  uint64_t h = 0x9e3779b97f4a7c15u ^ target;

  for (int d = 0; d < PPI_SIZE_MAX; d++) {
    h ^= (uint64_t)sizes[d];
    h *= 0xff51afd7ed558ccdu;
    h ^= h >> 32;
  }
  return h;
}

/* The slot of the point, or the free one where it belongs. */
static size_t slot_of(const struct ppi_points *points, size_t target, const int64_t sizes[PPI_SIZE_MAX]) {
  size_t mask = points->slot_count - 1;
  size_t slot = (size_t)hash(target, sizes) & mask;

  while (points->slots[slot]) {
    const struct ppi_point *point = points->items + points->slots[slot] - 1;

    if (point->target == target && memcmp(point->sizes, sizes, sizeof point->sizes) == 0)
      break;
    slot = (slot + 1) & mask;
  }
  return slot;
}

static enum perfpred_status grow_slots(struct ppi_points *points, struct perfpred_error *error) {
  size_t count = points->slot_count ? 2 * points->slot_count : 256;
  size_t *slots;

  if (2 * (points->count + 1) <= points->slot_count)
    return PERFPRED_OK;
  slots = calloc(count, sizeof *slots);
  if (!slots)
    return ppi_error_memory(error);
  free(points->slots);
  points->slots = slots;
  points->slot_count = count;
  for (size_t i = 0; i < points->count; i++)
    slots[slot_of(points, points->items[i].target, points->items[i].sizes)] = i + 1;
  return PERFPRED_OK;
}

static enum perfpred_status grow_items(struct ppi_points *points, struct perfpred_error *error) {
  size_t capacity = points->capacity ? 2 * points->capacity : 128;
  struct ppi_point *items;

  if (points->count < points->capacity)
    return PERFPRED_OK;
  items = realloc(points->items, capacity * sizeof *items);
  if (!items)
    return ppi_error_memory(error);
  points->items = items;
  points->capacity = capacity;
  return PERFPRED_OK;
}

static void pad(int64_t key[PPI_SIZE_MAX], int dimensions, const int64_t *sizes) {
  for (int d = 0; d < PPI_SIZE_MAX; d++)
    key[d] = d < dimensions ? sizes[d] : 0;
}

enum perfpred_status ppi_points_place(struct ppi_points *points, size_t target, int dimensions, const int64_t *sizes,
                                      size_t *place, struct perfpred_error *error) {
  int64_t key[PPI_SIZE_MAX];
  enum perfpred_status status = grow_slots(points, error);
  size_t slot;

  if (!status)
    status = grow_items(points, error);
  if (status)
    return status;
  pad(key, dimensions, sizes);
  slot = slot_of(points, target, key);
  if (!points->slots[slot]) {
    struct ppi_point *point = points->items + points->count;

    memset(point, 0, sizeof *point);
    point->target = target;
    memcpy(point->sizes, key, sizeof key);
    points->slots[slot] = ++points->count;
  }
  *place = points->slots[slot] - 1;
  return PERFPRED_OK;
}

const struct ppi_point *ppi_points_find(const struct ppi_points *points, size_t target, int dimensions,
                                        const int64_t *sizes) {
  int64_t key[PPI_SIZE_MAX];
  size_t slot;

  if (points->count == 0)
    return NULL;
  pad(key, dimensions, sizes);
  slot = slot_of(points, target, key);
  return points->slots[slot] ? points->items + points->slots[slot] - 1 : NULL;
}

/* Whether the result's samples are to be had, and which of the present ones stay. */
static bool takes(struct ppi_point *point, const struct ppi_result *result) {
  bool first = point->count == 0;

  point->misses += !result->gated;
  if (!first && !point->loose && !result->gated)
    return false;
  if (point->loose && result->gated)
    point->count = 0;
  point->loose = !result->gated;
  return true;
}

enum perfpred_status ppi_point_record(struct ppi_point *point, const struct ppi_result *result, int repetitions,
                                      struct perfpred_error *error) {
  double *times_s = realloc(point->times_s, (point->count + result->count) * sizeof *times_s);

  if (!times_s)
    return ppi_error_memory(error);
  point->times_s = times_s;
  point->disturbed += result->disturbed;
  point->cost_s = fmax(result->measure_s, 0.0) / repetitions;
  if (!takes(point, result))
    return PERFPRED_OK;
  for (size_t i = 0; i < result->count; i++) {
    if (!isfinite(result->times_s[i]))
      return ppi_error_set(error, PERFPRED_NUMERIC, "a sample's time is not a finite number");
    times_s[point->count++] = fmax(result->times_s[i], LEAST_S);
  }
  return PERFPRED_OK;
}

void ppi_points_release(struct ppi_points *points) {
  for (size_t i = 0; i < points->count; i++)
    free(points->items[i].times_s);
  free(points->slots);
  free(points->items);
}
