/* SPDX-License-Identifier: BSD-3-Clause */
/* The counters as the sampling core knows them. */
#include <stdio.h>
#include <string.h>

#include "counters.h"
#include "worker.h"

_Static_assert(PPI_COUNTER_NONE == PPI_COUNT_NONE, "both mean no value"); /* NOLINT(misc-redundant-expression) */
_Static_assert(PPI_COUNTER_MAX == PPI_SCRIPT_EVENTS_MAX && PPI_COUNTER_NAME_MAX == PPI_SCRIPT_EVENT_NAME_MAX,
               "what a text may ask for fits into a plan");

/* What does not fit is left out. */
static void append(char *note, size_t size, const char *more) {
  size_t length = strlen(note);
  if (length > 0 && length + 3 < size)
    snprintf(note + length, size - length, "; %s", more);
  else if (length == 0)
    snprintf(note, size, "%s", more);
}

/* The machine's note, and every name that cannot be counted for another reason. */
static void explain(const struct ppi_counter_plan *plan, char *note, size_t size) {
  note[0] = '\0';
  append(note, size, plan->note);
  for (int i = 0; i < plan->count; i++) {
    char one[PPI_COUNTER_NAME_MAX + 200];
    if (plan->counters[i].batch >= 0 || plan->counters[i].excused)
      continue;
    snprintf(one, sizeof one, "%s: %s", plan->counters[i].name, plan->counters[i].reason);
    append(note, size, one);
  }
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

static bool is_shared(const void *plan, int batch) {
  return worker_counters_shared(plan, batch);
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
  static const struct ppi_counting counting = { make_plan,   destroy_plan, is_shared, open_tally,
                                                close_tally, start_tally,  stop_tally };
  return &counting;
}

/* Those of one statement or of several: it is the names alone that are looked at. */
static enum perfpred_status check_names(const struct ppi_script *script, const struct ppi_script_event *events,
                                        int count, struct perfpred_error *error) {
  const char *names[PPI_COUNTER_MAX];
  struct ppi_counter_plan *plan = NULL;
  for (int i = 0; i < count; i++)
    names[i] = events[i].name;
  enum perfpred_status status = worker_counters_plan(worker_papi(), names, count, &plan, error);
  for (int i = 0; i < count && status == PERFPRED_OK; i++)
    if (plan->counters[i].unknown)
      status = ppi_error_at(error, PERFPRED_NOT_FOUND, script->source, events[i].line, events[i].column,
                            "PAPI knows no event '%s'", events[i].name);
  worker_counters_plan_destroy(plan);
  return status;
}

enum perfpred_status worker_counting_check(const struct ppi_script *script, struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  for (size_t first = 0; first < script->event_count && status == PERFPRED_OK; first += PPI_COUNTER_MAX) {
    size_t left = script->event_count - first;
    status = check_names(script, &script->events[first], left < PPI_COUNTER_MAX ? (int)left : PPI_COUNTER_MAX, error);
  }
  return status;
}
