/* SPDX-License-Identifier: BSD-3-Clause */
/* From weights and representatives to flop/s. */
#include "apex/mix.h"

double ppi_apex_forecast_same(const struct ppi_apex_part *parts, size_t count) {
  double sum = 0.0, weights = 0.0;
  for (size_t i = 0; i < count; i++) {
    sum += parts[i].weight * parts[i].new_rate;
    weights += parts[i].weight;
  }
  return weights > 0.0 ? sum / weights : 0.0;
}

/* The work of a rectangle stays what it was, its time does not: what took w takes w t_new / t_old. */
double ppi_apex_forecast_other(const struct ppi_apex_part *parts, size_t count) {
  double work = 0.0, time = 0.0;
  for (size_t i = 0; i < count; i++) {
    work += parts[i].weight * parts[i].old_rate;
    time += parts[i].old_time_s > 0.0 ? parts[i].weight * parts[i].new_time_s / parts[i].old_time_s : 0.0;
  }
  return time > 0.0 ? work / time : 0.0;
}
