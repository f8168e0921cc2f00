/* SPDX-License-Identifier: BSD-3-Clause */
/* Measured rates of one thread: peak flop/s and memory bandwidth. The best of many short runs: neighbours only slow down. */
#include <stdlib.h>
#include <string.h>

#include "machine/clock.h"
#include "machine/machine.h"
#include "machine/peak.h"

#define PEAK_RUNS 30
#define PEAK_RUN_S 0.003
#define BANDWIDTH_PASSES 6
#define BUFFER_MIN ((size_t)32 << 20)
#define BUFFER_MAX ((size_t)256 << 20)

static double run_time(const struct ppi_clock *clock, double (*run)(long), long steps) {
  volatile double sink;
  double begin = clock->now(clock->state);
  sink = run(steps);
  (void)sink;
  return clock->now(clock->state) - begin;
}

static double peak(const struct ppi_clock *clock, const struct ppi_peak_loop *loop, int precision) {
  double (*run)(long) = loop->run[precision];
  long steps = 1024;
  while (steps < (1L << 30) && run_time(clock, run, steps) < PEAK_RUN_S)
    steps *= 2;
  double best = 0.0;
  for (int i = 0; i < PEAK_RUNS; i++) {
    double time = run_time(clock, run, steps);
    double rate = time > 0.0 ? (double)steps * loop->flops_per_step[precision] / time : 0.0;
    best = rate > best ? rate : best;
  }
  return best;
}

typedef uint64_t lane __attribute__((vector_size(16)));

/* Sums a buffer of whole 128-byte blocks. */
static uint64_t read_through(const lane *data, size_t count) {
  lane s0 = { 0 }, s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
  for (size_t i = 0; i < count; i += 8) {
    s0 += data[i];
    s1 += data[i + 1];
    s2 += data[i + 2];
    s3 += data[i + 3];
    s4 += data[i + 4];
    s5 += data[i + 5];
    s6 += data[i + 6];
    s7 += data[i + 7];
  }
  lane sum = ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7));
  return sum[0] + sum[1];
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

static double bandwidth(const struct ppi_clock *clock, const struct ppi_machine *machine) {
  size_t bytes = buffer_bytes(machine);
  lane *data = aligned_alloc(4096, bytes);
  if (data == NULL)
    return 0.0;
  memset(data, 1, bytes);
  volatile uint64_t sink;
  double best = 0.0;
  for (int i = 0; i < BANDWIDTH_PASSES; i++) {
    double begin = clock->now(clock->state);
    sink = read_through(data, bytes / sizeof *data);
    double time = clock->now(clock->state) - begin;
    (void)sink;
    if (time > 0.0 && (double)bytes / time > best)
      best = (double)bytes / time;
  }
  free(data);
  return best;
}

void ppi_machine_measure(struct ppi_machine *machine) {
  struct ppi_tsc state;
  struct ppi_clock clock;
  ppi_clock_wall(&clock, &state);
  const struct ppi_peak_loop *loop = ppi_peak_widest();
  machine->peak_flops_per_s[0] = peak(&clock, loop, PPI_PEAK_SINGLE);
  machine->peak_flops_per_s[1] = peak(&clock, loop, PPI_PEAK_DOUBLE);
  machine->bandwidth_bytes_per_s = bandwidth(&clock, machine);
}
