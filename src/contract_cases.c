/* SPDX-License-Identifier: BSD-3-Clause */
/* perfpred contract --cases: the contractions of a file, one line for each. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "content.h"
#include "contract_tables.h"
#include "table.h"
#include "units.h"

#define FIELDS_MAX 16

/* Columns that count; places in a line. */
struct columns {
  size_t name, einsum, dims, last;
};

struct run {
  struct session *session;
  struct perfpred_contraction_planner *planner; /* NULL: they are counted alone */
  struct progress *progress;
  struct perfpred_contraction_options asked;
  struct table table;
  struct document document;
};

/* Splits a line into fields, in place; a field in quotes may hold commas, and "" for a quote. Returns how many; 0: it is none. */
static size_t split(char *line, char *fields[FIELDS_MAX]) {
  size_t count = 0;
  for (char *at = line;; at++) {
    if (count == FIELDS_MAX)
      return 0;
    char *to = fields[count++] = at;
    const bool quoted = *at == '"';
    if (quoted) {
      for (at++; *at != '\0' && (*at != '"' || at[1] == '"'); at++) {
        at += *at == '"' ? 1 : 0;
        *to++ = *at;
      }
      if (*at != '"')
        return 0;
      at++;
    } else {
      at += strcspn(at, ",");
      to = at;
    }
    const char end = *at;
    *to = '\0';
    if (end == '\0')
      return count;
    if (end != ',')
      return 0;
  }
}

static int read_head(char *line, const char *path, struct columns *columns) {
  char *fields[FIELDS_MAX];
  const size_t count = split(line, fields);
  size_t *const places[] = { &columns->name, &columns->einsum, &columns->dims };
  static const char *const names[] = { "name", "einsum", "dims" };
  columns->last = 0;
  for (size_t k = 0; k < 3; k++) {
    *places[k] = count;
    for (size_t i = 0; i < count; i++)
      if (strcmp(fields[i], names[k]) == 0)
        *places[k] = i;
    if (*places[k] == count)
      return message_fail("%s:1: no column '%s': expected a first line such as name,einsum,dims", path, names[k]);
    columns->last = *places[k] > columns->last ? *places[k] : columns->last;
  }
  return COMMAND_OK;
}

static void write_failure(struct run *run, const char *name, const char *einsum) {
  const char *text = run->session->error.text;
  if (run->session->options->json) {
    document_open_object(&run->document, NULL);
    document_string(&run->document, "name", name);
    document_string(&run->document, "einsum", einsum);
    document_string(&run->document, "error", text);
    document_close(&run->document);
    return;
  }
  message_note("%s: %s", name, text);
  table_cell(&run->table, "%s", name);
  table_cell(&run->table, "%s", einsum);
  for (int i = 2; i < run->table.columns; i++)
    table_cell(&run->table, "-");
}

static int write_plan(struct run *run, const struct perfpred_contraction_plan *plan,
                      const struct perfpred_contraction_validation *validation) {
  struct perfpred_contraction_plan_info info = PERFPRED_CONTRACTION_PLAN_INFO_INIT;
  struct perfpred_contraction_prediction pick = PERFPRED_CONTRACTION_PREDICTION_INIT;
  char text[UNIT_TEXT];
  if (perfpred_contraction_plan_summary(plan, &info, &run->session->error) != PERFPRED_OK ||
      perfpred_contraction_plan_at(plan, 0, &pick, &run->session->error) != PERFPRED_OK)
    return session_fail(run->session);
  if (run->session->options->json) {
    document_string(&run->document, "pick", pick.name);
    document_number(&run->document, "predicted_s", pick.time_s.med);
    document_number(&run->document, "measured_s", pick.measured_s);
    document_integer(&run->document, "predicted", (int64_t)info.predicted);
    document_number(&run->document, "planning_s", info.planning_s);
    if (validation != NULL) {
      document_integer(&run->document, "executed", (int64_t)validation->executed);
      document_number(&run->document, "mean_are", validation->mean_are);
      document_number(&run->document, "noise_floor", validation->noise_floor);
      document_number(&run->document, "tau", validation->tau);
      document_number(&run->document, "loss", validation->loss);
    }
    return COMMAND_OK;
  }
  const struct unit milliseconds = { 1e3, "ms", 3 };
  table_cell(&run->table, "%s", pick.name);
  table_cell(&run->table, "%s", unit_format(text, pick.time_s.med, &milliseconds));
  table_cell(&run->table, "%s", unit_format(text, pick.measured_s, &milliseconds));
  table_cell(&run->table, "%s", unit_percent(text, validation != NULL ? validation->loss : (double)NAN, "%.1f %%"));
  table_cell(&run->table, "%s", unit_format(text, info.planning_s, &milliseconds));
  return COMMAND_OK;
}

static int write_case(struct run *run, const char *name, const struct perfpred_contraction *contraction,
                      const struct extents *extents, const struct perfpred_contraction_plan *plan,
                      const struct perfpred_contraction_validation *validation) {
  struct perfpred_contraction_info info = PERFPRED_CONTRACTION_INFO_INIT;
  uint64_t total = 0;
  int result = COMMAND_OK;
  if (perfpred_contraction_summary(contraction, &info, &run->session->error) != PERFPRED_OK)
    return session_fail(run->session);
  const enum perfpred_status counted = perfpred_contraction_count(contraction, NULL, &total, &run->session->error);
  if (counted != PERFPRED_OK && counted != PERFPRED_OVERFLOW)
    return session_fail(run->session);
  if (!run->session->options->json) {
    table_cell(&run->table, "%s", name);
    table_cell(&run->table, "%s", info.einsum);
    table_cell(&run->table, "%.4g", info.flops);
    if (counted == PERFPRED_OK)
      table_cell(&run->table, "%llu", (unsigned long long)total);
    else
      table_cell(&run->table, "2^64 or more");
    return plan != NULL ? write_plan(run, plan, validation) : COMMAND_OK;
  }
  document_open_object(&run->document, NULL);
  document_string(&run->document, "name", name);
  document_string(&run->document, "einsum", info.einsum);
  document_open_object(&run->document, "extents");
  for (size_t i = 0; i < extents->count; i++)
    document_integer(&run->document, extents->names[i], extents->values[i]);
  document_close(&run->document);
  document_number(&run->document, "flops", info.flops);
  result = contract_write_counts(run->session, &run->document, contraction);
  if (result == COMMAND_OK && plan != NULL)
    result = write_plan(run, plan, validation);
  document_close(&run->document);
  return result;
}

/* A contraction that cannot be predicted has that as its result; an interrupt ends all. */
static int plan_case(struct run *run, const char *name, const struct perfpred_contraction *contraction,
                     const struct extents *extents) {
  struct session *session = run->session;
  struct perfpred_contraction_validation validation = PERFPRED_CONTRACTION_VALIDATION_INIT;
  struct perfpred_contraction_plan *plan = NULL;
  progress_begin(run->progress, name);
  enum perfpred_status status = perfpred_contraction_planner_ask(run->planner, contraction, &plan, &session->error);
  if (progress_end(run->progress)) {
    perfpred_contraction_plan_destroy(plan);
    return message_fail("interrupted");
  }
  if (status != PERFPRED_OK) {
    struct perfpred_contraction_info info = PERFPRED_CONTRACTION_INFO_INIT;
    perfpred_contraction_summary(contraction, &info, NULL);
    write_failure(run, name, info.einsum);
    return COMMAND_OK;
  }
  int result = COMMAND_OK;
  const bool executed = session->options->measure != 0;
  if (executed)
    result = contracting_measure(session, plan, run->progress, &validation);
  if (result == COMMAND_OK)
    result = write_case(run, name, contraction, extents, plan, executed ? &validation : NULL);
  perfpred_contraction_plan_destroy(plan);
  return result;
}

static int do_line(struct run *run, char *line, const struct columns *columns, size_t number) {
  struct session *session = run->session;
  char *fields[FIELDS_MAX], source[300];
  struct extents extents = { .source = source };
  struct perfpred_contraction *contraction;
  const size_t count = split(line, fields);
  snprintf(source, sizeof source, "%.260s:%zu", session->options->cases, number);
  if (count <= columns->last)
    return message_fail("%s: expected %zu fields or more with commas between them", source, columns->last + 1);
  const char *name = fields[columns->name], *einsum = fields[columns->einsum];
  int result = extents_add(fields[columns->dims], false, &extents);
  if (result != COMMAND_OK)
    return result;
  if (perfpred_contraction_create(einsum, extents.names, extents.values, extents.count, &run->asked, &contraction,
                                  &session->error) != PERFPRED_OK)
    return message_fail("%s: %s", source, session->error.text);
  result = run->planner != NULL ? plan_case(run, name, contraction, &extents)
                                : write_case(run, name, contraction, &extents, NULL, NULL);
  perfpred_contraction_destroy(contraction);
  return result;
}

/* What lies behind a NUL byte would be left out, and nothing would tell. */
static int refuse_nul(const char *path, const char *text, size_t length) {
  const char *nul = memchr(text, '\0', length);
  size_t number = 1;
  if (nul == NULL)
    return COMMAND_OK;
  for (const char *at = text; at < nul; at++)
    number += *at == '\n' ? 1 : 0;
  return message_fail("%s:%zu: a NUL byte: expected a text of comma-separated values", path, number);
}

static int do_lines(struct run *run, char *text) {
  struct columns columns;
  size_t number = 0;
  int result = COMMAND_OK;
  for (char *at = text, *next; result == COMMAND_OK && at != NULL; at = next) {
    next = strchr(at, '\n');
    if (next != NULL)
      *next++ = '\0';
    at[strcspn(at, "\r")] = '\0';
    number++;
    if (number == 1)
      result = read_head(at, run->session->options->cases, &columns);
    else if (at[0] != '\0')
      result = do_line(run, at, &columns, number);
  }
  return result;
}

static int finish(struct run *run, int result) {
  if (run->session->options->json) {
    document_close(&run->document);
    if (result == COMMAND_OK)
      return document_print(&run->document);
    document_discard(&run->document);
    return result;
  }
  if (result == COMMAND_OK)
    return table_print(&run->table, 0);
  table_release(&run->table);
  return result;
}

int contract_cases(struct session *session, const struct perfpred_contraction_filter *filter) {
  static const char *const heads[] = { "<name",        "<contraction", "flops", "algorithms", "<pick",
                                       "predicted/ms", "measured/ms",  "loss",  "planned/ms" };
  struct progress progress;
  struct run run = { .session = session, .progress = &progress };
  char *text = NULL;
  size_t length;
  int result = contracting_read_type(session->options, &run.asked);
  if (result == COMMAND_OK)
    result = content_read(session->options->cases, &text, &length);
  if (result != COMMAND_OK)
    return result;
  result = refuse_nul(session->options->cases, text, length);
  if (result == COMMAND_OK && !session->options->list)
    result = contracting_planner(session, filter, NULL, &progress, &run.planner);
  if (result == COMMAND_OK) {
    if (session->options->json) {
      document_begin(&run.document);
      document_open_array(&run.document, "cases");
    } else {
      table_begin(&run.table, run.planner != NULL ? 9 : 4, heads);
    }
    result = finish(&run, do_lines(&run, text));
  }
  const int kept = contracting_release(session, run.planner);
  free(text);
  return result == COMMAND_OK ? kept : result;
}
