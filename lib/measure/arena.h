/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of the operands of a batch: slots that are planned first, allocated once at the largest size that anything needs, then reused. */
#ifndef PPI_MEASURE_ARENA_H
#define PPI_MEASURE_ARENA_H

#include "measure/pattern.h"

/* Operands that are only read keep their values, so they share a slot with those of the same kind; those that are written
   share by their place among the written ones. */
struct ppi_slot {
  bool written;
  enum ppi_property property; /* read-only slots */
  enum ppi_type type;         /* read-only slots */
  char part;                  /* read-only slots of triangles: the one that is not 0 */
  int ordinal;
  int64_t bytes;
  unsigned char *memory, *base; /* as allocated; where operands start */
  struct ppi_area filled;       /* read-only slots: what holds the values of the pattern */
};

struct ppi_arena {
  struct ppi_slot *slots;
  size_t slot_count;
  struct ppi_pattern *patterns;
  size_t pattern_count;
  int64_t extent; /* most rows or columns of an operand with a property */
};

/* Planning: a slot for at least so many bytes; its number never changes. */
enum perfpred_status ppi_arena_plan(struct ppi_arena *arena, const struct ppi_slot *kind, int64_t bytes, size_t *slot,
                                    struct perfpred_error *error);
void ppi_arena_plan_extent(struct ppi_arena *arena, int64_t extent);
/* Allocates what was planned and touches every page. PERFPRED_NO_MEMORY names the size. */
enum perfpred_status ppi_arena_allocate(struct ppi_arena *arena, struct perfpred_error *error);
/* Memory of one slot anew, which has room for so many bytes then and holds none of its values. On failure the slot has none. */
enum perfpred_status ppi_arena_grow(struct ppi_arena *arena, size_t number, int64_t bytes,
                                    struct perfpred_error *error);
/* After planning: place in `patterns` of the one of a kind, made at the first request. */
enum perfpred_status ppi_arena_pattern(struct ppi_arena *arena, enum ppi_property property, enum ppi_type type,
                                       bool ilp64, size_t *pattern, struct perfpred_error *error);
/* Sees to it that an area of a read-only slot holds the values of its pattern, and zeros in the other triangle (some routines look at the
   first subdiagonal). */
enum perfpred_status ppi_arena_ready(struct ppi_arena *arena, size_t slot, const struct ppi_area *area, bool ilp64,
                                     struct perfpred_error *error);
void ppi_arena_free(struct ppi_arena *arena);

/* rows x columns elements: bytes of an area with that step and ld. PERFPRED_LIMIT beyond 2^46 bytes. */
enum perfpred_status ppi_area_bytes(int64_t rows, int64_t columns, int64_t step, int64_t ld, size_t element,
                                    int64_t *bytes, struct perfpred_error *error);

#endif
