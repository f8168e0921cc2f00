/* SPDX-License-Identifier: BSD-3-Clause */
/* The coefficients that make estimates agree best with times that calls took in running algorithms. What is fitted is how far an estimate goes
 * from the warm one to the blended one, and it goes no farther than what algorithms left out of the fit bear out. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"
#include "cache/measured.h"
#include "cache/rows.h"

#define PASSES 4      /* of the search of alpha and beta, each time finer */
#define STEEPEST 64.0 /* a step, in practice */
#define FLATTEST 0.25
#define FINE 1e-3  /* an algorithm may be worse by so much of its time */
#define LEAST 1e-3 /* stands for 0, which means the default in options */
#define STEPS 4    /* parts of the fitted weights that are tried */

struct fit {
  struct ppi_rows rows;
  struct perfpred_cache_options options; /* alpha, beta and weights: the best so far */
  double (*held)[PPI_CACHE_PLACES];      /* for each fold, what the others make of the weights */
  double (*tried)[PPI_CACHE_PLACES];     /* the same, times a part */
  bool *first_warm, *best_warm;          /* kernels that stay warm, before and behind the choice of weights */
};

static enum perfpred_status make_room(struct fit *fit, struct perfpred_error *error) {
  const size_t kernels = fit->rows.kernel_count;
  fit->held = calloc(2 * fit->rows.fold_count + 1, sizeof *fit->held);
  fit->first_warm = calloc(2 * kernels + 1, sizeof *fit->first_warm);
  if (!fit->held || !fit->first_warm)
    return ppi_error_memory(error);
  fit->tried = fit->held + fit->rows.fold_count;
  fit->best_warm = fit->first_warm + kernels;
  return PERFPRED_OK;
}

static unsigned all_places(const struct fit *fit) {
  return (1U << (fit->options.level_count + 1)) - 1;
}

/* --- Smoothing ----------------------------------------------------------------------------------------------------- */

/* The error with the weights that suit a smoothing. */
static double attempt(struct fit *fit, const struct perfpred_cache_options *options) {
  double weights[PPI_CACHE_PLACES];
  ppi_rows_price(&fit->rows, options);
  ppi_rows_solve(&fit->rows, SIZE_MAX, all_places(fit), weights);
  for (size_t fold = 0; fold < fit->rows.fold_count; fold++)
    memcpy(fit->tried[fold], weights, sizeof weights);
  return ppi_rows_error(&fit->rows, SIZE_MAX, SIZE_MAX, (const double(*)[PPI_CACHE_PLACES])fit->tried);
}

/* One coefficient at values spread evenly in the logarithm around the best one so far; the best of them. */
static void search(struct fit *fit, size_t offset, double reach, double *least) {
  enum { TRIALS = 5 };
  struct perfpred_cache_options best = fit->options, trial = best;
  double centre = 0.0;
  memcpy(&centre, (const char *)&best + offset, sizeof centre);
  for (int i = 0; i < TRIALS; i++) {
    const double value =
        fmin(fmax(centre * pow(reach, (double)(2 * i - TRIALS + 1) / (TRIALS - 1)), FLATTEST), STEEPEST);
    memcpy((char *)&trial + offset, &value, sizeof value);
    const double error = attempt(fit, &trial);
    if (error < *least) {
      *least = error;
      best = trial;
    }
  }
  fit->options = best;
}

static void fit_smoothing(struct fit *fit) {
  double least = attempt(fit, &fit->options), reach = 8.0;
  const bool smooth = fit->options.mode == PERFPRED_CACHE_SMOOTHED;
  for (int pass = 0; pass < PASSES && smooth; pass++) {
    search(fit, offsetof(struct perfpred_cache_options, alpha), reach, &least);
    search(fit, offsetof(struct perfpred_cache_options, beta), reach, &least);
    reach = sqrt(reach);
  }
  ppi_rows_price(&fit->rows, &fit->options);
}

/* --- Algorithms left out ------------------------------------------------------------------------------------------- */

static void hold_out(struct fit *fit, unsigned mask) {
  for (size_t fold = 0; fold < fit->rows.fold_count; fold++)
    ppi_rows_solve(&fit->rows, fold, mask, fit->held[fold]);
}

/* Kernels whose calls the weights of other algorithms price worse than warm models do stay warm. */
static void fit_kernels(struct fit *fit) {
  struct ppi_rows *rows = &fit->rows;
  hold_out(fit, all_places(fit));
  for (size_t kernel = 0; kernel < rows->kernel_count; kernel++)
    rows->warm[kernel] = ppi_rows_error(rows, kernel, SIZE_MAX, (const double(*)[PPI_CACHE_PLACES])fit->held) >
                         ppi_rows_error(rows, kernel, SIZE_MAX, NULL);
}

/* What the other algorithms make of a part of the weights of some places. */
static void try_part(struct fit *fit, unsigned mask, double part) {
  hold_out(fit, mask);
  for (size_t fold = 0; fold < fit->rows.fold_count; fold++)
    for (size_t place = 0; place < PPI_CACHE_PLACES; place++)
      fit->tried[fold][place] = part * fit->held[fold][place];
}

/* How much worse rows are with it than with warm models. */
static double loss_of(const struct fit *fit, size_t kernel, size_t fold) {
  return ppi_rows_error(&fit->rows, kernel, fold, (const double(*)[PPI_CACHE_PLACES])fit->tried) -
         ppi_rows_error(&fit->rows, kernel, fold, NULL);
}

/* The kernel that an algorithm loses most by, SIZE_MAX: none. */
static size_t worst_kernel(const struct fit *fit, size_t fold) {
  double most = 0.0;
  size_t worst = SIZE_MAX;
  for (size_t kernel = 0; kernel < fit->rows.kernel_count; kernel++) {
    const double loss = fit->rows.warm[kernel] ? 0.0 : loss_of(fit, kernel, fold);
    worst = loss > most ? kernel : worst;
    most = loss > most ? loss : most;
  }
  return worst;
}

/* Until no algorithm is worse with what the others make of it than with warm models, the kernel that one of them loses most by stays warm. False: that
   does not end well. */
static bool settle(struct fit *fit, unsigned mask, double part) {
  const size_t folds = fit->rows.fold_count;
  for (;;) {
    size_t fold = 0;
    try_part(fit, mask, part);
    while (fold < folds && loss_of(fit, SIZE_MAX, fold) <= FINE)
      fold++;
    if (fold == folds)
      return true;
    const size_t kernel = worst_kernel(fit, fold);
    if (kernel == SIZE_MAX)
      return false;
    fit->rows.warm[kernel] = true;
  }
}

/* Places, the part of their weights and the kernels that serve the algorithms left out best, none of them worse than warm; where there are none all
   estimates are warm. */
static void fit_weights(struct fit *fit) {
  bool *warm = fit->rows.warm;
  const size_t bytes = fit->rows.kernel_count * sizeof *warm;
  double least = -FINE, best_part = 0.0, weights[PPI_CACHE_PLACES]; /* less than that is no gain */
  unsigned best_mask = 0;
  memcpy(fit->first_warm, warm, bytes);
  memcpy(fit->best_warm, warm, bytes);
  for (unsigned mask = 1; mask <= all_places(fit); mask++)
    for (int step = 1; step <= STEPS; step++) {
      const double part = (double)step / STEPS;
      memcpy(warm, fit->first_warm, bytes);
      if (!settle(fit, mask, part) || !(loss_of(fit, SIZE_MAX, SIZE_MAX) < least))
        continue;
      least = loss_of(fit, SIZE_MAX, SIZE_MAX);
      best_part = part;
      best_mask = mask;
      memcpy(fit->best_warm, warm, bytes);
    }
  memcpy(warm, fit->best_warm, bytes);
  ppi_rows_solve(&fit->rows, SIZE_MAX, best_mask, weights);
  for (size_t place = 0; place < PPI_CACHE_PLACES; place++)
    fit->options.weights[place] = fmax(best_part * weights[place], LEAST);
}

/* --- All together -------------------------------------------------------------------------------------------------- */

/* A list that is too long for all of them is one of none: then nothing is blended. */
static void write_fit(struct fit *fit, struct perfpred_cache_options *options) {
  const struct ppi_rows *rows = &fit->rows;
  char list[sizeof options->warm_kernels] = "";
  size_t length = 0;
  for (size_t kernel = 0; kernel < rows->kernel_count; kernel++) {
    const char *name = rows->kernels[kernel]->name;
    if (!rows->warm[kernel])
      continue;
    if (length + strlen(name) + 2 > sizeof list) {
      for (size_t place = 0; place < PPI_CACHE_PLACES; place++)
        fit->options.weights[place] = LEAST;
      break;
    }
    if (length > 0)
      list[length++] = ',';
    memcpy(list + length, name, strlen(name) + 1);
    length += strlen(name);
  }
  options->alpha = fit->options.alpha;
  options->beta = fit->options.beta;
  memcpy(options->weights, fit->options.weights, sizeof options->weights);
  memcpy(options->warm_kernels, list, sizeof list);
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

static enum perfpred_status check_all(const struct perfpred_cache *const *caches, const double *const *measured_s,
                                      size_t count, struct perfpred_error *error) {
  bool any = false;
  for (size_t c = 0; c < count; c++) {
    const struct perfpred_cache *cache = caches[c];
    enum perfpred_status status = ppi_cache_check_measured(cache, measured_s[c], cache ? cache->count : 0, error);
    if (!status)
      status = check_same(caches[0], cache, error);
    if (status)
      return status;
    for (size_t i = 0; i < cache->count; i++)
      any = any || ppi_cache_counts(&cache->calls[i], measured_s[c][i]);
  }
  return any ? PERFPRED_OK : ppi_cache_nothing(caches[0], error);
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
  enum perfpred_status status = check_all(caches, measured_s, cache_count, error);
  if (status)
    return status;
  struct fit fit = { .options = caches[0]->options };
  status = ppi_rows_init(&fit.rows, caches, measured_s, cache_count, error);
  if (!status)
    status = make_room(&fit, error);
  if (!status) {
    fit_smoothing(&fit);
    fit_kernels(&fit);
    fit_smoothing(&fit); /* of those that are left */
    fit_weights(&fit);
    write_fit(&fit, options);
  }
  free(fit.first_warm);
  free(fit.held);
  ppi_rows_release(&fit.rows);
  return status;
}
