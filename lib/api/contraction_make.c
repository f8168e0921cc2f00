/* SPDX-License-Identifier: BSD-3-Clause */
/* Making the findings for a contraction: its algorithms, the caches, clock and progress, the search. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/contraction_planner.h"
#include "api/contraction_search.h"
#include "base/context.h"
#include "cache/settings.h"
#include "contract/einsum.h"
#include "machine/clock.h"
#include "measure/sampler.h"

#define CALIBRATION_S 0.5 /* for finding the caches */
#define OVERHEAD 1.2
#define SMALL_BYTES 131072.0           /* tensors that every machine's second level holds several times over, */
#define SMALL_CACHE (INT64_C(1) << 20) /* for which any size of the cache will do */

/* --- Clock and progress -------------------------------------------------------------------------------------------- */

struct making {
  struct perfpred_contraction_planner *planner;
  struct ppi_clock clock;
  double begin_s, fraction;
  struct ppi_contraction_caches caches;
  struct ppi_contraction_search search;
};

static double now(void *data) {
  struct making *making = data;
  const struct perfpred_sampler *sampler = making->planner->sampler;
  return sampler && sampler->ops->now_s ? sampler->ops->now_s(sampler) : making->clock.now(making->clock.state);
}

/* The share of the budget that is spent; batches know only of themselves. */
static int tell(void *data, const struct perfpred_progress *progress) {
  struct making *making = data;
  struct perfpred_progress told = *progress;
  const struct perfpred_contraction_plan_options *options = &making->planner->options;
  told.elapsed_s = now(making) - making->begin_s;
  const double allowed_s = making->search.allowed_s > 0.0 ? making->search.allowed_s : told.elapsed_s + 1.0;
  making->fraction =
      fmax(making->fraction, isfinite(allowed_s) ? fmin(told.elapsed_s / allowed_s, 1.0) : making->search.done);
  told.stage = "planning";
  told.fraction = making->fraction;
  told.remaining_s = isfinite(allowed_s) ? fmax(0.0, allowed_s - told.elapsed_s) : (double)NAN;
  return options->progress(options->progress_data, &told);
}

/* --- Caches -------------------------------------------------------------------------------------------------------- */

/* Levels that were measured, the nearest first; memory, the last one, has no size. */
static bool take_levels(const struct ppi_effective *levels, int count, struct ppi_contraction_caches *caches) {
  int known = 0;
  while (known < count && levels[known].bytes > 0)
    known++;
  if (known == 0)
    return false;
  caches->bytes = levels[known - 1].bytes;
  caches->near_bytes = levels[known > 1 ? 1 : 0].bytes;
  return true;
}

static enum perfpred_status measure_caches(struct making *making, struct perfpred_error *error) {
  struct perfpred_contraction_planner *planner = making->planner;
  struct ppi_answer_caches *found = &planner->stored.caches;
  struct ppi_curve *curve = calloc(1, sizeof *curve);
  const double begin_s = now(making);
  if (!curve)
    return ppi_error_memory(error);
  enum perfpred_status status = planner->sampler->ops->caches(planner->sampler, CALIBRATION_S, curve, error);
  const double found_s = now(making) - begin_s;
  planner->calibration_s += found_s;
  if (!status) {
    *found = (struct ppi_answer_caches){ .found_s = found_s };
    ppi_date_now(found->made);
    found->count = ppi_levels_find(curve, found->levels);
    planner->calibrated = take_levels(found->levels, found->count, &planner->caches);
    planner->stored.caches_are_new = planner->calibrated;
  }
  free(curve);
  return status;
}

/* What the machine reports is all there is where nothing was measured and nothing can be. */
static enum perfpred_status report_caches(struct perfpred_contraction_planner *planner, struct perfpred_error *error) {
  struct perfpred_cache_options reported = PERFPRED_CACHE_OPTIONS_INIT;
  enum perfpred_status status = ppi_cache_settings(NULL, NULL, &reported, error);
  if (status)
    return status;
  planner->caches.near_bytes = reported.level_bytes[0];
  planner->caches.bytes = reported.level_bytes[reported.level_count - 1];
  planner->calibrated = true;
  return PERFPRED_OK;
}

static bool needs_caches(const struct perfpred_contraction_planner *planner, double tensor_bytes) {
  return tensor_bytes > SMALL_BYTES && planner->sampler && planner->options.mode != PERFPRED_CONTRACTION_MODELS &&
         planner->options.stage != PERFPRED_CONTRACTION_STAGE_REPEATED;
}

/* What was found for the models' machine, or by an earlier planner, or is found now. */
static enum perfpred_status find_levels(struct making *making, struct perfpred_error *error) {
  struct perfpred_contraction_planner *planner = making->planner;
  const struct perfpred_models *models = planner->models.models;
  const struct ppi_answer_caches *stored = &planner->stored.caches;
  const bool measurable = planner->options.cache_bytes == 0;
  enum perfpred_status status = PERFPRED_OK;
  if (models && take_levels(models->machine.effective, models->machine.effective_count, &planner->caches))
    planner->calibrated = true;
  else if (measurable && take_levels(stored->levels, stored->count, &planner->caches))
    planner->calibrated = planner->caches_from_file = true;
  else if (measurable && planner->sampler->ops->caches)
    status = measure_caches(making, error);
  return status || planner->calibrated ? status : report_caches(planner, error);
}

/* The caller's size; else what the machine has, once. */
static enum perfpred_status find_caches(struct making *making, double tensor_bytes,
                                        struct ppi_contraction_caches *caches, struct perfpred_error *error) {
  struct perfpred_contraction_planner *planner = making->planner;
  *caches = (struct ppi_contraction_caches){ SMALL_CACHE, SMALL_CACHE, planner->options.factor, true };
  if (!needs_caches(planner, tensor_bytes))
    return PERFPRED_OK;
  if (planner->calibrated) {
    *caches = planner->caches;
    return PERFPRED_OK;
  }
  planner->caches = *caches;
  const enum perfpred_status status = find_levels(making, error);
  if (!status && planner->options.cache_bytes > 0) {
    planner->caches.bytes = planner->options.cache_bytes;
    if (planner->caches.near_bytes > planner->caches.bytes)
      planner->caches.near_bytes = planner->caches.bytes;
  }
  *caches = planner->caches;
  return status;
}

/* --- First contact ------------------------------------------------------------------------------------------------- */

/* The shortest call of a contraction, once. */
static enum perfpred_status call_once(const struct making *making, const struct ppi_contraction *contraction,
                                      struct perfpred_error *error) {
  const struct perfpred_contraction_planner *planner = making->planner;
  const struct ppi_sampling sampling = { .repetitions = 1, .gate = -1.0 };
  struct ppi_tour_request request = { .subject = PPI_TOUR_CALL, .level = PPI_TOUR_ANYWHERE };
  struct ppi_contract_filter filter = { .kernels = 1u << PPI_CONTRACT_DOT };
  struct ppi_contract_algorithm algorithm;
  struct ppi_contraction_batch batch = { .contraction = contraction };
  size_t place = 0;
  while (filter.kernels < 1u << PPI_CONTRACT_KERNELS && !ppi_contract_at(contraction, &filter, 0, &algorithm))
    filter.kernels <<= 1;
  if (filter.kernels == 1u << PPI_CONTRACT_KERNELS)
    return PERFPRED_OK;
  enum perfpred_status status =
      ppi_contraction_batch_tour(&batch, planner->context->kernels, contraction, &algorithm, &request.tour, error);
  if (!status)
    status = ppi_contraction_batch_request(&batch, &request, &place, error);
  if (!status)
    status = ppi_contraction_batch_run(&batch, planner->sampler, &sampling, error);
  ppi_contraction_batch_free(&batch);
  return status;
}

/* A sampler takes its time before it measures anything: clocks, yardstick, libraries that initialise themselves. That comes once, and a small
   product does for it. So do tensors as large as those of this contraction, which whoever asks has anyway. Neither is what planning costs. */
static enum perfpred_status greet(struct making *making, const struct ppi_contraction *contraction,
                                  struct perfpred_error *error) {
  static const char *const names[] = { "a", "b", "c" };
  static const int64_t extents[] = { 8, 8, 8 };
  const struct ppi_contract_given given = { .type = contraction->type, .names = names, .extents = extents, .count = 3 };
  struct perfpred_contraction_planner *planner = making->planner;
  struct ppi_contraction small;
  const double begin_s = now(making);
  enum perfpred_status status = PERFPRED_OK;
  if (!planner->sampler || planner->sampler->ops->now_s || planner->options.mode == PERFPRED_CONTRACTION_MODELS)
    return PERFPRED_OK;
  if (!planner->greeted)
    status = ppi_contraction_read("ab,bc->ac", &given, &small, error);
  if (!planner->greeted && !status)
    status = call_once(making, &small, error);
  planner->greeted = planner->greeted || !status;
  if (!status)
    status = call_once(making, contraction, error);
  if (status == PERFPRED_UNSUPPORTED) { /* a library need not have the kernels of these calls */
    ppi_error_clear(error);
    status = PERFPRED_OK;
  }
  planner->calibration_s += now(making) - begin_s;
  return status;
}

/* --- All together -------------------------------------------------------------------------------------------------- */

static enum perfpred_status search(struct making *making, struct ppi_contraction_findings *findings,
                                   struct perfpred_error *error) {
  const struct perfpred_contraction_planner *planner = making->planner;
  const struct perfpred_contraction_plan_options *options = &planner->options;
  struct ppi_contraction_pricing pricing = {
    .kernels = planner->context->kernels,
    .sampler = planner->sampler,
    .models = planner->models,
    .mode = options->mode,
    .stage = options->stage,
    .caches = making->caches,
    .sampling = { .repetitions = options->repetitions, .gate = options->gate, .seed = options->seed },
    .repetitions = options->repetitions,
    .candidates = &findings->candidates,
    .overhead = OVERHEAD,
  };
  if (options->progress) {
    pricing.sampling.progress = tell;
    pricing.sampling.progress_data = making;
  }
  making->search = (struct ppi_contraction_search){ .pricing = &pricing,
                                                    .budget_s = options->budget_s,
                                                    .complete = options->complete != 0,
                                                    .tie = options->tie,
                                                    .now_s = now,
                                                    .data = making };
  enum perfpred_status status = ppi_contraction_search(&making->search, error);
  ppi_contraction_memo_free(&pricing.memo);
  findings->benchmarks = pricing.benchmarks;
  findings->budget_s = making->search.allowed_s;
  findings->bounded = making->search.bounded;
  return status;
}

static enum perfpred_status make(struct making *making, const struct ppi_contraction *contraction,
                                 struct ppi_contraction_findings *findings, struct perfpred_error *error) {
  const struct perfpred_contraction_planner *planner = making->planner;
  enum perfpred_status status =
      ppi_contraction_candidates_of(contraction, &planner->choice, &findings->candidates, error);
  if (!status)
    status = greet(making, contraction, error);
  if (!status)
    status = find_caches(making, findings->candidates.tensor_bytes, &making->caches, error);
  if (!status)
    status = search(making, findings, error);
  return status ? status : ppi_contraction_findings_rank(findings, error);
}

enum perfpred_status ppi_contraction_make(struct perfpred_contraction_planner *planner,
                                          const struct ppi_contraction *contraction,
                                          struct ppi_contraction_findings **findings, struct perfpred_error *error) {
  struct making making = { .planner = planner };
  struct ppi_contraction_findings *made = ppi_contraction_findings_new(&planner->options);
  if (!made)
    return ppi_error_memory(error);
  ppi_clock_monotonic(&making.clock);
  making.begin_s = now(&making);
  const double calibrated_s = planner->calibration_s;
  enum perfpred_status status = make(&making, contraction, made, error);
  made->calibration_s = planner->calibration_s - calibrated_s;
  made->made_s = now(&making) - making.begin_s - made->calibration_s;
  made->cache_bytes = making.caches.bytes;
  made->caches_from_file = planner->caches_from_file && needs_caches(planner, made->candidates.tensor_bytes);
  if (status)
    ppi_contraction_findings_unref(made);
  else
    *findings = made;
  return status;
}
