/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading the text form: what is accepted, and what each mistake is answered with. */
#include "programs.h"

TestSuite(language, .init = start, .fini = stop);

#define HEAD "algorithm a(n, b)\n  inout A: double matrix[n, n]\n"

Test(language, structure_of_an_algorithm) {
  struct perfpred_program *program = parsed("algorithm my-alg(n, b)\n"
                                            "  operation my-op\n"
                                            "  about some words, with  two blanks\n"
                                            "  cost n*n\n"
                                            "  inout A: double spd triangle(L)[n]\n"
                                            "  work T: cfloat matrix[b, 2*b]\n"
                                            "  in p: integer pivots vector[n]\n"
                                            "  for i in 0:n by b as w\n"
                                            "    dpotrf2(L, w, A[i, i])\n"
                                            "  end\n"
                                            "end\n");
  cr_expect_str_eq(perfpred_program_name(program), "my-alg");
  cr_expect_str_eq(perfpred_program_operation(program), "my-op");
  cr_expect_str_eq(program->about, "some words, with  two blanks");
  cr_expect_eq(perfpred_program_parameter_count(program), 2);
  cr_expect_str_eq(perfpred_program_parameter_name(program, 1), "b");
  cr_expect_null(perfpred_program_parameter_name(program, 2));
  cr_expect_eq(perfpred_program_parameter(program, "b"), 1);
  cr_expect_eq(perfpred_program_parameter(program, "c"), -1);
  cr_assert_eq(program->buffer_count, 3);
  cr_expect_eq(program->buffers[0].property, PPI_SPD);
  cr_expect_eq(program->buffers[0].uplo, 'L');
  cr_expect_eq(program->buffers[1].work, true);
  cr_expect_eq(program->buffers[1].type, PPI_TYPE_C);
  cr_expect_eq(program->buffers[2].property, PPI_PIVOTS);
  cr_expect_eq(program->buffers[2].direction, PPI_IN);
  cr_expect_eq(program->body->kind, PPI_NODE_FOR);
  cr_expect_eq(program->body->line, 8);
  cr_expect_eq(program->body->body->site, 0);
  perfpred_program_unref(program);
}

/* Values that a text proposes. Calls of the algorithm write all of them nevertheless. */
Test(language, defaults_of_parameters) {
  struct perfpred_program *program = parsed("algorithm a(n, b = 64, nx=128, k = 0)\nend\n");
  cr_expect_eq(perfpred_program_parameter_default(program, 0), -1);
  cr_expect_eq(perfpred_program_parameter_default(program, 1), 64);
  cr_expect_eq(perfpred_program_parameter_default(program, 2), 128);
  cr_expect_eq(perfpred_program_parameter_default(program, 3), 0);
  cr_expect_eq(perfpred_program_parameter_default(program, 4), -1);
  cr_expect_eq(perfpred_program_parameter_default(NULL, 0), -1);
  perfpred_program_unref(program);
  expect_failure("algorithm a(n, b = 0)\nend\n", PERFPRED_SYNTAX,
                 "t:1:20: expected an integer of at least 1, found '0'");
  expect_failure("algorithm a(n = -1)\nend\n", PERFPRED_SYNTAX, "t:1:17: expected an integer of at least 0, found '-'");
  expect_failure("algorithm a(n, b = n)\nend\n", PERFPRED_SYNTAX,
                 "t:1:20: expected an integer of at least 1, found 'n'");
  expect_failure("algorithm a(n, b = 1.5)\nend\n", PERFPRED_SYNTAX,
                 "t:1:20: expected an integer of at least 1, found '1.5'");
  expect_failure("algorithm a(n, b = )\nend\n", PERFPRED_SYNTAX,
                 "t:1:20: expected an integer of at least 1, found ')'");
  expect_failure("algorithm a(n, b = 99999999999999999999)\nend\n", PERFPRED_SYNTAX,
                 "t:1:20: the number 99999999999999999999 does not fit into 64 bits");
  expect_failure("algorithm a(b = 64 n)\nend\n", PERFPRED_SYNTAX, "t:1:20: expected ')', found 'n'");
}

Test(language, calls_of_programs_defined_later_and_of_each_other) {
  static const char text[] = "perfpred-text 1\n"
                             "algorithm ping(n)\n"
                             "  inout A: double matrix[n, n]\n"
                             "  if n > 0\n"
                             "    pong(n - 1, A[1, 1])\n"
                             "    dpotrf2(L, 1, A[0, 0])\n"
                             "  end\n"
                             "end\n"
                             "algorithm pong(n)\n"
                             "  inout A: double matrix[n, n]\n"
                             "  if n > 0\n"
                             "    ping(n - 1, A[1, 1])\n"
                             "    mykernel(A[0, 0])\n"
                             "  end\n"
                             "end\n"
                             "kernel mykernel(a: inout matrix[1, 1], lda)\n"
                             "  type double\n"
                             "end\n";
  struct perfpred_error error;
  ppi_error_clear(&error);
  enum perfpred_status status =
      ppi_programs_add_text(context.programs, context.kernels, text, sizeof text - 1, "t", &error);
  cr_assert_eq(status, PERFPRED_OK, "%s", error.text);
  struct perfpred_program *ping = found("ping");
  char *calls = unrolled(ping, (int64_t[]){ 3 }, 1);
  cr_expect_str_eq(calls, "dpotrf2(L, 1, A[2, 2])\nmykernel(A[1, 1])\ndpotrf2(L, 1, A[0, 0])\n");
  free(calls);
  perfpred_program_unref(ping);
  ppi_programs_destroy(context.programs); /* here, not in stop: a fault there would go unnoticed */
  context.programs = NULL;
}

Test(language, texts_are_all_or_nothing) {
  static const char text[] = "perfpred-text 1\n"
                             "kernel fresh(n: size)\n  type double\nend\n"
                             "algorithm first(n)\n  fresh(n)\nend\n"
                             "algorithm second(n)\n  fresh(n, n)\nend\n";
  const size_t kernels = ppi_kernels_count(context.kernels), programs = perfpred_program_count(&context);
  struct perfpred_error error;
  ppi_error_clear(&error);
  enum perfpred_status status =
      ppi_programs_add_text(context.programs, context.kernels, text, sizeof text - 1, "t", &error);
  cr_expect_eq(status, PERFPRED_SYNTAX);
  cr_expect_str_eq(error.text, "t:9:10: expected ')' after the 1 arguments of fresh, found ','");
  cr_expect_eq(error.line, 9);
  cr_expect_eq(error.column, 10);
  cr_expect_eq(ppi_kernels_count(context.kernels), kernels);
  cr_expect_eq(perfpred_program_count(&context), programs);
  cr_expect_null(ppi_programs_find(context.programs, "first"));
  cr_expect_null(ppi_kernels_find(context.kernels, "fresh"));
}

Test(language, names_are_taken_once) {
  static const char twice[] = "perfpred-text 1\nalgorithm x(n)\nend\nnest x(n)\nend\n";
  static const char known[] = "perfpred-text 1\nalgorithm chol-l-3(n)\nend\n";
  struct perfpred_error error;
  ppi_error_clear(&error);
  cr_expect_eq(ppi_programs_add_text(context.programs, context.kernels, twice, sizeof twice - 1, "t", &error),
               PERFPRED_EXISTS);
  cr_expect_str_eq(error.text, "t:4:6: the name x is already taken by an algorithm or nest of this text");
  ppi_error_clear(&error);
  cr_expect_eq(ppi_programs_add_text(context.programs, context.kernels, known, sizeof known - 1, "t", &error),
               PERFPRED_EXISTS);
  cr_expect_str_eq(error.text, "t:2:11: the name chol-l-3 is already taken by an algorithm or nest");
}

Test(language, families) {
  static const char text[] = "perfpred-text 1\n"
                             "algorithm {s,z}fam-x(n)\n"
                             "  operation {}fam\n"
                             "  inout A: {float,cdouble} spd matrix[n, n]\n"
                             "  {ssyrk,zherk}(L, {T,C}, n, n, -1, A[0, 0], 1, A[0, 0])\n"
                             "end\n";
  struct perfpred_error error;
  ppi_error_clear(&error);
  cr_assert_eq(ppi_programs_add_text(context.programs, context.kernels, text, sizeof text - 1, "t", &error),
               PERFPRED_OK, "%s", error.text);
  struct perfpred_program *program = found("zfam-x");
  cr_expect_str_eq(program->operation, "zfam");
  cr_expect_eq(program->buffers[0].type, PPI_TYPE_Z);
  char *calls = unrolled(program, (int64_t[]){ 5 }, 1);
  cr_expect_str_eq(calls, "zherk(L, C, 5, 5, -1, A[0, 0], 1, A[0, 0])\n");
  free(calls);
  perfpred_program_unref(program);
  cr_expect_not_null(ppi_programs_find(context.programs, "sfam-x"));
  expect_failure("algorithm {s,d}two(n)\nend\n", PERFPRED_SYNTAX, "t:1:1: expected one algorithm or nest, found 2");
}

Test(language, families_of_compositions) {
  static const char text[] = "perfpred-text 1\n"
                             "algorithm part-{1,2}(n)\n"
                             "  inout A: double matrix[n, n]\n"
                             "  dpotrf2({L,U}, n, A[0, 0])\n"
                             "end\n"
                             "algorithm whole-{x1,x2}-{1,2}(n)\n"
                             "  operation {1}\n"
                             "  about part {1} and then {the (first),the (second),the (first),the (second)}\n"
                             "  inout A: double matrix[n, n]\n"
                             "  call part-{1,1,2,2}(n, A[0, 0])\n"
                             "  call part-{2}(n, A[0, 0])\n"
                             "end\n";
  struct perfpred_error error;
  ppi_error_clear(&error);
  cr_assert_eq(ppi_programs_add_text(context.programs, context.kernels, text, sizeof text - 1, "t", &error),
               PERFPRED_OK, "%s", error.text);
  struct perfpred_program *program = found("whole-x2-1");
  cr_expect_str_eq(program->operation, "x2");
  cr_expect_str_eq(program->about, "part x2 and then the (first)");
  char *calls = unrolled(program, (int64_t[]){ 5 }, 1);
  cr_expect_str_eq(calls, "dpotrf2(U, 5, A[0, 0])\ndpotrf2(L, 5, A[0, 0])\n");
  free(calls);
  perfpred_program_unref(program);
}

/* The kernel comes first, an algorithm of the same name only when the text says so; what is printed says so as well. */
Test(language, algorithms_with_names_of_kernels) {
  struct perfpred_program *program = parsed(HEAD "  dpotrf(L, n, A[0, 0])\n"
                                                 "  call algorithm dpotrf(n, b, A[0, 0])\n"
                                                 "end\n");
  char *calls = unrolled(program, (int64_t[]){ 5, 9 }, 2), *text = printed(program, PERFPRED_FORMAT_TEXT);
  cr_expect_str_eq(calls, "dpotrf(L, 5, A[0, 0])\ndpotrf2(L, 5, A[0, 0])\n");
  cr_expect_not_null(strstr(text, "  dpotrf(L, n, A[0, 0])\n  call algorithm dpotrf(n, b, A[0, 0])\n"), "%s", text);
  struct perfpred_program *again = parsed(text);
  free(calls);
  calls = unrolled(again, (int64_t[]){ 5, 9 }, 2);
  cr_expect_str_eq(calls, "dpotrf(L, 5, A[0, 0])\ndpotrf2(L, 5, A[0, 0])\n");
  free(calls);
  free(text);
  perfpred_program_unref(again);
  perfpred_program_unref(program);
  expect_failure(HEAD "  call algorithm dpotrf2(L, n, A[0, 0])\nend\n", PERFPRED_NOT_FOUND,
                 "t:3:18: no algorithm is called dpotrf2, did you mean dpotrf?");
  expect_failure(HEAD "  call algorithm(n)\nend\n", PERFPRED_NOT_FOUND,
                 "t:3:8: no kernel or algorithm is called algorithm");
  expect_failure(HEAD "  algorithm dpotrf(n, b, A[0, 0])\nend\n", PERFPRED_SYNTAX,
                 "t:3:13: expected a statement: a call needs '(', found 'dpotrf'");
}

Test(language, block_sizes_of_rows_and_columns) {
  struct perfpred_program *program = parsed("algorithm a(bm, bn, bmn)\n  inout A: double matrix[bm, bn]\nend\n");
  struct perfpred_error error;
  ppi_error_clear(&error);
  cr_expect_eq(ppi_program_check(program, (int64_t[]){ 1, 0, 1 }, 3, &error), PERFPRED_INVALID);
  cr_expect_str_eq(error.text, "bn must be >= 1, got 0");
  ppi_error_clear(&error);
  cr_expect_eq(ppi_program_check(program, (int64_t[]){ 0, 1, 1 }, 3, &error), PERFPRED_INVALID);
  cr_expect_str_eq(error.text, "bm must be >= 1, got 0");
  cr_expect_eq(ppi_program_check(program, (int64_t[]){ 1, 1, 0 }, 3, NULL), PERFPRED_OK);
  perfpred_program_unref(program);
}

Test(language, unknown_names) {
  expect_failure(HEAD "  dtrms(L, n)\nend\n", PERFPRED_NOT_FOUND,
                 "t:3:3: no kernel or algorithm is called dtrms, did you mean dtrmm?");
  expect_failure(HEAD "  call chol-l-33(n, b, A[0, 0])\nend\n", PERFPRED_NOT_FOUND,
                 "t:3:8: no kernel or algorithm is called chol-l-33, did you mean chol-l-3?");
  expect_failure(HEAD "  something_else(n)\nend\n", PERFPRED_NOT_FOUND,
                 "t:3:3: no kernel or algorithm is called something_else");
  expect_failure(HEAD "  dpotrf2(L, n, B[0, 0])\nend\n", PERFPRED_SYNTAX,
                 "t:3:17: expected a view such as A[0, 0] for argument a of dpotrf2, but no buffer is called B");
}

Test(language, arguments_of_calls) {
  expect_failure(HEAD "  dpotrf2(L, n)\nend\n", PERFPRED_SYNTAX,
                 "t:3:15: expected a comma and argument a of dpotrf2, found ')'");
  expect_failure(HEAD "  dpotrf2(L, n, A[0, 0], n)\nend\n", PERFPRED_SYNTAX,
                 "t:3:24: expected ')' after the 3 arguments of dpotrf2, found ','");
  expect_failure(HEAD "  dpotrf2(X, n, A[0, 0])\nend\n", PERFPRED_SYNTAX,
                 "t:3:11: expected L or U for flag uplo of dpotrf2, found 'X'");
  expect_failure(HEAD "  dtrsm(R, L, n, N, n, n, 1, A[0, 0], A[0, 0])\nend\n", PERFPRED_SYNTAX,
                 "t:3:15: expected N, T or C for flag transa of dtrsm, found 'n'");
  expect_failure(HEAD "  dtrsm(R, L, T, N, n, n, n, A[0, 0], A[0, 0])\nend\n", PERFPRED_SYNTAX,
                 "t:3:27: expected a number for scalar alpha of dtrsm, found 'n'");
  expect_failure(HEAD "  dtrsm(R, L, T, N, n, n, (1, 2), A[0, 0], A[0, 0])\nend\n", PERFPRED_SYNTAX,
                 "t:3:27: expected a number for scalar alpha of dtrsm, found '('");
  expect_failure(HEAD "  dpotrf2(L, n, A[0])\nend\n", PERFPRED_SYNTAX, "t:3:20: expected ',', found ']'");
  expect_failure(HEAD "  chol_l(n, b, A[0, 0])\nend\n", PERFPRED_NOT_FOUND,
                 "t:3:3: no kernel or algorithm is called chol_l, did you mean chol-l-1?");
  expect_failure(HEAD "  chol-l-3(n, b, A[0, 0])\nend\n", PERFPRED_SYNTAX,
                 "t:3:7: expected 'call' before a name with hyphens, or '(', found '-'");
  expect_failure(HEAD "  call chol-l-3(n, b)\nend\n", PERFPRED_SYNTAX,
                 "t:3:21: expected a comma and argument A of chol-l-3, found ')'");
}

Test(language, kinds_of_views) {
  expect_failure("algorithm a(n)\n  inout A: float matrix[n, n]\n  dpotrf2(L, n, A[0, 0])\nend\n", PERFPRED_SYNTAX,
                 "t:3:17: argument a of dpotrf2 is double, but A is float");
  expect_failure("algorithm a(n)\n  inout x: double vector[n]\n  dpotrf2(L, n, x[0])\nend\n", PERFPRED_SYNTAX,
                 "t:3:17: argument a of dpotrf2 is a matrix, but x is a vector");
  expect_failure("algorithm a(n)\n  in A: double matrix[n, n]\n  dpotrf2(L, n, A[0, 0])\nend\n", PERFPRED_SYNTAX,
                 "t:3:17: argument a of dpotrf2 is written, but A is declared in");
  expect_failure(HEAD "  dpotrf2(L, n, row A[0, 0])\nend\n", PERFPRED_SYNTAX,
                 "t:3:21: row gives a row of a matrix as a vector: argument a of dpotrf2 is no vector");
  struct perfpred_program *program = parsed("algorithm a(n)\n  inout A: double matrix[n, n]\n"
                                            "  daxpy(n, 0.5, row A[1, 0], A[0, 2])\nend\n");
  char *calls = unrolled(program, (int64_t[]){ 3 }, 1);
  cr_expect_str_eq(calls, "daxpy(3, 0.5, row A[1, 0], A[0, 2])\n");
  free(calls);
  perfpred_program_unref(program);
}

#define VECTORS "algorithm a(n)\n  in A: double matrix[n, n]\n  inout x: double vector[n]\n  inout f: float vector[n]\n"

Test(language, elements_as_scalars_and_results) {
  expect_failure(VECTORS "  x[0] = daxpy(n, 1, x[0], x[0])\nend\n", PERFPRED_SYNTAX,
                 "t:5:10: daxpy returns no value, expected a function such as ddot behind an element");
  expect_failure(VECTORS "  x[0] = call chol-l-3(n, 1, A[0, 0])\nend\n", PERFPRED_SYNTAX,
                 "t:5:15: chol-l-3 returns no value, expected a function such as ddot behind an element");
  expect_failure(VECTORS "  A[0, 0] = ddot(n, x[0], x[0])\nend\n", PERFPRED_SYNTAX,
                 "t:5:13: argument result of ddot is written, but A is declared in");
  expect_failure(VECTORS "  f[0] += ddot(n, x[0], x[0])\nend\n", PERFPRED_SYNTAX,
                 "t:5:11: argument result of ddot is double, but f is float");
  expect_failure(VECTORS "  x[0] ddot(n, x[0], x[0])\nend\n", PERFPRED_SYNTAX,
                 "t:5:8: expected = or += and a function behind an element, found 'ddot'");
  expect_failure(VECTORS "  x[0] - ddot(n, x[0], x[0])\nend\n", PERFPRED_SYNTAX,
                 "t:5:8: expected = or += and a function behind an element, found '-'");
  expect_failure(VECTORS "  x(n)\nend\n", PERFPRED_NOT_FOUND, "t:5:3: no kernel or algorithm is called x");
  expect_failure(VECTORS "  daxpy(n, f[0], x[0], x[0])\nend\n", PERFPRED_SYNTAX,
                 "t:5:12: argument alpha of daxpy is double, but f is float");
  expect_failure(VECTORS "  daxpy(n, A[0], x[0], x[0])\nend\n", PERFPRED_SYNTAX, "t:5:15: expected ',', found ']'");
}

Test(language, blocks) {
  expect_failure(HEAD "  for i in 0:n\n    dpotrf2(L, i, A[0, 0])\nend\n", PERFPRED_SYNTAX,
                 "t:6:1: expected end of a, which begins in line 1, found the end of the text");
  expect_failure(HEAD "  else\n  end\nend\n", PERFPRED_SYNTAX, "t:5:1: expected algorithm or nest, found 'end'");
  expect_failure(HEAD "  else\nend\n", PERFPRED_SYNTAX, "t:3:3: found else, but no if without one is open");
  expect_failure(HEAD "  if n > 0\n  else\n  else\n  end\nend\n", PERFPRED_SYNTAX,
                 "t:5:3: found else, but no if without one is open");
  expect_failure(HEAD "  for n in 0:b\n  end\nend\n", PERFPRED_SYNTAX,
                 "t:3:7: expected a new name for the name of a loop, but n is already defined here");
  expect_failure(HEAD "  let end = 0\nend\n", PERFPRED_SYNTAX,
                 "t:3:7: expected the name of a let, found the reserved word end");
  expect_failure(HEAD "  for i in 0:n by b as w short middle\n  end\nend\n", PERFPRED_SYNTAX,
                 "t:3:32: expected first or last after short, found 'middle'");
  expect_failure(HEAD "  for i in 0:n\n    let r = i\n  end\n  dpotrf2(L, r, A[0, 0])\nend\n", PERFPRED_SYNTAX,
                 "t:6:14: unknown name 'r' in an expression");
  expect_failure(HEAD "  dpotrf2(L, n, A[0, 0])\n  work T: double vector[n]\nend\n", PERFPRED_SYNTAX,
                 "t:4:3: expected work before the first statement");
  expect_failure("algorithm a(n)\n  double C[n]\nend\n", PERFPRED_SYNTAX,
                 "t:2:3: an algorithm declares 'in|out|inout|work NAME: TYPE SHAPE'");
  expect_failure("algorithm a(n)\n  in A: double cube[n]\nend\n", PERFPRED_SYNTAX,
                 "t:2:16: expected matrix[...], triangle(...)[...] or vector[...], found 'cube'");
  expect_failure("algorithm a(n)\n  work T: double spd matrix[n, n]\nend\n", PERFPRED_SYNTAX,
                 "t:2:22: a work buffer has no property, its contents are undefined");
}

Test(language, sibling_blocks_may_use_the_same_names) {
  /* 40 blocks with two names each are more than 64, but share two slots */
  char text[4096] = "algorithm a(n, b)\n  inout A: double matrix[n, n]\n";
  for (int i = 0; i < 40; i++)
    strcat(text, "  for i in 0:1\n    let r = i\n    dpotrf2(L, r, A[0, 0])\n  end\n");
  strcat(text, "end\n");
  struct perfpred_program *program = parsed(text);
  cr_expect_eq(program->slot_count, 4);
  perfpred_program_unref(program);
}

Test(language, limits) {
  char text[4096] = "algorithm a(n, b)\n";
  for (int i = 0; i < 63; i++)
    sprintf(text + strlen(text), "  let x%d = n\n", i);
  strcat(text, "end\n");
  expect_failure(text, PERFPRED_LIMIT,
                 "t:64:14: expected at most 64 names of parameters, loops and lets, and x62 is one more");
  strcpy(text, "algorithm a(n, b)\n");
  for (int i = 0; i < 33; i++)
    strcat(text, "  if n > 0\n");
  for (int i = 0; i < 33; i++)
    strcat(text, "  end\n");
  strcat(text, "end\n");
  expect_failure(text, PERFPRED_LIMIT, "t:34:11: expected at most 32 blocks inside each other");
  expect_failure("algorithm a(a, b, c, d, e, f, g, h, i)\nend\n", PERFPRED_LIMIT,
                 "t:1:37: expected at most 8 parameters");
}

Test(language, nests) {
  struct perfpred_program *program = parsed("nest gemm(ni, nj)\n"
                                            "  double row-major C[ni, nj], A[ni, 5]\n"
                                            "  float column-major x[nj]\n"
                                            "  for i in 0:ni\n"
                                            "    update C[i, 0]\n"
                                            "    read x[i + 1], A[i, 4]; write C[i, nj - 1]\n"
                                            "  end\n"
                                            "end\n");
  cr_expect_eq(program->nest, true);
  cr_expect_eq(program->site_count, 4);
  cr_expect_eq(program->buffers[1].dimensions, 2);
  cr_expect_eq(program->buffers[2].row_major, false);
  cr_expect_eq(program->buffers[0].direction, PPI_INOUT);
  cr_expect_eq(program->buffers[1].direction, PPI_IN);
  char *calls = unrolled(program, (int64_t[]){ 2, 7 }, 2);
  cr_expect_str_eq(calls, "update C[0, 0]\nread x[1]\nread A[0, 4]\nwrite C[0, 6]\n"
                          "update C[1, 0]\nread x[2]\nread A[1, 4]\nwrite C[1, 6]\n");
  free(calls);
  perfpred_program_unref(program);
  expect_failure("nest a(n)\n  double C[n, n]\n  read C[n]\nend\n", PERFPRED_SYNTAX,
                 "t:3:11: expected 2 subscripts of C, found 1");
  expect_failure("nest a(n)\n  double C[n, n]\n  dpotrf2(L, n, C[0, 0])\nend\n", PERFPRED_SYNTAX,
                 "t:3:3: expected a loop, an access (read, write, update) or end, found 'dpotrf2'");
  expect_failure(HEAD "  read A[0, 0]\nend\n", PERFPRED_SYNTAX, "t:3:3: expected a call: read belongs into a nest");
  expect_failure("nest a(n)\n  double C[n]\n  read D[n]\nend\n", PERFPRED_SYNTAX, "t:3:8: no array is called D");
}

Test(language, first_line) {
  static const char *const wrong[] = { "algorithm x(n)\nend\n", "perfpred-text 2\nalgorithm x(n)\nend\n", "" };
  static const char *const messages[] = {
    "t:1:1: expected the first line 'perfpred-text 1', found 'algorithm'",
    "t:1:15: expected version 1 of the text form, found '2'",
    "t:1:1: expected the first line 'perfpred-text 1', found the end of the text"
  };
  for (int i = 0; i < 3; i++) {
    struct perfpred_error error;
    ppi_error_clear(&error);
    ppi_error_clear(&error);
    enum perfpred_status status =
        ppi_programs_add_text(context.programs, context.kernels, wrong[i], strlen(wrong[i]), "t", &error);
    cr_expect_eq(status, PERFPRED_SYNTAX);
    cr_expect_str_eq(error.text, messages[i]);
  }
}

Test(language, programs_outlive_the_context) {
  struct perfpred_program *program = found("chol-l-rec");
  ppi_programs_destroy(context.programs);
  context.programs = NULL;
  ppi_programs_create(context.kernels, &context.programs, NULL);
  char *calls = unrolled(program, (int64_t[]){ 4, 2 }, 2);
  cr_expect_str_eq(calls, "dpotrf2(L, 2, A[0, 0])\n"
                          "dtrsm(R, L, T, N, 2, 2, 1, A[0, 0], A[2, 0])\n"
                          "dsyrk(L, N, 2, 2, -1, A[2, 0], 1, A[2, 2])\n"
                          "dpotrf2(L, 2, A[2, 2])\n");
  free(calls);
  perfpred_program_unref(program);
}

Test(language, find) {
  struct perfpred_program *program = NULL;
  struct perfpred_error error;
  ppi_error_clear(&error);
  cr_expect_eq(perfpred_program_find(&context, "chol-l3", &program, &error), PERFPRED_NOT_FOUND);
  cr_expect_str_eq(error.text, "no algorithm is called chol-l3, did you mean chol-l-3?");
  cr_expect_eq(perfpred_program_find(&context, NULL, &program, &error), PERFPRED_INVALID);
  cr_expect_str_eq(error.text, "name is NULL");
  cr_expect_eq(perfpred_program_find(NULL, "x", &program, NULL), PERFPRED_INVALID);
  cr_expect_null(program);
  cr_expect_str_eq(perfpred_program_name_at(&context, 0), "chol-l-1");
  cr_expect_null(perfpred_program_name_at(&context, perfpred_program_count(&context)));
}
