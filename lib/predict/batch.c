/* SPDX-License-Identifier: BSD-3-Clause */
/* Many configurations of one plan at once. */
#include <math.h>

#include "predict/predict.h"

/* What a batch writes; any of them may be NULL. */
struct batch {
  double *medians_s;
  struct perfpred_statistics *time_s;
  enum perfpred_status *statuses;
};

static enum perfpred_status evaluate(const struct perfpred_plan *plan, const int64_t *parameters, size_t count,
                                     bool whole, struct perfpred_statistics *time_s) {
  unsigned notes;
  struct ppi_plan_sum sum;
  if (!whole)
    return ppi_plan_median(plan, parameters, count, INFINITY, &time_s->med, &notes, NULL);
  enum perfpred_status status = ppi_plan_sum(plan, parameters, count, &sum, NULL);
  if (!status)
    *time_s = sum.time_s;
  return status;
}

static void write_result(const struct batch *batch, size_t place, enum perfpred_status status,
                         const struct perfpred_statistics *time_s) {
  if (batch->medians_s)
    batch->medians_s[place] = time_s->med;
  if (batch->time_s)
    batch->time_s[place] = *time_s;
  if (batch->statuses)
    batch->statuses[place] = status;
}

/* NOLINTBEGIN(readability-non-const-parameter): what they point to is written through a struct */
enum perfpred_status perfpred_plan_evaluate(const struct perfpred_plan *plan, const int64_t *configurations,
                                            size_t configuration_count, size_t parameter_count, double *medians_s,
                                            struct perfpred_statistics *time_s, enum perfpred_status *statuses,
                                            struct perfpred_error *error) {
  /* NOLINTEND(readability-non-const-parameter) */
  const struct batch batch = { medians_s, time_s, statuses };
  const double nan = (double)NAN;
  ppi_error_clear(error);
  if (!configurations && configuration_count > 0)
    return ppi_error_set(error, PERFPRED_INVALID, "configurations is NULL; expected %zu of %zu values",
                         configuration_count, parameter_count);
  static const int64_t none[1] = { 0 }; /* where there is nothing to read from */
  enum perfpred_status status = ppi_plan_check(plan, configurations ? configurations : none, parameter_count, error);
  if (!status && !medians_s && !time_s && !statuses)
    status = ppi_error_set(error, PERFPRED_INVALID, "medians_s, time_s and statuses are NULL; expected one of them");
  for (size_t i = 0; i < configuration_count && !status; i++) {
    struct perfpred_statistics result = { nan, nan, nan, nan, nan };
    enum perfpred_status one =
        evaluate(plan, configurations + i * parameter_count, parameter_count, time_s != NULL, &result);
    write_result(&batch, i, one, &result);
  }
  return status;
}
