/* SPDX-License-Identifier: BSD-3-Clause */
/* What calling and timing cost. A subject whose calls do nothing is sampled as any other is, in batches, between yardsticks, among
   the same system calls, through the same functions: in a loop of its own the processor foresees each jump, and the clock is
   read faster than around a kernel. A counter that advances in steps of many nanoseconds meets the interval at another place each
   time, so that the mean of many samples tells what no single one can. */
#include <stdlib.h>

#include "measure/core_state.h"
#include "measure/schedule.h"

#define IDLE_SAMPLES 256
#define HOT_LOOPS 16
#define HOT_CALLS 64 /* in one loop */

/* Calls that follow each other at once: the shortest of some loops. */
static double hot_call(const struct ppi_core *core, const struct ppi_frame *frame) {
  const struct ppi_clock *clock = &core->bench.wall;
  struct ppi_frame empty;
  double best = 0.0;
  ppi_frame_empty(frame, &empty);
  for (int loop = 0; loop < HOT_LOOPS; loop++) {
    double begin = clock->now(clock->state);
    for (int i = 0; i < HOT_CALLS; i++)
      ppi_frame_call(&empty);
    double time = (clock->now(clock->state) - begin - clock->overhead_s) / HOT_CALLS;
    best = loop == 0 || time < best ? time : best;
  }
  return best > 0.0 ? best : 0.0;
}

/* What a call costs depends on how its words are handed over alone. */
static const struct ppi_overhead *find(const struct ppi_core *core, const struct ppi_frame *frame,
                                       void (*run)(void *data)) {
  for (int i = 0; i < core->overhead_count; i++)
    if (core->overheads[i].call == frame->call && core->overheads[i].run == run)
      return &core->overheads[i];
  return NULL;
}

static void learn(struct ppi_core *core, const struct ppi_frame *frame, void (*run)(void *data), double time_s) {
  if (core->overhead_count < PPI_OVERHEADS_MAX)
    core->overheads[core->overhead_count++] = (struct ppi_overhead){ frame->call, run, time_s };
}

double ppi_core_overhead(struct ppi_core *core, const struct ppi_frame *frame) {
  const struct ppi_overhead *known = find(core, frame, NULL);
  if (known != NULL)
    return known->time_s;
  double time_s = hot_call(core, frame);
  learn(core, frame, NULL, time_s);
  return time_s;
}

static enum perfpred_status select_idle(void *data, size_t index, struct perfpred_error *error) {
  (void)data;
  (void)index;
  (void)error;
  return PERFPRED_OK;
}

static double no_overhead(void *data) {
  (void)data;
  return 0.0;
}

static int compare(const void *a, const void *b) {
  const double *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

/* Mean of the middle half: interrupts count as little as in a median. */
static double middle_mean(double *times, size_t count) {
  size_t first = count / 4, end = count - first;
  double sum = 0.0;
  qsort(times, count, sizeof *times, compare);
  for (size_t i = first; i < end; i++)
    sum += times[i];
  return end > first ? sum / (double)(end - first) : 0.0;
}

/* As the clock read it: it is taken from such times. A clock that is too coarse tells the least time that there is in place of none. */
static double idle_time(const struct ppi_bench *bench, const struct ppi_result *result) {
  size_t count = 0;
  for (size_t i = 0; i < result->sample_count; i++) {
    const struct ppi_sample *sample = &result->samples[i];
    if (count < result->count && (sample->passed || !result->gated))
      result->times_s[count++] = sample->wall_s < bench->wall.resolution_s ? 0.0 : sample->wall_s;
  }
  return middle_mean(result->times_s, count);
}

double ppi_core_idle(struct ppi_core *core, const struct ppi_subjects *idle, const struct ppi_frame *frame) {
  const struct ppi_overhead *known = frame != NULL ? find(core, frame, idle->run) : NULL;
  struct ppi_subjects subjects = *idle;
  const struct ppi_sampling sampling = { .repetitions = IDLE_SAMPLES, .detailed = true };
  struct ppi_result result;
  if (known != NULL)
    return known->time_s;
  subjects.count = 1;
  subjects.select = select_idle;
  subjects.overhead_s = no_overhead;
  subjects.prepare = NULL;
  subjects.wanted = NULL;
  subjects.limits_s = NULL;
  subjects.unpaired = false;
  ppi_core_calibrate(core);
  if (ppi_schedule_run(&core->bench, &core->level, &subjects, &sampling, &result, NULL) != PERFPRED_OK)
    return core->bench.wall.overhead_s; /* no memory: the next one will try again */
  double time_s = idle_time(&core->bench, &result);
  ppi_results_free(&result, 1);
  if (frame != NULL)
    learn(core, frame, idle->run, time_s);
  return time_s;
}
