/* SPDX-License-Identifier: BSD-3-Clause */
/* perfpred contract --analyze: what the calls of an algorithm find in the cache. */
#include <perfpred/contraction_analysis.h>

#include <stdio.h>

#include "contract_tables.h"
#include "table.h"
#include "units.h"

#define ITEMS_TEXT 600

struct view {
  struct session *session;
  const struct perfpred_contraction_analysis *analysis;
  struct perfpred_contraction_analysis_info info;
};

static int call_at(const struct view *view, size_t index, struct perfpred_contraction_call *call) {
  *call = (struct perfpred_contraction_call)PERFPRED_CONTRACTION_CALL_INIT;
  if (perfpred_contraction_analysis_call_at(view->analysis, index, call, &view->session->error) != PERFPRED_OK)
    return session_fail(view->session);
  return COMMAND_OK;
}

static const char *describe_call(const struct perfpred_contraction_call *call, char text[48]) {
  static const char *const kinds[] = { "kernel", "copy of ", "copy back to ", "zeros in " };
  const char tensor[2] = { call->tensor, '\0' };
  snprintf(text, 48, "%s%s", call->kind <= PERFPRED_CONTRACTION_CALL_ZERO ? kinds[call->kind] : "?", tensor);
  return text;
}

static int show_operands(const struct view *view, size_t index, const struct perfpred_contraction_call *call) {
  static const char *const heads[] = { "<operand", "bytes", "in lines", "distance", "corrected", "<ahead", "<since" };
  static const char *const ahead[] = { "-", "line", "next" };
  char text[48];
  struct table table;
  printf("%s, %lld call%s\n", describe_call(call, text), (long long)call->count, unit_plural((uint64_t)call->count));
  table_begin(&table, sizeof heads / sizeof heads[0], heads);
  for (size_t k = 0; k < call->operands; k++) {
    struct perfpred_contraction_operand operand = PERFPRED_CONTRACTION_OPERAND_INIT;
    if (perfpred_contraction_analysis_operand_at(view->analysis, index, k, &operand, &view->session->error) !=
        PERFPRED_OK) {
      table_release(&table);
      return session_fail(view->session);
    }
    table_cell(&table, "%s", operand.text);
    table_cell(&table, "%lld", (long long)operand.bytes);
    table_cell(&table, "%lld", (long long)operand.line_bytes);
    table_cell(&table, "%lld", (long long)operand.distance_bytes);
    table_cell(&table, "%lld", (long long)operand.corrected_bytes);
    table_cell(&table, "%s", operand.prefetch <= PERFPRED_CONTRACTION_PREFETCH_NEXT ? ahead[operand.prefetch] : "?");
    table_cell(&table, "%s", operand.since[0] != '\0' ? operand.since : "nothing");
  }
  return table_print(&table, 2);
}

/* "[6533056], A, [1305600], B": other memory in brackets. */
static int describe_items(const struct view *view, size_t index, size_t count, char text[ITEMS_TEXT]) {
  size_t used = 0;
  snprintf(text, ITEMS_TEXT, "none is needed");
  for (size_t i = 0; i < count && used < ITEMS_TEXT; i++) {
    struct perfpred_contraction_item item = PERFPRED_CONTRACTION_ITEM_INIT;
    const char *separator = i > 0 ? ", " : "";
    if (perfpred_contraction_analysis_item_at(view->analysis, index, i, &item, &view->session->error) != PERFPRED_OK)
      return session_fail(view->session);
    const long long bytes = (long long)item.bytes;
    if (item.access == PERFPRED_CONTRACTION_ACCESS_REMOTE)
      used += (size_t)snprintf(text + used, ITEMS_TEXT - used, "%s[%lld]", separator, bytes);
    else
      used +=
          (size_t)snprintf(text + used, ITEMS_TEXT - used, "%s%s%c%s(%lld)", separator, item.packed ? "copy of " : "",
                           item.tensor, item.access == PERFPRED_CONTRACTION_ACCESS_LINE ? "-line" : "", bytes);
  }
  return COMMAND_OK;
}

static int show_occurrences(const struct view *view) {
  static const char *const heads[] = { "<call", "<occurrence", "times",
                                       "<set-up before it, bytes; [] is other memory" };
  static const char *const kinds[] = { "normal", "fail", "first" };
  struct table table;
  int result = COMMAND_OK;
  table_begin(&table, sizeof heads / sizeof heads[0], heads);
  for (size_t i = 0; result == COMMAND_OK && i < view->info.occurrences; i++) {
    struct perfpred_contraction_occurrence one = PERFPRED_CONTRACTION_OCCURRENCE_INIT;
    struct perfpred_contraction_call call;
    char items[ITEMS_TEXT], text[48];
    if (perfpred_contraction_analysis_occurrence_at(view->analysis, i, &one, &view->session->error) != PERFPRED_OK)
      result = session_fail(view->session);
    if (result == COMMAND_OK)
      result = call_at(view, one.call, &call);
    if (result == COMMAND_OK)
      result = describe_items(view, i, one.items, items);
    if (result != COMMAND_OK)
      break;
    table_cell(&table, "%s", describe_call(&call, text));
    if (one.kind == PERFPRED_CONTRACTION_OCCURS_FIRST)
      table_cell(&table, "first%zu", one.begun);
    else
      table_cell(&table, "%s", one.kind <= PERFPRED_CONTRACTION_OCCURS_FIRST ? kinds[one.kind] : "?");
    table_cell(&table, "%lld", (long long)one.count);
    table_cell(&table, "%s", items);
  }
  if (result == COMMAND_OK)
    return table_print(&table, 0);
  table_release(&table);
  return result;
}

static int show(const struct view *view, const char *einsum, const struct extents *extents) {
  char text[EXTENTS_TEXT], size[UNIT_TEXT];
  const struct unit cache = unit_bytes((double)view->info.cache_bytes);
  int result = COMMAND_OK;
  printf("%s of %s, %s; cache of %s %s, %.6g times that counts\n\n", view->info.name, einsum,
         extents_describe(extents, text), unit_format(size, (double)view->info.cache_bytes, &cache), cache.name,
         view->info.factor);
  for (size_t i = 0; result == COMMAND_OK && i < view->info.calls; i++) {
    struct perfpred_contraction_call call;
    result = call_at(view, i, &call);
    if (result == COMMAND_OK)
      result = show_operands(view, i, &call);
    putchar('\n');
  }
  return result == COMMAND_OK ? show_occurrences(view) : result;
}

static int print(struct session *session, const struct perfpred_contraction *contraction,
                 const struct perfpred_contraction_analysis *analysis, const struct extents *extents) {
  struct view view = { session, analysis, PERFPRED_CONTRACTION_ANALYSIS_INFO_INIT };
  struct perfpred_contraction_info info = PERFPRED_CONTRACTION_INFO_INIT;
  if (session->options->json) {
    char *json;
    if (perfpred_contraction_analysis_report(analysis, &json, &session->error) != PERFPRED_OK)
      return session_fail(session);
    contract_print_report(json);
    perfpred_free(json);
    return COMMAND_OK;
  }
  if (perfpred_contraction_analysis_summary(analysis, &view.info, &session->error) != PERFPRED_OK ||
      perfpred_contraction_summary(contraction, &info, &session->error) != PERFPRED_OK)
    return session_fail(session);
  return show(&view, info.einsum, extents);
}

int contract_analyze(struct session *session, const struct perfpred_contraction *contraction,
                     const struct extents *extents) {
  const struct options *options = session->options;
  struct perfpred_contraction_analysis_options asked = PERFPRED_CONTRACTION_ANALYSIS_OPTIONS_INIT;
  struct perfpred_contraction_algorithm algorithm = PERFPRED_CONTRACTION_ALGORITHM_INIT;
  struct perfpred_contraction_analysis *analysis;
  int result = contracting_read_stage(options, &asked.stage);
  if (result == COMMAND_OK)
    result = contracting_read_bytes("--cache", options->cache, &asked.cache_bytes);
  if (result == COMMAND_OK)
    result = contracting_find(session, contraction, options->analyze, &algorithm);
  if (result != COMMAND_OK)
    return result;
  asked.factor = options->factor;
  asked.line_bytes = options->line;
  asked.whole_lines = options->whole_lines;
  asked.corrected = options->corrected;
  asked.untruncated = options->untruncated;
  if (perfpred_contraction_analyze(contraction, algorithm.name, &asked, &analysis, &session->error) != PERFPRED_OK)
    return session_fail(session);
  result = print(session, contraction, analysis, extents);
  perfpred_contraction_analysis_destroy(analysis);
  return result;
}
