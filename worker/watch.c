/* SPDX-License-Identifier: BSD-3-Clause */
/* Events of another process, of all of its threads, read at intervals while it runs. */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "counters.h"
#include "worker.h"

#define NO_SET (-1)
#define COMPONENT "perf_event" /* of PAPI: the one that counts for processes */

/* One that is counted, by a set of its own. */
struct thread {
  int64_t id;
  int set;
  bool listed;                       /* when its process was looked at last: it runs */
  long long before[PPI_APEX_EVENTS]; /* what it read last */
};

struct watch {
  struct worker *worker;
  const struct ppi_papi *papi;
  struct ppi_watch asked;
  struct thread *threads;
  size_t thread_count, thread_capacity;
  struct ppi_watch_sample *samples;
  size_t count, capacity;
};

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void rest(double seconds) {
  struct timespec left = { (time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds)) };
  while (nanosleep(&left, &left) != 0 && errno == EINTR)
    continue;
}

/* One that has ended and that nobody has asked for yet is gone, too. */
static bool is_running(int64_t pid) {
  char path[64], line[512];
  snprintf(path, sizeof path, "/proc/%lld/stat", (long long)pid);
  FILE *file = fopen(path, "re");
  if (!file)
    return false;
  bool read = fgets(line, sizeof line, file) != NULL;
  fclose(file);
  const char *state = read ? strrchr(line, ')') : NULL; /* the name before it may hold anything */
  return state && state[1] == ' ' && state[2] != 'Z' && state[2] != 'X';
}

static enum perfpred_status refuse(const struct watch *watch, const char *what, int result,
                                   struct perfpred_error *error) {
  return ppi_error_set(error, PERFPRED_UNSUPPORTED, "process %lld: %s: %s", (long long)watch->asked.pid, what,
                       watch->papi->text(result));
}

/* --- Threads ------------------------------------------------------------------------------------------------------- */

static enum perfpred_status add_events(const struct watch *watch, int set, struct perfpred_error *error) {
  for (int i = 0; i < PPI_APEX_EVENTS; i++) {
    int code = 0;
    int result = watch->papi->find(watch->asked.events[i], &code);
    if (result == PPI_PAPI_OK)
      result = watch->papi->add(set, code);
    if (result != PPI_PAPI_OK) {
      char what[PPI_COUNTER_NAME_MAX + 40];
      snprintf(what, sizeof what, "event %s cannot be counted here", watch->asked.events[i]);
      return refuse(watch, what, result, error);
    }
  }
  return PERFPRED_OK;
}

static enum perfpred_status start_set(const struct watch *watch, int64_t id, int set, struct perfpred_error *error) {
  int result = watch->papi->attach(set, (unsigned long)id);
  if (result != PPI_PAPI_OK)
    return refuse(watch, "it cannot be attached to", result, error);
  enum perfpred_status status = add_events(watch, set, error);
  if (status != PERFPRED_OK)
    return status;
  result = watch->papi->start(set);
  return result == PPI_PAPI_OK ? PERFPRED_OK : refuse(watch, "counting cannot be started", result, error);
}

static struct thread *room_for_thread(struct watch *watch) {
  if (watch->thread_count == watch->thread_capacity) {
    const size_t capacity = 2 * watch->thread_capacity + 8;
    struct thread *grown = realloc(watch->threads, capacity * sizeof *grown);
    if (!grown)
      return NULL;
    watch->threads = grown;
    watch->thread_capacity = capacity;
  }
  return &watch->threads[watch->thread_count];
}

static enum perfpred_status add_thread(struct watch *watch, int64_t id, struct perfpred_error *error) {
  struct thread *thread = room_for_thread(watch);
  if (!thread)
    return ppi_error_memory(error);
  *thread = (struct thread){ .id = id, .set = NO_SET, .listed = true };
  int result = watch->papi->create(&thread->set);
  if (result != PPI_PAPI_OK)
    return refuse(watch, "events cannot be counted here", result, error);
  enum perfpred_status status = start_set(watch, id, thread->set, error);
  if (status != PERFPRED_OK)
    watch->papi->destroy(&thread->set);
  else
    watch->thread_count++;
  return status;
}

static void drop_thread(struct watch *watch, size_t place) {
  long long ignored[PPI_APEX_EVENTS];
  struct thread *thread = &watch->threads[place];
  watch->papi->stop(thread->set, ignored);
  watch->papi->destroy(&thread->set);
  *thread = watch->threads[--watch->thread_count];
}

static bool is_there(const struct watch *watch, int64_t id) {
  char path[80];
  snprintf(path, sizeof path, "/proc/%lld/task/%lld/stat", (long long)watch->asked.pid, (long long)id);
  FILE *file = fopen(path, "re");
  if (file)
    fclose(file);
  return file != NULL;
}

/* A thread that could not be taken may have ended meanwhile, which is no failure; but one that runs uncounted would be. */
static enum perfpred_status meet_thread(struct watch *watch, int64_t id, struct perfpred_error *error) {
  for (size_t i = 0; i < watch->thread_count; i++)
    if (watch->threads[i].id == id) {
      watch->threads[i].listed = true;
      return PERFPRED_OK;
    }
  enum perfpred_status status = add_thread(watch, id, error);
  if (status == PERFPRED_UNSUPPORTED && watch->thread_count > 0 && !is_there(watch, id)) {
    ppi_error_clear(error);
    return PERFPRED_OK;
  }
  return status;
}

/* Takes those in that are new, and marks those that are still there. */
static enum perfpred_status list_threads(struct watch *watch, struct perfpred_error *error) {
  char path[64];
  enum perfpred_status status = PERFPRED_OK;
  for (size_t i = 0; i < watch->thread_count; i++)
    watch->threads[i].listed = false;
  snprintf(path, sizeof path, "/proc/%lld/task", (long long)watch->asked.pid);
  DIR *folder = opendir(path);
  if (!folder) /* the process is gone, or its threads are not shown: it is its own first one */
    return watch->thread_count == 0 ? add_thread(watch, watch->asked.pid, error) : PERFPRED_OK;
  for (struct dirent *entry; status == PERFPRED_OK && (entry = readdir(folder)) != NULL;)
    if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9')
      status = meet_thread(watch, strtoll(entry->d_name, NULL, 10), error);
  closedir(folder);
  return status;
}

/* What all threads did since the last reading. Those that have ended are read a last time. False: none can be read. */
static bool read_threads(struct watch *watch, long long sums[PPI_APEX_EVENTS]) {
  bool read = false;
  memset(sums, 0, PPI_APEX_EVENTS * sizeof *sums);
  for (size_t i = watch->thread_count; i-- > 0;) {
    struct thread *thread = &watch->threads[i];
    long long after[PPI_APEX_EVENTS] = { 0 };
    const bool well = watch->papi->read(thread->set, after) == PPI_PAPI_OK;
    for (int event = 0; well && event < PPI_APEX_EVENTS; event++) {
      sums[event] += after[event] - thread->before[event];
      thread->before[event] = after[event];
    }
    read = read || well;
    if (!well || !thread->listed)
      drop_thread(watch, i);
  }
  return read;
}

static enum perfpred_status begin(struct watch *watch, struct perfpred_error *error) {
  const char *disabled = watch->papi->disabled(COMPONENT);
  if (disabled && disabled[0])
    return ppi_error_set(error, PERFPRED_UNSUPPORTED, "process %lld: no counters can be read here: %s",
                         (long long)watch->asked.pid, disabled);
  return list_threads(watch, error);
}

/* --- Samples ------------------------------------------------------------------------------------------------------- */

static enum perfpred_status keep(struct watch *watch, double time_s, const long long *counts,
                                 struct perfpred_error *error) {
  if (watch->count == watch->capacity) {
    size_t capacity = watch->capacity ? 2 * watch->capacity : 64;
    struct ppi_watch_sample *grown =
        capacity <= PPI_WATCH_SAMPLES_MAX ? realloc(watch->samples, capacity * sizeof *grown) : NULL;
    if (!grown)
      return ppi_error_memory(error);
    watch->samples = grown;
    watch->capacity = capacity;
  }
  struct ppi_watch_sample *sample = &watch->samples[watch->count++];
  sample->time_s = time_s;
  for (int i = 0; i < PPI_APEX_EVENTS; i++)
    sample->counts[i] = (double)counts[i];
  return PERFPRED_OK;
}

static enum perfpred_status look(struct watch *watch, struct perfpred_error *error) {
  long long counts[PPI_APEX_EVENTS];
  const double start_s = now_s();
  double last_s = start_s;
  enum perfpred_status status = PERFPRED_OK;
  while (status == PERFPRED_OK) {
    struct perfpred_progress progress = { .size = sizeof progress, .stage = "watching" };
    ppi_page_enter(watch->worker->page, "watch"); /* a sign of life */
    rest(watch->asked.interval_s);
    bool running = is_running(watch->asked.pid);
    double time_s = now_s();
    status = list_threads(watch, error);
    if (status != PERFPRED_OK || !read_threads(watch, counts))
      break; /* without a reading it has ended */
    status = keep(watch, time_s - last_s, counts, error);
    last_s = time_s;
    progress.samples = watch->count;
    progress.elapsed_s = time_s - start_s;
    progress.fraction = watch->asked.duration_s > 0.0 ? progress.elapsed_s / watch->asked.duration_s : 0.0;
    if (!running || (watch->asked.duration_s > 0.0 && progress.elapsed_s >= watch->asked.duration_s))
      break;
    if (worker_progress(watch->worker, &progress) != 0)
      status = ppi_error_set(error, PERFPRED_CANCELLED, "cancelled by the caller while watching");
  }
  ppi_page_leave(watch->worker->page);
  return status;
}

static enum perfpred_status run(struct watch *watch, struct perfpred_error *error) {
  if (!is_running(watch->asked.pid))
    return ppi_error_set(error, PERFPRED_NOT_FOUND, "process %lld: there is none", (long long)watch->asked.pid);
  int result = watch->papi->start_up();
  if (result != PPI_PAPI_OK)
    return refuse(watch, "PAPI does not start", result, error);
  enum perfpred_status status = begin(watch, error);
  if (status == PERFPRED_OK)
    status = look(watch, error);
  while (watch->thread_count > 0)
    drop_thread(watch, watch->thread_count - 1);
  watch->papi->shut_down();
  return status;
}

enum perfpred_status worker_watch(struct worker *worker, struct perfpred_error *error) {
  struct watch watch = { .worker = worker, .papi = worker_papi() };
  ppi_get_watch(&worker->in, &watch.asked);
  if (worker->in.bad)
    return worker_unreadable(error);
  if (!watch.papi)
    return ppi_error_set(error, PERFPRED_UNSUPPORTED, "events cannot be counted: the worker was built without PAPI");
  enum perfpred_status status = run(&watch, error);
  if (status == PERFPRED_OK) {
    ppi_wire_start(&worker->out, PPI_MESSAGE_DONE);
    ppi_wire_put_bytes(&worker->out, watch.samples, watch.count * sizeof *watch.samples);
  }
  free(watch.threads);
  free(watch.samples);
  return status;
}
