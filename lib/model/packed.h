/* SPDX-License-Identifier: BSD-3-Clause */
/* Evaluation of pieces whose statistics stand side by side. All ways multiply and add in the same order, so that the median alone is to
   the bit the one that comes with all five statistics. `pairs` is a constant to the compiler wherever these are called. */
#ifndef PPI_MODEL_PACKED_H
#define PPI_MODEL_PACKED_H

#include <math.h>

#include "model/model.h"

#define PPI_PAIRS_MEDIAN 1 /* minimum and median: no median lies below the minimum */
#define PPI_PACKED_INLINE static inline __attribute__((always_inline))

/* Lays the coefficients of all pieces out. */
enum perfpred_status ppi_submodel_pack(struct ppi_submodel *submodel, struct perfpred_error *error);

/* Horner in one size, on all statistics at once. */
PPI_PACKED_INLINE void ppi_packed_row(const ppi_pair *at, int degree, double x, int pairs, ppi_pair *sum) {
  const ppi_pair factor = { x, x };
  at += degree * PPI_PAIRS;
  for (int p = 0; p < pairs; p++)
    sum[p] = at[p];
  for (int k = 0; k < degree; k++) {
    at -= PPI_PAIRS;
    for (int p = 0; p < pairs; p++)
      sum[p] = sum[p] * factor + at[p];
  }
}

/* In two sizes: the coefficients of the first are polynomials in the second. */
PPI_PACKED_INLINE void ppi_packed_plane(const ppi_pair *at, const int *degrees, const double *x, int pairs,
                                        ppi_pair *sum) {
  const int row = (degrees[1] + 1) * PPI_PAIRS;
  const ppi_pair factor = { x[0], x[0] };
  at += degrees[0] * row;
  ppi_packed_row(at, degrees[1], x[1], pairs, sum);
  for (int k = 0; k < degrees[0]; k++) {
    ppi_pair inner[PPI_PAIRS];
    at -= row;
    ppi_packed_row(at, degrees[1], x[1], pairs, inner);
    for (int p = 0; p < pairs; p++)
      sum[p] = sum[p] * factor + inner[p];
  }
}

/* In three and more. */
void ppi_packed_space(const ppi_pair *at, const int *degrees, const double *x, int dimensions, int pairs,
                      ppi_pair *sum);

PPI_PACKED_INLINE double ppi_packed_scaled(const struct ppi_piece *piece, int d, int64_t size) {
  return (ppi_tiles_pad(&piece->tiles, d, size) - piece->center[d]) * piece->scale[d];
}

PPI_PACKED_INLINE void ppi_packed_values(const struct ppi_piece *piece, int dimensions, const int64_t *sizes, int pairs,
                                         ppi_pair *sum) {
  double x[PPI_SIZE_MAX];
  for (int d = 0; d < dimensions; d++)
    x[d] = ppi_packed_scaled(piece, d, sizes[d]);
  if (dimensions == 2)
    ppi_packed_plane(piece->packed, piece->degrees, x, pairs, sum);
  else if (dimensions == 1)
    ppi_packed_row(piece->packed, piece->degrees[0], x[0], pairs, sum);
  else if (dimensions == 0)
    ppi_packed_row(piece->packed, 0, 0.0, pairs, sum);
  else {
    ppi_pair result[PPI_PAIRS]; /* so that sum need not be in memory */
    ppi_packed_space(piece->packed, piece->degrees, x, dimensions, pairs, result);
    for (int p = 0; p < pairs; p++)
      sum[p] = result[p];
  }
}

static inline double ppi_at_least(double value, double least) {
  return value > least ? value : least; /* least also for NaN */
}

/* None below its floor, and in the order that statistics have. With the median alone the others stay as they are. */
PPI_PACKED_INLINE void ppi_piece_order(const struct ppi_piece *piece, const double *values, bool median,
                                       struct perfpred_statistics *time_s) {
  time_s->min = ppi_at_least(values[0], piece->floors[0]);
  time_s->med = ppi_at_least(ppi_at_least(values[1], piece->floors[1]), time_s->min);
  if (median)
    return;
  time_s->max = ppi_at_least(ppi_at_least(values[2], piece->floors[2]), time_s->med);
  time_s->mean = ppi_at_least(ppi_at_least(values[3], piece->floors[3]), time_s->min);
  if (time_s->mean > time_s->max)
    time_s->mean = time_s->max;
  time_s->std = ppi_at_least(values[4], piece->floors[4]);
}

/* Sums become an estimate inside the domain. */
PPI_PACKED_INLINE void ppi_packed_estimate(const struct ppi_piece *piece, const ppi_pair *sum, bool median,
                                           struct ppi_estimate *estimate) {
  double values[2 * PPI_PAIRS];
  for (int p = 0; p < (median ? PPI_PAIRS_MEDIAN : PPI_PAIRS); p++) {
    values[2 * p] = sum[p][0];
    values[2 * p + 1] = sum[p][1];
  }
  ppi_piece_order(piece, values, median, &estimate->time_s);
  estimate->error = piece->error;
  estimate->notes = isnan(piece->error) ? PERFPRED_NOTE_UNCERTAIN : 0;
}

/* Whether sizes lie inside the domain and leave something to do, so that there is nothing to note. */
PPI_PACKED_INLINE bool ppi_submodel_holds(const struct ppi_submodel *submodel, const int64_t *sizes) {
  for (int d = 0; d < submodel->dimensions; d++)
    if (sizes[d] < submodel->lower[d] || sizes[d] > submodel->upper[d] || sizes[d] <= 0)
      return false;
  return !submodel->basis || ppi_basis_holds(submodel->basis, sizes);
}

#endif
