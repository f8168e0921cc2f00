/* SPDX-License-Identifier: BSD-3-Clause */
/* How often the machine takes the processor away for a moment, whatever runs there: ticks of the system and of the host of a virtual machine,
   which its guests' counters of context switches and of interrupts do not tell. */
#ifndef PPI_MACHINE_INTERRUPTIONS_H
#define PPI_MACHINE_INTERRUPTIONS_H

#include <stdint.h>

#include "machine/clock.h"

struct ppi_interruptions {
  double each_s;   /* time that is gone; 0: none that matter */
  double period_s; /* time of one's own between two of them */
};

/* Reads the clock over and over for so long, and looks at the gaps. What takes a tenth of a millisecond or more is another program's turn and does not
   count; of five windows the second quietest is believed. Nor do interruptions count that take less than a two hundredth of the time together. */
void ppi_interruptions_find(const struct ppi_clock *clock, double time_s, struct ppi_interruptions *found);

/* How many of them the median of runs has that take so much time of their own: the number of periods, rounded. */
double ppi_interruptions_count(const struct ppi_interruptions *interruptions, double own_s);

#endif
