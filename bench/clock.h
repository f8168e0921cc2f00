/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PERFPRED_BENCH_CLOCK_H
#define PERFPRED_BENCH_CLOCK_H

#include <time.h>

/* Seconds since some moment, by a clock that nobody sets. */
static inline double bench_now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
