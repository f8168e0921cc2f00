/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints a model file, for the check of the schema. */
#include "fixture.h"

int main(void) {
  struct world world;
  struct perfpred_models *models;
  char *text = NULL;

  world_create(&world);
  models = sample_models(&world);
  if (perfpred_models_print(models, &text, NULL))
    return 1;
  fputs(text, stdout);
  free(text);
  perfpred_models_unref(models);
  world_destroy(&world);
  return 0;
}
