/* SPDX-License-Identifier: BSD-3-Clause */
#include "content.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message.h"
#include "target.h"

#define CONTENT_MAX ((size_t)64 << 20)

static int read_all(FILE *file, const char *path, char **text, size_t *length) {
  size_t space = 4096, used = 0;
  char *made = malloc(space);
  while (made != NULL) {
    used += fread(made + used, 1, space - 1 - used, file);
    if (used + 1 < space)
      break;
    char *larger = space < CONTENT_MAX ? realloc(made, 2 * space) : NULL;
    if (larger == NULL)
      free(made);
    made = larger;
    space *= 2;
  }
  if (made == NULL)
    return message_fail("%s: longer than 64 MiB, or out of memory", path);
  if (ferror(file)) {
    free(made);
    return message_fail("%s: cannot be read: %s", path, strerror(errno));
  }
  made[used] = '\0';
  *text = made;
  *length = used;
  return COMMAND_OK;
}

int content_read(const char *path, char **text, size_t *length) {
  FILE *file = fopen(path, "re");
  if (file == NULL)
    return message_fail("%s: cannot be read: %s", path, strerror(errno));
  int result = read_all(file, path, text, length);
  fclose(file);
  return result;
}

static bool write_all(int file, const char *text, size_t length) {
  while (length > 0) {
    ssize_t written = write(file, text, length);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    text += written;
    length -= (size_t)written;
  }
  return true;
}

int content_write(const char *path, const char *text) {
  char temporary[4096];
  int file = target_open(path, temporary, sizeof temporary), result = COMMAND_OK;
  if (file < 0)
    return COMMAND_FAILED;
  if (!write_all(file, text, strlen(text)) || !write_all(file, "\n", 1) || !target_publish(file, temporary, path)) {
    result = message_fail("%s: cannot be written: %s", path, strerror(errno));
    unlink(temporary);
  }
  close(file);
  return result;
}
