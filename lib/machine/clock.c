/* SPDX-License-Identifier: BSD-3-Clause */
/* The clocks of this machine, and the virtual one. */
#include "machine/clock.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define CALIBRATION_S 0.010
#define OVERHEAD_READINGS 64

static double system_clock(clockid_t id) {
  struct timespec time;
  if (clock_gettime(id, &time) != 0)
    return 0.0;
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double system_resolution(clockid_t id) {
  struct timespec step;
  if (clock_getres(id, &step) != 0)
    return 1e-9;
  return (double)step.tv_sec + 1e-9 * (double)step.tv_nsec;
}

/* The shortest of many intervals between two readings: what one reading costs. */
static double reading_cost(const struct ppi_clock *clock) {
  double best = 1.0;
  for (int i = 0; i < OVERHEAD_READINGS; i++) {
    double first = clock->now(clock->state);
    double cost = clock->now(clock->state) - first;
    if (cost < best)
      best = cost;
  }
  return best;
}

static double monotonic_now(void *state) {
  (void)state;
  return system_clock(CLOCK_MONOTONIC);
}

void ppi_clock_monotonic(struct ppi_clock *clock) {
  *clock = (struct ppi_clock){ "monotonic", monotonic_now, system_resolution(CLOCK_MONOTONIC), 0.0, NULL };
  clock->overhead_s = reading_cost(clock);
}

static double thread_cpu_now(void *state) {
  (void)state;
  return system_clock(CLOCK_THREAD_CPUTIME_ID);
}

void ppi_clock_thread_cpu(struct ppi_clock *clock) {
  *clock = (struct ppi_clock){ "cpu", thread_cpu_now, system_resolution(CLOCK_THREAD_CPUTIME_ID), 0.0, NULL };
  clock->overhead_s = reading_cost(clock);
}

static double virtual_now(void *state) {
  const struct ppi_virtual_time *time = state;
  return time->now_s;
}

void ppi_clock_virtual(struct ppi_clock *clock, struct ppi_virtual_time *state) {
  *clock = (struct ppi_clock){ "virtual", virtual_now, 0.0, 0.0, state };
}

#if defined(__x86_64__)

/* A fence on both sides: nothing of what is timed leaks out of the interval, and nothing from outside leaks in. */
static uint64_t ticks(void) {
  uint32_t low, high;
  __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
  return ((uint64_t)high << 32) | low;
}

/* A flag of /proc/cpuinfo: a whole word. */
static bool has_word(const char *line, const char *word) {
  size_t length = strlen(word);
  for (const char *at = strstr(line, word); at != NULL; at = strstr(at + length, word)) {
    bool starts = at == line || at[-1] == ' ' || at[-1] == '\t';
    if (starts && (at[length] == ' ' || at[length] == '\n' || at[length] == '\0'))
      return true;
  }
  return false;
}

static bool counter_is_constant(void) {
  FILE *file = fopen("/proc/cpuinfo", "re");
  if (file == NULL)
    return false;
  char line[8192];
  bool constant = false;
  while (!constant && fgets(line, sizeof line, file) != NULL)
    if (strncmp(line, "flags", 5) == 0) {
      constant = has_word(line, "constant_tsc") && has_word(line, "nonstop_tsc");
      break;
    }
  fclose(file);
  return constant;
}

/* A reading of the system clock and of the counter at nearly the same moment: the tightest of several tries. */
static void paired_reading(double *system_s, uint64_t *count) {
  uint64_t best = UINT64_MAX;
  for (int i = 0; i < 8; i++) {
    uint64_t before = ticks();
    double now = system_clock(CLOCK_MONOTONIC_RAW);
    uint64_t width = ticks() - before;
    if (width < best) {
      best = width;
      *system_s = now;
      *count = before + width / 2;
    }
  }
}

static bool calibrate(struct ppi_tsc *state) {
  double begin_s = 0.0, end_s = 0.0;
  uint64_t begin = 0, end = 0;
  paired_reading(&begin_s, &begin);
  while (system_clock(CLOCK_MONOTONIC_RAW) - begin_s < CALIBRATION_S) {
  }
  paired_reading(&end_s, &end);
  double period = (end_s - begin_s) / (double)(end - begin);
  state->seconds_per_tick = period;
  state->origin = begin;
  return end > begin && period > 1e-11 && period < 1e-6; /* 1 MHz to 100 GHz; NaN fails as well */
}

static double counter_now(void *state) {
  const struct ppi_tsc *tsc = state;
  return (double)(ticks() - tsc->origin) * tsc->seconds_per_tick;
}

void ppi_clock_wall(struct ppi_clock *clock, struct ppi_tsc *state) {
  if (!counter_is_constant() || !calibrate(state)) {
    *state = (struct ppi_tsc){ 0.0, 0 };
    ppi_clock_monotonic(clock);
    return;
  }
  *clock = (struct ppi_clock){ "tsc", counter_now, state->seconds_per_tick, 0.0, state };
  clock->overhead_s = reading_cost(clock);
}

#else

void ppi_clock_wall(struct ppi_clock *clock, struct ppi_tsc *state) {
  *state = (struct ppi_tsc){ 0.0, 0 };
  ppi_clock_monotonic(clock);
}

#endif
