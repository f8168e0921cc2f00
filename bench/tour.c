/* SPDX-License-Identifier: BSD-3-Clause */
/* What an iteration of a tour costs beside its call: loops of calls of a routine that does nothing, on operands that all move, beside the same
   loops written by hand, and beside a ddot of 8 elements.
 *
 *   bench-tour */
#include "bench.h"
#include "kernel/registry.h"
#include "measure/core.h"
#include "measure/tour_walk.h"

#define OUTER 100
#define INNER 100

static double a[8 * INNER], b[8 * INNER * OUTER], c[OUTER];

static double nothing(const int *n, const double *x, const int *incx, const double *y, const int *incy) {
  (void)n, (void)x, (void)incx, (void)y, (void)incy;
  return 1.0;
}

static double dot(const int *n, const double *x, const int *incx, const double *y, const int *incy) {
  double sum = 0.0;
  (void)incx, (void)incy;
  for (int i = 0; i < *n; i++)
    sum += x[i] * y[i];
  return sum;
}

typedef double dot_fn(const int *n, const double *x, const int *incx, const double *y, const int *incy);
static dot_fn *volatile called;

static void by_hand(void *data) {
  const int n = 8, one = 1;
  dot_fn *function = called;
  (void)data;
  for (int i = 0; i < OUTER; i++)
    for (int j = 0; j < INNER; j++)
      c[i] += function(&n, a + 8 * j, &one, b + 8 * (INNER * i + j), &one);
}

static void by_tour(void *data) {
  struct ppi_tour_walk *walk = data;
  ppi_tour_walk_seek(walk, 0);
  ppi_tour_walk_run(walk, (int64_t)OUTER * INNER);
}

/* Both, in ns of an iteration. */
static void compare(const char *name, struct ppi_tour_walk *walk) {
  double ns[2][BENCH_BLOCKS];
  char text[100];
  for (int block = 0; block < BENCH_BLOCKS; block++)
    for (int way = 0; way < 2; way++) {
      const double begin = bench_now_s();
      for (int i = 0; i < 20; i++)
        (way ? by_tour : by_hand)(walk);
      ns[way][block] = 1e9 * (bench_now_s() - begin) / (20.0 * OUTER * INNER);
    }
  for (int way = 0; way < 2; way++) {
    snprintf(text, sizeof text, "%s, loops %s", name, way ? "of a tour" : "by hand");
    bench_print(text, ns[way], BENCH_BLOCKS);
  }
}

int main(void) {
  static struct ppi_tour_walk walk;
  static const struct ppi_value values[] = { { .i = 8 }, { .buffer = -1 }, { .i = 1 }, { .buffer = -1 }, { .i = 1 } };
  static const int64_t elements[] = { 8 * INNER, 8 * INNER * OUTER, OUTER };
  unsigned char *const tensors[] = { (unsigned char *)a, (unsigned char *)b, (unsigned char *)c };
  unsigned char *const packed[] = { NULL, NULL, NULL };
  struct ppi_kernels *kernels;
  struct perfpred_error error;
  struct ppi_tour tour = { .values = values,
                           .added = true,
                           .loop_count = 2,
                           .length = { OUTER, INNER },
                           .operands = { { .place = 1, .step = { 0, 8 }, .copy.loops = -1 },
                                         { .place = 3, .step = { 8 * INNER, 8 }, .copy.loops = -1 },
                                         { .place = -1, .step = { 1, 0 }, .copy.loops = -1 } } };
  bench_check(ppi_kernels_create(&kernels, &error), &error);
  tour.kernel = ppi_kernels_find(kernels, "ddot");
  dot_fn *const functions[] = { nothing, dot };
  for (int i = 0; i < 2; i++) {
    const struct ppi_tour_routines routines = { .call = (perfpred_fortran_fn *)functions[i] };
    called = functions[i];
    bench_check(ppi_tour_walk_make(&walk, &tour, &routines, tensors, packed, elements, &error), &error);
    compare(i ? "ddot of 8 elements" : "a call that does nothing", &walk);
  }
  ppi_kernels_destroy(kernels);
  return 0;
}
