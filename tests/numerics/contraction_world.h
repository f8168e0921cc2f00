/* SPDX-License-Identifier: BSD-3-Clause */
/* A contraction with its data, and what C has to be. Elements are small integers, so that results are exact in all types; C holds NaN
 * before, so that whatever reads it shows. */
#ifndef TESTS_NUMERICS_CONTRACTION_WORLD_H
#define TESTS_NUMERICS_CONTRACTION_WORLD_H

#include <complex.h>
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <math.h>
#include <perfpred/contraction.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "contract/einsum.h"
#include "program/registry.h"

static struct perfpred_context context;
static struct perfpred_error error;
static void *blas;

static void start(void) {
  blas = dlopen("libblas.so.3", RTLD_NOW | RTLD_LOCAL);
  cr_assert_not_null(blas, "%s", dlerror());
  ppi_error_clear(&error);
  cr_assert_eq(ppi_kernels_create(&context.kernels, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_eq(ppi_programs_create(context.kernels, &context.programs, &error), PERFPRED_OK, "%s", error.text);
}

static void stop(void) {
  ppi_programs_destroy(context.programs);
  ppi_kernels_destroy(context.kernels);
  dlclose(blas);
}

struct problem {
  struct ppi_contraction it;
  size_t bytes; /* of an element */
  char *tensor[PPI_OPERANDS];
  double _Complex *expected; /* of C; NaN between its elements */
};

static double _Complex get(const struct problem *problem, const char *at) {
  float s[2] = { 0 };
  double d[2] = { 0 };
  const enum ppi_type type = problem->it.type;
  const bool single = type == PPI_TYPE_S || type == PPI_TYPE_C;
  memcpy(single ? (void *)s : (void *)d, at, problem->bytes);
  return single ? (double)s[0] + (double)s[1] * (double _Complex)_Complex_I : d[0] + d[1] * (double _Complex)_Complex_I;
}

static void set(const struct problem *problem, char *at, double _Complex value) {
  const float s[2] = { (float)creal(value), (float)cimag(value) };
  const double d[2] = { creal(value), cimag(value) };
  const enum ppi_type type = problem->it.type;
  memcpy(at, type == PPI_TYPE_S || type == PPI_TYPE_C ? (const void *)s : (const void *)d, problem->bytes);
}

/* Integers from -4 to 4 from a fixed generator. */
static double draw(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return (double)((*state >> 16) % 9) - 4.0;
}

static void fill(struct problem *problem, int operand, uint32_t seed) {
  const int64_t elements = problem->it.tensor[operand].elements;
  /* some complex routines of OpenBLAS read a step behind the last element (doc/kernels.md) */
  problem->tensor[operand] = calloc(2 * (size_t)elements + 16, problem->bytes);
  for (int64_t i = 0; i < elements; i++) {
    const double re = draw(&seed), im = draw(&seed);
    set(problem, problem->tensor[operand] + (size_t)i * problem->bytes,
        re + (ppi_type_is_complex(problem->it.type) ? im : 0.0) * (double _Complex)_Complex_I);
  }
}

/* Adds the products of all combinations of the indices from `place` on. */
static void expect(struct problem *problem, int place, const int64_t at[PPI_OPERANDS]) {
  const struct ppi_index *index = &problem->it.index[place];
  if (place == problem->it.index_count) {
    const double _Complex a = get(problem, problem->tensor[0] + (size_t)at[0] * problem->bytes);
    const double _Complex b = get(problem, problem->tensor[1] + (size_t)at[1] * problem->bytes);
    problem->expected[at[2]] += a * b;
    return;
  }
  for (int64_t i = 0; i < index->extent; i++) {
    int64_t next[PPI_OPERANDS];
    for (int o = 0; o < PPI_OPERANDS; o++)
      next[o] = at[o] + i * index->stride[o];
    expect(problem, place + 1, next);
  }
}

/* C's elements become 0, whatever is summed up. */
static void begin(struct problem *problem, int dimension, int64_t at) {
  const struct ppi_tensor *tensor = &problem->it.tensor[2];
  if (dimension == tensor->rank) {
    problem->expected[at] = 0.0;
    return;
  }
  const struct ppi_index *index = &problem->it.index[tensor->dimension[dimension]];
  for (int64_t i = 0; i < index->extent; i++)
    begin(problem, dimension + 1, at + i * index->stride[2]);
}

static void solve(struct problem *problem) {
  const int64_t elements = problem->it.tensor[2].elements, zero[PPI_OPERANDS] = { 0 };
  problem->bytes = ppi_type_bytes(problem->it.type, false);
  fill(problem, 0, 1);
  fill(problem, 1, 2);
  fill(problem, 2, 3);
  problem->expected = calloc((size_t)elements + 1, sizeof *problem->expected);
  for (int64_t i = 0; i < elements; i++)
    problem->expected[i] = (double)NAN;
  begin(problem, 0, 0);
  expect(problem, 0, zero);
}

static void clear(struct problem *problem) {
  for (int o = 0; o < PPI_OPERANDS; o++)
    free(problem->tensor[o]);
  free(problem->expected);
}

static void spoil(struct problem *problem) {
  for (int64_t i = 0; i < problem->it.tensor[2].elements; i++)
    set(problem, problem->tensor[2] + (size_t)i * problem->bytes, (double)NAN);
}

static void compare(const struct problem *problem, const char *how, const char *name) {
  for (int64_t i = 0; i < problem->it.tensor[2].elements; i++) {
    const double _Complex found = get(problem, problem->tensor[2] + (size_t)i * problem->bytes);
    const double _Complex right = problem->expected[i];
    if (isnan(creal(right)))
      cr_assert(isnan(creal(found)), "%s, %s: what lies between elements of C was changed", how, name);
    else
      cr_assert(creal(found) == creal(right) && cimag(found) == cimag(right),
                "%s, %s: C[%lld] is %g %+gi, expected %g %+gi", how, name, (long long)i, creal(found), cimag(found),
                creal(right), cimag(right));
  }
}

/* Extents in the order of the letters' first appearance; strides may be NULL. */
static void make(struct problem *problem, const char *einsum, enum ppi_type type, const int64_t *extents,
                 const int64_t *const *strides) {
  char seen[PPI_INDEX_MAX + 1] = "", text[PPI_INDEX_MAX][2];
  const char *names[PPI_INDEX_MAX];
  struct ppi_contract_given given = { .type = type, .names = names, .extents = extents };
  for (const char *at = einsum; *at; at++)
    if (!strchr(",-> ", *at) && !strchr(seen, *at)) {
      seen[given.count] = *at;
      snprintf(text[given.count], sizeof text[0], "%c", *at);
      names[given.count] = text[given.count];
      given.count++;
    }
  for (int o = 0; o < PPI_OPERANDS && strides; o++)
    given.strides[o] = strides[o];
  memset(problem, 0, sizeof *problem);
  cr_assert_eq(ppi_contraction_read(einsum, &given, &problem->it, &error), PERFPRED_OK, "%s", error.text);
}

#endif
