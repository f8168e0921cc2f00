/* SPDX-License-Identifier: BSD-3-Clause */
/* perfpred kernels, perfpred algorithms: the catalogues. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "session.h"
#include "suggest.h"
#include "table.h"

static int find_kernel(const struct session *session, const char *name, const struct perfpred_kernel **kernel) {
  struct suggestion suggestion;
  size_t count = perfpred_kernel_count(session->context);
  suggest_begin(&suggestion, name);
  for (size_t i = 0; i < count; i++) {
    *kernel = perfpred_kernel_at(session->context, i);
    if (strcmp(perfpred_kernel_name(*kernel), name) == 0)
      return COMMAND_OK;
    suggest_offer(&suggestion, perfpred_kernel_name(*kernel));
  }
  return message_fail("no kernel '%s'%s; 'perfpred kernels' lists them", name, suggest_text(&suggestion, ""));
}

static int write_kernel(struct session *session, struct document *document, const struct perfpred_kernel *kernel,
                        bool with_text) {
  document_open_object(document, NULL);
  document_string(document, "name", perfpred_kernel_name(kernel));
  document_string(document, "operation", perfpred_kernel_operation(kernel));
  document_string(document, "counts", perfpred_kernel_approximate(kernel) ? "approximate" : "exact");
  if (with_text) {
    char *text;
    if (perfpred_kernel_print(kernel, &text, &session->error) != PERFPRED_OK)
      return session_fail(session);
    document_string(document, "text", text);
    perfpred_free(text);
  }
  document_close(document);
  return COMMAND_OK;
}

static int kernels_json(struct session *session, const struct perfpred_kernel *only) {
  struct document document;
  int result = COMMAND_OK;
  document_begin(&document);
  document_open_array(&document, "kernels");
  if (only != NULL)
    result = write_kernel(session, &document, only, true);
  for (size_t i = 0; only == NULL && i < perfpred_kernel_count(session->context) && result == COMMAND_OK; i++)
    result = write_kernel(session, &document, perfpred_kernel_at(session->context, i), false);
  if (result != COMMAND_OK) {
    document_discard(&document);
    return result;
  }
  document_close(&document);
  return document_print(&document);
}

static int kernels_table(const struct session *session) {
  static const char *const heads[] = { "<kernel", "<operation" };
  struct table table;
  table_begin(&table, 2, heads);
  for (size_t i = 0; i < perfpred_kernel_count(session->context); i++) {
    const struct perfpred_kernel *kernel = perfpred_kernel_at(session->context, i);
    table_cell(&table, "%s", perfpred_kernel_name(kernel));
    table_cell(&table, "%s", perfpred_kernel_operation(kernel));
  }
  return table_print(&table, 0);
}

static int print_kernel(struct session *session, const struct perfpred_kernel *kernel) {
  char *text;
  if (perfpred_kernel_print(kernel, &text, &session->error) != PERFPRED_OK)
    return session_fail(session);
  fputs(text, stdout);
  perfpred_free(text);
  return COMMAND_OK;
}

static int run_kernels(const struct options *options) {
  struct session session;
  const struct perfpred_kernel *only = NULL;
  int result = session_open(&session, options);
  if (result == COMMAND_OK && options->operands.count > 0)
    result = find_kernel(&session, options->operands.items[0], &only);
  if (result == COMMAND_OK && options->json)
    result = kernels_json(&session, only);
  else if (result == COMMAND_OK)
    result = only != NULL ? print_kernel(&session, only) : kernels_table(&session);
  session_close(&session);
  return result;
}

const struct command command_kernels = {
  .name = "kernels",
  .synopsis = "[NAME] [-f FILE] [--json]",
  .summary = "The catalogue of kernels; with NAME, its signature as text",
  .takes = TAKES_FILES,
  .operands_max = 1,
  .run = run_kernels,
};
