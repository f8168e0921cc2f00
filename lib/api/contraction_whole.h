/* SPDX-License-Identifier: BSD-3-Clause */
/* What algorithms that transpose whole tensors take beside their kernel: the copies, and of one long call a shorter one. */
#ifndef PPI_API_CONTRACTION_WHOLE_H
#define PPI_API_CONTRACTION_WHOLE_H

#include "api/contraction_candidates.h"

/* A micro-benchmark that stands for a part of the algorithm. */
struct ppi_contraction_piece {
  struct ppi_contraction contraction; /* with smaller extents where the whole would take too long */
  const struct ppi_contract_algorithm *algorithm;
  enum ppi_tour_subject subject; /* CALL, COPY_IN, COPY_OUT */
  int operand;
  double count;  /* that part takes so many times as long */
  double time_s; /* of one, roughly */
  char key[PPI_RANK_MAX * 50 + 40];
};

#define PPI_PIECES_MAX (PPI_OPERANDS + 2)
/* Of an entry of such a group; their number is returned, 0 for all others. bytes: of a copy, about so many are enough. call_s: what takes longer
   is called with smaller extents. */
int ppi_contraction_pieces(const struct ppi_contraction_candidates *candidates,
                           const struct ppi_contraction_entry *entry, double bytes, double call_s,
                           struct ppi_contraction_piece pieces[PPI_PIECES_MAX]);

#endif
