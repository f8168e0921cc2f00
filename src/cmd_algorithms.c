/* SPDX-License-Identifier: BSD-3-Clause */
/* perfpred algorithms: the catalogue. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "session.h"
#include "table.h"

/* The words behind `about` in an algorithm's text; "" where it has none. The text is changed. */
static const char *about(char *text) {
  char *line = strstr(text, "\n  about ");
  if (line == NULL)
    return "";
  line += strlen("\n  about ");
  line[strcspn(line, "\n")] = '\0';
  return line;
}

static void write_program(struct document *document, const struct perfpred_program *program, char *text,
                          bool with_text) {
  document_open_object(document, NULL);
  document_string(document, "name", perfpred_program_name(program));
  document_string(document, "operation", perfpred_program_operation(program));
  document_open_array(document, "parameters");
  for (size_t i = 0; i < perfpred_program_parameter_count(program); i++)
    document_string(document, NULL, perfpred_program_parameter_name(program, i));
  document_close(document);
  document_open_object(document, "defaults");
  for (size_t i = 0; i < perfpred_program_parameter_count(program); i++) {
    int64_t value = perfpred_program_parameter_default(program, i);
    if (value >= 0)
      document_integer(document, perfpred_program_parameter_name(program, i), value);
  }
  document_close(document);
  if (with_text)
    document_string(document, "text", text);
  document_string(document, "about", about(text));
  document_close(document);
}

static void tabulate(struct table *table, const struct perfpred_program *program, char *text) {
  char parameters[SESSION_TEXT] = "";
  size_t used = 0;
  for (size_t i = 0; i < perfpred_program_parameter_count(program) && used < sizeof parameters; i++) {
    int64_t value = perfpred_program_parameter_default(program, i);
    used += (size_t)snprintf(parameters + used, sizeof parameters - used, "%s%s", i > 0 ? ", " : "",
                             perfpred_program_parameter_name(program, i));
    if (value >= 0 && used < sizeof parameters)
      used += (size_t)snprintf(parameters + used, sizeof parameters - used, "=%lld", (long long)value);
  }
  table_cell(table, "%s", perfpred_program_name(program));
  table_cell(table, "%s", perfpred_program_operation(program));
  table_cell(table, "%s", parameters);
  table_cell(table, "%s", about(text));
}

/* Several texts together are one file, which begins with its version once. */
static void print_text(const char *text, bool first) {
  const char *body = strchr(text, '\n');
  fputs(first || body == NULL ? text : body + 1, stdout);
}

/* Finds the programs to show: the one that was named, or all. */
static int collect(struct session *session, const struct options *options) {
  int result = COMMAND_OK;
  if (options->operands.count > 0)
    return session_find(session, options->operands.items[0]);
  for (size_t i = 0; result == COMMAND_OK && i < perfpred_program_count(session->context); i++)
    result = session_find(session, perfpred_program_name_at(session->context, i));
  return result;
}

static int show(struct session *session, const struct options *options) {
  static const char *const heads[] = { "<algorithm", "<operation", "<parameters", "<about" };
  struct table table;
  struct document document;
  bool with_text = options->operands.count > 0;
  int result = COMMAND_OK;
  document_begin(&document);
  document_open_array(&document, "algorithms");
  table_begin(&table, 4, heads);
  for (size_t i = 0; i < session->count && result == COMMAND_OK; i++) {
    char *text;
    if (perfpred_program_print(session->programs[i], PERFPRED_FORMAT_TEXT, &text, &session->error) != PERFPRED_OK) {
      result = session_fail(session);
      break;
    }
    if (options->json)
      write_program(&document, session->programs[i], text, with_text);
    else if (with_text)
      print_text(text, i == 0);
    else
      tabulate(&table, session->programs[i], text);
    perfpred_free(text);
  }
  document_close(&document);
  if (result == COMMAND_OK && options->json) {
    table_release(&table);
    return document_print(&document);
  }
  document_discard(&document);
  if (result == COMMAND_OK && !with_text)
    return table_print(&table, 0);
  table_release(&table);
  return result;
}

static int run(const struct options *options) {
  struct session session;
  int result = session_open(&session, options);
  if (result == COMMAND_OK)
    result = collect(&session, options);
  if (result == COMMAND_OK)
    result = show(&session, options);
  session_close(&session);
  return result;
}

const struct command command_algorithms = {
  .name = "algorithms",
  .synopsis = "[NAME] [-f FILE] [--json]",
  .summary = "The catalogue of algorithms; with NAME, its text",
  .details = "NAME is an algorithm, or an operation for the texts of all its algorithms.\n",
  .takes = TAKES_FILES,
  .operands_max = 1,
  .run = run,
};
