/* SPDX-License-Identifier: BSD-3-Clause */
/* What the Fortran program is compared with: models of the virtual clock, and what C says of them. */
#include <stdlib.h>
#include <string.h>

#include "clockwork.h"

enum perfpred_status reference_save(const char *path);
double reference_median(int64_t n, int64_t b);
int64_t reference_best(int64_t n);
size_t reference_size(int which);

static struct perfpred_plan *plan;

/* Leaves a plan behind for the others. */
enum perfpred_status reference_save(const char *path) {
  struct perfpred_context *context = NULL;
  struct perfpred_models *models = NULL;
  struct perfpred_program *program = NULL;
  enum perfpred_status status = perfpred_context_create(&context, NULL);
  if (!status)
    status = clockwork_models(context, "chol-l-3", &models, NULL);
  if (!status)
    status = perfpred_models_save(models, path, NULL);
  if (!status)
    status = perfpred_program_find(context, "chol-l-3", &program, NULL);
  if (!status)
    status = perfpred_plan_create(program, models, NULL, &plan, NULL);
  perfpred_program_unref(program);
  perfpred_models_unref(models);
  perfpred_context_destroy(context);
  return status;
}

double reference_median(int64_t n, int64_t b) {
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  const int64_t values[] = { n, b };
  return perfpred_plan_predict(plan, values, 2, &prediction, NULL) ? -1.0 : prediction.time_s.med;
}

int64_t reference_best(int64_t n) {
  struct perfpred_tuning tuning = PERFPRED_TUNING_INIT;
  const struct perfpred_range range = { 8, 32, 8 };
  const int64_t values[] = { n, 0 };
  return perfpred_plan_tune(plan, 1, &range, values, 2, &tuning, NULL) ? -1 : tuning.best;
}

size_t reference_size(int which) {
  const size_t sizes[] = { sizeof(struct perfpred_statistics), sizeof(struct perfpred_prediction),
                           sizeof(struct perfpred_range), sizeof(struct perfpred_tuning),
                           sizeof(struct perfpred_tuner_answer) };
  return sizes[which - 1];
}
