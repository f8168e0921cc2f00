/* SPDX-License-Identifier: BSD-3-Clause */
/* Predictions by plans, for ranking, tuning and validation. */
#ifndef PPI_PREDICT_PREDICT_H
#define PPI_PREDICT_PREDICT_H

#include "predict/plan.h"

/* plan given, parameters as many as its program has. */
enum perfpred_status ppi_plan_check(const struct perfpred_plan *plan, const int64_t *parameters, size_t count,
                                    struct perfpred_error *error);
/* A prediction of checked arguments; *full is written on failure, too. */
enum perfpred_status ppi_plan_predict(const struct perfpred_plan *plan, const int64_t *parameters, size_t count,
                                      struct perfpred_prediction *full, struct perfpred_error *error);

#endif
