/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/bench.h"

#include <sys/resource.h>

#define YARDSTICK_PASSES 250

/* Each value tends to 1, so no pass meets subnormal numbers. The barrier keeps compilers from merging passes. */
void ppi_yardstick_work(double values[PPI_YARDSTICK_LENGTH]) {
  for (int pass = 0; pass < YARDSTICK_PASSES; pass++) {
    for (int i = 0; i < PPI_YARDSTICK_LENGTH; i++)
      values[i] = values[i] * 0.5 + 0.5;
    __asm__ volatile("" : : "r"(values) : "memory");
  }
}

/* The first pass brings code, data and clock speed to where they are while a kernel runs. */
static double yardstick(void *data) {
  struct ppi_bench_state *state = data;
  ppi_yardstick_work(state->values);
  double begin = state->wall.now(state->wall.state);
  ppi_yardstick_work(state->values);
  return state->wall.now(state->wall.state) - begin;
}

static uint64_t switches(void *data) {
  (void)data;
  struct rusage usage;
  if (getrusage(RUSAGE_SELF, &usage) != 0)
    return 0;
  return (uint64_t)usage.ru_nivcsw + (uint64_t)usage.ru_nvcsw;
}

uint64_t ppi_bench_involuntary(void *data) {
  (void)data;
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_nivcsw : 0;
}

void ppi_bench_real(struct ppi_bench *bench, struct ppi_bench_state *state) {
  for (int i = 0; i < PPI_YARDSTICK_LENGTH; i++)
    state->values[i] = 1.0 + (double)i / PPI_YARDSTICK_LENGTH;
  ppi_clock_wall(&state->wall, &state->tsc);
  *bench = (struct ppi_bench){ state->wall, { 0 }, yardstick, switches, state };
  ppi_clock_thread_cpu(&bench->cpu);
}
