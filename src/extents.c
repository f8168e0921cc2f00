/* SPDX-License-Identifier: BSD-3-Clause */
#include "extents.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "message.h"

#define PART_MAX 160

static const char letters[] = "a\0b\0c\0d\0e\0f\0g\0h\0i\0j\0k\0l\0m\0n\0o\0p\0q\0r\0s\0t\0u\0v\0w\0x\0y\0z\0"
                              "A\0B\0C\0D\0E\0F\0G\0H\0I\0J\0K\0L\0M\0N\0O\0P\0Q\0R\0S\0T\0U\0V\0W\0X\0Y\0Z";

/* A letter as a string that stays; NULL: it is none. */
static const char *letter(char c) {
  if (c >= 'a' && c <= 'z')
    return letters + 2 * (c - 'a');
  return c >= 'A' && c <= 'Z' ? letters + 2 * (26 + c - 'A') : NULL;
}

/* In a file the text is at fault, on the command line the user. */
static int complain(const struct extents *extents, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int complain(const struct extents *extents, const char *format, ...) {
  char text[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return extents->source != NULL ? message_fail("%s: %s", extents->source, text) : message_misuse("%s", text);
}

static int add(struct extents *extents, const char *name, int64_t value) {
  for (size_t i = 0; i < extents->count; i++) {
    if (extents->names[i] == name)
      return complain(extents, "index '%s' has two extents: %lld and %lld", name, (long long)extents->values[i],
                      (long long)value);
  }
  extents->names[extents->count] = name; /* there are no more letters than places */
  extents->values[extents->count++] = value;
  return COMMAND_OK;
}

static int read_range(const struct extents *extents, const char *part, const char *text, struct range *range) {
  if (!number_range(text, range) || (range->upper > range->lower && range->step == 0))
    return complain(extents, "'%s': expected LO:HI:STEP with 1 <= LO <= HI <= 2147483647 and STEP >= 1", part);
  return COMMAND_OK;
}

static int read_value(const struct extents *extents, const char *part, const char *text, bool ranges,
                      struct range *range, int64_t *value) {
  if (strchr(text, ':') != NULL) {
    int result = ranges ? read_range(extents, part, text, range)
                        : complain(extents, "'%s': a range of extents is for 'perfpred plot contract'", part);
    *value = range->lower;
    return result;
  }
  if (!number_integer(text, INT64_MIN, INT64_MAX, value))
    return complain(extents, "'%s': '%s' is not an integer of at most 64 bits", part, text);
  if (*value < 0)
    return complain(extents, "'%s': an extent is %lld: expected at least 0", part, (long long)*value);
  return COMMAND_OK;
}

/* The indices of "a=b=c=400"; *value gets what stands behind them. */
static int read_names(const struct extents *extents, const char *part, const char *names[EXTENTS_MAX], size_t *count,
                      const char **value) {
  *count = 0;
  *value = part;
  for (const char *equals; (equals = strchr(*value, '=')) != NULL; *value = equals + 1) {
    const char *name = equals == *value + 1 ? letter(**value) : NULL;
    if (name == NULL || *count == EXTENTS_MAX)
      return complain(extents, "'%s': an index is a single letter: expected a=400 or a=b=400", part);
    names[(*count)++] = name;
  }
  if (*count == 0)
    return complain(extents, "'%s': expected extents such as a=400 or a=b=400", part);
  return COMMAND_OK;
}

static int add_part(const char *part, bool ranges, struct extents *extents) {
  const char *names[EXTENTS_MAX], *text;
  struct range range = { .upper = 0 };
  int64_t value = 0;
  size_t count;
  int result = read_names(extents, part, names, &count, &text);
  if (result == COMMAND_OK)
    result = read_value(extents, part, text, ranges, &range, &value);
  if (result == COMMAND_OK && range.upper > 0 && extents->range.upper > 0)
    result = complain(extents,
                      "'%s': expected one range of extents: indices that vary together are joined, as in "
                      "a=b=50:400:50",
                      part);
  for (size_t i = 0; result == COMMAND_OK && i < count; i++) {
    result = add(extents, names[i], value);
    if (range.upper > 0)
      strncat(extents->varied, names[i], 1);
  }
  if (range.upper > 0)
    extents->range = range;
  return result;
}

int extents_add(const char *text, bool ranges, struct extents *extents) {
  int result = COMMAND_OK;
  for (const char *at = text; result == COMMAND_OK && *at != '\0';) {
    char part[PART_MAX];
    const size_t length = strcspn(at, ";");
    if (length >= sizeof part)
      return complain(extents, "'%.40s...': too long for an extent", text);
    memcpy(part, at, length);
    part[length] = '\0';
    result = add_part(part, ranges, extents);
    at += length + (at[length] == ';' ? 1 : 0);
  }
  return result;
}

int extents_read(const struct words *words, bool ranges, struct extents *extents) {
  int result = COMMAND_OK;
  memset(extents, 0, sizeof *extents);
  for (size_t i = 0; result == COMMAND_OK && i < words->count; i++)
    result = extents_add(words->items[i], ranges, extents);
  return result;
}

const char *extents_describe(const struct extents *extents, char text[EXTENTS_TEXT]) {
  bool told[EXTENTS_MAX] = { false };
  size_t used = 0;
  text[0] = '\0';
  for (size_t i = 0; i < extents->count && used < EXTENTS_TEXT; i++) {
    if (told[i])
      continue;
    used += (size_t)snprintf(text + used, EXTENTS_TEXT - used, "%s", i > 0 ? " " : "");
    for (size_t k = i; k < extents->count && used < EXTENTS_TEXT; k++) {
      if (extents->values[k] != extents->values[i])
        continue;
      told[k] = true;
      used += (size_t)snprintf(text + used, EXTENTS_TEXT - used, "%s=", extents->names[k]);
    }
    if (used < EXTENTS_TEXT)
      used += (size_t)snprintf(text + used, EXTENTS_TEXT - used, "%lld", (long long)extents->values[i]);
  }
  return text;
}
