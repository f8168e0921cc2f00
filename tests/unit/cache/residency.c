/* SPDX-License-Identifier: BSD-3-Clause */
/* From distances to shares, from shares to times; set-ups of caches. */
#include "world.h"

#include "cache/touches.h"

TestSuite(residency, .init = start, .fini = stop);

#define NEAR(actual, wanted)                                                                                           \
  cr_expect(fabs((actual) - (wanted)) <= 1e-12, "%s is %.15g, expected %.15g", #actual, (double)(actual),              \
            (double)(wanted))

static struct perfpred_cache_options complete(struct perfpred_cache_options options) {
  struct perfpred_cache_options full;
  struct perfpred_error error;
  cr_assert_eq(ppi_cache_settings(&options, NULL, &full, &error), PERFPRED_OK, "%s", error.text);
  return full;
}

/* --- Shares --------------------------------------------------------------------------------------------------------- */

/* D = 40 + 60 lines in a cache of 200: d = -1/2; of 100: 0; of 50: 1. sigma by tanh(2) = 0.964027580075817, tanh(3) = 0.995054753686730. */
Test(residency, smoothing_is_tanh_of_the_relative_distance) {
  const struct ppi_part part = { .lines = 10, .access = 1, .after = 40, .own = 60, .sum = 400 };
  struct perfpred_cache_options options = one_level(100);
  options.alpha = 4.0;
  options.beta = 3.0;
  options = complete(options);
  NEAR(ppi_weight_inside(&options, &part, 1000, 200), (1.0 + 0.964027580075817) / 2.0);
  NEAR(ppi_weight_inside(&options, &part, 1000, 100), 0.5);
  NEAR(ppi_weight_inside(&options, &part, 1000, 50), (1.0 - 0.995054753686730) / 2.0);
  options.distance = PERFPRED_CACHE_SUMS; /* D = 400 in 200: d = 1 */
  NEAR(ppi_weight_inside(&options, &part, 1000, 200), (1.0 - 0.995054753686730) / 2.0);
  options.mode = PERFPRED_CACHE_SPLIT;
  NEAR(ppi_weight_inside(&options, &part, 1000, 400), 1.0);
  NEAR(ppi_weight_inside(&options, &part, 1000, 399), 0.0);
}

/* What lies between 40 and 100 deep: a cache of 70 lines holds half of it. */
Test(residency, an_lru_cache_holds_the_latest_lines_of_an_access) {
  const struct ppi_part part = { .lines = 10, .access = 1, .after = 40, .own = 60 };
  struct perfpred_cache_options options = one_level(100);
  options.mode = PERFPRED_CACHE_SHARED;
  options = complete(options);
  NEAR(ppi_weight_inside(&options, &part, 1000, 39), 0.0);
  NEAR(ppi_weight_inside(&options, &part, 1000, 70), 0.5);
  NEAR(ppi_weight_inside(&options, &part, 1000, 100), 1.0);
}

Test(residency, first_accesses_are_in_no_cache_unless_the_execution_repeats) {
  const struct ppi_part never = { .lines = 10 };
  struct perfpred_cache_options options = complete(one_level(100));
  NEAR(ppi_weight_inside(&options, &never, 80, 100), 0.0);
  options.first = PERFPRED_CACHE_TOTAL;
  NEAR(ppi_weight_inside(&options, &never, 100, 100), 0.5);
  options.mode = PERFPRED_CACHE_SHARED;
  NEAR(ppi_weight_inside(&options, &never, 80, 100), 1.0);
  NEAR(ppi_weight_inside(&options, &never, 120, 100), 0.0);
}

/* Levels of 50, 100 and 200 lines; a part of 8 lines between 40 and 100 deep: 10/60 in the first, the rest in the second. */
Test(residency, each_level_gets_what_the_nearer_ones_do_not_hold) {
  const struct ppi_part part = { .lines = 8, .access = 1, .after = 40, .own = 60 }, never = { .lines = 2 };
  struct perfpred_cache_options options = one_level(50);
  double lines[PPI_CACHE_PLACES] = { 0.0 };
  options.level_count = 3;
  options.level_bytes[1] = 100 * 64;
  options.level_bytes[2] = 200 * 64;
  options.mode = PERFPRED_CACHE_SHARED;
  options = complete(options);
  ppi_weight_add(&options, &part, 1000, lines);
  ppi_weight_add(&options, &never, 1000, lines);
  NEAR(lines[0], 8.0 / 6.0);
  NEAR(lines[1], 8.0 * 5.0 / 6.0);
  NEAR(lines[2], 0.0);
  NEAR(lines[3], 2.0);
  const double shares[PPI_CACHE_PLACES] = { 0.25, 0.5, 0.0, 0.25 };
  const double times_s[PPI_CACHE_PLACES] = { 1.0, 2.0, (double)NAN, 8.0 };
  NEAR(ppi_weight_time(&options, shares, times_s, 3.0), 0.25 + 1.0 + 2.0);
  options.weights[3] = 1.5;
  NEAR(ppi_weight_time(&options, shares, times_s, 3.0), 0.25 + 1.0 + 3.0);
  options.weights[1] = options.weights[3] = 0.5; /* half of the way from the warm time */
  NEAR(ppi_weight_time(&options, shares, times_s, 3.0), 0.25 + 0.5 + 1.0 + (1.0 - 0.25 - 0.25 - 0.125) * 3.0);
}

Test(residency, levels_of_a_machine) {
  struct perfpred_cache_options full;
  struct ppi_machine machine;
  cr_assert_eq(ppi_machine_synthetic("cpu=Foo isa=avx2 cores=4 units=8 l1=32K l2=1M l3=8M", &machine, NULL),
               PERFPRED_OK);
  cr_assert_eq(ppi_cache_settings(NULL, &machine, &full, NULL), PERFPRED_OK);
  cr_expect_eq(full.level_count, 2);
  cr_expect_eq(full.level_bytes[0], 1 << 20);
  cr_expect_eq(full.level_bytes[1], 8 << 20);
  cr_expect_eq(full.line_bytes, 64);
  NEAR(full.split_ratio, 0.125);
  machine.effective_count = 4; /* as measured: less of the last one than is reported */
  machine.effective[0].bytes = 32 << 10;
  machine.effective[1].bytes = 768 << 10;
  machine.effective[2].bytes = 3 << 20;
  cr_assert_eq(ppi_cache_settings(NULL, &machine, &full, NULL), PERFPRED_OK);
  cr_expect_eq(full.level_count, 2);
  cr_expect_eq(full.level_bytes[0], 768 << 10);
  cr_expect_eq(full.level_bytes[1], 3 << 20);
  struct ppi_machine unknown;
  memset(&unknown, 0, sizeof unknown);
  cr_assert_eq(ppi_cache_settings(NULL, &unknown, &full, NULL), PERFPRED_OK);
  cr_expect_eq(full.level_count, 1);
}

/* --- Set-ups of caches ------------------------------------------------------------------------------------------------ */

static const struct perfpred_kernel *read_case(const char *kernel, const char *case_text, const int64_t *sizes,
                                               struct ppi_value values[PPI_ARG_MAX]) {
  const struct perfpred_kernel *found_kernel = ppi_kernels_find(context.kernels, kernel);
  cr_assert_not_null(found_kernel);
  cr_assert_eq(ppi_case_parse(found_kernel, case_text, values, NULL), PERFPRED_OK);
  for (int i = 0; i < found_kernel->size_count; i++)
    values[found_kernel->sizes[i]].i = sizes[i];
  return found_kernel;
}

static void expect_touch(const struct ppi_touch *touch, const char *name, const struct perfpred_kernel *kernel,
                         const int64_t wanted[4]) {
  cr_assert_geq(touch->argument, 0);
  cr_expect_str_eq(kernel->args[touch->argument].name, name);
  cr_expect(touch->row == wanted[0] && touch->column == wanted[1] && touch->rows == wanted[2] &&
                touch->columns == wanted[3],
            "%s: %ld x %ld from (%ld, %ld) on", name, (long)touch->rows, (long)touch->columns, (long)touch->row,
            (long)touch->column);
}

/* dgemm of 100 x 200 x 300: A 100 x 300, B 300 x 200, C 100 x 200. Order 3 of ABC in a dictionary: ABC ACB BAC BCA. */
Test(residency, parts_of_operands_in_any_order) {
  struct ppi_value values[PPI_ARG_MAX];
  struct ppi_touch touches[PPI_TOUCHES_MAX];
  struct ppi_touch_kind kind = { .order = 3, .part = PPI_TOUCH_COLUMN_PANEL, .width = 32, .large = 20000 };
  const struct perfpred_kernel *gemm = read_case("dgemm", "N,N,1,1", (int64_t[]){ 100, 200, 300 }, values);
  struct perfpred_error error;
  int count = 0;
  ppi_error_clear(&error);
  cr_expect_eq(ppi_touch_orders(gemm), 6);
  cr_assert_eq(ppi_touches_of_kind(gemm, values, &kind, touches, &count, &error), PERFPRED_OK);
  cr_assert_eq(count, 3);
  expect_touch(&touches[0], "b", gemm, (int64_t[]){ 0, 0, 300, 32 });
  expect_touch(&touches[1], "c", gemm, (int64_t[]){ 0, 0, 100, 200 }); /* 20000 elements are not more than 20000 */
  expect_touch(&touches[2], "a", gemm, (int64_t[]){ 0, 0, 100, 32 });
  kind = (struct ppi_touch_kind){ .part = PPI_TOUCH_ROW_PANEL, .width = 16, .mirrored = true };
  cr_assert_eq(ppi_touches_of_kind(gemm, values, &kind, touches, &count, &error), PERFPRED_OK);
  expect_touch(&touches[0], "a", gemm, (int64_t[]){ 84, 0, 16, 300 });
  kind = (struct ppi_touch_kind){ .order = 5, .part = PPI_TOUCH_SQUARE_BLOCK, .width = 150, .mirrored = true };
  cr_assert_eq(ppi_touches_of_kind(gemm, values, &kind, touches, &count, &error), PERFPRED_OK);
  expect_touch(&touches[0], "c", gemm, (int64_t[]){ 0, 50, 100, 150 });
  expect_touch(&touches[1], "b", gemm, (int64_t[]){ 150, 50, 150, 150 });
  expect_touch(&touches[2], "a", gemm, (int64_t[]){ 0, 150, 100, 150 });
  kind.order = 6;
  cr_expect_eq(ppi_touches_of_kind(gemm, values, &kind, touches, &count, &error), PERFPRED_INVALID);
  cr_expect_not_null(strstr(error.text, "order 6"));
  kind.order = 0;
  kind.width = 0;
  cr_expect_eq(ppi_touches_of_kind(gemm, values, &kind, touches, &count, &error), PERFPRED_INVALID);
}

/* L X = B needs the first rows of X first, U X = B the last ones; X U = B its first columns, X L = B the last ones. A product in place
   goes the other way. */
Test(residency, kernels_that_go_backwards) {
  static const struct {
    const char *kernel, *case_text;
    bool backward;
  } cases[] = { { "dtrsm", "L,L,N,N,1", false }, { "dtrsm", "L,L,T,N,1", true },  { "dtrsm", "L,U,N,N,1", true },
                { "dtrsm", "R,U,N,N,1", false }, { "dtrsm", "R,L,N,N,1", true },  { "ztrsm", "R,L,C,N,1", false },
                { "dtrmm", "L,L,N,N,1", true },  { "dtrmm", "L,U,N,N,1", false }, { "dtrmm", "R,U,N,N,1", true },
                { "dgemm", "N,N,1,1", false } };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct ppi_value values[PPI_ARG_MAX];
    const struct perfpred_kernel *kernel =
        read_case(cases[i].kernel, cases[i].case_text, (int64_t[]){ 8, 8, 8 }, values);
    cr_expect_eq(ppi_touch_is_backward(kernel, values), cases[i].backward, "%s(%s)", cases[i].kernel,
                 cases[i].case_text);
  }
}

/* A, 16 lines, was touched first, then 3 lines, then y, 1 line: 4 lines lie between A and the call, none between y and it. */
static const char far_text[] = "algorithm far(n)\n"
                               "  inout A: double matrix[8, n]\n"
                               "  inout x: double matrix[24, 1]\n"
                               "  inout y: double matrix[8, 1]\n"
                               "  duse(8, n, A[0, 0])\n"
                               "  duse(24, 1, x[0, 0])\n"
                               "  duse(8, 1, y[0, 0])\n"
                               "  dgather(8, n, A[0, 0], y[0, 0])\n"
                               "end\n";

Test(residency, operands_as_far_back_as_in_the_algorithm) {
  const struct perfpred_cache_options options = one_level(10);
  struct ppi_touch touches[PPI_TOUCHES_MAX];
  struct perfpred_cache *cache = analyzed(parsed(far_text), (int64_t[]){ 16 }, 1, &options);
  const struct perfpred_kernel *kernel = cache->calls[3].node->kernel;
  int count = 0;
  ppi_touches_of_call(cache, 3, (double)INFINITY, touches, &count);
  cr_assert_eq(count, 3);
  expect_touch(&touches[0], "a", kernel, (int64_t[]){ 0, 0, 8, 16 });
  cr_expect_eq(touches[1].argument, -1);
  cr_expect_eq(touches[1].bytes, 3 * 64, "y itself is the fourth line");
  expect_touch(&touches[2], "y", kernel, (int64_t[]){ 0, 0, 8, 1 });
  ppi_touches_of_call(cache, 3, 4 * 64, touches, &count); /* A counts as never accessed */
  cr_assert_eq(count, 2);
  cr_expect_eq(touches[0].bytes, 3 * 64);
  expect_touch(&touches[1], "y", kernel, (int64_t[]){ 0, 0, 8, 1 });
  ppi_touches_of_call(cache, 0, 1000.0, touches, &count); /* never accessed */
  cr_assert_eq(count, 1);
  cr_expect_eq(touches[0].argument, -1);
  cr_expect_eq(touches[0].bytes, 1000);
  perfpred_cache_destroy(cache);
}

static char *scripted(const struct perfpred_cache *cache, const struct perfpred_cache_script_options *options) {
  char *text = NULL;
  struct perfpred_error error;
  cr_assert_eq(perfpred_cache_script(cache, options, &text, &error), PERFPRED_OK, "%s", error.text);
  return text;
}

Test(residency, scripts_for_the_sampler) {
  const struct perfpred_cache_options options = one_level(10);
  struct perfpred_cache_script_options script = PERFPRED_CACHE_SCRIPT_OPTIONS_INIT;
  struct perfpred_error error;
  struct perfpred_cache *cache = analyzed(parsed(far_text), (int64_t[]){ 16 }, 1, &options);
  script.first = 3;
  char *text = scripted(cache, &script);
  cr_expect_str_eq(text, "# far\n"
                         "# call 4, step 1: dgather(8,16)\n"
                         "double a_4[128]\n"
                         "double y_4[8]\n"
                         "double other_4[24]\n"
                         "set precondition cold-flush\n"
                         "set prepare a_4[0:128] other_4[0:24] y_4[0:8]\n"
                         "dgather(8, 16, a_4, 8, y_4, 1)\n"
                         "free a_4\n"
                         "free y_4\n"
                         "free other_4\n");
  perfpred_free(text);
  script.first = 1;
  script.count = 1;
  script.setup = PERFPRED_CACHE_BLOCK;
  text = scripted(cache, &script);
  cr_expect_str_eq(text, "# far\n"
                         "# call 2, step 1: duse(24,1)\n"
                         "double a_2[24]\n"
                         "set precondition warm\n"
                         "set prepare a_2[0:24]\n"
                         "duse(24, 1, a_2, 24)\n"
                         "free a_2\n");
  perfpred_free(text);
  script.first = 3;
  script.setup = PERFPRED_CACHE_COLUMNS; /* A has more than 640 / 8 elements: its first 2 columns, in both orders */
  script.width = 2;
  text = scripted(cache, &script);
  cr_expect_not_null(strstr(text,
                            "set prepare a_4[0:16] y_4[0:8]\ndgather(8, 16, a_4, 8, y_4, 1)\nset prepare y_4[0:8] "
                            "a_4[0:16]\n"),
                     "%s", text);
  perfpred_free(text);
  text = NULL;
  script.first = 5;
  cr_expect_eq(perfpred_cache_script(cache, &script, &text, &error), PERFPRED_INVALID);
  script.first = 3;
  script.count = 2;
  cr_expect_eq(perfpred_cache_script(cache, &script, &text, &error), PERFPRED_INVALID);
  script.count = 1;
  script.setup = (enum perfpred_cache_setup)5;
  cr_expect_eq(perfpred_cache_script(cache, &script, &text, &error), PERFPRED_INVALID);
  script.setup = PERFPRED_CACHE_ROWS;
  script.width = -1;
  cr_expect_eq(perfpred_cache_script(cache, &script, &text, &error), PERFPRED_INVALID);
  script.width = 0;
  script.limit_bytes = (double)NAN;
  cr_expect_eq(perfpred_cache_script(cache, &script, &text, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_cache_script(NULL, NULL, &text, &error), PERFPRED_INVALID);
  cr_expect_null(text);
  perfpred_cache_destroy(cache);
}
