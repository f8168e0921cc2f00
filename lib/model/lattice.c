/* SPDX-License-Identifier: BSD-3-Clause */
#include <assert.h>
#include <string.h>

#include "model/domain.h"

enum perfpred_status ppi_lattice_of(const struct ppi_growth *growth, enum perfpred_grid grid, const int64_t *lower,
                                    const int64_t *upper, struct ppi_lattice *lattice, struct perfpred_error *error) {
  int64_t low[PPI_SIZE_MAX], high[PPI_SIZE_MAX];

  memcpy(low, lower, (size_t)growth->dimensions * sizeof *low);
  memcpy(high, upper, (size_t)growth->dimensions * sizeof *high);
  ppi_growth_bound(growth, low, high);
  lattice->dimensions = growth->dimensions;
  lattice->total = 1;
  for (int d = 0; d < growth->dimensions; d++) {
    int count = growth->degrees[d] + 1 + growth->knobs.oversampling;

    assert(count <= PPI_LATTICE_MAX);
    lattice->counts[d] = ppi_grid(grid, low[d], high[d], count, growth->knobs.grain, lattice->points[d]);
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

bool ppi_lattice_admits(const struct ppi_growth *growth, const struct ppi_lattice *lattice, size_t index,
                        int64_t sizes[PPI_SIZE_MAX]) {
  int64_t lower[PPI_SIZE_MAX] = { 0 }, upper[PPI_SIZE_MAX] = { 0 };

  ppi_lattice_at(lattice, index, sizes);
  if (index + 1 < lattice->total || ppi_growth_admits(growth, sizes))
    return ppi_growth_admits(growth, sizes);
  ppi_lattice_at(lattice, 0, lower);
  ppi_lattice_at(lattice, index, upper);
  return ppi_growth_admit(growth, lower, upper, sizes);
}
