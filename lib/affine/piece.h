/* SPDX-License-Identifier: BSD-3-Clause */
/* One piece of the analysis of a reference: the values of the counters around it for which its distance is one polynomial. */
#ifndef PPI_AFFINE_PIECE_H
#define PPI_AFFINE_PIECE_H

#include "affine/engine.h"
#include "affine/total.h"

struct ppi_piece {
  const struct ppi_path *path; /* whose present run it is */
  const struct ppi_nest_reference *reference;
  bool first;                   /* touches of lines that were not touched before */
  const struct ppi_poly *lines; /* the distance, where not */
};

/* The constraints on its blocks. */
void ppi_piece_set(const struct ppi_piece *piece, struct ppi_set *set);
/* Counts its accesses and misses into `count`, for caches of so many lines each. */
void ppi_piece_count(const struct ppi_piece *piece, const int64_t *cache_lines, size_t levels, struct ppi_total *total,
                     struct ppi_misses_count *count, uint64_t *accesses);
/* Bounds on its distance. */
void ppi_piece_range(const struct ppi_piece *piece, ppi_wide *least, ppi_wide *most);
/* The texts for people; NULL: no memory. */
char *ppi_piece_conditions(const struct ppi_piece *piece, const struct perfpred_program *program);
char *ppi_piece_distance(const struct ppi_piece *piece, const struct perfpred_program *program);

#endif
