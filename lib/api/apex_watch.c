/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of a running process. */
#include <perfpred/apex.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "measure/sampler.h"

#define INTERVAL_S 0.1
#define INTERVAL_MIN_S 1e-3
#define INTERVAL_MAX_S 3600.0
#define LINE_BYTES 64.0

static enum perfpred_status set_event(char event[64], const char *member, const char *given, const char *otherwise,
                                      struct perfpred_error *error) {
  const char *name = given != NULL ? given : otherwise;
  if (name[0] == '\0' || strlen(name) >= 64)
    return ppi_error_set(error, PERFPRED_INVALID, "options.%s '%.70s': expected an event of 1 to 63 letters", member,
                         name);
  snprintf(event, 64, "%s", name);
  return PERFPRED_OK;
}

static enum perfpred_status check_times(const struct perfpred_apex_watch_options *full, struct perfpred_error *error) {
  if (full->pid < 1)
    return ppi_error_set(error, PERFPRED_INVALID, "options.pid is %lld, expected a process", (long long)full->pid);
  if (!(full->interval_s >= INTERVAL_MIN_S && full->interval_s <= INTERVAL_MAX_S))
    return ppi_error_set(error, PERFPRED_INVALID, "options.interval_s is %g, expected 0 or %g to %g", full->interval_s,
                         INTERVAL_MIN_S, INTERVAL_MAX_S);
  if (!(full->duration_s >= 0.0 && isfinite(full->duration_s)))
    return ppi_error_set(error, PERFPRED_INVALID, "options.duration_s is %g, expected at least 0", full->duration_s);
  return PERFPRED_OK;
}

static enum perfpred_status fill(const struct perfpred_apex_watch_options *given,
                                 struct perfpred_apex_watch_options *full, struct ppi_watch *watch,
                                 struct perfpred_error *error) {
  *full = (struct perfpred_apex_watch_options)PERFPRED_APEX_WATCH_OPTIONS_INIT;
  if (given == NULL || given->size < sizeof given->size)
    return ppi_error_set(error, PERFPRED_INVALID, "options%s, expected PERFPRED_APEX_WATCH_OPTIONS_INIT with a process",
                         given == NULL ? " is NULL" : ".size is too small");
  memcpy(full, given, given->size < sizeof *full ? given->size : sizeof *full);
  if (fabs(full->interval_s) <= 0.0)
    full->interval_s = INTERVAL_S;
  *watch = (struct ppi_watch){ .pid = full->pid, .interval_s = full->interval_s, .duration_s = full->duration_s };
  enum perfpred_status status = check_times(full, error);
  if (status == PERFPRED_OK)
    status = set_event(watch->events[PPI_APEX_FLOPS], "flops", full->flops, "PAPI_DP_OPS", error);
  if (status == PERFPRED_OK)
    status = set_event(watch->events[PPI_APEX_CYCLES], "cycles", full->cycles, "PAPI_TOT_CYC", error);
  if (status == PERFPRED_OK)
    status = set_event(watch->events[PPI_APEX_MISSES], "misses", full->misses, "PAPI_L3_TCM", error);
  return status;
}

static char *print(const struct ppi_watch_sample *samples, size_t count) {
  struct ppi_text text = PPI_TEXT_INIT;
  ppi_text_append(&text, "time_s,flops,bytes,cycles\n");
  for (size_t i = 0; i < count; i++) {
    const double *counts = samples[i].counts;
    const double numbers[] = { samples[i].time_s, counts[PPI_APEX_FLOPS], LINE_BYTES * counts[PPI_APEX_MISSES],
                               counts[PPI_APEX_CYCLES] };
    if (!(counts[PPI_APEX_CYCLES] > 0.0 && samples[i].time_s > 0.0))
      continue;
    for (int k = 0; k < 4; k++) {
      ppi_text_real(&text, numbers[k]);
      ppi_text_append(&text, k < 3 ? "," : "\n");
    }
  }
  return ppi_text_take(&text);
}

enum perfpred_status perfpred_apex_watch(struct perfpred_sampler *sampler,
                                         const struct perfpred_apex_watch_options *options, char **csv,
                                         struct perfpred_error *error) {
  struct perfpred_apex_watch_options full;
  struct ppi_watch watch;
  struct ppi_watch_sample *samples = NULL;
  size_t count = 0;
  ppi_error_clear(error);
  if (sampler == NULL || csv == NULL)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", sampler == NULL ? "sampler" : "csv");
  enum perfpred_status status = fill(options, &full, &watch, error);
  if (status != PERFPRED_OK)
    return status;
  if (sampler->ops->watch == NULL)
    return ppi_error_set(error, PERFPRED_UNSUPPORTED,
                         "this sampler counts no events of other processes, a worker does");
  const struct ppi_sampling sampling = { .progress = full.progress, .progress_data = full.progress_data };
  status = sampler->ops->watch(sampler, &watch, &sampling, &samples, &count, error);
  if (status != PERFPRED_OK)
    return status;
  char *taken = print(samples, count);
  free(samples);
  if (taken == NULL)
    return ppi_error_memory(error);
  *csv = taken;
  return PERFPRED_OK;
}
