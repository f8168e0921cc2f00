/* SPDX-License-Identifier: BSD-3-Clause */
/* Units of scripts as subjects of the schedule, and the runs in which their events are counted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/evict.h"
#include "measure/schedule.h"
#include "measure/unit.h"

#define EMPTY_REGIONS 64
#define COUNTED_RUNS 5 /* of each batch of events; the median counts */

/* --- Running ------------------------------------------------------------------------------------------------------- */

static bool is_parallel(const struct ppi_placed_unit *unit) {
  return unit->text->lane_count > 1;
}

static void run_lane(void *data, int index) {
  struct ppi_placed_unit *unit = data;
  const struct ppi_script_lane *lane = &unit->script->lanes[unit->text->lane_first + (size_t)index];
  struct ppi_frame *frames = &unit->frames[lane->call_first - unit->first_call];
  for (size_t i = 0; i < lane->call_count; i++)
    ppi_frame_call(&frames[i]);
}

/* Says before each call of the first run which one it is: most that will crash do so then. */
static void run_first(struct ppi_placed_unit *unit) {
  for (size_t i = 0; i < unit->call_count; i++) {
    const struct ppi_script_call *call = &unit->script->calls[unit->first_call + i];
    char what[256];
    ppi_call_describe(call->kernel, call->values, what, sizeof what);
    ppi_core_announce(unit->core, what);
    ppi_frame_call(&unit->frames[i]);
  }
}

static void run_unit(void *data) {
  struct ppi_placed_unit *unit = data;
  if (is_parallel(unit))
    ppi_team_run(unit->core->team, run_lane, unit);
  else if (unit->met)
    run_lane(unit, 0);
  else
    run_first(unit);
  unit->met = true;
}

static enum perfpred_status select_unit(void *data, size_t index, struct perfpred_error *error) {
  (void)data;
  (void)index;
  (void)error;
  return PERFPRED_OK;
}

static void restore_unit(void *data) {
  struct ppi_placed_unit *unit = data;
  if (is_parallel(unit))
    ppi_team_park(unit->core->team);
  ppi_core_announce(unit->core, unit->what);
  ppi_unit_restore(unit);
}

static void touch_accesses(const struct ppi_placed_unit *unit) {
  const struct ppi_script_settings *settings = &unit->text->settings;
  for (size_t i = 0; i < settings->access_count; i++) {
    const struct ppi_script_access *access = &unit->script->accesses[settings->access_first + i];
    size_t element = ppi_type_bytes(unit->script->buffers[access->buffer].type, false);
    const unsigned char *base = unit->buffers->base[access->buffer];
    ppi_touch(base + (size_t)access->first * element, base + (size_t)access->end * element);
  }
}

static enum ppi_precondition precondition_of(const struct ppi_script_settings *settings) {
  if (settings->fresh && settings->precondition == PPI_WARM)
    return PPI_BARE;
  if (settings->precondition == PPI_FLUSH && !ppi_evict_supported())
    return PPI_SWEEP;
  return settings->precondition;
}

static void prepare_unit(void *data) {
  struct ppi_placed_unit *unit = data;
  enum ppi_precondition precondition = precondition_of(&unit->text->settings);
  if (precondition == PPI_FLUSH)
    ppi_unit_evict(unit);
  if (precondition == PPI_SWEEP)
    ppi_core_sweep(unit->core);
  touch_accesses(unit);
  if (is_parallel(unit))
    ppi_team_arm(unit->core->team);
}

static enum perfpred_status check_unit(void *data, struct perfpred_error *error) {
  const struct ppi_placed_unit *unit = data;
  enum perfpred_status status = PERFPRED_OK;
  for (size_t i = 0; i < unit->call_count && status == PERFPRED_OK; i++) {
    const struct ppi_script_call *call = &unit->script->calls[unit->first_call + i];
    char what[256];
    ppi_call_describe(call->kernel, call->values, what, sizeof what);
    status = ppi_call_check(&unit->frames[i], what, error);
  }
  return status;
}

static void run_nothing(void *data, int index) {
  (void)data;
  (void)index;
}

/* Of a region of threads: the shortest of many that do nothing, with the calls of its longest lane. */
static double region_overhead(struct ppi_placed_unit *unit) {
  const struct ppi_clock *clock = &unit->core->bench.wall;
  double best = 0.0, calls = 0.0;
  for (int i = 0; i < EMPTY_REGIONS; i++) {
    ppi_team_arm(unit->core->team);
    double begin = clock->now(clock->state);
    ppi_team_run(unit->core->team, run_nothing, NULL);
    double time = clock->now(clock->state) - begin - clock->overhead_s;
    best = i == 0 || time < best ? time : best;
  }
  ppi_team_park(unit->core->team);
  for (size_t k = 0; k < unit->text->lane_count; k++) {
    const struct ppi_script_lane *lane = &unit->script->lanes[unit->text->lane_first + k];
    double sum = 0.0;
    for (size_t i = 0; i < lane->call_count; i++)
      sum += ppi_core_overhead(unit->core, &unit->frames[lane->call_first - unit->first_call + i]);
    calls = sum > calls ? sum : calls;
  }
  return (best > 0.0 ? best : 0.0) + calls;
}

static double unit_overhead(void *data) {
  struct ppi_placed_unit *unit = data;
  double sum = 0.0;
  if (is_parallel(unit)) {
    if (unit->overhead_s <= 0.0)
      unit->overhead_s = region_overhead(unit);
    return unit->overhead_s;
  }
  for (size_t i = 0; i < unit->call_count; i++)
    sum += ppi_core_overhead(unit->core, &unit->frames[i]);
  return sum;
}

/* --- Counting ------------------------------------------------------------------------------------------------------ */

struct count {
  struct ppi_placed_unit *unit;
  const struct ppi_counting *counting;
  void *plan;
  void **tallies;   /* one for each lane */
  int64_t *values;  /* of the present run: events of each lane */
  int64_t *history; /* runs of each event */
  int events, batches, batch;
};

static void open_tally(void *data, int lane) {
  struct count *count = data;
  count->tallies[lane] = count->counting->open(count->plan);
}

static void close_tally(void *data, int lane) {
  struct count *count = data;
  count->counting->close(count->tallies[lane]);
}

static void run_counted(void *data, int lane) {
  struct count *count = data;
  count->counting->start(count->tallies[lane], count->batch);
  run_lane(count->unit, lane);
  count->counting->stop(count->tallies[lane], count->values + (size_t)lane * (size_t)count->events);
}

static void on_lanes(struct count *count, void (*work)(void *data, int lane)) {
  if (is_parallel(count->unit))
    ppi_team_run(count->unit->core->team, work, count);
  else
    work(count, 0);
}

/* The same order of events as in a timed sample. */
static void count_once(struct count *count) {
  struct ppi_placed_unit *unit = count->unit;
  if (precondition_of(&unit->text->settings) == PPI_WARM) {
    restore_unit(unit);
    run_unit(unit);
  }
  restore_unit(unit);
  prepare_unit(unit);
  on_lanes(count, run_counted);
}

static int compare(const void *a, const void *b) {
  const int64_t *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

/* Sum over the lanes of one event; none where one of them has none. */
static int64_t sum_lanes(const struct count *count, int event) {
  int64_t sum = 0;
  for (size_t lane = 0; lane < count->unit->text->lane_count; lane++) {
    int64_t value = count->values[lane * (size_t)count->events + (size_t)event];
    if (value == PPI_COUNT_NONE)
      return PPI_COUNT_NONE;
    sum += value;
  }
  return sum;
}

static void count_all(struct count *count, int64_t *counts) {
  size_t lanes = count->unit->text->lane_count, events = (size_t)count->events;
  int64_t *history = count->history;
  for (size_t i = 0; i < events * COUNTED_RUNS; i++)
    history[i] = PPI_COUNT_NONE;
  on_lanes(count, open_tally);
  for (int run = 0; run < COUNTED_RUNS; run++) {
    for (size_t i = 0; i < lanes * events; i++)
      count->values[i] = PPI_COUNT_NONE;
    for (count->batch = 0; count->batch < count->batches; count->batch++)
      count_once(count);
    for (size_t e = 0; e < events; e++)
      history[e * COUNTED_RUNS + (size_t)run] = sum_lanes(count, (int)e);
  }
  on_lanes(count, close_tally);
  for (size_t e = 0; e < events; e++) {
    qsort(&history[e * COUNTED_RUNS], COUNTED_RUNS, sizeof *history, compare);
    counts[e] = history[e * COUNTED_RUNS + COUNTED_RUNS / 2];
  }
}

static enum perfpred_status count_planned(struct count *count, int64_t *counts, struct perfpred_error *error) {
  size_t lanes = count->unit->text->lane_count, events = (size_t)count->events;
  count->tallies = calloc(lanes, sizeof *count->tallies);
  count->values = calloc(lanes * events, sizeof *count->values);
  count->history = calloc(events * COUNTED_RUNS, sizeof *count->history);
  enum perfpred_status status = PERFPRED_OK;
  if (count->tallies == NULL || count->values == NULL || count->history == NULL)
    status = ppi_error_memory(error);
  else
    count_all(count, counts);
  free(count->tallies);
  free(count->values);
  free(count->history);
  return status;
}

static enum perfpred_status count_events(struct ppi_placed_unit *unit, struct ppi_unit_result *result,
                                         struct perfpred_error *error) {
  const struct ppi_script_settings *settings = &unit->text->settings;
  struct count count = { .unit = unit, .counting = unit->core->options.counting, .events = (int)settings->event_count };
  if (settings->event_count == 0)
    return PERFPRED_OK;
  result->counts = calloc(settings->event_count, sizeof *result->counts);
  if (result->counts == NULL)
    return ppi_error_memory(error);
  result->count_count = settings->event_count;
  for (size_t i = 0; i < settings->event_count; i++)
    result->counts[i] = PPI_COUNT_NONE;
  if (count.counting == NULL) {
    snprintf(result->note, sizeof result->note, "events are counted by a worker with PAPI alone");
    return PERFPRED_OK;
  }
  const char *const *names = (const char *const *)&unit->script->events[settings->event_first];
  enum perfpred_status status =
      count.counting->plan(names, count.events, &count.plan, &count.batches, result->note, sizeof result->note, error);
  if (status != PERFPRED_OK)
    return status;
  if (count.batches > 0)
    status = count_planned(&count, result->counts, error);
  if (is_parallel(unit))
    ppi_team_park(unit->core->team);
  count.counting->destroy(count.plan);
  return status;
}

/* --- The whole ----------------------------------------------------------------------------------------------------- */

static void tell_threads(const struct ppi_placed_unit *unit, struct ppi_unit_result *result) {
  const struct ppi_core_options *options = &unit->core->options;
  result->threads = (int)unit->text->lane_count;
  if (options->cpus == NULL || options->cpu_count == 0)
    return;
  result->cpu_count = result->threads < PPI_UNIT_CPUS ? result->threads : PPI_UNIT_CPUS;
  for (int i = 0; i < result->cpu_count; i++)
    result->cpus[i] = options->cpus[i % options->cpu_count];
}

/* What the text says goes before what the caller says. */
static struct ppi_sampling sampling_of(const struct ppi_script_settings *settings, const struct ppi_sampling *given) {
  struct ppi_sampling sampling = *given;
  if (settings->repetitions > 0)
    sampling.repetitions = settings->repetitions;
  if (settings->stable > 0.0) {
    sampling.stable = settings->stable;
    sampling.repetitions_max = settings->repetitions_max;
    if (sampling.repetitions <= 0)
      sampling.repetitions = PPI_DEFAULT_REPETITIONS;
    if (sampling.repetitions > settings->repetitions_max)
      sampling.repetitions = settings->repetitions_max;
  }
  sampling.detailed = true;
  sampling.partial = false;
  return sampling;
}

static enum perfpred_status sample_unit(struct ppi_placed_unit *unit, const struct ppi_sampling *given,
                                        struct ppi_unit_result *result, struct perfpred_error *error) {
  const struct ppi_script_settings *settings = &unit->text->settings;
  const struct ppi_sampling sampling = sampling_of(settings, given);
  const struct ppi_subjects subjects = { .count = 1,
                                         .stage = "sampling",
                                         .select = select_unit,
                                         .restore = restore_unit,
                                         .run = run_unit,
                                         .check = check_unit,
                                         .overhead_s = unit_overhead,
                                         .data = unit,
                                         .prepare = prepare_unit,
                                         .unpaired = precondition_of(settings) != PPI_WARM };
  const struct ppi_bench *bench = NULL;
  struct ppi_level *level = NULL;
  int lanes = (int)unit->text->lane_count, threads = unit->core->options.threads;
  enum perfpred_status status = PERFPRED_OK;
  if (precondition_of(settings) == PPI_SWEEP)
    status = ppi_core_sweep_prepare(unit->core, error);
  if (status == PERFPRED_OK)
    status = ppi_core_world(unit->core, lanes > 1 ? lanes : threads, &bench, &level, error);
  if (status == PERFPRED_OK)
    status = ppi_schedule_run(bench, level, &subjects, &sampling, &result->timing, error);
  if (is_parallel(unit) && unit->core->team != NULL)
    ppi_team_park(unit->core->team);
  return status == PERFPRED_OK ? count_events(unit, result, error) : status;
}

enum perfpred_status ppi_core_unit(struct ppi_core *core, const struct ppi_script *script, size_t number,
                                   struct ppi_buffers *buffers, const struct ppi_sampling *sampling,
                                   struct ppi_unit_result *result, struct perfpred_error *error) {
  struct ppi_placed_unit unit;
  struct ppi_unit_result made = { 0 };
  enum perfpred_status status = ppi_unit_place(&unit, core, script, number, buffers, error);
  if (status != PERFPRED_OK)
    return status;
  status = sample_unit(&unit, sampling, &made, error);
  if (status == PERFPRED_OK) {
    tell_threads(&unit, &made);
    *result = made;
  } else
    ppi_unit_result_free(&made);
  ppi_unit_free(&unit);
  return status;
}
