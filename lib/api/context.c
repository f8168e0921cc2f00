/* SPDX-License-Identifier: BSD-3-Clause */
#include <perfpred/context.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/context.h"
#include "program/registry.h"

#define FILE_MAX ((size_t)16 << 20)

enum perfpred_status perfpred_context_create(struct perfpred_context **context, struct perfpred_error *error) {
  ppi_error_clear(error);
  if (!context)
    return ppi_error_set(error, PERFPRED_INVALID, "context is NULL; expected where to put the new context");
  struct perfpred_context *fresh = calloc(1, sizeof *fresh);
  if (!fresh)
    return ppi_error_memory(error);
  enum perfpred_status status = ppi_kernels_create(&fresh->kernels, error);
  if (!status)
    status = ppi_programs_create(fresh->kernels, &fresh->programs, error);
  if (status) {
    perfpred_context_destroy(fresh);
    return status;
  }
  *context = fresh;
  return PERFPRED_OK;
}

void perfpred_context_destroy(struct perfpred_context *context) {
  if (!context)
    return;
  ppi_programs_destroy(context->programs);
  ppi_kernels_destroy(context->kernels);
  free(context);
}

enum perfpred_status perfpred_context_add_text(struct perfpred_context *context, const char *text, size_t length,
                                               const char *source, struct perfpred_error *error) {
  ppi_error_clear(error);
  if (!context || !text || !source)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", !context ? "context" : (!text ? "text" : "source"));
  return ppi_programs_add_text(context->programs, context->kernels, text, length, source, error);
}

static enum perfpred_status open_text(const char *path, FILE **file, struct perfpred_error *error) {
  struct stat about;
  FILE *opened = fopen(path, "rbe");
  if (!opened)
    return ppi_error_set(error, errno == ENOENT || errno == ENOTDIR ? PERFPRED_MISSING : PERFPRED_IO,
                         "%s: cannot be opened: %m", path);
  if (fstat(fileno(opened), &about) == 0 && S_ISDIR(about.st_mode)) {
    fclose(opened);
    return ppi_error_set(error, PERFPRED_IO, "%s: is a directory; expected a file", path);
  }
  *file = opened;
  return PERFPRED_OK;
}

/* Reads to the end, whatever kind of file it is: its size is not known beforehand for a pipe. */
static enum perfpred_status read_text(FILE *file, const char *path, struct ppi_text *text,
                                      struct perfpred_error *error) {
  char block[16384];
  size_t got;
  while ((got = fread(block, 1, sizeof block, file)) > 0) {
    ppi_text_append_n(text, block, got);
    if (text->failed)
      return ppi_error_memory(error);
    if (text->length > FILE_MAX)
      return ppi_error_set(error, PERFPRED_LIMIT, "%s: is longer than 16 MiB", path);
  }
  if (ferror(file))
    return ppi_error_set(error, PERFPRED_IO, "%s: cannot be read: %m", path);
  if (text->length == 0)
    return ppi_error_set(error, PERFPRED_SYNTAX, "%s: is empty; expected perfpred-text 1", path);
  return PERFPRED_OK;
}

enum perfpred_status perfpred_context_add_file(struct perfpred_context *context, const char *path,
                                               struct perfpred_error *error) {
  ppi_error_clear(error);
  if (!context || !path)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", !context ? "context" : "path");
  FILE *file = NULL;
  enum perfpred_status status = open_text(path, &file, error);
  if (status)
    return status;
  struct ppi_text text = PPI_TEXT_INIT;
  status = read_text(file, path, &text, error);
  if (!status)
    status = ppi_programs_add_text(context->programs, context->kernels, text.data, text.length, path, error);
  ppi_text_free(&text);
  fclose(file);
  return status;
}
