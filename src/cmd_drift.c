/* SPDX-License-Identifier: BSD-3-Clause */
/* perfpred drift: whether the machine is still as fast as when models were made. */
#include <perfpred/drift.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "generating.h"
#include "progress.h"
#include "session.h"
#include "table.h"
#include "target.h"
#include "units.h"

#define LEAST_BUDGET_S 1e-3

struct look {
  struct session *session;
  struct perfpred_drift *drift;
  double begin_s;
};

/* --- Measuring ------------------------------------------------------------------------------------------------------ */

static bool has_anchors(const struct look *look, size_t setup) {
  struct perfpred_drift_kernel kernel = PERFPRED_DRIFT_KERNEL_INIT;
  for (size_t i = 0; perfpred_drift_kernel_at(look->drift, i, &kernel, NULL) == PERFPRED_OK; i++)
    if (kernel.setup == setup)
      return true;
  return false;
}

/* --setup and --threads say which ones; without them all are. */
static bool is_wanted(const struct look *look, size_t setup) {
  const struct options *options = look->session->options;
  struct perfpred_setup_info info = PERFPRED_SETUP_INFO_INIT;
  if (perfpred_models_setup_info(look->session->models, setup, &info, NULL) != PERFPRED_OK)
    return false;
  return has_anchors(look, setup) && (options->setup == 0 || (size_t)options->setup == setup + 1) &&
         (options->threads == 0 || options->threads == (info.threads > 1 ? info.threads : 1));
}

/* A worker for a setup of the models, with what the command line says otherwise. */
static int start(struct look *look, size_t place) {
  struct session *session = look->session;
  const struct options *options = session->options;
  struct perfpred_setup_info info = PERFPRED_SETUP_INFO_INIT;
  struct perfpred_setup setup = PERFPRED_SETUP_INIT;
  if (perfpred_models_setup_info(session->models, place, &info, &session->error) != PERFPRED_OK)
    return session_fail(session);
  setup.blas = options->blas != NULL ? options->blas : info.blas_path[0] != '\0' ? info.blas_path : NULL;
  setup.lapack = options->lapack != NULL ? options->lapack : info.lapack_path[0] != '\0' ? info.lapack_path : NULL;
  setup.threads = info.threads <= 4096 ? info.threads : 0;
  setup.yardstick_s = options->yardstick_s > 0.0 ? options->yardstick_s : options->force ? 0.0 : info.yardstick_s;
  setup.worker = options->worker;
  setup.environment = options->environment.items;
  if (perfpred_sampler_create_worker(session->context, &setup, &session->sampler, &session->error) != PERFPRED_OK)
    return session_fail(session);
  return COMMAND_OK;
}

/* left: setups that share what there is of the budget. */
static int measure(struct look *look, size_t place, size_t left) {
  struct session *session = look->session;
  const struct options *options = session->options;
  struct perfpred_drift_options drift = PERFPRED_DRIFT_OPTIONS_INIT;
  struct progress progress;
  int result = start(look, place);
  if (result != COMMAND_OK)
    return result;
  drift.setup = place + 1;
  drift.repetitions = (int)options->repetitions;
  drift.gate = options->gate;
  if (options->budget_s > 0.0)
    drift.budget_s = fmax((options->budget_s - (generating_seconds() - look->begin_s)) / (double)left, LEAST_BUDGET_S);
  drift.progress = progress_step;
  drift.progress_data = &progress;
  progress_begin(&progress, "drift");
  enum perfpred_status status = perfpred_drift_measure(look->drift, session->sampler, &drift, &session->error);
  const bool interrupted = progress_end(&progress);
  perfpred_sampler_destroy(session->sampler);
  session->sampler = NULL;
  if (status != PERFPRED_OK && interrupted)
    return message_fail("interrupted");
  if (status == PERFPRED_OTHER_BLAS)
    return message_fail("%s; --force compares all the same", session->error.text);
  return status == PERFPRED_OK ? COMMAND_OK : session_fail(session);
}

static int measure_all(struct look *look) {
  const size_t count = perfpred_models_setup_count(look->session->models);
  size_t left = 0;
  int result = COMMAND_OK;
  for (size_t i = 0; i < count; i++)
    left += is_wanted(look, i) ? 1 : 0;
  if (left == 0)
    return message_fail("%s has no anchors of such a setup ('perfpred model' lists them)",
                        look->session->options->models);
  for (size_t i = 0; i < count && result == COMMAND_OK; i++)
    if (is_wanted(look, i))
      result = measure(look, i, left--);
  return result;
}

/* --- Telling -------------------------------------------------------------------------------------------------------- */

static void kernel_row(struct table *table, const struct perfpred_drift_kernel *kernel) {
  static const char *const words[] = { "not measured", "holds", "not clear", "drifted" };
  char text[UNIT_TEXT];
  table_cell(table, "%s", kernel->kernel);
  table_cell(table, "%zu", kernel->setup + 1);
  table_cell(table, "%s", kernel->at);
  table_cell(table, "%zu of %zu", kernel->measured, kernel->anchors);
  table_cell(table, "%s", unit_percent(text, kernel->ratio - 1.0, "%+.1f %%"));
  table_cell(table, "%s", unit_percent(text, kernel->threshold, "%.1f %%"));
  table_cell(table, "%s", words[kernel->verdict]);
  if (kernel->scale < 1.0 || kernel->scale > 1.0)
    table_cell(table, "%.4f", kernel->scale);
  else
    table_gap(table);
}

static void print_verdict(const struct look *look, const struct perfpred_drift_info *info) {
  char ratio[UNIT_TEXT], noise[UNIT_TEXT];
  size_t drifted = 0;
  struct perfpred_drift_kernel kernel = PERFPRED_DRIFT_KERNEL_INIT;
  for (size_t i = 0; perfpred_drift_kernel_at(look->drift, i, &kernel, NULL) == PERFPRED_OK; i++)
    drifted += kernel.verdict == PERFPRED_DRIFT_DRIFTED ? 1 : 0;
  unit_percent(ratio, info->ratio - 1.0, "%+.1f %%");
  unit_percent(noise, info->noise, "%.1f %%");
  printf("\n%zu of %zu anchors timed again in %.1f s; in the middle of the kernels: %s, noise %s\n", info->measured,
         info->anchors, info->wall_s, ratio, noise);
  if (info->verdict == PERFPRED_DRIFT_HOLDS)
    printf("The models hold: no kernel is off by more than its threshold.\n");
  else if (info->verdict == PERFPRED_DRIFT_UNCLEAR)
    printf("It is not clear whether the models hold: the machine is too loud. Look again when it is quiet.\n");
  else if (info->verdict == PERFPRED_DRIFT_DRIFTED)
    printf("The models do not hold: %zu kernel%s of %zu %s off by more than the threshold.\n", drifted,
           unit_plural(drifted), info->kernels, drifted == 1 ? "is" : "are");
  else
    printf("No anchor was timed: the budget is too small.\n");
}

static int print_text(const struct look *look, const struct perfpred_drift_info *info) {
  static const char *const heads[] = { "<kernel", "setup",     "<made",    "anchors",
                                       "now",     "threshold", "<verdict", "scaled by" };
  struct perfpred_drift_kernel kernel = PERFPRED_DRIFT_KERNEL_INIT;
  struct table table;
  table_begin(&table, 8, heads);
  for (size_t i = 0; perfpred_drift_kernel_at(look->drift, i, &kernel, NULL) == PERFPRED_OK; i++)
    kernel_row(&table, &kernel);
  int result = table_print(&table, 0);
  if (result == COMMAND_OK)
    print_verdict(look, info);
  return result;
}

static int print(const struct look *look) {
  struct session *session = look->session;
  struct perfpred_drift_info info = PERFPRED_DRIFT_INFO_INIT;
  char *json;
  if (perfpred_drift_describe(look->drift, &info, &session->error) != PERFPRED_OK)
    return session_fail(session);
  if (!session->options->json)
    return print_text(look, &info);
  if (perfpred_drift_report(look->drift, &json, &session->error) != PERFPRED_OK)
    return session_fail(session);
  fputs(json, stdout);
  perfpred_free(json);
  return COMMAND_OK;
}

/* --- Scaling -------------------------------------------------------------------------------------------------------- */

static int apply(const struct look *look) {
  struct session *session = look->session;
  const char *path = session->options->output;
  struct perfpred_update_options update = PERFPRED_UPDATE_OPTIONS_INIT;
  struct perfpred_models *scaled = NULL;
  size_t count = 0;
  if (perfpred_drift_apply(look->drift, &scaled, &count, &session->error) != PERFPRED_OK)
    return session_fail(session);
  update.replace = 1;
  enum perfpred_status status = perfpred_models_update(session->context, scaled, path, &update, &session->error);
  if (status == PERFPRED_OK)
    message_note("%s: %zu of %zu models were scaled, the others are as they were", path, count,
                 perfpred_models_count(scaled));
  perfpred_models_unref(scaled);
  return status == PERFPRED_OK ? COMMAND_OK : session_fail(session);
}

static int check(const struct options *options) {
  if (options->apply && options->output == NULL)
    return message_misuse("option --apply: expected -o FILE, where the scaled models are to go");
  if (!options->apply && options->output != NULL)
    return message_misuse("option -o: expected --apply: nothing else is written");
  if (options->replace && !options->apply)
    return message_misuse("option --replace: expected --apply -o FILE");
  if (options->output == NULL)
    return COMMAND_OK;
  if (!options->replace && access(options->output, F_OK) == 0)
    return message_fail("%s: is there already; --replace writes it anew", options->output);
  return target_check(options->output);
}

static int look_at(struct session *session, double begin_s) {
  struct look look = { .session = session, .begin_s = begin_s };
  if (perfpred_drift_create(session->models, &look.drift, &session->error) != PERFPRED_OK)
    return message_fail("%s: %s", session->options->models, session->error.text);
  int result = measure_all(&look);
  if (result == COMMAND_OK && session->options->apply)
    result = apply(&look);
  if (result == COMMAND_OK)
    result = print(&look);
  perfpred_drift_destroy(look.drift);
  return result;
}

static int run(const struct options *options) {
  struct session session;
  const double begin_s = generating_seconds();
  int result = check(options);
  if (result != COMMAND_OK)
    return result;
  result = session_open(&session, options);
  if (result == COMMAND_OK)
    result = session_load(&session);
  if (result == COMMAND_OK)
    result = look_at(&session, begin_s);
  session_close(&session);
  return result;
}

const struct command command_drift = {
  .name = "drift",
  .synopsis = "-m FILE [--budget SECONDS] [--reps R] [--threads T] [--setup K] [--apply -o FILE [--replace]] ...",
  .summary = "Tells whether the machine is still as fast as when models were made, or scales them",
  .details =
      "A generation times a few cheap calls of each kernel and keeps the times in the file. They are timed again, for\n"
      "each setup of the file with its libraries and threads, and what they take now is compared with what they took\n"
      "then. A kernel whose calls are off by more than the threshold (1 % and twice the noise) has drifted, and so "
      "have\n"
      "predictions that rest on it. With --apply the times of such kernels are multiplied by their ratio and written "
      "to\n"
      "the file of -o, which says so; a file that is there is written anew only with --replace. doc/drift.md tells "
      "more.\n",
  .takes = TAKES_DRIFT | TAKES_OUTPUT | TAKES_BUDGET | TAKES_REPS | TAKES_GATE | TAKES_SETUP | TAKES_NUMBER |
           TAKES_FORCE | TAKES_FILES,
  .run = run,
};
