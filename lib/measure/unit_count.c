/* SPDX-License-Identifier: BSD-3-Clause */
/* The runs of a unit in which its events are counted. They are no timed runs: counting costs time, and a machine counts few events at
 * once, so that a batch of them is counted in each. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure/unit.h"

#define COUNTED_RUNS 5 /* of each batch of events; the median counts */

struct count {
  struct ppi_placed_unit *unit;
  const struct ppi_sampling *sampling;
  uint64_t samples; /* timed runs, for progress */
  const struct ppi_counting *counting;
  void *plan;
  void **tallies;   /* one for each lane */
  int64_t *values;  /* of the present run: events of each lane, then those of the process */
  int64_t *history; /* runs of each event */
  size_t lanes, events;
  int batches, batch;
  double begin_s;
};

static void open_tally(void *data, int lane) {
  struct count *count = data;
  count->tallies[lane] = count->counting->open(count->plan);
}

static void close_tally(void *data, int lane) {
  struct count *count = data;
  count->counting->close(count->tallies[lane]);
}

static int64_t *values_of(const struct count *count, size_t lane) {
  return count->values + lane * count->events;
}

static void run_counted(void *data, int lane) {
  struct count *count = data;
  count->counting->start(count->tallies[lane], count->batch);
  ppi_unit_run_lane(count->unit, lane);
  count->counting->stop(count->tallies[lane], values_of(count, (size_t)lane));
}

static void on_lanes(struct count *count, void (*work)(void *data, int lane)) {
  if (ppi_unit_is_parallel(count->unit))
    ppi_team_run(count->unit->core->team, work, count);
  else
    work(count, 0);
}

/* What all lanes do adds to the same numbers, so each lane would count it all. */
static void run_shared(struct count *count) {
  count->counting->start(count->tallies[0], count->batch);
  ppi_unit_run(count->unit);
  count->counting->stop(count->tallies[0], values_of(count, count->lanes));
}

/* The same order of events as in a timed sample. */
static enum perfpred_status count_batch(struct count *count, struct perfpred_error *error) {
  struct ppi_placed_unit *unit = count->unit;
  enum perfpred_status status = PERFPRED_OK;
  if (ppi_unit_precondition(unit) == PPI_WARM) {
    ppi_unit_reset(unit);
    ppi_unit_run(unit);
    status = ppi_unit_check(unit, error);
  }
  if (status != PERFPRED_OK)
    return status;
  ppi_unit_reset(unit);
  ppi_unit_prepare(unit);
  if (count->counting->shared(count->plan, count->batch))
    run_shared(count);
  else
    on_lanes(count, run_counted);
  return ppi_unit_check(unit, error);
}

static double elapsed(const struct count *count) {
  const struct ppi_clock *clock = &count->unit->core->bench.wall;
  return clock->now(clock->state) - count->begin_s;
}

static enum perfpred_status tell(const struct count *count, struct perfpred_error *error) {
  const struct ppi_sampling *sampling = count->sampling;
  const struct perfpred_progress progress = { sizeof progress, "counting", 1.0, elapsed(count), NAN, count->samples };
  if (sampling->progress != NULL && sampling->progress(sampling->progress_data, &progress) != 0)
    return ppi_error_set(error, PERFPRED_CANCELLED, "cancelled by the caller while counting");
  return PERFPRED_OK;
}

/* Of the process, or the sum over the lanes; none where one of them has none. */
static int64_t value_of(const struct count *count, size_t event) {
  int64_t sum = values_of(count, count->lanes)[event];
  if (sum != PPI_COUNT_NONE)
    return sum;
  sum = 0;
  for (size_t lane = 0; lane < count->lanes; lane++) {
    int64_t value = values_of(count, lane)[event];
    if (value == PPI_COUNT_NONE)
      return PPI_COUNT_NONE;
    sum += value;
  }
  return sum;
}

/* A run for each batch. */
static enum perfpred_status count_run(struct count *count, size_t run, struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  for (size_t i = 0; i < (count->lanes + 1) * count->events; i++)
    count->values[i] = PPI_COUNT_NONE;
  for (count->batch = 0; count->batch < count->batches && status == PERFPRED_OK; count->batch++) {
    status = tell(count, error);
    if (status == PERFPRED_OK)
      status = count_batch(count, error);
  }
  for (size_t e = 0; e < count->events; e++)
    count->history[e * COUNTED_RUNS + run] = value_of(count, e);
  return status;
}

static int compare(const void *a, const void *b) {
  const int64_t *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

static enum perfpred_status count_runs(struct count *count, int64_t *counts, struct perfpred_error *error) {
  const double budget = count->sampling->budget_s;
  enum perfpred_status status = PERFPRED_OK;
  size_t runs = 0;
  on_lanes(count, open_tally);
  do
    status = count_run(count, runs++, error);
  while (status == PERFPRED_OK && runs < COUNTED_RUNS && !(budget > 0.0 && elapsed(count) >= budget));
  on_lanes(count, close_tally);
  for (size_t e = 0; e < count->events; e++) {
    int64_t *history = &count->history[e * COUNTED_RUNS];
    qsort(history, runs, sizeof *history, compare);
    counts[e] = history[runs / 2];
  }
  return status;
}

static enum perfpred_status count_planned(struct count *count, int64_t *counts, struct perfpred_error *error) {
  const struct ppi_clock *clock = &count->unit->core->bench.wall;
  count->lanes = count->unit->text->lane_count;
  count->begin_s = clock->now(clock->state);
  count->tallies = calloc(count->lanes, sizeof *count->tallies);
  count->values = calloc((count->lanes + 1) * count->events, sizeof *count->values);
  count->history = calloc(count->events * COUNTED_RUNS, sizeof *count->history);
  enum perfpred_status status = PERFPRED_OK;
  if (count->tallies == NULL || count->values == NULL || count->history == NULL)
    status = ppi_error_memory(error);
  else
    status = count_runs(count, counts, error);
  free(count->tallies);
  free(count->values);
  free(count->history);
  return status;
}

static enum perfpred_status plan_events(struct count *count, struct ppi_unit_result *result,
                                        struct perfpred_error *error) {
  const char *names[PPI_SCRIPT_EVENTS_MAX];
  const struct ppi_script_event *events = &count->unit->script->events[count->unit->text->settings.event_first];
  for (size_t i = 0; i < count->events; i++)
    names[i] = events[i].name;
  return count->counting->plan(names, (int)count->events, &count->plan, &count->batches, result->note,
                               sizeof result->note, error);
}

enum perfpred_status ppi_unit_count(struct ppi_placed_unit *unit, const struct ppi_sampling *sampling,
                                    struct ppi_unit_result *result, struct perfpred_error *error) {
  struct count count = { .unit = unit, .sampling = sampling, .counting = unit->core->options.counting };
  count.events = unit->text->settings.event_count;
  count.samples = result->timing.sample_count;
  result->counts = calloc(count.events + 1, sizeof *result->counts);
  if (result->counts == NULL)
    return ppi_error_memory(error);
  result->count_count = count.events;
  for (size_t i = 0; i < count.events; i++)
    result->counts[i] = PPI_COUNT_NONE;
  if (count.counting == NULL) {
    snprintf(result->note, sizeof result->note, "events are counted by a worker with PAPI alone");
    return PERFPRED_OK;
  }
  enum perfpred_status status = plan_events(&count, result, error);
  if (status != PERFPRED_OK)
    return status;
  if (count.batches > 0)
    status = count_planned(&count, result->counts, error);
  if (ppi_unit_is_parallel(unit))
    ppi_team_park(unit->core->team);
  count.counting->destroy(count.plan);
  return status;
}
