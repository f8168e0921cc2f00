/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of an analysis, read and completed. */
#ifndef PPI_CACHE_SETTINGS_H
#define PPI_CACHE_SETTINGS_H

#include <perfpred/cache.h>

#include "machine/machine.h"

/* Members beyond the caller's size count as zero; defaults are filled in, the levels those of the machine (NULL: this one) where none are
   stated: those that a fit was made for, which fills in coefficients as well, else those that were measured, else its second level and its
   last. PERFPRED_INVALID names the member. */
enum perfpred_status ppi_cache_settings(const struct perfpred_cache_options *options, const struct ppi_machine *machine,
                                        struct perfpred_cache_options *full, struct perfpred_error *error);

#endif
