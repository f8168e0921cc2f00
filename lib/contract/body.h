/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls of an algorithm as its loops contain them: zeroing of C, copies in, the kernel, copies out; and what each touches. */
#ifndef PPI_CONTRACT_BODY_H
#define PPI_CONTRACT_BODY_H

#include "contract/area.h"

enum ppi_body_kind { PPI_BODY_KERNEL, PPI_BODY_COPY_IN, PPI_BODY_COPY_OUT, PPI_BODY_ZERO };
#define PPI_BODY_CALLS_MAX (PPI_OPERANDS + 3)

struct ppi_body_call {
  enum ppi_body_kind kind;
  int operand; /* of a copy, or C of its zeroing; the kernel: -1 */
  int depth;   /* loops around it, of the body's */
  int area_count;
  struct ppi_area areas[PPI_OPERANDS]; /* the kernel's in the order A, B, C; of copies the slice, then its copy */
};

struct ppi_body {
  struct ppi_terrain terrain;
  int loop_count;             /* loops of extent 1 are left out: they change nothing */
  int loops[PPI_INDEX_MAX];   /* places of their indices, outermost first */
  int level[PPI_INDEX_MAX];   /* places of these loops among the algorithm's */
  int along[PPI_OPERANDS][2]; /* indices of the dimensions of the slices, as in struct ppi_contract_slice */
  int call_count;
  struct ppi_body_call calls[PPI_BODY_CALLS_MAX]; /* as they stand in the text */
};

/* Status as of ppi_terrain_begin. The contraction is borrowed. */
enum perfpred_status ppi_body_begin(const struct ppi_contraction *contraction,
                                    const struct ppi_contract_algorithm *algorithm, int64_t line_bytes,
                                    bool whole_lines, struct ppi_body *body, struct perfpred_error *error);
/* What a call touches while the loops from depth `from` on, as far as they are around it, go through all of their iterations. */
struct ppi_area ppi_body_area(const struct ppi_body *body, int call, int area, int from);
/* How often it is made. PERFPRED_OVERFLOW: more than 2^63 - 1 times. */
enum perfpred_status ppi_body_count(const struct ppi_body *body, int depth, int64_t *count,
                                    struct perfpred_error *error);

#endif
