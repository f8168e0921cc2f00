/* SPDX-License-Identifier: BSD-3-Clause */
/* Loading the BLAS and the LAPACK of the setup, and making sure that it is those that answer. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "machine/library.h"
#include "worker.h"

static void *find(void *handle, const char *name, bool suffixed) {
  char symbol[PPI_NAME_MAX + 8];
  snprintf(symbol, sizeof symbol, "%s%s", name, suffixed ? "_64_" : "_");
  return dlsym(handle, symbol);
}

void *worker_routine(const struct worker_libraries *libraries, const char *name) {
  void *address = find(libraries->lapack, name, libraries->suffixed);
  return address ? address : find(libraries->blas, name, libraries->suffixed);
}

/* By the name that everybody links against: the folder of links in front of LD_LIBRARY_PATH decides what that is. */
static enum perfpred_status load(const char *name, const char *wanted, const char *what, void **handle,
                                 struct perfpred_error *error) {
  *handle = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
  if (*handle)
    return PERFPRED_OK;
  const char *reason = dlerror();
  if (!wanted[0])
    return ppi_error_set(error, PERFPRED_MISSING, "no %s is installed: %s", what, reason ? reason : name);
  return ppi_error_set(error, PERFPRED_WORKER, "%s '%s' cannot be loaded: %s", what, wanted,
                       reason ? reason : "no reason given");
}

/* The file that holds a routine is the one that was asked for, by name and by build id. */
static enum perfpred_status check_file(const void *routine, const char *name, const char *wanted, const char *what,
                                       struct ppi_library *file, struct perfpred_error *error) {
  char id[PPI_BUILD_ID_MAX];
  if (!ppi_library_loaded(routine, file))
    return ppi_error_set(error, PERFPRED_WORKER, "%s '%s': its %s lies in no file", what, wanted, name);
  if (!wanted[0])
    return PERFPRED_OK;
  if (strcmp(file->path, wanted) != 0)
    return ppi_error_set(error, PERFPRED_WORKER,
                         "%s '%s': %s is answered by '%s', expected the file itself (is something preloaded?)", what,
                         wanted, name, file->path);
  enum perfpred_status status = ppi_library_file_id(wanted, what, id, error);
  if (status == PERFPRED_OK && strcmp(id, file->build_id) != 0)
    return ppi_error_set(error, PERFPRED_WORKER, "%s '%s': the file was replaced while it was loaded", what, wanted);
  return status;
}

/* LAPACK's own calls of dgemm. A library that makes none (all in one file) has to be the BLAS as well. */
static enum perfpred_status check_inner(const struct worker_libraries *libraries, struct perfpred_error *error) {
  struct ppi_library file;
  const char *blas = libraries->blas_file.path, *lapack = libraries->lapack_file.path;
  const char *symbol = libraries->suffixed ? "dgemm_64_" : "dgemm_";
  if (strcmp(blas, lapack) == 0)
    return PERFPRED_OK;
  void *target = worker_bound(libraries->lapack, symbol);
  if (!target)
    target = dlsym(libraries->lapack, symbol);
  if (!target || !ppi_library_loaded(target, &file))
    return ppi_error_set(error, PERFPRED_WORKER, "LAPACK library '%s': it does not use the BLAS '%s'", lapack, blas);
  if (strcmp(file.path, blas) != 0)
    return ppi_error_set(error, PERFPRED_WORKER, "LAPACK library '%s': its calls of dgemm go to '%s', expected '%s'",
                         lapack, file.path, blas);
  return PERFPRED_OK;
}

static enum perfpred_status load_blas(struct worker_libraries *libraries, const char *path,
                                      struct ppi_worker_page *page, struct perfpred_error *error) {
  enum perfpred_status status = load("libblas.so.3", path, "BLAS library", &libraries->blas, error);
  if (status != PERFPRED_OK)
    return status;
  void *dgemm = find(libraries->blas, "dgemm", false);
  if (!dgemm) {
    dgemm = find(libraries->blas, "dgemm", true);
    libraries->suffixed = dgemm;
  }
  if (!dgemm)
    return ppi_error_set(error, PERFPRED_WORKER, "'%s' is not a BLAS: it has no dgemm_",
                         path[0] ? path : "libblas.so.3");
  status = check_file(dgemm, "dgemm", path, "BLAS library", &libraries->blas_file, error);
  if (status != PERFPRED_OK)
    return status;
  ppi_page_enter(page, "dgemm(N,N,16,16,16,1,0), the first call");
  status = worker_first_dgemm(dgemm, error);
  ppi_page_leave(page);
  return status;
}

static enum perfpred_status load_lapack(struct worker_libraries *libraries, const char *path,
                                        struct perfpred_error *error) {
  enum perfpred_status status = load("liblapack.so.3", path, "LAPACK library", &libraries->lapack, error);
  if (status != PERFPRED_OK)
    return status;
  void *dpotrf = find(libraries->lapack, "dpotrf", libraries->suffixed);
  if (!dpotrf)
    return ppi_error_set(error, PERFPRED_WORKER, "'%s' is not a LAPACK%s: it has no dpotrf_",
                         path[0] ? path : "liblapack.so.3",
                         libraries->suffixed ? " with 64-bit integers like the BLAS" : "");
  status = check_file(dpotrf, "dpotrf", path, "LAPACK library", &libraries->lapack_file, error);
  return status == PERFPRED_OK ? check_inner(libraries, error) : status;
}

static enum perfpred_status check_widths(struct worker_libraries *libraries, struct perfpred_error *error) {
  libraries->ilp64 = worker_blas_is_ilp64(libraries);
  if (worker_lapack_is_ilp64(libraries, libraries->ilp64) == libraries->ilp64)
    return PERFPRED_OK;
  return ppi_error_set(error, PERFPRED_WORKER, "BLAS '%s' has %d-bit integers, LAPACK '%s' has not",
                       libraries->blas_file.path, libraries->ilp64 ? 64 : 32, libraries->lapack_file.path);
}

enum perfpred_status worker_load(struct worker_libraries *libraries, const char *blas, const char *lapack,
                                 struct ppi_worker_page *page, struct perfpred_error *error) {
  enum perfpred_status status = load_blas(libraries, blas, page, error);
  if (status == PERFPRED_OK)
    status = load_lapack(libraries, lapack, error);
  if (status == PERFPRED_OK)
    status = check_widths(libraries, error);
  if (status != PERFPRED_OK)
    return status;
  worker_describe_blas(libraries);
  worker_describe_lapack(libraries);
  return PERFPRED_OK;
}
