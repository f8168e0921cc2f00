/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/levels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FLAT 0.2  /* a doubling of the size that costs less than 15 % more: 2^0.2 */
#define REACH 0.5 /* octaves to either side that a slope is taken over */
#define LEAST_OCTAVES 0.5
#define APART 1.35 /* least factor between the latencies of two levels */
#define CROSSING 0.1
#define STREAM_APART 1.5

/* What is known of the curve at its points. */
struct shape {
  const struct ppi_curve *curve;
  double latency[PPI_CURVE_MAX]; /* without bursts, never falling */
  double octave[PPI_CURVE_MAX];  /* log2 of the size */
  bool flat[PPI_CURVE_MAX];
};

/* Points of a level, both ends included. */
struct plateau {
  int first, last;
  double latency_s;
};

static double median3(double a, double b, double c) {
  return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* A burst of noise is at one point alone. The first and the last one have no two neighbours: a burst there shows as a fall behind the
   first, or as a rise of nothing but the last. */
static void drop_bursts(struct shape *shape) {
  const struct ppi_curve_point *points = shape->curve->points;
  int count = shape->curve->count;
  for (int i = 0; i < count; i++)
    shape->latency[i] = i == 0 || i + 1 == count
                            ? points[i].latency_s
                            : median3(points[i - 1].latency_s, points[i].latency_s, points[i + 1].latency_s);
  if (count > 1 && shape->latency[0] > shape->latency[1])
    shape->latency[0] = shape->latency[1];
}

/* Neighbours out of order are replaced by their geometric mean until there are none (pool adjacent violators): a working set that holds
   another one is no faster. */
static void make_monotone(struct shape *shape) {
  double sum[PPI_CURVE_MAX];
  int length[PPI_CURVE_MAX], blocks = 0, at = 0;
  for (int i = 0; i < shape->curve->count; i++) {
    sum[blocks] = log(shape->latency[i]);
    length[blocks++] = 1;
    while (blocks > 1 && sum[blocks - 2] / length[blocks - 2] > sum[blocks - 1] / length[blocks - 1]) {
      sum[blocks - 2] += sum[blocks - 1];
      length[blocks - 2] += length[blocks - 1];
      blocks--;
    }
  }
  for (int b = 0; b < blocks; b++)
    for (int k = 0; k < length[b]; k++)
      shape->latency[at++] = exp(sum[b] / length[b]);
}

/* Slope over the points within reach, at least the neighbours. */
static double slope_at(const struct shape *shape, int i) {
  int low = i, high = i, count = shape->curve->count;
  while (low > 0 && (low == i || shape->octave[i] - shape->octave[low - 1] <= REACH + 1e-9))
    low--;
  while (high + 1 < count && (high == i || shape->octave[high + 1] - shape->octave[i] <= REACH + 1e-9))
    high++;
  double octaves = shape->octave[high] - shape->octave[low];
  return octaves > 0.0 ? log2(shape->latency[high] / shape->latency[low]) / octaves : 0.0;
}

/* Whether a point goes on flat from a neighbour around which the curve is. */
static bool goes_on(const struct shape *shape, int neighbour, int i) {
  return slope_at(shape, neighbour) < FLAT && fabs(log2(shape->latency[i] / shape->latency[neighbour])) < FLAT * REACH;
}

/* The foot of a rise is flat on one side. */
static bool is_flat(const struct shape *shape, int i) {
  return slope_at(shape, i) < FLAT || (i > 0 && goes_on(shape, i - 1, i)) ||
         (i + 1 < shape->curve->count && goes_on(shape, i + 1, i));
}

static int compare(const void *a, const void *b) {
  const double *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

static double median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, compare);
  return count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

static double plateau_latency(const struct shape *shape, const struct plateau *plateau) {
  double values[PPI_CURVE_MAX];
  int count = plateau->last - plateau->first + 1;
  memcpy(values, shape->latency + plateau->first, (size_t)count * sizeof *values);
  return median(values, count);
}

/* A step up from a point to the next one that is more than a doubling of the size may cost. */
static bool is_jump(const struct shape *shape, int i) {
  return shape->latency[i + 1] > shape->latency[i] * exp2(FLAT);
}

/* Runs of flat points that are long enough, in order; one that is hardly slower than the one before belongs to it. */
static int find_plateaus(const struct shape *shape, struct plateau *plateaus) {
  int found = 0;
  for (int i = 0; i < shape->curve->count; i++) {
    struct plateau plateau = { i, i, 0.0 };
    if (!shape->flat[i])
      continue;
    while (i + 1 < shape->curve->count && shape->flat[i + 1] && !is_jump(shape, i))
      i++;
    plateau.last = i;
    if (shape->octave[plateau.last] - shape->octave[plateau.first] < LEAST_OCTAVES - 1e-9)
      continue;
    plateau.latency_s = plateau_latency(shape, &plateau);
    struct plateau *before = found > 0 ? &plateaus[found - 1] : NULL;
    if (before != NULL && plateau.latency_s < APART * before->latency_s) {
      before->last = plateau.last;
      before->latency_s = plateau_latency(shape, before);
    } else
      plateaus[found++] = plateau;
  }
  return found;
}

/* Where the curve reaches a level between two pieces, between the points on a scale of octaves. */
static int64_t crossing(const struct shape *shape, const struct plateau *from, const struct plateau *to, double level) {
  int i = to->first;
  while (i > from->first && shape->latency[i - 1] > level)
    i--;
  if (i == from->first)
    return shape->curve->points[i].bytes;
  double low = shape->latency[i - 1], high = shape->latency[i];
  double share = high > low ? (level - low) / (high - low) : 0.0;
  double octave = shape->octave[i - 1] + fmin(fmax(share, 0.0), 1.0) * (shape->octave[i] - shape->octave[i - 1]);
  return (int64_t)llround(exp2(octave));
}

/* Over what fits in full: a stream over the edge comes from two levels. */
static double plateau_bandwidth(const struct shape *shape, const struct plateau *plateau) {
  double values[PPI_CURVE_MAX];
  int count = 0;
  for (int i = plateau->first; i <= plateau->last; i++)
    if (shape->curve->points[i].bandwidth_bytes_per_s > 0.0)
      values[count++] = shape->curve->points[i].bandwidth_bytes_per_s;
  return count > 0 ? median(values, count) : 0.0;
}

static void shape_init(struct shape *shape) {
  const struct ppi_curve *curve = shape->curve;
  drop_bursts(shape);
  make_monotone(shape);
  for (int i = 0; i < curve->count; i++)
    shape->octave[i] = log2((double)curve->points[i].bytes);
  for (int i = 0; i < curve->count; i++)
    shape->flat[i] = is_flat(shape, i);
}

/* The largest working set whose stream comes from a cache of this bandwidth; 0: not measured, or memory is as fast within a third. As time for a
   byte: a larger set is no faster than one that it holds. */
static int64_t stream_bytes(const struct ppi_curve *curve, const struct ppi_effective *cache) {
  struct ppi_curve slowness = { .count = 0 };
  struct shape shape = { .curve = &slowness };
  for (int i = 0; i < curve->count; i++)
    if (curve->points[i].bandwidth_bytes_per_s > 0.0)
      slowness.points[slowness.count++] =
          (struct ppi_curve_point){ .bytes = curve->points[i].bytes,
                                    .latency_s = 1.0 / curve->points[i].bandwidth_bytes_per_s };
  if (slowness.count < 2 || !(cache->bandwidth_bytes_per_s > 0.0))
    return 0;
  shape_init(&shape);
  const struct plateau from = { 0, 0, 1.0 / cache->bandwidth_bytes_per_s };
  const struct plateau memory = { slowness.count - 1, slowness.count - 1, shape.latency[slowness.count - 1] };
  if (memory.latency_s < STREAM_APART * from.latency_s)
    return 0;
  return crossing(&shape, &from, &memory, sqrt(from.latency_s * memory.latency_s));
}

/* Behind the last flat piece the curve may go on rising: what it rises to is memory, as far as it was seen. */
static int add_rest(const struct shape *shape, struct plateau *plateaus, int found) {
  int last = shape->curve->count - 1;
  double end_s = shape->latency[last];
  if (found > 0 && (plateaus[found - 1].last == last || end_s < APART * plateaus[found - 1].latency_s))
    return found;
  plateaus[found] = (struct plateau){ last, last, end_s };
  return found + 1;
}

/* Where it has gone a part of the way from one latency to the next. */
static int64_t capacity(const struct shape *shape, const struct plateau *from, const struct plateau *to) {
  return crossing(shape, from, to, from->latency_s + CROSSING * (to->latency_s - from->latency_s));
}

int ppi_levels_find(const struct ppi_curve *curve, struct ppi_effective levels[PPI_CACHE_MAX]) {
  struct shape shape = { .curve = curve };
  struct plateau plateaus[PPI_CURVE_MAX + 1];
  if (curve->count <= 0)
    return 0;
  shape_init(&shape);
  int found = add_rest(&shape, plateaus, find_plateaus(&shape, plateaus));
  int left_out = found > PPI_CACHE_MAX ? found - PPI_CACHE_MAX : 0; /* the farthest ones matter most */
  for (int i = left_out; i < found; i++)
    levels[i - left_out] = (struct ppi_effective){
      .bytes = i + 1 < found ? capacity(&shape, &plateaus[i], &plateaus[i + 1]) : 0,
      .latency_s = plateaus[i].latency_s,
      .bandwidth_bytes_per_s = plateau_bandwidth(&shape, &plateaus[i]),
    };
  if (found - left_out > 1) {
    struct ppi_effective *last = &levels[found - left_out - 2];
    const int64_t streams = stream_bytes(curve, last);
    last->bytes = streams > last->bytes ? streams : last->bytes;
  }
  return found - left_out;
}
