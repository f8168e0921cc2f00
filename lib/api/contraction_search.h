/* SPDX-License-Identifier: BSD-3-Clause */
/* In which order algorithms are predicted, and when enough are. */
#ifndef PPI_API_CONTRACTION_SEARCH_H
#define PPI_API_CONTRACTION_SEARCH_H

#include "api/contraction_price.h"

struct ppi_contraction_search {
  struct ppi_contraction_pricing *pricing;
  double budget_s; /* 0: the default; infinite: none */
  bool complete;   /* every algorithm is predicted */
  double tie;      /* algorithms as near as this to the best one are measured again, side by side */
  double (*now_s)(void *data);
  void *data;
  /* results */
  double spent_s, allowed_s; /* time; kept up to date while it goes on, and so is */
  double done;               /* share of the entries that were tried */
  bool bounded;              /* what was dropped has bounds above the best time */
};

/* Bounds groups, then predicts entries until the best one is found as far as the budget goes. PERFPRED_UNMODELLED and
   PERFPRED_OUT_OF_DOMAIN: models alone were asked and know no group. */
enum perfpred_status ppi_contraction_search(struct ppi_contraction_search *search, struct perfpred_error *error);

#endif
