/* SPDX-License-Identifier: BSD-3-Clause */
/* perfpred doctor: which BLAS and LAPACK a program gets, and what is the matter with them. */
#include <perfpred/doctor.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "diagnosis.h"
#include "observed.h"
#include "progress.h"
#include "session.h"

static struct perfpred_setup setup_of(const struct options *options) {
  struct perfpred_setup setup = PERFPRED_SETUP_INIT;
  setup.blas = options->blas;
  setup.lapack = options->lapack;
  setup.threads = (int)options->threads;
  setup.worker = options->worker;
  setup.environment = options->environment.items;
  setup.yardstick_s = options->yardstick_s;
  return setup;
}

/* record: of a run, or NULL. */
static int diagnose(const struct options *options, const char *record) {
  struct perfpred_doctor_options asked = PERFPRED_DOCTOR_OPTIONS_INIT;
  struct perfpred_setup setup = setup_of(options);
  struct progress progress;
  struct session session;
  char *json;
  int result = session_open(&session, options);
  asked.setup = &setup;
  asked.program = options->program;
  asked.pid = options->pid;
  asked.record = record;
  asked.table = options->decisions;
  asked.no_measure = options->no_measure;
  asked.budget_s = options->budget_s;
  asked.progress = progress_step;
  asked.progress_data = &progress;
  if (result == COMMAND_OK) {
    progress_begin(&progress, "doctor");
    enum perfpred_status status = perfpred_doctor(session.context, &asked, &json, &session.error);
    progress_end(&progress);
    if (status == PERFPRED_OK)
      result = diagnosis_print(json, options->json);
    else
      result = session_fail(&session);
    if (status == PERFPRED_OK)
      perfpred_free(json);
  }
  session_close(&session);
  return result;
}

static int run(const struct options *options) {
  if (options->program != NULL && options->pid != 0)
    return message_misuse("'doctor': --program and --pid: expected one of them");
  if (options->operands.count == 0)
    return diagnose(options, NULL);
  if (options->program != NULL || options->pid != 0)
    return message_misuse("'doctor': a command to run and %s: expected one of them",
                          options->program != NULL ? "--program" : "--pid");
  return observed_run(options, diagnose);
}

const struct command command_doctor = {
  .name = "doctor",
  .synopsis = "[--program PATH | --pid N | -- COMMAND [ARGUMENT ...]] [--blas PATH] [--lapack PATH] [--threads T] "
              "[--env NAME=VALUE] [--table FILE] [--budget SECONDS] [--no-measure] [--json]",
  .summary = "Which BLAS and LAPACK a program gets, what they make of this machine, what would do better",
  .details =
      "Without --program, --pid and COMMAND it looks at the libraries that perfpred measures. --program reads what a\n"
      "program would load, --pid what a process has loaded; COMMAND is run, with the override in front of its LAPACK,\n"
      "and what it loads and asks is told on standard error when it has ended, with --json on standard output\n"
      "(its own output is then on standard error). The exit code is that of COMMAND.\n\n"
      "Findings are explained in doc/doctor.md.\n",
  .takes = TAKES_SETUP | TAKES_BUDGET | TAKES_DOCTOR | TAKES_COMMAND,
  .operands_max = SIZE_MAX,
  .run = run,
};
