/* SPDX-License-Identifier: BSD-3-Clause */
#include "cache/weight.h"

#include <math.h>
#include <string.h>

#define ROUNDING 1e-12 /* of shares that add up to 1 */

double ppi_weight_distance(const struct perfpred_cache_options *options, const struct ppi_part *part, int64_t total) {
  if (part->access == 0)
    return options->first == PERFPRED_CACHE_TOTAL ? (double)total : (double)INFINITY;
  return options->distance == PERFPRED_CACHE_SUMS ? (double)part->sum : (double)ppi_part_depth(part);
}

/* The lines of an access lie between `after` and its depth: those that are not deeper than the cache is large are in it. */
static double share_of(const struct ppi_part *part, int64_t capacity) {
  const double held = (double)(capacity - part->after) / (double)part->own;
  return held <= 0.0 ? 0.0 : held >= 1.0 ? 1.0 : held;
}

double ppi_weight_inside(const struct perfpred_cache_options *options, const struct ppi_part *part, int64_t total,
                         int64_t capacity) {
  const double distance = ppi_weight_distance(options, part, total);
  if (!isfinite(distance))
    return 0.0;
  if (options->mode == PERFPRED_CACHE_SHARED && part->access > 0 && options->distance == PERFPRED_CACHE_LINES)
    return share_of(part, capacity);
  if (options->mode != PERFPRED_CACHE_SMOOTHED)
    return distance <= (double)capacity ? 1.0 : 0.0;
  const double relative = (distance - (double)capacity) / (double)capacity;
  return (1.0 - tanh((relative < 0.0 ? options->alpha : options->beta) * relative)) / 2.0;
}

void ppi_weight_add(const struct perfpred_cache_options *options, const struct ppi_part *part, int64_t total,
                    double lines[PPI_CACHE_PLACES]) {
  double nearer = 0.0;
  for (size_t level = 0; level < options->level_count; level++) {
    const double inside = ppi_weight_inside(options, part, total, options->level_bytes[level] / options->line_bytes);
    lines[level] += (inside - nearer) * (double)part->lines;
    nearer = inside;
  }
  lines[options->level_count] += (1.0 - nearer) * (double)part->lines;
}

double ppi_weight_time(const struct perfpred_cache_options *options, const double shares[PPI_CACHE_PLACES],
                       const double times_s[PPI_CACHE_PLACES], double warm_s) {
  double time_s = 0.0, left = 1.0;
  for (size_t place = 0; place <= options->level_count; place++)
    if (shares[place] > 0.0) {
      time_s += options->weights[place] * shares[place] * times_s[place];
      left -= options->weights[place] * shares[place];
    }
  return left > ROUNDING ? time_s + left * warm_s : time_s;
}

bool ppi_weight_is_warm(const struct perfpred_cache_options *options, const char *kernel) {
  const size_t length = strlen(kernel);
  for (const char *at = options->warm_kernels; *at != '\0';) {
    const size_t word = strcspn(at, ",");
    if (word == length && memcmp(at, kernel, length) == 0)
      return true;
    at += word + (at[word] == ',');
  }
  return false;
}
