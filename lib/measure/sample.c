/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/sample.h"

#include <stdlib.h>

void ppi_results_free(struct ppi_result *results, size_t count) {
  for (size_t i = 0; results != NULL && i < count; i++) {
    free(results[i].times_s);
    free(results[i].samples);
    results[i].times_s = NULL;
    results[i].samples = NULL;
    results[i].count = results[i].sample_count = 0;
  }
}

void ppi_unit_result_free(struct ppi_unit_result *result) {
  ppi_results_free(&result->timing, 1);
  free(result->counts);
  result->counts = NULL;
  result->count_count = 0;
}
