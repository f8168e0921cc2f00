/* SPDX-License-Identifier: BSD-3-Clause */
/* Measuring beside predictions (Section 12). */
#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "api/setup.h"
#include "base/stats.h"
#include "machine/clock.h"
#include "measure/options.h"
#include "measure/readings.h"
#include "measure/sampler.h"
#include "predict/predict.h"

struct validating {
  const struct perfpred_plan *const *plans;
  size_t point_count;
  struct perfpred_validation_point *points; /* own copies: the caller's are written once all is well */
  struct ppi_execution *executions;
  struct ppi_result *results;
  unsigned notes; /* on all of it */
};

#define VALIDATION_SIZE (offsetof(struct perfpred_validation, wall_s) + sizeof(double)) /* before `notes` */

static enum perfpred_status check_arguments(const struct perfpred_plan *const *plans, size_t plan_count,
                                            const struct perfpred_sampler *sampler,
                                            const struct perfpred_validation_point *points, size_t point_count,
                                            const struct perfpred_validation *validation,
                                            struct perfpred_error *error) {
  if (!plans || plan_count == 0)
    return ppi_error_set(error, PERFPRED_INVALID, "plans is empty; expected at least one plan");
  for (size_t i = 0; i < plan_count; i++)
    if (!plans[i])
      return ppi_error_set(error, PERFPRED_INVALID, "plans[%zu] is NULL", i);
  if (!sampler)
    return ppi_error_set(error, PERFPRED_INVALID, "sampler is NULL");
  if (!points || point_count == 0)
    return ppi_error_set(error, PERFPRED_INVALID, "points is empty; expected at least one point");
  for (size_t i = 0; i < point_count; i++)
    if (points[i].plan >= plan_count)
      return ppi_error_set(error, PERFPRED_INVALID, "points[%zu]: plan is %zu; there are %zu plans", i, points[i].plan,
                           plan_count);
  if (!validation)
    return ppi_error_set(error, PERFPRED_INVALID, "validation is NULL");
  if (validation->size < VALIDATION_SIZE)
    return ppi_error_set(error, PERFPRED_INVALID, "validation: size is %zu; expected PERFPRED_VALIDATION_INIT",
                         validation->size);
  return PERFPRED_OK;
}

/* Before anything is measured: what cannot be predicted fails at once. */
static enum perfpred_status predict_points(struct validating *all, struct perfpred_error *error) {
  for (size_t i = 0; i < all->point_count; i++) {
    struct perfpred_validation_point *point = &all->points[i];
    const struct perfpred_plan *plan = all->plans[point->plan];
    size_t count = (size_t)plan->program->parameter_count;
    struct ppi_plan_sum sum;
    enum perfpred_status status = ppi_plan_sum(plan, point->parameters, count, &sum, error);
    if (status)
      return status;
    point->predicted_s = sum.time_s;
    all->notes |= sum.notes;
    all->executions[i] = (struct ppi_execution){ plan->program, point->parameters, count };
  }
  return PERFPRED_OK;
}

static enum perfpred_status compare_setups(struct validating *all, struct perfpred_sampler *sampler,
                                           struct perfpred_error *error) {
  struct ppi_setup *setup = NULL;
  enum perfpred_status status = ppi_setup_of(sampler, &setup, error);
  for (size_t i = 0; !status && i < all->point_count; i++)
    status = ppi_setup_compare_plan(all->plans[all->points[i].plan], setup, &all->notes, error);
  free(setup);
  return status;
}

static enum perfpred_status finish_point(struct perfpred_validation_point *point, const struct ppi_result *result,
                                         struct perfpred_error *error) {
  if (result->count == 0)
    return ppi_error_set(error, PERFPRED_TIMEOUT, "no sample was taken of a point; expected at least one");
  double *scratch = calloc(result->count, sizeof *scratch);
  if (!scratch)
    return ppi_error_memory(error);
  memcpy(scratch, result->times_s, result->count * sizeof *scratch);
  point->noise = ppi_stats_noise(scratch, result->count);
  memcpy(scratch, result->times_s, result->count * sizeof *scratch);
  ppi_stats_of(scratch, result->count, &point->measured_s);
  free(scratch);
  double difference = point->predicted_s.med - point->measured_s.med;
  point->re = difference == 0.0 ? 0.0 : difference / point->measured_s.med;
  point->are = fabs(point->re);
  point->disturbed = result->disturbed;
  point->ld = result->ld;
  point->gated = result->gated;
  return PERFPRED_OK;
}

static enum perfpred_status finish_points(struct validating *all, struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  for (size_t i = 0; !status && i < all->point_count; i++) {
    status = finish_point(&all->points[i], &all->results[i], error);
    all->notes |= ppi_plan_ld_note(all->plans[all->points[i].plan]->ld_kinds, all->points[i].ld);
  }
  return status;
}

static enum perfpred_status sum_up(const struct validating *all, struct perfpred_validation *validation,
                                   struct perfpred_error *error) {
  double *errors = calloc(all->point_count, sizeof *errors);
  if (!errors)
    return ppi_error_memory(error);
  size_t known = 0;
  for (size_t i = 0; i < all->point_count; i++) {
    const struct perfpred_validation_point *point = &all->points[i];
    errors[i] = point->are;
    validation->mean_are += point->are / (double)all->point_count;
    validation->disturbed += point->disturbed;
    known += isnan(point->noise) ? 0 : 1;
    validation->noise_floor += isnan(point->noise) ? 0.0 : point->noise;
  }
  validation->noise_floor = known > 0 ? validation->noise_floor / (double)known : (double)NAN;
  validation->median_are = ppi_stats_median(errors, all->point_count);
  free(errors);
  return PERFPRED_OK;
}

static enum perfpred_status measure_points(struct validating *all, struct perfpred_sampler *sampler,
                                           const struct ppi_sampling *sampling, struct perfpred_validation *validation,
                                           struct perfpred_error *error) {
  struct ppi_clock clock;
  ppi_clock_monotonic(&clock);
  double begin = clock.now(clock.state);
  enum perfpred_status status =
      sampler->ops->execute(sampler, all->executions, all->point_count, sampling, all->results, error);
  if (status)
    return status;
  validation->wall_s = clock.now(clock.state) - begin;
  status = finish_points(all, error);
  if (!status)
    status = sum_up(all, validation, error);
  ppi_results_free(all->results, all->point_count);
  return status;
}

static enum perfpred_status allocate(struct validating *all, const struct perfpred_validation_point *points,
                                     struct perfpred_error *error) {
  assert(all->point_count > 0);
  all->points = calloc(all->point_count, sizeof *all->points);
  all->executions = calloc(all->point_count, sizeof *all->executions);
  all->results = calloc(all->point_count, sizeof *all->results);
  if (!all->points || !all->executions || !all->results)
    return ppi_error_memory(error);
  memcpy(all->points, points, all->point_count * sizeof *points);
  return PERFPRED_OK;
}

enum perfpred_status perfpred_validate(const struct perfpred_plan *const *plans, size_t plan_count,
                                       struct perfpred_sampler *sampler, const struct perfpred_measure_options *options,
                                       struct perfpred_validation_point *points, size_t point_count,
                                       struct perfpred_validation *validation, struct perfpred_error *error) {
  ppi_error_clear(error);
  struct ppi_sampling sampling;
  enum perfpred_status status = check_arguments(plans, plan_count, sampler, points, point_count, validation, error);
  if (!status)
    status = ppi_measure_options(options, &sampling, error);
  if (status)
    return status;
  struct validating all = { .plans = plans, .point_count = point_count };
  struct perfpred_validation full = { .size = validation->size };
  status = allocate(&all, points, error);
  if (!status)
    status = predict_points(&all, error);
  if (!status)
    status = compare_setups(&all, sampler, error);
  if (!status)
    status = measure_points(&all, sampler, &sampling, &full, error);
  if (!status) {
    struct ppi_readings readings;
    ppi_readings_of(sampler, &readings);
    full.yardstick_s = readings.best_s;
    full.yardstick_reference_s = readings.reference_s;
    memcpy(points, all.points, point_count * sizeof *points);
    full.notes = all.notes;
    memcpy(validation, &full, full.size < sizeof full ? full.size : sizeof full);
  }
  free(all.results);
  free(all.executions);
  free(all.points);
  return status;
}
