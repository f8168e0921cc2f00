/* SPDX-License-Identifier: BSD-3-Clause */
/* perfpred sample: times the calls of a text. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "progress.h"
#include "session.h"
#include "table.h"
#include "units.h"

#define TEXT_MAX ((size_t)16 << 20)

/* All of standard input; NULL: it cannot be read, or is too long. */
static char *read_input(size_t *length) {
  size_t space = 4096;
  char *text = malloc(space);
  *length = 0;
  while (text != NULL) {
    size_t got = fread(text + *length, 1, space - *length, stdin);
    *length += got;
    if (got == 0)
      break;
    if (*length < space)
      continue;
    char *larger = space < TEXT_MAX ? realloc(text, 2 * space) : NULL;
    if (larger == NULL)
      break;
    text = larger;
    space *= 2;
  }
  if (text != NULL && (ferror(stdin) || *length == space)) {
    free(text);
    text = NULL;
  }
  return text;
}

static void cell_time(struct table *table, double seconds) {
  char cell[UNIT_TEXT];
  struct unit unit = unit_time(seconds);
  table_cell(table, "%s %s", unit_format(cell, seconds, &unit), unit.name);
}

static void cell_rate(struct table *table, double rate) {
  char cell[UNIT_TEXT];
  struct unit unit = unit_rate(rate);
  if (isfinite(rate) && rate > 0.0)
    table_cell(table, "%s %sflop/s", unit_format(cell, rate, &unit), unit.name);
  else
    table_gap(table);
}

/* One word on how far the times can be trusted. */
static const char *remark(const struct node *call) {
  const struct node *stable = node_member(call, "stable");
  if (!node_true(node_member(call, "gated")))
    return "not gated";
  return stable != NULL && !node_true(stable) ? "not stable" : "";
}

static void add_row(struct table *table, const struct node *call) {
  const struct node *time = node_member(call, "time_s");
  table_cell(table, "%.0f", node_number(node_member(call, "line")));
  table_cell(table, "%.60s", node_string(node_member(call, "call")));
  if (time == NULL) {
    for (int i = 0; i < 6; i++)
      table_gap(table);
    table_cell(table, "%s", node_string(node_member(call, "status")));
    return;
  }
  cell_time(table, node_number(node_member(time, "med")));
  cell_time(table, node_number(node_member(time, "min")));
  cell_time(table, node_number(node_member(call, "first_s")));
  cell_rate(table, node_number(node_member(call, "flops_per_s")));
  table_cell(table, "%.0f", node_number(node_member(call, "reps")));
  table_cell(table, "%s", node_string(node_member(call, "precondition")));
  table_cell(table, "%s", remark(call));
}

static void print_failures(const struct node *calls) {
  for (size_t i = 0; i < node_count(calls); i++) {
    const struct node *call = node_element(calls, i);
    const struct node *error = node_member(call, "error");
    if (error != NULL)
      printf("line %.0f: %s\n", node_number(node_member(call, "line")), node_string(error));
  }
}

static void print_counts(const struct node *call, const struct node *counters) {
  printf("line %.0f:", node_number(node_member(call, "line")));
  for (size_t k = 0; k < node_count(counters); k++) {
    const struct node *counter = node_element(counters, k);
    const char *name = node_string(node_member(counter, "name"));
    int64_t value = 0;
    if (node_integer(node_member(counter, "value"), &value))
      printf(" %s %" PRId64, name, value);
    else
      printf(" %s -", name);
  }
  putchar('\n');
}

/* Calls of one machine mostly have the same note: each is printed once in a row. */
static void print_counters(const struct node *calls) {
  const char *last = "";
  for (size_t i = 0; i < node_count(calls); i++) {
    const struct node *counters = node_member(node_element(calls, i), "counters");
    if (node_count(counters) > 0)
      print_counts(node_element(calls, i), counters);
  }
  for (size_t i = 0; i < node_count(calls); i++) {
    const char *note = node_string(node_member(node_element(calls, i), "counters_note"));
    if (note[0] == '\0' || strcmp(note, last) == 0)
      continue;
    printf("counters: %s\n", note);
    last = note;
  }
}

static int print_text(const struct node *report) {
  static const char *const heads[] = { "line", "<call", "med", "min", "first", "", "reps", "<cache", "<" };
  const struct node *calls = node_member(report, "calls");
  struct table table;
  table_begin(&table, 9, heads);
  for (size_t i = 0; i < node_count(calls); i++)
    add_row(&table, node_element(calls, i));
  int result = table_print(&table, 0);
  if (result == COMMAND_OK)
    print_failures(calls);
  print_counters(calls);
  return result;
}

static int print_json(const struct node *report) {
  static const char *const keys[] = { "clock",   "yardstick_s",  "yardstick_reference_s",
                                      "threads", "threads_note", "blas",
                                      "lapack",  "calls" };
  struct document document;
  document_begin(&document);
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
    document_copy(&document, keys[i], node_member(report, keys[i]));
  return document_print(&document);
}

static int sample(struct session *session, const char *text, size_t length) {
  struct perfpred_measure_options measure = PERFPRED_MEASURE_OPTIONS_INIT;
  struct progress progress;
  const struct options *options = session->options;
  char *json = NULL;
  measure.repetitions = (int)options->repetitions;
  measure.ld = options->ld;
  measure.gate = options->gate;
  measure.budget_s = options->budget_s;
  measure.progress = progress_step;
  measure.progress_data = &progress;
  progress_begin(&progress, "sample");
  enum perfpred_status status = perfpred_sample_text(session->sampler, session->context, text, length, "standard input",
                                                     &measure, &json, &session->error);
  bool interrupted = progress_end(&progress);
  if (status != PERFPRED_OK && interrupted)
    return message_fail("interrupted");
  if (status != PERFPRED_OK)
    return session_fail(session);
  struct node *report = node_parse(json);
  perfpred_free(json);
  if (report == NULL)
    return message_fail("out of memory");
  int result = options->json ? print_json(report) : print_text(report);
  node_release(report);
  return result;
}

static int run(const struct options *options) {
  struct session session;
  size_t length = 0;
  char *text = NULL;
  int result = session_open(&session, options);
  if (result == COMMAND_OK) {
    text = read_input(&length);
    if (text == NULL)
      result = message_fail("standard input cannot be read, or is longer than 16 MiB");
  }
  if (result == COMMAND_OK)
    result = session_sample(&session);
  if (result == COMMAND_OK)
    result = sample(&session, text, length);
  free(text);
  session_close(&session);
  return result;
}

const struct command command_sample = {
  .name = "sample",
  .synopsis = "[--reps R] [--blas PATH] [--lapack PATH] [--threads T] ... < calls.txt",
  .summary = "Times the calls of a text on standard input",
  .details = "  dgemm(N, N, 500, 500, 500, 1, 0)         one line for each call, sizes and scalars\n"
             "  double A[250000]                         a named buffer, for operands that are shared\n"
             "  dtrsm(L, L, N, U, 100, 9, 1, A, 500, A+100, 500)\n"
             "  set precondition cold-flush              warm, cold-flush, cold-sweep, none\n"
             "  { dpotrf2(L, 64); dsyrk(L, N, 64, 64, 1, 1) }     timed as one\n"
             "  {omp dgemm(...); dgemm(...) }            each on a thread of its own\n\n"
             "A call that fails has its status for a result, and the next ones are run all the same.\n",
  .takes = TAKES_REPS | TAKES_BUDGET | TAKES_SETUP | TAKES_GATE | TAKES_LD | TAKES_FILES,
  .operands_min = 0,
  .operands_max = 0,
  .run = run,
};
