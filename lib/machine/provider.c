/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/provider.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/elf.h"
#include "machine/library.h"

#define ALTERNATIVES "/etc/alternatives/"
#define LINKS_MAX 40 /* as the kernel follows */

static const char *base_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* The first link below /etc/alternatives on the way to the file. */
static void find_alternative(const char *path, char *alternative, size_t size) {
  char at[1024], target[1024];
  snprintf(at, sizeof at, "%s", path);
  for (int links = 0; links < LINKS_MAX; links++) {
    if (strncmp(at, ALTERNATIVES, strlen(ALTERNATIVES)) == 0) {
      snprintf(alternative, size, "%s", at);
      return;
    }
    ssize_t length = readlink(at, target, sizeof target - 1);
    if (length <= 0)
      return;
    target[length] = '\0';
    size_t folder = target[0] == '/' ? 0 : (size_t)(base_of(at) - at);
    if (folder + (size_t)length >= sizeof at)
      return;
    memcpy(at + folder, target, (size_t)length + 1);
  }
}

/* By functions that only one family has, or by the beginning of a name; the order matters where one wraps another. */
static const struct {
  const char *family, *symbol, *name;
} families[] = {
  { "flexiblas", "flexiblas_info", "libflexiblas" },    { "mkl", "mkl_get_version", "libmkl_" },
  { "openblas", "openblas_get_config", "libopenblas" }, { "openblas", "openblas_get_config64_", "libopenblas" },
  { "blis", "bli_arch_query_id", "libblis" },           { "armpl", "armplversion", "libarmpl" },
  { "nvpl", "nvpl_blas_get_version", "libnvpl_blas" },  { "atlas", "ATL_buildinfo", "libatlas" },
  { "gsl", "cblas_xerbla_gsl", "libgslcblas" },
};

static bool starts(const char *text, const char *with) {
  return strncmp(text, with, strlen(with)) == 0;
}

/* A small libblas.so.3 that needs the library proper is of its family. */
static bool needs(const struct ppi_elf *elf, const char *name) {
  for (size_t i = 0; i < elf->needed_count; i++)
    if (starts(base_of(elf->needed[i]), name))
      return true;
  return false;
}

/* "libopenblasp-r0.3.21.so" is 0.3.21. */
static void version_of_openblas(struct ppi_library *file) {
  const char *mark = strstr(base_of(file->path), "-r");
  if (file->version[0] || !mark || !isdigit((unsigned char)mark[2]))
    return;
  size_t length = strspn(mark + 2, "0123456789.");
  while (length > 0 && mark[1 + length] == '.')
    length--;
  snprintf(file->version, sizeof file->version, "%.*s", (int)length, mark + 2);
}

static void find_family(const struct ppi_elf *elf, struct ppi_library *file) {
  ppi_library_guess(file);
  for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
    if (ppi_elf_defines(elf, families[i].symbol) || starts(base_of(file->path), families[i].name) ||
        needs(elf, families[i].name)) {
      snprintf(file->family, sizeof file->family, "%s", families[i].family);
      if (strcmp(file->family, "openblas") == 0)
        version_of_openblas(file);
      return;
    }
}

/* Every build of BLIS can start threads, whether it does is told by none of its symbols. */
static const char *threading_of_blis(const char *path) {
  return strstr(path, "serial") ? "serial" : strstr(path, "pthread") ? "pthread" : "";
}

/* The library that a file's routines really are in may be another one, which then tells. */
static void find_threading(const struct ppi_elf *elf, struct ppi_provider *provider) {
  const char *family = provider->file.family, *threading = "";
  bool whole = strcmp(family, "openblas") == 0 && !needs(elf, "libopenblas");
  if (needs(elf, "libtbb") || needs(elf, "libmkl_tbb"))
    threading = "tbb";
  else if (needs(elf, "libgomp") || needs(elf, "libomp") || needs(elf, "libiomp5"))
    threading = "openmp";
  else if (strcmp(family, "blis") == 0)
    threading = threading_of_blis(provider->file.path);
  else if (ppi_elf_imports(elf, "pthread_create"))
    threading = "pthread";
  else if (whole || strcmp(family, "reference") == 0)
    threading = "serial";
  snprintf(provider->threading, sizeof provider->threading, "%s", threading);
}

static void find_routines(const struct ppi_elf *elf, struct ppi_provider *provider) {
  const char *name = base_of(provider->file.path);
  provider->symbolic = elf->symbolic;
  provider->override = starts(name, "libperfpred-ilaenv") || (elf->soname && starts(elf->soname, "libperfpred-ilaenv"));
  provider->suffixed = ppi_elf_defines(elf, "dgemm_64_") || ppi_elf_defines(elf, "dpotrf_64_");
  provider->blas = ppi_elf_defines(elf, provider->suffixed ? "dgemm_64_" : "dgemm_");
  provider->lapack = ppi_elf_defines(elf, provider->suffixed ? "dpotrf_64_" : "dpotrf_");
  provider->ilaenv = ppi_elf_defines(elf, provider->suffixed ? "ilaenv_64_" : "ilaenv_");
  provider->ilp64 = provider->suffixed || strstr(name, "blas64") || strstr(name, "lapack64") || strstr(name, "ilp64");
}

static enum perfpred_status set_path(const char *prefix, const char *path, struct ppi_provider *provider,
                                     struct perfpred_error *error) {
  char *real = prefix[0] ? NULL : realpath(path, NULL);
  const char *shown = real ? real : path;
  enum perfpred_status status = PERFPRED_OK;
  if (strlen(shown) >= sizeof provider->file.path)
    status = ppi_error_set(error, PERFPRED_LIMIT, "library '%.100s...': the path is too long", shown);
  else
    strcpy(provider->file.path, shown);
  free(real);
  if (!prefix[0])
    find_alternative(path, provider->alternative, sizeof provider->alternative);
  return status;
}

enum perfpred_status ppi_provider_read(const char *prefix, const char *path, struct ppi_provider *provider,
                                       struct perfpred_error *error) {
  struct ppi_provider made;
  struct ppi_elf elf;
  char full[2048];
  memset(&made, 0, sizeof made);
  snprintf(full, sizeof full, "%s%s", prefix, path);
  enum perfpred_status status = set_path(prefix, path, &made, error);
  if (status != PERFPRED_OK)
    return status;
  status = ppi_elf_open(full, "library", &elf, error);
  if (status != PERFPRED_OK)
    return status;
  status = ppi_elf_link(&elf, path, "library", error);
  if (status == PERFPRED_OK) {
    snprintf(made.file.build_id, sizeof made.file.build_id, "%s", elf.build_id);
    find_routines(&elf, &made);
    find_family(&elf, &made.file);
    find_threading(&elf, &made);
    *provider = made;
  }
  ppi_elf_close(&elf);
  return status;
}
