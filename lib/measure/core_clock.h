/* SPDX-License-Identifier: BSD-3-Clause */
/* The clock of the core: how often it ticks a second while it works, which the time stamp counter does not tell. */
#ifndef PPI_MEASURE_CORE_CLOCK_H
#define PPI_MEASURE_CORE_CLOCK_H

#include "machine/clock.h"

/* Ticks a second of the fastest state that readings of the wall clock show: a chain of additions of integers, each of which waits for the
   one before it, takes one tick for each. readings: of the chain, 4 us each. 0: the wall clock stands still. */
double ppi_core_clock(const struct ppi_clock *wall, int readings);

#endif
