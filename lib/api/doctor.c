/* SPDX-License-Identifier: BSD-3-Clause */
/* The public side of the doctor: its arguments, its steps, its report. */
#include "api/doctor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/context.h"

#define BUDGET_DEFAULT_S 8.0
#define OPTIONS_SIZE_MIN sizeof(size_t)

double ppi_doctor_now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

enum perfpred_status ppi_doctor_progress(const struct ppi_doctor *doctor, const char *stage, double fraction) {
  struct perfpred_progress progress = {
    .size = sizeof progress, .stage = stage, .fraction = fraction, .remaining_s = (double)NAN
  };
  if (!doctor->options.progress)
    return PERFPRED_OK;
  progress.elapsed_s = ppi_doctor_now_s() - doctor->begin_s;
  if (doctor->options.progress(doctor->options.progress_data, &progress) == 0)
    return PERFPRED_OK;
  return ppi_error_set(doctor->error, PERFPRED_CANCELLED, "cancelled by the progress callback");
}

const char *ppi_doctor_variable(const struct ppi_doctor *doctor, const char *name) {
  return doctor->other ? ppi_process_variable(doctor->other, name) : getenv(name);
}

static enum perfpred_status check_values(struct perfpred_doctor_options *full, struct perfpred_error *error) {
  if ((full->program != NULL) + (full->pid != 0) + (full->record != NULL) > 1)
    return ppi_error_set(error, PERFPRED_INVALID, "options: expected at most one of program, pid and record");
  if (full->pid < 0)
    return ppi_error_set(error, PERFPRED_INVALID, "options.pid is %lld, expected a number of a process",
                         (long long)full->pid);
  if (!isfinite(full->budget_s) || full->budget_s < 0.0)
    return ppi_error_set(error, PERFPRED_INVALID, "options.budget_s is %g, expected seconds above 0, or 0",
                         full->budget_s);
  if (full->budget_s <= 0.0)
    full->budget_s = BUDGET_DEFAULT_S;
  return PERFPRED_OK;
}

static enum perfpred_status check(const struct perfpred_context *context, const struct perfpred_doctor_options *given,
                                  char **json, struct perfpred_doctor_options *full, struct perfpred_error *error) {
  if (!context || !json)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", !context ? "context" : "json");
  if (given && given->size < OPTIONS_SIZE_MIN)
    return ppi_error_set(error, PERFPRED_INVALID, "options.size is %zu, expected PERFPRED_DOCTOR_OPTIONS_INIT",
                         given->size);
  *full = (struct perfpred_doctor_options)PERFPRED_DOCTOR_OPTIONS_INIT;
  if (given)
    memcpy(full, given, given->size < sizeof *full ? given->size : sizeof *full);
  full->size = sizeof *full;
  return check_values(full, error);
}

static enum perfpred_status examine(struct ppi_doctor *doctor) {
  static enum perfpred_status (*const steps[])(struct ppi_doctor *) = { ppi_doctor_libraries, ppi_doctor_threads,
                                                                        ppi_doctor_kernels, ppi_doctor_routines,
                                                                        ppi_doctor_questions };
  enum perfpred_status status = ppi_doctor_gather(doctor);
  for (size_t i = 0; i < sizeof steps / sizeof steps[0] && status == PERFPRED_OK; i++)
    status = steps[i](doctor);
  return status;
}

/* In the order in which a reader wants them; what is not known yet is put in its place later. */
static void begin_report(struct ppi_doctor *doctor) {
  ppi_json_begin(&doctor->out);
  ppi_json_put_string(&doctor->out, "subject", "");
  ppi_json_put_string(&doctor->out, "target", "");
  ppi_json_put_string(&doctor->out, "worst", "");
  ppi_json_put_string(&doctor->out, "library", perfpred_version());
  ppi_json_put_empty_list(&doctor->out, "libraries");
  ppi_json_put_empty_list(&doctor->out, "findings");
}

static void complete_report(struct ppi_doctor *doctor) {
  static const char *const subjects[] = { "setup", "program", "process", "run" };
  ppi_json_put_string(&doctor->out, "subject", subjects[doctor->subject]);
  ppi_json_put_string(&doctor->out, "target", doctor->target ? doctor->target : "");
  ppi_json_put_string(&doctor->out, "worst", ppi_severity_word((enum ppi_severity)doctor->worst));
  for (size_t i = 0; i < doctor->provider_count; i++)
    ppi_finding_put_provider(&doctor->out, "libraries", &doctor->providers[i], true);
}

static void release(struct ppi_doctor *doctor) {
  perfpred_sampler_destroy(doctor->sampler);
  free(doctor->entries);
  for (size_t i = 0; i < sizeof doctor->environment / sizeof doctor->environment[0]; i++)
    free(doctor->environment[i]);
  free(doctor->sibling);
  free(doctor->providers);
  if (doctor->other)
    ppi_process_free(doctor->other);
  ppi_process_free(&doctor->self);
  ppi_loaded_free(&doctor->loaded);
  free(doctor->target);
  free(doctor);
}

enum perfpred_status perfpred_doctor(const struct perfpred_context *context,
                                     const struct perfpred_doctor_options *options, char **json,
                                     struct perfpred_error *error) {
  struct perfpred_doctor_options full;
  struct ppi_text text = PPI_TEXT_INIT;
  ppi_error_clear(error);
  enum perfpred_status status = check(context, options, json, &full, error);
  if (status != PERFPRED_OK)
    return status;
  struct ppi_doctor *doctor = calloc(1, sizeof *doctor);
  if (!doctor)
    return ppi_error_memory(error);
  doctor->context = context;
  doctor->options = full;
  doctor->error = error;
  doctor->begin_s = ppi_doctor_now_s();
  begin_report(doctor);
  status = examine(doctor);
  if (status == PERFPRED_OK)
    complete_report(doctor);
  ppi_json_end(&doctor->out, &text);
  release(doctor);
  char *taken = ppi_text_take(&text);
  if (status == PERFPRED_OK && !taken)
    status = ppi_error_memory(error);
  if (status == PERFPRED_OK)
    *json = taken;
  else
    free(taken);
  return status;
}
