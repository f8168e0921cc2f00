/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments that are integers out of a list: written as numbers, printed as integers in C. */
#include "programs.h"

TestSuite(option, .init = start, .fini = stop);

static const char reduction[] = "perfpred-text 1\n"
                                "\n"
                                "algorithm reduce(n)\n"
                                "  inout A: double triangle(L)[n]\n"
                                "  in B: double triangle(L)[n]\n"
                                "  dsygst(2, L, n, A[0, 0], B[0, 0])\n"
                                "end\n";

Test(option, text_is_what_was_read) {
  struct perfpred_program *program = parsed(reduction);
  char *text = printed(program, PERFPRED_FORMAT_TEXT);
  cr_expect_str_eq(text, reduction);
  free(text);
  perfpred_program_unref(program);
}

/* By reference, and without a length at the end. */
Test(option, in_c) {
  struct perfpred_program *program = parsed(reduction);
  char *text = printed(program, PERFPRED_FORMAT_C);
  cr_expect_not_null(strstr(text, "void dsygst_(const int *, const char *, const int *, double *, const int *, "
                                  "const double *, const int *, int *, size_t);"),
                     "%s", text);
  cr_expect_not_null(strstr(text, "dsygst_(&(const int){ 2 }, \"L\", &(const int){ n }, "), "%s", text);
  cr_expect_not_null(strstr(text, "&info, 1);"), "%s", text);
  free(text);
  perfpred_program_unref(program);
}

Test(option, of_no_such_value) {
  struct perfpred_error error = { .status = PERFPRED_OK };
  struct perfpred_program *program = NULL;
  static const char text[] = "algorithm reduce(n)\n"
                             "  inout A: double triangle(L)[n]\n"
                             "  dsygst(4, L, n, A[0, 0], A[0, 0])\n"
                             "end\n";
  cr_expect_eq(perfpred_program_parse(&context, text, sizeof text - 1, "t", &program, &error), PERFPRED_SYNTAX);
  cr_expect_not_null(strstr(error.text, "expected 1, 2 or 3 for option itype of dsygst, found '4'"), "%s", error.text);
}
