/* SPDX-License-Identifier: BSD-3-Clause */
/* One question that ILAENV is asked, and the answers to it for all sizes. */
#ifndef PPI_API_QUESTION_H
#define PPI_API_QUESTION_H

#include "api/tunable.h"
#include "predict/predict.h"

#define PPI_QUESTION_PLANS 4

/* A routine, with some options, and the algorithms that it may be then: their times add up. */
struct ppi_question {
  const struct ppi_tunable *tunable; /* the first of them */
  int plan_count;
  struct perfpred_plan *plans[PPI_QUESTION_PLANS];
};

/* Checked options: none is 0 that has a default. */
struct ppi_question_knobs {
  int64_t n_lower, n_upper, b_lower, b_upper, b_step; /* b_upper 0: that of the routine */
  double growth, spread, tie, resolution;
};

/* Cells up to an open one; malloc'ed: free. PERFPRED_OUT_OF_DOMAIN where the models reach none of the sizes. */
enum perfpred_status ppi_question_decide(const struct ppi_question *question, const struct ppi_question_knobs *knobs,
                                         struct ppi_table_cell **cells, size_t *cell_count,
                                         struct perfpred_error *error);

#endif
