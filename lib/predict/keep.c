/* SPDX-License-Identifier: BSD-3-Clause */
/* Keeping a fit beside the models that it belongs to. */
#include <stddef.h>
#include <string.h>

#include "cache/settings.h"
#include "model/model.h"

_Static_assert(PPI_BLENDING_LEVELS == PERFPRED_CACHE_LEVELS, "levels of a fit");
_Static_assert(PPI_BLENDING_KERNELS == PERFPRED_CACHE_KERNELS, "kernels of a fit");

#define LEAST 1e-3 /* as in model files */
#define MOST 1e3
#define LEVEL_LEAST 64

static enum perfpred_status check(const struct perfpred_cache_options *full, struct perfpred_error *error) {
  bool good = full->alpha >= LEAST && full->alpha <= MOST && full->beta >= LEAST && full->beta <= MOST;
  for (size_t i = 0; i <= full->level_count; i++)
    good = good && full->weights[i] >= LEAST && full->weights[i] <= MOST;
  if (!good)
    return ppi_error_set(error, PERFPRED_INVALID, "options: expected alpha, beta and weights from 0.001 to 1000");
  if (full->level_bytes[0] < LEVEL_LEAST)
    return ppi_error_set(error, PERFPRED_INVALID, "options.level_bytes[0]: %lld: expected at least %d",
                         (long long)full->level_bytes[0], LEVEL_LEAST);
  return PERFPRED_OK;
}

enum perfpred_status perfpred_cache_keep(struct perfpred_models *models, const struct perfpred_cache_options *options,
                                         struct perfpred_error *error) {
  struct perfpred_cache_options full;
  ppi_error_clear(error);
  if (!models || !options)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", models ? "options" : "models");
  if (options->size < offsetof(struct perfpred_cache_options, level_bytes) || options->level_count == 0)
    return ppi_error_set(error, PERFPRED_INVALID, "options.level_count: 0: expected the caches that the fit is for");
  enum perfpred_status status = ppi_cache_settings(options, NULL, &full, error);
  if (!status)
    status = check(&full, error);
  if (status)
    return status;
  if (atomic_load(&models->references) != 1)
    return ppi_error_set(error, PERFPRED_INVALID,
                         "models: they are in use; expected models that nobody else refers to");
  struct ppi_blending *blending = &models->machine.blending;
  blending->level_count = (int)full.level_count;
  memcpy(blending->level_bytes, full.level_bytes, sizeof blending->level_bytes);
  blending->alpha = full.alpha;
  blending->beta = full.beta;
  memcpy(blending->weights, full.weights, sizeof blending->weights);
  memcpy(blending->warm_kernels, full.warm_kernels, sizeof blending->warm_kernels);
  return PERFPRED_OK;
}
