/* SPDX-License-Identifier: BSD-3-Clause */
/* The steps that a window goes through: those before the timed one, which are run or touched, and it. */
#ifndef PPI_MEASURE_BLOCKS_H
#define PPI_MEASURE_BLOCKS_H

#include "measure/sampler.h"

struct ppi_blocks {
  struct ppi_walk_block *items; /* the timed one last */
  int count;
  size_t space;
};

/* touched: window->reach steps of the loop, as far as it has them, otherwise window->lead. blocks: zeroed, or of another window. */
enum perfpred_status ppi_blocks_find(struct ppi_blocks *blocks, const struct perfpred_program *program,
                                     const struct ppi_window *window, bool touched, struct perfpred_error *error);
void ppi_blocks_free(struct ppi_blocks *blocks);

#endif
