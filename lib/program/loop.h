/* SPDX-License-Identifier: BSD-3-Clause */
/* The blocks that a `for` visits, one after the other. */
#ifndef PPI_PROGRAM_LOOP_H
#define PPI_PROGRAM_LOOP_H

#include "program/program.h"

struct ppi_loop {
  int64_t at, left; /* lower end of what is left, and its length */
  int64_t step, first;
  bool down;
};

/* False: upper - lower does not fit 64 bits. step >= 1. */
bool ppi_loop_begin(struct ppi_loop *loop, const struct ppi_node *node, int64_t lower, int64_t upper, int64_t step);
bool ppi_loop_next(struct ppi_loop *loop, int64_t *start, int64_t *width);

#endif
