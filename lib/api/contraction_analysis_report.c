/* SPDX-License-Identifier: BSD-3-Clause */
/* Analyses of algorithms as JSON (doc/json.md, "contraction analysis"). */
#include <stdlib.h>

#include "api/contraction_analysis.h"
#include "api/contraction_plan.h"
#include "contract/name.h"
#include "store/json.h"

struct report {
  const struct perfpred_contraction_analysis *analysis;
  struct ppi_json_out out;
  bool failed;
};

static const char *const calls[] = { "kernel", "copy-in", "copy-out", "zero" };
static const char *const kinds[] = { "normal", "fail", "first" };
static const char *const fetches[] = { NULL, "line", "next" };
static const char *const accesses[] = { "remote", "whole", "line" };

static void put_word(struct ppi_json_out *out, const char *key, const char *word) {
  if (word)
    ppi_json_put_string(out, key, word);
  else
    ppi_json_put_null(out, key);
}

static void put_tensor(struct ppi_json_out *out, int operand) {
  const char letter[2] = { (char)('A' + operand), '\0' };
  put_word(out, "tensor", operand >= 0 ? letter : NULL);
}

static void put_area(struct report *report, struct ppi_json_out *object, struct ppi_area area) {
  struct ppi_text text = PPI_TEXT_INIT;
  ppi_analysis_print_area(report->analysis, area, &text);
  char *taken = ppi_text_take(&text);
  report->failed = report->failed || !taken;
  ppi_json_put_string(object, "area", taken ? taken : "");
  free(taken);
}

static void put_since(struct report *report, struct ppi_json_out *object, const struct ppi_areas *areas) {
  ppi_json_put_empty_list(object, "since");
  for (int i = 0; i < areas->count; i++) {
    struct ppi_json_out area;
    ppi_json_begin(&area);
    put_area(report, &area, areas->items[i]);
    ppi_json_put_integer(&area, "bytes", ppi_area_size(&report->analysis->found.body.terrain, areas->items[i]));
    ppi_json_append(object, "since", &area);
  }
}

static void put_operand(struct report *report, struct ppi_json_out *call, int index, int a) {
  const struct ppi_body *body = &report->analysis->found.body;
  const struct ppi_area area = body->calls[index].areas[a];
  const struct ppi_distance *distance = &report->analysis->operands[index][a].distance;
  struct ppi_json_out object;
  ppi_json_begin(&object);
  put_tensor(&object, area.memory % PPI_OPERANDS);
  ppi_json_put_bool(&object, "packed", area.memory >= PPI_OPERANDS);
  put_area(report, &object, area);
  ppi_json_put_integer(&object, "bytes", ppi_area_element_bytes(&body->terrain, area));
  ppi_json_put_integer(&object, "line_bytes", ppi_area_line_bytes(&body->terrain, area));
  put_since(report, &object, &distance->areas);
  ppi_json_put_integer(&object, "distance_bytes", distance->bytes);
  ppi_json_put_integer(&object, "corrected_bytes", distance->corrected);
  put_word(&object, "prefetch", fetches[ppi_occurrence_prefetch(body, index, a)]);
  ppi_json_append(call, "operands", &object);
}

static void put_call(struct report *report, int index) {
  const struct ppi_body_call *of = &report->analysis->found.body.calls[index];
  struct ppi_json_out object;
  ppi_json_begin(&object);
  ppi_json_put_string(&object, "call", calls[of->kind]);
  put_tensor(&object, of->operand);
  ppi_json_put_integer(&object, "count", report->analysis->counts[index]);
  ppi_json_put_empty_list(&object, "operands");
  for (int a = 0; a < of->area_count; a++)
    put_operand(report, &object, index, a);
  ppi_json_append(&report->out, "calls", &object);
}

static void put_item(struct ppi_json_out *occurrence, const struct ppi_setup_item *item) {
  struct ppi_json_out object;
  ppi_json_begin(&object);
  ppi_json_put_string(&object, "access", accesses[item->kind]);
  put_tensor(&object, item->operand);
  ppi_json_put_bool(&object, "packed", item->packed);
  ppi_json_put_integer(&object, "bytes", item->bytes);
  ppi_json_append(occurrence, "setup", &object);
}

static void put_occurrence(struct report *report, const struct ppi_occurrence *of) {
  const struct ppi_body *body = &report->analysis->found.body;
  struct ppi_json_out object;
  ppi_json_begin(&object);
  ppi_json_put_integer(&object, "call", of->call);
  ppi_json_put_string(&object, "kind", kinds[of->kind]);
  ppi_json_put_integer(&object, "begun", of->started);
  ppi_json_put_integer(&object, "count", of->count);
  ppi_json_put_integers(&object, "distance_bytes", of->distance, (size_t)body->calls[of->call].area_count);
  ppi_json_put_empty_list(&object, "setup");
  for (int i = 0; i < of->setup.count; i++)
    put_item(&object, &of->setup.items[i]);
  ppi_json_append(&report->out, "occurrences", &object);
}

static void put_extents(struct report *report) {
  const struct ppi_contraction *contraction = &report->analysis->contraction.it;
  struct ppi_json_out extents;
  ppi_json_begin(&extents);
  for (int i = 0; i < contraction->index_count; i++)
    ppi_json_put_integer(&extents, (char[]){ contraction->index[i].name, '\0' }, contraction->index[i].extent);
  ppi_json_put_object(&report->out, "extents", &extents);
}

static void put_head(struct report *report) {
  const struct perfpred_contraction_analysis *analysis = report->analysis;
  const char type[2] = { ppi_type_letter(analysis->contraction.it.type), '\0' };
  char name[PPI_CONTRACT_NAME_MAX];
  ppi_contract_name(&analysis->contraction.it, &analysis->algorithm, name);
  ppi_json_put_string(&report->out, "name", name);
  ppi_json_put_string(&report->out, "einsum", analysis->contraction.einsum);
  ppi_json_put_string(&report->out, "type", type);
  put_extents(report);
  ppi_json_put_real(&report->out, "flops", analysis->contraction.it.flops);
  ppi_json_put_string(&report->out, "stage", ppi_contraction_stages[analysis->options.stage]);
  ppi_json_put_integer(&report->out, "cache_bytes", analysis->options.cache_bytes);
  ppi_json_put_real(&report->out, "factor", analysis->options.factor);
  if (analysis->settings.limit_bytes == INT64_MAX)
    ppi_json_put_null(&report->out, "limit_bytes");
  else
    ppi_json_put_integer(&report->out, "limit_bytes", analysis->settings.limit_bytes);
  ppi_json_put_integer(&report->out, "line_bytes", analysis->options.line_bytes);
  ppi_json_put_bool(&report->out, "whole_lines", analysis->options.whole_lines != 0);
  ppi_json_put_bool(&report->out, "corrected", analysis->options.corrected != 0);
}

enum perfpred_status perfpred_contraction_analysis_report(const struct perfpred_contraction_analysis *analysis,
                                                          char **json, struct perfpred_error *error) {
  ppi_error_clear(error);
  if (!analysis || !json)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", analysis ? "json" : "analysis");
  struct report report = { .analysis = analysis };
  struct ppi_text text = PPI_TEXT_INIT;
  ppi_json_begin(&report.out);
  put_head(&report);
  ppi_json_put_empty_list(&report.out, "calls");
  for (int call = 0; call < analysis->found.body.call_count; call++)
    put_call(&report, call);
  ppi_json_put_empty_list(&report.out, "occurrences");
  for (int i = 0; i < analysis->found.count; i++)
    put_occurrence(&report, &analysis->found.items[i]);
  ppi_json_end(&report.out, &text);
  ppi_text_append(&text, "\n");
  char *taken = ppi_text_take(&text);
  if (!taken || report.failed) {
    free(taken);
    return ppi_error_memory(error);
  }
  *json = taken;
  return PERFPRED_OK;
}
