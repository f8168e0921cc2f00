/* SPDX-License-Identifier: BSD-3-Clause */
/* From the sum of estimates to a prediction: performance, efficiency, bandwidth, roofline (Section 11, equations 4 to 6). */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/stats.h"
#include "predict/predict.h"

#define PREDICTION_SIZE (offsetof(struct perfpred_prediction, model_error) + sizeof(double)) /* before context_calls */

static void unknown(struct perfpred_statistics *statistics) {
  double nan = (double)NAN;
  *statistics = (struct perfpred_statistics){ nan, nan, nan, nan, nan };
}

/* Peak flop/s of the data type on all threads; 0: not known. Complex arithmetic is counted in real operations. */
static double peak_of(const struct perfpred_plan *plan) {
  enum ppi_type type = ppi_program_type(plan->program);
  bool single = type == PPI_TYPE_S || type == PPI_TYPE_C;
  int threads = plan->models->setups[plan->setup].threads;
  return plan->models->machine.peak_flops_per_s[single ? 0 : 1] * (threads > 1 ? threads : 1);
}

static void rate_of_peak(const struct perfpred_statistics *rate, double peak, struct perfpred_statistics *efficiency) {
  if (!(peak > 0.0)) {
    unknown(efficiency);
    return;
  }
  *efficiency = *rate;
  ppi_stats_scale(efficiency, 1.0 / peak);
}

static void set_roofline(struct perfpred_prediction *full, double peak, double bandwidth) {
  full->intensity_flops_per_byte = full->movement_bytes > 0.0 ? full->flops / full->movement_bytes : 0.0;
  full->roofline_flops_per_s = (double)NAN;
  full->compute_bound = -1;
  if (!(peak > 0.0) || !(bandwidth > 0.0))
    return;
  double memory_roof = full->intensity_flops_per_byte * bandwidth;
  full->roofline_flops_per_s = memory_roof < peak ? memory_roof : peak;
  if (full->movement_bytes > 0.0)
    full->compute_bound = memory_roof >= peak;
}

enum perfpred_status ppi_plan_predict(const struct perfpred_plan *plan, const int64_t *parameters, size_t count,
                                      struct perfpred_prediction *full, struct perfpred_error *error) {
  struct ppi_plan_sum sum;
  memset(full, 0, sizeof *full);
  full->size = sizeof *full;
  enum perfpred_status status = ppi_plan_sum(plan, parameters, count, &sum, error);
  if (status)
    return status;
  full->flops = ppi_program_cost(plan->program, parameters, error);
  if (isnan(full->flops))
    return ppi_error_set(error, error && error->status ? error->status : PERFPRED_OVERFLOW,
                         "the cost of %s has no value", plan->program->name);
  status = ppi_program_bytes(plan->program, parameters, &full->data_bytes, &full->movement_bytes, error);
  if (status)
    return status;
  double peak = peak_of(plan), bandwidth = plan->models->machine.bandwidth_bytes_per_s;
  full->time_s = sum.time_s;
  full->notes = sum.notes;
  full->calls = sum.calls;
  full->model_error = sum.model_error;
  full->context_calls = sum.context_calls;
  full->warm_calls = sum.warm_calls;
  full->cache_calls = sum.cache_calls;
  ppi_stats_rate(&full->time_s, full->flops, &full->flops_per_s);
  ppi_stats_rate(&full->time_s, full->movement_bytes, &full->bandwidth_bytes_per_s);
  rate_of_peak(&full->flops_per_s, peak, &full->efficiency);
  rate_of_peak(&full->bandwidth_bytes_per_s, bandwidth, &full->efficiency_bandwidth);
  set_roofline(full, peak, bandwidth);
  return PERFPRED_OK;
}

enum perfpred_status ppi_plan_check(const struct perfpred_plan *plan, const int64_t *parameters, size_t count,
                                    struct perfpred_error *error) {
  if (!plan)
    return ppi_error_set(error, PERFPRED_INVALID, "plan is NULL");
  if (!parameters && count > 0)
    return ppi_error_set(error, PERFPRED_INVALID, "parameters is NULL; expected %zu values", count);
  if (count != (size_t)plan->program->parameter_count)
    return ppi_error_set(error, PERFPRED_INVALID, "count is %zu; %s has %d parameters", count, plan->program->name,
                         plan->program->parameter_count);
  return PERFPRED_OK;
}

enum perfpred_status perfpred_plan_predict(const struct perfpred_plan *plan, const int64_t *parameters, size_t count,
                                           struct perfpred_prediction *prediction, struct perfpred_error *error) {
  ppi_error_clear(error);
  if (!prediction)
    return ppi_error_set(error, PERFPRED_INVALID, "prediction is NULL");
  if (prediction->size < PREDICTION_SIZE)
    return ppi_error_set(error, PERFPRED_INVALID, "prediction: size is %zu; expected PERFPRED_PREDICTION_INIT",
                         prediction->size);
  enum perfpred_status status = ppi_plan_check(plan, parameters, count, error);
  if (status)
    return status;
  struct perfpred_prediction full;
  status = ppi_plan_predict(plan, parameters, count, &full, error);
  if (status)
    return status;
  full.size = prediction->size;
  memcpy(prediction, &full, full.size < sizeof full ? full.size : sizeof full);
  return PERFPRED_OK;
}
