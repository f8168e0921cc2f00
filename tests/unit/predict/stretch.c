/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops whose steps are summed many at a time: against sums worked by hand, and against the same calls one by one. */
#include "predict/stretch.h"
#include "fixture.h"

static struct fixture world;

/* dline has three pieces, cut at 300 and 700, each a parabola of its own, the last one of sizes that are padded to multiples of 8. */
static void add_pieces(void) {
  static const struct ppi_split splits[] = {
    { 0, 300, 1, 2, -1 }, { -1, 0, 0, 0, 0 }, { 0, 700, 3, 4, -1 }, { -1, 0, 0, 0, 1 }, { -1, 0, 0, 0, 2 }
  };
  static const int64_t bounds[] = { 1, 300, 700, 1000 };
  struct ppi_submodel submodel;
  memset(&submodel, 0, sizeof submodel);
  submodel.kernel = ppi_kernel_ref(ppi_kernels_find(world.kernels, "dline"));
  submodel.dimensions = 1;
  submodel.lower[0] = 1;
  submodel.upper[0] = 1000;
  submodel.split_count = 5;
  submodel.piece_count = 3;
  submodel.splits = malloc(sizeof splits);
  memcpy(submodel.splits, splits, sizeof splits);
  submodel.pieces = calloc(3, sizeof *submodel.pieces);
  for (int i = 0; i < 3; i++) {
    struct ppi_piece *piece = &submodel.pieces[i];
    piece->lower[0] = bounds[i];
    piece->upper[0] = bounds[i + 1];
    piece->degrees[0] = 2;
    ppi_piece_scale(piece, 1);
    piece->tiles.tile[0] = i == 2 ? 8 : 0;
    piece->tiles.padding[0] = i == 2 ? 0.5 : 0.0;
    piece->error = 0.01 * (i + 1);
    piece->coefficients = calloc((size_t)(PPI_STATISTICS * piece->count), sizeof *piece->coefficients);
    for (int s = 0; s < PPI_STATISTICS; s++) {
      piece->coefficients[s * piece->count] = 1e-3 * (10.0 * i + 3.0 + s);
      piece->coefficients[s * piece->count + 1] = 1e-4 * (s + 1);
      piece->coefficients[s * piece->count + 2] = 1e-5 * (7 - s);
    }
  }
  cr_assert_eq(ppi_case_parse(submodel.kernel, "1", submodel.values, NULL), PERFPRED_OK);
  strcpy(submodel.case_text, "1");
  cr_assert_eq(ppi_models_append(world.models, &submodel, NULL), PERFPRED_OK);
}

static void begin(void) {
  fixture_begin(&world);
  fixture_models(&world);
  add_pieces();
}

static void finish(void) {
  fixture_end(&world);
}

TestSuite(stretch, .init = begin, .fini = finish);

#define ALGORITHM(body)                                                                                                \
  "perfpred-text 1\nalgorithm a(n, b)\n  inout A: double matrix[n, n]\n  inout x: double vector[n]\n" body "end\n"

static struct perfpred_plan *plan_of(const char *text) {
  struct perfpred_program *program = fixture_program(&world, text);
  struct perfpred_plan *plan = fixture_plan(&world, program, NULL);
  perfpred_program_unref(program);
  return plan;
}

Test(stretch, sums_of_a_hundred_steps) {
  struct perfpred_plan *plan = fixture_plan(&world, ppi_programs_find(world.programs, "steps"), NULL);
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  cr_assert_eq(perfpred_plan_predict(plan, (int64_t[]){ 1000, 10 }, 2, &prediction, NULL), PERFPRED_OK);
  /* dpart: 100 times 10^2; dfill: 10 times 990 + 980 + ... + 0 */
  cr_assert_near(prediction.time_s.med, 505000e-6);
  cr_assert_near(prediction.time_s.min, MIN_SHARE * 505000e-6);
  cr_assert_near(prediction.time_s.max, MAX_SHARE * 505000e-6);
  cr_assert_near(prediction.time_s.mean, MEAN_SHARE * 505000e-6);
  /* squares: 100 times 100^2, and 100^2 times 1 + 4 + ... + 99^2 = 328350 */
  cr_assert_near(prediction.time_s.std, STD_SHARE * sqrt(3284500000.0) * 1e-6);
  cr_assert_near(prediction.model_error, (10000 * 0.04 + 495000 * 0.02) / 505000);
  cr_assert_eq(prediction.calls, 200);
  cr_assert_eq(prediction.warm_calls, 199, "one has nothing to do");
  cr_assert_eq(prediction.notes, 0);
  perfpred_plan_destroy(plan);
}

/* A limit is met as it is call by call: the first of the two makes its last step with a block of 1. */
Test(stretch, ends_where_the_domain_does) {
  struct perfpred_plan *plan = plan_of(ALGORITHM("  for i in 0:n by b as w\n    dfill(i + w, 1, A[0, 0])\n  end\n"));
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  struct perfpred_error error;
  cr_assert_near(predicted(plan, (int64_t[]){ 1000, 1 }, 2), 500500e-6);
  cr_assert_eq(perfpred_plan_predict(plan, (int64_t[]){ 1001, 1 }, 2, &prediction, &error), PERFPRED_OUT_OF_DOMAIN);
  cr_assert_str_eq(error.text, "a: dfill() of m = 1001, n = 1 is above the domain of its model, [1, 1000] x [1, 1000]");
  perfpred_plan_destroy(plan);
}

Test(stretch, a_negative_size_is_refused_in_its_step) {
  struct perfpred_plan *plan = plan_of(ALGORITHM("  for i in 0:n\n    dfill(900 - i, 1, A[0, 0])\n  end\n"));
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  struct perfpred_error error;
  cr_assert_near(predicted(plan, (int64_t[]){ 901, 1 }, 2), 405450e-6);
  cr_assert_eq(perfpred_plan_predict(plan, (int64_t[]){ 902, 1 }, 2, &prediction, &error), PERFPRED_INVALID);
  cr_assert_str_eq(error.text, "a: m of a call of dfill is -1; expected at least 0");
  perfpred_plan_destroy(plan);
}

/* --- One by one ---------------------------------------------------------------------------------------------------- */

struct seen {
  struct perfpred_statistics time_s; /* std: squares */
  double error_s;
  uint64_t calls;
};

static bool see(void *data, const struct ppi_plan_watched *watched) {
  struct seen *seen = data;
  const struct perfpred_statistics *time_s = &watched->estimate->time_s;
  seen->time_s.min += time_s->min;
  seen->time_s.med += time_s->med;
  seen->time_s.max += time_s->max;
  seen->time_s.mean += time_s->mean;
  seen->time_s.std += time_s->std * time_s->std;
  seen->error_s += ppi_estimate_error_s(watched->estimate);
  seen->calls++;
  return true;
}

static void compare(const char *text, int64_t n, int64_t b) {
  struct perfpred_plan *plan = plan_of(text);
  const int64_t values[] = { n, b };
  struct seen seen = { .calls = 0 };
  struct ppi_plan_sum sum, watched;
  double median_s;
  unsigned notes;
  cr_assert_eq(ppi_plan_sum(plan, values, 2, &sum, NULL), PERFPRED_OK);
  cr_assert_eq(ppi_plan_median(plan, values, 2, INFINITY, &median_s, &notes, NULL), PERFPRED_OK);
  cr_assert(median_s == sum.time_s.med && notes == sum.notes, "the median alone is another one");
  cr_assert_eq(ppi_plan_sum_watched(plan, values, 2, &(struct ppi_plan_watcher){ see, &seen }, &watched, NULL),
               PERFPRED_OK);
  cr_assert_eq(memcmp(&watched, &sum, sizeof sum), 0, "being watched changes a sum");
  cr_assert_near(sum.time_s.min, seen.time_s.min);
  cr_assert_near(sum.time_s.med, seen.time_s.med);
  cr_assert_near(sum.time_s.max, seen.time_s.max);
  cr_assert_near(sum.time_s.mean, seen.time_s.mean);
  cr_assert_near(sum.time_s.std, sqrt(seen.time_s.std));
  cr_assert_near(sum.error_s, seen.error_s);
  cr_assert_eq(sum.warm_calls, seen.calls);
  cr_assert(sum.time_s.med > 0.0);
  cr_assert_eq(ppi_plan_median(plan, values, 2, 0.9 * median_s, &median_s, &notes, NULL), PERFPRED_CANCELLED);
  perfpred_plan_destroy(plan);
}

static const char *const bodies[] = {
  ALGORITHM("  for i in 0:n by b as w\n    dpart(L, w, A[i, i])\n    dline(n - i, x[i])\n  end\n"),
  ALGORITHM("  for i in 0:n down by b as w\n    dline(i + w, x[0])\n    dfill(w, i, A[i, 0])\n  end\n"),
  ALGORITHM(
      "  for i in 0:n by b as w short first\n    let r = n - i - w\n    let q = r + w\n    dline(q, x[i])\n  end\n"),
  /* conditions that turn, one to each side, and one inside of another */
  ALGORITHM("  for i in 0:n by b as w\n    let r = n - i - w\n    if r > 400\n      dline(r, x[0])\n      if i >= 200\n"
            "        dfill(w, i, A[0, 0])\n      end\n    else\n      dpart(L, w, A[i, i])\n    end\n  end\n"),
  /* an inner loop with calls that stay */
  ALGORITHM("  for i in 0:n by b as w\n    for j in 0:w\n      dline(n - i, x[0])\n    end\n    dfill(n, w, A[0, 0])\n "
            " end\n"),
  /* two sizes that change, against each other; a step of 3 */
  ALGORITHM("  for i in 0:n by 3 as w\n    dfill(i, n - i, A[i, 0])\n    dline(1000 - i, x[0])\n  end\n"),
  /* conditions and values that are not affine */
  ALGORITHM("  for i in 0:n by b as w\n    let r = min(n - i, 500)\n    dline(r, x[0])\n    if i % 2 == 0\n"
            "      dpart(L, w, A[0, 0])\n    end\n  end\n"),
};

Test(stretch, sums_are_those_of_the_calls_one_by_one) {
  static const int64_t n[] = { 1000, 997, 64, 7 }, b[] = { 1, 8, 13, 64, 250 };
  for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++)
    for (size_t k = 0; k < sizeof n / sizeof n[0]; k++)
      for (size_t l = 0; l < sizeof b / sizeof b[0]; l++)
        compare(bodies[i], n[k], b[l]);
}

/* That stretches are made at all. */
Test(stretch, of_which_loops) {
  static const bool wanted[] = { true, true, true, true, false, true, false };
  for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
    struct perfpred_plan *plan = plan_of(bodies[i]);
    cr_assert_eq(plan->routines->body->stretches, wanted[i], "%zu", i);
    cr_assert(i != 4 || plan->routines->body->body->stretches, "the inner one");
    perfpred_plan_destroy(plan);
  }
}

Test(stretch, up_to_where_a_condition_turns) {
  struct perfpred_plan *plan = plan_of(bodies[3]);
  int64_t slots[PPI_SLOT_MAX] = { 1000, 10 };
  struct ppi_stretch stretch;
  struct ppi_stretch_start start = { .loop = plan->routines->body, .outermost = true, .slope = 10, .count = 100 };
  slots[start.loop->node->width_slot] = 10;
  /* r = 990 - i > 400 for i < 590; i >= 200 from 200 on */
  cr_assert(ppi_stretch_find(&start, slots, &stretch));
  cr_assert(stretch.count == 20 && stretch.call_count == 1, "%lld", (long long)stretch.count);
  cr_assert(stretch.calls[0].row.sizes[0] == 990 && stretch.calls[0].row.slopes[0] == -10);
  start.start = 200;
  start.count = 80;
  cr_assert(ppi_stretch_find(&start, slots, &stretch));
  cr_assert(stretch.count == 39 && stretch.call_count == 2, "%lld", (long long)stretch.count);
  start.start = 590;
  start.count = 41;
  cr_assert(ppi_stretch_find(&start, slots, &stretch));
  cr_assert(stretch.count == 41 && stretch.call_count == 1);
  start.count = PPI_STRETCH_LEAST - 1;
  cr_assert_not(ppi_stretch_find(&start, slots, &stretch));
  slots[0] = INT64_MAX;
  start.count = 41;
  cr_assert_not(ppi_stretch_find(&start, slots, &stretch), "sums that may overflow");
  perfpred_plan_destroy(plan);
}
