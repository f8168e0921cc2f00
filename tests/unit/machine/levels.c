/* SPDX-License-Identifier: BSD-3-Clause */
/* Levels of the memory hierarchy in curves that are made up of known ones. */
#include "machine/levels.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "machine/chase.h"

#define K 1024.0
#define M (1024.0 * 1024.0)

/* Levels that a curve is made of: the last one has no end. */
struct made {
  double bytes, latency_s;
};

/* As a cache that replaces the least recently used line has it: all or nothing. */
static double sharp(const struct made *levels, int count, double bytes) {
  int i = 0;
  while (i + 1 < count && bytes > levels[i].bytes)
    i++;
  return levels[i].latency_s;
}

/* As one that replaces at random: a share of bytes / size is found in the level. */
static double random_replacement(const struct made *levels, int count, double bytes) {
  double latency = levels[count - 1].latency_s;
  for (int i = count - 2; i >= 0; i--) {
    double share = bytes > levels[i].bytes ? levels[i].bytes / bytes : 1.0;
    latency = share * levels[i].latency_s + (1.0 - share) * latency;
  }
  return latency;
}

static struct ppi_curve curve_of(const struct made *levels, int count,
                                 double (*latency)(const struct made *, int, double), double most) {
  struct ppi_curve curve = { .count = 0 };
  for (int i = 0; 4.0 * K * exp2(i / 4.0) <= most * 1.0001; i++) {
    double bytes = floor(4.0 * K * exp2(i / 4.0) + 0.5);
    curve.points[curve.count++] = (struct ppi_curve_point){ (int64_t)bytes, latency(levels, count, bytes), 1e9 };
  }
  return curve;
}

static const struct made four[] = { { 32.0 * K, 1e-9 }, { 1.0 * M, 4e-9 }, { 16.0 * M, 14e-9 }, { 0.0, 90e-9 } };

static void expect_levels(const struct ppi_curve *curve, const struct made *made, int count, double below, double above,
                          double latency) {
  struct ppi_effective levels[PPI_CACHE_MAX];
  int found = ppi_levels_find(curve, levels);
  cr_assert_eq(found, count, "%d levels", found);
  for (int i = 0; i < count; i++) {
    cr_expect_float_eq(levels[i].latency_s, made[i].latency_s, latency * made[i].latency_s, "level %d: %g s", i,
                       levels[i].latency_s);
    if (i + 1 == count)
      cr_expect_eq(levels[i].bytes, 0);
    else
      cr_expect((double)levels[i].bytes >= below * made[i].bytes && (double)levels[i].bytes <= above * made[i].bytes,
                "level %d: %lld bytes", i, (long long)levels[i].bytes);
  }
}

/* Points are a factor of 1.19 apart: nothing is known of what lies between. */
Test(levels, sharp_steps) {
  const struct ppi_curve curve = curve_of(four, 4, sharp, 128.0 * M);
  struct ppi_effective levels[PPI_CACHE_MAX];
  expect_levels(&curve, four, 4, 1.0, 1.19, 1e-12);
  cr_assert_eq(ppi_levels_find(&curve, levels), 4);
  for (int i = 0; i < 4; i++)
    cr_expect_eq(levels[i].bandwidth_bytes_per_s, 1e9);
}

/* Beyond a capacity the curve bends instead of jumping; a tenth of the way is reached at 1/0.9 of it where the next level is flat, and a
   plateau's latency is within what the slope that counts as flat allows. */
Test(levels, caches_that_replace_at_random) {
  static const struct made three[] = { { 1.0 * M, 4e-9 }, { 16.0 * M, 14e-9 }, { 0.0, 90e-9 } };
  const struct ppi_curve curve = curve_of(three, 3, random_replacement, 2048.0 * M);
  struct ppi_effective levels[PPI_CACHE_MAX];
  cr_assert_geq(ppi_levels_find(&curve, levels), 3);
  expect_levels(&curve, three, 3, 0.95, 1.35, 0.25);
}

/* Noise of 4 %, and bursts of ten times at single points, both ends among them. */
Test(levels, noise_and_bursts) {
  struct ppi_curve curve = curve_of(four, 4, sharp, 128.0 * M);
  uint32_t state = 12345;
  for (int i = 0; i < curve.count; i++) {
    state = state * 1664525u + 1013904223u;
    curve.points[i].latency_s *= 1.0 + 0.04 * ((double)(state >> 16) / 65536.0 * 2.0 - 1.0);
  }
  curve.points[0].latency_s *= 10.0;
  curve.points[7].latency_s *= 10.0;
  curve.points[20].latency_s *= 10.0;
  curve.points[40].latency_s *= 10.0;
  expect_levels(&curve, four, 4, 0.99, 1.2, 0.05);
}

/* Where translations of addresses run out the curve rises a little: that is no level. */
Test(levels, a_small_step_is_none) {
  static const struct made bumpy[] = {
    { 32.0 * K, 1e-9 }, { 256.0 * K, 4e-9 }, { 1.0 * M, 4.8e-9 }, { 16.0 * M, 14e-9 }, { 0.0, 90e-9 }
  };
  const struct ppi_curve curve = curve_of(bumpy, 5, sharp, 128.0 * M);
  struct ppi_effective levels[PPI_CACHE_MAX];
  cr_assert_eq(ppi_levels_find(&curve, levels), 4);
  cr_expect_geq(levels[1].bytes, (int64_t)(1.0 * M));
  cr_expect_leq(levels[1].bytes, (int64_t)(1.2 * M));
}

Test(levels, nothing_to_find) {
  static const struct made flat[] = { { 0.0, 3e-9 } };
  struct ppi_curve curve = { .count = 0 };
  struct ppi_effective levels[PPI_CACHE_MAX];
  cr_expect_eq(ppi_levels_find(&curve, levels), 0);
  curve = curve_of(flat, 1, sharp, 4.0 * M);
  cr_assert_eq(ppi_levels_find(&curve, levels), 1);
  cr_expect_eq(levels[0].bytes, 0);
  cr_expect_float_eq(levels[0].latency_s, 3e-9, 1e-20);
  curve.count = 1;
  cr_expect_eq(ppi_levels_find(&curve, levels), 1);
  cr_expect_eq(levels[0].bytes, 0);
}

/* The working sets end within a rise: memory was not seen, its latency is at least that of the last point. */
Test(levels, a_curve_that_still_rises) {
  static const struct made two[] = { { 64.0 * K, 1e-9 }, { 0.0, 100e-9 } };
  struct ppi_curve curve = curve_of(two, 2, random_replacement, 128.0 * K);
  struct ppi_effective levels[PPI_CACHE_MAX];
  cr_assert_eq(ppi_levels_find(&curve, levels), 2);
  cr_expect_eq(levels[1].bytes, 0);
  cr_expect_float_eq(levels[1].latency_s, 50.5e-9, 1e-12);
  cr_expect_float_eq((double)levels[0].bytes, 64.0 * K, 8.0 * K);
}

/* Room is for eight: the nearest ones are left out, memory is always there. */
Test(levels, more_than_there_is_room_for) {
  struct made many[10];
  struct ppi_effective levels[PPI_CACHE_MAX];
  for (int i = 0; i < 10; i++)
    many[i] = (struct made){ 8.0 * K * pow(4.0, i), 1e-9 * pow(2.0, i) };
  const struct ppi_curve curve = curve_of(many, 10, sharp, 8192.0 * M);
  cr_assert_eq(ppi_levels_find(&curve, levels), PPI_CACHE_MAX);
  cr_expect_eq(levels[PPI_CACHE_MAX - 1].bytes, 0);
  cr_expect_float_eq(levels[PPI_CACHE_MAX - 1].latency_s, 512e-9, 1e-18);
  for (int i = 1; i + 1 < PPI_CACHE_MAX; i++)
    cr_expect_gt(levels[i].bytes, levels[i - 1].bytes);
}

/* --- Streams --------------------------------------------------------------------------------------------------------- */

/* Powers of two. A load takes 1 ns up to 512 KiB, 10 ns up to 4 MiB, 100 ns beyond: slow chases lose their lines to neighbours. Streams: 64 GB/s up to
   4 MiB, 16 GB/s at 32 MiB, 4 GB/s from 64 MiB on; the mean of 64 and 4 is 16. */
static void make_streams(struct ppi_curve *curve) {
  curve->count = 0;
  for (int64_t bytes = 4096; bytes <= INT64_C(256) << 20; bytes *= 2)
    curve->points[curve->count++] = (struct ppi_curve_point){ bytes,
                                                              bytes <= 512 << 10 ? 1e-9
                                                              : bytes <= 4 << 20 ? 10e-9
                                                                                 : 100e-9,
                                                              bytes <= 4 << 20    ? 64e9
                                                              : bytes <= 16 << 20 ? 32e9
                                                              : bytes <= 32 << 20 ? 16e9
                                                                                  : 4e9 };
}

/* What is found for the last cache. */
static double last_cache(const struct ppi_curve *curve) {
  struct ppi_effective levels[PPI_CACHE_MAX];
  const int count = ppi_levels_find(curve, levels);
  cr_assert_eq(count, 3);
  cr_expect_eq(levels[2].bytes, 0);
  return (double)levels[1].bytes;
}

Test(streams, the_last_cache_reaches_as_far_as_they_come_from_it) {
  struct ppi_curve curve;
  make_streams(&curve);
  cr_expect_float_eq(last_cache(&curve), 32 << 20, 1.0);
  curve.points[11].bandwidth_bytes_per_s = 1e9; /* one of the sizes, 8 MiB, had a neighbour */
  cr_expect_float_eq(last_cache(&curve), 32 << 20, 1.0);
}

Test(streams, between_two_sizes_the_end_is_on_a_scale_of_octaves) {
  struct ppi_curve curve;
  make_streams(&curve);
  for (int i = 0; i < curve.count; i++)
    if (curve.points[i].bytes > 16 << 20)
      curve.points[i].bandwidth_bytes_per_s = 4e9;
  /* from 32 to 4 GB/s in an octave, of time for a byte; 16 GB/s is (1/16 - 1/32) / (1/4 - 1/32) = 1/7 of the way */
  cr_expect_float_eq(last_cache(&curve), exp2(1.0 / 7.0) * (16 << 20), 1.0);
}

/* 4 MiB and a tenth of the way from 10 to 100 ns, which is a tenth of an octave. */
Test(streams, where_memory_is_as_fast_latencies_decide) {
  struct ppi_curve curve;
  make_streams(&curve);
  for (int i = 0; i < curve.count; i++)
    curve.points[i].bandwidth_bytes_per_s = i < 12 ? 10e9 : 7e9;
  cr_expect_float_eq(last_cache(&curve), exp2(0.1) * (4 << 20), 1.0);
  for (int i = 0; i < curve.count; i++)
    curve.points[i].bandwidth_bytes_per_s = 0.0;
  cr_expect_float_eq(last_cache(&curve), exp2(0.1) * (4 << 20), 1.0);
}

/* --- Measured ------------------------------------------------------------------------------------------------------ */

Test(chase, the_ring_goes_through_every_line_once) {
  static const int64_t counts[] = { 1, 2, 3, 5, 8, 64, 100, 1000, 4097, 12345 };
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    int64_t lines = counts[i], visited = 0;
    char *buffer = aligned_alloc(PPI_CHASE_LINE, (size_t)lines * PPI_CHASE_LINE), *seen = calloc((size_t)lines, 1);
    cr_assert(buffer && seen);
    void **begin = ppi_chase_link(buffer, lines), **at = begin;
    do {
      int64_t line = ((char *)at - buffer) / PPI_CHASE_LINE;
      cr_assert(line >= 0 && line < lines && !seen[line], "%lld lines", (long long)lines);
      seen[line] = 1;
      visited++;
      at = *at;
    } while (at != begin);
    cr_expect_eq(visited, lines);
    free(seen);
    free(buffer);
  }
}

/* Distances between lines that follow each other are not the same, or a prefetcher would learn them. */
Test(chase, the_order_is_none_that_can_be_foreseen) {
  enum { LINES = 1024 };
  char *buffer = aligned_alloc(PPI_CHASE_LINE, LINES * PPI_CHASE_LINE);
  int64_t same = 0, near = 0, before = 0;
  cr_assert(buffer);
  void **at = ppi_chase_link(buffer, LINES);
  for (int i = 0; i < LINES; i++) {
    void **next = *at;
    int64_t distance = (char *)next - (char *)at;
    same += distance == before;
    near += llabs(distance) <= 2 * PPI_CHASE_LINE;
    before = distance;
    at = next;
  }
  cr_expect_lt(same, LINES / 50);
  cr_expect_lt(near, LINES / 20);
  free(buffer);
}

/* Sixty-four small pages are left for others only when all of them have been gone through. */
Test(chase, regions_that_translations_cover_come_one_after_the_other) {
  enum { REGION = 4096, LINES = 2 * REGION + 100 };
  char *buffer = aligned_alloc(PPI_CHASE_LINE, LINES * PPI_CHASE_LINE);
  int left = 0;
  cr_assert(buffer);
  void **at = ppi_chase_link(buffer, LINES);
  for (int i = 0; i < LINES; i++) {
    void **next = *at;
    left += ((char *)at - buffer) / (REGION * PPI_CHASE_LINE) != ((char *)next - buffer) / (REGION * PPI_CHASE_LINE);
    at = next;
  }
  cr_expect_eq(left, 3);
  free(buffer);
}

Test(chase, this_machine_has_a_curve) {
  struct ppi_machine machine;
  struct ppi_curve curve;
  struct perfpred_error error = { 0 };
  ppi_machine_here(&machine);
  cr_assert_eq(ppi_chase_measure(&machine, 0.02, &curve, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_geq(curve.count, 1);
  for (int i = 0; i < curve.count; i++) {
    cr_expect(isfinite(curve.points[i].latency_s) && curve.points[i].latency_s > 0.0);
    cr_expect(isfinite(curve.points[i].bandwidth_bytes_per_s) && curve.points[i].bandwidth_bytes_per_s > 0.0);
    cr_expect(i == 0 || curve.points[i].bytes > curve.points[i - 1].bytes);
  }
}
