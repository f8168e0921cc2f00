/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses so far: sets of lines that are touched at once. For a region it tells by which accesses its lines were touched last, and how
   much was touched since. */
#ifndef PPI_CACHE_ACCESSES_H
#define PPI_CACHE_ACCESSES_H

#include "base/error.h"
#include "cache/owners.h"
#include "cache/region.h"

/* One access. */
struct ppi_past {
  uint64_t step;
  int64_t own;    /* lines that it touched last of all */
  int64_t before; /* sizes of all accesses before it, lines: what several operands share counts for each */
};

struct ppi_accesses {
  int shift; /* a line is 2^shift bytes */
  struct ppi_owners owners;
  struct ppi_past *past;  /* [0] is nobody's */
  int64_t *tree;          /* Fenwick tree over own, from 1 */
  size_t count, capacity; /* of past */
  int64_t sum;            /* sizes of all accesses */
  int64_t known;          /* different lines touched so far */
  struct ppi_owner_tally tally;
};

/* Part of a region: lines that one access touched last. An LRU cache finds the lines between `after` (the last one that it touched) and
   after + own (the first one) lines deep. */
struct ppi_part {
  int64_t lines;
  uint32_t access; /* 0: it was never touched */
  uint64_t step;   /* of that access, counted as calls are; 0: none, or of the execution before */
  int64_t after;   /* different lines touched since */
  int64_t own;     /* lines that it touched last of all, be they of the region or not */
  int64_t sum;     /* sizes of the accesses back to and including it */
};
/* Depth of the deepest line of that access: all that was touched since then and by it. */
static inline int64_t ppi_part_depth(const struct ppi_part *part) {
  return part->after + part->own;
}

struct ppi_parts {
  struct ppi_part *items;
  size_t count, capacity;
};

/* lines: of all memory. On failure nothing is left to free. */
enum perfpred_status ppi_accesses_begin(struct ppi_accesses *accesses, int64_t lines, int shift,
                                        struct perfpred_error *error);
void ppi_accesses_end(struct ppi_accesses *accesses); /* twice is fine */
/* Appends the parts of a region, the one touched last first and the one never touched last. */
enum perfpred_status ppi_accesses_find(struct ppi_accesses *accesses, const struct ppi_region *region,
                                       struct ppi_parts *parts, struct perfpred_error *error);
/* One access of all these regions. lines: the size of each. */
enum perfpred_status ppi_accesses_add(struct ppi_accesses *accesses, uint64_t step, const struct ppi_region *regions,
                                      const int64_t *lines, int count, struct perfpred_error *error);

#endif
