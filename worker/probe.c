/* SPDX-License-Identifier: BSD-3-Clause */
/* What libraries tell of themselves. Integers are passed as 64-bit ones throughout: on little-endian machines the low half
 * is what a routine with 32-bit integers reads. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "machine/library.h"
#include "worker.h"

static void *find(void *handle, const char *name) {
  return handle ? dlsym(handle, name) : NULL;
}

/* ISO C has no conversion between object and function pointers; POSIX has. */
#define AS_FUNCTION(type, address) (*(type *)&(address))

typedef void dgemm_fn(const char *, const char *, const int64_t *, const int64_t *, const int64_t *, const double *,
                      const double *, const int64_t *, const double *, const int64_t *, const double *, double *,
                      const int64_t *, size_t, size_t);

enum perfpred_status worker_first_dgemm(void *dgemm, struct perfpred_error *error) {
  enum { ORDER = 16 };
  static double a[ORDER * ORDER], b[ORDER * ORDER], c[ORDER * ORDER];
  const int64_t order = ORDER;
  const double one = 1.0, zero = 0.0;
  dgemm_fn *call = AS_FUNCTION(dgemm_fn *, dgemm);
  for (int i = 0; i < ORDER * ORDER; i++) {
    a[i] = i % ORDER;
    b[i] = 1.0;
    c[i] = 0.0;
  }
  call("N", "N", &order, &order, &order, &one, a, &order, b, &order, &zero, c, &order, 1, 1);
  /* Column j of A is 0, 1, ..., 15 from top to bottom: row i of the product is i * 16. */
  for (int i = 0; i < ORDER * ORDER; i++)
    if (c[i] != (double)(i % ORDER * ORDER))
      return ppi_error_set(error, PERFPRED_WORKER, "its dgemm gives a wrong product of 16 x 16 matrices");
  return PERFPRED_OK;
}

/* The upper half of n is all ones: 2 for 32 bits, negative for 64, of which idamax makes 0. */
bool worker_blas_is_ilp64(const struct worker_libraries *libraries) {
  typedef int idamax_fn(const int64_t *, const double *, const int64_t *);
  const int64_t n = (int64_t)0xffffffff00000002u, inc = 1;
  const double x[2] = { 1.0, 2.0 };
  void *address = worker_routine(libraries, "idamax");
  return address && AS_FUNCTION(idamax_fn *, address)(&n, x, &inc) == 0;
}

/* Which half of -1 the routine overwrites tells the width of its integers. */
static bool ask_version(const struct worker_libraries *libraries, int64_t version[3]) {
  typedef void ilaver_fn(int64_t *, int64_t *, int64_t *);
  void *address = worker_routine(libraries, "ilaver");
  version[0] = version[1] = version[2] = -1;
  if (address)
    AS_FUNCTION(ilaver_fn *, address)(&version[0], &version[1], &version[2]);
  return address;
}

bool worker_lapack_is_ilp64(const struct worker_libraries *libraries, bool otherwise) {
  int64_t version[3];
  return ask_version(libraries, version) ? version[0] >= 0 : otherwise;
}

static bool describe_blis(struct ppi_library *file, void *handle) {
  typedef int query_fn(void);
  typedef const char *name_fn(int);
  typedef const char *version_fn(void);
  void *query = find(handle, "bli_arch_query_id"), *name = find(handle, "bli_arch_string");
  void *version = find(handle, "bli_info_get_version_str");
  if (!query || !name)
    return false;
  snprintf(file->family, sizeof file->family, "blis");
  snprintf(file->kernels, sizeof file->kernels, "%s", AS_FUNCTION(name_fn *, name)(AS_FUNCTION(query_fn *, query)()));
  if (version)
    snprintf(file->version, sizeof file->version, "%s", AS_FUNCTION(version_fn *, version)());
  return true;
}

/* A handle finds the functions of all that a library needs: the LAPACK's finds those of the BLAS. They speak for a file
   only where they lie in it or, as in the split builds of OpenBLAS, in its folder. */
static bool speaks_for(const struct ppi_library *file, void *function) {
  struct ppi_library holder;
  if (!ppi_library_loaded(function, &holder))
    return false;
  const char *slash = strrchr(file->path, '/');
  size_t folder = slash ? (size_t)(slash - file->path) + 1 : 0;
  return strncmp(holder.path, file->path, folder) == 0 && !strchr(holder.path + folder, '/');
}

/* The configuration begins "OpenBLAS 0.3.21 ...". */
static bool describe_openblas(struct ppi_library *file, void *handle) {
  typedef const char *text_fn(void);
  void *core = find(handle, "openblas_get_corename"), *config = find(handle, "openblas_get_config");
  if (!core || !config || !speaks_for(file, core))
    return false;
  snprintf(file->family, sizeof file->family, "openblas");
  snprintf(file->kernels, sizeof file->kernels, "%s", AS_FUNCTION(text_fn *, core)());
  const char *text = AS_FUNCTION(text_fn *, config)();
  if (strncmp(text, "OpenBLAS ", 9) == 0)
    text += 9;
  snprintf(file->version, sizeof file->version, "%.*s", (int)strcspn(text, " "), text);
  return true;
}

void worker_describe_blas(struct worker_libraries *libraries) {
  if (!describe_blis(&libraries->blas_file, libraries->blas) &&
      !describe_openblas(&libraries->blas_file, libraries->blas))
    ppi_library_guess(&libraries->blas_file);
}

void worker_describe_lapack(struct worker_libraries *libraries) {
  struct ppi_library *file = &libraries->lapack_file;
  int64_t version[3];
  if (describe_openblas(file, libraries->lapack))
    return;
  ppi_library_guess(file);
  if (ask_version(libraries, version))
    snprintf(file->version, sizeof file->version, "%d.%d.%d", (int)version[0], (int)version[1], (int)version[2]);
}

int worker_blas_is_serial(const struct worker_libraries *libraries) {
  typedef int64_t blis_fn(void);
  typedef int openblas_fn(void);
  void *blis = find(libraries->blas, "bli_info_get_enable_threading");
  void *openblas = find(libraries->blas, "openblas_get_parallel");
  if (blis)
    return AS_FUNCTION(blis_fn *, blis)() == 0;
  if (openblas)
    return AS_FUNCTION(openblas_fn *, openblas)() == 0;
  return strcmp(libraries->blas_file.family, "reference") == 0 ? 1 : -1;
}
