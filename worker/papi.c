/* SPDX-License-Identifier: BSD-3-Clause */
/* PAPI, in perfpred-hardware.so: its entry points for counters.c. */
#include <assert.h>
#include <dlfcn.h>
#include <papi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "counters.h"
#include "hardware.h"

_Static_assert((int)PPI_PAPI_OK == PAPI_OK && (int)PPI_PAPI_NO_EVENT == PAPI_ENOEVNT &&
                   (int)PPI_PAPI_CONFLICT == PAPI_ECNFLCT && (int)PPI_PAPI_PERMISSION == PAPI_EPERM &&
                   (int)PPI_PAPI_TOO_MANY == PAPI_ECOUNT && (int)PPI_PAPI_DISABLED == PAPI_ECMP_DISABLED,
               "results of PAPI");

/* PAPI looks for libsde among the global symbols when it starts for the first time, and where there is none it never looks again. A
   library that registers events may come later, or have brought libsde along for itself alone. */
static void publish_libsde(void) {
  (void)dlopen("libsde.so.1", RTLD_NOW | RTLD_GLOBAL); /* stays, as PAPI does */
}

static unsigned long this_thread(void) {
  return (unsigned long)pthread_self();
}

static int users; /* plans, and whoever looks around: PAPI is up while there are some. The main thread's alone */

static int papi_start_up(void) {
  if (users > 0) {
    users++;
    return PAPI_OK;
  }
  publish_libsde();
  int version = PAPI_library_init(PAPI_VER_CURRENT);
  if (version != PAPI_VER_CURRENT)
    return version < 0 ? version : PAPI_EINVAL;
  int result = PAPI_thread_init(this_thread);
  if (result == PAPI_OK)
    users++;
  else
    PAPI_shutdown();
  return result;
}

/* Down and up again, PAPI also sees the events of libraries that were loaded in between. */
static void papi_shut_down(void) {
  assert(users > 0);
  if (--users == 0)
    PAPI_shutdown();
}

static const char *papi_disabled(const char *component) {
  int index = PAPI_get_component_index(component);
  const PAPI_component_info_t *info = index >= 0 ? PAPI_get_component_info(index) : NULL;
  if (!info)
    return NULL;
  return info->disabled ? info->disabled_reason : "";
}

static int next_preset(int *code) {
  int event = *code ? *code : (int)PAPI_PRESET_MASK;
  int result = PAPI_enum_event(&event, *code ? PAPI_ENUM_EVENTS : PAPI_ENUM_FIRST);
  if (result == PAPI_OK)
    *code = event;
  return result;
}

static int next_native(const char *component, int *code) {
  int event = *code ? *code : (int)PAPI_NATIVE_MASK;
  int index = PAPI_get_component_index(component);
  int result = index < 0 ? index : PAPI_enum_cmp_event(&event, *code ? PAPI_ENUM_EVENTS : PAPI_ENUM_FIRST, index);
  if (result == PAPI_OK)
    *code = event;
  return result;
}

static int papi_next(const char *component, int *code, char *name, size_t size) {
  char text[PAPI_HUGE_STR_LEN] = "";
  int result = component ? next_native(component, code) : next_preset(code);
  if (result == PAPI_OK)
    result = PAPI_event_code_to_name(*code, text);
  if (result == PAPI_OK)
    snprintf(name, size, "%s", text);
  return result;
}

/* A set has to know the component before it can be attached. */
static int papi_attach(int set, unsigned long pid) {
  int component = PAPI_get_component_index("perf_event");
  int result = component < 0 ? component : PAPI_assign_eventset_component(set, component);
  return result == PAPI_OK ? PAPI_attach(set, pid) : result;
}

static void papi_destroy(int *set) {
  PAPI_cleanup_eventset(*set);
  PAPI_destroy_eventset(set);
}

static const char *papi_text(int result) {
  const char *text = PAPI_strerror(result);
  return text ? text : "unknown failure";
}

const struct ppi_papi perfpred_hardware_papi = {
  .start_up = papi_start_up,
  .shut_down = papi_shut_down,
  .hardware_counters = PAPI_num_hwctrs,
  .disabled = papi_disabled,
  .find = PAPI_event_name_to_code,
  .next = papi_next,
  .component = PAPI_get_event_component,
  .query = PAPI_query_event,
  .create = PAPI_create_eventset,
  .add = PAPI_add_event,
  .remove = PAPI_remove_event,
  .start = PAPI_start,
  .attach = papi_attach,
  .read = PAPI_read,
  .stop = PAPI_stop,
  .destroy = papi_destroy,
  .text = papi_text,
};
