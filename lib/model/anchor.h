/* SPDX-License-Identifier: BSD-3-Clause */
/* Anchors: a few cheap calls whose times are kept beside the models that were made at the time, so that timing them again tells
 * whether the machine is still as fast. They are calls alone, whatever the models are tied to: what they tell is the speed of a kernel.
 * An anchor is as it was measured for ever; what a model was scaled by since is noted beside it. */
#ifndef PPI_MODEL_ANCHOR_H
#define PPI_MODEL_ANCHOR_H

#include <stdbool.h>

#include "kernel/kernel.h"

struct ppi_submodel;
struct ppi_target;
struct perfpred_models;

#define PPI_DATE_MAX 32
#define PPI_ANCHORS_MOST 64 /* of one sub-model, in a file */
#define PPI_ANCHORS 3       /* chosen for a kernel and case */

struct ppi_anchor {
  int64_t sizes[PPI_SIZE_MAX]; /* the kernel's own */
  int64_t ld;
  double time_s;         /* median in the reference state: the mean of the two below, as far as they are known */
  double begin_s, end_s; /* before and after the other samples were taken; NaN: not known */
  double noise;          /* relative: of each, or half of what they are apart, what is larger */
  uint64_t samples;
  bool gated;            /* all of them */
  char at[PPI_DATE_MAX]; /* ISO 8601, UTC */
};

/* What was done to a sub-model because the machine had drifted. */
struct ppi_scaling {
  double factor; /* of the times as they were fitted; 0: never scaled */
  char at[PPI_DATE_MAX];
  char from[PPI_DATE_MAX]; /* when the models that were scaled had been made */
};
static inline double ppi_scaling_factor(const struct ppi_scaling *scaling) {
  return scaling->factor > 0.0 ? scaling->factor : 1.0;
}

/* A call that is to become an anchor. */
struct ppi_anchor_call {
  const struct perfpred_kernel *kernel;
  char case_text[PPI_CASE_MAX];
  struct ppi_value values[PPI_ARG_MAX];
};

/* Calls for targets: of each kernel and case up to PPI_ANCHORS, on the diagonal of its domain, from what fits into the second level of any cache
   to what does not, and none that is long. Those that tell most come first. malloc'ed: free. */
enum perfpred_status ppi_anchors_choose(const struct ppi_target *targets, size_t target_count,
                                        struct ppi_anchor_call **calls, size_t *count, struct perfpred_error *error);
enum perfpred_status ppi_submodel_add_anchor(struct ppi_submodel *submodel, const struct ppi_anchor *anchor,
                                             struct perfpred_error *error);
/* Copies all anchors of `from`, in place of those that there are. */
enum perfpred_status ppi_submodel_take_anchors(struct ppi_submodel *submodel, const struct ppi_submodel *from,
                                               struct perfpred_error *error);
/* Scales the times of a sub-model, and notes it. */
enum perfpred_status ppi_submodel_scale(struct ppi_submodel *submodel, double factor, const char *at, const char *from,
                                        struct perfpred_error *error);
/* The same models once more, to be changed by whoever asks. */
enum perfpred_status ppi_models_copy(const struct perfpred_models *models, struct perfpred_models **copy,
                                     struct perfpred_error *error);
/* Now, as files have it. */
void ppi_date_now(char date[PPI_DATE_MAX]);

#endif
