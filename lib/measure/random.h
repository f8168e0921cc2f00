/* SPDX-License-Identifier: BSD-3-Clause */
/* A small generator of random numbers (splitmix64): the same seed gives the same numbers everywhere. */
#ifndef PPI_MEASURE_RANDOM_H
#define PPI_MEASURE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct ppi_random {
  uint64_t state; /* any value is a seed */
};

uint64_t ppi_random_next(struct ppi_random *random);
double ppi_random_symmetric(struct ppi_random *random); /* in (-1, 1), never smaller than 2^-54 in absolute value */
void ppi_random_shuffle(struct ppi_random *random, size_t *items, size_t count);

#endif
