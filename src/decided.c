/* SPDX-License-Identifier: BSD-3-Clause */
#include "decided.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "progress.h"
#include "target.h"
#include "units.h"

#define DEFAULT_NAME "perfpred_lapack"

int decided_types(const struct options *options, char types[5]) {
  const char *text = options->types != NULL ? options->types : "d";
  size_t count = 0;
  for (const char *at = text; *at != '\0'; at++) {
    bool is_comma = *at == ',' && at > text && at[-1] != ',' && at[1] != '\0';
    bool is_type = strchr("sdcz", *at) != NULL && memchr(types, *at, count) == NULL;
    if (!is_comma && !is_type)
      return message_misuse("option --types: '%s': expected letters of s, d, c, z, each once", text);
    if (is_type)
      types[count++] = *at;
  }
  types[count] = '\0';
  return COMMAND_OK;
}

int decided_form(const struct options *options, bool *as_c) {
  if (options->emit != NULL && strcmp(options->emit, "c-table") != 0)
    return message_misuse("option --emit: '%s': expected c-table", options->emit);
  if (options->emit == NULL && options->name != NULL)
    return message_misuse("option --name is for --emit c-table");
  *as_c = options->emit != NULL;
  return COMMAND_OK;
}

/* As src/ilaenv finds it. */
static int default_path(char path[DECIDED_PATH]) {
  const char *named = getenv("PERFPRED_TABLE"), *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
  int length;
  if (named != NULL && named[0] != '\0')
    length = snprintf(path, DECIDED_PATH, "%s", named);
  else if (data != NULL && data[0] == '/')
    length = snprintf(path, DECIDED_PATH, "%s/perfpred/lapack.table", data);
  else if (home != NULL && home[0] == '/')
    length = snprintf(path, DECIDED_PATH, "%s/.local/share/perfpred/lapack.table", home);
  else
    return message_fail(
        "there is no folder for the table: neither XDG_DATA_HOME nor HOME is one; expected --table FILE");
  return length < DECIDED_PATH ? COMMAND_OK : message_fail("the name of the table's folder is too long");
}

/* The folders on the way to a file, as far as they are missing. */
static int make_folders(const char *path) {
  char folder[DECIDED_PATH];
  snprintf(folder, sizeof folder, "%s", path);
  for (char *slash = strchr(folder + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
      return message_fail("%s: the folder cannot be made: %s", folder, strerror(errno));
    *slash = '/';
  }
  return COMMAND_OK;
}

int decided_target(const struct options *options, const char *path, struct decided_target *target) {
  int result = decided_form(options, &target->as_c);
  target->is_default = path == NULL;
  if (result == COMMAND_OK && target->is_default && target->as_c)
    result = message_misuse("--emit c-table needs the name of a file: the override reads no C");
  if (result == COMMAND_OK && target->is_default)
    result = default_path(target->path);
  else if (result == COMMAND_OK &&
           (size_t)snprintf(target->path, sizeof target->path, "%s", path) >= sizeof target->path)
    result = message_fail("%s: the name is too long", path);
  if (result == COMMAND_OK && target->is_default)
    result = make_folders(target->path);
  return result == COMMAND_OK ? target_check(target->path) : result;
}

int decided_make(struct session *session, const char *types, struct perfpred_decisions **decisions) {
  const struct options *options = session->options;
  struct perfpred_decide_options decide = PERFPRED_DECIDE_OPTIONS_INIT;
  struct perfpred_plan_options plan = PERFPRED_PLAN_OPTIONS_INIT;
  struct progress progress;
  plan.threads = (int)options->threads;
  plan.blas = options->blas;
  plan.setup = (size_t)options->setup;
  plan.force = options->force;
  if (session_choose_kind(session, &plan) != COMMAND_OK)
    return COMMAND_MISUSED;
  decide.types = types;
  decide.n_lower = options->n.lower;
  decide.n_upper = options->n.upper;
  decide.b_lower = options->b.lower;
  decide.b_upper = options->b.upper;
  decide.b_step = options->b.step;
  decide.plan = &plan;
  decide.progress = progress_step;
  decide.progress_data = &progress;
  progress_begin(&progress, "table");
  enum perfpred_status status = perfpred_decide(session->context, session->models, &decide, decisions, &session->error);
  bool interrupted = progress_end(&progress);
  if (status != PERFPRED_OK && interrupted)
    return message_fail("interrupted: no table is written");
  return status == PERFPRED_OK ? COMMAND_OK : session_fail(session);
}

static bool put(int file, const char *text, size_t length) {
  while (length > 0) {
    ssize_t written = write(file, text, length);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    text += written;
    length -= (size_t)written;
  }
  return true;
}

static int write_c(const char *name, const struct perfpred_decisions *decisions, const char *path) {
  char temporary[DECIDED_PATH + 16], *text = NULL;
  struct perfpred_error error;
  if (perfpred_decisions_print_c(decisions, name, &text, &error) != PERFPRED_OK)
    return message_fail("%s", error.text);
  int result = COMMAND_FAILED, file = target_open(path, temporary, sizeof temporary);
  if (file >= 0 && put(file, text, strlen(text)) && target_publish(file, temporary, path)) {
    result = COMMAND_OK;
  } else if (file >= 0) {
    message_fail("%s: cannot be written: %s", path, strerror(errno));
    unlink(temporary);
  }
  if (file >= 0)
    close(file);
  perfpred_free(text);
  return result;
}

int decided_write(const struct options *options, const struct perfpred_decisions *decisions,
                  const struct decided_target *target) {
  struct perfpred_error error;
  if (target->as_c)
    return write_c(options->name != NULL ? options->name : DEFAULT_NAME, decisions, target->path);
  if (perfpred_decisions_save(decisions, target->path, &error) != PERFPRED_OK)
    return message_fail("%s", error.text);
  return COMMAND_OK;
}

void decided_summarise(struct document *document, const struct perfpred_decisions *decisions,
                       const struct decided_target *target) {
  document_string(document, "table", target->path);
  document_open_array(document, "routines");
  for (size_t i = 0; i < perfpred_decisions_count(decisions); i++) {
    struct perfpred_decision_entry entry = PERFPRED_DECISION_ENTRY_INIT;
    if (perfpred_decisions_entry(decisions, i, &entry, NULL) != PERFPRED_OK)
      continue;
    document_open_object(document, NULL);
    document_string(document, "routine", entry.routine);
    document_string(document, "options", entry.options);
    document_integer(document, "cells", (int64_t)entry.cells);
    document_close(document);
  }
  document_close(document);
}

void decided_print(const struct perfpred_decisions *decisions, const struct decided_target *target) {
  size_t cells = 0;
  for (size_t i = 0; i < perfpred_decisions_count(decisions); i++) {
    struct perfpred_decision_entry entry = PERFPRED_DECISION_ENTRY_INIT;
    if (perfpred_decisions_entry(decisions, i, &entry, NULL) == PERFPRED_OK)
      cells += entry.cells;
  }
  const size_t routines = perfpred_decisions_count(decisions);
  printf("%s: %zu decision%s for %zu routine%s (with options)%s\n", target->path, cells, unit_plural(cells), routines,
         unit_plural(routines), target->is_default && !target->as_c ? "; programs get them under 'perfpred run'" : "");
}
