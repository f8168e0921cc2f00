/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/adaptive.h"

#define DEPTH_MAX 100
#define PRODUCTS_APART 32 /* products are hardly different where they are apart by one part in so many */
#define REMEMBER 150      /* points of a region whose cut is not looked for again */

static enum perfpred_status reserve(struct ppi_partition *partition, struct perfpred_error *error) {
  if (partition->split_count + 2 > partition->split_capacity) {
    int capacity = 2 * partition->split_capacity + 16;
    struct ppi_split *splits = realloc(partition->splits, (size_t)capacity * sizeof *splits);

    if (!splits)
      return ppi_error_memory(error);
    partition->splits = splits;
    partition->split_capacity = capacity;
  }
  if (partition->region_count + 1 > partition->region_capacity) {
    int capacity = 2 * partition->region_capacity + 8;
    struct ppi_region *regions = realloc(partition->regions, (size_t)capacity * sizeof *regions);

    if (!regions)
      return ppi_error_memory(error);
    partition->regions = regions;
    partition->region_capacity = capacity;
  }
  return PERFPRED_OK;
}

static int add_node(struct ppi_partition *partition, int region) {
  const struct ppi_split leaf = { -1, 0, 0, 0, region };

  partition->splits[partition->split_count] = leaf;
  return partition->split_count++;
}

static const int64_t *sizes_of(const struct ppi_partition *partition, int place) {
  return partition->data->sizes + (size_t)place * (size_t)partition->data->dimensions;
}

/* The part of a region on one side of a cut, judged. */
static enum perfpred_status side_of(struct ppi_partition *partition, const struct ppi_region *region,
                                    const struct ppi_cut *cut, bool right, struct ppi_region *side,
                                    struct perfpred_error *error) {
  struct ppi_region box = *region;
  int *index = malloc((size_t)region->count * sizeof *index), count = 0, d = cut->dimension;
  enum perfpred_status status;

  if (!index)
    return ppi_error_memory(error);
  box.depth++;
  if (right) {
    box.lower[d] = cut->at;
    box.from[d] = cut->shared ? cut->at : cut->at + 1;
  } else {
    box.upper[d] = cut->at;
  }
  for (int i = 0; i < region->count; i++) {
    int64_t x = ppi_sampled_at(partition->data, region->index[i], d);

    if (x >= box.from[d] && x <= box.upper[d])
      index[count++] = region->index[i];
  }
  status = ppi_region_init(side, &box, index, count, error);
  free(index);
  if (!status)
    ppi_region_judge(partition, side);
  return status;
}

/* A bend needs no place of its own; a jump is between two neighbours, one along the product between two that are hardly different. */
static bool is_located(const struct ppi_partition *partition, const struct ppi_cut *cut) {
  if (cut->dimension == partition->growth->dimensions)
    return cut->above - cut->below <= cut->above / PRODUCTS_APART;
  return cut->shared || cut->above - cut->below <= partition->growth->knobs.grain;
}

/* Remembers that a jump is not located yet, and a few points beside it. */
static enum perfpred_status add_gap(struct ppi_partition *partition, const struct ppi_region *region,
                                    const struct ppi_cut *cut, struct perfpred_error *error) {
  struct ppi_gap *gap;
  int beside = 0, stride, seen = 0;

  if (partition->gap_count == partition->gap_capacity) {
    int capacity = 2 * partition->gap_capacity + 8;
    struct ppi_gap *gaps = realloc(partition->gaps, (size_t)capacity * sizeof *gaps);

    if (!gaps)
      return ppi_error_memory(error);
    partition->gaps = gaps;
    partition->gap_capacity = capacity;
  }
  gap = partition->gaps + partition->gap_count++;
  memset(gap, 0, sizeof *gap);
  gap->dimension = cut->dimension;
  gap->below = cut->below;
  gap->above = cut->above;
  gap->gain = ppi_region_gain(partition, region);
  for (int i = 0; i < region->count; i++)
    beside += sizes_of(partition, region->index[i])[cut->dimension] == cut->below;
  stride = 1 + (beside - 1) / PPI_GAP_POINTS;
  for (int i = 0; i < region->count && gap->near_count < PPI_GAP_POINTS; i++) {
    const int64_t *sizes = sizes_of(partition, region->index[i]);

    if (sizes[cut->dimension] == cut->below && seen++ % stride == 0)
      memcpy(gap->near[gap->near_count++], sizes, (size_t)partition->data->dimensions * sizeof *sizes);
  }
  return PERFPRED_OK;
}

static enum perfpred_status divide(struct ppi_partition *partition, int place, const struct ppi_cut *cut,
                                   struct perfpred_error *error) {
  struct ppi_region sides[2];
  struct ppi_split *split;
  enum perfpred_status status = reserve(partition, error);

  if (!status && !is_located(partition, cut) && cut->dimension < partition->growth->dimensions)
    status = add_gap(partition, partition->regions + place, cut, error);
  if (!status)
    status = side_of(partition, partition->regions + place, cut, false, &sides[0], error);
  if (status)
    return status;
  status = side_of(partition, partition->regions + place, cut, true, &sides[1], error);
  if (status) {
    ppi_region_release(&sides[0]);
    return status;
  }
  split = partition->splits + partition->regions[place].node;
  split->dimension = cut->dimension;
  split->at = cut->at;
  split->piece = -1;
  split->left = sides[0].node = add_node(partition, place);
  split->right = sides[1].node = add_node(partition, partition->region_count);
  ppi_region_release(partition->regions + place);
  partition->regions[place] = sides[0];
  partition->regions[partition->region_count++] = sides[1];
  return PERFPRED_OK;
}

static enum perfpred_status plant(struct ppi_partition *partition, struct perfpred_error *error) {
  const struct ppi_target *target = partition->growth->target;
  struct ppi_region box;
  int count = partition->data->count, *index = malloc((size_t)count * sizeof *index);
  enum perfpred_status status = index ? reserve(partition, error) : ppi_error_memory(error);

  memset(&box, 0, sizeof box);
  for (int d = 0; d < partition->growth->dimensions; d++) {
    box.lower[d] = box.from[d] = target->lower[d];
    box.upper[d] = target->upper[d];
  }
  if (ppi_growth_has_products(partition->growth))
    box.upper[partition->growth->dimensions] = PPI_PRODUCT_MAX;
  for (int i = 0; index && i < count; i++)
    index[i] = i;
  if (!status)
    status = ppi_region_init(partition->regions, &box, index, count, error);
  free(index);
  if (status)
    return status;
  partition->region_count = 1;
  partition->regions[0].node = add_node(partition, 0);
  ppi_region_judge(partition, partition->regions);
  return PERFPRED_OK;
}

static enum perfpred_status find_cut(struct ppi_partition *partition, const struct ppi_region *region,
                                     struct ppi_cut *cut, struct perfpred_error *error) {
  enum perfpred_status status;

  if (region->count >= REMEMBER && ppi_memory_find(partition->memory, region, cut))
    return PERFPRED_OK;
  status = ppi_cut_find(partition, region, cut, error);
  if (!status && region->count >= REMEMBER && cut->dimension >= 0 && is_located(partition, cut))
    status = ppi_memory_add(partition->memory, region, cut, error);
  return status;
}

/* Cuts a region until it is settled or no cut helps. */
static enum perfpred_status cut_up(struct ppi_partition *partition, int place, struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;

  while (!status && partition->region_count < PPI_PIECE_MAX / 2) {
    const struct ppi_region *region = partition->regions + place;
    struct ppi_cut cut;

    if (region->settled || region->depth >= DEPTH_MAX || !ppi_region_is_bad(partition, region))
      break;
    status = find_cut(partition, region, &cut, error);
    if (status || cut.dimension < 0)
      break;
    status = divide(partition, place, &cut, error);
  }
  return status;
}

enum perfpred_status ppi_partition_build(struct ppi_partition *partition, const struct ppi_refinement *refinement,
                                         size_t target, const struct ppi_sampled *data, const struct ppi_terms *terms,
                                         struct ppi_memory *memory) {
  enum perfpred_status status;

  memset(partition, 0, sizeof *partition);
  partition->growth = refinement->growths + target;
  partition->options = &refinement->options;
  partition->data = data;
  partition->memory = memory;
  status = ppi_chain_init(&partition->chain, terms, data, refinement->error);
  if (!status)
    status = plant(partition, refinement->error);
  for (int i = 0; !status && i < partition->region_count; i++)
    status = cut_up(partition, i, refinement->error);
  if (status)
    ppi_partition_release(partition);
  return status;
}

void ppi_partition_release(struct ppi_partition *partition) {
  for (int i = 0; i < partition->region_count; i++)
    ppi_region_release(partition->regions + i);
  free(partition->gaps);
  free(partition->regions);
  free(partition->splits);
  ppi_chain_release(&partition->chain);
  memset(partition, 0, sizeof *partition);
}
