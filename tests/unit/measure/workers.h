/* SPDX-License-Identifier: BSD-3-Clause */
/* Starting workers, real ones and others. PERFPRED_WORKER and FAULTY (a library that misbehaves on request) are set by the build. */
#ifndef TESTS_UNIT_MEASURE_WORKERS_H
#define TESTS_UNIT_MEASURE_WORKERS_H

#include <criterion/criterion.h>
#include <dirent.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/context.h"
#include "kernel/registry.h"
#include "measure/remote.h"

static struct perfpred_error error;
static struct perfpred_context context;
static struct ppi_kernels *kernels; /* made where a test needs them */

/* A folder of its own for everything temporary: what is left in it is a leak. */
static char folder[] = "/tmp/perfpred-test-XXXXXX";

static inline void set_up(void) {
  cr_assert_not_null(mkdtemp(folder));
  setenv("TMPDIR", folder, 1);
}

static inline int entries(void) {
  int count = 0;
  DIR *listing = opendir(folder);
  for (const struct dirent *entry; (entry = readdir(listing));)
    count += entry->d_name[0] != '.' && strncmp(entry->d_name, "worker", 6) != 0;
  closedir(listing);
  return count;
}

static inline void tear_down(void) {
  ppi_kernels_destroy(kernels);
  char path[200];
  snprintf(path, sizeof path, "%s/worker", folder);
  unlink(path);
  cr_expect_eq(entries(), 0, "something is left in the temporary folder");
  rmdir(folder);
}

static inline const char *installed(const char *pattern) {
  static char path[1024];
  glob_t matches;
  path[0] = '\0';
  if (glob(pattern, 0, NULL, &matches) == 0) {
    char *whole = realpath(matches.gl_pathv[0], NULL);
    snprintf(path, sizeof path, "%s", whole ? whole : "");
    free(whole);
    globfree(&matches);
  }
  if (!path[0])
    cr_skip_test("%s is not installed", pattern);
  return path;
}

/* An address sanitizer in the worker would turn signals into reports of its own. */
static const char *const plain_signals[] = { "ASAN_OPTIONS=handle_segv=0:handle_abort=0:detect_leaks=0", NULL };

static inline struct perfpred_sampler *start(const char *blas, const char *lapack, int timeout_s) {
  struct perfpred_setup setup = PERFPRED_SETUP_INIT;
  struct perfpred_sampler *sampler = NULL;
  setup.blas = blas;
  setup.lapack = lapack;
  setup.timeout_s = timeout_s;
  if (blas && strcmp(blas, FAULTY) == 0)
    setup.environment = plain_signals;
  enum perfpred_status status = perfpred_sampler_create_worker(&context, &setup, &sampler, &error);
  cr_assert_eq(status, PERFPRED_OK, "%s", error.text);
  return sampler;
}

static inline enum perfpred_status start_with(const char *worker, const char *blas, int timeout_s) {
  struct perfpred_setup setup = PERFPRED_SETUP_INIT;
  struct perfpred_sampler *sampler = NULL;
  setup.worker = worker;
  setup.blas = blas;
  setup.lapack = blas;
  setup.timeout_s = timeout_s;
  enum perfpred_status status = perfpred_sampler_create_worker(&context, &setup, &sampler, &error);
  cr_assert_null(sampler);
  cr_assert_eq(error.status, status);
  cr_assert(error.text[0]);
  cr_assert_eq(waitpid(-1, NULL, WNOHANG), -1, "a child is left");
  return status;
}

#endif
