/* SPDX-License-Identifier: BSD-3-Clause */
#include "prune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FACTOR_STEP 0.05
#define FACTOR_MAX 100.0

static int ascending(const void *a, const void *b) {
  const double *x = a, *y = b;

  return (*x > *y) - (*x < *y);
}

static double least_error(const struct outcome *set) {
  double least = INFINITY;

  for (int i = 0; i < CONFIGURATION_COUNT; i++)
    if (!set[i].absent)
      least = fmin(least, set[i].error);
  return least;
}

static double quantile_of_costs(const struct outcome *set, double share) {
  double costs[CONFIGURATION_COUNT] = { 0.0 };
  size_t count = 0;

  for (int i = 0; i < CONFIGURATION_COUNT; i++)
    if (!set[i].absent)
      costs[count++] = set[i].cost_s;
  qsort(costs, count, sizeof *costs, ascending);
  return count > 0 ? costs[(size_t)ceil(share * (double)count) - 1] : 0.0;
}

static int count_left(const struct pruning *pruning) {
  int count = 0;

  for (int i = 0; i < CONFIGURATION_COUNT; i++)
    count += pruning->left[i];
  return count;
}

static void prune_with(outcomes *const *sets, int set_count, struct pruning *pruning) {
  for (int i = 0; i < CONFIGURATION_COUNT; i++) {
    pruning->left[i] = true;
    for (int s = 0; s < set_count; s++)
      pruning->left[i] = pruning->left[i] && !(*sets[s])[i].absent;
  }
  pruning->present = count_left(pruning);
  for (int s = 0; s < set_count; s++) {
    double limit = pruning->factor * least_error(*sets[s]);

    for (int i = 0; i < CONFIGURATION_COUNT; i++)
      pruning->left[i] = pruning->left[i] && (*sets[s])[i].error <= limit;
  }
  pruning->accurate = count_left(pruning);
  for (int s = 0; s < set_count; s++) {
    double limit_s = quantile_of_costs(*sets[s], PRUNE_SHARE);

    for (int i = 0; i < CONFIGURATION_COUNT; i++)
      pruning->left[i] = pruning->left[i] && (*sets[s])[i].cost_s <= limit_s;
  }
  pruning->cheap = count_left(pruning);
}

static void vote(struct pruning *pruning) {
  for (int knob = 0; knob < KNOB_COUNT; knob++) {
    pruning->votes[knob] = 0;
    for (int place = 0; place < knob_count((enum knob)knob); place++) {
      int votes = 0;

      for (int i = 0; i < CONFIGURATION_COUNT; i++)
        votes += pruning->left[i] && configuration_at(i).places[knob] == place;
      if (votes > pruning->votes[knob]) {
        pruning->votes[knob] = votes;
        pruning->chosen.places[knob] = place;
      }
    }
  }
}

void prune(outcomes *const *sets, int set_count, struct pruning *pruning) {
  memset(pruning, 0, sizeof *pruning);
  pruning->factor = PRUNE_FACTOR;
  prune_with(sets, set_count, pruning);
  while (pruning->cheap == 0 && pruning->present > 0 && pruning->factor < FACTOR_MAX) {
    pruning->factor += FACTOR_STEP;
    prune_with(sets, set_count, pruning);
  }
  vote(pruning);
}
