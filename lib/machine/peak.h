/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops of independent multiply-adds, one pair per instruction set: what the peak is measured with. */
#ifndef PPI_MACHINE_PEAK_H
#define PPI_MACHINE_PEAK_H

#include <stdbool.h>

enum { PPI_PEAK_SINGLE, PPI_PEAK_DOUBLE };

struct ppi_peak_loop {
  const char *instruction_set;
  bool (*supported)(void);
  double (*run[2])(long steps); /* single, double: the sum of all accumulators, so that nothing is optimised away */
  int flops_per_step[2];
};

/* From widest to narrowest; the last one runs everywhere. */
extern const struct ppi_peak_loop ppi_peak_loops[];
extern const int ppi_peak_loop_count;

/* The widest one that this machine runs. */
const struct ppi_peak_loop *ppi_peak_widest(void);

#endif
