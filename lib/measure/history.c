/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/history.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/stats.h"

#define APART 1.25    /* readings before and after a sample of one speed of the machine */
#define SLOWEST 0.125 /* of the best speed: no machine gets slower than this without something else running on it */
#define DRIFT 0.8     /* of the best speed: what a clock alone may come down to, where nothing else is known */

enum perfpred_status ppi_history_add(struct ppi_history *history, const struct ppi_sample *sample,
                                     struct perfpred_error *error) {
  if (history->count == history->capacity) {
    size_t capacity = history->capacity > 0 ? 2 * history->capacity : 16;
    struct ppi_history_entry *entries = realloc(history->entries, capacity * sizeof *entries);
    if (entries == NULL)
      return ppi_error_memory(error);
    history->entries = entries;
    history->capacity = capacity;
  }
  history->entries[history->count++] = (struct ppi_history_entry){ *sample, history->batches };
  return PERFPRED_OK;
}

void ppi_history_free(struct ppi_history *history) {
  free(history->entries);
  history->entries = NULL;
  history->count = history->capacity = 0;
}

void ppi_history_close_batch(struct ppi_history *history, double before_s, double after_s) {
  for (size_t i = history->count; i > 0 && history->entries[i - 1].batch == history->batches; i--) {
    history->entries[i - 1].sample.before_s = before_s;
    history->entries[i - 1].sample.after_s = after_s;
  }
  history->batches++;
}

static bool passes(const struct ppi_sample *sample, const struct ppi_level *level, double gate) {
  return !sample->preempted && ppi_level_passes(level, sample->before_s, gate) &&
         ppi_level_passes(level, sample->after_s, gate);
}

void ppi_history_count(struct ppi_history *history, const struct ppi_level *level, double gate) {
  history->passed = 0;
  history->passed_batches = 0;
  for (size_t i = 0, last = SIZE_MAX; i < history->count; i++) {
    struct ppi_history_entry *entry = &history->entries[i];
    entry->sample.passed = passes(&entry->sample, level, gate);
    if (!entry->sample.passed)
      continue;
    history->passed++;
    if (entry->batch != last)
      history->passed_batches++;
    last = entry->batch;
  }
}

/* How far a sample is from the gate: preempted ones behind all others. */
static double distance(const struct ppi_sample *sample) {
  double reading = sample->before_s > sample->after_s ? sample->before_s : sample->after_s;
  return sample->preempted ? reading + 1e6 : reading;
}

bool ppi_sample_is_torn(const struct ppi_sample *sample) {
  return fmax(sample->before_s, sample->after_s) > APART * fmin(sample->before_s, sample->after_s);
}

double ppi_sample_reading(const struct ppi_sample *sample) {
  return ppi_sample_is_torn(sample) ? fmin(sample->before_s, sample->after_s)
                                    : 0.5 * (sample->before_s + sample->after_s);
}

/* The time that it would have taken at the reference reading: a machine drifts within the gate's width, too. */
static double reference_time(const struct ppi_sample *sample, double target_s, double gate, double exponent) {
  double time = sample->wall_s;
  if (sample->preempted && sample->cpu_s > 0.0 && sample->cpu_s < time)
    time = sample->cpu_s;
  double reading = ppi_sample_reading(sample);
  if (gate < 0.0 || reading <= 0.0)
    return time;
  return isnan(exponent) ? time * fmax(target_s / reading, DRIFT)
                         : time * pow(fmax(target_s / reading, SLOWEST), exponent);
}

size_t ppi_history_times(const struct ppi_history *history, const struct ppi_level *level, double gate, double *times) {
  size_t count = 0;
  for (size_t i = 0; i < history->count; i++)
    if (history->entries[i].sample.passed)
      times[count++] = reference_time(&history->entries[i].sample, ppi_level_target(level), gate, 1.0);
  return count;
}

static void keep(struct ppi_result *result, double *cpu, const struct ppi_sample *sample, double time) {
  cpu[result->count] = sample->cpu_s;
  result->spent.kept_s += sample->run_s;
  result->times_s[result->count++] = time > 0.0 ? time : DBL_MIN;
}

static void keep_nearest(const struct ppi_history *history, double target_s, double gate, double exponent,
                         size_t wanted, double *cpu, struct ppi_result *result) {
  size_t limit_at = (wanted < history->count ? wanted : history->count) - 1;
  double *distances = result->times_s; /* not in use yet */
  for (size_t i = 0; i < history->count; i++)
    distances[i] = distance(&history->entries[i].sample);
  ppi_stats_median(distances, history->count); /* sorts */
  double limit = distances[limit_at];
  for (size_t i = 0; i < history->count && result->count <= limit_at; i++) {
    const struct ppi_sample *sample = &history->entries[i].sample;
    if (distance(sample) <= limit)
      keep(result, cpu, sample, reference_time(sample, target_s, gate, exponent));
  }
}

/* What was not kept, beside what was. Sums in another order may differ in their last bits. */
static void account(const struct ppi_history *history, struct ppi_spent *spent) {
  double sampled_s = 0.0;
  for (size_t i = 0; i < history->count; i++)
    sampled_s += history->entries[i].sample.run_s;
  spent->rejected_s = fmax(sampled_s - spent->kept_s, 0.0);
  spent->spare_s = history->first_s + fmax(history->measure_s - sampled_s, 0.0);
  spent->yardstick_s = history->yardstick_s;
  spent->restore_s = history->restore_s;
}

enum perfpred_status ppi_history_conclude(const struct ppi_history *history, const struct ppi_level *level, double gate,
                                          double exponent, size_t wanted, struct ppi_result *result,
                                          struct perfpred_error *error) {
  assert(history->count > 0 && wanted > 0);
  struct ppi_result made = { .residual = NAN, .measure_s = history->measure_s, .first_s = history->first_s };
  made.times_s = malloc(history->count * sizeof *made.times_s);
  double *cpu = malloc(history->count * sizeof *cpu);
  if (made.times_s == NULL || cpu == NULL) {
    free(made.times_s);
    free(cpu);
    return ppi_error_memory(error);
  }
  if (history->passed >= (wanted + 2) / 3) {
    for (size_t i = 0; i < history->count; i++)
      if (history->entries[i].sample.passed)
        keep(&made, cpu, &history->entries[i].sample,
             reference_time(&history->entries[i].sample, ppi_level_target(level), gate, 1.0));
    made.gated = gate >= 0.0;
  } else
    keep_nearest(history, ppi_level_target(level), gate, exponent, wanted, cpu, &made);
  made.disturbed = history->count - history->passed;
  made.cpu_s = ppi_stats_median(cpu, made.count);
  account(history, &made.spent);
  free(cpu);
  *result = made;
  return PERFPRED_OK;
}
