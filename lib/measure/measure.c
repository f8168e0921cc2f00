/* SPDX-License-Identifier: BSD-3-Clause */
/* Measuring one program: the public face of a sampler's executions. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "measure/options.h"
#include "measure/readings.h"
#include "measure/sampler.h"

#define SEED 1
#define REPETITIONS_MAX 1000000
#define MEASUREMENT_SIZE (offsetof(struct perfpred_measurement, residual) + sizeof(double)) /* before the readings */

void perfpred_sampler_destroy(struct perfpred_sampler *sampler) {
  if (sampler != NULL)
    sampler->ops->destroy(sampler);
}

static enum perfpred_status fill(const struct ppi_result *result, const struct ppi_readings *readings,
                                 struct perfpred_measurement *measurement, struct perfpred_error *error) {
  double *scratch = malloc(result->count * sizeof *scratch);
  if (scratch == NULL)
    return ppi_error_memory(error);
  struct perfpred_measurement made = { .size = measurement->size };
  memcpy(scratch, result->times_s, result->count * sizeof *scratch);
  made.noise = ppi_stats_noise(scratch, result->count);
  memcpy(scratch, result->times_s, result->count * sizeof *scratch);
  ppi_stats_of(scratch, result->count, &made.time_s);
  free(scratch);
  made.repetitions = result->count;
  made.disturbed = result->disturbed;
  made.ld = result->ld;
  made.gated = result->gated;
  made.residual = result->residual;
  made.yardstick_s = readings->best_s;
  made.yardstick_reference_s = readings->reference_s;
  memcpy(measurement, &made, made.size < sizeof made ? made.size : sizeof made);
  return PERFPRED_OK;
}

static enum perfpred_status check_options(const struct perfpred_measure_options *full, struct perfpred_error *error) {
  if (full->repetitions < 0 || full->repetitions > REPETITIONS_MAX)
    return ppi_error_set(error, PERFPRED_INVALID, "options.repetitions is %d, expected 0 to %d", full->repetitions,
                         REPETITIONS_MAX);
  if (full->ld < 0)
    return ppi_error_set(error, PERFPRED_INVALID, "options.ld is %lld, expected >= 0", (long long)full->ld);
  if (isnan(full->gate))
    return ppi_error_set(error, PERFPRED_INVALID, "options.gate is not a number");
  if (!(full->budget_s >= 0.0))
    return ppi_error_set(error, PERFPRED_INVALID, "options.budget_s is %g, expected >= 0", full->budget_s);
  return PERFPRED_OK;
}

enum perfpred_status ppi_measure_options(const struct perfpred_measure_options *options, struct ppi_sampling *sampling,
                                         struct perfpred_error *error) {
  struct perfpred_measure_options full = { .size = sizeof full };
  if (options != NULL && options->size < sizeof options->size)
    return ppi_error_set(error, PERFPRED_INVALID, "options.size is %zu, expected PERFPRED_MEASURE_OPTIONS_INIT",
                         options->size);
  if (options != NULL)
    memcpy(&full, options, options->size < sizeof full ? options->size : sizeof full);
  enum perfpred_status status = check_options(&full, error);
  if (status != PERFPRED_OK)
    return status;
  *sampling = (struct ppi_sampling){ .repetitions = full.repetitions,
                                     .gate = full.gate,
                                     .budget_s = full.budget_s,
                                     .seed = SEED,
                                     .ld = full.ld,
                                     .progress = full.progress,
                                     .progress_data = full.progress_data };
  return PERFPRED_OK;
}

enum perfpred_status perfpred_measure(struct perfpred_sampler *sampler, const struct perfpred_program *program,
                                      const int64_t *parameters, size_t count,
                                      const struct perfpred_measure_options *options,
                                      struct perfpred_measurement *measurement, struct perfpred_error *error) {
  ppi_error_clear(error);
  if (sampler == NULL || program == NULL || (parameters == NULL && count > 0) || measurement == NULL)
    return ppi_error_set(error, PERFPRED_INVALID,
                         "perfpred_measure: sampler, program, parameters or measurement is NULL, expected all four");
  if (measurement->size < MEASUREMENT_SIZE)
    return ppi_error_set(error, PERFPRED_INVALID, "measurement.size is %zu, expected PERFPRED_MEASUREMENT_INIT",
                         measurement->size);
  struct ppi_sampling sampling;
  enum perfpred_status status = ppi_measure_options(options, &sampling, error);
  if (status == PERFPRED_OK)
    status = ppi_program_check(program, parameters, count, error);
  if (status != PERFPRED_OK)
    return status;
  const struct ppi_execution execution = { program, parameters, count };
  struct ppi_result result;
  struct ppi_readings readings;
  status = sampler->ops->execute(sampler, &execution, 1, &sampling, &result, error);
  if (status != PERFPRED_OK)
    return status;
  ppi_readings_of(sampler, &readings);
  status = fill(&result, &readings, measurement, error);
  ppi_results_free(&result, 1);
  return status;
}
