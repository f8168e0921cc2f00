/* SPDX-License-Identifier: BSD-3-Clause */
/* Counting by PAPI's low-level interface. Virtual machines commonly have no hardware counters, and software-defined events are
 * there all the same: every name is tried by itself, and what fails gets a reason. */
#include "counters.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOFTWARE "sde:::" /* how names of software-defined events begin */
#define NO_SET (-1)       /* PAPI_NULL */
#define PRESET "PAPI_"    /* how names of PAPI's own events begin */

#define NO_PAPI "this build counts no events"
#define NO_PAPI_REASON "perfpred-hardware.so or PAPI is missing"
#define NO_START "PAPI does not start"
#define NO_HARDWARE "no hardware counters can be read here"

/* Event sets that grow while the names of a plan find their places. */
struct layout {
  const struct ppi_papi *papi;
  struct ppi_counter_plan *plan;
  int sets[PPI_COUNTER_MAX], components[PPI_COUNTER_MAX], sizes[PPI_COUNTER_MAX];
};

static void note(struct ppi_counter_plan *plan, const char *what, const char *why) {
  if (!plan->note[0])
    snprintf(plan->note, sizeof plan->note, "%s%s%s", what, why && why[0] ? ": " : "", why ? why : "");
}

static void refuse(struct ppi_counter *counter, const char *reason) {
  counter->batch = -1;
  snprintf(counter->reason, sizeof counter->reason, "%s", reason);
}

/* For reasons that the note of the plan gives. */
static void excuse(struct ppi_counter *counter, const char *reason) {
  refuse(counter, reason);
  counter->excused = true;
}

static const char *why_no_hardware(const struct ppi_papi *papi) {
  const char *why = papi->disabled("perf_event");
  return why ? why : "PAPI was built without perf_event";
}

/* Some virtual machines show the processor's counters and count nothing. */
static bool counts_hardware(const struct ppi_papi *papi) {
  char name[PPI_COUNTER_NAME_MAX];
  int code = 0;
  if (papi->hardware_counters() <= 0)
    return false;
  while (papi->next(NULL, &code, name, sizeof name) == PPI_PAPI_OK)
    if (papi->query(code) == PPI_PAPI_OK)
      return true;
  return false;
}

/* Where the machine shows nothing the names are not to blame: that is said once, for all of them. */
static bool lacks_hardware(struct layout *layout, struct ppi_counter *counter, const char *reason) {
  if (counts_hardware(layout->papi))
    return false;
  note(layout->plan, NO_HARDWARE, why_no_hardware(layout->papi));
  excuse(counter, reason);
  return true;
}

static bool is_software(const struct ppi_counter *counter) {
  return strncmp(counter->name, SOFTWARE, strlen(SOFTWARE)) == 0;
}

/* PAPI takes any name of a software-defined event for one that may be registered later, and reads it as -1; so it is asked which
   ones there are. */
static bool find_software(const struct ppi_papi *papi, struct ppi_counter *counter) {
  char name[PPI_COUNTER_NAME_MAX];
  int code = 0;
  while (papi->next("sde", &code, name, sizeof name) == PPI_PAPI_OK)
    if (strcmp(name, counter->name) == 0) {
      counter->code = code;
      return true;
    }
  refuse(counter, "no loaded library has registered it");
  return false;
}

/* The names of presets are known to PAPI whatever the machine, those of native events where there are any. */
static void refuse_name(struct layout *layout, struct ppi_counter *counter) {
  bool preset = strncmp(counter->name, PRESET, strlen(PRESET)) == 0;
  if (preset || !lacks_hardware(layout, counter, "no hardware counters, or no such event")) {
    refuse(counter, "PAPI knows no event of this name");
    counter->unknown = true;
  }
}

static bool find(struct layout *layout, struct ppi_counter *counter) {
  const struct ppi_papi *papi = layout->papi;
  if (is_software(counter))
    return find_software(papi, counter);
  if (papi->find(counter->name, &counter->code) != PPI_PAPI_OK) {
    refuse_name(layout, counter);
    return false;
  }
  if (papi->query(counter->code) == PPI_PAPI_OK)
    return true;
  if (!lacks_hardware(layout, counter, "no hardware counters"))
    refuse(counter, "this processor cannot count it");
  return false;
}

/* What PAPI accepts may still not start: the operating system has the last word. */
static int try(const struct ppi_papi *papi, int set, int code) {
  long long values[PPI_COUNTER_MAX];
  int result = papi->add(set, code);
  if (result != PPI_PAPI_OK)
    return result;
  result = papi->start(set);
  if (result == PPI_PAPI_OK)
    result = papi->stop(set, values);
  if (result != PPI_PAPI_OK)
    papi->remove(set, code);
  return result;
}

static void settle(struct layout *layout, struct ppi_counter *counter, int batch) {
  counter->batch = batch;
  counter->slot = layout->sizes[batch]++;
}

static void refuse_result(struct layout *layout, struct ppi_counter *counter, int result) {
  if (result == PPI_PAPI_PERMISSION) {
    note(layout->plan, "counting is not permitted here",
         "see kernel.perf_event_paranoid, or what the container allows");
    excuse(counter, "not permitted");
  } else if (result == PPI_PAPI_CONFLICT || result == PPI_PAPI_TOO_MANY)
    refuse(counter, "needs more counters than the hardware has");
  else {
    refuse(counter, layout->papi->text(result));
    if (!is_software(counter)) {
      note(layout->plan, "the machine refuses to count", layout->papi->text(result));
      counter->excused = true;
    }
  }
}

/* A set of its own, for what goes into none of the others. */
static void found_batch(struct layout *layout, struct ppi_counter *counter, int component) {
  int batch = layout->plan->batches, *set = &layout->sets[batch];
  *set = NO_SET;
  int result = layout->papi->create(set);
  if (result == PPI_PAPI_OK) {
    result = try(layout->papi, *set, counter->code);
    if (result != PPI_PAPI_OK)
      layout->papi->destroy(set);
  }
  if (result != PPI_PAPI_OK) {
    refuse_result(layout, counter, result);
    return;
  }
  layout->components[batch] = component;
  layout->sizes[batch] = 0;
  layout->plan->batches++;
  settle(layout, counter, batch);
}

/* Into the first batch that it can be counted with; a set holds events of one component only. */
static void place(struct layout *layout, struct ppi_counter *counter) {
  int component = layout->papi->component(counter->code);
  for (int batch = 0; batch < layout->plan->batches; batch++)
    if (layout->components[batch] == component &&
        try(layout->papi, layout->sets[batch], counter->code) == PPI_PAPI_OK) {
      settle(layout, counter, batch);
      return;
    }
  found_batch(layout, counter, component);
}

static const struct ppi_counter *same_name(const struct ppi_counter_plan *plan, int index) {
  for (int i = 0; i < index; i++)
    if (strcmp(plan->counters[i].name, plan->counters[index].name) == 0)
      return &plan->counters[i];
  return NULL;
}

static void lay_out(struct ppi_counter_plan *plan) {
  struct layout layout = { .papi = plan->papi, .plan = plan };
  for (int i = 0; i < plan->count; i++) {
    const struct ppi_counter *same = same_name(plan, i);
    if (same)
      plan->counters[i] = *same;
    else if (find(&layout, &plan->counters[i]))
      place(&layout, &plan->counters[i]);
  }
  for (int batch = plan->batches - 1; batch >= 0; batch--)
    plan->papi->destroy(&layout.sets[batch]);
}

static void refuse_all(struct ppi_counter_plan *plan, const char *what, const char *why) {
  note(plan, what, why);
  for (int i = 0; i < plan->count; i++)
    excuse(&plan->counters[i], what);
}

static void fill(struct ppi_counter_plan *plan) {
  const struct ppi_papi *papi = plan->papi;
  if (!papi) {
    refuse_all(plan, NO_PAPI, NO_PAPI_REASON);
    return;
  }
  int result = papi->start_up();
  if (result != PPI_PAPI_OK) {
    refuse_all(plan, NO_START, papi->text(result));
    return;
  }
  lay_out(plan);
  if (plan->batches == 0)
    papi->shut_down();
}

static enum perfpred_status check_names(const char *const *names, int count, struct perfpred_error *error) {
  if (count < 0 || count > PPI_COUNTER_MAX)
    return ppi_error_set(error, PERFPRED_INVALID, "%d counters, expected at most %d", count, PPI_COUNTER_MAX);
  for (int i = 0; i < count; i++)
    if (!names[i][0] || strlen(names[i]) >= PPI_COUNTER_NAME_MAX)
      return ppi_error_set(error, PERFPRED_INVALID, "name of counter %d: expected 1 to %d characters", i + 1,
                           PPI_COUNTER_NAME_MAX - 1);
  return PERFPRED_OK;
}

enum perfpred_status worker_counters_plan(const struct ppi_papi *papi, const char *const *names, int count,
                                          struct ppi_counter_plan **plan, struct perfpred_error *error) {
  enum perfpred_status status = check_names(names, count, error);
  if (status != PERFPRED_OK)
    return status;
  struct ppi_counter_plan *made = calloc(1, sizeof *made);
  struct ppi_counter *counters = calloc((size_t)count + 1, sizeof *counters);
  if (!made || !counters) {
    free(counters);
    free(made);
    return ppi_error_memory(error);
  }
  made->papi = papi;
  made->counters = counters;
  made->count = count;
  for (int i = 0; i < count; i++)
    snprintf(counters[i].name, sizeof counters[i].name, "%s", names[i]);
  if (count > 0)
    fill(made);
  *plan = made;
  return PERFPRED_OK;
}

void worker_counters_plan_destroy(struct ppi_counter_plan *plan) {
  if (!plan)
    return;
  if (plan->batches > 0)
    plan->papi->shut_down();
  free(plan->counters);
  free(plan);
}

/* "COMPONENT:::EVENT", save for the component that counts threads. */
static bool is_shared(const struct ppi_counter *counter) {
  static const char threads[] = "perf_event:::";
  return strstr(counter->name, ":::") && strncmp(counter->name, threads, sizeof threads - 1) != 0;
}

bool worker_counters_shared(const struct ppi_counter_plan *plan, int batch) {
  for (int i = 0; i < plan->count; i++)
    if (plan->counters[i].batch == batch)
      return is_shared(&plan->counters[i]);
  return false;
}

struct ppi_counter_tally {
  const struct ppi_papi *papi;
  const struct ppi_counter_plan *plan;
  int batch;    /* that was started last; -1: none, or it was stopped */
  bool running; /* whether that succeeded */
  int *sets;    /* NO_SET: a batch that could not be set up in this thread */
};

/* In the order of the names, so that the slots are those of the plan. */
static void fill_set(const struct ppi_counter_tally *tally, int batch) {
  const struct ppi_counter_plan *plan = tally->plan;
  int *set = &tally->sets[batch], slot = 0;
  int result = tally->papi->create(set);
  if (result != PPI_PAPI_OK) {
    *set = NO_SET;
    return;
  }
  for (int i = 0; i < plan->count && result == PPI_PAPI_OK; i++)
    if (plan->counters[i].batch == batch && plan->counters[i].slot == slot) {
      result = tally->papi->add(*set, plan->counters[i].code);
      slot++;
    }
  if (result != PPI_PAPI_OK)
    tally->papi->destroy(set);
}

void worker_counters_close(struct ppi_counter_tally *tally) {
  if (!tally)
    return;
  long long values[PPI_COUNTER_MAX];
  if (tally->running)
    tally->papi->stop(tally->sets[tally->batch], values);
  for (int batch = tally->plan->batches - 1; batch >= 0; batch--)
    if (tally->sets[batch] != NO_SET)
      tally->papi->destroy(&tally->sets[batch]);
  free(tally->sets);
  free(tally);
}

struct ppi_counter_tally *worker_counters_open(const struct ppi_counter_plan *plan) {
  if (plan->batches == 0)
    return NULL;
  struct ppi_counter_tally *tally = calloc(1, sizeof *tally);
  int *sets = calloc((size_t)plan->batches, sizeof *sets);
  if (!tally || !sets) {
    free(sets);
    free(tally);
    return NULL;
  }
  tally->papi = plan->papi;
  tally->plan = plan;
  tally->batch = -1;
  tally->sets = sets;
  for (int batch = 0; batch < plan->batches; batch++) {
    sets[batch] = NO_SET;
    fill_set(tally, batch);
  }
  return tally;
}

void worker_counters_start(struct ppi_counter_tally *tally, int batch) {
  if (!tally)
    return;
  assert(!tally->running && batch >= 0 && batch < tally->plan->batches);
  tally->batch = batch;
  tally->running = tally->sets[batch] != NO_SET && tally->papi->start(tally->sets[batch]) == PPI_PAPI_OK;
}

void worker_counters_stop(struct ppi_counter_tally *tally, int64_t *values) {
  if (!tally)
    return;
  const struct ppi_counter_plan *plan = tally->plan;
  long long read[PPI_COUNTER_MAX];
  bool good = tally->running && tally->papi->stop(tally->sets[tally->batch], read) == PPI_PAPI_OK;
  for (int i = 0; i < plan->count; i++)
    if (tally->batch >= 0 && plan->counters[i].batch == tally->batch)
      values[i] = good ? (int64_t)read[plan->counters[i].slot] : PPI_COUNTER_NONE;
  tally->running = false;
  tally->batch = -1;
}

/* False: there is no room for it. */
static bool append_name(struct ppi_machine *machine, const char *name) {
  size_t used = strlen(machine->counters_names), length = strlen(name);
  if (used + length + 2 > sizeof machine->counters_names)
    return false;
  if (used > 0)
    machine->counters_names[used++] = ' ';
  memcpy(machine->counters_names + used, name, length + 1);
  return true;
}

static void list_names(const struct ppi_papi *papi, struct ppi_machine *machine) {
  char name[PPI_COUNTER_NAME_MAX];
  int code = 0;
  while (papi->next(NULL, &code, name, sizeof name) == PPI_PAPI_OK)
    if (papi->query(code) == PPI_PAPI_OK) {
      machine->counters_available++;
      append_name(machine, name);
    }
  code = 0;
  while (papi->next("sde", &code, name, sizeof name) == PPI_PAPI_OK && append_name(machine, name))
    continue;
}

static void machine_note(struct ppi_machine *machine, const char *what, const char *why) {
  snprintf(machine->counters_note, sizeof machine->counters_note, "%s%s%s", what, why[0] ? ": " : "", why);
}

void worker_counters_describe(const struct ppi_papi *papi, struct ppi_machine *machine) {
  machine->counters_available = -1;
  machine->counters_hardware = 0;
  machine->counters_names[0] = machine->counters_note[0] = '\0';
  if (!papi) {
    machine_note(machine, NO_PAPI, NO_PAPI_REASON);
    return;
  }
  int result = papi->start_up();
  if (result != PPI_PAPI_OK) {
    machine_note(machine, NO_START, papi->text(result));
    return;
  }
  int hardware = papi->hardware_counters();
  machine->counters_hardware = hardware > 0 ? hardware : 0;
  machine->counters_available = 0;
  if (!counts_hardware(papi))
    machine_note(machine, NO_HARDWARE, why_no_hardware(papi));
  list_names(papi, machine);
  papi->shut_down();
}
