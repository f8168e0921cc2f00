/* SPDX-License-Identifier: BSD-3-Clause */
/* The speed of the machine as the yardstick shows it: the best reading, and the level at which samples are let through.
 *
 * The fastest level may be a rare visitor (a burst of clock speed), and a gate on it would reject nearly everything. The
 * reference level is the fastest one at which the machine spends a fair share of its time, if that is still near the best: the clock
 * drifts by that much, and a time follows it. What is slower than that shares its core with a neighbour, and then kernels and
 * yardstick suffer differently. */
#ifndef PPI_MEASURE_LEVEL_H
#define PPI_MEASURE_LEVEL_H

#include <stdbool.h>
#include <stddef.h>

#include "measure/response.h"

#define PPI_LEVEL_READINGS 1024 /* newest readings that decide */
#define PPI_LEVEL_SHARE 0.2     /* of them that a level must hold */
#define PPI_LEVEL_SPAN 0.08     /* how far above the best reading it may lie */
#define PPI_LEVEL_APART                                                                                                \
  4.0 /* largest factor between a given reading and the best one: a neighbour on the core alone makes two */

struct ppi_level {
  double best_s;      /* best reading so far; 0: none */
  double given_s;     /* reading that times are brought to in place of the best one, from outside; 0: none */
  double reference_s; /* slowest reading that is still the reference level, before the gate's width; 0: none */
  double spent_s;     /* wall time of readings that no subject has on its account yet */
  struct ppi_responses responses; /* how kernels followed the readings, of all runs so far */
  size_t count;                   /* readings so far; the newest PPI_LEVEL_READINGS are kept, in a ring */
  double readings[PPI_LEVEL_READINGS];
};

void ppi_level_add(struct ppi_level *level, double reading_s);
/* Decides anew where the reference level lies. gate: its relative width. */
void ppi_level_update(struct ppi_level *level, double gate);
/* The reading that times are brought to. Which samples pass is decided by this run's own readings all the same. */
double ppi_level_target(const struct ppi_level *level);
/* Can a given reading be one of this machine? At most a factor of PPI_LEVEL_APART lies between it and the best one. */
bool ppi_level_given_fits(const struct ppi_level *level);
/* Is this reading at the reference level, or faster? */
bool ppi_level_passes(const struct ppi_level *level, double reading_s, double gate);

#endif
