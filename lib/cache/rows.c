/* SPDX-License-Identifier: BSD-3-Clause */
#include "cache/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cache/measured.h"

#define RIDGE 1e-3       /* a weight of 1, beside a mean squared error */
#define COMMON_RIDGE 0.1 /* a factor beside 1: it is expected to be ten times as small */
#define SWEEPS 200       /* of a descent in at most six directions, one after the other */
#define UNKNOWNS (PPI_CACHE_PLACES + 1)
#define COMMON PPI_CACHE_PLACES /* the place of the factor among them */

static const struct perfpred_kernel *kernel_of(const struct ppi_cache_call *call) {
  return call->node->kernel;
}

static size_t note_kernel(struct ppi_rows *rows, const struct perfpred_kernel *kernel) {
  for (size_t i = 0; i < rows->kernel_count; i++)
    if (strcmp(rows->kernels[i]->name, kernel->name) == 0)
      return i;
  rows->kernels[rows->kernel_count] = kernel;
  return rows->kernel_count++;
}

/* An execution's rows, and their weights. */
static void add_execution(struct ppi_rows *rows, size_t execution, const struct perfpred_cache *cache,
                          const double *measured_s) {
  const size_t first = rows->count;
  double sum = 0.0;
  for (size_t i = 0; i < cache->count; i++) {
    const struct ppi_cache_call *call = &cache->calls[i];
    if (!ppi_cache_counts(call, measured_s[i]))
      continue;
    const double warm_s = isnan(call->warm_s) ? call->times_s[0] : call->warm_s;
    rows->items[rows->count++] = (struct ppi_row){ .cache = cache,
                                                   .call = call,
                                                   .measured_s = measured_s[i],
                                                   .error = warm_s / measured_s[i] - 1.0,
                                                   .execution = execution,
                                                   .kernel = note_kernel(rows, kernel_of(call)) };
    sum += measured_s[i];
  }
  for (size_t i = first; i < rows->count; i++)
    rows->items[i].weight = rows->items[i].measured_s / sum;
}

static void find_folds(struct ppi_rows *rows, const struct perfpred_cache *const *caches) {
  for (size_t i = 0; i < rows->executions; i++) {
    size_t same = 0;
    while (same < i && strcmp(caches[same]->program->name, caches[i]->program->name) != 0)
      same++;
    rows->folds[i] = same < i ? rows->folds[same] : rows->fold_count++;
  }
  if (rows->fold_count > 1)
    return;
  for (size_t i = 0; i < rows->executions; i++)
    rows->folds[i] = i;
  rows->fold_count = rows->executions > 1 ? rows->executions : 2;
}

bool ppi_row_is_of(const struct ppi_rows *rows, const struct ppi_row *row, size_t fold) {
  return fold == (rows->executions > 1 ? rows->folds[row->execution] : (size_t)(row->call->step % 2));
}

enum perfpred_status ppi_rows_init(struct ppi_rows *rows, const struct perfpred_cache *const *caches,
                                   const double *const *measured_s, size_t count, struct perfpred_error *error) {
  size_t calls = 0;
  *rows = (struct ppi_rows){ .executions = count };
  for (size_t i = 0; i < count; i++)
    calls += caches[i]->count;
  rows->items = calloc(calls + 1, sizeof *rows->items);
  rows->folds = calloc(count + 1, sizeof *rows->folds);
  rows->kernels = calloc(calls + 1, sizeof(const struct perfpred_kernel *));
  rows->warm = calloc(calls + 1, sizeof *rows->warm);
  if (!rows->items || !rows->folds || !rows->kernels || !rows->warm)
    return ppi_error_memory(error);
  for (size_t i = 0; i < count; i++)
    add_execution(rows, i, caches[i], measured_s[i]);
  find_folds(rows, caches);
  return PERFPRED_OK;
}

void ppi_rows_release(struct ppi_rows *rows) {
  free(rows->warm);
  free(rows->kernels);
  free(rows->folds);
  free(rows->items);
}

static void price(struct ppi_row *row, const struct perfpred_cache_options *options) {
  const struct perfpred_cache *cache = row->cache;
  const struct ppi_cache_call *call = row->call;
  double lines[PPI_CACHE_PLACES] = { 0.0 };
  for (int k = 0; k < call->operand_count; k++) {
    const struct ppi_cache_operand *operand = &cache->operands[call->operand_first + (size_t)k];
    for (size_t i = 0; i < operand->part_count; i++)
      ppi_weight_add(options, &cache->parts.items[operand->part_first + i], cache->total, lines);
  }
  for (size_t place = 0; place < PPI_CACHE_PLACES; place++)
    row->x[place] = lines[place] > 0.0 ? lines[place] / (double)call->lines *
                                             (call->times_s[place] / row->measured_s - (1.0 + row->error))
                                       : 0.0;
}

void ppi_rows_price(struct ppi_rows *rows, const struct perfpred_cache_options *options) {
  for (size_t i = 0; i < rows->count; i++)
    price(&rows->items[i], options);
}

/* --- Weights ------------------------------------------------------------------------------------------------------- */

/* Normal equations. */
struct normal {
  double matrix[UNKNOWNS][UNKNOWNS], right[UNKNOWNS];
};

/* error + sum of weight x - common = 0 is wanted of a row. */
static void add_row(struct normal *normal, const struct ppi_row *row, bool warm) {
  double x[UNKNOWNS] = { 0.0 };
  const double weight = row->weight;
  if (!warm)
    memcpy(x, row->x, sizeof row->x);
  x[COMMON] = -1.0;
  for (size_t i = 0; i < UNKNOWNS; i++) {
    for (size_t k = 0; k < UNKNOWNS; k++)
      normal->matrix[i][k] += weight * x[i] * x[k];
    normal->right[i] -= weight * x[i] * row->error;
  }
}

/* One unknown after the other at its best within its bounds: the matrix is positive definite, so they come to the least sum. */
static void descend(const struct normal *normal, unsigned mask, double unknowns[UNKNOWNS]) {
  memset(unknowns, 0, UNKNOWNS * sizeof *unknowns);
  for (int sweep = 0; sweep < SWEEPS; sweep++)
    for (size_t i = 0; i < UNKNOWNS; i++) {
      double rest = normal->right[i];
      if (i != COMMON && !(mask >> i & 1))
        continue;
      for (size_t k = 0; k < UNKNOWNS; k++)
        rest -= k != i ? normal->matrix[i][k] * unknowns[k] : 0.0;
      rest /= normal->matrix[i][i];
      unknowns[i] = i == COMMON ? rest : fmin(fmax(rest, 0.0), 1.0);
    }
}

void ppi_rows_solve(const struct ppi_rows *rows, size_t left_out, unsigned mask, double weights[PPI_CACHE_PLACES]) {
  struct normal normal = { .matrix = { { 0.0 } } };
  double unknowns[UNKNOWNS], sum = 0.0;
  for (size_t i = 0; i < rows->count; i++) {
    if (ppi_row_is_of(rows, &rows->items[i], left_out))
      continue;
    add_row(&normal, &rows->items[i], rows->warm[rows->items[i].kernel]);
    sum += rows->items[i].weight;
  }
  for (size_t i = 0; i < UNKNOWNS; i++)
    normal.matrix[i][i] += (i == COMMON ? COMMON_RIDGE : RIDGE) * (sum > 0.0 ? sum : 1.0);
  descend(&normal, mask, unknowns);
  memcpy(weights, unknowns, PPI_CACHE_PLACES * sizeof *weights);
}

/* --- Errors -------------------------------------------------------------------------------------------------------- */

static double error_of(const struct ppi_rows *rows, const struct ppi_row *row,
                       const double (*weights)[PPI_CACHE_PLACES]) {
  double error = row->error;
  size_t fold = 0;
  if (!weights || rows->warm[row->kernel])
    return error;
  while (!ppi_row_is_of(rows, row, fold))
    fold++;
  for (size_t place = 0; place < PPI_CACHE_PLACES; place++)
    error += weights[fold][place] * row->x[place];
  return error;
}

double ppi_rows_error(const struct ppi_rows *rows, size_t kernel, size_t fold,
                      const double (*weights)[PPI_CACHE_PLACES]) {
  double sum = 0.0, executions = 0.0;
  for (size_t first = 0, i = 0; first < rows->count; first = i) {
    double calls = 0.0, total = 0.0;
    bool any = false;
    for (i = first; i < rows->count && rows->items[i].execution == rows->items[first].execution; i++) {
      const struct ppi_row *row = &rows->items[i];
      if ((kernel != SIZE_MAX && row->kernel != kernel) || (fold != SIZE_MAX && !ppi_row_is_of(rows, row, fold)))
        continue;
      const double error = row->weight * error_of(rows, row, weights);
      calls += fabs(error);
      total += error;
      any = true;
    }
    sum += calls + fabs(total);
    executions += any;
  }
  return executions > 0.0 ? sum / executions : 0.0;
}
