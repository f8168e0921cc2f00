/* SPDX-License-Identifier: BSD-3-Clause */
#include "knobs.h"

#include <stdio.h>
#include <string.h>

#include "message.h"
#include "suggest.h"

struct knob {
  const char *name;
  const char *words[4]; /* values that are words, in the order of their enumeration; none: a number */
  double lower, upper;
};

enum {
  OVERFITTING,
  OVERSAMPLING,
  GRID,
  REPETITIONS,
  REFERENCE,
  ERROR_MEASURE,
  ERROR_BOUND,
  MINIMUM_WIDTH,
  SEED,
  GENERATOR,
  KNOBS
};

static const struct knob knobs[KNOBS] = {
  [OVERFITTING] = { "overfitting", { NULL }, 0, 10 },
  [OVERSAMPLING] = { "oversampling", { NULL }, 0, 100 },
  [GRID] = { "grid", { "chebyshev", "cartesian", NULL }, 0, 0 },
  [REPETITIONS] = { "repetitions", { NULL }, 1, 100000 },
  [REFERENCE] = { "reference", { "minimum", "median", NULL }, 0, 0 },
  [ERROR_MEASURE] = { "error-measure", { "maximum", "percentile90", "average", NULL }, 0, 0 },
  [ERROR_BOUND] = { "error-bound", { NULL }, 1e-9, 10 },
  [MINIMUM_WIDTH] = { "minimum-width", { NULL }, 1, 1e9 },
  [SEED] = { "seed", { NULL }, 1, 9e15 },
  [GENERATOR] = { "generator", { "published", "adaptive", NULL }, 0, 0 },
};

/* The options count 0 as "default" and -1 as 0. */
static int or_zero(double value) {
  return value == 0.0 ? -1 : (int)value;
}

static void put(int knob, double value, struct perfpred_generate_options *generate) {
  switch (knob) {
  case OVERFITTING:
    generate->overfitting = or_zero(value);
    break;
  case OVERSAMPLING:
    generate->oversampling = or_zero(value);
    break;
  case GRID:
    generate->grid = (enum perfpred_grid)value;
    break;
  case REPETITIONS:
    generate->repetitions = (int)value;
    break;
  case REFERENCE:
    generate->reference = (enum perfpred_reference)value;
    break;
  case ERROR_MEASURE:
    generate->error_measure = (enum perfpred_error_measure)value;
    break;
  case ERROR_BOUND:
    generate->error_bound = value;
    break;
  case MINIMUM_WIDTH:
    generate->minimum_width = (int64_t)value;
    break;
  case GENERATOR:
    generate->generator = value > 0.0 ? PERFPRED_GENERATOR_ADAPTIVE : PERFPRED_GENERATOR_PUBLISHED;
    break;
  default:
    generate->seed = (uint64_t)value;
  }
}

static int parse_word(const struct knob *knob, const char *text, double *value) {
  struct suggestion suggestion;
  char list[80] = "";
  suggest_begin(&suggestion, text);
  for (int i = 0; knob->words[i] != NULL; i++) {
    if (strcmp(knob->words[i], text) == 0) {
      *value = i;
      return COMMAND_OK;
    }
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", knob->words[i]);
    suggest_offer(&suggestion, knob->words[i]);
  }
  return message_misuse("--set %s: '%s'%s: expected one of %s", knob->name, text, suggest_text(&suggestion, ""), list);
}

static int parse_value(int which, const char *text, double *value) {
  const struct knob *knob = &knobs[which];
  int64_t integer = 0;
  if (knob->words[0] != NULL)
    return parse_word(knob, text, value);
  if (which == ERROR_BOUND) {
    if (number_real(text, knob->lower, knob->upper, value))
      return COMMAND_OK;
    return message_misuse("--set %s: '%s': expected a number from %g to %g", knob->name, text, knob->lower,
                          knob->upper);
  }
  if (!number_integer(text, (int64_t)knob->lower, (int64_t)knob->upper, &integer))
    return message_misuse("--set %s: '%s': expected an integer from %.0f to %.0f", knob->name, text, knob->lower,
                          knob->upper);
  *value = (double)integer;
  return COMMAND_OK;
}

static int apply(const char *setting, struct perfpred_generate_options *generate) {
  struct suggestion suggestion;
  char name[40];
  size_t length = strcspn(setting, "=");
  snprintf(name, sizeof name, "%.*s", (int)(length < 39 ? length : 39), setting);
  suggest_begin(&suggestion, name);
  for (int i = 0; i < KNOBS; i++) {
    double value = 0.0;
    if (strcmp(knobs[i].name, name) != 0) {
      suggest_offer(&suggestion, knobs[i].name);
      continue;
    }
    int result = parse_value(i, setting + length + 1, &value);
    if (result == COMMAND_OK)
      put(i, value, generate);
    return result;
  }
  return message_misuse("--set: no knob '%s'%s; 'perfpred generate --help' lists them", name,
                        suggest_text(&suggestion, ""));
}

int knobs_apply(const struct words *settings, struct perfpred_generate_options *generate) {
  int result = COMMAND_OK;
  for (size_t i = 0; result == COMMAND_OK && i < settings->count; i++)
    result = apply(settings->items[i], generate);
  return result;
}
