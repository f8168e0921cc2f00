/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs of Apex-MAP as subjects of the schedule, one batch for each run: what a run finds in the caches is what its own repetitions left there. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/apex.h"
#include "measure/apex_kernel.h"
#include "measure/core_clock.h"
#include "measure/core_state.h"
#include "measure/schedule.h"

#define STAGE "sampling"
#define EMPTY_RUNS 64
#define COUNTED_RUNS 5
#define CLOCK_READINGS 100
#define LINE_ELEMENTS 8
#define SHARE_OF_MEMORY 2 /* data takes at most one part in so many */

static const char *const events[PPI_APEX_EVENTS] = { "PAPI_DP_OPS", "PAPI_TOT_CYC", "PAPI_L3_TCM" };

struct apex {
  struct ppi_core *core;
  const struct ppi_apex_batch *batch;
  const struct ppi_apex_run *run; /* the present one */
  const struct ppi_apex_set *set;
  struct ppi_apex_operands operands;
  struct ppi_random random;
  double *data;
  int64_t *index;
  bool idle; /* runs do nothing: what they cost is not the kernels' */
  char what[PPI_APEX_NAME_MAX];
  /* counting */
  void *plan;
  int batches, counted; /* the present one */
  void **tallies;       /* one for each thread */
  int64_t *values;      /* PPI_APEX_EVENTS for each thread, then those of the process */
};

/* --- One repetition ---------------------------------------------------------------------------------------------------- */

/* Places are drawn by one thread. That the others find them in a cache of its core is none of the run's business, nor that they have waited: a
   run of some ten microseconds would be a fifth slower. */
static void read_places(void *data, int thread) {
  const struct apex *apex = data;
  const int64_t count = apex->run->i, threads = apex->batch->threads;
  int64_t sum = 0;
  for (int64_t i = count * thread / threads; i < count * (thread + 1) / threads; i++)
    sum += apex->index[i];
  volatile int64_t sink = sum;
  (void)sink;
}

static void refill(void *data) {
  struct apex *apex = data;
  ppi_core_announce(apex->core, apex->what);
  if (apex->run->kind != PPI_APEX_RANDOM)
    return;
  ppi_apex_fill(apex->run, &apex->random, apex->index);
  if (apex->batch->threads > 1)
    ppi_team_run(apex->core->team, read_places, apex);
}

static void run_share(void *data, int thread) {
  const struct apex *apex = data;
  const struct ppi_apex_run *run = apex->run;
  const bool strided = run->kind == PPI_APEX_STRIDED;
  const int64_t count = strided ? run->m / run->s : run->i, threads = apex->batch->threads;
  struct ppi_apex_slice slice = { .data = apex->data,
                                  .index = apex->index,
                                  .begin = count * thread / threads,
                                  .end = count * (thread + 1) / threads,
                                  .step = strided ? run->s : run->l,
                                  .c = run->c,
                                  .every = run->every,
                                  .operands = &apex->operands };
  if (apex->idle)
    slice.end = slice.begin;
  volatile double sink = strided ? apex->set->strided(&slice) : apex->set->random(&slice);
  (void)sink;
}

static void on_threads(struct apex *apex, void (*work)(void *data, int thread)) {
  if (apex->batch->threads > 1)
    ppi_team_run(apex->core->team, work, apex);
  else
    work(apex, 0);
}

static void repeat(void *data) {
  on_threads(data, run_share);
}

static void arm(void *data) {
  struct apex *apex = data;
  if (apex->batch->threads > 1)
    ppi_team_arm(apex->core->team);
}

/* Random blocks reach their share of the caches only after a while, which one repetition is too short for. */
static void warm_up(struct apex *apex) {
  const struct ppi_apex_run *run = apex->run;
  struct ppi_apex_run light = *run;
  light.c = 0;
  light.every = 1;
  apex->run = &light;
  const int64_t lines = (run->l + LINE_ELEMENTS - 1) / LINE_ELEMENTS * run->i; /* of a repetition */
  const double bytes = fmin((double)apex->batch->warm_bytes, 4.0 * 8.0 * (double)run->m);
  const double repetitions = ceil(bytes / (8.0 * LINE_ELEMENTS * (double)lines));
  for (int64_t left = (int64_t)repetitions; left > 0; left--) {
    refill(apex);
    repeat(apex);
  }
  apex->run = run;
}

static enum perfpred_status select_run(void *data, size_t number, struct perfpred_error *error) {
  struct apex *apex = data;
  (void)number;
  (void)error;
  refill(apex);
  if (apex->run->kind == PPI_APEX_RANDOM)
    warm_up(apex);
  return PERFPRED_OK;
}

static enum perfpred_status check_run(void *data, struct perfpred_error *error) {
  (void)data;
  (void)error;
  return PERFPRED_OK;
}

/* The shortest of many runs that do nothing: the call, the threads' start and end, the clock. */
static double overhead(void *data) {
  struct apex *apex = data;
  const struct ppi_clock *clock = &apex->core->bench.wall;
  double best = 0.0;
  apex->idle = true;
  for (int i = 0; i < EMPTY_RUNS; i++) {
    arm(apex);
    double begin = clock->now(clock->state);
    repeat(apex);
    double time = clock->now(clock->state) - begin;
    best = i == 0 || time < best ? time : best;
  }
  apex->idle = false;
  return best;
}

/* --- Counting ---------------------------------------------------------------------------------------------------------- */

static int64_t *values_of(const struct apex *apex, int thread) {
  return apex->values + (size_t)thread * PPI_APEX_EVENTS;
}

static void open_tally(void *data, int thread) {
  struct apex *apex = data;
  apex->tallies[thread] = apex->core->options.counting->open(apex->plan);
}

static void close_tally(void *data, int thread) {
  struct apex *apex = data;
  apex->core->options.counting->close(apex->tallies[thread]);
}

static void count_share(void *data, int thread) {
  struct apex *apex = data;
  const struct ppi_counting *counting = apex->core->options.counting;
  counting->start(apex->tallies[thread], apex->counted);
  run_share(apex, thread);
  counting->stop(apex->tallies[thread], values_of(apex, thread));
}

/* All threads add to the same numbers. */
static void count_shared(struct apex *apex) {
  const struct ppi_counting *counting = apex->core->options.counting;
  counting->start(apex->tallies[0], apex->counted);
  repeat(apex);
  counting->stop(apex->tallies[0], values_of(apex, apex->batch->threads));
}

static int64_t sum_of(const struct apex *apex, int event) {
  int64_t sum = values_of(apex, apex->batch->threads)[event];
  if (sum != PPI_COUNT_NONE)
    return sum;
  sum = 0;
  for (int thread = 0; thread < apex->batch->threads; thread++) {
    int64_t value = values_of(apex, thread)[event];
    if (value == PPI_COUNT_NONE)
      return PPI_COUNT_NONE;
    sum += value;
  }
  return sum;
}

static void count_once(struct apex *apex, int64_t counts[PPI_APEX_EVENTS]) {
  for (int i = 0; i < (apex->batch->threads + 1) * PPI_APEX_EVENTS; i++)
    apex->values[i] = PPI_COUNT_NONE;
  for (apex->counted = 0; apex->counted < apex->batches; apex->counted++) {
    refill(apex);
    if (apex->core->options.counting->shared(apex->plan, apex->counted))
      count_shared(apex);
    else
      on_threads(apex, count_share);
  }
  for (int event = 0; event < PPI_APEX_EVENTS; event++)
    counts[event] = sum_of(apex, event);
}

static int compare(const void *a, const void *b) {
  const int64_t *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

/* Medians of a few repetitions, in runs of their own. */
static void count_run(struct apex *apex, int64_t counts[PPI_APEX_EVENTS]) {
  int64_t history[PPI_APEX_EVENTS][COUNTED_RUNS];
  on_threads(apex, open_tally);
  for (int i = 0; i < COUNTED_RUNS; i++) {
    int64_t once[PPI_APEX_EVENTS];
    count_once(apex, once);
    for (int event = 0; event < PPI_APEX_EVENTS; event++)
      history[event][i] = once[event];
  }
  on_threads(apex, close_tally);
  for (int event = 0; event < PPI_APEX_EVENTS; event++) {
    qsort(history[event], COUNTED_RUNS, sizeof history[event][0], compare);
    counts[event] = history[event][COUNTED_RUNS / 2];
  }
}

static enum perfpred_status plan_counting(struct apex *apex, char *note, size_t size, struct perfpred_error *error) {
  const struct ppi_counting *counting = apex->core->options.counting;
  size_t threads = (size_t)apex->batch->threads;
  if (counting == NULL) {
    snprintf(note, size, "events are counted by a worker with PAPI alone");
    return PERFPRED_OK;
  }
  enum perfpred_status status = counting->plan(events, PPI_APEX_EVENTS, &apex->plan, &apex->batches, note, size, error);
  if (status != PERFPRED_OK || apex->batches == 0)
    return status;
  apex->tallies = calloc(threads, sizeof *apex->tallies);
  apex->values = calloc((threads + 1) * PPI_APEX_EVENTS, sizeof *apex->values);
  return apex->tallies != NULL && apex->values != NULL ? PERFPRED_OK : ppi_error_memory(error);
}

/* --- All of them ------------------------------------------------------------------------------------------------------- */

/* Progress of a run as that of all. */
struct share {
  const struct ppi_sampling *sampling;
  size_t done, all;
  double begin_s;
  uint64_t samples;
  const struct ppi_clock *clock;
};

static int tell(void *data, const struct perfpred_progress *progress) {
  const struct share *share = data;
  struct perfpred_progress whole = *progress;
  if (share->sampling->progress == NULL)
    return 0;
  whole.fraction = ((double)share->done + progress->fraction) / (double)share->all;
  whole.elapsed_s = share->clock->now(share->clock->state) - share->begin_s;
  whole.remaining_s = whole.fraction > 0.02 ? whole.elapsed_s * (1.0 - whole.fraction) / whole.fraction : (double)NAN;
  whole.samples = share->samples + progress->samples;
  return share->sampling->progress(share->sampling->progress_data, &whole);
}

static enum perfpred_status measure_run(struct apex *apex, const struct ppi_sampling *sampling,
                                        struct ppi_apex_result *result, struct perfpred_error *error) {
  const struct ppi_subjects subjects = { .count = 1,
                                         .stage = STAGE,
                                         .select = select_run,
                                         .restore = refill,
                                         .run = repeat,
                                         .check = check_run,
                                         .overhead_s = overhead,
                                         .prepare = arm,
                                         .data = apex };
  const struct ppi_bench *bench = NULL;
  struct ppi_level *level = NULL;
  ppi_apex_name(apex->run, apex->what);
  enum perfpred_status status = ppi_core_world(apex->core, apex->batch->threads, &bench, &level, error);
  if (status == PERFPRED_OK)
    status = ppi_schedule_run(bench, level, &subjects, sampling, &result->timing, error);
  for (int event = 0; event < PPI_APEX_EVENTS; event++)
    result->counts[event] = PPI_COUNT_NONE;
  if (status == PERFPRED_OK && apex->batches > 0)
    count_run(apex, result->counts);
  if (apex->batch->threads > 1 && apex->core->team != NULL)
    ppi_team_park(apex->core->team);
  return status;
}

/* Times are of the fastest state that lasts, and so is the clock: it is looked at again and again. */
static void read_clock(const struct apex *apex, struct ppi_apex_report *report) {
  if (apex->core->options.bench == NULL)
    report->clock_hz = fmax(report->clock_hz, ppi_core_clock(&apex->core->bench.wall, CLOCK_READINGS));
}

static enum perfpred_status measure_all(struct apex *apex, const struct ppi_sampling *given,
                                        struct ppi_apex_report *report, struct perfpred_error *error) {
  struct ppi_apex_result *results = report->results;
  const size_t count = apex->batch->count;
  const struct ppi_clock *clock = &apex->core->bench.wall;
  struct share share = { given, 0, count, clock->now(clock->state), 0, clock };
  enum perfpred_status status = PERFPRED_OK;
  for (size_t i = 0; i < count && status == PERFPRED_OK; i++) {
    struct ppi_sampling sampling = *given;
    sampling.progress = tell;
    sampling.progress_data = &share;
    if (given->budget_s > 0.0) {
      double left = given->budget_s - (clock->now(clock->state) - share.begin_s);
      sampling.budget_s = fmax(left / (double)(count - i), 1e-9);
    }
    apex->run = &apex->batch->runs[i];
    status = measure_run(apex, &sampling, &results[i], error);
    if (status != PERFPRED_OK)
      ppi_apex_results_free(results, i);
    else {
      share.samples += results[i].timing.count;
      read_clock(apex, report);
    }
    share.done++;
  }
  return status;
}

static enum perfpred_status allocate(struct apex *apex, struct perfpred_error *error) {
  const struct ppi_apex_run *largest = &apex->batch->runs[0];
  int64_t blocks = 1;
  for (size_t i = 0; i < apex->batch->count; i++) {
    const struct ppi_apex_run *run = &apex->batch->runs[i];
    largest = run->m > largest->m ? run : largest;
    blocks = run->i > blocks ? run->i : blocks;
  }
  double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
  if (8.0 * (double)largest->m > memory / SHARE_OF_MEMORY)
    return ppi_error_set(error, PERFPRED_LIMIT,
                         "M = %lld takes %.0f MiB, expected at most half of the memory, %.0f MiB",
                         (long long)largest->m, 8.0 * (double)largest->m / 0x1p20, memory / SHARE_OF_MEMORY / 0x1p20);
  size_t bytes = ((size_t)largest->m * sizeof *apex->data + 4095) / 4096 * 4096;
  apex->data = aligned_alloc(4096, bytes);
  apex->index = calloc((size_t)blocks, sizeof *apex->index);
  if (apex->data == NULL || apex->index == NULL)
    return ppi_error_memory(error);
  for (int64_t i = 0; i < largest->m; i++)
    apex->data[i] = 1.0;
  return PERFPRED_OK;
}

enum perfpred_status ppi_core_apex(struct ppi_core *core, const struct ppi_apex_batch *batch,
                                   const struct ppi_sampling *sampling, struct ppi_apex_report *report,
                                   struct perfpred_error *error) {
  struct apex apex = { .core = core, .batch = batch, .operands = PPI_APEX_OPERANDS };
  apex.random.state = sampling->seed;
  apex.set = ppi_apex_set_find(batch->instruction_set);
  if (apex.set == NULL)
    return ppi_error_set(error, PERFPRED_UNSUPPORTED,
                         "instruction set '%s': this machine does not run it, or there are no kernels for it",
                         batch->instruction_set);
  report->note[0] = '\0';
  enum perfpred_status status = allocate(&apex, error);
  if (status == PERFPRED_OK)
    status = plan_counting(&apex, report->note, sizeof report->note, error);
  if (status == PERFPRED_OK) {
    report->clock_hz = 0.0;
    snprintf(report->instruction_set, sizeof report->instruction_set, "%s", apex.set->instruction_set);
    status = measure_all(&apex, sampling, report, error);
  }
  free(apex.values);
  free(apex.tallies);
  if (apex.plan != NULL)
    core->options.counting->destroy(apex.plan);
  free(apex.index);
  free(apex.data);
  return status;
}
