/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of measuring tours share: core_tour.c has the schedule time them, core_tour_run.c runs them, core_tour_memory.c is about what
   they run on. */
#ifndef PPI_MEASURE_CORE_TOUR_H
#define PPI_MEASURE_CORE_TOUR_H

#include "measure/arena.h"
#include "measure/core_state.h"
#include "measure/tour_walk.h"

/* What is known of a request while it is sampled. */
struct ppi_tour_course {
  int64_t iterations, timed;
  uint64_t visits; /* samples, the first contact among them */
  bool met, skipped, checked;
  bool brief;    /* a whole execution that another one runs before */
  bool complete; /* the last run was a whole execution */
  double residual;
};

/* What tours run on is kept from batch to batch, as filling it may take longer than what is measured. */
struct ppi_tour_memory {
  enum ppi_type type;
  int64_t bytes[2 * PPI_TOUR_OPERANDS]; /* of tensors, then of their packed copies */
  size_t slots[2 * PPI_TOUR_OPERANDS];
  struct ppi_arena arena;
};

struct ppi_tours {
  struct ppi_core *core;
  const struct ppi_tour_batch *batch;
  uint64_t seed;
  unsigned char *tensors[PPI_TOUR_OPERANDS], *packed[PPI_TOUR_OPERANDS];
  unsigned char *far; /* remote memory, the core's; NULL: nobody asks for it */
  size_t far_bytes, far_at;
  struct ppi_tour_course *courses;
  unsigned *wanted;
  double *limits_s, overhead_s;
  struct ppi_tour_walk walk; /* of the selected request */
  const struct ppi_tour *walking;
  const struct ppi_tour_request *request;
  struct ppi_tour_course *course;
  struct ppi_tour_place place;
  bool ready; /* caches and copies are set up for the timed part */
  bool idle;  /* runs do nothing: what they cost is the clock's */
  char what[300];
};

/* As struct ppi_subjects has them; data: struct ppi_tours. */
void ppi_tours_restore(void *data);
void ppi_tours_prepare(void *data);
void ppi_tours_run(void *data);
enum perfpred_status ppi_tours_check(void *data, struct perfpred_error *error);

/* Tensors with values, packed copies, remote memory. To be released whatever is returned. */
enum perfpred_status ppi_tours_allocate(struct ppi_tours *tours, struct perfpred_error *error);
void ppi_tours_release(struct ppi_tours *tours);

#endif
