/* SPDX-License-Identifier: BSD-3-Clause */
/* Stack distances, and misses of nests by executing them: against a list that is searched, numbers worked out by hand, and numbers
   counted by others (tests/affine/lru_misses*.csv). */
#include "affine/expand.h"
#include "affine/marks.h"
#include "base/stack_distance.h"
#include "polybench.h"
#include "program/walk.h"
#include "random_nest.h"
#include "thorough.h"

TestSuite(simulate, .init = start, .fini = stop);

static struct ppi_stack_distance *created(uint64_t limit_bytes) {
  struct ppi_stack_distance *sim = NULL;
  cr_assert_eq(ppi_stack_distance_create(limit_bytes, &sim, NULL), PERFPRED_OK);
  return sim;
}

static uint64_t touched(struct ppi_stack_distance *sim, uint64_t line) {
  uint64_t distance = 99;
  cr_assert_eq(ppi_stack_distance_access(sim, line, &distance), PERFPRED_OK);
  return distance;
}

Test(simulate, distances_by_hand) {
  struct ppi_stack_distance *sim = created(0);
  const uint64_t lines[] = { 7, 7, 3, 7, UINT64_MAX, 0, 3, 0, 7 }, expected[] = { 0, 1, 0, 2, 0, 0, 4, 2, 4 };
  for (int i = 0; i < 9; i++)
    cr_expect_eq(touched(sim, lines[i]), expected[i], "access %d", i);
  cr_expect_eq(ppi_stack_distance_lines(sim), 4);
  ppi_stack_distance_clear(sim);
  cr_expect_eq(ppi_stack_distance_lines(sim), 0);
  cr_expect_eq(touched(sim, 7), 0);
  cr_expect_eq(touched(sim, 7), 1);
  ppi_stack_distance_destroy(sim);
  ppi_stack_distance_destroy(NULL);
}

static uint64_t random_number(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *state >> 33;
}

/* A list with the last touched line in front. */
static uint64_t search(uint64_t *list, size_t *count, uint64_t line) {
  size_t at = 0;
  while (at < *count && list[at] != line)
    at++;
  const uint64_t distance = at < *count ? at + 1 : 0;
  *count += at == *count ? 1 : 0;
  memmove(list + 1, list, at * sizeof *list);
  list[0] = line;
  return distance;
}

/* Few and many lines, near and far ones, runs and jumps: the axis is closed up and stretched many times. */
Test(simulate, distances_as_searched) {
  static uint64_t list[8192];
  uint64_t state = 11;
  for (int round = 0; round < 4; round++) {
    const uint64_t range = (uint64_t[]){ 5, 130, 1500, 6000 }[round], stride = (uint64_t[]){ 1, 64, 1, 4096 }[round];
    struct ppi_stack_distance *sim = created(0);
    size_t count = 0;
    uint64_t at = 0;
    for (int i = 0; i < 20000; i++) {
      at = random_number(&state) % 8 == 0 ? random_number(&state) % range : (at + 1) % range;
      const uint64_t line = i % 3 == 0 ? at * stride : (at / 2) * stride;
      const uint64_t expected = search(list, &count, line), got = touched(sim, line);
      cr_assert_eq(got, expected, "round %d, access %d: %" PRIu64 " instead of %" PRIu64, round, i, got, expected);
    }
    cr_expect_eq(ppi_stack_distance_lines(sim), count);
    ppi_stack_distance_destroy(sim);
  }
}

/* How many of the caches a distance is beyond; first touches: one more than all. */
static uint32_t missed_at(uint64_t distance, const uint64_t *lines, size_t levels) {
  uint32_t missed = 0;
  while (missed < levels && lines[missed] < distance)
    missed++;
  return distance > 0 ? missed : (uint32_t)levels + 1;
}

/* The caches of a trace, equal ones among them: by a list that is searched. */
Test(simulate, marks_as_searched) {
  static uint64_t list[8192];
  static const uint64_t lines[] = { 1, 1, 2, 5, 64, 64, 1000, 5000, 100000 };
  uint64_t state = 5;
  for (int round = 0; round < 5; round++) {
    const uint64_t range = (uint64_t[]){ 5, 130, 1500, 6000, 70 }[round];
    const uint64_t stride = (uint64_t[]){ 1, 64, 1, 4096, UINT64_C(1) << 50 }[round];
    const size_t levels = round == 4 ? 0 : 9;
    struct ppi_marks *marks = NULL;
    size_t count = 0;
    uint64_t at = 0;
    cr_assert_eq(ppi_marks_create(lines, levels, 0, &marks, NULL), PERFPRED_OK);
    for (int i = 0; i < 20000; i++) {
      at = random_number(&state) % 8 == 0 ? random_number(&state) % range : (at + 1) % range;
      const uint64_t line = i % 3 == 0 ? at * stride : (at / 2) * stride;
      const uint32_t expected = missed_at(search(list, &count, line), lines, levels);
      uint32_t missed = 99;
      cr_assert_eq(ppi_marks_touch(marks, line, &missed), PERFPRED_OK);
      cr_assert_eq(missed, expected, "round %d, access %d: %u instead of %u", round, i, missed, expected);
    }
    cr_expect_eq(ppi_marks_lines(marks), count);
    ppi_marks_destroy(marks);
  }
  ppi_marks_destroy(NULL);
}

Test(simulate, marks_within_a_limit) {
  struct ppi_marks *marks = NULL;
  uint64_t line = 0;
  uint32_t missed = 5;
  enum perfpred_status status = PERFPRED_OK;
  cr_assert_eq(ppi_marks_create(NULL, 0, 100000, &marks, NULL), PERFPRED_OK);
  while (!status && line < 1000000)
    status = ppi_marks_touch(marks, 100 * line++, &missed); /* a page each */
  cr_expect_eq(status, PERFPRED_LIMIT);
  cr_expect_gt(line, 200);
  cr_expect_eq(ppi_marks_lines(marks), line - 1);
  ppi_marks_destroy(marks);
}

Test(simulate, distances_within_a_limit) {
  struct ppi_stack_distance *sim = created(100000);
  uint64_t line = 0, distance = 5;
  enum perfpred_status status = PERFPRED_OK;
  while (!status && line < 1000000)
    status = ppi_stack_distance_access(sim, line++, &distance);
  cr_expect_eq(status, PERFPRED_LIMIT);
  cr_expect_gt(line, 500);
  cr_expect_eq(ppi_stack_distance_lines(sim), line - 1);
  ppi_stack_distance_destroy(sim);
}

static struct ppi_misses_options options_of(const int64_t *caches, size_t count) {
  return (struct ppi_misses_options){
    .cache_bytes = caches, .level_count = count, .line_bytes = 64, .budget_s = 600.0, .budget_bytes = UINT64_C(1) << 30
  };
}

static struct ppi_misses *counted(const struct perfpred_program *nest, const int64_t *values,
                                  const struct ppi_misses_options *options) {
  struct ppi_misses *misses = NULL;
  struct perfpred_error error;
  ppi_error_clear(&error);
  cr_assert_eq(ppi_misses_find(nest, values, options, &misses, &error), PERFPRED_OK, "%s: %s", nest->name, error.text);
  return misses;
}

/* Every access by itself. */
struct steps {
  struct ppi_layout layout;
  struct ppi_stack_distance *distances;
  const struct ppi_misses_options *options;
  uint64_t counts[1000][40]; /* by site: accesses, first touches, then misses of each cache */
};

static enum perfpred_status on_step(void *data, const struct ppi_node *node, int buffer, const int64_t *subscripts,
                                    struct perfpred_error *error) {
  struct steps *steps = data;
  (void)error;
  if (ppi_layout_outside(&steps->layout, buffer, subscripts) >= 0)
    return PERFPRED_INVALID;
  const uint64_t distance = touched(steps->distances, (uint64_t)ppi_layout_line(&steps->layout, buffer, subscripts));
  uint64_t *counts = steps->counts[node->site];
  counts[0] += node->access == PPI_INOUT ? 2 : 1;
  counts[1] += distance == 0;
  for (size_t i = 0; i < steps->options->level_count; i++)
    counts[2 + i] += distance > (uint64_t)(steps->options->cache_bytes[i] / steps->options->line_bytes);
  return PERFPRED_OK;
}

static void expect_steps(const struct perfpred_program *nest, const int64_t *values,
                         const struct ppi_misses_options *options, const char *text) {
  static struct steps steps;
  const struct ppi_walker walker = { .access = on_step };
  struct ppi_misses *misses = NULL;
  memset(&steps, 0, sizeof steps);
  steps.options = options;
  steps.distances = created(0);
  cr_assert_lt(nest->site_count, 1000);
  cr_assert_eq(ppi_layout_make(nest, values, options->line_bytes, &steps.layout, NULL), PERFPRED_OK);
  const enum perfpred_status status =
      ppi_program_walk(nest, values, (size_t)nest->parameter_count, &walker, &steps, NULL);
  cr_assert_eq(ppi_misses_find(nest, values, options, &misses, NULL), status, "%s", text);
  for (int i = 0; !status && i < nest->site_count; i++) {
    const struct ppi_misses_count *count = &misses->references[i];
    cr_assert_eq(count->accesses, steps.counts[i][0], "%s", text);
    cr_assert_eq(count->compulsory, steps.counts[i][1], "%s", text);
    for (size_t j = 0; j < options->level_count; j++)
      cr_assert_eq(count->capacity[j], steps.counts[i][2 + j], "%s, cache %zu: %" PRIu64 " %" PRIu64, text, j,
                   count->capacity[j], steps.counts[i][2 + j]);
  }
  ppi_misses_destroy(misses);
  ppi_stack_distance_destroy(steps.distances);
}

/* Iterations that touch the same lines are counted together: the counts are those of every access by itself, whether the caches hold one
   iteration's lines or not, and are few or many. */
Test(simulate, as_step_by_step) {
  static struct random_nest made;
  int64_t caches[38];
  for (int i = 0; i < 38; i++)
    caches[i] = 64 * (1 + i * i);
  for (int i = 0; i < (is_thorough() ? 2000 : 60); i++) {
    struct ppi_misses_options options = options_of(caches + i % 4, i % 3 == 0 ? 30 : 5);
    options.engine = PPI_MISSES_SIMULATE;
    random_nest_make(&made, (uint64_t)(1000 + i), i % 2);
    struct perfpred_program *nest = parsed(made.text);
    expect_steps(nest, (int64_t[]){ 10 }, &options, made.text);
    perfpred_program_unref(nest);
  }
}

/* The loops behind blocked algorithms. */
Test(simulate, blocked_algorithms_step_by_step) {
  static const char *const names[] = { "chol-l-3", "dgetrf", "dgeqrf-nx0", "chol-u-rec" };
  const int64_t caches[] = { 64, 640, 4096 }, values[] = { 44, 16 };
  struct ppi_misses_options options = options_of(caches, 3);
  options.engine = PPI_MISSES_SIMULATE;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    struct perfpred_program *algorithm = found(names[i]);
    struct ppi_expansion expansion;
    cr_assert_eq(ppi_expand(&context, algorithm, values, &expansion, NULL), PERFPRED_OK, "%s", names[i]);
    expect_steps(expansion.nest, values, &options, names[i]);
    ppi_expansion_free(&expansion);
    perfpred_program_unref(algorithm);
  }
}

/* Two rows of two lines each; a cache of one line has the next element of a line only. */
Test(simulate, by_hand) {
  struct perfpred_program *nest = parsed("perfpred-text 1\nnest t(n)\n  double A[2, n], x[n]\n"
                                         "  for i in 0:2\n    for j in 0:n\n      read A[i, j], x[j]\n    end\n  end\n"
                                         "  update x[0]\nend\n");
  const int64_t caches[] = { 191, 64, 1024, 192 };
  struct ppi_misses_options options = options_of(caches, 4);
  struct ppi_misses *misses = counted(nest, (int64_t[]){ 12 }, &options);
  cr_expect_eq(misses->total.accesses, 50);
  cr_expect_eq(misses->total.compulsory, 6); /* rows of 12 doubles: two lines, the second one padded */
  cr_expect_eq(misses->reference_count, 3);
  cr_expect_eq(misses->statement_count, 2);
  cr_expect_eq(misses->references[0].compulsory, 4);
  cr_expect_eq(misses->references[1].compulsory, 2);
  cr_expect_eq(misses->references[2].accesses, 2);
  /* One line: A and x take turns, so all but first touches miss; the update reads x[0] after x[11]. */
  cr_expect_eq(misses->references[0].capacity[1], 20);
  cr_expect_eq(misses->references[1].capacity[1], 22);
  cr_expect_eq(misses->references[2].capacity[1], 1);
  /* Two lines (191 bytes hold no third): x is at distance 2; in the second row x[0] and x[8] come after A's and x's other line
     and the new one of A. */
  cr_expect_eq(misses->references[0].capacity[0], 0);
  cr_expect_eq(misses->references[1].capacity[0], 2);
  cr_expect_eq(misses->references[2].capacity[0], 1);
  /* Three lines: x[0] of the second row is at distance 4 (x0, A01, x1, A10); x[8] too (x1, A10, x0, A11). At the end x[0] is at 3. */
  cr_expect_eq(misses->references[1].capacity[3], 2);
  cr_expect_eq(misses->references[2].capacity[3], 0);
  cr_expect_eq(misses->total.capacity[2], 0);
  cr_expect_eq(misses->statements[0].capacity[0] + misses->statements[1].capacity[0], misses->total.capacity[0]);
  cr_expect_eq(misses->exact, true);
  cr_expect_eq(misses->may, false);
  cr_expect_eq(misses->engine, PPI_MISSES_SIMULATE);
  ppi_misses_destroy(misses);
  perfpred_program_unref(nest);
}

/* Columns are contiguous, elements of any size, accesses under conditions on data. */
Test(simulate, layouts) {
  struct perfpred_program *nest = parsed(
      "perfpred-text 1\nnest t(n)\n  double column-major A[n, n]\n  bytes(1) s[n]\n  cdouble z[n]\n"
      "  for j in 0:n\n    for i in 0:n\n      read A[i, j]\n    end\n    may read s[j]; write z[j]\n  end\nend\n");
  const int64_t caches[] = { 64 };
  struct ppi_misses_options options = options_of(caches, 1);
  struct ppi_misses *misses = counted(nest, (int64_t[]){ 17 }, &options);
  cr_expect_eq(misses->references[0].compulsory, 51); /* three lines a column */
  cr_expect_eq(misses->references[0].capacity[0], 0);
  cr_expect_eq(misses->references[1].compulsory, 1);
  cr_expect_eq(misses->references[2].compulsory, 5); /* four complex numbers a line */
  cr_expect_eq(misses->may, true);
  char *text = printed(nest, PERFPRED_FORMAT_TEXT);
  cr_expect_neq(strstr(text, "  bytes(1) row-major s[n]\n"), NULL, "%s", text);
  cr_expect_neq(strstr(text, "    may read s[j]; write z[j]\n"), NULL, "%s", text);
  perfpred_free(text);
  ppi_misses_destroy(misses);
  perfpred_program_unref(nest);
}

static void expect_refusal(const char *text, int64_t value, const struct ppi_misses_options *options,
                           enum perfpred_status status, const char *message) {
  struct perfpred_program *nest = parsed(text);
  struct ppi_misses *untouched = (struct ppi_misses *)&context, *misses = untouched;
  struct perfpred_error error;
  ppi_error_clear(&error);
  cr_expect_eq(ppi_misses_find(nest, &value, options, &misses, &error), status, "%s: %s", text, error.text);
  cr_expect_str_eq(error.text, message);
  cr_expect_eq(misses, untouched);
  perfpred_program_unref(nest);
}

Test(simulate, refusals) {
  const int64_t caches[] = { 64 };
  struct ppi_misses_options options = options_of(caches, 1), narrow = options, brief = options, small = options;
  narrow.line_bytes = 4;
  brief.budget_s = 1e-9;
  small.budget_bytes = 100000;
  brief.engine = small.engine = PPI_MISSES_SIMULATE;
  const char *shifted = "perfpred-text 1\nnest t(n)\n  double A[n]\n  for i in 0:n\n    read A[i - 1]\n  end\nend\n";
  const char *walk = "perfpred-text 1\nnest t(n)\n  double A[n]\n  for i in 0:n\n    read A[i]\n  end\nend\n";
  expect_refusal(shifted, 5, &options, PERFPRED_INVALID, "t, line 5: subscript 1 of A is -1, expected 0 to 4");
  expect_refusal(walk, 5, &narrow, PERFPRED_INVALID,
                 "a line of 4 bytes is not a whole number of elements of A, which have 8 bytes");
  expect_refusal(walk, INT64_C(1) << 40, &brief, PERFPRED_TIMEOUT, "t: counting takes longer than the 1e-09 s allowed");
  expect_refusal(walk, 1000000, &small, PERFPRED_LIMIT,
                 "t: simulating its 4096 lines takes more than the 100000 bytes of memory allowed");
  expect_refusal("perfpred-text 1\nnest t(n)\n  double A[n - 9]\n  read A[0]\nend\n", 5, &options, PERFPRED_INVALID,
                 "t: extent 1 of A must be >= 0, got -4");
  /* empty loops end, too */
  expect_refusal("perfpred-text 1\nnest t(n)\n  double A[n]\n  for i in 0:n\n    for j in i:n\n    end\n  end\nend\n",
                 INT64_C(1) << 62, &brief, PERFPRED_TIMEOUT, "t: counting takes longer than the 1e-09 s allowed");
}

Test(simulate, nothing_to_do) {
  const int64_t caches[] = { 64 };
  struct ppi_misses_options options = options_of(caches, 1);
  struct perfpred_program *nest = parsed("perfpred-text 1\nnest t(n)\n  double A[n]\n  for i in 0:n\n    read A[i]\n"
                                         "  end\nend\n");
  struct ppi_misses *misses = counted(nest, (int64_t[]){ 0 }, &options);
  cr_expect_eq(misses->total.accesses, 0);
  cr_expect_eq(misses->total.compulsory, 0);
  ppi_misses_destroy(misses);
  misses = counted(nest, (int64_t[]){ 1 }, &options);
  cr_expect_eq(misses->total.accesses, 1);
  cr_expect_eq(misses->total.compulsory, 1);
  ppi_misses_destroy(misses);
  perfpred_program_unref(nest);
}

Test(simulate, sizes_of_nests) {
  struct ppi_unit *unit = read_polybench();
  const struct perfpred_program *gemm = polybench_nest(unit, "gemm"), *cholesky = polybench_nest(unit, "cholesky");
  const int64_t mini[] = { 20, 25, 30 }, large[] = { 1000, 1100, 1200 };
  cr_expect_eq(ppi_misses_is_small(gemm, mini, 61000), true); /* as the table says */
  cr_expect_eq(ppi_misses_is_small(gemm, mini, 60999), false);
  cr_expect_eq(ppi_misses_is_small(gemm, large, 5282200000), true);
  cr_expect_eq(ppi_misses_is_small(gemm, large, 5282199999), false);
  cr_expect_eq(ppi_misses_is_small(cholesky, (int64_t[]){ 40 }, 45060), true);
  cr_expect_eq(ppi_misses_is_small(cholesky, (int64_t[]){ 40 }, 45059), false);
  cr_expect_eq(ppi_misses_is_small(cholesky, (int64_t[]){ INT64_MAX }, 1000000), false);
  ppi_unit_unref(unit);
}

/* Lines of a table that are about one run. */
struct row {
  char kernel[40], size[20];
  int64_t accesses, compulsory, cache[8], capacity[8];
  int caches;
};

static void check_row(const struct ppi_unit *unit, const char *sizes, const struct row *row) {
  const struct perfpred_program *nest = polybench_nest(unit, row->kernel);
  int64_t values[8] = { 0 };
  struct ppi_misses_options options = options_of(row->cache, (size_t)row->caches);
  options.engine = PPI_MISSES_SIMULATE;
  polybench_sizes(sizes, row->kernel, row->size, values);
  struct ppi_misses *misses = counted(nest, values, &options);
  cr_expect_eq(misses->total.accesses, (uint64_t)row->accesses, "%s %s", row->kernel, row->size);
  cr_expect_eq(misses->total.compulsory, (uint64_t)row->compulsory, "%s %s", row->kernel, row->size);
  for (int i = 0; i < row->caches; i++)
    cr_expect_eq(misses->total.capacity[i], (uint64_t)row->capacity[i], "%s %s, %" PRId64 " bytes: %" PRIu64,
                 row->kernel, row->size, row->cache[i], misses->total.capacity[i]);
  ppi_misses_destroy(misses);
}

static bool is_wanted(const char *size) {
  return !strcmp(size, "MINI") || !strcmp(size, "SMALL") || (!strcmp(size, "MEDIUM") && is_thorough());
}

/* kernel,size,64,accesses,compulsory and two caches with their misses. */
static void read_two_caches(const char *line, struct row *row) {
  *row = (struct row){ .caches = 2 };
  cr_assert_eq(sscanf(line, "%39[^,],%19[^,],64,%" SCNd64 ",%" SCNd64 ",%" SCNd64 ",%" SCNd64 ",%" SCNd64 ",%" SCNd64,
                      row->kernel, row->size, &row->accesses, &row->compulsory, &row->cache[0], &row->capacity[0],
                      &row->cache[1], &row->capacity[1]),
               8);
}

/* kernel,size,64,cache,accesses,compulsory,misses. False: about another run than the row. */
static bool read_one_cache(const char *line, struct row *row) {
  struct row read = { .caches = 1 };
  cr_assert_eq(sscanf(line, "%39[^,],%19[^,],64,%" SCNd64 ",%" SCNd64 ",%" SCNd64 ",%" SCNd64, read.kernel, read.size,
                      &read.cache[0], &read.accesses, &read.compulsory, &read.capacity[0]),
               6);
  if (row->caches == 0)
    *row = read;
  else if (strcmp(read.kernel, row->kernel) != 0 || strcmp(read.size, row->size) != 0)
    return false;
  else {
    row->cache[row->caches] = read.cache[0];
    row->capacity[row->caches++] = read.capacity[0];
  }
  return true;
}

static const char *next_line(const char *line) {
  const char *end = strchr(line, '\n');
  return end && end[1] ? end + 1 : NULL;
}

Test(simulate, known_numbers) {
  struct ppi_unit *unit = read_polybench();
  char *sizes = read_file("sizes.csv"), *table = read_file("lru_misses_more_caches.csv");
  int checked = 0;
  for (const char *line = next_line(table); line;) {
    struct row row = { .caches = 0 };
    while (line && row.caches < 8 && read_one_cache(line, &row))
      line = next_line(line);
    if (is_wanted(row.size)) {
      check_row(unit, sizes, &row);
      checked += row.caches;
    }
  }
  cr_expect_geq(checked, 64);
  free(table);
  free(sizes);
  ppi_unit_unref(unit);
}

Test(simulate, known_numbers_of_larger_ones) {
  struct ppi_unit *unit = read_polybench();
  char *sizes = read_file("sizes.csv"), *table = read_file("lru_misses.csv");
  int checked = 0;
  for (const char *line = next_line(table); line; line = next_line(line)) {
    struct row row;
    read_two_caches(line, &row);
    const bool quick = !strcmp(row.size, "MEDIUM") && row.accesses < 2000000;
    if (!quick && !is_wanted(row.size))
      continue;
    check_row(unit, sizes, &row);
    checked++;
  }
  cr_expect_eq(checked, is_thorough() ? 16 : 7);
  free(table);
  free(sizes);
  ppi_unit_unref(unit);
}
