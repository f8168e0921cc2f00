/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/fold.h"

#include <string.h>

#include "model/packed.h"

#define SCRATCH 64 /* coefficients of a statistic while sizes are filled in */

/* A boundary between two pieces belongs to the lower one. */
static __attribute__((noinline)) bool enter(struct ppi_fold *fold, const struct ppi_submodel *submodel,
                                            const int64_t *sizes) {
  fold->piece = NULL;
  if (!ppi_submodel_holds(submodel, sizes))
    return false;
  fold->piece = ppi_submodel_piece(submodel, sizes);
  fold->state = PPI_FOLD_OPEN;
  for (int d = 0; d < submodel->dimensions; d++) {
    const int64_t lower = fold->piece->lower[d];
    fold->least[d] = lower > submodel->lower[d] || lower < 1 ? lower + 1 : lower;
    fold->most[d] = fold->piece->upper[d];
  }
  return true;
}

/* Fills size d in: `before` and `behind` are the numbers of coefficients in the sizes on both sides. In place: what is written has been
   read. */
static void fill(const ppi_pair *from, ppi_pair *to, int before, int degree, int behind, double x, int pairs) {
  const ppi_pair factor = { x, x };
  for (int o = 0; o < before; o++)
    for (int r = 0; r < behind; r++) {
      const ppi_pair *at = from + ((o * (degree + 1) + degree) * behind + r) * PPI_PAIRS;
      ppi_pair *sum = to + (o * behind + r) * PPI_PAIRS;
      ppi_pair value[PPI_PAIRS];
      memcpy(value, at, sizeof value);
      for (int k = 0; k < degree; k++) {
        at -= behind * PPI_PAIRS;
        for (int p = 0; p < pairs; p++)
          value[p] = value[p] * factor + at[p];
      }
      memcpy(sum, value, sizeof value);
    }
}

/* Which sizes are left, and whether what is left of the coefficients is few enough. */
static bool plan(struct ppi_fold *fold, int dimensions) {
  const struct ppi_piece *piece = fold->piece;
  int count = 1, filled = 1; /* by the first of them alone */
  fold->left_count = 0;
  for (int d = 0; d < dimensions; d++) {
    if (!(fold->varying >> d & 1U)) {
      filled = piece->degrees[d] + 1;
      continue;
    }
    if (fold->left_count == PPI_FOLD_LEFT)
      return false;
    fold->left[fold->left_count] = d;
    fold->degrees[fold->left_count++] = piece->degrees[d];
    count *= piece->degrees[d] + 1;
  }
  return fold->left_count < dimensions && count <= PPI_FOLD_MAX && piece->count / filled <= SCRATCH;
}

/* From the last size to the first. */
static void make(struct ppi_fold *fold, int dimensions, int pairs) {
  const struct ppi_piece *piece = fold->piece;
  const ppi_pair *from = piece->packed;
  ppi_pair scratch[SCRATCH * PPI_PAIRS];
  int before = piece->count, behind = 1;
  for (int d = dimensions - 1; d >= 0; d--) {
    const int degree = piece->degrees[d];
    before /= degree + 1;
    if (fold->varying >> d & 1U) {
      behind *= degree + 1;
      continue;
    }
    fill(from, scratch, before, degree, behind, ppi_packed_scaled(piece, d, fold->sizes[d]), pairs);
    from = scratch;
  }
  memcpy(fold->coefficients, from, (size_t)(behind * PPI_PAIRS) * sizeof *from);
  fold->state = PPI_FOLD_MADE;
}

PPI_PACKED_INLINE void evaluate(const struct ppi_fold *fold, int dimensions, int pairs, ppi_pair *sum) {
  double x[PPI_FOLD_LEFT];
  if (fold->state != PPI_FOLD_MADE) {
    ppi_packed_values(fold->piece, dimensions, fold->sizes, pairs, sum);
    return;
  }
  for (int i = 0; i < fold->left_count; i++)
    x[i] = ppi_packed_scaled(fold->piece, fold->left[i], fold->sizes[fold->left[i]]);
  if (fold->left_count == 0)
    ppi_packed_row(fold->coefficients, 0, 0.0, pairs, sum);
  else if (fold->left_count == 1)
    ppi_packed_row(fold->coefficients, fold->degrees[0], x[0], pairs, sum);
  else
    ppi_packed_plane(fold->coefficients, fold->degrees, x, pairs, sum);
}

/* What changed since the last call; *inside: and is still within the piece. */
PPI_PACKED_INLINE unsigned change(struct ppi_fold *fold, int dimensions, const int64_t *sizes, bool *inside) {
  unsigned changed = 0;
  *inside = true;
  for (int d = 0; d < dimensions; d++) {
    if (sizes[d] == fold->sizes[d])
      continue;
    changed |= 1U << d;
    *inside = *inside && sizes[d] >= fold->least[d] && sizes[d] <= fold->most[d];
    fold->sizes[d] = sizes[d];
  }
  return changed;
}

/* Sizes are filled in once it has been seen which ones stay; a call that changes others than before is asked for as it is. */
static __attribute__((noinline)) void follow(struct ppi_fold *fold, unsigned changed, int dimensions, int pairs) {
  if (changed & ~fold->varying) {
    fold->varying = changed;
    fold->state = PPI_FOLD_OPEN;
  } else if (fold->state == PPI_FOLD_OPEN) {
    fold->varying = changed;
    fold->state = PPI_FOLD_USELESS;
    if (plan(fold, dimensions))
      make(fold, dimensions, pairs);
  }
}

PPI_PACKED_INLINE bool estimate_as(struct ppi_fold *fold, const struct ppi_submodel *submodel, const int64_t *sizes,
                                   bool median, struct ppi_estimate *estimate) {
  const int pairs = median ? PPI_PAIRS_MEDIAN : PPI_PAIRS, dimensions = submodel->dimensions;
  bool inside = false;
  ppi_pair sum[PPI_PAIRS];
  if (fold->piece) {
    const unsigned changed = change(fold, dimensions, sizes, &inside);
    inside = inside && (!submodel->basis || ppi_basis_holds(submodel->basis, sizes));
    if (!inside && !enter(fold, submodel, sizes))
      return false;
    if (fold->state != PPI_FOLD_MADE || (changed & ~fold->varying))
      follow(fold, changed, dimensions, pairs);
  } else {
    if (!enter(fold, submodel, sizes))
      return false;
    memcpy(fold->sizes, sizes, (size_t)dimensions * sizeof *sizes);
    fold->varying = 0;
  }
  evaluate(fold, dimensions, pairs, sum);
  ppi_packed_estimate(fold->piece, sum, median, estimate);
  return true;
}

bool ppi_fold_estimate(struct ppi_fold *fold, const struct ppi_submodel *submodel, const int64_t *sizes, bool median,
                       struct ppi_estimate *estimate) {
  return median ? estimate_as(fold, submodel, sizes, true, estimate)
                : estimate_as(fold, submodel, sizes, false, estimate);
}
