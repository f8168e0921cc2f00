/* SPDX-License-Identifier: BSD-3-Clause */
/* Gaps between readings of clocks whose gaps are known. */
#include "machine/interruptions.h"

#include <criterion/criterion.h>

/* Each reading takes so long, and after so much time of one's own the processor is gone for so long; 0: it never is. */
struct script {
  double reading_s, period_s, each_s;
  double now_s, own_s, next_s;
};

static double script_now(void *data) {
  struct script *script = data;
  script->now_s += script->reading_s;
  script->own_s += script->reading_s;
  if (script->period_s > 0.0 && script->own_s >= script->next_s) {
    script->now_s += script->each_s;
    script->next_s += script->period_s;
  }
  return script->now_s;
}

static struct ppi_interruptions found(double reading_s, double period_s, double each_s) {
  struct script script = { reading_s, period_s, each_s, 0.0, 0.0, period_s };
  const struct ppi_clock clock = { "script", script_now, 1e-9, 0.0, &script };
  struct ppi_interruptions interruptions;
  ppi_interruptions_find(&clock, 0.05, &interruptions);
  return interruptions;
}

/* Nine or ten in each of the five windows, so the time between two is known to a tenth. */
Test(interruptions, regular_ones_are_found) {
  const struct ppi_interruptions ticks = found(1e-7, 1e-3, 4e-5);
  cr_expect_float_eq(ticks.each_s, 4e-5, 2e-7, "%g", ticks.each_s);
  cr_expect_float_eq(ticks.period_s, 1e-3, 1e-4, "%g", ticks.period_s);
}

/* Four parts in a thousand; programs that have their turn; a clock that stands still. */
Test(interruptions, what_does_not_matter_is_none) {
  cr_expect_eq(found(1e-7, 1e-3, 4e-6).each_s, 0.0);
  cr_expect_eq(found(1e-7, 1e-3, 2e-4).each_s, 0.0);
  cr_expect_eq(found(1e-7, 0.0, 0.0).each_s, 0.0);
  cr_expect_eq(found(0.0, 0.0, 0.0).each_s, 0.0);
}

Test(interruptions, the_median_has_the_nearest_number_of_periods) {
  const struct ppi_interruptions ticks = { 4e-5, 1e-3 }, none = { 0.0, 0.0 };
  cr_expect_eq(ppi_interruptions_count(&ticks, 0.4e-3), 0.0);
  cr_expect_eq(ppi_interruptions_count(&ticks, 0.6e-3), 1.0);
  cr_expect_eq(ppi_interruptions_count(&ticks, 1.4e-3), 1.0);
  cr_expect_eq(ppi_interruptions_count(&ticks, 10.6e-3), 11.0);
  cr_expect_eq(ppi_interruptions_count(&none, 1.0), 0.0);
}
