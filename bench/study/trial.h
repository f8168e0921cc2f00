/* SPDX-License-Identifier: BSD-3-Clause */
/* One generation on a recording, and how good what came of it is. */
#ifndef STUDY_TRIAL_H
#define STUDY_TRIAL_H

#include "recording.h"
#include "solver.h"

/* Relative errors of the predicted minimum against the recorded one, and of the median likewise. */
struct trial_errors {
  size_t count;
  double mean, percentile_90, maximum, median_mean, bias; /* bias: mean with its sign */
};

struct trial {
  struct trial_errors errors; /* over all recorded points of the domain */
  struct trial_errors unseen; /* over those that were not sampled; count 0: there are none */
  double cost_s;              /* timed calls of the samples used, each once */
  size_t points, samples;
  int pieces;
  struct perfpred_models *models;
};

/* A part of the domain: from the lower end over `share` of the range, to a multiple of the grain. */
void trial_domain(const struct recording *recording, double share, int64_t lower[PPI_SIZE_MAX],
                  int64_t upper[PPI_SIZE_MAX]);
/* The most common leading dimension: that of the models. */
int64_t trial_ld(const struct recording *recording);
/* models: to be released by the caller. */
enum perfpred_status trial_run(const struct recording *recording, const struct perfpred_generate_options *options,
                               double share, struct solver *solver, struct trial *trial, struct perfpred_error *error);
void trial_release(struct trial *trial);

/* Points that a comparison takes. */
typedef bool trial_filter(const struct ppi_record *record, const void *data);
enum perfpred_status trial_compare(const struct perfpred_models *models, const struct recording *recording,
                                   trial_filter *filter, const void *data, struct trial_errors *errors,
                                   struct perfpred_error *error);

#endif
