/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/drift.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"

/* --- What there is -------------------------------------------------------------------------------------------------- */

static bool same_call(const struct ppi_drift_call *call, const struct ppi_submodel *submodel,
                      const struct ppi_anchor *anchor) {
  bool same = call->setup == submodel->setup && call->ld == anchor->ld &&
              strcmp(call->kernel->name, submodel->kernel->name) == 0 &&
              strcmp(call->case_text, submodel->case_text) == 0;
  for (int k = 0; same && k < submodel->kernel->size_count; k++)
    same = call->values[submodel->kernel->sizes[k]].i == anchor->sizes[k];
  return same;
}

static size_t call_of(struct perfpred_drift *drift, const struct ppi_submodel *submodel, int rank) {
  const struct ppi_anchor *anchor = submodel->anchors + rank;
  for (size_t i = 0; i < drift->call_count; i++)
    if (same_call(drift->calls + i, submodel, anchor))
      return i;
  struct ppi_drift_call *call = drift->calls + drift->call_count;
  *call = (struct ppi_drift_call){ .setup = submodel->setup,
                                   .kernel = submodel->kernel,
                                   .case_text = submodel->case_text,
                                   .ld = anchor->ld,
                                   .rank = rank,
                                   .now = { .median_s = NAN, .noise = NAN } };
  memcpy(call->values, submodel->values, sizeof call->values);
  for (int k = 0; k < submodel->kernel->size_count; k++)
    call->values[submodel->kernel->sizes[k]].i = anchor->sizes[k];
  return drift->call_count++;
}

static bool is_of_line(const struct ppi_drift_line *line, const struct ppi_submodel *submodel,
                       const struct ppi_anchor *anchor) {
  const double scale = ppi_scaling_factor(&submodel->scaling);
  return line->setup == submodel->setup && strcmp(line->kernel, submodel->kernel->name) == 0 &&
         strcmp(line->at, anchor->at) == 0 && !(line->scale < scale) && !(line->scale > scale);
}

static size_t line_of(struct perfpred_drift *drift, const struct ppi_submodel *submodel,
                      const struct ppi_anchor *anchor) {
  for (size_t i = 0; i < drift->line_count; i++)
    if (is_of_line(drift->lines + i, submodel, anchor))
      return i;
  drift->lines[drift->line_count] = (struct ppi_drift_line){ .setup = submodel->setup,
                                                             .kernel = submodel->kernel->name,
                                                             .at = anchor->at,
                                                             .scale = ppi_scaling_factor(&submodel->scaling),
                                                             .ratio = NAN,
                                                             .noise = NAN };
  return drift->line_count++;
}

static double model_of(const struct ppi_submodel *submodel, const struct ppi_anchor *anchor) {
  struct ppi_estimate estimate;
  if (submodel->context[0])
    return NAN;
  ppi_submodel_estimate(submodel, anchor->sizes, &estimate);
  return estimate.time_s.med;
}

/* Models of one kernel and case, of several domains or states, may have been given the same anchor. */
static void add_anchor(struct perfpred_drift *drift, const struct ppi_submodel *submodel, int rank) {
  const struct ppi_anchor *anchor = submodel->anchors + rank;
  const struct ppi_drift_anchor made = { call_of(drift, submodel, rank), line_of(drift, submodel, anchor), anchor,
                                         model_of(submodel, anchor) };
  for (size_t i = 0; i < drift->anchor_count; i++)
    if (drift->anchors[i].call == made.call && drift->anchors[i].line == made.line)
      return;
  drift->anchors[drift->anchor_count++] = made;
  drift->lines[made.line].anchors++;
}

static enum perfpred_status fill(struct perfpred_drift *drift, struct perfpred_error *error) {
  const struct perfpred_models *models = drift->models;
  size_t total = 0;
  for (int i = 0; i < models->count; i++)
    total += (size_t)models->submodels[i].anchor_count;
  if (total == 0)
    return ppi_error_set(error, PERFPRED_NOT_FOUND,
                         "models: there are no anchors to be timed again; expected models that were generated with "
                         "them: generate again");
  drift->calls = calloc(total, sizeof *drift->calls);
  drift->anchors = calloc(total, sizeof *drift->anchors);
  drift->lines = calloc(total, sizeof *drift->lines);
  drift->setups = calloc((size_t)models->setup_count, sizeof *drift->setups);
  drift->scratch = calloc(2 * total, sizeof *drift->scratch);
  if (!drift->calls || !drift->anchors || !drift->lines || !drift->setups || !drift->scratch)
    return ppi_error_memory(error);
  for (int i = 0; i < models->count; i++)
    for (int k = 0; k < models->submodels[i].anchor_count; k++)
      add_anchor(drift, models->submodels + i, k);
  return PERFPRED_OK;
}

enum perfpred_status perfpred_drift_create(struct perfpred_models *models, struct perfpred_drift **drift,
                                           struct perfpred_error *error) {
  ppi_error_clear(error);
  if (!models || !drift)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", models ? "drift" : "models");
  struct perfpred_drift *made = calloc(1, sizeof *made);
  if (!made)
    return ppi_error_memory(error);
  made->models = perfpred_models_ref(models);
  enum perfpred_status status = fill(made, error);
  if (status)
    perfpred_drift_destroy(made);
  else
    *drift = made;
  return status;
}

void perfpred_drift_destroy(struct perfpred_drift *drift) {
  if (!drift)
    return;
  free(drift->scratch);
  free(drift->setups);
  free(drift->lines);
  free(drift->anchors);
  free(drift->calls);
  perfpred_models_unref(drift->models);
  free(drift);
}

/* --- What it says ---------------------------------------------------------------------------------------------------- */

double ppi_drift_ratio(const struct perfpred_drift *drift, const struct ppi_drift_anchor *anchor, double *noise) {
  const struct ppi_anchor_reading *now = &drift->calls[anchor->call].now;
  *noise = hypot(now->noise, anchor->then->noise);
  return now->median_s / (anchor->then->time_s * drift->lines[anchor->line].scale);
}

double ppi_drift_threshold(const struct ppi_drift_line *line) {
  return PPI_DRIFT_REPEATS + 2.0 * line->noise;
}

const struct ppi_drift_line *ppi_drift_line_of(const struct perfpred_drift *drift, int setup, const char *kernel) {
  for (size_t i = 0; i < drift->line_count; i++) {
    const struct ppi_drift_line *line = drift->lines + i;
    if (line->setup == setup && line->measured > 0 && strcmp(line->kernel, kernel) == 0)
      return line;
  }
  return NULL;
}

const char *ppi_drift_word(enum perfpred_drift_verdict verdict) {
  static const char *const words[] = { "unmeasured", "holds", "unclear", "drifted" };
  return words[verdict];
}

enum perfpred_status perfpred_drift_kernel_at(const struct perfpred_drift *drift, size_t index,
                                              struct perfpred_drift_kernel *kernel, struct perfpred_error *error) {
  ppi_error_clear(error);
  if (!drift || !kernel)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", drift ? "kernel" : "drift");
  if (kernel->size < sizeof kernel->size)
    return ppi_error_set(error, PERFPRED_INVALID, "kernel.size: %zu: expected PERFPRED_DRIFT_KERNEL_INIT",
                         kernel->size);
  if (index >= drift->line_count)
    return ppi_error_set(error, PERFPRED_NOT_FOUND, "index: %zu: expected less than the number of kernels, %zu", index,
                         drift->line_count);
  const struct ppi_drift_line *line = drift->lines + index;
  const struct perfpred_drift_kernel full = {
    kernel->size, line->kernel, (size_t)line->setup,       line->at,     line->scale, line->anchors, line->measured,
    line->ratio,  line->noise,  ppi_drift_threshold(line), line->verdict
  };
  memcpy(kernel, &full, kernel->size < sizeof full ? kernel->size : sizeof full);
  return PERFPRED_OK;
}

static void add_up(const struct perfpred_drift *drift, double *ratios, double *noises,
                   struct perfpred_drift_info *info) {
  size_t count = 0;
  for (size_t i = 0; i < drift->line_count; i++) {
    const struct ppi_drift_line *line = drift->lines + i;
    info->measured += line->measured;
    if (line->verdict > info->verdict)
      info->verdict = line->verdict;
    if (line->measured == 0)
      continue;
    ratios[count] = line->ratio;
    noises[count++] = line->noise;
  }
  info->ratio = count > 0 ? ppi_stats_median(ratios, count) : (double)NAN;
  info->noise = count > 0 ? ppi_stats_median(noises, count) : (double)NAN;
}

enum perfpred_status perfpred_drift_describe(const struct perfpred_drift *drift, struct perfpred_drift_info *info,
                                             struct perfpred_error *error) {
  ppi_error_clear(error);
  if (!drift || !info)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", drift ? "info" : "drift");
  if (info->size < sizeof info->size)
    return ppi_error_set(error, PERFPRED_INVALID, "info.size: %zu: expected PERFPRED_DRIFT_INFO_INIT", info->size);
  struct perfpred_drift_info full = {
    .size = info->size, .kernels = drift->line_count, .anchors = drift->anchor_count, .wall_s = drift->wall_s
  };
  double *ratios = calloc(2 * drift->line_count, sizeof *ratios);
  if (!ratios)
    return ppi_error_memory(error);
  add_up(drift, ratios, ratios + drift->line_count, &full);
  free(ratios);
  memcpy(info, &full, info->size < sizeof full ? info->size : sizeof full);
  return PERFPRED_OK;
}
