/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of caches share: a context with the catalogues and a few kernels that touch what one says, short ways to analyses. */
#ifndef PPI_TEST_CACHE_WORLD_H
#define PPI_TEST_CACHE_WORLD_H

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "cache/cache.h"
#include "cache/map.h"
#include "cache/settings.h"
#include "program/registry.h"

static const char world_text[] = "perfpred-text 1\n"
                                 "kernel duse(m: size, n: size, a: inout matrix[m, n], lda)\n"
                                 "  mul m*n\n"
                                 "end\n"
                                 "kernel dgather(m: size, n: size, a: in matrix[m, n], lda, y: inout vector[m], incy)\n"
                                 "  mul m*n\n"
                                 "end\n";

static struct perfpred_context context;

static inline void start(void) {
  struct perfpred_error error;
  ppi_error_clear(&error);
  cr_assert_eq(ppi_kernels_create(&context.kernels, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_eq(ppi_programs_create(context.kernels, &context.programs, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_eq(
      ppi_programs_add_text(context.programs, context.kernels, world_text, strlen(world_text), "world", &error),
      PERFPRED_OK, "%s", error.text);
}

static inline void stop(void) {
  ppi_programs_destroy(context.programs);
  ppi_kernels_destroy(context.kernels);
}

static inline struct perfpred_program *parsed(const char *text) {
  struct perfpred_program *program = NULL;
  struct perfpred_error error;
  cr_assert_eq(perfpred_program_parse(&context, text, strlen(text), "test", &program, &error), PERFPRED_OK, "%s",
               error.text);
  return program;
}

static inline struct perfpred_program *found(const char *name) {
  struct perfpred_program *program = NULL;
  struct perfpred_error error;
  cr_assert_eq(perfpred_program_find(&context, name, &program, &error), PERFPRED_OK, "%s", error.text);
  return program;
}

/* One cache of so many lines of 64 bytes. */
static inline struct perfpred_cache_options one_level(int64_t lines) {
  struct perfpred_cache_options options = PERFPRED_CACHE_OPTIONS_INIT;
  options.level_count = 1;
  options.level_bytes[0] = 64 * lines;
  return options;
}

/* Gives the program's reference up. */
static inline struct perfpred_cache *analyzed(struct perfpred_program *program, const int64_t *parameters, size_t count,
                                              const struct perfpred_cache_options *options) {
  struct perfpred_cache *cache = NULL;
  struct perfpred_error error;
  cr_assert_eq(perfpred_cache_create(program, parameters, count, options, &cache, &error), PERFPRED_OK, "%s",
               error.text);
  perfpred_program_unref(program);
  return cache;
}

static inline const struct ppi_cache_operand *operand_of(const struct perfpred_cache *cache, size_t call, int index) {
  cr_assert_lt(call, cache->count);
  cr_assert_lt(index, cache->calls[call].operand_count);
  return &cache->operands[cache->calls[call].operand_first + (size_t)index];
}

static inline const struct ppi_part *part_of(const struct perfpred_cache *cache, size_t call, int index, size_t part) {
  const struct ppi_cache_operand *operand = operand_of(cache, call, index);
  cr_assert_lt(part, operand->part_count);
  return &cache->parts.items[operand->part_first + part];
}

#endif
