/* SPDX-License-Identifier: BSD-3-Clause */
/* Analyses of algorithms as structs. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "api/contraction_analysis.h"
#include "contract/name.h"

/* least: size of the struct's first version. */
static enum perfpred_status check(const struct perfpred_contraction_analysis *analysis, const void *out, size_t size,
                                  size_t least, const char *name, const char *initializer,
                                  struct perfpred_error *error) {
  if (!analysis || !out)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", analysis ? name : "analysis");
  if (size < least)
    return ppi_error_set(error, PERFPRED_INVALID, "%s->size is %zu, expected %s", name, size, initializer);
  return PERFPRED_OK;
}

static enum perfpred_status check_place(size_t place, size_t count, const char *what, struct perfpred_error *error) {
  if (place >= count)
    return ppi_error_set(error, PERFPRED_NOT_FOUND, "%s %zu: there are %zu, counted from 0", what, place, count);
  return PERFPRED_OK;
}

static void write_out(void *out, size_t size, const void *full, size_t full_size) {
  memcpy(out, full, size < full_size ? size : full_size);
  memcpy(out, &size, sizeof size);
}

static char letter(int operand) {
  return (char)('A' + operand);
}

enum perfpred_status perfpred_contraction_analysis_summary(const struct perfpred_contraction_analysis *analysis,
                                                           struct perfpred_contraction_analysis_info *info,
                                                           struct perfpred_error *error) {
  ppi_error_clear(error);
  const enum perfpred_status status = check(analysis, info, info ? info->size : 0, sizeof *info, "info",
                                            "PERFPRED_CONTRACTION_ANALYSIS_INFO_INIT", error);
  if (status)
    return status;
  struct perfpred_contraction_analysis_info full = PERFPRED_CONTRACTION_ANALYSIS_INFO_INIT;
  ppi_contract_name(&analysis->contraction.it, &analysis->algorithm, full.name);
  full.stage = analysis->options.stage;
  full.cache_bytes = analysis->options.cache_bytes;
  full.factor = analysis->options.factor;
  full.limit_bytes = analysis->settings.limit_bytes;
  full.line_bytes = analysis->options.line_bytes;
  full.calls = (size_t)analysis->found.body.call_count;
  full.occurrences = (size_t)analysis->found.count;
  full.flops = analysis->contraction.it.flops;
  write_out(info, info->size, &full, sizeof full);
  return PERFPRED_OK;
}

static const struct ppi_body_call *call_of(const struct perfpred_contraction_analysis *analysis, size_t index) {
  return &analysis->found.body.calls[index];
}

enum perfpred_status perfpred_contraction_analysis_call_at(const struct perfpred_contraction_analysis *analysis,
                                                           size_t index, struct perfpred_contraction_call *call,
                                                           struct perfpred_error *error) {
  ppi_error_clear(error);
  enum perfpred_status status =
      check(analysis, call, call ? call->size : 0, sizeof *call, "call", "PERFPRED_CONTRACTION_CALL_INIT", error);
  if (!status)
    status = check_place(index, (size_t)analysis->found.body.call_count, "call", error);
  if (status)
    return status;
  const struct ppi_body_call *of = call_of(analysis, index);
  struct perfpred_contraction_call full = PERFPRED_CONTRACTION_CALL_INIT;
  full.kind = (enum perfpred_contraction_call_kind)of->kind;
  full.tensor = of->operand >= 0 ? letter(of->operand) : '\0';
  full.count = analysis->counts[index];
  full.operands = (size_t)of->area_count;
  write_out(call, call->size, &full, sizeof full);
  return PERFPRED_OK;
}

enum perfpred_status perfpred_contraction_analysis_operand_at(const struct perfpred_contraction_analysis *analysis,
                                                              size_t call, size_t index,
                                                              struct perfpred_contraction_operand *operand,
                                                              struct perfpred_error *error) {
  ppi_error_clear(error);
  enum perfpred_status status = check(analysis, operand, operand ? operand->size : 0, sizeof *operand, "operand",
                                      "PERFPRED_CONTRACTION_OPERAND_INIT", error);
  if (!status)
    status = check_place(call, (size_t)analysis->found.body.call_count, "call", error);
  if (!status)
    status = check_place(index, (size_t)call_of(analysis, call)->area_count, "operand", error);
  if (status)
    return status;
  const struct ppi_body *body = &analysis->found.body;
  const struct ppi_area area = call_of(analysis, call)->areas[index];
  const struct ppi_analysis_operand *of = &analysis->operands[call][index];
  struct perfpred_contraction_operand full = PERFPRED_CONTRACTION_OPERAND_INIT;
  full.tensor = letter(area.memory % PPI_OPERANDS);
  full.packed = area.memory >= PPI_OPERANDS;
  full.text = of->text;
  full.bytes = ppi_area_element_bytes(&body->terrain, area);
  full.line_bytes = ppi_area_line_bytes(&body->terrain, area);
  full.since = of->since;
  full.distance_bytes = of->distance.bytes;
  full.corrected_bytes = of->distance.corrected;
  full.prefetch = (enum perfpred_contraction_prefetch)ppi_occurrence_prefetch(body, (int)call, (int)index);
  write_out(operand, operand->size, &full, sizeof full);
  return PERFPRED_OK;
}

static int64_t remote_bytes(const struct ppi_contract_setup *setup) {
  int64_t sum = 0;
  for (int i = 0; i < setup->count; i++)
    sum += setup->items[i].kind == PPI_SETUP_REMOTE ? setup->items[i].bytes : 0;
  return sum;
}

enum perfpred_status perfpred_contraction_analysis_occurrence_at(const struct perfpred_contraction_analysis *analysis,
                                                                 size_t index,
                                                                 struct perfpred_contraction_occurrence *occurrence,
                                                                 struct perfpred_error *error) {
  ppi_error_clear(error);
  enum perfpred_status status = check(analysis, occurrence, occurrence ? occurrence->size : 0, sizeof *occurrence,
                                      "occurrence", "PERFPRED_CONTRACTION_OCCURRENCE_INIT", error);
  if (!status)
    status = check_place(index, (size_t)analysis->found.count, "occurrence", error);
  if (status)
    return status;
  const struct ppi_occurrence *of = &analysis->found.items[index];
  struct perfpred_contraction_occurrence full = PERFPRED_CONTRACTION_OCCURRENCE_INIT;
  full.call = (size_t)of->call;
  full.kind = (enum perfpred_contraction_occurrence_kind)of->kind;
  full.begun = (size_t)of->started;
  full.count = of->count;
  full.items = (size_t)of->setup.count;
  full.remote_bytes = remote_bytes(&of->setup);
  write_out(occurrence, occurrence->size, &full, sizeof full);
  return PERFPRED_OK;
}

enum perfpred_status perfpred_contraction_analysis_item_at(const struct perfpred_contraction_analysis *analysis,
                                                           size_t occurrence, size_t index,
                                                           struct perfpred_contraction_item *item,
                                                           struct perfpred_error *error) {
  ppi_error_clear(error);
  enum perfpred_status status =
      check(analysis, item, item ? item->size : 0, sizeof *item, "item", "PERFPRED_CONTRACTION_ITEM_INIT", error);
  if (!status)
    status = check_place(occurrence, (size_t)analysis->found.count, "occurrence", error);
  if (!status)
    status = check_place(index, (size_t)analysis->found.items[occurrence].setup.count, "access", error);
  if (status)
    return status;
  const struct ppi_setup_item *of = &analysis->found.items[occurrence].setup.items[index];
  struct perfpred_contraction_item full = PERFPRED_CONTRACTION_ITEM_INIT;
  full.access = (enum perfpred_contraction_access)of->kind;
  full.tensor = of->operand >= 0 ? letter(of->operand) : '\0';
  full.packed = of->packed;
  full.bytes = of->bytes;
  write_out(item, item->size, &full, sizeof full);
  return PERFPRED_OK;
}

enum perfpred_status perfpred_contraction_analysis_time(const struct perfpred_contraction_analysis *analysis,
                                                        const double *times_s, size_t count, double *total_s,
                                                        struct perfpred_error *error) {
  ppi_error_clear(error);
  if (!analysis || !times_s || !total_s)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL",
                         !analysis  ? "analysis"
                         : !times_s ? "times_s"
                                    : "total_s");
  if (count != (size_t)analysis->found.count)
    return ppi_error_set(error, PERFPRED_INVALID, "count is %zu, expected %d, a time for each kind of occurrence",
                         count, analysis->found.count);
  for (size_t i = 0; i < count; i++)
    if (!(times_s[i] >= 0.0) || isinf(times_s[i]))
      return ppi_error_set(error, PERFPRED_INVALID, "times_s[%zu] is %g, expected >= 0", i, times_s[i]);
  *total_s = ppi_occurrences_time(&analysis->found, times_s);
  return PERFPRED_OK;
}
