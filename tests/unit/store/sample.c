/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints a model file, for the check of the schema. */
#include "fixture.h"
#include "model/samples.h"

static void add_samples(struct perfpred_models *models) {
  static double times_s[] = { 3e-6, 4e-6, 5e-6 };
  static const size_t parts[] = { 2, 1 };
  const int64_t n = 24;
  const struct ppi_result result = { .times_s = times_s, .count = 3, .measure_s = 1e-5, .gated = true };

  models->samples[0] = calloc(1, sizeof *models->samples[0]);
  if (ppi_samples_add_parts(models->samples[0], models->submodels[1].kernel, "L", &n, 640, &result, parts, 2, NULL))
    abort();
  const struct ppi_key key = { models->submodels[1].kernel, "L", &n, 640, "dpotrf:2", (int64_t[]){ 0, 24, 8 }, 3 };
  if (ppi_samples_add_at(models->samples[0], &key, &result, parts, 2, NULL))
    abort();
  ppi_marks_add(&models->marks, "5f-7");
}

int main(void) {
  struct world world;
  struct perfpred_models *models;
  char *text = NULL;

  world_create(&world);
  models = sample_models(&world);
  add_samples(models);
  if (perfpred_models_print(models, &text, NULL))
    return 1;
  fputs(text, stdout);
  free(text);
  perfpred_models_unref(models);
  world_destroy(&world);
  return 0;
}
