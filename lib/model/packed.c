/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/packed.h"

#include <stdlib.h>

#define LINE 64 /* bytes of a cache line */

void ppi_packed_space(const ppi_pair *at, const int *degrees, const double *x, int dimensions, int pairs,
                      ppi_pair *sum) {
  int stride = PPI_PAIRS;
  if (dimensions == 2 && pairs == PPI_PAIRS_MEDIAN) {
    ppi_packed_plane(at, degrees, x, PPI_PAIRS_MEDIAN, sum);
    return;
  }
  if (dimensions == 2) {
    ppi_packed_plane(at, degrees, x, PPI_PAIRS, sum);
    return;
  }
  for (int d = 1; d < dimensions; d++)
    stride *= degrees[d] + 1;
  at += degrees[0] * stride;
  ppi_packed_space(at, degrees + 1, x + 1, dimensions - 1, pairs, sum);
  for (int k = 0; k < degrees[0]; k++) {
    ppi_pair inner[PPI_PAIRS];
    const ppi_pair factor = { x[0], x[0] };
    at -= stride;
    ppi_packed_space(at, degrees + 1, x + 1, dimensions - 1, pairs, inner);
    for (int p = 0; p < pairs; p++)
      sum[p] = sum[p] * factor + inner[p];
  }
}

/* Statistics that do not fill the last pair are followed by 0. */
static void pack(const struct ppi_piece *piece, ppi_pair *packed) {
  for (int k = 0; k < piece->count; k++)
    for (int p = 0; p < PPI_PAIRS; p++) {
      const double *first = piece->coefficients + 2 * p * piece->count + k;
      packed[k * PPI_PAIRS + p] = (ppi_pair){ first[0], 2 * p + 1 < PPI_STATISTICS ? first[piece->count] : 0.0 };
    }
}

enum perfpred_status ppi_submodel_pack(struct ppi_submodel *submodel, struct perfpred_error *error) {
  size_t total = 0, used = 0;
  if (submodel->packed) /* it comes from other models */
    return PERFPRED_OK;
  for (int i = 0; i < submodel->piece_count; i++)
    total += (size_t)submodel->pieces[i].count * PPI_PAIRS;
  free(submodel->packed); /* of models that it moves from */
  submodel->packed = aligned_alloc(LINE, (total * sizeof(ppi_pair) / LINE + 1) * LINE);
  if (!submodel->packed)
    return ppi_error_memory(error);
  submodel->products = false;
  for (int i = 0; i < submodel->split_count; i++)
    submodel->products = submodel->products || submodel->splits[i].dimension == submodel->dimensions;
  for (int i = 0; i < submodel->piece_count; i++) {
    struct ppi_piece *piece = &submodel->pieces[i];
    pack(piece, submodel->packed + used);
    piece->packed = submodel->packed + used;
    used += (size_t)piece->count * PPI_PAIRS;
  }
  return PERFPRED_OK;
}
