/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict/blend.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "cache/settings.h"
#include "model/state.h"

#define ROUNDING 1e-12 /* of shares that add up to 1 */

static const enum perfpred_cache_state states[PPI_BLEND_STATES] = { PERFPRED_STATE_WARM, PERFPRED_STATE_IN,
                                                                    PERFPRED_STATE_OUTER, PERFPRED_STATE_OUT };

/* --- Binding -------------------------------------------------------------------------------------------------------- */

static bool suits(const struct perfpred_plan *plan, const struct ppi_submodel *submodel,
                  const struct perfpred_kernel *kernel, enum perfpred_cache_state state) {
  return submodel->setup == plan->setup && !submodel->basis && submodel->dimensions == kernel->size_count &&
         ppi_state_of(submodel->context) == state;
}

static void take(const struct perfpred_plan *plan, const struct perfpred_kernel *kernel, const int *places, int total,
                 struct ppi_blend_site *site) {
  int count = 0;
  for (int state = 0; state < PPI_BLEND_STATES; state++) {
    site->first[state] = count;
    for (int i = 0; i < total; i++) {
      const struct ppi_submodel *submodel = &plan->models->submodels[places[i]];
      if (suits(plan, submodel, kernel, states[state]))
        site->submodels[count++] = submodel;
    }
  }
  site->first[PPI_BLEND_STATES] = count;
}

static enum perfpred_status bind_site(const struct perfpred_plan *plan, const struct ppi_node *node,
                                      struct ppi_blend_site *site, struct perfpred_error *error) {
  char case_text[PPI_CASE_MAX];
  ppi_plan_case(node, case_text);
  const int total = ppi_models_find(plan->models, node->kernel->name, case_text, NULL, 0);
  int *places = calloc((size_t)total + 1, sizeof *places);
  site->submodels = calloc((size_t)total + 1, sizeof(void *));
  enum perfpred_status status = places && site->submodels ? PERFPRED_OK : ppi_error_memory(error);
  if (!status) {
    ppi_models_find(plan->models, node->kernel->name, case_text, places, total);
    take(plan, node->kernel, places, total, site);
    if (site->first[PPI_BLEND_STATES] == 0 && !plan->partial)
      status = ppi_plan_unmodelled(plan, node->kernel->name, case_text, error);
  }
  free(places);
  return status;
}

enum perfpred_status ppi_blend_create(const struct perfpred_plan *plan, const struct perfpred_cache_options *options,
                                      struct ppi_blend **blend, struct perfpred_error *error) {
  struct ppi_blend *made = calloc(1, sizeof *made);
  if (!made)
    return ppi_error_memory(error);
  enum perfpred_status status = ppi_cache_settings(options, &plan->models->machine, &made->options, error);
  if (!status && made->options.ld == 0)
    made->options.ld = plan->ld;
  if (!status)
    status = ppi_calls_of(plan->program, &made->calls, error);
  if (!status && !(made->sites = calloc(made->calls.count + 1, sizeof *made->sites)))
    status = ppi_error_memory(error);
  for (size_t i = 0; i < made->calls.count && !status; i++)
    status = bind_site(plan, made->calls.sites[i].node, &made->sites[i], error);
  if (status)
    ppi_blend_destroy(made);
  else
    *blend = made;
  return status;
}

void ppi_blend_destroy(struct ppi_blend *blend) {
  if (!blend)
    return;
  for (size_t i = 0; blend->sites && i < blend->calls.count; i++)
    free(blend->sites[i].submodels);
  free(blend->sites);
  ppi_calls_free(&blend->calls);
  free(blend);
}

/* --- Times of a call ------------------------------------------------------------------------------------------------ */

static int count_of(const struct ppi_blend_site *site, int state) {
  return site->first[state + 1] - site->first[state];
}

/* The state whose models stand for a place: that of the place, or the nearest one that has models, first towards the processor. */
static int state_of(const struct ppi_blend_site *site, size_t place, size_t level_count) {
  const int wanted = place == 0 ? 1 : place < level_count ? 2 : 3;
  for (int state = wanted; state >= 0; state--)
    if (count_of(site, state) > 0)
      return state;
  for (int state = wanted + 1; state < PPI_BLEND_STATES; state++)
    if (count_of(site, state) > 0)
      return state;
  return -1;
}

struct pricing {
  const struct perfpred_plan *plan;
  const struct ppi_blend *blend;
  struct perfpred_cache *cache;
  const struct ppi_plan_watcher *watcher;
  struct ppi_plan_sum *sum;
  double variance;
  bool unknown;
  uint64_t busy;
};

static enum perfpred_status out_of_domain(const struct pricing *pricing, const struct ppi_cache_call *call,
                                          const struct ppi_submodel *submodel, struct perfpred_error *error) {
  struct ppi_text text = PPI_TEXT_INIT;
  for (int i = 0; i < submodel->dimensions; i++)
    ppi_text_printf(&text, "%s[%" PRId64 ", %" PRId64 "]", i ? " x " : "", submodel->lower[i], submodel->upper[i]);
  char *domain = ppi_text_take(&text);
  enum perfpred_status status =
      ppi_error_set(error, PERFPRED_OUT_OF_DOMAIN, "%s: %s is above the domain of its model, %s",
                    pricing->plan->program->name, call->text, domain ? domain : "");
  free(domain);
  return status;
}

/* What the models of each state say of a call. */
struct estimates {
  struct ppi_estimate of[PPI_BLEND_STATES];
  bool known[PPI_BLEND_STATES];
};

static enum perfpred_status ask(const struct pricing *pricing, const struct ppi_cache_call *call,
                                const struct ppi_blend_site *site, int state, struct estimates *estimates,
                                struct perfpred_error *error) {
  if (estimates->known[state])
    return PERFPRED_OK;
  const struct ppi_submodel *submodel =
      ppi_plan_choose_submodel(site->submodels + site->first[state], count_of(site, state), call->sizes);
  ppi_submodel_estimate(submodel, call->sizes, &estimates->of[state]);
  estimates->known[state] = true;
  if ((estimates->of[state].notes & PERFPRED_NOTE_EXTRAPOLATED) && !pricing->plan->extrapolate)
    return out_of_domain(pricing, call, submodel, error);
  return PERFPRED_OK;
}

/* Adds a share of an estimate: the times of one call are its own, so that deviations add as they are. */
static void add_share(struct ppi_estimate *blended, const struct ppi_estimate *part, double factor) {
  struct perfpred_statistics time_s = part->time_s;
  ppi_stats_scale(&time_s, factor);
  blended->time_s.min += time_s.min;
  blended->time_s.med += time_s.med;
  blended->time_s.max += time_s.max;
  blended->time_s.mean += time_s.mean;
  blended->time_s.std += time_s.std;
  blended->error += part->error * time_s.med;
  blended->notes |= part->notes;
}

/* What the shares leave is of the warm time; of a kernel that has no warm models of the nearest state's. */
static enum perfpred_status price_rest(const struct pricing *pricing, struct ppi_cache_call *call,
                                       const struct ppi_blend_site *site, double left, struct estimates *estimates,
                                       struct ppi_estimate *blended, struct perfpred_error *error) {
  const bool known = count_of(site, 0) > 0;
  const int state = known ? 0 : state_of(site, 0, pricing->cache->options.level_count);
  enum perfpred_status status = ask(pricing, call, site, state, estimates, error);
  if (status)
    return status;
  if (known)
    call->warm_s = estimates->of[state].time_s.med;
  if (left > ROUNDING)
    add_share(blended, &estimates->of[state], left);
  return PERFPRED_OK;
}

static enum perfpred_status price(struct pricing *pricing, struct ppi_cache_call *call,
                                  const struct ppi_blend_site *site, struct ppi_estimate *blended,
                                  struct perfpred_error *error) {
  const struct perfpred_cache_options *options = &pricing->cache->options;
  struct estimates estimates = { .known = { false } };
  int used = -1;
  double left = 1.0;
  bool several = false;
  enum perfpred_status status = PERFPRED_OK;
  memset(blended, 0, sizeof *blended);
  for (size_t place = 0; place <= options->level_count && !status; place++) {
    const int state = state_of(site, place, options->level_count);
    status = ask(pricing, call, site, state, &estimates, error);
    call->times_s[place] = estimates.of[state].time_s.med;
    several = several || (used >= 0 && used != state);
    used = state;
    const double factor = options->weights[place] * call->shares[place];
    if (factor > 0.0 && !call->warm) {
      add_share(blended, &estimates.of[state], factor);
      left -= factor;
    }
  }
  if (!status)
    status = price_rest(pricing, call, site, left, &estimates, blended, error);
  blended->error = blended->time_s.med > 0.0 ? blended->error / blended->time_s.med : 0.0;
  call->priced = true;
  pricing->cache->priced++;
  pricing->cache->blended += several;
  return status;
}

static void no_time(struct ppi_cache_call *call) {
  call->warm_s = 0.0;
  for (int place = 0; place < PPI_CACHE_PLACES; place++)
    call->times_s[place] = 0.0;
}

static void add(struct pricing *pricing, const struct ppi_estimate *estimate) {
  struct ppi_plan_sum *sum = pricing->sum;
  sum->notes |= estimate->notes;
  sum->time_s.min += estimate->time_s.min;
  sum->time_s.med += estimate->time_s.med;
  sum->time_s.max += estimate->time_s.max;
  sum->time_s.mean += estimate->time_s.mean;
  sum->cache_calls++;
  sum->error_s += ppi_estimate_error_s(estimate);
  pricing->variance += estimate->time_s.std * estimate->time_s.std;
  if (isnan(estimate->error)) {
    sum->notes |= PERFPRED_NOTE_UNCERTAIN;
    pricing->unknown = true;
  }
}

static enum perfpred_status price_call(struct pricing *pricing, struct ppi_cache_call *call,
                                       struct perfpred_error *error) {
  const struct ppi_blend_site *site = &pricing->blend->sites[ppi_calls_place(&pricing->blend->calls, call->node)];
  struct ppi_estimate blended;
  pricing->sum->calls++;
  if (call->empty) {
    no_time(call);
    return PERFPRED_OK;
  }
  pricing->busy++;
  if (site->first[PPI_BLEND_STATES] == 0) {
    no_time(call);
    pricing->sum->notes |= PERFPRED_NOTE_UNMODELLED;
    return PERFPRED_OK;
  }
  enum perfpred_status status = price(pricing, call, site, &blended, error);
  if (status)
    return status;
  add(pricing, &blended);
  const struct ppi_plan_watched watched = { site->submodels[0], call->node->kernel->size_count, call->sizes, &blended };
  return !pricing->watcher || pricing->watcher->call(pricing->watcher->data, &watched) ? PERFPRED_OK
                                                                                       : ppi_error_memory(error);
}

static unsigned ld_note(const struct pricing *pricing) {
  unsigned kinds = 0;
  for (size_t i = 0; i < pricing->blend->calls.count; i++)
    for (int k = 0; k < pricing->blend->sites[i].first[PPI_BLEND_STATES]; k++)
      kinds |= 1U << ppi_ld_kind_of(pricing->blend->sites[i].submodels[k]->ld);
  return ppi_plan_ld_note(kinds, pricing->blend->options.ld);
}

static enum perfpred_status price_all(struct pricing *pricing, struct perfpred_error *error) {
  struct perfpred_cache *cache = pricing->cache;
  struct ppi_plan_sum *sum = pricing->sum;
  enum perfpred_status status = PERFPRED_OK;
  for (size_t i = 0; i < cache->count && !status; i++)
    status = price_call(pricing, &cache->calls[i], error);
  if (status)
    return status;
  sum->time_s.std = sqrt(pricing->variance);
  if (pricing->busy > 0)
    sum->model_error = pricing->unknown || !(sum->time_s.med > 0.0) ? (double)NAN : sum->error_s / sum->time_s.med;
  else
    sum->notes |= PERFPRED_NOTE_ZERO_WORK;
  sum->notes |= pricing->plan->notes | ld_note(pricing);
  cache->notes = sum->notes;
  ppi_cache_weigh(cache);
  return PERFPRED_OK;
}

/* --- Plans ---------------------------------------------------------------------------------------------------------- */

static enum perfpred_status analyze(const struct perfpred_plan *plan, const struct ppi_blend *blend,
                                    const int64_t *parameters, size_t count, const struct ppi_plan_watcher *watcher,
                                    struct ppi_plan_sum *sum, struct perfpred_cache **cache,
                                    struct perfpred_error *error) {
  struct perfpred_cache *made = NULL;
  memset(sum, 0, sizeof *sum);
  enum perfpred_status status = ppi_cache_analyze(plan->program, parameters, count, &blend->options, &made, error);
  if (status)
    return status;
  struct pricing pricing = { .plan = plan, .blend = blend, .cache = made, .watcher = watcher, .sum = sum };
  status = price_all(&pricing, error);
  if (status)
    perfpred_cache_destroy(made);
  else
    *cache = made;
  return status;
}

enum perfpred_status ppi_blend_sum(const struct perfpred_plan *plan, const int64_t *parameters, size_t count,
                                   const struct ppi_plan_watcher *watcher, struct ppi_plan_sum *sum,
                                   struct perfpred_error *error) {
  struct perfpred_cache *cache = NULL;
  enum perfpred_status status = analyze(plan, plan->blend, parameters, count, watcher, sum, &cache, error);
  perfpred_cache_destroy(cache);
  return status;
}

enum perfpred_status ppi_blend_median(const struct perfpred_plan *plan, const int64_t *parameters, size_t count,
                                      double limit_s, double *median_s, unsigned *notes, struct perfpred_error *error) {
  struct ppi_plan_sum sum;
  enum perfpred_status status = ppi_blend_sum(plan, parameters, count, NULL, &sum, error);
  if (status)
    return status;
  if (sum.time_s.med > limit_s)
    return PERFPRED_CANCELLED;
  *median_s = sum.time_s.med;
  *notes = sum.notes;
  return PERFPRED_OK;
}

enum perfpred_status perfpred_plan_cache(const struct perfpred_plan *plan, const int64_t *parameters, size_t count,
                                         const struct perfpred_cache_options *options, struct perfpred_cache **cache,
                                         struct perfpred_error *error) {
  ppi_error_clear(error);
  if (!plan || !cache)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", plan ? "cache" : "plan");
  struct ppi_blend *blend = NULL;
  struct ppi_plan_sum sum;
  enum perfpred_status status = PERFPRED_OK;
  if (options || !plan->blend)
    status = ppi_blend_create(plan, options, &blend, error);
  if (!status)
    status = analyze(plan, blend ? blend : plan->blend, parameters, count, NULL, &sum, cache, error);
  ppi_blend_destroy(blend);
  return status;
}
