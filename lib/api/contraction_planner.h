/* SPDX-License-Identifier: BSD-3-Clause */
/* What a planner stands for, and the plans that it keeps. */
#ifndef PPI_API_CONTRACTION_PLANNER_H
#define PPI_API_CONTRACTION_PLANNER_H

#include <pthread.h>

#include "api/contraction_answers.h"
#include "api/contraction_plan.h"
#include "api/contraction_price.h"

/* Findings that are kept. */
struct ppi_contraction_kept {
  struct ppi_contraction_findings *findings; /* a reference; NULL: the place is free */
  uint64_t used;                             /* when it was asked for last */
};

struct perfpred_contraction_planner {
  const struct perfpred_context *context;
  struct perfpred_sampler *sampler;
  struct ppi_contraction_models models;             /* a reference */
  struct perfpred_contraction_plan_options options; /* full; its pointers are not to be followed, but for progress */
  struct ppi_contraction_choice choice;
  char **names; /* those of the choice */
  pthread_mutex_t making;
  /* under `making` */
  bool greeted, calibrated, caches_from_file;
  struct ppi_contraction_caches caches;
  double calibration_s;
  struct ppi_contraction_answers stored;
  pthread_mutex_t keeping;
  /* under `keeping` */
  struct ppi_contraction_kept *answers; /* options.answers of them */
  uint64_t turn;
};

/* options.c: checks the caller's options and fills in what planners go by. On failure nothing is left to free but by
   ppi_contraction_planner_forget. */
enum perfpred_status ppi_contraction_planner_options(struct perfpred_contraction_planner *planner,
                                                     const struct perfpred_contraction_plan_options *options,
                                                     struct perfpred_error *error);
void ppi_contraction_planner_forget(struct perfpred_contraction_planner *planner);

/* make.c: measures what a contraction takes; findings: with one reference. progress: own, or the planner's. */
enum perfpred_status ppi_contraction_make(struct perfpred_contraction_planner *planner,
                                          const struct ppi_contraction *contraction,
                                          struct ppi_contraction_findings **findings, struct perfpred_error *error);

#endif
