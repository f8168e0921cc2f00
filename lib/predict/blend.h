/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of calls blended by what they find in the caches, from models of several states of the caches (model/state.h). */
#ifndef PPI_PREDICT_BLEND_H
#define PPI_PREDICT_BLEND_H

#include "cache/cache.h"
#include "predict/plan.h"
#include "program/calls.h"

#define PPI_BLEND_STATES 4 /* warm, in, outer, out: from the processor outwards */

/* A call of the text: its models of each state. */
struct ppi_blend_site {
  const struct ppi_submodel **submodels; /* those of a state side by side */
  int first[PPI_BLEND_STATES + 1];
};

struct ppi_blend {
  struct perfpred_cache_options options; /* complete */
  struct ppi_calls calls;
  struct ppi_blend_site *sites; /* one for each of them */
};

/* For a plan that has program, models and setup. PERFPRED_UNMODELLED unless the plan is partial. */
enum perfpred_status ppi_blend_create(const struct perfpred_plan *plan, const struct perfpred_cache_options *options,
                                      struct ppi_blend **blend, struct perfpred_error *error);
void ppi_blend_destroy(struct ppi_blend *blend); /* NULL is fine */

/* As ppi_plan_sum_watched and ppi_plan_median, of a plan that blends. */
enum perfpred_status ppi_blend_sum(const struct perfpred_plan *plan, const int64_t *parameters, size_t count,
                                   const struct ppi_plan_watcher *watcher, struct ppi_plan_sum *sum,
                                   struct perfpred_error *error);
enum perfpred_status ppi_blend_median(const struct perfpred_plan *plan, const int64_t *parameters, size_t count,
                                      double limit_s, double *median_s, unsigned *notes, struct perfpred_error *error);

#endif
