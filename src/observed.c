/* SPDX-License-Identifier: BSD-3-Clause */
#include "observed.h"

#include <perfpred/doctor.h>
#include <perfpred/run.h>

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "message.h"

#define PATH_SIZE 4096
#define NOT_FOUND 127 /* as shells have it */
#define NOT_RUN 126

/* --- The folder of the record ------------------------------------------------------------------------------------- */

static int make_folder(char path[PATH_SIZE]) {
  const char *root = getenv("TMPDIR");
  if (snprintf(path, PATH_SIZE, "%s/perfpred-XXXXXX", root != NULL && root[0] == '/' ? root : "/tmp") >= PATH_SIZE ||
      mkdtemp(path) == NULL)
    return message_fail("'%s' cannot be made: %s; expected TMPDIR to be a folder that can be written into", path,
                        strerror(errno));
  return COMMAND_OK;
}

/* Files alone: nothing that a run could have put there is followed. */
static void remove_folder(const char *path) {
  char file[PATH_SIZE + 300];
  DIR *folder = opendir(path);
  for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
    snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
      unlink(file);
  }
  if (folder != NULL)
    closedir(folder);
  rmdir(path);
}

/* --- The environment ------------------------------------------------------------------------------------------------- */

struct surroundings {
  char *record, **preload; /* of the library */
  char **entries;          /* these, and ours but for those of the same name; borrowed, but for the list */
  size_t added, count;
};

static void take(struct surroundings *surroundings, char *entry) {
  surroundings->entries[surroundings->count++] = entry;
  surroundings->added = surroundings->count;
}

/* Those of our own that are not replaced. */
static void take_own(struct surroundings *surroundings) {
  for (char **entry = environ; *entry != NULL; entry++) {
    size_t length = strcspn(*entry, "=") + 1;
    bool replaced = false;
    for (size_t k = 0; k < surroundings->added && surroundings->entries[k] != NULL; k++)
      replaced = replaced || strncmp(surroundings->entries[k], *entry, length) == 0;
    if (!replaced)
      surroundings->entries[surroundings->count++] = *entry;
  }
}

static size_t count_of(char *const *entries) {
  size_t count = 0;
  while (entries != NULL && entries[count] != NULL)
    count++;
  return count;
}

static int fill(struct surroundings *surroundings) {
  size_t lines = 0;
  for (const char *c = surroundings->record; c != NULL && *c != '\0'; c++)
    lines += *c == '\n';
  surroundings->entries =
      calloc(lines + count_of(surroundings->preload) + count_of(environ) + 1, sizeof *surroundings->entries);
  if (surroundings->record == NULL || surroundings->entries == NULL)
    return message_fail("out of memory");
  for (char *entry = surroundings->record, *end; (end = strchr(entry, '\n')) != NULL; entry = end + 1) {
    *end = '\0';
    take(surroundings, entry);
  }
  for (char **entry = surroundings->preload; entry != NULL && *entry != NULL; entry++)
    take(surroundings, *entry);
  take_own(surroundings);
  return COMMAND_OK;
}

/* A command that cannot have the override is run without, and seen all the same. */
static int surround(struct surroundings *surroundings, const struct options *options, const char *folder) {
  struct perfpred_run_options preloading = PERFPRED_RUN_OPTIONS_INIT;
  struct perfpred_error error;
  preloading.keep_libraries = 1;
  preloading.table = options->decisions;
  if (perfpred_doctor_environment(folder, &surroundings->record, &error) != PERFPRED_OK)
    return message_fail("%s", error.text);
  if (perfpred_run_environment(&preloading, &surroundings->preload, &error) != PERFPRED_OK)
    message_note("without the override: %s", error.text);
  return fill(surroundings);
}

static void release(struct surroundings *surroundings) {
  free(surroundings->entries);
  perfpred_free(surroundings->preload);
  perfpred_free(surroundings->record);
}

/* --- The command ------------------------------------------------------------------------------------------------------ */

/* Signals of the terminal are for the command; this program waits for it, whatever comes. */
struct ignored {
  struct sigaction interrupt, quit;
};

static void ignore(struct ignored *before) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = SIG_IGN;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &before->interrupt);
  sigaction(SIGQUIT, &action, &before->quit);
}

static void restore(const struct ignored *before) {
  sigaction(SIGINT, &before->interrupt, NULL);
  sigaction(SIGQUIT, &before->quit, NULL);
}

/* With the signals as they were for us. */
static int set_signals(posix_spawnattr_t *attributes, const struct ignored *before) {
  sigset_t wanted;
  sigemptyset(&wanted);
  if (before->interrupt.sa_handler != SIG_IGN)
    sigaddset(&wanted, SIGINT);
  if (before->quit.sa_handler != SIG_IGN)
    sigaddset(&wanted, SIGQUIT);
  int failure = posix_spawnattr_setsigdefault(attributes, &wanted);
  return failure != 0 ? failure : posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF);
}

static int spawn(const struct options *options, char **environment, const struct ignored *before, pid_t *pid) {
  char **words = (char **)(void *)options->operands.items; /* NULL behind the last one */
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int failure = posix_spawn_file_actions_init(&actions);
  if (failure != 0)
    return failure;
  failure = posix_spawnattr_init(&attributes);
  if (failure == 0) {
    failure = set_signals(&attributes, before);
    if (failure == 0 && options->json) /* standard output is for the report */
      failure = posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    if (failure == 0)
      failure = posix_spawnp(pid, words[0], &actions, &attributes, words, environment);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return failure;
}

/* Exit code of the command; *ran: it was started. */
static int run_command(const struct options *options, char **environment, bool *ran) {
  struct ignored before;
  pid_t pid = 0, got;
  int state = 0;
  ignore(&before);
  int failure = spawn(options, environment, &before, &pid);
  *ran = failure == 0;
  if (failure != 0) {
    restore(&before);
    message_fail("'%s' cannot be run: %s", options->operands.items[0], strerror(failure));
    return failure == ENOENT ? NOT_FOUND : NOT_RUN;
  }
  do
    got = waitpid(pid, &state, 0);
  while (got < 0 && errno == EINTR);
  restore(&before);
  if (got != pid)
    return message_fail("the end of '%s' was not seen: %s", options->operands.items[0], strerror(errno));
  return WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state);
}

/* --- Together -------------------------------------------------------------------------------------------------------- */

/* The report goes where the command's output is not. */
static int tell_apart(const struct options *options, const char *record,
                      int (*tell)(const struct options *options, const char *record)) {
  int kept = -1;
  if (!options->json) {
    fflush(stdout);
    kept = dup(STDOUT_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
  }
  int result = tell(options, record);
  if (kept >= 0) {
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
  }
  return result;
}

int observed_run(const struct options *options, int (*tell)(const struct options *options, const char *record)) {
  struct surroundings surroundings = { NULL, NULL, NULL, 0, 0 };
  char folder[PATH_SIZE];
  bool ran = false;
  int told = COMMAND_OK, result = make_folder(folder);
  if (result != COMMAND_OK)
    return result;
  result = surround(&surroundings, options, folder);
  if (result == COMMAND_OK)
    result = run_command(options, surroundings.entries, &ran);
  if (ran)
    told = tell_apart(options, folder, tell);
  release(&surroundings);
  remove_folder(folder);
  return result != COMMAND_OK ? result : told;
}
