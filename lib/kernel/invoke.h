/* SPDX-License-Identifier: BSD-3-Clause */
/* Calling a kernel: the argument words are laid out once, the timed part is one call through one cast per return type. */
#ifndef PPI_KERNEL_INVOKE_H
#define PPI_KERNEL_INVOKE_H

#include "kernel/kernel.h"

#define PPI_WORDS_MAX 32 /* addresses of all arguments and the hidden length of each flag */

/* What a kernel returned by value. */
union ppi_returned {
  int32_t narrow;
  int64_t wide;
  float real;
  double real8;
  float complex8[2];
  double complex16[2];
};

struct ppi_frame;
typedef void ppi_caller(struct ppi_frame *frame);

struct ppi_frame {
  ppi_caller *call; /* the cast for the kernel's return type */
  perfpred_fortran_fn *function;
  perfpred_kernel_fn *free_form; /* instead of function */
  void *free_form_data;
  void *words[PPI_WORDS_MAX];
  int word_count;
  union ppi_returned returned;
  const struct perfpred_kernel *kernel;
  bool ilp64;
  char flags[PPI_ARG_MAX];
  int32_t narrow[PPI_ARG_MAX];
  int64_t wide[PPI_ARG_MAX];
  double scalars[2 * PPI_ARG_MAX]; /* space for the scalars, in the type of the kernel */
};

/* data[i] is the address of data or work argument i (ignored for the others; NULL is fine where there are no elements). Leading
   dimensions and increments come from values; 0 stands for the smallest, max(1, rows) and 1. The frame must not move
   afterwards and the kernel must outlive it. function NULL: the kernel's own binding; PERFPRED_UNSUPPORTED when that has none,
   PERFPRED_OVERFLOW when a size does not fit the library's integers, PERFPRED_INVALID for a flag that the kernel does not list, a
   negative size, a leading dimension below the rows, sizes that break a demand. */
enum perfpred_status ppi_frame_fill(struct ppi_frame *frame, const struct perfpred_kernel *kernel,
                                    perfpred_fortran_fn *function, bool ilp64, const struct ppi_value *values,
                                    void *const *data, struct perfpred_error *error);
static inline void ppi_frame_call(struct ppi_frame *frame) {
  frame->call(frame);
}
/* After the call: INFO, or the result of a free-form kernel; 0 when the kernel has none. */
int64_t ppi_frame_info(const struct ppi_frame *frame);
/* A frame that calls a routine that does nothing with as many words: to measure what a call costs. It shares the words of
   `frame`, which must live as long. */
void ppi_frame_empty(const struct ppi_frame *frame, struct ppi_frame *empty);

#endif
