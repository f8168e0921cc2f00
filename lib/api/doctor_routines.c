/* SPDX-License-Identifier: BSD-3-Clause */
/* Which routines of the LAPACK ask ILAENV: found by running them with the override in front, which notes what it is asked. */
#include "api/doctor_routines.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/doctor_log.h"
#include "api/doctor_measure.h"
#include "base/context.h"
#include "kernel/registry.h"

#define ORDER 160 /* beyond the crossover points, so that all three are asked */
#define NAME "libperfpred-ilaenv.so.0"

#ifndef PPI_ILAENV_PATH
#define PPI_ILAENV_PATH "/usr/lib/" NAME
#endif

static const struct {
  const char *kernel, *flags;
} tunable[] = {
  { "dpotrf", "L" },   { "dgetrf", "" },    { "dgetri", "" },    { "dgeqrf", "" },
  { "dorgqr", "" },    { "dormqr", "L,N" }, { "dgelqf", "" },    { "dorglq", "" },
  { "dormlq", "L,N" }, { "dgebrd", "" },    { "dsytrd", "L" },   { "dgehrd", "" },
  { "dtrtri", "L,N" }, { "dlauum", "L" },   { "dsygst", "1,L" }, { "dsytrf", "L" },
};
#define ROUTINES (sizeof tunable / sizeof tunable[0])

static void list_routines(struct ppi_routine routines[ROUTINES]) {
  for (size_t i = 0; i < ROUTINES; i++) {
    routines[i] =
        (struct ppi_routine){ tunable[i].kernel, tunable[i].flags, "", false, false, { 0 }, { -1, -1, -1 }, { 0 }, "" };
    for (size_t k = 0; k < sizeof routines[i].name - 1 && tunable[i].kernel[k]; k++)
      routines[i].name[k] = (char)toupper((unsigned char)tunable[i].kernel[k]);
  }
}

/* --- The trial ------------------------------------------------------------------------------------------------------------------- */

struct trial {
  struct ppi_doctor *doctor;
  char *folder, *log;
  struct ppi_text preload, logging;
  struct perfpred_sampler *sampler;
  long read; /* so much of the log */
};

static const char *override_path(const struct ppi_doctor *doctor) {
  const char *named = doctor->options.override ? doctor->options.override : secure_getenv("PERFPRED_OVERRIDE");
  return named && named[0] ? named : PPI_ILAENV_PATH;
}

static enum perfpred_status make_folder(struct trial *trial) {
  const char *root = secure_getenv("TMPDIR");
  struct ppi_text path = PPI_TEXT_INIT;
  ppi_text_printf(&path, "%s/perfpred-XXXXXX", root && root[0] == '/' ? root : "/tmp");
  trial->folder = ppi_text_take(&path);
  if (!trial->folder)
    return PERFPRED_NO_MEMORY;
  if (!mkdtemp(trial->folder)) {
    free(trial->folder);
    trial->folder = NULL;
    return PERFPRED_IO;
  }
  ppi_text_printf(&path, "%s/questions", trial->folder);
  trial->log = ppi_text_take(&path);
  return trial->log ? PERFPRED_OK : PERFPRED_NO_MEMORY;
}

static enum perfpred_status start(struct trial *trial, struct perfpred_error *fault) {
  const char *before = getenv("LD_PRELOAD");
  ppi_text_printf(&trial->preload, "LD_PRELOAD=%s%s%s", override_path(trial->doctor), before && before[0] ? ":" : "",
                  before ? before : "");
  ppi_text_printf(&trial->logging, "PERFPRED_ILAENV_LOG=%s", trial->log);
  if (trial->preload.failed || trial->logging.failed)
    return PERFPRED_NO_MEMORY;
  const char *const entries[] = { trial->preload.data, trial->logging.data, "PERFPRED_TABLE=", "PERFPRED_VERBOSE=0",
                                  NULL };
  return ppi_doctor_start(trial->doctor, entries, &trial->sampler, fault);
}

static void take_question(struct ppi_routine *routine, const struct ppi_asked *asked) {
  if (strcmp(asked->name, routine->name) != 0 || asked->ispec < 1 || asked->ispec > 3)
    return;
  if (!routine->asks)
    for (int i = 0; i < 4; i++)
      routine->sizes[i] = asked->sizes[i] == ORDER ? PPI_ROUTINE_ORDER : asked->sizes[i];
  routine->asks = true;
  routine->ispecs[asked->ispec - 1] = true;
  routine->answers[asked->ispec - 1] = asked->answer;
}

/* What was asked since the last look. */
static enum perfpred_status read_log(struct trial *trial, struct ppi_routine *routine, struct perfpred_error *error) {
  struct ppi_asked_list list = { 0 };
  FILE *file = fopen(trial->log, "re");
  if (!file)
    return PERFPRED_OK;
  enum perfpred_status status = PERFPRED_OK;
  if (fseek(file, trial->read, SEEK_SET) == 0)
    status = ppi_asked_read_all(file, &list, error);
  long end = ftell(file);
  trial->read = end > trial->read ? end : trial->read;
  fclose(file);
  for (size_t i = 0; i < list.count; i++)
    take_question(routine, &list.items[i]);
  ppi_asked_free(&list);
  return status;
}

static enum perfpred_status run_routine(struct trial *trial, struct ppi_routine *routine,
                                        struct perfpred_error *fault) {
  const struct perfpred_kernel *kernel;
  struct ppi_value values[PPI_ARG_MAX];
  struct ppi_result result = { 0 };
  enum perfpred_status status = ppi_kernels_require(trial->doctor->context->kernels, routine->kernel, &kernel, fault);
  if (status == PERFPRED_OK)
    status = ppi_case_parse(kernel, routine->flags, values, fault);
  if (status != PERFPRED_OK)
    return status;
  for (int i = 0; i < kernel->size_count; i++)
    values[kernel->sizes[i]].i = ORDER;
  const struct ppi_request request = { kernel, values, ppi_leading_dimension(ORDER) };
  const struct ppi_sampling sampling = { .repetitions = 1, .gate = -1.0, .seed = 1 };
  status = trial->sampler->ops->sample(trial->sampler, &request, 1, &sampling, &result, fault);
  if (status == PERFPRED_OK)
    ppi_results_free(&result, 1);
  return status;
}

static enum perfpred_status try_routine(struct trial *trial, struct ppi_routine *routine) {
  struct perfpred_error fault;
  ppi_error_clear(&fault);
  enum perfpred_status status = run_routine(trial, routine, &fault);
  if (status == PERFPRED_NO_MEMORY)
    return ppi_error_memory(trial->doctor->error);
  routine->tried = status == PERFPRED_OK;
  snprintf(routine->failure, sizeof routine->failure, "%.*s", (int)sizeof routine->failure - 1,
           status == PERFPRED_OK ? "" : fault.text);
  return read_log(trial, routine, trial->doctor->error);
}

static void end(struct trial *trial) {
  perfpred_sampler_destroy(trial->sampler);
  ppi_text_free(&trial->logging);
  ppi_text_free(&trial->preload);
  if (trial->log)
    unlink(trial->log);
  if (trial->folder)
    rmdir(trial->folder);
  free(trial->log);
  free(trial->folder);
}

/* --- The report -------------------------------------------------------------------------------------------------------------------- */

static void put_routine(struct ppi_json_out *out, const struct ppi_routine *routine) {
  static const char *const keys[] = { "nb_stock", "nbmin_stock", "nx_stock" };
  struct ppi_json_out object;
  int64_t ispecs[3];
  size_t count = 0;
  ppi_json_begin(&object);
  ppi_json_put_string(&object, "routine", routine->name);
  if (routine->tried)
    ppi_json_put_bool(&object, "asks", routine->asks);
  else
    ppi_json_put_null(&object, "asks");
  for (int i = 0; i < 3; i++)
    if (routine->ispecs[i])
      ispecs[count++] = i + 1;
  ppi_json_put_integers(&object, "ispecs", ispecs, count);
  for (int i = 0; i < 3; i++)
    if (routine->ispecs[i])
      ppi_json_put_integer(&object, keys[i], routine->answers[i]);
    else
      ppi_json_put_null(&object, keys[i]);
  ppi_json_put_string(&object, "failure", routine->failure);
  ppi_json_append(out, "routines", &object);
}

static void tell(struct ppi_doctor *doctor, const struct ppi_routine routines[ROUTINES]) {
  char silent[256] = "";
  size_t asking = 0, tried = 0, used = 0;
  struct ppi_finding finding;
  for (size_t i = 0; i < ROUTINES; i++) {
    asking += routines[i].tried && routines[i].asks;
    tried += routines[i].tried;
    if (routines[i].tried && !routines[i].asks && used < sizeof silent)
      used += (size_t)snprintf(silent + used, sizeof silent - used, " %s", routines[i].name);
  }
  ppi_finding_begin(&finding, "ilaenv",
                    asking == ROUTINES ? PPI_SEVERITY_OK
                    : asking > 0       ? PPI_SEVERITY_NOTE
                                       : PPI_SEVERITY_WARNING,
                    asking > 0 ? "Routines that ask for their block size" : "No routine asks for its block size");
  ppi_finding_text(&finding, "detail", "%zu of %zu tried ask ILAENV%s%s", asking, tried, silent[0] ? "; not:" : "",
                   silent);
  if (asking < tried)
    ppi_finding_text(&finding, "advice",
                     "no decision table changes those that do not ask; with reference LAPACK all of them ask");
  ppi_json_put_string(&finding.out, "lapack", doctor->told.lapack.path);
  ppi_json_put_string(&finding.out, "override", override_path(doctor));
  ppi_json_put_empty_list(&finding.out, "routines");
  for (size_t i = 0; i < ROUTINES; i++)
    put_routine(&finding.out, &routines[i]);
  ppi_finding_end(&finding, doctor);
}

static void tell_untried(struct ppi_doctor *doctor, const char *why) {
  struct ppi_finding finding;
  ppi_finding_begin(&finding, "ilaenv", PPI_SEVERITY_NOTE, "Which routines ask for their block size is not known");
  ppi_finding_text(&finding, "detail", "%s", why);
  ppi_json_put_string(&finding.out, "override", override_path(doctor));
  ppi_json_put_empty_list(&finding.out, "routines");
  ppi_finding_end(&finding, doctor);
}

static enum perfpred_status try_all(struct trial *trial, struct ppi_routine routines[ROUTINES]) {
  struct perfpred_error fault;
  ppi_error_clear(&fault);
  enum perfpred_status status = make_folder(trial);
  if (status == PERFPRED_IO)
    ppi_error_set(&fault, status, "no folder can be made in TMPDIR: %s", strerror(errno));
  if (status == PERFPRED_OK)
    status = start(trial, &fault);
  if (status == PERFPRED_NO_MEMORY)
    return ppi_error_memory(trial->doctor->error);
  if (status != PERFPRED_OK) {
    tell_untried(trial->doctor, fault.text);
    return PERFPRED_OK;
  }
  for (size_t i = 0; i < ROUTINES && status == PERFPRED_OK; i++) {
    status = ppi_doctor_progress(trial->doctor, "routines", 0.8 + 0.01 * (double)i);
    if (status == PERFPRED_OK)
      status = try_routine(trial, &routines[i]);
  }
  if (status == PERFPRED_OK)
    tell(trial->doctor, routines);
  return status;
}

enum perfpred_status ppi_doctor_routines(struct ppi_doctor *doctor) {
  struct trial trial = { doctor, NULL, NULL, PPI_TEXT_INIT, PPI_TEXT_INIT, NULL, 0 };
  struct ppi_routine routines[ROUTINES];
  enum perfpred_status status = PERFPRED_OK;
  list_routines(routines);
  if (doctor->sampler && doctor->lapack_known) {
    if (access(override_path(doctor), R_OK) != 0)
      tell_untried(doctor, "the override, libperfpred-ilaenv.so, is not installed");
    else if (doctor->told.ilp64)
      tell_untried(doctor, "the LAPACK has integers of 64 bits; the override that is tried has 32");
    else
      status = try_all(&trial, routines);
    end(&trial);
  }
  return status == PERFPRED_OK ? ppi_doctor_table(doctor, routines, ROUTINES) : status;
}
