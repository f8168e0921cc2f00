/* SPDX-License-Identifier: BSD-3-Clause */
/* Set-ups of the caches for a call that is measured by itself: lists of touches, the last of which ends right before the call.
 * By kind (dissertation, Section 20.1): parts of operands in any order of the operands. By what is known of the call in its algorithm
 * (Section 23.3): operands as far back as they were accessed there, with other memory between. */
#ifndef PPI_CACHE_TOUCHES_H
#define PPI_CACHE_TOUCHES_H

#include "cache/cache.h"

/* Elements [row, row + rows) x [column, column + columns) of an operand, as far as they belong to it; or bytes of memory that is no
   operand's. */
struct ppi_touch {
  int argument; /* place of the data argument; -1: other memory */
  int64_t row, column, rows, columns;
  int64_t bytes; /* of other memory */
};
#define PPI_TOUCHES_MAX (2 * PPI_ARG_MAX + 1)

enum ppi_touch_part {
  PPI_TOUCH_WHOLE,
  PPI_TOUCH_COLUMN_PANEL, /* all rows, `width` columns from the left */
  PPI_TOUCH_ROW_PANEL,    /* `width` rows from the top, all columns */
  PPI_TOUCH_SQUARE_BLOCK  /* `width` rows and columns from the top left corner */
};

struct ppi_touch_kind {
  size_t order;             /* number of a permutation of the data arguments, from 0; 0: as they are */
  enum ppi_touch_part part; /* of operands with more than `large` elements; of all others the whole */
  int64_t width, large;
  bool mirrored; /* from the right, the bottom: for kernels that go through the operand backwards */
};

/* Data arguments of a kernel, and in how many orders they can be touched. */
int ppi_touch_arguments(const struct perfpred_kernel *kernel, int arguments[PPI_ARG_MAX]);
size_t ppi_touch_orders(const struct perfpred_kernel *kernel);
/* Whether the kernel goes through its triangle from the bottom right to the top left, so that mirrored parts are what it meets first:
   trsm and trmm by their flags (dissertation, footnote 32). */
bool ppi_touch_is_backward(const struct perfpred_kernel *kernel, const struct ppi_value *values);

/* The touches of a kind for a call; operands without elements are left out. PERFPRED_INVALID: there is no such order, or width < 1. */
enum perfpred_status ppi_touches_of_kind(const struct perfpred_kernel *kernel, const struct ppi_value *values,
                                         const struct ppi_touch_kind *kind, struct ppi_touch touches[PPI_TOUCHES_MAX],
                                         int *count, struct perfpred_error *error);
/* The touches that bring back what a call of an analysis finds: operands by falling distance, before each the bytes of other memory that
   make the distance what it is. From limit_bytes on everything counts as never accessed. */
void ppi_touches_of_call(const struct perfpred_cache *cache, size_t call, double limit_bytes,
                         struct ppi_touch touches[PPI_TOUCHES_MAX], int *count);

#endif
