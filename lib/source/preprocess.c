/* SPDX-License-Identifier: BSD-3-Clause */
/* Running the preprocessor from hosts with threads, children and signals of their own. What it writes goes to memory that needs no
   reader, so nothing can block; a time limit ends it together with its children. */
#include "source/preprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAUSE_NS 1000000

struct run {
  const char *path;
  const struct ppi_preprocess *how;
  char **arguments;
  int output, messages; /* memory files */
  pid_t pid;
};

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Above the numbers that the child uses, so that moving one never hits another. */
static int make_memory(void) {
  const int low = memfd_create("perfpred-source", MFD_CLOEXEC);
  const int high = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, 16);
  if (low >= 0)
    close(low);
  return high;
}

/* compiler -E options path. The file's name is made one that is no option. */
static enum perfpred_status make_arguments(struct run *run, char **plain, struct perfpred_error *error) {
  const struct ppi_preprocess *how = run->how;
  const size_t length = strlen(run->path);
  size_t at = 0;
  run->arguments = calloc(how->option_count + 4, sizeof *run->arguments);
  *plain = malloc(length + 3);
  if (!run->arguments || !*plain)
    return ppi_error_memory(error);
  strcpy(*plain, run->path[0] == '-' ? "./" : "");
  strcat(*plain, run->path);
  run->arguments[at++] = (char *)how->compiler; /* exec takes them as they are */
  run->arguments[at++] = (char *)"-E";
  for (size_t i = 0; i < how->option_count; i++)
    run->arguments[at++] = (char *)how->options[i];
  run->arguments[at] = *plain;
  return PERFPRED_OK;
}

static int set_files(posix_spawn_file_actions_t *actions, const struct run *run) {
  int failure = posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0);
  if (failure == 0)
    failure = posix_spawn_file_actions_adddup2(actions, run->output, 1);
  return failure != 0 ? failure : posix_spawn_file_actions_adddup2(actions, run->messages, 2);
}

/* No signal blocked or ignored, and a process group of its own, so that its children can be ended with it. */
static int set_attributes(posix_spawnattr_t *attributes) {
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  int failure = posix_spawnattr_setsigmask(attributes, &none);
  if (failure == 0)
    failure = posix_spawnattr_setsigdefault(attributes, &all);
  if (failure != 0)
    return failure;
  return posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
}

static int spawn(struct run *run) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int failure = posix_spawn_file_actions_init(&actions);
  if (failure != 0)
    return failure;
  failure = posix_spawnattr_init(&attributes);
  if (failure == 0) {
    failure = set_files(&actions, run);
    if (failure == 0)
      failure = set_attributes(&attributes);
    if (failure == 0)
      failure = posix_spawnp(&run->pid, run->how->compiler, &actions, &attributes, run->arguments, environ);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return failure;
}

static enum perfpred_status start(struct run *run, struct perfpred_error *error) {
  run->output = make_memory();
  run->messages = make_memory();
  if (run->output < 0 || run->messages < 0)
    return ppi_error_set(error, PERFPRED_IO, "memory for the output of '%s': %s", run->how->compiler, strerror(errno));
  const int failure = spawn(run);
  if (failure == 0)
    return PERFPRED_OK;
  run->pid = 0;
  if (failure == ENOMEM)
    return ppi_error_memory(error);
  return ppi_error_set(error, failure == ENOENT || failure == ENOTDIR ? PERFPRED_MISSING : PERFPRED_IO,
                       "compiler '%s' cannot be started: %s", run->how->compiler, strerror(failure));
}

static bool is_too_long(const struct run *run) {
  struct stat state;
  return fstat(run->output, &state) == 0 && state.st_size > PPI_SOURCE_BYTES_MAX;
}

/* Ends it and what it has started. */
static void end(struct run *run) {
  kill(-run->pid, SIGKILL);
  while (waitpid(run->pid, NULL, 0) < 0 && errno == EINTR)
    ;
  run->pid = 0;
}

/* *state: as waitpid tells; 0 where the host does not want to know how its children end. */
static enum perfpred_status wait_for(struct run *run, int *state, struct perfpred_error *error) {
  const double end_s = now_s() + run->how->timeout_s;
  const struct timespec pause = { 0, PAUSE_NS };
  pid_t got;
  *state = 0;
  while ((got = waitpid(run->pid, state, WNOHANG)) == 0 || (got < 0 && errno == EINTR)) {
    const bool late = now_s() > end_s;
    if (late || is_too_long(run)) {
      end(run);
      return ppi_error_set(error, late ? PERFPRED_TIMEOUT : PERFPRED_LIMIT,
                           late ? "'%s -E' of '%s' takes longer than %g s" : "'%s -E' of '%s' writes too much",
                           run->how->compiler, run->path, run->how->timeout_s);
    }
    nanosleep(&pause, NULL);
  }
  run->pid = 0;
  return PERFPRED_OK;
}

/* The first line that speaks of an error, else the first one. */
static void first_words(int messages, char *line, size_t size) {
  char text[4096];
  const ssize_t length = pread(messages, text, sizeof text - 1, 0);
  text[length > 0 ? length : 0] = '\0';
  const char *fault = strstr(text, "error:");
  while (fault && fault > text && fault[-1] != '\n')
    fault--;
  const char *begin = fault ? fault : text;
  const size_t end = strcspn(begin, "\n");
  const size_t kept = end < size ? end : size - 1;
  memcpy(line, begin, kept);
  line[kept] = '\0';
}

static enum perfpred_status failed(const struct run *run, int state, struct perfpred_error *error) {
  char line[300];
  first_words(run->messages, line, sizeof line);
  if (WIFSIGNALED(state))
    return ppi_error_set(error, PERFPRED_IO, "'%s -E' of '%s' was stopped by signal %d", run->how->compiler, run->path,
                         WTERMSIG(state));
  return ppi_error_set(error, PERFPRED_IO, "'%s -E' of '%s' failed with code %d%s%s", run->how->compiler, run->path,
                       WEXITSTATUS(state), line[0] ? ": " : "", line);
}

static enum perfpred_status take_output(const struct run *run, char **text, size_t *length,
                                        struct perfpred_error *error) {
  struct stat state;
  if (fstat(run->output, &state) != 0)
    return ppi_error_set(error, PERFPRED_IO, "output of '%s': %s", run->how->compiler, strerror(errno));
  if (state.st_size > PPI_SOURCE_BYTES_MAX)
    return ppi_error_set(error, PERFPRED_LIMIT, "'%s -E' of '%s' writes too much", run->how->compiler, run->path);
  const size_t size = (size_t)state.st_size;
  char *read = malloc(size + 1);
  if (!read)
    return ppi_error_memory(error);
  size_t done = 0;
  ssize_t got = 1;
  while (done < size && got > 0) {
    got = pread(run->output, read + done, size - done, (off_t)done);
    done += got > 0 ? (size_t)got : 0;
  }
  read[done] = '\0';
  *text = read;
  *length = done;
  return PERFPRED_OK;
}

enum perfpred_status ppi_preprocess(const char *path, const struct ppi_preprocess *how, char **text, size_t *length,
                                    struct perfpred_error *error) {
  struct run run = { .path = path, .how = how, .output = -1, .messages = -1 };
  char *plain = NULL;
  int state = 0;
  if (access(path, R_OK) != 0)
    return ppi_error_set(error, errno == ENOENT || errno == ENOTDIR ? PERFPRED_MISSING : PERFPRED_IO, "'%s': %s", path,
                         strerror(errno));
  enum perfpred_status status = make_arguments(&run, &plain, error);
  if (!status)
    status = start(&run, error);
  if (!status)
    status = wait_for(&run, &state, error);
  if (!status && state != 0)
    status = failed(&run, state, error);
  if (!status)
    status = take_output(&run, text, length, error);
  if (run.messages >= 0)
    close(run.messages);
  if (run.output >= 0)
    close(run.output);
  free(run.arguments);
  free(plain);
  return status;
}
