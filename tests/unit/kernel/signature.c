/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading and printing signatures, and the registry that keeps them. */
#include <stdio.h>

#include "kernels.h"

static struct perfpred_error error;

TestSuite(signature, .init = set_up, .fini = tear_down);

static enum perfpred_status add(const char *text) {
  ppi_error_clear(&error);
  return ppi_kernels_add_text(context.kernels, text, strlen(text), "t", &error);
}

Test(signature, trsm_as_its_text_says) {
  const struct perfpred_kernel *kernel = kernel_named("ztrsm");
  cr_assert_eq(kernel->arg_count, 11);
  cr_expect_eq(kernel->type, PPI_TYPE_Z);
  cr_expect_eq(kernel->flag_count, 4);
  cr_expect_eq(kernel->size_count, 2);
  cr_expect_eq(kernel->args[2].kind, PPI_ARG_FLAG);
  cr_expect_str_eq(kernel->args[2].flags, "NTC");
  cr_expect_eq(kernel->args[6].type, PPI_TYPE_Z);
  const struct ppi_arg *a = &kernel->args[7], *b = &kernel->args[9];
  cr_expect_eq(a->shape, PPI_SHAPE_TRIANGLE);
  cr_expect_eq(a->property, PPI_TRIANGULAR);
  cr_expect_eq(a->direction, PPI_IN);
  cr_expect_eq(a->uplo, 1);
  cr_expect_eq(a->diag, 3);
  cr_expect_eq(a->ld, 8);
  cr_expect_eq(kernel->args[8].of, 7);
  cr_expect_eq(b->direction, PPI_INOUT);
  cr_expect_eq(b->shape, PPI_SHAPE_MATRIX);
  cr_expect_eq(b->ld, 10);
  cr_expect_eq(b->inc, -1);
}

Test(signature, types_of_arguments) {
  const struct perfpred_kernel *herk = kernel_named("cherk");
  cr_expect_eq(herk->args[ppi_kernel_argument(herk, "alpha")].type, PPI_TYPE_S);
  cr_expect_eq(herk->args[ppi_kernel_argument(herk, "a")].type, PPI_TYPE_C);
  const struct perfpred_kernel *getrf = kernel_named("zgetrf");
  cr_expect_eq(getrf->args[ppi_kernel_argument(getrf, "ipiv")].type, PPI_TYPE_INT);
  cr_expect_eq(getrf->args[ppi_kernel_argument(getrf, "ipiv")].property, PPI_PIVOTS);
  const struct perfpred_kernel *nrm2 = kernel_named("dznrm2");
  cr_expect_eq(nrm2->type, PPI_TYPE_Z);
  cr_expect(nrm2->returns_value);
  cr_expect_eq(nrm2->return_type, PPI_TYPE_D);
  const struct perfpred_kernel *amax = kernel_named("isamax");
  cr_expect_eq(amax->type, PPI_TYPE_S);
  cr_expect_eq(amax->return_type, PPI_TYPE_INT);
  const struct perfpred_kernel *dotc = kernel_named("cdotc");
  cr_expect_eq(dotc->return_type, PPI_TYPE_C);
}

/* Argument counts of the routines of reference BLAS and LAPACK. */
Test(signature, argument_counts_of_the_catalogue) {
  static const struct {
    const char *name;
    int count;
  } routines[] = {
    { "daxpy", 6 },  { "dcopy", 5 },   { "dswap", 5 },   { "dscal", 4 },   { "ddot", 5 },    { "zdotc", 5 },
    { "dnrm2", 3 },  { "dasum", 3 },   { "idamax", 3 },  { "dgemv", 11 },  { "dger", 9 },    { "zgerc", 9 },
    { "dsymv", 10 }, { "zhemv", 10 },  { "dtrmv", 8 },   { "dtrsv", 8 },   { "dsyr", 7 },    { "zher", 7 },
    { "dgemm", 13 }, { "dsymm", 12 },  { "zhemm", 12 },  { "dsyrk", 10 },  { "zherk", 10 },  { "dsyr2k", 12 },
    { "dtrmm", 11 }, { "dtrsm", 11 },  { "dpotf2", 5 },  { "dpotrf2", 5 }, { "dpotrf", 5 },  { "dtrti2", 6 },
    { "dtrtri", 6 }, { "dlauu2", 5 },  { "dlauum", 5 },  { "dgetf2", 6 },  { "dgetrf2", 6 }, { "dgetrf", 6 },
    { "dlaswp", 7 }, { "dgeqr2", 7 },  { "dlarft", 9 },  { "dlarfb", 15 }, { "dgeqrf", 8 },  { "dlacpy", 7 },
    { "dlaset", 7 }, { "dtrsyl", 13 }, { "dsygs2", 8 },  { "zhegs2", 8 },  { "dsygst", 8 },  { "dpotrs", 8 },
    { "zsyrk", 10 }, { "zher2k", 12 }, { "ztrsyl", 13 }, { "zlarfb", 15 }, { "csscal", 4 },  { "zdscal", 4 },
  };
  for (size_t i = 0; i < sizeof routines / sizeof routines[0]; i++)
    cr_expect_eq(kernel_named(routines[i].name)->arg_count, routines[i].count, "%s has %d arguments", routines[i].name,
                 kernel_named(routines[i].name)->arg_count);
}

static void expect_same(const struct perfpred_kernel *a, const struct perfpred_kernel *b) {
  cr_assert_str_eq(a->name, b->name);
  cr_expect_str_eq(a->operation, b->operation);
  cr_expect(a->type == b->type && a->returns_value == b->returns_value && a->return_type == b->return_type, "%s",
            a->name);
  cr_expect(ppi_expr_equal(a->multiplications, b->multiplications) && ppi_expr_equal(a->additions, b->additions), "%s",
            a->name);
  cr_expect((!a->movement && !b->movement) || ppi_expr_equal(a->movement, b->movement), "%s", a->name);
  cr_assert_eq(a->arg_count, b->arg_count);
  for (int i = 0; i < a->arg_count; i++) {
    const struct ppi_arg *p = &a->args[i], *q = &b->args[i];
    cr_expect_str_eq(p->name, q->name);
    cr_expect_str_eq(p->flags, q->flags);
    cr_expect(p->kind == q->kind && p->type == q->type && p->direction == q->direction && p->shape == q->shape &&
                  p->property == q->property && p->uplo == q->uplo && p->uplo_letter == q->uplo_letter &&
                  p->diag == q->diag && p->option == q->option && p->constant == q->constant && p->ld == q->ld &&
                  p->inc == q->inc && p->of == q->of,
              "%s: %s", a->name, p->name);
    cr_expect(!p->rows == !q->rows && (!p->rows || ppi_expr_equal(p->rows, q->rows)), "%s: %s", a->name, p->name);
    cr_expect(!p->columns == !q->columns && (!p->columns || ppi_expr_equal(p->columns, q->columns)), "%s: %s", a->name,
              p->name);
  }
}

Test(signature, printing_round_trip_of_every_kernel) {
  cr_assert_eq(ppi_kernels_count(context.kernels), 488);
  struct ppi_kernels *others = NULL;
  cr_assert_eq(ppi_kernels_create(&others, NULL), PERFPRED_OK);
  ppi_kernels_truncate(others, 0);
  for (size_t i = 0; i < ppi_kernels_count(context.kernels); i++) {
    const struct perfpred_kernel *kernel = ppi_kernels_at(context.kernels, i);
    char *text = NULL, *again = NULL;
    cr_assert_eq(perfpred_kernel_print(kernel, &text, &error), PERFPRED_OK);
    cr_assert_eq(ppi_kernels_add_text(others, text, strlen(text), kernel->name, &error), PERFPRED_OK, "%s\n%s",
                 error.text, text);
    const struct perfpred_kernel *reread = ppi_kernels_find(others, kernel->name);
    cr_assert_not_null(reread);
    expect_same(kernel, reread);
    cr_assert_eq(perfpred_kernel_print(reread, &again, NULL), PERFPRED_OK);
    cr_expect_str_eq(again, text);
    perfpred_free(again);
    perfpred_free(text);
  }
  ppi_kernels_destroy(others);
}

Test(signature, printed_text) {
  char *text = NULL;
  cr_assert_eq(perfpred_kernel_print(kernel_named("dtrsm"), &text, NULL), PERFPRED_OK);
  cr_expect_str_eq(
      text, "perfpred-text 1\n\n"
            "kernel dtrsm(side: flag L R, uplo: flag L U, transa: flag N T C, diag: flag N U, m: size, n: size,\n"
            "             alpha: scalar, a: in triangle(uplo, diag)[side == L ? m : n], lda, b: inout matrix[m, n],\n"
            "             ldb)\n"
            "  about B := alpha inv(op(A)) B or alpha B inv(op(A))\n"
            "  mul (side == L ? n*m*(m + 1)/2 : m*n*(n + 1)/2) - (diag == U ? m*n : 0)\n"
            "  add side == L ? n*m*(m - 1)/2 : m*n*(n - 1)/2\n"
            "end\n");
  perfpred_free(text);
}

Test(signature, everything_that_a_text_may_say) {
  static const char text[] =
      "kernel my_thing(u: flag X L U, a: inout spd double triangle(u)[k2], ld1: ld a,\n"
      "    k2: size, p: in pivots vector[k2], s: inc p, w: work integer[2*k2], lw: lwork[2*k2],\n"
      "    i: in integer vector[k2 // 2], t: out identity triangle(L)[k2], status: info)\n"
      "  type cfloat\n"
      "  returns double\n"
      "  mul k2*k2\n"
      "  move 3*k2\n"
      "end\n";
  cr_assert_eq(add(text), PERFPRED_OK, "%s", error.text);
  const struct perfpred_kernel *kernel = kernel_named("my_thing");
  cr_expect_eq(kernel->args[1].type, PPI_TYPE_D);
  cr_expect_eq(kernel->args[1].property, PPI_SPD);
  cr_expect_eq(kernel->args[1].ld, 2);
  cr_expect_eq(kernel->args[4].inc, 5);
  cr_expect_eq(kernel->args[4].type, PPI_TYPE_INT);
  cr_expect_eq(kernel->args[6].type, PPI_TYPE_INT);
  cr_expect_eq(kernel->args[9].uplo_letter, 'L');
  cr_expect_eq(kernel->args[9].property, PPI_IDENTITY);
  cr_expect_eq(kernel->args[9].type, PPI_TYPE_C);
  cr_expect_eq(kernel->args[10].kind, PPI_ARG_INFO);
  cr_expect_eq(kernel->type, PPI_TYPE_C);
  cr_expect_eq(kernel->return_type, PPI_TYPE_D);
  char *printed = NULL;
  cr_assert_eq(perfpred_kernel_print(kernel, &printed, NULL), PERFPRED_OK);
  ppi_kernels_truncate(context.kernels, ppi_kernels_count(context.kernels) - 1);
  cr_assert_eq(add(printed), PERFPRED_OK, "%s", error.text);
  perfpred_free(printed);
}

Test(signature, options_and_constants) {
  static const char text[] = "kernel dx(o: option 3 0, n: size, x: in vector[o == 3 ? n : 2*n], c: constant n - 1,\n"
                             "          one: constant 1)\n"
                             "  mul o == 0 ? 7 : n\n"
                             "end\n";
  cr_assert_eq(add(text), PERFPRED_OK, "%s", error.text);
  const struct perfpred_kernel *kernel = kernel_named("dx");
  cr_expect_eq(kernel->args[0].kind, PPI_ARG_FLAG);
  cr_expect(kernel->args[0].option);
  cr_expect_str_eq(kernel->args[0].flags, "30");
  cr_expect(kernel->args[3].constant && kernel->args[3].kind == PPI_ARG_LWORK);
  cr_expect_not(ppi_arg_is_written(&kernel->args[3]));
  char *printed = NULL;
  cr_assert_eq(perfpred_kernel_print(kernel, &printed, NULL), PERFPRED_OK);
  cr_expect_str_eq(printed, "perfpred-text 1\n\n"
                            "kernel dx(o: option 3 0, n: size, x: in vector[o == 3 ? n : 2*n], c: constant n - 1, "
                            "one: constant 1)\n"
                            "  mul o == 0 ? 7 : n\n"
                            "end\n");
  perfpred_free(printed);
  double flops = 0;
  cr_assert_eq(perfpred_kernel_flops(&context, "dx(3,5)", &flops, &error), PERFPRED_OK, "%s", error.text);
  cr_expect_eq(flops, 5);
  cr_assert_eq(perfpred_kernel_flops(&context, "dx(0,5)", &flops, &error), PERFPRED_OK, "%s", error.text);
  cr_expect_eq(flops, 7);
  cr_expect_eq(perfpred_kernel_flops(&context, "dx(1,5)", &flops, &error), PERFPRED_SYNTAX);
  cr_expect_str_eq(error.text, "call:1:4: expected option 'o' (one of 30), found '1'");
  struct ppi_value values[PPI_ARG_MAX];
  char formatted[PPI_CASE_MAX];
  cr_assert_eq(ppi_case_parse(kernel, "0", values, &error), PERFPRED_OK, "%s", error.text);
  cr_expect_eq(values[0].i, '0');
  ppi_case_format(kernel, values, formatted);
  cr_expect_str_eq(formatted, "0");
  int64_t rows = 0, columns = 0;
  values[1].i = 5;
  cr_assert_eq(ppi_kernel_extent(kernel, values, 2, &rows, &columns, NULL), PERFPRED_OK);
  cr_expect_eq(rows, 10);
}

Test(signature, routines_of_other_libraries) {
  static const char text[] = "kernel dx(n: size)\n"
                             "  library ./build/lib my.so.1   # of our own\n"
                             "  symbol my_dx\n"
                             "end\n";
  cr_assert_eq(add(text), PERFPRED_OK, "%s", error.text);
  const struct perfpred_kernel *kernel = kernel_named("dx"), *dtrsm = kernel_named("dtrsm");
  cr_expect_str_eq(kernel->library, "./build/lib my.so.1");
  cr_expect_str_eq(kernel->symbol, "my_dx");
  cr_expect_null(dtrsm->library);
  cr_expect_null(dtrsm->symbol);
  char *printed = NULL;
  cr_assert_eq(perfpred_kernel_print(kernel, &printed, NULL), PERFPRED_OK);
  cr_expect_str_eq(printed, "perfpred-text 1\n\n"
                            "kernel dx(n: size)\n"
                            "  library ./build/lib my.so.1\n"
                            "  symbol my_dx\n"
                            "end\n");
  perfpred_free(printed);
  /* one alone */
  cr_assert_eq(add("kernel dy(n: size)\n  library /lib/liby.so\nend\n"), PERFPRED_OK, "%s", error.text);
  cr_expect_str_eq(kernel_named("dy")->library, "/lib/liby.so");
  cr_expect_null(kernel_named("dy")->symbol);
  struct ppi_text longest = PPI_TEXT_INIT;
  ppi_text_append(&longest, "kernel dz(n: size)\n  library /");
  for (int i = 0; i < 1023; i++)
    ppi_text_append(&longest, "x");
  ppi_text_append(&longest, "\nend\n");
  char *taken = ppi_text_take(&longest);
  cr_expect_eq(add(taken), PERFPRED_SYNTAX);
  cr_expect_str_eq(error.text, "t:2:11: the text is longer than 1023 bytes");
  free(taken);
}

Test(signature, malformed_texts) {
  static const struct {
    const char *text;
    enum perfpred_status status;
    const char *message;
  } rows[] = {
    { "kernel dx(n: syze)\nend\n", PERFPRED_SYNTAX, "t:1:14: unknown kind of argument 'syze'; did you mean 'size'?" },
    { "kernel dx(n: 3)\nend\n", PERFPRED_SYNTAX,
      "t:1:14: expected a kind of argument (flag option size scalar in out inout ld inc work lwork constant), found "
      "'3'" },
    { "kernel dx(n: size, n: size)\nend\n", PERFPRED_SYNTAX, "t:1:20: argument 'n' appears twice" },
    { "kernel dx(n: size\nend\n", PERFPRED_SYNTAX, "t:2:1: expected ',' or ')', found 'end'" },
    { "kernel dx(n)\nend\n", PERFPRED_SYNTAX, "t:1:12: expected ':' and the kind of the argument, found ')'" },
    { "kernel dx(f: flag)\nend\n", PERFPRED_SYNTAX, "t:1:18: expected an upper-case letter of the flag, found ')'" },
    { "kernel dx(f: flag A A)\nend\n", PERFPRED_SYNTAX, "t:1:21: flag 'f' lists A twice" },
    { "kernel dx(o: option)\nend\n", PERFPRED_SYNTAX, "t:1:20: expected a value of the option, one digit, found ')'" },
    { "kernel dx(o: option A)\nend\n", PERFPRED_SYNTAX,
      "t:1:21: expected a value of the option, one digit, found 'A'" },
    { "kernel dx(o: option 1 12)\nend\n", PERFPRED_SYNTAX, "t:1:23: expected an option of one digit, found '12'" },
    { "kernel dx(o: option 1 2 1)\nend\n", PERFPRED_SYNTAX, "t:1:25: option 'o' lists 1 twice" },
    { "kernel dx(o: option 1 2 3 4 5 6 7 8)\nend\n", PERFPRED_LIMIT, "t:1:35: option 'o' has more than 7 values" },
    { "kernel dx(i: constant)\nend\n", PERFPRED_SYNTAX, "t:1:22: expected an expression, found ')'" },
    { "kernel dx(i: constant k)\nend\n", PERFPRED_SYNTAX, "t:1:23: unknown name 'k' in an expression" },
    { "kernel dx(n: size)\n  library\nend\n", PERFPRED_SYNTAX,
      "t:2:10: expected the path of a shared library, found the end of the line" },
    { "kernel dx(n: size)\n  library libx.so\n  library liby.so\nend\n", PERFPRED_SYNTAX,
      "t:3:3: a second 'library' in kernel 'dx'" },
    { "kernel dx(n: size)\n  symbol\nend\n", PERFPRED_SYNTAX,
      "t:2:9: expected the name of a symbol, found the end of the line" },
    { "kernel dx(n: size)\n  symbol 7\nend\n", PERFPRED_SYNTAX, "t:2:10: expected the name of a symbol, found '7'" },
    { "kernel dx(n: size)\n  symbol a b\nend\n", PERFPRED_SYNTAX, "t:2:12: expected the end of the line, found 'b'" },
    { "kernel dx(f: flag A B C D E F G H)\nend\n", PERFPRED_LIMIT, "t:1:33: flag 'f' has more than 7 letters" },
    { "kernel dx(rows: size, a: in matrix[rows, row])\nend\n", PERFPRED_SYNTAX,
      "t:1:42: unknown name 'row' in an expression; did you mean 'rows'?" },
    { "kernel dx(alpha: scalar, a: in vector[alpha])\nend\n", PERFPRED_SYNTAX,
      "t:1:39: unknown name 'alpha' in an expression" },
    { "kernel dx(n: size, a: in matrix[n])\nend\n", PERFPRED_SYNTAX, "t:1:34: expected ',', found ']'" },
    { "kernel dx(n: size, a: in vector[n, n])\nend\n", PERFPRED_SYNTAX, "t:1:34: expected ']', found ','" },
    { "kernel dx(n: size, a: in cube[n])\nend\n", PERFPRED_SYNTAX,
      "t:1:26: expected matrix[r, c], triangle(F)[n] or vector[n], found 'cube'" },
    { "kernel dx(n: size, a: in triangle[n])\nend\n", PERFPRED_SYNTAX, "t:1:34: expected '(', found '['" },
    { "kernel dx(n: size,\n          a: in triangle(uplo)[n])\nend\n", PERFPRED_SYNTAX,
      "t:2:26: expected the name of a flag, found 'uplo'" },
    { "kernel dx(n: size, a: in triangle(n)[n])\nend\n", PERFPRED_SYNTAX,
      "t:1:11: argument 'n' does not tell a triangle; expected a flag with L and U" },
    { "kernel dx(n: size, lda)\nend\n", PERFPRED_SYNTAX,
      "t:1:20: argument 'lda' is the leading dimension of no argument" },
    { "kernel dx(n: size, a: in vector[n], lda)\nend\n", PERFPRED_SYNTAX,
      "t:1:37: argument 'lda' belongs to what is no matrix" },
    { "kernel dx(n: size, x: in vector[n], incx, i: inc x)\nend\n", PERFPRED_SYNTAX,
      "t:1:43: argument 'i' is the second stride of the same operand" },
    { "kernel dx(info, i: info)\nend\n", PERFPRED_SYNTAX, "t:1:17: argument 'i' is a second info" },
    { "kernel dx(n: size)\n  mul n*\nend\n", PERFPRED_SYNTAX,
      "t:2:9: expected an expression, found the end of the line" },
    { "kernel dx(n: size)\n  mul n\n  mul n\nend\n", PERFPRED_SYNTAX, "t:3:3: a second 'mul' in kernel 'dx'" },
    { "kernel dx(n: size)\n  returnz\nend\n", PERFPRED_SYNTAX,
      "t:2:3: unknown statement 'returnz'; did you mean 'returns'?" },
    { "kernel dx(n: size)\n", PERFPRED_SYNTAX,
      "t:2:1: expected a statement of a kernel (about mul add move count require returns type library symbol) or "
      "'end', found the "
      "end of the text" },
    { "kernel work(n: size)\nend\n", PERFPRED_SYNTAX,
      "t:1:8: the name 'work' does not tell the data type; expected a statement such as 'type double'" },
    { "kernel dx(n: size)\n  type integer\nend\n", PERFPRED_SYNTAX,
      "t:2:8: expected a floating-point type (float double cfloat cdouble), found 'integer'" },
    { "kernel dx(a: scalar integer)\nend\n", PERFPRED_SYNTAX,
      "t:1:11: argument 'a' is an integer scalar; expected a floating-point type" },
    { "kernel dtrsm(n: size)\nend\n", PERFPRED_EXISTS, "t:1:8: there is a kernel 'dtrsm' already" },
    { "kernel {s,d}x(n: size, a: scalar {float,double,cfloat})\nend\n", PERFPRED_SYNTAX, NULL },
    { "kernel (n: size)\nend\n", PERFPRED_SYNTAX, "t:1:8: expected the name of a kernel, found '('" },
    { "perfpred-text 2\nkernel dx(n: size)\nend\n", PERFPRED_SYNTAX,
      "t:1:15: expected version 1 of the text form, found '2'" },
    { "algorithm x\n", PERFPRED_SYNTAX, "t:1:1: expected 'perfpred-text 1', found 'algorithm'" },
    { "kernel dx(n: size)\nend end\n", PERFPRED_SYNTAX, "t:2:5: expected the end of the line, found 'end'" },
  };
  size_t before = ppi_kernels_count(context.kernels);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    cr_expect_eq(add(rows[i].text), rows[i].status, "%s: status %d", rows[i].text, (int)error.status);
    if (rows[i].message)
      cr_expect_str_eq(error.text, rows[i].message);
    cr_expect_eq(error.status, rows[i].status);
    cr_expect_gt(error.line, 0);
    cr_expect_gt(error.column, 0);
    cr_assert_eq(ppi_kernels_count(context.kernels), before, "%s left a kernel behind", rows[i].text);
  }
}

static void expect_limit(const char *argument, int count, const char *end, const char *message) {
  struct ppi_text text = PPI_TEXT_INIT;
  ppi_text_append(&text, "kernel dx(");
  for (int i = 0; i < count; i++)
    ppi_text_printf(&text, argument, i ? "," : "", i);
  ppi_text_append(&text, end);
  char *taken = ppi_text_take(&text);
  enum perfpred_status status = add(taken);
  cr_expect_eq(status, message ? PERFPRED_LIMIT : PERFPRED_OK, "%s", error.text);
  if (message)
    cr_expect_not_null(strstr(error.text, message), "%s", error.text);
  else
    ppi_kernels_truncate(context.kernels, ppi_kernels_count(context.kernels) - 1);
  free(taken);
}

Test(signature, limits) {
  expect_limit("%sn%d: size", 8, ")\nend\n", NULL);
  expect_limit("%sn%d: size", 9, ")\nend\n", "a kernel has at most 8 sizes");
  expect_limit("%sf%d: flag A", 8, ")\nend\n", NULL);
  expect_limit("%sf%d: flag A", 9, ")\nend\n", "a kernel has at most 8 flags");
  expect_limit("%sx%d: in vector[1]", 32, ")\nend\n", NULL);
  expect_limit("%sx%d: in vector[1]", 33, ")\nend\n", "a kernel has at most 32 arguments");
  expect_limit("%sx%d: in vector[1]", 30, ", f: flag A)\nend\n", NULL);
  expect_limit("%sx%d: in vector[1]", 31, ", f: flag A)\nend\n", "are more than 32 words");
}

/* Truncated anywhere, or with a byte exchanged, a text is read or refused, and refused texts leave nothing behind. */
Test(signature, broken_texts_are_refused_whole) {
  static const char text[] = "perfpred-text 1\nkernel {s,d}foo(u: flag L U, n: size, alpha: scalar {float,double},\n"
                             "  a: in spd triangle(u)[u == L ? n : 2*n], lda, x: inout vector[max(n, 1)], incx, info)\n"
                             "  about {}foo\n  mul n*n/2\n  returns integer\nend\n";
  size_t before = ppi_kernels_count(context.kernels);
  char copy[sizeof text];
  for (size_t length = 0; length < sizeof text - 1; length++) {
    enum perfpred_status status = ppi_kernels_add_text(context.kernels, text, length, "t", NULL);
    /* the last line break may be missing, and a text of no kernels is a text */
    bool whole = length == sizeof text - 2 || status == PERFPRED_OK;
    cr_expect(status == PERFPRED_SYNTAX || whole, "%zu bytes: status %d", length, (int)status);
    cr_expect_eq(ppi_kernels_count(context.kernels) - before, length == sizeof text - 2 ? 2 : 0, "%zu bytes", length);
    ppi_kernels_truncate(context.kernels, before);
  }
  for (size_t place = 0; place < sizeof text - 1; place++)
    for (const char *byte = "([{,:x9\n\x01"; *byte; byte++) {
      memcpy(copy, text, sizeof text);
      copy[place] = *byte;
      enum perfpred_status status = ppi_kernels_add_text(context.kernels, copy, sizeof text - 1, "t", NULL);
      cr_expect(status == PERFPRED_OK || ppi_kernels_count(context.kernels) == before);
      ppi_kernels_truncate(context.kernels, before);
    }
}

/* --- Registry ------------------------------------------------------------------------------------------------------ */

Test(signature, names_are_sorted) {
  for (size_t i = 1; i < perfpred_kernel_count(&context); i++)
    cr_expect_lt(strcmp(perfpred_kernel_name(perfpred_kernel_at(&context, i - 1)),
                        perfpred_kernel_name(perfpred_kernel_at(&context, i))),
                 0);
  cr_expect_null(perfpred_kernel_at(&context, perfpred_kernel_count(&context)));
  cr_expect_eq(perfpred_kernel_count(NULL), 0);
}

Test(signature, truncation_forgets_the_newest) {
  size_t before = ppi_kernels_count(context.kernels);
  cr_assert_eq(add("kernel dzzz(n: size)\nend\nkernel daaa(n: size)\nend\n"), PERFPRED_OK);
  cr_assert_eq(ppi_kernels_count(context.kernels), before + 2);
  ppi_kernels_truncate(context.kernels, before + 1);
  cr_expect_null(ppi_kernels_find(context.kernels, "daaa"));
  cr_expect_not_null(ppi_kernels_find(context.kernels, "dzzz"));
  ppi_kernels_truncate(context.kernels, before);
  cr_expect_null(ppi_kernels_find(context.kernels, "dzzz"));
  cr_expect_not_null(ppi_kernels_find(context.kernels, "dtrsm"));
}

Test(signature, a_kernel_outlives_its_registry) {
  struct perfpred_kernel *kernel = ppi_kernel_ref(kernel_named("dtrsm"));
  ppi_kernels_truncate(context.kernels, 0);
  cr_expect_str_eq(perfpred_kernel_name(kernel), "dtrsm");
  cr_expect_str_eq(perfpred_kernel_operation(kernel), "B := alpha inv(op(A)) B or alpha B inv(op(A))");
  ppi_kernel_unref(kernel);
  ppi_kernel_unref(NULL);
}

Test(signature, find) {
  const struct perfpred_kernel *kernel = NULL;
  cr_expect_eq(perfpred_kernel_find(&context, "dgemm", &kernel, &error), PERFPRED_OK);
  cr_expect_str_eq(perfpred_kernel_name(kernel), "dgemm");
  kernel = NULL;
  cr_expect_eq(perfpred_kernel_find(&context, "dgemn", &kernel, &error), PERFPRED_NOT_FOUND);
  cr_expect_str_eq(error.text, "no kernel 'dgemn'; did you mean 'dgemm'?");
  cr_expect_null(kernel);
  cr_expect_eq(perfpred_kernel_find(&context, "something else", &kernel, &error), PERFPRED_NOT_FOUND);
  cr_expect_str_eq(error.text, "no kernel 'something else'");
  cr_expect_eq(perfpred_kernel_find(NULL, "dgemm", &kernel, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_kernel_find(&context, NULL, &kernel, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_kernel_find(&context, "dgemm", NULL, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_kernel_print(NULL, NULL, &error), PERFPRED_INVALID);
}
