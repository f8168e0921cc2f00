/* SPDX-License-Identifier: BSD-3-Clause */
/* Allocations of the worker's client fail in turn: starting a worker, and executing a program by it. */
#include <stdlib.h>

#include "fault.h"

static struct perfpred_context *context;
static struct perfpred_program *program;

static enum perfpred_status start(struct perfpred_error *error) {
  static const char *const environment[] = { "PERFPRED_TEST=1", NULL };
  struct perfpred_setup setup = PERFPRED_SETUP_INIT;
  struct perfpred_sampler *sampler = NULL;
  setup.environment = environment;
  enum perfpred_status status = perfpred_sampler_create_worker(context, &setup, &sampler, error);
  if (status && sampler)
    fault_touched("sampler");
  perfpred_sampler_destroy(sampler);
  return status;
}

static enum perfpred_status measure(struct perfpred_error *error) {
  static const int64_t values[] = { 24, 8 };
  struct perfpred_setup setup = PERFPRED_SETUP_INIT;
  struct perfpred_sampler *sampler = NULL;
  struct perfpred_measure_options options = PERFPRED_MEASURE_OPTIONS_INIT;
  struct perfpred_measurement measurement = PERFPRED_MEASUREMENT_INIT;
  options.repetitions = 1;
  options.gate = -1.0;
  fault_pause();
  enum perfpred_status status = perfpred_sampler_create_worker(context, &setup, &sampler, error);
  fault_resume();
  if (status)
    return status;
  status = perfpred_measure(sampler, program, values, 2, &options, &measurement, error);
  if (status && measurement.repetitions != 0)
    fault_touched("measurement");
  perfpred_sampler_destroy(sampler);
  return status;
}

int main(void) {
  struct tap tap = { 0, 0 };
  struct perfpred_error error;
  enum perfpred_status status = perfpred_context_create(&context, &error);
  if (!status)
    status = perfpred_program_find(context, "chol-l-3", &program, &error);
  tap_case(&tap, !status, "set up%s%s", status ? ": " : "", status ? error.text : "");
  if (!status) {
    fault_check(&tap, "worker: start", start);
    fault_check(&tap, "worker: measure", measure);
  }
  perfpred_program_unref(program);
  perfpred_context_destroy(context);
  return tap_finish(&tap);
}
