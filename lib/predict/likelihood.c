/* SPDX-License-Identifier: BSD-3-Clause */
/* Probability to be the fastest, by numerical integration: the same arguments always give the same answer. */
#include <math.h>
#include <stdlib.h>

#include "predict/plan.h"

#define REACH 7.0        /* a normal is taken to end this many standard deviations from its mean */
#define CELLS 28         /* cells over that range: half a standard deviation each */
#define SPREAD_MIN 1e-12 /* relative; below it a normal counts as a single value */
#define ROOT_THREE_FIFTHS 0.774596669241483377

/* The normals of those that spread, and the smallest of those that do not. */
struct field {
  const double *med, *std;
  size_t count;
  double *survival;    /* of each at one time: probability to be slower */
  double point;        /* smallest value without spread; infinite: there is none */
  size_t point_count;  /* how many have exactly it */
  double lower, upper; /* where the integral is worth taking */
  double least;        /* mean of the smallest: the integral of its time so far */
};

static bool spreads(const struct field *field, size_t i) {
  return field->std[i] > SPREAD_MIN * fabs(field->med[i]);
}

static void find_ends(struct field *field) {
  field->point = INFINITY;
  field->lower = INFINITY;
  field->upper = INFINITY;
  for (size_t i = 0; i < field->count; i++) {
    if (spreads(field, i)) {
      field->lower = fmin(field->lower, field->med[i] - REACH * field->std[i]);
      field->upper = fmin(field->upper, field->med[i] + REACH * field->std[i]);
    } else if (field->med[i] < field->point) {
      field->point = field->med[i];
      field->point_count = 1;
    } else if (field->med[i] == field->point) {
      field->point_count++;
    }
  }
  field->upper = fmin(field->upper, field->point);
}

/* Probability that all are slower than time; the single ones' is survival[i]. */
static double all_slower(const struct field *field, double time) {
  double product = 1.0;
  for (size_t i = 0; i < field->count; i++) {
    if (!spreads(field, i))
      continue;
    field->survival[i] = 0.5 * erfc((time - field->med[i]) / field->std[i] * M_SQRT1_2);
    product *= field->survival[i];
  }
  return product;
}

/* Adds weight times the density with which each is the fastest at that very time. */
static void add_density(struct field *field, double time, double weight, double *likelihoods) {
  double product = all_slower(field, time);
  if (!(product > 0.0))
    return;
  for (size_t i = 0; i < field->count; i++) {
    if (!spreads(field, i))
      continue;
    double z = (time - field->med[i]) / field->std[i];
    double density = exp(-0.5 * z * z) / (field->std[i] * sqrt(2.0 * M_PI));
    double share = weight * density * (product / field->survival[i]);
    likelihoods[i] += share;
    field->least += share * time;
  }
}

/* Three-point Gauss rule, exact for polynomials of degree 5. */
static void add_cell(struct field *field, double lower, double upper, double *likelihoods) {
  double half = 0.5 * (upper - lower), middle = lower + half;
  if (!(half > 0.0))
    return;
  add_density(field, middle - ROOT_THREE_FIFTHS * half, half * 5.0 / 9.0, likelihoods);
  add_density(field, middle, half * 8.0 / 9.0, likelihoods);
  add_density(field, middle + ROOT_THREE_FIFTHS * half, half * 5.0 / 9.0, likelihoods);
}

static int by_value(const void *a, const void *b) {
  const double *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

/* Every normal's own cells together cut the range, so that each is resolved however narrow it is beside the others. */
static size_t cut(const struct field *field, double *places) {
  size_t count = 0;
  for (size_t i = 0; i < field->count; i++) {
    if (!spreads(field, i))
      continue;
    for (int k = 0; k <= CELLS; k++) {
      double place = field->med[i] + field->std[i] * REACH * (2.0 * k / CELLS - 1.0);
      if (place < field->upper)
        places[count++] = place;
    }
  }
  places[count++] = field->upper;
  qsort(places, count, sizeof *places, by_value);
  return count;
}

static void add_point(struct field *field, double *likelihoods) {
  if (field->point_count == 0)
    return;
  double share = all_slower(field, field->point) / (double)field->point_count;
  field->least += share * (double)field->point_count * field->point;
  for (size_t i = 0; i < field->count; i++)
    if (!spreads(field, i) && field->med[i] == field->point)
      likelihoods[i] = share;
}

static void normalise(struct field *field, double *likelihoods) {
  size_t count = field->count;
  double sum = 0.0;
  for (size_t i = 0; i < count; i++)
    sum += likelihoods[i];
  for (size_t i = 0; i < count; i++)
    likelihoods[i] = sum > 0.0 ? likelihoods[i] / sum : 1.0 / (double)count;
  field->least = sum > 0.0 ? field->least / sum : field->med[0];
}

enum perfpred_status ppi_likelihoods(const double *med, const double *std, size_t count, double *likelihoods,
                                     double *least, struct perfpred_error *error) {
  double *survival = calloc(count, sizeof *survival);
  double *places = calloc(count * (CELLS + 1) + 1, sizeof *places);
  if (!survival || !places) {
    free(places);
    free(survival);
    return ppi_error_memory(error);
  }
  struct field field = { .med = med, .std = std, .count = count, .survival = survival };
  for (size_t i = 0; i < count; i++)
    likelihoods[i] = 0.0;
  find_ends(&field);
  if (field.lower < field.upper) {
    size_t place_count = cut(&field, places);
    for (size_t i = 0; i + 1 < place_count; i++)
      add_cell(&field, places[i], places[i + 1], likelihoods);
  }
  add_point(&field, likelihoods);
  normalise(&field, likelihoods);
  if (least)
    *least = field.least;
  free(places);
  free(survival);
  return PERFPRED_OK;
}

double ppi_expected_loss(double difference, double std) {
  if (!(std > 0.0))
    return difference < 0.0 ? -difference : 0.0;
  double z = difference / std;
  return std * exp(-0.5 * z * z) / sqrt(2.0 * M_PI) - difference * 0.5 * erfc(z * M_SQRT1_2);
}
