/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/level.h"

#include <stdlib.h>
#include <string.h>

void ppi_level_add(struct ppi_level *level, double reading_s) {
  level->readings[level->count++ % PPI_LEVEL_READINGS] = reading_s;
  if (level->reference_s <= 0.0)
    level->reference_s = reading_s;
}

static int compare(const void *a, const void *b) {
  const double *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

void ppi_level_update(struct ppi_level *level, double gate) {
  size_t count = level->count < PPI_LEVEL_READINGS ? level->count : PPI_LEVEL_READINGS;
  double sorted[PPI_LEVEL_READINGS];
  if (count == 0 || gate < 0.0)
    return;
  memcpy(sorted, level->readings, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, compare);
  size_t wanted = (size_t)(PPI_LEVEL_SHARE * (double)count);
  size_t first = 0, end = 0;
  for (; first < count; first++) {
    while (end < count && sorted[end] <= sorted[first] * (1.0 + gate))
      end++;
    if (end - first > wanted || end == count)
      break;
  }
  double slowest = level->best_s * (1.0 + PPI_LEVEL_SPAN);
  level->reference_s = level->best_s > 0.0 && sorted[first] > slowest ? slowest : sorted[first];
}

bool ppi_level_passes(const struct ppi_level *level, double reading_s, double gate) {
  double from = level->reference_s > level->best_s ? level->reference_s : level->best_s;
  return gate < 0.0 || reading_s <= from * (1.0 + gate);
}

double ppi_level_target(const struct ppi_level *level) {
  return level->given_s > 0.0 ? level->given_s : level->best_s;
}

bool ppi_level_given_fits(const struct ppi_level *level) {
  return level->given_s <= 0.0 || level->best_s <= 0.0 ||
         (level->given_s <= level->best_s * PPI_LEVEL_APART && level->given_s * PPI_LEVEL_APART >= level->best_s);
}
