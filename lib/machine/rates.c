/* SPDX-License-Identifier: BSD-3-Clause */
/* Measured rates of one thread: peak flop/s and memory bandwidth. The best of several short runs, as neighbours only slow
   down: it is taken once a few runs in a row did no better. */
#include <stdlib.h>
#include <string.h>

#include "machine/clock.h"
#include "machine/machine.h"
#include "machine/peak.h"
#include "machine/read.h"

#define PEAK_RUNS 30
#define PEAK_RUN_S 0.002
#define PEAK_SETTLED 5 /* runs in a row */
#define BANDWIDTH_PASSES 6
#define BANDWIDTH_SETTLED 2
#define BETTER 1.005         /* a smaller gain is no gain */
#define PEAK_SHARE 0.15      /* of the time allowed, for each precision */
#define PEAK_LEAST_S 0.008   /* a run, and what finding its length takes */
#define FILL_BYTES_PER_S 1e9 /* no machine takes longer to fill and read the buffer once */
#define BUFFER_MIN ((size_t)32 << 20)
#define BUFFER_MAX ((size_t)256 << 20)

/* The best rate so far, and for how many runs it has been the best. */
struct best {
  double rate;
  int settled;
};

static void best_add(struct best *best, double rate) {
  best->settled = rate > best->rate * BETTER ? 0 : best->settled + 1;
  best->rate = rate > best->rate ? rate : best->rate;
}

static double run_time(const struct ppi_clock *clock, double (*run)(long), long steps) {
  volatile double sink;
  double begin = clock->now(clock->state);
  sink = run(steps);
  (void)sink;
  return clock->now(clock->state) - begin;
}

static double peak(const struct ppi_clock *clock, const struct ppi_peak_loop *loop, int precision, double limit_s) {
  double (*run)(long) = loop->run[precision];
  double end = clock->now(clock->state) + limit_s;
  long steps = 1024;
  if (limit_s < PEAK_LEAST_S)
    return 0.0;
  while (steps < (1L << 30) && run_time(clock, run, steps) < PEAK_RUN_S)
    steps *= 2;
  struct best best = { 0 };
  for (int i = 0; i < PEAK_RUNS && best.settled < PEAK_SETTLED; i++) {
    if (i > 0 && clock->now(clock->state) >= end)
      break;
    double time = run_time(clock, run, steps);
    best_add(&best, time > 0.0 ? (double)steps * loop->flops_per_step[precision] / time : 0.0);
  }
  return best.rate;
}

/* Several times the largest cache, within limits: a shared cache is often reported far larger than the share one gets. */
static size_t buffer_bytes(const struct ppi_machine *machine) {
  size_t bytes = BUFFER_MIN;
  for (int i = 0; i < machine->cache_count; i++)
    if (machine->caches[i].bytes > 0 && 4 * (size_t)machine->caches[i].bytes > bytes)
      bytes = 4 * (size_t)machine->caches[i].bytes;
  if (bytes > BUFFER_MAX)
    bytes = BUFFER_MAX;
  return bytes / 4096 * 4096;
}

/* A smaller buffer would be read from a cache. */
static double bandwidth(const struct ppi_clock *clock, const struct ppi_machine *machine, double limit_s) {
  size_t bytes = buffer_bytes(machine);
  double end = clock->now(clock->state) + limit_s;
  if ((double)bytes > FILL_BYTES_PER_S * limit_s)
    return 0.0;
  void *data = aligned_alloc(4096, bytes);
  if (data == NULL)
    return 0.0;
  memset(data, 1, bytes);
  volatile uint64_t sink;
  struct best best = { 0 };
  for (int i = 0; i < BANDWIDTH_PASSES && best.settled < BANDWIDTH_SETTLED; i++) {
    double begin = clock->now(clock->state);
    if (i > 0 && begin >= end)
      break;
    sink = ppi_read_through(data, bytes);
    double time = clock->now(clock->state) - begin;
    (void)sink;
    best_add(&best, time > 0.0 ? (double)bytes / time : 0.0);
  }
  free(data);
  return best.rate;
}

void ppi_machine_measure(struct ppi_machine *machine, double limit_s) {
  struct ppi_tsc state;
  struct ppi_clock clock;
  ppi_clock_wall(&clock, &state);
  const struct ppi_peak_loop *loop = ppi_peak_widest();
  machine->peak_flops_per_s[0] = peak(&clock, loop, PPI_PEAK_SINGLE, PEAK_SHARE * limit_s);
  machine->peak_flops_per_s[1] = peak(&clock, loop, PPI_PEAK_DOUBLE, PEAK_SHARE * limit_s);
  machine->bandwidth_bytes_per_s = bandwidth(&clock, machine, (1.0 - 2.0 * PEAK_SHARE) * limit_s);
}
