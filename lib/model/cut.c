/* SPDX-License-Identifier: BSD-3-Clause */
/* Where to cut a region in two: at the coordinate that leaves both sides met best by points left out. A jump shows as a cut
   that is much better when the points at it belong to one side only. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/adaptive.h"

#define SIDE_LEAST 3      /* points of one side */
#define COARSE 12         /* places along a dimension that are tried at first */
#define CONTINUOUS 1.3    /* shared points may make the error so much larger */
#define PRODUCT_PLACES 32 /* products that are tried at first */
#define PRODUCT_LEAST 12  /* points of one side of a cut by the product */
#define PRODUCT_GAIN 0.5 /* of the sum of squares of the best other cut: what one by the product has to leave less of */
#define PRODUCT_SHARED                                                                                                 \
  16 /* one part in so many of the products below a cut is added to the other side, to see whether there is a jump */

struct search {
  struct ppi_partition *partition;
  const struct ppi_region *region;
  int *left, *right;
  int64_t *coordinates; /* distinct ones along the present dimension, ascending */
  int coordinate_count, dimension;
  int least; /* points of one side */
};

static int64_t coordinate(const struct search *search, int place) {
  return ppi_sampled_at(search->partition->data, place, search->dimension);
}

static int ascending(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

  return (x > y) - (x < y);
}

static void collect(struct search *search) {
  const struct ppi_region *region = search->region;
  int count = 0;

  for (int i = 0; i < region->count; i++)
    search->coordinates[i] = coordinate(search, region->index[i]);
  qsort(search->coordinates, (size_t)region->count, sizeof *search->coordinates, ascending);
  for (int i = 0; i < region->count; i++)
    if (count == 0 || search->coordinates[i] != search->coordinates[count - 1])
      search->coordinates[count++] = search->coordinates[i];
  search->coordinate_count = count;
}

/* Between two sampled coordinates: in the middle, where that is no end of the region. */
static int64_t place_between(const struct search *search, int64_t below, int64_t above) {
  int64_t grain = search->partition->growth->knobs.grain, lower = search->region->lower[search->dimension];
  int64_t at = (below + (above - below) / 2) / grain * grain;

  if (at < below)
    at = below;
  return at <= lower ? lower + 1 : at;
}

/* Sum of squares over both sides, INFINITY where one of them has too few points or one side alone has `limit` or more. */
static double evaluate(struct search *search, int64_t at, int64_t from, double limit) {
  const struct ppi_region *region = search->region;
  struct ppi_region box = *region;
  struct ppi_chain_fit fit;
  int lefts = 0, rights = 0;
  double sum;

  for (int i = 0; i < region->count; i++) {
    int64_t x = coordinate(search, region->index[i]);

    if (x <= at)
      search->left[lefts++] = region->index[i];
    if (x >= from)
      search->right[rights++] = region->index[i];
  }
  if (lefts < search->least || rights < search->least)
    return INFINITY;
  box.upper[search->dimension] = at;
  ppi_chain_run(&search->partition->chain, box.lower, box.upper, search->left, lefts, &fit, NULL, NULL);
  sum = fit.press;
  if (!(sum < limit))
    return INFINITY;
  box.upper[search->dimension] = region->upper[search->dimension];
  box.lower[search->dimension] = at;
  ppi_chain_run(&search->partition->chain, box.lower, box.upper, search->right, rights, &fit, NULL, NULL);
  return sum + fit.press * (region->count - lefts) / rights; /* shared points count once */
}

static void try_place(struct search *search, int place, struct ppi_cut *cut) {
  int64_t below = search->coordinates[place], above = search->coordinates[place + 1];
  int64_t at = place_between(search, below, above);
  double press;

  if (at >= search->region->upper[search->dimension])
    return;
  press = evaluate(search, at, at + 1, cut->press);
  if (press < cut->press)
    *cut = (struct ppi_cut){ search->dimension, at, below, above, false, press };
}

static void try_dimension(struct search *search, struct ppi_cut *cut) {
  int places, stride, best = -1;
  double before;

  collect(search);
  places = search->coordinate_count - 1;
  stride = 1 + (places - 1) / COARSE;
  for (int i = stride / 2; i < places; i += stride) {
    before = cut->press;
    try_place(search, i, cut);
    if (cut->press < before)
      best = i;
  }
  for (int i = best - stride + 1; best >= 0 && i < best + stride; i++)
    if (i != best && i >= 0 && i < places)
      try_place(search, i, cut);
}

/* Best of products that are ever closer together. *best: its place, or -1. */
static void try_places(struct search *search, int *best, struct ppi_cut *cut) {
  const int places = search->coordinate_count - 1;
  int stride = 1 + (places - 1) / PRODUCT_PLACES;

  *best = -1;
  for (int i = stride / 2; i < places; i += stride) {
    double before = cut->press;
    try_place(search, i, cut);
    if (cut->press < before)
      *best = i;
  }
  for (stride = (stride + 1) / 2; *best >= 0 && stride >= 1; stride = stride > 1 ? (stride + 1) / 2 : 0) {
    const int beside[] = { *best - stride, *best + stride };
    for (int k = 0; k < 2; k++) {
      double before = cut->press;
      if (beside[k] >= 0 && beside[k] < places)
        try_place(search, beside[k], cut);
      if (cut->press < before)
        *best = beside[k];
    }
  }
}

/* Libraries choose kernels, and numbers of threads, by the product of the sizes, which no few boxes follow. Only what is a jump is cut so. */
static void try_product(struct search *search, struct ppi_cut *cut) {
  const double limit = PRODUCT_GAIN * fmin(cut->press, search->region->fit.press);
  struct ppi_cut found = { .dimension = -1, .press = limit };
  int best;

  search->dimension = search->partition->growth->dimensions;
  search->least = PRODUCT_LEAST;
  collect(search);
  try_places(search, &best, &found);
  if (best >= 0) {
    int shared = best - search->coordinate_count / PRODUCT_SHARED;
    int64_t from = search->coordinates[shared > 0 ? shared : 0];
    double smooth = evaluate(search, found.at, from, INFINITY);

    if (smooth > CONTINUOUS * found.press)
      *cut = found;
  }
  search->least = SIDE_LEAST;
}

/* Points at a cut through something continuous serve both sides. */
static void try_shared(struct search *search, struct ppi_cut *cut) {
  double press, most = CONTINUOUS * cut->press;

  search->dimension = cut->dimension;
  if (cut->below <= search->region->lower[cut->dimension])
    return;
  press = evaluate(search, cut->below, cut->below, nextafter(most, INFINITY));
  if (press <= most) {
    cut->at = cut->below;
    cut->shared = true;
    cut->press = press;
  }
}

static bool may_cut(const struct ppi_partition *partition, const struct ppi_region *region, int d, bool complete) {
  int64_t width = region->upper[d] - region->lower[d];

  return width > 1 && (complete || width >= partition->growth->knobs.minimum_width);
}

/* The middle of the dimension with most places: what is left when nothing is better than anything else. */
static void middle(const struct ppi_partition *partition, const struct ppi_region *region, struct ppi_cut *cut) {
  int64_t most = 2;

  cut->dimension = -1;
  for (int d = 0; d < partition->growth->dimensions; d++) {
    int64_t from = region->from[d], upper = region->upper[d];
    int64_t places = ppi_axis_count(partition->growth, d, from, upper);
    int64_t at = ppi_axis_at(partition->growth, d, from, upper, places / 2);

    if (places > most && at > region->lower[d] && at < upper) {
      most = places;
      *cut = (struct ppi_cut){ d, at, at, at, true, INFINITY };
    }
  }
}

/* A cut has to gain, but less so where there are samples enough to find the next one on either side. */
static bool pays(const struct ppi_partition *partition, const struct ppi_region *region, const struct ppi_cut *cut) {
  bool many = region->count >= 2 * partition->chain.terms->count && region->echo >= PPI_ECHO;

  return cut->dimension >= 0 && cut->press < (many ? 1.0 : PPI_CUT_GAIN) * region->fit.press;
}

static enum perfpred_status search_all(struct search *search, bool complete, struct ppi_cut *cut,
                                       struct perfpred_error *error) {
  size_t count = (size_t)search->region->count;

  search->left = malloc(count * sizeof *search->left);
  search->right = malloc(count * sizeof *search->right);
  search->coordinates = malloc(count * sizeof *search->coordinates);
  if (!search->left || !search->right || !search->coordinates)
    return ppi_error_memory(error);
  for (int d = 0; d < search->partition->growth->dimensions; d++) {
    search->dimension = d;
    if (may_cut(search->partition, search->region, d, complete))
      try_dimension(search, cut);
  }
  if (ppi_growth_has_products(search->partition->growth) && search->region->count >= 2 * PRODUCT_LEAST)
    try_product(search, cut);
  if (cut->dimension >= 0 && cut->dimension < search->partition->growth->dimensions)
    try_shared(search, cut);
  return PERFPRED_OK;
}

enum perfpred_status ppi_cut_find(struct ppi_partition *partition, const struct ppi_region *region, struct ppi_cut *cut,
                                  struct perfpred_error *error) {
  struct search search = { .partition = partition, .region = region, .least = SIDE_LEAST };
  bool complete = ppi_region_is_complete(partition->growth, region);
  enum perfpred_status status = PERFPRED_OK;

  *cut = (struct ppi_cut){ -1, 0, 0, 0, false, INFINITY };
  if (region->count >= 2 * SIDE_LEAST)
    status = search_all(&search, complete, cut, error);
  if (!status && !pays(partition, region, cut)) {
    cut->dimension = -1;
    if ((complete && !ppi_region_is_small(partition->growth, region)) ||
        (region->count >= 8 * partition->chain.terms->count && region->echo >= PPI_ECHO))
      middle(partition, region, cut);
  }
  free(search.coordinates);
  free(search.right);
  free(search.left);
  return status;
}
