/* SPDX-License-Identifier: BSD-3-Clause */
#include "refit.h"

#include <stdio.h>

#include "knobs.h"
#include "progress.h"
#include "units.h"

static int print_json(const struct session *session, const char *path, const struct perfpred_generate_report *report) {
  struct document document;
  document_begin(&document);
  document_string(&document, "file", session->options->output);
  document_string(&document, "from", path);
  document_integer(&document, "models", (int64_t)report->models);
  document_integer(&document, "kept", (int64_t)report->kept);
  document_integer(&document, "points", (int64_t)report->points);
  document_integer(&document, "samples", (int64_t)report->samples);
  document_integer(&document, "missing", (int64_t)report->missing);
  document_number(&document, "max_error", report->max_error);
  document_number(&document, "wall_s", report->wall_s);
  return document_print(&document);
}

static int print_text(const struct session *session, const struct perfpred_generate_report *report) {
  char text[UNIT_TEXT];
  printf("%s: %llu model%s", session->options->output, (unsigned long long)report->models, unit_plural(report->models));
  printf(" from %llu sample%s at %llu point%s; nothing was measured\n", (unsigned long long)report->samples,
         unit_plural(report->samples), (unsigned long long)report->points, unit_plural(report->points));
  printf("largest error  %s at the sampling points\n", unit_percent(text, report->max_error, "%.2f %%"));
  if (report->kept > 0)
    printf("as they were   %llu model%s without samples in the file\n", (unsigned long long)report->kept,
           unit_plural(report->kept));
  if (report->missing > 0)
    printf("missing        %llu point%s never measured; the models make do with the others\n",
           (unsigned long long)report->missing, unit_plural(report->missing));
  return COMMAND_OK;
}

static int save(struct session *session, const struct perfpred_models *fresh) {
  struct perfpred_update_options update = PERFPRED_UPDATE_OPTIONS_INIT;
  enum perfpred_status status =
      perfpred_models_update(session->context, fresh, session->options->output, &update, &session->error);
  return status == PERFPRED_OK ? COMMAND_OK : session_fail(session);
}

/* The knobs of the file, changed by those of --set. */
static int knobs_of(struct session *session, struct perfpred_generate_options *knobs) {
  if (perfpred_models_options(session->models, knobs, &session->error) != PERFPRED_OK)
    return session_fail(session);
  return knobs_apply(&session->options->settings, knobs);
}

int refit_run(struct session *session, const char *path) {
  struct perfpred_generate_options knobs = PERFPRED_GENERATE_OPTIONS_INIT;
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  struct perfpred_models *fresh = NULL;
  struct progress progress;
  int result = knobs_of(session, &knobs);
  if (result == COMMAND_OK)
    result = session_sample(session);
  if (result != COMMAND_OK)
    return result;
  knobs.progress = progress_step;
  knobs.progress_data = &progress;
  progress_begin(&progress, "refit");
  enum perfpred_status status =
      perfpred_models_refit(session->models, session->sampler, &knobs, &fresh, &report, &session->error);
  bool interrupted = progress_end(&progress);
  if (status != PERFPRED_OK && interrupted)
    return message_fail("interrupted: %s is not written", session->options->output);
  if (status != PERFPRED_OK)
    return message_fail("%s: %s", path, session->error.text);
  result = save(session, fresh);
  perfpred_models_unref(fresh);
  if (result != COMMAND_OK)
    return result;
  return session->options->json ? print_json(session, path, &report) : print_text(session, &report);
}
