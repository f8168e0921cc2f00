/* SPDX-License-Identifier: BSD-3-Clause */
/* Which runs of Apex-MAP are made. */
#ifndef PPI_APEX_DESIGN_H
#define PPI_APEX_DESIGN_H

#include "apex/mix.h"
#include "apex/traffic.h"

/* A few hundred runs that span the plane: strides and blocks over memory and caches, with more and more computing beside them. blocks: of a random run. The most telling
   ones come first. *runs: free. */
enum perfpred_status ppi_apex_design(const struct ppi_apex_cache *cache, int64_t blocks, struct ppi_apex_run **runs,
                                     size_t *count, struct perfpred_error *error);
/* Elements that a run over memory walks over, several times the cache. */
int64_t ppi_apex_far(const struct ppi_apex_cache *cache);
/* Whether a repetition takes so little that it can be repeated. */
bool ppi_apex_affordable(const struct ppi_apex_run *run);

/* Runs that should hit rectangles which none has hit yet, in the light of those that were measured (points, from ppi_apex_design, and all that
   followed): the next one for each such rectangle that is kept and that can be reached, the heaviest first, at most `most`. runs: room for as many;
   *made: their number. */
enum perfpred_status ppi_apex_aim(const struct ppi_apex_mix *mix, const struct ppi_apex_plane *plane,
                                  const struct ppi_apex_cache *cache, const struct ppi_apex_point *points, size_t count,
                                  const struct ppi_apex_choice *choices, double clock_hz, int threads,
                                  struct ppi_apex_run *runs, size_t most, size_t *made, struct perfpred_error *error);

#endif
