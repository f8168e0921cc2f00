/* SPDX-License-Identifier: BSD-3-Clause */
/* Access distances, set-ups and counts against examples worked by hand: the dissertation's, on its machine of 6 MiB of cache. */
#include "finding.h"

#define LIMIT INT64_C(7864320) /* 1.25 times 6 MiB */
#define NORMAL PPI_OCCURRENCE_NORMAL
#define FAIL PPI_OCCURRENCE_FAIL
#define FIRST PPI_OCCURRENCE_FIRST
#define KERNEL PPI_BODY_KERNEL

static const struct ppi_occurrence_settings usual = { .limit_bytes = LIMIT };

static struct ppi_contraction first_one(void) {
  return contraction_of(PPI_TYPE_D, "ai,ibc->abc", "abci", (const int64_t[]){ 400, 400, 400, 8 });
}

static int kernel_of(const struct ppi_body *body) {
  int k = 0;
  while (body->calls[k].kind != PPI_BODY_KERNEL)
    k++;
  return k;
}

struct operand {
  int64_t bytes, line_bytes, distance, corrected;
};

static void expect_operands(const struct ppi_occurrences *all, int call, const struct operand *wanted, int count) {
  const struct ppi_body *body = &all->body;
  cr_assert_eq(body->calls[call].area_count, count);
  for (int a = 0; a < count; a++) {
    struct ppi_distance distance;
    ppi_distance_find(body, call, a, 0, &distance);
    cr_expect_eq(ppi_area_element_bytes(&body->terrain, body->calls[call].areas[a]), wanted[a].bytes, "operand %d", a);
    cr_expect_eq(ppi_area_line_bytes(&body->terrain, body->calls[call].areas[a]), wanted[a].line_bytes, "operand %d",
                 a);
    cr_expect_eq(distance.bytes, wanted[a].distance, "operand %d: %" PRId64, a, distance.bytes);
    cr_expect_eq(distance.corrected, wanted[a].corrected, "operand %d: corrected %" PRId64, a, distance.corrected);
  }
}

static void expect_counts(const struct ppi_occurrences *all, const char *wanted) {
  char text[1024];
  cr_expect_str_eq(counts_text(all, text), wanted, "found %s", text);
}

/* B[:,:,c] moves with c and not with a: from one c to the next both are touched. */
Test(occurrences, ca_dgemv_as_worked) {
  const struct ppi_contraction contraction = first_one();
  const struct ppi_occurrences all = found(&contraction, "ca-dgemv", &usual);
  cr_assert_eq(all.body.call_count, 1);
  expect_operands(&all, 0,
                  (const struct operand[]){
                      { 64, 512, 1331200, 1356800 }, { 25600, 25600, 0, 0 }, { 3200, 25600, 522265600, 522265600 } },
                  3);
  expect_counts(&all, "kernel normal 140000; kernel fail 19600; kernel first1 400");
  expect_setup(&all, KERNEL, NORMAL, 0, "");
  expect_setup(&all, KERNEL, FAIL, 0, "[6533056], A(64), [1305600], B(25600)");
  expect_setup(&all, KERNEL, FIRST, 1, "[6533056], A(64), [1331200]");
  cr_expect_eq(ppi_occurrence_prefetch(&all.body, 0, 0), PPI_PREFETCH_LINE);
  cr_expect_eq(ppi_occurrence_prefetch(&all.body, 0, 1), PPI_PREFETCH_NONE);
  cr_expect_eq(ppi_occurrence_prefetch(&all.body, 0, 2), PPI_PREFETCH_LINE);
  cr_expect_eq(kind_of(&all, KERNEL, FIRST, 1)->level, 1); /* the loop over a */
  cr_expect_eq(kind_of(&all, KERNEL, NORMAL, 0)->level, -1);
  const double total_s = ppi_occurrences_time(&all, (const double[]){ 2e-6, 5e-6, 9e-6 });
  cr_expect_float_eq(total_s, 381.6e-3, 1e-12);
  cr_expect_float_eq(contraction.flops / total_s, 2.683e9, 0.0005e9);
}

/* What was touched since. */
Test(occurrences, ca_dgemv_areas) {
  const struct ppi_contraction contraction = first_one();
  const struct ppi_occurrences all = found(&contraction, "ca-dgemv", &usual);
  const struct ppi_body *body = &all.body;
  const uint32_t *indices = body->terrain.indices, c = UINT32_C(1) << body->loops[0];
  struct ppi_distance distance;
  cr_assert_eq(contraction.index[body->loops[0]].name, 'c');
  ppi_distance_find(body, 0, 1, 0, &distance);
  cr_expect_eq(distance.areas.count, 0);
  for (int a = 0; a < 3; a += 2) {
    ppi_distance_find(body, 0, a, 0, &distance);
    cr_expect_eq(distance.end, a == 0 ? 1 : 0);
    cr_assert_eq(distance.areas.count, 3);
    for (int i = 0; i < 3; i++) {
      const struct ppi_area area = distance.areas.items[i];
      cr_expect_eq(area.open, indices[area.memory] & (a == 0 ? ~c : ~0U));
    }
  }
}

Test(occurrences, ca_dgemv_by_stages) {
  const struct ppi_contraction contraction = first_one();
  static const char *const counts[] = { "",
                                        "kernel normal 160000",
                                        "kernel normal 160000",
                                        "kernel normal 160000",
                                        "kernel normal 140000; kernel fail 20000",
                                        "kernel normal 140000; kernel fail 19600; kernel first1 400" };
  static const char *const setups[] = { "", "", "[6533056], A(64), [1305600], B(25600)", "", "", "" };
  for (int stage = 1; stage <= 5; stage++) {
    struct ppi_occurrence_settings settings = usual;
    settings.stage = (enum perfpred_contraction_stage)stage;
    const struct ppi_occurrences all = found(&contraction, "ca-dgemv", &settings);
    expect_counts(&all, counts[stage]);
    expect_setup(&all, KERNEL, NORMAL, 0, setups[stage]);
  }
}

Test(occurrences, ca_dgemv_in_other_ways) {
  const struct ppi_contraction contraction = first_one();
  struct ppi_occurrence_settings settings = usual;
  settings.stage = PERFPRED_CONTRACTION_STAGE_DISTANCES;
  settings.limit_bytes = INT64_MAX;
  struct ppi_occurrences all = found(&contraction, "ca-dgemv", &settings);
  expect_setup(&all, KERNEL, NORMAL, 0, "C(3200), [520934336], A(64), [1305600], B(25600)");
  settings.limit_bytes = LIMIT;
  settings.whole_lines = true;
  all = found(&contraction, "ca-dgemv", &settings);
  expect_setup(&all, KERNEL, NORMAL, 0, "[6532608], A(512), [1305600], B(25600)");
  settings.whole_lines = false;
  settings.corrected = true;
  all = found(&contraction, "ca-dgemv", &settings);
  expect_setup(&all, KERNEL, NORMAL, 0, "[6507456], A(64), [1331200], B(25600)");
  settings.limit_bytes = 0; /* all but B are beyond it */
  all = found(&contraction, "ca-dgemv", &settings);
  expect_setup(&all, KERNEL, NORMAL, 0, "");
}

Test(occurrences, ci_dger_as_worked) {
  const struct ppi_contraction contraction = first_one();
  const struct ppi_occurrences all = found(&contraction, "ci-dger", &usual);
  const int kernel = kernel_of(&all.body);
  expect_operands(&all, kernel,
                  (const struct operand[]){ { 3200, 3200, 1331200, 2611200 },
                                            { 3200, 25600, 522265600, 522265600 },
                                            { 1280000, 1280000, 0, 0 } },
                  3);
  expect_counts(&all, "zero normal 1; kernel normal 2800; kernel first1 400"); /* i: one line, so nothing fails */
  cr_expect_eq(ppi_occurrence_prefetch(&all.body, kernel, 0), PPI_PREFETCH_NEXT);
  cr_expect_eq(ppi_occurrence_prefetch(&all.body, kernel, 1), PPI_PREFETCH_LINE);
  cr_expect_eq(ppi_occurrence_prefetch(&all.body, kernel, 2), PPI_PREFETCH_NONE);
  expect_setup(&all, KERNEL, NORMAL, 0, "A(3200), [47936], C(1280000), B(3200), A-line(64)");
  expect_setup(&all, KERNEL, FIRST, 1, "[6529920], A(3200), [1331200]");
  const struct ppi_contract_setup *setup = &kind_of(&all, KERNEL, NORMAL, 0)->setup;
  cr_expect_eq(setup->items[4].extent[0], 8); /* elements of A along a */
  cr_expect_eq(setup->items[4].extent[1], 0);
}

/* Contraction 3: a slice of A is copied inside of i, slices of B inside of two loops. */
static struct ppi_contraction third_one(void) {
  return contraction_of(PPI_TYPE_D, "ija,jbic->abc", "ijabc", (const int64_t[]){ 8, 8, 100, 100, 100 });
}

static int64_t copies_in(const struct ppi_occurrences *all) {
  int64_t sum = 0;
  for (int i = 0; i < all->count; i++)
    if (all->body.calls[all->items[i].call].kind == PPI_BODY_COPY_IN)
      sum += all->items[i].count;
  return sum;
}

Test(occurrences, copies_of_the_third_contraction) {
  static const struct {
    const char *name;
    int64_t copies;
  } cases[] = { { "i'c-dgemm", 8 },   { "i'b-dgemm", 8 },   { "ci'-dgemm", 800 }, { "bi'-dgemm", 800 },
                { "jc'-dgemm", 800 }, { "cj'-dgemm", 800 }, { "jb'-dgemm", 800 }, { "bj'-dgemm", 800 } };
  const struct ppi_contraction contraction = third_one();
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const struct ppi_occurrences all = found(&contraction, cases[i].name, &usual);
    cr_expect_eq(copies_in(&all), cases[i].copies, "%s: %" PRId64, cases[i].name, copies_in(&all));
  }
}

/* Loops i, c around the kernel with j, a, b: A[i,:,:] (6400 bytes) is copied inside of i, to as many packed ones. All of A 51200, of B
   5120000, of C 8000000; B[:,:,i,:] 640000. */
Test(occurrences, copy_outside_of_the_inner_loop) {
  const struct ppi_contraction contraction = third_one();
  const struct ppi_occurrences all = found(&contraction, "i'c-dgemm", &usual);
  cr_assert_eq(all.body.call_count, 3);
  cr_assert_eq(all.body.calls[1].kind, PPI_BODY_COPY_IN);
  const int64_t everything = 51200 + 6400 + 5120000 + 8000000;
  expect_operands(&all, 0, (const struct operand[]){ { 8000000, 8000000, everything, everything } }, 1);
  expect_operands(&all, 1, (const struct operand[]){ { 6400, 51200, everything, everything }, { 6400, 6400, 0, 0 } },
                  2);
  /* C: from one i to the next B[:,:,i,:], the copy and A[i,:,:], each part once */
  const int64_t around = 6400 + 640000 + 8000000 + 6400;
  expect_operands(&all, 2,
                  (const struct operand[]){
                      { 6400, 6400, 0, 0 }, { 6400, 6400, everything, everything }, { 80000, 80000, around, around } },
                  3);
  expect_counts(&all, "zero normal 1; in A normal 7; in A first1 1; kernel normal 792; kernel first1 8");
  expect_setup(&all, KERNEL, NORMAL, 0, "[7857920], A'(6400)");
  /* A[i,:,:] shares lines with the one before, but all iterations over c lie between; in the first one C has just been filled */
  expect_setup(&all, PPI_BODY_COPY_IN, NORMAL, 0, "[7857920], A'(6400)");
  expect_setup(&all, PPI_BODY_COPY_IN, FIRST, 1, "[7864320]");
  expect_setup(&all, KERNEL, FIRST, 1, "[7857920], A'(6400)");
}

/* Loops c, i; the copy stands in the body of i, right before the kernel. */
Test(occurrences, copy_beside_the_kernel) {
  const struct ppi_contraction contraction = third_one();
  const struct ppi_occurrences all = found(&contraction, "ci'-dgemm", &usual);
  cr_assert_eq(all.body.call_count, 3);
  /* C[:,:,c] stands still: A[i,:,:] and its copy lie between; A: from one c to the next the kernel's C of both, of which it has no i */
  const int64_t between = 51200 + 6400 + 51200 + 80000;
  expect_operands(
      &all, 2,
      (const struct operand[]){ { 6400, 6400, 0, 0 },
                                { 6400, 6400, 51200 + 6400 + 5120000 + 8000000, 51200 + 6400 + 5120000 + 8000000 },
                                { 80000, 80000, 12800, 12800 } },
      3);
  expect_operands(&all, 1, (const struct operand[]){ { 6400, 51200, between, between + 80000 }, { 6400, 6400, 0, 0 } },
                  2);
  expect_counts(&all, "zero normal 1; in A normal 700; in A first1 100; kernel normal 700; kernel first1 100");
  /* A[i,:,:] shares its lines with that of the iteration before, since when the kernel ran: B[:,:,i,c], C[:,:,c] and the copy */
  expect_setup(&all, PPI_BODY_COPY_IN, NORMAL, 0, "A(6400), [86400], A'(6400)");
}

/* The output is copied where its stride-1 index is a loop: in, and out behind the kernel, which then touches the copy alone. */
Test(occurrences, output_in_and_out) {
  const struct ppi_contraction contraction =
      contraction_of(PPI_TYPE_D, "hak,hbk->hab", "habk", (const int64_t[]){ 40, 10, 10, 10 });
  const struct ppi_occurrences all = found(&contraction, "h'''-dgemm", &usual);
  static const enum ppi_body_kind kinds[] = { PPI_BODY_COPY_IN, PPI_BODY_COPY_IN, PPI_BODY_COPY_IN, PPI_BODY_KERNEL,
                                              PPI_BODY_COPY_OUT };
  const int64_t slice = 800, tensor = 32000;
  cr_assert_eq(all.body.call_count, 5);
  for (int i = 0; i < 5; i++)
    cr_expect_eq(all.body.calls[i].kind, kinds[i], "call %d", i);
  /* copies are used at once, but for A's and B's: what the copies after them touch lies between */
  expect_operands(&all, 3,
                  (const struct operand[]){ { slice, 832, 4 * slice, 4 * slice },
                                            { slice, 832, 2 * slice, 2 * slice },
                                            { slice, 832, 0, 0 } },
                  3);
  expect_operands(&all, 4, (const struct operand[]){ { slice, 6400, 3 * slice, 3 * slice }, { slice, 832, 0, 0 } }, 2);
  /* A[h,:,:] of the next execution: all */
  const int64_t everything = 3 * tensor + 3 * slice;
  expect_operands(
      &all, 0,
      (const struct operand[]){ { slice, 6400, everything, everything }, { slice, 832, 2 * slice, 2 * slice } }, 2);
  expect_counts(&all, "in A normal 35; in A fail 4; in A first1 1; in B normal 35; in B fail 4; in B first1 1; in C "
                      "normal 35; in C fail 4; in C first1 1; kernel normal 39; kernel first1 1; out normal 35; out "
                      "fail 4; out first1 1");
}

/* Loops of 1 iteration are no loops: the same analysis as without them. */
Test(occurrences, loops_of_one_iteration) {
  const struct ppi_contraction with =
      contraction_of(PPI_TYPE_D, "aix,ibcx->abcx", "abcix", (const int64_t[]){ 400, 400, 400, 8, 1 });
  static const char *const names[] = { "xca-dgemv", "cxa-dgemv", "cax-dgemv" };
  const int levels[] = { 2, 2, 1 };
  for (int i = 0; i < 3; i++) {
    const struct ppi_occurrences all = found(&with, names[i], &usual);
    expect_counts(&all, "kernel normal 140000; kernel fail 19600; kernel first1 400");
    expect_setup(&all, KERNEL, FAIL, 0, "[6533056], A(64), [1305600], B(25600)");
    expect_setup(&all, KERNEL, FIRST, 1, "[6533056], A(64), [1331200]");
    cr_expect_eq(kind_of(&all, KERNEL, FIRST, 1)->level, levels[i], "%s", names[i]);
  }
}

Test(occurrences, nothing_to_do) {
  const struct ppi_contraction loop =
      contraction_of(PPI_TYPE_D, "ai,ibc->abc", "abci", (const int64_t[]){ 10, 10, 0, 8 });
  struct ppi_occurrences all = found(&loop, "ca-dgemv", &usual);
  cr_expect_eq(all.count, 0);
  cr_expect_eq(ppi_occurrences_time(&all, NULL), 0.0);
  const struct ppi_contraction vector =
      contraction_of(PPI_TYPE_D, "ai,ibc->abc", "abci", (const int64_t[]){ 10, 0, 10, 8 });
  all = found(&vector, "ca-dgemv", &usual); /* calls of nothing, but for A */
  expect_counts(&all, "kernel normal 80; kernel fail 10; kernel first1 10");
  expect_setup(&all, KERNEL, FAIL, 0, "A(64), [640]");
  const struct ppi_contraction sum =
      contraction_of(PPI_TYPE_D, "ai,ibc->abc", "abci", (const int64_t[]){ 10, 10, 10, 0 });
  all = found(&sum, "ci-dger", &usual);
  expect_counts(&all, "zero normal 1"); /* C is zero all the same */
}

/* Without loops the kernel is executed again and again. */
Test(occurrences, no_loops) {
  const struct ppi_contraction contraction =
      contraction_of(PPI_TYPE_Z, "ai,ib->ab", "abi", (const int64_t[]){ 300, 300, 300 });
  const struct ppi_occurrences all = found(&contraction, "zgemm", &usual);
  expect_counts(&all, "kernel normal 1");
  expect_setup(&all, KERNEL, NORMAL, 0, "");
  expect_operands(
      &all, 0,
      (const struct operand[]){ { 1440000, 1440000, 0, 0 }, { 1440000, 1440000, 0, 0 }, { 1440000, 1440000, 0, 0 } },
      3);
}

/* A batch index moves all three: the loop over it ends no search but that of nothing. */
Test(occurrences, batch_index) {
  const struct ppi_contraction contraction =
      contraction_of(PPI_TYPE_S, "ijq,jkq->ikq", "ijkq", (const int64_t[]){ 32, 32, 32, 50 });
  const struct ppi_occurrences all = found(&contraction, "q-sgemm", &usual);
  const int64_t tensor = 32 * 32 * 50 * 4;
  for (int a = 0; a < 3; a++) {
    struct ppi_distance distance;
    ppi_distance_find(&all.body, 0, a, 0, &distance);
    cr_expect_eq(distance.bytes, 3 * tensor);
    cr_expect_eq(distance.corrected, 3 * tensor);
    cr_expect_eq(distance.end, 0);
    ppi_distance_find(&all.body, 0, a, 1, &distance);
    cr_expect_eq(distance.bytes, 3 * tensor);
  }
  expect_counts(&all, "kernel normal 49; kernel first1 1");
}

/* Elements of a line: 16, 8, 8, 4. n1 = 400 has so many lines. */
Test(occurrences, failures_by_type) {
  static const char *const names[] = { "ca-sgemv", "ca-dgemv", "ca-cgemv", "ca-zgemv" };
  static const enum ppi_type types[] = { PPI_TYPE_S, PPI_TYPE_D, PPI_TYPE_C, PPI_TYPE_Z };
  static const int64_t failures[] = { 24 * 400, 49 * 400, 49 * 400, 99 * 400 };
  for (int i = 0; i < 4; i++) {
    const struct ppi_contraction contraction =
        contraction_of(types[i], "ai,ibc->abc", "abci", (const int64_t[]){ 400, 400, 400, 8 });
    const struct ppi_occurrences all = found(&contraction, names[i], &usual);
    cr_expect_eq(kind_of(&all, KERNEL, FAIL, 0)->count, failures[i], "%s", names[i]);
  }
}

/* Every second element: a line has 4 of A, 8 of C, and the operand that goes on first counts. Neighbours a line apart share none. */
Test(occurrences, strides) {
  static const char *const names[] = { "a", "b", "i" };
  static const int64_t extents[] = { 400, 30, 8 }, near[] = { 2, 800 }, far[] = { 8, 3200 };
  struct ppi_contract_given given = {
    .type = PPI_TYPE_D, .names = names, .extents = extents, .count = 3, .strides = { near }
  };
  struct ppi_contraction contraction;
  cr_assert_eq(ppi_contraction_read("ai,ib->ab", &given, &contraction, NULL), PERFPRED_OK);
  struct ppi_occurrences all = found(&contraction, "a-dgemv", &usual);
  expect_counts(&all, "kernel normal 300; kernel fail 99; kernel first1 1");
  cr_expect_eq(ppi_area_line_bytes(&all.body.terrain, all.body.calls[0].areas[0]), 8 * 64);
  cr_expect_eq(ppi_area_line_bytes(&all.body.terrain, (struct ppi_area){ 0, all.body.terrain.indices[0] }),
               8 * 400 * 16); /* nothing but gaps shorter than a line */
  given.strides[0] = far;
  cr_assert_eq(ppi_contraction_read("ai,ib->ab", &given, &contraction, NULL), PERFPRED_OK);
  all = found(&contraction, "a-dgemv", &usual);
  cr_expect_eq(ppi_occurrence_prefetch(&all.body, 0, 0), PPI_PREFETCH_NONE);
  expect_counts(&all, "kernel normal 350; kernel fail 49; kernel first1 1");
}

/* First iterations of more loops: as long as they are more than one of a hundred calls. */
Test(occurrences, first_iterations_of_several_loops) {
  const int64_t extents[] = { 3, 11, 3, 5 };
  const struct ppi_contraction contraction = contraction_of(PPI_TYPE_D, "ai,ibc->abc", "abci", extents);
  /* innermost a (3), then b (11), then c (3): 3, 33, 99, all of them less than 100 */
  struct ppi_occurrences all = found(&contraction, "cba-ddot", &usual);
  expect_counts(&all, "kernel normal 66; kernel first1 30; kernel first2 2; kernel first3 1");
  const int64_t more[] = { 3, 12, 3, 5 }; /* 3, 36, 108 */
  const struct ppi_contraction longer = contraction_of(PPI_TYPE_D, "ai,ibc->abc", "abci", more);
  all = found(&longer, "cba-ddot", &usual);
  expect_counts(&all, "kernel normal 72; kernel first1 33; kernel first2 3");
  cr_expect_eq(kind_of(&all, KERNEL, FIRST, 2)->level, 1);
}

/* Each tensor fits into 63 bits, lines of its elements do not. */
Test(occurrences, sizes_do_not_wrap) {
  const int64_t huge = INT64_C(1) << 29;
  const struct ppi_contraction contraction =
      contraction_of(PPI_TYPE_D, "ai,ib->ab", "abi", (const int64_t[]){ huge, huge, 8 });
  const struct ppi_contract_algorithm algorithm = algorithm_of(&contraction, "a-dgemv");
  struct ppi_occurrences all;
  struct perfpred_error error;
  ppi_error_clear(&error);
  cr_assert_eq(ppi_occurrences_find(&contraction, &algorithm, &usual, &all, &error), PERFPRED_OVERFLOW);
  cr_expect_not_null(strstr(error.text, "tensors"), "%s", error.text);
  /* loops of 2^66 iterations around tensors that are small enough */
  const int64_t wide = INT64_C(1) << 22;
  const struct ppi_contraction loops =
      contraction_of(PPI_TYPE_D, "akj,kbj->ab", "abkj", (const int64_t[]){ wide, wide, wide, 2 });
  const struct ppi_contract_algorithm dot = algorithm_of(&loops, "abk-ddot");
  ppi_error_clear(&error);
  cr_assert_eq(ppi_occurrences_find(&loops, &dot, &usual, &all, &error), PERFPRED_OVERFLOW);
  cr_expect_not_null(strstr(error.text, "iterations"), "%s", error.text);
}

/* Lines of an area: blocks that begin anywhere have one line more than blocks that begin at one. */
Test(occurrences, lines_of_areas) {
  const struct ppi_contraction contraction =
      contraction_of(PPI_TYPE_D, "ai,ib->ab", "abi", (const int64_t[]){ 12, 3, 5 });
  const struct ppi_occurrences all = found(&contraction, "i-dger", &usual);
  const struct ppi_terrain *terrain = &all.body.terrain;
  const uint32_t a = UINT32_C(1) << contraction.tensor[0].dimension[0], i = UINT32_C(1)
                                                                            << contraction.tensor[0].dimension[1];
  cr_expect_eq(ppi_area_line_bytes(terrain, (struct ppi_area){ 0, 0 }), 64);
  cr_expect_eq(ppi_area_line_bytes(terrain, (struct ppi_area){ 0, a }), 128);     /* 96 bytes, at 0 or 32 of a line */
  cr_expect_eq(ppi_area_line_bytes(terrain, (struct ppi_area){ 0, i }), 5 * 64);  /* 96 bytes apart, a gap of 88 */
  cr_expect_eq(ppi_area_line_bytes(terrain, (struct ppi_area){ 0, a | i }), 512); /* 480 bytes from the first one on */
  cr_expect_eq(ppi_area_element_bytes(terrain, (struct ppi_area){ 0, a | i }), 480);
  const struct ppi_contraction odd = contraction_of(PPI_TYPE_D, "ai,ib->ab", "abi", (const int64_t[]){ 15, 3, 5 });
  const struct ppi_occurrences other = found(&odd, "i-dger", &usual);
  int64_t sum = 0; /* 120 bytes that may begin at any multiple of 8: 2 lines or 3 */
  for (int64_t begin = 0; begin < 64; begin += 8)
    sum += (begin + 120 + 63) / 64 * 64;
  cr_expect_eq(sum / 8, 176);
  cr_expect_eq(ppi_area_line_bytes(&other.body.terrain, (struct ppi_area){ 0, a }), 176);
}

/* X, Y with some indices in common: |X| + |Y| - |X and Y|; what lies within another one adds nothing. */
Test(occurrences, unions) {
  const struct ppi_contraction contraction =
      contraction_of(PPI_TYPE_D, "abc,cd->abd", "abcd", (const int64_t[]){ 2, 3, 5, 7 });
  const struct ppi_occurrences all = found(&contraction, "abd-ddot", &usual);
  uint32_t open[3];
  for (int d = 0; d < 3; d++)
    open[d] = UINT32_C(1) << contraction.tensor[0].dimension[d];
  struct ppi_areas areas = { .count = 0 };
  ppi_areas_add(&areas, (struct ppi_area){ 0, open[0] | open[1] });
  ppi_areas_add(&areas, (struct ppi_area){ 0, open[1] });
  cr_expect_eq(areas.count, 1);
  ppi_areas_add(&areas, (struct ppi_area){ 0, open[1] | open[2] });
  cr_expect_eq(ppi_areas_size(&all.body.terrain, &areas, ~0U), 8 * (6 + 15 - 3));
  ppi_areas_add(&areas, (struct ppi_area){ 0, open[0] | open[2] }); /* three planes of a box of 30 */
  cr_expect_eq(ppi_areas_size(&all.body.terrain, &areas, ~0U), 8 * (30 - 1 * 2 * 4));
  ppi_areas_add(&areas, (struct ppi_area){ 0, open[0] | open[1] | open[2] });
  cr_expect_eq(areas.count, 1);
  ppi_areas_add(&areas, (struct ppi_area){ 1, 0 });
  cr_expect_eq(ppi_areas_size(&all.body.terrain, &areas, ~0U), 8 * 31);
  cr_expect_eq(ppi_areas_size(&all.body.terrain, &areas, 2U), 8);
}
