/* SPDX-License-Identifier: BSD-3-Clause */
/* Areas: what calls touch, as a memory and the indices that run through it ("open"), while all others stand still. Loops move areas and,
   seen as a whole, open their index in them. How large areas are, and unions of them. */
#ifndef PPI_CONTRACT_AREA_H
#define PPI_CONTRACT_AREA_H

#include "base/error.h"
#include "contract/call.h"

/* A, B, C, and then the packed copies of their slices. */
#define PPI_MEMORIES (2 * PPI_OPERANDS)
#define PPI_AREAS_MAX 24

struct ppi_area {
  int memory;    /* operand, or PPI_OPERANDS + operand for its packed copy */
  uint32_t open; /* bit 1 << place of each index that runs through it */
};

/* A set: none lies in another one of the same memory. */
struct ppi_areas {
  int count;
  struct ppi_area items[PPI_AREAS_MAX];
};

/* What sizes depend on. Indices of extent 1 do not occur in it. */
struct ppi_terrain {
  const struct ppi_contraction *contraction; /* borrowed */
  int64_t element_bytes;
  int64_t line_bytes; /* of a cache line, a power of 2, at least an element */
  bool whole_lines;   /* sizes are those of the lines that are touched, else of the elements */
  int64_t extent[PPI_INDEX_MAX];
  int stepped, rolled;                         /* see ppi_terrain_step; -1: none is */
  uint32_t indices[PPI_MEMORIES];              /* of each memory; loops move those of tensors alone */
  int64_t stride[PPI_MEMORIES][PPI_INDEX_MAX]; /* bytes, of these */
};

/* PERFPRED_OVERFLOW: sizes might not fit into 63 bits, be they of elements or lines and even where everything counts twice. */
enum perfpred_status ppi_terrain_begin(const struct ppi_contraction *contraction, const struct ppi_contract_call *call,
                                       int64_t line_bytes, bool whole_lines, struct ppi_terrain *terrain,
                                       struct perfpred_error *error);
/* The same for what is touched from somewhere in one iteration of a loop over `index` to the same place in the next: areas that have the
   index open are those of two values of it; those that have `inner` open, the loop inside (-1: there is none), are what is left of it in the
   one and what has begun in the other. */
struct ppi_terrain ppi_terrain_step(const struct ppi_terrain *terrain, int index, int inner);
bool ppi_terrain_moves(const struct ppi_terrain *terrain, int memory, int index);

/* Bytes of an area in elements, and in whole lines: exactly where its memory begins at a line, on average over its places. */
int64_t ppi_area_element_bytes(const struct ppi_terrain *terrain, struct ppi_area area);
int64_t ppi_area_line_bytes(const struct ppi_terrain *terrain, struct ppi_area area);
/* As the terrain counts. */
int64_t ppi_area_size(const struct ppi_terrain *terrain, struct ppi_area area);

/* The dimension of a memory whose elements stand closest, and the one after it. */
struct ppi_terrain_line {
  int first, second; /* indices; -1: it has none */
  int64_t elements;  /* that a line holds along the first; 1 where they are a line or more apart */
};
void ppi_terrain_line(const struct ppi_terrain *terrain, int memory, struct ppi_terrain_line *line);

void ppi_areas_add(struct ppi_areas *areas, struct ppi_area area);
void ppi_areas_join(struct ppi_areas *areas, const struct ppi_areas *others);
/* Of the union; areas of one memory overlap in the indices that both have open. only: memories of that bit mask. */
int64_t ppi_areas_size(const struct ppi_terrain *terrain, const struct ppi_areas *areas, unsigned only);

#endif
