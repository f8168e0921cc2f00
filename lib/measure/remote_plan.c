/* SPDX-License-Identifier: BSD-3-Clause */
/* Which worker and which libraries: the caller's choice, checked, or the defaults. */
#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "machine/library.h"
#include "measure/remote.h"

#define THREADS_MAX 4096
#define TIMEOUT_DEFAULT_S 120
#define START_DEFAULT_S 30.0

#ifndef PPI_WORKER_PATH
#define PPI_WORKER_PATH "/usr/libexec/perfpred/perfpred-worker"
#endif

/* A member of the caller's setup; beyond the size that the caller knows it counts as zero. */
#define MEMBER(setup, member)                                                                                          \
  ((setup) && offsetof(struct perfpred_setup, member) + sizeof(setup)->member <= (setup)->size ? (setup)->member : 0)

static enum perfpred_status copy(const char *text, char **result, struct perfpred_error *error) {
  *result = strdup(text);
  return *result ? PERFPRED_OK : ppi_error_memory(error);
}

/* The path free of links; owned by the caller. */
static enum perfpred_status real_path(const char *path, const char *what, char **real, struct perfpred_error *error) {
  char *found = realpath(path, NULL);
  if (found) {
    *real = found;
    return PERFPRED_OK;
  }
  return errno == ENOMEM ? ppi_error_memory(error)
                         : ppi_error_set(error, PERFPRED_IO, "%s '%s': %s", what, path, strerror(errno));
}

/* First library among the files that a pattern matches; *found stays NULL when there is none. Running out of memory must
   not look like that, or another library would be measured without a word. */
static enum perfpred_status search_pattern(const char *pattern, char **found, struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  char id[PPI_BUILD_ID_MAX];
  glob_t matches;
  int failure = glob(pattern, 0, NULL, &matches);
  if (failure != 0)
    return failure == GLOB_NOSPACE ? ppi_error_memory(error) : PERFPRED_OK;
  for (size_t i = 0; i < matches.gl_pathc && !*found && status != PERFPRED_NO_MEMORY; i++) {
    status = ppi_library_file_id(matches.gl_pathv[i], "library", id, NULL);
    if (status == PERFPRED_OK)
      status = real_path(matches.gl_pathv[i], "library", found, NULL);
  }
  globfree(&matches);
  return status == PERFPRED_NO_MEMORY ? ppi_error_memory(error) : PERFPRED_OK;
}

/* "" if no pattern leads to a library. */
static enum perfpred_status search(const char *const *patterns, char **path, struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  char *found = NULL;
  for (; *patterns && !found && status == PERFPRED_OK; patterns++)
    status = search_pattern(*patterns, &found, error);
  if (status != PERFPRED_OK)
    return status;
  if (!found)
    return copy("", path, error);
  *path = found;
  return PERFPRED_OK;
}

static enum perfpred_status named(const char *path, const char *what, char **result, struct perfpred_error *error) {
  char id[PPI_BUILD_ID_MAX];
  enum perfpred_status status = ppi_library_file_id(path, what, id, error);
  if (status != PERFPRED_OK)
    return status;
  return real_path(path, what, result, error);
}

static enum perfpred_status choose_blas(const char *path, int threads, char **result, struct perfpred_error *error) {
  static const char *const serial[] = { "/usr/lib/*/blis-serial/libblis.so.4", "/usr/lib/*/blis-openmp/libblis.so.4",
                                        "/usr/lib/*/blis-pthread/libblis.so.4", NULL };
  if (path)
    return named(path, "BLAS library", result, error);
  return search(threads > 1 ? serial + 1 : serial, result, error);
}

static enum perfpred_status choose_lapack(const char *path, char **result, struct perfpred_error *error) {
  static const char *const reference[] = { "/usr/lib/*/lapack/liblapack.so.3", NULL };
  if (path)
    return named(path, "LAPACK library", result, error);
  return search(reference, result, error);
}

static enum perfpred_status choose_worker(const char *path, char **result, struct perfpred_error *error) {
  if (!path)
    path = secure_getenv("PERFPRED_WORKER");
  return copy(path && path[0] ? path : PPI_WORKER_PATH, result, error);
}

/* A loaded machine, or a worker under a checker, may need longer; that is a matter of where it runs, not of the caller's code. */
static enum perfpred_status choose_start(double *start_s, struct perfpred_error *error) {
  const char *text = secure_getenv("PERFPRED_START_S");
  double value = START_DEFAULT_S;
  if (text && text[0] && (!ppi_text_parse_real(text, &value) || !isfinite(value) || value <= 0.0))
    return ppi_error_set(error, PERFPRED_INVALID,
                         "environment variable PERFPRED_START_S is '%s', expected seconds above 0", text);
  *start_s = value;
  return PERFPRED_OK;
}

static enum perfpred_status check_entry(const char *entry, struct perfpred_error *error) {
  static const char *const reserved[] = { "LD_LIBRARY_PATH",      "OMP_NUM_THREADS",  "BLIS_NUM_THREADS",
                                          "OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "MKL_NUM_THREADS" };
  size_t length = strcspn(entry, "=");
  bool name = length > 0 && !isdigit((unsigned char)entry[0]);
  for (size_t i = 0; i < length; i++)
    name = name && (isalnum((unsigned char)entry[i]) || entry[i] == '_');
  if (!name || entry[length] != '=')
    return ppi_error_set(error, PERFPRED_INVALID, "environment entry '%s': expected NAME=value", entry);
  for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
    if (strlen(reserved[i]) == length && strncmp(entry, reserved[i], length) == 0)
      return ppi_error_set(error, PERFPRED_INVALID, "environment entry '%s': %s", entry,
                           i == 0 ? "the libraries are named by the setup" : "expected the threads in the setup");
  return PERFPRED_OK;
}

static enum perfpred_status copy_environment(const char *const *entries, char ***result, struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  size_t count = 0;
  while (entries && entries[count])
    count++;
  *result = calloc(count + 1, sizeof **result);
  if (!*result)
    return ppi_error_memory(error);
  for (size_t i = 0; i < count && status == PERFPRED_OK; i++) {
    status = check_entry(entries[i], error);
    if (status == PERFPRED_OK)
      status = copy(entries[i], &(*result)[i], error);
  }
  return status;
}

static enum perfpred_status check_setup(const struct perfpred_setup *setup, struct perfpred_error *error) {
  if (setup && setup->size < sizeof setup->size)
    return ppi_error_set(error, PERFPRED_INVALID, "setup.size is %zu, expected PERFPRED_SETUP_INIT", setup->size);
  int threads = MEMBER(setup, threads), timeout_s = MEMBER(setup, timeout_s);
  if (threads < 0 || threads > THREADS_MAX)
    return ppi_error_set(error, PERFPRED_INVALID, "threads is %d, expected 1 to %d", threads, THREADS_MAX);
  if (timeout_s < 0)
    return ppi_error_set(error, PERFPRED_INVALID, "timeout_s is %d, expected seconds above 0", timeout_s);
  double yardstick_s = MEMBER(setup, yardstick_s);
  if (!isfinite(yardstick_s) || yardstick_s < 0.0)
    return ppi_error_set(error, PERFPRED_INVALID, "yardstick_s is %g, expected seconds above 0, or 0 for none",
                         yardstick_s);
  return PERFPRED_OK;
}

enum perfpred_status ppi_remote_plan_create(const struct perfpred_setup *setup, struct ppi_remote_plan *plan,
                                            struct perfpred_error *error) {
  struct ppi_remote_plan made = { 0 };
  enum perfpred_status status = check_setup(setup, error);
  if (status != PERFPRED_OK)
    return status;
  int threads = MEMBER(setup, threads), timeout_s = MEMBER(setup, timeout_s);
  made.threads = threads > 0 ? threads : 1;
  made.timeout_s = timeout_s > 0 ? timeout_s : TIMEOUT_DEFAULT_S;
  made.yardstick_s = MEMBER(setup, yardstick_s);
  status = choose_start(&made.start_s, error);
  if (status == PERFPRED_OK)
    status = copy_environment(MEMBER(setup, environment), &made.environment, error);
  if (status == PERFPRED_OK)
    status = choose_worker(MEMBER(setup, worker), &made.worker, error);
  if (status == PERFPRED_OK)
    status = choose_blas(MEMBER(setup, blas), made.threads, &made.blas, error);
  if (status == PERFPRED_OK)
    status = choose_lapack(MEMBER(setup, lapack), &made.lapack, error);
  if (status == PERFPRED_OK)
    *plan = made;
  else
    ppi_remote_plan_free(&made);
  return status;
}

void ppi_remote_plan_free(struct ppi_remote_plan *plan) {
  free(plan->lapack);
  free(plan->blas);
  free(plan->worker);
  if (plan->environment)
    for (size_t i = 0; plan->environment[i]; i++)
      free(plan->environment[i]);
  free(plan->environment);
  *plan = (struct ppi_remote_plan){ 0 };
}
