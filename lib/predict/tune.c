/* SPDX-License-Identifier: BSD-3-Clause */
/* Choosing the value of a parameter by predicted median time (Section 16). */
#include <math.h>
#include <string.h>

#include "predict/predict.h"

#define DEFAULT_BLOCK 64 /* what reference LAPACK uses for most routines */
#define CANDIDATE_MAX 65536

struct best {
  int64_t value;
  double time_s;
  uint64_t candidates;
};

enum perfpred_status ppi_range_check(const struct perfpred_range *range, struct perfpred_error *error) {
  if (!range)
    return ppi_error_set(error, PERFPRED_INVALID, "range is NULL");
  if (range->step < 1)
    return ppi_error_set(error, PERFPRED_INVALID, "range: step is %lld; expected at least 1", (long long)range->step);
  if (range->lower < 0 || range->upper < range->lower)
    return ppi_error_set(error, PERFPRED_INVALID, "range: [%lld, %lld] is empty or negative", (long long)range->lower,
                         (long long)range->upper);
  if ((range->upper - range->lower) / range->step >= CANDIDATE_MAX)
    return ppi_error_set(error, PERFPRED_LIMIT, "range: %lld to %lld by %lld has more than %d candidates",
                         (long long)range->lower, (long long)range->upper, (long long)range->step, CANDIDATE_MAX);
  return PERFPRED_OK;
}

static enum perfpred_status check_arguments(const struct perfpred_plan *plan, int parameter,
                                            const struct perfpred_range *range, const int64_t *parameters, size_t count,
                                            const struct perfpred_tuning *tuning, struct perfpred_error *error) {
  enum perfpred_status status = ppi_plan_check(plan, parameters, count, error);
  if (status)
    return status;
  if (parameter < 0 || (size_t)parameter >= count)
    return ppi_error_set(error, PERFPRED_INVALID, "parameter is %d; %s has parameters 0 to %zu", parameter,
                         plan->program->name, count - 1);
  if (!tuning)
    return ppi_error_set(error, PERFPRED_INVALID, "tuning is NULL");
  if (tuning->size < sizeof *tuning)
    return ppi_error_set(error, PERFPRED_INVALID, "tuning: size is %zu; expected PERFPRED_TUNING_INIT", tuning->size);
  if (tuning->default_value < 0)
    return ppi_error_set(error, PERFPRED_INVALID, "tuning: default_value is %lld; expected at least 0",
                         (long long)tuning->default_value);
  return ppi_range_check(range, error);
}

int64_t ppi_tune_default(const struct perfpred_plan *plan, int parameter) {
  int64_t proposed = plan->program->defaults[parameter];
  return proposed > 0 ? proposed : DEFAULT_BLOCK;
}

/* What is wrong with the first candidate that cannot be predicted. */
static enum perfpred_status explain(const struct perfpred_plan *plan, int parameter, const struct perfpred_range *range,
                                    int64_t *values, size_t count, struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  for (int64_t k = 0; k <= (range->upper - range->lower) / range->step && !status; k++) {
    double time_s;
    unsigned notes;
    values[parameter] = range->lower + k * range->step;
    status = ppi_plan_median(plan, values, count, (double)INFINITY, &time_s, &notes, error);
  }
  return status;
}

/* Small blocks make many steps: they come last, when there is a time that they must not exceed. Of equal times the smallest value wins. */
static enum perfpred_status search(const struct perfpred_plan *plan, int parameter, const struct perfpred_range *range,
                                   int64_t *values, size_t count, struct best *best, struct perfpred_error *error) {
  const int64_t last = (range->upper - range->lower) / range->step;
  best->candidates = (uint64_t)last + 1;
  best->time_s = (double)INFINITY;
  for (int64_t k = last; k >= 0; k--) {
    double time_s;
    unsigned notes;
    values[parameter] = range->lower + k * range->step;
    enum perfpred_status status = ppi_plan_median_checked(plan, values, count, best->time_s, &time_s, &notes, NULL);
    if (status == PERFPRED_CANCELLED)
      continue;
    if (status) {
      const enum perfpred_status first = explain(plan, parameter, range, values, count, error);
      return first ? first : ppi_error_set(error, status, "%s cannot be predicted", plan->program->name);
    }
    best->value = values[parameter];
    best->time_s = time_s;
  }
  return PERFPRED_OK;
}

/* time(best) / time(default_value); NaN when the latter has no prediction. */
static double yield(const struct perfpred_plan *plan, int parameter, int64_t value, int64_t *values, size_t count,
                    double best_s) {
  double time_s;
  unsigned notes;
  values[parameter] = value;
  if (ppi_plan_median(plan, values, count, INFINITY, &time_s, &notes, NULL) != PERFPRED_OK)
    return (double)NAN;
  if (time_s > 0.0)
    return best_s / time_s;
  return best_s > 0.0 ? (double)NAN : 1.0; /* nothing to do either way */
}

enum perfpred_status perfpred_plan_tune(const struct perfpred_plan *plan, int parameter,
                                        const struct perfpred_range *range, const int64_t *parameters, size_t count,
                                        struct perfpred_tuning *tuning, struct perfpred_error *error) {
  ppi_error_clear(error);
  enum perfpred_status status = check_arguments(plan, parameter, range, parameters, count, tuning, error);
  if (status)
    return status;
  int64_t values[PPI_PARAMETER_MAX];
  memcpy(values, parameters, count * sizeof *values);
  struct best best = { 0 };
  status = search(plan, parameter, range, values, count, &best, error);
  if (status)
    return status;
  struct perfpred_tuning full = { .size = tuning->size, .best = best.value, .candidates = best.candidates };
  full.default_value = tuning->default_value ? tuning->default_value : ppi_tune_default(plan, parameter);
  values[parameter] = best.value;
  status = ppi_plan_predict(plan, values, count, &full.prediction, error);
  if (status)
    return status;
  full.yield_default = yield(plan, parameter, full.default_value, values, count, full.prediction.time_s.med);
  memcpy(tuning, &full, sizeof full);
  return PERFPRED_OK;
}
