/* SPDX-License-Identifier: BSD-3-Clause */
/* perfpred contract --list: algorithms of a contraction, and how many there are. */
#include <math.h>
#include <stdio.h>

#include "contract_tables.h"
#include "generating.h"
#include "table.h"
#include "units.h"

#define SHOWN_MAX 40     /* lines of a table */
#define LISTED_MAX 20000 /* entries of JSON where --max says nothing */

/* gemm first, as the algorithms are listed. */
static const enum perfpred_contraction_kernel order[CONTRACTING_KERNELS] = {
  PERFPRED_CONTRACTION_GEMM, PERFPRED_CONTRACTION_GEMV, PERFPRED_CONTRACTION_GER, PERFPRED_CONTRACTION_AXPY,
  PERFPRED_CONTRACTION_DOT
};

/* Of one kernel, or of all for 0; false: it does not fit into 64 bits. */
static int count(struct session *session, const struct perfpred_contraction *contraction, unsigned kernels,
                 uint64_t *found, bool *fits) {
  struct perfpred_contraction_filter filter = PERFPRED_CONTRACTION_FILTER_INIT;
  filter.kernels = kernels;
  const enum perfpred_status status = perfpred_contraction_count(contraction, &filter, found, &session->error);
  *fits = status == PERFPRED_OK;
  return *fits || status == PERFPRED_OVERFLOW ? COMMAND_OK : session_fail(session);
}

/* Those beside the loops, unless nobody wants them. */
static int count_wholes(struct session *session, const struct perfpred_contraction *contraction, uint64_t *found) {
  struct perfpred_contraction_filter filter = PERFPRED_CONTRACTION_FILTER_INIT;
  filter.wholes = PERFPRED_CONTRACTION_WHOLES_ALONE;
  *found = 0;
  if (session->options->no_transpose ||
      perfpred_contraction_count(contraction, &filter, found, &session->error) == PERFPRED_OK)
    return COMMAND_OK;
  return session_fail(session);
}

int contract_print_counts(struct session *session, const struct perfpred_contraction *contraction) {
  uint64_t found;
  bool fits;
  int result = count(session, contraction, 0, &found, &fits);
  if (result != COMMAND_OK)
    return result;
  if (!fits) {
    printf("more than 10^19 algorithms\n");
    return COMMAND_OK;
  }
  printf("%llu algorithm%s", (unsigned long long)found, unit_plural(found));
  const char *separator = ": ";
  for (int i = 0; result == COMMAND_OK && i < CONTRACTING_KERNELS; i++) {
    result = count(session, contraction, 1U << order[i], &found, &fits);
    if (result == COMMAND_OK && found > 0) {
      printf("%s%llu %s", separator, (unsigned long long)found, contracting_kernel(order[i]));
      separator = ", ";
    }
  }
  if (result == COMMAND_OK)
    result = count_wholes(session, contraction, &found);
  if (result == COMMAND_OK && found > 0)
    printf("; %llu that transpose%s whole tensors", (unsigned long long)found, found == 1 ? "s" : "");
  putchar('\n');
  return result;
}

static void write_count(struct document *document, const char *key, uint64_t found, bool fits) {
  if (fits && found <= INT64_MAX)
    document_integer(document, key, (int64_t)found);
  else
    document_number(document, key, (double)NAN);
}

int contract_write_counts(struct session *session, struct document *document,
                          const struct perfpred_contraction *contraction) {
  uint64_t found;
  bool fits;
  int result = COMMAND_OK;
  document_open_object(document, "count");
  for (int i = 0; result == COMMAND_OK && i < CONTRACTING_KERNELS; i++) {
    result = count(session, contraction, 1U << i, &found, &fits);
    if (result == COMMAND_OK)
      write_count(document, contracting_kernel((enum perfpred_contraction_kernel)i), found, fits);
  }
  if (result == COMMAND_OK)
    result = count(session, contraction, 0, &found, &fits);
  if (result == COMMAND_OK)
    write_count(document, "total", found, fits);
  document_close(document);
  return result;
}

static void write_algorithm(struct document *document, const struct perfpred_contraction_algorithm *algorithm) {
  document_open_object(document, NULL);
  document_string(document, "name", algorithm->name);
  document_string(document, "kernel", contracting_kernel(algorithm->kernel));
  document_string(document, "routine", algorithm->routine);
  document_integer(document, "copies", (int64_t)algorithm->copies);
  document_boolean(document, "zero", algorithm->zero != 0);
  document_number(document, "calls", algorithm->calls);
  document_number(document, "copies_made", algorithm->copies_made);
  document_number(document, "copied_elements", algorithm->copied_elements);
  document_number(document, "work_bytes", algorithm->work_bytes);
  document_boolean(document, "whole", algorithm->whole != 0);
  document_close(document);
}

static void tabulate(struct table *table, const struct perfpred_contraction_algorithm *algorithm) {
  char text[UNIT_TEXT];
  const struct unit unit = unit_bytes(algorithm->work_bytes);
  table_cell(table, "%s", algorithm->name);
  table_cell(table, "%.6g", algorithm->calls);
  table_cell(table, "%zu", algorithm->copies);
  table_cell(table, "%.6g", algorithm->copies_made);
  table_cell(table, "%.6g", algorithm->copied_elements);
  table_cell(table, "%s %s", unit_format(text, algorithm->work_bytes, &unit), unit.name);
  table_cell(table, "%s", algorithm->zero ? "yes" : "no");
}

/* Those that pass, up to `most`; each goes to the document or the table. */
static int gather(struct session *session, const struct perfpred_contraction *contraction,
                  const struct perfpred_contraction_filter *filter, uint64_t most, struct document *document,
                  struct table *table) {
  for (uint64_t i = 0; i < most; i++) {
    struct perfpred_contraction_algorithm algorithm = PERFPRED_CONTRACTION_ALGORITHM_INIT;
    if (perfpred_contraction_algorithm_at(contraction, filter, i, &algorithm, &session->error) != PERFPRED_OK)
      return session_fail(session);
    if (document != NULL)
      write_algorithm(document, &algorithm);
    else
      tabulate(table, &algorithm);
  }
  return COMMAND_OK;
}

static int list_json(struct session *session, const struct perfpred_contraction *contraction,
                     const struct perfpred_contraction_info *info, const struct perfpred_contraction_filter *filter,
                     uint64_t candidates, const struct extents *extents) {
  const uint64_t listed = filter->at_most == 0 && candidates > LISTED_MAX ? LISTED_MAX : candidates;
  const char type[2] = { info->type, '\0' };
  struct document document;
  const double begin_s = generating_seconds();
  document_begin(&document);
  document_string(&document, "einsum", info->einsum);
  document_string(&document, "type", type);
  document_open_object(&document, "extents");
  for (size_t i = 0; i < extents->count; i++)
    document_integer(&document, extents->names[i], extents->values[i]);
  document_close(&document);
  document_number(&document, "flops", info->flops);
  int result = contract_write_counts(session, &document, contraction);
  write_count(&document, "candidates", candidates, true);
  write_count(&document, "listed", listed, true);
  document_open_array(&document, "algorithms");
  if (result == COMMAND_OK)
    result = gather(session, contraction, filter, listed, &document, NULL);
  document_close(&document);
  document_number(&document, "planning_s", generating_seconds() - begin_s);
  if (result == COMMAND_OK)
    return document_print(&document);
  document_discard(&document);
  return result;
}

static int list_table(struct session *session, const struct perfpred_contraction *contraction,
                      const struct perfpred_contraction_info *info, const struct perfpred_contraction_filter *filter,
                      uint64_t candidates, const struct extents *extents) {
  static const char *const heads[] = { "<algorithm",        "calls",         "copies", "made", "elements copied",
                                       "memory for copies", "C zeroed first" };
  const uint64_t shown = filter->at_most == 0 && candidates > SHOWN_MAX ? SHOWN_MAX : candidates;
  char text[EXTENTS_TEXT];
  struct table table;
  printf("%s%s%s: %.6g flops\n", info->einsum, extents->count > 0 ? ", " : "", extents_describe(extents, text),
         info->flops);
  int result = contract_print_counts(session, contraction);
  if (result != COMMAND_OK)
    return result;
  putchar('\n');
  table_begin(&table, sizeof heads / sizeof heads[0], heads);
  result = gather(session, contraction, filter, shown, NULL, &table);
  if (result != COMMAND_OK) {
    table_release(&table);
    return result;
  }
  result = table_print(&table, 0);
  if (shown < candidates)
    printf("... and %llu more: --max %llu lists them\n", (unsigned long long)(candidates - shown),
           (unsigned long long)candidates);
  return result;
}

int contract_list(struct session *session, const struct perfpred_contraction *contraction,
                  const struct perfpred_contraction_filter *filter, const struct extents *extents) {
  struct perfpred_contraction_info info = PERFPRED_CONTRACTION_INFO_INIT;
  uint64_t candidates = 0;
  enum perfpred_status status = perfpred_contraction_summary(contraction, &info, &session->error);
  if (status == PERFPRED_OK)
    status = perfpred_contraction_count(contraction, filter, &candidates, &session->error);
  if (status != PERFPRED_OK)
    return session_fail(session);
  return session->options->json ? list_json(session, contraction, &info, filter, candidates, extents)
                                : list_table(session, contraction, &info, filter, candidates, extents);
}
