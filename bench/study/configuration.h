/* SPDX-License-Identifier: BSD-3-Clause */
/* Configurations of the published generator: all values of its eight knobs (dissertation, Table 3). */
#ifndef STUDY_CONFIGURATION_H
#define STUDY_CONFIGURATION_H

#include <perfpred/models.h>
#include <stdio.h>

enum knob {
  KNOB_OVERFITTING,
  KNOB_OVERSAMPLING,
  KNOB_GRID,
  KNOB_REPETITIONS,
  KNOB_REFERENCE,
  KNOB_MEASURE,
  KNOB_BOUND,
  KNOB_WIDTH,
  KNOB_COUNT
};

#define CONFIGURATION_COUNT 2880
#define CONFIGURATION_GROUP 16 /* configurations in a row that differ in nothing that a fit depends on */

/* Places of the values in the lists of the knobs. */
struct configuration {
  int places[KNOB_COUNT];
};

struct configuration configuration_at(int index);
int configuration_index(const struct configuration *configuration);
/* Table 5, line 10, and what Section 9.3 changes of it for three sizes and for several threads; the index is that of the
   next one among the 2880. */
void configuration_published(int dimensions, int threads, struct perfpred_generate_options *options);
int configuration_published_index(int repetitions); /* with no more of them than were recorded */
int configuration_repetitions(const struct configuration *configuration);
void configuration_options(const struct configuration *configuration, struct perfpred_generate_options *options);
const char *knob_name(enum knob knob);
int knob_count(enum knob knob);
const char *knob_value(enum knob knob, int place);
void configuration_print(const struct configuration *configuration, const char *between, FILE *file);

#endif
