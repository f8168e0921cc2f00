/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/core.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/own.h"
#include "measure/core_state.h"
#include "measure/schedule.h"

#define STREAM_BYTES (INT64_C(1) << 20)
#define CALIBRATION_READINGS 2000 /* 0.1 s */
#define PATIENCE_S 0.5            /* with a machine on which a given reading seems to be that of another one */
#define TEAM_READINGS 200         /* fewer: threads have to be woken for each */

enum perfpred_status ppi_core_create(const struct ppi_core_options *options, struct ppi_core **core,
                                     struct perfpred_error *error) {
  struct ppi_core *made = calloc(1, sizeof *made);
  if (made == NULL)
    return ppi_error_memory(error);
  made->options = *options;
  if (made->options.stream_bytes <= 0)
    made->options.stream_bytes = STREAM_BYTES;
  if (options->bench != NULL)
    made->bench = *options->bench;
  else
    ppi_bench_real(&made->bench, &made->state);
  made->eviction = ppi_evict_kind();
  made->level.given_s = options->threads > 1 ? 0.0 : options->yardstick_s;
  *core = made;
  return PERFPRED_OK;
}

void ppi_core_destroy(struct ppi_core *core) {
  if (core == NULL)
    return;
  ppi_team_destroy(core->team);
  free(core->yards);
  for (size_t i = 0; i < core->library_count; i++)
    dlclose(core->libraries[i]);
  free(core->libraries);
  ppi_tour_memory_destroy(core->tour_memory);
  free(core->tour_far);
  free(core->displacer);
  free(core->sweep);
  free(core);
}

enum perfpred_status ppi_core_address(struct ppi_core *core, const struct perfpred_kernel *kernel,
                                      perfpred_fortran_fn **function, bool *ilp64, struct perfpred_error *error) {
  perfpred_fortran_fn *found = NULL;
  bool wide = kernel->ilp64;
  if (kernel->library != NULL) {
    *ilp64 = wide;
    return ppi_core_symbol(core, kernel, function, error);
  }
  if (core->options.resolve != NULL)
    found = core->options.resolve(core->options.data, kernel, &wide);
  if (found == NULL && kernel->function == NULL && kernel->free_form == NULL)
    found = ppi_kernel_own(kernel->name, wide);
  if (found == NULL) {
    found = kernel->function;
    wide = kernel->ilp64 || found == NULL;
  }
  if (found == NULL && kernel->free_form == NULL)
    return ppi_error_set(error, PERFPRED_UNSUPPORTED, "kernel %s has no address here: bind it, or use a worker",
                         kernel->name);
  *function = found;
  *ilp64 = wide;
  return PERFPRED_OK;
}

/* The best reading is what times are brought to: let it settle before the first sample. Nobody who waits for a call is to take this
   for silence. */
static void calibrate(const struct ppi_core *core, const struct ppi_bench *bench, struct ppi_level *level) {
  int readings = bench == &core->bench ? CALIBRATION_READINGS : TEAM_READINGS;
  if (core->options.bench != NULL)
    readings = 1;
  for (int i = 0; i < readings && (level->best_s <= 0.0 || i > 0); i++) {
    ppi_core_announce(core, "");
    ppi_schedule_reading(bench, level);
  }
}

/* Readings that are all slower than the given one may be a neighbour's doing. */
static void wait_for_given(const struct ppi_core *core, const struct ppi_bench *bench, struct ppi_level *level) {
  const double begin = bench->wall.now(bench->wall.state);
  while (core->options.bench == NULL && !ppi_level_given_fits(level) && level->best_s > level->given_s &&
         bench->wall.now(bench->wall.state) - begin < PATIENCE_S) {
    ppi_core_announce(core, "");
    ppi_schedule_reading(bench, level);
  }
}

void ppi_core_calibrate(struct ppi_core *core) {
  calibrate(core, &core->bench, &core->level);
}

/* --- Several threads ----------------------------------------------------------------------------------------------- */

/* A thread's part of the yardstick, in cache lines of its own. */
struct ppi_team_yard {
  _Alignas(64) double values[PPI_YARDSTICK_LENGTH];
  const struct ppi_clock *clock;
  double time_s;
};

static void measure_yard(void *data, int index) {
  struct ppi_team_yard *yard = (struct ppi_team_yard *)data + index;
  ppi_yardstick_work(yard->values);
  double begin = yard->clock->now(yard->clock->state);
  ppi_yardstick_work(yard->values);
  yard->time_s = yard->clock->now(yard->clock->state) - begin;
}

/* The slowest of the threads: a region is no faster than that. The others sleep again at once, they might be in the way. */
static double team_yardstick(void *data) {
  struct ppi_core *core = data;
  double slowest = 0.0;
  ppi_team_run(core->team, measure_yard, core->yards);
  ppi_team_park(core->team);
  for (int i = 0; i < ppi_team_count(core->team); i++)
    if (core->yards[i].time_s > slowest)
      slowest = core->yards[i].time_s;
  return slowest;
}

static enum perfpred_status make_team(struct ppi_core *core, int threads, struct perfpred_error *error) {
  struct ppi_team *team = NULL;
  struct ppi_team_yard *yards = aligned_alloc(64, (size_t)threads * sizeof *yards);
  if (yards == NULL)
    return ppi_error_memory(error);
  enum perfpred_status status = ppi_team_create(threads, core->options.cpus, core->options.cpu_count, &team, error);
  if (status != PERFPRED_OK) {
    free(yards);
    return status;
  }
  for (int i = 0; i < threads; i++) {
    yards[i].clock = &core->bench.wall;
    for (int k = 0; k < PPI_YARDSTICK_LENGTH; k++)
      yards[i].values[k] = 1.0 + (double)k / PPI_YARDSTICK_LENGTH;
  }
  ppi_team_destroy(core->team);
  free(core->yards);
  core->team = team;
  core->yards = yards;
  core->team_bench = core->bench;
  core->team_level =
      (struct ppi_level){ .given_s = threads == core->options.threads ? core->options.yardstick_s : 0.0 };
  if (core->options.bench == NULL) {
    core->team_bench.yardstick = team_yardstick;
    core->team_bench.switches = ppi_bench_involuntary;
    core->team_bench.data = core;
  }
  return PERFPRED_OK;
}

enum perfpred_status ppi_core_world(struct ppi_core *core, int threads, const struct ppi_bench **bench,
                                    struct ppi_level **level, struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  bool team = threads > 1;
  if (team && (core->team == NULL || ppi_team_count(core->team) != threads))
    status = make_team(core, threads, error);
  if (status != PERFPRED_OK)
    return status;
  *bench = team ? &core->team_bench : &core->bench;
  *level = team ? &core->team_level : &core->level;
  calibrate(core, *bench, *level);
  wait_for_given(core, *bench, *level);
  if (!ppi_level_given_fits(*level))
    return ppi_error_set(error, PERFPRED_INVALID,
                         "yardstick_s is %g s, expected at most a factor of %g from this machine's own reading, %g s",
                         (*level)->given_s, PPI_LEVEL_APART, (*level)->best_s);
  return PERFPRED_OK;
}

void ppi_core_announce(const struct ppi_core *core, const char *what) {
  if (core->options.announce != NULL)
    core->options.announce(core->options.data, what);
}

void ppi_core_describe(struct ppi_core *core, bool settled, struct ppi_machine *machine, struct ppi_setup *setup) {
  if (settled)
    ppi_core_calibrate(core);
  if (machine != NULL)
    machine->tsc_hz = core->state.tsc.seconds_per_tick > 0.0 ? 1.0 / core->state.tsc.seconds_per_tick : 0.0;
  if (setup == NULL)
    return;
  snprintf(setup->clock, sizeof setup->clock, "%s", core->bench.wall.name);
  snprintf(setup->library, sizeof setup->library, "%s", PPI_VERSION);
  bool team = core->options.threads > 1 && core->team != NULL && core->team_level.best_s > 0.0;
  const struct ppi_level *level = team ? &core->team_level : &core->level;
  setup->yardstick_s = level->best_s;
  setup->reference_s = ppi_level_target(level);
  setup->protocol = PPI_PROTOCOL;
}

enum perfpred_status ppi_call_check(const struct ppi_frame *frame, const char *what, struct perfpred_error *error) {
  int64_t info = ppi_frame_info(frame);
  if (info == 0)
    return PERFPRED_OK;
  return ppi_error_set(error, PERFPRED_NUMERIC, "%s failed with info %" PRId64, what, info);
}
