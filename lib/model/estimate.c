/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/model.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

static void set_sizes(const struct ppi_submodel *submodel, const int64_t *sizes, struct ppi_value *values) {
  memcpy(values, submodel->values, sizeof submodel->values);
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

static double at_least(double value, double least) {
  return value > least ? value : least; /* least also for NaN */
}

static void ordered(const struct ppi_piece *piece, const double values[PPI_STATISTICS],
                    struct perfpred_statistics *time_s) {
  time_s->min = at_least(values[0], piece->floors[0]);
  time_s->med = at_least(at_least(values[1], piece->floors[1]), time_s->min);
  time_s->max = at_least(at_least(values[2], piece->floors[2]), time_s->med);
  time_s->mean = at_least(at_least(values[3], piece->floors[3]), time_s->min);
  if (time_s->mean > time_s->max)
    time_s->mean = time_s->max;
  time_s->std = at_least(values[4], piece->floors[4]);
}

/* DBL_MAX instead of an infinity: sums of estimates stay free of NaN. */
static void scale(struct perfpred_statistics *time_s, double factor) {
  ppi_stats_scale(time_s, factor);
  time_s->min = fmin(time_s->min, DBL_MAX);
  time_s->med = fmin(time_s->med, DBL_MAX);
  time_s->max = fmin(time_s->max, DBL_MAX);
  time_s->mean = fmin(time_s->mean, DBL_MAX);
  time_s->std = fmin(time_s->std, DBL_MAX);
}

void ppi_submodel_estimate(const struct ppi_submodel *submodel, const int64_t *sizes, struct ppi_estimate *estimate) {
  int64_t wanted[PPI_SIZE_MAX], inside[PPI_SIZE_MAX];
  double values[PPI_STATISTICS];
  const struct ppi_piece *piece;

  estimate->notes = 0;
  if (no_work(submodel, sizes)) {
    memset(&estimate->time_s, 0, sizeof estimate->time_s);
    estimate->error = 0.0;
    estimate->notes = PERFPRED_NOTE_ZERO_WORK;
    return;
  }
  for (int d = 0; d < submodel->dimensions; d++) {
    wanted[d] = sizes[d];
    if (wanted[d] < submodel->lower[d]) {
      wanted[d] = submodel->lower[d];
      estimate->notes |= PERFPRED_NOTE_CLAMPED;
    }
    inside[d] = wanted[d];
    if (inside[d] > submodel->upper[d]) {
      inside[d] = submodel->upper[d];
      estimate->notes |= PERFPRED_NOTE_EXTRAPOLATED;
    }
  }
  piece = ppi_submodel_piece(submodel, inside);
  ppi_piece_values(piece, submodel->dimensions, inside, values);
  ordered(piece, values, &estimate->time_s);
  estimate->error = piece->error;
  if (isnan(piece->error))
    estimate->notes |= PERFPRED_NOTE_UNCERTAIN;
  if (estimate->notes & PERFPRED_NOTE_EXTRAPOLATED)
    scale(&estimate->time_s, growth(submodel, wanted, inside));
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

void ppi_submodels_estimate(const struct ppi_submodel *const *submodels, int count, const int64_t *sizes,
                            struct ppi_estimate *estimate) {
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
  ppi_submodel_estimate(submodels[best], sizes, estimate);
}
