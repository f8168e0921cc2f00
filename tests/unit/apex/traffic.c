/* SPDX-License-Identifier: BSD-3-Clause */
/* What runs of Apex-MAP bring in from memory: against an exact simulation of the cache, published values, and by hand. */
#include "apex/traffic.h"

#include <criterion/criterion.h>
#include <math.h>

#include "base/stack_distance.h"

#define LINE 64.0

static double ratio_of(const struct ppi_apex_run *run, const struct ppi_apex_cache *cache) {
  double ratio = -1.0;
  cr_assert_eq(ppi_apex_miss_ratio(run, cache, &ratio, NULL), PERFPRED_OK);
  return ratio;
}

static double bytes_of(const struct ppi_apex_run *run, const struct ppi_apex_cache *cache) {
  double bytes = -1.0;
  cr_assert_eq(ppi_apex_traffic(run, cache, &bytes, NULL), PERFPRED_OK);
  return bytes;
}

/* 16384 blocks of a line each. */
static struct ppi_apex_run lines_of(double alpha) {
  return (struct ppi_apex_run){ .kind = PPI_APEX_RANDOM, .m = 8 * 16385, .l = 8, .i = 50, .alpha = alpha };
}

/* Values of a simulation and of the approximation that were computed elsewhere: 16384 blocks, 1024 of them in the cache. */
Test(traffic, the_approximation_has_its_published_values) {
  static const double known[][3] = {
    { 1.0, 0.9374, 0.9375 }, { 0.5, 0.8715, 0.8709 },  { 0.25, 0.6347, 0.6335 },
    { 0.1, 0.3212, 0.3207 }, { 0.01, 0.0370, 0.0371 },
  };
  const struct ppi_apex_cache cache = { 1024 * LINE, LINE };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    struct ppi_apex_run run = lines_of(known[i][0]);
    double ratio = ratio_of(&run, &cache);
    cr_expect_float_eq(ratio, known[i][2], 0.00006, "alpha %g: %.5f", known[i][0], ratio);
    cr_expect_float_eq(ratio, known[i][1], 0.01 * known[i][1], "alpha %g: %.5f", known[i][0], ratio);
  }
}

/* Misses of a line-by-line simulation over the blocks that a run would touch, of those behind the first `warm` ones. */
static double simulated(const struct ppi_apex_run *run, uint64_t capacity, int64_t warm, int64_t blocks) {
  struct ppi_stack_distance *sim = NULL;
  struct ppi_random random = { 7 };
  struct ppi_apex_run one = *run;
  uint64_t misses = 0, touches = 0;
  one.i = 1;
  cr_assert_eq(ppi_stack_distance_create(0, &sim, NULL), PERFPRED_OK);
  for (int64_t block = 0; block < warm + blocks; block++) {
    int64_t start = 0;
    ppi_apex_fill(&one, &random, &start);
    for (int64_t line = start / 8; line <= (start + run->l - 1) / 8; line++) {
      uint64_t distance = 0;
      cr_assert_eq(ppi_stack_distance_access(sim, (uint64_t)line, &distance), PERFPRED_OK);
      if (block < warm)
        continue;
      touches++;
      misses += distance == 0 || distance > capacity;
    }
  }
  ppi_stack_distance_destroy(sim);
  return (double)misses / (double)touches;
}

Test(traffic, the_approximation_is_within_a_percent_of_the_exact_simulation) {
  static const double alphas[] = { 1.0, 0.5, 0.25, 0.1, 0.01 };
  const struct ppi_apex_cache cache = { 1024 * LINE, LINE };
  for (size_t i = 0; i < sizeof alphas / sizeof alphas[0]; i++) {
    struct ppi_apex_run run = lines_of(alphas[i]);
    double modelled = ratio_of(&run, &cache), exact = simulated(&run, 1024, 200000, 1500000);
    cr_expect_float_eq(modelled, exact, 0.01 * exact, "alpha %g: modelled %.5f, simulated %.5f", alphas[i], modelled,
                       exact);
  }
}

/* Blocks that begin in the middle of a line, that are shorter than one, and longer. */
Test(traffic, blocks_and_lines_need_not_begin_together) {
  static const struct {
    int64_t l;
    double alpha;
  } cases[] = { { 1, 0.5 }, { 3, 0.25 }, { 4, 1.0 }, { 7, 0.5 }, { 12, 0.5 }, { 20, 0.25 }, { 64, 0.5 } };
  const struct ppi_apex_cache cache = { 512 * LINE, LINE };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct ppi_apex_run run = {
      .kind = PPI_APEX_RANDOM, .m = 8 * 6000, .l = cases[i].l, .i = 50, .alpha = cases[i].alpha
    };
    int64_t blocks = run.l > 16 ? 100000 : 300000;
    double modelled = ratio_of(&run, &cache), exact = simulated(&run, 512, blocks / 5, blocks);
    cr_expect_float_eq(modelled, exact, 0.01 * exact, "L %lld alpha %g: modelled %.5f, simulated %.5f",
                       (long long)run.l, run.alpha, modelled, exact);
  }
}

/* The same sums one by one, and the characteristic time by halving. */
#define MANY 60000

static double brute(double alpha, double capacity) {
  static double rates[MANY];
  double low = 0.0, high = 1e12, missed = 0.0;
  for (int k = 0; k < MANY; k++)
    rates[k] = pow((double)(k + 1) / MANY, alpha) - pow((double)k / MANY, alpha);
  for (int i = 0; i < 60; i++) {
    double middle = 0.5 * (low + high), filled = 0.0;
    for (int k = 0; k < MANY; k++)
      filled -= expm1(-rates[k] * middle);
    if (filled < capacity)
      low = middle;
    else
      high = middle;
  }
  for (int k = 0; k < MANY; k++)
    missed += rates[k] * exp(-rates[k] * high);
  return missed;
}

Test(traffic, many_lines_are_added_up_in_bands) {
  const struct ppi_apex_cache cache = { 5000 * LINE, LINE };
  struct ppi_apex_run run = { .kind = PPI_APEX_RANDOM, .m = 8 * (MANY + 1), .l = 8, .i = 50, .alpha = 0.25 };
  cr_expect_float_eq(ratio_of(&run, &cache), brute(0.25, 5000.0), 2e-5);
}

Test(traffic, what_fits_is_not_missed) {
  const struct ppi_apex_cache cache = { 1024 * LINE, LINE };
  struct ppi_apex_run run = { .kind = PPI_APEX_RANDOM, .m = 8 * 1024, .l = 8, .i = 50, .alpha = 1.0 };
  cr_expect_float_eq(bytes_of(&run, &cache), 0.0, 0.0);
  run = lines_of(0.0); /* always the same block */
  cr_expect_float_eq(bytes_of(&run, &cache), 0.0, 0.0);
  run.l = 16384; /* but one of 2048 lines, from the first to the last again and again */
  cr_expect_float_eq(ratio_of(&run, &cache), 1.0, 0.0);
  run = (struct ppi_apex_run){ .kind = PPI_APEX_STRIDED, .m = 8192, .s = 3 };
  cr_expect_float_eq(bytes_of(&run, &cache), 0.0, 0.0);
}

/* Eight bytes for each element up to a whole line, which is the most that one element can take. */
Test(traffic, strides_over_memory) {
  static const double bytes[][2] = { { 1, 8 }, { 2, 16 }, { 3, 24 }, { 7, 56 }, { 8, 64 }, { 9, 64 }, { 400, 64 } };
  const struct ppi_apex_cache cache = { 1024 * LINE, LINE };
  for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++) {
    const struct ppi_apex_run run = { .kind = PPI_APEX_STRIDED, .m = 10000000, .s = (int64_t)bytes[i][0], .c = 5 };
    double each = bytes_of(&run, &cache) / (double)ppi_apex_iterations(&run);
    cr_expect_float_eq(each, bytes[i][1], 1e-9, "S %g: %g", bytes[i][0], each);
  }
}

/* 50 blocks of 12 elements, which begin at the start of a line or in its middle: two lines each. */
Test(traffic, lines_of_random_blocks) {
  const struct ppi_apex_cache cache = { 2 * LINE, LINE };
  const struct ppi_apex_run run = { .kind = PPI_APEX_RANDOM, .m = 12000000, .l = 12, .i = 50, .alpha = 1.0 };
  cr_expect_float_eq(bytes_of(&run, &cache), 6400.0, 0.5); /* two lines of a million may be there */
}
