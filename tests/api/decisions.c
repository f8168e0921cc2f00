/* SPDX-License-Identifier: BSD-3-Clause */
/* Decision tables from models of a virtual clock: costs are laws, so that what is best for every size can be told by trying all block
 * sizes on the clock itself. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "world.h"

static struct perfpred_context *context;
static struct perfpred_error error;

static void start(void) {
  context = make_context();
}

static void stop(void) {
  perfpred_context_destroy(context);
}

/* Models of the named algorithms for sizes up to n_upper, block sizes up to b_upper. */
static struct perfpred_models *models_of(const char *const *names, size_t count, int64_t n_upper, int64_t b_upper,
                                         perfpred_cost_fn *cost) {
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  struct perfpred_program *programs[8];
  options.n_upper = n_upper;
  options.b_upper = b_upper;
  options.repetitions = 1;
  for (size_t i = 0; i < count; i++)
    cr_assert_ok(perfpred_program_find(context, names[i], &programs[i], &error), error);
  struct perfpred_models *models = virtual_models(context, programs, count, &options, cost, NULL);
  for (size_t i = 0; i < count; i++)
    perfpred_program_unref(programs[i]);
  return models;
}

/* Every size is looked at by itself, and the best one counts. */
static struct perfpred_decide_options exact(int64_t n_lower, int64_t n_upper) {
  struct perfpred_decide_options options = PERFPRED_DECIDE_OPTIONS_INIT;
  options.n_lower = n_lower;
  options.n_upper = n_upper;
  options.growth = 1.0 + 1e-6;
  options.spread = options.tie = options.resolution = -1.0;
  return options;
}

static struct perfpred_decisions *decide(struct perfpred_models *models,
                                         const struct perfpred_decide_options *options) {
  struct perfpred_decisions *decisions = NULL;
  cr_assert_ok(perfpred_decide(context, models, options, &decisions, &error), error);
  return decisions;
}

static struct perfpred_decision answer(const struct perfpred_decisions *decisions, const char *routine,
                                       const char *options, int64_t n) {
  struct perfpred_decision decision = PERFPRED_DECISION_INIT;
  const int64_t sizes[] = { n, n, n, n };
  cr_assert_ok(perfpred_decisions_look_up(decisions, routine, options, sizes, 4, &decision, &error), error);
  return decision;
}

/* (96^2 + w^2) / w is least for w = 96: columns cost the least in blocks of 96. Nothing else takes time worth mentioning. */
static double blocks_of_96(void *data, const struct perfpred_virtual_call *call) {
  const double w = (double)call->sizes[0];
  (void)data;
  return strcmp(call->kernel_name, "dpotrf2") == 0 ? 1e-6 * (96.0 * 96.0 + w * w) : 1e-12;
}

/* What dpotrf takes then. */
static double time_96(int64_t n, int64_t b) {
  double time_s = 0.0;
  if (b <= 1 || b >= n)
    return 1e-6 * (96.0 * 96.0 + (double)(n * n));
  for (int64_t i = 0; i < n; i += b) {
    const double w = (double)(n - i < b ? n - i : b);
    time_s += 1e-6 * (96.0 * 96.0 + w * w);
  }
  return time_s;
}

static int64_t best_96(int64_t n, double *margin) {
  double best_s = (double)INFINITY, second_s = (double)INFINITY;
  int64_t best = 0;
  for (int64_t b = 8; b <= 256; b += 8) {
    const double time_s = time_96(n, b);
    if (b >= n && best >= n)
      continue; /* all of these are one block */
    if (time_s < best_s) {
      second_s = best_s;
      best_s = time_s;
      best = b;
    } else if (time_s < second_s) {
      second_s = time_s;
    }
  }
  *margin = second_s / best_s - 1.0;
  return best;
}

Test(decisions, the_best_block_size_of_every_size, .init = start, .fini = stop) {
  static const char *const names[] = { "dpotrf" };
  struct perfpred_models *models = models_of(names, 1, 512, 256, blocks_of_96);
  const struct perfpred_decide_options options = exact(8, 512);
  struct perfpred_decisions *decisions = decide(models, &options);
  int compared = 0;
  cr_assert_eq(perfpred_decisions_count(decisions), 1);
  for (int64_t n = 16; n <= 512; n += 8) {
    double margin = 0.0;
    const int64_t best = best_96(n, &margin), found = answer(decisions, "DPOTRF", "L", n).nb;
    if (margin < 1e-6)
      continue;
    compared++;
    if (best >= n)
      cr_expect(found <= 1 || found >= n, "n=%d: %d, expected one block", (int)n, (int)found);
    else
      cr_expect_eq(found, best, "n=%d: %d, expected %d", (int)n, (int)found, (int)best);
  }
  cr_expect_gt(compared, 30);
  /* multiples of 96 are where nothing is left over */
  cr_expect_eq(answer(decisions, "DPOTRF", "L", 192).nb, 96);
  cr_expect_eq(answer(decisions, "DPOTRF", "L", 480).nb, 96);
  cr_expect_eq(answer(decisions, "DPOTRF", "L", 480).nbmin, 2);
  cr_expect_eq(answer(decisions, "DPOTRF", "L", 480).nx, -1);
  perfpred_decisions_destroy(decisions);
  perfpred_models_unref(models);
}

/* The grid finds the place to the integer where a decision changes: one block up to some size, blocks of 64 beyond it. */
static double one_block_below_200(void *data, const struct perfpred_virtual_call *call) {
  const double w = (double)call->sizes[0];
  (void)data;
  return strcmp(call->kernel_name, "dpotrf2") == 0 ? 1e-6 * w * w * w : 1e-3;
}

Test(decisions, changes_are_found_exactly, .init = start, .fini = stop) {
  static const char *const names[] = { "dpotrf" };
  struct perfpred_models *models = models_of(names, 1, 256, 256, one_block_below_200);
  struct perfpred_decide_options options = exact(8, 256);
  struct perfpred_decisions *all = decide(models, &options);
  options.growth = 0.0;
  options.tie = 1e-9;
  struct perfpred_decisions *found = decide(models, &options);
  struct perfpred_decision_entry first = PERFPRED_DECISION_ENTRY_INIT, second = PERFPRED_DECISION_ENTRY_INIT;
  cr_assert_ok(perfpred_decisions_entry(all, 0, &first, &error), error);
  cr_assert_ok(perfpred_decisions_entry(found, 0, &second, &error), error);
  /* changes that the coarse grid sees are those of the fine one */
  const int64_t bound = answer(found, "DPOTRF", "L", 8).bound;
  cr_expect_eq(answer(all, "DPOTRF", "L", bound).bound, bound, "%d", (int)bound);
  cr_expect_leq(second.cells, first.cells);
  perfpred_decisions_destroy(found);
  perfpred_decisions_destroy(all);
  perfpred_models_unref(models);
}

/* Where all is good the table is LAPACK's own answer and one cell. */
Test(decisions, near_ties_are_stock, .init = start, .fini = stop) {
  static const char *const names[] = { "dpotrf", "dpotrf-u" };
  struct perfpred_models *models = models_of(names, 2, 256, 128, blocks_of_96);
  struct perfpred_decide_options options = PERFPRED_DECIDE_OPTIONS_INIT;
  struct perfpred_decision_entry entry = PERFPRED_DECISION_ENTRY_INIT;
  options.tie = 0.999;
  options.n_lower = 130;
  options.routines = "dpotrf";
  options.types = "d";
  struct perfpred_decisions *decisions = decide(models, &options);
  cr_assert_eq(perfpred_decisions_count(decisions), 2);
  for (size_t i = 0; i < 2; i++) {
    cr_assert_ok(perfpred_decisions_entry(decisions, i, &entry, &error), error);
    cr_expect_eq(entry.cells, 1);
    cr_expect_eq(answer(decisions, "DPOTRF", entry.options, 200).nb, 64);
  }
  perfpred_decisions_destroy(decisions);
  perfpred_models_unref(models);
}

/* --- Crossover points ---------------------------------------------------------------------------------------------- */

/* Columns that are not blocked are dear, and calls are cheap: narrow blocks, and hardly any rest that is not blocked, are best. */
static double dear_columns(void *data, const struct perfpred_virtual_call *call) {
  double product = 1.0;
  (void)data;
  for (size_t i = 0; i < call->size_count; i++)
    product *= (double)call->sizes[i];
  if (strcmp(call->kernel_name, "dgeqr2") == 0)
    return 1e-6 + 1e-7 * product;
  return 2e-6 + 1e-10 * product;
}

static double measured_s(struct perfpred_sampler *sampler, struct perfpred_program *program, int64_t n, int64_t b,
                         int64_t nx) {
  struct perfpred_measurement measurement = PERFPRED_MEASUREMENT_INIT;
  struct perfpred_measure_options options = PERFPRED_MEASURE_OPTIONS_INIT;
  const int64_t values[] = { n, b, nx };
  options.repetitions = 1;
  cr_assert_ok(perfpred_measure(sampler, program, values, 3, &options, &measurement, &error), error);
  return measurement.time_s.med;
}

Test(decisions, crossover_points, .init = start, .fini = stop) {
  static const char *const names[] = { "dgeqrf-nx" };
  static const int64_t crossovers[] = { 16, 32, 64, 96, 128 };
  struct perfpred_models *models = models_of(names, 1, 400, 64, dear_columns);
  struct perfpred_sampler *sampler = virtual_sampler(context, dear_columns, NULL);
  struct perfpred_program *program = NULL;
  struct perfpred_decide_options options = exact(160, 400);
  options.growth = 1.5;
  options.b_upper = 64;
  cr_assert_ok(perfpred_program_find(context, names[0], &program, &error), error);
  struct perfpred_decisions *decisions = decide(models, &options);
  int others = 0;
  for (int64_t n = 160; n <= 400; n += 240) { /* both ends are points of any grid */
    const struct perfpred_decision found = answer(decisions, "DGEQRF", "", n);
    const double found_s = measured_s(sampler, program, n, found.nb, found.nx);
    others += found.nx != 128;
    for (int64_t b = 8; b <= 64; b += 8)
      for (size_t k = 0; k < sizeof crossovers / sizeof crossovers[0]; k++) {
        const double other_s = measured_s(sampler, program, n, b, crossovers[k]);
        cr_expect(found_s <= other_s * (1 + 1e-6), "n=%d: %d, %d takes %g, %d, %d %g", (int)n, (int)found.nb,
                  (int)found.nx, found_s, (int)b, (int)crossovers[k], other_s);
      }
  }
  cr_expect_gt(others, 0, "the stock value would do");
  perfpred_decisions_destroy(decisions);
  perfpred_program_unref(program);
  perfpred_sampler_destroy(sampler);
  perfpred_models_unref(models);
}

/* Large blocks for small matrices would be best: the answer for xORMQR does not fall, and is over the largest size. */
static double falling(void *data, const struct perfpred_virtual_call *call) {
  double product = 1.0;
  (void)data;
  for (size_t i = 0; i < call->size_count; i++)
    product *= (double)call->sizes[i];
  if (strcmp(call->kernel_name, "dlarft") == 0)
    return 1e-4 + 1e-9 * product * (double)call->sizes[1];
  return 1e-9 + 1e-13 * product;
}

Test(decisions, products_with_q_do_not_fall, .init = start, .fini = stop) {
  static const char *const names[] = { "dormqr-ln", "dormqr-lt", "dormqr-rn", "dormqr-rt" };
  struct perfpred_models *models = models_of(names, 4, 512, 64, falling);
  const struct perfpred_decide_options options = exact(8, 512);
  struct perfpred_decide_options coarse = options;
  struct perfpred_decision_entry entry = PERFPRED_DECISION_ENTRY_INIT;
  coarse.growth = 1.12;
  struct perfpred_decisions *decisions = decide(models, &coarse);
  static const char *const uses[] = { "LN", "LT", "RN", "RT", "" };
  cr_assert_eq(perfpred_decisions_count(decisions), 5);
  for (size_t i = 0; i < 5; i++) {
    cr_assert_ok(perfpred_decisions_entry(decisions, i, &entry, &error), error);
    cr_expect_str_eq(entry.routine, "DORMQR");
    cr_expect_str_eq(entry.options, uses[i]);
    cr_expect_str_eq(entry.cell_size, "max(n1, n2, n3)");
    int64_t before = 0;
    for (int64_t n = 8; n <= 600; n++) {
      const int64_t nb = answer(decisions, "DORMQR", uses[i], n).nb;
      cr_expect_geq(nb, before, "n=%d", (int)n);
      cr_expect_leq(nb, 64);
      before = nb;
    }
  }
  for (int64_t n = 8; n <= 600; n++) {
    int64_t most = 0;
    for (size_t i = 0; i < 4; i++)
      most = most > answer(decisions, "DORMQR", uses[i], n).nb ? most : answer(decisions, "DORMQR", uses[i], n).nb;
    cr_expect_eq(answer(decisions, "DORMQR", "", n).nb, most, "n=%d", (int)n);
  }
  perfpred_decisions_destroy(decisions);
  perfpred_models_unref(models);
}

/* --- Tests by measurement ------------------------------------------------------------------------------------------ */

static struct perfpred_decisions *test_table(const struct perfpred_decisions *decisions, perfpred_cost_fn *cost,
                                             struct perfpred_decisions_tested *report) {
  struct perfpred_sampler *sampler = virtual_sampler(context, cost, NULL);
  struct perfpred_decisions *tested = NULL;
  cr_assert_ok(perfpred_decisions_test(context, sampler, decisions, 130, 512, NULL, &tested, report, &error), error);
  perfpred_sampler_destroy(sampler);
  return tested;
}

/* Blocks as LAPACK makes them cost next to nothing, others much, and above all whole matrices. */
static double stock_blocks(void *data, const struct perfpred_virtual_call *call) {
  const bool potrf2 = strcmp(call->kernel_name, "dpotrf2") == 0, larft = strcmp(call->kernel_name, "dlarft") == 0;
  const int64_t w = call->sizes[larft ? 1 : 0];
  (void)data;
  if ((!potrf2 && !larft) || w == (larft ? 32 : 64))
    return 1e-12;
  return w > 128 ? 1e-3 : 1e-6;
}

Test(decisions, what_is_no_faster_is_given_up, .init = start, .fini = stop) {
  static const char *const names[] = { "dpotrf" };
  struct perfpred_models *models = models_of(names, 1, 512, 256, blocks_of_96);
  const struct perfpred_decide_options options = exact(130, 512);
  struct perfpred_decisions *decisions = decide(models, &options);
  struct perfpred_decisions_tested report = PERFPRED_DECISIONS_TEST_INIT;
  struct perfpred_decision_entry entry = PERFPRED_DECISION_ENTRY_INIT;
  cr_assert_eq(answer(decisions, "DPOTRF", "L", 480).nb, 96);
  struct perfpred_decisions *tested = test_table(decisions, stock_blocks, &report);
  cr_expect(report.pieces > 0 && report.measured == report.pieces && report.given_up == report.pieces);
  cr_assert_eq(perfpred_decisions_count(tested), 1);
  cr_assert_ok(perfpred_decisions_entry(tested, 0, &entry, &error), error);
  cr_expect_eq(entry.cells, 1);
  cr_expect_eq(answer(tested, "DPOTRF", "L", 480).nb, 64);
  cr_expect_eq(answer(tested, "DPOTRF", "L", 480).nbmin, 2);
  cr_expect_eq(answer(tested, "DPOTRF", "L", 480).nx, -1);
  perfpred_decisions_destroy(tested);
  /* the clock of the models finds them right */
  tested = test_table(decisions, blocks_of_96, &report);
  cr_expect(report.pieces > 0 && report.measured == report.pieces && report.given_up == 0);
  for (int64_t n = 1; n <= 600; n++)
    cr_expect_eq(answer(tested, "DPOTRF", "L", n).nb, answer(decisions, "DPOTRF", "L", n).nb, "n=%d", (int)n);
  perfpred_decisions_destroy(tested);
  perfpred_decisions_destroy(decisions);
  perfpred_models_unref(models);
}

/* The fewer blocks the better. */
static double large_blocks(void *data, const struct perfpred_virtual_call *call) {
  (void)data;
  return strcmp(call->kernel_name, "dpotrf2") == 0 ? 1e-6 : 1e-12;
}

/* Those of 128 are slow where anything below them is larger than 150: at n = 363, the middle of 257 to 512, and not at 182. */
static double large_blocks_of_small(void *data, const struct perfpred_virtual_call *call) {
  (void)data;
  if (strcmp(call->kernel_name, "dtrsm") == 0 && call->sizes[0] > 150 && call->sizes[1] > 64)
    return 1.0;
  return strcmp(call->kernel_name, "dpotrf2") == 0 ? 1e-6 : 1e-12;
}

Test(decisions, wide_ranges_are_tested_in_parts, .init = start, .fini = stop) {
  static const char *const names[] = { "dpotrf" };
  struct perfpred_models *models = models_of(names, 1, 512, 128, large_blocks);
  struct perfpred_decide_options options = exact(130, 512);
  options.b_lower = options.b_upper = 128;
  struct perfpred_decisions *decisions = decide(models, &options);
  struct perfpred_decisions_tested report = PERFPRED_DECISIONS_TEST_INIT;
  cr_assert_eq(answer(decisions, "DPOTRF", "L", 130).nb, 128);
  cr_assert_eq(answer(decisions, "DPOTRF", "L", 512).nb, 128);
  struct perfpred_decisions *tested = test_table(decisions, large_blocks_of_small, &report);
  cr_expect_eq(report.pieces, 2, "130 to 512 is a ratio of almost 4");
  cr_expect_eq(report.given_up, 1);
  cr_expect_eq(answer(tested, "DPOTRF", "L", 256).nb, 128);
  cr_expect_eq(answer(tested, "DPOTRF", "L", 259).nb, 64);
  cr_expect_eq(answer(tested, "DPOTRF", "L", 5000).nb, 64);
  perfpred_decisions_destroy(tested);
  perfpred_decisions_destroy(decisions);
  perfpred_models_unref(models);
}

Test(decisions, products_with_q_that_are_given_up, .init = start, .fini = stop) {
  static const char *const names[] = { "dormqr-ln", "dormqr-lt", "dormqr-rn", "dormqr-rt" };
  static const char *const uses[] = { "LN", "LT", "RN", "RT", "" };
  struct perfpred_models *models = models_of(names, 4, 512, 64, falling);
  const struct perfpred_decide_options options = exact(130, 512);
  struct perfpred_decide_options coarse = options;
  struct perfpred_decisions_tested report = PERFPRED_DECISIONS_TEST_INIT;
  coarse.growth = 1.12;
  struct perfpred_decisions *decisions = decide(models, &coarse);
  struct perfpred_decisions *tested = test_table(decisions, stock_blocks, &report);
  cr_expect(report.pieces >= 4 && report.given_up == report.measured && report.measured == report.pieces);
  cr_assert_eq(perfpred_decisions_count(tested), 5);
  for (size_t i = 0; i < 5; i++)
    for (int64_t n = 10; n <= 600; n += 10)
      cr_expect_eq(answer(tested, "DORMQR", uses[i], n).nb, 32, "%s, n=%d", uses[i], (int)n);
  perfpred_decisions_destroy(tested);
  perfpred_decisions_destroy(decisions);
  perfpred_models_unref(models);
}

#define TEST_REFUSES(word, ...)                                                                                        \
  do {                                                                                                                 \
    cr_expect_eq(perfpred_decisions_test(__VA_ARGS__, &error), PERFPRED_INVALID);                                      \
    cr_expect_not_null(strstr(error.text, word), "no '%s' in '%s'", word, error.text);                                 \
    cr_expect_null(tested);                                                                                            \
  } while (0)

Test(decisions, tests_that_are_refused, .init = start, .fini = stop) {
  static const char *const names[] = { "dpotrf" };
  struct perfpred_models *models = models_of(names, 1, 64, 16, blocks_of_96);
  struct perfpred_decisions *decisions = decide(models, NULL), *tested = NULL;
  struct perfpred_sampler *sampler = virtual_sampler(context, stock_blocks, NULL);
  struct perfpred_decisions_tested report = PERFPRED_DECISIONS_TEST_INIT;
  struct perfpred_measure_options options = PERFPRED_MEASURE_OPTIONS_INIT;
  TEST_REFUSES("context is NULL", NULL, sampler, decisions, 1, 2, NULL, &tested, &report);
  TEST_REFUSES("sampler is NULL", context, NULL, decisions, 1, 2, NULL, &tested, &report);
  TEST_REFUSES("decisions is NULL", context, sampler, NULL, 1, 2, NULL, &tested, &report);
  TEST_REFUSES("tested is NULL", context, sampler, decisions, 1, 2, NULL, NULL, &report);
  TEST_REFUSES("sizes from 0 to 2", context, sampler, decisions, 0, 2, NULL, &tested, &report);
  TEST_REFUSES("sizes from 3 to 2", context, sampler, decisions, 3, 2, NULL, &tested, &report);
  options.repetitions = -1;
  TEST_REFUSES("repetitions is -1", context, sampler, decisions, 1, 2, &options, &tested, &report);
  report.size = 8;
  TEST_REFUSES("report: size is 8", context, sampler, decisions, 1, 2, NULL, &tested, &report);
  perfpred_sampler_destroy(sampler);
  perfpred_decisions_destroy(decisions);
  perfpred_models_unref(models);
}

/* --- What is refused ----------------------------------------------------------------------------------------------- */

static struct perfpred_models *small_models(void) {
  static const char *const names[] = { "dpotrf" };
  return models_of(names, 1, 64, 16, blocks_of_96);
}

static void refuses(struct perfpred_models *models, const struct perfpred_decide_options *options,
                    enum perfpred_status expected, const char *word) {
  struct perfpred_decisions *decisions = NULL;
  const enum perfpred_status status = perfpred_decide(context, models, options, &decisions, &error);
  cr_expect_eq(status, expected, "%s, expected %s: %s", perfpred_status_name(status), perfpred_status_name(expected),
               error.text);
  cr_expect_not_null(strstr(error.text, word), "no '%s' in '%s'", word, error.text);
  cr_expect_null(decisions);
}

static int stop_at_once(void *data, const struct perfpred_progress *progress) {
  int *calls = data;
  cr_expect_str_eq(progress->stage, "decide");
  return ++*calls;
}

#define WITH(member, value)                                                                                            \
  (struct perfpred_decide_options) {                                                                                   \
    .size = sizeof options, .member = (value)                                                                          \
  }

Test(decisions, options_that_are_refused, .init = start, .fini = stop) {
  struct perfpred_models *models = small_models();
  struct perfpred_decide_options options = PERFPRED_DECIDE_OPTIONS_INIT;
  struct perfpred_decisions *decisions = NULL;
  refuses(models, &WITH(types, ""), PERFPRED_INVALID, "types");
  refuses(models, &WITH(types, "x"), PERFPRED_INVALID, "types");
  refuses(models, &WITH(types, "s"), PERFPRED_UNMODELLED, "none of the routines");
  refuses(models, &WITH(routines, ""), PERFPRED_INVALID, "empty name");
  refuses(models, &WITH(routines, "DPOTRF,"), PERFPRED_INVALID, "empty name");
  refuses(models, &WITH(routines, "DPOTRX"), PERFPRED_NOT_FOUND, "did you mean DPOTRF");
  refuses(models, &WITH(routines, "DGETRF"), PERFPRED_UNMODELLED, "DGETRF");
  refuses(models, &WITH(routines, "dpotrf,dgetrf"), PERFPRED_UNMODELLED, "dgetrf");
  refuses(models, &WITH(n_lower, -1), PERFPRED_INVALID, "sizes");
  refuses(models, &WITH(n_lower, 65), PERFPRED_INVALID, "sizes");
  refuses(models, &WITH(n_upper, INT64_MAX), PERFPRED_INVALID, "sizes");
  refuses(models, &WITH(b_lower, 1), PERFPRED_INVALID, "block sizes");
  refuses(models, &WITH(b_upper, 8193), PERFPRED_INVALID, "block sizes");
  refuses(models, &WITH(b_upper, 7), PERFPRED_INVALID, "block sizes");
  refuses(models, &WITH(b_step, -8), PERFPRED_INVALID, "block sizes");
  refuses(models, &WITH(growth, 1.0), PERFPRED_INVALID, "growth");
  refuses(models, &WITH(growth, (double)NAN), PERFPRED_INVALID, "growth");
  refuses(models, &WITH(tie, (double)NAN), PERFPRED_INVALID, "tie");
  refuses(models, &WITH(spread, 0.5), PERFPRED_INVALID, "spread");
  refuses(models, &WITH(tie, 1.0), PERFPRED_INVALID, "tie");
  refuses(models, &WITH(resolution, (double)INFINITY), PERFPRED_INVALID, "resolution");
  options.n_lower = 1000;
  options.n_upper = 2000;
  refuses(models, &options, PERFPRED_OUT_OF_DOMAIN, "1000");
  options.size = 4;
  refuses(models, &options, PERFPRED_INVALID, "size");
  cr_expect_eq(perfpred_decide(NULL, models, NULL, &decisions, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_decide(context, NULL, NULL, &decisions, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_decide(context, models, NULL, NULL, &error), PERFPRED_INVALID);
  perfpred_models_unref(models);
}

Test(decisions, cancelling, .init = start, .fini = stop) {
  struct perfpred_models *models = small_models();
  struct perfpred_decide_options options = PERFPRED_DECIDE_OPTIONS_INIT;
  int calls = 0;
  options.progress = stop_at_once;
  options.progress_data = &calls;
  refuses(models, &options, PERFPRED_CANCELLED, "cancelled");
  cr_expect_eq(calls, 1);
  perfpred_models_unref(models);
}

/* Every algorithm of the list is in the catalogue, with parameters n, b and perhaps nx, and its own values for them. */
Test(decisions, tunable_routines, .init = start, .fini = stop) {
  const size_t count = perfpred_tunable_count();
  struct perfpred_tunable tunable = PERFPRED_TUNABLE_INIT;
  double shares[3] = { 0.0, 0.0, 0.0 };
  cr_expect_geq(count, 4 * 28);
  for (size_t i = 0; i < count; i++) {
    struct perfpred_program *program = NULL;
    cr_assert_ok(perfpred_tunable_info(i, &tunable, &error), error);
    cr_assert_ok(perfpred_program_find(context, tunable.algorithm, &program, &error), error);
    const int n = perfpred_program_parameter(program, "n"), b = perfpred_program_parameter(program, "b"),
              nx = perfpred_program_parameter(program, "nx");
    cr_expect_eq(n, 0, "%s", tunable.algorithm);
    cr_assert_eq(b, 1, "%s", tunable.algorithm);
    cr_expect_eq(perfpred_program_parameter_default(program, 1), tunable.nb, "%s", tunable.algorithm);
    cr_expect_eq(perfpred_program_parameter_count(program), nx < 0 ? 2 : 3, "%s", tunable.algorithm);
    cr_expect_eq(nx < 0 ? -1 : perfpred_program_parameter_default(program, (size_t)nx), tunable.nx, "%s",
                 tunable.algorithm);
    cr_assert(tunable.group >= 0 && tunable.group < 3);
    shares[tunable.group] = tunable.share;
    perfpred_program_unref(program);
  }
  cr_expect_float_eq(shares[0] + shares[1] + shares[2], 1.0, 1e-12);
  cr_expect_eq(perfpred_tunable_info(count, &tunable, &error), PERFPRED_NOT_FOUND);
  cr_expect_eq(perfpred_tunable_info(0, NULL, &error), PERFPRED_INVALID);
  tunable.size = 8;
  cr_expect_eq(perfpred_tunable_info(0, &tunable, &error), PERFPRED_INVALID);
}
