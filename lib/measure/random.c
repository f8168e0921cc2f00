/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/random.h"

uint64_t ppi_random_next(struct ppi_random *random) {
  random->state += UINT64_C(0x9e3779b97f4a7c15);
  uint64_t z = random->state;
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

double ppi_random_symmetric(struct ppi_random *random) {
  double odd = (double)(ppi_random_next(random) >> 11) + 0.5; /* in (0, 2^53) */
  return odd * 0x1p-52 - 1.0;
}

void ppi_random_shuffle(struct ppi_random *random, size_t *items, size_t count) {
  for (size_t left = count; left > 1; left--) {
    size_t chosen = (size_t)(ppi_random_next(random) % left);
    size_t item = items[chosen];
    items[chosen] = items[left - 1];
    items[left - 1] = item;
  }
}
