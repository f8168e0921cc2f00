/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs of Apex-MAP as text: "strided M=.. S=.. C=.. K=.." and "random M=.. L=.. alpha=.. C=.. I=.. K=..", one a line. */
#include <stdlib.h>
#include <string.h>

#include "measure/apex.h"

#define WORD_MAX 64
#define STRIDED_COUNT 4 /* parameters of a strided run */

struct reader {
  const char *at, *end; /* of the present line */
  const char *begin;
  const char *source;
  int line;
  struct perfpred_error *error;
};

static enum perfpred_status fail(const struct reader *reader, const char *at, const char *what, const char *found) {
  return ppi_error_at(reader->error, PERFPRED_SYNTAX, reader->source, reader->line, (int)(at - reader->begin) + 1,
                      "expected %s, found '%s'", what, found);
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

/* The next word of the line; "" at its end. */
static enum perfpred_status next_word(struct reader *reader, char word[WORD_MAX], const char **place) {
  size_t length = 0;
  while (reader->at < reader->end && is_blank(*reader->at))
    reader->at++;
  *place = reader->at;
  while (reader->at < reader->end && !is_blank(*reader->at)) {
    unsigned char c = (unsigned char)*reader->at++;
    if (length + 1 < WORD_MAX && c > ' ' && c < 127)
      word[length++] = (char)c;
    else {
      word[length] = '\0';
      return fail(reader, *place, "a printable word of at most 63 letters", word);
    }
  }
  word[length] = '\0';
  return PERFPRED_OK;
}

struct parameter {
  const char *name;
  int64_t *integer;
  double *real;
  bool needed, given;
};

static enum perfpred_status take(const struct reader *reader, const char *place, const char *word,
                                 struct parameter *parameters, size_t count) {
  const char *equals = strchr(word, '=');
  size_t length = equals != NULL ? (size_t)(equals - word) : strlen(word);
  for (size_t i = 0; i < count; i++) {
    struct parameter *parameter = &parameters[i];
    if (equals == NULL || strlen(parameter->name) != length || strncmp(parameter->name, word, length) != 0)
      continue;
    if (parameter->given)
      return fail(reader, place, "each parameter once", word);
    parameter->given = true;
    if (parameter->integer != NULL ? ppi_text_parse_integer(equals + 1, parameter->integer)
                                   : ppi_text_parse_real(equals + 1, parameter->real))
      return PERFPRED_OK;
    return fail(reader, place, parameter->integer != NULL ? "an integer" : "a number", word);
  }
  return fail(reader, place, count == STRIDED_COUNT ? "M=, S=, C= or K=" : "M=, L=, alpha=, C=, I= or K=", word);
}

static enum perfpred_status read_parameters(struct reader *reader, struct parameter *parameters, size_t count) {
  char word[WORD_MAX];
  const char *place = NULL;
  enum perfpred_status status = next_word(reader, word, &place);
  while (status == PERFPRED_OK && word[0] != '\0') {
    status = take(reader, place, word, parameters, count);
    if (status == PERFPRED_OK)
      status = next_word(reader, word, &place);
  }
  for (size_t i = 0; i < count && status == PERFPRED_OK; i++)
    if (parameters[i].needed && !parameters[i].given)
      return ppi_error_at(reader->error, PERFPRED_SYNTAX, reader->source, reader->line,
                          (int)(reader->at - reader->begin) + 1, "expected %s=, found the end of the line",
                          parameters[i].name);
  return status;
}

static enum perfpred_status read_run(struct reader *reader, const char *kind, const char *place,
                                     struct ppi_apex_run *run) {
  *run = (struct ppi_apex_run){ .i = PPI_APEX_I_DEFAULT, .alpha = 1.0, .every = 1 };
  struct parameter strided[STRIDED_COUNT] = { { "M", &run->m, NULL, true, false },
                                              { "S", &run->s, NULL, true, false },
                                              { "C", &run->c, NULL, false, false },
                                              { "K", &run->every, NULL, false, false } };
  struct parameter random[] = {
    { "M", &run->m, NULL, true, false },          { "L", &run->l, NULL, true, false },
    { "alpha", NULL, &run->alpha, false, false }, { "C", &run->c, NULL, false, false },
    { "I", &run->i, NULL, false, false },         { "K", &run->every, NULL, false, false }
  };
  struct perfpred_error wrong = { .status = PERFPRED_OK };
  enum perfpred_status status;
  if (strcmp(kind, "strided") == 0) {
    run->kind = PPI_APEX_STRIDED;
    run->i = 0;
    run->alpha = 0.0;
    status = read_parameters(reader, strided, STRIDED_COUNT);
  } else if (strcmp(kind, "random") == 0) {
    run->kind = PPI_APEX_RANDOM;
    status = read_parameters(reader, random, sizeof random / sizeof random[0]);
  } else
    return fail(reader, place, "strided or random", kind);
  if (status == PERFPRED_OK && run->every == 0)
    status =
        ppi_error_at(reader->error, PERFPRED_INVALID, reader->source, reader->line, 1, "K is 0, expected at least 1");
  if (status == PERFPRED_OK && ppi_apex_check(run, &wrong) != PERFPRED_OK)
    status = ppi_error_at(reader->error, wrong.status, reader->source, reader->line, 1, "%s", wrong.text);
  return status;
}

static enum perfpred_status keep(struct ppi_apex_run **runs, size_t *count, size_t *capacity,
                                 const struct ppi_apex_run *run, struct perfpred_error *error) {
  if (*count == *capacity) {
    size_t larger = *capacity > 0 ? 2 * *capacity : 32;
    struct ppi_apex_run *grown = realloc(*runs, larger * sizeof *grown);
    if (grown == NULL)
      return ppi_error_memory(error);
    *runs = grown;
    *capacity = larger;
  }
  (*runs)[(*count)++] = *run;
  return PERFPRED_OK;
}

static enum perfpred_status read_line(struct reader *reader, struct ppi_apex_run *run, bool *found) {
  char word[WORD_MAX];
  const char *place = NULL;
  enum perfpred_status status = next_word(reader, word, &place);
  *found = status == PERFPRED_OK && word[0] != '\0';
  return *found ? read_run(reader, word, place, run) : status;
}

/* Runs so far. */
struct list {
  struct ppi_apex_run *runs;
  size_t count, capacity, most;
};

/* The line from `at` to `end`, without what is behind #. */
static enum perfpred_status take_line(struct reader *reader, const char *at, const char *end, struct list *list) {
  const char *comment = memchr(at, '#', (size_t)(end - at));
  struct ppi_apex_run run;
  bool found = false;
  reader->begin = reader->at = at;
  reader->end = comment != NULL ? comment : end;
  reader->line++;
  enum perfpred_status status = read_line(reader, &run, &found);
  if (status != PERFPRED_OK || !found)
    return status;
  if (list->count == list->most)
    return ppi_error_at(reader->error, PERFPRED_LIMIT, reader->source, reader->line, 1, "expected at most %zu runs",
                        list->most);
  return keep(&list->runs, &list->count, &list->capacity, &run, reader->error);
}

enum perfpred_status ppi_apex_parse(const char *text, size_t length, const char *source, size_t most,
                                    struct ppi_apex_run **runs, size_t *count, struct perfpred_error *error) {
  struct reader reader = { .source = source != NULL ? source : "runs", .error = error };
  struct list list = { .most = most };
  enum perfpred_status status = PERFPRED_OK;
  for (const char *at = text, *end = text + length; at < end && status == PERFPRED_OK;) {
    const char *line_end = memchr(at, '\n', (size_t)(end - at));
    status = take_line(&reader, at, line_end != NULL ? line_end : end, &list);
    at = line_end != NULL ? line_end + 1 : end;
  }
  if (status == PERFPRED_OK && list.count == 0)
    status = ppi_error_set(error, PERFPRED_SYNTAX, "%s: no run, expected at least one", reader.source);
  if (status != PERFPRED_OK) {
    free(list.runs);
    return status;
  }
  *runs = list.runs;
  *count = list.count;
  return PERFPRED_OK;
}
