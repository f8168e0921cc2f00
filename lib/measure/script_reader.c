/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/script_reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static enum perfpred_status fail(const struct ppi_script_reader *reader, const char *at, enum perfpred_status status,
                                 const char *format, va_list list) {
  char text[400];
  vsnprintf(text, sizeof text, format, list);
  return ppi_error_at(reader->error, status, reader->source, reader->line, (int)(at - reader->line_start) + 1, "%s",
                      text);
}

enum perfpred_status ppi_reader_fail(const struct ppi_script_reader *reader, enum perfpred_status status,
                                     const char *format, ...) {
  va_list list;
  va_start(list, format);
  fail(reader, reader->at, status, format, list);
  va_end(list);
  return status;
}

enum perfpred_status ppi_reader_fail_at(const struct ppi_script_reader *reader, const char *at,
                                        enum perfpred_status status, const char *format, ...) {
  va_list list;
  va_start(list, format);
  fail(reader, at, status, format, list);
  va_end(list);
  return status;
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static void skip_blanks(struct ppi_script_reader *reader) {
  while (reader->at < reader->end && (*reader->at == ' ' || *reader->at == '\t' || *reader->at == '\r'))
    reader->at++;
  if (reader->at < reader->end && *reader->at == '#')
    while (reader->at < reader->end && *reader->at != '\n')
      reader->at++;
}

static bool is_visible(char c) {
  return c > ' ' && c <= '~';
}

enum perfpred_status ppi_reader_expected(const struct ppi_script_reader *reader, const char *what) {
  struct ppi_script_reader ahead = *reader;
  skip_blanks(&ahead);
  size_t length = 0, left = (size_t)(ahead.end - ahead.at);
  while (length < left && length < 40 && is_visible(ahead.at[length]) && !strchr(",()[]{};", ahead.at[length]))
    length++;
  if (left == 0 || *ahead.at == '\n')
    return ppi_reader_fail(&ahead, PERFPRED_SYNTAX, "expected %s, found the end of the %s", what,
                           left == 0 ? "text" : "line");
  if (!is_visible(*ahead.at))
    return ppi_reader_fail(&ahead, PERFPRED_SYNTAX, "expected %s, found the byte 0x%02X", what,
                           (unsigned)(unsigned char)*ahead.at);
  return ppi_reader_fail(&ahead, PERFPRED_SYNTAX, "expected %s, found '%.*s'", what, (int)(length > 0 ? length : 1),
                         ahead.at);
}

void ppi_reader_skip_lines(struct ppi_script_reader *reader) {
  for (skip_blanks(reader); reader->at < reader->end && (*reader->at == '\n' || *reader->at == ';');
       skip_blanks(reader)) {
    if (*reader->at++ == '\n') {
      reader->line++;
      reader->line_start = reader->at;
    }
  }
}

bool ppi_reader_at_end(struct ppi_script_reader *reader) {
  ppi_reader_skip_lines(reader);
  return reader->at == reader->end;
}

char ppi_reader_peek(struct ppi_script_reader *reader) {
  skip_blanks(reader);
  return reader->at < reader->end ? *reader->at : '\n';
}

bool ppi_reader_accept(struct ppi_script_reader *reader, char mark) {
  if (ppi_reader_peek(reader) != mark || mark == '\n')
    return false;
  reader->at++;
  return true;
}

enum perfpred_status ppi_reader_expect(struct ppi_script_reader *reader, char mark) {
  const char what[] = { '\'', mark, '\'', '\0' };
  return ppi_reader_accept(reader, mark) ? PERFPRED_OK : ppi_reader_expected(reader, what);
}

int ppi_reader_column(const struct ppi_script_reader *reader) {
  return (int)(reader->at - reader->line_start) + 1;
}

enum perfpred_status ppi_reader_token(struct ppi_script_reader *reader, const char *what, const char *extra, char *word,
                                      size_t size) {
  size_t length = 0, left;
  skip_blanks(reader);
  left = (size_t)(reader->end - reader->at);
  while (length < left && (is_letter(reader->at[length]) || is_digit(reader->at[length]) ||
                           (reader->at[length] != '\0' && strchr(extra, reader->at[length]))))
    length++;
  if (length == 0)
    return ppi_reader_expected(reader, what);
  if (length >= size)
    return ppi_reader_fail(reader, PERFPRED_LIMIT, "%s has more than %zu characters", what, size - 1);
  memcpy(word, reader->at, length);
  word[length] = '\0';
  reader->at += length;
  return PERFPRED_OK;
}

enum perfpred_status ppi_reader_word(struct ppi_script_reader *reader, const char *what, const char *extra,
                                     char word[PPI_NAME_MAX]) {
  return ppi_reader_token(reader, what, extra, word, PPI_NAME_MAX);
}

static bool is_exponent(char c) {
  return c == 'e' || c == 'E';
}

/* Whether the character behind `length` others, no digit, belongs to a real number. */
static bool continues_real(const char *number, size_t length) {
  char c = number[length];
  if (c == '.')
    return true;
  return length > 0 && (is_exponent(c) || ((c == '-' || c == '+') && is_exponent(number[length - 1])));
}

/* Digits at the present place, with what else a real number is written with. */
static size_t number_length(const struct ppi_script_reader *reader, bool real) {
  size_t length = 0, left = (size_t)(reader->end - reader->at);
  if (left > 0 && (*reader->at == '-' || *reader->at == '+'))
    length++;
  while (length < left && (is_digit(reader->at[length]) || (real && continues_real(reader->at, length))))
    length++;
  return length;
}

static bool take_number(struct ppi_script_reader *reader, bool real, char *number, size_t size) {
  skip_blanks(reader);
  size_t length = number_length(reader, real);
  if (length == 0 || length >= size)
    return false;
  memcpy(number, reader->at, length);
  number[length] = '\0';
  return true;
}

/* No integer stands here: none at all, or one with too many digits. */
static enum perfpred_status refuse_integer(const struct ppi_script_reader *reader, const char *what) {
  size_t length = number_length(reader, false);
  if (length == 0 || !is_digit(reader->at[length - 1]))
    return ppi_reader_expected(reader, what);
  return ppi_reader_fail(reader, PERFPRED_OVERFLOW, "%.*s does not fit into 64 bits",
                         (int)(length < 200 ? length : 200), reader->at);
}

enum perfpred_status ppi_reader_integer(struct ppi_script_reader *reader, const char *what, int64_t *value) {
  int64_t product = 1, factor = 0;
  do {
    char number[64];
    if (!take_number(reader, false, number, sizeof number) || !ppi_text_parse_integer(number, &factor))
      return refuse_integer(reader, what);
    if (__builtin_mul_overflow(product, factor, &product))
      return ppi_reader_fail(reader, PERFPRED_OVERFLOW, "%s is out of range", what);
    reader->at += strlen(number);
  } while (ppi_reader_accept(reader, '*'));
  *value = product;
  return PERFPRED_OK;
}

enum perfpred_status ppi_reader_real(struct ppi_script_reader *reader, const char *what, double *value) {
  char number[64];
  if (!take_number(reader, true, number, sizeof number) || !ppi_text_parse_real(number, value))
    return ppi_reader_expected(reader, what);
  reader->at += strlen(number);
  return PERFPRED_OK;
}
