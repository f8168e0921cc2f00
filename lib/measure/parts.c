/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/parts.h"

#include <math.h>
#include <stdlib.h>

enum perfpred_status ppi_parts_init(struct ppi_parts *parts, size_t subjects, size_t each,
                                    struct perfpred_error *error) {
  *parts = (struct ppi_parts){ each, subjects * each, NULL };
  if (each == 0)
    return PERFPRED_OK;
  parts->histories = calloc(parts->count, sizeof *parts->histories);
  return parts->histories == NULL ? ppi_error_memory(error) : PERFPRED_OK;
}

void ppi_parts_free(struct ppi_parts *parts) {
  for (size_t i = 0; parts->histories != NULL && i < parts->count; i++)
    ppi_history_free(&parts->histories[i]);
  free(parts->histories);
  parts->histories = NULL;
}

enum perfpred_status ppi_parts_add(struct ppi_parts *parts, size_t subject, const struct ppi_sample *whole,
                                   const double *times_s, struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  for (size_t i = 0; i < parts->each && status == PERFPRED_OK; i++) {
    struct ppi_history *history = &parts->histories[subject * parts->each + i];
    struct ppi_sample sample = *whole;
    if (times_s[i] < 0.0)
      continue;
    sample.wall_s = times_s[i];
    sample.cpu_s = whole->wall_s > 0.0 ? times_s[i] * fmin(whole->cpu_s / whole->wall_s, 1.0) : 0.0;
    sample.run_s = times_s[i];
    history->measure_s += times_s[i];
    status = ppi_history_add(history, &sample, error);
  }
  return status;
}

void ppi_parts_close_batch(struct ppi_parts *parts, size_t subject, double before_s, double after_s) {
  for (size_t i = 0; i < parts->each; i++)
    ppi_history_close_batch(&parts->histories[subject * parts->each + i], before_s, after_s);
}

/* What was spent around the runs of the whole is the first part's that has samples. */
static void charge(struct ppi_history *histories, size_t count, const struct ppi_history *whole) {
  size_t first = 0;
  while (first < count && histories[first].count == 0)
    first++;
  if (first == count)
    return;
  histories[first].yardstick_s = whole->yardstick_s;
  histories[first].restore_s = whole->restore_s;
}

enum perfpred_status ppi_parts_conclude(struct ppi_parts *parts, size_t subject, const struct ppi_history *whole,
                                        const struct ppi_level *level, double gate, double exponent,
                                        struct ppi_result *results, struct perfpred_error *error) {
  struct ppi_history *histories = &parts->histories[subject * parts->each];
  double sum = 0.0;
  for (size_t i = 0; i < parts->each; i++)
    sum += histories[i].measure_s;
  charge(histories, parts->each, whole);
  for (size_t i = 0; i < parts->each; i++) {
    results[i] = (struct ppi_result){ .residual = NAN };
    if (histories[i].count == 0)
      continue;
    if (sum > 0.0)
      histories[i].measure_s *= whole->measure_s / sum;
    ppi_history_count(&histories[i], level, gate);
    enum perfpred_status status =
        ppi_history_conclude(&histories[i], level, gate, exponent, whole->wanted, &results[i], error);
    if (status != PERFPRED_OK) {
      ppi_results_free(results, i);
      return status;
    }
  }
  return PERFPRED_OK;
}
