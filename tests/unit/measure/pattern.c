/* SPDX-License-Identifier: BSD-3-Clause */
/* Operands have the properties that they promise: checked by definition. */
#include "measure/pattern.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/sampler.h"

#define N 200

static const enum ppi_type types[] = { PPI_TYPE_S, PPI_TYPE_D, PPI_TYPE_C, PPI_TYPE_Z };

static struct ppi_pattern make(enum ppi_property property, enum ppi_type type) {
  struct ppi_pattern pattern;
  struct perfpred_error error = { 0 };
  cr_assert_eq(ppi_pattern_make(&pattern, property, type, false, N, &error), PERFPRED_OK);
  return pattern;
}

static int by_bytes(const void *a, const void *b) {
  return memcmp(a, b, 6 * sizeof(double));
}

static double modulus(const double value[2]) {
  return hypot(value[0], value[1]);
}

/* Hermitian and strictly diagonally dominant with a positive diagonal: hence positive definite (Gershgorin). */
Test(pattern, spd_is_hermitian_and_dominant) {
  for (int t = 0; t < 4; t++) {
    struct ppi_pattern pattern = make(PPI_SPD, types[t]);
    for (int64_t i = 0; i < N; i++) {
      double sum = 0.0, diagonal[2];
      ppi_pattern_value(&pattern, i, i, diagonal);
      cr_expect_eq(diagonal[1], 0.0);
      for (int64_t j = 0; j < N; j++) {
        double here[2], there[2];
        ppi_pattern_value(&pattern, i, j, here);
        ppi_pattern_value(&pattern, j, i, there);
        cr_assert_eq(here[0], there[0]);
        cr_assert_eq(here[1], -there[1]);
        if (i != j)
          sum += modulus(here);
      }
      cr_assert_lt(sum, 0.9 * diagonal[0]);
    }
    ppi_pattern_free(&pattern);
  }
}

/* The inverse by forward substitution, column by column: no element grows beyond the bound, none of the triangle vanishes. */
Test(pattern, triangular_has_a_bounded_inverse) {
  struct ppi_pattern pattern = make(PPI_TRIANGULAR, PPI_TYPE_D);
  static double inverse[N];
  for (int upper = 0; upper < 2; upper++) {
    double sum = 0.0;
    for (int64_t i = 0; i < N; i++) { /* first column of the inverse of a Toeplitz triangle tells all of it */
      double value = i == 0 ? 1.0 : 0.0;
      for (int64_t j = 0; j < i; j++) {
        double element[2];
        ppi_pattern_value(&pattern, upper ? j : i, upper ? i : j, element);
        value -= element[0] * inverse[j];
      }
      inverse[i] = value;
      sum += fabs(value);
      cr_expect_gt(fabs(value), 1e-12, "far from subnormal");
    }
    cr_expect_lt(sum, 1.1);
  }
  ppi_pattern_free(&pattern);
}

Test(pattern, triangular_has_a_unit_diagonal_and_both_triangles) {
  for (int t = 0; t < 4; t++) {
    struct ppi_pattern pattern = make(PPI_TRIANGULAR, types[t]);
    for (int64_t i = 1; i < N; i++) {
      double diagonal[2], below[2], above[2];
      ppi_pattern_value(&pattern, i, i, diagonal);
      ppi_pattern_value(&pattern, i, 0, below);
      ppi_pattern_value(&pattern, 0, i, above);
      cr_expect(diagonal[0] == 1.0 && diagonal[1] == 0.0);
      cr_expect(modulus(below) > 0.0 && modulus(below) < 0.36);
      cr_expect(modulus(above) > 0.0 && modulus(above) < 0.36);
    }
    ppi_pattern_free(&pattern);
  }
}

Test(pattern, general_is_random_between_minus_one_and_one) {
  struct ppi_pattern pattern = make(PPI_GENERAL, PPI_TYPE_D);
  double sum = 0.0, squares = 0.0;
  for (int64_t k = 0; k < 4000; k++) {
    double value[2];
    ppi_pattern_value(&pattern, k, 0, value);
    cr_assert(value[0] > -1.0 && value[0] < 1.0 && fabs(value[0]) > 1e-300);
    sum += value[0];
    squares += value[0] * value[0];
  }
  cr_expect_lt(fabs(sum / 4000.0), 0.05);
  cr_expect_float_eq(squares / 4000.0, 1.0 / 3.0, 0.03); /* variance of the uniform distribution */
  ppi_pattern_free(&pattern);
}

Test(pattern, pivots_identity_zero_and_integers) {
  struct ppi_pattern pivots = make(PPI_PIVOTS, PPI_TYPE_INT), identity = make(PPI_IDENTITY, PPI_TYPE_Z);
  struct ppi_pattern zero = make(PPI_ZERO, PPI_TYPE_S), integer = make(PPI_GENERAL, PPI_TYPE_INT);
  for (int64_t i = 0; i < N; i++) {
    double value[2];
    ppi_pattern_value(&pivots, i, 0, value);
    cr_expect(value[0] >= 1.0 && value[0] <= (double)(i + 1) && value[0] == floor(value[0]));
    ppi_pattern_value(&identity, i, 3, value);
    cr_expect(value[0] == (i == 3 ? 1.0 : 0.0) && value[1] == 0.0);
    ppi_pattern_value(&zero, i, 1, value);
    cr_expect_eq(value[0], 0.0);
    ppi_pattern_value(&integer, i, 0, value);
    cr_expect_eq(value[0], 1.0);
  }
  ppi_pattern_free(&pivots);
  ppi_pattern_free(&identity);
  ppi_pattern_free(&zero);
  ppi_pattern_free(&integer);
}

Test(pattern, wide_integers) {
  struct ppi_pattern pattern;
  struct perfpred_error error = { 0 };
  cr_assert_eq(ppi_pattern_make(&pattern, PPI_PIVOTS, PPI_TYPE_INT, true, 9, &error), PERFPRED_OK);
  int64_t values[9] = { 0 };
  const struct ppi_area area = { (unsigned char *)values, sizeof values[0], 9, 1, 1, 9, 0 };
  ppi_area_fill(&area, &pattern, false);
  for (int64_t i = 0; i < 9; i++) {
    double value[2];
    ppi_pattern_value(&pattern, i, 0, value);
    cr_expect(values[i] == (int64_t)value[0] && values[i] >= 1 && values[i] <= i + 1);
  }
  ppi_pattern_free(&pattern);
}

/* Filled by plain and by streaming stores, at every alignment: the elements of the pattern and nothing else. */
Test(pattern, fill_writes_the_part_and_nothing_else) {
  enum { ROWS = 37, COLUMNS = 41, LD = 40, ALL = LD * COLUMNS + 8 };
  static double memory[ALL];
  struct ppi_pattern pattern = make(PPI_TRIANGULAR, PPI_TYPE_D);
  static const char parts[] = { 0, 'L', 'U' };
  for (int p = 0; p < 3; p++)
    for (int offset = 0; offset < 3; offset++)
      for (int streaming = 0; streaming < 2; streaming++) {
        for (int k = 0; k < ALL; k++)
          memory[k] = 77.0;
        const struct ppi_area area = {
          (unsigned char *)(memory + offset), sizeof(double), ROWS, COLUMNS, 1, LD, parts[p]
        };
        ppi_area_fill(&area, &pattern, streaming);
        for (int k = 0; k < ALL; k++) {
          int i = (k - offset) % LD, j = (k - offset) / LD;
          bool inside = k >= offset && i < ROWS && j < COLUMNS;
          inside = inside && (parts[p] == 0 || (parts[p] == 'L' ? i >= j : i <= j));
          double value[2] = { 77.0, 0.0 };
          if (inside)
            ppi_pattern_value(&pattern, i, j, value);
          cr_assert_eq(memory[k], value[0], "part %d offset %d streaming %d element %d", p, offset, streaming, k);
        }
      }
  ppi_pattern_free(&pattern);
}

Test(pattern, fill_of_single_precision_in_odd_places) {
  float memory[64];
  struct ppi_pattern pattern = make(PPI_GENERAL, PPI_TYPE_S);
  for (int offset = 0; offset < 5; offset++)
    for (int rows = 0; rows < 20; rows++) {
      memset(memory, 0, sizeof memory);
      const struct ppi_area area = { (unsigned char *)(memory + offset), sizeof(float), rows, 1, 1, rows + 1, 0 };
      ppi_area_fill(&area, &pattern, true);
      for (int k = 0; k < 64; k++) {
        double value[2] = { 0.0, 0.0 };
        if (k >= offset && k < offset + rows)
          ppi_pattern_value(&pattern, k - offset, 0, value);
        cr_assert_eq((double)memory[k], value[0]);
      }
    }
  ppi_pattern_free(&pattern);
}

/* Sixteen columns of 16 doubles are 32 lines of 64 bytes wherever the columns are; a triangle of them has columns of 16, 15, ... 1 numbers: eight
   of two lines and eight of one. Numbers that lie apart take a line each, and columns of one number share lines where they lie together. */
Test(pattern, what_an_area_takes_of_a_cache) {
  static const struct {
    struct ppi_area area;
    int64_t bytes;
  } cases[] = { { { NULL, 8, 16, 16, 1, 16, 0 }, 2048 },     { { NULL, 8, 16, 16, 1, 5000, 0 }, 2048 },
                { { NULL, 8, 16, 16, 1, 5000, 'L' }, 1536 }, { { NULL, 8, 16, 16, 1, 5000, 'U' }, 1536 },
                { { NULL, 8, 10, 1, 5000, 1, 0 }, 640 },     { { NULL, 4, 16, 1, 2, 1, 0 }, 128 },
                { { NULL, 8, 1, 80, 1, 1, 0 }, 640 },        { { NULL, 16, 3, 5, 1, 100, 0 }, 320 },
                { { NULL, 8, 0, 16, 1, 16, 0 }, 0 },         { { NULL, 8, 16, 0, 1, 16, 'L' }, 0 } };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    cr_expect_not(ppi_area_exceeds(&cases[i].area, cases[i].bytes), "case %zu", i);
    cr_expect(ppi_area_exceeds(&cases[i].area, cases[i].bytes - 1), "case %zu", i);
  }
  const struct ppi_area endless = { NULL, 8, INT64_C(1) << 40, INT64_C(1) << 40, 1, INT64_C(1) << 40, 0 };
  cr_expect(ppi_area_exceeds(&endless, 1 << 20));
}

Test(pattern, fill_of_a_vector_with_an_increment) {
  double memory[50] = { 0 };
  struct ppi_pattern pattern = make(PPI_GENERAL, PPI_TYPE_D);
  const struct ppi_area area = { (unsigned char *)memory, sizeof(double), 7, 1, 7, 7, 0 };
  cr_expect_eq(ppi_area_span(&area), 43);
  ppi_area_fill(&area, &pattern, true);
  for (int k = 0; k < 50; k++) {
    double value[2] = { 0.0, 0.0 };
    if (k % 7 == 0 && k < 49)
      ppi_pattern_value(&pattern, k / 7, 0, value);
    cr_expect_eq(memory[k], value[0]);
  }
  ppi_pattern_free(&pattern);
}

/* Pivots: most rows are swapped, and with rows all over the place. */
Test(pattern, pivots_swap_rows) {
  struct ppi_pattern pivots = make(PPI_PIVOTS, PPI_TYPE_INT);
  double swaps = 0.0, places = 0.0;
  for (int64_t i = 0; i < N; i++) {
    double value[2];
    ppi_pattern_value(&pivots, i, 0, value);
    swaps += value[0] != (double)(i + 1);
    places += (value[0] - 0.5) / (double)(i + 1);
  }
  /* expected 1 + 1/2 + ... + 1/200 = 5.9 rows that stay, places in the middle on average */
  cr_expect(swaps > N - 15 && swaps < N, "%g", swaps);
  cr_expect_float_eq(places / N, 0.5, 0.08);
  ppi_pattern_free(&pivots);
}

/* Longer than the line: pieces begin elsewhere, and every element is a number of it. */
Test(pattern, long_vectors_do_not_repeat) {
  enum { LONG = 3 * PPI_PATTERN_PERIOD + 5 };
  double *memory = calloc(LONG, sizeof *memory);
  struct ppi_pattern pattern = make(PPI_GENERAL, PPI_TYPE_D);
  const struct ppi_area area = { (unsigned char *)memory, sizeof(double), LONG, 1, 1, LONG, 0 };
  int same = 0;
  ppi_area_fill(&area, &pattern, false);
  for (int k = 0; k < LONG; k++) {
    double value[2];
    ppi_pattern_value(&pattern, k, 0, value);
    cr_assert_eq(memory[k], value[0]);
    cr_assert_neq(memory[k], 0.0);
    same += k >= PPI_PATTERN_PERIOD && memory[k] == memory[k - PPI_PATTERN_PERIOD];
  }
  cr_expect_lt(same, 10, "%d", same);
  free(memory);
  ppi_pattern_free(&pattern);
}

/* Rows and columns of a large matrix all differ, or elimination would find nothing but zeros after the first ones. */
Test(pattern, rows_and_columns_of_a_large_matrix_differ) {
  enum { LARGE = 2 * PPI_PATTERN_PERIOD, LOOKED_AT = 6 };
  struct line {
    double values[LOOKED_AT];
  } *rows = calloc(2 * LARGE, sizeof *rows), *columns = rows + LARGE;
  struct ppi_pattern pattern = make(PPI_GENERAL, PPI_TYPE_D);
  for (int64_t i = 0; i < LARGE; i++)
    for (int k = 0; k < LOOKED_AT; k++) {
      double value[2];
      const int64_t other = (int64_t)k * (LARGE / LOOKED_AT);
      ppi_pattern_value(&pattern, i, other, value);
      rows[i].values[k] = value[0];
      ppi_pattern_value(&pattern, other, i, value);
      columns[i].values[k] = value[0];
    }
  for (int kind = 0; kind < 2; kind++) {
    qsort(kind ? columns : rows, LARGE, sizeof *rows, by_bytes);
    for (int i = 1; i < LARGE; i++)
      cr_assert_neq(memcmp((kind ? columns : rows) + i - 1, (kind ? columns : rows) + i, sizeof *rows), 0);
  }
  free(rows);
  ppi_pattern_free(&pattern);
}

/* LU with partial pivoting meets what it meets on independent random numbers: the largest element is as likely in one row as in another, so all
   but 1 + 1/2 + ... + 1/n = 5.9 rows are swapped, the pivot lies in the middle on average, and no leading block is near singular. */
Test(pattern, lu_swaps_rows_as_on_random_matrices) {
  struct ppi_pattern pattern = make(PPI_GENERAL, PPI_TYPE_D);
  static double a[N][N];
  double places = 0.0, least = INFINITY;
  int stay = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double value[2];
      ppi_pattern_value(&pattern, i, j, value);
      a[i][j] = value[0];
    }
  for (int j = 0; j < N; j++) {
    int pivot = j;
    for (int i = j; i < N; i++)
      pivot = fabs(a[i][j]) > fabs(a[pivot][j]) ? i : pivot;
    stay += pivot == j;
    places += (pivot - j + 0.5) / (N - j);
    least = fmin(least, fabs(a[pivot][j]));
    for (int k = 0; k < N; k++) {
      const double element = a[j][k];
      a[j][k] = a[pivot][k];
      a[pivot][k] = element;
    }
    for (int i = j + 1; i < N; i++)
      for (int k = N - 1; k >= j; k--)
        a[i][k] -= a[i][j] / a[j][j] * a[j][k];
  }
  cr_expect(stay >= 1 && stay < 15, "%d rows are not swapped", stay);
  cr_expect_float_eq(places / N, 0.5, 0.08, "%g", places / N);
  cr_expect_gt(least, 1e-3, "%g", least);
  ppi_pattern_free(&pattern);
}

/* Smallest >= rows that is a multiple of 8 and not of 256. */
Test(pattern, leading_dimensions) {
  static const int64_t rows[][2] = { { 0, 8 },       { 1, 8 },       { 8, 8 },       { 9, 16 },      { 248, 248 },
                                     { 249, 264 },   { 256, 264 },   { 264, 264 },   { 1000, 1000 }, { 1017, 1032 },
                                     { 1024, 1032 }, { 1025, 1032 }, { 2040, 2040 }, { 2041, 2056 } };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    cr_expect_eq(ppi_leading_dimension(rows[i][0]), rows[i][1], "%d", (int)rows[i][0]);
}
