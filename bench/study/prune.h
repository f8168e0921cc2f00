/* SPDX-License-Identifier: BSD-3-Clause */
/* From the errors and costs of all configurations on all sets to one default (dissertation, Section 9.2). */
#ifndef STUDY_PRUNE_H
#define STUDY_PRUNE_H

#include <stdbool.h>

#include "configuration.h"

struct outcome {
  double error, cost_s;                              /* average relative error; measurement */
  double maximum, percentile_90, median_error, bias; /* for the table */
  double unseen;                                     /* error at points that were not sampled; NaN: all were */
  int points, pieces;
  bool absent; /* asks for more repetitions than were recorded */
};

typedef struct outcome outcomes[CONFIGURATION_COUNT];

#define PRUNE_FACTOR 1.5 /* of the least error on a set: what is above it goes */
#define PRUNE_SHARE 0.25 /* of the costs on a set, ascending: what lies behind them goes */

struct pruning {
  double factor; /* PRUNE_FACTOR, or the least one, in steps of a twentieth, that leaves any at all */
  int present;   /* configurations that there are */
  int accurate;  /* configurations left by their errors */
  int cheap;     /* of these, left by their costs */
  bool left[CONFIGURATION_COUNT];
  struct configuration chosen; /* the most common value of each knob; of several the first */
  int votes[KNOB_COUNT];       /* for that value, of `cheap` */
};

/* sets[s][i]: outcome of configuration i on set s. */
void prune(outcomes *const *sets, int set_count, struct pruning *pruning);

#endif
