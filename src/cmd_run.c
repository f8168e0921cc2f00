/* SPDX-License-Identifier: BSD-3-Clause */
/* perfpred run: an unmodified program on chosen libraries, with block sizes from a decision table. */
#include <perfpred/run.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "message.h"

/* As of env, nohup and others that end as the command that they begin. */
enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127 };

static int set_environment(char **entries) {
  bool has_table = false;
  for (; *entries != NULL; entries++) {
    has_table = has_table || strncmp(*entries, "PERFPRED_TABLE=", 15) == 0;
    if (putenv(*entries) != 0)
      return message_fail("out of memory");
  }
  if (!has_table)
    message_note("no decision table: block sizes stay LAPACK's own; 'perfpred generate --for lapack' makes one");
  return COMMAND_OK;
}

static int execute(const struct words *words) {
  char **command = (char **)words->items; /* execvp changes nothing of it */
  execvp(command[0], command);
  int failure = errno;
  message_fail("'%s' cannot be run: %s", command[0], failure == ENOENT ? "no such command" : strerror(failure));
  return failure == ENOENT ? NOT_FOUND : NOT_EXECUTABLE;
}

static int run(const struct options *options) {
  struct perfpred_run_options setup = PERFPRED_RUN_OPTIONS_INIT;
  struct perfpred_error error;
  char **entries;
  if (options->json)
    return message_misuse("'run' prints nothing of its own: it has no use for --json");
  if (options->keep_libraries && (options->blas != NULL || options->lapack != NULL || options->preload_libraries))
    return message_misuse(
        "option --keep-libraries: expected neither --blas, --lapack nor --preload-libraries beside it");
  setup.blas = options->blas;
  setup.lapack = options->lapack;
  setup.table = options->decisions;
  setup.keep_libraries = options->keep_libraries;
  setup.force = options->force;
  setup.preload_libraries = options->preload_libraries;
  if (perfpred_run_environment(&setup, &entries, &error) != PERFPRED_OK)
    return message_fail("%s", error.text);
  /* the entries belong to the environment from here on */
  int result = set_environment(entries);
  return result == COMMAND_OK ? execute(&options->operands) : result;
}

const struct command command_run = {
  .name = "run",
  .synopsis = "[--blas PATH] [--lapack PATH] [--keep-libraries] [--preload-libraries] [--table FILE] [--force] [--] "
              "COMMAND [WORD ...]",
  .summary = "Run a program on chosen libraries, with block sizes from a decision table",
  .details = "COMMAND takes the place of perfpred: its exit code is COMMAND's, 127 where there is none, 126 where it\n"
             "cannot be run. What stands behind COMMAND belongs to it.\n"
             "PERFPRED_VERBOSE=1 shows on standard error which questions LAPACK asks and what is answered.\n",
  .takes = TAKES_COMMAND | TAKES_RUN,
  .operands_min = 1,
  .operands_max = (size_t)-1,
  .run = run,
};
