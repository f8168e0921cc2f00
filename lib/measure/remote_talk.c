/* SPDX-License-Identifier: BSD-3-Clause */
/* One request and its answer, whatever becomes of the worker meanwhile. */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>

#include "measure/remote.h"

#define SLICE_MS 200       /* between two looks at the beat, and two calls of the progress callback in silence */
#define CANCEL_GRACE_S 2.0 /* for the worker to end a call that runs, after a cancel */
#define DEATH_GRACE_S 1.0  /* for a process whose pipe is closed to be gone */

/* What is known while an answer is awaited. */
struct wait {
  struct ppi_remote *remote;
  const struct ppi_sampling *sampling;
  struct ppi_clock clock;
  double started_s, sign_s, silence_s, cancelled_s;
  uint64_t beat;
  bool cancelled;
  char stage[32];
  struct perfpred_progress progress;
};

static double now(struct wait *wait) {
  return wait->clock.now(wait->clock.state);
}

static void copy_call(const struct ppi_worker_page *page, char *text, size_t size) {
  size_t length = strnlen(page->call, sizeof page->call - 1);
  if (length >= size)
    length = size - 1;
  memcpy(text, page->call, length);
  text[length] = '\0';
}

/* What was running, "" where that is nothing: read before the page goes. Returns how many calls it may have been. */
static int running_calls(const struct ppi_remote *remote, bool dead, char *text, size_t size) {
  const struct ppi_worker_page *page = remote->process.page;
  const struct ppi_script *script = remote->script;
  uint64_t crashed = dead ? atomic_load(&page->crashed) : 0;
  int running = 0;
  text[0] = '\0';
  if (script && crashed > 0 && crashed <= script->call_count) {
    ppi_script_describe_call(script, remote->unit, (size_t)crashed - 1, text, size);
    return 1;
  }
  if (script)
    running = ppi_script_describe_running(script, remote->unit, page->marks, text, size);
  if (running > 0)
    return running;
  copy_call(page, text, size);
  return 1;
}

static void stop(struct ppi_remote *remote, double patience_s, char *how, size_t size) {
  ppi_remote_process_stop(&remote->process, patience_s, how, size);
  ppi_remote_forget(remote);
}

static enum perfpred_status died(struct ppi_remote *remote, struct perfpred_error *error) {
  char calls[200], how[250];
  int count = running_calls(remote, true, calls, sizeof calls);
  stop(remote, DEATH_GRACE_S, how, sizeof how);
  if (calls[0])
    return ppi_error_set(error, PERFPRED_CRASHED, "%s%s: the worker %s during this call", count > 1 ? "one of " : "",
                         calls, how);
  if (remote->greeting)
    return ppi_error_set(error, PERFPRED_CRASHED,
                         "worker '%s' %s without a word of the worker's protocol: " PPI_REMOTE_EXPECTED,
                         remote->plan.worker, how, perfpred_version(), PPI_WORKER_PROTOCOL);
  return ppi_error_set(error, PERFPRED_CRASHED, "worker '%s' %s", remote->plan.worker, how);
}

static enum perfpred_status silent(struct wait *wait, struct perfpred_error *error) {
  char calls[400];
  running_calls(wait->remote, false, calls, sizeof calls);
  stop(wait->remote, 0.0, NULL, 0);
  if (calls[0])
    return ppi_error_set(error, PERFPRED_TIMEOUT, "%s: not finished within %g s", calls, wait->silence_s);
  if (wait->remote->greeting)
    return ppi_error_set(error, PERFPRED_TIMEOUT,
                         "worker '%s': no answer within %g s in the worker's protocol: " PPI_REMOTE_EXPECTED,
                         wait->remote->plan.worker, wait->silence_s, perfpred_version(), PPI_WORKER_PROTOCOL);
  return ppi_error_set(error, PERFPRED_TIMEOUT, "worker '%s': no answer within %g s", wait->remote->plan.worker,
                       wait->silence_s);
}

static enum perfpred_status cancelled(struct perfpred_error *error) {
  return ppi_error_set(error, PERFPRED_CANCELLED, "cancelled by the progress callback");
}

static enum perfpred_status garbled(struct ppi_remote *remote, struct perfpred_error *error) {
  stop(remote, 0.0, NULL, 0);
  return ppi_error_set(error, PERFPRED_WORKER,
                       "worker '%s': answered with something else than the worker's protocol: " PPI_REMOTE_EXPECTED,
                       remote->plan.worker, perfpred_version(), PPI_WORKER_PROTOCOL);
}

static void ask_to_stop(struct wait *wait) {
  struct ppi_wire message = PPI_WIRE_INIT;
  wait->cancelled = true;
  wait->cancelled_s = now(wait);
  ppi_wire_start(&message, PPI_MESSAGE_CANCEL);
  /* A failure shows as a death or as silence. */
  (void)ppi_wire_send(wait->remote->process.requests, &message, CANCEL_GRACE_S, NULL);
  ppi_wire_free(&message);
}

static void report(struct wait *wait) {
  const struct ppi_sampling *sampling = wait->sampling;
  wait->progress.elapsed_s = now(wait) - wait->started_s;
  if (!sampling || !sampling->progress || wait->cancelled)
    return;
  if (sampling->progress(sampling->progress_data, &wait->progress) != 0)
    ask_to_stop(wait);
}

static bool take_progress(struct wait *wait) {
  struct perfpred_progress told;
  double fraction = wait->progress.fraction;
  ppi_get_progress(&wait->remote->in, &told);
  if (wait->remote->in.bad)
    return false;
  size_t length = strnlen(told.stage, sizeof wait->stage - 1);
  memcpy(wait->stage, told.stage, length);
  wait->stage[length] = '\0';
  wait->progress = told;
  wait->progress.stage = wait->stage;
  if (!(told.fraction > fraction))
    wait->progress.fraction = fraction;
  report(wait);
  return true;
}

/* Nothing came for a moment. PERFPRED_OK: wait on. */
static enum perfpred_status check_silence(struct wait *wait, struct perfpred_error *error) {
  uint64_t beat = ppi_page_beats(wait->remote->process.page);
  if (beat != wait->beat) {
    wait->beat = beat;
    wait->sign_s = now(wait);
  }
  if (wait->cancelled && now(wait) - wait->cancelled_s > CANCEL_GRACE_S) {
    stop(wait->remote, 0.0, NULL, 0);
    return cancelled(error);
  }
  if (now(wait) - wait->sign_s > wait->silence_s)
    return silent(wait, error);
  report(wait);
  return PERFPRED_OK;
}

/* The pipe of replies is closed and empty. */
static bool at_end(const struct ppi_remote *remote) {
  struct pollfd poller = { remote->process.replies, POLLIN, 0 };
  return poll(&poller, 1, 0) > 0 && (poller.revents & POLLHUP) && !(poller.revents & POLLIN);
}

/* Reads one message; *done when it was the answer. */
static enum perfpred_status take_message(struct wait *wait, bool *done, struct perfpred_error *error) {
  struct ppi_remote *remote = wait->remote;
  enum perfpred_status status = ppi_wire_receive(remote->process.replies, &remote->in, wait->silence_s, NULL);
  wait->sign_s = now(wait);
  if (status == PERFPRED_TIMEOUT)
    return silent(wait, error);
  if (status == PERFPRED_NO_MEMORY) { /* the rest of the message cannot be told from the next one */
    stop(remote, 0.0, NULL, 0);
    return ppi_error_memory(error);
  }
  if (status != PERFPRED_OK)
    return at_end(remote) ? died(remote, error) : garbled(remote, error);
  switch (remote->in.type) {
  case PPI_MESSAGE_PROGRESS:
    return take_progress(wait) ? PERFPRED_OK : garbled(remote, error);
  case PPI_MESSAGE_DONE:
    *done = true;
    return PERFPRED_OK;
  case PPI_MESSAGE_FAILED:
    *done = true;
    return ppi_get_error(&remote->in, error);
  default:
    return garbled(remote, error);
  }
}

static void start_waiting(struct wait *wait) {
  ppi_clock_monotonic(&wait->clock);
  wait->started_s = wait->sign_s = now(wait);
  wait->beat = ppi_page_beats(wait->remote->process.page);
  wait->progress.size = sizeof wait->progress;
  wait->progress.stage = wait->stage;
  wait->progress.remaining_s = NAN;
  memcpy(wait->stage, "measure", sizeof "measure");
}

enum perfpred_status ppi_remote_ask(struct ppi_remote *remote, const struct ppi_sampling *sampling, double silence_s,
                                    struct perfpred_error *error) {
  struct wait wait = { .remote = remote, .sampling = sampling, .silence_s = silence_s };
  enum perfpred_status status = PERFPRED_OK;
  bool done = false;
  if (remote->out.bad)
    return ppi_error_memory(error);
  start_waiting(&wait);
  status = ppi_wire_send(remote->process.requests, &remote->out, silence_s, NULL);
  if (status == PERFPRED_TIMEOUT)
    return silent(&wait, error);
  /* Where the other end was closed, what it said before that is worth reading. */
  status = PERFPRED_OK;
  while (status == PERFPRED_OK && !done) {
    struct pollfd poller = { remote->process.replies, POLLIN, 0 };
    int ready = poll(&poller, 1, SLICE_MS);
    if (ready > 0)
      status = take_message(&wait, &done, error);
    else
      status = check_silence(&wait, error);
  }
  /* A cancel that came too late is one all the same: the caller asked for an end. */
  return status == PERFPRED_OK && wait.cancelled ? cancelled(error) : status;
}
