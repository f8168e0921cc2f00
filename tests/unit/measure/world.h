/* SPDX-License-Identifier: BSD-3-Clause */
/* A context without the public functions of the api module, and kernels of the tests' own. */
#ifndef TESTS_UNIT_MEASURE_WORLD_H
#define TESTS_UNIT_MEASURE_WORLD_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "kernel/registry.h"
#include "program/registry.h"

static struct perfpred_context context;
static struct perfpred_error error;

static inline void world_start(void) {
  memset(&error, 0, sizeof error);
  cr_assert_eq(ppi_kernels_create(&context.kernels, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_eq(ppi_programs_create(context.kernels, &context.programs, &error), PERFPRED_OK, "%s", error.text);
}

static inline void world_stop(void) {
  ppi_programs_destroy(context.programs);
  ppi_kernels_destroy(context.kernels);
}

static inline const struct perfpred_kernel *register_free_form(const char *text, perfpred_kernel_fn *function,
                                                               void *data) {
  char name[64];
  cr_assert_eq(perfpred_kernel_register_function(&context, text, function, data, &error), PERFPRED_OK, "%s",
               error.text);
  cr_assert_eq(sscanf(text, "kernel %63[^(]", name), 1);
  return ppi_kernels_find(context.kernels, name);
}

static inline struct perfpred_program *parse_program(const char *text) {
  struct perfpred_program *program = NULL;
  cr_assert_eq(ppi_program_parse(context.programs, context.kernels, text, strlen(text), "test", &program, &error),
               PERFPRED_OK, "%s", error.text);
  return program;
}

#endif
