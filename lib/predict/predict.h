/* SPDX-License-Identifier: BSD-3-Clause */
/* Predictions by plans, for ranking, tuning and validation. */
#ifndef PPI_PREDICT_PREDICT_H
#define PPI_PREDICT_PREDICT_H

#include "predict/plan.h"

/* plan given, parameters as many as its program has. */
enum perfpred_status ppi_plan_check(const struct perfpred_plan *plan, const int64_t *parameters, size_t count,
                                    struct perfpred_error *error);
/* Plans to be compared: at least one, each as above, all of one operation or of none. */
enum perfpred_status ppi_rank_check(const struct perfpred_plan *const *plans, size_t plan_count,
                                    const int64_t *parameters, size_t count, struct perfpred_error *error);
/* Of a range of candidates. */
enum perfpred_status ppi_range_check(const struct perfpred_range *range, struct perfpred_error *error);
/* The value to compare with where the caller names none: what the program's text proposes, else 64, as in most routines of LAPACK. */
int64_t ppi_tune_default(const struct perfpred_plan *plan, int parameter);
/* Number of threads of a plan's setup. */
static inline int ppi_plan_threads(const struct perfpred_plan *plan) {
  const int threads = plan->models->setups[plan->setup].threads;
  return threads > 1 ? threads : 1;
}
/* A prediction of checked arguments; *full is written on failure, too. */
enum perfpred_status ppi_plan_predict(const struct perfpred_plan *plan, const int64_t *parameters, size_t count,
                                      struct perfpred_prediction *full, struct perfpred_error *error);

#endif
