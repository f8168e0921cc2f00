/* SPDX-License-Identifier: BSD-3-Clause */
/* Which calls of a unit run just now, in memory that outlives the process: one mark for each lane, in a cache line of its own. */
#ifndef PPI_MEASURE_MARK_H
#define PPI_MEASURE_MARK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define PPI_LANE_MARKS 256 /* lanes of a unit */

struct ppi_lane_mark {
  _Alignas(64) _Atomic uint64_t call; /* its number in the script, from 1; 0: none */
  _Atomic uint64_t beats;             /* calls that were begun, ever */
  _Atomic uintptr_t thread;           /* that runs it */
};

/* By the lane's own thread; mark NULL: nobody wants to know. Plain stores, since lanes are timed. */
static inline void ppi_mark_enter(struct ppi_lane_mark *mark, size_t call) {
  if (mark == NULL)
    return;
  atomic_store_explicit(&mark->call, (uint64_t)call + 1, memory_order_relaxed);
  atomic_store_explicit(&mark->thread, (uintptr_t)pthread_self(), memory_order_relaxed);
  atomic_store_explicit(&mark->beats, atomic_load_explicit(&mark->beats, memory_order_relaxed) + 1,
                        memory_order_relaxed);
}

static inline void ppi_mark_leave(struct ppi_lane_mark *mark) {
  if (mark != NULL)
    atomic_store_explicit(&mark->call, 0, memory_order_relaxed);
}

/* Number of the call, from 1, that the present thread runs; 0: none. Fit for handlers of signals. */
static inline uint64_t ppi_mark_own(const struct ppi_lane_mark *marks) {
  for (int i = 0; i < PPI_LANE_MARKS; i++)
    if (atomic_load_explicit(&marks[i].thread, memory_order_relaxed) == (uintptr_t)pthread_self() &&
        atomic_load_explicit(&marks[i].call, memory_order_relaxed) != 0)
      return atomic_load_explicit(&marks[i].call, memory_order_relaxed);
  return 0;
}

#endif
