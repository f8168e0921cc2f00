/* SPDX-License-Identifier: BSD-3-Clause */
/* Folders that lead the dynamic linker to the chosen libraries: the private one of a worker, lasting ones of programs. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure/remote.h"

/* Every name that is ever made, so that removing needs no listing. The 64 forms are Debian's for 64-bit integers. */
static const char *const blas_names[] = { "libblas.so.3", "libblas64.so.3", NULL };
static const char *const lapack_names[] = { "liblapack.so.3", "liblapack64.so.3", NULL };
static const char *const family_names[] = { "libopenblas.so.0", "libopenblas64.so.0", "libblis.so.4", NULL };

/* Whether a link is there already that leads to the target. */
static bool is_made(const char *path, const char *target) {
  char found[4096];
  ssize_t length = readlink(path, found, sizeof found);
  return length >= 0 && (size_t)length == strlen(target) && memcmp(found, target, (size_t)length) == 0;
}

static enum perfpred_status make_link(const char *folder, const char *name, const char *target,
                                      struct perfpred_error *error) {
  struct ppi_text path = PPI_TEXT_INIT;
  enum perfpred_status status = PERFPRED_OK;
  ppi_text_printf(&path, "%s/%s", folder, name);
  if (path.failed) {
    status = ppi_error_memory(error);
  } else if (symlink(target, path.data) != 0) {
    int failure = errno;
    if (failure != EEXIST || !is_made(path.data, target))
      status = ppi_error_set(error, PERFPRED_IO, "'%s' cannot be made to lead to '%s': %s", path.data, target,
                             strerror(failure));
  }
  ppi_text_free(&path);
  return status;
}

static enum perfpred_status make_links(const char *folder, const char *const *names, const char *target,
                                       struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  for (; *names && target[0] && status == PERFPRED_OK; names++)
    status = make_link(folder, *names, target, error);
  return status;
}

/* OpenBLAS is often a small libblas.so.3 that needs the real library beside it: which must be the one beside it, not
   the one that the system prefers. */
static enum perfpred_status make_family_links(const char *folder, const char *blas, struct perfpred_error *error) {
  const char *slash = strrchr(blas, '/');
  enum perfpred_status status = PERFPRED_OK;
  if (!slash)
    return status;
  for (size_t i = 0; family_names[i] && status == PERFPRED_OK; i++) {
    struct ppi_text sibling = PPI_TEXT_INIT;
    size_t stem = strcspn(family_names[i], ".");
    bool itself = strncmp(slash + 1, family_names[i], stem) == 0 && !isalnum((unsigned char)slash[1 + stem]);
    ppi_text_append_n(&sibling, blas, (size_t)(slash + 1 - blas));
    ppi_text_append(&sibling, family_names[i]);
    if (sibling.failed)
      status = ppi_error_memory(error);
    else if (itself)
      status = make_link(folder, family_names[i], blas, error);
    else if (access(sibling.data, R_OK) == 0)
      status = make_link(folder, family_names[i], sibling.data, error);
    ppi_text_free(&sibling);
  }
  return status;
}

enum perfpred_status ppi_remote_folder_fill(const char *path, const struct ppi_remote_plan *plan,
                                            struct perfpred_error *error) {
  enum perfpred_status status = make_links(path, blas_names, plan->blas, error);
  if (status == PERFPRED_OK)
    status = make_links(path, lapack_names, plan->lapack, error);
  if (status == PERFPRED_OK)
    status = make_family_links(path, plan->blas, error);
  return status;
}

enum perfpred_status ppi_remote_folder_create(struct ppi_remote_folder *folder, const struct ppi_remote_plan *plan,
                                              struct perfpred_error *error) {
  const char *root = secure_getenv("TMPDIR");
  struct ppi_text path = PPI_TEXT_INIT;
  ppi_text_printf(&path, "%s/perfpred-XXXXXX", root && root[0] == '/' ? root : "/tmp");
  folder->path = ppi_text_take(&path);
  if (!folder->path)
    return ppi_error_memory(error);
  if (!mkdtemp(folder->path)) {
    enum perfpred_status failure = ppi_error_set(
        error, PERFPRED_IO, "'%s' cannot be made: %s; expected TMPDIR to be a folder that can be written into",
        folder->path, strerror(errno));
    free(folder->path);
    folder->path = NULL;
    return failure;
  }
  enum perfpred_status status = ppi_remote_folder_fill(folder->path, plan, error);
  if (status != PERFPRED_OK)
    ppi_remote_folder_remove(folder);
  return status;
}

void ppi_remote_folder_remove(struct ppi_remote_folder *folder) {
  const char *const *const lists[] = { blas_names, lapack_names, family_names };
  char path[4096];
  if (!folder->path)
    return;
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
    for (const char *const *name = lists[i]; *name; name++)
      if (snprintf(path, sizeof path, "%s/%s", folder->path, *name) < (int)sizeof path)
        unlink(path);
  rmdir(folder->path);
  free(folder->path);
  folder->path = NULL;
}
