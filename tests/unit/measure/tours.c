/* SPDX-License-Identifier: BSD-3-Clause */
/* Tours: the order of calls and copies, where windows are, what is refused, numbers, times on a virtual clock, the way through a message. */
#include "measure/tour.h"

#include <math.h>
#include <stdlib.h>

#include "measure/core.h"
#include "measure/protocol.h"
#include "measure/random.h"
#include "measure/tour_walk.h"
#include "tour_world.h"
#include "world.h"

TestSuite(tours, .init = world_start, .fini = world_stop, .timeout = 60);

/* --- Order ----------------------------------------------------------------------------------------------------------- */

/* What a tour does, one after the other: a call with the places of its operands, or a copy. */
struct event {
  char kind; /* 'k' call, 'i' copy in, 'o' copy out */
  int64_t place[PPI_TOUR_OPERANDS];
};
#define EVENTS_MAX 20000
static struct event events[EVENTS_MAX], expected[EVENTS_MAX];
static int event_count, expected_count;
static double memory[4096], packed_memory[PPI_TOUR_OPERANDS];
static int64_t bases[PPI_TOUR_OPERANDS]; /* of tensors in memory */

static int64_t place_of(const double *at) {
  for (int o = 0; o < PPI_TOUR_OPERANDS; o++)
    if (at == &packed_memory[o])
      return -1 - o;
  return at - memory;
}

static void note_gemm(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                      const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
                      const double *beta, double *c, const int *ldc) {
  (void)transa, (void)transb, (void)m, (void)n, (void)k, (void)alpha, (void)lda, (void)ldb, (void)beta, (void)ldc;
  cr_assert_lt(event_count, EVENTS_MAX);
  events[event_count++] = (struct event){ 'k', { place_of(a), place_of(b), place_of(c) } };
}

static void note_copy(const int *n, const double *x, const int *incx, double *y, const int *incy) {
  (void)n, (void)incx, (void)incy;
  const int64_t from = place_of(x), to = place_of(y);
  cr_assert_lt(event_count, EVENTS_MAX);
  events[event_count++] =
      from < 0 ? (struct event){ 'o', { -1 - from, to, 0 } } : (struct event){ 'i', { -1 - to, from, 0 } };
}

static const struct ppi_tour_routines noted = { .call = (perfpred_fortran_fn *)note_gemm,
                                                .copy = (perfpred_fortran_fn *)note_copy };

static void expect_copies(const struct ppi_tour *tour, int level, const int64_t at[PPI_TOUR_OPERANDS], bool out) {
  for (int o = 0; o < PPI_TOUR_OPERANDS; o++)
    if (tour->operands[o].copy.loops == level && (out ? tour->operands[o].copy.out : tour->operands[o].copy.in))
      expected[expected_count++] = (struct event){ out ? 'o' : 'i', { o, at[o], 0 } };
}

/* The text of measure/tour.h, as a recursion. */
static void expect_from(const struct ppi_tour *tour, int level, const int64_t at[PPI_TOUR_OPERANDS]) {
  expect_copies(tour, level, at, false);
  if (level == tour->loop_count) {
    struct event *call = &expected[expected_count++];
    call->kind = 'k';
    for (int o = 0; o < PPI_TOUR_OPERANDS; o++)
      call->place[o] = tour->operands[o].copy.loops >= 0 ? -1 - o : at[o];
  } else
    for (int64_t i = 0; i < tour->length[level]; i++) {
      int64_t there[PPI_TOUR_OPERANDS];
      for (int o = 0; o < PPI_TOUR_OPERANDS; o++)
        there[o] = at[o] + i * tour->operands[o].step[level];
      expect_from(tour, level + 1, there);
    }
  expect_copies(tour, level, at, true);
}

static int64_t below(struct ppi_random *random, int64_t end) {
  return (int64_t)(ppi_random_next(random) % (uint64_t)end);
}

/* Loops of lengths 0 (seldom) to 4, steps, copies at levels inside of all that moves their operand. */
static void make_up(struct ppi_random *random, struct ppi_tour *tour) {
  *tour = (struct ppi_tour){ .kernel = ppi_kernels_find(context.kernels, "dgemm"),
                             .copier = ppi_kernels_find(context.kernels, "dcopy"),
                             .loop_count = (int)below(random, 5) };
  for (int l = 0; l < tour->loop_count; l++)
    tour->length[l] = below(random, 12) == 0 ? 0 : 1 + below(random, 4);
  for (int o = 0; o < PPI_TOUR_OPERANDS; o++) {
    struct ppi_tour_operand *operand = &tour->operands[o];
    int moved = 0;
    *operand = (struct ppi_tour_operand){ .place = o == 0   ? 6
                                                   : o == 1 ? 8
                                                            : 11,
                                          .start = below(random, 3),
                                          .extent = { 1, 1 },
                                          .copy.loops = -1 };
    for (int l = 0; l < tour->loop_count; l++) {
      operand->step[l] = below(random, 2) * below(random, 20);
      moved = operand->step[l] > 0 ? l + 1 : moved;
    }
    if (below(random, 2))
      operand->copy = (struct ppi_tour_copy){ .loops = moved + (int)below(random, tour->loop_count - moved + 1),
                                              .in = true,
                                              .out = below(random, 2) == 0,
                                              .length = 1,
                                              .inc = 1,
                                              .count = 1 };
  }
}

static const struct ppi_value one_by_one[16] = { { .i = 'N' },     { .i = 'N' },  { .i = 1 },       { .i = 1 },
                                                 { .i = 1 },       { .re = 1.0 }, { .buffer = -1 }, { .i = 1 },
                                                 { .buffer = -1 }, { .i = 1 },    { .re = 0.0 },    { .buffer = -1 },
                                                 { .i = 1 } };

static void make_walk(const struct ppi_tour *tour, struct ppi_tour_walk *walk) {
  static const int64_t elements[PPI_TOUR_OPERANDS] = { 1000, 1000, 1000 };
  unsigned char *tensors[PPI_TOUR_OPERANDS], *packed[PPI_TOUR_OPERANDS];
  for (int o = 0; o < PPI_TOUR_OPERANDS; o++) {
    bases[o] = 1000 * o;
    tensors[o] = (unsigned char *)&memory[bases[o]];
    packed[o] = (unsigned char *)&packed_memory[o];
  }
  cr_assert_eq(ppi_tour_walk_make(walk, tour, &noted, tensors, packed, elements, &error), PERFPRED_OK, "%s",
               error.text);
  event_count = expected_count = 0;
}

static void starts_of(const struct ppi_tour *tour, int64_t at[PPI_TOUR_OPERANDS]) {
  for (int o = 0; o < PPI_TOUR_OPERANDS; o++)
    at[o] = bases[o] + tour->operands[o].start;
}

/* Copies at one place are made in any order, those that go out: sorts neighbours of one kind by operand. */
static void sort_copies(struct event *list, int count) {
  for (int i = 1; i < count; i++)
    for (int k = i; k > 0 && list[k].kind == 'o' && list[k - 1].kind == 'o' && list[k].place[0] < list[k - 1].place[0];
         k--) {
      const struct event swapped = list[k];
      list[k] = list[k - 1];
      list[k - 1] = swapped;
    }
}

static bool same_event(const struct event *a, const struct event *b) {
  return a->kind == b->kind && memcmp(a->place, b->place, sizeof a->place) == 0;
}

static void compare_events(const struct event *list, int count, const struct event *other, int other_count,
                           const char *what) {
  cr_assert_eq(count, other_count, "%s: %d events, not %d", what, count, other_count);
  for (int i = 0; i < count; i++)
    cr_assert(same_event(&list[i], &other[i]), "%s: event %d is %c %lld %lld %lld, not %c %lld ...", what, i,
              list[i].kind, (long long)list[i].place[0], (long long)list[i].place[1], (long long)list[i].place[2],
              other[i].kind, (long long)other[i].place[0]);
}

Test(tours, whole_tours_do_what_their_loops_say) {
  struct ppi_random random = { 1 };
  int copies = 0, runs = 0;
  for (int round = 0; round < 3000; round++) {
    static struct ppi_tour_walk walk;
    struct ppi_tour tour;
    int64_t at[PPI_TOUR_OPERANDS];
    make_up(&random, &tour);
    tour.values = one_by_one;
    make_walk(&tour, &walk);
    const int64_t iterations = ppi_tour_body(&tour, 0);
    if (iterations == 0) {
      cr_expect_eq(ppi_tour_iterations(&tour), 0.0);
      continue;
    }
    starts_of(&tour, at);
    expect_from(&tour, 0, at);
    ppi_tour_walk_enter(&walk, 0, PPI_TOUR_LOOPS_MAX + 1);
    /* in pieces of any length */
    for (int64_t left = iterations; left > 0;) {
      const int64_t piece = 1 + below(&random, left);
      ppi_tour_walk_run(&walk, piece);
      left -= piece;
    }
    ppi_tour_walk_leave(&walk, 0);
    sort_copies(events, event_count);
    sort_copies(expected, expected_count);
    compare_events(events, event_count, expected, expected_count, "whole");
    runs += event_count > 0;
    copies += event_count > iterations;
  }
  cr_expect_gt(runs, 2000);
  cr_expect_gt(copies, 1000);
}

/* From any iteration on the same follows as in the whole, copies between the iterations included. */
Test(tours, windows_are_parts_of_the_whole) {
  struct ppi_random random = { 2 };
  int checked = 0;
  for (int round = 0; round < 600; round++) {
    static struct ppi_tour_walk walk;
    struct ppi_tour tour;
    int64_t at[PPI_TOUR_OPERANDS];
    make_up(&random, &tour);
    tour.values = one_by_one;
    make_walk(&tour, &walk);
    const int64_t iterations = ppi_tour_body(&tour, 0);
    if (iterations == 0)
      continue;
    starts_of(&tour, at);
    expect_from(&tour, 0, at);
    const int64_t begin = below(&random, iterations), count = 1 + below(&random, iterations - begin);
    int first = 0, end = 0;
    for (int64_t calls = 0, i = 0; i < expected_count; i++) {
      calls += expected[i].kind == 'k';
      first = calls == begin + 1 && expected[i].kind == 'k' ? (int)i : first;
      end = calls == begin + count && expected[i].kind == 'k' ? (int)i + 1 : end;
    }
    ppi_tour_walk_seek(&walk, begin);
    ppi_tour_walk_run(&walk, count);
    sort_copies(events, event_count);
    sort_copies(expected, expected_count);
    compare_events(events, event_count, expected + first, end - first, "window");
    checked++;
  }
  cr_expect_gt(checked, 400);
}

Test(tours, without_loops_there_is_one_call) {
  static struct ppi_tour_walk walk;
  struct ppi_tour tour;
  struct ppi_random random = { 3 };
  do
    make_up(&random, &tour);
  while (tour.loop_count > 0);
  tour.values = one_by_one;
  make_walk(&tour, &walk);
  cr_expect_eq(ppi_tour_body(&tour, 0), 1);
  ppi_tour_walk_run(&walk, 1);
  cr_expect_eq(event_count, 1);
  ppi_tour_walk_call(&walk, 3);
  cr_expect_eq(event_count, 4);
  cr_expect(same_event(&events[0], &events[3]));
}

/* --- Numbers --------------------------------------------------------------------------------------------------------- */

/* Runs a tour on made-up numbers and compares each element of C with the sum that defines it. 99 in C beforehand. */
static void expect_right(const struct tour_case *made) {
  static struct ppi_tour_walk walk;
  static double tensors[PPI_TOUR_OPERANDS][400], packed[PPI_TOUR_OPERANDS][100];
  const struct ppi_tour_batch *batch = &made->batch;
  const int parts = batch->type == PPI_TYPE_Z ? 2 : 1;
  unsigned char *bytes[PPI_TOUR_OPERANDS], *copies[PPI_TOUR_OPERANDS];
  const struct ppi_tour_routines routines = { .call = tour_routine(made->tour.kernel->name),
                                              .copy = tour_routine("dcopy") };
  cr_assert_eq(ppi_tour_check(batch, &error), PERFPRED_OK, "%s", error.text);
  for (int o = 0; o < PPI_TOUR_OPERANDS; o++) {
    bytes[o] = (unsigned char *)tensors[o];
    copies[o] = (unsigned char *)packed[o];
    for (int i = 0; i < 400; i++)
      tensors[o][i] = o == 2 ? 99.0 : (double)((7 * i + 3 * o) % 11) - 5.0;
  }
  cr_assert_eq(ppi_tour_walk_make(&walk, &made->tour, &routines, bytes, copies, batch->elements, &error), PERFPRED_OK,
               "%s", error.text);
  if (made->tour.zeroed)
    ppi_tour_zero(batch, bytes[2]);
  ppi_tour_walk_enter(&walk, 0, PPI_TOUR_LOOPS_MAX + 1);
  ppi_tour_walk_run(&walk, ppi_tour_body(&made->tour, 0));
  ppi_tour_walk_leave(&walk, 0);
  double sums[400] = { 0.0 };
  int64_t all = 1;
  for (int i = 0; i < batch->index_count; i++)
    all *= batch->indices[i].length;
  for (int64_t n = 0; n < all; n++) {
    int64_t at[PPI_TOUR_OPERANDS] = { 0 }, rest = n;
    for (int i = 0; i < batch->index_count; i++) {
      for (int o = 0; o < PPI_TOUR_OPERANDS; o++)
        at[o] += rest % batch->indices[i].length * batch->indices[i].stride[o];
      rest /= batch->indices[i].length;
    }
    const double *a = &tensors[0][at[0] * parts], *b = &tensors[1][at[1] * parts];
    sums[at[2] * parts] += parts == 2 ? a[0] * b[0] - a[1] * b[1] : a[0] * b[0];
    if (parts == 2)
      sums[at[2] * parts + 1] += a[0] * b[1] + a[1] * b[0];
  }
  for (int64_t i = 0; i < batch->elements[2] * parts; i++)
    cr_assert_float_eq(tensors[2][i], sums[i], 1e-12, "%s: element %lld is %g, not %g", made->tour.kernel->name,
                       (long long)i, tensors[2][i], sums[i]);
  cr_expect_eq(tensors[2][batch->elements[2] * parts], 99.0, "something behind C is overwritten");
  cr_expect_lt(ppi_tour_residual(batch, bytes, 7), 1e-14);
  for (int64_t i = 0; i < batch->elements[2] * parts; i++)
    tensors[2][i] += 0.5;
  cr_expect_gt(ppi_tour_residual(batch, bytes, 7), 1e-4);
  tensors[2][0] = tensors[2][batch->elements[2] * parts - 1] = NAN;
  if (batch->elements[2] == 1)
    cr_expect(isinf(ppi_tour_residual(batch, bytes, 7)));
}

Test(tours, results_are_the_contraction) {
  struct tour_case made;
  tour_ca_dgemv(&made, context.kernels);
  expect_right(&made);
  tour_i_dgemv(&made, context.kernels);
  expect_right(&made);
  tour_c_dgemm(&made, context.kernels);
  expect_right(&made);
  tour_bi_daxpy(&made, context.kernels);
  expect_right(&made);
  tour_i_dot(&made, context.kernels, PPI_TYPE_D);
  expect_right(&made);
  tour_i_dot(&made, context.kernels, PPI_TYPE_Z);
  expect_right(&made);
  made.tour.length[0] = 1; /* one iteration, whose result is put and not added */
  made.batch.indices[0].length = 1;
  made.tour.added = made.tour.zeroed = false;
  expect_right(&made);
}

/* C = [2 x 3], elements 2 and columns 10 apart: what lies between stays. */
Test(tours, zeros_go_to_the_elements_of_c_alone) {
  const struct ppi_tour_batch batch = { .type = PPI_TYPE_S,
                                        .elements = { 1, 1, 23 },
                                        .index_count = 3,
                                        .indices = { { 3, { 0, 0, 10 } }, { 5, { 0, 0, 0 } }, { 2, { 0, 0, 2 } } } };
  float c[23];
  for (int i = 0; i < 23; i++)
    c[i] = 1.0F;
  ppi_tour_zero(&batch, (unsigned char *)c);
  for (int i = 0; i < 23; i++)
    cr_expect_eq(c[i], i % 10 == 0 || i % 10 == 2 ? 0.0F : 1.0F, "element %d", i);
  struct ppi_tour_batch dense = batch;
  dense.indices[0].stride[2] = 2;
  dense.indices[2].stride[2] = 1;
  dense.elements[2] = 6;
  for (int i = 0; i < 23; i++)
    c[i] = 1.0F;
  ppi_tour_zero(&dense, (unsigned char *)c);
  for (int i = 0; i < 23; i++)
    cr_expect_eq(c[i], i < 6 ? 0.0F : 1.0F, "element %d", i);
  dense.indices[2].length = 0;
  dense.elements[2] = 0;
  c[0] = 5.0F;
  ppi_tour_zero(&dense, (unsigned char *)c);
  cr_expect_eq(c[0], 5.0F);
  cr_expect(isnan(ppi_tour_residual(&dense, (unsigned char *[]){ NULL, NULL, NULL }, 0)));
}

/* --- Windows --------------------------------------------------------------------------------------------------------- */

static struct ppi_tour loops_of(int count, int64_t a, int64_t b, int64_t c) {
  struct ppi_tour tour = { .loop_count = count, .length = { a, b, c } };
  for (int o = 0; o < PPI_TOUR_OPERANDS; o++)
    tour.operands[o].copy.loops = -1;
  return tour;
}

Test(tours, wholes_are_divided_into_strata) {
  struct ppi_tour_strata strata;
  struct ppi_tour tour = loops_of(3, 5, 7, 20);
  ppi_tour_divide(&tour, 64,
                  &strata); /* three rows of 20; the middle loop begins 5 times, each 140 iterations: seldom */
  cr_expect_eq(strata.window, 60);
  cr_expect_eq(strata.count, 1);
  cr_expect_eq(strata.strata[0].level, PPI_TOUR_ANYWHERE);
  cr_expect_eq(strata.strata[0].count, 700.0);
  ppi_tour_divide(&tour, 8, &strata); /* less than a row, of which there are 35 */
  cr_expect_eq(strata.window, 8);
  cr_expect_eq(strata.count, 2);
  cr_expect_eq(strata.strata[1].level, 2);
  cr_expect_eq(strata.strata[1].count, 35.0);
  tour.operands[0].copy.loops = 2; /* copied where rows begin; the copy of all is one more */
  tour.operands[1].copy.loops = 1;
  tour.operands[2].copy.loops = 0;
  ppi_tour_divide(&tour, 8, &strata);
  cr_expect_eq(strata.count, 4);
  cr_expect_eq(strata.strata[1].count, 30.0);
  cr_expect_eq(strata.strata[2].level, 1);
  cr_expect_eq(strata.strata[2].count, 4.0);
  cr_expect_eq(strata.strata[3].level, 0);
  cr_expect_eq(strata.strata[3].count, 1.0);
  /* 1 s each, 10 s more for each copy of rows, 100 s more where the second copy is as well, 1000 s where all are: 8 iterations a window */
  const double each[] = { 1.0, 18.0 / 8.0, 118.0 / 8.0, 1118.0 / 8.0 };
  const int64_t timed[] = { 8, 8, 8, 8 };
  cr_expect_float_eq(ppi_tour_total(&strata, each, timed), 700.0 + 30.0 * 10.0 + 4.0 * 110.0 + 1110.0, 1e-9);
  ppi_tour_divide(&tour, 700, &strata);
  cr_expect_eq(strata.window, 700);
  cr_expect_eq(strata.count, 1);
  tour = loops_of(2, 0, 20, 0);
  ppi_tour_divide(&tour, 8, &strata);
  cr_expect_eq(ppi_tour_total(&strata, each, timed), 0.0);
  tour = loops_of(0, 0, 0, 0);
  ppi_tour_divide(&tour, 8, &strata);
  cr_expect_eq(strata.window, 1);
  cr_expect_eq(strata.strata[0].count, 1.0);
}

/* Begins behind the beginning of its row, ends in it, at multiples of whole inner loops; spread over all rows. */
Test(tours, windows_anywhere_begin_no_loop) {
  const struct ppi_tour tour = loops_of(3, 6, 10, 4); /* 10 units of 4 in each of 6 rows */
  const struct ppi_tour_request request = { .subject = PPI_TOUR_WINDOW, .timed = 12, .lead = 15, .level = -1 };
  bool rows[6] = { false }, units[10] = { false };
  for (uint64_t i = 0; i < 60; i++) {
    struct ppi_tour_place place;
    ppi_tour_place(&tour, &request, 3, i, &place);
    cr_assert_eq(place.begin % 4, 0);
    cr_assert_geq(place.begin % 40, 4);
    cr_assert_leq(place.begin % 40 + 12, 40);
    cr_assert_lt(place.begin, 240);
    cr_assert_eq(place.lead, place.begin < 15 ? place.begin : 15);
    cr_assert_eq(place.pending, 2);
    rows[place.begin / 40] = units[place.begin % 40 / 4] = true;
  }
  for (int i = 0; i < 6; i++)
    cr_expect(rows[i], "row %d", i);
  for (int i = 1; i <= 7; i++)
    cr_expect(units[i], "unit %d", i);
}

Test(tours, windows_at_the_ends) {
  const struct ppi_tour tour = loops_of(2, 3, 10, 0);
  struct ppi_tour_place place, again;
  struct ppi_tour_request request = { .subject = PPI_TOUR_WINDOW, .timed = 15, .lead = 100, .level = 1 };
  /* 15 of 30 iterations at the beginning of a row: behind the first one alone there is room */
  for (uint64_t i = 0; i < 20; i++) {
    ppi_tour_place(&tour, &request, 1, i, &place);
    cr_expect_eq(place.begin, 10);
    cr_expect_eq(place.lead, 10);
  }
  request.timed = 1000;
  cr_expect_eq(ppi_tour_timed(&tour, &request), 30);
  ppi_tour_place(&tour, &request, 1, 0, &place);
  cr_expect_eq(place.begin, 0);
  cr_expect_eq(place.lead, 0);
  request.level = PPI_TOUR_ANYWHERE;
  ppi_tour_place(&tour, &request, 1, 0, &place);
  cr_expect_eq(place.begin, 0);
  cr_expect_eq(place.pending, 0);
  request.timed = 0;
  cr_expect_eq(ppi_tour_timed(&tour, &request), 1);
  ppi_tour_place(&tour, &request, 5, 77, &place);
  ppi_tour_place(&tour, &request, 5, 77, &again);
  cr_expect_eq(place.begin, again.begin, "the same seed, another place");
  const struct ppi_tour empty = loops_of(2, 3, 0, 0);
  ppi_tour_place(&empty, &request, 1, 0, &place);
  cr_expect_eq(place.begin, 0);
  const struct ppi_tour none = loops_of(0, 0, 0, 0);
  ppi_tour_place(&none, &request, 1, 0, &place);
  cr_expect_eq(place.begin, 0);
  cr_expect_eq(place.lead, 0);
}

/* --- What is refused ------------------------------------------------------------------------------------------------- */

enum { ITEMS = 2 };
struct asked {
  struct tour_case made;
  struct ppi_tour_request request;
  struct ppi_tour_item items[ITEMS];
};

static void ask(struct asked *asked) {
  tour_i_dgemv(&asked->made, context.kernels);
  asked->items[0] = (struct ppi_tour_item){ .kind = PPI_TOUR_REMOTE, .bytes = 1000 };
  asked->items[1] = (struct ppi_tour_item){ .kind = PPI_TOUR_TOUCH, .operand = 1, .extent = { 2, 0 } };
  asked->request = (struct ppi_tour_request){ .subject = PPI_TOUR_WINDOW,
                                              .timed = 1,
                                              .lead = 1,
                                              .level = PPI_TOUR_ANYWHERE,
                                              .items = asked->items,
                                              .item_count = ITEMS };
  asked->made.batch.requests = &asked->request;
  asked->made.batch.request_count = 1;
}

static void expect_refused(const struct asked *asked, enum perfpred_status status, const char *text) {
  memset(&error, 0, sizeof error);
  cr_expect_eq(ppi_tour_check(&asked->made.batch, &error), status, "%s: %s", text, error.text);
  cr_expect(strstr(error.text, text) != NULL, "%s, expected %s", error.text, text);
}

#define REFUSED(change, text)                                                                                          \
  do {                                                                                                                 \
    ask(&asked);                                                                                                       \
    struct ppi_tour *tour = &asked.made.tour;                                                                          \
    struct ppi_tour_request *request = &asked.request;                                                                 \
    struct ppi_tour_batch *batch = &asked.made.batch;                                                                  \
    struct ppi_value *values = asked.made.values;                                                                      \
    (void)tour, (void)request, (void)batch, (void)values;                                                              \
    change;                                                                                                            \
    expect_refused(&asked, PERFPRED_INVALID, text);                                                                    \
  } while (0)

Test(tours, what_does_not_fit_is_refused) {
  static struct asked asked;
  ask(&asked);
  cr_assert_eq(ppi_tour_check(&asked.made.batch, &error), PERFPRED_OK, "%s", error.text);
  REFUSED(tour->loop_count = 25, "tour 0: there are too many loops, expected at most 24");
  REFUSED(tour->length[0] = -1, "negative number of iterations");
  REFUSED(tour->length[0] = INT64_C(1) << 62; tour->length[1] = 2; tour->loop_count = 2, "too many iterations");
  REFUSED(tour->length[0] = 4, "operand A leaves its tensor, expected places inside of it");
  REFUSED(tour->operands[1].start = 1, "operand B leaves its tensor");
  REFUSED(tour->operands[2].step[0] = 1, "operand C leaves its tensor");
  REFUSED(tour->operands[2].start = -1, "operand C goes nobody knows where");
  REFUSED(tour->operands[0].step[0] = INT64_MAX, "operand A goes nobody knows where");
  REFUSED(tour->operands[0].place = 6, "operand");
  REFUSED(tour->operands[0].place = 32, "operand A is no argument of the kernel");
  REFUSED(tour->operands[2].place = -1, "operand C is no argument of the kernel");
  REFUSED(tour->operands[0].place = 9, "operand A is an argument of another kind");
  REFUSED(tour->operands[2].place = 3, "operand C is an argument of another kind");
  REFUSED(tour->operands[1].place = 3, "the kernel has other arguments than the operands");
  REFUSED(tour->operands[1].stride[0] = -1, "operand B has a senseless shape");
  REFUSED(values[7].i = -1, "a size, leading dimension or increment is negative");
  REFUSED(values[7].i = 2, "operand B is larger than its slice");
  REFUSED(values[5].i = 5, "operand A is larger than its copy");
  REFUSED(tour->operands[0].copy.loops = 2, "operand A has a senseless copy");
  REFUSED(tour->operands[0].copy.loops = -2, "operand A has a senseless copy");
  REFUSED(tour->operands[0].copy.loops = 0, "operand A moves behind its copy");
  REFUSED(tour->operands[0].copy.length = INT64_MAX, "operand A has a senseless copy");
  REFUSED(tour->operands[0].copy.step = 13, "operand A leaves its tensor");
  REFUSED(tour->copier = NULL, "operands are copied by no kernel for that");
  REFUSED(tour->copier = ppi_kernels_find(context.kernels, "zcopy"), "operands are copied by no kernel for that");
  REFUSED(batch->type = PPI_TYPE_INT, "of tours are senseless");
  REFUSED(batch->elements[0] = 59, "of tours are senseless");
  REFUSED(batch->elements[0] = -1, "of tours are senseless");
  REFUSED(batch->index_count = 25, "of tours are senseless");
  REFUSED(batch->indices[0].length = -1, "of tours are senseless");
  REFUSED(request->tour = 1, "request 0 of tours is senseless");
  REFUSED(request->subject = PPI_TOUR_SUBJECTS, "request 0 of tours is senseless");
  REFUSED(request->level = 2, "request 0 of tours is senseless");
  REFUSED(request->timed = -1, "request 0 of tours is senseless");
  REFUSED(request->lead = -1, "request 0 of tours is senseless");
  REFUSED(request->limit_s = (double)NAN, "request 0 of tours is senseless");
  REFUSED(request->repetitions = -1, "request 0 of tours is senseless");
  REFUSED(request->subject = PPI_TOUR_COPY_IN; request->operand = 1, "request 0 of tours is senseless");
  REFUSED(request->subject = PPI_TOUR_WHOLE, "request 0 of tours is senseless");
  REFUSED(asked.items[0].bytes = -1, "request 0 of tours is senseless");
  REFUSED(asked.items[1].operand = 3, "request 0 of tours is senseless");
  REFUSED(asked.items[1].packed = true, "request 0 of tours is senseless");
  ask(&asked);
  asked.made.batch.memory_bytes = (60 + 15 + 4 + 20) * 8;
  cr_expect_eq(ppi_tour_check(&asked.made.batch, &error), PERFPRED_OK);
  cr_expect_eq(ppi_tour_tensor_bytes(&asked.made.batch), 632);
  cr_expect_eq(ppi_tour_packed_bytes(&asked.made.tour, PPI_TYPE_D), 160);
  asked.made.batch.memory_bytes--;
  expect_refused(&asked, PERFPRED_LIMIT, "tensors and packed copies take 792 bytes, expected at most 791");
}

/* An empty index leaves nothing to be out of. */
Test(tours, empty_tensors_are_fine) {
  struct tour_case made;
  tour_i_dgemv(&made, context.kernels); /* j = 0 */
  made.values[2].i = 0;
  made.tour.operands[0].extent[1] = made.tour.operands[1].extent[0] = 0;
  made.tour.operands[0].copy.count = 0;
  made.batch.elements[0] = made.batch.elements[1] = 0;
  made.batch.indices[2].length = 0;
  cr_assert_eq(ppi_tour_check(&made.batch, &error), PERFPRED_OK, "%s", error.text);
  expect_right(&made);
}

/* --- A virtual clock ------------------------------------------------------------------------------------------------- */

/* 1 us per call, 100 us more where it is warm alone. */
static double cost(void *data, const struct perfpred_virtual_call *call) {
  (void)data;
  return call->state == PERFPRED_STATE_WARM ? 101e-6 : 1e-6;
}

static struct perfpred_sampler *virtual_clock(void) {
  struct perfpred_sampler *sampler = NULL;
  cr_assert_eq(perfpred_sampler_create_virtual(&context, cost, NULL, NULL, &sampler, &error), PERFPRED_OK);
  return sampler;
}

#define REQUESTS 9

/* i'-dgemv: the slice of A has 20 elements on as many lines (24 bytes apart: its columns of 4 take 2 lines each, 10 in all), B's 5 take 1, C's 4
   take 1, the packed copy 3. C is fetched once, A and B in each of 3 iterations, in which the copy is made. */
Test(tours, virtual_times_are_exact) {
  struct tour_case made;
  struct perfpred_sampler *sampler = virtual_clock();
  const double us = 1e-6, line = 1e-9;
  const struct ppi_tour_item flushed[] = { { .kind = PPI_TOUR_FLUSH, .operand = 1 } };
  const struct ppi_tour_item remote[] = { { .kind = PPI_TOUR_TOUCH, .operand = 1 },
                                          { .kind = PPI_TOUR_REMOTE, .bytes = 1 << 20 },
                                          { .kind = PPI_TOUR_TOUCH, .operand = 2 } };
  struct ppi_tour_request requests[REQUESTS] = {
    { .subject = PPI_TOUR_WHOLE, .level = -1 },
    { .subject = PPI_TOUR_ZERO, .level = -1 },
    { .subject = PPI_TOUR_WINDOW, .timed = 1, .lead = 1, .level = -1 },
    { .subject = PPI_TOUR_WINDOW, .timed = 3, .level = -1 },
    { .subject = PPI_TOUR_CALL, .level = -1, .warm = true, .timed = 7 },
    { .subject = PPI_TOUR_CALL, .level = -1, .items = flushed, .item_count = 1 },
    { .subject = PPI_TOUR_CALL, .level = -1, .items = remote, .item_count = 3 },
    { .subject = PPI_TOUR_COPY_IN, .level = -1 },
    { .subject = PPI_TOUR_WHOLE, .level = -1, .limit_s = 1e-9, .repetitions = 2 },
  };
  const double wanted[REQUESTS] = { 3.0 * us + (1.0 + 3.0 * 10.0 + 3.0 + 1.0 + 3.0 * 3.0) * line,
                                    line,
                                    us + (10.0 + 1.0 + 3.0) * line,
                                    us + (3.0 * 10.0 + 3.0 + 1.0 + 3.0 * 3.0) / 3.0 * line,
                                    101.0 * us,
                                    us + line,
                                    us + line,
                                    3.0 * line,
                                    0.0 };
  struct ppi_tour_result results[REQUESTS] = { 0 };
  const struct ppi_sampling sampling = { .repetitions = 4 };
  tour_i_dgemv(&made, context.kernels);
  made.batch.requests = requests;
  made.batch.request_count = REQUESTS;
  cr_assert_eq(sampler->ops->tour(sampler, &made.batch, &sampling, results, &error), PERFPRED_OK, "%s", error.text);
  for (int i = 0; i < REQUESTS; i++) {
    cr_assert_eq(results[i].timing.count, i == 8 ? 0 : 4, "request %d: %zu samples", i, results[i].timing.count);
    for (size_t k = 0; k < results[i].timing.count; k++)
      cr_expect_float_eq(results[i].timing.times_s[k], wanted[i], 1e-15, "request %d: %.12g, not %.12g", i,
                         results[i].timing.times_s[k], wanted[i]);
    cr_expect(isnan(results[i].timing.residual));
  }
  cr_expect_eq(results[0].timed, 3);
  cr_expect_eq(results[4].timed, 7);
  ppi_tour_results_free(results, REQUESTS);
  perfpred_sampler_destroy(sampler);
}

/* Windows of all strata make the whole exactly, where each loop that begins is like the others. */
Test(tours, virtual_windows_make_the_whole) {
  struct tour_case made;
  struct perfpred_sampler *sampler = virtual_clock();
  struct ppi_tour_strata strata;
  struct ppi_tour_result results[PPI_TOUR_STRATA_MAX + 1] = { 0 };
  struct ppi_tour_request requests[PPI_TOUR_STRATA_MAX + 1] = { { .subject = PPI_TOUR_WHOLE, .level = -1 } };
  const struct ppi_sampling sampling = { .repetitions = 3 };
  tour_ca_dgemv(&made, context.kernels);
  ppi_tour_divide(&made.tour, 2, &strata);
  cr_assert_eq(strata.count, 2);
  for (int i = 0; i < strata.count; i++)
    requests[i + 1] = (struct ppi_tour_request){
      .subject = PPI_TOUR_WINDOW, .timed = strata.window, .lead = strata.window, .level = strata.strata[i].level
    };
  made.batch.requests = requests;
  made.batch.request_count = 3;
  cr_assert_eq(sampler->ops->tour(sampler, &made.batch, &sampling, results, &error), PERFPRED_OK, "%s", error.text);
  const double each[] = { results[1].timing.times_s[0], results[2].timing.times_s[0] };
  const int64_t timed[] = { results[1].timed, results[2].timed };
  cr_expect_float_eq(ppi_tour_total(&strata, each, timed), results[0].timing.times_s[0], 1e-15);
  /* 15 calls; slices of A (2 elements 24 bytes apart: 1 line) and C (4: 2 lines) each time, of B (4 columns of 16 bytes) for each of 5 rows */
  cr_expect_float_eq(results[0].timing.times_s[0], 15e-6 + (15.0 + 2.0 * 15.0 + 4.0 * 5.0) * 1e-9, 1e-15);
  ppi_tour_results_free(results, 3);
  perfpred_sampler_destroy(sampler);
}

static int stop_at_once(void *data, const struct perfpred_progress *progress) {
  (void)progress;
  return ++*(int *)data > 1;
}

Test(tours, a_virtual_clock_keeps_to_budgets_and_wishes) {
  struct tour_case made;
  struct perfpred_sampler *sampler = virtual_clock();
  struct ppi_tour_request requests[] = { { .subject = PPI_TOUR_WHOLE, .level = -1 },
                                         { .subject = PPI_TOUR_WHOLE, .level = -1, .repetitions = 2 } };
  struct ppi_tour_result results[2] = { 0 };
  struct ppi_sampling sampling = { .repetitions = 100, .budget_s = 10e-6 };
  int told = 0;
  tour_i_dgemv(&made, context.kernels);
  made.batch.requests = requests;
  made.batch.request_count = 2;
  cr_assert_eq(sampler->ops->tour(sampler, &made.batch, &sampling, results, &error), PERFPRED_OK);
  cr_expect_eq(results[0].timing.count, 2, "two rounds of twice 3 us reach 10 us: %zu", results[0].timing.count);
  cr_expect_eq(results[1].timing.count, 2);
  ppi_tour_results_free(results, 2);
  sampling = (struct ppi_sampling){ .repetitions = 5, .progress = stop_at_once, .progress_data = &told };
  cr_expect_eq(sampler->ops->tour(sampler, &made.batch, &sampling, results, &error), PERFPRED_CANCELLED);
  memset(&error, 0, sizeof error);
  made.tour.length[0] = 5;
  cr_expect_eq(sampler->ops->tour(sampler, &made.batch, &sampling, results, &error), PERFPRED_INVALID);
  perfpred_sampler_destroy(sampler);
}

/* --- Here ------------------------------------------------------------------------------------------------------------ */

static struct ppi_core *core_here(void) {
  const struct ppi_core_options options = { .resolve = tour_resolve };
  struct ppi_core *core = NULL;
  cr_assert_eq(ppi_core_create(&options, &core, &error), PERFPRED_OK, "%s", error.text);
  return core;
}

static void run_here(struct ppi_core *core, struct tour_case *made) {
  const struct ppi_tour_item items[] = { { .kind = PPI_TOUR_REMOTE, .bytes = 100000 },
                                         { .kind = PPI_TOUR_TOUCH, .operand = 0 } };
  const bool copied = made->tour.operands[0].copy.loops >= 0;
  const struct ppi_tour_request requests[] = {
    { .subject = PPI_TOUR_WHOLE, .level = -1 },
    { .subject = PPI_TOUR_WINDOW, .timed = 2, .lead = 1, .level = -1, .items = items, .item_count = 2 },
    { .subject = PPI_TOUR_WINDOW, .timed = 2, .lead = 1, .level = made->tour.loop_count },
    { .subject = PPI_TOUR_CALL, .level = -1, .warm = true, .timed = 10 },
    { .subject = PPI_TOUR_CALL, .level = 0, .items = items, .item_count = 2 },
    { .subject = PPI_TOUR_ZERO, .level = -1 },
    { .subject = PPI_TOUR_WHOLE, .level = -1, .warm = true, .limit_s = 1e-12 },
    { .subject = PPI_TOUR_COPY_IN, .level = -1 },
  };
  enum { COUNT = sizeof requests / sizeof requests[0] };
  struct ppi_tour_result results[COUNT] = { 0 };
  const struct ppi_sampling sampling = { .repetitions = 3, .gate = -1.0 };
  const size_t count = copied ? COUNT : COUNT - 1;
  made->batch.tours = &made->tour;
  made->batch.requests = requests;
  made->batch.request_count = count;
  cr_assert_eq(ppi_core_tour(core, &made->batch, &sampling, results, &error), PERFPRED_OK, "%s", error.text);
  for (size_t i = 0; i < count; i++) {
    if (i == 6) {
      cr_expect_eq(results[i].timing.count, 0, "%s: a whole beyond its limit is made", made->tour.kernel->name);
      continue;
    }
    cr_expect_geq(results[i].timing.count, 3, "%s: request %zu", made->tour.kernel->name, i);
    for (size_t k = 0; k < results[i].timing.count; k++)
      cr_expect(results[i].timing.times_s[k] > 0.0 && results[i].timing.times_s[k] < 10.0);
  }
  cr_expect_lt(results[0].timing.residual, 1e-14, "%s: residual %g", made->tour.kernel->name,
               results[0].timing.residual);
  cr_expect(isnan(results[1].timing.residual));
  cr_expect_eq(results[1].timed, 2);
  ppi_tour_results_free(results, count);
}

Test(tours, run_here_and_are_right) {
  struct tour_case made;
  struct ppi_core *core = core_here();
  tour_ca_dgemv(&made, context.kernels);
  run_here(core, &made);
  tour_i_dgemv(&made, context.kernels);
  run_here(core, &made);
  tour_bi_daxpy(&made, context.kernels);
  run_here(core, &made);
  tour_i_dot(&made, context.kernels, PPI_TYPE_Z);
  run_here(core, &made);
  ppi_core_destroy(core);
}

/* Adds one to C's first element instead of the product. */
static double wrong_dot(const int *n, const double *x, const int *incx, const double *y, const int *incy) {
  (void)n, (void)x, (void)incx, (void)y, (void)incy;
  return 1.0;
}

static perfpred_fortran_fn *resolve_wrong(void *data, const struct perfpred_kernel *kernel, bool *ilp64) {
  (void)data, (void)kernel;
  *ilp64 = false;
  return (perfpred_fortran_fn *)wrong_dot;
}

Test(tours, wrong_results_show) {
  const struct ppi_core_options options = { .resolve = resolve_wrong };
  const struct ppi_tour_request request = { .subject = PPI_TOUR_WHOLE, .level = -1 };
  const struct ppi_sampling sampling = { .repetitions = 1, .gate = -1.0 };
  struct ppi_core *core = NULL;
  struct ppi_tour_result result;
  struct tour_case made;
  cr_assert_eq(ppi_core_create(&options, &core, &error), PERFPRED_OK);
  tour_i_dot(&made, context.kernels, PPI_TYPE_D);
  made.batch.requests = &request;
  made.batch.request_count = 1;
  cr_assert_eq(ppi_core_tour(core, &made.batch, &sampling, &result, &error), PERFPRED_OK, "%s", error.text);
  cr_expect_gt(result.timing.residual, 0.01);
  ppi_tour_results_free(&result, 1);
  ppi_core_destroy(core);
}

Test(tours, are_cancelled_and_lack_routines) {
  struct ppi_core *core = core_here();
  const struct ppi_tour_request request = { .subject = PPI_TOUR_WHOLE, .level = -1 };
  int told = 0;
  const struct ppi_sampling sampling = { .repetitions = 3, .progress = stop_at_once, .progress_data = &told };
  struct ppi_tour_result result;
  struct tour_case made;
  tour_i_dgemv(&made, context.kernels);
  made.batch.requests = &request;
  made.batch.request_count = 1;
  cr_expect_eq(ppi_core_tour(core, &made.batch, &sampling, &result, &error), PERFPRED_CANCELLED);
  made.batch.request_count = 0;
  cr_expect_eq(ppi_core_tour(core, &made.batch, &sampling, &result, &error), PERFPRED_OK);
  ppi_core_destroy(core);
  const struct ppi_core_options bare = { .threads = 0 };
  const struct ppi_sampling plain = { .repetitions = 1, .gate = -1.0 };
  memset(&error, 0, sizeof error);
  cr_assert_eq(ppi_core_create(&bare, &core, &error), PERFPRED_OK);
  made.batch.request_count = 1;
  cr_expect_eq(ppi_core_tour(core, &made.batch, &plain, &result, &error), PERFPRED_UNSUPPORTED);
  cr_expect_not_null(strstr(error.text, "dgemv"));
  ppi_core_destroy(core);
}

/* --- Messages -------------------------------------------------------------------------------------------------------- */

static void put_asked(struct ppi_wire *wire, struct asked *asked) {
  ask(asked);
  ppi_wire_start(wire, PPI_MESSAGE_TOUR);
  ppi_put_tour_batch(wire, &asked->made.batch);
}

Test(tours, batches_travel) {
  static struct asked asked;
  struct ppi_tour_parcel parcel;
  struct ppi_wire wire = PPI_WIRE_INIT;
  put_asked(&wire, &asked);
  cr_assert_eq(ppi_get_tour_batch(&wire, context.kernels, 1, &parcel, &error), PERFPRED_OK, "%s", error.text);
  const struct ppi_tour_batch *sent = &asked.made.batch, *got = &parcel.batch;
  cr_expect_eq(got->type, sent->type);
  cr_expect_eq(memcmp(got->elements, sent->elements, sizeof got->elements), 0);
  cr_expect_eq(got->index_count, sent->index_count);
  cr_expect_eq(memcmp(got->indices, sent->indices, sizeof got->indices), 0);
  cr_expect_eq(got->tours[0].kernel, sent->tours[0].kernel);
  cr_expect_eq(got->tours[0].copier, sent->tours[0].copier);
  cr_expect_eq(got->tours[0].zeroed, true);
  cr_expect_eq(got->tours[0].added, false);
  cr_expect_eq(got->tours[0].loop_count, 1);
  cr_expect_eq(memcmp(got->tours[0].length, sent->tours[0].length, sizeof sent->tours[0].length), 0);
  for (int o = 0; o < PPI_TOUR_OPERANDS; o++) {
    const struct ppi_tour_operand *a = &got->tours[0].operands[o], *b = &sent->tours[0].operands[o];
    cr_expect_eq(a->place, b->place);
    cr_expect_eq(memcmp(a->step, b->step, sizeof a->step), 0);
    cr_expect_eq(memcmp(a->extent, b->extent, sizeof a->extent), 0);
    cr_expect_eq(memcmp(a->stride, b->stride, sizeof a->stride), 0);
    cr_expect_eq(a->copy.loops, b->copy.loops);
    cr_expect(a->copy.in == b->copy.in && a->copy.out == b->copy.out && a->copy.length == b->copy.length);
    cr_expect(a->copy.inc == b->copy.inc && a->copy.count == b->copy.count && a->copy.step == b->copy.step);
  }
  for (int i = 0; i < 11; i++)
    cr_expect(got->tours[0].values[i].i == asked.made.values[i].i &&
              got->tours[0].values[i].re == asked.made.values[i].re);
  cr_expect_eq(got->requests[0].level, PPI_TOUR_ANYWHERE);
  cr_expect_eq(got->requests[0].lead, 1);
  cr_expect_eq(got->requests[0].item_count, 2);
  cr_expect_eq(got->requests[0].items[0].bytes, 1000);
  cr_expect_eq(got->requests[0].items[1].extent[0], 2);
  ppi_tour_parcel_free(&parcel);
  ppi_wire_free(&wire);
}

/* Runs what was accepted on memory of just the size that it is said to need, which sanitizers watch. */
static bool run_accepted(const struct ppi_tour_batch *batch) {
  static struct ppi_tour_walk walk;
  const struct ppi_tour *tour = &batch->tours[0];
  const struct ppi_tour_routines routines = { .call = tour_routine("dgemv"), .copy = tour_routine("dcopy") };
  unsigned char *tensors[PPI_TOUR_OPERANDS], *packed[PPI_TOUR_OPERANDS];
  const bool small = batch->tour_count > 0 && ppi_tour_iterations(tour) <= 1000.0 &&
                     ppi_tour_tensor_bytes(batch) + ppi_tour_packed_bytes(tour, batch->type) <= 100000;
  if (!small || tour->kernel != ppi_kernels_find(context.kernels, "dgemv"))
    return false;
  for (int o = 0; o < PPI_TOUR_OPERANDS; o++) {
    const struct ppi_tour_copy *copy = &tour->operands[o].copy;
    tensors[o] = calloc(8, batch->elements[o] > 0 ? (size_t)batch->elements[o] : 1);
    packed[o] = calloc(8, copy->loops >= 0 ? (size_t)(copy->length * copy->count) + 1 : 1);
  }
  const bool made = ppi_tour_walk_make(&walk, tour, &routines, tensors, packed, batch->elements, NULL) == PERFPRED_OK;
  if (made) {
    ppi_tour_zero(batch, tensors[2]);
    if (ppi_tour_iterations(tour) > 0.0) {
      ppi_tour_walk_transpose(&walk, false);
      ppi_tour_walk_enter(&walk, 0, PPI_TOUR_LOOPS_MAX + 1);
      ppi_tour_walk_run(&walk, ppi_tour_body(tour, 0));
      ppi_tour_walk_leave(&walk, 0);
      ppi_tour_walk_transpose(&walk, true);
    }
    ppi_tour_residual(batch, tensors, 1);
  }
  for (int o = 0; o < PPI_TOUR_OPERANDS; o++) {
    free(tensors[o]);
    free(packed[o]);
  }
  return made;
}

/* Any number of a message may be anything: it is refused, or it is a batch that can be run. */
Test(tours, hostile_batches_are_refused) {
  static const int64_t evil[] = { -1, 0, 1, 25, 1000, INT32_MAX, INT64_MAX, INT64_MIN };
  static struct asked asked;
  struct ppi_wire wire = PPI_WIRE_INIT;
  int refused = 0, run = 0;
  put_asked(&wire, &asked);
  const size_t length = wire.length;
  for (size_t at = 0; at < length; at += 8) {
    struct ppi_tour_parcel parcel;
    wire.at = 0;
    wire.bad = false;
    wire.length = at; /* cut off */
    cr_assert_neq(ppi_get_tour_batch(&wire, context.kernels, 1, &parcel, NULL), PERFPRED_OK, "%zu bytes", at);
    ppi_tour_parcel_free(&parcel);
    wire.length = length;
    unsigned char kept[8];
    memcpy(kept, wire.data + at, sizeof kept);
    for (size_t k = 0; k < sizeof evil / sizeof evil[0]; k++) {
      memcpy(wire.data + at, &evil[k], sizeof evil[k]);
      wire.at = 0;
      wire.bad = false;
      if (ppi_get_tour_batch(&wire, context.kernels, 1, &parcel, NULL) == PERFPRED_OK)
        run += run_accepted(&parcel.batch);
      else
        refused++;
      ppi_tour_parcel_free(&parcel);
    }
    memcpy(wire.data + at, kept, sizeof kept);
  }
  cr_expect_gt(refused, 100);
  cr_expect_gt(run, 50);
  struct ppi_tour_parcel parcel;
  wire.at = 0;
  wire.bad = false;
  cr_expect_eq(ppi_get_tour_batch(&wire, context.kernels, SIZE_MAX / 100, &parcel, NULL), PERFPRED_WORKER);
  ppi_tour_parcel_free(&parcel);
  ppi_wire_free(&wire);
}

Test(tours, results_travel) {
  double times[] = { 1.0, 2.0 };
  const struct ppi_tour_result sent[] = { { .timing = { .times_s = times, .count = 2, .residual = 0.5 }, .timed = 64 },
                                          { .timing = { .residual = NAN }, .timed = 3 } };
  struct ppi_tour_result got[2];
  struct ppi_wire wire = PPI_WIRE_INIT;
  ppi_wire_start(&wire, PPI_MESSAGE_DONE);
  ppi_put_tour_results(&wire, sent, 2);
  cr_assert_eq(ppi_get_tour_results(&wire, got, 2, &error), PERFPRED_OK, "%s", error.text);
  cr_expect_eq(got[0].timing.count, 2);
  cr_expect_eq(got[0].timing.times_s[1], 2.0);
  cr_expect_eq(got[0].timed, 64);
  cr_expect_eq(got[1].timing.count, 0);
  cr_expect_eq(got[1].timed, 3);
  ppi_tour_results_free(got, 2);
  const size_t length = wire.length;
  for (size_t at = 0; at < length; at += 8) {
    wire.at = 0;
    wire.bad = false;
    wire.length = at;
    cr_assert_eq(ppi_get_tour_results(&wire, got, 2, NULL), PERFPRED_WORKER, "%zu bytes", at);
  }
  ppi_wire_free(&wire);
}
