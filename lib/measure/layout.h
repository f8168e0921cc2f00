/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls of programs laid out as frames on real buffers. First all programs are walked to plan what they need, then memory is
   allocated, then one after the other is laid out in it. */
#ifndef PPI_MEASURE_LAYOUT_H
#define PPI_MEASURE_LAYOUT_H

#include "measure/arena.h"
#include "measure/core_state.h"
#include "measure/sampler.h"
#include "program/walk.h"

/* A buffer of the program that is laid out, by its number in the walk. */
struct ppi_memory {
  size_t slot, pattern;
  bool own, restored;                 /* of the program itself; written by it */
  bool streaming;                     /* restored past the caches */
  bool wide;                          /* of integers: 64 bits, as the kernel that uses it has them */
  const struct perfpred_kernel *user; /* of integers: a kernel of the present walk that uses them; NULL: none yet */
  struct ppi_area area;
};

struct ppi_layout {
  struct ppi_core *core;
  int64_t wanted_ld; /* 0: the rule */
  bool kept;         /* what buffers hold is the caller's affair: laying out fills nothing in */
  struct ppi_arena arena;
  struct ppi_memory *memories;
  size_t memory_count;
  bool planning; /* sizes are collected; else frames are filled */
  struct ppi_frame *frames;
  size_t frame_count, frame_capacity; /* planning: most frames that anything needs */
};

/* Lays out the buffers of an execution and walks its program with these callbacks, of which `call` hands on to ppi_layout_call what is to
   become a frame; data: begins with the layout. *ld: largest leading dimension. PERFPRED_UNSUPPORTED when kernels that share a buffer of
   integers have them in different widths. */
enum perfpred_status ppi_layout_walk(struct ppi_layout *layout, const struct ppi_execution *execution,
                                     struct ppi_walker walker, int64_t *ld, struct perfpred_error *error);
/* A call of the walk that has work to do: counted, or laid out as the next frame. */
enum perfpred_status ppi_layout_call(void *data, const struct ppi_node *node, const struct ppi_value *given,
                                     struct perfpred_error *error);
/* After planning. */
enum perfpred_status ppi_layout_allocate(struct ppi_layout *layout, struct perfpred_error *error);
void ppi_layout_free(struct ppi_layout *layout);

/* "chol-l-3(1000,128)" */
void ppi_layout_describe(const struct ppi_execution *execution, char *text, size_t size);
/* Calls each frame, told before, so that a crash has a name. */
void ppi_layout_announce_call(const struct ppi_layout *layout, const struct ppi_frame *frame);
/* PERFPRED_NUMERIC when some frame's INFO is not 0; what: of the whole. */
enum perfpred_status ppi_layout_check(const struct ppi_layout *layout, const char *what, struct perfpred_error *error);
/* Time of calling all frames if they did nothing. */
double ppi_layout_overhead(const struct ppi_layout *layout);

#endif
