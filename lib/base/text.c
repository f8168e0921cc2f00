/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/text.h"

#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for `more` bytes and a NUL. */
static bool reserve(struct ppi_text *text, size_t more) {
  if (text->failed)
    return false;
  if (text->data && more < text->capacity - text->length)
    return true;
  size_t capacity = text->capacity ? text->capacity : 64;
  while (capacity - text->length <= more) {
    if (capacity > SIZE_MAX / 2) {
      text->failed = true;
      return false;
    }
    capacity *= 2;
  }
  char *data = realloc(text->data, capacity);
  if (!data) {
    text->failed = true;
    return false;
  }
  text->data = data;
  text->capacity = capacity;
  return true;
}

void ppi_text_append(struct ppi_text *text, const char *string) {
  ppi_text_append_n(text, string, strlen(string));
}

void ppi_text_append_n(struct ppi_text *text, const char *string, size_t length) {
  if (!reserve(text, length))
    return;
  memcpy(text->data + text->length, string, length);
  text->length += length;
  text->data[text->length] = '\0';
}

void ppi_text_printf(struct ppi_text *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  if (length < 0)
    text->failed = true;
  if (length < 0 || !reserve(text, (size_t)length))
    return;
  va_start(arguments, format);
  vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
  va_end(arguments);
  text->length += (size_t)length;
}

/* strtod follows the locale of the host, which may want a decimal comma; the text form never does. */
static double read_real(const char *string) {
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (!plain)
    return NAN;
  double value = strtod_l(string, NULL, plain);
  freelocale(plain);
  return value;
}

static const char *skip_digits(const char *at) {
  while (*at >= '0' && *at <= '9')
    at++;
  return at;
}

bool ppi_text_parse_real(const char *string, double *value) {
  const char *at = string + (*string == '-' || *string == '+');
  const char *digits = at;
  at = skip_digits(at);
  size_t count = (size_t)(at - digits);
  if (*at == '.') {
    const char *fraction = ++at;
    at = skip_digits(at);
    count += (size_t)(at - fraction);
  }
  if (count > 0 && (*at == 'e' || *at == 'E')) {
    at++;
    at += *at == '-' || *at == '+';
    const char *exponent = at;
    at = skip_digits(at);
    if (at == exponent)
      return false;
  }
  if (count == 0 || *at)
    return false;
  double number = read_real(string);
  if (!isfinite(number))
    return false;
  *value = number;
  return true;
}

bool ppi_text_parse_integer(const char *string, int64_t *value) {
  const bool negative = *string == '-';
  const char *at = string + (*string == '-' || *string == '+');
  int64_t number = 0; /* of the sign wanted from the start: the negative range is larger by one */
  if (!*at)
    return false;
  for (; *at; at++) {
    if (*at < '0' || *at > '9')
      return false;
    const int64_t digit = negative ? '0' - *at : *at - '0';
    if (__builtin_mul_overflow(number, (int64_t)10, &number) || __builtin_add_overflow(number, digit, &number))
      return false;
  }
  *value = number;
  return true;
}

void ppi_text_real(struct ppi_text *text, double value) {
  char digits[40] = "";
  for (int precision = 1; precision <= 17; precision++) {
    snprintf(digits, sizeof digits, "%.*g", precision, value);
    for (char *c = digits; *c; c++)
      if (!strchr("+-0123456789einfa", *c)) { /* what is left is the decimal sign of the locale, of one or more bytes */
        char *behind = c + 1;
        while (*behind && !strchr("+-0123456789e", *behind))
          behind++;
        *c = '.';
        memmove(c + 1, behind, strlen(behind) + 1);
      }
    if (!isfinite(value) || read_real(digits) == value)
      break;
  }
  ppi_text_append(text, digits);
}

char *ppi_text_take(struct ppi_text *text) {
  if (!reserve(text, 0)) {
    ppi_text_free(text);
    return NULL;
  }
  char *data = text->data;
  data[text->length] = '\0';
  *text = (struct ppi_text)PPI_TEXT_INIT;
  return data;
}

void ppi_text_free(struct ppi_text *text) {
  free(text->data);
  *text = (struct ppi_text)PPI_TEXT_INIT;
}

static size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

/* Number of letters to insert, remove, replace or swap with the next one (Levenshtein's distance with transpositions). */
static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length) {
  size_t rows[3][PPI_NAME_MAX + 1] = { { 0 } };
  size_t *before = rows[0], *last = rows[1], *row = rows[2];
  for (size_t j = 0; j <= b_length; j++)
    last[j] = j;
  for (size_t i = 1; i <= a_length; i++) {
    row[0] = i;
    for (size_t j = 1; j <= b_length; j++) {
      row[j] = least(least(last[j], row[j - 1]) + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = least(row[j], before[j - 2] + 1);
    }
    size_t *spare = before;
    before = last;
    last = row;
    row = spare;
  }
  return last[b_length];
}

/* One error in three letters is a typing error, more is another word; of a letter or two nothing is left to go by. */
static size_t tolerated(size_t length) {
  if (length < 3)
    return 0;
  return length < 6 ? 1 : length / 3 + 1;
}

const char *ppi_text_nearest(const char *name, size_t count, const char *(*at)(const void *data, size_t index),
                             const void *data) {
  const size_t length = strlen(name);
  if (length == 0 || length > PPI_NAME_MAX)
    return NULL;
  const char *nearest = NULL;
  size_t best = tolerated(length) + 1;
  for (size_t i = 0; i < count; i++) {
    const char *candidate = at(data, i);
    const size_t candidate_length = candidate ? strlen(candidate) : 0;
    if (candidate_length == 0 || candidate_length > PPI_NAME_MAX)
      continue;
    const size_t found = distance(name, length, candidate, candidate_length);
    if (found < best && found < candidate_length) {
      best = found;
      nearest = candidate;
    }
  }
  return nearest;
}
