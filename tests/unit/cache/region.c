/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions in elements and lines, worked by hand or counted element by element. */
#include "world.h"

#include "cache/region.h"

TestSuite(region, .init = start, .fini = stop);

struct runs {
  int64_t first[64], end[64];
  size_t count;
};

static void note(void *data, int64_t first, int64_t end) {
  struct runs *runs = data;
  cr_assert_lt(runs->count, 64);
  runs->first[runs->count] = first;
  runs->end[runs->count++] = end;
}

static struct runs lines_of(const struct ppi_region *region) {
  struct runs runs = { .count = 0 };
  ppi_region_lines(region, 6, note, &runs);
  return runs;
}

static void expect_runs(const struct ppi_region *region, const int64_t (*wanted)[2], size_t count) {
  const struct runs runs = lines_of(region);
  cr_assert_eq(runs.count, count, "%zu runs, expected %zu", runs.count, count);
  for (size_t i = 0; i < count; i++) {
    cr_expect_eq(runs.first[i], wanted[i][0], "run %zu begins at %ld", i, (long)runs.first[i]);
    cr_expect_eq(runs.end[i], wanted[i][1], "run %zu ends at %ld", i, (long)runs.end[i]);
  }
}

/* Doubles with ld 16: a column is two lines. */
Test(region, columns_apart_are_runs_of_their_own) {
  const struct ppi_region region = { .element = 8, .rows = 8, .columns = 3, .ld = 16 };
  expect_runs(&region, (int64_t[][2]){ { 0, 1 }, { 2, 3 }, { 4, 5 } }, 3);
}

Test(region, whole_columns_are_one_run) {
  const struct ppi_region region = { .element = 8, .rows = 16, .columns = 3, .ld = 16 };
  expect_runs(&region, (int64_t[][2]){ { 0, 6 } }, 1);
}

/* ld 12: columns begin at bytes 0, 96, 192: two rows of each, of which the second column's share line 1, and the third is in line 3. */
Test(region, an_element_touches_its_whole_line) {
  const struct ppi_region region = { .element = 8, .rows = 2, .columns = 3, .ld = 12 };
  expect_runs(&region, (int64_t[][2]){ { 0, 2 }, { 3, 4 } }, 2);
}

/* Rows 6 to 9 of ld 16: the last two of the first line, the first two of the second, which are side by side. */
Test(region, the_place_in_the_line_counts) {
  const struct ppi_region region = { .base = 48, .element = 8, .rows = 4, .columns = 2, .ld = 16 };
  expect_runs(&region, (int64_t[][2]){ { 0, 4 } }, 1);
  cr_expect_eq(ppi_region_line_count(&region, 6), 4);
  cr_expect_eq(ppi_region_line_count(&region, 4), 4, "16-byte lines 3, 4 and 11, 12");
}

/* Two columns that meet in a line count it once: ld 4, three rows: bytes 0-23, 32-55, 64-87. */
Test(region, columns_that_share_a_line_count_it_once) {
  const struct ppi_region region = { .element = 8, .rows = 3, .columns = 3, .ld = 4 };
  expect_runs(&region, (int64_t[][2]){ { 0, 2 } }, 1);
}

Test(region, a_vector_along_a_row_touches_a_line_for_each_element) {
  const struct ppi_region region = { .element = 8, .rows = 1, .columns = 4, .ld = 16 };
  expect_runs(&region, (int64_t[][2]){ { 0, 1 }, { 2, 3 }, { 4, 5 }, { 6, 7 } }, 4);
}

/* The lower triangle of 16 x 16: columns 0 to 7 both lines, 8 to 15 the second one. Strict: column 7 the second one, 15 none. */
Test(region, triangles_are_not_squares) {
  struct ppi_region region = { .element = 8, .rows = 16, .columns = 16, .ld = 16, .outline = PPI_OUTLINE_LOWER };
  cr_expect_eq(ppi_region_line_count(&region, 6), 24);
  region.diagonal = 1;
  cr_expect_eq(ppi_region_line_count(&region, 6), 7 * 2 + 8);
  region.outline = PPI_OUTLINE_UPPER;
  region.diagonal = 0;
  cr_expect_eq(ppi_region_line_count(&region, 6), 24);
  region.diagonal = -1;
  cr_expect_eq(ppi_region_line_count(&region, 6), 8 + 7 * 2, "column 0 none, 1 to 8 the first line, 9 to 15 both");
}

Test(region, nothing_has_no_lines) {
  const struct ppi_region no_rows = { .element = 8, .columns = 4, .ld = 8 };
  const struct ppi_region no_columns = { .element = 8, .rows = 100, .ld = 8 };
  cr_expect_eq(ppi_region_line_count(&no_rows, 6), 0);
  cr_expect_eq(ppi_region_line_count(&no_columns, 6), 0);
}

static struct ppi_region outlined(const char *kernel, const char *case_text, const char *argument, int64_t rows,
                                  int64_t columns) {
  const struct perfpred_kernel *found_kernel = ppi_kernels_find(context.kernels, kernel);
  struct ppi_value values[PPI_ARG_MAX];
  struct ppi_region region = { .element = 8, .ld = rows };
  cr_assert_not_null(found_kernel);
  cr_assert_eq(ppi_case_parse(found_kernel, case_text, values, NULL), PERFPRED_OK);
  ppi_region_outline(found_kernel, values, ppi_kernel_argument(found_kernel, argument), rows, columns, &region);
  return region;
}

static int64_t elements(const struct ppi_region *region) {
  int64_t sum = 0, first, end;
  for (int64_t column = 0; column < region->columns; column++) {
    ppi_region_column(region, column, &first, &end);
    sum += end - first;
  }
  return sum;
}

/* Elements of triangles and trapezoids by formula: n (n + 1) / 2, without the diagonal n (n - 1) / 2, m k - k (k + 1) / 2. */
Test(region, flags_say_which_triangle) {
  struct ppi_region region = outlined("dtrsm", "L,L,N,N,1", "a", 10, 10);
  cr_expect_eq(region.outline, PPI_OUTLINE_LOWER);
  cr_expect_eq(elements(&region), 55);
  region = outlined("dtrsm", "L,U,N,U,1", "a", 10, 10);
  cr_expect_eq(region.outline, PPI_OUTLINE_UPPER);
  cr_expect_eq(elements(&region), 45);
  region = outlined("dtrsm", "L,U,N,U,1", "b", 10, 7);
  cr_expect_eq(elements(&region), 70);
  region = outlined("dsyrk", "U,N,1,1", "c", 6, 6);
  cr_expect_eq(region.outline, PPI_OUTLINE_UPPER);
  cr_expect_eq(elements(&region), 21);
}

static void expect_element(const struct ppi_region *region, int64_t row, int64_t column, bool inside) {
  int64_t first, end;
  ppi_region_column(region, column, &first, &end);
  cr_expect_eq(row >= first && row < end, inside, "element (%ld, %ld) of %ld x %ld", (long)row, (long)column,
               (long)region->rows, (long)region->columns);
}

/* Reflectors as LAPACK stores them (DLARFT): forward in columns a unit lower trapezoid, in rows a unit upper one; backward the 1 of
   the last reflector is its last element. */
Test(region, reflectors_are_trapezoids) {
  struct ppi_region region = outlined("dlarft", "F,C", "v", 10, 3);
  cr_expect_eq(elements(&region), 30 - 6);
  expect_element(&region, 1, 1, false);
  expect_element(&region, 2, 1, true);
  region = outlined("dlarft", "F,R", "v", 3, 10);
  cr_expect_eq(elements(&region), 30 - 6);
  expect_element(&region, 1, 1, false);
  expect_element(&region, 1, 2, true);
  region = outlined("dlarft", "B,C", "v", 10, 3);
  cr_expect_eq(elements(&region), 30 - 6);
  expect_element(&region, 9, 2, false);
  expect_element(&region, 8, 2, true);
  expect_element(&region, 7, 0, false);
  region = outlined("dlarft", "B,R", "v", 3, 10);
  cr_expect_eq(elements(&region), 30 - 6);
  expect_element(&region, 2, 9, false);
  expect_element(&region, 2, 8, true);
  expect_element(&region, 0, 7, false);
  region = outlined("dlarft", "F,C", "t", 3, 3);
  cr_expect_eq(elements(&region), 9);
}

/* --- Where buffers lie ---------------------------------------------------------------------------------------------- */

Test(region, buffers_begin_at_lines_and_scratch_has_one_place) {
  static const char text[] = "perfpred-text 1\n"
                             "algorithm inner(n)\n"
                             "  inout A: double matrix[n, n]\n"
                             "  work W: double matrix[n, 1]\n"
                             "  duse(n, 1, W[0, 0])\n"
                             "end\n";
  static const char outer[] = "algorithm outer(n)\n"
                              "  inout A: double matrix[n, n]\n"
                              "  inout x: double matrix[3, 1]\n"
                              "  call inner(n, A[0, 0])\n"
                              "  call inner(n - 1, A[0, 0])\n"
                              "  duse(3, 1, x[0, 0])\n"
                              "end\n";
  struct perfpred_error error;
  const struct perfpred_cache_options options = one_level(100);
  cr_assert_eq(ppi_programs_add_text(context.programs, context.kernels, text, strlen(text), "inner", &error),
               PERFPRED_OK, "%s", error.text);
  struct perfpred_cache *cache = analyzed(parsed(outer), (int64_t[]){ 9 }, 1, &options);
  /* A has ld 16: 9 columns of 2 lines; x one line; W, 9 x 1 with ld 16, two */
  cr_expect_eq(cache->total, 18 + 1 + 2);
  cr_expect_eq(operand_of(cache, 0, 0)->region.base, 19 * 64);
  cr_expect_eq(operand_of(cache, 1, 0)->region.base, 19 * 64, "the second W is where the first one was");
  cr_expect_eq(operand_of(cache, 2, 0)->region.base, 18 * 64);
  perfpred_cache_destroy(cache);
}
