/* SPDX-License-Identifier: BSD-3-Clause */
/* Adding to a model file that other processes add to as well. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "store/journal.h"
#include "store/lock.h"
#include "store/parts.h"
#include "store/store.h"

/* What is to be written: the models, with those of the file below them. */
static enum perfpred_status join(const struct perfpred_context *context, const struct perfpred_models *models,
                                 const char *path, struct perfpred_models **joined, struct perfpred_error *error) {
  struct perfpred_models *there = NULL;
  struct perfpred_error why;
  enum perfpred_status status = perfpred_models_load(context, path, NULL, &there, error);

  if (status)
    return status;
  status = perfpred_models_merge(there, models, NULL, joined, &why);
  perfpred_models_unref(there);
  return status ? ppi_error_set(error, status, "%s: %s", path, why.text) : PERFPRED_OK;
}

static enum perfpred_status write_text(const struct perfpred_models *models, const char *path,
                                       struct perfpred_error *error) {
  char *text = NULL;
  enum perfpred_status status = perfpred_models_print(models, &text, error);

  if (!status)
    status = ppi_store_replace_file(path, text, strlen(text), error);
  free(text);
  return status;
}

static enum perfpred_status update(const struct perfpred_context *context, const struct perfpred_models *models,
                                   const char *path, bool replace, struct perfpred_error *error) {
  struct perfpred_models *joined = NULL;
  struct stat about;
  enum perfpred_status status;

  if (replace || stat(path, &about) != 0 || !S_ISREG(about.st_mode))
    return write_text(models, path, error);
  status = join(context, models, path, &joined, error);
  if (!status)
    status = write_text(joined, path, error);
  perfpred_models_unref(joined);
  return status;
}

enum perfpred_status perfpred_models_update(const struct perfpred_context *context,
                                            const struct perfpred_models *models, const char *path,
                                            const struct perfpred_update_options *options,
                                            struct perfpred_error *error) {
  char real[PATH_MAX];
  int lock = -1;
  enum perfpred_status status;

  ppi_error_clear(error);
  if (!context || !models)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", !context ? "context" : "models");
  if (!path || !path[0])
    return ppi_error_set(error, PERFPRED_INVALID, "path: expected the name of a file");
  if (options && options->size < sizeof *options)
    return ppi_error_set(error, PERFPRED_INVALID, "options.size: %zu: expected PERFPRED_UPDATE_OPTIONS_INIT",
                         options->size);
  status = ppi_store_resolve(path, real, error);
  if (!status)
    status = ppi_lock_folder(real, path, &lock, error);
  if (status)
    return status;
  ppi_lock_sweep(real);
  status = update(context, models, path, options && options->replace, error);
  if (!status)
    ppi_journal_finish(models->journal);
  ppi_lock_release(lock);
  return status;
}
