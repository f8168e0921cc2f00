/* SPDX-License-Identifier: BSD-3-Clause */
#include "target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"

int target_open(const char *path, char *temporary, size_t size) {
  struct stat status;
  size_t length = strlen(path);
  if (path[length - 1] == '/' || (stat(path, &status) == 0 && !S_ISREG(status.st_mode))) {
    message_fail("%s: cannot be written: it is not a regular file", path);
    return -1;
  }
  if ((size_t)snprintf(temporary, size, "%s.XXXXXX", path) >= size) {
    message_fail("%s: cannot be written: %s", path, strerror(ENAMETOOLONG));
    return -1;
  }
  int file = mkstemp(temporary);
  if (file < 0)
    message_fail("%s: cannot be written: %s", path, strerror(errno));
  return file;
}

/* mkstemp made the file for its owner alone. */
bool target_publish(int file, const char *temporary, const char *path) {
  mode_t mask = umask(0);
  umask(mask);
  return fchmod(file, 0666 & ~mask) == 0 && fsync(file) == 0 && rename(temporary, path) == 0;
}

int target_check(const char *path) {
  char temporary[4096];
  int file = target_open(path, temporary, sizeof temporary);
  if (file < 0)
    return COMMAND_FAILED;
  close(file);
  unlink(temporary);
  return COMMAND_OK;
}
