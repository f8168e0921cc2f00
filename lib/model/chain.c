/* SPDX-License-Identifier: BSD-3-Clause */
/* Fits by more and more monomials. Orthogonalising one column after the other gives residuals and leverages of every prefix
   of the order, and from these the error that each point would be met with if it were left out: residual / (1 - leverage). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/adaptive.h"

#define DEPENDENT 1e-7 /* a column of which less than this share is new */
#define BETTER 0.97    /* more terms have to pay */
#define OPEN 1e-6      /* a leverage nearer to 1 than this leaves nothing to judge by */

enum perfpred_status ppi_chain_init(struct ppi_chain *chain, const struct ppi_terms *terms,
                                    const struct ppi_sampled *data, struct perfpred_error *error) {
  size_t count = data->count > 0 ? (size_t)data->count : 1;

  memset(chain, 0, sizeof *chain);
  chain->terms = terms;
  chain->data = data;
  chain->capacity = data->count;
  chain->columns = malloc(count * PPI_TERM_MAX * sizeof(double));
  chain->residuals = malloc(count * sizeof(double));
  chain->leverages = malloc(count * sizeof(double));
  chain->scaled = malloc(count * PPI_SIZE_MAX * sizeof(double));
  if (chain->columns && chain->residuals && chain->leverages && chain->scaled)
    return PERFPRED_OK;
  ppi_chain_release(chain);
  return ppi_error_memory(error);
}

void ppi_chain_release(struct ppi_chain *chain) {
  free(chain->scaled);
  free(chain->leverages);
  free(chain->residuals);
  free(chain->columns);
  memset(chain, 0, sizeof *chain);
}

static void prepare(struct ppi_chain *chain, const int64_t *lower, const int64_t *upper, const int *index, int count) {
  int dimensions = chain->terms->dimensions;

  for (int d = 0; d < dimensions; d++) {
    double center = 0.5 * ((double)lower[d] + (double)upper[d]), half = 0.5 * ((double)upper[d] - (double)lower[d]);

    for (int i = 0; i < count; i++) {
      double size = chain->data->padded[(size_t)index[i] * (size_t)dimensions + (size_t)d];

      chain->scaled[(size_t)d * (size_t)chain->capacity + (size_t)i] = half > 0.0 ? (size - center) / half : 0.0;
    }
  }
  for (int i = 0; i < count; i++) {
    chain->residuals[i] = 1.0;
    chain->leverages[i] = 0.0;
  }
}

static double dot(const double *a, const double *b, int count) {
  double sum = 0.0;

  for (int i = 0; i < count; i++)
    sum += a[i] * b[i];
  return sum;
}

/* The monomial divided by the values of the reference statistic, for relative errors. */
static void fill(const struct ppi_chain *chain, const int *powers, const int *index, int count, double *column) {
  const struct ppi_sampled *data = chain->data;

  for (int i = 0; i < count; i++)
    column[i] = 1.0 / data->values[(size_t)index[i] * PPI_STATISTICS + (size_t)data->reference];
  for (int d = 0; d < chain->terms->dimensions; d++) {
    const double *x = chain->scaled + (size_t)d * (size_t)chain->capacity;

    for (int k = 0; k < powers[d]; k++)
      for (int i = 0; i < count; i++)
        column[i] *= x[i];
  }
}

static void project(const double *columns, int have, double *column, int count) {
  for (int j = 0; j < have; j++) {
    const double *q = columns + (size_t)j * (size_t)count;
    double share = dot(q, column, count);

    for (int i = 0; i < count; i++)
      column[i] -= share * q[i];
  }
}

/* Makes the column orthogonal to those before it and takes it up; false: there is nothing new in it. */
static bool take(struct ppi_chain *chain, int have, int count) {
  double *column = chain->columns + (size_t)have * (size_t)count;
  double before = sqrt(dot(column, column, count)), after, share;

  project(chain->columns, have, column, count);
  after = sqrt(dot(column, column, count));
  if (!(after > DEPENDENT * before))
    return false;
  if (after < 0.1 * before) {
    project(chain->columns, have, column, count);
    after = sqrt(dot(column, column, count));
  }
  for (int i = 0; i < count; i++)
    column[i] /= after;
  share = dot(column, chain->residuals, count);
  for (int i = 0; i < count; i++) {
    chain->residuals[i] -= share * column[i];
    chain->leverages[i] += column[i] * column[i];
  }
  return true;
}

static double left_out(const struct ppi_chain *chain, int i) {
  double open = 1.0 - chain->leverages[i];

  return open > OPEN ? chain->residuals[i] / open : 1.0;
}

static double press(const struct ppi_chain *chain, int count) {
  double sum = 0.0;

  for (int i = 0; i < count; i++) {
    double error = left_out(chain, i);

    sum += error * error;
  }
  return sum;
}

static void keep(const struct ppi_chain *chain, int count, double *errors, double *leverages) {
  for (int i = 0; errors && i < count; i++)
    errors[i] = left_out(chain, i);
  for (int i = 0; leverages && i < count; i++)
    leverages[i] = chain->leverages[i];
}

void ppi_chain_run(struct ppi_chain *chain, const int64_t *lower, const int64_t *upper, const int *index, int count,
                   struct ppi_chain_fit *fit, double *errors, double *leverages) {
  bool taken[PPI_TERM_MAX] = { false };
  int have = 0;

  memset(fit, 0, sizeof *fit);
  fit->press = INFINITY;
  prepare(chain, lower, upper, index, count);
  for (int j = 0; j < chain->terms->count && have < count; j++) {
    double sum;

    fill(chain, chain->terms->powers[j], index, count, chain->columns + (size_t)have * (size_t)count);
    taken[j] = take(chain, have, count);
    if (!taken[j])
      continue;
    have++;
    sum = press(chain, count);
    if (!(sum < BETTER * fit->press))
      continue;
    fit->press = sum;
    fit->terms = j + 1;
    fit->used = have;
    memcpy(fit->taken, taken, sizeof taken);
    keep(chain, count, errors, leverages);
  }
}
