/* SPDX-License-Identifier: BSD-3-Clause */
/* What a measurement needs of the world: clocks, the yardstick, knowledge of preemption. Tests hand in scripted ones. */
#ifndef PPI_MEASURE_BENCH_H
#define PPI_MEASURE_BENCH_H

#include "machine/clock.h"

struct ppi_bench {
  struct ppi_clock wall, cpu;
  double (*yardstick)(void *data);  /* one reading, in seconds: the fixed piece of work, timed on its second pass */
  uint64_t (*switches)(void *data); /* context switches, voluntary or not, of all threads of the process so far */
  void *data;
};

/* The yardstick's work, version 1: multiply-adds over 4 KiB, about 25 us. Never change it: readings are kept in model files. */
#define PPI_YARDSTICK_LENGTH 512
void ppi_yardstick_work(double values[PPI_YARDSTICK_LENGTH]);

/* Involuntary switches alone: threads that work together wait for each other of their own will. */
uint64_t ppi_bench_involuntary(void *data);

/* The real bench; state is kept by the caller as long as the bench is used, and neither may move. */
struct ppi_bench_state {
  struct ppi_tsc tsc;
  struct ppi_clock wall;
  _Alignas(64) double values[PPI_YARDSTICK_LENGTH];
};
void ppi_bench_real(struct ppi_bench *bench, struct ppi_bench_state *state);

#endif
