/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole tensors in another order of their dimensions: places, memories, tours that walk through packed ones. */
#include "measure/transposition.h"

#include <stdlib.h>
#include <string.h>

#include "measure/protocol.h"
#include "measure/random.h"
#include "measure/tour_walk.h"
#include "tour_world.h"
#include "world.h"

TestSuite(transposition, .init = world_start, .fini = world_stop, .timeout = 60);

#define PLACES 200000

static int64_t below(struct ppi_random *random, int64_t end) {
  return (int64_t)(ppi_random_next(random) % (uint64_t)end);
}

/* One element after the other; returns how many there are. */
static int64_t expect(const struct ppi_transposed *dimensions, int rank, size_t element, unsigned char *to,
                      const unsigned char *from, bool out) {
  int64_t at[PPI_TRANSPOSED_RANK_MAX] = { 0 }, count = 0;
  for (int d = 0; d < rank; d++)
    if (dimensions[d].extent == 0)
      return 0;
  for (;;) {
    int64_t tensor = 0, packed = 0;
    int d = 0;
    for (int i = 0; i < rank; i++) {
      tensor += at[i] * dimensions[i].tensor;
      packed += at[i] * dimensions[i].packed;
    }
    memcpy(to + (size_t)(out ? tensor : packed) * element, from + (size_t)(out ? packed : tensor) * element, element);
    count++;
    for (; d < rank && ++at[d] == dimensions[d].extent; d++)
      at[d] = 0;
    if (d == rank)
      return count;
  }
}

/* Extents, gaps in the tensor, another order in packed memory. Returns elements from the first to behind the last one of both. */
static void make_up(struct ppi_random *random, struct ppi_transposed *dimensions, int rank, int64_t sizes[2]) {
  int order[2][PPI_TRANSPOSED_RANK_MAX];
  int64_t stride[2] = { 1 + below(random, 2) * below(random, 3), 1 };
  for (int side = 0; side < 2; side++)
    for (int d = 0; d < rank; d++) {
      const int at = (int)below(random, d + 1);
      order[side][d] = order[side][at];
      order[side][at] = d;
    }
  for (int d = 0; d < rank; d++)
    dimensions[d].extent = below(random, 20) == 0 ? 0 : 1 + below(random, rank > 4 ? 5 : rank > 2 ? 11 : 40);
  sizes[0] = sizes[1] = 1;
  for (int d = 0; d < rank; d++) {
    struct ppi_transposed *lies = &dimensions[order[0][d]], *packed = &dimensions[order[1][d]];
    const int64_t n = lies->extent > 0 ? lies->extent : 1, m = packed->extent > 0 ? packed->extent : 1;
    lies->tensor = stride[0];
    packed->packed = stride[1];
    sizes[0] += (n - 1) * stride[0];
    sizes[1] += (m - 1) * stride[1];
    stride[0] = stride[0] * n + (below(random, 4) == 0 ? below(random, 3) : 0);
    stride[1] *= m;
  }
}

Test(transposition, every_element_comes_to_its_place_and_back) {
  static unsigned char memories[4][PLACES * 16];
  static const size_t elements[] = { 4, 8, 16 };
  struct ppi_random random = { 7 };
  int64_t moved = 0;
  for (int round = 0; round < 900; round++) {
    const size_t element = elements[round % 3];
    const int rank = round % 9 == 0 ? 0 : 1 + round % 7;
    struct ppi_transposed dimensions[PPI_TRANSPOSED_RANK_MAX];
    struct ppi_transposition plan;
    int64_t sizes[2];
    make_up(&random, dimensions, rank, sizes);
    cr_assert(sizes[0] < PLACES && sizes[1] < PLACES);
    cr_assert(ppi_transposition_fits(dimensions, rank, sizes[0], sizes[1]));
    for (size_t i = 0; i < (size_t)sizes[0] * element; i++)
      memories[0][i] = (unsigned char)(i * 7 % 251);
    for (int i = 1; i < 4; i++)
      memset(memories[i], i == 3 ? 2 : i, (size_t)(i == 1 || i == 2 ? sizes[1] : sizes[0]) * element);
    memset(memories[2], 1, (size_t)sizes[1] * element);
    ppi_transposition_plan(dimensions, rank, &plan);
    ppi_transposition_run(&plan, element, memories[0], memories[1], false);
    moved += expect(dimensions, rank, element, memories[2], memories[0], false);
    cr_assert_eq(memcmp(memories[1], memories[2], (size_t)sizes[1] * element), 0, "round %d", round);
    memset(memories[0], 2, (size_t)sizes[0] * element);
    ppi_transposition_run(&plan, element, memories[0], memories[1], true);
    expect(dimensions, rank, element, memories[3], memories[1], true);
    cr_assert_eq(memcmp(memories[0], memories[3], (size_t)sizes[0] * element), 0, "round %d, back", round);
  }
  cr_expect_gt(moved, 300000, "%lld", (long long)moved);
}

/* 2 x 3, column-major, becomes 3 x 2. What runs through both as one is one line. */
Test(transposition, by_hand) {
  const struct ppi_transposed turned[] = { { 3, 2, 1 }, { 2, 1, 3 } };
  const struct ppi_transposed blocks[] = { { 4, 1, 1 }, { 2, 16, 8 }, { 2, 4, 4 }, { 1, 5, 5 } };
  const double lies[] = { 11, 21, 12, 22, 13, 23 }, right[] = { 11, 12, 13, 21, 22, 23 };
  double tensor[6], packed[6];
  struct ppi_transposition plan;
  memcpy(tensor, lies, sizeof lies);
  ppi_transposition_plan(turned, 2, &plan);
  ppi_transposition_run(&plan, sizeof(double), tensor, packed, false);
  cr_expect_eq(memcmp(packed, right, sizeof right), 0);
  ppi_transposition_plan(blocks, 4, &plan);
  cr_expect_eq(plan.loop_count, 0);
  cr_expect_eq(plan.plane[0].extent, 8);
  cr_expect_eq(plan.plane[1].extent, 2);
}

Test(transposition, what_does_not_fit) {
  const struct ppi_transposed fine[] = { { 3, 2, 1 }, { 2, 1, 3 } }, negative[] = { { 3, -2, 1 } };
  const struct ppi_transposed huge[] = { { INT64_MAX, 1, 1 }, { 3, INT64_MAX, 1 } }, many[] = { { 3, 1, 0 } };
  cr_expect(ppi_transposition_fits(fine, 2, 6, 6));
  cr_expect_not(ppi_transposition_fits(fine, 2, 5, 6));
  cr_expect_not(ppi_transposition_fits(fine, 2, 6, 5));
  cr_expect_not(ppi_transposition_fits(negative, 1, 100, 100));
  cr_expect_not(ppi_transposition_fits(huge, 2, INT64_MAX, INT64_MAX));
  cr_expect_not(ppi_transposition_fits(many, 1, 3, 2)); /* more elements than places */
}

/* --- Tours ----------------------------------------------------------------------------------------------------------- */

/* ca,abh->cbh, each h by itself: B lies as bah and is packed as abh, C lies as hbc and is packed as cbh. One loop over h. */
enum { K = 3, M = 2, N = 4, H = 5 };

static void whole_dgemm(struct tour_case *made) {
  *made = (struct tour_case){
    .tour = { .loop_count = 1,
              .length = { H },
              .operands = { { .place = 6, .extent = { M, K }, .stride = { 1, M }, .copy.loops = -1 },
                            { .place = 8,
                              .step = { K * N },
                              .extent = { K, N },
                              .stride = { 1, K },
                              .copy = { .in = true,
                                        .length = K * N * H,
                                        .count = 1,
                                        .rank = 3,
                                        .dimensions = { { K, N, 1 }, { N, 1, K }, { H, N * K, K * N } } } },
                            { .place = 11,
                              .step = { M * N },
                              .extent = { M, N },
                              .stride = { 1, M },
                              .copy = { .out = true,
                                        .length = M * N * H,
                                        .count = 1,
                                        .rank = 3,
                                        .dimensions = { { M, H * N, 1 }, { N, H, M }, { H, 1, M * N } } } } } },
    .values = { { .i = 'N' },
                { .i = 'N' },
                { .i = M },
                { .i = N },
                { .i = K },
                { .re = 1.0 },
                { .buffer = -1 },
                { .i = M },
                { .buffer = -1 },
                { .i = K },
                { .re = 0.0 },
                { .buffer = -1 },
                { .i = M } },
    .batch = { .elements = { M * K, K * N * H, M * N * H },
               .index_count = 4,
               .indices = { { M, { 1, 0, H * N } }, { K, { M, N, 0 } }, { N, { 0, 1, H } }, { H, { 0, N * K, 1 } } } }
  };
  tour_finish(made, context.kernels, "dgemm", PPI_TYPE_D);
}

Test(transposition, tours_walk_through_packed_memory) {
  static struct ppi_tour_walk walk;
  const struct ppi_tour_routines routines = { .call = tour_routine("dgemm") };
  struct tour_case made;
  double a[M * K], b[K * N * H], c[M * N * H], packed_b[K * N * H], packed_c[M * N * H];
  unsigned char *const tensors[] = { (unsigned char *)a, (unsigned char *)b, (unsigned char *)c };
  unsigned char *const packed[] = { NULL, (unsigned char *)packed_b, (unsigned char *)packed_c };
  whole_dgemm(&made);
  cr_assert_eq(ppi_tour_check(&made.batch, &error), PERFPRED_OK, "%s", error.text);
  cr_expect_eq(ppi_tour_packed_bytes(&made.tour, PPI_TYPE_D), 8 * (K * N * H + M * N * H));
  for (int i = 0; i < M * K; i++)
    a[i] = i % 5 - 2;
  for (int i = 0; i < K * N * H; i++)
    b[i] = i % 7 - 3;
  cr_assert_eq(ppi_tour_walk_make(&walk, &made.tour, &routines, tensors, packed, made.batch.elements, &error),
               PERFPRED_OK, "%s", error.text);
  ppi_tour_walk_transpose(&walk, false);
  ppi_tour_walk_run(&walk, H);
  ppi_tour_walk_transpose(&walk, true);
  cr_expect_eq(ppi_tour_residual(&made.batch, tensors, 3), 0.0);
  for (int h = 0; h < H; h++)
    for (int n = 0; n < N; n++)
      for (int m = 0; m < M; m++) {
        double sum = 0.0;
        for (int k = 0; k < K; k++)
          sum += a[m + M * k] * b[n + N * k + N * K * h];
        cr_expect_eq(c[h + H * n + H * N * m], sum);
      }
}

static double cost(void *data, const struct perfpred_virtual_call *call) {
  (void)data, (void)call;
  return 1e-6;
}

/* B has 60 elements: 8 lines are read and as many written. C has 40: 5 and 5. Windows have none of that. */
Test(transposition, virtual_times_are_exact) {
  struct tour_case made;
  struct perfpred_sampler *sampler = NULL;
  const double us = 1e-6, line = 1e-9;
  struct ppi_tour_request requests[] = { { .subject = PPI_TOUR_WHOLE, .level = -1 },
                                         { .subject = PPI_TOUR_COPY_IN, .operand = 1, .level = -1 },
                                         { .subject = PPI_TOUR_COPY_OUT, .operand = 2, .level = -1 },
                                         { .subject = PPI_TOUR_WINDOW, .timed = H, .level = -1 } };
  struct ppi_tour_result results[4] = { 0 };
  const struct ppi_sampling sampling = { .repetitions = 2 };
  cr_assert_eq(perfpred_sampler_create_virtual(&context, cost, NULL, NULL, &sampler, &error), PERFPRED_OK);
  whole_dgemm(&made);
  made.batch.requests = requests;
  made.batch.request_count = 4;
  cr_assert_eq(sampler->ops->tour(sampler, &made.batch, &sampling, results, &error), PERFPRED_OK, "%s", error.text);
  const double window = results[3].timing.times_s[0] * H;
  cr_expect_float_eq(results[1].timing.times_s[0], 16 * line, 1e-15);
  cr_expect_float_eq(results[2].timing.times_s[0], 10 * line, 1e-15);
  cr_expect_float_eq(results[0].timing.times_s[0], window + 26 * line, 1e-15);
  cr_expect_geq(window, 5 * us);
  ppi_tour_results_free(results, 4);
  perfpred_sampler_destroy(sampler);
}

Test(transposition, dimensions_travel) {
  struct tour_case made;
  struct ppi_tour_parcel parcel;
  struct ppi_wire wire = PPI_WIRE_INIT;
  whole_dgemm(&made);
  ppi_wire_start(&wire, PPI_MESSAGE_DONE);
  ppi_put_tour_batch(&wire, &made.batch);
  cr_assert_eq(ppi_get_tour_batch(&wire, context.kernels, 0, &parcel, &error), PERFPRED_OK, "%s", error.text);
  for (int o = 1; o < PPI_TOUR_OPERANDS; o++) {
    const struct ppi_tour_copy *sent = &made.tour.operands[o].copy, *got = &parcel.batch.tours[0].operands[o].copy;
    cr_expect_eq(got->rank, 3);
    cr_expect_eq(memcmp(got->dimensions, sent->dimensions, sizeof got->dimensions), 0);
  }
  ppi_tour_parcel_free(&parcel);
  ppi_wire_free(&wire);
}

#define REFUSED(change, said)                                                                                          \
  do {                                                                                                                 \
    struct tour_case made;                                                                                             \
    whole_dgemm(&made);                                                                                                \
    ppi_error_clear(&error);                                                                                           \
    struct ppi_tour_copy *copy = &made.tour.operands[1].copy;                                                          \
    change;                                                                                                            \
    cr_expect_eq(ppi_tour_check(&made.batch, &error), PERFPRED_INVALID, "%s", #change);                                \
    cr_expect_not_null(strstr(error.text, said), "%s", error.text);                                                    \
    (void)copy;                                                                                                        \
  } while (0)

Test(transposition, senseless_ones_are_refused) {
  REFUSED(copy->loops = 1, "operand B has a senseless copy");
  REFUSED(copy->rank = 17, "operand B has a senseless copy");
  REFUSED(copy->rank = -1, "operands are copied by no kernel for that");
  REFUSED(copy->count = 2, "operand B has a senseless copy");
  REFUSED(copy->length = -1, "operand B has a senseless copy");
  REFUSED(copy->length = K * N * H - 1, "operand B has a senseless copy");
  REFUSED(copy->dimensions[2].tensor = N * K + 1, "operand B has a senseless copy");
  REFUSED(copy->dimensions[2].extent = H + 1, "operand B has a senseless copy");
  REFUSED(made.tour.operands[1].step[0] = K * N + 1, "operand B leaves its tensor");
  REFUSED(made.tour.operands[2].start = 1, "operand C leaves its tensor");
  REFUSED(made.values[9].i = K + 1, "operand B is larger than its slice");
}
