/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/generate.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define CUBIC 3
#define FLOOR_SHARE 0.5 /* of the smallest sampled value of a piece */

enum { MINIMUM, MEDIAN, MAXIMUM, MEAN, DEVIATION };

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

/* Number of distinct coordinates, once padded, of the points along one dimension. */
static int distinct(const struct ppi_tiles *tiles, const int64_t *points, int dimensions, int d, int count,
                    double *scratch) {
  int number = 1;

  for (int i = 0; i < count; i++)
    scratch[i] = ppi_tiles_pad(tiles, d, points[(size_t)i * (size_t)dimensions + (size_t)d]);
  qsort(scratch, (size_t)count, sizeof *scratch, ascending);
  for (int i = 1; i < count; i++)
    number += scratch[i] > scratch[i - 1];
  return number;
}

static int carried(int wanted, int points) {
  if (points >= wanted + 2)
    return wanted;
  if (points - 2 >= CUBIC)
    return points - 2;
  return wanted < points - 1 ? wanted : points - 1;
}

static enum perfpred_status lower_degrees(struct ppi_piece *piece, int dimensions, const int64_t *points, int count,
                                          struct perfpred_error *error) {
  double *scratch = malloc((size_t)count * sizeof *scratch);

  if (!scratch)
    return ppi_error_memory(error);
  for (int d = 0; d < dimensions; d++)
    piece->degrees[d] = carried(piece->degrees[d], distinct(&piece->tiles, points, dimensions, d, count, scratch));
  free(scratch);
  return PERFPRED_OK;
}

/* Values of all monomials at one point, the last dimension fastest. */
static void monomials(const struct ppi_piece *piece, int dimensions, const int64_t *point, double *terms) {
  int have = 1;

  terms[0] = 1.0;
  for (int d = 0; d < dimensions; d++) {
    double x = (ppi_tiles_pad(&piece->tiles, d, point[d]) - piece->center[d]) * piece->scale[d];
    int powers = piece->degrees[d] + 1;

    for (int i = have - 1; i >= 0; i--) {
      double term = terms[i];

      for (int k = 0; k < powers; k++) {
        terms[i * powers + k] = term;
        term *= x;
      }
    }
    have *= powers;
  }
}

/* The least-squares problem of a piece, kept so that it is built once for all statistics. */
struct problem {
  const struct ppi_piece *piece;
  const double *values;
  const int *chosen; /* places of the monomials that are fitted, `columns` of them; NULL: all */
  int rows, columns;
  double *matrix; /* row by row: monomials of each point */
  double *a, *b;  /* what the solver overwrites, column by column */
};

static void problem_release(struct problem *problem) {
  free(problem->b);
  free(problem->a);
  free(problem->matrix);
}

static enum perfpred_status problem_build(struct problem *problem, int dimensions, const int64_t *points,
                                          struct perfpred_error *error) {
  size_t rows = (size_t)problem->rows, columns = (size_t)problem->columns, all = (size_t)problem->piece->count;

  problem->matrix = calloc(rows * all, sizeof(double));
  problem->a = malloc(rows * columns * sizeof(double));
  problem->b = malloc(2 * rows * sizeof(double));
  if (!problem->matrix || !problem->a || !problem->b)
    return ppi_error_memory(error);
  for (size_t i = 0; i < rows; i++)
    monomials(problem->piece, dimensions, points + i * (size_t)dimensions, problem->matrix + i * all);
  return PERFPRED_OK;
}

static size_t term(const struct problem *problem, size_t column) {
  return problem->chosen ? (size_t)problem->chosen[column] : column;
}

/* Fits count statistics whose rows are all divided by the values of statistic `weight`. */
static enum perfpred_status solve(struct problem *problem, int weight, const int *statistics, int count,
                                  const struct ppi_source *source, struct perfpred_error *error) {
  size_t rows = (size_t)problem->rows, columns = (size_t)problem->columns, all = (size_t)problem->piece->count;
  enum perfpred_status status;
  int rank = 0;

  for (size_t i = 0; i < rows; i++) {
    const double *values = problem->values + i * PPI_STATISTICS;

    for (size_t j = 0; j < columns; j++)
      problem->a[j * rows + i] = problem->matrix[i * all + term(problem, j)] / values[weight];
    for (int k = 0; k < count; k++)
      problem->b[(size_t)k * rows + i] = values[statistics[k]] / values[weight];
  }
  status =
      source->least_squares(source->data, problem->rows, problem->columns, count, problem->a, problem->b, &rank, error);
  if (status)
    return status;
  for (int k = 0; k < count; k++) {
    double *coefficients = problem->piece->coefficients + (size_t)statistics[k] * all;

    for (size_t j = 0; j < columns; j++) {
      if (!isfinite(problem->b[(size_t)k * rows + j]))
        return ppi_error_set(error, PERFPRED_NUMERIC,
                             "least squares: the solver gave a coefficient that is not finite");
      coefficients[term(problem, j)] = problem->b[(size_t)k * rows + j];
    }
  }
  return PERFPRED_OK;
}

/* The deviation may be 0, so its rows are divided by the median: what matters of it is its size beside the run time. */
static enum perfpred_status solve_all(struct problem *problem, const struct ppi_source *source,
                                      struct perfpred_error *error) {
  static const int minimum[] = { MINIMUM }, median[] = { MEDIAN, DEVIATION }, maximum[] = { MAXIMUM },
                   mean[] = { MEAN };
  enum perfpred_status status = solve(problem, MINIMUM, minimum, 1, source, error);

  if (!status)
    status = solve(problem, MEDIAN, median, 2, source, error);
  if (!status)
    status = solve(problem, MAXIMUM, maximum, 1, source, error);
  if (!status)
    status = solve(problem, MEAN, mean, 1, source, error);
  return status;
}

static enum perfpred_status check_values(const double *values, int count, struct perfpred_error *error) {
  for (size_t i = 0; i < (size_t)count; i++)
    for (int s = 0; s < PPI_STATISTICS; s++) {
      double value = values[i * PPI_STATISTICS + (size_t)s];

      if (!isfinite(value) || value < 0.0 || (value <= 0.0 && s != DEVIATION))
        return ppi_error_set(error, PERFPRED_NUMERIC, "fit: statistics of a sample: expected positive times");
    }
  return PERFPRED_OK;
}

static void set_floors(struct ppi_piece *piece, const double *values, int count) {
  for (int s = 0; s < PPI_STATISTICS; s++) {
    double least = values[s];

    for (size_t i = 1; i < (size_t)count; i++)
      least = fmin(least, values[i * PPI_STATISTICS + (size_t)s]);
    piece->floors[s] = s == DEVIATION ? 0.0 : FLOOR_SHARE * least;
  }
}

static double point_error(const struct ppi_piece *piece, int dimensions, const int64_t *points, const double *values,
                          int i, int statistic) {
  double sampled = values[(size_t)i * PPI_STATISTICS + (size_t)statistic];
  double fitted = ppi_piece_value(piece, dimensions, statistic, points + (size_t)i * (size_t)dimensions);

  return fabs(fitted - sampled) / sampled;
}

static void set_error(struct ppi_piece *piece, int dimensions, const int64_t *points, const double *values, int count) {
  piece->error = count > piece->count ? 0.0 : NAN;
  for (int i = 0; i < count && count > piece->count; i++)
    piece->error = fmax(piece->error, point_error(piece, dimensions, points, values, i, MINIMUM));
}

/* Fits the chosen monomials (NULL: all) of a piece whose degrees are set. */
static enum perfpred_status fit_chosen(struct ppi_piece *piece, int dimensions, const int64_t *points,
                                       const double *values, int count, const int *chosen, int columns,
                                       const struct ppi_source *source, struct perfpred_error *error) {
  struct problem problem = { piece, values, chosen, count, columns, NULL, NULL, NULL };
  enum perfpred_status status;

  if (columns > count)
    return ppi_error_set(error, PERFPRED_NUMERIC, "fit: %d points for %d coefficients", count, columns);
  piece->coefficients = calloc(PPI_STATISTICS * (size_t)piece->count, sizeof(double));
  if (!piece->coefficients)
    return ppi_error_memory(error);
  status = problem_build(&problem, dimensions, points, error);
  if (!status)
    status = solve_all(&problem, source, error);
  problem_release(&problem);
  if (status) {
    free(piece->coefficients);
    piece->coefficients = NULL;
    return status;
  }
  set_floors(piece, values, count);
  return PERFPRED_OK;
}

enum perfpred_status ppi_fit(struct ppi_piece *piece, int dimensions, const int64_t *points, const double *values,
                             int count, const struct ppi_source *source, struct perfpred_error *error) {
  enum perfpred_status status;

  assert(count >= 1 && dimensions >= 0 && dimensions <= PPI_SIZE_MAX);
  piece->coefficients = NULL;
  status = check_values(values, count, error);
  if (!status)
    status = lower_degrees(piece, dimensions, points, count, error);
  if (status)
    return status;
  ppi_piece_scale(piece, dimensions);
  status = fit_chosen(piece, dimensions, points, values, count, NULL, piece->count, source, error);
  if (!status)
    set_error(piece, dimensions, points, values, count);
  return status;
}

enum perfpred_status ppi_fit_terms(struct ppi_piece *piece, int dimensions, const int (*powers)[PPI_SIZE_MAX],
                                   int terms, const int64_t *points, const double *values, int count,
                                   const struct ppi_source *source, struct perfpred_error *error) {
  int *chosen = malloc((size_t)(terms > 0 ? terms : 1) * sizeof *chosen);
  enum perfpred_status status = chosen ? check_values(values, count, error) : ppi_error_memory(error);

  piece->coefficients = NULL;
  for (int d = 0; d < dimensions; d++) {
    piece->degrees[d] = 0;
    for (int i = 0; i < terms; i++)
      piece->degrees[d] = powers[i][d] > piece->degrees[d] ? powers[i][d] : piece->degrees[d];
  }
  ppi_piece_scale(piece, dimensions);
  for (int i = 0; chosen && i < terms; i++) {
    chosen[i] = 0;
    for (int d = 0; d < dimensions; d++)
      chosen[i] = chosen[i] * (piece->degrees[d] + 1) + powers[i][d];
  }
  if (!status)
    status = fit_chosen(piece, dimensions, points, values, count, chosen, terms, source, error);
  free(chosen);
  return status;
}

static double summed_up(double *errors, int count, enum perfpred_error_measure measure) {
  if (measure == PERFPRED_ERROR_AVERAGE) {
    double sum = 0.0;

    for (int i = 0; i < count; i++)
      sum += errors[i];
    return sum / count;
  }
  return ppi_stats_percentile(errors, (size_t)count, measure == PERFPRED_ERROR_PERCENTILE_90 ? 0.9 : 1.0);
}

enum perfpred_status ppi_fit_error(const struct ppi_piece *piece, int dimensions, const int64_t *points,
                                   const double *values, int count, enum perfpred_reference reference,
                                   enum perfpred_error_measure measure, double *result, struct perfpred_error *error) {
  int statistic = reference == PERFPRED_REFERENCE_MEDIAN ? MEDIAN : MINIMUM;
  double *errors;

  if (count <= piece->count) {
    *result = NAN;
    return PERFPRED_OK;
  }
  errors = malloc((size_t)count * sizeof *errors);
  if (!errors)
    return ppi_error_memory(error);
  for (int i = 0; i < count; i++)
    errors[i] = point_error(piece, dimensions, points, values, i, statistic);
  *result = summed_up(errors, count, measure);
  free(errors);
  return PERFPRED_OK;
}
