/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/schedule.h"

#include <math.h>
#include <stdlib.h>

#include "measure/history.h"
#include "measure/interval.h"
#include "measure/parts.h"
#include "measure/random.h"
#include "measure/response.h"

#define PROGRESS_S 0.05 /* time between two calls of the progress callback */
#define STABLE_STEP 6   /* samples that are asked for at least, where the median is not known well enough */

struct run {
  const struct ppi_bench *bench;
  const struct ppi_subjects *subjects;
  struct ppi_sampling sampling; /* defaults filled in */
  unsigned wanted;
  struct ppi_level *level;
  double begin_s, told_s; /* start; time of the last progress call */
  double fraction;
  uint64_t samples; /* timed runs so far */
  struct ppi_random random;
  struct ppi_history *histories;
  struct ppi_parts parts;
  size_t *order; /* subjects of the present round, one entry per batch */
  size_t order_count, order_capacity;
};

static double now(const struct run *run) {
  return run->bench->wall.now(run->bench->wall.state);
}

/* What a time of 0 may be in truth on this clock. */
static double shortest(const struct ppi_bench *bench) {
  double half = 0.5 * bench->wall.resolution_s;
  return half > 1e-10 ? half : 1e-10;
}

static double at_least(double time, double least) {
  return time > least ? time : least;
}

static double take_reading(const struct ppi_bench *bench, struct ppi_level *level) {
  double reading = at_least(bench->yardstick(bench->data), shortest(bench));
  ppi_level_add(level, reading);
  if (level->best_s > 0.0 && reading >= level->best_s)
    return reading;
  double again = at_least(bench->yardstick(bench->data), reading);
  if (level->best_s <= 0.0 || again < level->best_s)
    level->best_s = again;
  return reading;
}

double ppi_schedule_reading(const struct ppi_bench *bench, struct ppi_level *level) {
  double begin = bench->wall.now(bench->wall.state);
  double reading = take_reading(bench, level);
  level->spent_s += bench->wall.now(bench->wall.state) - begin;
  return reading;
}

/* What readings took goes on the account of the subject that they were for. */
static void charge_readings(struct run *run, struct ppi_history *history) {
  history->yardstick_s += run->level->spent_s;
  run->level->spent_s = 0.0;
}

static double reading(struct run *run, struct ppi_history *history) {
  double reading = run->sampling.gate < 0.0 ? 0.0 : ppi_schedule_reading(run->bench, run->level);
  charge_readings(run, history);
  return reading;
}

/* Share of the wanted samples that there are, or of the budget that is spent; never falls. */
static double fraction_done(struct run *run, double elapsed) {
  double done = 0.0, budget = run->sampling.budget_s;
  for (size_t i = 0; i < run->subjects->count; i++)
    if (run->histories[i].wanted > 0)
      done += fmin((double)run->histories[i].passed / run->histories[i].wanted, 1.0);
  double fraction = done / (double)run->subjects->count;
  if (budget > 0.0)
    fraction = fmin(fmax(fraction, elapsed / budget), 1.0);
  run->fraction = fmax(fraction, run->fraction);
  return run->fraction;
}

static enum perfpred_status tell(struct run *run, bool force, struct perfpred_error *error) {
  double time = now(run), elapsed = time - run->begin_s;
  if (run->sampling.progress == NULL || (!force && time - run->told_s < PROGRESS_S))
    return PERFPRED_OK;
  run->told_s = time;
  double fraction = fraction_done(run, elapsed);
  double remaining = fraction > 0.02 ? elapsed * (1.0 - fraction) / fraction : NAN;
  const struct perfpred_progress progress = { sizeof progress, run->subjects->stage, fraction, elapsed,
                                              remaining,       run->samples };
  if (run->sampling.progress(run->sampling.progress_data, &progress) != 0)
    return ppi_error_set(error, PERFPRED_CANCELLED, "cancelled by the caller while %s", run->subjects->stage);
  return PERFPRED_OK;
}

static enum perfpred_status select_subject(struct run *run, size_t index, struct perfpred_error *error) {
  double begin = now(run);
  enum perfpred_status status = run->subjects->select(run->subjects->data, index, error);
  run->histories[index].restore_s += now(run) - begin;
  return status;
}

static void restore(struct run *run, struct ppi_history *history, bool prepare) {
  const struct ppi_subjects *subjects = run->subjects;
  double begin = now(run);
  subjects->restore(subjects->data);
  if (prepare && subjects->prepare != NULL)
    subjects->prepare(subjects->data);
  history->restore_s += now(run) - begin;
}

/* A run that does not count, but for what it brings into the caches. */
static enum perfpred_status run_warm(struct run *run, struct ppi_history *history, double *time_s,
                                     struct perfpred_error *error) {
  const struct ppi_subjects *subjects = run->subjects;
  restore(run, history, false);
  double begin = now(run);
  subjects->run(subjects->data);
  *time_s = now(run) - begin;
  return subjects->check(subjects->data, error);
}

/* Restore, warm run, restore, timed run. Nothing that evicts operands stands between the two runs, unless that is wanted. */
static enum perfpred_status repeat(struct run *run, struct ppi_history *history, double overhead_s,
                                   struct ppi_sample *sample, struct perfpred_error *error) {
  const struct ppi_bench *bench = run->bench;
  const struct ppi_subjects *subjects = run->subjects;
  double warm = 0.0;
  enum perfpred_status status = subjects->unpaired ? PERFPRED_OK : run_warm(run, history, &warm, error);
  if (status != PERFPRED_OK)
    return status;
  restore(run, history, true);

  uint64_t switches = bench->switches(bench->data);
  double cpu = bench->cpu.now(bench->cpu.state);
  double begin = now(run);
  subjects->run(subjects->data);
  double wall = now(run) - begin;
  cpu = bench->cpu.now(bench->cpu.state) - cpu;
  switches = bench->switches(bench->data) - switches;

  history->measure_s += warm + wall;
  run->samples++;
  *sample = (struct ppi_sample){
    .wall_s = at_least(wall - overhead_s, shortest(bench)),
    .cpu_s = at_least(cpu - bench->cpu.overhead_s - overhead_s, 0.0),
    .preempted = switches != 0,
    .run_s = warm + wall,
  };
  return subjects->unpaired ? subjects->check(subjects->data, error) : PERFPRED_OK;
}

static unsigned kept_of(unsigned batch_size) {
  return batch_size < PPI_BATCH_KEPT ? batch_size : PPI_BATCH_KEPT;
}

/* Of a batch's repetitions, by their number from 0, those that are kept are evenly spaced. */
static bool is_kept(unsigned batch_size, unsigned number) {
  unsigned kept = kept_of(batch_size);
  return number < batch_size && (number + 1) * kept / batch_size != number * kept / batch_size;
}

/* How many repetitions a batch needs to last long enough, if one of them takes so long and its timed run wall_s. */
static unsigned batch_size(const struct run *run, double each, double wall_s) {
  if (wall_s >= PPI_SINGLE_S || each >= PPI_BATCH_S)
    return 1;
  double size = ceil(PPI_BATCH_S / at_least(each, at_least(run->bench->wall.resolution_s, 1e-9)));
  return size < PPI_BATCH_MAX ? (unsigned)size : PPI_BATCH_MAX;
}

/* Repetitions that are over before a batch has lasted long enough, because they are faster than they were, are followed by more. */
static bool goes_on(const struct run *run, unsigned done, unsigned size, double begin) {
  return done < size || (size > 1 && done < PPI_BATCH_MAX && now(run) - begin < PPI_BATCH_S);
}

/* Whether another batch would take a subject beyond what it may take. */
static bool at_limit(const struct ppi_history *history) {
  double spent = history->measure_s + history->yardstick_s + history->restore_s;
  return history->limit_s > 0.0 && spent + history->batch_size * history->repetition_s > history->limit_s;
}

/* A sample joins the history of its subject, and those of its parts. */
static enum perfpred_status keep_sample(struct run *run, struct ppi_history *history, const struct ppi_sample *sample,
                                        struct perfpred_error *error) {
  const struct ppi_subjects *subjects = run->subjects;
  enum perfpred_status status = ppi_history_add(history, sample, error);
  if (status != PERFPRED_OK || subjects->part_count == 0)
    return status;
  return ppi_parts_add(&run->parts, (size_t)(history - run->histories), sample, subjects->parts_s(subjects->data),
                       error);
}

/* One batch of the selected subject, between two yardsticks. Its first repetition tells whether there have to be more. */
static enum perfpred_status take_batch(struct run *run, struct ppi_history *history, struct perfpred_error *error) {
  double overhead_s = run->subjects->overhead_s(run->subjects->data);
  unsigned done = 0;
  double before = reading(run, history), begin = now(run);
  for (; goes_on(run, done, history->batch_size, begin); done++) {
    struct ppi_sample sample;
    enum perfpred_status status = repeat(run, history, overhead_s, &sample, error);
    if (status != PERFPRED_OK)
      return status;
    if (history->batch_size == 1)
      history->batch_size = batch_size(run, now(run) - begin, sample.wall_s);
    if (is_kept(history->batch_size, done))
      status = keep_sample(run, history, &sample, error);
    if (status != PERFPRED_OK)
      return status;
  }
  double each = (now(run) - begin) / done;
  if (history->batches == 0 || each < history->repetition_s)
    history->repetition_s = each;
  if (history->batch_size > 1)
    history->batch_size = batch_size(run, history->repetition_s, 0.0);
  double after = reading(run, history);
  ppi_history_close_batch(history, before, after);
  ppi_parts_close_batch(&run->parts, (size_t)(history - run->histories), before, after);
  ppi_history_count(history, run->level, run->sampling.gate);
  return PERFPRED_OK;
}

/* First contact: a run whose time does not count (libraries initialise themselves, pages are touched), then a batch. */
static enum perfpred_status meet(struct run *run, size_t index, struct perfpred_error *error) {
  struct ppi_history *history = &run->histories[index];
  enum perfpred_status status = select_subject(run, index, error);
  if (status == PERFPRED_OK)
    status = run_warm(run, history, &history->first_s, error);
  if (status != PERFPRED_OK)
    return status;
  history->wanted = run->subjects->wanted != NULL ? run->subjects->wanted[index] : run->wanted;
  history->limit_s = run->subjects->limits_s != NULL ? run->subjects->limits_s[index] : 0.0;
  history->batch_size = 1;
  return take_batch(run, history, error);
}

static unsigned larger(unsigned a, unsigned b) {
  return a > b ? a : b;
}

/* Asks for more samples of a subject whose median is not known well enough yet. Those that it has serve as scratch: an
   interval needs them sorted. */
static enum perfpred_status grow_wanted(const struct run *run, struct ppi_history *history,
                                        struct perfpred_error *error) {
  unsigned most = (unsigned)(run->sampling.repetitions_max > 0 ? run->sampling.repetitions_max : 0);
  if (run->sampling.stable <= 0.0 || history->passed < history->wanted || history->wanted >= most)
    return PERFPRED_OK;
  double *times = malloc((history->count + 1) * sizeof *times);
  if (times == NULL)
    return ppi_error_memory(error);
  size_t count = ppi_history_times(history, run->level, run->sampling.gate, times);
  if (!ppi_interval_narrow(times, count, run->sampling.stable)) {
    unsigned more = (unsigned)history->passed + larger((unsigned)history->passed / 2, STABLE_STEP);
    history->wanted = more < most ? more : most;
  }
  free(times);
  return PERFPRED_OK;
}

/* Batches still wanted of a subject, within the limits on attempts and time. */
static unsigned missing(const struct ppi_history *history) {
  if (at_limit(history))
    return 0;
  unsigned wanted = history->wanted, kept = kept_of(history->batch_size);
  unsigned spread = wanted < PPI_BATCHES_MIN ? wanted : PPI_BATCHES_MIN;
  unsigned most = PPI_ATTEMPT_FACTOR * larger((wanted + kept - 1) / kept, spread);
  if (history->batches >= most)
    return 0;
  unsigned by_count = history->passed >= wanted ? 0 : (wanted - (unsigned)history->passed + kept - 1) / kept;
  unsigned by_spread = history->passed_batches >= spread ? 0 : spread - history->passed_batches;
  unsigned need = larger(by_count, by_spread);
  return need < most - history->batches ? need : most - history->batches;
}

static enum perfpred_status order_push(struct run *run, size_t index, struct perfpred_error *error) {
  if (run->order_count == run->order_capacity) {
    size_t capacity = run->order_capacity > 0 ? 2 * run->order_capacity : 64;
    size_t *order = realloc(run->order, capacity * sizeof *order);
    if (order == NULL)
      return ppi_error_memory(error);
    run->order = order;
    run->order_capacity = capacity;
  }
  run->order[run->order_count++] = index;
  return PERFPRED_OK;
}

/* Queues what is still wanted, shuffled. Judges all samples by the present level first: readings that came late may undo
   what had passed before. */
static enum perfpred_status queue_round(struct run *run, struct perfpred_error *error) {
  run->order_count = 0;
  ppi_level_update(run->level, run->sampling.gate);
  for (size_t i = 0; i < run->subjects->count; i++) {
    if (run->histories[i].batches == 0)
      continue; /* not met: the budget is spent */
    ppi_history_count(&run->histories[i], run->level, run->sampling.gate);
    enum perfpred_status status = grow_wanted(run, &run->histories[i], error);
    for (unsigned left = missing(&run->histories[i]); left > 0 && status == PERFPRED_OK; left--)
      status = order_push(run, i, error);
    if (status != PERFPRED_OK)
      return status;
  }
  ppi_random_shuffle(&run->random, run->order, run->order_count);
  return PERFPRED_OK;
}

/* Whether the budget has room for something that takes so long. */
static bool fits_budget(const struct run *run, double time_s) {
  double spent = now(run) - run->begin_s;
  return run->sampling.budget_s <= 0.0 || spent + time_s <= run->sampling.budget_s;
}

/* One round; *skipped counts batches that the budget does not allow. */
static enum perfpred_status take_round(struct run *run, size_t *skipped, struct perfpred_error *error) {
  *skipped = 0;
  for (size_t i = 0; i < run->order_count; i++) {
    struct ppi_history *history = &run->histories[run->order[i]];
    if (at_limit(history))
      continue;
    if (!fits_budget(run, history->batch_size * history->repetition_s)) {
      (*skipped)++;
      continue;
    }
    enum perfpred_status status = select_subject(run, run->order[i], error);
    if (status == PERFPRED_OK)
      status = take_batch(run, history, error);
    if (status == PERFPRED_OK)
      status = tell(run, false, error);
    if (status != PERFPRED_OK)
      return status;
  }
  return PERFPRED_OK;
}

/* Everyone once before anything is repeated. Where some may be left out those at the end are: the first ones matter most. */
static enum perfpred_status meet_all(struct run *run, struct perfpred_error *error) {
  enum perfpred_status status = tell(run, true, error);
  for (size_t i = 0; i < run->subjects->count && status == PERFPRED_OK; i++)
    status = order_push(run, i, error);
  if (!run->sampling.partial)
    ppi_random_shuffle(&run->random, run->order, run->order_count);
  for (size_t i = 0; i < run->order_count && status == PERFPRED_OK; i++) {
    if (run->sampling.partial && !fits_budget(run, 0.0))
      break;
    status = meet(run, run->order[i], error);
    if (status == PERFPRED_OK)
      status = tell(run, false, error);
  }
  return status;
}

static enum perfpred_status keep_samples(const struct ppi_history *history, struct ppi_result *result,
                                         struct perfpred_error *error) {
  result->samples = malloc((history->count + 1) * sizeof *result->samples);
  if (result->samples == NULL)
    return ppi_error_memory(error);
  for (size_t i = 0; i < history->count; i++)
    result->samples[i] = history->entries[i].sample;
  result->sample_count = history->count;
  return PERFPRED_OK;
}

static enum perfpred_status conclude_one(struct run *run, struct ppi_history *history, double exponent,
                                         struct ppi_result *result, struct perfpred_error *error) {
  ppi_history_count(history, run->level, run->sampling.gate);
  if (run->parts.each > 0)
    return ppi_parts_conclude(&run->parts, (size_t)(history - run->histories), history, run->level, run->sampling.gate,
                              exponent, result, error);
  enum perfpred_status status =
      ppi_history_conclude(history, run->level, run->sampling.gate, exponent, history->wanted, result, error);
  if (status == PERFPRED_OK && run->sampling.detailed) {
    status = keep_samples(history, result, error);
    if (status != PERFPRED_OK)
      ppi_results_free(result, 1);
  }
  return status;
}

/* What this run shows; if it is too short for that, what all runs so far do. */
static double exponent_for(const struct run *run, const struct ppi_responses *shown,
                           const struct ppi_history *history) {
  const double exponent = ppi_response_exponent(shown, history);
  return isnan(exponent) ? ppi_response_exponent(&run->level->responses, history) : exponent;
}

static enum perfpred_status conclude(struct run *run, struct ppi_result *results, struct perfpred_error *error) {
  struct ppi_responses responses = { 0 };
  ppi_level_update(run->level, run->sampling.gate);
  for (size_t i = 0; i < run->subjects->count; i++)
    ppi_response_add(&responses, &run->histories[i]);
  ppi_response_merge(&run->level->responses, &responses);
  const size_t each = run->parts.each > 0 ? run->parts.each : 1;
  for (size_t i = 0; i < run->subjects->count; i++) {
    for (size_t k = 0; k < each; k++)
      results[i * each + k] = (struct ppi_result){ .residual = NAN };
    if (run->histories[i].batches == 0)
      continue;
    const double exponent = exponent_for(run, &responses, &run->histories[i]);
    enum perfpred_status status = conclude_one(run, &run->histories[i], exponent, &results[i * each], error);
    if (status != PERFPRED_OK) {
      ppi_results_free(results, i * each);
      return status;
    }
  }
  return PERFPRED_OK;
}

static void set_defaults(struct ppi_sampling *sampling) {
  if (sampling->repetitions <= 0)
    sampling->repetitions = PPI_DEFAULT_REPETITIONS;
  if (sampling->gate >= 0.0 && sampling->gate <= 0.0)
    sampling->gate = PPI_DEFAULT_GATE;
}

enum perfpred_status ppi_schedule_run(const struct ppi_bench *bench, struct ppi_level *level,
                                      const struct ppi_subjects *subjects, const struct ppi_sampling *sampling,
                                      struct ppi_result *results, struct perfpred_error *error) {
  if (subjects->count == 0)
    return PERFPRED_OK;
  struct run run = { .bench = bench, .subjects = subjects, .sampling = *sampling };
  run.level = level;
  set_defaults(&run.sampling);
  run.wanted = (unsigned)run.sampling.repetitions;
  run.random.state = sampling->seed;
  run.begin_s = run.told_s = now(&run);
  run.histories = calloc(subjects->count, sizeof *run.histories);
  if (run.histories == NULL)
    return ppi_error_memory(error);
  enum perfpred_status status = ppi_parts_init(&run.parts, subjects->count, subjects->part_count, error);
  charge_readings(&run, &run.histories[0]); /* those of a calibration */
  if (status == PERFPRED_OK)
    status = meet_all(&run, error);
  size_t skipped = 0;
  do {
    if (status == PERFPRED_OK)
      status = queue_round(&run, error);
    if (status == PERFPRED_OK)
      status = take_round(&run, &skipped, error);
  } while (status == PERFPRED_OK && run.order_count > 0 && skipped == 0);
  if (status == PERFPRED_OK) {
    run.fraction = 1.0;
    status = tell(&run, true, error);
  }
  if (status == PERFPRED_OK)
    status = conclude(&run, results, error);
  for (size_t i = 0; i < subjects->count; i++)
    ppi_history_free(&run.histories[i]);
  ppi_parts_free(&run.parts);
  free(run.histories);
  free(run.order);
  return status;
}
