/* SPDX-License-Identifier: BSD-3-Clause */
/* What kernels demand of sizes together (m >= n): which points of a domain may be asked for. Calls in an algorithm, whose sizes are not the
   kernel's own, meet the demands of themselves. */
#ifndef PPI_MODEL_DOMAIN_H
#define PPI_MODEL_DOMAIN_H

#include "model/refine.h"

bool ppi_growth_admits(const struct ppi_growth *growth, const int64_t *sizes);
/* Moves sizes of the box to where they are admitted, by as little as is needed; false: found no such place, sizes are as before. */
bool ppi_growth_admit(const struct ppi_growth *growth, const int64_t *lower, const int64_t *upper, int64_t *sizes);
/* Draws the bounds of a box in to the admitted sizes; false: there are none, bounds are as before. */
bool ppi_growth_bound(const struct ppi_growth *growth, int64_t *lower, int64_t *upper);
/* Sees to it that the domain of a target has an admitted point. */
enum perfpred_status ppi_growth_check_domain(const struct ppi_growth *growth, struct perfpred_error *error);

#endif
