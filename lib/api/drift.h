/* SPDX-License-Identifier: BSD-3-Clause */
/* Anchors of models beside their times now. */
#ifndef PPI_API_DRIFT_H
#define PPI_API_DRIFT_H

#include <perfpred/drift.h>

#include "api/anchors.h"
#include "model/model.h"

#define PPI_DRIFT_REPEATS                                                                                              \
  0.01                      /* medians of the gate come out again within that, whatever the halves of the samples say */
#define PPI_DRIFT_CLEAR 0.1 /* a threshold above it finds nothing worth to be found */

/* A call, once however many models have it as an anchor. */
struct ppi_drift_call {
  int setup;
  const struct perfpred_kernel *kernel; /* the models' */
  const char *case_text;
  struct ppi_value values[PPI_ARG_MAX];
  int64_t ld;
  int rank;                      /* among those of its sub-model: the first ones tell most */
  struct ppi_anchor_reading now; /* median_s NaN: not timed */
};

struct ppi_drift_anchor {
  size_t call, line;
  const struct ppi_anchor *then; /* the models' */
  double model_s;                /* what the sub-model says of it, of a call alone; NaN: it is tied to an algorithm */
};

/* Kernel, setup, date and scale: what is scaled together. */
struct ppi_drift_line {
  int setup;
  const char *kernel, *at; /* the models' */
  double scale;
  size_t anchors, measured;
  double ratio, noise; /* NaN: nothing measured */
  enum perfpred_drift_verdict verdict;
};

struct ppi_drift_setup {
  bool measured, gated; /* gated: there was a gate */
  double yardstick_s;   /* best reading now; 0: none */
};

struct perfpred_drift {
  struct perfpred_models *models; /* a reference */
  struct ppi_drift_call *calls;
  struct ppi_drift_anchor *anchors;
  struct ppi_drift_line *lines;
  size_t call_count, anchor_count, line_count;
  struct ppi_drift_setup *setups; /* as many as the models have */
  double *scratch;                /* of judging: two numbers for each anchor */
  double wall_s;
};

/* Ratio now to then of an anchor, as scaled; NaN: not timed. Its noise goes to *noise. */
double ppi_drift_ratio(const struct perfpred_drift *drift, const struct ppi_drift_anchor *anchor, double *noise);
double ppi_drift_threshold(const struct ppi_drift_line *line);
/* The line of a kernel in a setup; where there are several, the first that was measured. NULL: none was. */
const struct ppi_drift_line *ppi_drift_line_of(const struct perfpred_drift *drift, int setup, const char *kernel);
/* drift_measure.c: what comes of the readings that there are. */
void ppi_drift_judge(struct perfpred_drift *drift);
/* Times the anchors of a setup, those of the kernels of a list alone or (NULL) all, and judges. */
enum perfpred_status ppi_drift_read(struct perfpred_drift *drift, int setup, const struct perfpred_share *kernels,
                                    size_t kernel_count, struct perfpred_sampler *sampler,
                                    const struct ppi_sampling *sampling, struct perfpred_error *error);
const char *ppi_drift_word(enum perfpred_drift_verdict verdict);

#endif
