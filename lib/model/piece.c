/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/generate.h"

#include <assert.h>

void ppi_piece_scale(struct ppi_piece *piece, int dimensions) {
  piece->count = 1;
  for (int d = 0; d < dimensions; d++) {
    double half = 0.5 * ((double)piece->upper[d] - (double)piece->lower[d]);

    piece->center[d] = 0.5 * ((double)piece->lower[d] + (double)piece->upper[d]);
    piece->scale[d] = half > 0.0 ? 1.0 / half : 0.0;
    piece->count *= piece->degrees[d] + 1;
  }
}

/* Horner in the last dimension, on all statistics at once: five chains that do not wait for each other. */
static void row(const double *coefficients, int count, int degree, double x, double values[PPI_STATISTICS]) {
  for (int s = 0; s < PPI_STATISTICS; s++)
    values[s] = coefficients[s * count + degree];
  for (int k = degree - 1; k >= 0; k--)
    for (int s = 0; s < PPI_STATISTICS; s++)
      values[s] = values[s] * x + coefficients[s * count + k];
}

/* Horner over the tensor product: the coefficients of dimension d are polynomials in the dimensions behind it. */
static void nested(const struct ppi_piece *piece, const double *coefficients, int d, int last, const double *x,
                   const int *strides, double values[PPI_STATISTICS]) {
  double inner[PPI_STATISTICS];

  if (d == last) {
    row(coefficients, piece->count, piece->degrees[d], x[d], values);
    return;
  }
  nested(piece, coefficients + piece->degrees[d] * strides[d], d + 1, last, x, strides, values);
  for (int k = piece->degrees[d] - 1; k >= 0; k--) {
    nested(piece, coefficients + k * strides[d], d + 1, last, x, strides, inner);
    for (int s = 0; s < PPI_STATISTICS; s++)
      values[s] = values[s] * x[d] + inner[s];
  }
}

void ppi_piece_values(const struct ppi_piece *piece, int dimensions, const int64_t *sizes,
                      double values[PPI_STATISTICS]) {
  double x[PPI_SIZE_MAX];
  int strides[PPI_SIZE_MAX];
  int stride = 1;

  assert(dimensions >= 0 && dimensions <= PPI_SIZE_MAX);
  for (int d = dimensions - 1; d >= 0; d--) {
    x[d] = (ppi_tiles_pad(&piece->tiles, d, sizes[d]) - piece->center[d]) * piece->scale[d];
    strides[d] = stride;
    stride *= piece->degrees[d] + 1;
  }
  if (dimensions > 0)
    nested(piece, piece->coefficients, 0, dimensions - 1, x, strides, values);
  else
    row(piece->coefficients, 1, 0, 0.0, values);
}

double ppi_piece_value(const struct ppi_piece *piece, int dimensions, int statistic, const int64_t *sizes) {
  double values[PPI_STATISTICS];

  ppi_piece_values(piece, dimensions, sizes, values);
  return values[statistic];
}
