/* SPDX-License-Identifier: BSD-3-Clause */
/* Anchors of a generation: calls that are timed before its samples and once more behind them, and then kept with the models. */
#ifndef PPI_API_ANCHORS_H
#define PPI_API_ANCHORS_H

#include "measure/sampler.h"
#include "model/generate.h"

enum ppi_anchor_end { PPI_ANCHOR_BEGIN, PPI_ANCHOR_END };

/* What was read of a call, each time. */
struct ppi_anchor_reading {
  double median_s, noise; /* NaN: not read; the noise also where it is not known */
  uint64_t samples;
  bool gated;
};

struct ppi_anchoring {
  struct perfpred_sampler *sampler;
  struct ppi_sampling sampling;
  int64_t ld;
  struct ppi_anchor_call *calls;
  const struct ppi_anchor *
      *old; /* of each call: one of the models whose raw samples are used; NULL: it has to be timed */
  struct ppi_anchor_reading *readings[2]; /* one for each call, at either end */
  size_t count;
  double spent_s;
};

/* options: full ones. None are wanted: count is 0, and everything below does nothing. Where the models of options->known have raw samples of the
   setup, which are used, their anchors stay with what is made of them. */
enum perfpred_status ppi_anchoring_init(struct ppi_anchoring *anchoring, struct perfpred_sampler *sampler,
                                        const struct perfpred_generate_options *options, const struct ppi_setup *setup,
                                        const struct ppi_target *const *targets, const size_t *counts, size_t lists,
                                        struct perfpred_error *error);
/* Times all of them in at most limit_s (0: each as long as an anchor may take). A call that fails leaves all without times, and is no failure of the
   generation; what the caller cancels is, and want of memory. */
enum perfpred_status ppi_anchoring_read(struct ppi_anchoring *anchoring, enum ppi_anchor_end end, double limit_s,
                                        struct perfpred_error *error);
/* Gives each sub-model those of its kernel and case that were timed. */
enum perfpred_status ppi_anchoring_attach(const struct ppi_anchoring *anchoring, struct perfpred_models *models,
                                          struct perfpred_error *error);
/* How many were timed, and by what ratio they took longer at the end, in the middle of them: NaN where none was timed at both. */
size_t ppi_anchoring_known(const struct ppi_anchoring *anchoring);
enum perfpred_status ppi_anchoring_change(const struct ppi_anchoring *anchoring, double *ratio,
                                          struct perfpred_error *error);
void ppi_anchoring_release(struct ppi_anchoring *anchoring);

/* Of a result, whose times are sorted by it. */
void ppi_anchor_read_result(struct ppi_result *result, struct ppi_anchor_reading *reading);

#endif
