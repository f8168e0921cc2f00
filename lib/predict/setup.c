/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of the models' setups a plan is of: by the number of threads, by the BLAS, by its place. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "machine/library.h"
#include "predict/plan.h"

#define DIGITS_MIN 6 /* of a build id */

/* How the BLAS is named. */
struct wish {
  const struct perfpred_plan_options *options;
  bool is_path;
  char *real;                      /* the path without links; NULL: there is no such file */
  char build_id[PPI_BUILD_ID_MAX]; /* of that file; "": none */
};

static void wish_init(struct wish *wish, const struct perfpred_plan_options *options) {
  wish->options = options;
  wish->is_path = options->blas && strchr(options->blas, '/');
  wish->real = wish->is_path ? realpath(options->blas, NULL) : NULL;
  wish->build_id[0] = '\0';
  /* A file that cannot be read is told by its name alone: predicting needs no library. */
  if (wish->real && ppi_library_file_id(wish->real, "blas", wish->build_id, NULL) != PERFPRED_OK)
    wish->build_id[0] = '\0';
}

static bool fits_path(const struct wish *wish, const struct ppi_library *blas) {
  if (wish->build_id[0] && blas->build_id[0])
    return strcmp(wish->build_id, blas->build_id) == 0;
  return strcmp(wish->options->blas, blas->path) == 0 || (wish->real && strcmp(wish->real, blas->path) == 0);
}

static bool fits_blas(const struct wish *wish, const struct ppi_library *blas) {
  const char *name = wish->options->blas;

  if (!name)
    return true;
  if (wish->is_path)
    return fits_path(wish, blas);
  return strcmp(name, blas->family) == 0 ||
         (strlen(name) >= DIGITS_MIN && strncmp(name, blas->build_id, strlen(name)) == 0);
}

static bool fits_threads(const struct wish *wish, const struct ppi_setup *setup) {
  return wish->options->threads == 0 || wish->options->threads == setup->threads;
}

static bool fits_place(const struct wish *wish, int place) {
  return wish->options->setup == 0 || wish->options->setup == (size_t)place + 1;
}

/* What has to fit: everything, all but the BLAS, or the place alone. */
enum extent { ALL, OTHER_BLAS, ANY };

/* How many fit. */
static int collect(const struct perfpred_models *models, const struct wish *wish, enum extent extent, bool *among) {
  int count = 0;

  for (int i = 0; i < models->setup_count; i++) {
    const struct ppi_setup *setup = models->setups + i;

    among[i] = fits_place(wish, i) && (extent == ANY || fits_threads(wish, setup)) &&
               (extent != ALL || fits_blas(wish, &setup->blas));
    count += among[i];
  }
  return count;
}

static enum perfpred_status tell(const struct perfpred_models *models, const bool *among, const char *what,
                                 enum perfpred_status status, struct perfpred_error *error) {
  char *list = ppi_models_setups_text(models, among);

  if (!list)
    return ppi_error_memory(error);
  ppi_error_set(error, status, "%s: %s", what, list);
  free(list);
  return status;
}

static enum perfpred_status none(const struct perfpred_models *models, const struct wish *wish, bool other_blas,
                                 struct perfpred_error *error) {
  struct ppi_text text = PPI_TEXT_INIT;
  const struct perfpred_plan_options *options = wish->options;
  enum perfpred_status status;
  char *what;

  ppi_text_append(&text, "no models");
  if (options->blas)
    ppi_text_printf(&text, " of BLAS %.100s", options->blas);
  if (other_blas && wish->build_id[0])
    ppi_text_printf(&text, " (build %.8s)", wish->build_id);
  if (options->threads)
    ppi_text_printf(&text, " for %d thread%s", options->threads, options->threads == 1 ? "" : "s");
  if (options->setup)
    ppi_text_printf(&text, " with the setup %zu", options->setup);
  ppi_text_append(&text, "; there are those of");
  what = ppi_text_take(&text);
  if (!what)
    return ppi_error_memory(error);
  status = tell(models, NULL, what, other_blas ? PERFPRED_OTHER_BLAS : PERFPRED_NOT_FOUND, error);
  free(what);
  return status;
}

static enum perfpred_status choose(struct perfpred_plan *plan, const struct wish *wish, bool *among,
                                   struct perfpred_error *error) {
  const struct perfpred_models *models = plan->models;
  int count = collect(models, wish, ALL, among);

  for (enum extent extent = OTHER_BLAS; wish->options->force && count == 0 && extent <= ANY; extent++) {
    count = collect(models, wish, extent, among);
    plan->notes |= count > 0 ? PERFPRED_NOTE_OTHER_BLAS | PERFPRED_NOTE_FORCED : 0;
  }
  if (count == 0)
    return none(models, wish, wish->is_path && collect(models, wish, OTHER_BLAS, among) > 0, error);
  if (count > 1)
    return tell(models, among, "several setups have models; choose one by its threads, its BLAS or its number",
                PERFPRED_AMBIGUOUS, error);
  while (!among[plan->setup])
    plan->setup++;
  return PERFPRED_OK;
}

enum perfpred_status ppi_plan_choose_setup(struct perfpred_plan *plan, const struct perfpred_plan_options *options,
                                           struct perfpred_error *error) {
  struct wish wish;
  bool *among;
  enum perfpred_status status;

  if (options->threads < 0)
    return ppi_error_set(error, PERFPRED_INVALID, "options.threads: %d: expected a number of threads, or 0 for any",
                         options->threads);
  if (options->blas && !options->blas[0])
    return ppi_error_set(error, PERFPRED_INVALID, "options.blas: expected a family, a path or a build id, or NULL");
  among = calloc((size_t)plan->models->setup_count, sizeof *among);
  if (!among)
    return ppi_error_memory(error);
  plan->notes = plan->models->notes;
  wish_init(&wish, options);
  status = choose(plan, &wish, among, error);
  free(wish.real);
  free(among);
  return status;
}
