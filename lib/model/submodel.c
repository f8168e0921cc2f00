/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/model.h"

#include <math.h>
#include <stdlib.h>

#define DEPTH_MAX 512

void ppi_submodel_release(struct ppi_submodel *submodel) {
  for (int i = 0; submodel->pieces && i < submodel->piece_count; i++)
    free(submodel->pieces[i].coefficients);
  free(submodel->anchors);
  free(submodel->packed);
  free(submodel->pieces);
  free(submodel->splits);
  free(submodel->basis);
  ppi_kernel_unref(submodel->kernel);
  submodel->anchors = NULL;
  submodel->anchor_count = 0;
  submodel->packed = NULL;
  submodel->pieces = NULL;
  submodel->splits = NULL;
  submodel->basis = NULL;
  submodel->kernel = NULL;
}

const char *ppi_submodel_size_name(const struct ppi_submodel *submodel, int d) {
  const struct perfpred_kernel *kernel = submodel->kernel;

  if (d == submodel->dimensions)
    return PPI_PRODUCT_NAME;
  return submodel->basis ? submodel->basis->names[d] : kernel->args[kernel->sizes[d]].name;
}

static enum perfpred_status check_bounds(const struct ppi_submodel *submodel, const char *what,
                                         struct perfpred_error *error) {
  for (int d = 0; d < submodel->dimensions; d++) {
    if (submodel->lower[d] < 0)
      return ppi_error_set(error, PERFPRED_CORRUPT, "%s.domain.lower[%d]: %lld: expected a size of at least 0", what, d,
                           (long long)submodel->lower[d]);
    if (submodel->upper[d] < submodel->lower[d])
      return ppi_error_set(error, PERFPRED_CORRUPT,
                           "%s.domain.upper[%d]: %lld: expected at least the lower bound, %lld", what, d,
                           (long long)submodel->upper[d], (long long)submodel->lower[d]);
  }
  return PERFPRED_OK;
}

static enum perfpred_status check_numbers(const struct ppi_piece *piece, int place, const char *what,
                                          struct perfpred_error *error) {
  for (int i = 0; i < PPI_STATISTICS * piece->count; i++)
    if (!isfinite(piece->coefficients[i]))
      return ppi_error_set(error, PERFPRED_CORRUPT, "%s.pieces[%d].coefficients: expected finite numbers", what, place);
  for (int s = 0; s < PPI_STATISTICS; s++)
    if (!isfinite(piece->floors[s]) || piece->floors[s] < 0.0)
      return ppi_error_set(error, PERFPRED_CORRUPT, "%s.pieces[%d].floors: expected finite numbers of at least 0", what,
                           place);
  if (isinf(piece->error) || piece->error < 0.0)
    return ppi_error_set(error, PERFPRED_CORRUPT, "%s.pieces[%d].error: expected a number of at least 0 or null", what,
                         place);
  return PERFPRED_OK;
}

static enum perfpred_status check_piece(const struct ppi_submodel *submodel, int place, const char *what,
                                        struct perfpred_error *error) {
  const struct ppi_piece *piece = submodel->pieces + place;
  long count = 1;

  for (int d = 0; d < submodel->dimensions; d++) {
    if (piece->degrees[d] < 0 || piece->degrees[d] > PPI_DEGREE_MAX)
      return ppi_error_set(error, PERFPRED_CORRUPT, "%s.pieces[%d].degrees[%d]: %d: expected 0 to %d", what, place, d,
                           piece->degrees[d], PPI_DEGREE_MAX);
    count *= piece->degrees[d] + 1;
    if (count > PPI_COEFFICIENT_MAX)
      return ppi_error_set(error, PERFPRED_CORRUPT, "%s.pieces[%d].degrees: more than %d coefficients", what, place,
                           PPI_COEFFICIENT_MAX);
  }
  if (count != piece->count || !piece->coefficients)
    return ppi_error_set(error, PERFPRED_CORRUPT, "%s.pieces[%d].coefficients: expected %ld per statistic", what, place,
                         count);
  return check_numbers(piece, place, what, error);
}

/* Walking down the tree: the box that a node has to cover, and what was met already. */
struct walk {
  const struct ppi_submodel *submodel;
  const char *what;
  unsigned char *pieces_met;
  int nodes, depth;
  int64_t lower[PPI_SIZE_MAX], upper[PPI_SIZE_MAX];
  struct perfpred_error *error;
};

static enum perfpred_status walk_leaf(struct walk *walk, int node) {
  const struct ppi_submodel *submodel = walk->submodel;
  int place = submodel->splits[node].piece;
  const struct ppi_piece *piece = submodel->pieces + place;

  if (place < 0 || place >= submodel->piece_count)
    return ppi_error_set(walk->error, PERFPRED_CORRUPT, "%s.splits[%d].piece: %d: expected 0 to %d", walk->what, node,
                         place, submodel->piece_count - 1);
  if (walk->pieces_met[place])
    return ppi_error_set(walk->error, PERFPRED_CORRUPT, "%s.splits[%d].piece: piece %d is in the tree twice",
                         walk->what, node, place);
  walk->pieces_met[place] = 1;
  for (int d = 0; d < submodel->dimensions; d++)
    if (piece->lower[d] != walk->lower[d] || piece->upper[d] != walk->upper[d])
      return ppi_error_set(walk->error, PERFPRED_CORRUPT,
                           "%s.pieces[%d]: covers %lld to %lld in size %d where the tree expects %lld to %lld",
                           walk->what, place, (long long)piece->lower[d], (long long)piece->upper[d], d,
                           (long long)walk->lower[d], (long long)walk->upper[d]);
  return PERFPRED_OK;
}

static enum perfpred_status walk_node(struct walk *walk, int node);

static enum perfpred_status walk_split(struct walk *walk, int node) {
  const struct ppi_split *split = walk->submodel->splits + node;
  int count = walk->submodel->split_count, d = split->dimension;
  int64_t lower, upper;
  enum perfpred_status status;

  if (d >= walk->submodel->dimensions + (walk->submodel->kernel->size_count > 1) || d >= PPI_SIZE_MAX)
    return ppi_error_set(walk->error, PERFPRED_CORRUPT, "%s.splits[%d]: there is no size %d", walk->what, node, d);
  /* Children stand behind their parent, so that there can be no cycle. */
  if (split->left <= node || split->left >= count || split->right <= node || split->right >= count)
    return ppi_error_set(walk->error, PERFPRED_CORRUPT, "%s.splits[%d]: expected children between %d and %d",
                         walk->what, node, node + 1, count - 1);
  lower = walk->lower[d];
  upper = walk->upper[d];
  if (split->at <= lower || split->at >= upper)
    return ppi_error_set(walk->error, PERFPRED_CORRUPT, "%s.splits[%d].at: %lld: expected a size between %lld and %lld",
                         walk->what, node, (long long)split->at, (long long)lower, (long long)upper);
  walk->upper[d] = split->at;
  status = walk_node(walk, split->left);
  walk->upper[d] = upper;
  if (status)
    return status;
  walk->lower[d] = split->at;
  status = walk_node(walk, split->right);
  walk->lower[d] = lower;
  return status;
}

static enum perfpred_status walk_node(struct walk *walk, int node) {
  enum perfpred_status status;

  if (++walk->nodes > walk->submodel->split_count)
    return ppi_error_set(walk->error, PERFPRED_CORRUPT, "%s.splits[%d]: a node has two parents", walk->what, node);
  if (walk->depth >= DEPTH_MAX)
    return ppi_error_set(walk->error, PERFPRED_CORRUPT, "%s.splits: deeper than %d levels", walk->what, DEPTH_MAX);
  walk->depth++;
  status = walk->submodel->splits[node].dimension < 0 ? walk_leaf(walk, node) : walk_split(walk, node);
  walk->depth--;
  return status;
}

static enum perfpred_status check_tree(const struct ppi_submodel *submodel, const char *what,
                                       struct perfpred_error *error) {
  struct walk walk = { submodel, what, NULL, 0, 0, { 0 }, { 0 }, error };
  enum perfpred_status status;

  for (int d = 0; d < submodel->dimensions; d++) {
    walk.lower[d] = submodel->lower[d];
    walk.upper[d] = submodel->upper[d];
  }
  if (submodel->dimensions < PPI_SIZE_MAX)
    walk.upper[submodel->dimensions] = PPI_PRODUCT_MAX;
  walk.pieces_met = calloc((size_t)submodel->piece_count, 1);
  if (!walk.pieces_met)
    return ppi_error_memory(error);
  status = walk_node(&walk, 0);
  if (!status && walk.nodes != submodel->split_count)
    status = ppi_error_set(error, PERFPRED_CORRUPT, "%s.splits: %d of %d nodes are not in the tree", what,
                           submodel->split_count - walk.nodes, submodel->split_count);
  for (int i = 0; !status && i < submodel->piece_count; i++)
    if (!walk.pieces_met[i])
      status = ppi_error_set(error, PERFPRED_CORRUPT, "%s.pieces[%d]: is not in the tree", what, i);
  free(walk.pieces_met);
  return status;
}

enum perfpred_status ppi_submodel_check(const struct ppi_submodel *submodel, const char *what,
                                        struct perfpred_error *error) {
  enum perfpred_status status;

  if (submodel->dimensions < 0 || submodel->dimensions > PPI_SIZE_MAX)
    return ppi_error_set(error, PERFPRED_CORRUPT, "%s.sizes: expected at most %d", what, PPI_SIZE_MAX);
  if (submodel->split_count < 1 || submodel->piece_count < 1 || submodel->piece_count > PPI_PIECE_MAX)
    return ppi_error_set(error, PERFPRED_CORRUPT, "%s.pieces: expected 1 to %d", what, PPI_PIECE_MAX);
  status = check_bounds(submodel, what, error);
  for (int i = 0; !status && i < submodel->piece_count; i++)
    status = check_piece(submodel, i, what, error);
  return status ? status : check_tree(submodel, what, error);
}
