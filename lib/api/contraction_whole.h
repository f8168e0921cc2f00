/* SPDX-License-Identifier: BSD-3-Clause */
/* What algorithms that transpose whole tensors take beside their kernel: the copies, and of one long call a shorter one. */
#ifndef PPI_API_CONTRACTION_WHOLE_H
#define PPI_API_CONTRACTION_WHOLE_H

#include "api/contraction_price.h"

/* A micro-benchmark that stands for a part of the algorithm. */
struct ppi_contraction_piece {
  struct ppi_contraction contraction; /* with smaller extents where the whole would take too long */
  const struct ppi_contract_algorithm *algorithm;
  enum ppi_tour_subject subject; /* CALL, COPY_IN, COPY_OUT */
  int operand;
  double count;  /* that part takes so many times as long */
  double time_s; /* of one, roughly */
  int repetitions;
  int64_t remote_bytes; /* that are read before, where the whole of it would not find its data in the caches */
  char key[PPI_RANK_MAX * 50 + 40];
};

#define PPI_PIECES_MAX (PPI_OPERANDS + 2)
/* Of an entry of such a group, by its place; their number is returned, 0 for all others. */
int ppi_contraction_pieces(const struct ppi_contraction_pricing *pricing, size_t entry,
                           struct ppi_contraction_piece pieces[PPI_PIECES_MAX]);
/* Whether one of them, a call of smaller extents, stands for those of the kernel. */
bool ppi_contraction_is_shortened(const struct ppi_contraction_group *group);

#endif
