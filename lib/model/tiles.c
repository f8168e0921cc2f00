/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels that work on tiles (BLIS: MR x NR) make run times a saw of the sizes, with teeth that no polynomial of the sizes follows but by
   ever smaller boxes. A polynomial of the padded sizes does. Which tiles there are is seen in what a fit leaves: candidates are added to
   it as one more column each, the best ones then tried for true. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/adaptive.h"

#define TILE_LAST 64
#define TRIED 4       /* candidates of one dimension that are tried */
#define EVIDENCE 12.0 /* what a column takes off the sum of squares, in units of what is left per point */
#define GAIN 0.75 /* padding has to leave less of the sum of squares; a jump looks a little like the tooth of a saw */
#define CAP 4.0   /* times the median error: larger ones come from elsewhere */
#define POINTS_LEAST 12 /* fewer samples show nothing */
#define POINTS_MOST 600 /* more show nothing new */
#define MORE(count) ((count) + (count) / 4)

static const double paddings[] = { 1.0, 0.75, 0.5, 0.25 };
enum { PADDINGS = sizeof paddings / sizeof paddings[0] };

struct look {
  struct ppi_chain chain;
  struct ppi_sampled *data;
  const struct ppi_growth *growth;
  int *index, count;
  double *errors, *column, *scratch; /* of a fit; of a candidate */
  double cap;                        /* errors beyond it say no more than that */
  double sum;                        /* of squares, capped */
  struct ppi_chain_fit fit;
};

struct candidate {
  int64_t tile;
  double taken; /* off the sum of squares */
};

static void look_release(struct look *look) {
  free(look->scratch);
  free(look->column);
  free(look->errors);
  free(look->index);
  ppi_chain_release(&look->chain);
}

static enum perfpred_status look_init(struct look *look, const struct ppi_growth *growth, const struct ppi_terms *terms,
                                      struct ppi_sampled *data, struct perfpred_error *error) {
  int stride = 1 + (data->count - 1) / POINTS_MOST;
  enum perfpred_status status = ppi_chain_init(&look->chain, terms, data, error);

  if (status)
    return status;
  look->data = data;
  look->growth = growth;
  look->index = malloc((size_t)data->count * sizeof *look->index);
  look->errors = malloc((size_t)data->count * sizeof *look->errors);
  look->column = malloc((size_t)data->count * sizeof *look->column);
  look->scratch = malloc((size_t)data->count * sizeof *look->scratch);
  if (!look->index || !look->errors || !look->column || !look->scratch)
    return ppi_error_memory(error);
  for (int i = 0; i < data->count; i += stride)
    look->index[look->count++] = i;
  return PERFPRED_OK;
}

/* Fits all samples at once, padded as the data says. */
static void refit(struct look *look) {
  ppi_sampled_pad(look->data);
  ppi_chain_run(&look->chain, look->growth->target->lower, look->growth->target->upper, look->index, look->count,
                &look->fit, look->errors, NULL);
  look->sum = 0.0;
  for (int i = 0; i < look->count; i++) {
    double error = look->errors[i] = fmax(-look->cap, fmin(look->errors[i], look->cap));

    look->sum += error * error;
  }
}

static double median_error(struct look *look) {
  for (int i = 0; i < look->count; i++)
    look->scratch[i] = fabs(look->errors[i]);
  return ppi_stats_percentile(look->scratch, (size_t)look->count, 0.5);
}

/* How much of the sum of squares a column would take that grows with what sticks out of the tiles, relative to the size. */
static double taken_by(struct look *look, int d, int64_t tile) {
  const struct ppi_sampled *data = look->data;
  const double *columns = look->chain.columns;
  double squares = 0.0, product = 0.0;

  for (int i = 0; i < look->count; i++) {
    int64_t size = data->sizes[(size_t)look->index[i] * (size_t)data->dimensions + (size_t)d];

    look->column[i] = size % tile ? (double)(tile - size % tile) / (double)size : 0.0;
  }
  for (int k = 0; k < look->fit.used; k++) {
    const double *q = columns + (size_t)k * (size_t)look->count;
    double share = 0.0;

    for (int i = 0; i < look->count; i++)
      share += q[i] * look->column[i];
    for (int i = 0; i < look->count; i++)
      look->column[i] -= share * q[i];
  }
  for (int i = 0; i < look->count; i++) {
    squares += look->column[i] * look->column[i];
    product += look->column[i] * look->errors[i];
  }
  return squares > 1e-12 && product > 0.0 ? product * product / squares : 0.0;
}

static void insert(struct candidate best[TRIED], struct candidate candidate) {
  for (int i = 0; i < TRIED; i++)
    if (candidate.taken > best[i].taken) {
      struct candidate next = best[i];

      best[i] = candidate;
      candidate = next;
    }
}

/* Finds the tile of one dimension, the others as they are; whether it changed. */
static bool find(struct look *look, int d) {
  struct ppi_tiles *tiles = &look->data->tiles, best;
  struct candidate candidates[TRIED] = { { 0, 0.0 } };
  int64_t before = tiles->tile[d];
  double least;

  tiles->tile[d] = 0;
  refit(look);
  least = look->sum * GAIN;
  best = *tiles;
  for (int64_t tile = 2; tile <= TILE_LAST; tile++) {
    struct candidate candidate = { tile, taken_by(look, d, tile) };

    if (candidate.taken > EVIDENCE * look->sum / look->count)
      insert(candidates, candidate);
  }
  for (int i = 0; i < TRIED && candidates[i].tile > 0; i++)
    for (int k = 0; k < PADDINGS; k++) {
      tiles->tile[d] = candidates[i].tile;
      tiles->padding[d] = paddings[k];
      refit(look);
      if (look->sum < least) {
        least = look->sum;
        best = *tiles;
      }
    }
  *tiles = best;
  return best.tile[d] != before;
}

static void find_all(struct look *look) {
  bool changed = true;

  look->cap = INFINITY;
  refit(look);
  look->cap = CAP * median_error(look);
  for (int pass = 0; pass < 3 && changed; pass++) {
    changed = false;
    for (int d = 0; d < look->growth->dimensions; d++)
      changed = find(look, d) || changed;
  }
}

enum perfpred_status ppi_tiling_update(struct ppi_tiling *tiling, const struct ppi_growth *growth,
                                       const struct ppi_terms *terms, struct ppi_sampled *data,
                                       struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;

  data->tiles = tiling->tiles;
  if (data->count >= POINTS_LEAST && data->count >= MORE(tiling->count)) {
    struct look look = { .count = 0 };

    status = look_init(&look, growth, terms, data, error);
    if (!status) {
      find_all(&look);
      tiling->tiles = data->tiles;
      tiling->count = data->count;
    }
    look_release(&look);
  }
  ppi_sampled_pad(data);
  return status;
}
