/* SPDX-License-Identifier: BSD-3-Clause */
/* Boxes of one kernel and case become one domain where that costs little: a domain that covers much more than what is called takes
   long to sample and is harder to fit. */
#include <string.h>

#include "api/derive.h"

#define GRAIN 8
#define NEAR 16          /* boxes whose bounds differ by no more count as one */
#define VOLUME_RATIO 1.3 /* of the hull to what both boxes cover */

static int64_t larger(int64_t a, int64_t b) {
  return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static bool same_case(const struct ppi_target *a, const struct ppi_target *b) {
  char first[PPI_CASE_MAX], second[PPI_CASE_MAX];
  if (a->kernel != b->kernel)
    return false;
  ppi_case_format(a->kernel, a->values, first);
  ppi_case_format(b->kernel, b->values, second);
  return strcmp(first, second) == 0;
}

/* Points per dimension rather than length, so that a size that never changes counts as one. */
static double points(int64_t lower, int64_t upper) {
  return upper < lower ? 0.0 : ((double)upper - (double)lower) / GRAIN + 1.0;
}

static bool worth_merging(const struct ppi_target *a, const struct ppi_target *b) {
  double first = 1.0, second = 1.0, common = 1.0, hull = 1.0;
  bool near = true;
  for (int d = 0; d < a->kernel->size_count; d++) {
    first *= points(a->lower[d], a->upper[d]);
    second *= points(b->lower[d], b->upper[d]);
    common *= points(larger(a->lower[d], b->lower[d]), smaller(a->upper[d], b->upper[d]));
    hull *= points(smaller(a->lower[d], b->lower[d]), larger(a->upper[d], b->upper[d]));
    near = near && larger(a->lower[d], b->lower[d]) - smaller(a->lower[d], b->lower[d]) <= NEAR &&
           larger(a->upper[d], b->upper[d]) - smaller(a->upper[d], b->upper[d]) <= NEAR;
  }
  /* A box inside the other makes the hull the larger of them: a ratio of 1. */
  return near || hull <= VOLUME_RATIO * (first + second - common);
}

static void grow(struct ppi_target *into, const struct ppi_target *other) {
  for (int d = 0; d < into->kernel->size_count; d++) {
    into->lower[d] = smaller(into->lower[d], other->lower[d]);
    into->upper[d] = larger(into->upper[d], other->upper[d]);
  }
}

/* Merges the first pair that is worth it; false: there is none. */
static bool merge_one(struct ppi_target *targets, size_t *count) {
  for (size_t i = 0; i < *count; i++) {
    for (size_t j = i + 1; j < *count; j++) {
      if (!same_case(&targets[i], &targets[j]) || !worth_merging(&targets[i], &targets[j]))
        continue;
      grow(&targets[i], &targets[j]);
      memmove(&targets[j], &targets[j + 1], (*count - j - 1) * sizeof *targets);
      --*count;
      return true;
    }
  }
  return false;
}

size_t ppi_merge_targets(struct ppi_target *targets, size_t count) {
  while (merge_one(targets, &count))
    continue;
  return count;
}
