/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/model.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "model/packed.h"
#include "model/samples.h"

#define INFO_SIZE (offsetof(struct perfpred_model_info, samples) + sizeof(uint64_t)) /* of release 0.1 */

enum perfpred_status ppi_models_create(struct perfpred_models **models, struct perfpred_error *error) {
  struct perfpred_models *made = calloc(1, sizeof *made);

  if (!made)
    return ppi_error_memory(error);
  atomic_init(&made->references, 1);
  made->setups = calloc(1, sizeof *made->setups);
  made->samples = calloc(1, sizeof(struct ppi_samples *));
  if (!made->setups || !made->samples) {
    perfpred_models_unref(made);
    return ppi_error_memory(error);
  }
  made->setup_count = 1;
  *models = made;
  return PERFPRED_OK;
}

struct perfpred_models *perfpred_models_ref(struct perfpred_models *models) {
  if (models)
    atomic_fetch_add(&models->references, 1);
  return models;
}

void perfpred_models_unref(struct perfpred_models *models) {
  if (!models || atomic_fetch_sub(&models->references, 1) != 1)
    return;
  for (int i = 0; i < models->count; i++)
    ppi_submodel_release(models->submodels + i);
  for (int i = 0; i < models->setup_count; i++) {
    ppi_samples_release(models->samples[i]);
    free(models->samples[i]);
  }
  if (models->journal)
    models->journal_close(models->journal);
  free(models->samples);
  free(models->setups);
  free(models->order);
  free(models->submodels);
  free(models);
}

static int compare(const struct ppi_submodel *submodel, const char *kernel, const char *case_text) {
  int difference = strcmp(submodel->kernel->name, kernel);

  return difference ? difference : strcmp(submodel->case_text, case_text);
}

/* First place in the order whose sub-model does not come before (with `after`: that comes behind) kernel and case. */
static int search(const struct perfpred_models *models, const char *kernel, const char *case_text, bool after) {
  int low = 0, high = models->count;

  while (low < high) {
    int middle = low + (high - low) / 2;
    int difference = compare(models->submodels + models->order[middle], kernel, case_text);

    if (difference < 0 || (after && difference == 0))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Of one kernel and case. */
static bool same_domain(const struct ppi_submodel *a, const struct ppi_submodel *b) {
  if (a->setup != b->setup || a->dimensions != b->dimensions || strcmp(a->context, b->context) != 0)
    return false;
  for (int d = 0; d < a->dimensions; d++)
    if (a->lower[d] != b->lower[d] || a->upper[d] != b->upper[d])
      return false;
  return true;
}

static enum perfpred_status reserve(struct perfpred_models *models, struct perfpred_error *error) {
  int capacity = models->capacity ? 2 * models->capacity : 8;
  struct ppi_submodel *submodels;
  int *order;

  if (models->count < models->capacity)
    return PERFPRED_OK;
  submodels = realloc(models->submodels, (size_t)capacity * sizeof *submodels);
  if (!submodels)
    return ppi_error_memory(error);
  models->submodels = submodels;
  order = realloc(models->order, (size_t)capacity * sizeof *order);
  if (!order)
    return ppi_error_memory(error);
  models->order = order;
  models->capacity = capacity;
  return PERFPRED_OK;
}

enum perfpred_status ppi_models_append(struct perfpred_models *models, struct ppi_submodel *submodel,
                                       struct perfpred_error *error) {
  const char *kernel = submodel->kernel->name, *case_text = submodel->case_text;
  int first = search(models, kernel, case_text, false), behind = search(models, kernel, case_text, true);
  enum perfpred_status status = PERFPRED_OK;

  for (int i = first; i < behind && !status; i++)
    if (same_domain(models->submodels + models->order[i], submodel))
      status =
          ppi_error_set(error, PERFPRED_EXISTS, "%s(%s): a model of this domain is there already", kernel, case_text);
  if (!status)
    status = ppi_submodel_pack(submodel, error);
  if (!status)
    status = reserve(models, error);
  if (status) {
    ppi_submodel_release(submodel);
    return status;
  }
  memmove(models->order + behind + 1, models->order + behind, (size_t)(models->count - behind) * sizeof *models->order);
  models->order[behind] = models->count;
  models->submodels[models->count++] = *submodel;
  memset(submodel, 0, sizeof *submodel);
  return PERFPRED_OK;
}

int ppi_models_find(const struct perfpred_models *models, const char *kernel, const char *case_text, int *places,
                    int max) {
  int first = search(models, kernel, case_text, false), behind = search(models, kernel, case_text, true);

  for (int i = first; i < behind && i - first < max; i++)
    places[i - first] = models->order[i];
  return behind - first;
}

size_t perfpred_models_count(const struct perfpred_models *models) {
  return models ? (size_t)models->count : 0;
}

static void describe(const struct ppi_submodel *submodel, struct perfpred_model_info *info) {
  info->kernel = submodel->kernel->name;
  info->case_text = submodel->case_text;
  info->dimensions = (size_t)submodel->dimensions;
  for (int d = 0; d < submodel->dimensions; d++) {
    info->lower[d] = submodel->lower[d];
    info->upper[d] = submodel->upper[d];
    info->size_names[d] = ppi_submodel_size_name(submodel, d);
  }
  info->pieces = (size_t)submodel->piece_count;
  info->error = NAN;
  for (int i = 0; i < submodel->piece_count; i++) {
    info->coefficients += (size_t)submodel->pieces[i].count;
    info->error = fmax(info->error, submodel->pieces[i].error); /* of a number and NaN, fmax is the number */
  }
  info->samples = submodel->samples;
  info->setup = (size_t)submodel->setup;
  info->context = submodel->context;
  info->ld = submodel->ld;
  info->anchors = (size_t)submodel->anchor_count;
  info->scale = ppi_scaling_factor(&submodel->scaling);
  info->scaled_at = submodel->scaling.at;
  info->scaled_from = submodel->scaling.from;
}

enum perfpred_status ppi_models_check_info(const struct perfpred_models *models, const void *info, size_t size,
                                           size_t least, const char *initializer, struct perfpred_error *error) {
  if (!models)
    return ppi_error_set(error, PERFPRED_INVALID, "models: expected models, found NULL");
  if (!info)
    return ppi_error_set(error, PERFPRED_INVALID, "info: expected a structure, found NULL");
  if (size < least)
    return ppi_error_set(error, PERFPRED_INVALID, "info.size: %zu: expected at least %zu (%s)", size, least,
                         initializer);
  return PERFPRED_OK;
}

enum perfpred_status perfpred_models_info(const struct perfpred_models *models, size_t index,
                                          struct perfpred_model_info *info, struct perfpred_error *error) {
  struct perfpred_model_info full = PERFPRED_MODEL_INFO_INIT;
  enum perfpred_status status;

  ppi_error_clear(error);
  status = ppi_models_check_info(models, info, info ? info->size : 0, INFO_SIZE, "PERFPRED_MODEL_INFO_INIT", error);
  if (status)
    return status;
  if (index >= (size_t)models->count)
    return ppi_error_set(error, PERFPRED_NOT_FOUND, "index: %zu: expected less than the number of models, %d", index,
                         models->count);
  describe(models->submodels + index, &full);
  full.size = info->size;
  memcpy(info, &full, info->size < sizeof full ? info->size : sizeof full);
  return PERFPRED_OK;
}

/* NULL: there is no such sub-model, or it has other sizes. */
static const struct ppi_submodel *asked(const struct perfpred_models *models, size_t index, const int64_t *sizes,
                                        size_t count) {
  if (!models || index >= (size_t)models->count || (!sizes && count > 0))
    return NULL;
  return count == (size_t)models->submodels[index].dimensions ? models->submodels + index : NULL;
}

unsigned perfpred_models_estimate(const struct perfpred_models *models, size_t index, const int64_t *sizes,
                                  size_t count, struct perfpred_statistics *time_s) {
  const struct ppi_submodel *submodel = asked(models, index, sizes, count);
  struct ppi_estimate estimate;

  if (!submodel || !time_s)
    return PERFPRED_NOTE_ERROR;
  ppi_submodel_estimate(submodel, sizes, &estimate);
  *time_s = estimate.time_s;
  return estimate.notes | models->notes;
}

unsigned perfpred_models_estimate_median(const struct perfpred_models *models, size_t index, const int64_t *sizes,
                                         size_t count, double *median_s) {
  const struct ppi_submodel *submodel = asked(models, index, sizes, count);
  struct ppi_estimate estimate;

  if (!submodel || !median_s)
    return PERFPRED_NOTE_ERROR;
  ppi_submodel_estimate_median(submodel, sizes, &estimate);
  *median_s = estimate.time_s.med;
  return estimate.notes | models->notes;
}
