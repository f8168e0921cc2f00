/* SPDX-License-Identifier: BSD-3-Clause */
/* perfpred timings: calls timed in the running algorithm beside what timings alone, or models, say of them. */
#include <math.h>
#include <perfpred/timings.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
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

/* --- Models -------------------------------------------------------------------------------------------------------- */

/* What models say, and how far that is from the measured times. */
struct comparison {
  double *measured_s;
  size_t count, level_count;
  struct perfpred_cache *cache, *fitted; /* fitted: NULL: not asked for */
  struct perfpred_cache_options options;
  struct perfpred_cache_errors errors, fitted_errors;
};

static void write_error(struct document *document, const char *estimate, const struct perfpred_cache_error *error) {
  document_open_object(document, NULL);
  document_string(document, "estimate", estimate);
  document_number(document, "mean_are", error->mean_are);
  document_number(document, "total_re", error->total_re);
  document_close(document);
}

static void write_fit(struct document *document, const struct comparison *comparison) {
  const struct perfpred_cache_options *fit = &comparison->options;
  document_open_object(document, "fitted");
  document_number(document, "alpha", fit->alpha);
  document_number(document, "beta", fit->beta);
  document_open_array(document, "weights");
  for (size_t i = 0; i <= comparison->level_count; i++)
    document_number(document, NULL, fit->weights[i]);
  document_close(document);
  document_close(document);
}

static int print_json(const struct session *session, const int64_t *values, const struct comparison *comparison) {
  const struct perfpred_cache_errors *errors = &comparison->errors;
  struct document document;
  document_begin(&document);
  document_string(&document, "name", perfpred_program_name(session->programs[0]));
  session_write_parameters(&document, session->programs[0], values);
  document_integer(&document, "calls", (int64_t)comparison->count);
  document_integer(&document, "compared", (int64_t)errors->calls);
  document_open_array(&document, "errors");
  write_error(&document, "warm", &errors->warm);
  write_error(&document, "in", &errors->in);
  write_error(&document, "out", &errors->out);
  write_error(&document, "blend", &errors->blend);
  if (comparison->fitted != NULL)
    write_error(&document, "fitted", &comparison->fitted_errors.blend);
  document_close(&document);
  if (comparison->fitted != NULL)
    write_fit(&document, comparison);
  return document_print(&document);
}

static void error_row(struct table *table, const char *name, const struct perfpred_cache_error *error) {
  char text[UNIT_TEXT];
  table_cell(table, "%s", name);
  table_cell(table, "%s", unit_percent(text, error->mean_are, "%.2f %%"));
  table_cell(table, "%s", unit_percent(text, error->total_re, "%+.2f %%"));
}

static int print_comparison(const struct comparison *comparison) {
  static const char *const heads[] = { "<models", "mean", "total" };
  const struct perfpred_cache_errors *errors = &comparison->errors;
  struct table table;
  printf("%zu calls, %zu compared; relative errors, averaged over calls and of the total:\n\n", comparison->count,
         errors->calls);
  table_begin(&table, 3, heads);
  error_row(&table, "warm", &errors->warm);
  error_row(&table, "in", &errors->in);
  error_row(&table, "out", &errors->out);
  error_row(&table, "blended", &errors->blend);
  if (comparison->fitted != NULL)
    error_row(&table, "blended, fitted", &comparison->fitted_errors.blend);
  return table_print(&table, 0);
}

static int measure(struct session *session, const int64_t *values, struct comparison *comparison) {
  struct perfpred_measure_options asked = PERFPRED_MEASURE_OPTIONS_INIT;
  const struct options *options = session->options;
  const struct perfpred_program *program = session->programs[0];
  size_t count = perfpred_program_parameter_count(program);
  struct progress progress;
  asked.repetitions = (int)options->repetitions;
  asked.ld = options->ld;
  asked.gate = options->gate;
  asked.budget_s = options->budget_s;
  asked.progress = progress_step;
  asked.progress_data = &progress;
  if (perfpred_measure_calls(session->sampler, program, values, count, &asked, 0, NULL, 0, &comparison->count,
                             &session->error) != PERFPRED_OK)
    return session_fail(session);
  comparison->measured_s = calloc(comparison->count, sizeof *comparison->measured_s);
  if (comparison->measured_s == NULL)
    return message_fail("out of memory");
  progress_begin(&progress, "timings");
  enum perfpred_status status =
      perfpred_measure_calls(session->sampler, program, values, count, &asked, 0, comparison->measured_s,
                             comparison->count, &comparison->count, &session->error);
  bool interrupted = progress_end(&progress);
  if (status != PERFPRED_OK && interrupted)
    return message_fail("interrupted");
  return status == PERFPRED_OK ? COMMAND_OK : session_fail(session);
}

static int fit(struct session *session, const int64_t *values, struct comparison *comparison) {
  const struct perfpred_cache *const caches[] = { comparison->cache };
  const double *const measured_s[] = { comparison->measured_s };
  struct perfpred_cache_info info = PERFPRED_CACHE_INFO_INIT;
  size_t count = perfpred_program_parameter_count(session->programs[0]);
  if (perfpred_cache_summary(comparison->cache, &info, &session->error) != PERFPRED_OK ||
      perfpred_cache_fit(caches, measured_s, 1, &comparison->options, &session->error) != PERFPRED_OK ||
      perfpred_plan_cache(session->plans[0], values, count, &comparison->options, &comparison->fitted,
                          &session->error) != PERFPRED_OK ||
      perfpred_cache_compare(comparison->fitted, comparison->measured_s, comparison->count, &comparison->fitted_errors,
                             &session->error) != PERFPRED_OK)
    return session_fail(session);
  comparison->level_count = info.level_count;
  return COMMAND_OK;
}

/* The file gets what was fitted. A copy of its own is loaded: that of the plans is in use. */
static int keep(struct session *session, const struct comparison *comparison) {
  struct perfpred_cache_options fitted = comparison->options;
  struct perfpred_cache_info info = PERFPRED_CACHE_INFO_INIT;
  struct perfpred_models *models = NULL;
  const char *path = session->options->models;
  struct perfpred_error *error = &session->error;
  enum perfpred_status status = perfpred_cache_summary(comparison->fitted, &info, error);
  fitted.level_count = info.level_count;
  memcpy(fitted.level_bytes, info.level_bytes, sizeof fitted.level_bytes);
  if (status == PERFPRED_OK)
    status = perfpred_models_load(session->context, path, NULL, &models, error);
  if (status == PERFPRED_OK)
    status = perfpred_cache_keep(models, &fitted, error);
  if (status == PERFPRED_OK)
    status = perfpred_models_save(models, path, error);
  perfpred_models_unref(models);
  return status == PERFPRED_OK ? COMMAND_OK : session_fail(session);
}

static int compare(struct session *session, const int64_t *values) {
  const struct perfpred_cache_options *options = &session->emulation;
  struct comparison comparison = { .options = *options,
                                   .errors = PERFPRED_CACHE_ERRORS_INIT,
                                   .fitted_errors = PERFPRED_CACHE_ERRORS_INIT };
  size_t count = perfpred_program_parameter_count(session->programs[0]);
  int result = COMMAND_OK;
  if (perfpred_plan_cache(session->plans[0], values, count, options, &comparison.cache, &session->error) != PERFPRED_OK)
    result = session_fail(session);
  if (result == COMMAND_OK)
    result = measure(session, values, &comparison);
  if (result == COMMAND_OK && perfpred_cache_compare(comparison.cache, comparison.measured_s, comparison.count,
                                                     &comparison.errors, &session->error) != PERFPRED_OK)
    result = session_fail(session);
  if (result == COMMAND_OK && session->options->fit)
    result = fit(session, values, &comparison);
  if (result == COMMAND_OK && session->options->keep)
    result = keep(session, &comparison);
  if (result == COMMAND_OK)
    result = session->options->json ? print_json(session, values, &comparison) : print_comparison(&comparison);
  perfpred_cache_destroy(comparison.fitted);
  perfpred_cache_destroy(comparison.cache);
  free(comparison.measured_s);
  return result;
}

/* --- Both ---------------------------------------------------------------------------------------------------------- */

static int check(const struct options *options) {
  if (options->models == NULL && options->fit)
    return message_misuse("option --fit: expected models, -m FILE; without them the report has a fit anyway");
  if (options->keep && !options->fit)
    return message_misuse("option --keep: expected --fit beside it");
  if (options->models != NULL && options->detail)
    return message_misuse("option --detail: 'perfpred cache --json' has every call of models");
  return COMMAND_OK;
}

/* Everything that can be refused is refused before the worker starts. */
static int prepare(struct session *session, const struct options *options, int64_t *values) {
  session->blend = true; /* what is said of the caches is meant for every estimate */
  int result = emulation_read(options, &session->emulation);
  if (result == COMMAND_OK)
    result = session_find(session, options->operands.items[0]);
  if (result == COMMAND_OK && session->count > 1)
    result = message_fail("'%s' is an operation of %zu algorithms: expected one of them", options->operands.items[0],
                          session->count);
  if (result == COMMAND_OK)
    result = session_values(session, session->programs[0], NULL, values);
  if (result == COMMAND_OK && options->models != NULL)
    result = session_load(session);
  if (result == COMMAND_OK && options->models != NULL)
    result = session_bind(session, false);
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
    result = options->models != NULL ? compare(&session, values) : time_alone(&session, values);
  session_close(&session);
  return result;
}

const struct command command_timings = {
  .name = "timings",
  .synopsis = "NAME PARAMETER=VALUE ... [-m FILE [--fit [--keep]]] [--cache BYTES[,BYTES]] [--reps R] [--detail] ...",
  .summary = "Calls timed in the running algorithm, beside the same calls in known states of the caches",
  .details =
      "The algorithm is executed with readings of the clock between its calls. Without models every different call is\n"
      "timed alone, too: repeated (warm), with its operands in the caches, in the outermost one, and in memory; and "
      "what\n"
      "an emulation of the caches makes of these times stands beside them. With -m the estimates are those of models "
      "of\n"
      "these states ('perfpred generate --cache in,outer,out'). Errors are averaged over the calls, as far as they\n"
      "compute anything, and given of the total.\n",
  .takes = TAKES_PARAMETERS | TAKES_MODELS | TAKES_REPS | TAKES_BUDGET | TAKES_SETUP | TAKES_GATE | TAKES_LD |
           TAKES_FILES | TAKES_EXTRAPOLATE | TAKES_FORCE | TAKES_NUMBER | TAKES_TIMINGS | TAKES_EMULATED,
  .operands_min = 1,
  .operands_max = 1,
  .run = run,
};
