/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of several candidates is taken at each of many sizes: good ones, with as few changes as can be. */
#ifndef PPI_PREDICT_CELLS_H
#define PPI_PREDICT_CELLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* What is good. */
struct ppi_cells_rule {
  size_t candidate_count;
  size_t stock;         /* place of the candidate that stays wherever it is good */
  double tie;           /* a candidate is good where its loss is at most this */
  const int64_t *order; /* of the candidates: along the points it must not fall; NULL: any order */
};

/* losses[i][c]: by how much candidate c is slower at point i than the best one, relative; infinite where it cannot be taken. Chooses
   good candidates with the fewest changes and among such the least sum of losses; where the order allows no good one, first of all the
   least excess over the tie. PERFPRED_NOT_FOUND where no sequence can be taken. chosen: one place for each point. */
enum perfpred_status ppi_cells_choose(const struct ppi_cells_rule *rule, const double *const *losses,
                                      size_t point_count, size_t *chosen, struct perfpred_error *error);

#endif
