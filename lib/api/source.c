/* SPDX-License-Identifier: BSD-3-Clause */
/* Loop nests from C and from algorithms: what callers hand in is checked here. */
#include <perfpred/affine.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "affine/expand.h"
#include "source/nest.h"
#include "source/preprocess.h"

#define ARGUMENTS_MAX 1000
#define TIMEOUT_S 30.0

static enum perfpred_status null(const char *function, const char *argument, struct perfpred_error *error) {
  return ppi_error_set(error, PERFPRED_INVALID, "%s: %s is NULL", function, argument);
}

static enum perfpred_status check_arguments(const struct perfpred_source_options *options,
                                            struct perfpred_error *error) {
  if (options->argument_count > ARGUMENTS_MAX)
    return ppi_error_set(error, PERFPRED_INVALID, "options->argument_count is %zu, expected at most %d",
                         options->argument_count, ARGUMENTS_MAX);
  for (size_t i = 0; i < options->argument_count; i++)
    if (!options->arguments || !options->arguments[i])
      return ppi_error_set(error, PERFPRED_INVALID, "options->arguments[%zu] is NULL", i);
  return PERFPRED_OK;
}

/* *full: with defaults in the place of what is not stated. */
static enum perfpred_status read_options(const struct perfpred_source_options *options,
                                         struct perfpred_source_options *full, struct perfpred_error *error) {
  *full = (struct perfpred_source_options)PERFPRED_SOURCE_OPTIONS_INIT;
  if (options && options->size < sizeof options->size)
    return ppi_error_set(error, PERFPRED_INVALID, "options->size is %zu, expected sizeof *options", options->size);
  if (options)
    memcpy(full, options, options->size < sizeof *full ? options->size : sizeof *full);
  if (!full->compiler)
    full->compiler = "cc";
  if (full->compiler[0] == '\0')
    return ppi_error_set(error, PERFPRED_INVALID,
                         "options->compiler is empty, expected a path or the name of one in PATH");
  if (!(full->timeout_s >= 0.0) || isinf(full->timeout_s))
    return ppi_error_set(error, PERFPRED_INVALID, "options->timeout_s is %g, expected >= 0", full->timeout_s);
  if (full->timeout_s == 0.0)
    full->timeout_s = TIMEOUT_S;
  return check_arguments(full, error);
}

enum perfpred_status perfpred_nest_parse_c(const struct perfpred_context *context, const char *text, size_t length,
                                           const char *source, const struct perfpred_source_options *options,
                                           struct perfpred_program **program, struct perfpred_error *error) {
  struct perfpred_source_options full;
  ppi_error_clear(error);
  if (!context || (!text && length > 0) || !source || !program)
    return null("perfpred_nest_parse_c",
                !context   ? "context"
                : !source  ? "source"
                : !program ? "program"
                           : "text",
                error);
  enum perfpred_status status = read_options(options, &full, error);
  return status ? status
                : ppi_source_nest(context, text ? text : "", length, source, full.name, full.region, program, error);
}

enum perfpred_status perfpred_nest_read_c(const struct perfpred_context *context, const char *path,
                                          const struct perfpred_source_options *options,
                                          struct perfpred_program **program, struct perfpred_error *error) {
  struct perfpred_source_options full;
  char *text = NULL;
  size_t length = 0;
  ppi_error_clear(error);
  if (!context || !path || !program)
    return null("perfpred_nest_read_c", !context ? "context" : !path ? "path" : "program", error);
  enum perfpred_status status = read_options(options, &full, error);
  if (status)
    return status;
  const struct ppi_preprocess how = { full.compiler, full.arguments, full.argument_count, full.timeout_s };
  status = ppi_preprocess(path, &how, &text, &length, error);
  if (!status)
    status = ppi_source_nest(context, text, length, path, full.name, full.region, program, error);
  free(text);
  return status;
}

enum perfpred_status perfpred_nest_expand(const struct perfpred_context *context,
                                          const struct perfpred_program *algorithm, struct perfpred_program **nest,
                                          struct perfpred_error *error) {
  struct ppi_expansion expansion;
  ppi_error_clear(error);
  if (!context || !algorithm || !nest)
    return null("perfpred_nest_expand", !context ? "context" : !algorithm ? "algorithm" : "nest", error);
  if (algorithm->nest)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is a loop nest already, expected an algorithm", algorithm->name);
  enum perfpred_status status = ppi_expand(context, algorithm, NULL, &expansion, error);
  if (status)
    return status;
  *nest = perfpred_program_ref(expansion.nest);
  ppi_expansion_free(&expansion);
  return PERFPRED_OK;
}
