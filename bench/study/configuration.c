/* SPDX-License-Identifier: BSD-3-Clause */
#include "configuration.h"

#include <limits.h>

#define VALUES_MAX 10

/* The second error bound of the table is lost; 2 % stands for it. The last knobs change fastest. */
static const struct {
  const char *name;
  int count;
  const char *values[VALUES_MAX];
} knobs[KNOB_COUNT] = {
  { "overfitting", 3, { "0", "1", "2" } },
  { "oversampling", 10, { "1", "2", "3", "4", "5", "6", "7", "8", "9", "10" } },
  { "grid", 2, { "cartesian", "chebyshev" } },
  { "repetitions", 3, { "5", "10", "15" } },
  { "reference", 2, { "minimum", "median" } },
  { "measure", 2, { "percentile-90", "maximum" } },
  { "bound", 2, { "0.01", "0.02" } },
  { "width", 2, { "32", "64" } },
};

const char *knob_name(enum knob knob) {
  return knobs[knob].name;
}

int knob_count(enum knob knob) {
  return knobs[knob].count;
}

const char *knob_value(enum knob knob, int place) {
  return knobs[knob].values[place];
}

struct configuration configuration_at(int index) {
  struct configuration made;

  for (int knob = KNOB_COUNT - 1; knob >= 0; knob--) {
    made.places[knob] = index % knobs[knob].count;
    index /= knobs[knob].count;
  }
  return made;
}

int configuration_index(const struct configuration *configuration) {
  int index = 0;

  for (int knob = 0; knob < KNOB_COUNT; knob++)
    index = index * knobs[knob].count + configuration->places[knob];
  return index;
}

int configuration_repetitions(const struct configuration *configuration) {
  return 5 * (configuration->places[KNOB_REPETITIONS] + 1);
}

int configuration_published_index(int repetitions) {
  struct configuration published = { { 2, 3, 1, 1, 0, 1, 0, 0 } };

  if (configuration_repetitions(&published) > repetitions)
    published.places[KNOB_REPETITIONS] = 0;
  return configuration_index(&published);
}

static int none(int value) { /* a knob of 0 is written -1 */
  return value == 0 ? -1 : value;
}

void configuration_options(const struct configuration *configuration, struct perfpred_generate_options *options) {
  const int *places = configuration->places;

  options->overfitting = none(places[KNOB_OVERFITTING]);
  options->oversampling = places[KNOB_OVERSAMPLING] + 1;
  options->grid = places[KNOB_GRID] ? PERFPRED_GRID_CHEBYSHEV : PERFPRED_GRID_CARTESIAN;
  options->repetitions = configuration_repetitions(configuration);
  options->reference = places[KNOB_REFERENCE] ? PERFPRED_REFERENCE_MEDIAN : PERFPRED_REFERENCE_MINIMUM;
  options->error_measure = places[KNOB_MEASURE] ? PERFPRED_ERROR_MAXIMUM : PERFPRED_ERROR_PERCENTILE_90;
  options->error_bound = 0.01 * (places[KNOB_BOUND] + 1);
  options->minimum_width = 32 * (places[KNOB_WIDTH] + 1);
}

void configuration_published(int dimensions, int threads, struct perfpred_generate_options *options) {
  struct configuration published = configuration_at(configuration_published_index(INT_MAX));

  configuration_options(&published, options);
  if (dimensions >= 3)
    options->overfitting = -1;
  if (dimensions >= 3 || threads > 1)
    options->minimum_width = 64;
  if (dimensions >= 3 && threads > 1)
    options->minimum_width = 256;
}

void configuration_print(const struct configuration *configuration, const char *between, FILE *file) {
  for (int knob = 0; knob < KNOB_COUNT; knob++)
    fprintf(file, "%s%s", knob ? between : "", knobs[knob].values[configuration->places[knob]]);
}
