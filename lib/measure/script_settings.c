/* SPDX-License-Identifier: BSD-3-Clause */
/* The statements of a script that hold for the calls behind them. */
#include <string.h>

#include "measure/script_parse.h"

static enum perfpred_status read_count(struct ppi_script_parse *parse, const char *what, int64_t least, int64_t most,
                                       int64_t *value) {
  ppi_reader_peek(&parse->reader);
  const char *at = parse->reader.at;
  enum perfpred_status status = ppi_reader_integer(&parse->reader, what, value);
  if (status == PERFPRED_OK && (*value < least || *value > most))
    return ppi_reader_fail_at(&parse->reader, at, PERFPRED_SYNTAX, "%s is %lld, expected %lld to %lld", what,
                              (long long)*value, (long long)least, (long long)most);
  return status;
}

static enum perfpred_status set_repetitions(struct ppi_script_parse *parse) {
  int64_t value = 0;
  enum perfpred_status status = read_count(parse, "the number of repetitions", 1, PPI_SCRIPT_REPETITIONS_MAX, &value);
  parse->settings.repetitions = (int)value;
  return status;
}

/* set stable 0.01 max 200; set stable off */
static enum perfpred_status set_stable(struct ppi_script_parse *parse) {
  char word[PPI_NAME_MAX];
  struct ppi_script_reader ahead = parse->reader;
  struct perfpred_error ignored;
  int64_t most = 0;
  ahead.error = &ignored;
  if (ppi_reader_word(&ahead, "", "", word) == PERFPRED_OK && strcmp(word, "off") == 0) {
    parse->reader.at = ahead.at;
    parse->settings.stable = 0.0;
    return PERFPRED_OK;
  }
  ppi_reader_peek(&parse->reader);
  const char *at = parse->reader.at;
  enum perfpred_status status = ppi_reader_real(&parse->reader, "a relative width, or 'off'", &parse->settings.stable);
  if (status == PERFPRED_OK && !(parse->settings.stable > 0.0 && parse->settings.stable <= 1.0))
    return ppi_reader_fail_at(&parse->reader, at, PERFPRED_SYNTAX,
                              "the relative width is %g, expected more than 0 and at most 1", parse->settings.stable);
  if (status == PERFPRED_OK)
    status = ppi_reader_word(&parse->reader, "'max' and the largest number of repetitions", "", word);
  if (status == PERFPRED_OK && strcmp(word, "max") != 0)
    return ppi_reader_fail(&parse->reader, PERFPRED_SYNTAX, "expected 'max', found '%s'", word);
  if (status == PERFPRED_OK)
    status = read_count(parse, "the largest number of repetitions", 1, PPI_SCRIPT_REPETITIONS_MAX, &most);
  parse->settings.repetitions_max = (int)most;
  return status;
}

/* One word of a list; its place in it. */
static enum perfpred_status read_choice(struct ppi_script_parse *parse, const char *what, const char *const *words,
                                        int count, int *choice) {
  char word[PPI_NAME_MAX];
  ppi_reader_peek(&parse->reader);
  const char *at = parse->reader.at;
  enum perfpred_status status = ppi_reader_word(&parse->reader, what, "-", word);
  if (status != PERFPRED_OK)
    return status;
  for (int i = 0; i < count; i++) {
    if (strcmp(word, words[i]) == 0) {
      *choice = i;
      return PERFPRED_OK;
    }
  }
  return ppi_reader_fail_at(&parse->reader, at, PERFPRED_SYNTAX, "expected %s, found '%s'", what, word);
}

static enum perfpred_status set_precondition(struct ppi_script_parse *parse) {
  static const char *const words[] = { "warm", "cold-flush", "cold-sweep", "none", "in-cache", "outer-cache" };
  int choice = 0;
  enum perfpred_status status =
      read_choice(parse, "warm, in-cache, outer-cache, cold-flush, cold-sweep or none", words, 6, &choice);
  parse->settings.precondition = (enum ppi_precondition)choice;
  return status;
}

static enum perfpred_status set_operands(struct ppi_script_parse *parse) {
  static const char *const words[] = { "fixed", "fresh" };
  int choice = 0;
  enum perfpred_status status = read_choice(parse, "fixed or fresh", words, 2, &choice);
  parse->settings.fresh = choice == 1;
  return status;
}

static enum perfpred_status set_align(struct ppi_script_parse *parse) {
  ppi_reader_peek(&parse->reader);
  const char *at = parse->reader.at;
  enum perfpred_status status =
      read_count(parse, "the alignment in bytes", 0, PPI_SCRIPT_ALIGN_MAX, &parse->settings.align);
  int64_t align = parse->settings.align;
  if (status == PERFPRED_OK && (align & (align - 1)) != 0)
    return ppi_reader_fail_at(&parse->reader, at, PERFPRED_SYNTAX, "the alignment is %lld, expected a power of two",
                              (long long)align);
  return status;
}

static enum perfpred_status set_ld(struct ppi_script_parse *parse) {
  return read_count(parse, "the leading dimension", 0, INT32_MAX, &parse->settings.ld);
}

/* A, or A[FIRST:END] in elements */
static enum perfpred_status read_access(struct ppi_script_parse *parse) {
  struct ppi_script_buffer *buffer = NULL;
  struct ppi_script_access access = { 0 };
  enum perfpred_status status = ppi_script_read_buffer_name(parse, &buffer);
  if (status != PERFPRED_OK)
    return status;
  access.buffer = buffer->whole;
  access.end = buffer->length;
  if (ppi_reader_accept(&parse->reader, '[')) {
    status = read_count(parse, "the first element", 0, buffer->length, &access.first);
    if (status == PERFPRED_OK)
      status = ppi_reader_expect(&parse->reader, ':');
    if (status == PERFPRED_OK)
      status = read_count(parse, "the end of the elements", access.first, buffer->length, &access.end);
    if (status == PERFPRED_OK)
      status = ppi_reader_expect(&parse->reader, ']');
  }
  access.first += buffer->offset;
  access.end += buffer->offset;
  if (status == PERFPRED_OK && !PPI_SCRIPT_GROW_LIST(parse->script, access, accesses))
    status = ppi_error_memory(parse->reader.error);
  if (status == PERFPRED_OK) {
    parse->script->accesses[parse->script->access_count++] = access;
    parse->settings.access_count++;
  }
  return status;
}

bool ppi_script_at_statement_end(struct ppi_script_parse *parse) {
  char next = ppi_reader_peek(&parse->reader);
  return next == '\n' || next == ';' || next == '}';
}

/* set prepare A B[0:1000]; without names: nothing */
static enum perfpred_status set_prepare(struct ppi_script_parse *parse) {
  enum perfpred_status status = PERFPRED_OK;
  parse->settings.access_first = parse->script->access_count;
  parse->settings.access_count = 0;
  while (status == PERFPRED_OK && !ppi_script_at_statement_end(parse))
    status = read_access(parse);
  return status;
}

enum perfpred_status ppi_script_read_set(struct ppi_script_parse *parse) {
  static const char *const words[] = { "repetitions", "stable", "precondition", "operands", "align", "ld", "prepare" };
  static enum perfpred_status (*const setters[])(struct ppi_script_parse * parse) = {
    set_repetitions, set_stable, set_precondition, set_operands, set_align, set_ld, set_prepare
  };
  int choice = 0;
  enum perfpred_status status =
      read_choice(parse, "repetitions, stable, precondition, operands, align, ld or prepare", words, 7, &choice);
  return status == PERFPRED_OK ? setters[choice](parse) : status;
}

static enum perfpred_status read_event(struct ppi_script_parse *parse) {
  struct ppi_script *script = parse->script;
  char name[PPI_SCRIPT_EVENT_NAME_MAX];
  if (parse->settings.event_count == PPI_SCRIPT_EVENTS_MAX)
    return ppi_reader_fail(&parse->reader, PERFPRED_LIMIT, "more than %d events", PPI_SCRIPT_EVENTS_MAX);
  struct ppi_script_event event = { .line = parse->reader.line, .column = ppi_reader_column(&parse->reader) };
  enum perfpred_status status = ppi_reader_token(&parse->reader, "the name of an event", ":.-=/+@%", name, sizeof name);
  if (status != PERFPRED_OK)
    return status;
  event.name = PPI_SCRIPT_GROW(script, event) ? strdup(name) : NULL;
  if (event.name == NULL)
    return ppi_error_memory(parse->reader.error);
  script->events[script->event_count++] = event;
  parse->settings.event_count++;
  return PERFPRED_OK;
}

/* counters NAME NAME; without names: none */
enum perfpred_status ppi_script_read_counters(struct ppi_script_parse *parse) {
  enum perfpred_status status = PERFPRED_OK;
  parse->settings.event_first = parse->script->event_count;
  parse->settings.event_count = 0;
  while (status == PERFPRED_OK && !ppi_script_at_statement_end(parse))
    status = read_event(parse);
  return status;
}
