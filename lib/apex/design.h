/* SPDX-License-Identifier: BSD-3-Clause */
/* Which runs of Apex-MAP are made. */
#ifndef PPI_APEX_DESIGN_H
#define PPI_APEX_DESIGN_H

#include "apex/mix.h"
#include "apex/traffic.h"

/* A few hundred runs that span the plane: strides and blocks over memory and caches, with more and more computing beside them. blocks: of a random
   run; 0: as ppi_apex_lengthen says. The most telling ones come first. *runs: free. *base: so many come first that
   others can be foretold from them: walks without computing, and computing on data that stay in the caches. */
enum perfpred_status ppi_apex_design(const struct ppi_apex_cache *cache, int64_t blocks, struct ppi_apex_run **runs,
                                     size_t *count, size_t *base, struct perfpred_error *error);
/* So many blocks for a random run that a repetition takes some ten thousands of cycles at least, of which its beginning and the threads' start
   are a small part. */
void ppi_apex_lengthen(struct ppi_apex_run *run);
/* Whether a repetition takes so little that it can be repeated. */
bool ppi_apex_affordable(const struct ppi_apex_run *run);

/* Walks that runs may aim with: without computing, and the bytes that an element of each brings in. */
struct ppi_apex_walk {
  struct ppi_apex_run run;
  double bytes;
};
struct ppi_apex_walks {
  struct ppi_apex_walk *items;
  size_t count;
  int64_t blocks; /* of a random run; 0: as ppi_apex_lengthen says */
};
/* Over the same data as the design. On failure nothing is left to free. */
enum perfpred_status ppi_apex_walks_create(const struct ppi_apex_cache *cache, int64_t blocks,
                                           struct ppi_apex_walks *walks, struct perfpred_error *error);
void ppi_apex_walks_free(struct ppi_apex_walks *walks);

/* What is aimed at, and the machine. */
struct ppi_apex_target {
  const struct ppi_apex_mix *mix;
  const struct ppi_apex_plane *plane;
  const struct ppi_apex_choice *choices; /* of the points so far */
  double clock_hz;
  int threads;
};
/* Runs that should hit rectangles which none has hit yet, in the light of those that were measured (points: of ppi_apex_design, and all that
   followed): the next few for each such rectangle that is kept, the heaviest first, at most `most`. runs: room for as
   many; *made: their number. */
enum perfpred_status ppi_apex_aim(const struct ppi_apex_target *target, const struct ppi_apex_walks *walks,
                                  const struct ppi_apex_point *points, size_t count, struct ppi_apex_run *runs,
                                  size_t most, size_t *made, struct perfpred_error *error);
/* Of rectangles that no run lies in, those that none is foretold to lie in cannot be reached: corrects choices and cover. */
enum perfpred_status ppi_apex_reach(const struct ppi_apex_target *target, const struct ppi_apex_walks *walks,
                                    const struct ppi_apex_point *points, size_t count, struct ppi_apex_choice *choices,
                                    struct ppi_apex_cover *cover, struct perfpred_error *error);

#endif
