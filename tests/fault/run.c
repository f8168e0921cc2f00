/* SPDX-License-Identifier: BSD-3-Clause */
/* The environment of programs under the override. This program stands for the libraries: they only have to be files of that kind. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perfpred/run.h>

#include "fault.h"
#include "ilaenv/sample.h"

static char folder[] = "/tmp/perfpred-fault-XXXXXX";
static char path[64];

static enum perfpred_status prepare(struct perfpred_error *error) {
  static char sentinel;
  char **const untouched = (char **)(void *)&sentinel;
  struct perfpred_run_options options = PERFPRED_RUN_OPTIONS_INIT;
  char **entries = untouched;
  options.override_library = options.blas = options.lapack = "/proc/self/exe";
  options.table = path;
  options.force = options.preload_libraries = 1;
  enum perfpred_status status = perfpred_run_environment(&options, &entries, error);
  if (status && entries != untouched)
    fault_touched("entries");
  if (status)
    return status;
  int count = 0;
  while (entries[count])
    count++;
  if (count != 4) /* LD_LIBRARY_PATH, LD_PRELOAD, PERFPRED_TABLE, PERFPRED_FORCE */
    fault_touched("number of entries");
  perfpred_free(entries);
  return PERFPRED_OK;
}

static bool write_table(void) {
  static struct sample sample;
  sample_make(&sample, NULL, 0);
  FILE *file = fopen(path, "w");
  return file && fwrite(sample.bytes, 1, sample.length, file) == sample.length && fclose(file) == 0;
}

int main(void) {
  struct tap tap = { 0, 0 };
  char command[100];
  if (!mkdtemp(folder))
    return 2;
  snprintf(path, sizeof path, "%s/table", folder);
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  tap_case(&tap, write_table() && setenv("XDG_CACHE_HOME", folder, 1) == 0, "set up");
  fault_check(&tap, "run: environment", prepare);
  tap_case(&tap, system(command) == 0, "removed");
  return tap_finish(&tap);
}
