/* SPDX-License-Identifier: BSD-3-Clause */
/* The generator: adaptive refinement over all targets at once, round by round, so that repetitions are shuffled over the whole run. */
#ifndef PPI_MODEL_GENERATE_H
#define PPI_MODEL_GENERATE_H

#include "measure/sample.h"
#include "model/model.h"

#define PPI_GRAIN 8 /* sizes in steps of 1 show artefacts of the implementation's blocking (Section 7.5.1) */

/* What is to be modelled: a kernel, a case, a domain. */
struct ppi_target {
  const struct perfpred_kernel *kernel;
  struct ppi_value values[PPI_ARG_MAX];             /* flags, scalars, increments of the case */
  int64_t lower[PPI_SIZE_MAX], upper[PPI_SIZE_MAX]; /* of each size argument in order, inclusive */
  int64_t grain; /* sizes are sampled at multiples of it and at the ends of the domain; 0: PPI_GRAIN */
  /* Of a call in an algorithm: the domain is over the basis' sizes. NULL: of any call, over the kernel's own. */
  const struct ppi_basis *basis;
  char context[PPI_CONTEXT_MAX];
  const void *call; /* told to the source with every request: struct ppi_spot */
  /* Targets that stand together and have the same group, not 0, and the same domain are sampled together: what is asked for one of them
     is asked for all. */
  size_t group;
};
int ppi_target_dimensions(const struct ppi_target *target);
const char *ppi_target_size_name(const struct ppi_target *target, int d);
/* Sets the kernel's size arguments in values. */
void ppi_target_apply(const struct ppi_target *target, const int64_t *sizes, struct ppi_value *values);

/* Where samples and solutions come from: handed in from above. */
struct ppi_source {
  enum perfpred_status (*sample)(void *data, const struct ppi_request *requests, size_t count,
                                 const struct ppi_sampling *sampling, struct ppi_result *results,
                                 struct perfpred_error *error);
  enum perfpred_status (*least_squares)(void *data, int m, int n, int nrhs, double *a, double *b, int *rank,
                                        struct perfpred_error *error);
  double (*now_s)(void *data); /* wall clock, for the budget and the report */
  void *data;
};

/* options: as the caller gave them, or NULL; defaults are filled in here (ppi_generate_defaults). models: machine and setup are left for the caller to fill. */
enum perfpred_status ppi_generate(const struct ppi_target *targets, size_t count, const struct ppi_source *source,
                                  const struct perfpred_generate_options *options, struct perfpred_models **models,
                                  struct perfpred_generate_report *report, struct perfpred_error *error);
/* report: NULL, or one of a size that holds what release 0.1 had; filled in up to its size. */
enum perfpred_status ppi_report_check(const struct perfpred_generate_report *report, struct perfpred_error *error);
void ppi_report_give(const struct perfpred_generate_report *full, struct perfpred_generate_report *report);

/* Calls that a source has samples of. */
struct ppi_known {
  /* The sizes of the first one of the kernel and case of `like` and of the context ("": none) at *place or behind it; *place becomes its own.
     false: there is none. */
  bool (*next)(void *data, const struct ppi_request *like, const char *context, size_t *place,
               int64_t sizes[PPI_SIZE_MAX]);
  void *data;
};
/* The same from samples that are there: the source leaves out what it has no samples of. As long as none is missing all goes as it
   would if they were measured; a target that lacks one gets all that are known of it and makes do with them. The report
   counts the points that were missing. No budget. PERFPRED_NOT_FOUND: nothing is known of a target. */
enum perfpred_status ppi_refit(const struct ppi_target *targets, size_t count, const struct ppi_source *source,
                               const struct ppi_known *known, const struct perfpred_generate_options *options,
                               struct perfpred_models **models, struct perfpred_generate_report *report,
                               struct perfpred_error *error);
/* Checks options and fills in the defaults that do not depend on a target. */
enum perfpred_status ppi_generate_defaults(const struct perfpred_generate_options *options,
                                           struct perfpred_generate_options *full, struct perfpred_error *error);

/* The parts, for tests and for other generators. */
/* Grid of `count` points on [lower, upper], both ends included, rounded to multiples of grain (ends stay), without repeats; returns the number left. */
int ppi_grid(enum perfpred_grid grid, int64_t lower, int64_t upper, int count, int64_t grain, int64_t *points);
/* Relative least squares of one piece (equation of Section 8.4): points[i * dimensions + d], values[i * PPI_STATISTICS + s]. Sets degrees (lowered where the
   points do not carry them), center, scale, count, coefficients (malloc'ed), floors and error (largest relative error of
   the minimum at a point; NaN when there are no more points than coefficients) of piece; bounds and degrees wanted are set
   by the caller. A dimension with p distinct points keeps its degree up to p - 2; below a cubic it is p - 1: there the
   grid has every multiple of 8 anyway, and a curve through all of them beats a coarser fit. */
enum perfpred_status ppi_fit(struct ppi_piece *piece, int dimensions, const int64_t *points, const double *values,
                             int count, const struct ppi_source *source, struct perfpred_error *error);
/* The same with these monomials alone, whose highest powers become the degrees; piece->error is left to the caller. */
enum perfpred_status ppi_fit_terms(struct ppi_piece *piece, int dimensions, const int (*powers)[PPI_SIZE_MAX],
                                   int terms, const int64_t *points, const double *values, int count,
                                   const struct ppi_source *source, struct perfpred_error *error);
double ppi_piece_value(const struct ppi_piece *piece, int dimensions, int statistic, const int64_t *sizes);
/* Error measure of a fit over points as handed to ppi_fit, of the reference statistic. */
enum perfpred_status ppi_fit_error(const struct ppi_piece *piece, int dimensions, const int64_t *points,
                                   const double *values, int count, enum perfpred_reference reference,
                                   enum perfpred_error_measure measure, double *result, struct perfpred_error *error);
/* The dimension to split on the box, or -1: of those at least minimum_width wide whose midpoint, rounded to the grain, is no end,
   the one with the largest ratio upper / lower. */
int ppi_split_choose(int dimensions, const int64_t *lower, const int64_t *upper, int64_t minimum_width, int64_t grain,
                     int64_t *at);

#endif
