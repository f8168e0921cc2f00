/* SPDX-License-Identifier: BSD-3-Clause */
/* Access distances: what was touched since the last access to an operand (dissertation, Section 23.3). */
#ifndef PPI_CONTRACT_DISTANCE_H
#define PPI_CONTRACT_DISTANCE_H

#include "contract/body.h"

struct ppi_distance {
  struct ppi_areas areas; /* touched since, each once */
  int64_t bytes;          /* of their union */
  int64_t
      corrected; /* the same where what lies in two iterations of the loop that ends the search counts for both of them */
  int end; /* depth of the loop whose iteration before has the last access; -1: that is in the same iteration of all loops; 0: it is in
                an execution before */
};

/* Of area `area` of a call. started: so many of the loops around it, from the inside, are in their first iteration, and no other
   one; 0: none is. */
void ppi_distance_find(const struct ppi_body *body, int call, int area, int started, struct ppi_distance *distance);
/* Back to the same call in the iteration before of the loop around it: what is fetched ahead was fetched then. The call has loops. */
void ppi_distance_ahead(const struct ppi_body *body, int call, struct ppi_distance *distance);

#endif
