/* SPDX-License-Identifier: BSD-3-Clause */
/* A record of the calls of BLAS and LAPACK in the order of their beginnings, one line each: how many noted calls it is inside of,
 * then name, flags, options, sizes and scalars as in the text form, without data: `1 dtrsm(R, L, T, N, 60, 20, 1)`.
 * Preloaded (LD_PRELOAD) into any program it appends to the file that PERFPRED_TRACE names. Not for several threads. */
#ifndef TESTS_TRACE_TRACE_H
#define TESTS_TRACE_TRACE_H

#include <complex.h>
#include <stddef.h>

struct trace_kernel {
  const char *name, *kinds; /* a letter per argument, see interpose.c */
};

/* Called by the routines that interpose.c prints. Returns the routine that is stood in for, found once. */
void *trace_enter(const struct trace_kernel *kernel, void *const args[], void **address);
void trace_leave(void);

/* What a driver gets from ILAENV: the block size (ISPEC 1) and the crossover point (ISPEC 3); negative: what the library says. */
void trace_tune(int block_size, int crossover);
/* Starts an empty record. */
void trace_start(void);
/* Ends it. The text lives until the next start. */
const char *trace_stop(void);

#endif
