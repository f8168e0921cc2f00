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

/* How much longer the work takes: what took w takes w t_new / t_old. 0: nothing is known. */
static double slowness(const struct ppi_apex_part *parts, size_t count) {
  double weights = 0.0, time = 0.0;
  for (size_t i = 0; i < count; i++) {
    weights += parts[i].weight;
    time += parts[i].old_time_s > 0.0 ? parts[i].weight * parts[i].new_time_s / parts[i].old_time_s : 0.0;
  }
  return weights > 0.0 ? time / weights : 0.0;
}

/* The work of a rectangle stays what it was, its time does not. */
double ppi_apex_forecast_other(const struct ppi_apex_part *parts, size_t count) {
  double work = 0.0, weights = 0.0, longer = slowness(parts, count);
  for (size_t i = 0; i < count; i++) {
    work += parts[i].weight * parts[i].old_rate;
    weights += parts[i].weight;
  }
  return longer > 0.0 ? work / weights / longer : 0.0;
}

double ppi_apex_forecast_scaled(const struct ppi_apex_part *parts, size_t count, double old_rate) {
  double longer = slowness(parts, count);
  return longer > 0.0 ? old_rate / longer : 0.0;
}
