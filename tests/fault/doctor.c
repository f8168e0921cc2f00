/* SPDX-License-Identifier: BSD-3-Clause */
/* Allocations fail in turn while the doctor looks at a made-up program, at this process, and at the record of a run. There is no worker. */
#include <stdlib.h>

#include "fake_elf.h"
#include "fault.h"
#include "scratch.h"

static struct perfpred_context *context;
static struct scratch scratch;
static char program[256], record[256], blas[256];

static enum perfpred_status look(struct perfpred_doctor_options *options, struct perfpred_error *error) {
  struct perfpred_setup setup = PERFPRED_SETUP_INIT;
  char *json = NULL;
  setup.worker = "/nowhere/perfpred-worker";
  setup.blas = setup.lapack = options->program || options->pid || options->record ? NULL : blas;
  options->setup = &setup;
  options->no_measure = 1;
  options->table = "/nowhere/lapack.table";
  enum perfpred_status status = perfpred_doctor(context, options, &json, error);
  if (status && json)
    fault_touched("json");
  if (!status && (!strstr(json, "\"findings\"") || !strstr(json, "\"environment\"")))
    fault_touched("the report lacks a finding");
  perfpred_free(json);
  return status;
}

static enum perfpred_status look_at_program(struct perfpred_error *error) {
  struct perfpred_doctor_options options = PERFPRED_DOCTOR_OPTIONS_INIT;
  options.program = program;
  return look(&options, error);
}

static enum perfpred_status look_at_process(struct perfpred_error *error) {
  struct perfpred_doctor_options options = PERFPRED_DOCTOR_OPTIONS_INIT;
  options.pid = getpid();
  return look(&options, error);
}

static enum perfpred_status look_at_run(struct perfpred_error *error) {
  struct perfpred_doctor_options options = PERFPRED_DOCTOR_OPTIONS_INIT;
  options.record = record;
  return look(&options, error);
}

static enum perfpred_status look_at_setup(struct perfpred_error *error) {
  struct perfpred_doctor_options options = PERFPRED_DOCTOR_OPTIONS_INIT;
  return look(&options, error);
}

static enum perfpred_status environment(struct perfpred_error *error) {
  char *entries = NULL;
  enum perfpred_status status = perfpred_doctor_environment("/tmp/folder", &entries, error);
  if (status && entries)
    fault_touched("entries");
  perfpred_free(entries);
  return status;
}

static void put_files(void) {
  const struct fake_elf asks = { .interpreter = "/x",
                                 .runpath = "$ORIGIN",
                                 .needed = { "liblapack.so.3", "libnone.so" } };
  const struct fake_elf lapack = { .runpath = "$ORIGIN",
                                   .needed = { "libblas.so.3" },
                                   .defines = { "dpotrf_", "ilaenv_" } };
  const struct fake_elf plain = { .defines = { "dgemm_" } };
  char notes[1024];
  snprintf(program, sizeof program, "%s/program", scratch.root);
  snprintf(record, sizeof record, "%s/record", scratch.root);
  snprintf(blas, sizeof blas, "%s/libblas.so.3", scratch.root);
  fake_elf_write(program, &asks);
  fake_elf_write(scratch_path(&scratch, "/liblapack.so.3"), &lapack);
  fake_elf_write(blas, &plain);
  snprintf(notes, sizeof notes,
           "    12:\tfile=libblas.so.3 [0];  generating link map\n    12:\tcalling init: %s\n"
           "    12:\tinitialize program: demo\n",
           blas);
  scratch_put(&scratch, "/record/loaded.12", notes);
  scratch_put(&scratch, "/record/questions", "1 DPOTRF L 9 -1 -1 -1 64 stock\n2 DGEQRF - 9 9 -1 -1 2 table\n");
}

int main(void) {
  struct tap tap = { 0, 0 };
  struct perfpred_error error;
  scratch_begin(&scratch);
  put_files();
  enum perfpred_status status = perfpred_context_create(&context, &error);
  tap_case(&tap, !status, "set up%s%s", status ? ": " : "", status ? error.text : "");
  if (!status) {
    fault_check(&tap, "doctor: program", look_at_program);
    fault_check(&tap, "doctor: process", look_at_process);
    fault_check(&tap, "doctor: run", look_at_run);
    fault_check(&tap, "doctor: setup", look_at_setup);
    fault_check(&tap, "doctor: environment of a run", environment);
  }
  perfpred_context_destroy(context);
  scratch_end(&scratch);
  return tap_finish(&tap);
}
