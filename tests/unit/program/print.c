/* SPDX-License-Identifier: BSD-3-Clause */
/* Printing: text that reads back as the same program, JSON, C. */
#include "programs.h"

TestSuite(print, .init = start, .fini = stop);

static const char tricky[] = "perfpred-text 1\n"
                             "\n"
                             "algorithm tricky-one(n = 0, b = 64)\n"
                             "  operation an-op\n"
                             "  about quotes \" and \\ and \303\244\n"
                             "  cost mul n*(n + 1)/2 add n\n"
                             "  in A: cfloat spd triangle(U)[n]\n"
                             "  inout B: cfloat matrix[n, 2*n]\n"
                             "  out p: integer pivots vector[n]\n"
                             "  work T: cfloat matrix[b, b]\n"
                             "  inout S: cfloat general triangle(L)[n]\n"
                             "  work L: cfloat triangle(L)[n]\n"
                             "  for i in 0:n down by b as w short last\n"
                             "    for j in i:n by 2*b as v short first\n"
                             "      let r = n - i - w\n"
                             "      if r > 0 && (b == 1 || n//b < 3)\n"
                             "        cgemm(N, C, r, w, v, (0.5, -1), B[i, j], B[0, i], 0, B[i + w, 0])\n"
                             "      else\n"
                             "        ccopy(r, row B[0, i], L[0, 0])\n"
                             "      end\n"
                             "    end\n"
                             "  end\n"
                             "  for k in 0:n down\n"
                             "    if n > 1\n"
                             "      call tricky-one(n - 1, max(b, 1), A[1, 1], B[0, 0], p[1], S[1, 1])\n"
                             "    end\n"
                             "  end\n"
                             "end\n";

Test(print, text_is_what_was_read) {
  struct perfpred_program *program = parsed(tricky);
  char *text = printed(program, PERFPRED_FORMAT_TEXT);
  cr_expect_str_eq(text, tricky);
  free(text);
  perfpred_program_unref(program);
}

static const char elements[] = "perfpred-text 1\n"
                               "\n"
                               "algorithm elements(n)\n"
                               "  in A: double matrix[n, n]\n"
                               "  inout x: double vector[n]\n"
                               "  inout B: double matrix[n, n]\n"
                               "  for i in 0:n\n"
                               "    x[i] = ddot(n, row A[i, 0], B[0, i])\n"
                               "    B[i, 0] += ddot(n, A[0, i], x[0])\n"
                               "    daxpy(n, A[i, n - 1], A[0, i], B[0, i])\n"
                               "    ddot(i, x[0], x[0])\n"
                               "  end\n"
                               "end\n";

Test(print, elements_as_scalars_and_results) {
  struct perfpred_program *program = parsed(elements);
  char *text = printed(program, PERFPRED_FORMAT_TEXT), *json = printed(program, PERFPRED_FORMAT_JSON);
  char *c = printed(program, PERFPRED_FORMAT_C), *calls = unrolled(program, (int64_t[]){ 1 }, 1);
  cr_expect_str_eq(text, elements);
  cr_expect_not_null(strstr(json, "\"adds\": true, \"result\": {\"buffer\": \"B\", \"row\": \"i\", \"column\": \"0\"}"),
                     "%s", json);
  cr_expect_not_null(
      strstr(json, "\"adds\": false, \"result\": {\"buffer\": \"x\", \"row\": \"i\", \"column\": \"0\"}"), "%s", json);
  cr_expect_not_null(
      strstr(c, "    *(x + i * (ptrdiff_t)inc_x) = ddot_(&(const int){ n }, A + i, &(const int){ ld_A }, "), "%s", c);
  cr_expect_not_null(strstr(c, "    *(B + i) += ddot_("), "%s", c);
  cr_expect_not_null(
      strstr(c, "daxpy_(&(const int){ n }, A + i + (n - 1) * (ptrdiff_t)ld_A, A + i * (ptrdiff_t)ld_A, "), "%s", c);
  cr_expect_not_null(strstr(c, "    (void)ddot_("), "%s", c);
  cr_expect_str_eq(calls, "x[0] = ddot(1, row A[0, 0], B[0, 0])\n"
                          "B[0, 0] += ddot(1, A[0, 0], x[0])\n"
                          "daxpy(1, A[0, 0], A[0, 0], B[0, 0])\n"
                          "ddot(0, x[0], x[0])\n");
  free(calls);
  free(c);
  free(json);
  free(text);
  perfpred_program_unref(program);
}

/* JSON is printed by code of its own, so that equal JSON means an equal program. */
static void expect_round_trip(struct perfpred_program *program) {
  char *text = printed(program, PERFPRED_FORMAT_TEXT), *json = printed(program, PERFPRED_FORMAT_JSON);
  struct perfpred_program *again = parsed(text);
  char *text_again = printed(again, PERFPRED_FORMAT_TEXT), *json_again = printed(again, PERFPRED_FORMAT_JSON);
  cr_expect_str_eq(text_again, text);
  cr_expect_str_eq(json_again, json);
  free(json_again);
  free(text_again);
  perfpred_program_unref(again);
  free(json);
  free(text);
}

Test(print, catalogue_reads_back) {
  cr_assert_geq(perfpred_program_count(&context), 23);
  for (size_t i = 0; i < perfpred_program_count(&context); i++) {
    struct perfpred_program *program = found(perfpred_program_name_at(&context, i));
    expect_round_trip(program);
    perfpred_program_unref(program);
  }
}

Test(print, nest_reads_back) {
  static const char text[] = "perfpred-text 1\n"
                             "\n"
                             "nest gemm(ni, nj, nk)\n"
                             "  double row-major C[ni, nj], A[ni, nk]\n"
                             "  double column-major B[nk, nj]\n"
                             "  for i in 0:ni\n"
                             "    for j in 0:nj\n"
                             "      update C[i, j]\n"
                             "    end\n"
                             "    for k in 0:nk\n"
                             "      read C[i, 0], A[i, k], B[k, 0]; write C[i, 0]\n"
                             "      read A[i, k]\n"
                             "    end\n"
                             "  end\n"
                             "end\n";
  struct perfpred_program *program = parsed(text);
  char *again = printed(program, PERFPRED_FORMAT_TEXT);
  cr_expect_str_eq(again, text);
  expect_round_trip(program);
  char *c = NULL;
  struct perfpred_error error;
  cr_expect_eq(perfpred_program_print(program, PERFPRED_FORMAT_C, &c, &error), PERFPRED_UNSUPPORTED);
  cr_expect_str_eq(error.text, "gemm is a loop nest, only an algorithm can be printed as C");
  cr_expect_null(c);
  free(again);
  perfpred_program_unref(program);
}

Test(print, json) {
  struct perfpred_program *program = parsed("algorithm j(n)\n  about \"\\ \x01 \xff \xed\xa0\x80 \xe2\x82\xac\n"
                                            "  inout A: double matrix[n, 2]\n  for i in 0:n by 2 as w\n"
                                            "    dscal(w, -0.5, A[i, 1])\n  end\nend\n");
  char *json = printed(program, PERFPRED_FORMAT_JSON);
  cr_expect_str_eq(json,
                   "{\"name\": \"j\", \"kind\": \"algorithm\", \"operation\": \"\", "
                   "\"about\": \"\\\"\\\\ \\u0001 \\ufffd \\ufffd\\ufffd\\ufffd \xe2\x82\xac\", "
                   "\"parameters\": [\"n\"], \"defaults\": {}, \"buffers\": [{\"name\": \"A\", \"type\": \"double\", "
                   "\"role\": \"inout\", \"shape\": \"matrix\", \"rows\": \"n\", \"columns\": \"2\"}], "
                   "\"body\": [{\"for\": \"i\", \"lower\": \"0\", \"upper\": \"n\", \"step\": \"2\", "
                   "\"width\": \"w\", \"direction\": \"up\", \"short\": \"last\", \"body\": ["
                   "{\"call\": \"dscal\", \"site\": 0, \"arguments\": [\"w\", \"-0.5\", "
                   "{\"buffer\": \"A\", \"row\": \"i\", \"column\": \"1\"}]}]}]}\n");
  free(json);
  perfpred_program_unref(program);
}

Test(print, c_names_do_not_clash) {
  struct perfpred_program *program = parsed("algorithm int(n, while)\n  inout info: double matrix[n, n]\n"
                                            "  for ld_info in 0:n by while as w_\n    let w = ld_info\n"
                                            "    dpotrf2(L, w_ + 0*w, info[ld_info, 0])\n  end\nend\n");
  char *c = printed(program, PERFPRED_FORMAT_C);
  cr_expect_not_null(strstr(c, "int int_(int n, int while_, double *info_, int ld_info_) {"));
  cr_expect_not_null(strstr(c, "for (int ld_info_ = 0; ld_info_ < n; ld_info_ += while_)"));
  free(c);
  perfpred_program_unref(program);
}

Test(print, bad_arguments) {
  struct perfpred_program *program = found("chol-l-3");
  char *text = NULL;
  struct perfpred_error error;
  cr_expect_eq(perfpred_program_print(NULL, PERFPRED_FORMAT_TEXT, &text, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_program_print(program, PERFPRED_FORMAT_TEXT, NULL, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_program_print(program, (enum perfpred_format)3, &text, &error), PERFPRED_INVALID);
  cr_expect_str_eq(error.text, "format is 3, expected a PERFPRED_FORMAT_... value");
  cr_expect_null(text);
  perfpred_program_unref(program);
}
