/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of programs share: a context with the catalogues, short ways to parse, print and fail. */
#ifndef PROGRAMS_H
#define PROGRAMS_H

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "program/registry.h"
#include "program/walk.h"

static struct perfpred_context context;

static inline void start(void) {
  struct perfpred_error error;
  ppi_error_clear(&error);
  cr_assert_eq(ppi_kernels_create(&context.kernels, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_eq(ppi_programs_create(context.kernels, &context.programs, &error), PERFPRED_OK, "%s", error.text);
}

static inline void stop(void) {
  ppi_programs_destroy(context.programs);
  ppi_kernels_destroy(context.kernels);
}

static inline struct perfpred_program *parsed(const char *text) {
  struct perfpred_program *program = NULL;
  struct perfpred_error error;
  enum perfpred_status status = perfpred_program_parse(&context, text, strlen(text), "test", &program, &error);
  cr_assert_eq(status, PERFPRED_OK, "%s", error.text);
  return program;
}

static inline struct perfpred_program *found(const char *name) {
  struct perfpred_program *program = NULL;
  struct perfpred_error error;
  cr_assert_eq(perfpred_program_find(&context, name, &program, &error), PERFPRED_OK, "%s", error.text);
  return program;
}

static inline char *printed(const struct perfpred_program *program, enum perfpred_format format) {
  char *text = NULL;
  struct perfpred_error error;
  cr_assert_eq(perfpred_program_print(program, format, &text, &error), PERFPRED_OK, "%s", error.text);
  return text;
}

static inline char *unrolled(const struct perfpred_program *program, const int64_t *values, size_t count) {
  char *text = NULL;
  struct perfpred_error error;
  cr_assert_eq(perfpred_program_unroll(program, values, count, NULL, &text, &error), PERFPRED_OK, "%s", error.text);
  return text;
}

/* The text must fail with the status, and the message must be this one. */
static inline void expect_failure(const char *text, enum perfpred_status status, const char *message) {
  struct perfpred_program *untouched = (struct perfpred_program *)&context, *program = untouched;
  struct perfpred_error error;
  enum perfpred_status got = perfpred_program_parse(&context, text, strlen(text), "t", &program, &error);
  cr_expect_eq(got, status, "%s: %s", perfpred_status_name(got), error.text);
  cr_expect_str_eq(error.text, message);
  cr_expect_eq(program, untouched);
}

#endif
