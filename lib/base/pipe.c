/* SPDX-License-Identifier: BSD-3-Clause */
/* How messages travel: whole, within a time limit, and without a signal to the host when nobody reads. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "base/wire.h"

#define HEADER 12

/* poll() promises room for this much when it says that a pipe can be written (PIPE_BUF of Linux; POSIX has at least 512). */
#if defined(PIPE_BUF)
#define CHUNK PIPE_BUF
#else
#define CHUNK 512
#endif

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A time limit; `end_s` counts only if `limited`. */
struct deadline {
  bool limited;
  double end_s;
};

static struct deadline deadline_in(double timeout_s) {
  return (struct deadline){ timeout_s >= 0.0, now_s() + timeout_s };
}

/* For poll(): -1 is without end. */
static int wait_ms(struct deadline deadline) {
  if (!deadline.limited)
    return -1;
  const double left_ms = (deadline.end_s - now_s()) * 1e3;
  return left_ms <= 0.0 ? 0 : left_ms < 1e6 ? (int)left_ms + 1 : 1000000;
}

/* Waits until the descriptor is ready, the other side is gone (both are PERFPRED_OK), or time is up. */
static enum perfpred_status wait_for(int descriptor, short events, struct deadline deadline,
                                     struct perfpred_error *error) {
  for (;;) {
    struct pollfd entry = { descriptor, events, 0 };
    const int ready = poll(&entry, 1, wait_ms(deadline));
    if (ready > 0 && (entry.revents & POLLNVAL))
      return ppi_error_set(error, PERFPRED_WORKER, "the worker's pipe is not open");
    if (ready > 0)
      return PERFPRED_OK;
    if (ready < 0 && errno != EINTR && errno != EAGAIN)
      return ppi_error_set(error, PERFPRED_WORKER, "waiting for the worker failed with error %d", errno);
    if (deadline.limited && now_s() >= deadline.end_s)
      return ppi_error_set(error, PERFPRED_TIMEOUT, "the worker did not answer in time");
  }
}

static bool is_temporary(int code) {
  return code == EINTR || code == EAGAIN || code == EWOULDBLOCK;
}

static enum perfpred_status send_bytes(int descriptor, const unsigned char *data, size_t length,
                                       struct deadline deadline, struct perfpred_error *error) {
  while (length > 0) {
    enum perfpred_status status = wait_for(descriptor, POLLOUT, deadline, error);
    if (status)
      return status;
    const ssize_t sent = write(descriptor, data, length < CHUNK ? length : CHUNK);
    if (sent < 0 && errno == EPIPE)
      return ppi_error_set(error, PERFPRED_WORKER, "the worker has closed its pipe");
    if (sent < 0 && !is_temporary(errno))
      return ppi_error_set(error, PERFPRED_WORKER, "writing to the worker failed with error %d", errno);
    if (sent > 0) {
      data += sent;
      length -= (size_t)sent;
    }
  }
  return PERFPRED_OK;
}

/* A write to a closed pipe raises SIGPIPE in the writing thread. What the host does on SIGPIPE is the host's: the signal is
 * blocked in this thread for the time of the write, and one that came from the write is taken away; one that came from
 * elsewhere is delivered afterwards. */
struct quiet {
  sigset_t before, pipe;
  bool pending; /* one waited already: it is not ours to take */
};

static void quiet_begin(struct quiet *quiet) {
  sigset_t waiting;
  sigemptyset(&waiting);
  sigpending(&waiting);
  quiet->pending = sigismember(&waiting, SIGPIPE) == 1;
  sigemptyset(&quiet->pipe);
  sigaddset(&quiet->pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &quiet->pipe, &quiet->before);
}

static void quiet_end(const struct quiet *quiet, bool failed) {
  const struct timespec no_time = { 0, 0 };
  if (failed && !quiet->pending)
    while (sigtimedwait(&quiet->pipe, NULL, &no_time) < 0 && errno == EINTR)
      continue;
  pthread_sigmask(SIG_SETMASK, &quiet->before, NULL);
}

static void put_le(unsigned char *place, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; i++)
    place[i] = (unsigned char)(value >> (8 * i));
}

static uint64_t get_le(const unsigned char *place, int bytes) {
  uint64_t value = 0;
  for (int i = 0; i < bytes; i++)
    value |= (uint64_t)place[i] << (8 * i);
  return value;
}

enum perfpred_status ppi_wire_send(int descriptor, const struct ppi_wire *wire, double timeout_s,
                                   struct perfpred_error *error) {
  if (wire->bad)
    return ppi_error_set(error, PERFPRED_NO_MEMORY, "no memory for a message to the worker");
  const struct deadline deadline = deadline_in(timeout_s);
  unsigned char header[HEADER];
  put_le(header, wire->type, 4);
  put_le(header + 4, wire->length, 8);
  struct quiet quiet;
  quiet_begin(&quiet);
  enum perfpred_status status = send_bytes(descriptor, header, HEADER, deadline, error);
  if (!status)
    status = send_bytes(descriptor, wire->data, wire->length, deadline, error);
  quiet_end(&quiet, status == PERFPRED_WORKER);
  return status;
}

static enum perfpred_status receive_bytes(int descriptor, unsigned char *data, size_t length, struct deadline deadline,
                                          struct perfpred_error *error) {
  while (length > 0) {
    enum perfpred_status status = wait_for(descriptor, POLLIN, deadline, error);
    if (status)
      return status;
    const ssize_t got = read(descriptor, data, length);
    if (got == 0)
      return ppi_error_set(error, PERFPRED_WORKER, "the worker has closed its pipe");
    if (got < 0 && !is_temporary(errno))
      return ppi_error_set(error, PERFPRED_WORKER, "reading from the worker failed with error %d", errno);
    if (got > 0) {
      data += got;
      length -= (size_t)got;
    }
  }
  return PERFPRED_OK;
}

/* Room for the whole payload. */
static enum perfpred_status reserve(struct ppi_wire *wire, size_t length, struct perfpred_error *error) {
  if (length <= wire->capacity)
    return PERFPRED_OK;
  unsigned char *data = realloc(wire->data, length);
  if (!data)
    return ppi_error_memory(error);
  wire->data = data;
  wire->capacity = length;
  return PERFPRED_OK;
}

enum perfpred_status ppi_wire_receive(int descriptor, struct ppi_wire *wire, double timeout_s,
                                      struct perfpred_error *error) {
  const struct deadline deadline = deadline_in(timeout_s);
  unsigned char header[HEADER];
  ppi_wire_start(wire, 0);
  wire->bad = true; /* until the message is whole */
  enum perfpred_status status = receive_bytes(descriptor, header, HEADER, deadline, error);
  if (status)
    return status;
  const uint64_t length = get_le(header + 4, 8);
  if (length > PPI_WIRE_LIMIT)
    return ppi_error_set(error, PERFPRED_WORKER, "the worker sends a message of more than %u bytes", PPI_WIRE_LIMIT);
  status = reserve(wire, (size_t)length, error);
  if (!status)
    status = receive_bytes(descriptor, wire->data, (size_t)length, deadline, error);
  if (status)
    return status;
  ppi_wire_start(wire, (uint32_t)get_le(header, 4));
  wire->length = (size_t)length;
  return PERFPRED_OK;
}
