/* SPDX-License-Identifier: BSD-3-Clause */
/* What kernels demand of their sizes: the grammar, and that the demands of the catalogue are those that reference LAPACK checks. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel/call.h"
#include "kernel/invoke.h"
#include "sizes.h"

#ifndef LIBRARY_FOLDER
#define LIBRARY_FOLDER "/usr/lib/x86_64-linux-gnu"
#endif

static struct perfpred_error error;

TestSuite(demands, .init = set_up, .fini = tear_down);

/* --- The grammar --------------------------------------------------------------------------------------------------- */

#define HEAD "kernel dthing(side: flag L R, m: size, n: size, k: size, a: inout matrix[m, n], lda)\n"

static enum perfpred_status add(const char *statements) {
  char text[600];
  snprintf(text, sizeof text, HEAD "%send\n", statements);
  ppi_error_clear(&error);
  return ppi_kernels_add_text(context.kernels, text, strlen(text), "t", &error);
}

Test(demands, of_a_text_are_checked_and_printed) {
  static const char statements[] = "  count approximate\n"
                                   "  require m >= n\n"
                                   "  require k <= (side == L ? m : n)\n"
                                   "  require 2*k < n + 3\n";
  cr_assert_eq(add(statements), PERFPRED_OK, "%s", error.text);
  const struct perfpred_kernel *kernel = kernel_named("dthing");
  cr_expect_eq(kernel->demand_count, 3);
  cr_expect_eq(perfpred_kernel_approximate(kernel), 1);
  cr_expect_eq(perfpred_kernel_approximate(kernel_named("dgemm")), 0);
  cr_expect_eq(perfpred_kernel_approximate(NULL), 0);
  char *text = NULL;
  cr_assert_eq(perfpred_kernel_print(kernel, &text, &error), PERFPRED_OK);
  cr_expect_not_null(strstr(text, "  count approximate\n  require m >= n\n  require k <= (side == L ? m : n)\n"
                                  "  require 2*k < n + 3\n"),
                     "%s", text);
  perfpred_free(text);
  static const struct {
    char side;
    int m, n, k;
    const char *problem; /* NULL: none */
  } calls[] = {
    { 'L', 5, 5, 3, NULL },
    { 'L', 4, 5, 1, "dthing: m = 4, n = 5; expected m >= n" },
    { 'R', 9, 2, 3, "dthing: side = R, m = 9, n = 2, k = 3; expected k <= (side == L ? m : n)" },
    { 'L', 9, 2, 3, "dthing: n = 2, k = 3; expected 2*k < n + 3" },
    { 'L', 9, 3, 3, "dthing: n = 3, k = 3; expected 2*k < n + 3" },
    { 'L', 9, 4, 3, NULL },
  };
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
    struct ppi_value values[PPI_ARG_MAX] = {
      { .i = calls[i].side }, { .i = calls[i].m }, { .i = calls[i].n }, { .i = calls[i].k }
    };
    ppi_error_clear(&error);
    const enum perfpred_status status = ppi_kernel_check(kernel, values, &error);
    cr_expect_eq(status, calls[i].problem ? PERFPRED_INVALID : PERFPRED_OK);
    cr_expect_str_eq(error.text, calls[i].problem ? calls[i].problem : "");
    cr_expect_eq(ppi_kernel_admits(kernel, values), calls[i].problem == NULL);
  }
}

Test(demands, that_are_none_are_refused_with_their_place) {
  static const struct {
    const char *statements, *place, *text;
  } faults[] = {
    { "  require m*n >= 1\n", "t:2:11", "linear" },
    { "  require m >= min(n, k)\n", "t:2:11", "linear" },
    { "  require m == n\n", "t:2:11", "linear" },
    { "  require m\n", "t:2:11", "linear" },
    { "  require (m > 1 ? n : k) <= m\n", "t:2:11", "linear" },
    { "  require m >= q\n", "t:2:16", "'q'" },
    { "  require\n", "t:2:10", "expression" },
    { "  require m >= n >= k\n", "t:2:18", "chain" },
    { "  count roughly\n", "t:2:9", "exact approximate" },
    { "  count exact\n  count exact\n", "t:3:3", "second" },
    { "  require m >= 1\n  require m >= 2\n  require m >= 3\n  require m >= 4\n  require m >= 5\n  require m >= 6\n"
      "  require m >= 7\n  require m >= 8\n  require m >= 9\n",
      "t:10:11", "at most 8" },
  };
  for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
    cr_expect_neq(add(faults[i].statements), PERFPRED_OK, "%s", faults[i].statements);
    cr_expect_not_null(strstr(error.text, faults[i].place), "%s: %s", faults[i].statements, error.text);
    cr_expect_not_null(strstr(error.text, faults[i].text), "%s: %s", faults[i].statements, error.text);
  }
}

Test(demands, of_calls_as_text) {
  double flops = 0;
  cr_expect_eq(perfpred_kernel_flops(&context, "dorgqr(5,4,3)", &flops, &error), PERFPRED_OK);
  cr_expect_gt(flops, 0);
  cr_expect_eq(perfpred_kernel_flops(&context, "dorgqr(4,5,3)", &flops, &error), PERFPRED_INVALID);
  cr_expect_not_null(strstr(error.text, "call:1:1: dorgqr: m = 4, n = 5; expected m >= n"), "%s", error.text);
}

/* --- Moving sizes -------------------------------------------------------------------------------------------------- */

static bool move(const char *name, const char *flags, int64_t *sizes, const int64_t *lower, const int64_t *upper) {
  const struct perfpred_kernel *kernel = kernel_named(name);
  struct ppi_value values[PPI_ARG_MAX] = { { .i = 0 } };
  for (int i = 0; flags[i]; i++)
    values[kernel->flags[i]].i = flags[i];
  for (int d = 0; d < kernel->size_count; d++)
    values[kernel->sizes[d]].i = sizes[d];
  const bool found = ppi_kernel_admit(kernel, values, lower, upper, 8);
  for (int d = 0; d < kernel->size_count; d++)
    sizes[d] = values[kernel->sizes[d]].i;
  cr_expect(!found || ppi_kernel_admits(kernel, values));
  return found;
}

static void expect_move(const char *name, const char *flags, const int64_t *from, const int64_t *lower,
                        const int64_t *upper, const int64_t *to) {
  int64_t sizes[3] = { from[0], from[1], from[2] };
  cr_expect_eq(move(name, flags, sizes, lower, upper), to != NULL);
  for (int d = 0; to && d < 3; d++)
    cr_expect_eq(sizes[d], to[d], "%s: size %d is %d, expected %d", name, d, (int)sizes[d], (int)to[d]);
}

Test(demands, are_met_by_moving) {
  static const int64_t low[] = { 8, 8, 8 }, high[] = { 500, 500, 500 }, late[] = { 8, 100, 96 };
  expect_move("dorgqr", "", (int64_t[]){ 64, 32, 8 }, low, high, (int64_t[]){ 64, 32, 8 });
  expect_move("dorgqr", "", (int64_t[]){ 64, 100, 104 }, low, high, (int64_t[]){ 64, 64, 64 });
  expect_move("dorgqr", "", (int64_t[]){ 8, 100, 96 }, late, high, (int64_t[]){ 104, 100, 96 });
  expect_move("dorgqr", "", (int64_t[]){ 8, 16, 8 }, (int64_t[]){ 8, 16, 8 }, (int64_t[]){ 8, 500, 500 }, NULL);
  expect_move("dormqr", "LN", (int64_t[]){ 16, 80, 40 }, low, high, (int64_t[]){ 16, 80, 16 });
  expect_move("dormqr", "RN", (int64_t[]){ 16, 80, 40 }, low, high, (int64_t[]){ 16, 80, 40 });
  expect_move("dlahr2", "", (int64_t[]){ 100, 96, 32 }, (int64_t[]){ 8, 8, 32 }, high, (int64_t[]){ 100, 64, 32 });
  expect_move("dlahr2", "", (int64_t[]){ 8, 8, 8 }, low, (int64_t[]){ 8, 8, 8 }, NULL);
}

static void expect_bounds(const char *name, const char *flags, const int64_t *lower, const int64_t *upper,
                          const int64_t *low, const int64_t *high) {
  const struct perfpred_kernel *kernel = kernel_named(name);
  struct ppi_value values[PPI_ARG_MAX] = { { .i = 0 } };
  int64_t from[3] = { lower[0], lower[1], lower[2] }, to[3] = { upper[0], upper[1], upper[2] };
  for (int i = 0; flags[i]; i++)
    values[kernel->flags[i]].i = flags[i];
  cr_expect_eq(ppi_kernel_bound(kernel, values, from, to), low != NULL, "%s", name);
  for (int d = 0; low && d < 3; d++)
    cr_expect(from[d] == low[d] && to[d] == high[d], "%s: size %d: %d to %d, expected %d to %d", name, d, (int)from[d],
              (int)to[d], (int)low[d], (int)high[d]);
}

Test(demands, bound_the_sizes_of_a_box) {
  expect_bounds("dorgqr", "", (int64_t[]){ 8, 8, 8 }, (int64_t[]){ 112, 208, 208 }, (int64_t[]){ 8, 8, 8 },
                (int64_t[]){ 112, 112, 112 });
  expect_bounds("dorgqr", "", (int64_t[]){ 8, 8, 100 }, (int64_t[]){ 200, 150, 208 }, (int64_t[]){ 100, 100, 100 },
                (int64_t[]){ 200, 150, 150 });
  expect_bounds("dorgqr", "", (int64_t[]){ 8, 120, 8 }, (int64_t[]){ 112, 208, 208 }, NULL, NULL);
  expect_bounds("dlahr2", "", (int64_t[]){ 8, 8, 32 }, (int64_t[]){ 200, 200, 40 }, (int64_t[]){ 40, 8, 32 },
                (int64_t[]){ 200, 168, 40 });
  expect_bounds("dormqr", "RN", (int64_t[]){ 8, 8, 8 }, (int64_t[]){ 20, 30, 40 }, (int64_t[]){ 8, 8, 8 },
                (int64_t[]){ 20, 30, 30 });
  expect_bounds("dgemm", "NN", (int64_t[]){ 8, 8, 8 }, (int64_t[]){ 20, 30, 40 }, (int64_t[]){ 8, 8, 8 },
                (int64_t[]){ 20, 30, 40 });
}

/* --- LAPACK -------------------------------------------------------------------------------------------------------- */

static int complaints;

/* Instead of the library's, which stops the program. */
void xerbla_(const char *name, const int *place, size_t length);
void xerbla_(const char *name, const int *place, size_t length) {
  (void)name;
  (void)place;
  (void)length;
  complaints++;
}

enum { ELEMENTS = 16384 };
static double memory[PPI_ARG_MAX][ELEMENTS];

/* Identities: every decomposition succeeds on them. */
static void fill(const struct perfpred_kernel *kernel, const struct ppi_value *values, int place) {
  const struct ppi_arg *arg = &kernel->args[place];
  int64_t rows = 0, columns = 0;
  memset(memory[place], 0, sizeof memory[place]);
  if (arg->kind != PPI_ARG_DATA || ppi_kernel_extent(kernel, values, place, &rows, &columns, NULL) != PERFPRED_OK)
    return;
  const int64_t ld = rows < 1 ? 1 : rows;
  for (int64_t i = 0; i < rows && i < columns; i++) {
    char *at = (char *)memory[place] + (size_t)(i * (ld + 1)) * ppi_type_bytes(arg->type, false);
    const float narrow = 1;
    const double wide = 1;
    if (arg->type == PPI_TYPE_S || arg->type == PPI_TYPE_C)
      memcpy(at, &narrow, sizeof narrow);
    else if (arg->type != PPI_TYPE_INT)
      memcpy(at, &wide, sizeof wide);
  }
  for (int64_t i = 0; arg->type == PPI_TYPE_INT && i < rows; i++) {
    const int32_t pivot = arg->property == PPI_ZERO ? 0 : (int32_t)i + 1;
    memcpy((char *)memory[place] + (size_t)i * sizeof pivot, &pivot, sizeof pivot);
  }
}

/* INFO of the real routine, whatever the signature demands. */
static int64_t info_of(const struct perfpred_kernel *kernel, perfpred_fortran_fn *function,
                       const struct ppi_value *values) {
  static struct perfpred_kernel undemanding; /* the same without demands */
  struct ppi_frame frame;
  void *data[PPI_ARG_MAX] = { NULL };
  memcpy(&undemanding, kernel, sizeof undemanding);
  undemanding.demand_count = 0;
  for (int i = 0; i < kernel->arg_count; i++)
    if (kernel->args[i].kind == PPI_ARG_DATA || kernel->args[i].kind == PPI_ARG_WORK) {
      fill(kernel, values, i);
      data[i] = memory[i];
    }
  const enum perfpred_status status = ppi_frame_fill(&frame, &undemanding, function, false, values, data, &error);
  cr_assert_eq(status, PERFPRED_OK, "%s", error.text);
  ppi_frame_call(&frame);
  return ppi_frame_info(&frame);
}

static bool has_info(const struct perfpred_kernel *kernel) {
  return kernel->arg_count > 0 && kernel->args[kernel->arg_count - 1].kind == PPI_ARG_INFO;
}

/* gehd2 takes n = 0 with ilo = 1, a call without work for which its demand ilo <= n, which is linear, has no exception. */
static bool is_taken_though_refused(const struct perfpred_kernel *kernel, const struct ppi_value *values) {
  return strcmp(kernel->name + 1, "gehd2") == 0 && values[kernel->sizes[0]].i == 0 && values[kernel->sizes[1]].i == 1;
}

/* INFO must be 0 where the demands are met; else it names a size of a demand that is not. */
static void check_call(const struct perfpred_kernel *kernel, perfpred_fortran_fn *function,
                       const struct ppi_value *values, int *refused) {
  const int64_t info = info_of(kernel, function, values);
  char text[PPI_CASE_MAX];
  ppi_case_format(kernel, values, text);
  if (ppi_kernel_admits(kernel, values)) {
    cr_expect_eq(info, 0, "%s(%s): info %d though the demands are met", kernel->name, text, (int)info);
    return;
  }
  ++*refused;
  ppi_error_clear(&error);
  cr_expect_eq(ppi_kernel_check(kernel, values, &error), PERFPRED_INVALID);
  cr_expect_lt(info, 0, "%s(%s): LAPACK takes what is refused: %s", kernel->name, text, error.text);
  cr_expect(info >= 0 || kernel->args[-info - 1].kind == PPI_ARG_SIZE, "%s(%s): info %d names no size", kernel->name,
            text, (int)info);
}

static perfpred_fortran_fn *routine_of(void *library, const char *name) {
  char symbol[PPI_NAME_MAX + 1];
  perfpred_fortran_fn *function = NULL;
  snprintf(symbol, sizeof symbol, "%s_", name);
  void *address = dlsym(library, symbol);
  memcpy(&function, &address, sizeof function);
  return function;
}

/* lasyf and lahef have an INFO but check nothing: what they read beyond their operands is in doc/kernels.md. */
static bool checks(const struct perfpred_kernel *kernel) {
  return has_info(kernel) && !strstr(kernel->name, "lasyf") && !strstr(kernel->name, "lahef");
}

Test(demands, are_those_that_lapack_checks, .timeout = 120) {
  static const int64_t sizes[] = { 0, 1, 2, 4 };
  if (!dlopen(LIBRARY_FOLDER "/blas/libblas.so.3", RTLD_NOW | RTLD_GLOBAL))
    cr_skip_test("%s", dlerror());
  void *library = dlopen(LIBRARY_FOLDER "/lapack/liblapack.so.3", RTLD_NOW | RTLD_GLOBAL);
  if (!library)
    cr_skip_test("%s", dlerror());
  int demanding = 0;
  for (size_t i = 0; i < ppi_kernels_count(context.kernels); i++) {
    const struct perfpred_kernel *kernel = ppi_kernels_at(context.kernels, i);
    perfpred_fortran_fn *function = routine_of(library, kernel->name);
    struct ppi_value values[PPI_ARG_MAX] = { { .i = 0 } };
    int refused = 0;
    if (!function || !checks(kernel))
      continue;
    complaints = 0;
    for (int a = 0; a < kernel->arg_count; a++)
      if (kernel->args[a].kind == PPI_ARG_SCALAR)
        values[a].re = 0.5;
    for (unsigned flags = 0; choose_flags(kernel, values, flags); flags++)
      for (unsigned at = 0; choose_sizes(kernel, values, sizes, 4, at); at++)
        if (!is_taken_though_refused(kernel, values))
          check_call(kernel, function, values, &refused);
    cr_expect_eq(refused > 0, kernel->demand_count > 0, "%s", kernel->name);
    cr_expect_eq(complaints, refused, "%s: %d complaints of LAPACK about %d calls", kernel->name, complaints, refused);
    demanding += kernel->demand_count > 0;
  }
  /* org2r orgqr org2l orgql orgl2 orglq orgr2 orgrq, orm2r ... ormrq, gehd2: 17 in four types each */
  cr_expect_eq(demanding, 68);
}

/* Those that check nothing: the demands of the documentation, by hand. */
Test(demands, of_routines_that_check_nothing) {
  static const struct {
    const char *call;
    bool good;
  } calls[] = {
    { "dlarft(F,C,4,4)", true },        { "dlarft(F,C,3,4)", false },      { "dlarfb(L,N,F,C,4,2,4)", true },
    { "dlarfb(R,N,F,C,4,2,4)", false }, { "zlarfb(R,N,F,C,2,4,4)", true }, { "dlatrd(L,4,4)", true },
    { "dlatrd(L,4,5)", false },         { "dlabrd(5,4,4)", true },         { "dlabrd(5,4,5)", false },
    { "dlabrd(4,5,5)", false },         { "dlahr2(8,3,5)", true },         { "dlahr2(8,4,5)", false },
    { "dlahr2(8,0,5)", false },         { "dlahr2(8,3,0)", false },        { "dlasyf(L,8,2)", true },
    { "dlasyf(L,8,1)", false },         { "zlahef(U,0,2)", false },        { "dlarf(L,0,4,0.5)", false },
    { "dlarf(L,4,0,0.5)", true },       { "dlarf(R,4,0,0.5)", false },     { "dlarf(R,0,4,0.5)", true },
  };
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
    double flops = 0;
    ppi_error_clear(&error);
    cr_expect_eq(perfpred_kernel_flops(&context, calls[i].call, &flops, &error),
                 calls[i].good ? PERFPRED_OK : PERFPRED_INVALID, "%s: %s", calls[i].call, error.text);
  }
}

/* Kernels that iterate, or choose among pivots of one and two rows, or of any rank. */
Test(demands, counts_that_are_approximate) {
  static const char *const endings[] = { "syev", "heev",  "syevd", "heevd", "syevr", "heevr", "sygv",
                                         "hegv", "geev",  "gesvd", "gesdd", "gelsy", "geqp3", "sysv",
                                         "hesv", "sytrf", "hetrf", "sytf2", "hetf2", "lasyf", "lahef" };
  for (size_t i = 0; i < ppi_kernels_count(context.kernels); i++) {
    const struct perfpred_kernel *kernel = ppi_kernels_at(context.kernels, i);
    bool listed = false;
    for (size_t k = 0; k < sizeof endings / sizeof endings[0]; k++)
      listed = listed || strcmp(kernel->name + 1, endings[k]) == 0;
    cr_expect_eq(perfpred_kernel_approximate(kernel), listed, "%s", kernel->name);
  }
}
