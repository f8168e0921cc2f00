/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/fold.h"

#include <assert.h>
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
    if (submodel->products) /* where in its box the piece ends is not told by one size */
      fold->least[d] = fold->most[d] = sizes[d];
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
  double x[PPI_FOLD_LEFT] = { 0.0 };
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

/* --- Rows of calls -------------------------------------------------------------------------------------------------- */

#define ROW_LEAST 3 /* calls in a piece for which filling sizes in pays */

/* Scaled variables of the calls of a row that are left, from those of the first one. */
struct track {
  const struct ppi_piece *piece;
  int d[PPI_FOLD_LEFT];
  int64_t size[PPI_FOLD_LEFT], slope[PPI_FOLD_LEFT];
  bool even[PPI_FOLD_LEFT]; /* the same padding for all calls */
  double padding[PPI_FOLD_LEFT];
};

static void follow_track(const struct ppi_fold *fold, const int64_t *slopes, struct track *track) {
  track->piece = fold->piece;
  for (int i = 0; i < fold->left_count; i++) {
    const int d = fold->left[i];
    const int64_t tile = fold->piece->tiles.tile[d], over = tile > 1 ? fold->sizes[d] % tile : 0;
    track->d[i] = d;
    track->size[i] = fold->sizes[d];
    track->slope[i] = slopes[d];
    track->even[i] = tile <= 1 || slopes[d] % tile == 0;
    track->padding[i] = over > 0 ? fold->piece->tiles.padding[d] * (double)(tile - over) : 0.0;
  }
}

/* To the bit as ppi_packed_scaled. */
PPI_PACKED_INLINE double scaled(const struct track *track, int i, int64_t k) {
  const int d = track->d[i];
  const int64_t size = track->size[i] + k * track->slope[i];
  if (!track->even[i])
    return ppi_packed_scaled(track->piece, d, size);
  return ((double)size + track->padding[i] - track->piece->center[d]) * track->piece->scale[d];
}

PPI_PACKED_INLINE void add_values(const struct ppi_piece *piece, const ppi_pair *values, bool median,
                                  struct perfpred_statistics *time_s) {
  struct ppi_estimate estimate;
  ppi_packed_estimate(piece, values, median, &estimate);
  time_s->med += estimate.time_s.med;
  if (median)
    return;
  time_s->min += estimate.time_s.min;
  time_s->max += estimate.time_s.max;
  time_s->mean += estimate.time_s.mean;
  time_s->std += estimate.time_s.std * estimate.time_s.std;
}

/* By what is left of the polynomial. degree: a constant to the compiler, or that of the first size; it is told by `left` what is left. */
PPI_PACKED_INLINE struct perfpred_statistics sum_made(const struct ppi_fold *fold, const struct track *track, int left,
                                                      int degree, int64_t count, bool median) {
  const int pairs = median ? PPI_PAIRS_MEDIAN : PPI_PAIRS;
  struct perfpred_statistics time_s = { 0.0, 0.0, 0.0, 0.0, 0.0 };
  for (int64_t k = 0; k < count; k++) {
    ppi_pair values[PPI_PAIRS];
    const double x[PPI_FOLD_LEFT] = { scaled(track, 0, k), left > 1 ? scaled(track, 1, k) : 0.0 };
    if (left == 1)
      ppi_packed_row(fold->coefficients, degree, x[0], pairs, values);
    else
      ppi_packed_plane(fold->coefficients, fold->degrees, x, pairs, values);
    add_values(fold->piece, values, median, &time_s);
  }
  return time_s;
}

PPI_PACKED_INLINE struct perfpred_statistics sum_left(const struct ppi_fold *fold, const int64_t *slopes, int64_t count,
                                                      bool median) {
  struct track track;
  follow_track(fold, slopes, &track);
  if (fold->left_count == 2)
    return sum_made(fold, &track, 2, 0, count, median);
  switch (fold->degrees[0]) {
  case 1:
    return sum_made(fold, &track, 1, 1, count, median);
  case 2:
    return sum_made(fold, &track, 1, 2, count, median);
  case 3:
    return sum_made(fold, &track, 1, 3, count, median);
  default:
    return sum_made(fold, &track, 1, fold->degrees[0], count, median);
  }
}

/* By the whole polynomial. */
PPI_PACKED_INLINE struct perfpred_statistics sum_whole(const struct ppi_fold *fold, int dimensions,
                                                       const int64_t *slopes, int64_t count, bool median) {
  struct perfpred_statistics time_s = { 0.0, 0.0, 0.0, 0.0, 0.0 };
  int64_t sizes[PPI_SIZE_MAX];
  memcpy(sizes, fold->sizes, (size_t)dimensions * sizeof *sizes);
  for (int64_t k = 0; k < count; k++) {
    ppi_pair values[PPI_PAIRS];
    ppi_packed_values(fold->piece, dimensions, sizes, median ? PPI_PAIRS_MEDIAN : PPI_PAIRS, values);
    add_values(fold->piece, values, median, &time_s);
    for (int d = 0; d < dimensions; d++)
      sizes[d] += slopes[d];
  }
  return time_s;
}

static void repeat(struct perfpred_statistics *time_s, double count) {
  time_s->min *= count;
  time_s->med *= count;
  time_s->max *= count;
  time_s->mean *= count;
  time_s->std *= count;
}

/* How many of the calls the piece of the first one answers. */
static int64_t within(const struct ppi_fold *fold, int dimensions, const int64_t *slopes, int64_t count) {
  for (int d = 0; d < dimensions; d++) {
    const int64_t slope = slopes[d];
    if (slope == 0)
      continue;
    const int64_t way = slope > 0 ? fold->most[d] - fold->sizes[d] : fold->sizes[d] - fold->least[d];
    const int64_t most = way > 0 ? way / (slope > 0 ? slope : -slope) + 1 : 1;
    count = most < count ? most : count;
  }
  return count;
}

static bool is_inside(const struct ppi_fold *fold, int dimensions) {
  for (int d = 0; d < dimensions; d++)
    if (fold->sizes[d] < fold->least[d] || fold->sizes[d] > fold->most[d])
      return false;
  return true;
}

/* What stays is known before the first call, so that it is filled in at once. */
static void prepare(struct ppi_fold *fold, unsigned varying, int64_t count, int dimensions, int pairs) {
  fold->varying = varying;
  fold->state = PPI_FOLD_OPEN;
  if (varying == 0 || count < ROW_LEAST)
    return;
  fold->state = PPI_FOLD_USELESS;
  if (plan(fold, dimensions))
    make(fold, dimensions, pairs);
}

/* The calls of one piece. */
PPI_PACKED_INLINE struct perfpred_statistics sum_piece(const struct ppi_fold *fold, int dimensions,
                                                       const int64_t *slopes, int64_t count, bool median) {
  if (fold->varying != 0)
    return fold->state == PPI_FOLD_MADE ? sum_left(fold, slopes, count, median)
                                        : sum_whole(fold, dimensions, slopes, count, median);
  struct perfpred_statistics time_s = sum_whole(fold, dimensions, slopes, 1, median);
  repeat(&time_s, (double)count);
  return time_s;
}

static void add_piece(const struct ppi_piece *piece, const struct perfpred_statistics *time_s,
                      struct ppi_fold_sum *sum) {
  const bool unknown = isnan(piece->error);
  sum->time_s.min += time_s->min;
  sum->time_s.med += time_s->med;
  sum->time_s.max += time_s->max;
  sum->time_s.mean += time_s->mean;
  sum->time_s.std += time_s->std;
  sum->error_s += (unknown ? 1.0 : piece->error) * time_s->med;
  sum->notes |= unknown ? PERFPRED_NOTE_UNCERTAIN : 0;
}

static unsigned varying_of(int dimensions, const int64_t *slopes) {
  unsigned varying = 0;
  for (int d = 0; d < dimensions; d++)
    varying |= slopes[d] != 0 ? 1U << d : 0;
  return varying;
}

PPI_PACKED_INLINE void sum_as(struct ppi_fold *fold, const struct ppi_submodel *submodel,
                              const struct ppi_fold_row *row, bool median, struct ppi_fold_sum *sum) {
  const int dimensions = submodel->dimensions;
  const unsigned varying = varying_of(dimensions, row->slopes);
  memset(sum, 0, sizeof *sum);
  memcpy(fold->sizes, row->sizes, (size_t)dimensions * sizeof *row->sizes);
  for (int64_t left = row->count; left > 0;) {
    if ((!fold->piece || !is_inside(fold, dimensions)) && !enter(fold, submodel, fold->sizes)) {
      assert(0 && "a row lies in the domain");
      return;
    }
    const int64_t count = within(fold, dimensions, row->slopes, left);
    prepare(fold, varying, count, dimensions, median ? PPI_PAIRS_MEDIAN : PPI_PAIRS);
    const struct perfpred_statistics time_s = sum_piece(fold, dimensions, row->slopes, count, median);
    add_piece(fold->piece, &time_s, sum);
    left -= count;
    for (int d = 0; d < dimensions; d++)
      fold->sizes[d] += (left > 0 ? count : count - 1) * row->slopes[d];
  }
}

void ppi_fold_sum(struct ppi_fold *fold, const struct ppi_submodel *submodel, const struct ppi_fold_row *row,
                  bool median, struct ppi_fold_sum *sum) {
  if (median)
    sum_as(fold, submodel, row, true, sum);
  else
    sum_as(fold, submodel, row, false, sum);
}
