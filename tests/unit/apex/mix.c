/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples, weights, representatives and forecasts, by hand. */
#include "apex/mix.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apex/design.h"

static struct perfpred_error error;
static struct ppi_apex_samples samples;
static struct ppi_apex_mix mix;
static const struct ppi_apex_plane half = { 0.5, 0.5 };

static void end(void) {
  ppi_apex_mix_free(&mix);
  ppi_apex_samples_free(&samples);
}

TestSuite(mix, .fini = end, .timeout = 60);

static enum perfpred_status call_work(void *data, const char *call, double *flops, double *bytes,
                                      struct perfpred_error *failure) {
  (void)data;
  if (strcmp(call, "dgemm(N,N,2,2,2)") != 0)
    return ppi_error_set(failure, PERFPRED_NOT_FOUND, "no kernel '%.20s'", call);
  *flops = 16.0;
  *bytes = 128.0;
  return PERFPRED_OK;
}

static enum perfpred_status read(const char *text) {
  memset(&error, 0, sizeof error);
  ppi_apex_samples_free(&samples);
  return ppi_apex_csv(text, strlen(text), "mix.csv", call_work, NULL, &samples, &error);
}

Test(mix, comma_separated_values) {
  cr_assert_eq(read("# of a run\r\n\n bytes , time_s,host,flops ,cycles\r\n1,2,\"a, \"\"b\"\"\",3,4\n5e0,.25,,7,8"),
               PERFPRED_OK, "%s", error.text);
  cr_assert_eq(samples.count, 2);
  cr_expect_float_eq(samples.items[0].bytes, 1.0, 0.0);
  cr_expect_float_eq(samples.items[0].time_s, 2.0, 0.0);
  cr_expect_float_eq(samples.items[0].flops, 3.0, 0.0);
  cr_expect_float_eq(samples.items[0].cycles, 4.0, 0.0);
  cr_expect_float_eq(samples.items[1].time_s, 0.25, 0.0);
}

Test(mix, calls_know_what_they_do) {
  cr_assert_eq(read("time_s,call\n1,\"dgemm(N,N,2,2,2)\"\n"), PERFPRED_OK, "%s", error.text);
  cr_expect_float_eq(samples.items[0].flops, 16.0, 0.0);
  cr_expect_float_eq(samples.items[0].bytes, 128.0, 0.0);
  cr_expect(isnan(samples.items[0].cycles));
  cr_expect_eq(read("time_s,call\n1,\"dgemm(N)\"\n"), PERFPRED_CORRUPT);
  cr_expect_str_eq(error.text, "mix.csv:2:3: no kernel 'dgemm(N)'");
}

Test(mix, hostile_values_are_refused_where_they_stand) {
  static const char *const texts[][2] = {
    { "", "mix.csv: empty, expected a line with the names of columns" },
    { "\n# nothing\n", "mix.csv: empty, expected a line with the names of columns" },
    { "time_s,flops\n1,2\n",
      "mix.csv:1:1: expected columns time_s, flops and bytes, or time_s and call, found 'others'" },
    { "time_s,flops,bytes,flops\n", "mix.csv:1:20: expected each column once, found 'flops'" },
    { "time_s,flops,bytes\n", "mix.csv: no samples, expected at least one line behind the names" },
    { "time_s,flops,bytes\n1,2\n", "mix.csv:2:4: expected as many fields as there are columns, found 'fewer'" },
    { "time_s,flops,bytes\n1,2,3,4\n", "mix.csv:2:7: expected as many fields as there are columns, found 'more'" },
    { "time_s,flops,bytes\n1,x,3\n", "mix.csv:2:3: expected a number, found 'x'" },
    { "time_s,flops,bytes\n1,nan,3\n", "mix.csv:2:3: expected a number, found 'nan'" },
    { "time_s,flops,bytes\n1,inf,3\n", "mix.csv:2:3: expected a number, found 'inf'" },
    { "time_s,flops,bytes\n1,1e999,3\n", "mix.csv:2:3: expected a number, found '1e999'" },
    { "time_s,flops,bytes\n1,1e31,3\n",
      "mix.csv:2:1: flops is 1e+31, expected a number of at least 0 and at most 1e+30" },
    { "time_s,flops,bytes\n0,1,3\n", "mix.csv:2:1: time_s is 0, expected a number above 0 and at most 1e+30" },
    { "time_s,flops,bytes\n1,-1,3\n", "mix.csv:2:1: flops is -1, expected a number of at least 0 and at most 1e+30" },
    { "time_s,flops,bytes,cycles\n1,1,3,0\n", "mix.csv:2:1: cycles is 0, expected a number above 0 and at most 1e+30" },
    { "time_s,flops,bytes\n1,\"2,3\n", "mix.csv:2:3: expected a closing quotation mark, found 'the end of the line'" },
  };
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    cr_expect_eq(read(texts[i][0]), PERFPRED_CORRUPT, "%s", texts[i][0]);
    cr_expect_str_eq(error.text, texts[i][1]);
  }
  char endless[700] = "time_s,flops,bytes\n1,2,";
  memset(endless + strlen(endless), '3', 600);
  cr_expect_eq(read(endless), PERFPRED_CORRUPT);
  memset(&error, 0, sizeof error);
  cr_expect_eq(ppi_apex_csv("time_s\0", 8, "mix.csv", call_work, NULL, &samples, &error), PERFPRED_CORRUPT);
}

static void add(double time_s, double flops, double bytes) {
  const struct ppi_apex_sample sample = { time_s, flops, bytes, (double)NAN };
  cr_assert_eq(ppi_apex_samples_add(&samples, &sample, &error), PERFPRED_OK);
}

/* At 10 cycles a second: three samples in the rectangle at (0.5, 1), one in that at (0, 0). */
static void fill(void) {
  add(1.0, 12.0, 6.0);
  add(2.0, 24.0, 12.0);
  add(1.0, 14.0, 9.0);
  add(4.0, 0.0, 0.0);
  cr_assert_eq(ppi_apex_mix_create(&samples, 10.0, &half, &mix, &error), PERFPRED_OK);
}

Test(mix, weights_are_shares_of_the_time) {
  fill();
  cr_assert_eq(mix.count, 2);
  cr_expect_float_eq(mix.cells[0].weight, 0.5, 1e-15); /* as heavy, and lower */
  cr_expect(mix.cells[0].column == 0 && mix.cells[0].row == 0 && mix.cells[0].samples == 1);
  cr_expect_float_eq(mix.cells[1].weight, 0.5, 1e-15);
  cr_expect(mix.cells[1].column == 1 && mix.cells[1].row == 2 && mix.cells[1].samples == 3);
  cr_expect_float_eq(mix.flops / mix.time_s, 50.0 / 8.0, 1e-15);
  cr_expect_float_eq(mix.cycles, 80.0, 1e-12);
}

Test(mix, cycles_that_are_known_count) {
  const struct ppi_apex_sample sample = { 1.0, 100.0, 100.0, 1000.0 };
  cr_assert_eq(ppi_apex_samples_add(&samples, &sample, &error), PERFPRED_OK);
  cr_assert_eq(ppi_apex_mix_create(&samples, 10.0, &half, &mix, &error), PERFPRED_OK);
  cr_expect(mix.cells[0].column == 0 && mix.cells[0].row == 0);
}

Test(mix, a_plane_has_an_end) {
  add(1.0, 1e25, 1.0);
  cr_expect_eq(ppi_apex_mix_create(&samples, 10.0, &half, &mix, &error), PERFPRED_LIMIT);
  cr_expect(strstr(error.text, "sample 1: ") == error.text, "%s", error.text);
}

static struct ppi_apex_point point(double x, double y, double time_s) {
  return (struct ppi_apex_point){ .time_s = time_s, .flops = 1.0, .x = x, .y = y };
}

/* The centres are (0.25, 0.25) and (0.75, 1.25). */
Test(mix, the_nearest_run_inside_stands_for_a_rectangle) {
  const struct ppi_apex_point points[] = { point(0.1, 0.1, 1.0), point(0.25, 0.35, 3.0), point(0.25, 0.15, 2.0),
                                           point(0.51, 1.49, 9.0), point(0.75, 0.99, 1.0) };
  struct ppi_apex_choice choices[2];
  struct ppi_apex_cover cover;
  fill();
  ppi_apex_choose(&mix, &half, points, 5, 0.005, choices, &cover);
  cr_expect_eq(choices[0].point, 2, "as near as the one before it, and shorter");
  cr_expect_float_eq(choices[0].distance, 0.2, 1e-12);
  cr_expect(choices[0].covered && choices[0].reachable && choices[0].kept);
  cr_expect_eq(choices[1].point, 3, "the other one is nearer, but not inside");
  cr_expect_float_eq(cover.covered, 1.0, 1e-12);
  cr_expect_float_eq(cover.represented, 1.0, 1e-12);
}

Test(mix, what_no_run_reaches_is_told) {
  const struct ppi_apex_point points[] = { point(0.1, 0.1, 1.0), point(0.3, 2.0, 1.0) };
  struct ppi_apex_choice choices[2];
  struct ppi_apex_cover cover;
  fill();
  ppi_apex_choose(&mix, &half, points, 2, 0.005, choices, &cover);
  cr_expect_eq(choices[1].point, 1, "the nearest one stands for it all the same");
  cr_expect(!choices[1].covered && !choices[1].reachable && choices[1].kept);
  cr_expect_float_eq(cover.covered, 0.5, 1e-12);
  cr_expect_float_eq(cover.reachable, 0.5, 1e-12);
  cr_expect_float_eq(cover.covered_reachable, 0.5, 1e-12);
  ppi_apex_choose(&mix, &half, points, 2, 0.6, choices, &cover);
  cr_expect(!choices[0].kept && !choices[1].kept);
  cr_expect_float_eq(cover.represented, 0.0, 0.0);
}

/* Half of the time at 100 flop/s, half at 300: 200. Where the first half takes twice as long and the second as long as it did, the
   work of a second takes one and a half. */
Test(mix, both_formulas) {
  const struct ppi_apex_part parts[] = { { 0.25, 100.0, 1.0, 50.0, 2.0 }, { 0.25, 300.0, 5.0, 300.0, 5.0 } };
  cr_expect_float_eq(ppi_apex_forecast_same(parts, 2), 175.0, 1e-12);
  cr_expect_float_eq(ppi_apex_forecast_other(parts, 2), 200.0 / 1.5, 1e-12);
  cr_expect_float_eq(ppi_apex_forecast_same(parts, 0), 0.0, 0.0);
  cr_expect_float_eq(ppi_apex_forecast_other(parts, 0), 0.0, 0.0);
  cr_expect_float_eq(ppi_apex_forecast_scaled(parts, 2, 240.0), 240.0 / 1.5, 1e-12);
  cr_expect_float_eq(ppi_apex_forecast_scaled(parts, 0, 240.0), 0.0, 0.0);
}

/* --- A campaign on a machine that is known ---------------------------------------------------------------------------- */

#define CLOCK 1e9

/* Cycles of an element: the walk, in which a line from memory takes 16 and every element one, random ones up to 60 more and those of long strides a few, beside computing of 8 cycles for each iteration. */
static struct ppi_apex_point made_up(const struct ppi_apex_run *run, const struct ppi_apex_cache *cache) {
  struct ppi_apex_point made = { .run = *run, .flops = ppi_apex_flops(run) };
  cr_assert_eq(ppi_apex_traffic(run, cache, &made.bytes, NULL), PERFPRED_OK);
  double elements = (double)ppi_apex_iterations(run), walk = 1.0 + made.bytes / elements / 4.0;
  if (run->kind == PPI_APEX_RANDOM)
    walk += 60.0 * run->alpha / (double)run->l;
  else if (run->s > 8)
    walk += 0.25 * (double)(run->s - 8); /* a page has ever fewer elements */
  double compute = run->c > 0 ? (12.0 + 8.0 * (double)run->c) / (double)ppi_apex_every(run) : 0.0;
  double cycles = elements * (walk > compute ? walk + 0.1 * compute : compute + 0.1 * walk);
  made.time_s = cycles / CLOCK;
  made.x = made.bytes / cycles;
  made.y = made.flops / cycles;
  return made;
}

/* An application that is made of runs which nobody knows: each rectangle can be reached. */
static void hide(const struct ppi_apex_cache *cache, int count) {
  struct ppi_random random = { 3 };
  for (int i = 0; i < count; i++) {
    uint64_t draw = ppi_random_next(&random);
    struct ppi_apex_run run = { .kind = draw % 3 == 0 ? PPI_APEX_STRIDED : PPI_APEX_RANDOM,
                                .m = 524288,
                                .s = 1 + (int64_t)(draw >> 8) % 30,
                                .l = 1 + (int64_t)(draw >> 16) % 60,
                                .i = 50,
                                .alpha = (double)((draw >> 24) % 1000) / 1000.0,
                                .c = (draw >> 40) % 2 == 0 ? 0 : (int64_t)((draw >> 44) % 40),
                                .every = (int64_t)((draw >> 52) % 3) * 7 };
    struct ppi_apex_point point = made_up(&run, cache);
    add(1.0, point.y * CLOCK, point.x * CLOCK);
  }
}

/* The design, then rounds of aiming, as perfpred_apex_points does it. Returns the number of runs. */
enum { MOST = 500 };

static size_t conduct(const struct ppi_apex_cache *cache, const struct ppi_apex_plane *plane, int64_t blocks,
                      struct ppi_apex_cover *cover) {
  static struct ppi_apex_point points[MOST];
  static struct ppi_apex_choice choices[MOST];
  struct ppi_apex_run *runs = NULL, aimed[MOST];
  struct ppi_apex_walks walks;
  const struct ppi_apex_target target = { &mix, plane, choices, CLOCK, 1 };
  size_t count = 0, base = 0, made = 1;
  cr_assert_eq(ppi_apex_mix_create(&samples, CLOCK, plane, &mix, &error), PERFPRED_OK);
  cr_assert_eq(ppi_apex_design(cache, blocks, &runs, &count, &base, &error), PERFPRED_OK);
  cr_assert_eq(ppi_apex_walks_create(cache, blocks, &walks, &error), PERFPRED_OK);
  cr_assert_lt(count, MOST);
  cr_assert_lt(base, count);
  count = base;
  for (size_t i = 0; i < count; i++)
    points[i] = made_up(&runs[i], cache);
  for (int round = 0; round < 16 && made > 0; round++) {
    ppi_apex_choose(&mix, plane, points, count, 0.005, choices, cover);
    cr_assert_eq(ppi_apex_aim(&target, &walks, points, count, aimed, MOST - count, &made, &error), PERFPRED_OK);
    for (size_t i = 0; i < made; i++)
      points[count++] = made_up(&aimed[i], cache);
  }
  ppi_apex_choose(&mix, plane, points, count, 0.005, choices, cover);
  cr_assert_eq(ppi_apex_reach(&target, &walks, points, count, choices, cover, &error), PERFPRED_OK);
  ppi_apex_walks_free(&walks);
  free(runs);
  return count;
}

static const struct ppi_apex_cache million = { 1 << 20, 64.0 };

Test(mix, few_runs_cover_what_can_be_reached) {
  struct ppi_apex_cover cover = { .covered = 0.0 };
  hide(&million, 100);
  size_t count = conduct(&million, &half, 50, &cover);
  cr_expect_leq(count, MOST);
  cr_expect_geq(cover.covered_reachable, 0.99 * cover.reachable, "%zu runs cover %g of %g", count,
                cover.covered_reachable, cover.reachable);
  cr_expect_geq(cover.reachable, 0.97);
}

/* Two operations for 12 or 16 bytes, and some, at the speed of a stream and below it: sparse products, between the report's streams. A line of
   long strides takes this machine 17 cycles and more. */
Test(mix, streams_between_the_bare_ones_are_covered) {
  static const struct ppi_apex_plane fine = { 0.5, 0.05 };
  static const double bytes[] = { 12.1, 12.5, 14.0, 16.3, 20.0 }, speeds[] = { 3.6, 3.2, 2.7, 2.3 };
  struct ppi_apex_cover cover = { .covered = 0.0 };
  for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++)
    for (size_t k = 0; k < sizeof speeds / sizeof speeds[0]; k++)
      add(1.0, 2.0 * speeds[k] / bytes[i] * CLOCK, speeds[k] * CLOCK);
  size_t count = conduct(&million, &fine, 0, &cover);
  cr_expect_leq(count, MOST);
  cr_expect_geq(cover.covered, 0.99, "%zu runs cover %g", count, cover.covered);
}

/* Of the random runs of a design: a number that a thread's start does not show in, and no more than need be. */
Test(mix, random_runs_are_long_enough) {
  struct ppi_apex_run *runs = NULL;
  size_t count = 0, base = 0;
  struct ppi_apex_run run = { .kind = PPI_APEX_RANDOM, .m = 1000, .l = 1, .c = 4, .every = 1 };
  ppi_apex_lengthen(&run);
  cr_expect_eq(run.i, 4096); /* of 40 cycles */
  run.c = 1000;
  ppi_apex_lengthen(&run);
  cr_expect_eq(run.i, 64); /* of 8008: 32 would be below the least */
  run.c = 0;
  run.l = 64;
  ppi_apex_lengthen(&run);
  cr_expect_eq(run.i, 512); /* of 512: 262144 cycles */
  run.c = 64;
  run.every = 64;
  ppi_apex_lengthen(&run);
  cr_expect_eq(run.i, 256); /* of 1024 */
  run = (struct ppi_apex_run){ .kind = PPI_APEX_STRIDED, .m = 1000, .s = 1, .i = 7 };
  ppi_apex_lengthen(&run);
  cr_expect_eq(run.i, 7);
  cr_assert_eq(ppi_apex_design(&million, 0, &runs, &count, &base, &error), PERFPRED_OK);
  for (size_t i = 0; i < count; i++)
    cr_expect(runs[i].kind == PPI_APEX_STRIDED || (runs[i].i >= 64 && runs[i].i <= 4096), "%zu", i);
  free(runs);
}
