/* SPDX-License-Identifier: BSD-3-Clause */
/* Fits by more and more monomials. Orthogonalising one column after the other gives residuals and leverages of every prefix
   of the order, and from these the error that each point would be met with if it were left out: residual / (1 - leverage).
   Nearly all of the time of a generator goes into taking columns off each other, so that is done for a panel of the next few
   columns at once, row by row; the numbers are those of one column after the other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/adaptive.h"

#define DEPENDENT 1e-7 /* a column of which less than this share is new */
#define BETTER 0.97    /* more terms have to pay */
#define OPEN 1e-6      /* a leverage nearer to 1 than this leaves nothing to judge by */

#define PANEL 8           /* columns */
#define PAIRS (PANEL / 2) /* in a row of a panel */
#define BLOCK 4           /* columns that are taken off a single one at once */

typedef double pair __attribute__((vector_size(16), may_alias));
typedef double loose_pair __attribute__((vector_size(16), aligned(8), may_alias)); /* anywhere in a column */

/* Of each column of a panel one number. */
struct row {
  pair at[PAIRS];
};

enum perfpred_status ppi_chain_init(struct ppi_chain *chain, const struct ppi_terms *terms,
                                    const struct ppi_sampled *data, struct perfpred_error *error) {
  size_t count = data->count > 0 ? (size_t)data->count : 1;

  memset(chain, 0, sizeof *chain);
  chain->terms = terms;
  chain->data = data;
  chain->capacity = data->count;
  chain->columns = malloc(count * PPI_TERM_MAX * sizeof(double));
  chain->panel = malloc(count * PANEL * sizeof(double));
  chain->residuals = malloc(count * sizeof(double));
  chain->leverages = malloc(count * sizeof(double));
  chain->scaled = malloc(count * (PPI_SIZE_MAX + 1) * sizeof(double));
  if (chain->columns && chain->panel && chain->residuals && chain->leverages && chain->scaled)
    return PERFPRED_OK;
  ppi_chain_release(chain);
  return ppi_error_memory(error);
}

void ppi_chain_release(struct ppi_chain *chain) {
  free(chain->scaled);
  free(chain->leverages);
  free(chain->residuals);
  free(chain->panel);
  free(chain->columns);
  memset(chain, 0, sizeof *chain);
}

/* What each point counts: relative errors are those of values divided by the reference statistic. Behind the scaled sizes. */
static double *shares_at(const struct ppi_chain *chain) {
  return chain->scaled + (size_t)PPI_SIZE_MAX * (size_t)chain->capacity;
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
    shares_at(chain)[i] = 1.0 / chain->data->values[(size_t)index[i] * PPI_STATISTICS + (size_t)chain->data->reference];
  }
}

static double dot(const double *a, const double *b, int count) {
  double sum = 0.0;

  for (int i = 0; i < count; i++)
    sum += a[i] * b[i];
  return sum;
}

static void multiply(double *column, const double *by, int count) {
  int i = 0;

  for (; i + 1 < count; i += 2)
    *(loose_pair *)(column + i) *= *(const loose_pair *)(by + i);
  if (i < count)
    column[i] *= by[i];
}

static void divide(double *column, double by, int count) {
  const loose_pair both = { by, by };
  int i = 0;

  for (; i + 1 < count; i += 2)
    *(loose_pair *)(column + i) /= both;
  if (i < count)
    column[i] /= by;
}

/* Monomials for relative errors: `width` terms from `first` on. The other columns of the panel are 0. scratch: a column. */
static void fill(const struct ppi_chain *chain, int first, int width, double *scratch, int count) {
  memset(chain->panel, 0, (size_t)count * PANEL * sizeof *chain->panel);
  for (int c = 0; c < width; c++) {
    memcpy(scratch, shares_at(chain), (size_t)count * sizeof *scratch);
    for (int d = 0; d < chain->terms->dimensions; d++)
      for (int k = 0; k < chain->terms->powers[first + c][d]; k++)
        multiply(scratch, chain->scaled + (size_t)d * (size_t)chain->capacity, count);
    for (int i = 0; i < count; i++)
      chain->panel[(size_t)i * PANEL + (size_t)c] = scratch[i];
  }
}

/* Lengths of the columns. */
static void lengths_of(const struct ppi_chain *chain, int count, double lengths[PANEL]) {
  const pair *panel = (const pair *)chain->panel;
  struct row sums = { { { 0.0 } } };

  for (int i = 0; i < count; i++)
    for (int k = 0; k < PAIRS; k++)
      sums.at[k] += panel[i * PAIRS + k] * panel[i * PAIRS + k];
  for (int c = 0; c < PANEL; c++)
    lengths[c] = sqrt(sums.at[c / 2][c % 2]);
}

/* How much of the unit vector q is in each column. */
static struct row shares_of(const double *q, const double *panel, int count) {
  const pair *row = (const pair *)panel;
  pair a = { 0.0, 0.0 }, b = a, c = a, d = a;

  for (int i = 0; i < count; i++, row += PAIRS) {
    const pair x = { q[i], q[i] };

    a += x * row[0];
    b += x * row[1];
    c += x * row[2];
    d += x * row[3];
  }
  return (struct row){ { a, b, c, d } };
}

static void take_off(const double *q, struct row shares, double *panel, int count) {
  pair *row = (pair *)panel;

  for (int i = 0; i < count; i++, row += PAIRS) {
    const pair x = { q[i], q[i] };

    row[0] -= shares.at[0] * x;
    row[1] -= shares.at[1] * x;
    row[2] -= shares.at[2] * x;
    row[3] -= shares.at[3] * x;
  }
}

/* Both for two unit vectors after each other, with one run over the panel: what is taken off is known, what is next is asked for. */
static struct row take_off_and_share(const double *q, struct row shares, const double *next, double *panel, int count) {
  const pair s = shares.at[0], t = shares.at[1], u = shares.at[2], v = shares.at[3];
  pair *row = (pair *)panel;
  pair a = { 0.0, 0.0 }, b = a, c = a, d = a;

  for (int i = 0; i < count; i++, row += PAIRS) {
    const pair x = { q[i], q[i] }, y = { next[i], next[i] };

    row[0] -= s * x;
    row[1] -= t * x;
    row[2] -= u * x;
    row[3] -= v * x;
    a += y * row[0];
    b += y * row[1];
    c += y * row[2];
    d += y * row[3];
  }
  return (struct row){ { a, b, c, d } };
}

/* Makes all columns of the panel orthogonal to `have` unit vectors, one of these after the other. */
static void project_panel(const double *columns, int have, double *panel, int count) {
  struct row shares;

  if (have == 0)
    return;
  shares = shares_of(columns, panel, count);
  for (int j = 0; j + 1 < have; j++) {
    const double *q = columns + (size_t)j * (size_t)count;

    shares = take_off_and_share(q, shares, q + count, panel, count);
  }
  take_off(columns + (size_t)(have - 1) * (size_t)count, shares, panel, count);
}

/* The same of one column. */
static void project(const double *columns, int have, double *column, int count) {
  for (int j = 0; j < have; j++) {
    const double *q = columns + (size_t)j * (size_t)count;
    double share = dot(q, column, count);

    for (int i = 0; i < count; i++)
      column[i] -= share * q[i];
  }
}

static double sum_of(loose_pair sums) {
  return sums[0] + sums[1];
}

/* Makes a column orthogonal to BLOCK unit vectors at once. */
static void project_block(const double *columns, double *column, int count) {
  const double *p = columns, *q = p + count, *r = q + count, *s = r + count;
  loose_pair a = { 0.0, 0.0 }, b = a, c = a, d = a;
  double w, x, y, z;
  int even = count / 2 * 2;

  for (int i = 0; i < even; i += 2) {
    const loose_pair here = *(const loose_pair *)(column + i);

    a += *(const loose_pair *)(p + i) * here;
    b += *(const loose_pair *)(q + i) * here;
    c += *(const loose_pair *)(r + i) * here;
    d += *(const loose_pair *)(s + i) * here;
  }
  w = sum_of(a) + (even < count ? p[even] * column[even] : 0.0);
  x = sum_of(b) + (even < count ? q[even] * column[even] : 0.0);
  y = sum_of(c) + (even < count ? r[even] * column[even] : 0.0);
  z = sum_of(d) + (even < count ? s[even] * column[even] : 0.0);
  for (int i = 0; i < even; i += 2)
    *(loose_pair *)(column + i) -= (w * *(const loose_pair *)(p + i) + x * *(const loose_pair *)(q + i)) +
                                   (y * *(const loose_pair *)(r + i) + z * *(const loose_pair *)(s + i));
  if (even < count)
    column[even] -= (w * p[even] + x * q[even]) + (y * r[even] + z * s[even]);
}

/* Once more, for a column that is orthogonal up to rounding errors: in which order these go does not matter, so several go at once. */
static void project_again(const double *columns, int have, double *column, int count) {
  int j = 0;

  for (; j + BLOCK <= have; j += BLOCK)
    project_block(columns + (size_t)j * (size_t)count, column, count);
  project(columns + (size_t)j * (size_t)count, have - j, column, count);
}

/* Takes up a column that is orthogonal to those before it, as far as one run makes it so; before: its length in the beginning. false: there
   is nothing new in it. */
static bool take(struct ppi_chain *chain, int have, double before, int count) {
  double *column = chain->columns + (size_t)have * (size_t)count;
  double after = sqrt(dot(column, column, count)), share;

  if (!(after > DEPENDENT * before))
    return false;
  if (after < 0.1 * before) {
    project_again(chain->columns, have, column, count);
    after = sqrt(dot(column, column, count));
  }
  divide(column, after, count);
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

/* What is found on the way. */
struct run {
  struct ppi_chain_fit *fit;
  bool taken[PPI_TERM_MAX];
  int have; /* columns */
  double *errors, *leverages;
};

/* The fit by all columns that there are, if it is the best one so far. term: the last one of them. */
static void judge(const struct ppi_chain *chain, struct run *run, int term, int count) {
  double sum = press(chain, count);

  if (!(sum < BETTER * run->fit->press))
    return;
  run->fit->press = sum;
  run->fit->terms = term + 1;
  run->fit->used = run->have;
  memcpy(run->fit->taken, run->taken, sizeof run->taken);
  keep(chain, count, run->errors, run->leverages);
}

/* Takes up the columns of a panel, which are orthogonal to those before them, but not to each other. */
static void take_panel(struct ppi_chain *chain, struct run *run, int first, int width, const double *lengths,
                       int count) {
  for (int c = 0; c < width && run->have < count; c++) {
    double *column = chain->columns + (size_t)run->have * (size_t)count;

    for (int i = 0; i < count; i++)
      column[i] = chain->panel[(size_t)i * PANEL + (size_t)c];
    run->taken[first + c] = take(chain, run->have, lengths[c], count);
    if (!run->taken[first + c])
      continue;
    run->have++;
    if (c + 1 < width)
      project_panel(column, 1, chain->panel, count);
    judge(chain, run, first + c, count);
  }
}

/* NOLINTBEGIN(readability-non-const-parameter): what they point to is written through a struct */
void ppi_chain_run(struct ppi_chain *chain, const int64_t *lower, const int64_t *upper, const int *index, int count,
                   struct ppi_chain_fit *fit, double *errors, double *leverages) {
  /* NOLINTEND(readability-non-const-parameter) */
  struct run run = { fit, { false }, 0, errors, leverages };

  memset(fit, 0, sizeof *fit);
  fit->press = INFINITY;
  prepare(chain, lower, upper, index, count);
  for (int first = 0; first < chain->terms->count && run.have < count; first += PANEL) {
    int width = chain->terms->count - first < PANEL ? chain->terms->count - first : PANEL;
    double lengths[PANEL];

    fill(chain, first, width, chain->columns + (size_t)run.have * (size_t)count, count);
    lengths_of(chain, count, lengths);
    project_panel(chain->columns, run.have, chain->panel, count);
    take_panel(chain, &run, first, width, lengths, count);
  }
}
