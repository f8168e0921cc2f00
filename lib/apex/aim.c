/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs that aim at a rectangle. What a run takes is foretold from two that were measured: the walk over its data without computing, and computing
 * on data that stay in the caches. The ratio of flops to bytes is exact, since both are known beforehand. */
#include <math.h>
#include <stdlib.h>

#include "apex/design.h"

#define ALPHA_STEPS 30
#define CANDIDATES_C 3     /* iterations of compute that are tried around the fitting one */
#define NEIGHBOUR_FAR 1e9  /* no run that was measured is near */
#define TRIES_DISTANCE 3.0 /* in sides of the rectangle: what is foretold farther from its centre is not worth a run */

/* A walk without computing, and the bytes that an element of it brings in. */
struct walk {
  struct ppi_apex_run run;
  double bytes;
};

struct aim {
  const struct ppi_apex_plane *plane;
  const struct ppi_apex_cache *cache;
  const struct ppi_apex_point *points;
  size_t count;
  double clock_hz;
  int threads;
  struct walk *walks;
  size_t walk_count;
  double compute_cycles, call_cycles; /* of an iteration of compute; of a call, beside its iterations */
};

/* Cycles of a core for one element. */
static double cycles_of(const struct aim *aim, const struct ppi_apex_point *point) {
  return point->time_s * aim->clock_hz * aim->threads / (double)ppi_apex_iterations(&point->run);
}

/* From the runs whose data never leave the cache: a line through that of most iterations and that of one. */
static void learn_compute(struct aim *aim) {
  const struct ppi_apex_point *one = NULL, *most = NULL;
  for (size_t i = 0; i < aim->count; i++) {
    const struct ppi_apex_point *point = &aim->points[i];
    if (point->run.kind != PPI_APEX_RANDOM || point->run.alpha > 0.0 || point->run.c < 1)
      continue;
    if (one == NULL || point->run.c < one->run.c)
      one = point;
    if (most == NULL || point->run.c > most->run.c)
      most = point;
  }
  aim->compute_cycles = 8.0;
  aim->call_cycles = 16.0;
  if (most == NULL || most->run.c == one->run.c)
    return;
  aim->compute_cycles = (cycles_of(aim, most) - cycles_of(aim, one)) / (double)(most->run.c - one->run.c);
  aim->call_cycles = fmax(cycles_of(aim, one) - aim->compute_cycles * (double)one->run.c, 0.0);
}

static bool same_walk(const struct ppi_apex_run *a, const struct ppi_apex_run *b) {
  return a->kind == b->kind && a->m == b->m && (a->kind == PPI_APEX_STRIDED || a->l == b->l);
}

/* Cycles of the bare walk: between the two neighbours in alpha or in the stride. NaN: not known. */
static double walk_cycles(const struct aim *aim, const struct ppi_apex_run *run) {
  const bool strided = run->kind == PPI_APEX_STRIDED;
  const double at = strided ? (double)run->s : run->alpha;
  const struct ppi_apex_point *below = NULL, *above = NULL;
  double low = 0.0, high = 0.0;
  for (size_t i = 0; i < aim->count; i++) {
    const struct ppi_apex_point *point = &aim->points[i];
    double there = strided ? (double)point->run.s : point->run.alpha;
    if (point->run.c != 0 || !same_walk(run, &point->run))
      continue;
    if (there <= at && (below == NULL || there > low)) {
      below = point;
      low = there;
    }
    if (there >= at && (above == NULL || there < high)) {
      above = point;
      high = there;
    }
  }
  if (below == NULL || above == NULL)
    return (double)NAN;
  double share = high > low ? (at - low) / (high - low) : 0.0;
  return (1.0 - share) * cycles_of(aim, below) + share * cycles_of(aim, above);
}

static double plain_cycles(const struct aim *aim, const struct ppi_apex_run *run) {
  double walk = walk_cycles(aim, run);
  if (run->c == 0)
    return walk;
  return hypot(walk, aim->call_cycles + aim->compute_cycles * (double)run->c);
}

/* How wrong that was for the nearest run of the same walk. */
static double correction(const struct aim *aim, const struct ppi_apex_run *run) {
  double nearest = NEIGHBOUR_FAR, factor = 1.0;
  for (size_t i = 0; i < aim->count; i++) {
    const struct ppi_apex_point *point = &aim->points[i];
    if (!same_walk(run, &point->run) || (run->c > 0) != (point->run.c > 0))
      continue;
    double far = fabs(log2((double)run->c + 1.0) - log2((double)point->run.c + 1.0));
    far += run->kind == PPI_APEX_STRIDED ? fabs(log2((double)run->s / (double)point->run.s))
                                         : 4.0 * fabs(run->alpha - point->run.alpha);
    double foretold = far < nearest ? plain_cycles(aim, &point->run) : (double)NAN;
    if (foretold > 0.0) {
      nearest = far;
      factor = cycles_of(aim, point) / foretold;
    }
  }
  return factor;
}

static bool is_measured(const struct aim *aim, const struct ppi_apex_run *run) {
  for (size_t i = 0; i < aim->count; i++)
    if (ppi_apex_equal(&aim->points[i].run, run))
      return true;
  return false;
}

struct best {
  struct ppi_apex_run run;
  double distance;
};

/* One candidate. Corrections take long: they are looked up for what is near without them. */
static void consider(const struct aim *aim, const struct ppi_apex_cell *cell, const struct ppi_apex_run *run,
                     double bytes, struct best *best) {
  double flops = ppi_apex_flops(run) / (double)ppi_apex_iterations(run), cycles = plain_cycles(aim, run);
  if (!(cycles > 0.0) || !ppi_apex_affordable(run))
    return;
  for (int pass = 0; pass < 2; pass++) {
    double x = bytes / cycles / aim->plane->width - (double)cell->column - 0.5;
    double y = flops / cycles / aim->plane->height - (double)cell->row - 0.5;
    double distance = hypot(x, y);
    if (pass == 0 && distance < TRIES_DISTANCE + best->distance)
      cycles *= correction(aim, run);
    else if (pass == 0)
      return;
    else if (distance < best->distance && !is_measured(aim, run))
      *best = (struct best){ *run, distance };
  }
}

/* A walk with as much computing as the ratio of flops to bytes asks for, and without. */
static void consider_walk(const struct aim *aim, const struct ppi_apex_cell *cell, const struct walk *walk,
                          struct best *best) {
  struct ppi_apex_run run = walk->run;
  double ratio = ((double)cell->row + 0.5) * aim->plane->height / (((double)cell->column + 0.5) * aim->plane->width);
  double fitting = (ratio * walk->bytes - 10.0) / 128.0;
  consider(aim, cell, &run, walk->bytes, best);
  if (walk->bytes <= 0.0) /* any number of iterations has the same ratio: the first column takes them */
    fitting = cell->column == 0 ? 1.0 : 0.0;
  for (int64_t i = 0; i < CANDIDATES_C && fitting < (double)PPI_APEX_C_MAX; i++) {
    run.c = (int64_t)fitting + i;
    if (run.c >= 1)
      consider(aim, cell, &run, walk->bytes, best);
  }
}

static enum perfpred_status add_walk(struct aim *aim, const struct ppi_apex_run *run, struct perfpred_error *error) {
  double bytes = 0.0;
  enum perfpred_status status = ppi_apex_traffic(run, aim->cache, &bytes, error);
  if (status == PERFPRED_OK)
    aim->walks[aim->walk_count++] = (struct walk){ *run, bytes / (double)ppi_apex_iterations(run) };
  return status;
}

/* All walks that were measured without computing, and those between them. */
static enum perfpred_status list_walks(struct aim *aim, struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  aim->walks = malloc((aim->count * (ALPHA_STEPS + 1) + 1) * sizeof *aim->walks);
  if (aim->walks == NULL)
    return ppi_error_memory(error);
  for (size_t i = 0; i < aim->count && status == PERFPRED_OK; i++) {
    struct ppi_apex_run run = aim->points[i].run;
    if (run.c != 0 || (run.kind == PPI_APEX_RANDOM && run.alpha < 1.0))
      continue; /* of random ones all alphas are made from that of 1 */
    if (run.kind == PPI_APEX_STRIDED)
      status = add_walk(aim, &run, error);
    for (int k = 0; k <= ALPHA_STEPS && run.kind == PPI_APEX_RANDOM && status == PERFPRED_OK; k++) {
      run.alpha = (double)(k * k) / (ALPHA_STEPS * ALPHA_STEPS);
      status = add_walk(aim, &run, error);
    }
  }
  return status;
}

enum perfpred_status ppi_apex_aim(const struct ppi_apex_mix *mix, const struct ppi_apex_plane *plane,
                                  const struct ppi_apex_cache *cache, const struct ppi_apex_point *points, size_t count,
                                  const struct ppi_apex_choice *choices, double clock_hz, int threads,
                                  struct ppi_apex_run *runs, size_t most, size_t *made, struct perfpred_error *error) {
  struct aim aim = {
    .plane = plane, .cache = cache, .points = points, .count = count, .clock_hz = clock_hz, .threads = threads
  };
  size_t found = 0;
  enum perfpred_status status = list_walks(&aim, error);
  learn_compute(&aim);
  for (size_t i = 0; i < mix->count && found < most && status == PERFPRED_OK; i++) {
    struct best best = { .distance = INFINITY };
    if (choices[i].covered || !choices[i].kept)
      continue;
    for (size_t k = 0; k < aim.walk_count; k++)
      consider_walk(&aim, &mix->cells[i], &aim.walks[k], &best);
    if (best.distance <= TRIES_DISTANCE)
      runs[found++] = best.run;
  }
  free(aim.walks);
  if (status == PERFPRED_OK)
    *made = found;
  return status;
}
