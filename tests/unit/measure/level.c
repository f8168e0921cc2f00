/* SPDX-License-Identifier: BSD-3-Clause */
#include <criterion/criterion.h>

#include "measure/level.h"

static struct ppi_level level;

static void add(double reading, int times) {
  for (int i = 0; i < times; i++)
    ppi_level_add(&level, reading);
}

static void start(void) {
  level = (struct ppi_level){ 0 };
}

TestSuite(level, .init = start);

/* 15 % of the readings are at 1.00: too rare. 1.10 holds 60 %: the reference, and 1.16 is outside its 5 %. */
Test(level, fastest_level_with_a_fair_share) {
  add(1.00, 15);
  add(1.10, 60);
  add(1.40, 25);
  ppi_level_update(&level, 0.05);
  cr_expect_eq(level.reference_s, 1.10);
  cr_expect(ppi_level_passes(&level, 1.00, 0.05));
  cr_expect(ppi_level_passes(&level, 1.154, 0.05));
  cr_expect_not(ppi_level_passes(&level, 1.16, 0.05));
}

Test(level, a_quarter_of_the_time_is_enough) {
  add(1.40, 75);
  add(1.00, 25);
  ppi_level_update(&level, 0.05);
  cr_expect_eq(level.reference_s, 1.00);
  cr_expect_not(ppi_level_passes(&level, 1.40, 0.05));
}

/* Readings between count for the level below them as long as they are within the gate's width. */
Test(level, a_level_is_as_wide_as_the_gate) {
  add(1.00, 10);
  add(1.04, 15);
  add(1.20, 75);
  ppi_level_update(&level, 0.05);
  cr_expect_eq(level.reference_s, 1.00);
  ppi_level_update(&level, 0.03);
  cr_expect_eq(level.reference_s, 1.20);
}

Test(level, only_the_newest_readings_decide) {
  add(1.00, PPI_LEVEL_READINGS);
  add(1.30, PPI_LEVEL_READINGS);
  ppi_level_update(&level, 0.05);
  cr_expect_eq(level.reference_s, 1.30);
}

/* 1.30 holds 90 %, but that is no drift of the clock: the gate stays at 8 % above the best reading. */
Test(level, does_not_follow_a_busy_neighbour) {
  level.best_s = 1.00;
  add(1.00, 10);
  add(1.30, 90);
  ppi_level_update(&level, 0.05);
  cr_expect_float_eq(level.reference_s, 1.08, 1e-12);
  cr_expect_not(ppi_level_passes(&level, 1.30, 0.05));
}

Test(level, without_a_gate_everything_passes) {
  add(1.00, 10);
  ppi_level_update(&level, -1.0);
  cr_expect(ppi_level_passes(&level, 1e9, -1.0));
}

Test(level, target_is_the_given_reading_or_the_best) {
  level.best_s = 20e-6;
  cr_expect_eq(ppi_level_target(&level), 20e-6);
  level.given_s = 21e-6;
  cr_expect_eq(ppi_level_target(&level), 21e-6);
}

/* At most a factor of four, in either direction; nothing can be said before the first reading. */
Test(level, a_given_reading_may_be_off_by_a_factor_of_four) {
  static const struct {
    double given_s;
    bool fits;
  } cases[] = { { 0.0, true }, { 5e-6, true }, { 80e-6, true }, { 4.9e-6, false }, { 80.1e-6, false }, { 1.0, false } };
  level.best_s = 20e-6;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    level.given_s = cases[i].given_s;
    cr_expect_eq(ppi_level_given_fits(&level), cases[i].fits, "%g", cases[i].given_s);
  }
  level.best_s = 0.0;
  cr_expect(ppi_level_given_fits(&level));
}
