/* SPDX-License-Identifier: BSD-3-Clause */
/* Flop/s of compute(C) of Apex-MAP, beside a dense loop of multiplications and additions, for each instruction set that this machine runs. */
#include <stdio.h>
#include <string.h>

#include "machine/clock.h"
#include "machine/peak.h"
#include "measure/apex_kernel.h"
#include "measure/core_clock.h"

#define RUN_S 0.004
#define RUNS 60

static struct ppi_clock clock_here;

static double now(void) {
  return clock_here.now(clock_here.state);
}

/* The best of many short runs: neighbours only slow down. */
static double best_rate(double (*once)(const void *data, long count), const void *data, double flops) {
  long count = 1;
  double best = 0.0;
  volatile double sink = 0.0;
  for (double time = 0.0; time < RUN_S; count *= 2) {
    double begin = now();
    sink = once(data, count);
    time = now() - begin;
  }
  for (int i = 0; i < RUNS; i++) {
    double begin = now();
    sink = once(data, count);
    double rate = flops * (double)count / (now() - begin);
    best = rate > best ? rate : best;
  }
  (void)sink;
  return best;
}

static double run_peak(const void *data, long count) {
  return ((const struct ppi_peak_loop *)data)->run[PPI_PEAK_DOUBLE](count);
}

struct computing {
  const struct ppi_apex_set *set;
  int64_t c;
};

/* As the walks call it: one call after the other. */
static double run_compute(const void *data, long count) {
  static const struct ppi_apex_operands operands = PPI_APEX_OPERANDS;
  const struct computing *computing = data;
  double sum = 0.0;
  for (long i = 0; i < count; i++)
    sum += computing->set->compute(&operands, computing->c);
  return sum;
}

static void print_set(const struct ppi_apex_set *set, double hz) {
  static const int64_t counts[] = { 1, 2, 4, 8, 16, 64, 1000 };
  double peak = 0.0;
  for (int i = 0; i < ppi_peak_loop_count; i++)
    if (strcmp(ppi_peak_loops[i].instruction_set, set->instruction_set) == 0)
      peak = best_rate(run_peak, &ppi_peak_loops[i], ppi_peak_loops[i].flops_per_step[PPI_PEAK_DOUBLE]);
  printf("%-8s dense loop %8.2f Gflop/s, %6.2f per cycle\n", set->instruction_set, 1e-9 * peak, peak / hz);
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    const struct computing computing = { set, counts[i] };
    double rate = best_rate(run_compute, &computing, 128.0 * (double)counts[i] + 7.0);
    printf("         C = %-5lld %9.2f Gflop/s, %6.2f per cycle, %5.1f %%\n", (long long)counts[i], 1e-9 * rate,
           rate / hz, 100.0 * rate / peak);
  }
}

int main(void) {
  static struct ppi_tsc state;
  ppi_clock_wall(&clock_here, &state);
  double hz = ppi_core_clock(&clock_here, 2000);
  printf("clock of the core %.3f GHz\n", 1e-9 * hz);
  for (int i = 0; i < ppi_apex_set_count; i++)
    if (ppi_apex_set_find(ppi_apex_sets[i].instruction_set) != NULL)
      print_set(&ppi_apex_sets[i], hz);
  return 0;
}
