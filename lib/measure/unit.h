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
  size_t stride;         /* bytes from one copy to the next */
  enum ppi_property property;
  enum ppi_type type;
  bool ilp64, work, written;
  bool again;     /* its values are restored before every run */
  bool streaming; /* past the caches */
  size_t pattern, zero;
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
  int copies, copy;  /* of memory of its own */
  bool met;          /* ran before */
  double overhead_s; /* of a parallel region */
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

#endif
