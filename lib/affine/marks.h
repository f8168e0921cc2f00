/* SPDX-License-Identifier: BSD-3-Clause */
/* The LRU stack of a trace of line numbers, with a mark at the size of each of a few caches. Which caches a line has fallen out of is known
   without its distance: it is counted as the marks move past it. A touch takes a few steps, whatever the distance. */
#ifndef PPI_AFFINE_MARKS_H
#define PPI_AFFINE_MARKS_H

#include "base/error.h"

#define PPI_MARKS_MAX 16 /* caches; with more of them, distances are cheaper (base/stack_distance.h) */

struct ppi_marks;

/* lines: of the caches, smallest first, each >= 1. limit_bytes: most memory that it may take; 0: no limit. Release with
   ppi_marks_destroy. */
enum perfpred_status ppi_marks_create(const uint64_t *lines, size_t levels, uint64_t limit_bytes,
                                      struct ppi_marks **marks, struct perfpred_error *error);
/* Touches a line. *missed: so many of the smallest caches miss; levels + 1: a first touch. On failure (PERFPRED_NO_MEMORY,
   PERFPRED_LIMIT) nothing was touched. No texts. */
enum perfpred_status ppi_marks_touch(struct ppi_marks *marks, uint64_t line, uint32_t *missed);
uint64_t ppi_marks_lines(const struct ppi_marks *marks); /* different lines so far */
void ppi_marks_destroy(struct ppi_marks *marks);         /* NULL is fine */

#endif
