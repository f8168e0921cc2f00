/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/misses.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CACHES_MAX 256
#define CURVE_MAX 80
#define LINE_BYTES 64
#define LINE_BYTES_MAX 65536
#define BUDGET_S 60.0
#define BUDGET_BYTES (UINT64_C(1) << 30)

static const int64_t usual_caches[] = { 32 * 1024, 1024 * 1024 };

static enum perfpred_status check_caches(const struct perfpred_misses_options *options, struct perfpred_error *error) {
  if (options->cache_count > CACHES_MAX)
    return ppi_error_set(error, PERFPRED_INVALID, "options->cache_count is %zu, expected at most %d",
                         options->cache_count, CACHES_MAX);
  if (options->cache_count > 0 && !options->cache_bytes)
    return ppi_error_set(error, PERFPRED_INVALID, "options->cache_bytes is NULL");
  for (size_t i = 0; i < options->cache_count; i++)
    if (options->cache_bytes[i] < options->line_bytes)
      return ppi_error_set(error, PERFPRED_INVALID,
                           "options->cache_bytes[%zu] is %" PRId64 ", expected at least a line of %" PRId64 " bytes", i,
                           options->cache_bytes[i], options->line_bytes);
  return PERFPRED_OK;
}

static enum perfpred_status check_budget(const struct perfpred_misses_options *options, struct perfpred_error *error) {
  if (!(options->budget_s >= 0.0) || isinf(options->budget_s))
    return ppi_error_set(error, PERFPRED_INVALID, "options->budget_s is %g, expected >= 0", options->budget_s);
  if ((unsigned)options->engine > PERFPRED_MISSES_SIMULATE)
    return ppi_error_set(error, PERFPRED_INVALID,
                         "options->engine is %d, expected PERFPRED_MISSES_AUTO, ANALYTIC or SIMULATE",
                         (int)options->engine);
  return PERFPRED_OK;
}

static enum perfpred_status fill_defaults(struct perfpred_misses_options *full, struct perfpred_error *error) {
  full->budget_s = full->budget_s > 0.0 ? full->budget_s : BUDGET_S;
  full->budget_bytes = full->budget_bytes > 0 ? full->budget_bytes : BUDGET_BYTES;
  if (full->cache_count > 0)
    return PERFPRED_OK;
  full->cache_bytes = usual_caches;
  full->cache_count = sizeof usual_caches / sizeof *usual_caches;
  if (full->line_bytes > usual_caches[0])
    return ppi_error_set(error, PERFPRED_INVALID, "the default cache of %" PRId64 " bytes has no line of %" PRId64,
                         usual_caches[0], full->line_bytes);
  return PERFPRED_OK;
}

/* *full: with defaults in the place of what is not stated. */
static enum perfpred_status read_options(const struct perfpred_misses_options *options,
                                         struct perfpred_misses_options *full, struct perfpred_error *error) {
  *full = (struct perfpred_misses_options)PERFPRED_MISSES_OPTIONS_INIT;
  if (options && options->size < sizeof options->size)
    return ppi_error_set(error, PERFPRED_INVALID, "options->size is %zu, expected sizeof *options", options->size);
  if (options)
    memcpy(full, options, options->size < sizeof *full ? options->size : sizeof *full);
  if (full->line_bytes == 0)
    full->line_bytes = LINE_BYTES;
  if (full->line_bytes < 1 || full->line_bytes > LINE_BYTES_MAX)
    return ppi_error_set(error, PERFPRED_INVALID, "options->line_bytes is %" PRId64 ", expected 1 to %d",
                         full->line_bytes, LINE_BYTES_MAX);
  enum perfpred_status status = check_caches(full, error);
  if (!status)
    status = check_budget(full, error);
  return status ? status : fill_defaults(full, error);
}

/* 1, 2, 3, 4, 6, 8, 12, ... lines, up to what all caches of today have. */
static size_t add_curve(int64_t line_bytes, int64_t *bytes) {
  size_t count = 0;
  bytes[count++] = line_bytes;
  for (int64_t lines = 2; count + 2 <= CURVE_MAX && lines <= INT64_C(1) << 32; lines *= 2) {
    bytes[count++] = lines * line_bytes;
    bytes[count++] = lines / 2 * 3 * line_bytes;
  }
  return count;
}

static void fill_levels(const struct ppi_misses_job *job, struct perfpred_misses_level *levels) {
  const struct ppi_misses_count *total = &job->misses->total;
  for (size_t i = 0; i < job->asked; i++)
    levels[i] = (struct perfpred_misses_level){ job->options.cache_bytes[i], (int64_t)total->accesses,
                                                (int64_t)total->compulsory, (int64_t)total->capacity[i] };
}

/* Counts, and fills in what the caller wants to have. */
static enum perfpred_status count_nest(struct ppi_misses_job *job, const struct perfpred_misses_options *options,
                                       struct perfpred_misses_level *levels, char **json,
                                       struct perfpred_error *error) {
  int64_t bytes[CACHES_MAX + CURVE_MAX];
  struct ppi_misses *misses = NULL;
  job->asked = options->cache_count;
  memcpy(bytes, options->cache_bytes, options->cache_count * sizeof *bytes);
  job->options = (struct ppi_misses_options){ .cache_bytes = bytes,
                                              .level_count = options->cache_count,
                                              .line_bytes = options->line_bytes,
                                              .engine = (enum ppi_misses_engine)options->engine,
                                              .budget_s = options->budget_s,
                                              .budget_bytes = options->budget_bytes,
                                              .pieces = options->pieces != 0,
                                              .progress = options->progress,
                                              .progress_data = options->progress_data };
  if (options->curve)
    job->options.level_count += add_curve(options->line_bytes, bytes + job->asked);
  enum perfpred_status status = ppi_misses_find(job->nest, job->parameters, &job->options, &misses, error);
  job->misses = misses;
  if (!status && json)
    status = ppi_misses_print(job, json, error);
  if (!status && levels)
    fill_levels(job, levels);
  ppi_misses_destroy(misses);
  return status;
}

static enum perfpred_status check(const struct perfpred_context *context, const struct perfpred_program *program,
                                  const int64_t *parameters, size_t count, struct perfpred_error *error) {
  const char *missing = !program ? "program" : !parameters && count > 0 ? "parameters" : NULL;
  if (!missing && !context && !program->nest)
    missing = "context";
  if (missing)
    return ppi_error_set(error, PERFPRED_INVALID, "perfpred_misses: %s is NULL", missing);
  return ppi_program_check(program, parameters, count, error);
}

enum perfpred_status perfpred_misses(const struct perfpred_context *context, const struct perfpred_program *program,
                                     const int64_t *parameters, size_t count,
                                     const struct perfpred_misses_options *options,
                                     struct perfpred_misses_level *levels, char **json, struct perfpred_error *error) {
  struct perfpred_misses_options full;
  struct ppi_expansion expansion = { 0 };
  ppi_error_clear(error);
  enum perfpred_status status = check(context, program, parameters, count, error);
  if (!status)
    status = read_options(options, &full, error);
  if (!status && !program->nest)
    status = ppi_expand(context, program, parameters, &expansion, error);
  if (status)
    return status;
  struct ppi_misses_job job = { .program = program, .nest = program, .parameters = parameters };
  if (!program->nest) {
    job.nest = expansion.nest;
    job.expansion = &expansion;
  }
  status = count_nest(&job, &full, levels, json, error);
  ppi_expansion_free(&expansion);
  return status;
}
