/* SPDX-License-Identifier: BSD-3-Clause */
/* Innermost loops of nothing but accesses, executed without looking at their text again: subscripts are arithmetic progressions. */
#ifndef PPI_AFFINE_SWEEP_H
#define PPI_AFFINE_SWEEP_H

#include "affine/layout.h"
#include "program/loop.h"

/* An access along a loop: its line is row + inner / per_line, and both go on by a step. */
struct ppi_sweep_access {
  const struct ppi_node *node;
  int64_t row, row_step, inner, inner_step, per_line;
  int64_t line, stay; /* stay: iterations from the present one on in which it touches this line, >= 1 */
};

struct ppi_sweeps;

enum perfpred_status ppi_sweeps_create(const struct perfpred_program *nest, const struct ppi_layout *layout,
                                       struct ppi_sweeps **sweeps, struct perfpred_error *error);
void ppi_sweeps_destroy(struct ppi_sweeps *sweeps); /* NULL is fine */
/* The accesses of a loop from its beginning, *count of them, borrowed, for *rounds iterations. NULL: not such a loop, or a subscript leaves
   its array: the loop has to be gone through step by step. */
struct ppi_sweep_access *ppi_sweeps_begin(struct ppi_sweeps *sweeps, const struct ppi_node *loop, const int64_t *slots,
                                          const struct ppi_loop *range, int *count, int64_t *rounds);
/* So many iterations on, at most `stay`. */
void ppi_sweep_advance(struct ppi_sweep_access *access, int64_t rounds);

#endif
