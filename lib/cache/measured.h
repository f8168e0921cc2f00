/* SPDX-License-Identifier: BSD-3-Clause */
/* Times that the calls of an analysis took in the running algorithm. */
#ifndef PPI_CACHE_MEASURED_H
#define PPI_CACHE_MEASURED_H

#include "cache/cache.h"

/* Whether there is one for each call of an analysis that has times itself, each above 0 or NaN. */
enum perfpred_status ppi_cache_check_measured(const struct perfpred_cache *cache, const double *measured_s,
                                              size_t count, struct perfpred_error *error);
/* Calls without work, without a model, or not measured are left out. */
bool ppi_cache_counts(const struct ppi_cache_call *call, double measured_s);
/* The error where none is left. */
enum perfpred_status ppi_cache_nothing(const struct perfpred_cache *cache, struct perfpred_error *error);

#endif
