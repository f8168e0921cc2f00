/* SPDX-License-Identifier: BSD-3-Clause */
/* Flops, movement, degrees, extents, emptiness against sums worked by hand. */
#include "kernels.h"

TestSuite(count, .init = set_up, .fini = tear_down);

static double flops(const char *call) {
  struct perfpred_error error;
  double result = -1;
  cr_assert_eq(perfpred_kernel_flops(&context, call, &result, &error), PERFPRED_OK, "%s: %s", call, error.text);
  return result;
}

struct count {
  const char *call;
  double flops;
};

static void check(const struct count *counts, size_t count) {
  for (size_t i = 0; i < count; i++)
    cr_expect_eq(flops(counts[i].call), counts[i].flops, "%s: %.17g, expected %.17g", counts[i].call,
                 flops(counts[i].call), counts[i].flops);
}
#define CHECK(counts) check(counts, sizeof(counts) / sizeof(counts)[0])

Test(count, vectors) {
  static const struct count counts[] = {
    { "daxpy(10,0.5)", 20 },  { "dscal(10,0.5)", 10 },       { "ddot(10)", 20 },
    { "dasum(10)", 10 },      { "dnrm2(10)", 20 },           { "dcopy(10)", 0 },
    { "idamax(10)", 0 },      { "zaxpy(10,(1, 2))", 80 },    { "zscal(10,(0,1))", 60 },
    { "zdscal(10,0.5)", 20 }, { "csscal(9,0.5)", 18 },       { "zdotc(10)", 80 },
    { "dzasum(10)", 20 },     { "scnrm2(10)", 2 * 10 + 20 }, { "daxpy(0,0.5)", 0 },
  };
  CHECK(counts);
}

/* Matrices: one multiplication and one addition per product, triangles by n(n+1)/2 and n(n-1)/2. */
Test(count, matrices) {
  static const struct count counts[] = {
    { "dgemv(N,10,20,1,1)", 400 },
    { "dger(10,20,1)", 400 },
    { "dsymv(L,10,1,0)", 200 },
    { "zhemv(L,10,1,0)", 800 },
    { "dtrmv(L,N,N,10)", 100 },
    { "dtrmv(L,N,U,10)", 90 },
    { "dtrsv(U,T,N,10)", 100 },
    { "dsyr(U,10,1)", 110 },
    { "zher(U,10,1)", 440 },
    { "dsyr2(U,10,1)", 220 },
    { "dgemm(N,T,10,20,30,1,0)", 12000 },
    { "zgemm(N,C,10,20,30,1,0)", 48000 },
    { "dsymm(L,U,10,20,1,1)", 4000 },
    { "dsymm(R,U,10,20,1,1)", 8000 },
    { "zhemm(R,L,10,20,1,1)", 32000 },
    { "dsyrk(L,N,10,20,-1,1)", 2200 },
    { "zherk(L,N,10,20,-1,1)", 8800 },
    { "dsyr2k(L,N,10,20,-1,1)", 4400 },
    { "dtrmm(L,U,N,N,10,20,1)", 2000 },
    { "dtrmm(L,U,N,U,10,20,1)", 1800 },
    { "dtrsm(L,U,N,N,10,20,1)", 2000 },
    { "dtrsm(R,L,T,N,1000,128,1)", 16384000 },
    { "ztrsm(R,L,C,N,2,3,1)", 6 * 12 + 2 * 6 },
  };
  CHECK(counts);
}

/* n = 3: 3 roots, 3 divisions, 4 products, 4 differences; n = 4: 4 + 6 + 10 and 10. Closed forms: n(n+1)(2n+1)/6,
 * n(n^2+2)/3, n(n-1)(4n+1)/6. */
Test(count, lapack) {
  static const struct count counts[] = {
    { "dpotrf2(L,3)", 14 },
    { "dpotf2(U,4)", 30 },
    { "zpotrf(L,3)", 6 * 10 + 2 * 4 },
    { "dpotrf(L,0)", 0 },
    { "dpotrf(L,1)", 1 },
    { "dpotrf(L,800)", 800.0 * 801 * 1601 / 6 },
    { "dpotrs(L,10,3)", 600 },
    { "dtrti2(L,N,1)", 1 },
    { "dtrti2(L,N,3)", 11 },
    { "dtrtri(U,N,100)", 100.0 * 10002 / 3 },
    { "dtrti2(L,U,3)", 2 },
    { "dlauu2(L,3)", 14 },
    { "dlauum(L,100)", 100.0 * 101 * 201 / 6 },
    { "dgetf2(2,2)", 3 },
    { "dgetrf(100,100)", 100.0 * 99 * 401 / 6 },
    { "dgetrf2(3,2)", 7 },
    { "dgetrf2(2,3)", 5 },
    { "dgetrf(7,1)", 6 },
    { "dgetrf(1,7)", 0 },
    { "dsygst(1,L,1)", 2 },
    { "dsygs2(3,L,2)", 10 + 4 },
    { "dtrsyl(N,N,10,20)", 6000 },
    { "dgeqr2(2,1)", 11 },
    { "dlarft(F,C,4,2)", 3 + 2 + 1 },
    { "dlarfb(L,T,F,C,4,5,2)", 5 * 2 * 13 },
    { "dlaswp(5,3)", 0 },
  };
  CHECK(counts);
}

/* LAPACK Working Note 41, Appendix C: multiplications and additions as they are printed there. */
static double note_41_geqrf(double m, double n) {
  double mul = m > n ? n * (n * (0.5 - n / 3 + m) + m + 23.0 / 6) : m * (m * (-0.5 - m / 3 + n) + 2 * n + 23.0 / 6);
  double add = m > n ? n * (n * (0.5 - n / 3 + m) + 5.0 / 6) : m * (m * (-0.5 - m / 3 + n) + n + 5.0 / 6);
  return mul + add;
}

static double note_41_orgqr(double m, double n, double k) {
  return k * (2 * m * n + 2 * n - 5.0 / 3 + k * (2.0 / 3 * k - (m + n) - 1)) +
         k * (2 * m * n + n - m + 1.0 / 3 + k * (2.0 / 3 * k - (m + n)));
}

static double note_41_ormqr_left(double m, double n, double k) {
  return 2 * n * m * k - n * k * k + 2 * n * k + 2 * n * m * k - n * k * k + n * k;
}

Test(count, published_in_note_41) {
  const struct count counts[] = {
    { "dgeqrf(60,12)", note_41_geqrf(60, 12) },  { "dgeqr2(12,60)", note_41_geqrf(12, 60) },
    { "dgeqlf(60,12)", note_41_geqrf(60, 12) },  { "dorgqr(60,30,12)", note_41_orgqr(60, 30, 12) },
    { "dorg2l(9,9,9)", note_41_orgqr(9, 9, 9) }, { "dormqr(L,T,60,30,12)", note_41_ormqr_left(60, 30, 12) },
  };
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
    cr_expect_float_eq(flops(counts[i].call), counts[i].flops, 1e-9 * counts[i].flops, "%s", counts[i].call);
}

/* The blocked algorithm does what the unblocked one does: the exact counts of its calls add up to those of the whole. */
Test(count, blocks_add_up) {
  cr_expect_eq(flops("dpotrf2(L,64)") + flops("dtrsm(R,L,T,N,36,64,1)") + flops("dsyrk(L,N,36,64,-1,1)") +
                   flops("dpotrf2(L,36)"),
               flops("dpotrf(L,100)"));
  cr_expect_eq(flops("dgetrf2(100,64)") + flops("dtrsm(L,L,N,U,64,36,1)") + flops("dgemm(N,N,36,36,64,-1,1)") +
                   flops("dgetrf2(36,36)"),
               flops("dgetrf(100,100)"));
  /* L^T L: the top left block gains a rank-36 update, the bottom left one a product with the triangle below it */
  cr_expect_eq(flops("dlauu2(L,64)") + flops("dsyrk(L,T,64,36,1,1)") + flops("dtrmm(L,L,T,N,36,64,1)") +
                   flops("dlauu2(L,36)"),
               flops("dlauum(L,100)"));
}

static double movement(const char *name, const char *flags, const int64_t *sizes) {
  const struct perfpred_kernel *kernel = kernel_named(name);
  struct ppi_value values[PPI_ARG_MAX] = { { .i = 0 } };
  for (int i = 0; i < kernel->flag_count; i++)
    values[kernel->flags[i]].i = flags[i];
  for (int i = 0; i < kernel->size_count; i++)
    values[kernel->sizes[i]].i = sizes[i];
  return ppi_kernel_movement_bytes(kernel, values);
}

Test(count, movement) {
  cr_expect_eq(movement("dcopy", "", (int64_t[]){ 10 }), 160);
  cr_expect_eq(movement("zswap", "", (int64_t[]){ 10 }), 640);
  cr_expect_eq(movement("sgemm", "NN", (int64_t[]){ 2, 3, 5 }), 4 * (10 + 15 + 12));
  cr_expect_eq(movement("dtrsm", "LLNN", (int64_t[]){ 4, 3 }), 8 * (10 + 24));
  cr_expect_eq(movement("dtrsm", "LLNU", (int64_t[]){ 4, 3 }), 8 * (6 + 24));
  cr_expect_eq(movement("dgetrf", "", (int64_t[]){ 4, 3 }), 8 * 24 + 4 * 3);
  cr_expect_eq(movement("dlaswp", "", (int64_t[]){ 5, 2 }), 8 * 4 * 5 * 2);
  cr_expect_eq(movement("dlaset", "L", (int64_t[]){ 4, 3 }), 8 * (4 + 3 + 2));
  cr_expect_eq(movement("dspmv", "L", (int64_t[]){ 4 }), 8 * (10 + 4 + 2 * 4));
  cr_expect_eq(movement("dlascl", "H", (int64_t[]){ 3, 4 }), 8 * 2 * (2 + 3 + 3 + 3));
  cr_expect_eq(movement("zlascl", "L", (int64_t[]){ 3, 2 }), 16 * 2 * (3 + 2));
  cr_expect_eq(movement("zheevd", "VL", (int64_t[]){ 3 }), 16 * 18 + 8 * 3);
  cr_expect_eq(movement("dgesvd", "NN", (int64_t[]){ 4, 3 }), 8 * (24 + 3));
  cr_expect_eq(movement("dgesvd", "AS", (int64_t[]){ 4, 3 }), 8 * (24 + 3 + 16 + 9));
  cr_expect_eq(movement("dlatrd", "L", (int64_t[]){ 5, 2 }), 8 * (15 + 5 + 4 + 10));
  cr_expect_eq(movement("dlacpy", "U", (int64_t[]){ 3, 4 }), 8 * 2 * (1 + 2 + 3 + 3));
}

static void expect_degrees(const char *name, const char *flags, int count, const int *expected) {
  const struct perfpred_kernel *kernel = kernel_named(name);
  struct ppi_value values[PPI_ARG_MAX] = { { .i = 0 } };
  int degrees[PPI_SIZE_MAX] = { 0 };
  for (int i = 0; i < kernel->flag_count; i++)
    values[kernel->flags[i]].i = flags[i];
  ppi_kernel_degrees(kernel, values, degrees);
  cr_assert_eq(kernel->size_count, count);
  for (int i = 0; i < count; i++)
    cr_expect_eq(degrees[i], expected[i], "%s %s: degree %d in size %d, expected %d", name, flags, degrees[i], i,
                 expected[i]);
}

Test(count, degrees) {
  expect_degrees("dtrsm", "LLNN", 2, (int[]){ 2, 1 });
  expect_degrees("dtrsm", "RLTU", 2, (int[]){ 1, 2 });
  expect_degrees("zgemm", "NN", 3, (int[]){ 1, 1, 1 });
  expect_degrees("dsyrk", "LN", 2, (int[]){ 2, 1 });
  expect_degrees("dpotrf2", "L", 1, (int[]){ 3 });
  expect_degrees("dtrti2", "LU", 1, (int[]){ 3 });
  expect_degrees("daxpy", "", 1, (int[]){ 1 });
  expect_degrees("dgemv", "N", 2, (int[]){ 1, 1 });
  expect_degrees("zdscal", "", 1, (int[]){ 1 });
  /* tall: m n^2 - n^3/3; wide: n m^2 - m^3/3 */
  expect_degrees("dgetrf", "", 2, (int[]){ 3, 3 });
  expect_degrees("dlarfb", "LTFC", 3, (int[]){ 1, 1, 2 });
  expect_degrees("dgeqrf", "", 2, (int[]){ 3, 3 });
  expect_degrees("dorgqr", "", 3, (int[]){ 1, 1, 3 });
  expect_degrees("dormqr", "LT", 3, (int[]){ 1, 1, 2 });
  expect_degrees("dlatrd", "L", 2, (int[]){ 2, 3 });
  expect_degrees("dlahr2", "", 3, (int[]){ 2, 1, 3 });
  expect_degrees("zhegst", "2L", 1, (int[]){ 3 });
  expect_degrees("dgels", "N", 3, (int[]){ 3, 3, 1 });
  expect_degrees("dgesdd", "A", 2, (int[]){ 3, 3 });
  expect_degrees("dlange", "F", 2, (int[]){ 1, 1 });
  /* no flops: those of the movement */
  expect_degrees("dcopy", "", 1, (int[]){ 1 });
  expect_degrees("dlaswp", "", 2, (int[]){ 1, 1 });
  expect_degrees("dlacpy", "A", 2, (int[]){ 1, 1 });
}

/* Extents in letters: 'm', 'n', 'k', '1' per dimension, for m, n, k = 3, 5, 7. */
struct extent {
  const char *kernel, *flags, *argument, *extent;
};

static int64_t size_of(char letter) {
  return letter == 'm' ? 3 : letter == 'n' ? 5 : letter == 'k' ? 7 : letter - '0';
}

static void expect_extent(const struct extent *row) {
  const struct perfpred_kernel *kernel = kernel_named(row->kernel);
  struct ppi_value values[PPI_ARG_MAX] = { { .i = 0 } };
  int64_t rows = -1, columns = -1;
  for (int i = 0; i < kernel->flag_count; i++)
    values[kernel->flags[i]].i = row->flags[i];
  for (int i = 0; i < kernel->size_count; i++)
    values[kernel->sizes[i]].i = size_of(kernel->args[kernel->sizes[i]].name[0]);
  int place = ppi_kernel_argument(kernel, row->argument);
  cr_assert_geq(place, 0);
  cr_assert_eq(ppi_kernel_extent(kernel, values, place, &rows, &columns, NULL), PERFPRED_OK);
  cr_expect_eq(rows, size_of(row->extent[0]), "%s %s %s: %d rows", row->kernel, row->flags, row->argument, (int)rows);
  cr_expect_eq(columns, size_of(row->extent[1]), "%s %s %s: %d columns", row->kernel, row->flags, row->argument,
               (int)columns);
}

Test(count, extents) {
  static const struct extent extents[] = {
    { "dtrsm", "LLNN", "a", "mm" },  { "dtrsm", "LUTU", "a", "mm" },  { "dtrsm", "RLNN", "a", "nn" },
    { "dtrsm", "RUCN", "a", "nn" },  { "dtrsm", "LLNN", "b", "mn" },  { "dtrsm", "RLNN", "b", "mn" },
    { "dgemm", "NN", "a", "mk" },    { "dgemm", "TN", "a", "km" },    { "zgemm", "CN", "a", "km" },
    { "dgemm", "NN", "b", "kn" },    { "dgemm", "NT", "b", "nk" },    { "zgemm", "NC", "b", "nk" },
    { "dgemm", "TT", "c", "mn" },    { "dsyrk", "LN", "a", "nk" },    { "dsyrk", "UT", "a", "kn" },
    { "zherk", "UC", "a", "kn" },    { "dsyrk", "UT", "c", "nn" },    { "dsyr2k", "LN", "b", "nk" },
    { "dsyr2k", "LC", "b", "kn" },   { "dsymm", "LL", "a", "mm" },    { "dsymm", "RL", "a", "nn" },
    { "dtrmm", "LLNN", "a", "mm" },  { "dtrmm", "RLNN", "a", "nn" },  { "dgemv", "N", "x", "n1" },
    { "dgemv", "N", "y", "m1" },     { "dgemv", "T", "x", "m1" },     { "dgemv", "C", "y", "n1" },
    { "dger", "", "x", "m1" },       { "dger", "", "y", "n1" },       { "dgetrf", "", "ipiv", "31" },
    { "dgeqr2", "", "tau", "31" },   { "dgeqr2", "", "work", "n1" },  { "dgeqrf", "", "a", "mn" },
    { "dlarft", "FC", "v", "nk" },   { "dlarft", "BR", "v", "kn" },   { "dlarft", "FC", "t", "kk" },
    { "dlarfb", "LTFC", "v", "mk" }, { "dlarfb", "RTFC", "v", "nk" }, { "dlarfb", "LTFR", "v", "km" },
    { "dlarfb", "RNFR", "v", "kn" }, { "dlarfb", "LTFC", "c", "mn" }, { "dtrsyl", "NN", "a", "mm" },
    { "dtrsyl", "NN", "b", "nn" },   { "dtrsyl", "NN", "c", "mn" },   { "dlacpy", "A", "b", "mn" },
    { "dpotrf", "L", "a", "nn" },    { "dsygst", "L", "b", "nn" },    { "ddot", "", "y", "n1" },
  };
  for (size_t i = 0; i < sizeof extents / sizeof extents[0]; i++)
    expect_extent(&extents[i]);
}

Test(count, work_of_panel_is_never_zero) {
  const struct perfpred_kernel *kernel = kernel_named("dgeqrf");
  struct ppi_value values[PPI_ARG_MAX] = { { .i = 0 } };
  int64_t rows = 0, columns = 0;
  cr_assert_eq(ppi_kernel_extent(kernel, values, ppi_kernel_argument(kernel, "lwork"), &rows, &columns, NULL),
               PERFPRED_OK);
  cr_expect_eq(rows, 1); /* DGEQRF: LWORK >= max(1, N) */
}

Test(count, extent_beyond_64_bits) {
  const struct perfpred_kernel *kernel = kernel_named("dgeqrf");
  struct ppi_value values[PPI_ARG_MAX] = { { .i = 0 } };
  struct perfpred_error error = { .status = PERFPRED_OK };
  int64_t rows = -7, columns = -7;
  put(kernel, values, "n", INT64_MAX / 2);
  cr_expect_eq(ppi_kernel_extent(kernel, values, ppi_kernel_argument(kernel, "lwork"), &rows, &columns, &error),
               PERFPRED_OVERFLOW);
  cr_expect_eq(rows, -7);
}

static bool is_empty(const char *name, const char *flags, const int64_t *sizes, double beta) {
  const struct perfpred_kernel *kernel = kernel_named(name);
  struct ppi_value values[PPI_ARG_MAX] = { { .i = 0 } };
  for (int i = 0; i < kernel->flag_count; i++)
    values[kernel->flags[i]].i = flags[i];
  for (int i = 0; i < kernel->size_count; i++)
    values[kernel->sizes[i]].i = sizes[i];
  if (ppi_kernel_argument(kernel, "beta") >= 0)
    values[ppi_kernel_argument(kernel, "beta")].re = beta;
  return ppi_kernel_is_empty(kernel, values);
}

Test(count, emptiness) {
  cr_expect(is_empty("dtrsm", "RLTN", (int64_t[]){ 0, 128 }, 0));
  cr_expect(is_empty("dtrsm", "RLTN", (int64_t[]){ 128, 0 }, 0));
  cr_expect_not(is_empty("dtrsm", "RLTN", (int64_t[]){ 1, 1 }, 0));
  cr_expect(is_empty("dsyrk", "LN", (int64_t[]){ 10, 0 }, 1));
  cr_expect_not(is_empty("dsyrk", "LN", (int64_t[]){ 10, 0 }, 0), "scales C");
  cr_expect(is_empty("dsyrk", "LN", (int64_t[]){ 0, 10 }, 0));
  cr_expect(is_empty("ddot", "", (int64_t[]){ 0 }, 0));
  cr_expect_not(is_empty("ddot", "", (int64_t[]){ 1 }, 0));
  cr_expect_not(is_empty("dcopy", "", (int64_t[]){ 1 }, 0));
  cr_expect_not(is_empty("dtrti2", "LU", (int64_t[]){ 1 }, 0), "no flops, but a call");
  cr_expect(is_empty("dpotrf", "L", (int64_t[]){ 0 }, 0));
}

Test(count, malformed_calls) {
  static const struct {
    const char *call;
    enum perfpred_status status;
    const char *text;
  } calls[] = {
    { "dtrms(R)", PERFPRED_NOT_FOUND, "call:1:1: no kernel 'dtrms'; did you mean 'dtrmm'?" },
    { "dtrsm(Q,L,T,N,1,1,1)", PERFPRED_SYNTAX, "call:1:7: expected flag 'side' (one of LR), found 'Q'" },
    { "dtrsm(R,L,T,N,-1,128,1)", PERFPRED_SYNTAX, "call:1:15: size 'm' is -1; expected a number >= 0" },
    { "dtrsm(R,L,T,N,1,128)", PERFPRED_SYNTAX, "call:1:20: expected ',' and argument 'alpha', found ')'" },
    { "dtrsm(R,L,T,N,1,128,x)", PERFPRED_SYNTAX, "call:1:21: expected a number for scalar 'alpha', found 'x'" },
    { "dpotrf(L,3,1)", PERFPRED_SYNTAX, "call:1:11: expected ')', found ','" },
    { "dpotrf(L,3) 4", PERFPRED_SYNTAX, "call:1:13: expected the end of the line, found '4'" },
    { "", PERFPRED_SYNTAX, "call:1:1: expected the name of a kernel, found the end of the text" },
    { "daxpy(3,(1,2))", PERFPRED_SYNTAX, "call:1:9: expected a number for scalar 'alpha', found '('" },
  };
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
    struct perfpred_error error;
    double result = -1;
    cr_expect_eq(perfpred_kernel_flops(&context, calls[i].call, &result, &error), calls[i].status);
    cr_expect_str_eq(error.text, calls[i].text);
    cr_expect_eq(result, -1);
  }
  cr_expect_eq(perfpred_kernel_flops(&context, NULL, NULL, NULL), PERFPRED_INVALID);
}

Test(count, views_in_a_call_are_read) {
  cr_expect_eq(flops("dgemm(N,N,10,10,10,1,A[0,0],B,1,C[8, 8 + 2])"), 2000);
  cr_expect_eq(flops("dgemv(N, 10, 10, -0.5, A[0, 0], row B[3, 0], 1, y[0])"), 200);
  cr_expect_eq(flops("dpotrf(L, 4*8 - 2, A)"), flops("dpotrf(L,30)"));
}
