/* SPDX-License-Identifier: BSD-3-Clause */
/* The environment in which a program's calls become samples. */
#include <perfpred/apex.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"

#ifndef PPI_RECORD_PATH
#define PPI_RECORD_PATH "/usr/lib/libperfpred-record.so.0"
#endif
#define COLUMNS "time_s,call\n"

/* The dynamic linker takes its list apart at the first ones; entries end with a line. */
static bool is_plain(const char *path, const char *wrong) {
  return path[strcspn(path, wrong)] == '\0';
}

static enum perfpred_status find_recorder(char **real, struct perfpred_error *error) {
  const char *path = secure_getenv("PERFPRED_RECORDER");
  if (path == NULL || path[0] == '\0')
    path = PPI_RECORD_PATH;
  char *found = realpath(path, NULL);
  if (found == NULL)
    return errno == ENOMEM ? ppi_error_memory(error)
                           : ppi_error_set(error, PERFPRED_MISSING, "recorder '%s': %s", path, strerror(errno));
  if (!is_plain(found, ": \t\n$")) {
    free(found);
    return ppi_error_set(error, PERFPRED_INVALID, "recorder '%s': the dynamic linker cannot be given this path", path);
  }
  *real = found;
  return PERFPRED_OK;
}

/* Starts the file, and gives its full name: the program may change its folder. */
static enum perfpred_status start_file(const char *file, char **real, struct perfpred_error *error) {
  FILE *out = fopen(file, "we");
  bool good = out != NULL && fputs(COLUMNS, out) >= 0;
  if (out != NULL)
    good = fclose(out) == 0 && good;
  *real = good ? realpath(file, NULL) : NULL;
  if (*real != NULL)
    return PERFPRED_OK;
  return ppi_error_set(error, PERFPRED_IO, "'%s' cannot be written: %s", file, strerror(errno));
}

static enum perfpred_status check(const char *file, char *const *entries, struct perfpred_error *error) {
  if (file != NULL && entries != NULL && file[0] != '\0' && is_plain(file, "\n"))
    return PERFPRED_OK;
  return ppi_error_set(error, PERFPRED_INVALID, "%s, expected a name without line breaks and a place for the entries",
                       file == NULL      ? "file is NULL"
                       : entries == NULL ? "entries is NULL"
                                         : "file is no name");
}

/* NULL: no memory. */
static char *write_entries(const char *recorder, const char *samples) {
  struct ppi_text text = PPI_TEXT_INIT;
  const char *before = getenv("LD_PRELOAD");
  bool others = before != NULL && before[0] != '\0' && is_plain(before, "\n");
  ppi_text_printf(&text, "LD_PRELOAD=%s%s%s\nPERFPRED_RECORD=%s\n", recorder, others ? ":" : "", others ? before : "",
                  samples);
  return ppi_text_take(&text);
}

enum perfpred_status perfpred_apex_record_environment(const char *file, char **entries, struct perfpred_error *error) {
  char *recorder = NULL, *samples = NULL;
  ppi_error_clear(error);
  enum perfpred_status status = check(file, entries, error);
  if (status != PERFPRED_OK)
    return status;
  status = find_recorder(&recorder, error);
  if (status == PERFPRED_OK)
    status = start_file(file, &samples, error);
  if (status == PERFPRED_OK) {
    char *written = write_entries(recorder, samples);
    if (written != NULL)
      *entries = written;
    else
      status = ppi_error_memory(error);
  }
  free(samples);
  free(recorder);
  return status;
}
