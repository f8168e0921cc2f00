/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps of a loop that are alike: the same calls in all of them, with sizes that change evenly, so that each call's row of estimates is summed
   at once. */
#ifndef PPI_PREDICT_STRETCH_H
#define PPI_PREDICT_STRETCH_H

#include "predict/plan.h"

#define PPI_STRETCH_CALLS 16 /* calls of a body of which stretches are made */
#define PPI_STRETCH_LEAST 4  /* steps that make a stretch pay */

/* A call in all steps of a stretch, within the domain of the one model that prices it and with something to do. */
struct ppi_stretch_call {
  const struct ppi_plan_step *step;
  const struct ppi_submodel *submodel;
  bool context; /* it is a model of the call in its step */
  struct ppi_fold_row row;
};

struct ppi_stretch {
  int64_t count; /* steps */
  int call_count;
  struct ppi_stretch_call calls[PPI_STRETCH_CALLS];
};

/* Where a stretch may begin. */
struct ppi_stretch_start {
  const struct ppi_plan_step *loop;
  struct ppi_plan_place place; /* in the body */
  bool outermost;              /* the loop is the one that place is about */
  int64_t start, slope;        /* of the loop's own variable: in the first step, and from one to the next */
  int64_t count;               /* steps that there are, at least 1; all of the same width, which is in the slots */
};

/* Whether stretches can be made of the bodies of a loop (and its calls keep what their models were asked last). */
bool ppi_stretch_possible(const struct ppi_plan_step *loop);
/* The steps from the first one on that are alike; false: fewer than make it pay. Writes the slots of the body. */
bool ppi_stretch_find(const struct ppi_stretch_start *start, int64_t *slots, struct ppi_stretch *stretch);

#endif
