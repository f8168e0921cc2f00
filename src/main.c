/* SPDX-License-Identifier: BSD-3-Clause */
/* perfpred: the library from the shell. */
#include <perfpred/common.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "message.h"
#include "suggest.h"

static const struct command *const commands[] = {
  &command_machine, &command_doctor, &command_kernels,  &command_algorithms, &command_generate, &command_model,
  &command_predict, &command_rank,   &command_tune,     &command_measure,    &command_sample,   &command_validate,
  &command_drift,   &command_plot,   &command_table,    &command_run,        &command_apex,     &command_cache,
  &command_timings, &command_misses, &command_contract,
};
#define COMMANDS (sizeof commands / sizeof commands[0])

/* A standard descriptor that is closed would be given to the next file that is opened, and be written into. The stand-in
   for standard output cannot be written, so that a lost result stays an error. */
static void guard_descriptors(void) {
  static const int modes[] = { O_RDONLY, O_RDONLY, O_WRONLY };
  for (int i = 0; i < 3; i++) {
    if (fcntl(i, F_GETFD) == -1 && errno == EBADF && open("/dev/null", modes[i]) != i)
      return;
  }
}

static void print_usage(FILE *stream) {
  fprintf(stream, "usage: perfpred SUBCOMMAND ...\n\n"
                  "How long will dense linear algebra take, and which way of doing it is the fastest?\n\n");
  for (size_t i = 0; i < COMMANDS; i++)
    fprintf(stream, "  %-11s %s\n", commands[i]->name, commands[i]->summary);
  fprintf(stream, "  %-11s %s\n\n", "help", "The help of a subcommand: perfpred help SUBCOMMAND");
  fprintf(stream, "A first round, about a minute on one core:\n"
                  "  perfpred generate --for chol-l -o chol.json -n 8:1024 -b 8:256 --budget 60\n"
                  "  perfpred rank chol-l -m chol.json n=1000 b=128\n"
                  "  perfpred tune chol-l-3 -m chol.json n=1000\n\n"
                  "Every subcommand takes --json and --help. Exit code: 0 done, 1 failed, 2 wrong usage.\n");
}

static void print_help(const struct command *command) {
  printf("usage: perfpred %s %s\n\n%s.\n\n", command->name, command->synopsis, command->summary);
  options_print(command);
  if (command->details != NULL)
    printf("\n%s", command->details);
}

static const struct command *find(const char *name) {
  for (size_t i = 0; i < COMMANDS; i++) {
    if (strcmp(commands[i]->name, name) == 0)
      return commands[i];
  }
  return NULL;
}

static int unknown(const char *name) {
  struct suggestion suggestion;
  bool option = name[0] == '-';
  suggest_begin(&suggestion, name);
  if (option) {
    suggest_offer(&suggestion, "--help");
    suggest_offer(&suggestion, "--version");
    return message_misuse("no option '%s' before a subcommand%s; 'perfpred --help' explains", name,
                          suggest_text(&suggestion, ""));
  }
  for (size_t i = 0; i < COMMANDS; i++)
    suggest_offer(&suggestion, commands[i]->name);
  suggest_offer(&suggestion, "help");
  return message_misuse("no subcommand '%s'%s; 'perfpred help' lists them", name, suggest_text(&suggestion, ""));
}

static int help(int count, char **words) {
  if (count == 0) {
    print_usage(stdout);
    return COMMAND_OK;
  }
  if (count > 1)
    return message_misuse("'help': unexpected '%s'; expected one subcommand", words[1]);
  const struct command *command = find(words[0]);
  if (command == NULL)
    return unknown(words[0]);
  print_help(command);
  return COMMAND_OK;
}

static int run(const struct command *command, int count, char **words) {
  struct options options;
  int result = options_parse(command, count, words, &options);
  if (result == COMMAND_OK && options.help)
    print_help(command);
  else if (result == COMMAND_OK)
    result = command->run(&options);
  options_end(&options);
  return result;
}

static int dispatch(int count, char **words) {
  if (count == 0) {
    print_usage(stderr);
    return COMMAND_MISUSED;
  }
  if (strcmp(words[0], "--version") == 0 && count > 1)
    return message_misuse("'--version': unexpected '%s'; expected nothing behind it", words[1]);
  if (strcmp(words[0], "--version") == 0) {
    printf("perfpred %s\n", perfpred_version());
    return COMMAND_OK;
  }
  if (strcmp(words[0], "help") == 0 || strcmp(words[0], "--help") == 0 || strcmp(words[0], "-h") == 0)
    return help(count - 1, words + 1);
  const struct command *command = find(words[0]);
  return command == NULL ? unknown(words[0]) : run(command, count - 1, words + 1);
}

/* Output that never arrived is a failure, whatever was computed. What a failed write said is lost where nothing is left to be
   flushed: a line more, behind output that is broken anyway, fails for the same cause. */
static int finish(int result) {
  bool failed = ferror(stdout) != 0;
  errno = 0;
  failed = fflush(stdout) != 0 || failed;
  if (failed && result == COMMAND_OK && errno == 0 && write(STDOUT_FILENO, "\n", 1) == 1)
    errno = 0;
  if (failed && result == COMMAND_OK)
    return message_fail("standard output cannot be written: %s", errno != 0 ? strerror(errno) : "an earlier error");
  return result;
}

int main(int argc, char **argv) {
  guard_descriptors();
  signal(SIGXFSZ, SIG_IGN); /* a write beyond the limit on files fails with a number like any other, and is told */
  return finish(dispatch(argc - 1, argv + 1));
}
