/* SPDX-License-Identifier: BSD-3-Clause */
/* How much a run of Apex-MAP brings in from memory, where nobody counts it: modelled. */
#ifndef PPI_APEX_TRAFFIC_H
#define PPI_APEX_TRAFFIC_H

#include "measure/apex.h"

/* The outermost cache: it replaces the line that was used least recently. */
struct ppi_apex_cache {
  double bytes;
  double line_bytes; /* a multiple of 8 */
};

/* Of the lines that a repetition touches, in the long run: 0 where all of them fit. Random blocks: Che's approximation, in which a line
   stays for the same time T whichever it is, and T is such that the lines that were touched in it fill the cache. */
enum perfpred_status ppi_apex_miss_ratio(const struct ppi_apex_run *run, const struct ppi_apex_cache *cache,
                                         double *ratio, struct perfpred_error *error);
/* Bytes from memory of a repetition. */
enum perfpred_status ppi_apex_traffic(const struct ppi_apex_run *run, const struct ppi_apex_cache *cache, double *bytes,
                                      struct perfpred_error *error);

#endif
