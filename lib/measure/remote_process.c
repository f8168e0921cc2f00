/* SPDX-License-Identifier: BSD-3-Clause */
/* Starting and ending the worker's process, from hosts with threads and forks, without leaving anything behind. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "measure/remote.h"
#include "measure/remote_environment.h"

#define LOG_BYTES 4096 /* of what libraries print, the first so many are kept */

/* Ends of pipes and memory that go to the worker. They lie above the numbers that they get there, so that moving one
   never hits another. */
struct ends {
  int requests, replies, life;
};

static void close_end(int *descriptor) {
  if (*descriptor >= 0)
    close(*descriptor);
  *descriptor = -1;
}

static int lift(int descriptor) {
  int high = descriptor < 0 ? -1 : fcntl(descriptor, F_DUPFD_CLOEXEC, 16);
  if (descriptor >= 0) {
    int saved = errno;
    close(descriptor);
    errno = saved;
  }
  return high;
}

static bool make_pipe(int *reading, int *writing) {
  int both[2];
  if (pipe2(both, O_CLOEXEC) != 0)
    return false;
  *reading = lift(both[0]);
  *writing = lift(both[1]);
  return *reading >= 0 && *writing >= 0;
}

/* Memory that can neither grow nor shrink: writing beyond its end fails, reading it never faults. */
static int make_memory(const char *name, size_t bytes) {
  int memory = lift(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (memory >= 0 && (ftruncate(memory, (off_t)bytes) != 0 ||
                      fcntl(memory, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0))
    close_end(&memory);
  return memory;
}

static bool make_page(struct ppi_remote_process *process, int *page) {
  *page = make_memory("perfpred-page", sizeof *process->page);
  if (*page < 0)
    return false;
  void *mapped = mmap(NULL, sizeof *process->page, PROT_READ | PROT_WRITE, MAP_SHARED, *page, 0);
  if (mapped == MAP_FAILED)
    return false;
  process->page = mapped;
  return true;
}

static void release(struct ppi_remote_process *process) {
  close_end(&process->requests);
  close_end(&process->replies);
  close_end(&process->life);
  close_end(&process->log);
  if (process->page)
    munmap(process->page, sizeof *process->page);
  *process = (struct ppi_remote_process)PPI_REMOTE_PROCESS_INIT;
}

static int set_files(posix_spawn_file_actions_t *actions, const struct ppi_remote_process *process,
                     const struct ends *ends, int page) {
  const int from[] = { process->log, process->log, ends->requests, ends->replies, page, ends->life };
  int failure = posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0);
  for (int i = 0; i < 6 && failure == 0; i++)
    failure = posix_spawn_file_actions_adddup2(actions, from[i], i + 1);
  return failure;
}

/* The worker starts with no signal blocked or ignored, and in a process group of its own: an interrupt typed at a
   terminal is for the host, which closes its pipes when it ends. */
static int set_attributes(posix_spawnattr_t *attributes) {
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  int failure = posix_spawnattr_setsigmask(attributes, &none);
  if (failure == 0)
    failure = posix_spawnattr_setsigdefault(attributes, &all);
  if (failure == 0)
    failure =
        posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  return failure;
}

static int spawn(struct ppi_remote_process *process, const struct ends *ends, int page, char *path, char **entries) {
  char *const arguments[] = { path, NULL };
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int failure = posix_spawn_file_actions_init(&actions);
  if (failure != 0)
    return failure;
  failure = posix_spawnattr_init(&attributes);
  if (failure == 0) {
    failure = set_files(&actions, process, ends, page);
    if (failure == 0)
      failure = set_attributes(&attributes);
    if (failure == 0)
      failure = posix_spawn(&process->pid, path, &actions, &attributes, arguments, entries);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return failure;
}

static enum perfpred_status spawn_failed(const char *path, int failure, struct perfpred_error *error) {
  if (failure == ENOENT || failure == ENOTDIR)
    return ppi_error_set(error, PERFPRED_MISSING, "worker '%s': no such file (setup.worker, PERFPRED_WORKER)", path);
  if (failure == ENOMEM)
    return ppi_error_memory(error);
  return ppi_error_set(error, PERFPRED_WORKER, "worker '%s': cannot be started: %s", path, strerror(failure));
}

enum perfpred_status ppi_remote_process_start(struct ppi_remote_process *process, const struct ppi_remote_plan *plan,
                                              const char *folder, struct perfpred_error *error) {
  struct ppi_remote_process made = PPI_REMOTE_PROCESS_INIT;
  struct ppi_remote_environment environment;
  struct ends ends = { -1, -1, -1 };
  int page = -1;
  enum perfpred_status status =
      ppi_remote_environment_create(&environment, folder, plan->threads, plan->environment, error);
  if (status != PERFPRED_OK)
    return status;
  made.log = make_memory("perfpred-log", LOG_BYTES);
  if (made.log < 0 || !make_page(&made, &page) || !make_pipe(&ends.requests, &made.requests) ||
      !make_pipe(&made.replies, &ends.replies) || !make_pipe(&ends.life, &made.life)) {
    status = ppi_error_set(error, PERFPRED_WORKER, "pipes to the worker: %s", strerror(errno));
    goto done;
  }
  int failure = spawn(&made, &ends, page, plan->worker, environment.entries);
  if (failure != 0) {
    status = spawn_failed(plan->worker, failure, error);
    goto done;
  }
  made.owner = getpid();
  *process = made;
done:
  close_end(&page);
  close_end(&ends.life);
  close_end(&ends.replies);
  close_end(&ends.requests);
  if (status != PERFPRED_OK)
    release(&made);
  ppi_remote_environment_free(&environment);
  return status;
}

bool ppi_remote_process_alive(const struct ppi_remote_process *process) {
  struct pollfd poller = { process->replies, POLLIN, 0 };
  if (process->pid == 0 || process->owner != getpid())
    return false;
  return poll(&poller, 1, 0) == 0; /* idle workers say nothing: a closed end or a stray message both end it */
}

static void rest(long nanoseconds) {
  struct timespec pause = { 0, nanoseconds };
  nanosleep(&pause, NULL);
}

/* Waits up to patience_s, then kills. False when somebody else has reaped it. */
static bool reap(pid_t pid, double patience_s, int *state) {
  double waited_s = 0.0;
  pid_t got;
  while ((got = waitpid(pid, state, WNOHANG)) == 0 && waited_s < patience_s) {
    rest(1000000);
    waited_s += 1e-3;
  }
  if (got == 0) {
    kill(pid, SIGKILL);
    do
      got = waitpid(pid, state, 0);
    while (got < 0 && errno == EINTR);
  }
  return got == pid;
}

static const char *signal_name(int number) {
  static const struct {
    int number;
    const char *name;
  } names[] = { { SIGSEGV, "SIGSEGV" }, { SIGABRT, "SIGABRT" }, { SIGBUS, "SIGBUS" },   { SIGFPE, "SIGFPE" },
                { SIGILL, "SIGILL" },   { SIGKILL, "SIGKILL" }, { SIGTERM, "SIGTERM" }, { SIGTRAP, "SIGTRAP" } };
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (names[i].number == number)
      return names[i].name;
  return "a signal";
}

/* The last non-empty line that the worker or its libraries printed. */
static void last_words(int log, char *line, size_t size) {
  char text[LOG_BYTES + 1];
  ssize_t length = pread(log, text, LOG_BYTES, 0);
  line[0] = '\0';
  if (length <= 0)
    return;
  text[length] = '\0';
  size_t end = strlen(text);
  while (end > 0 && (text[end - 1] == '\n' || text[end - 1] == ' '))
    end--;
  size_t begin = end;
  while (begin > 0 && text[begin - 1] != '\n')
    begin--;
  snprintf(line, size, "%.*s", (int)(end - begin), text + begin);
}

static void describe(int state, bool reaped, int log, char *how, size_t size) {
  char line[200];
  if (size == 0)
    return;
  if (!reaped)
    snprintf(how, size, "ended");
  else if (WIFSIGNALED(state))
    snprintf(how, size, "was stopped by %s (%d)", signal_name(WTERMSIG(state)), WTERMSIG(state));
  else
    snprintf(how, size, "exited with code %d", WEXITSTATUS(state));
  last_words(log, line, sizeof line);
  size_t used = strlen(how);
  if (line[0])
    snprintf(how + used, size - used, ", last words \"%s\"", line);
}

void ppi_remote_process_stop(struct ppi_remote_process *process, double patience_s, char *how, size_t size) {
  int state = 0;
  if (size > 0)
    how[0] = '\0';
  if (process->pid != 0 && process->owner == getpid()) {
    close_end(&process->requests); /* the idle worker ends at the end of its requests */
    bool reaped = reap(process->pid, patience_s, &state);
    describe(state, reaped, process->log, how, size);
  }
  release(process);
}
