/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of operands. Every column is a piece of one short line of numbers, so restoring a whole matrix reads next to nothing and
   works for every size and leading dimension. Matrices with a property are Toeplitz matrices: element (i, j) depends on i - j alone. The
   columns of a general one begin at places of the line that are scattered like random ones: it is as regular as a
   random matrix, LU decomposition swaps as many rows, eigenvalues lie as far apart. */
#ifndef PPI_MEASURE_PATTERN_H
#define PPI_MEASURE_PATTERN_H

#include "kernel/kernel.h"

struct ppi_pattern {
  enum ppi_property property;
  enum ppi_type type;
  size_t element; /* bytes of one */
  int64_t reach;  /* largest row and column; of general and zero PPI_PATTERN_PERIOD - 1, though they may be larger */
  unsigned char *line; /* element (i, j) is number reach + i - j of it, but for general and zero */
};
#define PPI_PATTERN_PERIOD 4096 /* rows of a general matrix that follow each other in the line; a power of 2 */

/* general: random numbers in (-1, 1). spd: Hermitian, diagonal 1, the rest sums to less than 0.9 in every row. triangular: diagonal 1, below
   and above it the rest sums to less than 0.1 each, so that inverses stay below 1.1. pivots: element i (from 1) is one of 1 ... i, at random: every row
   is swapped with one that came before it, however few there are. identity, zero. Integers without a property are 1. */
/* extent: most rows or columns of an operand; of no matter to general and zero. */
enum perfpred_status ppi_pattern_make(struct ppi_pattern *pattern, enum ppi_property property, enum ppi_type type,
                                      bool ilp64, int64_t extent, struct perfpred_error *error);
void ppi_pattern_free(struct ppi_pattern *pattern);
/* Real and imaginary part of an element in memory; of element (i, j) of a pattern, as it is stored. */
void ppi_element_read(enum ppi_type type, size_t element, const unsigned char *from, double value[2]);
void ppi_pattern_value(const struct ppi_pattern *pattern, int64_t i, int64_t j, double value[2]);

/* Where the elements of an operand lie. */
struct ppi_area {
  unsigned char *base;
  size_t element;
  int64_t rows, columns;
  int64_t step; /* from one row to the next: 1, or the increment of a vector */
  int64_t ld;   /* from one column to the next */
  char part;    /* 'L', 'U': that triangle with the diagonal; 0: everything */
};

/* Elements from base to the end of the last one. */
int64_t ppi_area_span(const struct ppi_area *area);
/* Whether it takes more than so many bytes of a cache, in lines. What lies between its columns takes none, however far apart they are. */
bool ppi_area_exceeds(const struct ppi_area *area, int64_t bytes);
/* Writes the pattern over the area. streaming: past the caches, so that what is in them stays. */
void ppi_area_fill(const struct ppi_area *area, const struct ppi_pattern *pattern, bool streaming);
/* The same for the elements of a box alone: rows x columns from (row, column) on, inside of the area. */
void ppi_area_fill_box(const struct ppi_area *area, const struct ppi_pattern *pattern, int64_t row, int64_t column,
                       int64_t rows, int64_t columns, bool streaming);
/* memcpy by streaming stores, where the processor has them. */
void ppi_stream_copy(void *to, const void *from, size_t bytes);
void ppi_stream_finish(void); /* before streamed data are read again */

#endif
