/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of kernels share. */
#ifndef TESTS_UNIT_KERNEL_KERNELS_H
#define TESTS_UNIT_KERNEL_KERNELS_H

#include <criterion/criterion.h>
#include <string.h>

#include "base/context.h"
#include "kernel/registry.h"

static inline void set_up(struct perfpred_context *context) {
  struct perfpred_error error = { .status = PERFPRED_OK };
  *context = (struct perfpred_context){ NULL, NULL };
  cr_assert_eq(ppi_kernels_create(&context->kernels, &error), PERFPRED_OK, "%s", error.text);
}

static inline void tear_down(struct perfpred_context *context) {
  ppi_kernels_destroy(context->kernels);
}

static inline const struct perfpred_kernel *kernel_named(const struct perfpred_context *context, const char *name) {
  const struct perfpred_kernel *kernel = ppi_kernels_find(context->kernels, name);
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
