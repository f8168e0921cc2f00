/* SPDX-License-Identifier: BSD-3-Clause */
/* From access distances to the share of an operand that is in a cache, and from shares to times (dissertation, Section 18.3; the formulas
   are blank in its text and rebuilt here). */
#ifndef PPI_CACHE_WEIGHT_H
#define PPI_CACHE_WEIGHT_H

#include <perfpred/cache.h>

#include "cache/accesses.h"

#define PPI_CACHE_PLACES (PERFPRED_CACHE_LEVELS + 1) /* levels, and memory behind the last one */

/* Share of a part that is in a cache of so many lines: (1 - sigma(d)) / 2 with the relative distance d = (D - capacity) / capacity. sigma is
   -1 up to d = 0 and 1 beyond, or tanh(alpha d) for d < 0 and tanh(beta d) for d >= 0. total: lines of all buffers, the distance of what was
   never accessed where options->first is PERFPRED_CACHE_TOTAL. */
double ppi_weight_inside(const struct perfpred_cache_options *options, const struct ppi_part *part, int64_t total,
                         int64_t capacity);
/* Access distance of a part as options have it, lines; infinite: it was not accessed. */
double ppi_weight_distance(const struct perfpred_cache_options *options, const struct ppi_part *part, int64_t total);
/* Lines of a part in each level, and in memory, which stands behind the last level. Adds to lines. */
void ppi_weight_add(const struct perfpred_cache_options *options, const struct ppi_part *part, int64_t total,
                    double lines[PPI_CACHE_PLACES]);
/* sum over levels of weight times share times time; what the weights leave of 1 is of the warm time. NaN where a share above 0 has no
   time. */
double ppi_weight_time(const struct perfpred_cache_options *options, const double shares[PPI_CACHE_PLACES],
                       const double times_s[PPI_CACHE_PLACES], double warm_s);
/* Whether a kernel is one of options->warm_kernels. */
bool ppi_weight_is_warm(const struct perfpred_cache_options *options, const char *kernel);

#endif
