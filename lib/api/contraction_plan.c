/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/contraction_plan.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"

/* --- Findings ------------------------------------------------------------------------------------------------------ */

struct ppi_contraction_findings *ppi_contraction_findings_new(const struct perfpred_contraction_plan_options *options) {
  struct ppi_contraction_findings *made = calloc(1, sizeof *made);
  if (!made)
    return NULL;
  atomic_init(&made->references, 1);
  made->mode = options->mode;
  made->stage = options->stage;
  made->tie = options->tie;
  return made;
}

void ppi_contraction_findings_unref(struct ppi_contraction_findings *findings) {
  if (!findings || atomic_fetch_sub(&findings->references, 1) != 1)
    return;
  free(findings->group_order);
  free(findings->ranking);
  ppi_contraction_candidates_free(&findings->candidates);
  free(findings);
}

/* What places are sorted by: predicted before dropped, then the time or bound, then the order of generation. */
struct ranked {
  size_t entry;
  int dropped;
  double time_s;
  uint64_t place;
};

static int compare_ranked(const void *left, const void *right) {
  const struct ranked *a = left, *b = right;
  if (a->dropped != b->dropped)
    return a->dropped - b->dropped;
  if (a->time_s != b->time_s)
    return a->time_s < b->time_s ? -1 : 1;
  return a->place < b->place ? -1 : a->place > b->place;
}

static size_t list_entries(const struct ppi_contraction_candidates *candidates, struct ranked *ranked) {
  size_t count = 0;
  for (size_t i = 0; i < candidates->entry_count; i++) {
    const struct ppi_contraction_entry *entry = &candidates->entries[i];
    const bool dropped = entry->source == PERFPRED_CONTRACTION_DROPPED;
    if (dropped && candidates->sampled)
      continue;
    ranked[count++] =
        (struct ranked){ i, dropped, dropped ? candidates->groups[entry->group].bound_s : entry->time_s.med,
                         entry->place };
  }
  qsort(ranked, count, sizeof *ranked, compare_ranked);
  return count;
}

static bool is_tied(const struct ppi_contraction_findings *findings, const struct ppi_contraction_entry *entry) {
  const struct perfpred_statistics *best = &findings->candidates.entries[findings->ranking[0]].time_s;
  /* outliers are late, never early: they make a deviation, but no noise */
  const double noise = hypot(best->med - best->min, entry->time_s.med - entry->time_s.min);
  return entry->source != PERFPRED_CONTRACTION_DROPPED &&
         entry->time_s.med - best->med <= fmax(findings->tie * best->med, noise);
}

static void rank_entries(struct ppi_contraction_findings *findings, struct ranked *ranked) {
  const struct ppi_contraction_candidates *candidates = &findings->candidates;
  findings->listed = list_entries(candidates, ranked);
  for (size_t i = 0; i < findings->listed; i++) {
    findings->ranking[i] = ranked[i].entry;
    findings->predicted += ranked[i].dropped ? 0 : 1;
  }
  for (size_t i = 0; i < findings->predicted; i++)
    findings->ties += is_tied(findings, &candidates->entries[findings->ranking[i]]) ? 1 : 0;
}

static void rank_groups(struct ppi_contraction_findings *findings, struct ranked *ranked) {
  const struct ppi_contraction_candidates *candidates = &findings->candidates;
  for (size_t i = 0; i < candidates->group_count; i++)
    if (candidates->groups[i].entries > 0)
      ranked[findings->group_count++] = (struct ranked){ i, 0, candidates->groups[i].bound_s, i };
  qsort(ranked, findings->group_count, sizeof *ranked, compare_ranked);
  for (size_t i = 0; i < findings->group_count; i++)
    findings->group_order[i] = ranked[i].entry;
}

enum perfpred_status ppi_contraction_findings_rank(struct ppi_contraction_findings *findings,
                                                   struct perfpred_error *error) {
  const struct ppi_contraction_candidates *candidates = &findings->candidates;
  const size_t most =
      candidates->entry_count > candidates->group_count ? candidates->entry_count : candidates->group_count;
  struct ranked *ranked = calloc(most + 1, sizeof *ranked);
  findings->ranking = calloc(candidates->entry_count + 1, sizeof *findings->ranking);
  findings->group_order = calloc(candidates->group_count + 1, sizeof *findings->group_order);
  enum perfpred_status status = PERFPRED_OK;
  if (!ranked || !findings->ranking || !findings->group_order)
    status = ppi_error_memory(error);
  else {
    rank_entries(findings, ranked);
    rank_groups(findings, ranked);
  }
  free(ranked);
  return status;
}

/* --- Plans --------------------------------------------------------------------------------------------------------- */

enum perfpred_status ppi_contraction_plan_create(struct ppi_contraction_findings *findings,
                                                 const struct ppi_contraction *contraction,
                                                 const struct perfpred_context *context, bool from_cache,
                                                 double planning_s, struct perfpred_contraction_plan **plan,
                                                 struct perfpred_error *error) {
  struct perfpred_contraction_plan *made = calloc(1, sizeof *made);
  if (!made)
    return ppi_error_memory(error);
  atomic_fetch_add(&findings->references, 1);
  made->findings = findings;
  made->contraction = *contraction;
  made->context = context;
  made->from_cache = from_cache;
  made->planning_s = planning_s;
  *plan = made;
  return PERFPRED_OK;
}

void perfpred_contraction_plan_destroy(struct perfpred_contraction_plan *plan) {
  if (!plan)
    return;
  free(plan->noise);
  free(plan->measured_s);
  ppi_contraction_findings_unref(plan->findings);
  free(plan);
}

static bool same_index(const struct ppi_index *a, const struct ppi_index *b, bool letters) {
  if (a->kind != b->kind || a->extent != b->extent || (letters && a->name != b->name))
    return false;
  for (int o = 0; o < PPI_OPERANDS; o++)
    if (a->stride[o] != b->stride[o])
      return false;
  return true;
}

bool ppi_contraction_same(const struct ppi_contraction *a, const struct ppi_contraction *b, bool letters) {
  if (a->type != b->type || a->index_count != b->index_count)
    return false;
  for (int i = 0; i < a->index_count; i++)
    if (!same_index(&a->index[i], &b->index[i], letters))
      return false;
  for (int o = 0; o < PPI_OPERANDS; o++) {
    if (a->tensor[o].rank != b->tensor[o].rank)
      return false;
    for (int d = 0; d < a->tensor[o].rank; d++)
      if (a->tensor[o].dimension[d] != b->tensor[o].dimension[d])
        return false;
  }
  return true;
}

bool ppi_contraction_same_algorithm(const struct ppi_contract_algorithm *a, const struct ppi_contract_algorithm *b) {
  return a->kernel == b->kernel && a->contracted == b->contracted && a->free_a == b->free_a && a->free_b == b->free_b &&
         a->way == b->way && a->loop_count == b->loop_count &&
         memcmp(a->loops, b->loops, (size_t)a->loop_count * sizeof *a->loops) == 0;
}

/* --- Telling ------------------------------------------------------------------------------------------------------- */

static enum perfpred_status check(const void *plan, const void *out, size_t size, size_t least, const char *what,
                                  const char *initializer, struct perfpred_error *error) {
  if (!plan || !out)
    return ppi_error_set(error, PERFPRED_INVALID, "plan or %s is NULL, expected both", what);
  if (size < least)
    return ppi_error_set(error, PERFPRED_INVALID, "%s.size is %zu, expected %s", what, size, initializer);
  return PERFPRED_OK;
}

void ppi_contraction_plan_tell_all(const struct perfpred_contraction_plan *plan,
                                   struct perfpred_contraction_plan_info *info) {
  const struct ppi_contraction_findings *findings = plan->findings;
  const struct ppi_contraction_candidates *candidates = &findings->candidates;
  *info = (struct perfpred_contraction_plan_info){ .size = sizeof *info,
                                                   .mode = findings->mode,
                                                   .stage = findings->stage,
                                                   .candidates = candidates->total,
                                                   .listed = findings->listed,
                                                   .predicted = findings->predicted,
                                                   .groups = findings->group_count,
                                                   .ties = findings->ties,
                                                   .benchmarks = findings->benchmarks,
                                                   .best_s = candidates->entries[findings->ranking[0]].time_s.med,
                                                   .planning_s = plan->planning_s,
                                                   .made_s = findings->made_s,
                                                   .budget_s = findings->budget_s,
                                                   .calibration_s = findings->calibration_s,
                                                   .from_cache = plan->from_cache,
                                                   .bounded = findings->bounded,
                                                   .flops = candidates->contraction.flops,
                                                   .tensor_bytes = candidates->tensor_bytes,
                                                   .cache_bytes = findings->cache_bytes,
                                                   .from_file = findings->from_file,
                                                   .caches_from_file = findings->caches_from_file };
}

enum perfpred_status perfpred_contraction_plan_summary(const struct perfpred_contraction_plan *plan,
                                                       struct perfpred_contraction_plan_info *info,
                                                       struct perfpred_error *error) {
  struct perfpred_contraction_plan_info full;
  ppi_error_clear(error);
  enum perfpred_status status = check(plan, info, info ? info->size : 0,
                                      offsetof(struct perfpred_contraction_plan_info, cache_bytes) + sizeof(int64_t),
                                      "info", "PERFPRED_CONTRACTION_PLAN_INFO_INIT", error);
  if (status)
    return status;
  ppi_contraction_plan_tell_all(plan, &full);
  full.size = info->size;
  memcpy(info, &full, full.size < sizeof full ? full.size : sizeof full);
  return PERFPRED_OK;
}

static void tell_measured(const struct perfpred_contraction_plan *plan, size_t entry,
                          struct perfpred_contraction_prediction *prediction) {
  prediction->measured_s = plan->measured_s ? plan->measured_s[entry] : (double)NAN;
  prediction->noise = plan->noise ? plan->noise[entry] : (double)NAN;
  prediction->error = (prediction->time_s.med - prediction->measured_s) / prediction->measured_s;
}

void ppi_contraction_plan_tell(const struct perfpred_contraction_plan *plan, size_t rank,
                               struct perfpred_contraction_prediction *prediction) {
  const struct ppi_contraction_findings *findings = plan->findings;
  const struct ppi_contraction_candidates *candidates = &findings->candidates;
  const size_t place = findings->ranking[rank];
  const struct ppi_contraction_entry *entry = &candidates->entries[place];
  const struct ppi_contraction_group *group = &candidates->groups[entry->group];
  *prediction = (struct perfpred_contraction_prediction){
    .size = sizeof *prediction,
    .kernel = (enum perfpred_contraction_kernel)entry->algorithm.kernel,
    .source = entry->source,
    .bound = group->bound,
    .time_s = entry->time_s,
    .bound_s = group->bound_s,
    .copy_s = entry->copy_s,
    .zero_s = entry->zero_s,
    .flops_per_s = entry->time_s.med > 0.0 ? candidates->contraction.flops / entry->time_s.med : (double)NAN,
    .memory_bytes = candidates->tensor_bytes + group->work_bytes,
    .buffer_bytes = group->work_bytes,
    .cost_s = entry->cost_s,
    .tied = is_tied(findings, entry),
    .whole = entry->algorithm.way != 0
  };
  ppi_contract_name(&plan->contraction, &entry->algorithm, prediction->name);
  for (int o = 0; o < PPI_OPERANDS; o++)
    prediction->copies += entry->algorithm.copied[o] >= 0;
  while (findings->group_order[prediction->group] != entry->group)
    prediction->group++;
  tell_measured(plan, place, prediction);
}

enum perfpred_status perfpred_contraction_plan_at(const struct perfpred_contraction_plan *plan, size_t rank,
                                                  struct perfpred_contraction_prediction *prediction,
                                                  struct perfpred_error *error) {
  struct perfpred_contraction_prediction full;
  ppi_error_clear(error);
  enum perfpred_status status = check(plan, prediction, prediction ? prediction->size : 0,
                                      offsetof(struct perfpred_contraction_prediction, error) + sizeof(double),
                                      "prediction", "PERFPRED_CONTRACTION_PREDICTION_INIT", error);
  if (!status && rank >= plan->findings->listed)
    status =
        ppi_error_set(error, PERFPRED_NOT_FOUND, "rank is %zu, expected less than %zu", rank, plan->findings->listed);
  if (status)
    return status;
  ppi_contraction_plan_tell(plan, rank, &full);
  full.size = prediction->size;
  memcpy(prediction, &full, full.size < sizeof full ? full.size : sizeof full);
  return PERFPRED_OK;
}

int64_t perfpred_contraction_plan_find(const struct perfpred_contraction_plan *plan, const char *name) {
  struct ppi_contract_algorithm algorithm;
  if (!plan || !name || ppi_contract_find(&plan->contraction, name, &algorithm, NULL) != PERFPRED_OK)
    return -1;
  for (size_t i = 0; i < plan->findings->listed; i++)
    if (ppi_contraction_same_algorithm(&plan->findings->candidates.entries[plan->findings->ranking[i]].algorithm,
                                       &algorithm))
      return (int64_t)i;
  return -1;
}

void ppi_contraction_plan_tell_group(const struct perfpred_contraction_plan *plan, size_t index,
                                     struct perfpred_contraction_group *group) {
  const struct ppi_contraction_findings *findings = plan->findings;
  const struct ppi_contraction_group *of = &findings->candidates.groups[findings->group_order[index]];
  const int claimed[] = { of->contracted, of->free_a, of->free_b };
  size_t length = 0;
  *group = (struct perfpred_contraction_group){ .size = sizeof *group,
                                                .kernel = (enum perfpred_contraction_kernel)of->kernel,
                                                .call = of->text,
                                                .algorithms = of->algorithms,
                                                .predicted = of->predicted,
                                                .calls = of->calls,
                                                .bound = of->bound,
                                                .bound_s = of->bound_s,
                                                .call_s = of->call_s,
                                                .best_s = isfinite(of->best_s) ? of->best_s : (double)NAN };
  for (size_t i = 0; i < sizeof claimed / sizeof claimed[0]; i++)
    if (claimed[i] >= 0)
      group->indices[length++] = plan->contraction.index[claimed[i]].name;
}

enum perfpred_status perfpred_contraction_plan_group_at(const struct perfpred_contraction_plan *plan, size_t index,
                                                        struct perfpred_contraction_group *group,
                                                        struct perfpred_error *error) {
  struct perfpred_contraction_group full;
  ppi_error_clear(error);
  enum perfpred_status status =
      check(plan, group, group ? group->size : 0, offsetof(struct perfpred_contraction_group, best_s) + sizeof(double),
            "group", "PERFPRED_CONTRACTION_GROUP_INIT", error);
  if (!status && index >= plan->findings->group_count)
    status = ppi_error_set(error, PERFPRED_NOT_FOUND, "index is %zu, expected less than %zu", index,
                           plan->findings->group_count);
  if (status)
    return status;
  ppi_contraction_plan_tell_group(plan, index, &full);
  full.size = group->size;
  memcpy(group, &full, full.size < sizeof full ? full.size : sizeof full);
  return PERFPRED_OK;
}
