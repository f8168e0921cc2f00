/* SPDX-License-Identifier: BSD-3-Clause */
/* perfpred timings: calls timed in the running algorithm beside what timings alone, or models, say of them. */
#include <math.h>
#include <perfpred/timings.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "comparison.h"
#include "emulation.h"
#include "progress.h"
#include "session.h"
#include "table.h"
#include "units.h"

/* --- Timed alone --------------------------------------------------------------------------------------------------- */

static void error_cells(struct table *table, const struct node *error, const char *mean, const char *total) {
  char text[UNIT_TEXT];
  table_cell(table, "%s", unit_percent(text, node_number(node_member(error, mean)), "%.2f %%"));
  table_cell(table, "%s", unit_percent(text, node_number(node_member(error, total)), "%+.2f %%"));
}

static int print_errors(const struct node *report) {
  static const char *const heads[] = { "<estimate", "mean", "total", "mean, copies too", "total, copies too" };
  const struct node *errors = node_member(report, "errors");
  struct table table;
  table_begin(&table, 5, heads);
  for (size_t i = 0; i < node_count(errors); i++) {
    const struct node *error = node_element(errors, i);
    table_cell(&table, "%s", node_string(node_member(error, "estimate")));
    error_cells(&table, error, "mean_are", "total_re");
    error_cells(&table, error, "mean_are_with_copies", "total_re_with_copies");
  }
  return table_print(&table, 0);
}

static int print_kernels(const struct node *report) {
  const struct node *kernels = node_member(report, "kernels");
  static const char *const heads[] = { "<kernel", "calls",   "ms",    "repeated", "in",    "outer",
                                       "out",     "initial", "split", "smoothed", "fitted" };
  struct table table;
  table_begin(&table, 11, heads);
  for (size_t i = 0; i < node_count(kernels); i++) {
    const struct node *kernel = node_element(kernels, i);
    const struct node *errors = node_member(kernel, "errors");
    char text[UNIT_TEXT];
    table_cell(&table, "%s", node_string(node_member(kernel, "kernel")));
    table_cell(&table, "%.0f", node_number(node_member(kernel, "calls")));
    table_cell(&table, "%.3f", 1e3 * node_number(node_member(kernel, "measured_s")));
    for (size_t k = 0; k < node_count(errors); k++)
      table_cell(&table, "%s",
                 unit_percent(text, node_number(node_member(node_element(errors, k), "mean_are")), "%.1f %%"));
  }
  return table_print(&table, 0);
}

static int print_report(const char *json) {
  struct node *report = node_parse(json);
  const struct node *levels = node_member(report, "level_bytes"), *fitted = node_member(report, "fitted");
  if (report == NULL)
    return message_fail("out of memory");
  printf("%s: %.0f calls, %.0f different ones, %.0f copies, %.3f ms in the algorithm\ncaches of",
         node_string(node_member(report, "name")), node_number(node_member(report, "calls")),
         node_number(node_member(report, "different")), node_number(node_member(report, "copies")),
         1e3 * node_number(node_member(report, "measured_s")));
  for (size_t i = 0; i < node_count(levels); i++)
    printf("%s %.0f", i > 0 ? "," : "", node_number(node_element(levels, i)));
  printf(" bytes\n\nrelative errors, averaged over calls and of the total:\n\n");
  int result = print_errors(report);
  printf("\naveraged over the calls of each kernel:\n\n");
  if (result == COMMAND_OK)
    result = print_kernels(report);
  printf("\nfitted: alpha %.3g, beta %.3g, split below %.3g\n", node_number(node_member(fitted, "alpha")),
         node_number(node_member(fitted, "beta")), node_number(node_member(fitted, "split_ratio")));
  printf("cost: %.1f s in the algorithm, %.1f s alone\n", node_number(node_member(report, "algorithm_wall_s")),
         node_number(node_member(report, "alone_wall_s")));
  node_release(report);
  return result;
}

static int time_alone(struct session *session, const int64_t *values) {
  struct perfpred_timings_options asked = PERFPRED_TIMINGS_OPTIONS_INIT;
  const struct options *options = session->options;
  struct progress progress;
  char *json = NULL;
  asked.repetitions = (int)options->repetitions;
  asked.ld = options->ld;
  asked.gate = options->gate;
  asked.budget_s = options->budget_s;
  asked.detail = options->detail;
  asked.cache = &session->emulation;
  asked.progress = progress_step;
  asked.progress_data = &progress;
  progress_begin(&progress, "timings");
  enum perfpred_status status =
      perfpred_timings(session->sampler, session->programs[0], values,
                       perfpred_program_parameter_count(session->programs[0]), &asked, &json, &session->error);
  bool interrupted = progress_end(&progress);
  if (status != PERFPRED_OK && interrupted)
    return message_fail("interrupted");
  if (status != PERFPRED_OK)
    return session_fail(session);
  int result = COMMAND_OK;
  if (options->json)
    puts(json);
  else
    result = print_report(json);
  perfpred_free(json);
  return result;
}

/* --- Both ---------------------------------------------------------------------------------------------------------- */

static int check(const struct options *options) {
  if (options->models == NULL && options->fit)
    return message_misuse("option --fit: expected models, -m FILE; without them the report has a fit anyway");
  if (options->models == NULL && options->n.upper > 0)
    return message_misuse("option -n: expected models, -m FILE; without them one execution is looked at, n=...");
  if (options->keep && !options->fit)
    return message_misuse("option --keep: expected --fit beside it");
  if (options->models != NULL && options->detail)
    return message_misuse("option --detail: 'perfpred cache --json' has every call of models");
  return COMMAND_OK;
}

static int prepare_models(struct session *session) {
  int result = comparison_check(session);
  if (result == COMMAND_OK)
    result = session_load(session);
  if (result == COMMAND_OK)
    result = session_bind(session, false);
  return result;
}

/* Everything that can be refused is refused before the worker starts. */
static int prepare(struct session *session, const struct options *options, int64_t *values) {
  session->blend = true; /* what is said of the caches is meant for every estimate */
  int result = emulation_read(options, &session->emulation);
  if (result == COMMAND_OK)
    result = session_find(session, options->operands.items[0]);
  if (result == COMMAND_OK && session->count > 1 && !options->fit)
    result = message_fail("'%s' is %zu algorithms: expected one of them, or --fit, which is for all",
                          options->operands.items[0], session->count);
  if (result == COMMAND_OK)
    result =
        options->models != NULL ? prepare_models(session) : session_values(session, session->programs[0], NULL, values);
  return result;
}

static int run(const struct options *options) {
  struct session session;
  int64_t values[SESSION_PARAMETERS];
  int result = check(options);
  if (result != COMMAND_OK)
    return result;
  result = session_open(&session, options);
  if (result == COMMAND_OK)
    result = prepare(&session, options, values);
  if (result == COMMAND_OK)
    result = session_sample(&session);
  if (result == COMMAND_OK)
    result = options->models != NULL ? comparison_run(&session) : time_alone(&session, values);
  session_close(&session);
  return result;
}

const struct command command_timings = {
  .name = "timings",
  .synopsis = "NAME[,NAME] PARAMETER=VALUE ... [-m FILE [-n LO:HI:STEP] [--fit [--keep]]] [--cache BYTES[,BYTES]] "
              "[--reps R] ...",
  .summary = "Calls timed in the running algorithm, beside the same calls in known states of the caches",
  .details =
      "The algorithm is executed with readings of the clock between its calls. Without models every different call is\n"
      "timed alone, too: repeated (warm), with its operands in the caches, in the outermost one, and in memory; and "
      "what\n"
      "an emulation of the caches makes of these times stands beside them. With -m the estimates are those of models "
      "of\n"
      "these states ('perfpred generate --cache in,outer,out'). Errors are averaged over the calls, as far as they\n"
      "compute anything, and given of the total. --fit finds what makes models and all executions agree best, of "
      "several\n"
      "algorithms and sizes (-n) at once: weights hold as far as they serve algorithms that had no part in them.\n",
  .takes = TAKES_PARAMETERS | TAKES_MODELS | TAKES_REPS | TAKES_BUDGET | TAKES_SETUP | TAKES_GATE | TAKES_LD |
           TAKES_FILES | TAKES_EXTRAPOLATE | TAKES_FORCE | TAKES_NUMBER | TAKES_TIMINGS | TAKES_EMULATED | TAKES_N,
  .operands_min = 1,
  .operands_max = 1,
  .run = run,
};
