/* SPDX-License-Identifier: BSD-3-Clause */
/* The catalogue with LAPACK's routines behind its kernels, in the test's own process. */
#ifndef TESTS_NUMERICS_WORLD_H
#define TESTS_NUMERICS_WORLD_H

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <perfpred/kernel.h>
#include <perfpred/sampler.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "program/registry.h"

static struct perfpred_context context;
static struct perfpred_error error;
static struct perfpred_sampler *sampler;
static void *lapack;

static void bind_kernels(void) {
  for (size_t i = 0; i < perfpred_kernel_count(&context); i++) {
    char symbol[80];
    const char *name = perfpred_kernel_name(perfpred_kernel_at(&context, i));
    snprintf(symbol, sizeof symbol, "%s_", name);
    perfpred_fortran_fn *function;
    *(void **)&function = dlsym(lapack, symbol);
    if (function != NULL)
      cr_assert_eq(perfpred_kernel_bind(&context, name, function, 0, &error), PERFPRED_OK, "%s", error.text);
  }
}

static void create_context(void) {
  memset(&error, 0, sizeof error);
  cr_assert_eq(ppi_kernels_create(&context.kernels, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_eq(ppi_programs_create(context.kernels, &context.programs, &error), PERFPRED_OK, "%s", error.text);
}

static void destroy_context(void) {
  ppi_programs_destroy(context.programs);
  ppi_kernels_destroy(context.kernels);
}

#endif
