/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixture.h"

static void expect_grid(enum perfpred_grid grid, int64_t lower, int64_t upper, int count, const int64_t *expected,
                        int expected_count) {
  int64_t points[64];
  int made = ppi_grid(grid, lower, upper, count, 8, points);

  cr_assert_eq(made, expected_count, "%d points, expected %d", made, expected_count);
  for (int i = 0; i < made; i++)
    cr_assert_eq(points[i], expected[i], "point %d is %lld, expected %lld", i, (long long)points[i],
                 (long long)expected[i]);
}
#define EXPECT_GRID(grid, lower, upper, count, ...)                                                                    \
  expect_grid(grid, lower, upper, count, (const int64_t[]){ __VA_ARGS__ },                                             \
              (int)(sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)))

Test(grid, cartesian_is_even) {
  EXPECT_GRID(PERFPRED_GRID_CARTESIAN, 8, 72, 5, 8, 24, 40, 56, 72);
  EXPECT_GRID(PERFPRED_GRID_CARTESIAN, 8, 1000, 2, 8, 1000);
  /* 24 + 512 / 3 = 194.67, 24 + 1024 / 3 = 365.33 */
  EXPECT_GRID(PERFPRED_GRID_CARTESIAN, 24, 536, 4, 24, 192, 368, 536);
}

Test(grid, chebyshev_by_hand) {
  /* 280 -+ 256 cos(pi / 4) = 98.98, 461.02 */
  EXPECT_GRID(PERFPRED_GRID_CHEBYSHEV, 24, 536, 5, 24, 96, 280, 464, 536);
  /* 516 -+ 508 cos(pi / 3) = 262, 770 */
  EXPECT_GRID(PERFPRED_GRID_CHEBYSHEV, 8, 1024, 4, 8, 264, 768, 1024);
  /* 516 -+ 508 cos(pi / 8) = 46.67, 985.33; cos(pi / 4): 156.79, 875.21; cos(3 pi / 8): 321.60, 710.40; 516 rounds up */
  EXPECT_GRID(PERFPRED_GRID_CHEBYSHEV, 8, 1024, 9, 8, 48, 160, 320, 520, 712, 872, 984, 1024);
}

Test(grid, repeats_vanish) {
  EXPECT_GRID(PERFPRED_GRID_CHEBYSHEV, 8, 24, 9, 8, 16, 24);
  EXPECT_GRID(PERFPRED_GRID_CARTESIAN, 8, 24, 9, 8, 16, 24);
  EXPECT_GRID(PERFPRED_GRID_CHEBYSHEV, 8, 16, 9, 8, 16);
  EXPECT_GRID(PERFPRED_GRID_CHEBYSHEV, 40, 40, 9, 40);
}

Test(grid, ends_stay_and_nothing_leaves_the_range) {
  EXPECT_GRID(PERFPRED_GRID_CARTESIAN, 10, 50, 3, 10, 32, 50);
  EXPECT_GRID(PERFPRED_GRID_CARTESIAN, 9, 15, 5, 9, 15);
  EXPECT_GRID(PERFPRED_GRID_CHEBYSHEV, 8, 9, 4, 8, 9);
  EXPECT_GRID(PERFPRED_GRID_CARTESIAN, 1, 3, 7, 1, 3);
}

Test(grid, one_point_is_the_middle) {
  EXPECT_GRID(PERFPRED_GRID_CHEBYSHEV, 8, 72, 1, 40);
  EXPECT_GRID(PERFPRED_GRID_CHEBYSHEV, 9, 14, 1, 9);
}

Test(split, the_largest_ratio_is_halved) {
  int64_t lower[] = { 24, 24 }, upper[] = { 536, 4152 }, at = 0;

  /* the published domain: 536 / 24 = 22.3 against 4152 / 24 = 173; the middle of 24 and 4152 is 2088 = 261 * 8 */
  cr_assert_eq(ppi_split_choose(2, lower, upper, 32, 8, &at), 1);
  cr_assert_eq(at, 2088);
  lower[1] = 2088; /* now 22.3 against 1.99; the middle is 280 */
  cr_assert_eq(ppi_split_choose(2, lower, upper, 32, 8, &at), 0);
  cr_assert_eq(at, 280);
}

Test(split, narrow_dimensions_are_left_alone) {
  int64_t lower[] = { 8, 512 }, upper[] = { 39, 1024 }, at = 0;

  /* 39 / 8 is the larger ratio, but 31 wide is below 32 */
  cr_assert_eq(ppi_split_choose(2, lower, upper, 32, 8, &at), 1);
  cr_assert_eq(at, 768);
  upper[0] = 40;
  cr_assert_eq(ppi_split_choose(2, lower, upper, 32, 8, &at), 0);
  cr_assert_eq(at, 24);
  upper[0] = 39;
  upper[1] = 520;
  cr_assert_eq(ppi_split_choose(2, lower, upper, 32, 8, &at), -1);
}

Test(split, a_midpoint_that_rounds_to_an_end_is_none) {
  int64_t lower[] = { 8 }, upper[] = { 16 }, at = 77;

  cr_assert_eq(ppi_split_choose(1, lower, upper, 8, 8, &at), -1);
  lower[0] = 9;
  upper[0] = 15;
  cr_assert_eq(ppi_split_choose(1, lower, upper, 1, 8, &at), -1);
  cr_assert_eq(at, 77);
  lower[0] = 8;
  upper[0] = 20; /* 14 rounds to 16 */
  cr_assert_eq(ppi_split_choose(1, lower, upper, 8, 8, &at), 0);
  cr_assert_eq(at, 16);
}

Test(grid, a_coarser_grain_has_fewer_places) {
  static const int64_t expected[] = { 32, 96, 288, 480, 544 };
  int64_t points[64], lower[] = { 32, 32 }, upper[] = { 96, 544 }, at = 0;

  /* 288 -+ 256 cos(pi / 4) = 106.98, 469.02 */
  cr_assert_eq(ppi_grid(PERFPRED_GRID_CHEBYSHEV, 32, 544, 5, 32, points), 5);
  for (int i = 0; i < 5; i++)
    cr_assert_eq(points[i], expected[i]);
  cr_assert_eq(ppi_grid(PERFPRED_GRID_CARTESIAN, 32, 96, 9, 32, points), 3);
  cr_assert_eq(ppi_split_choose(2, lower, upper, 32, 32, &at), 1);
  cr_assert_eq(at, 288);
  upper[1] = 64; /* nothing lies between 32 and 64 */
  cr_assert_eq(ppi_split_choose(2, lower, upper, 32, 32, &at), 0);
  cr_assert_eq(at, 64);
}
