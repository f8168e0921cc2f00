/* SPDX-License-Identifier: BSD-3-Clause */
/* Times an operation in blocks and prints the time of one with the spread over the blocks. Nothing here passes or fails by time. */
#ifndef PERFPRED_BENCH_H
#define PERFPRED_BENCH_H

#include <stdio.h>
#include <stdlib.h>

#include <perfpred/perfpred.h>

#include "clock.h"

#define BENCH_BLOCKS 21

typedef void bench_fn(void *data);

static inline int bench_compare(const void *a, const void *b) {
  const double *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

/* Sorts count values and prints their median, smallest and largest. */
static inline void bench_print(const char *name, double *ns, size_t count) {
  qsort(ns, count, sizeof *ns, bench_compare);
  printf("%-44s %14.1f ns  (%.1f ... %.1f over %zu blocks)\n", name, ns[count / 2], ns[0], ns[count - 1], count);
}

/* One block that is not counted warms up. */
static inline void bench_run(const char *name, bench_fn *operation, void *data, int per_block) {
  double ns[BENCH_BLOCKS];
  for (int block = -1; block < BENCH_BLOCKS; block++) {
    double begin = bench_now_s();
    for (int i = 0; i < per_block; i++)
      operation(data);
    if (block >= 0)
      ns[block] = 1e9 * (bench_now_s() - begin) / per_block;
  }
  bench_print(name, ns, BENCH_BLOCKS);
}

static inline void bench_check(enum perfpred_status status, const struct perfpred_error *error) {
  if (status == PERFPRED_OK)
    return;
  fprintf(stderr, "%s: %s\n", perfpred_status_name(status), error->text);
  exit(1);
}

#endif
