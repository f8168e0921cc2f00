/* SPDX-License-Identifier: BSD-3-Clause */
/* The environment of the worker: the host's, with libraries and threads as the setup wants them. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/remote_environment.h"

/* Thread counts are read once, when a library is loaded; these names are set. */
static const char *const threads_names[] = { "OMP_NUM_THREADS",  "BLIS_NUM_THREADS", "OPENBLAS_NUM_THREADS",
                                             "GOTO_NUM_THREADS", "MKL_NUM_THREADS",  NULL };
/* These of the host's would overrule them. */
static const char *const dropped_names[] = { "BLIS_JC_NT",  "BLIS_PC_NT",
                                             "BLIS_IC_NT",  "BLIS_JR_NT",
                                             "BLIS_IR_NT",  "OPENBLAS_DEFAULT_NUM_THREADS",
                                             "OMP_DYNAMIC", "OMP_THREAD_LIMIT",
                                             "MKL_DYNAMIC", "MKL_DOMAIN_NUM_THREADS",
                                             NULL };
#define OWNED_MAX 8 /* threads, LD_LIBRARY_PATH */

static bool is_name(const char *entry, const char *name) {
  size_t length = strlen(name);
  return strncmp(entry, name, length) == 0 && entry[length] == '=';
}

static bool in_list(const char *entry, const char *const *names) {
  for (; *names; names++)
    if (is_name(entry, *names))
      return true;
  return false;
}

/* An entry of the caller's replaces one of the host's. */
static bool replaced(const char *entry, char *const *entries) {
  size_t length = strcspn(entry, "=");
  for (; *entries; entries++)
    if (strcspn(*entries, "=") == length && strncmp(*entries, entry, length) == 0)
      return true;
  return false;
}

static size_t count_of(char *const *entries) {
  size_t count = 0;
  while (entries && entries[count])
    count++;
  return count;
}

/* Appends an entry that ppi_remote_environment_free frees: those come first in the array. */
static void own(struct ppi_remote_environment *made, struct ppi_text *text) {
  char *entry = ppi_text_take(text);
  made->failed = made->failed || !entry;
  if (entry)
    made->entries[made->owned++] = entry;
}

static void own_all(struct ppi_remote_environment *made, const char *folder, int threads) {
  const char *old = getenv("LD_LIBRARY_PATH");
  struct ppi_text text = PPI_TEXT_INIT;
  ppi_text_printf(&text, "LD_LIBRARY_PATH=%s%s%s", folder, old && old[0] ? ":" : "", old ? old : "");
  own(made, &text);
  for (const char *const *name = threads_names; *name; name++) {
    ppi_text_printf(&text, "%s=%d", *name, threads);
    own(made, &text);
  }
}

enum perfpred_status ppi_remote_environment_create(struct ppi_remote_environment *environment, const char *folder,
                                                   int threads, char *const *added, struct perfpred_error *error) {
  struct ppi_remote_environment made = { 0 };
  size_t host = count_of(environ);
  made.entries = calloc(host + count_of(added) + OWNED_MAX + 1, sizeof *made.entries);
  if (!made.entries)
    return ppi_error_memory(error);
  own_all(&made, folder, threads);
  if (made.failed) {
    ppi_remote_environment_free(&made);
    return ppi_error_memory(error);
  }
  size_t count = made.owned;
  for (size_t i = 0; i < host && environ[i]; i++)
    if (!is_name(environ[i], "LD_LIBRARY_PATH") && !in_list(environ[i], threads_names) &&
        !in_list(environ[i], dropped_names) && !replaced(environ[i], added))
      made.entries[count++] = environ[i];
  for (; *added; added++)
    made.entries[count++] = *added;
  *environment = made;
  return PERFPRED_OK;
}

void ppi_remote_environment_free(struct ppi_remote_environment *environment) {
  for (size_t i = 0; i < environment->owned; i++)
    free(environment->entries[i]);
  free(environment->entries);
  *environment = (struct ppi_remote_environment){ 0 };
}
