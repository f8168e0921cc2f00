/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of algorithms: bounds of groups, predictions of entries. */
#ifndef PPI_API_CONTRACTION_PRICE_H
#define PPI_API_CONTRACTION_PRICE_H

#include "api/contraction_candidates.h"
#include "api/contraction_memo.h"
#include "api/contraction_models.h"

struct ppi_contraction_pricing {
  const struct ppi_kernels *kernels;
  struct perfpred_sampler *sampler; /* NULL: none */
  struct ppi_contraction_models models;
  enum perfpred_contraction_mode mode;   /* AUTO counts as REPLAY where models do not answer */
  enum perfpred_contraction_stage stage; /* not DEFAULT */
  struct ppi_contraction_caches caches;
  struct ppi_sampling sampling;
  int repetitions; /* 0: as many as there is time for */
  struct ppi_contraction_candidates *candidates;
  struct ppi_contraction_memo memo;
  uint64_t benchmarks; /* so far */
  double overhead;     /* time that measuring took so far, relative to that of what was measured */
};

/* The contraction has nothing to compute: all of it takes no time but for filling C with zeros. */
bool ppi_contraction_price_idle(const struct ppi_contraction_pricing *pricing);

/* One warm call of each group, or what models say; gemm first. all: also of groups whose calls are so many that they take too long however
   fast one is. */
enum perfpred_status ppi_contraction_price_bounds(struct ppi_contraction_pricing *pricing, bool all,
                                                  struct perfpred_error *error);
/* The same again for some, by calls that take about so many seconds each. */
enum perfpred_status ppi_contraction_price_scaled(struct ppi_contraction_pricing *pricing, const size_t *groups,
                                                  size_t count, double call_s, struct perfpred_error *error);
/* Smaller extents of what the kernel goes through, so that their product is at most `most`; *ratio: of work, to that. */
void ppi_contraction_price_clip(struct ppi_contraction *contraction, const struct ppi_contract_algorithm *algorithm,
                                double most, double *ratio);
/* Whether models alone were asked and none answered for a group: why. */
enum ppi_contraction_answer ppi_contraction_price_known(const struct ppi_contraction_pricing *pricing, size_t group);

/* Finds the leaders of a group's entries. */
enum perfpred_status ppi_contraction_price_prepare(struct ppi_contraction_pricing *pricing, size_t group,
                                                   struct perfpred_error *error);
/* Predicts entries of groups that are prepared, all in one batch of the sampler. Those of which no sample was taken stay as they are. */
enum perfpred_status ppi_contraction_price(struct ppi_contraction_pricing *pricing, const size_t *entries, size_t count,
                                           struct perfpred_error *error);
/* Time that this may take for one. */
double ppi_contraction_price_cost(const struct ppi_contraction_pricing *pricing, size_t entry);
/* From the bound of its group alone. */
void ppi_contraction_price_rough(struct ppi_contraction_pricing *pricing, size_t entry);

#endif
