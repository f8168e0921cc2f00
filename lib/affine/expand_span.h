/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of the values of an expression wherever a statement is executed: the least and the most that they may be. */
#ifndef PPI_AFFINE_EXPAND_SPAN_H
#define PPI_AFFINE_EXPAND_SPAN_H

#include "base/expr.h"

struct ppi_span {
  int64_t low, high; /* INT64_MIN, INT64_MAX: not known */
};

static inline struct ppi_span ppi_span_all(void) {
  return (struct ppi_span){ INT64_MIN, INT64_MAX };
}

static inline bool ppi_span_is_number(const struct ppi_span *span) {
  return span->low == span->high;
}

/* spans: of the values of the names. A bound need not be reached. */
struct ppi_span ppi_span_of(const struct ppi_expr *expr, const struct ppi_span *spans);

#endif
