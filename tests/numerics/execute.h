/* SPDX-License-Identifier: BSD-3-Clause */
/* Executes an algorithm of the catalogue, as measurements execute it, on data of the test's. The algorithm runs between kernels of
 * the test's, which put the data in its operands and take the results out. The data that measurements make themselves would not do:
 * they are the same along each diagonal, so that a block in the wrong place would not be noticed. */
#ifndef TESTS_NUMERICS_EXECUTE_H
#define TESTS_NUMERICS_EXECUTE_H

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <perfpred/context.h>
#include <perfpred/kernel.h>
#include <perfpred/program.h>
#include <perfpred/sampler.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "program/registry.h"
#include "program/walk.h"
#include "world.h"

#define OPERANDS 6

/* An operand, before and after: rows x columns, by columns, without gaps. Integers as real numbers. */
struct operand {
  int64_t rows, columns;
  double *before, *after;
};

static struct operand operands[OPERANDS];

/* The test's kernels; `when` is 1 before and 2 after the algorithm. They are called as LAPACK's, not with a pointer to data: those
   have integers of 64 bits, and then all operands of the program would. */
static void take(const struct operand *operand, int when, int64_t place, double *element) {
  if (when == 1)
    *element = operand->before[place];
  else
    operand->after[place] = *element;
}

static void take_matrix(const struct operand *operand, int when, int rows, int columns, double *a, int ld) {
  for (int64_t j = 0; j < columns; j++)
    for (int64_t i = 0; i < rows; i++)
      take(operand, when, i + j * rows, &a[i + j * ld]);
}

static void take_vector(const struct operand *operand, int when, int length, double *x) {
  for (int64_t i = 0; i < length; i++)
    take(operand, when, i, &x[i]);
}

static void take_integers(const struct operand *operand, int when, int length, int *x) {
  for (int64_t i = 0; i < length; i++) {
    double number = x[i];
    take(operand, when, i, &number);
    x[i] = (int)number;
  }
}

#define TAKE(K)                                                                                                        \
  static void matrix##K(const int *when, const int *m, const int *n, double *a, const int *ld) {                       \
    take_matrix(&operands[K], *when, *m, *n, a, *ld);                                                                  \
  }                                                                                                                    \
  static void vector##K(const int *when, const int *n, double *x) {                                                    \
    take_vector(&operands[K], *when, *n, x);                                                                           \
  }                                                                                                                    \
  static void integers##K(const int *when, const int *n, int *x) {                                                     \
    take_integers(&operands[K], *when, *n, x);                                                                         \
  }
#define TAKES(K) (perfpred_fortran_fn *)matrix##K, (perfpred_fortran_fn *)vector##K, (perfpred_fortran_fn *)integers##K
TAKE(0)
TAKE(1)
TAKE(2)
TAKE(3)
TAKE(4)
TAKE(5)

static void register_kernels(void) {
  static const char *const names[] = { "matrix%d", "vector%d", "integers%d" };
  static const char *const forms[] = { "m: size, n: size, a: inout matrix[m, n], lda", "n: size, x: inout vector[n]",
                                       "n: size, x: inout integer vector[n]" };
  static perfpred_fortran_fn *const functions[] = { TAKES(0), TAKES(1), TAKES(2), TAKES(3), TAKES(4), TAKES(5) };
  for (int i = 0; i < 3 * OPERANDS; i++) {
    char text[160], name[16];
    snprintf(name, sizeof name, names[i % 3], i / 3);
    int length = snprintf(text, sizeof text, "perfpred-text 1\nkernel %s(when: size, %s)\n  type double\nend\n", name,
                          forms[i % 3]);
    cr_assert_eq(ppi_programs_add_text(context.programs, context.kernels, text, (size_t)length, "test", &error),
                 PERFPRED_OK, "%s", error.text);
    cr_assert_eq(perfpred_kernel_bind(&context, name, functions[i], 0, &error), PERFPRED_OK, "%s", error.text);
  }
}

static void start(void) {
  lapack = dlopen("liblapack.so.3", RTLD_NOW | RTLD_GLOBAL);
  cr_assert_not_null(lapack, "%s", dlerror());
  create_context();
  bind_kernels();
  register_kernels();
  cr_assert_eq(perfpred_sampler_create_local(&context, NULL, &sampler, &error), PERFPRED_OK, "%s", error.text);
}

static void free_operands(void) {
  for (int k = 0; k < OPERANDS; k++) {
    free(operands[k].before);
    free(operands[k].after);
    operands[k] = (struct operand){ 0 };
  }
}

static void stop(void) {
  free_operands();
  perfpred_sampler_destroy(sampler);
  destroy_context();
  dlclose(lapack);
}

/* In [-1, 1), the same in every run. */
static inline double random_number(void) {
  static uint64_t state = 20260130;
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(state >> 11) * 0x1p-52 - 1.0;
}

/* What the shape and the property of an operand say: a triangle with a diagonal in [1, 2] and 0 in the other triangle, a positive
   definite matrix, anything. Off-diagonal elements are small enough for a small condition. */
static void fill(const struct ppi_buffer *buffer, struct operand *operand) {
  const int64_t n = operand->rows;
  const bool square = buffer->shape == PPI_SHAPE_TRIANGLE;
  for (int64_t j = 0; j < operand->columns; j++)
    for (int64_t i = 0; i < n; i++) {
      const double number = random_number();
      double *at = &operand->before[i + j * n];
      if (!square)
        *at = number;
      else if (i == j)
        *at = 1.5 + 0.5 * number;
      else if ((buffer->uplo == 'L') == (i > j))
        *at = number / (double)n;
      else
        *at = 0.0;
    }
}

static void (*special)(struct operand *operand); /* other data in place of these; NULL: none */

static void make_operands(const struct perfpred_program *program, const int64_t *parameters) {
  free_operands();
  for (int i = 0, k = 0; i < program->buffer_count; i++) {
    const struct ppi_buffer *buffer = &program->buffers[i];
    if (buffer->work)
      continue;
    struct operand *operand = &operands[k++];
    cr_assert_eq(ppi_buffer_extent(program, i, parameters, &operand->rows, &operand->columns, &error), PERFPRED_OK);
    const size_t count = (size_t)(operand->rows * operand->columns);
    operand->before = calloc(count + 1, sizeof(double));
    operand->after = calloc(count + 1, sizeof(double));
    cr_assert(operand->before != NULL && operand->after != NULL);
    for (size_t e = 0; e < count; e++)
      operand->after[e] = NAN;
    fill(buffer, operand);
    if (special != NULL)
      special(operand);
  }
}

/* "matrix0(1, 5, 7, A[0, 0])" */
static int print_take(char *text, size_t size, const struct ppi_buffer *buffer, int operand, int when) {
  const int64_t rows = operands[operand].rows, columns = operands[operand].columns;
  if (buffer->shape != PPI_SHAPE_VECTOR)
    return snprintf(text, size, "  matrix%d(%d, %" PRId64 ", %" PRId64 ", %s[0, 0])\n", operand, when, rows, columns,
                    buffer->name);
  return snprintf(text, size, "  %s%d(%d, %" PRId64 ", %s[0])\n", buffer->type == PPI_TYPE_INT ? "integers" : "vector",
                  operand, when, rows, buffer->name);
}

/* An algorithm without parameters: declarations, operands in, the call, operands out. */
static struct perfpred_program *wrap(const struct perfpred_program *program, const int64_t *parameters) {
  char text[4096];
  struct perfpred_program *wrapped = NULL;
  size_t length = (size_t)snprintf(text, sizeof text, "algorithm wrapped()\n");
#define ADD(...) length += (size_t)snprintf(text + length, sizeof text - length, __VA_ARGS__)
  for (int pass = 0; pass < 4; pass++) {
    if (pass == 2) {
      ADD("  call algorithm %s(", program->name);
      for (int i = 0; i < program->parameter_count; i++)
        ADD("%s%" PRId64, i > 0 ? ", " : "", parameters[i]);
    }
    for (int i = 0, k = 0; i < program->buffer_count; i++) {
      const struct ppi_buffer *buffer = &program->buffers[i];
      const bool vector = buffer->shape == PPI_SHAPE_VECTOR;
      if (buffer->work)
        continue;
      if (pass == 0 && vector)
        ADD("  inout %s: %s vector[%" PRId64 "]\n", buffer->name, buffer->type == PPI_TYPE_INT ? "integer" : "double",
            operands[k].rows);
      else if (pass == 0)
        ADD("  inout %s: double matrix[%" PRId64 ", %" PRId64 "]\n", buffer->name, operands[k].rows,
            operands[k].columns);
      else if (pass == 2)
        ADD(", %s%s", buffer->name, vector ? "[0]" : "[0, 0]");
      else
        length += (size_t)print_take(text + length, sizeof text - length, buffer, k, pass == 1 ? 1 : 2);
      k++;
    }
    if (pass == 2)
      ADD(")\n");
  }
  ADD("end\n");
#undef ADD
  cr_assert_lt(length, sizeof text);
  cr_assert_eq(perfpred_program_parse(&context, text, length, "wrapped", &wrapped, &error), PERFPRED_OK, "%s\n%s",
               error.text, text);
  return wrapped;
}

/* Afterwards the operands hold the data and the results. */
static void execute(const char *name, const int64_t *parameters) {
  struct perfpred_program *program = NULL;
  struct perfpred_measurement measurement = PERFPRED_MEASUREMENT_INIT;
  struct perfpred_measure_options options = PERFPRED_MEASURE_OPTIONS_INIT;
  options.repetitions = 1;
  options.gate = -1.0;
  cr_assert_eq(perfpred_program_find(&context, name, &program, &error), PERFPRED_OK, "%s", error.text);
  make_operands(program, parameters);
  struct perfpred_program *wrapped = wrap(program, parameters);
  cr_assert_eq(perfpred_measure(sampler, wrapped, NULL, 0, &options, &measurement, &error), PERFPRED_OK, "%s: %s", name,
               error.text);
  perfpred_program_unref(wrapped);
  perfpred_program_unref(program);
}

/* A copy of an operand's data, to be freed. */
static inline double *copy_of(const struct operand *operand) {
  const size_t count = (size_t)(operand->rows * operand->columns);
  double *copy = malloc((count + 1) * sizeof *copy);
  cr_assert_not_null(copy);
  memcpy(copy, operand->before, count * sizeof *copy);
  return copy;
}

/* Largest difference to what is expected, relative to its largest element (at least 1). Where `part` is L or U, in that triangle. */
static inline double difference(const struct operand *operand, const double *expected, char part) {
  double largest = 0.0, size = 1.0;
  for (int64_t j = 0; j < operand->columns; j++)
    for (int64_t i = 0; i < operand->rows; i++) {
      const int64_t k = i + j * operand->rows;
      if ((part == 'L' && i < j) || (part == 'U' && i > j))
        continue;
      const double gap = fabs(operand->after[k] - expected[k]);
      if (!(gap <= largest))
        largest = isnan(gap) ? INFINITY : gap;
      size = fmax(size, fabs(expected[k]));
    }
  return largest / size;
}

#define ROUTINE(type, name)                                                                                            \
  type name;                                                                                                           \
  *(void **)&name = dlsym(lapack, #name "_");                                                                          \
  cr_assert_not_null(name, "no " #name)

#endif
