/* SPDX-License-Identifier: BSD-3-Clause */
/* Building programs call by call: the same as reading their text. */
#include "programs.h"

TestSuite(builder, .init = start, .fini = stop);

static struct perfpred_builder *begun(const char *name) {
  struct perfpred_builder *builder = NULL;
  struct perfpred_error error;
  cr_assert_eq(perfpred_builder_create(&context, name, &builder, &error), PERFPRED_OK, "%s", error.text);
  return builder;
}

static struct perfpred_program *finished(struct perfpred_builder *builder) {
  struct perfpred_program *program = NULL;
  struct perfpred_error error;
  cr_assert_eq(perfpred_builder_finish(builder, &program, &error), PERFPRED_OK, "%s", error.text);
  return program;
}

Test(builder, prints_as_the_parsed_text) {
  struct perfpred_builder *builder = begun("chol-l-3");
  perfpred_builder_parameter(builder, "n", NULL);
  perfpred_builder_parameter(builder, "b", NULL);
  perfpred_builder_statement(builder, "operation chol-l", NULL);
  perfpred_builder_statement(builder, "about Cholesky decomposition, lower, right-looking", NULL);
  perfpred_builder_statement(builder, "cost n*(n+1)*(2*n+1)/6", NULL);
  perfpred_builder_buffer(builder, "inout A: double spd triangle(L)[n]", NULL);
  perfpred_builder_loop(builder, "i in 0:n by b as w", NULL);
  perfpred_builder_statement(builder, "let r = n - i - w", NULL);
  perfpred_builder_call(builder, "dpotrf2(L, w, A[i, i])", NULL);
  perfpred_builder_call(builder, "dtrsm(R, L, T, N, r, w, 1, A[i, i], A[i+w, i])", NULL);
  perfpred_builder_call(builder, "dsyrk(L, N, r, w, -1, A[i+w, i], 1, A[i+w, i+w])", NULL);
  perfpred_builder_end(builder, NULL);
  struct perfpred_program *built = finished(builder), *read = found("chol-l-3");
  for (int format = PERFPRED_FORMAT_TEXT; format <= PERFPRED_FORMAT_C; format++) {
    char *ours = printed(built, (enum perfpred_format)format), *theirs = printed(read, (enum perfpred_format)format);
    cr_expect_str_eq(ours, theirs);
    free(ours);
    free(theirs);
  }
  perfpred_program_unref(built);
  perfpred_program_unref(read);
}

Test(builder, defaults_of_parameters) {
  struct perfpred_builder *builder = begun("a");
  perfpred_builder_parameter(builder, "n", NULL);
  perfpred_builder_parameter(builder, "b = 64", NULL);
  struct perfpred_program *program = finished(builder);
  char *text = printed(program, PERFPRED_FORMAT_TEXT);
  cr_expect_str_eq(text, "perfpred-text 1\n\nalgorithm a(n, b = 64)\nend\n");
  free(text);
  perfpred_program_unref(program);
  struct perfpred_error error;
  builder = begun("a");
  cr_expect_eq(perfpred_builder_parameter(builder, "b = 0", &error), PERFPRED_SYNTAX);
  perfpred_builder_destroy(builder);
}

Test(builder, conditions_recursion_and_nests) {
  struct perfpred_builder *builder = begun("half");
  perfpred_builder_parameter(builder, "n", NULL);
  perfpred_builder_buffer(builder, "inout A: double spd triangle(L)[n]", NULL);
  perfpred_builder_statement(builder, "if n <= 2", NULL);
  perfpred_builder_statement(builder, "dpotrf2(L, n, A[0, 0])", NULL);
  perfpred_builder_statement(builder, "else", NULL);
  perfpred_builder_call(builder, "half(n - 2, A[2, 2])", NULL);
  perfpred_builder_statement(builder, "end", NULL);
  struct perfpred_program *program = finished(builder);
  char *calls = unrolled(program, (int64_t[]){ 5 }, 1);
  cr_expect_str_eq(calls, "dpotrf2(L, 1, A[4, 4])\n");
  free(calls);
  perfpred_program_unref(program);

  builder = begun("sum");
  perfpred_builder_parameter(builder, "n", NULL);
  perfpred_builder_buffer(builder, "double x[n], y[1]", NULL);
  perfpred_builder_loop(builder, "i in 0:n", NULL);
  perfpred_builder_statement(builder, "read x[i]; update y[0]", NULL);
  perfpred_builder_end(builder, NULL);
  program = finished(builder);
  calls = printed(program, PERFPRED_FORMAT_TEXT);
  cr_expect_str_eq(calls, "perfpred-text 1\n\nnest sum(n)\n  double row-major x[n], y[1]\n"
                          "  for i in 0:n\n    read x[i]; update y[0]\n  end\nend\n");
  free(calls);
  perfpred_program_unref(program);
}

Test(builder, first_error_sticks) {
  struct perfpred_builder *builder = begun("bad");
  struct perfpred_program *untouched = (struct perfpred_program *)&context, *program = untouched;
  struct perfpred_error error;
  cr_expect_eq(perfpred_builder_parameter(builder, "n", &error), PERFPRED_OK);
  cr_expect_str_eq(error.text, "");
  cr_expect_eq(perfpred_builder_loop(builder, "i in 0 n", &error), PERFPRED_SYNTAX);
  cr_expect_str_eq(error.text, "builder:2:8: expected ':', found 'n'");
  cr_expect_eq(perfpred_builder_call(builder, "dsyrk()", &error), PERFPRED_SYNTAX);
  cr_expect_str_eq(error.text, "builder:2:8: expected ':', found 'n'");
  cr_expect_eq(perfpred_builder_finish(builder, &program, &error), PERFPRED_SYNTAX);
  cr_expect_str_eq(error.text, "builder:2:8: expected ':', found 'n'");
  cr_expect_eq(program, untouched);
}

/* One wrong call, and the message that it gives. */
static void expect_message(enum perfpred_status (*add)(struct perfpred_builder *, const char *,
                                                       struct perfpred_error *),
                           const char *text, const char *message) {
  struct perfpred_builder *builder = begun("bad");
  struct perfpred_error error;
  perfpred_builder_parameter(builder, "n", NULL);
  perfpred_builder_buffer(builder, "inout A: double matrix[n, n]", NULL);
  cr_expect_neq(add(builder, text, &error), PERFPRED_OK);
  cr_expect_str_eq(error.text, message);
  perfpred_builder_destroy(builder);
}

Test(builder, wrong_lines) {
  expect_message(perfpred_builder_parameter, "m", "parameter m comes too late, expected all of them at the start");
  expect_message(perfpred_builder_call, "dpotrf2(L, n, A[0, 0]) n",
                 "builder:3:24: expected the end of the line, found 'n'");
  expect_message(perfpred_builder_call, "dpotrf2(L, n, A[0, 0])\ndpotrf2(L, n, A[0, 0])",
                 "builder:4:1: expected the end of the statement, found 'dpotrf2'");
  expect_message(perfpred_builder_call, "",
                 "builder:3:1: expected the name of a kernel or an algorithm, found the end of the text");
  expect_message(perfpred_builder_buffer, "B", "builder:3:1: expected in, out, inout, work or a type, found 'B'");
  expect_message(perfpred_builder_statement, "end", "builder:3:1: found end, but no loop or condition is open");
  expect_message(perfpred_builder_statement, NULL, "statement is NULL");
  expect_message(perfpred_builder_buffer, "double x[n]",
                 "builder:3:1: an algorithm declares 'in|out|inout|work NAME: TYPE SHAPE'");
}

Test(builder, finish_needs_closed_blocks) {
  struct perfpred_builder *builder = begun("open");
  struct perfpred_program *program = NULL;
  struct perfpred_error error;
  perfpred_builder_parameter(builder, "n", NULL);
  perfpred_builder_loop(builder, "i in 0:n", NULL);
  perfpred_builder_statement(builder, "if i > 2", NULL);
  cr_expect_eq(perfpred_builder_finish(builder, &program, &error), PERFPRED_INVALID);
  cr_expect_str_eq(error.text, "2 blocks of open are still open, expected perfpred_builder_end for each (the innermost "
                               "began with statement 3)");
  cr_expect_null(program);
}

Test(builder, bad_arguments) {
  struct perfpred_builder *builder = NULL;
  struct perfpred_error error;
  cr_expect_eq(perfpred_builder_create(NULL, "x", &builder, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_builder_create(&context, NULL, &builder, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_builder_create(&context, "two words", &builder, &error), PERFPRED_SYNTAX);
  cr_expect_eq(perfpred_builder_create(&context, "", &builder, &error), PERFPRED_SYNTAX);
  cr_expect_null(builder);
  cr_expect_eq(perfpred_builder_end(NULL, &error), PERFPRED_INVALID);
  cr_expect_str_eq(error.text, "builder is NULL");
  cr_expect_eq(perfpred_builder_finish(NULL, NULL, &error), PERFPRED_INVALID);
  perfpred_builder_destroy(NULL);
}
