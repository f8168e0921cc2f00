/* SPDX-License-Identifier: BSD-3-Clause */
#include "apex/traffic.h"

#include <math.h>
#include <stdlib.h>

#define ELEMENT_BYTES 8.0
#define EXACT_LINES 16384 /* so many lines are added up one by one */
#define FIRST_LINES 4096  /* of more lines the first ones, those behind them in bands */
#define BAND 128.0        /* a band is so many times shorter than the lines in front of it */
#define STEPS_MAX 200

/* Lines that are touched alike: how many, and how often one of them is by a block. */
struct band {
  double lines, rate;
};

/* The lines of a run's blocks. Sums over them are taken several times, so they are listed once. */
struct profile {
  struct band *bands;
  size_t count;
};

/* Blocks and lines do not begin together unless one is a multiple of the other: then some lines belong to one block more. */
struct weave {
  double line;        /* elements */
  int64_t few;        /* blocks that a line belongs to at least */
  double share;       /* of the lines that belong to one more */
  double mean;        /* blocks of a line */
  double block_lines; /* lines of a block on average */
};

static int64_t common_divisor(int64_t a, int64_t b) {
  while (b != 0) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

static struct weave weave_of(const struct ppi_apex_run *run, const struct ppi_apex_cache *cache) {
  const int64_t line = (int64_t)(cache->line_bytes / ELEMENT_BYTES);
  const double length = (double)run->l;
  struct weave weave = { .line = (double)line };
  weave.block_lines = (length + (double)(line - common_divisor(run->l, line))) / (double)line;
  weave.mean = weave.block_lines * (double)line / length;
  weave.few = (int64_t)(weave.mean + 1e-9);
  weave.share = weave.mean - (double)weave.few;
  return weave;
}

/* Share of the blocks' starts below a place: the distribution function x^alpha. */
static double below(const struct ppi_apex_run *run, double block) {
  double x = block / (double)ppi_apex_blocks(run);
  return x >= 1.0 ? 1.0 : x <= 0.0 ? 0.0 : pow(x, run->alpha);
}

/* How often a block touches the line of this number. */
static double rate_of(const struct ppi_apex_run *run, int64_t number, int64_t line) {
  int64_t first = number * line - run->l + 1; /* the first element of a block that reaches the line */
  int64_t lowest = first > 0 ? (first + run->l - 1) / run->l : 0;
  int64_t highest = (number * line + line - 1) / run->l;
  return below(run, (double)highest + 1.0) - below(run, (double)lowest);
}

static void add_bands(const struct ppi_apex_run *run, const struct weave *weave, double begin, double end,
                      struct profile *profile) {
  const double blocks_per_line = weave->line / (double)run->l;
  double density =
      (below(run, end * blocks_per_line) - below(run, begin * blocks_per_line)) / ((end - begin) * blocks_per_line);
  double few = (1.0 - weave->share) * (end - begin), more = weave->share * (end - begin);
  profile->bands[profile->count++] = (struct band){ few, (double)weave->few * density };
  if (more > 0.0)
    profile->bands[profile->count++] = (struct band){ more, (double)(weave->few + 1) * density };
}

/* false: no memory. */
static bool list_bands(const struct ppi_apex_run *run, const struct weave *weave, double lines,
                       struct profile *profile) {
  const double exact = lines <= EXACT_LINES ? lines : FIRST_LINES;
  size_t most = (size_t)exact + 2;
  if (lines > exact)
    most += 2 * (size_t)(log(lines / exact) / log1p(1.0 / BAND) + 2.0);
  profile->count = 0;
  profile->bands = malloc(most * sizeof *profile->bands);
  if (profile->bands == NULL)
    return false;
  for (int64_t number = 0; (double)number < exact; number++)
    profile->bands[profile->count++] = (struct band){ 1.0, rate_of(run, number, (int64_t)weave->line) };
  for (double begin = exact; begin < lines;) {
    double end = fmin(begin + begin / BAND, lines);
    add_bands(run, weave, begin, end, profile);
    begin = end;
  }
  return true;
}

/* Lines that are touched at least once while `time` blocks are, and how many of the next block's were not. */
static double filled(const struct profile *profile, double time, double *slope) {
  double sum = 0.0, missed = 0.0;
  for (size_t i = 0; i < profile->count; i++) {
    const struct band *band = &profile->bands[i];
    double touched = -expm1(-band->rate * time);
    sum += band->lines * touched;
    missed += band->lines * band->rate * (1.0 - touched);
  }
  *slope = missed;
  return sum;
}

/* Lines of a block that are not in a cache of so many. What is filled grows ever more slowly with time, so Newton's method comes from below and
   never goes too far. */
static double missed(const struct profile *profile, double capacity, double block_lines) {
  double time = capacity / block_lines, slope = block_lines;
  for (int i = 0; i < STEPS_MAX; i++) {
    double step = (capacity - filled(profile, time, &slope)) / slope;
    if (!(step > 1e-10 * time))
      break;
    time += step;
  }
  return slope;
}

/* Of a block: lines that it touches, and lines of these that are not in the cache. */
struct block {
  double touched, missed;
};

/* Where blocks are drawn from more lines than fit. */
static enum perfpred_status draw(const struct ppi_apex_run *run, const struct weave *weave, double lines,
                                 double capacity, struct block *block, struct perfpred_error *error) {
  struct profile profile;
  if (!list_bands(run, weave, lines, &profile))
    return ppi_error_memory(error);
  block->touched = 0.0;
  for (size_t i = 0; i < profile.count; i++)
    block->touched += profile.bands[i].lines * profile.bands[i].rate;
  block->missed = fmin(missed(&profile, capacity, block->touched), block->touched);
  free(profile.bands);
  return PERFPRED_OK;
}

static enum perfpred_status block_of(const struct ppi_apex_run *run, const struct ppi_apex_cache *cache,
                                     struct block *block, struct perfpred_error *error) {
  struct weave weave = weave_of(run, cache);
  double capacity = cache->bytes / cache->line_bytes;
  double elements = run->alpha > 0.0 ? (double)ppi_apex_blocks(run) * (double)run->l : (double)run->l;
  double lines = ceil(elements / weave.line);
  bool fits = lines <= capacity;
  *block = (struct block){ weave.block_lines, fits ? 0.0 : weave.block_lines };
  if (fits || run->alpha <= 0.0 || capacity < 1.0)
    return PERFPRED_OK; /* a single block that does not fit is gone before it comes again */
  return draw(run, &weave, lines, capacity, block, error);
}

/* From one end to the other again and again: what does not fit is gone before it comes again. */
static struct block element_of(const struct ppi_apex_run *run, const struct ppi_apex_cache *cache) {
  double touched = fmin((double)run->s * ELEMENT_BYTES / cache->line_bytes, 1.0);
  bool fits = touched * (double)ppi_apex_iterations(run) * cache->line_bytes <= cache->bytes;
  return (struct block){ touched, fits ? 0.0 : touched };
}

/* Of a block, or of an element where there are none; *count: how many of them. */
static enum perfpred_status part_of(const struct ppi_apex_run *run, const struct ppi_apex_cache *cache,
                                    struct block *block, double *count, struct perfpred_error *error) {
  *count = (double)(run->kind == PPI_APEX_RANDOM ? run->i : ppi_apex_iterations(run));
  if (run->kind == PPI_APEX_RANDOM)
    return block_of(run, cache, block, error);
  *block = element_of(run, cache);
  return PERFPRED_OK;
}

enum perfpred_status ppi_apex_miss_ratio(const struct ppi_apex_run *run, const struct ppi_apex_cache *cache,
                                         double *ratio, struct perfpred_error *error) {
  struct block block;
  double count;
  enum perfpred_status status = part_of(run, cache, &block, &count, error);
  if (status == PERFPRED_OK)
    *ratio = block.missed / block.touched;
  return status;
}

enum perfpred_status ppi_apex_traffic(const struct ppi_apex_run *run, const struct ppi_apex_cache *cache, double *bytes,
                                      struct perfpred_error *error) {
  struct block block;
  double count;
  enum perfpred_status status = part_of(run, cache, &block, &count, error);
  if (status == PERFPRED_OK)
    *bytes = count * block.missed * cache->line_bytes;
  return status;
}
