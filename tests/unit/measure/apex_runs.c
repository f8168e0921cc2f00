/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs of Apex-MAP: their text and limits, where their blocks are, what the kernels compute, and how they are measured. */
#include "measure/apex.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "measure/apex_kernel.h"
#include "measure/core.h"
#include "measure/core_clock.h"
#include "world.h"

TestSuite(apex, .timeout = 60);

static enum perfpred_status parse(const char *text, struct ppi_apex_run **runs, size_t *count) {
  memset(&error, 0, sizeof error);
  return ppi_apex_parse(text, strlen(text), "runs", 3, runs, count, &error);
}

Test(apex, runs_are_written_as_they_are_read) {
  static const char *const lines[] = { "strided M=1000000 S=8 C=2", "random M=1000 L=4 alpha=0.1 C=0 I=50",
                                       "random M=2147483648 L=1 alpha=0.01 C=1000000 I=7 K=7" };
  struct ppi_apex_run *runs = NULL;
  size_t count = 0;
  cr_assert_eq(parse("# first\nstrided S=8 M=1000000 K=1 C=2\n\n \trandom L=4  M=1000 alpha=.1 # rest\r\n"
                     "random M=2147483648 L=1 alpha=1e-2 K=7 C=1000000 I=7",
                     &runs, &count),
               PERFPRED_OK, "%s", error.text);
  cr_assert_eq(count, 3);
  for (size_t i = 0; i < 3; i++) {
    char name[PPI_APEX_NAME_MAX];
    ppi_apex_name(&runs[i], name);
    cr_expect_str_eq(name, lines[i]);
  }
  cr_expect(ppi_apex_equal(&runs[1], &runs[1]));
  cr_expect_not(ppi_apex_equal(&runs[1], &runs[2]));
  cr_expect_not(ppi_apex_equal(&runs[0], &runs[1]));
  struct ppi_apex_run other = runs[2];
  other.every = 6;
  cr_expect_not(ppi_apex_equal(&runs[2], &other));
  other = runs[0];
  other.every = 0;
  cr_expect(ppi_apex_equal(&runs[0], &other));
  free(runs);
}

Test(apex, wrong_runs_are_refused_where_they_stand) {
  static const struct {
    const char *text;
    enum perfpred_status status;
    const char *message;
  } cases[] = {
    { "", PERFPRED_SYNTAX, "runs: no run, expected at least one" },
    { "# nothing", PERFPRED_SYNTAX, "runs: no run, expected at least one" },
    { "strode M=10", PERFPRED_SYNTAX, "runs:1:1: expected strided or random, found 'strode'" },
    { "\nstrided M=10 L=2", PERFPRED_SYNTAX, "runs:2:14: expected M=, S=, C= or K=, found 'L=2'" },
    { "random M=10 S=2", PERFPRED_SYNTAX, "runs:1:13: expected M=, L=, alpha=, C=, I= or K=, found 'S=2'" },
    { "strided M=10", PERFPRED_SYNTAX, "runs:1:13: expected S=, found the end of the line" },
    { "strided M=10 S=1 S=2", PERFPRED_SYNTAX, "runs:1:18: expected each parameter once, found 'S=2'" },
    { "strided M=1e6 S=1", PERFPRED_SYNTAX, "runs:1:9: expected an integer, found 'M=1e6'" },
    { "strided M=99999999999999999999 S=1", PERFPRED_SYNTAX,
      "runs:1:9: expected an integer, found 'M=99999999999999999999'" },
    { "random M=10 L=1 alpha=nan", PERFPRED_SYNTAX, "runs:1:17: expected a number, found 'alpha=nan'" },
    { "strided M=10 S=10", PERFPRED_INVALID, "runs:1:1: S is 10, expected at least 1 and less than M = 10" },
    { "strided M=10 S=0", PERFPRED_INVALID, "runs:1:1: S is 0, expected at least 1 and less than M = 10" },
    { "strided M=1 S=1", PERFPRED_INVALID, "runs:1:1: M is 1, expected 2 to 2147483648" },
    { "strided M=2147483649 S=1", PERFPRED_INVALID, "runs:1:1: M is 2147483649, expected 2 to 2147483648" },
    { "strided M=10 S=1 C=-1", PERFPRED_INVALID, "runs:1:1: C is -1, expected 0 to 1000000" },
    { "random M=10 L=10", PERFPRED_INVALID, "runs:1:1: L is 10, expected at least 1 and less than M = 10" },
    { "random M=10 L=1 alpha=1.5", PERFPRED_INVALID, "runs:1:1: alpha is 1.5, expected 0 to 1" },
    { "random M=10 L=1 alpha=-0.1", PERFPRED_INVALID, "runs:1:1: alpha is -0.1, expected 0 to 1" },
    { "random M=10 L=1 I=0", PERFPRED_INVALID, "runs:1:1: I is 0, expected 1 to 1000000" },
    { "strided M=10 S=1 C=1 K=0", PERFPRED_INVALID, "runs:1:1: K is 0, expected at least 1" },
    { "strided M=10 S=1 K=2", PERFPRED_INVALID, "runs:1:1: K is 2, expected none where C is 0" },
    { "strided M=10 S=3 C=1 K=4", PERFPRED_INVALID,
      "runs:1:1: K is 4, expected 1 to the number of elements of a repetition, 3" },
    { "random M=10 L=2 C=1 I=3 K=-1", PERFPRED_INVALID,
      "runs:1:1: K is -1, expected 1 to the number of elements of a repetition, 6" },
    { "strided M=9 S=1\nstrided M=9 S=2\nstrided M=9 S=3\nstrided M=9 S=4", PERFPRED_LIMIT,
      "runs:4:1: expected at most 3 runs" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct ppi_apex_run *runs = NULL;
    size_t count = 7;
    cr_expect_eq(parse(cases[i].text, &runs, &count), cases[i].status, "%s", cases[i].text);
    cr_expect_str_eq(error.text, cases[i].message);
    cr_expect(runs == NULL && count == 7);
  }
}

/* 128 for each iteration of compute and 10 beside them; 2 where it is not called. */
Test(apex, flops_of_a_repetition) {
  const struct ppi_apex_run strided = { .kind = PPI_APEX_STRIDED, .m = 1000, .s = 3, .c = 2 };
  const struct ppi_apex_run random = { .kind = PPI_APEX_RANDOM, .m = 1000, .l = 7, .i = 5, .alpha = 1.0 };
  cr_expect_eq(ppi_apex_iterations(&strided), 333);
  cr_expect_float_eq(ppi_apex_flops(&strided), 333.0 * 266.0, 0.0);
  cr_expect_eq(ppi_apex_iterations(&random), 35);
  cr_expect_float_eq(ppi_apex_flops(&random), 70.0, 0.0);
  const struct ppi_apex_run some = { .kind = PPI_APEX_STRIDED, .m = 1000, .s = 3, .c = 2, .every = 10 };
  cr_expect_float_eq(ppi_apex_flops(&some), 33.0 * 266.0 + 300.0 * 2.0, 0.0);
  cr_expect_eq(ppi_apex_blocks(&random), 141);
}

/* The starts over M - L have the distribution function x^alpha and the mean alpha / (1 + alpha). */
Test(apex, places_follow_the_power_law) {
  enum { COUNT = 200000 };
  static int64_t index[COUNT];
  static const double alphas[] = { 1.0, 0.5, 0.25, 0.1, 0.01 }, means[] = { 0.5, 1.0 / 3.0, 0.2, 0.0909, 0.0099 };
  struct ppi_random random = { 1 };
  for (size_t a = 0; a < sizeof alphas / sizeof alphas[0]; a++) {
    const struct ppi_apex_run run = {
      .kind = PPI_APEX_RANDOM, .m = 3 * 1000001, .l = 3, .i = COUNT, .alpha = alphas[a]
    };
    double sum = 0.0;
    int below[4] = { 0 };
    ppi_apex_fill(&run, &random, index);
    for (int i = 0; i < COUNT; i++) {
      double x = (double)index[i] / (3.0 * 1000000.0);
      cr_assert(index[i] >= 0 && index[i] <= run.m - 2 * run.l && index[i] % 3 == 0, "%lld", (long long)index[i]);
      sum += x;
      for (int k = 0; k < 4; k++)
        below[k] += x < pow(0.1, k + 1);
    }
    /* four standard deviations of the mean of so many, of a variance of at most 1/12 */
    cr_expect_float_eq(sum / COUNT, means[a], 0.0027, "alpha %g: %g", alphas[a], sum / COUNT);
    for (int k = 0; k < 4; k++) {
      double expected = pow(pow(0.1, k + 1), alphas[a]);
      cr_expect_float_eq((double)below[k] / COUNT, expected, 4.5 * sqrt(expected * (1.0 - expected) / COUNT) + 1e-6,
                         "alpha %g below %g: %d", alphas[a], pow(0.1, k + 1), below[k]);
    }
  }
}

Test(apex, alpha_of_0_is_always_the_first_block) {
  int64_t index[50];
  struct ppi_random random = { 1 };
  const struct ppi_apex_run run = { .kind = PPI_APEX_RANDOM, .m = 1000, .l = 3, .i = 50 };
  memset(index, 1, sizeof index);
  ppi_apex_fill(&run, &random, index);
  for (int i = 0; i < 50; i++)
    cr_expect_eq(index[i], 0);
}

Test(apex, blocks_are_drawn_anew_and_the_same_for_the_same_seed) {
  int64_t first[50], second[50], again[50];
  struct ppi_random random = { 1 };
  const struct ppi_apex_run run = { .kind = PPI_APEX_RANDOM, .m = 1000000, .l = 3, .i = 50, .alpha = 1.0 };
  ppi_apex_fill(&run, &random, first);
  ppi_apex_fill(&run, &random, second);
  cr_expect_neq(memcmp(first, second, sizeof first), 0);
  random.state = 1;
  ppi_apex_fill(&run, &random, again);
  cr_expect_eq(memcmp(first, again, sizeof first), 0);
}

/* x and y are 1 to 8: the products of an iteration add up to 36 * 36. Exact, whatever the order. */
Test(apex, every_instruction_set_computes_the_same) {
  static double data[1000];
  static const int64_t index[] = { 0, 30, 900, 30 };
  const struct ppi_apex_operands operands = PPI_APEX_OPERANDS;
  for (int i = 0; i < 1000; i++)
    data[i] = 2.0 * i;
  for (int i = 0; i < ppi_apex_set_count; i++) {
    const char *name = ppi_apex_sets[i].instruction_set;
    const struct ppi_apex_set *set = ppi_apex_set_find(name);
    if (set == NULL)
      continue; /* not on this machine */
    cr_assert_eq(set, &ppi_apex_sets[i]);
    for (int64_t c = 1; c <= 5; c++)
      cr_expect_float_eq(set->compute(&operands, c), 1296.0 * (double)c, 0.0, "%s, C = %lld", name, (long long)c);
    for (int64_t c = 0; c <= 3; c += 3)
      for (int64_t end = 0; end < 30; end++) {
        struct ppi_apex_slice slice = {
          .data = data, .begin = 2, .end = end, .step = 7, .c = c, .operands = &operands
        };
        double expected = 0.0;
        for (int64_t k = 2; k < end; k++)
          expected += (double)(7 * k) + 1296.0 * (double)c;
        cr_expect_float_eq(set->strided(&slice), expected, 0.0, "%s, to %lld", name, (long long)end);
        slice = (struct ppi_apex_slice){
          .data = data, .index = index, .begin = 1, .end = 4, .step = end, .c = c, .operands = &operands
        };
        expected = 0.0;
        for (int block = 1; block < 4; block++)
          for (int64_t k = 0; k < end; k++)
            expected += (double)(index[block] + k) + 1296.0 * (double)c;
        cr_expect_float_eq(set->random(&slice), expected, 0.0, "%s, L = %lld", name, (long long)end);
      }
  }
}

/* Compute beside each K-th element, counted from the first of the repetition however its parts are cut: the sum of the parts is that of the whole. */
Test(apex, compute_beside_some_elements_whoever_shares_them) {
  static double data[1000];
  static const int64_t index[] = { 0, 30, 900, 30, 7 };
  const struct ppi_apex_operands operands = PPI_APEX_OPERANDS;
  const struct ppi_apex_set *set = ppi_apex_set_find("");
  for (int i = 0; i < 1000; i++)
    data[i] = 2.0 * i;
  for (int64_t every = 2; every <= 23; every++)
    for (int64_t cut = 0; cut <= 60; cut++) {
      struct ppi_apex_slice slice = { .data = data, .step = 7, .c = 3, .every = every, .operands = &operands };
      double sum = 0.0, expected = 7.0 * 59.0 * 60.0 / 2.0 + 3888.0 * (double)(60 / every);
      for (int part = 0; part < 2; part++) {
        slice.begin = part == 0 ? 0 : cut;
        slice.end = part == 0 ? cut : 60;
        sum += set->strided(&slice);
      }
      cr_expect_float_eq(sum, expected, 0.0, "K = %lld, cut at %lld", (long long)every, (long long)cut);
    }
  for (int64_t every = 2; every <= 23; every++)
    for (int64_t length = 1; length <= 21; length += 4)
      for (int64_t cut = 0; cut <= 5; cut++) {
        struct ppi_apex_slice slice = {
          .data = data, .index = index, .step = length, .c = 3, .every = every, .operands = &operands
        };
        double expected =
            967.0 * (double)length + 5.0 * (double)(length * (length - 1) / 2) + 3888.0 * (double)(5 * length / every);
        slice.end = cut;
        double sum = set->random(&slice);
        slice.begin = cut;
        slice.end = 5;
        sum += set->random(&slice);
        cr_expect_float_eq(sum, expected, 0.0, "K = %lld, L = %lld, cut at %lld", (long long)every, (long long)length,
                           (long long)cut);
      }
}

Test(apex, unknown_instruction_sets_are_not_found) {
  cr_expect_null(ppi_apex_set_find("avx1024"));
  cr_expect_not_null(ppi_apex_set_find(""));
}

/* --- Measured ----------------------------------------------------------------------------------------------------------- */

/* Announcements: one before every repetition, when the places are drawn. */
static int announced;

static void announce(void *data, const char *what) {
  if (strcmp(what, data) == 0)
    announced++;
}

static struct ppi_apex_result results[2];

static enum perfpred_status measure(const struct ppi_core_options *options, const struct ppi_apex_batch *batch,
                                    struct ppi_apex_report *report) {
  const struct ppi_sampling sampling = { .repetitions = 5, .gate = -1.0, .seed = 1 };
  struct ppi_core *core = NULL;
  memset(&error, 0, sizeof error);
  report->results = results;
  cr_assert_eq(ppi_core_create(options, &core, &error), PERFPRED_OK);
  enum perfpred_status status = ppi_core_apex(core, batch, &sampling, report, &error);
  ppi_core_destroy(core);
  return status;
}

static const struct ppi_apex_run two_runs[] = {
  { .kind = PPI_APEX_STRIDED, .m = 100000, .s = 8, .c = 1 },
  { .kind = PPI_APEX_RANDOM, .m = 100000, .l = 4, .i = 50, .alpha = 0.5, .c = 0 },
};

/* Times are of this machine: that there are some is all that is known of them. */
Test(apex, runs_are_measured_here) {
  char name[] = "random M=100000 L=4 alpha=0.5 C=0 I=50";
  const struct ppi_core_options options = { .announce = announce, .data = name };
  const struct ppi_apex_batch batch = { .runs = two_runs, .count = 2, .threads = 1, .warm_bytes = 50 * 64 };
  struct ppi_apex_report report;
  cr_assert_eq(measure(&options, &batch, &report), PERFPRED_OK, "%s", error.text);
  for (int i = 0; i < 2; i++) {
    cr_expect_geq(results[i].timing.count, 5);
    cr_expect_gt(results[i].timing.times_s[0], 0.0);
    for (int event = 0; event < PPI_APEX_EVENTS; event++)
      cr_expect_eq(results[i].counts[event], PPI_COUNT_NONE);
  }
  cr_expect_geq(announced, 10, "a repetition and the warm one before it, each with places of its own");
  cr_expect_str_eq(report.note, "events are counted by a worker with PAPI alone");
  cr_expect_str_eq(report.instruction_set, ppi_apex_set_find("")->instruction_set);
  cr_expect(report.clock_hz > 1e7 && report.clock_hz < 1e11, "%g", report.clock_hz);
  ppi_apex_results_free(results, 2);
}

Test(apex, what_cannot_run_is_refused) {
  const struct ppi_core_options options = { .threads = 1 };
  const struct ppi_apex_run huge = { .kind = PPI_APEX_STRIDED, .m = PPI_APEX_M_MAX, .s = 8 };
  struct ppi_apex_batch batch = { .runs = two_runs, .count = 2, .threads = 1, .instruction_set = "itanium" };
  struct ppi_apex_report report;
  cr_expect_eq(measure(&options, &batch, &report), PERFPRED_UNSUPPORTED);
  cr_expect_str_eq(error.text,
                   "instruction set 'itanium': this machine does not run it, or there are no kernels for it");
  batch = (struct ppi_apex_batch){ .runs = &huge, .count = 1, .threads = 1 };
  if ((double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) < 0x1p35) {
    cr_expect_eq(measure(&options, &batch, &report), PERFPRED_LIMIT);
    cr_expect(strstr(error.text, "M = 2147483648 takes 16384 MiB, expected at most half of the memory, ") == error.text,
              "%s", error.text);
  }
}

/* Counters that give every thread 3, 5 and 7 of the events for each run; there are two batches. */
static atomic_int tallies, starts;

static enum perfpred_status plan(const char *const *names, int count, void **made, int *batches, char *note,
                                 size_t size, struct perfpred_error *failure) {
  static int planned;
  (void)failure;
  *made = &planned;
  *batches = 2;
  snprintf(note, size, "%s, %d events", names[0], count);
  return PERFPRED_OK;
}

static void destroy(void *made) {
  (void)made;
}

static bool shared(const void *made, int batch) {
  (void)made;
  (void)batch;
  return false;
}

static void *open_tally(const void *made) {
  (void)made;
  atomic_fetch_add(&tallies, 1);
  return calloc(1, sizeof(int));
}

static void close_tally(void *tally) {
  atomic_fetch_add(&tallies, -1);
  free(tally);
}

static void start(void *tally, int batch) {
  *(int *)tally = batch;
  atomic_fetch_add(&starts, 1);
}

static void stop(void *tally, int64_t *values) {
  if (*(int *)tally == 0)
    values[PPI_APEX_FLOPS] = 3;
  else {
    values[PPI_APEX_CYCLES] = 5;
    values[PPI_APEX_MISSES] = 7;
  }
}

Test(apex, threads_share_a_run_and_their_counts_add_up) {
  static const struct ppi_counting counting = { plan, destroy, shared, open_tally, close_tally, start, stop };
  const struct ppi_core_options options = { .counting = &counting };
  const struct ppi_apex_batch batch = { .runs = two_runs, .count = 2, .threads = 2, .warm_bytes = 50 * 64 };
  struct ppi_apex_report report;
  cr_assert_eq(measure(&options, &batch, &report), PERFPRED_OK, "%s", error.text);
  for (int i = 0; i < 2; i++) {
    cr_expect_eq(results[i].counts[PPI_APEX_FLOPS], 6);
    cr_expect_eq(results[i].counts[PPI_APEX_CYCLES], 10);
    cr_expect_eq(results[i].counts[PPI_APEX_MISSES], 14);
  }
  cr_expect_eq(atomic_load(&tallies), 0);
  cr_expect_eq(atomic_load(&starts), 2 * 5 * 2 * 2); /* runs, repetitions, batches, threads */
  cr_expect_str_eq(report.note, "PAPI_DP_OPS, 3 events");
  ppi_apex_results_free(results, 2);
}

static int cancel(void *data, const struct perfpred_progress *progress) {
  double *last = data;
  cr_expect_geq(progress->fraction, *last - 1e-9);
  *last = progress->fraction;
  return progress->fraction > 0.6;
}

Test(apex, it_can_be_cancelled) {
  double fraction = 0.0;
  const struct ppi_core_options options = { .threads = 1 };
  const struct ppi_apex_batch batch = { .runs = two_runs, .count = 2, .threads = 1 };
  const struct ppi_sampling sampling = {
    .repetitions = 5, .gate = -1.0, .seed = 1, .progress = cancel, .progress_data = &fraction
  };
  struct ppi_apex_report report = { .results = results };
  struct ppi_core *core = NULL;
  cr_assert_eq(ppi_core_create(&options, &core, &error), PERFPRED_OK);
  cr_expect_eq(ppi_core_apex(core, &batch, &sampling, &report, &error), PERFPRED_CANCELLED);
  ppi_core_destroy(core);
}
