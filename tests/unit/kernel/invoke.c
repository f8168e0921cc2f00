/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of real BLAS and LAPACK routines, of ILP64 and free-form ones, against results worked by hand. */
#include <math.h>
#include <stdio.h>

#include "kernel/invoke.h"
#include "lapack.h"

static struct perfpred_error error;

TestSuite(invoke, .init = start, .fini = stop);

/* A call under construction. */
struct call {
  const struct perfpred_kernel *kernel;
  perfpred_fortran_fn *function;
  struct ppi_value values[PPI_ARG_MAX];
  void *data[PPI_ARG_MAX];
  struct ppi_frame frame;
};

static perfpred_fortran_fn *routine(const char *name) {
  char symbol[PPI_NAME_MAX + 1];
  perfpred_fortran_fn *function = NULL;
  snprintf(symbol, sizeof symbol, "%s_", name);
  void *address = dlsym(library, symbol);
  cr_assert_not_null(address, "%s", symbol);
  memcpy(&function, &address, sizeof function);
  return function;
}

/* Flags in their order, sizes in theirs. */
static void prepare(struct call *call, const char *name, const char *flags, const int64_t *sizes) {
  memset(call, 0, sizeof *call);
  call->kernel = kernel_named(name);
  call->function = routine(name);
  for (int i = 0; i < call->kernel->flag_count; i++)
    call->values[call->kernel->flags[i]].i = flags[i];
  for (int i = 0; i < call->kernel->size_count; i++)
    call->values[call->kernel->sizes[i]].i = sizes[i];
}

static void operand(struct call *call, const char *name, void *data) {
  int place = ppi_kernel_argument(call->kernel, name);
  cr_assert_geq(place, 0);
  call->data[place] = data;
}

static void scalar(struct call *call, const char *name, double re, double im) {
  int place = ppi_kernel_argument(call->kernel, name);
  cr_assert_geq(place, 0);
  call->values[place].re = re;
  call->values[place].im = im;
}

static enum perfpred_status fill(struct call *call) {
  ppi_error_clear(&error);
  return ppi_frame_fill(&call->frame, call->kernel, call->function, false, call->values, call->data, &error);
}

static void run(struct call *call) {
  cr_assert_eq(fill(call), PERFPRED_OK, "%s", error.text);
  ppi_frame_call(&call->frame);
}

Test(invoke, dgemm) {
  struct call call;
  double a[] = { 1, 2, 3, 4, 5, 6 }, b[] = { 1, 0, 2, 1, 1, 1 }, c[] = { 1, 1, 99, 1, 1, 99 };
  prepare(&call, "dgemm", "NN", (int64_t[]){ 2, 2, 3 });
  scalar(&call, "alpha", 2, 0);
  scalar(&call, "beta", -1, 0);
  operand(&call, "a", a);
  operand(&call, "b", b);
  operand(&call, "c", c);
  put(call.kernel, call.values, "ldc", 3);
  run(&call);
  /* A = [1 3 5; 2 4 6], B = [1 1; 0 1; 2 1]: AB = [11 9; 14 12] */
  static const double expected[] = { 21, 27, 99, 17, 23, 99 };
  cr_expect_arr_eq(c, expected, sizeof c);
  cr_expect_eq(call.frame.word_count, 13 + 2);
  cr_expect_eq((uintptr_t)call.frame.words[13], 1, "length of transa");
  cr_expect_eq((uintptr_t)call.frame.words[14], 1, "length of transb");
}

Test(invoke, dtrsm_with_strides) {
  struct call call;
  double a[] = { 2, 4, -1, 7, 5, -1 }, b[] = { 2, 14, -9 };
  prepare(&call, "dtrsm", "LLNN", (int64_t[]){ 2, 1 });
  scalar(&call, "alpha", 1, 0);
  operand(&call, "a", a);
  operand(&call, "b", b);
  put(call.kernel, call.values, "lda", 3);
  run(&call);
  /* [2 0; 4 5] x = [2; 14] */
  cr_expect_eq(b[0], 1);
  cr_expect_eq(b[1], 2);
  cr_expect_eq(b[2], -9);
  cr_expect_eq(ppi_frame_info(&call.frame), 0);
}

Test(invoke, results_by_value) {
  struct call call;
  double x[] = { 1, 2, 3 }, y[] = { 4, 0, 5, 0, 6 };
  prepare(&call, "ddot", "", (int64_t[]){ 3 });
  operand(&call, "x", x);
  operand(&call, "y", y);
  put(call.kernel, call.values, "incy", 2);
  run(&call);
  cr_expect_eq(call.frame.returned.real8, 32);

  float s[] = { 3, -4 };
  prepare(&call, "snrm2", "", (int64_t[]){ 2 });
  operand(&call, "x", s);
  run(&call);
  cr_expect_eq(call.frame.returned.real, 5.0F);

  double z[] = { 1, 1, -3, 4, 2, 2 };
  prepare(&call, "izamax", "", (int64_t[]){ 3 });
  operand(&call, "x", z);
  run(&call);
  cr_expect_eq(call.frame.returned.narrow, 2);
  prepare(&call, "dzasum", "", (int64_t[]){ 3 });
  operand(&call, "x", z);
  run(&call);
  cr_expect_eq(call.frame.returned.real8, 13);
}

Test(invoke, complex_results_by_value) {
  struct call call;
  double x[] = { 1, 2, 0, 1 }, y[] = { 3, -1, 2, 0 };
  prepare(&call, "zdotc", "", (int64_t[]){ 2 });
  operand(&call, "x", x);
  operand(&call, "y", y);
  run(&call);
  /* (1 - 2i)(3 - i) + (-i)(2) = 1 - 7i - 2i */
  cr_expect_eq(call.frame.returned.complex16[0], 1);
  cr_expect_eq(call.frame.returned.complex16[1], -9);

  float u[] = { 1, 2 }, v[] = { 3, -1 };
  prepare(&call, "cdotu", "", (int64_t[]){ 1 });
  operand(&call, "x", u);
  operand(&call, "y", v);
  run(&call);
  cr_expect_eq(call.frame.returned.complex8[0], 5.0F);
  cr_expect_eq(call.frame.returned.complex8[1], 5.0F);
}

Test(invoke, complex_and_real_scalars) {
  struct call call;
  float x[] = { 1, 2 };
  prepare(&call, "cscal", "", (int64_t[]){ 1 });
  scalar(&call, "alpha", 0, 1);
  operand(&call, "x", x);
  run(&call);
  cr_expect(x[0] == -2.0F && x[1] == 1.0F);

  double z[] = { 1, 2 };
  prepare(&call, "zdscal", "", (int64_t[]){ 1 });
  scalar(&call, "alpha", 3, 7);
  operand(&call, "x", z);
  run(&call);
  cr_expect(z[0] == 3 && z[1] == 6);
}

Test(invoke, info_of_an_indefinite_matrix) {
  struct call call;
  double a[] = { 4, 2, 6, 2, 2, 3, 6, 3, 1 };
  prepare(&call, "dpotrf2", "L", (int64_t[]){ 3 });
  operand(&call, "a", a);
  run(&call);
  /* L11 = 2, L21 = 1, L31 = 3, L22 = 1, L32 = 0, and 1 - 9 < 0 */
  cr_expect_eq(ppi_frame_info(&call.frame), 3);
  double good[] = { 4, 2, 6, 2, 2, 3, 6, 3, 10 };
  operand(&call, "a", good);
  run(&call);
  cr_expect_eq(ppi_frame_info(&call.frame), 0);
  cr_expect_float_eq(good[8], 1, 1e-15);
}

Test(invoke, pivots_of_lu) {
  struct call call;
  double a[] = { 1, 2, 4, 3, 1, 0 };
  int32_t pivots[2] = { -1, -1 };
  prepare(&call, "dgetrf", "", (int64_t[]){ 3, 2 });
  operand(&call, "a", a);
  operand(&call, "ipiv", pivots);
  run(&call);
  /* first pivot 4 (row 3); then column 2 is [0; 1; 3]: row 3 again */
  cr_expect(pivots[0] == 3 && pivots[1] == 3, "%d %d", pivots[0], pivots[1]);
  cr_expect_eq(ppi_frame_info(&call.frame), 0);
  cr_expect(a[0] == 4 && a[1] == 0.25 && a[2] == 0.5 && a[3] == 0 && a[4] == 3);

  double b[] = { 10, 20, 30 };
  prepare(&call, "dlaswp", "", (int64_t[]){ 1, 2 });
  put(call.kernel, call.values, "lda", 3);
  operand(&call, "a", b);
  operand(&call, "ipiv", pivots);
  run(&call);
  cr_expect(b[0] == 30 && b[1] == 10 && b[2] == 20);
}

/* 15 arguments and 4 lengths: the longer of the two prototypes. */
Test(invoke, routine_of_many_words) {
  struct call call;
  double v[] = { -7, 1, 0 }, t[] = { 1 }, c[] = { 1, 2, 3, 4, 5, 6 }, work[4];
  prepare(&call, "dlarfb", "LNFC", (int64_t[]){ 3, 2, 1 });
  operand(&call, "v", v);
  operand(&call, "t", t);
  operand(&call, "c", c);
  operand(&call, "work", work);
  run(&call);
  /* v = [1; 1; 0] (its first element is implied), tau = 1: I - v v^T maps [a; b; c] to [-b; -a; c] */
  static const double expected[] = { -2, -1, 3, -5, -4, 6 };
  cr_expect_eq(call.frame.word_count, 19);
  cr_expect_arr_eq(c, expected, sizeof c);
}

Test(invoke, workspaces_and_lengths) {
  struct call call;
  double a[] = { 3, 4 }, tau[1], work[64];
  prepare(&call, "dgeqrf", "", (int64_t[]){ 2, 1 });
  operand(&call, "a", a);
  operand(&call, "tau", tau);
  operand(&call, "work", work);
  run(&call);
  cr_expect_eq(ppi_frame_info(&call.frame), 0);
  cr_expect_float_eq(fabs(a[0]), 5, 1e-14);
  cr_expect_float_eq(tau[0], 1.6, 1e-14); /* 1 + 3/5 */
}

/* The unit of the generalised problem: 8/(2*2), 8*(2*2). */
Test(invoke, dsygs2_and_dtrsyl) {
  struct call call;
  double a[] = { 8 }, b[] = { 2 };
  prepare(&call, "dsygs2", "1L", (int64_t[]){ 1 });
  operand(&call, "a", a);
  operand(&call, "b", b);
  run(&call);
  cr_expect_eq(a[0], 2);
  prepare(&call, "dsygs2", "2L", (int64_t[]){ 1 });
  operand(&call, "a", a);
  operand(&call, "b", b);
  run(&call);
  cr_expect_eq(a[0], 8);

  double left[] = { 1 }, right[] = { 3 }, c[] = { 8 }, scale[] = { -1 };
  prepare(&call, "dtrsyl", "NN", (int64_t[]){ 1, 1 });
  operand(&call, "a", left);
  operand(&call, "b", right);
  operand(&call, "c", c);
  operand(&call, "scale", scale);
  run(&call);
  cr_expect_eq(c[0], 2);
  cr_expect_eq(scale[0], 1);
  cr_expect_eq(ppi_frame_info(&call.frame), 0);
}

/* --- Other conventions --------------------------------------------------------------------------------------------- */

static int64_t seen_n, seen_increment;
static size_t seen_length;

static int64_t wide_routine(const char *flag, const int64_t *n, const double *x, const int64_t *incx, int64_t *info,
                            size_t length) {
  (void)x;
  seen_n = *n;
  seen_increment = *incx;
  seen_length = length;
  *info = *flag == 'B' ? -((int64_t)1 << 40) : 0;
  return *n + 1;
}

Test(invoke, integers_of_64_bits) {
  static const char text[] =
      "kernel dwide(f: flag A B, n: size, x: in vector[0*n], incx, info)\n  returns integer\nend\n";
  cr_assert_eq(perfpred_kernel_register(&context, text, (perfpred_fortran_fn *)wide_routine, &error), PERFPRED_OK, "%s",
               error.text);
  struct call call = { .kernel = kernel_named("dwide") };
  put(call.kernel, call.values, "f", 'B');
  put(call.kernel, call.values, "n", (int64_t)1 << 33);
  put(call.kernel, call.values, "incx", -1);
  cr_assert_eq(ppi_frame_fill(&call.frame, call.kernel, call.kernel->function, true, call.values, call.data, &error),
               PERFPRED_OK);
  ppi_frame_call(&call.frame);
  cr_expect_eq(seen_n, (int64_t)1 << 33);
  cr_expect_eq(seen_increment, -1);
  cr_expect_eq(seen_length, 1);
  cr_expect_eq(call.frame.returned.wide, ((int64_t)1 << 33) + 1);
  cr_expect_eq(ppi_frame_info(&call.frame), -((int64_t)1 << 40));
  /* the same call through 32-bit integers cannot be made */
  cr_expect_eq(ppi_frame_fill(&call.frame, call.kernel, NULL, true, call.values, call.data, &error), PERFPRED_OVERFLOW);
  cr_expect_str_eq(error.text, "dwide: argument 'n' is 8589934592; expected an integer of 32 bits");
}

static int free_form(void *data, void *const args[]) {
  const char *flag = args[0];
  const int64_t *n = args[1], *ld = args[4], *increment = args[6];
  const float *alpha = args[2];
  float *a = args[3], *x = args[5];
  a[0] = alpha[0] * (float)*n;
  a[1] = alpha[1] * (float)*ld;
  x[0] = (float)*increment;
  *(char *)data = *flag;
  return 7;
}

Test(invoke, free_form_kernel) {
  static const char text[] =
      "kernel cmine(f: flag P Q, n: size, alpha: scalar, a: inout matrix[n, n], lda, x: out vector[n], incx)\nend\n";
  char flag = '?';
  cr_assert_eq(perfpred_kernel_register_function(&context, text, free_form, &flag, &error), PERFPRED_OK, "%s",
               error.text);
  struct call call = { .kernel = kernel_named("cmine") };
  float a[2] = { 0, 0 }, x[2] = { 0, 0 };
  put(call.kernel, call.values, "f", 'Q');
  put(call.kernel, call.values, "n", 1);
  scalar(&call, "alpha", 2, 3);
  operand(&call, "a", a);
  operand(&call, "x", x);
  put(call.kernel, call.values, "lda", 8);
  put(call.kernel, call.values, "incx", 4);
  run(&call);
  cr_expect(a[0] == 2 && a[1] == 24 && x[0] == 4);
  cr_expect_eq(flag, 'Q');
  cr_expect_eq(ppi_frame_info(&call.frame), 7);
  struct ppi_frame empty;
  ppi_frame_empty(&call.frame, &empty);
  flag = '?';
  ppi_frame_call(&empty);
  cr_expect_eq(flag, '?');
  cr_expect_eq(ppi_frame_info(&empty), 0);
}

static int calls;

static void counting(void) {
  calls++;
}

Test(invoke, empty_frames_call_nothing) {
  struct call call;
  double x[] = { 1 };
  static const char *const names[] = { "ddot", "sdot", "cdotu", "zdotu", "idamax", "dscal", "dlarfb" };
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    struct ppi_frame empty;
    prepare(&call, names[i], "LNFC", (int64_t[]){ 0, 0, 0 });
    call.function = counting;
    for (int place = 0; place < call.kernel->arg_count; place++)
      call.data[place] = x;
    calls = 0;
    run(&call);
    cr_expect_eq(calls, 1);
    ppi_frame_empty(&call.frame, &empty);
    ppi_frame_call(&empty);
    cr_expect_eq(calls, 1, "%s", names[i]);
    cr_expect_eq(empty.word_count, call.frame.word_count);
    cr_expect_arr_eq(empty.words, call.frame.words, sizeof empty.words);
  }
}

Test(invoke, faults_of_a_call) {
  struct call call;
  double a[16] = { 0 };
  prepare(&call, "dpotrf", "L", (int64_t[]){ 4 });
  operand(&call, "a", a);
  put(call.kernel, call.values, "lda", 3);
  cr_expect_eq(fill(&call), PERFPRED_INVALID);
  cr_expect_str_eq(error.text, "dpotrf: argument 'lda' is 3; expected at least the number of rows");
  put(call.kernel, call.values, "lda", 4);
  put(call.kernel, call.values, "uplo", 'X');
  cr_expect_eq(fill(&call), PERFPRED_INVALID);
  cr_expect_str_eq(error.text, "dpotrf: flag 'uplo' is no letter of 'LU'");
  put(call.kernel, call.values, "uplo", 'L');
  put(call.kernel, call.values, "n", -1);
  cr_expect_eq(fill(&call), PERFPRED_INVALID);
  cr_expect_str_eq(error.text, "dpotrf: argument 'n' is -1; expected a size >= 0");
  put(call.kernel, call.values, "n", 4);
  operand(&call, "a", NULL);
  cr_expect_eq(fill(&call), PERFPRED_INVALID);
  cr_expect_str_eq(error.text, "dpotrf: no address for argument 'a'");
  call.function = NULL;
  cr_expect_eq(fill(&call), PERFPRED_UNSUPPORTED);
  cr_expect_str_eq(error.text, "kernel 'dpotrf' has no address in this process");
}

Test(invoke, an_empty_operand_needs_no_address) {
  struct call call;
  prepare(&call, "dpotrf", "L", (int64_t[]){ 0 });
  run(&call);
  cr_expect_eq(call.frame.narrow[3], 1, "lda of an empty matrix");
  cr_expect_eq(ppi_frame_info(&call.frame), 0);
}

/* --- Registration and binding -------------------------------------------------------------------------------------- */

Test(invoke, bound_kernel) {
  struct call call;
  double x[] = { 3, 4 };
  cr_assert_eq(perfpred_kernel_bind(&context, "dscal", routine("dscal"), 0, &error), PERFPRED_OK);
  prepare(&call, "dscal", "", (int64_t[]){ 2 });
  call.function = NULL;
  scalar(&call, "alpha", 2, 0);
  operand(&call, "x", x);
  run(&call);
  cr_expect(x[0] == 6 && x[1] == 8);
}

Test(invoke, refused_registrations) {
  size_t before = perfpred_kernel_count(&context);
  cr_expect_eq(perfpred_kernel_bind(&context, "dscall", counting, 0, &error), PERFPRED_NOT_FOUND);
  cr_expect_str_eq(error.text, "no kernel 'dscall'; did you mean 'dscal'?");
  cr_expect_eq(perfpred_kernel_bind(&context, "dscal", NULL, 0, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_kernel_bind(NULL, "dscal", counting, 0, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_kernel_register(&context, "kernel dx(n: size)\nend\n", NULL, &error), PERFPRED_INVALID);
  cr_expect_str_eq(error.text, "function is NULL");
  cr_expect_eq(perfpred_kernel_register(&context, NULL, counting, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_kernel_register(&context, "kernel dx(n: syze)\nend\n", counting, &error), PERFPRED_SYNTAX);
  cr_expect(error.line == 1 && error.column == 14);
  cr_expect_eq(perfpred_kernel_register(&context, "kernel dscal(n: size)\nend\n", counting, &error), PERFPRED_EXISTS);
  cr_expect_str_eq(error.text, "there is a kernel 'dscal' already");
  cr_expect_eq(perfpred_kernel_register(&context, "kernel {s,d}x(n: size)\nend\n", counting, &error), PERFPRED_INVALID);
  cr_expect_eq(
      perfpred_kernel_register(&context, "kernel dx(n: size)\nend\nkernel dy(n: size)\nend\n", counting, &error),
      PERFPRED_SYNTAX);
  cr_expect_eq(perfpred_kernel_register_function(&context, "kernel dx(n: size)\nend\n", NULL, NULL, &error),
               PERFPRED_INVALID);
  cr_expect_eq(perfpred_kernel_register(&context, "", counting, &error), PERFPRED_SYNTAX);
  cr_expect_eq(perfpred_kernel_count(&context), before);
}
