/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls timed in running algorithms beside what models say of them; what makes both agree. */
#include "comparison.h"

#include <math.h>
#include <perfpred/timings.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "progress.h"
#include "table.h"
#include "units.h"

#define EXECUTIONS_MAX 1000

/* What models say of one execution, and how far that is from the measured times. */
struct execution {
  size_t place; /* of its program */
  int64_t values[SESSION_PARAMETERS];
  double *measured_s;
  size_t count;
  struct perfpred_cache *cache, *fitted;              /* fitted: NULL: not asked for */
  struct perfpred_cache_errors errors, fitted_errors; /* without calls that only copy */
  struct perfpred_cache_errors full, fitted_full;     /* of all calls */
};

struct comparison {
  struct execution *list;
  size_t count, level_count;
  struct perfpred_cache_options options; /* fitted */
};

/* --- Which executions ----------------------------------------------------------------------------------------------- */

static int check_range(const struct range *n) {
  if (n->lower != n->upper && n->step == 0)
    return message_misuse("option -n: 'timings' needs a step: expected LO:HI:STEP");
  return COMMAND_OK;
}

/* A program once, or once for each n of -n. */
static int add_executions(const struct session *session, size_t place, struct comparison *comparison) {
  static const char *const open[2] = { "n", NULL };
  const struct range *n = &session->options->n;
  const bool sized = n->upper > 0;
  const struct perfpred_program *program = session->programs[place];
  const int at = perfpred_program_parameter(program, "n");
  int64_t values[SESSION_PARAMETERS];
  const int64_t count = sized ? range_count(n, 1) : 1;
  int result = session_values(session, program, sized ? open : NULL, values);
  if (result != COMMAND_OK)
    return result;
  if (sized && at < 0)
    return message_fail("'%s' has no parameter n to vary", perfpred_program_name(program));
  if (sized && values[at] != 0)
    return message_misuse("option -n: n is given as a parameter as well");
  if (count > EXECUTIONS_MAX - (int64_t)comparison->count)
    return message_misuse("'timings': more than %d executions", EXECUTIONS_MAX);
  for (int64_t i = 0; i < count; i++) {
    struct execution *made = &comparison->list[comparison->count++];
    *made = (struct execution){ .place = place,
                                .errors = PERFPRED_CACHE_ERRORS_INIT,
                                .fitted_errors = PERFPRED_CACHE_ERRORS_INIT,
                                .full = PERFPRED_CACHE_ERRORS_INIT,
                                .fitted_full = PERFPRED_CACHE_ERRORS_INIT };
    memcpy(made->values, values, sizeof values);
    if (sized)
      made->values[at] = n->lower + i * n->step;
  }
  return COMMAND_OK;
}

static int find_executions(const struct session *session, struct comparison *comparison) {
  int result = check_range(&session->options->n);
  if (result != COMMAND_OK)
    return result;
  comparison->list = calloc(EXECUTIONS_MAX, sizeof *comparison->list);
  if (comparison->list == NULL)
    return message_fail("out of memory");
  for (size_t i = 0; i < session->count && result == COMMAND_OK; i++)
    result = add_executions(session, i, comparison);
  return result;
}

/* --- Telling -------------------------------------------------------------------------------------------------------- */

/* NaN where there is nothing but copies. */
static void write_error(struct document *document, const char *estimate, const struct perfpred_cache_error *error,
                        const struct perfpred_cache_error *full) {
  document_open_object(document, NULL);
  document_string(document, "estimate", estimate);
  document_number(document, "mean_are", error->mean_are);
  document_number(document, "total_re", error->total_re);
  document_number(document, "mean_are_with_copies", full->mean_are);
  document_number(document, "total_re_with_copies", full->total_re);
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
  document_string(document, "warm_kernels", fit->warm_kernels);
  document_close(document);
}

static void write_execution(struct document *document, const struct session *session,
                            const struct execution *execution) {
  const struct perfpred_program *program = session->programs[execution->place];
  const struct perfpred_cache_errors *errors = &execution->errors;
  document_string(document, "name", perfpred_program_name(program));
  session_write_parameters(document, program, execution->values);
  document_integer(document, "calls", (int64_t)execution->count);
  document_integer(document, "compared", (int64_t)errors->calls);
  document_open_array(document, "errors");
  write_error(document, "warm", &errors->warm, &execution->full.warm);
  write_error(document, "in", &errors->in, &execution->full.in);
  write_error(document, "out", &errors->out, &execution->full.out);
  write_error(document, "blend", &errors->blend, &execution->full.blend);
  if (execution->fitted != NULL)
    write_error(document, "fitted", &execution->fitted_errors.blend, &execution->fitted_full.blend);
  document_close(document);
}

/* One execution is the answer; several are a list. */
static int print_json(const struct session *session, const struct comparison *comparison) {
  struct document document;
  document_begin(&document);
  if (comparison->count == 1)
    write_execution(&document, session, &comparison->list[0]);
  else
    document_open_array(&document, "executions");
  for (size_t i = 0; i < comparison->count && comparison->count > 1; i++) {
    document_open_object(&document, NULL);
    write_execution(&document, session, &comparison->list[i]);
    document_close(&document);
  }
  if (comparison->count > 1)
    document_close(&document);
  if (session->options->fit)
    write_fit(&document, comparison);
  return document_print(&document);
}

static void error_row(struct table *table, const char *name, const struct perfpred_cache_error *error,
                      const struct perfpred_cache_error *full) {
  const double numbers[] = { error->mean_are, error->total_re, full->mean_are, full->total_re };
  char text[UNIT_TEXT];
  table_cell(table, "%s", name);
  for (int i = 0; i < 4; i++)
    table_cell(table, "%s", unit_percent(text, numbers[i], i % 2 == 0 ? "%.2f %%" : "%+.2f %%"));
}

static int print_execution(const struct session *session, const struct execution *execution, bool named) {
  static const char *const heads[] = { "<models", "mean", "total", "mean, copies too", "total, copies too" };
  const struct perfpred_program *program = session->programs[execution->place];
  const struct perfpred_cache_errors *errors = &execution->errors, *full = &execution->full;
  char text[SESSION_TEXT];
  struct table table;
  if (named)
    printf("%s, %s: ", perfpred_program_name(program), session_describe(program, execution->values, text));
  printf("%zu calls, %zu compared; relative errors, averaged over calls and of the total:\n\n", execution->count,
         errors->calls);
  table_begin(&table, 5, heads);
  error_row(&table, "warm", &errors->warm, &full->warm);
  error_row(&table, "in", &errors->in, &full->in);
  error_row(&table, "out", &errors->out, &full->out);
  error_row(&table, "blended", &errors->blend, &full->blend);
  if (execution->fitted != NULL)
    error_row(&table, "blended, fitted", &execution->fitted_errors.blend, &execution->fitted_full.blend);
  return table_print(&table, 0);
}

static int print_text(const struct session *session, const struct comparison *comparison) {
  const struct perfpred_cache_options *fit = &comparison->options;
  int result = COMMAND_OK;
  for (size_t i = 0; i < comparison->count && result == COMMAND_OK; i++) {
    printf("%s", i > 0 ? "\n" : "");
    result = print_execution(session, &comparison->list[i], comparison->count > 1);
  }
  if (!session->options->fit)
    return result;
  printf("\nfitted: alpha %.3g, beta %.3g, weights", fit->alpha, fit->beta);
  for (size_t i = 0; i <= comparison->level_count; i++)
    printf("%s %.3g", i > 0 ? "," : "", fit->weights[i]);
  printf("%s%s\n", fit->warm_kernels[0] != '\0' ? "; warm as they are: " : "", fit->warm_kernels);
  return result;
}

/* --- Measuring and fitting ------------------------------------------------------------------------------------------ */

static int measure(struct session *session, struct execution *execution, double budget_s) {
  struct perfpred_measure_options asked = PERFPRED_MEASURE_OPTIONS_INIT;
  const struct options *options = session->options;
  const struct perfpred_program *program = session->programs[execution->place];
  size_t count = perfpred_program_parameter_count(program);
  struct progress progress;
  asked.repetitions = (int)options->repetitions;
  asked.ld = options->ld;
  asked.gate = options->gate;
  asked.budget_s = budget_s;
  asked.progress = progress_step;
  asked.progress_data = &progress;
  if (perfpred_measure_calls(session->sampler, program, execution->values, count, &asked, 1, NULL, 0, &execution->count,
                             &session->error) != PERFPRED_OK)
    return session_fail(session);
  execution->measured_s = calloc(execution->count + 1, sizeof *execution->measured_s);
  if (execution->measured_s == NULL)
    return message_fail("out of memory");
  progress_begin(&progress, "timings");
  enum perfpred_status status =
      perfpred_measure_calls(session->sampler, program, execution->values, count, &asked, 1, execution->measured_s,
                             execution->count, &execution->count, &session->error);
  bool interrupted = progress_end(&progress);
  if (status != PERFPRED_OK && interrupted)
    return message_fail("interrupted");
  return status == PERFPRED_OK ? COMMAND_OK : session_fail(session);
}

/* Its calls with times by its plan, as the options have it, beside what was measured. */
static enum perfpred_status analyze(struct session *session, const struct execution *execution,
                                    const struct perfpred_cache_options *options, struct perfpred_cache **cache) {
  return perfpred_plan_cache(session->plans[execution->place], execution->values,
                             perfpred_program_parameter_count(session->programs[execution->place]), options, cache,
                             &session->error);
}

/* All calls, then those that do not only copy. Where these are all there is nothing is compared without them. */
static enum perfpred_status set_errors(struct session *session, const struct execution *execution,
                                       const struct perfpred_cache *cache, struct perfpred_cache_errors *errors,
                                       struct perfpred_cache_errors *full) {
  double *times_s = calloc(execution->count + 1, sizeof *times_s);
  size_t left = 0;
  if (times_s == NULL) {
    snprintf(session->error.text, sizeof session->error.text, "out of memory");
    return PERFPRED_NO_MEMORY;
  }
  enum perfpred_status status =
      perfpred_cache_compare(cache, execution->measured_s, execution->count, full, &session->error);
  for (size_t i = 0; i < execution->count && status == PERFPRED_OK; i++) {
    struct perfpred_cache_call call = PERFPRED_CACHE_CALL_INIT;
    status = perfpred_cache_call_at(cache, i, &call, &session->error);
    times_s[i] = call.copies ? (double)NAN : execution->measured_s[i];
    left += isnan(times_s[i]) ? 0 : 1;
  }
  if (status == PERFPRED_OK && left > 0)
    status = perfpred_cache_compare(cache, times_s, execution->count, errors, &session->error);
  free(times_s);
  return status;
}

static int measure_all(struct session *session, struct comparison *comparison) {
  int result = COMMAND_OK;
  for (size_t i = 0; i < comparison->count && result == COMMAND_OK; i++)
    if (analyze(session, &comparison->list[i], &session->emulation, &comparison->list[i].cache) != PERFPRED_OK)
      result = session_fail(session);
  for (size_t i = 0; i < comparison->count && result == COMMAND_OK; i++) {
    struct execution *execution = &comparison->list[i];
    result = measure(session, execution, session->options->budget_s / (double)comparison->count);
    if (result == COMMAND_OK &&
        set_errors(session, execution, execution->cache, &execution->errors, &execution->full) != PERFPRED_OK)
      result = session_fail(session);
  }
  return result;
}

/* One fit for all executions. */
static enum perfpred_status fit_all(struct session *session, struct comparison *comparison) {
  const size_t count = comparison->count;
  const struct perfpred_cache **caches = calloc(count, sizeof(const struct perfpred_cache *));
  const double **measured_s = calloc(count, sizeof(const double *));
  enum perfpred_status status = PERFPRED_NO_MEMORY;
  snprintf(session->error.text, sizeof session->error.text, "out of memory");
  for (size_t i = 0; i < count && caches != NULL && measured_s != NULL; i++) {
    caches[i] = comparison->list[i].cache;
    measured_s[i] = comparison->list[i].measured_s;
  }
  if (caches != NULL && measured_s != NULL)
    status = perfpred_cache_fit(caches, measured_s, count, &comparison->options, &session->error);
  free(measured_s);
  free(caches);
  return status;
}

static int fit(struct session *session, struct comparison *comparison) {
  struct perfpred_cache_info info = PERFPRED_CACHE_INFO_INIT;
  if (perfpred_cache_summary(comparison->list[0].cache, &info, &session->error) != PERFPRED_OK ||
      fit_all(session, comparison) != PERFPRED_OK)
    return session_fail(session);
  for (size_t i = 0; i < comparison->count; i++) {
    struct execution *execution = &comparison->list[i];
    if (analyze(session, execution, &comparison->options, &execution->fitted) != PERFPRED_OK ||
        set_errors(session, execution, execution->fitted, &execution->fitted_errors, &execution->fitted_full) !=
            PERFPRED_OK)
      return session_fail(session);
  }
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
  enum perfpred_status status = perfpred_cache_summary(comparison->list[0].fitted, &info, error);
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

static void release(struct comparison *comparison) {
  for (size_t i = 0; i < comparison->count; i++) {
    perfpred_cache_destroy(comparison->list[i].fitted);
    perfpred_cache_destroy(comparison->list[i].cache);
    free(comparison->list[i].measured_s);
  }
  free(comparison->list);
}

int comparison_check(const struct session *session) {
  struct comparison comparison = { .list = NULL };
  int result = find_executions(session, &comparison);
  release(&comparison);
  return result;
}

int comparison_run(struct session *session) {
  struct comparison comparison = { .options = session->emulation };
  int result = find_executions(session, &comparison);
  if (result == COMMAND_OK)
    result = measure_all(session, &comparison);
  if (result == COMMAND_OK && session->options->fit)
    result = fit(session, &comparison);
  if (result == COMMAND_OK && session->options->keep)
    result = keep(session, &comparison);
  if (result == COMMAND_OK)
    result = session->options->json ? print_json(session, &comparison) : print_text(session, &comparison);
  release(&comparison);
  return result;
}
