/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of kernels share. */
#ifndef TESTS_UNIT_KERNEL_KERNELS_H
#define TESTS_UNIT_KERNEL_KERNELS_H

#include <criterion/criterion.h>
#include <string.h>

#include "base/context.h"
#include "kernel/registry.h"

/* It knows the catalogue while a test runs. */
static struct perfpred_context context;

static inline void set_up(void) {
  struct perfpred_error why = { .status = PERFPRED_OK };
  cr_assert_eq(ppi_kernels_create(&context.kernels, &why), PERFPRED_OK, "%s", why.text);
}

static inline void tear_down(void) {
  ppi_kernels_destroy(context.kernels);
}

static inline const struct perfpred_kernel *kernel_named(const char *name) {
  const struct perfpred_kernel *kernel = ppi_kernels_find(context.kernels, name);
  cr_assert_not_null(kernel, "no kernel %s", name);
  return kernel;
}

/* Sets an integer argument (flag or size) by name. */
static inline void put(const struct perfpred_kernel *kernel, struct ppi_value *values, const char *name, int64_t i) {
  int place = ppi_kernel_argument(kernel, name);
  cr_assert_geq(place, 0, "%s has no argument %s", kernel->name, name);
  values[place].i = i;
}

#endif
