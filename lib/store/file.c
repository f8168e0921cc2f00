/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading a file whole, and replacing one so that a reader sees the old one or the new one. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/lock.h"
#include "store/parts.h"

#define BYTES_MAX ((size_t)256 << 20)
#define NAMES_TRIED 1000
#define LINKS_MAX 40

static enum perfpred_status failed(const char *path, const char *what, int number, struct perfpred_error *error) {
  char why[128];
  const char *text = strerror_r(number, why, sizeof why);

  /* a name that is too long must leave room for the reason */
  return ppi_error_set(error, PERFPRED_IO, "%.300s: %s: %s", path, what, text);
}

/* A pipe that nobody has at its other end would be waited for without an end; one that somebody has is waited for. */
static int open_without_waiting(const char *path, int flags) {
  int opened, status;

  do
    opened = open(path, flags | O_CLOEXEC | O_NONBLOCK);
  while (opened < 0 && errno == EINTR);
  status = opened < 0 ? -1 : fcntl(opened, F_GETFL);
  if (status >= 0)
    fcntl(opened, F_SETFL, status & ~O_NONBLOCK);
  return opened;
}

static enum perfpred_status open_for_reading(const char *path, const char *expected, int *descriptor,
                                             struct perfpred_error *error) {
  struct stat about;
  int opened = open_without_waiting(path, O_RDONLY);

  if (opened < 0 && (errno == ENOENT || errno == ENOTDIR))
    return ppi_error_set(error, PERFPRED_MISSING, "%.300s: no such file: expected %s", path, expected);
  if (opened < 0)
    return failed(path, "cannot be read", errno, error);
  if (fstat(opened, &about) == 0 && S_ISDIR(about.st_mode)) {
    close(opened);
    return ppi_error_set(error, PERFPRED_IO, "%s: is a folder: expected %s", path, expected);
  }
  *descriptor = opened;
  return PERFPRED_OK;
}

static enum perfpred_status grow(char **text, size_t *capacity, struct perfpred_error *error) {
  size_t larger = *capacity ? 2 * *capacity : (size_t)1 << 16;
  char *moved = realloc(*text, larger);

  if (!moved)
    return ppi_error_memory(error);
  *text = moved;
  *capacity = larger;
  return PERFPRED_OK;
}

static enum perfpred_status read_all(int descriptor, const char *path, const char *expected, char **text,
                                     size_t *length, struct perfpred_error *error) {
  size_t capacity = 0, used = 0;
  enum perfpred_status status = PERFPRED_OK;

  for (;;) {
    ssize_t got;

    if (used == capacity)
      status = grow(text, &capacity, error);
    if (status)
      return status;
    got = read(descriptor, *text + used, capacity - used);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return failed(path, "cannot be read", errno, error);
    if (got == 0)
      break;
    used += (size_t)got;
    if (used > BYTES_MAX)
      return ppi_error_set(error, PERFPRED_CORRUPT, "%s: is larger than %zu MiB: expected %s", path, BYTES_MAX >> 20,
                           expected);
  }
  *length = used;
  return PERFPRED_OK;
}

static enum perfpred_status read_whole(int descriptor, const char *path, const char *expected, char **text,
                                       size_t *length, struct perfpred_error *error) {
  char *read = NULL;
  enum perfpred_status status = read_all(descriptor, path, expected, &read, length, error);

  if (status) {
    free(read);
    return status;
  }
  *text = read;
  return PERFPRED_OK;
}

enum perfpred_status ppi_store_read_descriptor(int descriptor, const char *path, char **text, size_t *length,
                                               struct perfpred_error *error) {
  return read_whole(descriptor, path, "a model file", text, length, error);
}

enum perfpred_status ppi_store_read_expected(const char *path, const char *expected, char **text, size_t *length,
                                             struct perfpred_error *error) {
  int descriptor = -1;
  enum perfpred_status status = open_for_reading(path, expected, &descriptor, error);

  if (status)
    return status;
  status = read_whole(descriptor, path, expected, text, length, error);
  close(descriptor);
  return status;
}

enum perfpred_status ppi_store_read_file(const char *path, char **text, size_t *length, struct perfpred_error *error) {
  return ppi_store_read_expected(path, "a model file", text, length, error);
}

int ppi_store_write_all(int descriptor, const char *text, size_t length) {
  while (length > 0) {
    ssize_t put = write(descriptor, text, length);

    if (put < 0 && errno == EINTR)
      continue;
    if (put <= 0)
      return put < 0 ? errno : EIO;
    text += put;
    length -= (size_t)put;
  }
  return 0;
}

/* A device or a pipe: there is nothing to be replaced. */
static enum perfpred_status write_through(const char *path, const char *text, size_t length,
                                          struct perfpred_error *error) {
  int descriptor = open_without_waiting(path, O_WRONLY);
  int number = descriptor < 0 ? errno : ppi_store_write_all(descriptor, text, length);

  if (descriptor >= 0 && close(descriptor) != 0 && number == 0)
    number = errno;
  return number ? failed(path, "cannot be written", number, error) : PERFPRED_OK;
}

static size_t folder_length(const char *path) {
  const char *slash = strrchr(path, '/');

  return slash ? (size_t)(slash - path) + 1 : 0;
}

/* One step along a symbolic link: real becomes what it points at. */
static enum perfpred_status follow(char real[PATH_MAX], const char *path, struct perfpred_error *error) {
  char target[PATH_MAX];
  ssize_t length = readlink(real, target, sizeof target - 1);
  size_t folder = folder_length(real);

  if (length < 0)
    return failed(path, "cannot be written", errno, error);
  target[length] = '\0';
  if (target[0] == '/')
    folder = 0;
  if (folder + (size_t)length >= PATH_MAX)
    return failed(path, "cannot be written", ENAMETOOLONG, error);
  memcpy(real + folder, target, (size_t)length + 1);
  return PERFPRED_OK;
}

/* Follows links, also one that points at a file that is yet to be made, so that the link stays a link. */
enum perfpred_status ppi_store_resolve(const char *path, char real[], struct perfpred_error *error) {
  struct stat about;

  if (strlen(path) >= PATH_MAX)
    return failed(path, "cannot be written", ENAMETOOLONG, error);
  memcpy(real, path, strlen(path) + 1);
  for (int i = 0; i < LINKS_MAX; i++) {
    enum perfpred_status status;

    if (lstat(real, &about) != 0 || !S_ISLNK(about.st_mode))
      return PERFPRED_OK;
    status = follow(real, path, error);
    if (status)
      return status;
  }
  return failed(path, "cannot be written", ELOOP, error);
}

/* A new file beside real, opened; its name in temporary. open and not mkstemp, so that the caller's umask rules. */
static int open_beside(const char *real, char temporary[PATH_MAX + 64]) {
  int descriptor = -1;

  for (int i = 0; i < NAMES_TRIED; i++) {
    snprintf(temporary, PATH_MAX + 64, "%s.%ld.%d.tmp", real, (long)getpid(), i);
    descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno != EEXIST)
      break;
    /* The lock says that somebody still writes it (ppi_lock_sweep). */
    if (descriptor >= 0 && ppi_lock_try(descriptor))
      break;
    if (descriptor >= 0)
      close(descriptor);
    descriptor = -1;
  }
  return descriptor;
}

/* After a crash of the machine the new name is there as well; where folders cannot be synced nothing is lost but that. */
static void sync_folder(char real[PATH_MAX]) {
  size_t length = folder_length(real);
  int descriptor;

  real[length] = '\0';
  descriptor = open(length ? real : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor >= 0) {
    fsync(descriptor);
    close(descriptor);
  }
}

static enum perfpred_status replace(const char *path, char real[PATH_MAX], const struct stat *old, const char *text,
                                    size_t length, struct perfpred_error *error) {
  char temporary[PATH_MAX + 64];
  int descriptor = open_beside(real, temporary);
  int number;

  if (descriptor < 0)
    return failed(path, "cannot be written", errno, error);
  number = ppi_store_write_all(descriptor, text, length);
  if (!number && old && fchmod(descriptor, old->st_mode & 07777) != 0)
    number = errno;
  if (!number && fsync(descriptor) != 0)
    number = errno;
  if (close(descriptor) != 0 && !number)
    number = errno;
  if (!number && rename(temporary, real) != 0)
    number = errno;
  if (number) {
    unlink(temporary);
    return failed(path, "cannot be written", number, error);
  }
  sync_folder(real);
  return PERFPRED_OK;
}

enum perfpred_status ppi_store_replace_file(const char *path, const char *text, size_t length,
                                            struct perfpred_error *error) {
  char real[PATH_MAX];
  struct stat about;
  enum perfpred_status status = ppi_store_resolve(path, real, error);

  if (status)
    return status;
  if (stat(real, &about) != 0)
    return replace(path, real, NULL, text, length, error);
  if (S_ISDIR(about.st_mode))
    return ppi_error_set(error, PERFPRED_IO, "%s: is a folder: expected the name of a file", path);
  if (!S_ISREG(about.st_mode))
    return write_through(real, text, length, error);
  return replace(path, real, &about, text, length, error);
}
