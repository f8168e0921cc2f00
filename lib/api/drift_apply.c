/* SPDX-License-Identifier: BSD-3-Clause */
/* Models scaled by what their anchors say. */
#include <string.h>

#include "api/drift.h"

static bool is_of(const struct ppi_drift_line *line, const struct ppi_submodel *submodel) {
  const double scale = ppi_scaling_factor(&submodel->scaling);
  return line->setup == submodel->setup && strcmp(line->kernel, submodel->kernel->name) == 0 &&
         !(line->scale < scale) && !(line->scale > scale);
}

/* The line of a sub-model. One without anchors goes with those of its kernel, where these were all made at one time. */
static const struct ppi_drift_line *line_of(const struct perfpred_drift *drift, const struct ppi_submodel *submodel) {
  const struct ppi_drift_line *found = NULL;
  for (size_t i = 0; i < drift->line_count; i++) {
    const struct ppi_drift_line *line = drift->lines + i;
    if (!is_of(line, submodel))
      continue;
    if (submodel->anchor_count > 0 && strcmp(line->at, submodel->anchors[0].at) == 0)
      return line;
    if (submodel->anchor_count == 0 && found)
      return NULL;
    found = line;
  }
  return submodel->anchor_count == 0 ? found : NULL;
}

static enum perfpred_status scale(const struct perfpred_drift *drift, struct perfpred_models *copy, size_t *count,
                                  struct perfpred_error *error) {
  char at[PPI_DATE_MAX] = "";
  enum perfpred_status status = PERFPRED_OK;
  ppi_date_now(at);
  for (int i = 0; i < copy->count && !status; i++) {
    const struct ppi_drift_line *line = line_of(drift, copy->submodels + i);
    if (!line || line->verdict != PERFPRED_DRIFT_DRIFTED)
      continue;
    status = ppi_submodel_scale(copy->submodels + i, line->ratio, at, copy->created, error);
    (*count)++;
  }
  return status;
}

static bool any_measured(const struct perfpred_drift *drift) {
  for (size_t i = 0; i < drift->line_count; i++)
    if (drift->lines[i].measured > 0)
      return true;
  return false;
}

enum perfpred_status perfpred_drift_apply(const struct perfpred_drift *drift, struct perfpred_models **scaled,
                                          size_t *count, struct perfpred_error *error) {
  struct perfpred_models *copy = NULL;
  size_t done = 0;
  ppi_error_clear(error);
  if (!drift || !scaled)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", drift ? "scaled" : "drift");
  if (!any_measured(drift))
    return ppi_error_set(error, PERFPRED_INVALID,
                         "drift: no anchor was timed again: expected perfpred_drift_measure before");
  enum perfpred_status status = ppi_models_copy(drift->models, &copy, error);
  if (!status)
    status = scale(drift, copy, &done, error);
  if (status) {
    perfpred_models_unref(copy);
    return status;
  }
  if (count)
    *count = done;
  *scaled = copy;
  return PERFPRED_OK;
}
