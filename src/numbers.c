/* SPDX-License-Identifier: BSD-3-Clause */
#include "numbers.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool number_integer(const char *text, int64_t lower, int64_t upper, int64_t *value) {
  const char *digits = text[0] == '-' ? text + 1 : text;
  if (digits[0] == '\0' || digits[strspn(digits, "0123456789")] != '\0')
    return false;
  errno = 0;
  long long parsed = strtoll(text, NULL, 10);
  if (errno != 0 || parsed < lower || parsed > upper)
    return false;
  *value = parsed;
  return true;
}

bool number_real(const char *text, double lower, double upper, double *value) {
  char *end;
  if (text[0] == '\0' || text[strspn(text, "0123456789.eE+-")] != '\0')
    return false;
  errno = 0;
  double parsed = strtod(text, &end);
  if (end == text || *end != '\0' || !isfinite(parsed) || parsed < lower || parsed > upper)
    return false;
  *value = parsed;
  return true;
}

bool number_bytes(const char *text, int64_t *bytes) {
  static const char units[] = "KMG";
  char digits[24];
  const size_t length = strlen(text);
  if (length == 0 || length >= sizeof digits)
    return false;
  const char *unit = strchr(units, text[length - 1]);
  memcpy(digits, text, length + 1);
  if (unit != NULL)
    digits[length - 1] = '\0';
  const int shift = unit != NULL ? 10 * (int)(unit - units + 1) : 0;
  int64_t number;
  if (!number_integer(digits, 1, INT64_MAX >> shift, &number))
    return false;
  *bytes = number << shift;
  return true;
}

bool number_range(const char *text, struct range *range) {
  char copy[80];
  char *parts[3] = { copy, NULL, NULL };
  int64_t values[3] = { 0, 0, 0 };
  int count = 1;
  size_t length = strlen(text);
  if (length >= sizeof copy)
    return false;
  memcpy(copy, text, length + 1);
  for (char *c = copy; *c != '\0'; c++) {
    if (*c != ':')
      continue;
    if (count == 3)
      return false;
    *c = '\0';
    parts[count++] = c + 1;
  }
  for (int i = 0; i < count; i++) {
    if (!number_integer(parts[i], 1, SIZE_LIMIT, &values[i]))
      return false;
  }
  if (count == 1)
    values[1] = values[0];
  if (values[1] < values[0])
    return false;
  *range = (struct range){ .lower = values[0], .upper = values[1], .step = values[2] };
  return true;
}

int64_t range_count(const struct range *range, int64_t step) {
  if (range->upper == range->lower)
    return 1;
  int64_t used = range->step > 0 ? range->step : step;
  return (range->upper - range->lower) / used + 1;
}

/* Puts a number in its place; false if it is there, or there is no room. */
static bool insert(struct counts *counts, int64_t value) {
  size_t place = counts->count;
  if (counts->count == COUNTS_MAX)
    return false;
  while (place > 0 && counts->items[place - 1] > value) {
    counts->items[place] = counts->items[place - 1];
    place--;
  }
  counts->items[place] = value;
  counts->count++;
  return place == 0 || counts->items[place - 1] != value;
}

bool number_counts(const char *text, int64_t lower, int64_t upper, struct counts *counts) {
  struct counts made = { .count = 0 };
  for (size_t length = 0;; text += length + 1) {
    char word[24];
    int64_t value;
    length = strcspn(text, ",");
    if (length == 0 || length >= sizeof word)
      return false;
    memcpy(word, text, length);
    word[length] = '\0';
    if (!number_integer(word, lower, upper, &value) || !insert(&made, value))
      return false;
    if (text[length] == '\0')
      break;
  }
  *counts = made;
  return true;
}
