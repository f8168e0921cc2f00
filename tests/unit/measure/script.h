/* SPDX-License-Identifier: BSD-3-Clause */
/* A scripted world: time passes only where the script says so, at a speed level that jumps as it does on shared machines. */
#ifndef TESTS_UNIT_MEASURE_SCRIPT_H
#define TESTS_UNIT_MEASURE_SCRIPT_H

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "base/stats.h"
#include "measure/random.h"
#include "measure/schedule.h"

#define YARDSTICK_S 25e-6
#define SUBJECTS_MAX 64

struct script {
  double now_s;
  double resolution_s;              /* readings of the clock are multiples of it; 0: exact */
  double (*level)(double now_s);    /* factor on all times at a moment; NULL: 1 */
  double (*extra)(uint64_t run);    /* factor on the time of a run by its number, from 0; NULL: 1 */
  bool (*preempted)(uint64_t run);  /* whether a run loses the processor meanwhile; NULL: never */
  double (*yardstick)(uint64_t nr); /* reading by its number; NULL: YARDSTICK_S at the present level */
  double run_s[SUBJECTS_MAX];       /* time of a run at level 1, by subject */
  double overhead_s;                /* added to every run */
  double restore_s;
  uint64_t runs, readings, restores, switches;
  double cpu_s;
  size_t selected;
  uint64_t fail_check_at; /* number of runs after which check fails; 0: never */
  char events[4096];      /* y yardstick, s select, r restore, x run, c check */
  size_t event_count;
  size_t order[1024]; /* subjects in the order of their selection */
  size_t order_count;
  double last_reading_s; /* when the last yardstick ended */
  double shortest_gap_s; /* shortest time between two yardsticks with runs between them */
  uint64_t runs_at_reading;
};

static inline void event(struct script *script, char what) {
  if (script->event_count < sizeof script->events - 1)
    script->events[script->event_count++] = what;
}

static inline double level_now(const struct script *script) {
  return script->level != NULL ? script->level(script->now_s) : 1.0;
}

static inline double script_now(void *data) {
  const struct script *script = data;
  if (script->resolution_s <= 0.0)
    return script->now_s;
  return floor(script->now_s / script->resolution_s) * script->resolution_s;
}

static inline double script_cpu(void *data) {
  return ((struct script *)data)->cpu_s;
}

static inline uint64_t script_switches(void *data) {
  return ((struct script *)data)->switches;
}

static inline double script_yardstick(void *data) {
  struct script *script = data;
  event(script, 'y');
  double gap = script->now_s - script->last_reading_s;
  if (script->readings > 0 && script->runs > script->runs_at_reading && gap < script->shortest_gap_s)
    script->shortest_gap_s = gap;
  double time = YARDSTICK_S * level_now(script);
  if (script->yardstick != NULL)
    time = script->yardstick(script->readings);
  script->readings++;
  script->now_s += 2.0 * time;
  script->last_reading_s = script->now_s;
  script->runs_at_reading = script->runs;
  return time;
}

static inline enum perfpred_status script_select(void *data, size_t index, struct perfpred_error *error) {
  struct script *script = data;
  (void)error;
  event(script, 's');
  script->selected = index;
  if (script->order_count < 1024)
    script->order[script->order_count++] = index;
  return PERFPRED_OK;
}

static inline void script_restore(void *data) {
  struct script *script = data;
  event(script, 'r');
  script->restores++;
  script->now_s += script->restore_s;
}

static inline void script_run(void *data) {
  struct script *script = data;
  event(script, 'x');
  double time = script->run_s[script->selected] * level_now(script) + script->overhead_s;
  if (script->extra != NULL)
    time *= script->extra(script->runs);
  script->cpu_s += time;
  if (script->preempted != NULL && script->preempted(script->runs)) {
    script->switches++;
    time += 4e-3; /* a slice of somebody else's */
  }
  script->now_s += time;
  script->runs++;
}

static inline enum perfpred_status script_check(void *data, struct perfpred_error *error) {
  struct script *script = data;
  event(script, 'c');
  if (script->fail_check_at > 0 && script->runs >= script->fail_check_at)
    return ppi_error_set(error, PERFPRED_NUMERIC, "dpotrf2(L,8) failed with info 3");
  return PERFPRED_OK;
}

static inline double script_overhead(void *data) {
  return ((struct script *)data)->overhead_s;
}

static inline void script_start(struct script *script) {
  memset(script, 0, sizeof *script);
  script->shortest_gap_s = INFINITY;
}

static inline struct ppi_bench script_bench(struct script *script) {
  return (struct ppi_bench){ { "virtual", script_now, script->resolution_s, 0.0, script },
                             { "cpu", script_cpu, 0.0, 0.0, script },
                             script_yardstick,
                             script_switches,
                             script };
}

static inline struct ppi_subjects script_subjects(struct script *script, size_t count) {
  return (struct ppi_subjects){ .count = count,
                                .stage = "sampling",
                                .select = script_select,
                                .restore = script_restore,
                                .run = script_run,
                                .check = script_check,
                                .overhead_s = script_overhead,
                                .data = script };
}

/* Samples `count` subjects of the script. */
static inline enum perfpred_status script_sample(struct script *script, size_t count, struct ppi_level *level,
                                                 const struct ppi_sampling *sampling, struct ppi_result *results,
                                                 struct perfpred_error *error) {
  const struct ppi_bench bench = script_bench(script);
  const struct ppi_subjects subjects = script_subjects(script, count);
  return ppi_schedule_run(&bench, level, &subjects, sampling, results, error);
}

static inline double median_of(const struct ppi_result *result) {
  struct perfpred_statistics statistics;
  double times[8192];
  cr_assert_gt(result->count, 0);
  cr_assert_leq(result->count, 8192);
  memcpy(times, result->times_s, result->count * sizeof *times);
  ppi_stats_of(times, result->count, &statistics);
  return statistics.med;
}

#endif
