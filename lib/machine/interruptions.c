/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/interruptions.h"

#include <math.h>
#include <stdlib.h>

#define WINDOWS 5
#define QUIET 1 /* place of the window that is believed, by what it lost: models are of a quiet machine */
#define GAP_LEAST_S 2e-6
#define GAP_MOST_S 100e-6
#define SHARE_LEAST 0.005
#define READINGS_MAX 4000000 /* of a window: a clock that stands still ends it, too */

static int by_share(const void *a, const void *b) {
  const struct ppi_interruptions *x = a, *y = b;
  const double p = x->each_s / x->period_s, q = y->each_s / y->period_s;
  return (p > q) - (p < q);
}

static void watch(const struct ppi_clock *clock, double time_s, struct ppi_interruptions *found) {
  double begin = clock->now(clock->state), last = begin, lost = 0.0, others = 0.0;
  int64_t count = 0;
  for (int64_t i = 0; i < READINGS_MAX && last - begin < time_s; i++) {
    const double now = clock->now(clock->state), gap = now - last;
    last = now;
    if (gap >= GAP_MOST_S) {
      others += gap;
    } else if (gap >= GAP_LEAST_S) {
      lost += gap;
      count++;
    }
  }
  found->each_s = count > 0 ? lost / (double)count : 0.0;
  found->period_s = (last - begin - lost - others) / (double)(count > 0 ? count : 1);
  if (!(found->period_s > 0.0))
    *found = (struct ppi_interruptions){ 0.0, 1.0 };
}

void ppi_interruptions_find(const struct ppi_clock *clock, double time_s, struct ppi_interruptions *found) {
  struct ppi_interruptions windows[WINDOWS];
  for (int i = 0; i < WINDOWS; i++)
    watch(clock, time_s / WINDOWS, &windows[i]);
  qsort(windows, WINDOWS, sizeof windows[0], by_share);
  *found = windows[QUIET];
  if (found->each_s < SHARE_LEAST * found->period_s)
    *found = (struct ppi_interruptions){ 0.0, 0.0 };
}

double ppi_interruptions_count(const struct ppi_interruptions *interruptions, double own_s) {
  return interruptions->each_s > 0.0 && interruptions->period_s > 0.0 ? floor(own_s / interruptions->period_s + 0.5)
                                                                      : 0.0;
}
