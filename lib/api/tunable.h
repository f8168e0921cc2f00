/* SPDX-License-Identifier: BSD-3-Clause */
/* The routines of LAPACK that ask ILAENV, and which algorithms of the catalogue stand for them. */
#ifndef PPI_API_TUNABLE_H
#define PPI_API_TUNABLE_H

#include <stddef.h>

#include "store/table_format.h"

struct ppi_tunable {
  const char *routine, *options, *algorithm;
  enum ppi_table_size size; /* of a question: what the algorithm's n stands for */
  short group, b_upper;
  short nb, nx; /* stock; nx -1: not asked */
};

size_t ppi_tunable_count(void);
const struct ppi_tunable *ppi_tunable_at(size_t index);

#endif
