/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/packed.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#define SHARES_MAX 0.875 /* of the time at the boundary, what may be gone at last: the rate grows eightfold at most */
#define REACH_BELOW 4.0  /* times the way below the domain fit into a piece that goes on there; narrower ones do not */
#define REACH_MAX 3.0    /* a trend from a point above 3/4 of the boundary would be one of the noise */

static void set_sizes(const struct ppi_submodel *submodel, const int64_t *sizes, struct ppi_value *values) {
  memcpy(values, submodel->values, sizeof submodel->values);
  if (submodel->basis) {
    ppi_basis_apply(submodel->basis, submodel->kernel, sizes, values);
    return;
  }
  for (int d = 0; d < submodel->dimensions; d++)
    values[submodel->kernel->sizes[d]].i = sizes[d] > 0 ? sizes[d] : 0;
}

/* Only a size of 0 can leave nothing to do, so that usual calls never pay for looking. */
static bool no_work(const struct ppi_submodel *submodel, const int64_t *sizes) {
  struct ppi_value values[PPI_ARG_MAX];
  bool zero = false;

  for (int d = 0; d < submodel->dimensions; d++)
    zero = zero || sizes[d] <= 0;
  if (!zero)
    return false;
  set_sizes(submodel, sizes, values);
  return ppi_kernel_is_empty(submodel->kernel, values) || (ppi_kernel_flops(submodel->kernel, values) <= 0.0 &&
                                                           ppi_kernel_movement_bytes(submodel->kernel, values) <= 0.0);
}

/* What the sub-model says of a point of its domain. */
static const struct ppi_piece *within(const struct ppi_submodel *submodel, const int64_t *sizes,
                                      struct perfpred_statistics *time_s) {
  const struct ppi_piece *piece = ppi_submodel_piece(submodel, sizes);
  double values[PPI_STATISTICS];

  ppi_piece_values(piece, submodel->dimensions, sizes, values);
  ppi_piece_order(piece, values, false, time_s);
  return piece;
}

/* How much more work there is at `sizes` than at `inside`. */
static double growth(const struct ppi_submodel *submodel, const int64_t *sizes, const int64_t *inside) {
  struct ppi_value there[PPI_ARG_MAX], here[PPI_ARG_MAX];
  double ratio;

  set_sizes(submodel, sizes, there);
  set_sizes(submodel, inside, here);
  ratio = ppi_kernel_flops(submodel->kernel, there) / ppi_kernel_flops(submodel->kernel, here);
  if (!(ratio > 0.0) || !isfinite(ratio))
    ratio = ppi_kernel_movement_bytes(submodel->kernel, there) / ppi_kernel_movement_bytes(submodel->kernel, here);
  return ratio > 0.0 && isfinite(ratio) ? ratio : 1.0;
}

/* Above the domain, time per work is alpha + sum over d of beta_d / x_d. Of the time at the boundary point b, beta_d / b_d is the
   share of size d; the shares are summed, once as they are at b and once with what is gone of them at the wanted sizes. */
enum { TREND_MIN, TREND_MED, TREND_MAX, TREND_MEAN, TREND_COUNT };
struct trend {
  double shares[TREND_COUNT], gone[TREND_COUNT];
};

/* A rate that falls towards the boundary is no trend to carry on: 0, also for NaN. */
static void add_share(struct trend *trend, int statistic, double excess, double reach, double fading) {
  double share = excess * reach;

  share = share > 0.0 ? fmin(share, 1.0) : 0.0;
  trend->shares[statistic] += share;
  trend->gone[statistic] += share * fading;
}

/* The share of size d, from how much more time per work the point at half of it takes. */
static void add_size(struct trend *trend, const struct ppi_submodel *submodel, const int64_t *edge, int d,
                     int64_t wanted, const struct perfpred_statistics *time_s) {
  int64_t point[PPI_SIZE_MAX];
  struct perfpred_statistics half;
  double work, reach, fading = 1.0 - (double)edge[d] / (double)wanted;

  memcpy(point, edge, (size_t)submodel->dimensions * sizeof *point);
  point[d] -= edge[d] / 2;
  if (point[d] < submodel->lower[d])
    point[d] = submodel->lower[d];
  reach = (double)point[d] / (double)(edge[d] - point[d]);
  if (!(reach > 0.0) || reach > REACH_MAX)
    return;
  (void)within(submodel, point, &half);
  work = growth(submodel, edge, point);
  add_share(trend, TREND_MIN, half.min * work / time_s->min - 1.0, reach, fading);
  add_share(trend, TREND_MED, half.med * work / time_s->med - 1.0, reach, fading);
  add_share(trend, TREND_MAX, half.max * work / time_s->max - 1.0, reach, fading);
  add_share(trend, TREND_MEAN, half.mean * work / time_s->mean - 1.0, reach, fading);
}

/* DBL_MAX instead of an infinity: sums of estimates stay free of NaN. */
static double carried(const struct trend *trend, int statistic, double time_s, double work) {
  double shares = trend->shares[statistic], gone = trend->gone[statistic];

  if (shares > SHARES_MAX)
    gone *= SHARES_MAX / shares;
  return fmin(time_s * (1.0 - gone) * work, DBL_MAX);
}

static void extrapolate(const struct ppi_submodel *submodel, const int64_t *wanted, const int64_t *inside,
                        struct perfpred_statistics *time_s) {
  struct trend trend = { { 0.0 }, { 0.0 } };
  double work = growth(submodel, wanted, inside);

  for (int d = 0; d < submodel->dimensions; d++)
    if (wanted[d] > inside[d])
      add_size(&trend, submodel, inside, d, wanted[d], time_s);
  time_s->std = carried(&trend, TREND_MEAN, time_s->std, work);
  time_s->min = carried(&trend, TREND_MIN, time_s->min, work);
  time_s->med = fmax(carried(&trend, TREND_MED, time_s->med, work), time_s->min);
  time_s->max = fmax(carried(&trend, TREND_MAX, time_s->max, work), time_s->med);
  time_s->mean = fmin(fmax(carried(&trend, TREND_MEAN, time_s->mean, work), time_s->min), time_s->max);
}

static double between(double value, double least, double most) {
  return value < most ? ppi_at_least(value, least) : most; /* most also for NaN */
}

/* Below the domain the polynomial goes on, but no time is longer than that at the boundary, and none falls faster than the work does. */
static void go_below(const struct ppi_submodel *submodel, const struct ppi_piece *piece, const int64_t *sizes,
                     const int64_t *inside, struct perfpred_statistics *time_s) {
  int64_t below[PPI_SIZE_MAX];
  double values[PPI_STATISTICS], share;

  for (int d = 0; d < submodel->dimensions; d++) {
    below[d] = sizes[d] < inside[d] ? (sizes[d] > 0 ? sizes[d] : 0) : inside[d];
    if (REACH_BELOW * (double)(inside[d] - below[d]) > (double)(piece->upper[d] - piece->lower[d]))
      below[d] = inside[d];
  }
  share = fmin(growth(submodel, below, inside), 1.0);
  ppi_piece_values(piece, submodel->dimensions, below, values);
  time_s->min = between(values[0], share * time_s->min, time_s->min);
  time_s->med = fmax(between(values[1], share * time_s->med, time_s->med), time_s->min);
  time_s->max = fmax(between(values[2], share * time_s->max, time_s->max), time_s->med);
  time_s->mean = fmin(fmax(between(values[3], share * time_s->mean, time_s->mean), time_s->min), time_s->max);
  time_s->std = between(values[4], share * time_s->std, time_s->std);
}

/* wanted: no size below the domain; inside: the nearest point of it. Returns what is to be noted. */
static unsigned place(const struct ppi_submodel *submodel, const int64_t *sizes, int64_t *wanted, int64_t *inside) {
  unsigned notes = 0;

  for (int d = 0; d < submodel->dimensions; d++) {
    wanted[d] = sizes[d];
    if (wanted[d] < submodel->lower[d]) {
      wanted[d] = submodel->lower[d];
      if (!submodel->basis || sizes[d] > 0)
        notes |= PERFPRED_NOTE_CLAMPED;
    }
    inside[d] = wanted[d];
    if (inside[d] > submodel->upper[d]) {
      inside[d] = submodel->upper[d];
      notes |= PERFPRED_NOTE_EXTRAPOLATED;
    }
  }
  return notes;
}

static void estimate_anywhere(const struct ppi_submodel *submodel, const int64_t *sizes,
                              struct ppi_estimate *estimate) {
  int64_t wanted[PPI_SIZE_MAX], inside[PPI_SIZE_MAX];
  const struct ppi_piece *piece;

  estimate->notes = 0;
  if (no_work(submodel, sizes)) {
    memset(&estimate->time_s, 0, sizeof estimate->time_s);
    estimate->error = 0.0;
    estimate->notes = PERFPRED_NOTE_ZERO_WORK;
    return;
  }
  estimate->notes = place(submodel, sizes, wanted, inside);
  if (submodel->basis && !ppi_basis_holds(submodel->basis, sizes)) {
    ppi_basis_shrink(submodel->basis, submodel->lower, inside);
    estimate->notes |= PERFPRED_NOTE_EXTRAPOLATED;
  }
  piece = within(submodel, inside, &estimate->time_s);
  estimate->error = piece->error;
  if (isnan(piece->error))
    estimate->notes |= PERFPRED_NOTE_UNCERTAIN;
  if (estimate->notes & PERFPRED_NOTE_EXTRAPOLATED)
    extrapolate(submodel, wanted, inside, &estimate->time_s);
  else if ((estimate->notes & PERFPRED_NOTE_CLAMPED) && !submodel->basis)
    go_below(submodel, piece, sizes, inside, &estimate->time_s);
}

/* Nearly all questions are of points inside. */
PPI_PACKED_INLINE void estimate_as(const struct ppi_submodel *submodel, const int64_t *sizes, bool median,
                                   struct ppi_estimate *estimate) {
  const struct ppi_piece *piece;
  ppi_pair sum[PPI_PAIRS];

  if (!submodel->packed || !ppi_submodel_holds(submodel, sizes)) {
    estimate_anywhere(submodel, sizes, estimate);
    return;
  }
  piece = ppi_submodel_piece(submodel, sizes);
  ppi_packed_values(piece, submodel->dimensions, sizes, median ? PPI_PAIRS_MEDIAN : PPI_PAIRS, sum);
  ppi_packed_estimate(piece, sum, median, estimate);
}

void ppi_submodel_estimate(const struct ppi_submodel *submodel, const int64_t *sizes, struct ppi_estimate *estimate) {
  estimate_as(submodel, sizes, false, estimate);
}

void ppi_submodel_estimate_median(const struct ppi_submodel *submodel, const int64_t *sizes,
                                  struct ppi_estimate *estimate) {
  estimate_as(submodel, sizes, true, estimate);
}

/* Distance to the nearest boundary, negative outside. A size that the domain fixes and that is met says nothing. */
static double depth(const struct ppi_submodel *submodel, const int64_t *sizes) {
  double least = DBL_MAX;

  for (int d = 0; d < submodel->dimensions; d++) {
    double below = (double)sizes[d] - (double)submodel->lower[d];
    double above = (double)submodel->upper[d] - (double)sizes[d];

    if (submodel->lower[d] == submodel->upper[d] && sizes[d] == submodel->lower[d])
      continue;
    least = fmin(least, fmin(below, above));
  }
  return least;
}

const struct ppi_submodel *ppi_submodels_choose(const struct ppi_submodel *const *submodels, int count,
                                                const int64_t *sizes) {
  int best = 0;

  assert(count >= 1);
  if (count > 1) {
    double deepest = depth(submodels[0], sizes);

    for (int i = 1; i < count; i++) {
      double here = depth(submodels[i], sizes);

      if (here > deepest) {
        deepest = here;
        best = i;
      }
    }
  }
  return submodels[best];
}
