/* SPDX-License-Identifier: BSD-3-Clause */
/* The counters as the sampling core knows them. */
#include <stdio.h>

#include "counters.h"
#include "worker.h"

_Static_assert(PPI_COUNTER_NONE == PPI_COUNT_NONE, "both mean no value"); /* NOLINT(misc-redundant-expression) */

/* The machine's note, or the first name that cannot be counted, and why. */
static void explain(const struct ppi_counter_plan *plan, char *note, size_t size) {
  note[0] = '\0';
  for (int i = plan->count - 1; i >= 0; i--)
    if (plan->counters[i].batch < 0)
      snprintf(note, size, "%.64s: %s", plan->counters[i].name, plan->counters[i].reason);
  if (plan->note[0])
    snprintf(note, size, "%s", plan->note);
}

static enum perfpred_status make_plan(const char *const *names, int count, void **plan, int *batches, char *note,
                                      size_t size, struct perfpred_error *error) {
  struct ppi_counter_plan *made = NULL;
  enum perfpred_status status = worker_counters_plan(worker_papi(), names, count, &made, error);
  if (status != PERFPRED_OK)
    return status;
  explain(made, note, size);
  *batches = made->batches;
  *plan = made;
  return PERFPRED_OK;
}

static void destroy_plan(void *plan) {
  worker_counters_plan_destroy(plan);
}

static void *open_tally(const void *plan) {
  return worker_counters_open(plan);
}

static void close_tally(void *tally) {
  worker_counters_close(tally);
}

static void start_tally(void *tally, int batch) {
  worker_counters_start(tally, batch);
}

static void stop_tally(void *tally, int64_t *values) {
  worker_counters_stop(tally, values);
}

const struct ppi_counting *worker_counting(void) {
  static const struct ppi_counting counting = { make_plan,   destroy_plan, open_tally,
                                                close_tally, start_tally,  stop_tally };
  return &counting;
}
