/* SPDX-License-Identifier: BSD-3-Clause */
/* What programs need modelled, against boxes derived by hand. */
#include "api/derive.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "predict/plan.h"
#include "program/registry.h"

#define CHOLESKY(name, calls)                                                                                          \
  "perfpred-text 1\nalgorithm " name "(n, b)\n  inout A: double spd triangle(L)[n]\n  for i in 0:n by b as w\n"        \
  "    let r = n - i - w\n" calls "  end\nend\n"

static const char bordered[] = CHOLESKY("one", "    dtrsm(R, L, T, N, w, i, 1, A[0, 0], A[i, 0])\n"
                                               "    dsyrk(L, N, w, i, -1, A[i, 0], 1, A[i, i])\n"
                                               "    dpotf2(L, w, A[i, i])\n");
static const char left_looking[] = CHOLESKY("two", "    dsyrk(L, N, w, i, -1, A[i, 0], 1, A[i, i])\n"
                                                   "    dgemm(N, T, r, w, i, -1, A[i+w, 0], A[i, 0], 1, A[i+w, i])\n"
                                                   "    dpotf2(L, w, A[i, i])\n"
                                                   "    dtrsm(R, L, T, N, r, w, 1, A[i, i], A[i+w, i])\n");
static const char right_looking[] = CHOLESKY("three", "    dpotf2(L, w, A[i, i])\n"
                                                      "    dtrsm(R, L, T, N, r, w, 1, A[i, i], A[i+w, i])\n"
                                                      "    dsyrk(L, N, r, w, -1, A[i+w, i], 1, A[i+w, i+w])\n");

struct box {
  const char *kernel, *case_text;
  int64_t lower[3], upper[3];
};

static struct ppi_kernels *kernels;
static struct ppi_programs *programs;

static void begin(void) {
  cr_assert_eq(ppi_kernels_create(&kernels, NULL), PERFPRED_OK);
  cr_assert_eq(ppi_programs_create(kernels, &programs, NULL), PERFPRED_OK);
}

static void finish(void) {
  ppi_programs_destroy(programs);
  ppi_kernels_destroy(kernels);
}

TestSuite(derive, .init = begin, .fini = finish);

static struct perfpred_program *parse(const char *text) {
  struct perfpred_program *program = NULL;
  struct perfpred_error error;
  ppi_error_clear(&error);
  cr_assert_eq(ppi_program_parse(programs, kernels, text, strlen(text), "test", &program, &error), PERFPRED_OK, "%s",
               error.text);
  return program;
}

static void check_box(const struct ppi_target *targets, size_t count, const struct box *box) {
  char case_text[PPI_CASE_MAX];
  for (size_t i = 0; i < count; i++) {
    ppi_case_format(targets[i].kernel, targets[i].values, case_text);
    if (strcmp(targets[i].kernel->name, box->kernel) != 0 || strcmp(case_text, box->case_text) != 0)
      continue;
    for (int d = 0; d < targets[i].kernel->size_count; d++)
      cr_assert(targets[i].lower[d] == box->lower[d] && targets[i].upper[d] == box->upper[d],
                "%s(%s), size %d: [%ld, %ld], expected [%ld, %ld]", box->kernel, case_text, d,
                (long)targets[i].lower[d], (long)targets[i].upper[d], (long)box->lower[d], (long)box->upper[d]);
    return;
  }
  cr_assert(0, "no target %s(%s)", box->kernel, box->case_text);
}

static void check(const char *text, int64_t n_lower, int64_t n_upper, int64_t b_lower, int64_t b_upper,
                  const struct box *boxes, size_t box_count) {
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  options.n_lower = n_lower;
  options.n_upper = n_upper;
  options.b_lower = b_lower;
  options.b_upper = b_upper;
  struct perfpred_program *program = parse(text);
  const struct perfpred_program *list[] = { program };
  struct ppi_target *targets = NULL;
  size_t count = 0;
  struct perfpred_error error;
  ppi_error_clear(&error);
  cr_assert_eq(ppi_derive_targets(list, 1, &options, &targets, &count, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_eq(count, box_count, "%zu targets, expected %zu", count, box_count);
  for (size_t i = 0; i < box_count; i++)
    check_box(targets, count, &boxes[i]);
  free(targets);
  perfpred_program_unref(program);
}

/* w <= 256. r = n - i - w is 1 at least and 1024 - 8 at most; wherever r > 0, w is b. */
Test(derive, right_looking_cholesky) {
  const struct box boxes[] = { { "dpotf2", "L", { 8 }, { 256 } },
                               { "dtrsm", "R,L,T,N,1", { 8, 8 }, { 1016, 256 } },
                               { "dsyrk", "L,N,-1,1", { 8, 8 }, { 1016, 256 } } };
  check(right_looking, 8, 1024, 8, 256, boxes, 3);
}

/* i is b at least where the calls are not empty; at most 1023 = 11 x 93, which b = 33 and b = 93 reach with n = 1024. */
Test(derive, bordered_cholesky) {
  const struct box boxes[] = { { "dpotf2", "L", { 8 }, { 256 } },
                               { "dtrsm", "R,L,T,N,1", { 8, 8 }, { 256, 1024 } },
                               { "dsyrk", "L,N,-1,1", { 8, 8 }, { 256, 1024 } } };
  check(bordered, 8, 1024, 8, 256, boxes, 3);
}

/* dgemm: w = b because r > 0; r <= 1024 - 2 x 8 because i >= b; i <= 1023 - b: 1012 = 92 x 11 with b = 11. */
Test(derive, left_looking_cholesky) {
  const struct box boxes[] = { { "dpotf2", "L", { 8 }, { 256 } },
                               { "dtrsm", "R,L,T,N,1", { 8, 8 }, { 1016, 256 } },
                               { "dsyrk", "L,N,-1,1", { 8, 8 }, { 256, 1024 } },
                               { "dgemm", "N,T,-1,1", { 8, 8, 8 }, { 1008, 256, 1016 } } };
  check(left_looking, 8, 1024, 8, 256, boxes, 4);
}

/* n = 800, b = 300 alone: widths 300, 300, 200; remainders 500 and 200; rounded outwards to multiples of 8. */
Test(derive, ranges_of_one_value) {
  const struct box boxes[] = { { "dpotf2", "L", { 200 }, { 304 } },
                               { "dtrsm", "R,L,T,N,1", { 200, 296 }, { 504, 304 } },
                               { "dsyrk", "L,N,-1,1", { 200, 296 }, { 504, 304 } } };
  check(right_looking, 800, 800, 300, 300, boxes, 3);
}

/* dpotf2 only where one block is enough: n = b = 256 at most, which no end and no even spread of the range to 1024 meets. */
Test(derive, the_largest_size_that_is_one_block) {
  const char *text = "perfpred-text 1\n"
                     "algorithm once(n, b)\n"
                     "  inout A: double spd triangle(L)[n]\n"
                     "  if b >= n\n"
                     "    dpotf2(L, n, A[0, 0])\n"
                     "  else\n"
                     "    dpotrf2(L, n, A[0, 0])\n"
                     "  end\n"
                     "end\n";
  const struct box boxes[] = { { "dpotf2", "L", { 8 }, { 256 } }, { "dpotrf2", "L", { 8 }, { 1024 } } };
  check(text, 8, 1024, 8, 256, boxes, 2);
}

/* Of a parameter with a value in the text nothing else is tried: x = 40. A block size with one is varied all the same. */
Test(derive, values_that_the_text_proposes) {
  const char *text = "perfpred-text 1\n"
                     "algorithm rest(n, b = 64, x = 40)\n"
                     "  inout A: double spd triangle(L)[n]\n"
                     "  dpotf2(L, min(n, x), A[0, 0])\n"
                     "  dpotrf2(L, min(n, b), A[0, 0])\n"
                     "end\n";
  const struct box boxes[] = { { "dpotf2", "L", { 16 }, { 40 } }, { "dpotrf2", "L", { 8 }, { 96 } } };
  check(text, 16, 200, 8, 96, boxes, 2);
}

Test(derive, sizes_below_8_count_as_8) {
  const struct box boxes[] = { { "dpotf2", "L", { 8 }, { 8 } } };
  check(right_looking, 1, 5, 8, 8, boxes, 1);
}

/* dormqr with k <= m: of the sizes 8, 12, ... for m and k all combinations are tried, those that LAPACK would stop at are left out. */
Test(derive, calls_that_a_kernel_does_not_admit_are_left_out) {
  const char *text = "perfpred-text 1\n"
                     "algorithm apply(m, k)\n"
                     "  in A: double matrix[m, k]\n"
                     "  in t: double vector[k]\n"
                     "  inout C: double matrix[m, 40]\n"
                     "  dorm2r(L, N, m, 40, k, A[0, 0], t[0], C[0, 0])\n"
                     "  dorm2r(L, T, 16, 40, k, A[0, 0], t[0], C[0, 0])\n"
                     "end\n";
  const struct box boxes[] = { { "dorm2r", "L,N", { 8, 40, 8 }, { 40, 40, 40 } },
                               { "dorm2r", "L,T", { 16, 40, 8 }, { 16, 40, 16 } } };
  check(text, 8, 40, 8, 8, boxes, 2);
}

/* n = 8, k = 5, nb = 3 meet nb <= n - k; rounded to multiples of 8 they do not, so n goes up to 16. */
Test(derive, rounded_domains_leave_room_for_demands) {
  const char *text = "perfpred-text 1\n"
                     "algorithm panel(n)\n"
                     "  inout A: double matrix[8, 8]\n"
                     "  work T: double matrix[8, 8]\n"
                     "  dlahr2(8, 5, 3, A[0, 0], T[0, 0], T[0, 0], T[0, 0])\n"
                     "end\n";
  const struct box boxes[] = { { "dlahr2", "", { 8, 8, 8 }, { 16, 8, 8 } } };
  check(text, 8, 8, 8, 8, boxes, 1);
}

Test(derive, calls_without_work_need_no_model) {
  const char *text = "perfpred-text 1\n"
                     "algorithm empty(n, b)\n"
                     "  inout A: double matrix[n, n]\n"
                     "  dtrsm(L, L, N, N, 0, n, 1, A[0, 0], A[0, 0])\n"
                     "  dgemm(N, N, n, n, b, 1, A[0, 0], A[0, 0], 0, A[0, 0])\n"
                     "end\n";
  const struct box boxes[] = { { "dgemm", "N,N,1,0", { 64, 64, 8 }, { 104, 104, 16 } } };
  check(text, 64, 100, 8, 16, boxes, 1);
}

/* Two sites of one case share a target; m and k range as n does. */
Test(derive, sites_of_one_case_share_a_box) {
  const char *text = "perfpred-text 1\n"
                     "algorithm product(m, n, k)\n"
                     "  in A: double matrix[m, k]\n"
                     "  in B: double matrix[k, n]\n"
                     "  inout C: double matrix[m, n]\n"
                     "  dgemm(N, N, m, n, k, 1, A[0, 0], B[0, 0], 1, C[0, 0])\n"
                     "  dgemm(N, N, m, n // 2, k, 1, A[0, 0], B[0, 0], 1, C[0, 0])\n"
                     "end\n";
  const struct box boxes[] = { { "dgemm", "N,N,1,1", { 64, 32, 64 }, { 128, 128, 128 } } };
  check(text, 64, 128, 8, 16, boxes, 1);
}

/* Together: dtrsm is called with (r, w) by two of them, with (w, i) by the first. The hull would have 1024 x 1024 where the boxes
   cover half of that, so both stay; of the two equal ones one is left. dsyrk likewise: (w, i) twice, (r, w) once. */
Test(derive, calls_of_one_case_with_different_boxes_stay_apart) {
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  options.n_lower = options.b_lower = 8;
  options.n_upper = 1024;
  options.b_upper = 256;
  struct perfpred_program *list[] = { parse(bordered), parse(left_looking), parse(right_looking) };
  struct ppi_target *targets = NULL;
  size_t count = 0;
  cr_assert_eq(ppi_derive_targets((const struct perfpred_program *const *)list, 3, &options, &targets, &count, NULL),
               PERFPRED_OK);
  const struct box wanted[] = { { "dpotf2", "L", { 8 }, { 256 } },
                                { "dtrsm", "R,L,T,N,1", { 8, 8 }, { 256, 1024 } },
                                { "dsyrk", "L,N,-1,1", { 8, 8 }, { 256, 1024 } },
                                { "dtrsm", "R,L,T,N,1", { 8, 8 }, { 1016, 256 } },
                                { "dgemm", "N,T,-1,1", { 8, 8, 8 }, { 1008, 256, 1016 } },
                                { "dsyrk", "L,N,-1,1", { 8, 8 }, { 1016, 256 } } };
  cr_assert_eq(count, 6, "%zu targets", count);
  for (size_t i = 0; i < 6; i++)
    check_box(&targets[i], 1, &wanted[i]);
  free(targets);
  for (size_t i = 0; i < 3; i++)
    perfpred_program_unref(list[i]);
}

static size_t merged(int64_t a0, int64_t a1, int64_t b0, int64_t b1, struct ppi_target targets[2]) {
  memset(targets, 0, 2 * sizeof *targets);
  for (int i = 0; i < 2; i++) {
    targets[i].kernel = ppi_kernels_find(kernels, "dlacpy");
    cr_assert_eq(ppi_case_parse(targets[i].kernel, "A", targets[i].values, NULL), PERFPRED_OK);
    targets[i].lower[0] = targets[i].lower[1] = 8;
  }
  targets[0].upper[0] = a0;
  targets[0].upper[1] = a1;
  targets[1].upper[0] = b0;
  targets[1].upper[1] = b1;
  return ppi_merge_targets(targets, 2);
}

/* In steps of 8: 10 x 10 and 10 x 13 are inside each other; 10 x 13 and 13 x 10 have a hull of 169 over 160 points, 10 x 20 and
   20 x 10 one of 400 over 300; bounds within 16 of each other are the same. */
Test(derive, boxes_merge_where_the_hull_is_hardly_larger) {
  struct ppi_target targets[2];
  cr_assert_eq(merged(80, 80, 80, 104, targets), 1);
  cr_assert_eq(targets[0].upper[1], 104);
  cr_assert_eq(merged(80, 104, 104, 80, targets), 1);
  cr_assert(targets[0].upper[0] == 104 && targets[0].upper[1] == 104);
  cr_assert_eq(merged(80, 160, 160, 80, targets), 2);
  cr_assert(targets[0].upper[0] == 80 && targets[1].upper[0] == 160);
  cr_assert_eq(merged(8, 24, 24, 8, targets), 1);
}

Test(derive, vectors_along_rows_are_marked) {
  const char *text = "perfpred-text 1\n"
                     "algorithm rows(n)\n"
                     "  inout A: double matrix[n, n]\n"
                     "  dscal(n, 0.5, A[0, 0])\n"
                     "  dscal(n, 0.5, row A[0, 0])\n"
                     "end\n";
  const struct box boxes[] = { { "dscal", "x,1", { 16 }, { 32 } }, { "dscal", "x,x", { 16 }, { 32 } } };
  check(text, 16, 32, 8, 16, boxes, 2);
}

Test(derive, a_walk_without_end_is_a_limit) {
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  options.n_lower = 8;
  options.n_upper = INT64_C(1) << 40;
  options.b_lower = options.b_upper = 8;
  struct perfpred_program *program = parse(right_looking);
  const struct perfpred_program *list[] = { program };
  struct ppi_target *targets = NULL;
  size_t count = 77;
  cr_assert_eq(ppi_derive_targets(list, 1, &options, &targets, &count, NULL), PERFPRED_LIMIT);
  cr_assert_null(targets);
  cr_assert_eq(count, 77);
  perfpred_program_unref(program);
}
