/* SPDX-License-Identifier: BSD-3-Clause */
/* A unit of a script in memory: operands laid out, calls ready to be made. */
#ifndef PPI_MEASURE_UNIT_H
#define PPI_MEASURE_UNIT_H

#include "measure/arena.h"
#include "measure/core_state.h"

/* An operand in memory. */
struct ppi_unit_place {
  size_t call; /* of the unit, from 0 */
  int argument;
  struct ppi_area area;  /* of the present copy */
  unsigned char *memory; /* of its own, or NULL */
  size_t stride;         /* bytes from one copy to the next; 0: there is one */
  enum ppi_property property;
  enum ppi_type type;
  bool ilp64, work, written;
  bool again;     /* its values are restored before every run */
  bool streaming; /* past the caches */
  size_t pattern, zero;
};

/* Copies of a named buffer for fresh operands. memory NULL: the unit does not use the buffer. */
struct ppi_unit_ring {
  unsigned char *memory, *base; /* as allocated; where the first copy starts */
  size_t stride;
};

struct ppi_placed_unit {
  struct ppi_core *core;
  const struct ppi_script *script;
  const struct ppi_script_unit *text;
  struct ppi_buffers *buffers;
  struct ppi_arena arena; /* patterns alone */
  struct ppi_unit_place *places;
  size_t place_count;
  struct ppi_frame *frames; /* one for each call */
  size_t first_call, call_count;
  struct ppi_unit_ring *rings; /* one for each buffer of the script where operands are fresh, else NULL */
  struct ppi_lane_mark *marks; /* of its lanes; NULL: nobody wants to know */
  int copies, copy;            /* of all its memory */
  double overhead_s;           /* of a run; 0: not known yet */
  char what[1024];
};

/* On failure nothing is left to free. The unit must not move. */
enum perfpred_status ppi_unit_place(struct ppi_placed_unit *unit, struct ppi_core *core,
                                    const struct ppi_script *script, size_t number, struct ppi_buffers *buffers,
                                    struct perfpred_error *error);
void ppi_unit_free(struct ppi_placed_unit *unit);
/* Values of all operands as they were at first; with fresh operands those of the last run, and on to the next ones. */
void ppi_unit_restore(struct ppi_placed_unit *unit);
void ppi_unit_evict(struct ppi_placed_unit *unit); /* the lines of all operands */
/* Where the present copy of a named buffer starts, one that the unit uses. */
const unsigned char *ppi_unit_buffer(const struct ppi_placed_unit *unit, size_t buffer);

/* unit_run.c: what the schedule does with a unit, which is `data`. */
bool ppi_unit_is_parallel(const struct ppi_placed_unit *unit);
enum ppi_precondition ppi_unit_precondition(const struct ppi_placed_unit *unit);
bool ppi_unit_is_warmed(
    const struct ppi_placed_unit *unit); /* a run that does not count stands before each that does */
void ppi_unit_reset(void *data);         /* threads at rest, operands restored */
void ppi_unit_prepare(void *data);       /* caches, threads at their start */
void ppi_unit_run(void *data);
void ppi_unit_run_lane(void *data, int index);
enum perfpred_status ppi_unit_check(void *data, struct perfpred_error *error); /* INFO of every call */

/* unit_count.c: counts the events that the text asks for, in runs of their own. sampling: its progress is called between them, and
   when its budget is used up each batch is counted once. result->timing is there already. */
enum perfpred_status ppi_unit_count(struct ppi_placed_unit *unit, const struct ppi_sampling *sampling,
                                    struct ppi_unit_result *result, struct perfpred_error *error);

#endif
