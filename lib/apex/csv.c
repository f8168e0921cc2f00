/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples from comma-separated values. */
#include <math.h>
#include <string.h>

#include "apex/mix.h"
#include "base/text.h"

#define FIELD_MAX 512
#define COLUMNS_MAX 64

enum column { TIME, FLOPS, BYTES, CYCLES, CALL, KNOWN };
static const char *const names[KNOWN] = { "time_s", "flops", "bytes", "cycles", "call" };

struct reader {
  const char *at, *end; /* of the text */
  const char *begin;    /* of the present line */
  const char *source;
  int line;
  ppi_apex_call_fn *call;
  void *data;
  int columns, kinds[COLUMNS_MAX]; /* KNOWN: ignored */
  struct perfpred_error *error;
};

static enum perfpred_status fail(const struct reader *reader, const char *at, const char *expected, const char *found) {
  return ppi_error_at(reader->error, PERFPRED_CORRUPT, reader->source, reader->line, (int)(at - reader->begin) + 1,
                      "expected %s, found '%.60s'", expected, found);
}

static bool ends_line(const struct reader *reader) {
  return reader->at == reader->end || *reader->at == '\n';
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

static enum perfpred_status append(const struct reader *reader, char field[FIELD_MAX], size_t *length) {
  if (*length + 1 == FIELD_MAX)
    return fail(reader, reader->at, "a field of at most 511 bytes", "more");
  field[(*length)++] = *reader->at;
  return PERFPRED_OK;
}

/* Between quotation marks, of which two are one. */
static enum perfpred_status quoted(struct reader *reader, char field[FIELD_MAX], size_t *length) {
  const char *start = reader->at++;
  enum perfpred_status status = PERFPRED_OK;
  for (; !ends_line(reader) && status == PERFPRED_OK; reader->at++) {
    if (*reader->at == '"' && reader->at + 1 < reader->end && reader->at[1] == '"')
      reader->at++;
    else if (*reader->at == '"') {
      reader->at++;
      return PERFPRED_OK;
    }
    status = append(reader, field, length);
  }
  return status == PERFPRED_OK ? fail(reader, start, "a closing quotation mark", "the end of the line") : status;
}

/* Up to the comma or the end of the line. */
static enum perfpred_status plain(struct reader *reader, char field[FIELD_MAX], size_t *length) {
  enum perfpred_status status = PERFPRED_OK;
  for (; status == PERFPRED_OK && !ends_line(reader) && *reader->at != ','; reader->at++)
    status = *reader->at != '\0' ? append(reader, field, length) : fail(reader, reader->at, "text", "a NUL byte");
  return status;
}

static void skip_blanks(struct reader *reader) {
  while (!ends_line(reader) && is_blank(*reader->at))
    reader->at++;
}

/* A field without the blanks around it; steps over the comma behind it. *last: the line ends with it. */
static enum perfpred_status next_field(struct reader *reader, char field[FIELD_MAX], const char **place, bool *last) {
  size_t length = 0;
  enum perfpred_status status = PERFPRED_OK;
  skip_blanks(reader);
  *place = reader->at;
  if (!ends_line(reader) && *reader->at == '"')
    status = quoted(reader, field, &length);
  if (status == PERFPRED_OK)
    status = plain(reader, field, &length);
  while (length > 0 && is_blank(field[length - 1]))
    length--;
  field[length] = '\0';
  *last = ends_line(reader);
  if (status == PERFPRED_OK && !*last)
    reader->at++;
  return status;
}

/* To the next line that has something in it; false: there is none. */
static bool next_line(struct reader *reader) {
  while (reader->at < reader->end) {
    reader->begin = reader->at;
    reader->line++;
    while (!ends_line(reader) && is_blank(*reader->at))
      reader->at++;
    if (!ends_line(reader) && *reader->at != '#')
      return true;
    while (!ends_line(reader))
      reader->at++;
    reader->at += reader->at < reader->end;
  }
  return false;
}

static void finish_line(struct reader *reader) {
  reader->at += reader->at < reader->end; /* the line break */
}

static bool has(const struct reader *reader, int kind) {
  for (int i = 0; i < reader->columns; i++)
    if (reader->kinds[i] == kind)
      return true;
  return false;
}

static enum perfpred_status read_name(struct reader *reader, bool *last) {
  char field[FIELD_MAX];
  const char *place = NULL;
  int kind = 0;
  enum perfpred_status status = next_field(reader, field, &place, last);
  if (status != PERFPRED_OK)
    return status;
  if (reader->columns == COLUMNS_MAX)
    return fail(reader, place, "at most 64 columns", field);
  while (kind < KNOWN && strcmp(names[kind], field) != 0)
    kind++;
  if (kind < KNOWN && has(reader, kind))
    return fail(reader, place, "each column once", field);
  reader->kinds[reader->columns++] = kind;
  return PERFPRED_OK;
}

static enum perfpred_status read_names(struct reader *reader) {
  bool last = false;
  enum perfpred_status status = PERFPRED_OK;
  if (!next_line(reader))
    return ppi_error_set(reader->error, PERFPRED_CORRUPT, "%s: empty, expected a line with the names of columns",
                         reader->source);
  while (!last && status == PERFPRED_OK)
    status = read_name(reader, &last);
  if (status != PERFPRED_OK)
    return status;
  if (!has(reader, TIME) || !(has(reader, CALL) || (has(reader, FLOPS) && has(reader, BYTES))))
    return fail(reader, reader->begin, "columns time_s, flops and bytes, or time_s and call", "others");
  finish_line(reader);
  return PERFPRED_OK;
}

static enum perfpred_status take(struct reader *reader, int kind, const char *place, const char *field,
                                 struct ppi_apex_sample *sample) {
  double *const numbers[] = { &sample->time_s, &sample->flops, &sample->bytes, &sample->cycles };
  struct perfpred_error wrong = { .status = PERFPRED_OK };
  if (kind == KNOWN)
    return PERFPRED_OK;
  if (kind != CALL)
    return ppi_text_parse_real(field, numbers[kind]) ? PERFPRED_OK : fail(reader, place, "a number", field);
  enum perfpred_status status = reader->call(reader->data, field, &sample->flops, &sample->bytes, &wrong);
  if (status == PERFPRED_OK || status == PERFPRED_NO_MEMORY)
    return status == PERFPRED_OK ? status : ppi_error_memory(reader->error);
  return ppi_error_at(reader->error, PERFPRED_CORRUPT, reader->source, reader->line, (int)(place - reader->begin) + 1,
                      "%s", wrong.text);
}

static enum perfpred_status read_sample(struct reader *reader, struct ppi_apex_sample *sample) {
  struct perfpred_error wrong = { .status = PERFPRED_OK };
  bool last = false;
  *sample = (struct ppi_apex_sample){ .cycles = (double)NAN };
  for (int i = 0; i < reader->columns; i++) {
    char field[FIELD_MAX];
    const char *place = reader->at;
    if (last)
      return fail(reader, reader->at, "as many fields as there are columns", "fewer");
    enum perfpred_status status = next_field(reader, field, &place, &last);
    if (status == PERFPRED_OK)
      status = take(reader, reader->kinds[i], place, field, sample);
    if (status != PERFPRED_OK)
      return status;
  }
  if (!last)
    return fail(reader, reader->at, "as many fields as there are columns", "more");
  if (ppi_apex_sample_check(sample, &wrong) != PERFPRED_OK)
    return ppi_error_at(reader->error, PERFPRED_CORRUPT, reader->source, reader->line, 1, "%s", wrong.text);
  finish_line(reader);
  return PERFPRED_OK;
}

enum perfpred_status ppi_apex_csv(const char *text, size_t length, const char *source, ppi_apex_call_fn *call,
                                  void *data, struct ppi_apex_samples *samples, struct perfpred_error *error) {
  struct reader reader = {
    .at = text, .end = text + length, .source = source, .call = call, .data = data, .error = error
  };
  enum perfpred_status status = read_names(&reader);
  while (status == PERFPRED_OK && next_line(&reader)) {
    struct ppi_apex_sample sample;
    status = read_sample(&reader, &sample);
    if (status == PERFPRED_OK)
      status = ppi_apex_samples_add(samples, &sample, error);
  }
  if (status == PERFPRED_OK && samples->count == 0)
    status =
        ppi_error_set(error, PERFPRED_CORRUPT, "%s: no samples, expected at least one line behind the names", source);
  return status;
}
