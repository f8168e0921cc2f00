/* SPDX-License-Identifier: BSD-3-Clause */
/* Sampling points and what was measured there, found by target and sizes, so that refinement uses samples again. */
#ifndef PPI_MODEL_POINTS_H
#define PPI_MODEL_POINTS_H

#include "model/generate.h"

struct ppi_point {
  size_t target;
  int64_t sizes[PPI_SIZE_MAX]; /* unused ones are 0 */
  double *times_s;             /* of all samples so far */
  size_t count;
  uint64_t disturbed;
  double cost_s; /* timed calls per wanted sample, warm, rejected and spare ones included; 0: not measured */
  int misses;    /* how often too few of its samples passed the gate */
  bool loose;    /* none of its samples did: they were divided by the yardstick instead */
  bool wanted;   /* in the batch that is being put together */
  bool absent;   /* asked for in vain: no sample is known */
};

struct ppi_points {
  struct ppi_point *items;
  size_t count, capacity;
  size_t *slots; /* open addressing; place + 1, 0: free */
  size_t slot_count;
};

/* Place of a point, which is entered if it is new; items may move. */
enum perfpred_status ppi_points_place(struct ppi_points *points, size_t target, int dimensions, const int64_t *sizes,
                                      size_t *place, struct perfpred_error *error);
/* The point, or NULL. */
const struct ppi_point *ppi_points_find(const struct ppi_points *points, size_t target, int dimensions,
                                        const int64_t *sizes);
/* Takes over what `repetitions` wanted samples gave; there may be more of them. Samples that passed the gate take the place of those that did
   not, and never the other way round. */
enum perfpred_status ppi_point_record(struct ppi_point *point, const struct ppi_result *result, int repetitions,
                                      struct perfpred_error *error);
void ppi_points_release(struct ppi_points *points);

#endif
