/* SPDX-License-Identifier: BSD-3-Clause */
/* Units of scripts as subjects of the schedule. */
#include <math.h>
#include <stdlib.h>

#include "measure/schedule.h"
#include "measure/unit.h"

#define STAGE "sampling"
#define EMPTY_REGIONS 64

static enum perfpred_status select_unit(void *data, size_t index, struct perfpred_error *error) {
  (void)data;
  (void)index;
  (void)error;
  return PERFPRED_OK;
}

static void run_nothing(void *data, int index) {
  (void)data;
  (void)index;
}

/* Of a region of threads: the shortest of many that do nothing, clock included, with the calls of its longest lane. */
static double region_overhead(struct ppi_placed_unit *unit) {
  const struct ppi_clock *clock = &unit->core->bench.wall;
  double best = 0.0, calls = 0.0;
  for (int i = 0; i < EMPTY_REGIONS; i++) {
    ppi_team_arm(unit->core->team);
    double begin = clock->now(clock->state);
    ppi_team_run(unit->core->team, run_nothing, NULL);
    double time = clock->now(clock->state) - begin;
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
  return best + calls;
}

/* Of calls one after the other: the same unit with calls that do nothing, on no operands. */
static double sequence_overhead(const struct ppi_placed_unit *unit) {
  struct ppi_placed_unit idle = *unit;
  const struct ppi_subjects subjects = {
    .stage = STAGE, .restore = ppi_unit_reset, .run = ppi_unit_run, .check = ppi_unit_check, .data = &idle
  };
  idle.frames = malloc(unit->call_count * sizeof *idle.frames);
  if (idle.frames == NULL)
    return unit->core->bench.wall.overhead_s;
  for (size_t i = 0; i < unit->call_count; i++)
    ppi_frame_empty(&unit->frames[i], &idle.frames[i]);
  idle.place_count = 0;
  idle.copies = 1;
  double time_s = ppi_core_idle(unit->core, &subjects, unit->call_count == 1 ? &unit->frames[0] : NULL);
  free(idle.frames);
  return time_s;
}

static double unit_overhead(void *data) {
  struct ppi_placed_unit *unit = data;
  if (unit->overhead_s <= 0.0)
    unit->overhead_s = ppi_unit_is_parallel(unit) ? region_overhead(unit) : sequence_overhead(unit);
  return unit->overhead_s;
}

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
  const struct ppi_clock *clock = &unit->core->bench.wall;
  struct ppi_sampling sampling = sampling_of(settings, given);
  double begin = clock->now(clock->state);
  const struct ppi_subjects subjects = { .count = 1,
                                         .stage = STAGE,
                                         .select = select_unit,
                                         .restore = ppi_unit_reset,
                                         .run = ppi_unit_run,
                                         .check = ppi_unit_check,
                                         .overhead_s = unit_overhead,
                                         .data = unit,
                                         .prepare = ppi_unit_prepare,
                                         .unpaired = !ppi_unit_is_warmed(unit) };
  const struct ppi_bench *bench = NULL;
  struct ppi_level *level = NULL;
  int lanes = (int)unit->text->lane_count, threads = unit->core->options.threads;
  enum perfpred_status status = PERFPRED_OK;
  if (ppi_unit_precondition(unit) == PPI_SWEEP)
    status = ppi_core_sweep_prepare(unit->core, error);
  if (ppi_unit_precondition(unit) == PPI_OUTER_CACHE)
    status = ppi_core_displace_prepare(unit->core, error);
  if (status == PERFPRED_OK)
    status = ppi_core_world(unit->core, lanes > 1 ? lanes : threads, &bench, &level, error);
  if (status == PERFPRED_OK)
    status = ppi_schedule_run(bench, level, &subjects, &sampling, &result->timing, error);
  if (ppi_unit_is_parallel(unit) && unit->core->team != NULL)
    ppi_team_park(unit->core->team);
  if (status != PERFPRED_OK || settings->event_count == 0)
    return status;
  if (sampling.budget_s > 0.0)
    sampling.budget_s = fmax(sampling.budget_s - (clock->now(clock->state) - begin), 1e-9);
  return ppi_unit_count(unit, &sampling, result, error);
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
