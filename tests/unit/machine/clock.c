/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/clock.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static double now(const struct ppi_clock *clock) {
  return clock->now(clock->state);
}

static void pause_20_ms(void) {
  const struct timespec time = { 0, 20000000 };
  nanosleep(&time, NULL);
}

/* Word in the flags that the kernel reports; false where there are none. */
static bool kernel_reports(const char *word) {
  FILE *file = fopen("/proc/cpuinfo", "r");
  char line[8192], pattern[64];
  bool found = false;
  snprintf(pattern, sizeof pattern, " %s ", word);
  while (file != NULL && !found && fgets(line, sizeof line, file) != NULL)
    found = strncmp(line, "flags", 5) == 0 && strstr(line, pattern) != NULL;
  if (file != NULL)
    fclose(file);
  return found;
}

Test(clock, wall_never_falls) {
  struct ppi_tsc state;
  struct ppi_clock clock;
  ppi_clock_wall(&clock, &state);
  double last = now(&clock);
  for (int i = 0; i < 100000; i++) {
    double next = now(&clock);
    cr_assert_geq(next, last);
    last = next;
  }
}

/* Readings of the monotonic clock bracket the interval on both sides, so a pause of the process between them does no harm. */
Test(clock, wall_agrees_with_the_systems_clock) {
  struct ppi_tsc state;
  struct ppi_clock wall, monotonic;
  ppi_clock_wall(&wall, &state);
  ppi_clock_monotonic(&monotonic);
  double outer_begin = now(&monotonic), begin = now(&wall), inner_begin = now(&monotonic);
  pause_20_ms();
  double inner_end = now(&monotonic), end = now(&wall), outer_end = now(&monotonic);
  cr_expect_geq(end - begin, 0.99 * (inner_end - inner_begin));
  cr_expect_leq(end - begin, 1.01 * (outer_end - outer_begin));
}

Test(clock, wall_is_the_counter_only_where_it_is_constant) {
  struct ppi_tsc state;
  struct ppi_clock clock;
  ppi_clock_wall(&clock, &state);
  bool constant = kernel_reports("constant_tsc") && kernel_reports("nonstop_tsc");
  cr_expect_str_eq(clock.name, constant ? "tsc" : "monotonic");
  cr_expect_eq(state.seconds_per_tick > 0.0, constant);
}

Test(clock, thread_cpu_stands_still_while_asleep) {
  struct ppi_clock clock;
  ppi_clock_thread_cpu(&clock);
  cr_expect_str_eq(clock.name, "cpu");
  double begin = now(&clock);
  pause_20_ms();
  double slept = now(&clock) - begin;
  cr_expect_geq(slept, 0.0);
  cr_expect_lt(slept, 0.015);
}

Test(clock, thread_cpu_counts_work) {
  struct ppi_clock clock;
  ppi_clock_thread_cpu(&clock);
  volatile double sink = 1.0;
  double begin = now(&clock);
  for (int i = 0; i < 3000000; i++)
    sink = sink * 0.5 + 0.5;
  cr_expect_gt(now(&clock) - begin, 1e-4); /* three million dependent steps take longer on any machine */
}

Test(clock, resolution_and_overhead_are_known) {
  struct ppi_tsc state;
  struct ppi_clock clocks[3];
  ppi_clock_wall(&clocks[0], &state);
  ppi_clock_monotonic(&clocks[1]);
  ppi_clock_thread_cpu(&clocks[2]);
  for (int i = 0; i < 3; i++) {
    cr_expect_gt(clocks[i].resolution_s, 0.0, "%s", clocks[i].name);
    cr_expect_lt(clocks[i].resolution_s, 0.011, "%s", clocks[i].name);
    cr_expect_geq(clocks[i].overhead_s, 0.0, "%s", clocks[i].name);
    cr_expect_lt(clocks[i].overhead_s, 1e-3, "%s", clocks[i].name);
  }
}

Test(clock, virtual_moves_only_when_advanced) {
  struct ppi_virtual_time time = { 5.0 };
  struct ppi_clock clock;
  ppi_clock_virtual(&clock, &time);
  cr_expect_str_eq(clock.name, "virtual");
  cr_expect_eq(now(&clock), 5.0);
  cr_expect_eq(now(&clock), 5.0);
  time.now_s += 0.25;
  cr_expect_eq(now(&clock), 5.25);
}
