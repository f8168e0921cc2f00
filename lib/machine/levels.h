/* SPDX-License-Identifier: BSD-3-Clause */
/* The levels of the memory hierarchy, found in a curve: how long loads take over working sets of rising size. Pure arithmetic; chase.h
 * measures the curve. */
#ifndef PPI_MACHINE_LEVELS_H
#define PPI_MACHINE_LEVELS_H

#include "machine/machine.h"

#define PPI_CURVE_MAX 96

struct ppi_curve_point {
  int64_t bytes;                /* of the working set */
  double latency_s;             /* of a load that needs the result of the one before; > 0 */
  double bandwidth_bytes_per_s; /* of reading it as a stream; 0: not measured */
};

struct ppi_curve {
  struct ppi_curve_point points[PPI_CURVE_MAX]; /* by rising size */
  int count;
};

/* The levels, the nearest first, and memory as the last one; how many (0: no points). Where the curve still rises at its end, or is as flat
   as within one level, what lies behind was not seen: then the last level is taken for memory.
   A level is where the curve is flat for half of an octave or longer; flats that are hardly apart are one (translations of
   addresses that run out, noise). Its capacity is the size at which the curve has gone a tenth of the way to the next level's latency: of a
   cache that replaces at random it is a tenth more than it holds. That of the last cache reaches at least as far as streams come from it: to where
   their bandwidth is the geometric mean of its own and memory's. On a shared cache a slow chase may lose its lines to neighbours before it comes
   back to them; operands are read as streams. */
int ppi_levels_find(const struct ppi_curve *curve, struct ppi_effective levels[PPI_CACHE_MAX]);

#endif
