/* SPDX-License-Identifier: BSD-3-Clause */
/* The setups that models are of: which are the same, what they are called. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "model/samples.h"

#define INFO_SIZE (offsetof(struct perfpred_setup_info, kept_samples) + sizeof(uint64_t)) /* of release 0.1 */
#define FITS 330                                                                          /* of a list in a message */

bool ppi_setup_is_virtual(const struct ppi_setup *setup) {
  return strcmp(setup->clock, "virtual") == 0 || strcmp(setup->blas.family, "virtual") == 0;
}

/* The build id tells best, for the same file may lie in two places; the kernel set makes one file two libraries. */
bool ppi_library_same(const struct ppi_library *a, const struct ppi_library *b) {
  if (a->build_id[0] && b->build_id[0]) {
    if (strcmp(a->build_id, b->build_id) != 0)
      return false;
  } else if (strcmp(a->path, b->path) != 0) {
    return false;
  }
  return !a->kernels[0] || !b->kernels[0] || strcmp(a->kernels, b->kernels) == 0;
}

bool ppi_setup_same(const struct ppi_setup *a, const struct ppi_setup *b) {
  return ppi_library_same(&a->blas, &b->blas) && ppi_library_same(&a->lapack, &b->lapack) &&
         strcmp(a->blas.version, b->blas.version) == 0 && strcmp(a->lapack.version, b->lapack.version) == 0 &&
         a->threads == b->threads && a->ilp64 == b->ilp64 && strcmp(a->clock, b->clock) == 0 &&
         a->protocol == b->protocol;
}

enum perfpred_status ppi_models_add_setup(struct perfpred_models *models, const struct ppi_setup *setup, int *place,
                                          struct perfpred_error *error) {
  size_t count = (size_t)models->setup_count + 1;
  struct ppi_setup *setups = realloc(models->setups, count * sizeof *setups);
  struct ppi_samples **samples;

  if (!setups)
    return ppi_error_memory(error);
  models->setups = setups;
  samples = realloc(models->samples, count * sizeof(struct ppi_samples *));
  if (!samples)
    return ppi_error_memory(error);
  models->samples = samples;
  if (setup)
    setups[count - 1] = *setup;
  else
    memset(setups + count - 1, 0, sizeof *setups);
  samples[count - 1] = NULL;
  *place = models->setup_count++;
  return PERFPRED_OK;
}

static void put_setup(struct ppi_text *text, const struct perfpred_models *models, int place) {
  const struct ppi_setup *setup = models->setups + place;
  const struct ppi_library *blas = &setup->blas;
  bool twin = false; /* told apart from the others by the build id alone */

  for (int i = 0; i < models->setup_count; i++)
    twin = twin || (i != place && strcmp(blas->path, models->setups[i].blas.path) == 0 &&
                    strcmp(blas->build_id, models->setups[i].blas.build_id) != 0);
  ppi_text_printf(text, "%s%d: ", text->length ? "; " : "", place + 1);
  if (blas->path[0])
    ppi_text_printf(text, "%.100s (%s%s%.30s%s%.30s%s%.8s), ", blas->path, blas->family, blas->version[0] ? " " : "",
                    blas->version, blas->kernels[0] ? ", kernels " : "", blas->kernels, twin ? ", build " : "",
                    twin ? blas->build_id : "");
  else
    ppi_text_printf(text, "%s, ", blas->family);
  ppi_text_printf(text, "%d thread%s", setup->threads, setup->threads == 1 ? "" : "s");
}

char *ppi_models_setups_text(const struct perfpred_models *models, const bool *among) {
  struct ppi_text text = PPI_TEXT_INIT;

  for (int i = 0; i < models->setup_count && !text.failed; i++) {
    if (among && !among[i])
      continue;
    if (text.length > FITS) {
      ppi_text_append(&text, "; ...");
      break;
    }
    put_setup(&text, models, i);
  }
  return ppi_text_take(&text);
}

size_t perfpred_models_setup_count(const struct perfpred_models *models) {
  return models ? (size_t)models->setup_count : 0;
}

static void count_contents(const struct perfpred_models *models, int place, struct perfpred_setup_info *info) {
  const struct ppi_samples *samples = models->samples[place];

  for (int i = 0; i < models->count; i++)
    info->models += models->submodels[i].setup == place;
  for (size_t i = 0; samples && i < samples->count; i++)
    info->kept_samples += samples->records[i]->count;
}

enum perfpred_status perfpred_models_setup_info(const struct perfpred_models *models, size_t index,
                                                struct perfpred_setup_info *info, struct perfpred_error *error) {
  struct perfpred_setup_info full = PERFPRED_SETUP_INFO_INIT;
  const struct ppi_setup *setup;
  enum perfpred_status status;

  ppi_error_clear(error);
  status = ppi_models_check_info(models, info, info ? info->size : 0, INFO_SIZE, "PERFPRED_SETUP_INFO_INIT", error);
  if (status)
    return status;
  if (index >= (size_t)models->setup_count)
    return ppi_error_set(error, PERFPRED_NOT_FOUND, "index: %zu: expected less than the number of setups, %d", index,
                         models->setup_count);
  setup = models->setups + index;
  full = (struct perfpred_setup_info){ info->size,
                                       setup->blas.family,
                                       setup->blas.path,
                                       setup->blas.version,
                                       setup->blas.build_id,
                                       setup->blas.kernels,
                                       setup->lapack.family,
                                       setup->lapack.path,
                                       setup->lapack.version,
                                       setup->lapack.build_id,
                                       setup->threads,
                                       setup->ilp64,
                                       setup->clock,
                                       setup->protocol,
                                       0,
                                       0,
                                       setup->yardstick_s };
  count_contents(models, (int)index, &full);
  memcpy(info, &full, info->size < sizeof full ? info->size : sizeof full);
  return PERFPRED_OK;
}
