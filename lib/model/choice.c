/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the next samples of a region go: far from those there are, near those that were met badly. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/adaptive.h"
#include "model/domain.h"

#define CANDIDATES 2048 /* per region; of more places a low-discrepancy share is looked at */
#define SURE 1.000001   /* times a square that was found by products instead of quotients: what it is at least */

double ppi_halton(uint64_t index, int d) {
  static const uint64_t bases[PPI_SIZE_MAX] = { 2, 3, 5, 7, 11, 13, 17, 19 };
  double value = 0.0, share = 1.0;

  for (; index > 0; index /= bases[d]) {
    share /= (double)bases[d];
    value += share * (double)(index % bases[d]);
  }
  return value;
}

static bool is_new(const struct ppi_refinement *refinement, size_t target, const int64_t *sizes) {
  const struct ppi_point *point =
      ppi_points_find(&refinement->points, target, refinement->growths[target].dimensions, sizes);

  return !point || point->count == 0;
}

/* Whether a point is one that may be sampled at all. */
static bool is_held(const struct ppi_refinement *refinement, size_t target, const int64_t *sizes) {
  const struct ppi_basis *basis = refinement->growths[target].target->basis;

  return basis ? ppi_basis_admits(basis, sizes) : ppi_growth_admits(refinement->growths + target, sizes);
}

bool ppi_choice_is_open(const struct ppi_refinement *refinement, size_t target, const int64_t *sizes) {
  return is_new(refinement, target, sizes) && is_held(refinement, target, sizes);
}

static void candidate_at(const struct ppi_choice *choice, uint64_t index, bool all, int64_t *sizes) {
  const struct ppi_region *region = choice->region;

  for (int d = choice->partition->growth->dimensions - 1; d >= 0; d--) {
    int64_t places = ppi_axis_count(choice->partition->growth, d, region->from[d], region->upper[d]), place;

    if (all) {
      place = (int64_t)(index % (uint64_t)places);
      index /= (uint64_t)places;
    } else {
      double low = sqrt((double)region->lower[d]), high = sqrt((double)region->upper[d]);
      double root = low + (high - low) * ppi_halton(index + 1, d);
      double width = (double)(region->upper[d] - region->lower[d]);

      place = width > 0.0 ? (int64_t)((root * root - (double)region->lower[d]) / width * (double)places) : 0;
      place = place < 0 ? 0 : place >= places ? places - 1 : place;
    }
    sizes[d] = ppi_axis_at(choice->partition->growth, d, region->from[d], region->upper[d], place);
  }
}

/* Square of the distance between roots, each dimension relative to the region's width: small sizes lie further apart. `least` or more where
   it is no less than that. */
static double distance(const struct ppi_choice *choice, const double *a, const double *b, double least) {
  int dimensions = choice->partition->growth->dimensions;
  double sum = 0.0;

  /* nearly all are too far: found without a division */
  for (int d = 0; d < dimensions; d++) {
    double part = (a[d] - b[d]) * choice->inverses[d];

    sum += part * part;
  }
  if (sum > SURE * least)
    return sum;
  sum = 0.0;
  for (int d = 0; d < dimensions && sum < least; d++) {
    double width = choice->widths[d];
    double part = width > 0.0 ? (a[d] - b[d]) / width : 0.0;

    sum += part * part;
  }
  return sum;
}

static int64_t *candidate(const struct ppi_choice *choice, int place) {
  return choice->sizes + (size_t)place * PPI_SIZE_MAX;
}

static void take_roots(const int64_t *sizes, int dimensions, double *roots) {
  for (int d = 0; d < dimensions; d++)
    roots[d] = sqrt((double)sizes[d]);
}

/* Distance to the nearest point and how badly that one was met. */
static void rate(struct ppi_choice *choice, int place) {
  const struct ppi_region *region = choice->region;
  const double *roots = choice->roots + (size_t)place * PPI_SIZE_MAX;

  choice->distances[place] = INFINITY;
  choice->weights[place] = 1.0;
  for (int i = 0; i < region->count; i++) {
    double least = choice->distances[place];
    double far = distance(choice, roots, choice->known + (size_t)i * PPI_SIZE_MAX, least);

    if (far < least) {
      choice->distances[place] = far;
      choice->weights[place] = fabs(region->errors[i]) + 0.5 * region->systematic + 1e-6;
    }
  }
}

static enum perfpred_status choice_reserve(struct ppi_choice *choice, int count) {
  const struct ppi_region *region = choice->region;
  size_t room = count > 0 ? (size_t)count : 1, points = region->count > 0 ? (size_t)region->count : 1;

  choice->sizes = calloc(room * PPI_SIZE_MAX, sizeof *choice->sizes);
  choice->distances = malloc(room * sizeof *choice->distances);
  choice->weights = malloc(room * sizeof *choice->weights);
  choice->roots = malloc(room * PPI_SIZE_MAX * sizeof *choice->roots);
  choice->known = malloc(points * PPI_SIZE_MAX * sizeof *choice->known);
  return choice->sizes && choice->distances && choice->weights && choice->roots && choice->known
             ? PERFPRED_OK
             : ppi_error_memory(choice->refinement->error);
}

/* Of the region itself. */
static void choice_measure(struct ppi_choice *choice) {
  const struct ppi_sampled *data = choice->partition->data;
  const struct ppi_region *region = choice->region;
  int dimensions = data->dimensions;

  for (int d = 0; d < dimensions; d++) {
    choice->widths[d] = sqrt((double)region->upper[d]) - sqrt((double)region->lower[d]);
    choice->inverses[d] = choice->widths[d] > 0.0 ? 1.0 / choice->widths[d] : 0.0;
  }
  for (int i = 0; i < region->count; i++)
    take_roots(data->sizes + (size_t)region->index[i] * (size_t)dimensions, dimensions,
               choice->known + (size_t)i * PPI_SIZE_MAX);
}

/* Of the region's box there may be a part beyond a product. */
static bool is_on_side(const struct ppi_choice *choice, const int64_t *sizes) {
  const struct ppi_growth *growth = choice->partition->growth;
  if (!ppi_growth_has_products(growth))
    return true;
  const int64_t product = ppi_basis_product(growth->target->basis, growth->target->kernel, sizes);
  return product >= choice->region->from[growth->dimensions] && product <= choice->region->upper[growth->dimensions];
}

static enum perfpred_status collect(struct ppi_choice *choice) {
  double places = ppi_region_places(choice->partition->growth, choice->region);
  bool all = places <= CANDIDATES;
  int count = all ? (int)places : CANDIDATES;
  enum perfpred_status status = choice_reserve(choice, count);

  if (status)
    return status;
  choice_measure(choice);
  for (int i = 0; i < count; i++) {
    candidate_at(choice, (uint64_t)i + (all ? 0 : 5 * (uint64_t)choice->region->count), all,
                 candidate(choice, choice->count));
    if (!ppi_choice_is_open(choice->refinement, choice->target, candidate(choice, choice->count)) ||
        !is_on_side(choice, candidate(choice, choice->count)))
      continue;
    take_roots(candidate(choice, choice->count), choice->partition->data->dimensions,
               choice->roots + (size_t)choice->count * PPI_SIZE_MAX);
    rate(choice, choice->count);
    choice->count++;
  }
  return PERFPRED_OK;
}

static int best_of(const struct ppi_choice *choice) {
  double best = 0.0;
  int chosen = -1;

  for (int i = 0; i < choice->count; i++) {
    double score = sqrt(choice->distances[i]) * choice->weights[i];

    if (score > best) {
      best = score;
      chosen = i;
    }
  }
  return chosen;
}

/* A chosen point is one to keep away from. */
static void mark(struct ppi_choice *choice, int chosen) {
  const double *there = choice->roots + (size_t)chosen * PPI_SIZE_MAX;

  for (int i = 0; i < choice->count; i++)
    choice->distances[i] = fmin(
        choice->distances[i], distance(choice, choice->roots + (size_t)i * PPI_SIZE_MAX, there, choice->distances[i]));
}

enum perfpred_status ppi_choice_init(struct ppi_choice *choice, const struct ppi_refinement *refinement, size_t target,
                                     const struct ppi_partition *partition, const struct ppi_region *region) {
  memset(choice, 0, sizeof *choice);
  choice->refinement = refinement;
  choice->partition = partition;
  choice->region = region;
  choice->target = target;
  return collect(choice);
}

void ppi_choice_release(struct ppi_choice *choice) {
  free(choice->known);
  free(choice->roots);
  free(choice->weights);
  free(choice->distances);
  free(choice->sizes);
}

const int64_t *ppi_choice_next(struct ppi_choice *choice) {
  int chosen = best_of(choice);

  if (chosen < 0)
    return NULL;
  mark(choice, chosen);
  return candidate(choice, chosen);
}
