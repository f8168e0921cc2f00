/* SPDX-License-Identifier: BSD-3-Clause */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A terminal must not become the host's, a pipe without a writer must not be waited for. */
#define READING (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
#define APPENDING (O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

/* Up to size bytes; -1 on failure. */
static long fill(int file, char *data, size_t size) {
  size_t length = 0;
  while (length < size) {
    const ssize_t got = read(file, data + length, size - length);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return -1;
    if (got == 0)
      break;
    length += (size_t)got;
  }
  return (long)length;
}

long ppi_ilaenv_file_begin(const char *path, void *data, size_t size) {
  const int file = open(path, READING);
  if (file < 0)
    return -1;
  const long length = fill(file, data, size);
  close(file);
  return length;
}

/* Opening a device can do things to it, so that files are looked at before. */
static bool is_file(const char *path, size_t size) {
  struct stat state;
  return stat(path, &state) == 0 && S_ISREG(state.st_mode) && state.st_size > 0 && (size_t)state.st_size <= size;
}

long ppi_ilaenv_file_read(const char *path, void *data, size_t size) {
  struct stat state;
  char more;
  if (!is_file(path, size))
    return -1;
  const int file = open(path, READING);
  if (file < 0)
    return -1;
  long length = -1;
  if (fstat(file, &state) == 0 && S_ISREG(state.st_mode)) {
    length = fill(file, data, size);
    if (length >= 0 && fill(file, &more, 1) != 0)
      length = -1; /* it grew */
  }
  close(file);
  return length;
}

/* Takes one signal that a write of this thread raised while it was blocked. */
static void take(int number, const sigset_t *before) {
  static const struct timespec now = { 0, 0 };
  sigset_t one;
  if (sigismember(before, number))
    return; /* was waiting already: it is the host's */
  sigemptyset(&one);
  sigaddset(&one, number);
  while (sigtimedwait(&one, NULL, &now) < 0 && errno == EINTR)
    continue;
}

void ppi_ilaenv_file_write(int descriptor, const char *text, size_t length) {
  sigset_t signals, mask, before;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  sigaddset(&signals, SIGXFSZ);
  sigpending(&before);
  if (pthread_sigmask(SIG_BLOCK, &signals, &mask) != 0)
    return;
  while (write(descriptor, text, length) < 0 && errno == EINTR)
    continue;
  const int failure = errno;
  if (failure == EPIPE)
    take(SIGPIPE, &before);
  if (failure == EFBIG)
    take(SIGXFSZ, &before);
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

/* The file is opened for each line: a descriptor that stayed open would be one that hosts which close all of theirs give to
   the next file. */
void ppi_ilaenv_file_append(const char *path, const char *text, size_t length) {
  const int file = open(path, APPENDING, 0666);
  if (file < 0)
    return;
  ppi_ilaenv_file_write(file, text, length);
  close(file);
}
