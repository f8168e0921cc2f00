/* SPDX-License-Identifier: BSD-3-Clause */
/* Clocks. A clock is an argument: nothing in the library reads the time on its own. */
#ifndef PPI_MACHINE_CLOCK_H
#define PPI_MACHINE_CLOCK_H

#include "base/error.h"

struct ppi_clock {
  const char *name;           /* "tsc", "monotonic", "cpu", "virtual" */
  double (*now)(void *state); /* seconds from any origin; never falls */
  double resolution_s;        /* smallest step that can be told from 0 */
  double overhead_s;          /* time of one reading */
  void *state;
};

/* The best wall clock here: the time stamp counter, serialised and calibrated (10 ms, against CLOCK_MONOTONIC_RAW), where it is constant; else
   CLOCK_MONOTONIC. state is kept in the struct that the caller owns. */
struct ppi_tsc {
  double seconds_per_tick;
  uint64_t origin;
};
void ppi_clock_wall(struct ppi_clock *clock, struct ppi_tsc *state);
void ppi_clock_monotonic(struct ppi_clock *clock);
void ppi_clock_thread_cpu(struct ppi_clock *clock);
/* A virtual clock: stands still until it is advanced. */
struct ppi_virtual_time {
  double now_s;
};
void ppi_clock_virtual(struct ppi_clock *clock, struct ppi_virtual_time *state);

#endif
