/* SPDX-License-Identifier: BSD-3-Clause */
/* Locks between processes. They are the kernel's (flock): whoever dies gives them back, so none goes stale. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "store/lock.h"

#define PATIENCE_S 60.0
#define PAUSE_NS 5000000 /* between two tries */

/* Whether the file system has no locks at all. */
static bool without_locks(int number) {
  return number == ENOLCK || number == EOPNOTSUPP || number == ENOSYS || number == EINVAL || number == EBADF;
}

bool ppi_lock_try(int descriptor) {
  int result;

  do
    result = flock(descriptor, LOCK_EX | LOCK_NB);
  while (result != 0 && errno == EINTR);
  return result == 0 || without_locks(errno);
}

static double seconds(void) {
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Folder of a path into text; "." where it names none. */
static void folder_of(const char *path, char text[PATH_MAX]) {
  const char *slash = strrchr(path, '/');
  size_t length = slash ? (size_t)(slash - path) + 1 : 0;

  memcpy(text, path, length);
  text[length] = '\0';
  if (length == 0)
    memcpy(text, ".", 2);
}

enum perfpred_status ppi_lock_folder(const char *real, const char *path, int *descriptor,
                                     struct perfpred_error *error) {
  char folder[PATH_MAX], why[128];
  double begin_s = seconds();
  int opened;

  folder_of(real, folder);
  opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0)
    return ppi_error_set(error, PERFPRED_IO, "%s: cannot be written: the folder %.100s: %s", path, folder,
                         strerror_r(errno, why, sizeof why));
  while (!ppi_lock_try(opened)) {
    const struct timespec pause = { 0, PAUSE_NS };

    if (seconds() - begin_s > PATIENCE_S) {
      close(opened);
      return ppi_error_set(error, PERFPRED_TIMEOUT,
                           "%s: another process has had the lock of the folder for more than %.0f s", path, PATIENCE_S);
    }
    nanosleep(&pause, NULL);
  }
  *descriptor = opened;
  return PERFPRED_OK;
}

void ppi_lock_release(int descriptor) {
  if (descriptor >= 0)
    close(descriptor);
}

/* "NAME.123.4.tmp" of a file NAME. */
static bool is_leftover(const char *entry, const char *name, size_t length) {
  const char *rest = entry + length;

  if (strncmp(entry, name, length) != 0 || *rest++ != '.')
    return false;
  rest += strspn(rest, "0123456789");
  if (*rest++ != '.')
    return false;
  rest += strspn(rest, "0123456789");
  return strcmp(rest, ".tmp") == 0;
}

static void remove_leftover(int folder, const char *entry) {
  int descriptor = openat(folder, entry, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

  if (descriptor < 0)
    return;
  /* Who is still writing it holds its lock. */
  if (flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    unlinkat(folder, entry, 0);
  close(descriptor);
}

void ppi_lock_sweep(const char *real) {
  const char *slash = strrchr(real, '/'), *name = slash ? slash + 1 : real;
  char folder[PATH_MAX];
  struct dirent *entry;
  DIR *listing;

  folder_of(real, folder);
  listing = opendir(folder);
  if (!listing)
    return;
  while ((entry = readdir(listing)))
    if (is_leftover(entry->d_name, name, strlen(name)))
      remove_leftover(dirfd(listing), entry->d_name);
  closedir(listing);
}
