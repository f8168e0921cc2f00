/* SPDX-License-Identifier: BSD-3-Clause */
#include "papi_script.h"

#include <stdio.h>
#include <string.h>

enum { SETS = 80, EVENTS = 80, HARDWARE = 0, SOFTWARE = 2, CONFLICT = -8, NO_EVENT = -7, NOT_RUNNING = -9 };

static const struct {
  const char *name;
  int component, factor;
} events[] = { { "PAPI_TOT_CYC", HARDWARE, 1 },    { "PAPI_TOT_INS", HARDWARE, 2 },
               { "PAPI_L1_DCM", HARDWARE, 3 },     { "PAPI_BR_MSP", HARDWARE, 4 },
               { "PAPI_VEC_DP", HARDWARE, 0 },     { "cpu::STALLS", HARDWARE, 5 },
               { "cpu::WIDE", HARDWARE, 6 },       { "sde:::LIB::calls", SOFTWARE, 70 },
               { "sde:::LIB::rows", SOFTWARE, 80 } };
enum { COUNT = sizeof events / sizeof events[0], PRESETS = 5, WIDE = 6, FIRST_SOFTWARE = 7 };

static struct {
  bool used, running;
  unsigned long attached;
  int count, list[EVENTS], reads;
} sets[SETS];

struct papi_script script;

void script_reset(void) {
  memset(&script, 0, sizeof script);
  memset(sets, 0, sizeof sets);
  script.hardware = 6;
  script.limit = 2;
  script.beyond = CONFLICT;
  script.disabled = "";
}

static int index_of(int code) {
  return code - 1;
}

static int start_up(void) {
  if (script.start_up == 0)
    script.up++;
  return script.start_up;
}

static void shut_down(void) {
  script.up--;
  script.shut_downs++;
}

static int hardware_counters(void) {
  return script.hardware;
}

static const char *disabled(const char *component) {
  return strcmp(component, "perf_event") == 0 ? script.disabled : NULL;
}

static int find(const char *name, int *code) {
  for (int i = 0; i < FIRST_SOFTWARE; i++)
    if (strcmp(name, events[i].name) == 0 && (script.hardware > 0 || i < PRESETS)) {
      *code = i + 1;
      return 0;
    }
  return NO_EVENT;
}

static int next_of_flood(int *code, char *name, size_t size) {
  if (*code >= script.flood)
    return NO_EVENT;
  snprintf(name, size, "sde:::FLOOD::%0200d", ++*code);
  return 0;
}

static int next(const char *component, int *code, char *name, size_t size) {
  int first = component ? FIRST_SOFTWARE : 0, end = component ? COUNT : PRESETS;
  if (component && script.flood > 0)
    return next_of_flood(code, name, size);
  int index = *code ? index_of(*code) + 1 : first;
  if (index >= end)
    return NO_EVENT;
  *code = index + 1;
  snprintf(name, size, "%s", events[index].name);
  return 0;
}

static int query(int code) {
  int index = index_of(code);
  if (script.no_presets && index < PRESETS)
    return NO_EVENT;
  return events[index].factor > 0 && (events[index].component == SOFTWARE || script.hardware > 0) ? 0 : NO_EVENT;
}

static int component(int code) {
  return events[index_of(code)].component;
}

static int create(int *set) {
  for (int i = 0; i < SETS; i++)
    if (!sets[i].used) {
      memset(&sets[i], 0, sizeof sets[i]);
      sets[i].used = true;
      script.sets++;
      *set = i;
      return 0;
    }
  return -2;
}

/* Whether the set, with this event, goes beyond what there is. */
static bool beyond(int set, int code) {
  if (component(code) == SOFTWARE)
    return false;
  return sets[set].count > script.limit || index_of(code) == WIDE;
}

static int add(int set, int code) {
  if (script.add != 0)
    return script.add;
  for (int i = 0; i < sets[set].count; i++)
    if (component(sets[set].list[i]) != component(code))
      return -1;
  sets[set].list[sets[set].count++] = code;
  if (script.late || !beyond(set, code))
    return 0;
  sets[set].count--;
  return script.beyond;
}

static int remove_event(int set, int code) {
  for (int i = 0; i < sets[set].count; i++)
    if (sets[set].list[i] == code) {
      memmove(&sets[set].list[i], &sets[set].list[i + 1], (size_t)(sets[set].count - i - 1) * sizeof(int));
      sets[set].count--;
      return 0;
    }
  return NO_EVENT;
}

static int start(int set) {
  if (script.start != 0)
    return script.start;
  for (int i = 0; i < SETS; i++)
    if (sets[i].used && sets[i].running && sets[i].attached == sets[set].attached)
      return -10; /* PAPI_EISRUN: one set at a time for each thread */
  for (int i = 0; i < sets[set].count; i++)
    if (beyond(set, sets[set].list[i]))
      return script.beyond;
  sets[set].running = true;
  script.running++;
  script.starts++;
  return 0;
}

static int attach(int set, unsigned long pid) {
  sets[set].attached = pid;
  script.attached = pid;
  script.attaches++;
  return script.attaches > script.refuse_after && script.refuse_after > 0 ? -1 : script.attach;
}

static int read_set(int set, long long *values) {
  if (!sets[set].running)
    return NOT_RUNNING;
  sets[set].reads++;
  for (int i = 0; i < sets[set].count; i++)
    values[i] = (long long)events[index_of(sets[set].list[i])].factor * sets[set].reads;
  return 0;
}

static int stop(int set, long long *values) {
  if (!sets[set].running)
    return NOT_RUNNING;
  sets[set].running = false;
  script.running--;
  if (script.stop != 0)
    return script.stop;
  for (int i = 0; i < sets[set].count; i++) {
    int index = index_of(sets[set].list[i]);
    values[i] = events[index].factor * (events[index].component == SOFTWARE ? 1 : script.starts);
  }
  return 0;
}

static void destroy(int *set) {
  sets[*set].used = false;
  script.sets--;
  *set = -1;
}

static const char *text(int result) {
  return result == -3 ? "A System/C library call failed" : "another failure";
}

const struct ppi_papi scripted_papi = {
  .start_up = start_up,
  .shut_down = shut_down,
  .hardware_counters = hardware_counters,
  .disabled = disabled,
  .find = find,
  .next = next,
  .query = query,
  .component = component,
  .create = create,
  .add = add,
  .remove = remove_event,
  .start = start,
  .attach = attach,
  .read = read_set,
  .stop = stop,
  .destroy = destroy,
  .text = text,
};
