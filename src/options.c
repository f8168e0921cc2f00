/* SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "rules.h"
#include "suggest.h"

static bool taken(const struct rule *rule, const struct command *command) {
  return rule->takes == 0 || (command->takes & rule->takes) != 0;
}

static bool is_name(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++) {
    char c = text[i];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    bool inner = (c >= '0' && c <= '9') || c == '-';
    if (!letter && !(i > 0 && inner))
      return false;
  }
  return length > 0;
}

static int wrong_value(const struct rule *rule, const char *value) {
  switch (rule->kind) {
  case KIND_RANGE:
    return message_misuse(
        "option %s: '%s' is no range: expected %s or a single number, with 1 <= LO <= HI <= 2147483647 and STEP >= 1",
        rule->name, value, rule->argument);
  case KIND_ASSIGNMENTS:
    return message_misuse("option %s: '%s' is not of the form %s", rule->name, value, rule->argument);
  case KIND_COUNTS:
    return message_misuse(
        "option %s: '%s': expected different integers from %.0f to %.0f, at most %d of them, with commas", rule->name,
        value, rule->lower, rule->upper, COUNTS_MAX);
  case KIND_GATE:
    return message_misuse("option %s: '%s': expected a number from %g to %g, or 'off'", rule->name, value, rule->lower,
                          rule->upper);
  case KIND_MANY:
    return message_misuse("option %s: '%s': expected an integer from %.0f to %.0f, or 'all'", rule->name, value,
                          rule->lower, rule->upper);
  case KIND_INTEGER:
    return message_misuse("option %s: '%s': expected an integer from %.0f to %.0f", rule->name, value, rule->lower,
                          rule->upper);
  default:
    return message_misuse("option %s: '%s': expected a number from %g to %g", rule->name, value, rule->lower,
                          rule->upper);
  }
}

/* Flags say the same twice; lists grow. Of anything else a second value would silently win. Unset is all zeros. */
static bool is_given(const struct rule *rule, const void *target) {
  switch (rule->kind) {
  case KIND_INTEGER:
  case KIND_MANY:
    return *(const int64_t *)target != 0;
  case KIND_REAL:
  case KIND_GATE:
    return *(const double *)target < 0.0 || *(const double *)target > 0.0;
  case KIND_RANGE:
    return ((const struct range *)target)->upper != 0;
  case KIND_COUNTS:
    return ((const struct counts *)target)->count != 0;
  case KIND_WORD:
    return *(const char *const *)target != NULL;
  default:
    return false;
  }
}

static int store_word(const struct rule *rule, const char *value, const char **target) {
  if (value[0] == '\0')
    return message_misuse("option %s: expected %s, not an empty word", rule->name, rule->argument);
  *target = value;
  return COMMAND_OK;
}

/* "NAME=VALUE", and no second value for the same name: the last one would silently win. */
static int store_assignment(const struct rule *rule, const char *value, struct words *words) {
  const char *equals = strchr(value, '=');
  if (equals == NULL || !is_name(value, (size_t)(equals - value)))
    return wrong_value(rule, value);
  size_t length = (size_t)(equals - value);
  for (size_t i = 0; i < words->count; i++) {
    if (strncmp(words->items[i], value, length + 1) == 0)
      return message_misuse("option %s: '%.*s' is given twice: %s and %s", rule->name, (int)(length < 64 ? length : 64),
                            value, words->items[i], value);
  }
  words->items[words->count++] = value;
  return COMMAND_OK;
}

static int store(const struct rule *rule, const char *value, struct options *options) {
  void *target = (char *)options + rule->offset;
  bool good = true;
  if (is_given(rule, target))
    return message_misuse("option %s is given twice", rule->name);
  switch (rule->kind) {
  case KIND_FLAG:
    *(bool *)target = true;
    break;
  case KIND_WORD:
    return store_word(rule, value, target);
  case KIND_ASSIGNMENTS:
    return store_assignment(rule, value, target);
  case KIND_WORDS:
    return store_word(rule, value, &((struct words *)target)->items[((struct words *)target)->count++]);
  case KIND_INTEGER:
    good = number_integer(value, (int64_t)rule->lower, (int64_t)rule->upper, target);
    break;
  case KIND_MANY:
    if (strcmp(value, "all") == 0)
      *(int64_t *)target = -1;
    else
      good = number_integer(value, (int64_t)rule->lower, (int64_t)rule->upper, target);
    break;
  case KIND_GATE:
    if (strcmp(value, "off") == 0) {
      *(double *)target = -1.0;
      break;
    }
    /* fall through */
  case KIND_REAL:
    good = number_real(value, rule->lower, rule->upper, target);
    break;
  case KIND_RANGE:
    good = number_range(value, target);
    break;
  case KIND_COUNTS:
    good = number_counts(value, (int64_t)rule->lower, (int64_t)rule->upper, target);
    break;
  }
  return good ? COMMAND_OK : wrong_value(rule, value);
}

static int unknown(const struct command *command, const char *word, size_t length) {
  char name[80];
  struct suggestion suggestion;
  snprintf(name, sizeof name, "%.*s", (int)(length < 79 ? length : 79), word);
  suggest_begin(&suggestion, name);
  for (size_t i = 0; i < rule_count; i++) {
    if (taken(&rules[i], command) && strlen(rules[i].name) > 2)
      suggest_offer(&suggestion, rules[i].name);
  }
  return message_misuse("'%s' has no option '%s'%s; 'perfpred %s --help' lists them", command->name, name,
                        suggest_text(&suggestion, ""), command->name);
}

/* The rule that a word beginning with '-' names, and its argument where that is part of the word. */
static const struct rule *find(const struct command *command, const char *word, size_t *length, const char **value) {
  bool is_long = word[1] == '-';
  *length = is_long ? strcspn(word, "=") : 2;
  *value = NULL;
  for (size_t i = 0; i < rule_count; i++) {
    if (!taken(&rules[i], command) || strlen(rules[i].name) != *length || strncmp(word, rules[i].name, *length) != 0)
      continue;
    if (is_long && word[*length] == '=')
      *value = word + *length + 1;
    else if (!is_long && word[2] != '\0')
      *value = word + 2;
    return &rules[i];
  }
  return NULL;
}

/* What stands behind an option that may stand alone belongs to it if it can. */
static const char *many(char **words, int left, int *used) {
  if (left > 1 && (strcmp(words[1], "all") == 0 || words[1][strspn(words[1], "0123456789")] == '\0')) {
    *used = 2;
    return words[1];
  }
  return "all";
}

/* One option; *used counts the words that it takes. */
static int parse_option(const struct command *command, char **words, int left, struct options *options, int *used) {
  size_t length;
  const char *value;
  *used = 1;
  if (strcmp(words[0], "-h") == 0) {
    options->help = true;
    return COMMAND_OK;
  }
  const struct rule *rule = find(command, words[0], &length, &value);
  if (rule == NULL)
    return unknown(command, words[0], length);
  if (rule->argument == NULL && value != NULL)
    return message_misuse("option %s takes no value", rule->name);
  if (rule->argument == NULL)
    value = "";
  if (value == NULL && rule->kind == KIND_MANY)
    value = many(words, left, used);
  if (value == NULL) {
    if (left < 2)
      return message_misuse("option %s: expected %s behind it", rule->name, rule->argument);
    value = words[1];
    *used = 2;
  }
  return store(rule, value, options);
}

static int parse_parameter(const char *word, const char *equals, struct options *options) {
  size_t length = (size_t)(equals - word);
  struct assignment *last = &options->parameters[options->parameter_count];
  if (length >= ASSIGNMENT_NAME || options->parameter_count == ASSIGNMENT_MAX)
    return message_misuse("'%s': at most %d parameters with names of up to %d letters", word, ASSIGNMENT_MAX,
                          ASSIGNMENT_NAME - 1);
  memcpy(last->name, word, length);
  last->name[length] = '\0';
  if (!number_integer(equals + 1, INT64_MIN, INT64_MAX, &last->value))
    return message_misuse("parameter '%s': '%s' is not an integer of at most 64 bits", last->name, equals + 1);
  for (size_t i = 0; i < options->parameter_count; i++) {
    if (strcmp(options->parameters[i].name, last->name) == 0)
      return message_misuse("parameter '%s' is given twice", last->name);
  }
  /* a size of 0 would be answered with no time at all: never what was meant on a command line */
  if (last->value < 1)
    return message_fail("parameter '%s' is %lld: expected an integer of at least 1", last->name,
                        (long long)last->value);
  options->parameter_count++;
  return COMMAND_OK;
}

static bool are_extents(const struct command *command, const struct options *options) {
  const char *first = options->operands.count > 0 ? options->operands.items[0] : "";
  return (command->takes & TAKES_EXTENTS) != 0 &&
         (command->extents_behind == NULL ||
          strncmp(first, command->extents_behind, strlen(command->extents_behind)) == 0);
}

static int parse_operand(const struct command *command, const char *word, struct options *options) {
  const char *equals = strchr(word, '=');
  if (equals != NULL && are_extents(command, options)) {
    options->extents.items[options->extents.count++] = word;
    return COMMAND_OK;
  }
  if ((command->takes & TAKES_PARAMETERS) != 0 && equals != NULL && is_name(word, (size_t)(equals - word)))
    return parse_parameter(word, equals, options);
  if (word[0] == '\0' && ((command->takes & TAKES_COMMAND) == 0 || options->operands.count == 0))
    return message_misuse("'%s': an empty word is no name; expected %s", command->name, command->synopsis);
  if (options->operands.count == command->operands_max)
    return message_misuse("'%s': unexpected '%s'; expected %s", command->name, word, command->synopsis);
  options->operands.items[options->operands.count++] = word;
  return COMMAND_OK;
}

static int reserve(struct options *options, int count) {
  size_t each = (size_t)count + 1;
  const char **memory = calloc(8 * each, sizeof *memory);
  memset(options, 0, sizeof *options);
  if (memory == NULL)
    return message_fail("out of memory");
  options->memory = (void *)memory;
  options->settings.items = memory;
  options->environment.items = memory + each;
  options->files.items = memory + 2 * each;
  options->operands.items = memory + 3 * each;
  options->defines.items = memory + 4 * each;
  options->includes.items = memory + 5 * each;
  options->extents.items = memory + 6 * each;
  options->strides.items = memory + 7 * each;
  return COMMAND_OK;
}

static bool is_option(const char *word) {
  return word[0] == '-' && word[1] != '\0';
}

int options_parse(const struct command *command, int count, char **words, struct options *options) {
  bool only_operands = false;
  int result = reserve(options, count);
  for (int i = 0, used; result == COMMAND_OK && i < count; i += used) {
    used = 1;
    if (!only_operands && strcmp(words[i], "--") == 0)
      only_operands = true;
    else if (!only_operands && is_option(words[i]))
      result = parse_option(command, words + i, count - i, options, &used);
    else
      result = parse_operand(command, words[i], options);
    only_operands = only_operands || ((command->takes & TAKES_COMMAND) != 0 && options->operands.count > 0);
    if (options->help)
      return COMMAND_OK;
  }
  if (result == COMMAND_OK && options->operands.count < command->operands_min)
    result = message_misuse("'%s' needs more: expected %s", command->name, command->synopsis);
  return result;
}

void options_end(struct options *options) {
  free(options->memory);
  options->memory = NULL;
}

void options_print(const struct command *command) {
  for (size_t i = 0; i < rule_count; i++) {
    char head[40];
    if (!taken(&rules[i], command))
      continue;
    snprintf(head, sizeof head, "%s %s", rules[i].name, rules[i].argument != NULL ? rules[i].argument : "");
    printf("  %-20s  %s\n", head, rules[i].help);
  }
}
