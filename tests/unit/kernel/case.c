/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels.h"

TestSuite(cases, .init = set_up, .fini = tear_down);

Test(cases, format_of_a_call) {
  const struct perfpred_kernel *kernel = kernel_named("dgemm");
  struct ppi_value values[PPI_ARG_MAX] = { { .i = 0 } };
  char text[PPI_CASE_MAX];
  put(kernel, values, "transa", 'N');
  put(kernel, values, "transb", 'T');
  put(kernel, values, "m", 100);
  put(kernel, values, "lda", 5000);
  values[ppi_kernel_argument(kernel, "alpha")].re = -1;
  values[ppi_kernel_argument(kernel, "beta")].re = 0.25;
  ppi_case_format(kernel, values, text);
  cr_expect_str_eq(text, "N,T,-1,x");
}

Test(cases, classes_of_scalars) {
  const struct perfpred_kernel *kernel = kernel_named("zscal");
  static const struct {
    double re, im;
    const char *text;
  } rows[] = {
    { -1, 0, "-1,1" }, { 0, 0, "0,1" }, { 1, 0, "1,1" }, { 1, 1, "x,1" }, { 2, 0, "x,1" }, { 0, -1, "x,1" }
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    struct ppi_value values[PPI_ARG_MAX] = { { .i = 0 } };
    char text[PPI_CASE_MAX];
    values[ppi_kernel_argument(kernel, "alpha")].re = rows[i].re;
    values[ppi_kernel_argument(kernel, "alpha")].im = rows[i].im;
    ppi_case_format(kernel, values, text);
    cr_expect_str_eq(text, rows[i].text);
  }
}

Test(cases, classes_of_increments) {
  const struct perfpred_kernel *kernel = kernel_named("dcopy");
  struct ppi_value values[PPI_ARG_MAX] = { { .i = 0 } };
  char text[PPI_CASE_MAX];
  put(kernel, values, "incx", 1);
  put(kernel, values, "incy", 200);
  ppi_case_format(kernel, values, text);
  cr_expect_str_eq(text, "1,x");
  put(kernel, values, "incx", 0); /* not chosen yet: the view of the program decides */
  values[ppi_kernel_argument(kernel, "x")].by_row = true;
  ppi_case_format(kernel, values, text);
  cr_expect_str_eq(text, "x,x");
}

/* Every kernel, with the last letter of each flag, each class of scalars and increments in turn. */
Test(cases, round_trip_of_every_kernel) {
  static const char *const scalars[] = { "-1", "0", "1", "x" };
  for (size_t i = 0; i < ppi_kernels_count(context.kernels); i++) {
    const struct perfpred_kernel *kernel = ppi_kernels_at(context.kernels, i);
    struct ppi_text text = PPI_TEXT_INIT;
    ppi_text_append(&text, "");
    for (int place = 0; place < kernel->arg_count; place++) {
      const struct ppi_arg *arg = &kernel->args[place];
      const char *comma = text.length ? "," : "";
      if (arg->kind == PPI_ARG_FLAG)
        ppi_text_printf(&text, "%s%c", comma, arg->flags[strlen(arg->flags) - 1]);
      else if (arg->kind == PPI_ARG_SCALAR)
        ppi_text_printf(&text, "%s%s", comma, scalars[(i + (size_t)place) % 4]);
      else if (arg->kind == PPI_ARG_INC)
        ppi_text_printf(&text, "%s%c", comma, (i + (size_t)place) % 2 ? '1' : 'x');
    }
    char *wanted = ppi_text_take(&text), formatted[PPI_CASE_MAX];
    struct ppi_value values[PPI_ARG_MAX];
    struct perfpred_error error = { .status = PERFPRED_OK };
    cr_assert_eq(ppi_case_parse(kernel, wanted, values, &error), PERFPRED_OK, "%s", error.text);
    ppi_case_format(kernel, values, formatted);
    cr_expect_str_eq(formatted, wanted, "%s", kernel->name);
    free(wanted);
  }
}

Test(cases, parse_sets_what_a_call_needs) {
  const struct perfpred_kernel *kernel = kernel_named("dgemv");
  struct ppi_value values[PPI_ARG_MAX];
  cr_assert_eq(ppi_case_parse(kernel, "T,-1,x,x,1", values, NULL), PERFPRED_OK);
  cr_expect_eq(values[ppi_kernel_argument(kernel, "trans")].i, 'T');
  cr_expect_eq(values[ppi_kernel_argument(kernel, "alpha")].re, -1);
  cr_expect_eq(values[ppi_kernel_argument(kernel, "beta")].re, 0.7);
  cr_expect_eq(values[ppi_kernel_argument(kernel, "incx")].i, 0);
  cr_expect(values[ppi_kernel_argument(kernel, "x")].by_row);
  cr_expect_eq(values[ppi_kernel_argument(kernel, "incy")].i, 1);
  cr_expect_not(values[ppi_kernel_argument(kernel, "y")].by_row);
  cr_expect_eq(values[ppi_kernel_argument(kernel, "a")].buffer, -1);
  cr_expect_eq(values[ppi_kernel_argument(kernel, "m")].i, 0);
}

Test(cases, malformed) {
  static const struct {
    const char *text, *message;
  } rows[] = {
    { "R,L,T,N", "case 'R,L,T,N' of dtrsm; expected 5 parts with commas between" },
    { "R,L,T,N,1,1", "case 'R,L,T,N,1,1' of dtrsm; expected 5 parts with commas between" },
    { "", "case of dtrsm: '' for argument 'side'; expected one of LR" },
    { "R,L,Q,N,1", "case of dtrsm: 'Q' for argument 'transa'; expected one of NTC" },
    { "R,L,T,N,2", "case of dtrsm: '2' for argument 'alpha'; expected -1, 0, 1 or x" },
    { "R,L,T,N,", "case of dtrsm: '' for argument 'alpha'; expected -1, 0, 1 or x" },
    { "R,L,T,N,aaaaaaaaaaaaaaaaaaaaaaa",
      "case 'R,L,T,N,aaaaaaaaaaaaaaaaaaaaaaa' of dtrsm; expected 5 parts with commas "
      "between" },
    { "RR,L,T,N,1", "case of dtrsm: 'RR' for argument 'side'; expected one of LR" },
  };
  const struct perfpred_kernel *kernel = kernel_named("dtrsm");
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    struct ppi_value values[PPI_ARG_MAX] = { { .i = 42 } };
    struct perfpred_error error = { .status = PERFPRED_OK };
    cr_expect_eq(ppi_case_parse(kernel, rows[i].text, values, &error), PERFPRED_SYNTAX);
    cr_expect_str_eq(error.text, rows[i].message);
    cr_expect_eq(values[0].i, 42, "written in spite of the failure");
  }
}

Test(cases, kernel_without_parts) {
  const struct perfpred_kernel *kernel = kernel_named("dgetrf");
  struct ppi_value values[PPI_ARG_MAX];
  char text[PPI_CASE_MAX] = "?";
  cr_assert_eq(ppi_case_parse(kernel, "", values, NULL), PERFPRED_OK);
  ppi_case_format(kernel, values, text);
  cr_expect_str_eq(text, "");
  cr_expect_eq(ppi_case_parse(kernel, "N", values, NULL), PERFPRED_SYNTAX);
}
