/* SPDX-License-Identifier: BSD-3-Clause */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/domain.h"

#define LEAST_S 1e-12 /* relative errors need more than 0 */

enum perfpred_status ppi_growth_init(struct ppi_growth *growth, const struct ppi_target *target,
                                     const struct perfpred_generate_options *options, struct perfpred_error *error) {
  const struct perfpred_kernel *kernel = target->kernel;
  int64_t least = target->basis ? 0 : 1;
  int degrees[PPI_SIZE_MAX] = { 0 };

  memset(growth, 0, sizeof *growth);
  growth->target = target;
  growth->dimensions = ppi_target_dimensions(target);
  ppi_knobs_of(options, growth->dimensions, &growth->knobs);
  growth->knobs.grain = target->grain > 0 ? target->grain : PPI_GRAIN;
  if (target->basis)
    ppi_basis_degrees(target->basis, kernel, target->values, degrees);
  else
    ppi_kernel_degrees(kernel, target->values, degrees);
  for (int d = 0; d < growth->dimensions; d++) {
    const char *name = ppi_target_size_name(target, d);

    if (target->lower[d] < least || target->lower[d] > target->upper[d])
      return ppi_error_set(error, PERFPRED_INVALID, "%s: domain of %s: %lld to %lld: expected %lld <= lower <= upper",
                           kernel->name, name, (long long)target->lower[d], (long long)target->upper[d],
                           (long long)least);
    growth->degrees[d] = (degrees[d] > 0 ? degrees[d] : 0) + growth->knobs.overfitting;
    if (growth->degrees[d] > PPI_DEGREE_MAX - 1)
      growth->degrees[d] = PPI_DEGREE_MAX - 1;
  }
  return ppi_growth_check_domain(growth, error);
}

void ppi_growth_release(struct ppi_growth *growth) {
  for (int i = 0; i < growth->piece_count; i++)
    free(growth->pieces[i].coefficients);
  free(growth->leaves);
  free(growth->pieces);
  free(growth->splits);
}

/* The samples of a box as arrays for the fit. */
struct data {
  int64_t *points;
  double *values;
  int count;
  bool borrowed; /* there are none: the values are those of the piece that the box was cut from */
};

/* The kernel admits no point of the box, so that nobody will ask for one: the polynomial goes on as it was. */
static void borrow(const struct ppi_growth *growth, const struct ppi_lattice *lattice, const struct ppi_piece *parent,
                   struct data *data) {
  size_t dimensions = (size_t)lattice->dimensions;
  int64_t sizes[PPI_SIZE_MAX];

  data->borrowed = true;
  data->count = (int)lattice->total;
  for (size_t i = 0; i < lattice->total; i++) {
    ppi_lattice_at(lattice, i, sizes);
    memcpy(data->points + i * dimensions, sizes, dimensions * sizeof *sizes);
    for (int s = 0; s < PPI_STATISTICS; s++)
      data->values[i * PPI_STATISTICS + (size_t)s] =
          fmax(ppi_piece_value(parent, growth->dimensions, s, sizes), fmax(parent->floors[s], LEAST_S));
  }
}

/* parent: the piece that the box was cut from; NULL: the box is the domain, which has points. */
static enum perfpred_status gather(const struct ppi_refinement *refinement, size_t target,
                                   const struct ppi_lattice *lattice, const struct ppi_piece *parent,
                                   struct data *data) {
  const struct ppi_growth *growth = refinement->growths + target;
  size_t dimensions = (size_t)lattice->dimensions, count = 0;
  int64_t sizes[PPI_SIZE_MAX];

  data->points = malloc((dimensions ? dimensions : 1) * lattice->total * sizeof *data->points);
  data->values = malloc(PPI_STATISTICS * lattice->total * sizeof *data->values);
  if (!data->points || !data->values)
    return ppi_error_memory(refinement->error);
  for (size_t i = 0; i < lattice->total; i++) {
    const struct ppi_point *point;

    if (!ppi_lattice_admits(growth, lattice, i, sizes))
      continue;
    memcpy(data->points + count * dimensions, sizes, dimensions * sizeof *sizes);
    point = ppi_points_find(&refinement->points, target, lattice->dimensions, sizes);
    assert(point && point->count > 0);
    ppi_stats_values(point->times_s, point->count, data->values + count * PPI_STATISTICS);
    count++;
  }
  data->count = (int)count;
  assert(count > 0 || parent);
  if (count == 0)
    borrow(growth, lattice, parent, data);
  return PERFPRED_OK;
}

static enum perfpred_status fit(const struct ppi_refinement *refinement, const struct data *data,
                                struct ppi_growth *growth, struct ppi_piece *piece, struct ppi_leaf *leaf) {
  const struct perfpred_generate_options *options = &refinement->options;
  enum perfpred_status status = ppi_fit(piece, growth->dimensions, data->points, data->values, data->count,
                                        refinement->source, refinement->error);

  if (status)
    return status;
  status = ppi_fit_error(piece, growth->dimensions, data->points, data->values, data->count, options->reference,
                         PERFPRED_ERROR_MAXIMUM, &leaf->worst, refinement->error);
  if (!status)
    status = ppi_fit_error(piece, growth->dimensions, data->points, data->values, data->count, options->reference,
                           options->error_measure, &piece->error, refinement->error);
  if (status) {
    free(piece->coefficients);
    piece->coefficients = NULL;
  }
  return status;
}

/* Whether a leaf stays as it is: good enough, or too narrow to be split, or there is nothing to judge it by. */
static bool settled(const struct ppi_refinement *refinement, const struct ppi_growth *growth,
                    const struct ppi_piece *piece) {
  int64_t at;

  return !(piece->error > refinement->options.error_bound) ||
         ppi_split_choose(growth->dimensions, piece->lower, piece->upper, growth->knobs.minimum_width,
                          growth->knobs.grain, &at) < 0;
}

/* Fits the piece of a box, all of whose points are measured. */
static enum perfpred_status fit_box(const struct ppi_refinement *refinement, size_t target, const int64_t *lower,
                                    const int64_t *upper, const struct ppi_piece *parent, struct ppi_piece *piece,
                                    struct ppi_leaf *leaf) {
  struct ppi_growth *growth = refinement->growths + target;
  struct data data = { NULL, NULL, 0, false };
  struct ppi_lattice lattice;
  enum perfpred_status status;

  memset(piece, 0, sizeof *piece);
  memset(leaf, 0, sizeof *leaf);
  for (int d = 0; d < growth->dimensions; d++) {
    piece->lower[d] = lower[d];
    piece->upper[d] = upper[d];
    piece->degrees[d] = growth->degrees[d];
  }
  status = ppi_lattice_of(growth, refinement->options.grid, lower, upper, &lattice, refinement->error);
  if (!status && ppi_recourse_is_needed(refinement, target, &lattice))
    status = ppi_recourse_gather(refinement, target, piece, &data.points, &data.values, &data.count);
  else if (!status)
    status = gather(refinement, target, &lattice, parent, &data);
  if (!status)
    status = fit(refinement, &data, growth, piece, leaf);
  if (!status && data.borrowed)
    piece->error = leaf->worst = NAN;
  if (!status)
    leaf->settled = settled(refinement, growth, piece);
  free(data.values);
  free(data.points);
  return status;
}

/* Room for one more piece and two more nodes. */
static enum perfpred_status reserve(struct ppi_growth *growth, struct perfpred_error *error) {
  if (growth->split_count + 2 > growth->split_capacity) {
    int capacity = 2 * growth->split_capacity + 8;
    struct ppi_split *splits = realloc(growth->splits, (size_t)capacity * sizeof *splits);

    if (!splits)
      return ppi_error_memory(error);
    growth->splits = splits;
    growth->split_capacity = capacity;
  }
  if (growth->piece_count + 1 > growth->piece_capacity) {
    int capacity = 2 * growth->piece_capacity + 4;
    struct ppi_piece *pieces = realloc(growth->pieces, (size_t)capacity * sizeof *pieces);
    struct ppi_leaf *leaves;

    if (!pieces)
      return ppi_error_memory(error);
    growth->pieces = pieces;
    leaves = realloc(growth->leaves, (size_t)capacity * sizeof *leaves);
    if (!leaves)
      return ppi_error_memory(error);
    growth->leaves = leaves;
    growth->piece_capacity = capacity;
  }
  return PERFPRED_OK;
}

static int add_leaf_node(struct ppi_growth *growth, int piece) {
  const struct ppi_split leaf = { -1, 0, 0, 0, piece };

  growth->splits[growth->split_count] = leaf;
  return growth->split_count++;
}

enum perfpred_status ppi_growth_plant(struct ppi_refinement *refinement, size_t target) {
  struct ppi_growth *growth = refinement->growths + target;
  enum perfpred_status status = reserve(growth, refinement->error);

  if (!status)
    status =
        fit_box(refinement, target, growth->target->lower, growth->target->upper, NULL, growth->pieces, growth->leaves);
  if (status)
    return status;
  growth->piece_count = 1;
  growth->leaves[0].node = add_leaf_node(growth, 0);
  return PERFPRED_OK;
}

enum perfpred_status ppi_growth_split(struct ppi_refinement *refinement, size_t target, int leaf, int dimension,
                                      int64_t at) {
  struct ppi_growth *growth = refinement->growths + target;
  struct ppi_piece halves[2];
  struct ppi_leaf leaves[2];
  struct ppi_split *split;
  int64_t lower[PPI_SIZE_MAX], upper[PPI_SIZE_MAX];
  enum perfpred_status status = reserve(growth, refinement->error);

  if (status)
    return status;
  memcpy(lower, growth->pieces[leaf].lower, sizeof lower);
  memcpy(upper, growth->pieces[leaf].upper, sizeof upper);
  upper[dimension] = at;
  status = fit_box(refinement, target, lower, upper, growth->pieces + leaf, &halves[0], &leaves[0]);
  if (status)
    return status;
  lower[dimension] = at;
  upper[dimension] = growth->pieces[leaf].upper[dimension];
  status = fit_box(refinement, target, lower, upper, growth->pieces + leaf, &halves[1], &leaves[1]);
  if (status) {
    free(halves[0].coefficients);
    return status;
  }
  free(growth->pieces[leaf].coefficients);
  split = growth->splits + growth->leaves[leaf].node;
  split->dimension = dimension;
  split->at = at;
  split->piece = -1;
  split->left = leaves[0].node = add_leaf_node(growth, leaf);
  split->right = leaves[1].node = add_leaf_node(growth, growth->piece_count);
  growth->pieces[leaf] = halves[0];
  growth->leaves[leaf] = leaves[0];
  growth->pieces[growth->piece_count] = halves[1];
  growth->leaves[growth->piece_count++] = leaves[1];
  return PERFPRED_OK;
}

static void count_samples(const struct ppi_refinement *refinement, size_t target, struct ppi_submodel *submodel) {
  for (size_t i = 0; i < refinement->points.count; i++) {
    const struct ppi_point *point = refinement->points.items + i;

    if (point->target != target || point->count == 0)
      continue;
    submodel->points++;
    submodel->samples += point->count;
    submodel->disturbed += point->disturbed;
  }
}

enum perfpred_status ppi_growth_finish(struct ppi_refinement *refinement, size_t target,
                                       struct ppi_submodel *submodel) {
  struct ppi_growth *growth = refinement->growths + target;

  memset(submodel, 0, sizeof *submodel);
  if (growth->target->basis) {
    submodel->basis = malloc(sizeof *submodel->basis);
    if (!submodel->basis)
      return ppi_error_memory(refinement->error);
    *submodel->basis = *growth->target->basis;
  }
  memcpy(submodel->context, growth->target->context, sizeof submodel->context);
  submodel->dimensions = growth->dimensions;
  for (int d = 0; d < growth->dimensions; d++) {
    submodel->lower[d] = growth->target->lower[d];
    submodel->upper[d] = growth->target->upper[d];
  }
  memcpy(submodel->values, growth->target->values, sizeof submodel->values);
  ppi_case_format(growth->target->kernel, growth->target->values, submodel->case_text);
  submodel->ld = refinement->options.ld;
  count_samples(refinement, target, submodel);
  submodel->kernel = ppi_kernel_ref(growth->target->kernel);
  submodel->split_count = growth->split_count;
  submodel->piece_count = growth->piece_count;
  submodel->splits = growth->splits;
  submodel->pieces = growth->pieces;
  growth->splits = NULL;
  growth->pieces = NULL;
  growth->split_count = growth->piece_count = 0;
  return PERFPRED_OK;
}
