/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of a program's parameters, and words for what is known of a prediction. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "session.h"
#include "suggest.h"

static bool is_open(const char *const open[2], const char *name) {
  for (int i = 0; open != NULL && i < 2; i++) {
    if (open[i] != NULL && strcmp(open[i], name) == 0)
      return true;
  }
  return false;
}

static int unknown_parameter(const struct perfpred_program *program, const char *name) {
  struct suggestion suggestion;
  suggest_begin(&suggestion, name);
  size_t count = perfpred_program_parameter_count(program);
  for (size_t i = 0; i < count; i++)
    suggest_offer(&suggestion, perfpred_program_parameter_name(program, i));
  return message_misuse("'%s' has no parameter '%s'%s", perfpred_program_name(program), name,
                        suggest_text(&suggestion, ""));
}

int session_values(const struct session *session, const struct perfpred_program *program, const char *const open[2],
                   int64_t *values) {
  const struct options *options = session->options;
  size_t count = perfpred_program_parameter_count(program);
  bool given[SESSION_PARAMETERS] = { false };
  if (count > SESSION_PARAMETERS)
    return message_fail("'%s' has %zu parameters: at most %d are supported here", perfpred_program_name(program), count,
                        SESSION_PARAMETERS);
  memset(values, 0, SESSION_PARAMETERS * sizeof *values);
  for (size_t i = 0; i < options->parameter_count; i++) {
    const char *name = options->parameters[i].name;
    int place = perfpred_program_parameter(program, name);
    if (place < 0)
      return unknown_parameter(program, name);
    if (is_open(open, name))
      return message_misuse("parameter '%s' is varied here: give its values with -%s", name, name);
    values[place] = options->parameters[i].value;
    given[place] = true;
  }
  for (size_t i = 0; i < count; i++) {
    const char *name = perfpred_program_parameter_name(program, i);
    int64_t value = perfpred_program_parameter_default(program, i);
    if (given[i] || is_open(open, name))
      continue;
    if (value >= 0)
      values[i] = value;
    else
      return message_misuse("'%s' needs parameter '%s': expected %s=VALUE", perfpred_program_name(program), name, name);
  }
  return COMMAND_OK;
}

const char *session_describe_notes(unsigned notes, char *text) {
  size_t used = 0;
  for (const char *word; (word = perfpred_note_take(&notes)) != NULL;)
    used += (size_t)snprintf(text + used, SESSION_TEXT - used, "%s%s", used > 0 ? ", " : "", word);
  if (used == 0)
    snprintf(text, SESSION_TEXT, "inside");
  return text;
}

static bool is_listed(const struct node *notes, const char *word) {
  for (size_t i = 0; i < node_count(notes); i++) {
    if (strcmp(node_string(node_element(notes, i)), word) == 0)
      return true;
  }
  return false;
}

unsigned session_read_notes(const struct node *notes) {
  unsigned found = 0;
  for (unsigned bit = 1; bit < PERFPRED_NOTE_ERROR; bit <<= 1) {
    unsigned one = bit;
    const char *word = perfpred_note_take(&one);
    found |= word != NULL && is_listed(notes, word) ? bit : 0;
  }
  return found;
}

void session_write_notes(struct document *document, unsigned notes) {
  unsigned first = notes;
  const char *word = perfpred_note_take(&first);
  document_string(document, "status", word != NULL ? word : "inside");
  document_open_array(document, "notes");
  while ((word = perfpred_note_take(&notes)) != NULL)
    document_string(document, NULL, word);
  document_close(document);
}

void session_write_parameters(struct document *document, const struct perfpred_program *program,
                              const int64_t *values) {
  document_open_object(document, "parameters");
  for (size_t i = 0; i < perfpred_program_parameter_count(program); i++)
    document_integer(document, perfpred_program_parameter_name(program, i), values[i]);
  document_close(document);
}

void session_write_unbound(struct document *document, const struct session *session) {
  document_open_array(document, "unmodelled");
  for (size_t i = 0; i < session->unbound; i++)
    document_string(document, NULL, perfpred_program_name(session->programs[session->count + i]));
  document_close(document);
}

void session_write_yardstick(struct document *document, const struct session *session, double best_s,
                             double reference_s) {
  const char *source = session->of_models ? "models" : session->options->yardstick_s > 0.0 ? "option" : "run";
  document_number(document, "yardstick_s", best_s > 0.0 ? best_s : (double)NAN);
  document_number(document, "yardstick_reference_s", reference_s > 0.0 ? reference_s : (double)NAN);
  document_string(document, "yardstick_source", source);
}

void session_note_unbound(const struct session *session) {
  char names[400] = "";
  size_t used = 0;
  for (size_t i = 0; i < session->unbound && used < sizeof names; i++)
    used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "",
                             perfpred_program_name(session->programs[session->count + i]));
  if (session->unbound > 0)
    message_note("left out, for the models do not reach: %s", names);
}

const char *session_describe(const struct perfpred_program *program, const int64_t *values, char *text) {
  size_t count = perfpred_program_parameter_count(program);
  size_t used = 0;
  text[0] = '\0';
  for (size_t i = 0; i < count && i < SESSION_PARAMETERS && used < SESSION_TEXT; i++) {
    int length = snprintf(text + used, SESSION_TEXT - used, "%s%s=%lld", i > 0 ? " " : "",
                          perfpred_program_parameter_name(program, i), (long long)values[i]);
    used += length > 0 ? (size_t)length : 0;
  }
  return text;
}
