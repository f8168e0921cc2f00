/* SPDX-License-Identifier: BSD-3-Clause */
/* perfpred model: shows and checks a model file, or fits its models anew. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "refit.h"
#include "session.h"
#include "setup.h"
#include "table.h"
#include "target.h"
#include "units.h"

/* Loads the file whatever machine it is of; reason says why its models do not hold here, or is empty. */
static int load(struct session *session, const char *path, struct perfpred_error *reason) {
  struct perfpred_load_options options = PERFPRED_LOAD_OPTIONS_INIT;
  enum perfpred_status status = perfpred_models_load(session->context, path, &options, &session->models, reason);
  if (status == PERFPRED_OTHER_MACHINE) {
    options.force = 1;
    status = perfpred_models_load(session->context, path, &options, &session->models, &session->error);
  } else if (status != PERFPRED_OK) {
    session->error = *reason;
  }
  return status == PERFPRED_OK ? COMMAND_OK : session_fail(session);
}

static int write_model(struct session *session, struct document *document, size_t index) {
  struct perfpred_model_info info = PERFPRED_MODEL_INFO_INIT;
  if (perfpred_models_info(session->models, index, &info, &session->error) != PERFPRED_OK)
    return session_fail(session);
  document_open_object(document, NULL);
  document_string(document, "kernel", info.kernel);
  document_string(document, "case", info.case_text);
  document_open_array(document, "sizes");
  for (size_t i = 0; i < info.dimensions; i++)
    document_string(document, NULL, info.size_names[i]);
  document_close(document);
  document_open_array(document, "lower");
  for (size_t i = 0; i < info.dimensions; i++)
    document_integer(document, NULL, info.lower[i]);
  document_close(document);
  document_open_array(document, "upper");
  for (size_t i = 0; i < info.dimensions; i++)
    document_integer(document, NULL, info.upper[i]);
  document_close(document);
  document_integer(document, "pieces", (int64_t)info.pieces);
  document_integer(document, "coefficients", (int64_t)info.coefficients);
  document_number(document, "error", info.error);
  document_integer(document, "samples", (int64_t)info.samples);
  document_integer(document, "setup", (int64_t)info.setup + 1);
  document_string(document, "context", info.context);
  document_integer(document, "ld", info.ld);
  document_integer(document, "anchors", (int64_t)info.anchors);
  document_number(document, "scale", info.scale);
  if (info.scaled_at[0] != '\0') {
    document_string(document, "scaled_at", info.scaled_at);
    document_string(document, "scaled_from", info.scaled_from);
  }
  document_close(document);
  return COMMAND_OK;
}

static int print_json(struct session *session, const struct perfpred_error *reason) {
  struct document document;
  int result = COMMAND_OK;
  document_begin(&document);
  document_string(&document, "file", session->options->operands.items[0]);
  document_boolean(&document, "of_this_machine", reason->text[0] == '\0');
  document_copy(&document, "created", node_member(session->report, "created"));
  document_copy(&document, "machine", node_member(session->report, "machine"));
  document_copy(&document, "setups", node_member(session->report, "setups"));
  document_copy(&document, "options", node_member(session->report, "options"));
  document_open_array(&document, "models");
  for (size_t i = 0; result == COMMAND_OK && i < perfpred_models_count(session->models); i++)
    result = write_model(session, &document, i);
  if (result != COMMAND_OK) {
    document_discard(&document);
    return result;
  }
  document_close(&document);
  return document_print(&document);
}

/* Whether anything was scaled: then there is a column for it. */
static bool any_scaled(const struct session *session) {
  struct perfpred_model_info info = PERFPRED_MODEL_INFO_INIT;
  for (size_t i = 0; perfpred_models_info(session->models, i, &info, NULL) == PERFPRED_OK; i++)
    if (info.scaled_at[0] != '\0')
      return true;
  return false;
}

static int model_row(struct session *session, struct table *table, size_t index, bool scaled) {
  struct perfpred_model_info info = PERFPRED_MODEL_INFO_INIT;
  char domain[128] = "", text[UNIT_TEXT];
  size_t used = 0;
  if (perfpred_models_info(session->models, index, &info, &session->error) != PERFPRED_OK)
    return session_fail(session);
  for (size_t i = 0; i < info.dimensions && used < sizeof domain; i++)
    used += (size_t)snprintf(domain + used, sizeof domain - used, "%s%s%s%lld:%lld", i > 0 ? " x " : "",
                             info.context[0] != '\0' ? info.size_names[i] : "", info.context[0] != '\0' ? " " : "",
                             (long long)info.lower[i], (long long)info.upper[i]);
  table_cell(table, "%s", info.kernel);
  table_cell(table, "%s", info.case_text);
  table_cell(table, "%s", domain);
  table_cell(table, "%zu", info.pieces);
  table_cell(table, "%zu", info.coefficients);
  table_cell(table, "%s", unit_percent(text, info.error, "%.2f %%"));
  table_cell(table, "%llu", (unsigned long long)info.samples);
  table_cell(table, "%lld", (long long)info.ld);
  table_cell(table, "%zu", info.setup + 1);
  table_cell(table, "%s", info.context);
  if (scaled && info.scaled_at[0] != '\0')
    table_cell(table, "%.4f, %s", info.scale, info.scaled_at);
  else if (scaled)
    table_gap(table);
  return COMMAND_OK;
}

static void print_setup(const struct node *setup, size_t number, const struct node *machine) {
  double threads = node_number(node_member(setup, "threads"));
  printf("%-12s %zu\n", "setup", number);
  setup_print_library("BLAS", node_member(setup, "blas"), machine);
  setup_print_library("LAPACK", node_member(setup, "lapack"), machine);
  if (isfinite(threads))
    printf("%-12s %.0f, %s-bit integers, clock: %s\n", "threads", threads,
           node_true(node_member(setup, "ilp64")) ? "64" : "32", node_string(node_member(setup, "clock")));
}

static void print_options(const struct node *options) {
  char text[UNIT_TEXT];
  double repetitions = node_number(node_member(options, "repetitions"));
  printf("%-12s %s, %.0f sample%s at each point\n", "generator", node_string(node_member(options, "generator")),
         repetitions, repetitions == 1.0 ? "" : "s");
  printf("%-12s above an error of %s: the %s over the points, of the %s of a point's samples\n", "refined",
         unit_percent(text, node_number(node_member(options, "error_bound")), "%.2f %%"),
         node_string(node_member(options, "error_measure")), node_string(node_member(options, "reference")));
}

static void print_origin(const struct session *session, const struct perfpred_error *reason) {
  const struct node *setups = node_member(session->report, "setups"),
                    *machine = node_member(session->report, "machine");
  const char *created = node_string(node_member(session->report, "created"));
  printf("%-12s %s%s%s\n", "file", session->options->operands.items[0], created[0] != '\0' ? ", made " : "", created);
  setup_print_machine(machine);
  for (size_t i = 0; i < node_count(setups); i++)
    print_setup(node_element(setups, i), i + 1, machine);
  print_options(node_member(session->report, "options"));
  printf("%-12s %s\n\n", "this machine", reason->text[0] == '\0' ? "yes, the models hold here" : reason->text);
}

static int print_text(struct session *session, const struct perfpred_error *reason) {
  static const char *const heads[] = { "<kernel", "<case", "<domain", "pieces",   "coefficients", "error",
                                       "samples", "ld",    "setup",   "<context", "<scaled" };
  struct table table;
  int result = COMMAND_OK;
  const bool scaled = any_scaled(session);
  print_origin(session, reason);
  table_begin(&table, scaled ? 11 : 10, heads);
  for (size_t i = 0; result == COMMAND_OK && i < perfpred_models_count(session->models); i++)
    result = model_row(session, &table, i, scaled);
  if (result == COMMAND_OK)
    return table_print(&table, 0);
  table_release(&table);
  return result;
}

static int show(struct session *session, const struct perfpred_error *reason) {
  int result = session_report(session);
  if (result != COMMAND_OK)
    return result;
  return session->options->json ? print_json(session, reason) : print_text(session, reason);
}

/* Options of 'model refit' that have no meaning when a file is shown. */
static bool is_for_refit(const struct options *options) {
  return options->output || options->settings.count > 0 || options->blas || options->lapack || options->threads != 0 ||
         options->yardstick_s > 0.0 || options->worker || options->environment.count > 0;
}

static int check(const struct options *options, bool refit) {
  if (!refit && options->operands.count > 1)
    return message_misuse("'model': unexpected '%s'; expected FILE or refit FILE", options->operands.items[1]);
  if (!refit && is_for_refit(options))
    return message_misuse("'model FILE' takes --json and -f alone; -o, --set and libraries are for 'model refit FILE'");
  if (refit && options->output == NULL)
    return message_misuse("'model refit' needs a file to write: -o FILE");
  return refit ? target_check(options->output) : COMMAND_OK;
}

static int run(const struct options *options) {
  struct session session;
  struct perfpred_error reason = { .text = "" };
  bool refit = options->operands.count == 2 && strcmp(options->operands.items[0], "refit") == 0;
  const char *path = options->operands.items[refit ? 1 : 0];
  int result = check(options, refit);
  if (result != COMMAND_OK)
    return result;
  result = session_open(&session, options);
  if (result == COMMAND_OK)
    result = load(&session, path, &reason);
  if (result == COMMAND_OK)
    result = refit ? refit_run(&session, path) : show(&session, &reason);
  session_close(&session);
  return result;
}

const struct command command_model = {
  .name = "model",
  .synopsis = "FILE | model refit FILE -o FILE [--set KNOB=VALUE] ...",
  .summary = "Shows and checks a model file, or fits its models anew",
  .details =
      "A file of another machine is shown as well, and said to be one. An error of '-' could not be estimated.\n\n"
      "refit fits the models anew from the samples in the file ('perfpred generate --samples' keeps them), with\n"
      "the knobs that they were generated with or those of --set ('perfpred generate --help' lists them), and\n"
      "measures nothing. Points that the knobs ask for and that were not measured are done without. The\n"
      "least squares are solved by the LAPACK of the file, or by that of --lapack.\n",
  .takes = TAKES_FILES | TAKES_OUTPUT | TAKES_SET | TAKES_SETUP,
  .operands_min = 1,
  .operands_max = 2,
  .run = run,
};
