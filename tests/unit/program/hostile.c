/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts that nobody writes in good faith: each is read rightly or refused with a message. */
#include "programs.h"

TestSuite(hostile, .init = start, .fini = stop);

static enum perfpred_status read(const char *text, size_t length, struct perfpred_error *error) {
  struct perfpred_program *program = NULL;
  enum perfpred_status status = perfpred_program_parse(&context, text, length, "t", &program, error);
  cr_expect_eq(status == PERFPRED_OK, error->text[0] == '\0');
  cr_expect_eq(status == PERFPRED_OK, program != NULL);
  perfpred_program_unref(program);
  return status;
}

/* begin, middle times count, end */
static char *repeated(const char *begin, const char *middle, size_t count, const char *end) {
  const size_t length = strlen(middle);
  char *text = malloc(strlen(begin) + count * length + strlen(end) + 1);
  char *at = stpcpy(text, begin);
  for (size_t i = 0; i < count; i++)
    at = stpcpy(at, middle);
  strcpy(at, end);
  return text;
}

static enum perfpred_status read_repeated(const char *begin, const char *middle, size_t count, const char *end,
                                          struct perfpred_error *error) {
  char *text = repeated(begin, middle, count, end);
  enum perfpred_status status = read(text, strlen(text), error);
  free(text);
  return status;
}

Test(hostile, every_prefix_of_a_text) {
  static const char text[] = "perfpred-text 1\nalgorithm a-b(n, b) # x\n  about y\n  cost mul n add b\n"
                             "  inout A: double spd triangle(L)[n]\n  for i in 0:n down by b as w short last\n"
                             "    if i > 0 || n == 1\n      dtrsm(R, L, T, N, 0, w, -1.5, A[i, i], A[i+w, i])\n"
                             "    else\n      call a-b(0, b,\n A[n//2, 0])\n    end\n  end\nend";
  for (size_t length = 0; length < sizeof text; length++) {
    char *exact = malloc(length); /* so that a step too far is seen */
    memcpy(exact, text, length);
    struct perfpred_error error;
    enum perfpred_status status = read(exact, length, &error);
    cr_expect_eq(status, length == sizeof text - 1 ? PERFPRED_OK : PERFPRED_SYNTAX, "%zu: %s", length, error.text);
    free(exact);
    if (length == sizeof text - 1)
      break;
  }
}

Test(hostile, every_byte_replaced) {
  static const char text[] = "algorithm ab(n, b)\n  inout A: double matrix[n, n]\n  for i in 0:n by b as w\n"
                             "    dpotrf2(L, w, A[i, i])\n  end\nend\n";
  static const char bytes[] = "\0\n({[}])\"\\#-1a\xff,:";
  char copy[sizeof text];
  for (size_t i = 0; i + 1 < sizeof text; i++)
    for (size_t j = 0; j + 1 < sizeof bytes; j++) {
      struct perfpred_error error;
      memcpy(copy, text, sizeof text);
      copy[i] = bytes[j];
      read(copy, sizeof text - 1, &error); /* its checks: a message if and only if it fails */
    }
}

Test(hostile, deep_nesting) {
  struct perfpred_error error;
  cr_expect_eq(read_repeated("algorithm a(n)\n", "if n > 0\n", 100000, "", &error), PERFPRED_SYNTAX);
  char *open = repeated("algorithm a(n)\n", "if n > 0\n", 100000, "");
  char *both = repeated(open, "end\n", 100001, "");
  cr_expect_eq(read(both, strlen(both), &error), PERFPRED_LIMIT);
  free(both);
  free(open);
  open = repeated("algorithm a(n)\nlet x = ", "(", 100000, "n");
  both = repeated(open, ")", 100000, "\nend\n");
  cr_expect_neq(read(both, strlen(both), &error), PERFPRED_OK);
  free(both);
  free(open);
  cr_expect_neq(read_repeated("algorithm a(n)\nlet x = ", "-", 100000, "n\nend\n", &error), PERFPRED_OK);
}

Test(hostile, a_million_lines) {
  struct perfpred_error error;
  char *text = repeated("algorithm a(n)\n  inout A: double matrix[n, n]\n", "dpotrf2(L, 1, A[0, 0])\n", 50000, "end\n");
  struct perfpred_program *program = NULL;
  cr_assert_eq(perfpred_program_parse(&context, text, strlen(text), "t", &program, &error), PERFPRED_OK, "%s",
               error.text);
  uint64_t calls = 0;
  cr_expect_eq(perfpred_program_unroll(program, (int64_t[]){ 1 }, 1, &calls, NULL, &error), PERFPRED_OK);
  cr_expect_eq(calls, 50000);
  perfpred_program_unref(program);
  free(text);
  cr_expect_eq(read_repeated("algorithm a(n)\n", "\n", 1000000, "end\n", &error), PERFPRED_OK);
  cr_expect_eq(read_repeated("algorithm a(n)\n", "# a comment\n", 1000000, "", &error), PERFPRED_SYNTAX);
  cr_expect_eq(error.line, 1000002);
}

Test(hostile, many_algorithms) {
  struct perfpred_error error;
  ppi_error_clear(&error);
  char *text = malloc(20000 * 40 + 100), *at = stpcpy(text, "perfpred-text 1\n");
  for (int i = 0; i < 20000; i++)
    at += sprintf(at, "algorithm a%d(n)\nend\n", (i * 7919) % 20000);
  cr_expect_eq(ppi_programs_add_text(context.programs, context.kernels, text, (size_t)(at - text), "t", &error),
               PERFPRED_LIMIT);
  cr_expect_null(ppi_programs_find(context.programs, "a0"));
  free(text);
}

Test(hostile, chains_of_texts) { /* each calls the one before; none may need the stack when the last is released */
  struct perfpred_error error;
  ppi_error_clear(&error);
  const char first[] = "perfpred-text 1\nalgorithm c0(n)\nend\n";
  cr_assert_eq(ppi_programs_add_text(context.programs, context.kernels, first, sizeof first - 1, "t", &error),
               PERFPRED_OK);
  for (int i = 1; i < 2000; i++) {
    char text[100];
    const int length = sprintf(text, "perfpred-text 1\nalgorithm c%d(n)\n  c%d(n)\nend\n", i, i - 1);
    cr_assert_eq(ppi_programs_add_text(context.programs, context.kernels, text, (size_t)length, "t", &error),
                 PERFPRED_OK);
  }
  struct perfpred_program *last = found("c1999");
  ppi_programs_destroy(context.programs);
  context.programs = NULL;
  cr_expect_eq(perfpred_program_unroll(last, (int64_t[]){ 1 }, 1, NULL, NULL, &error), PERFPRED_LIMIT);
  perfpred_program_unref(last);
}

Test(hostile, numbers_and_names) {
  struct perfpred_error error;
  static const char *const wrong[] = {
    "algorithm a(n)\n  let x = 9223372036854775808\nend\n",
    "algorithm a(n)\n  let x = 99999999999999999999999999999999999999999\nend\n",
    "algorithm a(n)\n  inout A: double matrix[n, n]\n  dscal(n, 1e999, A[0, 0])\nend\n",
    "algorithm a(n)\n  inout A: double matrix[n, n]\n  dscal(n, nan, A[0, 0])\nend\n",
    /* names of 64 bytes */
    "algorithm a234567890123456789012345678901234567890123456789012345678901234(n)\nend\n",
    "algorithm a(b234567890123456789012345678901234567890123456789012345678901234)\nend\n",
    "algorithm a(n)\n  operation c234567890123456789012345678901234567890123456789012345678901234\nend\n",
    "algorithm a(n)\n  c234567890123456789012345678901234567890123456789012345678901234(n)\nend\n",
    "algorithm {a,b(n)\nend\n",
    "algorithm {}(n)\nend\n",
    "algorithm a{,}(n)\nend\n",
    "algorithm a(n)\n  {}x(n)\nend\n",
    "algorithm -(n)\nend\n",
    "algorithm a(n,)\nend\n",
    "algorithm a(n, n)\nend\n",
    "algorithm a(end)\nend\n",
    "algorithm a\nend\n",
    "algorithm\n",
    "end\n",
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    cr_expect_neq(read(wrong[i], strlen(wrong[i]), &error), PERFPRED_OK, "%s", wrong[i]);
  static const char longest[] = "algorithm a23456789012345678901234567890123456789012345678901234567890123(n)\nend\n";
  cr_expect_eq(read(longest, sizeof longest - 1, &error), PERFPRED_OK, "%s", error.text);
  char *text = repeated("algorithm a(n)\n  about ", "x", 1000, "\nend\n");
  cr_expect_eq(read(text, strlen(text), &error), PERFPRED_SYNTAX);
  free(text);
  static const char nul[] = "algorithm a(n)\n  about x\0y\nend\n";
  cr_expect_eq(read(nul, sizeof nul - 1, &error), PERFPRED_SYNTAX);
}

/* The default limit takes seconds to reach. */
static enum perfpred_status walk_limited(const char *text, int64_t n, struct perfpred_error *error) {
  const struct ppi_walker walker = { .limit = 100000 };
  struct perfpred_program *program = parsed(text);
  ppi_error_clear(error);
  enum perfpred_status status = ppi_program_walk(program, &n, 1, &walker, NULL, error);
  perfpred_program_unref(program);
  return status;
}

Test(hostile, loops_without_calls_end) {
  struct perfpred_error error;
  cr_expect_eq(walk_limited("algorithm a(n)\n  for i in 0:n\n    let x = i\n  end\nend\n", INT64_MAX, &error),
               PERFPRED_LIMIT);
  cr_expect_str_eq(error.text, "a, line 2: more than 100000 steps");
  /* 2^60 runs */
  cr_expect_eq(walk_limited("algorithm a(n)\n  if n > 0\n    a(n - 1)\n    a(n - 1)\n  end\nend\n", 60, &error),
               PERFPRED_LIMIT);
}
