/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/core_clock.h"

#include <stdint.h>

#define CHAIN_PASSES 1000
#define CHAIN_ADDITIONS 16 /* of a pass */

/* Both operands in registers: some cores do an addition of a constant while they rename registers, in no time. */
#if defined(__x86_64__)
#define ADD "add %1, %0\n\t"
#elif defined(__aarch64__)
#define ADD "add %0, %0, %1\n\t"
#endif

static uint64_t chain(uint64_t value, uint64_t addend) {
  for (int pass = 0; pass < CHAIN_PASSES; pass++) {
#ifdef ADD
    __asm__ volatile(ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD : "+r"(value) : "r"(addend));
#else
    for (int i = 0; i < CHAIN_ADDITIONS; i++) {
      value += addend;
      __asm__ volatile("" : "+r"(value));
    }
#endif
  }
  return value;
}

/* A chain is never shorter than the core's fastest tick allows, so the shortest one counts. The second shortest: a glitch of the wall clock is no
   reading. */
double ppi_core_clock(const struct ppi_clock *wall, int readings) {
  double best = 0.0, second = 0.0;
  volatile uint64_t sink = 1;
  for (int i = 0; i < readings; i++) {
    double begin = wall->now(wall->state);
    sink = chain(sink, 3);
    double time = wall->now(wall->state) - begin - wall->overhead_s;
    if (!(time > 0.0))
      return 0.0;
    if (i == 0 || time < best) {
      second = i == 0 ? time : best;
      best = time;
    } else if (time < second || i == 1)
      second = time;
  }
  return (double)CHAIN_PASSES * CHAIN_ADDITIONS / second;
}
