/* SPDX-License-Identifier: BSD-3-Clause */
/* Events of another process, read at intervals while it runs. */
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

struct watch {
  struct worker *worker;
  const struct ppi_papi *papi;
  struct ppi_watch asked;
  int set;
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

static enum perfpred_status add_events(struct watch *watch, struct perfpred_error *error) {
  for (int i = 0; i < PPI_APEX_EVENTS; i++) {
    int code = 0;
    int result = watch->papi->find(watch->asked.events[i], &code);
    if (result == PPI_PAPI_OK)
      result = watch->papi->add(watch->set, code);
    if (result != PPI_PAPI_OK) {
      char what[PPI_COUNTER_NAME_MAX + 40];
      snprintf(what, sizeof what, "event %s cannot be counted here", watch->asked.events[i]);
      return refuse(watch, what, result, error);
    }
  }
  return PERFPRED_OK;
}

static enum perfpred_status begin(struct watch *watch, struct perfpred_error *error) {
  int result = watch->papi->create(&watch->set);
  if (result != PPI_PAPI_OK) {
    watch->set = NO_SET;
    return refuse(watch, "events cannot be counted here", result, error);
  }
  const char *disabled = watch->papi->disabled(COMPONENT);
  if (disabled && disabled[0])
    return ppi_error_set(error, PERFPRED_UNSUPPORTED, "process %lld: no counters can be read here: %s",
                         (long long)watch->asked.pid, disabled);
  result = watch->papi->attach(watch->set, (unsigned long)watch->asked.pid);
  if (result != PPI_PAPI_OK)
    return refuse(watch, "it cannot be attached to", result, error);
  enum perfpred_status status = add_events(watch, error);
  if (status != PERFPRED_OK)
    return status;
  result = watch->papi->start(watch->set);
  return result == PPI_PAPI_OK ? PERFPRED_OK : refuse(watch, "counting cannot be started", result, error);
}

static enum perfpred_status keep(struct watch *watch, double time_s, const long long *before, const long long *after,
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
    sample->counts[i] = (double)(after[i] - before[i]);
  return PERFPRED_OK;
}

static enum perfpred_status look(struct watch *watch, struct perfpred_error *error) {
  long long before[PPI_APEX_EVENTS] = { 0 }, after[PPI_APEX_EVENTS] = { 0 };
  const double start_s = now_s();
  double last_s = start_s;
  enum perfpred_status status = PERFPRED_OK;
  while (status == PERFPRED_OK) {
    struct perfpred_progress progress = { .size = sizeof progress, .stage = "watching" };
    ppi_page_enter(watch->worker->page, "watch"); /* a sign of life */
    rest(watch->asked.interval_s);
    bool running = is_running(watch->asked.pid);
    double time_s = now_s();
    if (watch->papi->read(watch->set, after) != PPI_PAPI_OK)
      break; /* it has ended */
    status = keep(watch, time_s - last_s, before, after, error);
    memcpy(before, after, sizeof before);
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
  long long ignored[PPI_APEX_EVENTS];
  if (!is_running(watch->asked.pid))
    return ppi_error_set(error, PERFPRED_NOT_FOUND, "process %lld: there is none", (long long)watch->asked.pid);
  int result = watch->papi->start_up();
  if (result != PPI_PAPI_OK)
    return refuse(watch, "PAPI does not start", result, error);
  enum perfpred_status status = begin(watch, error);
  if (status == PERFPRED_OK) {
    status = look(watch, error);
    watch->papi->stop(watch->set, ignored);
  }
  if (watch->set != NO_SET)
    watch->papi->destroy(&watch->set);
  watch->papi->shut_down();
  return status;
}

enum perfpred_status worker_watch(struct worker *worker, struct perfpred_error *error) {
  struct watch watch = { .worker = worker, .papi = worker_papi(), .set = NO_SET };
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
  free(watch.samples);
  return status;
}
