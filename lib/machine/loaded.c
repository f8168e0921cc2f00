/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/loaded.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum perfpred_status ppi_loaded_add(struct ppi_loaded *loaded, const char *name, const char *path, size_t by,
                                    struct perfpred_error *error) {
  if (loaded->count == PPI_LOADED_MAX)
    return ppi_error_set(error, PERFPRED_LIMIT, "a process with more than %d files, expected fewer", PPI_LOADED_MAX);
  struct ppi_loaded_file *grown = realloc(loaded->files, (loaded->count + 1) * sizeof *grown);
  if (!grown)
    return ppi_error_memory(error);
  loaded->files = grown;
  struct ppi_loaded_file made = { .by = by };
  if (name)
    made.name = strdup(name);
  if (path)
    made.path = strdup(path);
  if ((name && !made.name) || (path && !made.path)) {
    free(made.path);
    free(made.name);
    return ppi_error_memory(error);
  }
  grown[loaded->count++] = made;
  return PERFPRED_OK;
}

bool ppi_loaded_has(const struct ppi_loaded *loaded, const char *path) {
  struct stat wanted, there;
  bool known = stat(path, &wanted) == 0;
  for (size_t i = 0; i < loaded->count; i++) {
    const char *other = loaded->files[i].path;
    if (other && (strcmp(other, path) == 0 || (known && stat(other, &there) == 0 && there.st_dev == wanted.st_dev &&
                                               there.st_ino == wanted.st_ino)))
      return true;
  }
  return false;
}

void ppi_loaded_free(struct ppi_loaded *loaded) {
  for (size_t i = 0; i < loaded->count; i++) {
    free(loaded->files[i].path);
    free(loaded->files[i].name);
  }
  free(loaded->files);
  *loaded = (struct ppi_loaded)PPI_LOADED_INIT;
}
