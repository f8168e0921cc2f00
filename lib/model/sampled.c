/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "model/adaptive.h"

static enum perfpred_status reserve(struct ppi_sampled *data, size_t count, struct perfpred_error *error) {
  size_t dimensions = data->dimensions > 0 ? (size_t)data->dimensions : 1;

  data->sizes = malloc(count * dimensions * sizeof *data->sizes);
  data->products = malloc(count * sizeof *data->products);
  data->padded = malloc(count * dimensions * sizeof *data->padded);
  data->values = malloc(count * PPI_STATISTICS * sizeof *data->values);
  data->variances = calloc(count, sizeof *data->variances);
  data->repetitions = malloc(count * sizeof *data->repetitions);
  return data->sizes && data->products && data->padded && data->values && data->variances && data->repetitions
             ? PERFPRED_OK
             : ppi_error_memory(error);
}

void ppi_sampled_release(struct ppi_sampled *data) {
  free(data->repetitions);
  free(data->variances);
  free(data->values);
  free(data->padded);
  free(data->products);
  free(data->sizes);
  memset(data, 0, sizeof *data);
}

bool ppi_growth_has_products(const struct ppi_growth *growth) {
  return growth->dimensions < PPI_SIZE_MAX && growth->target->kernel->size_count > 1;
}

static void add(struct ppi_sampled *data, const struct ppi_target *target, const struct ppi_point *point) {
  ppi_stats_values(point->times_s, point->count, data->values + (size_t)data->count * PPI_STATISTICS);
  for (int d = 0; d < data->dimensions; d++)
    data->sizes[(size_t)data->count * (size_t)data->dimensions + (size_t)d] = point->sizes[d];
  data->products[data->count] = ppi_basis_product(target->basis, target->kernel, point->sizes);
  data->repetitions[data->count++] = (int)point->count;
}

void ppi_sampled_pad(struct ppi_sampled *data) {
  size_t dimensions = (size_t)data->dimensions;

  for (size_t i = 0; i < (size_t)data->count * dimensions; i++)
    data->padded[i] = ppi_tiles_pad(&data->tiles, (int)(i % dimensions), data->sizes[i]);
}

static bool belongs(const struct ppi_point *point, size_t target) {
  return point->target == target && point->count > 0;
}

static size_t count_of(const struct ppi_points *points, size_t target) {
  size_t count = 0;

  for (size_t i = 0; i < points->count; i++)
    count += belongs(points->items + i, target);
  return count;
}

enum perfpred_status ppi_sampled_of(const struct ppi_refinement *refinement, size_t target, struct ppi_sampled *data) {
  const struct ppi_points *points = &refinement->points;
  size_t count = count_of(points, target), room = count > 0 ? count : 1;
  const double **times_s = malloc(room * sizeof *times_s);
  enum perfpred_status status;

  memset(data, 0, sizeof *data);
  data->dimensions = refinement->growths[target].dimensions;
  data->reference = refinement->options.reference == PERFPRED_REFERENCE_MEDIAN ? 1 : 0;
  status = times_s ? reserve(data, room, refinement->error) : ppi_error_memory(refinement->error);
  for (size_t i = 0; !status && i < points->count; i++)
    if (belongs(points->items + i, target)) {
      times_s[data->count] = points->items[i].times_s;
      add(data, refinement->growths[target].target, points->items + i);
    }
  if (!status && count > 0) {
    ppi_sampled_pad(data);
    status = ppi_noise_settle(data, times_s, refinement->options.repetitions,
                              PPI_NOISY * refinement->options.error_bound, refinement->error);
  }
  free(times_s);
  if (status)
    ppi_sampled_release(data);
  return status;
}
