/* SPDX-License-Identifier: BSD-3-Clause */
/* libperfpred-record.so: preloaded, it notes what each call of BLAS and LAPACK from outside of them took, as samples that `perfpred apex
 * weights` reads: a line `SECONDS,"dgemm(N,N,500,500,500,1,0)"` in the file that PERFPRED_RECORD names, to which it appends. Routines whose
 * integers have 32 bits. It needs the C library alone. */
#ifndef PPI_RECORD_TRACE_H
#define PPI_RECORD_TRACE_H

#include <complex.h>
#include <stddef.h>

struct trace_kernel {
  const char *name, *kinds; /* a letter per argument, see interpose.c */
};

/* Called by the routines that interpose.c prints. Returns the routine that is stood in for, found once. */
__attribute__((visibility("hidden"))) void *trace_enter(const struct trace_kernel *kernel, void *const args[],
                                                        void **address);
__attribute__((visibility("hidden"))) void trace_leave(void);

#endif
