/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of users' own shared libraries. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure/core_state.h"

/* Loading it again is cheap, but every handle has to be given back. */
static enum perfpred_status load(struct ppi_core *core, const struct perfpred_kernel *kernel, void **handle,
                                 struct perfpred_error *error) {
  void **libraries = realloc(core->libraries, (core->library_count + 1) * sizeof *libraries);
  if (libraries == NULL)
    return ppi_error_memory(error);
  core->libraries = libraries;
  *handle = dlopen(kernel->library, RTLD_NOW | RTLD_LOCAL);
  if (*handle == NULL) {
    const char *why = dlerror();
    return ppi_error_set(error, PERFPRED_MISSING, "kernel %s: its library '%s' cannot be loaded: %s", kernel->name,
                         kernel->library, why != NULL ? why : "no reason given");
  }
  for (size_t i = 0; i < core->library_count; i++) {
    if (core->libraries[i] == *handle) {
      dlclose(*handle); /* one reference is enough */
      return PERFPRED_OK;
    }
  }
  core->libraries[core->library_count++] = *handle;
  return PERFPRED_OK;
}

enum perfpred_status ppi_core_symbol(struct ppi_core *core, const struct perfpred_kernel *kernel,
                                     perfpred_fortran_fn **function, struct perfpred_error *error) {
  char usual[PPI_NAME_MAX + 1];
  void *handle = NULL;
  enum perfpred_status status = load(core, kernel, &handle, error);
  if (status != PERFPRED_OK)
    return status;
  snprintf(usual, sizeof usual, "%s_", kernel->name);
  const char *symbol = kernel->symbol != NULL ? kernel->symbol : usual;
  void *address = dlsym(handle, symbol);
  if (address == NULL)
    return ppi_error_set(error, PERFPRED_MISSING, "kernel %s: library '%s' has no symbol '%s'", kernel->name,
                         kernel->library, symbol);
  *function = *(perfpred_fortran_fn **)&address; /* POSIX has this conversion, ISO C has not */
  return PERFPRED_OK;
}
