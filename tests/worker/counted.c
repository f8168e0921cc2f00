/* SPDX-License-Identifier: BSD-3-Clause */
/* A library with software-defined events of every kind that is a number. Its kernel does r rows of c columns. */
#include <sde_lib.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT void counted_rows(long long r, long long c);
EXPORT void counted_register(const char *name);

static long long rows, level;
static int calls;
static void *created;
static papi_handle_t handle;

static long long twice_the_rows(void *data) {
  return 2 * *(long long *)data;
}

__attribute__((constructor)) static void define(void) {
  handle = papi_sde_init("COUNTED");
  papi_sde_register_counter(handle, "rows", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long, &rows);
  papi_sde_register_counter(handle, "calls", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_int, &calls);
  papi_sde_register_counter(handle, "level", PAPI_SDE_RO | PAPI_SDE_INSTANT, PAPI_SDE_long_long, &level);
  papi_sde_register_fp_counter(handle, "twice", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long, twice_the_rows,
                               &rows);
  papi_sde_create_counter(handle, "elements", PAPI_SDE_DELTA, &created);
}

void counted_rows(long long r, long long c) {
  rows += r;
  level += c;
  calls++;
  papi_sde_inc_counter(created, r * c);
}

/* One that comes later. */
void counted_register(const char *name) {
  papi_sde_register_counter(handle, name, PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long, &rows);
}
