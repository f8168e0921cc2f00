/* SPDX-License-Identifier: BSD-3-Clause */
/* Is the result of an executed program right? Checked in O(n^2) by the definition of its operation, on one vector. */
#ifndef PPI_MEASURE_RESIDUAL_H
#define PPI_MEASURE_RESIDUAL_H

#include "measure/pattern.h"

/* Relative error of `result`, the first buffer of a program that performs `operation` on the matrix of `original`. NaN: the operation
   has no check, or memory is short. DBL_MAX: the result is not finite. chol-l, chol-u (also -rec, -tiled), ?potrf, ?potrf-u: |A x - L (L^H x)| / (|A| |x|); trinv-l, trinv-u (also -rec), ?trtri, ?trtri-u: |L (X x) - x| / |x|. */
double ppi_residual(const char *operation, enum ppi_type type, const struct ppi_area *result,
                    const struct ppi_pattern *original);

#endif
