/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments of the public functions of Apex-MAP. */
#include <math.h>
#include <string.h>

#include "api/apex.h"

#define CELL_DEFAULT 0.5
#define THRESHOLD_DEFAULT 0.005
#define RUNS_DEFAULT 500
#define RUNS_MAX 100000
#define REPETITIONS_MAX 1000000

/* 0 and what the range holds are right. */
static enum perfpred_status check_real(const char *name, double value, double least, double most,
                                       struct perfpred_error *error) {
  if (value >= least && value <= most)
    return PERFPRED_OK;
  if (fabs(value) <= 0.0)
    return PERFPRED_OK;
  return ppi_error_set(error, PERFPRED_INVALID, "options.%s is %g, expected 0 or %g to %g", name, value, least, most);
}

static enum perfpred_status check_integer(const char *name, int64_t value, int64_t most, struct perfpred_error *error) {
  if (value >= 0 && value <= most)
    return PERFPRED_OK;
  return ppi_error_set(error, PERFPRED_INVALID, "options.%s is %lld, expected 0 to %lld", name, (long long)value,
                       (long long)most);
}

static enum perfpred_status check(const struct perfpred_apex_options *full, struct perfpred_error *error) {
  const struct {
    const char *name;
    double value, least, most;
  } reals[] = { { "clock_hz", full->clock_hz, 1e3, 1e13 },
                { "cell_bytes_per_cycle", full->cell_bytes_per_cycle, 1e-6, 1e6 },
                { "cell_flops_per_cycle", full->cell_flops_per_cycle, 1e-6, 1e6 },
                { "threshold", full->threshold, -1e300, 1.0 },
                { "gate", full->gate, -1e300, 1e300 },
                { "budget_s", full->budget_s, 1e-9, 1e300 } };
  const struct {
    const char *name;
    int64_t value, most;
  } integers[] = { { "threads", full->threads, PPI_APEX_THREADS_MAX },
                   { "cache_bytes", full->cache_bytes, INT64_C(1) << 40 },
                   { "runs_max", full->runs_max, RUNS_MAX },
                   { "index_blocks", full->index_blocks, PPI_APEX_I_MAX },
                   { "repetitions", full->repetitions, REPETITIONS_MAX } };
  enum perfpred_status status = PERFPRED_OK;
  for (size_t i = 0; i < sizeof reals / sizeof reals[0] && status == PERFPRED_OK; i++)
    status = check_real(reals[i].name, reals[i].value, reals[i].least, reals[i].most, error);
  for (size_t i = 0; i < sizeof integers / sizeof integers[0] && status == PERFPRED_OK; i++)
    status = check_integer(integers[i].name, integers[i].value, integers[i].most, error);
  if (status == PERFPRED_OK && full->instruction_set != NULL && strlen(full->instruction_set) >= PPI_APEX_SET_MAX)
    status = ppi_error_set(error, PERFPRED_INVALID,
                           "options.instruction_set '%.40s': expected avx512, avx2, sse2, neon or generic",
                           full->instruction_set);
  return status;
}

enum perfpred_status ppi_apex_options_of(const struct perfpred_apex_options *given, struct perfpred_apex_options *full,
                                         struct perfpred_error *error) {
  *full = (struct perfpred_apex_options)PERFPRED_APEX_OPTIONS_INIT;
  if (given != NULL && given->size < sizeof given->size)
    return ppi_error_set(error, PERFPRED_INVALID, "options.size is %zu, expected PERFPRED_APEX_OPTIONS_INIT",
                         given->size);
  if (given != NULL)
    memcpy(full, given, given->size < sizeof *full ? given->size : sizeof *full);
  full->size = sizeof *full;
  enum perfpred_status status = check(full, error);
  if (status != PERFPRED_OK)
    return status;
  if (full->cell_bytes_per_cycle <= 0.0)
    full->cell_bytes_per_cycle = CELL_DEFAULT;
  if (full->cell_flops_per_cycle <= 0.0)
    full->cell_flops_per_cycle = CELL_DEFAULT;
  if (fabs(full->threshold) <= 0.0)
    full->threshold = THRESHOLD_DEFAULT;
  if (full->runs_max == 0)
    full->runs_max = RUNS_DEFAULT;
  return PERFPRED_OK;
}

enum perfpred_status ppi_apex_check_text(const char *argument, const struct perfpred_apex_text *text,
                                         struct perfpred_error *error) {
  if (text != NULL && (text->text != NULL || text->length == 0))
    return PERFPRED_OK;
  return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL, expected a text", argument);
}

const char *ppi_apex_text_name(const struct perfpred_apex_text *text, const char *otherwise) {
  return text->name != NULL ? text->name : otherwise;
}
