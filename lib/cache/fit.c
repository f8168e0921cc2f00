/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimates beside times that calls took in the running algorithm, and the coefficients that make them agree best. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"

#define RIDGE 0.01    /* weight of "as it is", 1, beside one mean call */
#define PASSES 4      /* of the search of alpha and beta, each time finer */
#define STEEPEST 64.0 /* a step, in practice */
#define FLATTEST 0.25

/* --- Comparing ------------------------------------------------------------------------------------------------------ */

struct sums {
  double relative, estimated_s, measured_s;
  size_t count;
};

static void add(struct sums *sums, double estimated_s, double measured_s) {
  sums->relative += fabs(estimated_s - measured_s) / measured_s;
  sums->estimated_s += estimated_s;
  sums->measured_s += measured_s;
  sums->count++;
}

/* An estimate that is not known for one call is known for none. */
static struct perfpred_cache_error error_of(const struct sums *sums) {
  return (struct perfpred_cache_error){ sums->relative / (double)sums->count,
                                        (sums->estimated_s - sums->measured_s) / sums->measured_s };
}

static enum perfpred_status check(const struct perfpred_cache *cache, const double *measured_s, size_t count,
                                  struct perfpred_error *error) {
  if (!cache || !measured_s)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", cache ? "measured_s" : "cache");
  if (count != cache->count)
    return ppi_error_set(error, PERFPRED_INVALID, "count is %zu; %s makes %zu calls", count, cache->program->name,
                         cache->count);
  if (cache->priced == 0)
    return ppi_error_set(error, PERFPRED_UNMODELLED, "the analysis of %s has no times; expected one of a plan",
                         cache->program->name);
  for (size_t i = 0; i < count; i++)
    if (!isnan(measured_s[i]) && !(measured_s[i] > 0.0 && isfinite(measured_s[i])))
      return ppi_error_set(error, PERFPRED_INVALID,
                           "measured_s[%zu], of %s: %g: expected a time above 0, or NaN for none", i,
                           cache->calls[i].text, measured_s[i]);
  return PERFPRED_OK;
}

/* Calls without work, without a model, or not measured are left out. */
static bool counts(const struct ppi_cache_call *call, double measured_s) {
  return !isnan(measured_s) && !call->empty && call->priced;
}

static enum perfpred_status nothing(const struct perfpred_cache *cache, struct perfpred_error *error) {
  return ppi_error_set(error, PERFPRED_NOT_FOUND, "%s: no call has work and a measured time", cache->program->name);
}

enum perfpred_status perfpred_cache_compare(const struct perfpred_cache *cache, const double *measured_s, size_t count,
                                            struct perfpred_cache_errors *errors, struct perfpred_error *error) {
  ppi_error_clear(error);
  struct sums warm = { .count = 0 }, in = warm, out = warm, blend = warm;
  struct perfpred_cache_errors full = PERFPRED_CACHE_ERRORS_INIT;
  if (!errors)
    return ppi_error_set(error, PERFPRED_INVALID, "errors is NULL");
  if (errors->size < sizeof full)
    return ppi_error_set(error, PERFPRED_INVALID, "errors: size is %zu; expected PERFPRED_CACHE_ERRORS_INIT",
                         errors->size);
  enum perfpred_status status = check(cache, measured_s, count, error);
  if (status)
    return status;
  for (size_t i = 0; i < count; i++) {
    const struct ppi_cache_call *call = &cache->calls[i];
    if (!counts(call, measured_s[i]))
      continue;
    add(&warm, call->warm_s, measured_s[i]);
    add(&in, call->times_s[0], measured_s[i]);
    add(&out, call->times_s[cache->options.level_count], measured_s[i]);
    add(&blend, call->time_s, measured_s[i]);
  }
  if (blend.count == 0)
    return nothing(cache, error);
  full.size = errors->size;
  full.calls = blend.count;
  full.warm = error_of(&warm);
  full.in = error_of(&in);
  full.out = error_of(&out);
  full.blend = error_of(&blend);
  memcpy(errors, &full, full.size < sizeof full ? full.size : sizeof full);
  return PERFPRED_OK;
}

/* --- Fitting -------------------------------------------------------------------------------------------------------- */

struct fit {
  const struct perfpred_cache *const *caches;
  const double *const *measured_s;
  size_t count;
  struct perfpred_cache_options options; /* tried */
};

/* Relative parts of a call's time by level: the estimate relative to the measured time is their weighted sum. */
static void parts_of(const struct fit *fit, const struct perfpred_cache *cache, const struct ppi_cache_call *call,
                     double measured_s, double parts[PPI_CACHE_PLACES]) {
  double lines[PPI_CACHE_PLACES] = { 0.0 };
  for (int k = 0; k < call->operand_count; k++) {
    const struct ppi_cache_operand *operand = &cache->operands[call->operand_first + (size_t)k];
    for (size_t i = 0; i < operand->part_count; i++)
      ppi_weight_add(&fit->options, &cache->parts.items[operand->part_first + i], cache->total, lines);
  }
  for (size_t place = 0; place < PPI_CACHE_PLACES; place++)
    parts[place] = lines[place] > 0.0 ? lines[place] / (double)call->lines * call->times_s[place] / measured_s : 0.0;
}

/* Gauss with pivots on the diagonal: the matrix is symmetric and positive definite. */
static void solve(double matrix[PPI_CACHE_PLACES][PPI_CACHE_PLACES], double *values, size_t count) {
  for (size_t k = 0; k < count; k++)
    for (size_t i = k + 1; i < count; i++) {
      const double factor = matrix[i][k] / matrix[k][k];
      for (size_t j = k; j < count; j++)
        matrix[i][j] -= factor * matrix[k][j];
      values[i] -= factor * values[k];
    }
  for (size_t k = count; k-- > 0;) {
    for (size_t j = k + 1; j < count; j++)
      values[k] -= matrix[k][j] * values[j];
    values[k] /= matrix[k][k];
  }
}

/* Normal equations of sum over calls (sum over levels weight part - 1)^2 + ridge sum (weight - 1)^2. */
struct normal {
  double matrix[PPI_CACHE_PLACES][PPI_CACHE_PLACES], right[PPI_CACHE_PLACES];
  size_t calls;
};

static void add_call(struct normal *normal, const double parts[PPI_CACHE_PLACES]) {
  for (size_t i = 0; i < PPI_CACHE_PLACES; i++) {
    for (size_t k = 0; k < PPI_CACHE_PLACES; k++)
      normal->matrix[i][k] += parts[i] * parts[k];
    normal->right[i] += parts[i];
  }
  normal->calls++;
}

static void weights_of(struct normal *normal, double weights[PPI_CACHE_PLACES]) {
  const double ridge = RIDGE * (double)normal->calls;
  for (size_t i = 0; i < PPI_CACHE_PLACES; i++) {
    normal->matrix[i][i] += ridge;
    normal->right[i] += ridge;
  }
  solve(normal->matrix, normal->right, PPI_CACHE_PLACES);
  for (size_t i = 0; i < PPI_CACHE_PLACES; i++) /* time is never negative */
    weights[i] = normal->right[i] > RIDGE ? normal->right[i] : RIDGE;
}

/* The weights that suit the present smoothing, and the mean error with them. */
static double attempt(struct fit *fit) {
  struct normal normal = { .calls = 0 };
  double error = 0.0, parts[PPI_CACHE_PLACES];
  for (int pass = 0; pass < 2; pass++) {
    for (size_t c = 0; c < fit->count; c++)
      for (size_t i = 0; i < fit->caches[c]->count; i++) {
        const struct ppi_cache_call *call = &fit->caches[c]->calls[i];
        double sum = -1.0;
        if (!counts(call, fit->measured_s[c][i]))
          continue;
        parts_of(fit, fit->caches[c], call, fit->measured_s[c][i], parts);
        if (pass == 0)
          add_call(&normal, parts);
        for (size_t place = 0; place < PPI_CACHE_PLACES; place++)
          sum += fit->options.weights[place] * parts[place];
        error += pass == 1 ? fabs(sum) : 0.0;
      }
    if (pass == 0)
      weights_of(&normal, fit->options.weights);
  }
  return error / (double)normal.calls;
}

/* One coefficient at values spread evenly in the logarithm around the best one so far; the best of them. */
static void search(struct fit *fit, double *coefficient, double reach, struct perfpred_cache_options *best,
                   double *least) {
  enum { TRIALS = 5 };
  const double centre = *coefficient;
  for (int i = 0; i < TRIALS; i++) {
    double value = centre * pow(reach, (double)(2 * i - TRIALS + 1) / (TRIALS - 1));
    *coefficient = value < FLATTEST ? FLATTEST : value > STEEPEST ? STEEPEST : value;
    const double error = attempt(fit);
    if (error < *least) {
      *least = error;
      *best = fit->options;
    }
  }
  fit->options = *best;
}

static void fit_all(struct fit *fit) {
  double least = attempt(fit), reach = 8.0;
  struct perfpred_cache_options best = fit->options;
  const bool smooth = fit->options.mode == PERFPRED_CACHE_SMOOTHED;
  for (int pass = 0; pass < PASSES && smooth; pass++) {
    search(fit, &fit->options.alpha, reach, &best, &least);
    search(fit, &fit->options.beta, reach, &best, &least);
    reach = sqrt(reach);
  }
  fit->options = best;
}

static enum perfpred_status check_same(const struct perfpred_cache *first, const struct perfpred_cache *other,
                                       struct perfpred_error *error) {
  const bool same =
      first->options.level_count == other->options.level_count &&
      memcmp(first->options.level_bytes, other->options.level_bytes, sizeof first->options.level_bytes) == 0 &&
      first->options.mode == other->options.mode && first->options.distance == other->options.distance;
  return same ? PERFPRED_OK
              : ppi_error_set(
                    error, PERFPRED_INVALID,
                    "caches: the analyses of %s and %s have other levels, modes or distances; expected the same",
                    first->program->name, other->program->name);
}

static enum perfpred_status check_all(const struct fit *fit, struct perfpred_error *error) {
  bool any = false;
  for (size_t c = 0; c < fit->count; c++) {
    const struct perfpred_cache *cache = fit->caches[c];
    enum perfpred_status status = check(cache, fit->measured_s[c], cache ? cache->count : 0, error);
    if (!status)
      status = check_same(fit->caches[0], cache, error);
    if (status)
      return status;
    for (size_t i = 0; i < cache->count; i++)
      any = any || counts(&cache->calls[i], fit->measured_s[c][i]);
  }
  return any ? PERFPRED_OK : nothing(fit->caches[0], error);
}

enum perfpred_status perfpred_cache_fit(const struct perfpred_cache *const *caches, const double *const *measured_s,
                                        size_t cache_count, struct perfpred_cache_options *options,
                                        struct perfpred_error *error) {
  ppi_error_clear(error);
  if (!caches || !measured_s || !options)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL",
                         !caches ? "caches" : (measured_s ? "options" : "measured_s"));
  if (cache_count == 0)
    return ppi_error_set(error, PERFPRED_INVALID, "cache_count is 0; expected at least 1");
  if (options->size < sizeof *options)
    return ppi_error_set(error, PERFPRED_INVALID, "options: size is %zu; expected PERFPRED_CACHE_OPTIONS_INIT",
                         options->size);
  struct fit fit = { .caches = caches, .measured_s = measured_s, .count = cache_count };
  enum perfpred_status status = check_all(&fit, error);
  if (status)
    return status;
  fit.options = caches[0]->options;
  fit_all(&fit);
  options->alpha = fit.options.alpha;
  options->beta = fit.options.beta;
  memcpy(options->weights, fit.options.weights, sizeof options->weights);
  return PERFPRED_OK;
}
