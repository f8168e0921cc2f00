/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of Apex-MAP for each instruction set. */
#ifndef PPI_MEASURE_APEX_KERNEL_H
#define PPI_MEASURE_APEX_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

/* What compute multiplies; compilers must not know the values. */
struct ppi_apex_operands {
  double x[8], y[8];
  double zero[8]; /* where the sums of compute start */
  double c0;      /* factor of the elements of data */
};
#define PPI_APEX_OPERANDS                                                                                              \
  { { 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0 }, { 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0 }, { 0.0 }, 0.5 }

/* A thread's share of a repetition. */
struct ppi_apex_slice {
  const double *data;
  const int64_t *index; /* random: starts of the blocks */
  int64_t begin, end;   /* strided: iterations; random: blocks */
  int64_t step;         /* strided: the stride; random: elements of a block */
  int64_t c;
  int64_t every; /* compute is called beside each so-manieth element of a repetition; 0 and 1: beside each */
  const struct ppi_apex_operands *operands;
};

struct ppi_apex_set {
  const char *instruction_set; /* as in machine/peak.h */
  double (*strided)(const struct ppi_apex_slice *slice);
  double (*random)(const struct ppi_apex_slice *slice);
  double (*compute)(const struct ppi_apex_operands *operands, int64_t c); /* c >= 1; flops: 128 c + 7 */
};

/* From widest to narrowest; the last one runs everywhere. */
extern const struct ppi_apex_set ppi_apex_sets[];
extern const int ppi_apex_set_count;

/* By name; "": the widest one that this machine runs. NULL: there is none of that name, or this machine does not run it. */
const struct ppi_apex_set *ppi_apex_set_find(const char *name);

#endif
