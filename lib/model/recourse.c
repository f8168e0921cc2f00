/* SPDX-License-Identifier: BSD-3-Clause */
/* What is done where samples are not to be had, because only those that were taken once are there: a target that lacks one gets all
   that are known of it, and makes do with them. */
#include <stdlib.h>
#include <string.h>

#include "model/refine.h"

void ppi_recourse_note(struct ppi_refinement *refinement, struct ppi_point *point) {
  if (point->count == 0 && !point->absent) {
    point->absent = true;
    refinement->missing++;
  }
  refinement->growths[point->target].lacks = true;
}

static bool within(const struct ppi_growth *growth, const int64_t *lower, const int64_t *upper, const int64_t *sizes) {
  for (int d = 0; d < growth->dimensions; d++)
    if (sizes[d] < lower[d] || sizes[d] > upper[d])
      return false;
  return true;
}

static enum perfpred_status add_known(struct ppi_refinement *refinement, size_t target) {
  const struct ppi_growth *growth = refinement->growths + target;
  const struct ppi_request like = { growth->target->kernel, growth->target->values, refinement->options.ld };
  int64_t sizes[PPI_SIZE_MAX] = { 0 };
  enum perfpred_status status = PERFPRED_OK;

  for (size_t place = 0;
       !status && refinement->known->next(refinement->known->data, &like, growth->target->context, &place, sizes);
       place++)
    if (within(growth, growth->target->lower, growth->target->upper, sizes))
      status = ppi_batch_add_point(refinement, target, sizes, true);
  return status;
}

/* A point of the target in a box, from the i-th on. */
static const struct ppi_point *next_in(const struct ppi_refinement *refinement, size_t target, const int64_t *lower,
                                       const int64_t *upper, size_t *i) {
  for (; *i < refinement->points.count; ++*i) {
    const struct ppi_point *point = refinement->points.items + *i;

    if (point->target == target && point->count > 0 &&
        within(refinement->growths + target, lower, upper, point->sizes)) {
      ++*i;
      return point;
    }
  }
  return NULL;
}

static size_t count_in(const struct ppi_refinement *refinement, size_t target, const int64_t *lower,
                       const int64_t *upper) {
  size_t i = 0, count = 0;

  while (next_in(refinement, target, lower, upper, &i))
    count++;
  return count;
}

static enum perfpred_status require_some(const struct ppi_refinement *refinement, size_t target) {
  const struct ppi_target *about = refinement->growths[target].target;
  char case_text[PPI_CASE_MAX];

  if (count_in(refinement, target, about->lower, about->upper) > 0)
    return PERFPRED_OK;
  ppi_case_format(about->kernel, about->values, case_text);
  return ppi_error_set(refinement->error, PERFPRED_NOT_FOUND, "%s(%s): none of its samples are known",
                       about->kernel->name, case_text);
}

enum perfpred_status ppi_recourse_take(struct ppi_refinement *refinement) {
  enum perfpred_status status = PERFPRED_OK;

  for (size_t i = 0; !status && i < refinement->count; i++)
    if (refinement->growths[i].lacks && !refinement->growths[i].closed)
      status = add_known(refinement, i);
  if (!status && refinement->batch_count > 0)
    status = ppi_batch_measure_batch(refinement, refinement->options.repetitions, true);
  for (size_t i = 0; !status && i < refinement->count; i++)
    if (refinement->growths[i].lacks && !refinement->growths[i].closed) {
      refinement->growths[i].closed = true;
      status = require_some(refinement, i);
    }
  return status;
}

static size_t coefficients(const int *degrees, int dimensions) {
  size_t count = 1;

  for (int d = 0; d < dimensions; d++)
    count *= (size_t)degrees[d] + 1;
  return count;
}

/* Scattered points carry fewer coefficients than those of a grid. */
static bool carry(size_t points, size_t coefficients_wanted) {
  return 2 * points >= 3 * coefficients_wanted;
}

bool ppi_recourse_suffices(const struct ppi_refinement *refinement, size_t target, const struct ppi_lattice *lattice,
                           const int64_t *lower, const int64_t *upper) {
  const struct ppi_growth *growth = refinement->growths + target;
  size_t count;

  if (!growth->closed)
    return false;
  count = count_in(refinement, target, lower, upper);
  return count >= lattice->total || carry(count, coefficients(growth->degrees, growth->dimensions));
}

bool ppi_recourse_is_needed(const struct ppi_refinement *refinement, size_t target, const struct ppi_lattice *lattice) {
  int64_t sizes[PPI_SIZE_MAX];

  if (!refinement->growths[target].closed)
    return false;
  for (size_t i = 0; i < lattice->total; i++) {
    const struct ppi_point *point;

    if (!ppi_lattice_admits(refinement->growths + target, lattice, i, sizes))
      continue;
    point = ppi_points_find(&refinement->points, target, lattice->dimensions, sizes);
    if (!point || point->count == 0)
      return true;
  }
  return false;
}

static void lower_degrees(struct ppi_piece *piece, int dimensions, size_t points) {
  while (!carry(points, coefficients(piece->degrees, dimensions))) {
    int highest = 0;

    for (int d = 1; d < dimensions; d++)
      highest = piece->degrees[d] > piece->degrees[highest] ? d : highest;
    if (dimensions == 0 || piece->degrees[highest] == 0)
      return;
    piece->degrees[highest]--;
  }
}

enum perfpred_status ppi_recourse_gather(const struct ppi_refinement *refinement, size_t target,
                                         struct ppi_piece *piece, int64_t **points, double **values, int *count) {
  size_t dimensions = (size_t)refinement->growths[target].dimensions, i = 0, made = 0;
  size_t all = count_in(refinement, target, piece->lower, piece->upper);
  const struct ppi_point *point;

  *points = malloc((dimensions * all + 1) * sizeof **points);
  *values = malloc((PPI_STATISTICS * all + 1) * sizeof **values);
  if (!*points || !*values)
    return ppi_error_memory(refinement->error);
  while ((point = next_in(refinement, target, piece->lower, piece->upper, &i))) {
    memcpy(*points + made * dimensions, point->sizes, dimensions * sizeof **points);
    ppi_stats_values(point->times_s, point->count, *values + made++ * PPI_STATISTICS);
  }
  lower_degrees(piece, (int)dimensions, all);
  *count = (int)all;
  return PERFPRED_OK;
}
