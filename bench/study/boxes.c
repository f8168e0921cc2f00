/* SPDX-License-Identifier: BSD-3-Clause */
#include "boxes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUES_MAX 1024 /* of one dimension */
#define POINTS_MAX 1000000u

void boxes_release(struct boxes *boxes) {
  free(boxes->points);
  boxes->points = NULL;
}

static enum perfpred_status push(struct boxes *boxes, const struct boxes_point *point, struct perfpred_error *error) {
  if (boxes->count == POINTS_MAX)
    return ppi_error_set(error, PERFPRED_LIMIT, "boxes: more than %u points", POINTS_MAX);
  if (boxes->count == boxes->capacity) {
    size_t capacity = boxes->capacity ? 2 * boxes->capacity : 256;
    struct boxes_point *points = realloc(boxes->points, capacity * sizeof *points);

    if (!points)
      return ppi_error_memory(error);
    boxes->points = points;
    boxes->capacity = capacity;
  }
  boxes->points[boxes->count++] = *point;
  return PERFPRED_OK;
}

struct axis {
  int count;
  int64_t values[VALUES_MAX];
};

/* N, FIRST:LAST:STEP, joined by '/'. */
static bool parse_axis(const char *text, size_t length, struct axis *axis) {
  const char *end = text + length;

  axis->count = 0;
  while (text < end) {
    long long first = 0, last = 0, step = 1;
    int used = 0;

    if (sscanf(text, "%lld%n:%lld:%lld%n", &first, &used, &last, &step, &used) == 1)
      last = first;
    if (used == 0 || first < 1 || last < first || step < 1 || text + used > end)
      return false;
    for (; first <= last; first += step) {
      if (axis->count == VALUES_MAX)
        return false;
      axis->values[axis->count++] = first;
    }
    text += used;
    if (text < end && *text++ != '/')
      return false;
  }
  return axis->count > 0;
}

static bool parse_ld(const char *at, int64_t *ld) {
  long long value = 0;
  int used = 0;

  if (!*at)
    return true;
  if (sscanf(at, "@%lld%n", &value, &used) != 1 || at[used] || value < 1)
    return false;
  *ld = value;
  return true;
}

static enum perfpred_status parse(const char *text, int dimensions, struct axis *axes, int64_t *ld,
                                  struct perfpred_error *error) {
  const char *at = text;

  for (int d = 0; d < dimensions; d++) {
    size_t length = strcspn(at, ",@");

    if (!parse_axis(at, length, &axes[d]) || (d < dimensions - 1 && at[length] != ','))
      return ppi_error_set(error, PERFPRED_SYNTAX,
                           "box '%s': expected %d sizes with commas between, such as 24:536:8,24/48", text, dimensions);
    at += length + (d < dimensions - 1);
  }
  if (!parse_ld(at, ld))
    return ppi_error_set(error, PERFPRED_SYNTAX, "box '%s': '%s': expected @LD or nothing", text, at);
  return PERFPRED_OK;
}

enum perfpred_status boxes_add(struct boxes *boxes, int dimensions, const char *text, int64_t ld,
                               struct perfpred_error *error) {
  struct axis *axes = calloc(PPI_SIZE_MAX, sizeof *axes);
  struct boxes_point point = { .ld = ld };
  int index[PPI_SIZE_MAX] = { 0 }, d = 0;
  enum perfpred_status status = axes ? parse(text, dimensions, axes, &point.ld, error) : ppi_error_memory(error);

  while (!status && d >= 0) {
    for (d = 0; d < dimensions; d++)
      point.sizes[d] = axes[d].values[index[d]];
    status = push(boxes, &point, error);
    for (d = dimensions - 1; d >= 0 && ++index[d] == axes[d].count; d--)
      index[d] = 0;
  }
  free(axes);
  return status;
}

static int compare(const void *a, const void *b) {
  return memcmp(a, b, sizeof(struct boxes_point)); /* any order will do */
}

void boxes_shuffle(struct boxes *boxes, struct ppi_random *random) {
  size_t kept = 0;

  if (boxes->count == 0)
    return;
  qsort(boxes->points, boxes->count, sizeof *boxes->points, compare);
  for (size_t i = 0; i < boxes->count; i++)
    if (i == 0 || compare(&boxes->points[i], &boxes->points[kept - 1]) != 0)
      boxes->points[kept++] = boxes->points[i];
  boxes->count = kept;
  for (size_t i = kept - 1; i > 0; i--) {
    size_t other = (size_t)(ppi_random_next(random) % (i + 1));
    struct boxes_point swapped = boxes->points[i];

    boxes->points[i] = boxes->points[other];
    boxes->points[other] = swapped;
  }
}
