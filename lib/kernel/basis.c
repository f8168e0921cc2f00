/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/basis.h"

#include <math.h>
#include <string.h>

#define DEGREE_MAX 3 /* of the cost of a kernel in all of its sizes */

void ppi_basis_apply(const struct ppi_basis *basis, const struct perfpred_kernel *kernel, const int64_t *sizes,
                     struct ppi_value *values) {
  for (int k = 0; k < kernel->size_count; k++) {
    int64_t size = basis->constants[k];
    for (int d = 0; d < basis->dimensions; d++)
      size += basis->matrix[k][d] * sizes[d];
    values[kernel->sizes[k]].i = size > 0 ? size : 0;
  }
}

int64_t ppi_basis_product(const struct ppi_basis *basis, const struct perfpred_kernel *kernel, const int64_t *sizes) {
  int64_t product = 1;
  for (int k = 0; k < kernel->size_count; k++) {
    int64_t size = basis ? basis->constants[k] : sizes[k];
    for (int d = 0; basis && d < basis->dimensions; d++)
      size += basis->matrix[k][d] * sizes[d];
    if (size <= 0)
      return 0;
    product = product <= PPI_PRODUCT_MAX / size ? product * size : PPI_PRODUCT_MAX;
  }
  return product;
}

void ppi_basis_degrees(const struct ppi_basis *basis, const struct perfpred_kernel *kernel,
                       const struct ppi_value *values, int degrees[PPI_SIZE_MAX]) {
  int own[PPI_SIZE_MAX] = { 0 };
  ppi_kernel_degrees(kernel, values, own);
  for (int d = 0; d < basis->dimensions; d++) {
    degrees[d] = 0;
    for (int k = 0; k < kernel->size_count; k++)
      if (basis->matrix[k][d] != 0 && own[k] > 0)
        degrees[d] += own[k];
    degrees[d] = degrees[d] < DEGREE_MAX ? degrees[d] : DEGREE_MAX;
  }
}

static int64_t sum_of(const struct ppi_basis *basis, const int64_t *sizes) {
  int64_t sum = 0;
  for (int d = 0; d < basis->dimensions; d++)
    sum += sizes[d];
  return sum;
}

bool ppi_basis_holds(const struct ppi_basis *basis, const int64_t *sizes) {
  return basis->limit == 0 || sum_of(basis, sizes) <= basis->limit;
}

/* Of those that share the limit. */
static int64_t shared_of(const struct ppi_basis *basis, const int64_t *sizes) {
  int64_t sum = 0;
  for (int d = 0; d < basis->dimensions; d++)
    sum += basis->sharing[d] ? sizes[d] : 0;
  return sum;
}

bool ppi_basis_admits(const struct ppi_basis *basis, const int64_t *sizes) {
  return ppi_basis_holds(basis, sizes) && shared_of(basis, sizes) >= basis->least;
}

/* What the sizes that share the limit may have beyond their lower ends in all. */
static double room_of(const struct ppi_basis *basis, const int64_t *lower, const int64_t *sizes) {
  int64_t room = basis->limit;
  for (int d = 0; d < basis->dimensions; d++)
    room -= basis->sharing[d] ? lower[d] : sizes[d];
  return room > 0 ? (double)room : 0.0;
}

static void raise_to_least(const struct ppi_basis *basis, int64_t *sizes) {
  int last = -1;
  for (int d = 0; d < basis->dimensions; d++)
    last = basis->sharing[d] ? d : last;
  if (last >= 0 && shared_of(basis, sizes) < basis->least)
    sizes[last] = basis->least;
}

void ppi_basis_fold(const struct ppi_basis *basis, const int64_t *lower, int64_t grain, int64_t *sizes) {
  double shares[PPI_SIZE_MAX] = { 0.0 }, sum = 0.0, room = room_of(basis, lower, sizes);
  if (ppi_basis_holds(basis, sizes)) {
    raise_to_least(basis, sizes);
    return;
  }
  for (int d = 0; d < basis->dimensions; d++) {
    if (basis->sharing[d])
      shares[d] = room > 0.0 ? fmin((double)(sizes[d] - lower[d]) / room, 1.0) : 0.0;
    sum += shares[d];
  }
  /* mirrored where that is enough: of two that share the limit it always is */
  for (int d = 0; d < basis->dimensions; d++) {
    if (!basis->sharing[d])
      continue;
    double share = sum > 1.0 ? 1.0 - shares[d] : shares[d];
    sizes[d] = lower[d] + (int64_t)floor(share * room / (double)grain) * grain;
  }
  ppi_basis_shrink(basis, lower, sizes);
  raise_to_least(basis, sizes);
}

void ppi_basis_shrink(const struct ppi_basis *basis, const int64_t *lower, int64_t *sizes) {
  double room = room_of(basis, lower, sizes), used = 0.0;
  if (ppi_basis_holds(basis, sizes))
    return;
  for (int d = 0; d < basis->dimensions; d++)
    used += basis->sharing[d] && sizes[d] > lower[d] ? (double)(sizes[d] - lower[d]) : 0.0;
  for (int d = 0; d < basis->dimensions; d++)
    if (basis->sharing[d] && sizes[d] > lower[d])
      sizes[d] = lower[d] + (int64_t)floor((double)(sizes[d] - lower[d]) * room / used);
}

bool ppi_basis_same(const struct ppi_basis *a, const struct ppi_basis *b) {
  if (!a || !b)
    return a == b;
  bool same = a->dimensions == b->dimensions;
  for (int d = 0; d < a->dimensions && same; d++)
    same = strcmp(a->names[d], b->names[d]) == 0;
  return same && memcmp(a->matrix, b->matrix, sizeof a->matrix) == 0 &&
         memcmp(a->constants, b->constants, sizeof a->constants) == 0;
}
