/* SPDX-License-Identifier: BSD-3-Clause */
/* A folder of a test's own, removed with all that is in it. */
#ifndef TESTS_SCRATCH_H
#define TESTS_SCRATCH_H

#include <errno.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct scratch {
  char root[64];
  char path[1024]; /* of scratch_path, scratch_put */
};

static inline void scratch_begin(struct scratch *scratch) {
  strcpy(scratch->root, "/tmp/perfpred-scratch-XXXXXX");
  if (!mkdtemp(scratch->root))
    abort();
}

static inline int scratch_remove(const char *path, const struct stat *info, int kind, struct FTW *place) {
  (void)info;
  (void)kind;
  (void)place;
  return remove(path);
}

static inline void scratch_end(struct scratch *scratch) {
  nftw(scratch->root, scratch_remove, 8, FTW_DEPTH | FTW_PHYS);
}

/* A path below the folder (name begins with a slash), and the folders that it needs. */
static inline const char *scratch_path(struct scratch *scratch, const char *name) {
  snprintf(scratch->path, sizeof scratch->path, "%s%s", scratch->root, name);
  for (char *slash = strchr(scratch->path + strlen(scratch->root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    if (mkdir(scratch->path, 0700) != 0 && errno != EEXIST)
      abort();
    *slash = '/';
  }
  return scratch->path;
}

static inline const char *scratch_put(struct scratch *scratch, const char *name, const char *text) {
  FILE *file = fopen(scratch_path(scratch, name), "w");
  if (!file || fputs(text, file) < 0 || fclose(file) != 0)
    abort();
  return scratch->path;
}

#endif
