/* SPDX-License-Identifier: BSD-3-Clause */
/* The error of a prediction split by kernels: an execution timed call by call beside what the models say of these calls. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/setup.h"
#include "base/stats.h"
#include "measure/options.h"
#include "measure/sampler.h"
#include "predict/predict.h"
#include "program/calls.h"

struct breakdown {
  const struct perfpred_plan *plan;
  const int64_t *parameters;
  struct ppi_calls calls;
  size_t *places; /* of each of these, that of its kernel among the items; SIZE_MAX: it is not made */
  struct perfpred_kernel_error *items; /* room for as many as there are calls */
  size_t count;
};

static size_t find(const struct breakdown *breakdown, const char *kernel) {
  size_t place = 0;
  while (place < breakdown->count && strcmp(breakdown->items[place].kernel, kernel) != 0)
    place++;
  return place;
}

static enum perfpred_status see_call(void *data, const struct ppi_node *node, const struct ppi_value *values,
                                     struct perfpred_error *error) {
  struct breakdown *breakdown = data;
  (void)error;
  if (ppi_kernel_is_empty(node->kernel, values))
    return PERFPRED_OK;
  size_t *place = &breakdown->places[ppi_calls_place(&breakdown->calls, node)];
  if (*place == SIZE_MAX)
    *place = find(breakdown, node->kernel->name);
  struct perfpred_kernel_error *item = &breakdown->items[*place];
  if (*place == breakdown->count)
    breakdown->items[breakdown->count++] = (struct perfpred_kernel_error){ .kernel = node->kernel->name };
  item->calls++;
  return PERFPRED_OK;
}

static size_t parameter_count(const struct breakdown *breakdown) {
  return (size_t)breakdown->plan->program->parameter_count;
}

/* Which kernels are called, and how often. */
static enum perfpred_status see_calls(struct breakdown *breakdown, struct perfpred_error *error) {
  const struct ppi_walker walker = { .call = see_call, .without_views = true };
  enum perfpred_status status = ppi_calls_of(breakdown->plan->program, &breakdown->calls, error);
  if (status)
    return status;
  size_t count = breakdown->calls.count;
  breakdown->places = malloc((count + 1) * sizeof *breakdown->places);
  breakdown->items = calloc(count + 1, sizeof *breakdown->items);
  if (!breakdown->places || !breakdown->items)
    return ppi_error_memory(error);
  for (size_t i = 0; i < count; i++)
    breakdown->places[i] = SIZE_MAX;
  return ppi_program_walk(breakdown->plan->program, breakdown->parameters, parameter_count(breakdown), &walker,
                          breakdown, error);
}

/* Of a kernel that a partial plan has no model of there is none. */
static enum perfpred_status predict(struct breakdown *breakdown, struct perfpred_error *error) {
  size_t count = breakdown->count, share_count = 0;
  struct perfpred_share *shares = calloc(count + 1, sizeof *shares);
  if (!shares)
    return ppi_error_memory(error);
  enum perfpred_status status = perfpred_plan_shares(breakdown->plan, breakdown->parameters, parameter_count(breakdown),
                                                     shares, count, &share_count, error);
  for (size_t i = 0; !status && i < share_count && i < count; i++) {
    size_t place = find(breakdown, shares[i].kernel);
    if (place < count)
      breakdown->items[place].predicted_s = shares[i].time_s;
  }
  free(shares);
  return status;
}

/* Medians add up, and noise as if all calls of a kernel had theirs at once. */
static enum perfpred_status add_result(struct perfpred_kernel_error *item, const struct ppi_result *result,
                                       struct perfpred_error *error) {
  if (result->count == 0)
    return ppi_error_set(error, PERFPRED_TIMEOUT, "no sample was taken of %s; expected at least one", item->kernel);
  double *scratch = malloc(result->count * sizeof *scratch);
  if (!scratch)
    return ppi_error_memory(error);
  memcpy(scratch, result->times_s, result->count * sizeof *scratch);
  double noise = ppi_stats_noise(scratch, result->count);
  memcpy(scratch, result->times_s, result->count * sizeof *scratch);
  double median_s = ppi_stats_median(scratch, result->count);
  free(scratch);
  item->measured_s += median_s;
  item->noise += noise * median_s;
  return PERFPRED_OK;
}

static enum perfpred_status add_results(struct breakdown *breakdown, const struct ppi_result *results,
                                        struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  for (size_t i = 0; !status && i < breakdown->calls.count; i++)
    if (breakdown->places[i] != SIZE_MAX)
      status = add_result(&breakdown->items[breakdown->places[i]], &results[i], error);
  for (size_t i = 0; !status && i < breakdown->count; i++) {
    struct perfpred_kernel_error *item = &breakdown->items[i];
    item->noise /= item->measured_s;
    item->re = (item->predicted_s.med - item->measured_s) / item->measured_s;
  }
  return status;
}

static enum perfpred_status measure(struct breakdown *breakdown, struct perfpred_sampler *sampler,
                                    const struct ppi_sampling *sampling, struct perfpred_error *error) {
  const struct ppi_window whole = { .parameters = breakdown->parameters };
  if (breakdown->count == 0)
    return PERFPRED_OK;
  struct ppi_result *results = calloc(breakdown->calls.count, sizeof *results);
  if (!results)
    return ppi_error_memory(error);
  enum perfpred_status status =
      sampler->ops->windows(sampler, breakdown->plan->program, &whole, 1, sampling, results, error);
  if (!status) {
    status = add_results(breakdown, results, error);
    ppi_results_free(results, breakdown->calls.count);
  }
  free(results);
  return status;
}

static enum perfpred_status check_setup(const struct breakdown *breakdown, struct perfpred_sampler *sampler,
                                        struct perfpred_error *error) {
  struct ppi_setup *setup = NULL;
  unsigned notes = 0;
  enum perfpred_status status = ppi_setup_of(sampler, &setup, error);
  if (!status)
    status = ppi_setup_compare_plan(breakdown->plan, setup, &notes, error);
  free(setup);
  return status;
}

static enum perfpred_status fill(struct breakdown *breakdown, struct perfpred_sampler *sampler,
                                 const struct ppi_sampling *sampling, struct perfpred_error *error) {
  enum perfpred_status status = see_calls(breakdown, error);
  if (!status)
    status = predict(breakdown, error);
  if (!status)
    status = check_setup(breakdown, sampler, error);
  return status ? status : measure(breakdown, sampler, sampling, error);
}

static const char *missing_pointer(const struct perfpred_sampler *sampler, const struct perfpred_kernel_error *items,
                                   size_t capacity, const size_t *item_count) {
  if (!sampler)
    return "sampler";
  if (!item_count)
    return "item_count";
  return !items && capacity > 0 ? "items" : NULL;
}

static void release(struct breakdown *breakdown) {
  free(breakdown->items);
  free(breakdown->places);
  ppi_calls_free(&breakdown->calls);
}

enum perfpred_status perfpred_validate_kernels(const struct perfpred_plan *plan, struct perfpred_sampler *sampler,
                                               const struct perfpred_measure_options *options,
                                               const int64_t *parameters, size_t count,
                                               struct perfpred_kernel_error *items, size_t capacity, size_t *item_count,
                                               struct perfpred_error *error) {
  ppi_error_clear(error);
  const char *missing = missing_pointer(sampler, items, capacity, item_count);
  if (missing)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", missing);
  struct breakdown breakdown = { .plan = plan, .parameters = parameters };
  struct ppi_sampling sampling;
  enum perfpred_status status = ppi_plan_check(plan, parameters, count, error);
  if (!status)
    status = ppi_measure_options(options, &sampling, error);
  if (status)
    return status;
  status = fill(&breakdown, sampler, &sampling, error);
  if (!status) {
    *item_count = breakdown.count;
    if (breakdown.count > 0 && capacity > 0)
      memcpy(items, breakdown.items, (capacity < breakdown.count ? capacity : breakdown.count) * sizeof *items);
  }
  release(&breakdown);
  return status;
}
