/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ppi_error_clear(struct perfpred_error *error) {
  if (!error)
    return;
  error->status = PERFPRED_OK;
  error->line = 0;
  error->column = 0;
  error->text[0] = '\0';
}

/* A text that was cut may end within a UTF-8 sequence: drop what is left of it. */
static void drop_partial_character(char *text, size_t length) {
  size_t start = length;
  while (start > 0 && ((unsigned char)text[start - 1] & 0xC0) == 0x80)
    start--;
  if (start == 0 || (unsigned char)text[start - 1] < 0xC0)
    return;
  unsigned char lead = (unsigned char)text[start - 1];
  size_t want = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
  if (length - start < want)
    text[start - 1] = '\0';
}

/* Fills the text behind its first `at` bytes. */
static void format_text(struct perfpred_error *error, size_t at, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

static void format_text(struct perfpred_error *error, size_t at, const char *format, va_list arguments) {
  const size_t room = sizeof error->text - at;
  int written = vsnprintf(error->text + at, room, format, arguments);
  if (written < 0)
    error->text[at] = '\0';
  else if ((size_t)written >= room)
    drop_partial_character(error->text, sizeof error->text - 1);
  for (char *c = error->text; *c; c++)
    if ((unsigned char)*c < ' ' || *c == 0x7F)
      *c = ' ';
}

enum perfpred_status ppi_error_set(struct perfpred_error *error, enum perfpred_status status, const char *format, ...) {
  if (!error || error->status != PERFPRED_OK)
    return status;
  error->status = status;
  va_list arguments;
  va_start(arguments, format);
  format_text(error, 0, format, arguments);
  va_end(arguments);
  return status;
}

enum perfpred_status ppi_error_at(struct perfpred_error *error, enum perfpred_status status, const char *source,
                                  int line, int column, const char *format, ...) {
  if (!error || error->status != PERFPRED_OK)
    return status;
  error->status = status;
  error->line = line;
  error->column = column;
  /* a long name of a file must leave room for the message */
  int at = snprintf(error->text, sizeof error->text, "%.200s:%d:%d: ", source ? source : "text", line, column);
  va_list arguments;
  va_start(arguments, format);
  format_text(error, at < 0 ? 0 : (size_t)at, format, arguments);
  va_end(arguments);
  return status;
}

enum perfpred_status ppi_error_memory(struct perfpred_error *error) {
  return ppi_error_set(error, PERFPRED_NO_MEMORY, "out of memory");
}
