/* SPDX-License-Identifier: BSD-3-Clause */
/* Analyses of algorithms: what is asked for, and the texts that callers get to see. */
#include "api/contraction_analysis.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cache/settings.h"
#include "contract/name.h"

#define FACTOR 1.25
#define LINE_BYTES 64
#define LINE_MAX 65536

/* --- Options ----------------------------------------------------------------------------------------------------------- */

static enum perfpred_status check_numbers(const struct perfpred_contraction_analysis_options *full,
                                          struct perfpred_error *error) {
  const int64_t line = full->line_bytes;
  if (line < 16 || line > LINE_MAX || (line & (line - 1)) != 0)
    return ppi_error_set(error, PERFPRED_INVALID,
                         "options->line_bytes is %" PRId64 ", expected a power of 2 from 16 to %d", line, LINE_MAX);
  if (full->cache_bytes != 0 && full->cache_bytes < line)
    return ppi_error_set(error, PERFPRED_INVALID,
                         "options->cache_bytes is %" PRId64 ", expected at least a line of %" PRId64 " bytes",
                         full->cache_bytes, line);
  if (!(full->factor > 0.0) || isinf(full->factor))
    return ppi_error_set(error, PERFPRED_INVALID, "options->factor is %g, expected a number > 0, or 0 for %g",
                         full->factor, FACTOR);
  if ((unsigned)full->stage > PERFPRED_CONTRACTION_STAGE_FIRST)
    return ppi_error_set(error, PERFPRED_INVALID,
                         "options->stage is %d, expected a value of enum perfpred_contraction_stage", (int)full->stage);
  return PERFPRED_OK;
}

/* The last level that is known of this machine. */
static enum perfpred_status default_cache(struct perfpred_contraction_analysis_options *full,
                                          struct perfpred_error *error) {
  struct perfpred_cache_options caches;
  struct perfpred_cache_options asked = PERFPRED_CACHE_OPTIONS_INIT;
  asked.line_bytes = full->line_bytes;
  const enum perfpred_status status = ppi_cache_settings(&asked, NULL, &caches, error);
  if (!status)
    full->cache_bytes = caches.level_bytes[caches.level_count - 1];
  return status;
}

static enum perfpred_status read_options(const struct perfpred_contraction_analysis_options *options,
                                         struct perfpred_contraction_analysis_options *full,
                                         struct perfpred_error *error) {
  *full = (struct perfpred_contraction_analysis_options)PERFPRED_CONTRACTION_ANALYSIS_OPTIONS_INIT;
  if (options && options->size < sizeof options->size)
    return ppi_error_set(error, PERFPRED_INVALID,
                         "options->size is %zu, expected PERFPRED_CONTRACTION_ANALYSIS_OPTIONS_INIT", options->size);
  if (options)
    memcpy(full, options, options->size < sizeof *full ? options->size : sizeof *full);
  full->size = sizeof *full;
  full->line_bytes = full->line_bytes != 0 ? full->line_bytes : LINE_BYTES;
  full->factor = fpclassify(full->factor) == FP_ZERO ? FACTOR : full->factor;
  full->stage = full->stage ? full->stage : PERFPRED_CONTRACTION_STAGE_FIRST;
  enum perfpred_status status = check_numbers(full, error);
  if (!status && full->cache_bytes == 0)
    status = default_cache(full, error);
  return status;
}

static void settle(struct perfpred_contraction_analysis *analysis) {
  const struct perfpred_contraction_analysis_options *options = &analysis->options;
  const double limit = options->factor * (double)options->cache_bytes;
  const bool none = options->untruncated || limit >= (double)INT64_MAX;
  analysis->settings = (struct ppi_occurrence_settings){ .stage = options->stage,
                                                         .limit_bytes = none ? INT64_MAX : (int64_t)limit,
                                                         .line_bytes = options->line_bytes,
                                                         .whole_lines = options->whole_lines != 0,
                                                         .corrected = options->corrected != 0 };
}

/* --- Texts --------------------------------------------------------------------------------------------------------------- */

static void print_indices(const struct ppi_contraction *contraction, struct ppi_area area, struct ppi_text *text) {
  const struct ppi_tensor *tensor = &contraction->tensor[area.memory];
  for (int d = 0; d < tensor->rank; d++) {
    const bool open = area.open >> tensor->dimension[d] & 1;
    ppi_text_printf(text, "%s%c", d > 0 ? "," : "[", open ? ':' : contraction->index[tensor->dimension[d]].name);
  }
  ppi_text_append(text, tensor->rank > 0 ? "]" : "");
}

/* Indices of extent 1 are nowhere open: they count as the others do. */
void ppi_analysis_print_area(const struct perfpred_contraction_analysis *analysis, struct ppi_area area,
                             struct ppi_text *text) {
  ppi_text_printf(text, "%s%c", area.memory < PPI_OPERANDS ? "" : "copy of ", 'A' + area.memory % PPI_OPERANDS);
  if (area.memory < PPI_OPERANDS && area.open != analysis->found.body.terrain.indices[area.memory])
    print_indices(&analysis->contraction.it, area, text);
}

static bool print_operand(const struct perfpred_contraction_analysis *analysis, struct ppi_area area,
                          struct ppi_analysis_operand *operand) {
  struct ppi_text text = PPI_TEXT_INIT, since = PPI_TEXT_INIT;
  ppi_analysis_print_area(analysis, area, &text);
  ppi_text_append(&since, "");
  for (int i = 0; i < operand->distance.areas.count; i++) {
    ppi_text_append(&since, i > 0 ? ", " : "");
    ppi_analysis_print_area(analysis, operand->distance.areas.items[i], &since);
  }
  operand->text = ppi_text_take(&text);
  operand->since = ppi_text_take(&since);
  return operand->text && operand->since;
}

/* --- The whole ----------------------------------------------------------------------------------------------------------- */

static void sort_areas(struct ppi_areas *areas) {
  for (int i = 1; i < areas->count; i++)
    for (int k = i; k > 0 && areas->items[k].memory < areas->items[k - 1].memory; k--) {
      const struct ppi_area area = areas->items[k];
      areas->items[k] = areas->items[k - 1];
      areas->items[k - 1] = area;
    }
}

static enum perfpred_status describe_calls(struct perfpred_contraction_analysis *analysis,
                                           struct perfpred_error *error) {
  const struct ppi_body *body = &analysis->found.body;
  for (int call = 0; call < body->call_count; call++) {
    const enum perfpred_status status = ppi_body_count(body, body->calls[call].depth, &analysis->counts[call], error);
    if (status)
      return status;
    for (int a = 0; a < body->calls[call].area_count; a++) {
      struct ppi_analysis_operand *operand = &analysis->operands[call][a];
      ppi_distance_find(body, call, a, 0, &operand->distance);
      sort_areas(&operand->distance.areas);
      if (!print_operand(analysis, body->calls[call].areas[a], operand))
        return ppi_error_memory(error);
    }
  }
  return PERFPRED_OK;
}

/* What calls find in the cache is known of loops alone. */
static enum perfpred_status find(const struct ppi_contraction *contraction, const char *name,
                                 struct ppi_contract_algorithm *algorithm, struct perfpred_error *error) {
  enum perfpred_status status = ppi_contract_find(contraction, name, algorithm, error);
  if (!status && algorithm->way != 0)
    status =
        ppi_error_set(error, PERFPRED_UNSUPPORTED,
                      "algorithm %.60s transposes whole tensors, expected one of loops around a kernel: what calls "
                      "find in the cache is known of those alone",
                      name);
  return status;
}

enum perfpred_status perfpred_contraction_analyze(const struct perfpred_contraction *contraction, const char *algorithm,
                                                  const struct perfpred_contraction_analysis_options *options,
                                                  struct perfpred_contraction_analysis **analysis,
                                                  struct perfpred_error *error) {
  ppi_error_clear(error);
  if (!contraction || !algorithm || !analysis)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL",
                         !contraction ? "contraction"
                         : !algorithm ? "algorithm"
                                      : "analysis");
  struct perfpred_contraction_analysis *made = calloc(1, sizeof *made);
  if (!made)
    return ppi_error_memory(error);
  made->contraction = *contraction;
  enum perfpred_status status = read_options(options, &made->options, error);
  if (!status)
    status = find(&made->contraction.it, algorithm, &made->algorithm, error);
  if (!status) {
    settle(made);
    status = ppi_occurrences_find(&made->contraction.it, &made->algorithm, &made->settings, &made->found, error);
  }
  if (!status)
    status = describe_calls(made, error);
  if (status) {
    perfpred_contraction_analysis_destroy(made);
    return status;
  }
  *analysis = made;
  return PERFPRED_OK;
}

void perfpred_contraction_analysis_destroy(struct perfpred_contraction_analysis *analysis) {
  if (!analysis)
    return;
  for (int call = 0; call < PPI_BODY_CALLS_MAX; call++)
    for (int a = 0; a < PPI_OPERANDS; a++) {
      free(analysis->operands[call][a].text);
      free(analysis->operands[call][a].since);
    }
  free(analysis);
}
