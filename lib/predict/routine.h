/* SPDX-License-Identifier: BSD-3-Clause */
/* A routine of a tuner: the plans of its variants for numbers of threads, and the search among them. */
#ifndef PPI_PREDICT_ROUTINE_H
#define PPI_PREDICT_ROUTINE_H

#include <perfpred/tuner.h>

#include "predict/answers.h"
#include "predict/predict.h"

struct ppi_routine_plan {
  struct perfpred_plan *plan;
  int variant, threads;
  int place;                         /* of the parameter that is chosen; -1: it has none */
  int64_t values[PPI_PARAMETER_MAX]; /* of its parameters, as far as the text proposes them */
  int places[PPI_PARAMETER_MAX];     /* of the routine's sizes among its parameters */
};

/* How many plans there are for at most so many threads. */
struct ppi_routine_level {
  int threads;
  size_t plans;
};

struct ppi_routine {
  char name[PPI_NAME_MAX];
  size_t size_count;
  const char *size_names[PPI_PARAMETER_MAX]; /* of the first variant's program */
  size_t variant_count, plan_count, plan_capacity, level_count;
  const char **variants;            /* names, of their programs */
  struct ppi_routine_plan *plans;   /* by number of threads, then by variant */
  struct ppi_routine_level *levels; /* by number of threads */
};

/* What all routines of a tuner have in common. */
struct ppi_routine_options {
  const struct perfpred_context *context;
  struct perfpred_models *models;
  const char *parameter;
  struct perfpred_plan_options plan;
};

/* Fills a routine that is all zero; released by ppi_routine_release either way. refusal, cleared by the caller, has what was wrong with
   setups that fit no plan, if anything. */
enum perfpred_status ppi_routine_make(struct ppi_routine *routine, const char *name,
                                      const struct ppi_routine_options *options, struct perfpred_error *refusal,
                                      struct perfpred_error *error);
void ppi_routine_release(struct ppi_routine *routine);
/* The best of the first `plans` plans, or the status that says why there is none. */
void ppi_routine_search(const struct ppi_routine *routine, size_t plans, const struct perfpred_range *range,
                        const int64_t *sizes, struct ppi_answer *answer);

#endif
