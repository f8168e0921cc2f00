/* SPDX-License-Identifier: BSD-3-Clause */
/* Executions of a plan's algorithms beside their predictions. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "api/contraction_batch.h"
#include "api/contraction_plan.h"
#include "base/context.h"
#include "base/stats.h"
#include "machine/clock.h"
#include "measure/options.h"

#define NOISE_LEAST 0.01 /* measured times as near as this are not told apart, however quiet the machine seems to be */
#define REPETITIONS 10

/* --- Errors and order ---------------------------------------------------------------------------------------------- */

/* An algorithm that was executed. */
struct executed {
  size_t rank;
  bool predicted;
  double predicted_s, measured_s, noise;
};

static size_t list_executed(const struct perfpred_contraction_plan *plan, struct executed *list) {
  const struct ppi_contraction_findings *findings = plan->findings;
  size_t count = 0;
  for (size_t rank = 0; rank < findings->listed; rank++) {
    const size_t place = findings->ranking[rank];
    const struct ppi_contraction_entry *entry = &findings->candidates.entries[place];
    if (!isnan(plan->measured_s[place]))
      list[count++] = (struct executed){ rank, entry->source != PERFPRED_CONTRACTION_DROPPED, entry->time_s.med,
                                         plan->measured_s[place], plan->noise[place] };
  }
  return count;
}

static double noise_of(const struct executed *executed) {
  return isnan(executed->noise) ? NOISE_LEAST : fmax(executed->noise, NOISE_LEAST);
}

static bool can_be_told(const struct executed *a, const struct executed *b) {
  return fabs(a->measured_s - b->measured_s) > fmax(noise_of(a), noise_of(b)) * fmax(a->measured_s, b->measured_s);
}

/* Pairs that were predicted to be in the same order, less those in the other, over all that can be told apart. */
static void find_tau(const struct executed *list, size_t count, struct perfpred_contraction_validation *validation) {
  double sum = 0.0;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < i; k++) {
      if (!list[i].predicted || !list[k].predicted || !can_be_told(&list[i], &list[k]))
        continue;
      const double product = (list[i].predicted_s - list[k].predicted_s) * (list[i].measured_s - list[k].measured_s);
      validation->pairs++;
      sum += product > 0.0 ? 1.0 : product < 0.0 ? -1.0 : 0.0;
    }
  validation->tau = validation->pairs > 0 ? sum / (double)validation->pairs : (double)NAN;
}

static void find_errors(const struct executed *list, size_t count, double *errors,
                        struct perfpred_contraction_validation *validation) {
  double sum = 0.0;
  for (size_t i = 0; i < count; i++)
    if (list[i].predicted && list[i].measured_s > 0.0)
      errors[validation->compared++] = fabs(list[i].predicted_s - list[i].measured_s) / list[i].measured_s;
  for (size_t i = 0; i < validation->compared; i++) {
    sum += errors[i];
    validation->worst_are = fmax(validation->worst_are, errors[i]);
  }
  const bool any = validation->compared > 0;
  validation->mean_are = any ? sum / (double)validation->compared : (double)NAN;
  validation->median_are = any ? ppi_stats_median(errors, validation->compared) : (double)NAN;
  validation->worst_are = any ? validation->worst_are : (double)NAN;
}

static void find_fastest(const struct executed *list, size_t count,
                         struct perfpred_contraction_validation *validation) {
  double least_s = (double)INFINITY, noise = 0.0;
  size_t known = 0;
  for (size_t i = 0; i < count; i++) {
    if (list[i].measured_s < least_s) {
      least_s = list[i].measured_s;
      validation->fastest = list[i].rank;
    }
    known += isnan(list[i].noise) ? 0 : 1;
    noise += isnan(list[i].noise) ? 0.0 : list[i].noise;
  }
  validation->noise_floor = known > 0 ? noise / (double)known : (double)NAN;
  validation->loss = count > 0 && list[0].rank == 0 && least_s > 0.0 ? list[0].measured_s / least_s - 1.0 : (double)NAN;
}

/* From the times that the plan has. */
static enum perfpred_status sum_up(struct perfpred_contraction_plan *plan, double wall_s,
                                   struct perfpred_error *error) {
  struct executed *list = calloc(plan->findings->listed + 1, sizeof *list);
  double *errors = calloc(plan->findings->listed + 1, sizeof *errors);
  enum perfpred_status status = list && errors ? PERFPRED_OK : ppi_error_memory(error);
  if (!status) {
    struct perfpred_contraction_validation *validation = &plan->validation;
    const size_t count = list_executed(plan, list);
    *validation =
        (struct perfpred_contraction_validation){ .size = sizeof *validation, .executed = count, .wall_s = wall_s };
    find_errors(list, count, errors, validation);
    find_tau(list, count, validation);
    find_fastest(list, count, validation);
  }
  free(errors);
  free(list);
  return status;
}

/* Replaces what the plan has measured by lists that it takes over. */
static enum perfpred_status adopt(struct perfpred_contraction_plan *plan, double *measured_s, double *noise,
                                  double wall_s, struct perfpred_contraction_validation *validation,
                                  struct perfpred_error *error) {
  double *old_s = plan->measured_s, *old_noise = plan->noise;
  plan->measured_s = measured_s;
  plan->noise = noise;
  enum perfpred_status status = sum_up(plan, wall_s, error);
  if (status) {
    plan->measured_s = old_s;
    plan->noise = old_noise;
    return status;
  }
  free(old_s);
  free(old_noise);
  const size_t size = validation->size;
  memcpy(validation, &plan->validation, size < sizeof *validation ? size : sizeof *validation);
  validation->size = size;
  return PERFPRED_OK;
}

static double *new_times(const struct perfpred_contraction_plan *plan) {
  const size_t count = plan->findings->candidates.entry_count;
  double *times = malloc((count + 1) * sizeof *times);
  for (size_t i = 0; times && i < count; i++)
    times[i] = (double)NAN;
  return times;
}

static enum perfpred_status check(const struct perfpred_contraction_plan *plan, const void *other, const char *what,
                                  const struct perfpred_contraction_validation *validation,
                                  struct perfpred_error *error) {
  if (!plan || !other || !validation)
    return ppi_error_set(error, PERFPRED_INVALID, "plan, %s or validation is NULL, expected all three", what);
  if (validation->size < offsetof(struct perfpred_contraction_validation, wall_s) + sizeof(double))
    return ppi_error_set(error, PERFPRED_INVALID,
                         "validation.size is %zu, expected PERFPRED_CONTRACTION_VALIDATION_INIT", validation->size);
  return PERFPRED_OK;
}

/* --- Executing ----------------------------------------------------------------------------------------------------- */

struct executing {
  const struct perfpred_contraction_plan *plan;
  struct perfpred_contraction_measure_options options; /* full */
  struct ppi_contraction_batch batch;
  size_t *places; /* entries, of each request */
  double *measured_s, *noise;
};

static enum perfpred_status read_options(const struct perfpred_contraction_measure_options *options,
                                         struct perfpred_contraction_measure_options *full,
                                         struct ppi_sampling *sampling, struct perfpred_error *error) {
  struct perfpred_measure_options measure = PERFPRED_MEASURE_OPTIONS_INIT;
  *full = (struct perfpred_contraction_measure_options)PERFPRED_CONTRACTION_MEASURE_OPTIONS_INIT;
  if (options && options->size < sizeof options->size)
    return ppi_error_set(error, PERFPRED_INVALID,
                         "options.size is %zu, expected PERFPRED_CONTRACTION_MEASURE_OPTIONS_INIT", options->size);
  if (options)
    memcpy(full, options, options->size < sizeof *full ? options->size : sizeof *full);
  if (!(full->limit_s >= 0.0))
    return ppi_error_set(error, PERFPRED_INVALID, "options.limit_s is %g, expected seconds, or 0 for no limit",
                         full->limit_s);
  if ((full->names != NULL) != (full->name_count > 0))
    return ppi_error_set(error, PERFPRED_INVALID, "options.names is %s, but name_count %zu",
                         full->names ? "given" : "NULL", full->name_count);
  measure.repetitions = full->repetitions;
  measure.gate = full->gate;
  measure.budget_s = full->budget_s;
  measure.progress = full->progress;
  measure.progress_data = full->progress_data;
  enum perfpred_status status = ppi_measure_options(&measure, sampling, error);
  sampling->seed = full->seed;
  return status;
}

static enum perfpred_status add(struct executing *executing, size_t rank, bool limited, struct perfpred_error *error) {
  const struct ppi_contraction_findings *findings = executing->plan->findings;
  const size_t place = findings->ranking[rank];
  const int repetitions = executing->options.repetitions > 0 ? executing->options.repetitions : REPETITIONS;
  struct ppi_tour_request request = { .subject = PPI_TOUR_WHOLE,
                                      .level = PPI_TOUR_ANYWHERE,
                                      .repetitions = repetitions,
                                      .limit_s = limited ? executing->options.limit_s * repetitions : 0.0 };
  size_t at = 0;
  for (size_t i = 0; i < executing->batch.request_count; i++)
    if (executing->places[i] == place)
      return PERFPRED_OK;
  enum perfpred_status status = ppi_contraction_batch_tour(
      &executing->batch, executing->plan->context->kernels, &findings->candidates.contraction,
      &findings->candidates.entries[place].algorithm, &request.tour, error);
  if (!status)
    status = ppi_contraction_batch_request(&executing->batch, &request, &at, error);
  if (!status)
    executing->places[at] = place;
  return status;
}

static enum perfpred_status add_names(struct executing *executing, struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  for (size_t i = 0; i < executing->options.name_count && !status; i++) {
    const char *name = executing->options.names[i];
    const int64_t rank = perfpred_contraction_plan_find(executing->plan, name);
    status = rank < 0 ? ppi_error_set(error, PERFPRED_NOT_FOUND, "options.names[%zu]: the plan lists no algorithm %s",
                                      i, name ? name : "NULL")
                      : add(executing, (size_t)rank, false, error);
  }
  return status;
}

static enum perfpred_status add_best(struct executing *executing, struct perfpred_error *error) {
  const struct ppi_contraction_findings *findings = executing->plan->findings;
  const struct perfpred_contraction_measure_options *options = &executing->options;
  enum perfpred_status status = PERFPRED_OK;
  for (size_t rank = 0; rank < findings->listed && !status; rank++) {
    const struct ppi_contraction_entry *entry = &findings->candidates.entries[findings->ranking[rank]];
    const double least_s = entry->source == PERFPRED_CONTRACTION_DROPPED
                               ? findings->candidates.groups[entry->group].bound_s
                               : entry->time_s.med;
    if (options->best > 0 && rank >= options->best)
      break;
    if (rank == 0 || options->limit_s == 0.0 || least_s <= options->limit_s)
      status = add(executing, rank, rank > 0, error);
  }
  return status;
}

static void take(struct executing *executing) {
  for (size_t i = 0; i < executing->batch.request_count; i++) {
    const struct ppi_result *timing = &executing->batch.results[i].timing;
    struct perfpred_statistics time_s;
    if (timing->count == 0)
      continue;
    executing->noise[executing->places[i]] = ppi_stats_noise(timing->times_s, timing->count); /* before it is sorted */
    ppi_contraction_batch_time(&executing->batch, i, &time_s);
    executing->measured_s[executing->places[i]] = time_s.med;
  }
}

static enum perfpred_status execute(struct executing *executing, struct perfpred_sampler *sampler,
                                    const struct ppi_sampling *sampling, struct perfpred_error *error) {
  executing->batch.contraction = &executing->plan->findings->candidates.contraction;
  executing->places = calloc(executing->plan->findings->listed + 1, sizeof *executing->places);
  executing->measured_s = new_times(executing->plan);
  executing->noise = new_times(executing->plan);
  enum perfpred_status status = executing->places && executing->measured_s && executing->noise
                                    ? add_best(executing, error)
                                    : ppi_error_memory(error);
  if (!status)
    status = add_names(executing, error);
  if (!status)
    status = ppi_contraction_batch_run(&executing->batch, sampler, sampling, error);
  if (!status)
    take(executing);
  return status;
}

enum perfpred_status perfpred_contraction_plan_measure(struct perfpred_contraction_plan *plan,
                                                       struct perfpred_sampler *sampler,
                                                       const struct perfpred_contraction_measure_options *options,
                                                       struct perfpred_contraction_validation *validation,
                                                       struct perfpred_error *error) {
  struct executing executing = { .plan = plan };
  struct ppi_sampling sampling;
  struct ppi_clock clock;
  ppi_error_clear(error);
  enum perfpred_status status = check(plan, sampler, "sampler", validation, error);
  if (!status)
    status = read_options(options, &executing.options, &sampling, error);
  if (status)
    return status;
  ppi_clock_monotonic(&clock);
  const double begin_s = clock.now(clock.state);
  status = execute(&executing, sampler, &sampling, error);
  if (!status)
    status = adopt(plan, executing.measured_s, executing.noise, clock.now(clock.state) - begin_s, validation, error);
  if (status) {
    free(executing.noise);
    free(executing.measured_s);
  }
  free(executing.places);
  ppi_contraction_batch_free(&executing.batch);
  return status;
}

/* --- Comparing ----------------------------------------------------------------------------------------------------- */

static void take_over(const struct perfpred_contraction_plan *plan, const struct perfpred_contraction_plan *measured,
                      double *measured_s, double *noise) {
  const struct ppi_contraction_candidates *own = &plan->findings->candidates;
  const struct ppi_contraction_candidates *others = &measured->findings->candidates;
  for (size_t k = 0; k < others->entry_count; k++)
    for (size_t i = 0; i < own->entry_count && !isnan(measured->measured_s[k]); i++)
      if (ppi_contraction_same_algorithm(&own->entries[i].algorithm, &others->entries[k].algorithm)) {
        measured_s[i] = measured->measured_s[k];
        noise[i] = measured->noise[k];
        break;
      }
}

enum perfpred_status perfpred_contraction_plan_compare(struct perfpred_contraction_plan *plan,
                                                       const struct perfpred_contraction_plan *measured,
                                                       struct perfpred_contraction_validation *validation,
                                                       struct perfpred_error *error) {
  ppi_error_clear(error);
  enum perfpred_status status = check(plan, measured, "measured", validation, error);
  if (status)
    return status;
  if (!measured->measured_s)
    return ppi_error_set(error, PERFPRED_INVALID,
                         "nothing of measured was executed, expected "
                         "perfpred_contraction_plan_measure before");
  if (!ppi_contraction_same(&plan->contraction, &measured->contraction, false))
    return ppi_error_set(error, PERFPRED_INVALID, "plan and measured are of different contractions");
  double *measured_s = new_times(plan), *noise = new_times(plan);
  if (measured_s && noise) {
    take_over(plan, measured, measured_s, noise);
    status = adopt(plan, measured_s, noise, measured->validation.wall_s, validation, error);
  } else
    status = ppi_error_memory(error);
  if (status) {
    free(noise);
    free(measured_s);
  }
  return status;
}
