/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/anchors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "measure/schedule.h"

#define EACH_S 0.2 /* that an anchor may take on average */

/* All lists of targets as one. */
static enum perfpred_status choose(struct ppi_anchoring *anchoring, const struct ppi_target *const *targets,
                                   const size_t *counts, size_t lists, struct perfpred_error *error) {
  size_t total = 0, used = 0;
  for (size_t i = 0; i < lists; i++)
    total += counts[i];
  struct ppi_target *all = calloc(total + 1, sizeof *all);
  if (!all)
    return ppi_error_memory(error);
  for (size_t i = 0; i < lists; i++) {
    if (counts[i] > 0)
      memcpy(all + used, targets[i], counts[i] * sizeof *all);
    used += counts[i];
  }
  enum perfpred_status status = ppi_anchors_choose(all, total, &anchoring->calls, &anchoring->count, error);
  free(all);
  return status;
}

static bool is_of(const struct ppi_anchor_call *call, const struct ppi_anchor *anchor, int64_t ld) {
  bool same = anchor->ld == ld;
  for (int k = 0; same && k < call->kernel->size_count; k++)
    same = call->values[call->kernel->sizes[k]].i == anchor->sizes[k];
  return same;
}

static const struct ppi_anchor *find_old(const struct perfpred_models *known, int setup,
                                         const struct ppi_anchor_call *call, int64_t ld) {
  for (int i = 0; i < known->count; i++) {
    const struct ppi_submodel *submodel = known->submodels + i;
    if (submodel->setup != setup || strcmp(submodel->kernel->name, call->kernel->name) != 0 ||
        strcmp(submodel->case_text, call->case_text) != 0)
      continue;
    for (int k = 0; k < submodel->anchor_count; k++)
      if (is_of(call, submodel->anchors + k, ld))
        return submodel->anchors + k;
  }
  return NULL;
}

/* Models of old samples have the anchors that were timed with these. */
static void find_all_old(struct ppi_anchoring *anchoring, const struct perfpred_models *known,
                         const struct ppi_setup *setup) {
  for (int i = 0; known && i < known->setup_count; i++)
    for (size_t k = 0; k < anchoring->count; k++)
      if (known->samples[i] && ppi_setup_same(known->setups + i, setup) && !anchoring->old[k])
        anchoring->old[k] = find_old(known, i, anchoring->calls + k, anchoring->ld);
}

enum perfpred_status ppi_anchoring_init(struct ppi_anchoring *anchoring, struct perfpred_sampler *sampler,
                                        const struct perfpred_generate_options *options, const struct ppi_setup *setup,
                                        const struct ppi_target *const *targets, const size_t *counts, size_t lists,
                                        struct perfpred_error *error) {
  *anchoring = (struct ppi_anchoring){ .sampler = sampler, .ld = options->ld };
  anchoring->sampling = (struct ppi_sampling){ .repetitions = PPI_DEFAULT_REPETITIONS,
                                               .gate = options->gate,
                                               .seed = options->seed,
                                               .partial = true,
                                               .progress = options->progress,
                                               .progress_data = options->progress_data };
  if (options->anchors < 0)
    return PERFPRED_OK;
  enum perfpred_status status = choose(anchoring, targets, counts, lists, error);
  if (!status) {
    anchoring->old = calloc(anchoring->count + 1, sizeof(const struct ppi_anchor *));
    status = anchoring->old ? PERFPRED_OK : ppi_error_memory(error);
  }
  if (!status)
    find_all_old(anchoring, options->known, setup);
  for (int end = 0; end < 2 && !status; end++) {
    anchoring->readings[end] = calloc(anchoring->count + 1, sizeof *anchoring->readings[end]);
    if (!anchoring->readings[end])
      status = ppi_error_memory(error);
    for (size_t i = 0; i < anchoring->count && !status; i++)
      anchoring->readings[end][i] = (struct ppi_anchor_reading){ .median_s = NAN, .noise = NAN };
  }
  if (status)
    ppi_anchoring_release(anchoring);
  return status;
}

void ppi_anchoring_release(struct ppi_anchoring *anchoring) {
  free(anchoring->readings[1]);
  free(anchoring->readings[0]);
  free(anchoring->old);
  free(anchoring->calls);
  *anchoring = (struct ppi_anchoring){ .count = 0 };
}

void ppi_anchor_read_result(struct ppi_result *result, struct ppi_anchor_reading *reading) {
  if (result->count == 0)
    return;
  reading->noise = ppi_stats_noise(result->times_s, result->count);
  reading->median_s = ppi_stats_median(result->times_s, result->count);
  reading->samples = result->count;
  reading->gated = result->gated;
}

/* --- Timing --------------------------------------------------------------------------------------------------------- */

/* The whole stands where it stood: at its begin, or at its end. */
struct telling {
  const struct ppi_sampling *whole;
  double fraction;
};

static int tell(void *data, const struct perfpred_progress *part) {
  const struct telling *telling = data;
  struct perfpred_progress progress = *part;
  progress.stage = "timing anchors";
  progress.fraction = telling->fraction;
  progress.remaining_s = NAN;
  return telling->whole->progress(telling->whole->progress_data, &progress);
}

static double now_s(const struct perfpred_sampler *sampler) {
  struct ppi_clock clock;
  if (sampler->ops->now_s)
    return sampler->ops->now_s(sampler);
  ppi_clock_monotonic(&clock);
  return clock.now(clock.state);
}

static enum perfpred_status sample(struct ppi_anchoring *anchoring, const struct ppi_sampling *sampling,
                                   struct ppi_anchor_reading *readings, struct perfpred_error *error) {
  struct ppi_request *requests = calloc(anchoring->count, sizeof *requests);
  struct ppi_result *results = calloc(anchoring->count, sizeof *results);
  size_t count = 0, next = 0;
  enum perfpred_status status = requests && results ? PERFPRED_OK : ppi_error_memory(error);
  for (size_t i = 0; i < anchoring->count && !status; i++)
    if (!anchoring->old[i])
      requests[count++] = (struct ppi_request){ anchoring->calls[i].kernel, anchoring->calls[i].values, anchoring->ld };
  if (!status && count > 0)
    status = anchoring->sampler->ops->sample(anchoring->sampler, requests, count, sampling, results, error);
  if (!status) {
    for (size_t i = 0; i < anchoring->count; i++)
      if (!anchoring->old[i])
        ppi_anchor_read_result(results + next++, readings + i);
    ppi_results_free(results, count);
  }
  free(results);
  free(requests);
  return status;
}

enum perfpred_status ppi_anchoring_read(struct ppi_anchoring *anchoring, enum ppi_anchor_end end, double limit_s,
                                        struct perfpred_error *error) {
  struct telling telling = { &anchoring->sampling, end == PPI_ANCHOR_BEGIN ? 0.0 : 1.0 };
  struct ppi_sampling sampling = anchoring->sampling;
  const double begin_s = now_s(anchoring->sampler), most_s = EACH_S * (double)anchoring->count;
  if (anchoring->count == 0)
    return PERFPRED_OK;
  sampling.budget_s = limit_s > 0.0 ? fmin(limit_s, most_s) : most_s;
  if (sampling.progress) {
    sampling.progress = tell;
    sampling.progress_data = &telling;
  }
  enum perfpred_status status = sample(anchoring, &sampling, anchoring->readings[end], error);
  anchoring->spent_s += now_s(anchoring->sampler) - begin_s;
  if (!status || status == PERFPRED_CANCELLED || status == PERFPRED_NO_MEMORY)
    return status;
  ppi_error_clear(error);
  return PERFPRED_OK;
}

/* --- What comes of it ----------------------------------------------------------------------------------------------- */

static bool is_known(const struct ppi_anchoring *anchoring, size_t i) {
  return anchoring->old[i] || anchoring->readings[0][i].median_s > 0.0 || anchoring->readings[1][i].median_s > 0.0;
}

/* What both readings say, and by how much they disagree. */
static struct ppi_anchor anchor_of(const struct ppi_anchoring *anchoring, size_t i) {
  const struct ppi_anchor_call *call = anchoring->calls + i;
  const struct ppi_anchor_reading *begin = &anchoring->readings[0][i], *end = &anchoring->readings[1][i];
  struct ppi_anchor anchor = { .ld = anchoring->ld, .begin_s = begin->median_s, .end_s = end->median_s };
  const bool both = begin->median_s > 0.0 && end->median_s > 0.0;
  for (int k = 0; k < call->kernel->size_count; k++)
    anchor.sizes[k] = call->values[call->kernel->sizes[k]].i;
  anchor.time_s = fmax(begin->median_s, end->median_s); /* of a number and NaN the number */
  if (both)
    anchor.time_s = 0.5 * (begin->median_s + end->median_s);
  anchor.noise = fmax(begin->noise, end->noise);
  if (both)
    anchor.noise = fmax(anchor.noise, 0.5 * fabs(end->median_s - begin->median_s) / anchor.time_s);
  anchor.samples = begin->samples + end->samples;
  anchor.gated = (begin->gated || begin->samples == 0) && (end->gated || end->samples == 0);
  ppi_date_now(anchor.at);
  return anchor;
}

enum perfpred_status ppi_anchoring_attach(const struct ppi_anchoring *anchoring, struct perfpred_models *models,
                                          struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  for (size_t i = 0; i < anchoring->count && !status; i++) {
    const struct ppi_anchor_call *call = anchoring->calls + i;
    if (!is_known(anchoring, i))
      continue;
    const struct ppi_anchor anchor = anchoring->old[i] ? *anchoring->old[i] : anchor_of(anchoring, i);
    for (int k = 0; k < models->count && !status; k++)
      if (strcmp(models->submodels[k].kernel->name, call->kernel->name) == 0 &&
          strcmp(models->submodels[k].case_text, call->case_text) == 0)
        status = ppi_submodel_add_anchor(models->submodels + k, &anchor, error);
  }
  return status;
}

size_t ppi_anchoring_known(const struct ppi_anchoring *anchoring) {
  size_t known = 0;
  for (size_t i = 0; i < anchoring->count; i++)
    known += is_known(anchoring, i) ? 1 : 0;
  return known;
}

enum perfpred_status ppi_anchoring_change(const struct ppi_anchoring *anchoring, double *ratio,
                                          struct perfpred_error *error) {
  double *ratios = calloc(anchoring->count + 1, sizeof *ratios);
  size_t count = 0;
  if (!ratios)
    return ppi_error_memory(error);
  for (size_t i = 0; i < anchoring->count; i++) {
    const double change = anchoring->readings[1][i].median_s / anchoring->readings[0][i].median_s;
    if (change > 0.0)
      ratios[count++] = change;
  }
  *ratio = count > 0 ? ppi_stats_median(ratios, count) : (double)NAN;
  free(ratios);
  return PERFPRED_OK;
}
