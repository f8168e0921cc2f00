/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/generate.h"

#include <assert.h>
#include <math.h>

static const double PI = 3.14159265358979323846;

static int64_t rounded(double value, int64_t grain) {
  return (int64_t)floor(value / (double)grain + 0.5) * grain;
}

/* Place of point i of count on [-1, 1], ascending. The sine is the grid's cosine, but exactly odd about the middle. */
static double place(enum perfpred_grid grid, int i, int count) {
  double t = (double)(2 * i - (count - 1)) / (double)(count - 1);

  return grid == PERFPRED_GRID_CARTESIAN ? t : sin(t * PI / 2.0);
}

int ppi_grid(enum perfpred_grid grid, int64_t lower, int64_t upper, int count, int64_t grain, int64_t *points) {
  double center = 0.5 * ((double)lower + (double)upper);
  double half = 0.5 * ((double)upper - (double)lower);
  int used = 0;

  assert(lower <= upper && count >= 1);
  if (lower == upper) {
    points[0] = lower;
    return 1;
  }
  if (count == 1) {
    int64_t middle = rounded(center, grain);

    points[0] = middle < lower || middle > upper ? lower : middle;
    return 1;
  }
  points[used++] = lower;
  for (int i = 1; i < count - 1; i++) {
    int64_t point = rounded(center + half * place(grid, i, count), grain);

    if (point > points[used - 1] && point < upper)
      points[used++] = point;
  }
  points[used++] = upper;
  return used;
}

int ppi_split_choose(int dimensions, const int64_t *lower, const int64_t *upper, int64_t minimum_width, int64_t grain,
                     int64_t *at) {
  int chosen = -1;
  double largest = 0.0;

  for (int d = 0; d < dimensions; d++) {
    int64_t middle = rounded(0.5 * ((double)lower[d] + (double)upper[d]), grain);
    double ratio = (double)upper[d] / (double)(lower[d] > 0 ? lower[d] : 1);

    if (upper[d] - lower[d] < minimum_width || middle <= lower[d] || middle >= upper[d])
      continue;
    if (ratio > largest) {
      largest = ratio;
      chosen = d;
      *at = middle;
    }
  }
  return chosen;
}
