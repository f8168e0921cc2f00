/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls of a plan as a set: what two algorithms both do says nothing about which one is faster, and an error of its model none either. */
#ifndef PPI_PREDICT_ROSTER_H
#define PPI_PREDICT_ROSTER_H

#include "predict/plan.h"

/* A call with work: the same model at the same sizes, so many times. */
struct ppi_roster_item {
  const struct ppi_submodel *submodel;
  int dimensions;
  int64_t sizes[PPI_SIZE_MAX];
  uint64_t count;
  double error_s; /* of the model over all of them, seconds; the whole time where it is not known */
};

/* A hash table; all zero is an empty one. */
struct ppi_roster {
  struct ppi_roster_item *items; /* submodel NULL: a free place */
  size_t count, capacity;
};

/* Those of a prediction, and its sum. Freed by ppi_roster_free, which is fine on failure, too. */
enum perfpred_status ppi_roster_of(const struct perfpred_plan *plan, const int64_t *parameters, size_t count,
                                   struct ppi_roster *roster, struct ppi_plan_sum *sum, struct perfpred_error *error);
void ppi_roster_free(struct ppi_roster *roster);
/* How often all of the others make a call, too, at most as often as this one does. */
uint64_t ppi_roster_shared(const struct ppi_roster_item *item, const struct ppi_roster *const *others, size_t count);
/* Sum of the models' errors over the calls of one that are not also made by all of the others, seconds. */
double ppi_roster_error(const struct ppi_roster *one, const struct ppi_roster *const *others, size_t count);

#endif
