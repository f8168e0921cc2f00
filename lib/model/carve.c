/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/adaptive.h"

/* The samples of a region as arrays for the fit. */
struct rows {
  int64_t *points;
  double *values;
};

static void rows_release(struct rows *rows) {
  free(rows->values);
  free(rows->points);
}

static enum perfpred_status rows_of(const struct ppi_sampled *data, const struct ppi_region *region, struct rows *rows,
                                    struct perfpred_error *error) {
  size_t dimensions = (size_t)data->dimensions, count = (size_t)region->count;

  rows->points = malloc((dimensions * count + 1) * sizeof *rows->points);
  rows->values = malloc((PPI_STATISTICS * count + 1) * sizeof *rows->values);
  if (!rows->points || !rows->values)
    return ppi_error_memory(error);
  for (size_t i = 0; i < count; i++) {
    size_t place = (size_t)region->index[i];

    memcpy(rows->points + i * dimensions, data->sizes + place * dimensions, dimensions * sizeof *data->sizes);
    memcpy(rows->values + i * PPI_STATISTICS, data->values + place * PPI_STATISTICS,
           PPI_STATISTICS * sizeof *data->values);
  }
  return PERFPRED_OK;
}

/* Where every place is sampled and few monomials do not meet them, a curve through all of them is what is known. */
static bool interpolates(const struct ppi_partition *partition, const struct ppi_region *region, int *degrees) {
  const struct ppi_growth *growth = partition->growth;

  if (region->worst <= partition->options->error_bound || !ppi_region_is_complete(growth, region) ||
      !ppi_region_is_small(growth, region))
    return false;
  for (int d = 0; d < growth->dimensions; d++)
    degrees[d] = (int)ppi_axis_count(growth, d, region->from[d], region->upper[d]) - 1;
  return true;
}

static enum perfpred_status fit(const struct ppi_refinement *refinement, const struct ppi_partition *partition,
                                const struct ppi_region *region, const struct rows *rows, const struct ppi_terms *terms,
                                struct ppi_piece *piece) {
  int powers[PPI_TERM_MAX][PPI_SIZE_MAX], count = 0, degrees[PPI_SIZE_MAX] = { 0 };

  if (interpolates(partition, region, degrees)) {
    memset(&piece->tiles, 0, sizeof piece->tiles); /* padded sizes may coincide, and no curve goes through both */
    memcpy(piece->degrees, degrees, sizeof degrees);
    return ppi_fit(piece, terms->dimensions, rows->points, rows->values, region->count, refinement->source,
                   refinement->error);
  }
  for (int i = 0; i < region->fit.terms; i++)
    if (region->fit.taken[i])
      memcpy(powers[count++], terms->powers[i], sizeof powers[0]);
  return ppi_fit_terms(piece, terms->dimensions, (const int(*)[PPI_SIZE_MAX])powers, count, rows->points, rows->values,
                       region->count, refinement->source, refinement->error);
}

static enum perfpred_status carve_piece(const struct ppi_refinement *refinement, const struct ppi_partition *partition,
                                        const struct ppi_region *region, const struct ppi_terms *terms,
                                        struct ppi_piece *piece, struct ppi_leaf *leaf) {
  struct rows rows = { NULL, NULL };
  enum perfpred_status status = rows_of(partition->data, region, &rows, refinement->error);

  memset(piece, 0, sizeof *piece);
  memcpy(piece->lower, region->lower, sizeof piece->lower);
  memcpy(piece->upper, region->upper, sizeof piece->upper);
  for (int d = terms->dimensions; d < PPI_SIZE_MAX; d++)
    piece->lower[d] = piece->upper[d] = 0;
  piece->tiles = partition->data->tiles;
  if (!status)
    status = fit(refinement, partition, region, &rows, terms, piece);
  rows_release(&rows);
  leaf->node = region->node;
  leaf->settled = region->settled;
  leaf->worst = piece->error = region->count > region->fit.used ? region->worst : NAN;
  return status;
}

static enum perfpred_status carve_all(struct ppi_refinement *refinement, size_t target,
                                      const struct ppi_partition *partition, const struct ppi_terms *terms) {
  struct ppi_growth *growth = refinement->growths + target;
  size_t count = (size_t)partition->region_count;
  enum perfpred_status status = PERFPRED_OK;

  growth->splits = malloc((size_t)partition->split_count * sizeof *growth->splits);
  growth->pieces = calloc(count, sizeof *growth->pieces);
  growth->leaves = calloc(count, sizeof *growth->leaves);
  if (!growth->splits || !growth->pieces || !growth->leaves)
    return ppi_error_memory(refinement->error);
  memcpy(growth->splits, partition->splits, (size_t)partition->split_count * sizeof *growth->splits);
  growth->split_count = partition->split_count;
  for (size_t i = 0; !status && i < count; i++) {
    status = carve_piece(refinement, partition, partition->regions + i, terms, growth->pieces + i, growth->leaves + i);
    if (!status)
      growth->piece_count = (int)i + 1;
  }
  return status;
}

enum perfpred_status ppi_carve(struct ppi_refinement *refinement, size_t target, const struct ppi_terms *terms,
                               struct ppi_memory *memory, struct ppi_tiling *tiling) {
  struct ppi_sampled data;
  struct ppi_partition partition;
  enum perfpred_status status = ppi_sampled_of(refinement, target, &data);

  if (status)
    return status;
  status = ppi_tiling_update(tiling, refinement->growths + target, terms, &data, refinement->error);
  if (!status)
    status = ppi_partition_build(&partition, refinement, target, &data, terms, memory);
  if (!status) {
    status = carve_all(refinement, target, &partition, terms);
    ppi_partition_release(&partition);
  }
  ppi_sampled_release(&data);
  return status;
}
