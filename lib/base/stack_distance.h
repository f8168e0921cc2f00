/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact LRU stack distances of a trace of line numbers: how many different lines were touched since the last touch of this one.
   A cache of C lines that replaces the least recently used misses exactly where the distance is 0 (first touch) or more than C. */
#ifndef PPI_BASE_STACK_DISTANCE_H
#define PPI_BASE_STACK_DISTANCE_H

#include "base/error.h"

struct ppi_stack_distance;

/* limit_bytes: most memory that it may take; 0: no limit. Release with ppi_stack_distance_destroy. */
enum perfpred_status ppi_stack_distance_create(uint64_t limit_bytes, struct ppi_stack_distance **sim,
                                               struct perfpred_error *error);
/* Touches a line, any 64-bit number. *distance: the line itself counts, so the last touched line is at distance 1; 0: a first touch.
   On failure (PERFPRED_NO_MEMORY, PERFPRED_LIMIT) nothing was touched. No texts: most callers sit in a walk that knows better. */
enum perfpred_status ppi_stack_distance_access(struct ppi_stack_distance *sim, uint64_t line, uint64_t *distance);
uint64_t ppi_stack_distance_lines(const struct ppi_stack_distance *sim); /* different lines so far: first touches */
void ppi_stack_distance_clear(struct ppi_stack_distance *sim);           /* back to an empty cache; keeps the memory */
void ppi_stack_distance_destroy(struct ppi_stack_distance *sim);

#endif
