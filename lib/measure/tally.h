/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts per call: kernel, flags, sizes and scalars. */
#ifndef PPI_MEASURE_TALLY_H
#define PPI_MEASURE_TALLY_H

#include "kernel/kernel.h"

struct ppi_tally_entry {
  uint64_t key; /* 0: empty */
  uint64_t count;
};

struct ppi_tally {
  struct ppi_tally_entry *entries;
  size_t used, capacity; /* a power of two */
};

/* The count of a call, 0 at first; NULL: out of memory. Valid until the next call of this function. */
uint64_t *ppi_tally_of(struct ppi_tally *tally, const struct perfpred_kernel *kernel, const struct ppi_value *values);
void ppi_tally_free(struct ppi_tally *tally);

#endif
