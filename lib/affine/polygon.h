/* SPDX-License-Identifier: BSD-3-Clause */
/* Integer points in polygons, in closed form: sums of quotients that are rounded down, by Euclid's algorithm. */
#ifndef PPI_AFFINE_POLYGON_H
#define PPI_AFFINE_POLYGON_H

#include "affine/set.h"

/* Number of points of a set in which nothing but variables `over` and `in` is free: the others are 0 in all of it. */
ppi_wide ppi_polygon_points(const struct ppi_set *set, int over, int in);

#endif
