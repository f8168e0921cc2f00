/* SPDX-License-Identifier: BSD-3-Clause */
#include "sweep.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

struct crew {
  const struct recording *recording;
  struct outcome *results;
  atomic_int next; /* group */
  atomic_int failed;
};

struct member {
  struct crew *crew;
  pthread_t thread;
  enum perfpred_status status;
  struct perfpred_error error;
};

enum perfpred_status sweep_one(const struct recording *recording, int index, struct solver *solver,
                               struct outcome *outcome, struct perfpred_error *error) {
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  struct configuration configuration = configuration_at(index);
  struct trial trial = { .models = NULL };
  enum perfpred_status status;

  /* the least value takes as many as there are */
  *outcome = (struct outcome){ .absent = configuration.places[KNOB_REPETITIONS] > 0 &&
                                         configuration_repetitions(&configuration) > recording->repetitions };
  if (outcome->absent)
    return PERFPRED_OK;
  configuration_options(&configuration, &options);
  options.generator = PERFPRED_GENERATOR_PUBLISHED;
  status = trial_run(recording, &options, 1.0, solver, &trial, error);
  if (status)
    return status;
  *outcome = (struct outcome){ .error = trial.errors.mean,
                               .cost_s = trial.cost_s,
                               .maximum = trial.errors.maximum,
                               .percentile_90 = trial.errors.percentile_90,
                               .median_error = trial.errors.median_mean,
                               .bias = trial.errors.bias,
                               .unseen = trial.unseen.count > 0 ? trial.unseen.mean : NAN,
                               .points = (int)trial.points,
                               .pieces = trial.pieces };
  trial_release(&trial);
  return PERFPRED_OK;
}

/* Configurations of one group ask for the same fits. */
static void *work(void *data) {
  struct member *member = data;
  struct crew *crew = member->crew;
  int group;

  while (!member->status && !crew->failed &&
         (group = atomic_fetch_add(&crew->next, 1)) < CONFIGURATION_COUNT / CONFIGURATION_GROUP) {
    struct solver solver = { .entries = NULL };

    for (int i = group * CONFIGURATION_GROUP; !member->status && i < (group + 1) * CONFIGURATION_GROUP; i++)
      member->status = sweep_one(crew->recording, i, &solver, crew->results + i, &member->error);
    solver_forget(&solver);
  }
  if (member->status)
    crew->failed = 1;
  return NULL;
}

enum perfpred_status sweep(const struct recording *recording, int jobs, outcomes results,
                           struct perfpred_error *error) {
  enum { MEMBERS = 64 };
  struct crew crew = { .recording = recording, .results = results };
  static struct member members[MEMBERS];
  enum perfpred_status status = PERFPRED_OK;
  int count = 0;

  for (; count < jobs && count < MEMBERS; count++) {
    members[count] = (struct member){ .crew = &crew };
    if (pthread_create(&members[count].thread, NULL, work, &members[count]) != 0)
      break;
  }
  if (count == 0)
    return ppi_error_set(error, PERFPRED_NO_MEMORY, "no thread can be started");
  for (int i = 0; i < count; i++)
    pthread_join(members[i].thread, NULL);
  for (int i = 0; !status && i < count; i++)
    if (members[i].status)
      status = ppi_error_set(error, members[i].status, "%s", members[i].error.text);
  return status;
}

void sweep_print_head(FILE *file) {
  for (int knob = 0; knob < KNOB_COUNT; knob++)
    fprintf(file, "%s\t", knob_name((enum knob)knob));
  fprintf(file, "error\tcost/s\tmaximum\tpercentile-90\tmedian-error\tbias\tunseen\tpoints\tpieces\tleft\n");
}

void sweep_print_line(int index, const struct outcome *o, bool left, FILE *file) {
  struct configuration configuration = configuration_at(index);

  configuration_print(&configuration, "\t", file);
  fprintf(file, "\t%.6f\t%.6f\t%.6f\t%.6f\t%.6f\t%.6f\t%.6f\t%d\t%d\t%d\n", o->error, o->cost_s, o->maximum,
          o->percentile_90, o->median_error, o->bias, o->unseen, o->points, o->pieces, left);
}

void sweep_print(const struct outcome *results, const struct pruning *pruning, FILE *file) {
  sweep_print_head(file);
  for (int i = 0; i < CONFIGURATION_COUNT; i++)
    if (!results[i].absent)
      sweep_print_line(i, results + i, pruning->left[i], file);
}

void sweep_print_pruning(const struct pruning *pruning) {
  printf(
      "\n%d configurations; within %.2f times the least error on every set: %d; of these within the first quarter of "
      "the costs on every set: %d\n",
      pruning->present, pruning->factor, pruning->accurate, pruning->cheap);
  if (pruning->present < CONFIGURATION_COUNT)
    printf("(the others of the %d ask for more repetitions than were recorded)\n", CONFIGURATION_COUNT);
  if (pruning->factor > PRUNE_FACTOR)
    printf("(%.2f times the least error leaves none: the factor was raised until one was left)\n", PRUNE_FACTOR);
  for (int i = 0; i < CONFIGURATION_COUNT && pruning->cheap <= 40; i++) {
    struct configuration configuration = configuration_at(i);

    if (!pruning->left[i])
      continue;
    printf("  ");
    configuration_print(&configuration, " ", stdout);
    printf("\n");
  }
  printf("most common values:");
  for (int knob = 0; knob < KNOB_COUNT; knob++)
    printf(" %s %s (%d)", knob_name((enum knob)knob), knob_value((enum knob)knob, pruning->chosen.places[knob]),
           pruning->votes[knob]);
  printf("\n");
}

int sweep_cheapest(const struct outcome *results) {
  int best = -1;

  for (int i = 0; i < CONFIGURATION_COUNT; i++)
    if (!results[i].absent && (best < 0 || results[i].cost_s < results[best].cost_s))
      best = i;
  return best;
}

int sweep_most_accurate(const struct outcome *results) {
  int best = -1;

  for (int i = 0; i < CONFIGURATION_COUNT; i++)
    if (!results[i].absent && (best < 0 || results[i].error < results[best].error))
      best = i;
  return best;
}

static void print_line(const char *what, const struct outcome *results, int index) {
  struct configuration configuration = configuration_at(index);
  const struct outcome *o = results + index;

  printf("  %-22s %8.3f %% %8.3f %% %8.2f %% %9.3f s %6d %5d  ", what, 100.0 * o->error, 100.0 * o->unseen,
         100.0 * o->maximum, o->cost_s, o->points, o->pieces);
  configuration_print(&configuration, " ", stdout);
  printf("\n");
}

void sweep_print_chosen(const char *name, const struct outcome *results, const struct pruning *pruning,
                        int repetitions) {
  printf("\n%s\n  %-22s %10s %10s %10s %11s %6s %5s\n", name, "configuration", "error", "unseen", "maximum", "cost",
         "points", "pieces");
  print_line("cheapest", results, sweep_cheapest(results));
  print_line("most accurate", results, sweep_most_accurate(results));
  print_line("published default", results, configuration_published_index(repetitions));
  print_line("pruning leads to", results, configuration_index(&pruning->chosen));
}
