/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/residual.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/random.h"

typedef double _Complex number;

/* A square matrix: elements in memory, or those of a pattern. */
struct matrix {
  enum ppi_type type;
  const struct ppi_area *area; /* NULL: the pattern */
  const struct ppi_pattern *pattern;
  int64_t n;
  char part; /* 'L', 'U'; 0: all of it */
};

static number element(const struct matrix *matrix, int64_t i, int64_t j) {
  double value[2];
  const struct ppi_area *area = matrix->area;
  if (area != NULL)
    ppi_element_read(matrix->type, area->element, area->base + (size_t)(i + j * area->ld) * area->element, value);
  else
    ppi_pattern_value(matrix->pattern, i, j, value);
  number made;
  memcpy(&made, value, sizeof made);
  return made;
}

/* y = M x, or M^H x. */
static void multiply(const struct matrix *matrix, bool transposed, const number *x, number *y) {
  memset(y, 0, (size_t)matrix->n * sizeof *y);
  for (int64_t j = 0; j < matrix->n; j++) {
    int64_t first = matrix->part == 'L' ? j : 0, end = matrix->part == 'U' ? j + 1 : matrix->n;
    for (int64_t i = first; i < end; i++)
      if (transposed)
        y[j] += conj(element(matrix, i, j)) * x[i];
      else
        y[i] += element(matrix, i, j) * x[j];
  }
}

/* Largest sum of moduli of a row. */
static double norm(const struct matrix *matrix, double *sums) {
  double largest = 0.0;
  memset(sums, 0, (size_t)matrix->n * sizeof *sums);
  for (int64_t j = 0; j < matrix->n; j++)
    for (int64_t i = 0; i < matrix->n; i++)
      sums[i] += cabs(element(matrix, i, j));
  for (int64_t i = 0; i < matrix->n; i++)
    largest = sums[i] > largest ? sums[i] : largest;
  return largest;
}

/* NaN in either vector gives infinity, never a small number. */
static double distance(const number *a, const number *b, int64_t n) {
  double largest = 0.0;
  for (int64_t i = 0; i < n; i++) {
    double difference = cabs(a[i] - b[i]);
    if (!(difference <= largest))
      largest = isnan(difference) ? INFINITY : difference;
  }
  return largest;
}

/* x, y, z: n numbers each, x random of size 1. */
static double cholesky(const struct matrix *factor, const struct matrix *original, number *x, number *y, number *z) {
  bool upper = factor->part == 'U'; /* A = U^H U instead of L L^H */
  multiply(factor, !upper, x, y);
  multiply(factor, upper, y, z);
  double size = norm(original, (double *)y);
  multiply(original, false, x, y);
  return distance(y, z, factor->n) / size;
}

static double inverse(const struct matrix *result, const struct matrix *original, number *x, number *y, number *z) {
  struct matrix triangle = *original;
  triangle.part = result->part;
  multiply(result, false, x, y);
  multiply(&triangle, false, y, z);
  return distance(x, z, result->n);
}

/* A leading ? stands for the letter of the data type. */
static const struct check {
  const char *operation;
  char part;
  double (*relative_error)(const struct matrix *, const struct matrix *, number *, number *, number *);
} checks[] = {
  { "chol-l-tiled", 'L', cholesky }, { "chol-u-tiled", 'U', cholesky }, { "chol-u-rec", 'U', cholesky },
  { "trinv-l-rec", 'L', inverse },   { "trinv-u-rec", 'U', inverse },   { "chol-l", 'L', cholesky },
  { "chol-u", 'U', cholesky },       { "chol-l-rec", 'L', cholesky },   { "?potrf", 'L', cholesky },
  { "?potrf-u", 'U', cholesky },     { "trinv-l", 'L', inverse },       { "trinv-u", 'U', inverse },
  { "?trtri", 'L', inverse },        { "?trtri-u", 'U', inverse },
};

static bool is_named(const struct check *check, const char *operation) {
  if (check->operation[0] == '?')
    return operation[0] != '\0' && strcmp(check->operation + 1, operation + 1) == 0;
  return strcmp(check->operation, operation) == 0;
}

double ppi_residual(const char *operation, enum ppi_type type, const struct ppi_area *result,
                    const struct ppi_pattern *original) {
  const struct check *check = NULL;
  for (size_t i = 0; i < sizeof checks / sizeof checks[0] && check == NULL; i++)
    if (is_named(&checks[i], operation))
      check = &checks[i];
  if (check == NULL || type == PPI_TYPE_INT || result->rows != result->columns)
    return NAN;
  int64_t n = result->rows;
  if (n == 0)
    return 0.0;
  number *vectors = calloc(3 * (size_t)n, sizeof *vectors);
  if (vectors == NULL)
    return NAN;
  struct ppi_random random = { 1 };
  for (int64_t i = 0; i < n; i++)
    vectors[i] = ppi_random_symmetric(&random) < 0.0 ? -1.0 : 1.0;
  const struct matrix made = { type, result, NULL, n, check->part };
  const struct matrix given = { type, NULL, original, n, 0 };
  double relative = check->relative_error(&made, &given, vectors, vectors + n, vectors + 2 * n);
  free(vectors);
  return isfinite(relative) ? relative : DBL_MAX;
}
