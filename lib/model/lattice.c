/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/refine.h"

#include <assert.h>

enum perfpred_status ppi_lattice_of(const struct ppi_growth *growth, enum perfpred_grid grid, const int64_t *lower,
                                    const int64_t *upper, struct ppi_lattice *lattice, struct perfpred_error *error) {
  lattice->dimensions = growth->dimensions;
  lattice->total = 1;
  for (int d = 0; d < growth->dimensions; d++) {
    int count = growth->degrees[d] + 1 + growth->knobs.oversampling;

    assert(count <= PPI_LATTICE_MAX);
    lattice->counts[d] = ppi_grid(grid, lower[d], upper[d], count, growth->knobs.grain, lattice->points[d]);
    lattice->total *= (size_t)lattice->counts[d];
    if (lattice->total > PPI_LATTICE_POINTS)
      return ppi_error_set(error, PERFPRED_LIMIT,
                           "%s: more than %u sampling points per piece: expected less oversampling or overfitting",
                           growth->target->kernel->name, PPI_LATTICE_POINTS);
  }
  return PERFPRED_OK;
}

void ppi_lattice_at(const struct ppi_lattice *lattice, size_t index, int64_t sizes[PPI_SIZE_MAX]) {
  for (int d = lattice->dimensions - 1; d >= 0; d--) {
    size_t count = (size_t)lattice->counts[d];

    sizes[d] = lattice->points[d][index % count];
    index /= count;
  }
}
