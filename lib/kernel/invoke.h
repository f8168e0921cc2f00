/* SPDX-License-Identifier: BSD-3-Clause */
/* Calling a kernel: the argument words are laid out once, the timed part is one call through one cast per return type. */
#ifndef PPI_KERNEL_INVOKE_H
#define PPI_KERNEL_INVOKE_H

#include "kernel/kernel.h"

#define PPI_WORDS_MAX (2 * PPI_ARG_MAX)

struct ppi_frame {
  const struct perfpred_kernel *kernel;
  perfpred_fortran_fn *function;
  bool ilp64;
  char flags[PPI_ARG_MAX];
  int32_t narrow[PPI_ARG_MAX];
  int64_t wide[PPI_ARG_MAX];
  double scalars[2 * PPI_ARG_MAX]; /* space for the scalars, in the type of the kernel */
  void *words[PPI_WORDS_MAX];
  int word_count;
};

/* data[i] is the address of data or work argument i (ignored for the others); leading dimensions and increments come from
   values. The frame must not move afterwards. function NULL: the kernel's own binding; PERFPRED_UNSUPPORTED when that has none,
   PERFPRED_OVERFLOW when a size does not fit the library's integers. */
enum perfpred_status ppi_frame_fill(struct ppi_frame *frame, const struct perfpred_kernel *kernel,
                                    perfpred_fortran_fn *function, bool ilp64, const struct ppi_value *values,
                                    void *const *data, struct perfpred_error *error);
void ppi_frame_call(struct ppi_frame *frame);
/* After the call: INFO, or the result of a free-form kernel; 0 when the kernel has none. */
int64_t ppi_frame_info(const struct ppi_frame *frame);
/* A frame that calls a routine that does nothing with as many words: to measure what a call costs. */
void ppi_frame_empty(const struct ppi_frame *frame, struct ppi_frame *empty);

#endif
