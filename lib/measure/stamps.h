/* SPDX-License-Identifier: BSD-3-Clause */
/* Readings of the clock between the calls of a run: what each place of a program's text that calls a kernel took of it, or each call on its
   own. */
#ifndef PPI_MEASURE_STAMPS_H
#define PPI_MEASURE_STAMPS_H

#include "measure/layout.h"
#include "program/calls.h"

struct ppi_stamps {
  struct ppi_calls calls;
  bool apart; /* set before the memory is allocated: every frame has a time of its own, in the order of execution */
  size_t part_count; /* times of a run: as many as there are calls in the text, or frames at most */
  size_t *places;    /* of each frame, that of its call among all, or its own */
  double *readings;  /* before each timed frame, and behind the last one */
  double *times_s;   /* of each part in the last run; negative: it was not made */
};

/* The calls of a program, of which there must be one (PERFPRED_INVALID). Zeroed before; to be freed whatever is returned. */
enum perfpred_status ppi_stamps_begin(struct ppi_stamps *stamps, const struct perfpred_program *program,
                                      struct perfpred_error *error);
/* Memory for as many frames as the layout has room for. */
enum perfpred_status ppi_stamps_allocate(struct ppi_stamps *stamps, const struct ppi_layout *layout,
                                         struct perfpred_error *error);
void ppi_stamps_free(struct ppi_stamps *stamps);

/* Hands a call of the walk on to the layout; a frame that it becomes is known by its place from now on. */
enum perfpred_status ppi_stamps_call(struct ppi_stamps *stamps, struct ppi_layout *layout, const struct ppi_node *node,
                                     const struct ppi_value *values, struct perfpred_error *error);
/* Calls the frames from `first` on with a reading before each and behind the last. named: they are announced. */
void ppi_stamps_run(struct ppi_stamps *stamps, const struct ppi_layout *layout, size_t first, bool named);
/* Of that run: one time for each call, the sum where it was made several times. None is shorter than half of what the clock can tell. */
const double *ppi_stamps_times(struct ppi_stamps *stamps, const struct ppi_layout *layout, size_t first);

#endif
