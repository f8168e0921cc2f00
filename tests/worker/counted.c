/* SPDX-License-Identifier: BSD-3-Clause */
/* A library with software-defined events of every kind that is a number. Its kernel does r rows of c columns. */
#include <sde_lib.h>
#include <stdio.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT void counted_rows(long long r, long long c);
EXPORT void counted_register(const char *name);
EXPORT void counted_kernel_(const int *r, const int *c, double *x, int *info);

static long long rows, level;
static int calls;
static void *created;
static papi_handle_t handle;
static double met; /* first element of the first operand; 0: none yet */

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
  for (int i = 0; i < 60; i++) { /* more than PAPI reads at once */
    char name[20];
    snprintf(name, sizeof name, "many%d", i);
    papi_sde_register_counter(handle, name, PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long, &rows);
  }
}

void counted_rows(long long r, long long c) {
  rows += r;
  level += c;
  calls++;
  papi_sde_inc_counter(created, r * c);
}

/* As BLAS has it, for several threads at once. It fails where its operand does not have the values that it had at first. */
void counted_kernel_(const int *r, const int *c, double *x, int *info) {
  __atomic_fetch_add(&rows, *r, __ATOMIC_RELAXED);
  __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&level, *c, __ATOMIC_RELAXED);
  double first = 0.0, value = x[0];
  __atomic_load(&met, &first, __ATOMIC_RELAXED);
  if (first == 0.0)
    __atomic_store(&met, &value, __ATOMIC_RELAXED);
  *info = first != 0.0 && value != first;
  x[0] = 3.0 * x[0] + 1.0;
}

/* One that comes later. */
void counted_register(const char *name) {
  papi_sde_register_counter(handle, name, PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long, &rows);
}
