/* SPDX-License-Identifier: BSD-3-Clause */
/* Allocations of the worker's counting fail in turn, on a scripted PAPI: it is left as it was found. */
#include "../worker/papi_script.h"

#include "fault.h"

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
  if (script.up != 0 || script.sets != 0 || script.running != 0)
    fault_touched("PAPI");
  return status;
}

int main(void) {
  struct tap tap = { 0, 0 };
  fault_check(&tap, "worker: count", count);
  return tap_finish(&tap);
}
