/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs run once, on data made by the properties of their buffers. */
#ifndef TESTS_TRACE_EXECUTE_H
#define TESTS_TRACE_EXECUTE_H

#include <criterion/parameterized.h>

#include "base/context.h"
#include "program/walk.h"

/* A buffer of a program: rows x columns elements of `bytes` each, leading dimension ld. */
struct operand {
  const struct ppi_buffer *what; /* NULL: none of this number is there now */
  int64_t rows, columns, ld;
  size_t bytes;
  unsigned char *base;
};

struct operands {
  struct operand all[PPI_BUFFER_MAX * 8];
};

/* The catalogue, and drivers.algorithms with it. */
void create_context(struct perfpred_context *context);
void destroy_context(struct perfpred_context *context);
/* Every algorithm that has its routine in drivers.algorithms. Returns their number. */
struct name {
  char text[64];
};
#define NAMES_MAX 512
size_t names_of(const struct perfpred_context *context, struct name names[NAMES_MAX]);
/* An algorithm of the catalogue, and the call of the routine that it stands for; borrowed. */
const struct perfpred_program *algorithm(const struct perfpred_context *context, const char *name);
const struct perfpred_program *call_of(const struct perfpred_context *context, const char *name);

/* All of these names as the parameters of a test. */
struct criterion_test_params parameters_of_all(void);

/* Reference BLAS and LAPACK 3.11; skips the test where they are not installed. */
void open_lapack(void);

/* The program's own buffers, the same for programs with the same buffers; work buffers come and go while it runs. */
void make_operands(const struct perfpred_program *program, const int64_t *parameters, struct operands *operands);
void free_operands(struct operands *operands);
void run_program(const struct perfpred_program *program, const int64_t *parameters, struct operands *operands);
/* The pivot in element `place` of `count`, both from 0: `place` + 1, or something behind it. */
int64_t pivot_of(int64_t place, int64_t count);
/* One number of an element. */
double part_of(const struct operand *operand, int64_t row, int64_t column, int part);
int parts_of(const struct operand *operand);
bool is_stored(const struct operand *operand, int64_t row, int64_t column); /* in the triangle, if it is one */

/* The values of parameters that a case stands for: m and n, b, nx, k, by the names that the program has. */
struct sizes {
  int64_t m, n, b, nx, k;
};
void fill_parameters(const struct perfpred_program *program, const struct sizes *sizes, int64_t *parameters);
/* Sizes and block sizes for which all programs are tried: empty, small, shorter than a block, with and without a short last block,
   beyond the crossover point. For programs of m x n wide and tall ones. Where not all are wanted (thorough.h), the data types share
   them. Returns their number. */
int cases_of(const struct perfpred_program *program, struct sizes *sizes, int most);
/* ILAENV of the library about a routine: the block size (ISPEC 1), the crossover point (ISPEC 3) for large matrices. */
int ask_library(int question, const char *routine);
/* What ILAENV tells the routine: the block size, and nx if the program has it. */
void tune_routine(const struct perfpred_program *program, const struct sizes *sizes);

#endif
