/* SPDX-License-Identifier: BSD-3-Clause */
/* Allocations of the worker's counting fail in turn, on a scripted PAPI: it is left as it was found. */
#include "../worker/papi_script.h"

#include <string.h>

#include "../../worker/worker.h"
#include "base/context.h"
#include "fault.h"

static struct perfpred_context *context;
static struct ppi_script script_of_calls;
static struct ppi_core *core;

/* In place of that of perfpred-hardware.so. */
const struct ppi_papi *worker_papi(void) {
  return &scripted_papi;
}

static void check_papi(void) {
  if (script.up != 0 || script.sets != 0 || script.running != 0)
    fault_touched("PAPI");
}

static enum perfpred_status count(struct perfpred_error *error) {
  static const char *const names[] = { "PAPI_TOT_CYC", "PAPI_TOT_INS", "PAPI_L1_DCM", "sde:::LIB::rows" };
  int64_t values[] = { PPI_COUNTER_NONE, PPI_COUNTER_NONE, PPI_COUNTER_NONE, PPI_COUNTER_NONE };
  struct ppi_counter_plan *plan = NULL;
  script_reset();
  enum perfpred_status status = worker_counters_plan(&scripted_papi, names, 4, &plan, error);
  if (status && plan)
    fault_touched("plan");
  /* without memory a tally is NULL and counts nothing */
  struct ppi_counter_tally *tally = status ? NULL : worker_counters_open(plan);
  worker_counters_start(tally, 0);
  worker_counters_stop(tally, values);
  if (!tally && values[0] != PPI_COUNTER_NONE)
    fault_touched("values");
  worker_counters_close(tally);
  worker_counters_plan_destroy(plan);
  check_papi();
  return status;
}

static int nothing(void *data, void *const args[]) {
  (void)data;
  (void)args;
  return 0;
}

/* The names of a text, then one of its calls. */
static enum perfpred_status count_unit(struct perfpred_error *error) {
  const struct ppi_sampling sampling = { .repetitions = 1, .gate = -1.0 };
  struct ppi_unit_result result = { 0 };
  struct ppi_buffers buffers = { 0 };
  script_reset();
  enum perfpred_status status = worker_counting_check(&script_of_calls, error);
  if (!status)
    status = ppi_core_unit(core, &script_of_calls, 0, &buffers, &sampling, &result, error);
  if (status ? result.counts || result.timing.times_s : result.count_count != 4)
    fault_touched("result");
  ppi_unit_result_free(&result);
  ppi_buffers_free(&buffers);
  check_papi();
  return status;
}

static enum perfpred_status set_up(struct perfpred_error *error) {
  static const char text[] = "double A[10]\ncounters PAPI_TOT_CYC PAPI_TOT_INS PAPI_L1_DCM sde:::LIB::rows\n"
                             "set prepare A[2:7]\n{ dmine(3, A); dmine(4) }\n";
  const struct ppi_core_options options = { .counting = worker_counting() };
  enum perfpred_status status = perfpred_context_create(&context, error);
  if (!status)
    status = perfpred_kernel_register_function(context, "kernel dmine(n: size, x: inout vector[n])\n  mul n\nend\n",
                                               nothing, NULL, error);
  if (!status)
    status = ppi_script_parse(context->kernels, text, strlen(text), "calls", 0, &script_of_calls, error);
  if (!status)
    status = ppi_core_create(&options, &core, error);
  return status ? status : count_unit(error); /* calibrates, too */
}

int main(void) {
  struct tap tap = { 0, 0 };
  struct perfpred_error error = { PERFPRED_OK, 0, 0, "" };
  const enum perfpred_status status = set_up(&error);
  tap_case(&tap, !status, "set up%s%s", status ? ": " : "", error.text);
  fault_check(&tap, "worker: count", count);
  if (!status)
    fault_check(&tap, "worker: count the calls of a text", count_unit);
  ppi_core_destroy(core);
  ppi_script_free(&script_of_calls);
  perfpred_context_destroy(context);
  return tap_finish(&tap);
}
