/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans for contractions: what was found out about the algorithms, which any number of plans share, and what each plan has of its own. */
#ifndef PPI_API_CONTRACTION_PLAN_H
#define PPI_API_CONTRACTION_PLAN_H

#include <stdatomic.h>

#include "api/contraction_candidates.h"

/* Immutable once it is made. */
struct ppi_contraction_findings {
  atomic_int references;
  struct ppi_contraction_candidates candidates;
  size_t *ranking; /* entries: predicted ones by time, then dropped ones by bound */
  size_t listed, predicted, ties;
  size_t *group_order; /* groups that have entries, by bound */
  size_t group_count;
  double tie;
  enum perfpred_contraction_mode mode;
  enum perfpred_contraction_stage stage;
  uint64_t benchmarks;
  double made_s, budget_s, calibration_s;
  bool from_file, caches_from_file;
  bool bounded;
  int64_t cache_bytes;
};

struct perfpred_contraction_plan {
  struct ppi_contraction_findings *findings; /* a reference */
  struct ppi_contraction contraction;        /* as it was asked: its letters are those of this plan */
  const struct perfpred_context *context;    /* has the kernels */
  bool from_cache;
  double planning_s;
  double *measured_s, *noise;                        /* of each entry; NaN: it was not executed. NULL: none was */
  struct perfpred_contraction_validation validation; /* where some were */
};

/* contraction_report.c: words of enum perfpred_contraction_mode and _stage; the default stage has none. */
extern const char *const ppi_contraction_modes[PERFPRED_CONTRACTION_MODELS + 1];
extern const char *const ppi_contraction_stages[PERFPRED_CONTRACTION_STAGE_FIRST + 1];

/* Nothing found yet, with one reference; NULL: no memory. */
struct ppi_contraction_findings *ppi_contraction_findings_new(const struct perfpred_contraction_plan_options *options);
void ppi_contraction_findings_unref(struct ppi_contraction_findings *findings);
/* Sorts entries and groups and counts ties. */
enum perfpred_status ppi_contraction_findings_rank(struct ppi_contraction_findings *findings,
                                                   struct perfpred_error *error);
/* A plan that takes another reference. */
enum perfpred_status ppi_contraction_plan_create(struct ppi_contraction_findings *findings,
                                                 const struct ppi_contraction *contraction,
                                                 const struct perfpred_context *context, bool from_cache,
                                                 double planning_s, struct perfpred_contraction_plan **plan,
                                                 struct perfpred_error *error);
/* Whether two contractions are one question: they differ in letters at most; letters: nor in those. */
bool ppi_contraction_same(const struct ppi_contraction *a, const struct ppi_contraction *b, bool letters);
bool ppi_contraction_same_algorithm(const struct ppi_contract_algorithm *a, const struct ppi_contract_algorithm *b);

/* What is to be told of an entry, and of a group. */
void ppi_contraction_plan_tell(const struct perfpred_contraction_plan *plan, size_t rank,
                               struct perfpred_contraction_prediction *prediction);
void ppi_contraction_plan_tell_group(const struct perfpred_contraction_plan *plan, size_t index,
                                     struct perfpred_contraction_group *group);
void ppi_contraction_plan_tell_all(const struct perfpred_contraction_plan *plan,
                                   struct perfpred_contraction_plan_info *info);

#endif
