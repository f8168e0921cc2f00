/* SPDX-License-Identifier: BSD-3-Clause */
/* Nests from C: what the reader makes of loops, conditions and accesses, what it refuses and where, and hostile files. */
#include <sys/stat.h>
#include <unistd.h>

#include "../program/programs.h"
#include "source/nest.h"
#include "source/preprocess.h"

TestSuite(nest, .init = start, .fini = stop);

static struct perfpred_program *read_c(const char *text) {
  struct perfpred_program *program = NULL;
  struct perfpred_error error;
  ppi_error_clear(&error);
  cr_assert_eq(ppi_source_nest(&context, text, strlen(text), "t.c", NULL, 0, &program, &error), PERFPRED_OK, "%s\n%s",
               error.text, text);
  return program;
}

static void expect_nest(const char *text, const char *expected) {
  struct perfpred_program *program = read_c(text);
  char *got = printed(program, PERFPRED_FORMAT_TEXT);
  cr_expect_str_eq(got, expected);
  perfpred_free(got);
  perfpred_program_unref(program);
}

/* The body of a function with arrays A, B, x, and the body of the nest. */
static void expect_body(const char *c, const char *parameters, const char *arrays, const char *body) {
  char text[2000], expected[2000];
  snprintf(
      text, sizeof text,
      "typedef unsigned long size_t;\nvoid f(int n, int m, double A[n][m], double B[100][200], double *x, int *s)\n"
      "{\n  int i, j, k; double t;\n#pragma scop\n%s\n#pragma endscop\n}\n",
      c);
  snprintf(expected, sizeof expected, "perfpred-text 1\n\nnest f(%s)\n  %s\n%send\n", parameters, arrays, body);
  expect_nest(text, expected);
}

Test(nest, gemm) {
  expect_nest(
      "# 1 \"gemm.c\"\n# 1 \"<built-in>\"\n# 1 \"gemm.c\"\nextern double sqrt(double x) __attribute__((const));\n"
      "static void kernel_gemm(int ni, int nj, int nk, double alpha, double beta, double C[1000 + 0][1100 + 0],\n"
      "                        double A[1000 + 0][1200 + 0], double B[1200 + 0][1100 + 0])\n{\n"
      "  int i, j, k;\n#pragma scop\n  for (i = 0; i < ni; i++) {\n    for (j = 0; j < nj; j++)\n"
      "      C[i][j] *= beta;\n    for (k = 0; k < nk; k++) {\n      for (j = 0; j < nj; j++)\n"
      "        C[i][j] += alpha * A[i][k] * B[k][j];\n    }\n  }\n#pragma endscop\n}\n",
      "perfpred-text 1\n\nnest kernel_gemm(ni, nj, nk)\n"
      "  double row-major C[1000 + 0, 1100 + 0], A[1000 + 0, 1200 + 0], B[1200 + 0, 1100 + 0]\n"
      "  for i in 0:ni\n    for j in 0:nj\n      read C[i, j]; write C[i, j]\n    end\n"
      "    for k in 0:nk\n      for j in 0:nj\n        read C[i, j], A[i, k], B[k, j]; write C[i, j]\n"
      "      end\n    end\n  end\nend\n");
}

Test(nest, places_are_those_of_the_source) {
  struct perfpred_program *program =
      read_c("# 40 \"deep.c\" 2\ndouble A[10], B[10];\nvoid g(void) {\n#pragma scop\nfor (int i = 0; i < 10; i++) {\n"
             "  A[i] = 0;\n# 90 \"deep.c\"\n  B[i] = i > 2 ? A[i] : B[0]; A[i]++;\n}\n#pragma endscop\n}\n");
  const struct ppi_node *loop = program->body, *first = loop->body, *choice = first->next, *write = choice->next;
  cr_expect_eq(loop->line, 43);
  cr_expect_eq(first->line, 44);
  cr_expect_eq(choice->kind, PPI_NODE_IF);
  cr_expect_eq(choice->line, 90);
  cr_expect_eq(write->line, 90);
  cr_expect_eq(program->statement_count, 3);
  cr_expect_eq(first->statement, 0);
  cr_expect_eq(choice->body->statement, 1); /* one assignment, in three lines of the nest */
  cr_expect_eq(choice->otherwise->statement, 1);
  cr_expect_eq(write->statement, 1);
  cr_expect_eq(write->next->statement, 2);
  cr_expect_eq(write->next->next->statement, 2);
  perfpred_program_unref(program);
}

Test(nest, loops) {
  expect_body("for (i = n - 1; i >= 0; i--) x[i] = 0;", "n", "double row-major x[1073741824]",
              "  for i in 0:n down\n    write x[i]\n  end\n");
  expect_body("for (i = 1; i <= n - 2; i += 2) x[i] = x[i - 1];", "n", "double row-major x[1073741824]",
              "  for i in 1:n - 2 + 1 by 2\n    read x[i - 1]; write x[i]\n  end\n");
  expect_body("for (int i = n; i > m; i = i - 3) x[i] = 0;", "n, m", "double row-major x[1073741824]",
              "  for t_ in 0:(n - (m + 1))//3 + 1\n    let i = n - 3*t_\n    write x[i]\n  end\n");
  expect_body("for (i = 0; i < n && i < m; ++i) for (int i2 = i; i2 != n; i2++) x[i2] = 0;", "n, m",
              "double row-major x[1073741824]",
              "  for i in 0:min(n, m)\n    for i2 in i:n\n      write x[i2]\n    end\n  end\n");
  expect_body("for (i = 0; 2 * i < n + 1; i++) x[i] = 0;", "n", "double row-major x[1073741824]",
              "  for i in 0:ceildiv(0 + 1*(n + 1), 2)\n    write x[i]\n  end\n");
  expect_body("for (i = 0; i < n; i += m) for (j = i; j < (i + m < n ? i + m : n); j++) x[j] = 0;", "m, n",
              "double row-major x[1073741824]",
              "  for i in 0:n by m\n    for j in i:min(i + m, n)\n      write x[j]\n    end\n  end\n");
  expect_body("#pragma omp parallel for\nfor (size_t q = 0; q < 8; q++) { ; { x[q] = 1; } }", "",
              "double row-major x[1073741824]", "  for q in 0:8\n    write x[q]\n  end\n");
}

Test(nest, statements) {
  const char *x = "double row-major x[1073741824]";
  expect_body("x[1] += x[2] * sqrt(x[3]); t = x[4]; (void)(float)x[5];", "", x,
              "  read x[1], x[2], x[3]; write x[1]\n  read x[4]\n  read x[5]\n");
  expect_body("x[0]++; --x[1]; x[2] = x[3] = t; *x = 0;", "", x,
              "  read x[0]; write x[0]\n  read x[1]; write x[1]\n  write x[3], x[2]\n  write x[0]\n");
  expect_body("if (n > 3 && !(m == 2)) x[0] = 1; else x[1] = 1;", "n, m", x,
              "  if n > 3 && (m == 2) == 0\n    write x[0]\n  else\n    write x[1]\n  end\n");
  expect_body("for (i = 0; i < n; i++) { int l = i / 2, r = i % 3; x[l] = x[r]; }", "n", x,
              "  for i in 0:n\n    let l = i//2\n    let r = i%3\n    read x[r]; write x[l]\n  end\n");
  expect_body("for (i = 0; i < n; i++) { x[(i - 4) / 2 + 9] = 0; }", "n", x,
              "  for i in 0:n\n    write x[(i - 4 >= 0 ? (i - 4)//2 : -(-(i - 4)//2)) + 9]\n  end\n");
  /* data decide: both sides are taken, and the counts will say so */
  expect_body("for (i = 0; i < n; i++) if (x[i] > t) x[i] = t; else s[i] = 1;", "n",
              "double row-major x[1073741824]\n  integer row-major s[1073741824]",
              "  for i in 0:n\n    read x[i]\n    may write x[i]\n    may write s[i]\n  end\n");
  expect_body("x[0] = x[1] >= x[2] ? x[1] : x[2];", "", x, "  read x[1], x[2]\n  may read x[1], x[2]\n  write x[0]\n");
}

Test(nest, declarations) {
  expect_nest("enum { N = 3, M };\ntypedef float row[N];\nconst int k = 2 * N;\nstruct pair { int a; };\n"
              "static row t[5] = { { 0 } }, *p;\n_Complex double z[N];\nlong double (*q)[k];\nunsigned char c[N * M];\n"
              "int f(int a, int b[static 4]) { int A[9]; { double A[2]; }\n#pragma scop\n"
              "A[M] = t[4][k - 4]; z[1] = q[1][2]; c[a + 1 > 0 ? 1 : 2] = p[0][0];\n#pragma endscop\n return 0; }\n",
              "perfpred-text 1\n\nnest f(a)\n  float row-major t[5, 3]\n  integer row-major A[9]\n"
              "  bytes(16) row-major q[1073741824, 6]\n  cdouble row-major z[3]\n  float row-major p[1073741824, 3]\n"
              "  bytes(1) row-major c[3*4]\n  read t[4, 6 - 4]; write A[4]\n  read q[1, 2]; write z[1]\n"
              "  read p[0, 0]; write c[a + 1 > 0 ? 1 : 2]\nend\n");
}

struct refusal {
  const char *text;
  enum perfpred_status status;
  const char *message;
};

static void expect_refusal(const struct refusal *refusal) {
  char text[3000];
  struct perfpred_program *untouched = (struct perfpred_program *)&context, *program = untouched;
  struct perfpred_error error;
  ppi_error_clear(&error);
  snprintf(text, sizeof text,
           "double A[10][10], x[10]; int s[10];\nvoid f(int n, double t) {\n#pragma scop\n%s\n"
           "#pragma endscop\n}\n",
           refusal->text);
  cr_expect_eq(ppi_source_nest(&context, text, strlen(text), "t.c", NULL, 0, &program, &error), refusal->status,
               "%s: %s", refusal->text, error.text);
  cr_expect_str_eq(error.text, refusal->message);
  cr_expect_eq(program, untouched);
}

Test(nest, what_is_not_affine) {
  static const struct refusal refusals[] = {
    { "for (int i = 0; i < n; i++)\n  x[s[i]] = 0;", PERFPRED_UNSUPPORTED,
      "t.c:5:5: not affine: s[i] (it depends on data)" },
    { "for (int i = 0; i < n; i++) for (int j = 0; j < i * i; j++) x[j] = 0;", PERFPRED_UNSUPPORTED,
      "t.c:4:49: not affine: i * i (a product of counters)" },
    { "while (n) x[0] = 0;", PERFPRED_UNSUPPORTED,
      "t.c:4:1: not affine: while (expected loops, conditions and assignments)" },
    { "for (int i = 0; x[i] > 0; i++) x[i] = 0;", PERFPRED_UNSUPPORTED,
      "t.c:4:17: not affine: x[i] > 0 (expected a bound for the counter, on the side to which it runs)" },
    { "for (int i = 0; i > n; i++) x[i] = 0;", PERFPRED_UNSUPPORTED,
      "t.c:4:17: not affine: i > n (expected a bound for the counter, on the side to which it runs)" },
    { "for (int i = 0; i < n; i *= 2) x[i] = 0;", PERFPRED_UNSUPPORTED,
      "t.c:4:24: not affine: i *= 2 (expected i++, i--, i += STEP or i -= STEP)" },
    { "for (int i = 0; i < n; i += 0) x[i] = 0;", PERFPRED_UNSUPPORTED,
      "t.c:4:24: not affine: i += 0 (a step that is 0 or beyond 31 bits)" },
    { "for (int i = 0; i < n; i++) { x[i] = 0; i = 3; }", PERFPRED_UNSUPPORTED,
      "t.c:4:10: not affine: i (the counter of a loop changes in its body)" },
    { "for (;;) x[0] = 0;", PERFPRED_SYNTAX, "t.c:4:6: expected 'i = FIRST' in the head of the loop, found ';'" },
    { "x[t] = 0;", PERFPRED_UNSUPPORTED, "t.c:4:3: not affine: t (not an integer)" },
    { "x[2.5] = 0;", PERFPRED_UNSUPPORTED, "t.c:4:3: not affine: 2.5 (not an integer of at most 63 bits)" },
    { "x[99999999999999999999] = 0;", PERFPRED_UNSUPPORTED,
      "t.c:4:3: not affine: 99999999999999999999 (not an integer of at most 63 bits)" },
    { "A[1] = 0;", PERFPRED_UNSUPPORTED,
      "t.c:4:1: not affine: A[1] (as many subscripts as the array has dimensions are expected)" },
    { "g(A);", PERFPRED_UNSUPPORTED, "t.c:4:3: not affine: A (an array without subscripts)" },
    { "g(&x[0]);", PERFPRED_UNSUPPORTED, "t.c:4:3: not affine: &x[0] (the address of something)" },
    { "y[0] = 1;", PERFPRED_UNSUPPORTED, "t.c:4:1: not affine: y[0] (the array is not declared)" },
    { "n = 5; x[n] = 0;", PERFPRED_UNSUPPORTED, "t.c:4:10: not affine: n (it changes in the region)" },
    { "int k = s[0]; x[k] = 0;", PERFPRED_UNSUPPORTED, "t.c:4:17: not affine: k (it changes in the region)" },
    { "int a = 1, k = 2; k = 3; x[k] = 0;", PERFPRED_UNSUPPORTED,
      "t.c:4:28: not affine: k (it changes in the region)" },
    { "q.a = x[0];", PERFPRED_UNSUPPORTED, "t.c:4:1: not affine: q.a (a member of a structure)" },
    { "x[0] = (*h)(x[1]);", PERFPRED_UNSUPPORTED, "t.c:4:8: not affine: (*h)(x[1]) (a call through a pointer)" },
    { "here: x[0] = 1;", PERFPRED_UNSUPPORTED, "t.c:4:1: not affine: here: (a label)" },
    { "x[0] = ;", PERFPRED_SYNTAX, "t.c:4:8: expected an expression, found ';'" },
    { "x[0 = 1;", PERFPRED_SYNTAX, "t.c:4:8: expected ']', found ';'" },
    { "x[0] = 1", PERFPRED_SYNTAX, "t.c:5:9: expected ';', found 'endscop'" },
    { "for (int i = 0; i < n; i++) {", PERFPRED_SYNTAX,
      "t.c:5:9: expected '}': the region ends inside a block or loop, found 'endscop'" },
    { "}", PERFPRED_SYNTAX, "t.c:4:1: found '}': the region ends inside a block" },
    { "x[0] = @;", PERFPRED_SYNTAX, "t.c:4:8: expected an expression, found '@'" },
  };
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
    expect_refusal(&refusals[i]);
}

static void expect_file(const char *text, size_t region, enum perfpred_status status, const char *message) {
  struct perfpred_program *untouched = (struct perfpred_program *)&context, *program = untouched;
  struct perfpred_error error;
  ppi_error_clear(&error);
  const enum perfpred_status got = ppi_source_nest(&context, text, strlen(text), "t.c", NULL, region, &program, &error);
  cr_expect_eq(got, status, "%s: %s", text, error.text);
  cr_expect_str_eq(error.text, message);
  if (got == PERFPRED_OK)
    perfpred_program_unref(program);
}

Test(nest, regions) {
  const char *two = "int x[9];\n#pragma scop\nx[0] = 1;\n#pragma endscop\n  #pragma scop\n#pragma endscop\n";
  expect_file("", 0, PERFPRED_NOT_FOUND, "t.c: found no region, expected #pragma scop");
  expect_file("int x[9];\n#pragma scop\nx[0] = 1;\n", 0, PERFPRED_SYNTAX,
              "t.c:2:9: the region that begins here has no #pragma endscop");
  expect_file("\n#pragma endscop\n", 0, PERFPRED_SYNTAX, "t.c:2:9: found #pragma endscop, but no region is open");
  expect_file("#pragma scop\n#pragma scop\n#pragma endscop\n", 0, PERFPRED_SYNTAX,
              "t.c:2:9: found #pragma scop inside a region, expected #pragma endscop first");
  expect_file(two, 0, PERFPRED_AMBIGUOUS,
              "t.c:5:11: a second region of 2, expected the number of the one that is meant");
  expect_file(two, 1, PERFPRED_OK, "");
  expect_file(two, 2, PERFPRED_OK, "");
  expect_file(two, 3, PERFPRED_NOT_FOUND, "t.c: found 2 regions, expected region 3");
}

static void read_and_drop(const char *text, size_t length) {
  struct perfpred_program *program = NULL;
  struct perfpred_error error;
  ppi_error_clear(&error);
  const enum perfpred_status status = ppi_source_nest(&context, text, length, "t.c", NULL, 0, &program, &error);
  cr_expect_eq(error.status, status);
  cr_expect_eq(status == PERFPRED_OK, program != NULL);
  perfpred_program_unref(program);
}

static void append_times(char *text, const char *part, int times) {
  char *end = text + strlen(text);
  const size_t length = strlen(part);
  for (int i = 0; i < times; i++, end += length)
    memcpy(end, part, length);
  *end = '\0';
}

/* Brackets, loops and sums without end; divisions that would write themselves three times each. */
Test(nest, hostile_depths) {
  static const char *const parts[] = { "(",      "[",  "{",  "x[", "for (int i = 0; i < 9; i++)",
                                       "if (n)", "!",  "1+", "- ", "(int)",
                                       "*",      "a=", "b?", "c,", "double (",
                                       "f(" };
  char *text = calloc(1, 1 << 20);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    strcpy(text, "double x[9];\n#pragma scop\n");
    append_times(text, parts[i], 20000);
    strcat(text, "\n#pragma endscop\n");
    read_and_drop(text, strlen(text));
    strcpy(text, "");
    append_times(text, parts[i], 20000); /* in front of a region */
    strcat(text, "\n#pragma scop\n#pragma endscop\n");
    read_and_drop(text, strlen(text));
  }
  strcpy(text, "double x[9];\n#pragma scop\nfor (int i = 0; i < 9; i++) x[");
  append_times(text, "(", 90);
  strcat(text, "i - 1");
  append_times(text, ") / 2 - 1", 90);
  strcat(text, "] = 0;\n#pragma endscop\n");
  expect_file(text, 0, PERFPRED_LIMIT, "t.c:3:130: the expression is too long for a bound or subscript");
  free(text);
}

/* Files that would take for ever where lists are searched from end to end. */
Test(nest, hostile_lengths) {
  char *text = calloc(1, 1 << 22), *end = text;
  end += sprintf(end, "double x[9];\n#pragma scop\n");
  for (int i = 0; i < 50000; i++)
    end += sprintf(end, "int t%d; t%d = x[0];\n", i, i);
  sprintf(end, "#pragma endscop\n");
  expect_file(text, 0, PERFPRED_LIMIT, "t.c:1027:12: expected at most 1024 names and loops in a region");
  end = text;
  for (int i = 0; i < 70000; i++)
    end += sprintf(end, "int v%d;\n", i);
  sprintf(end, "#pragma scop\n#pragma endscop\n");
  expect_file(text, 0, PERFPRED_LIMIT, "t.c:65538:1: expected at most 65536 declarations in front of a region");
  free(text);
}

/* Any bytes: no crash, an error with a text or a nest. */
Test(nest, hostile_bytes) {
  static const char seed[] =
      "typedef int t;\nconst int N = 4;\nenum { K = 2 };\ndouble A[N][8], x[9];\nvoid f(int n) {\n"
      "#pragma scop\nfor (int i = 0; i <= n - 1; i += 2)\n  if (i % 2 == 0 && n > 3) {\n    int k = i + 1;\n"
      "    A[k][2 * i] += x[i] > 0 ? x[1] : 2.0e3 * sqrt(x[2]);\n  } else x[0] = 1;\n#pragma endscop\n}\n";
  static const char letters[] = "()[]{};,?:=<>+-*/%&|!.#\"'\\0123456789 \nxAnifor\x80\xff";
  char text[sizeof seed];
  uint64_t state = 5;
  read_and_drop(seed, sizeof seed - 1);
  for (int round = 0; round < 4000; round++) {
    memcpy(text, seed, sizeof seed);
    for (int change = 0; change <= round % 4; change++) {
      state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
      text[(state >> 33) % (sizeof seed - 1)] = letters[(state >> 20) % sizeof letters];
    }
    read_and_drop(text, sizeof seed - 1);
    read_and_drop(text, (state >> 40) % sizeof seed);
  }
}

static void write_file(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  cr_assert_neq(file, NULL);
  fputs(text, file);
  fclose(file);
}

static enum perfpred_status preprocess(const char *path, const char *compiler, const char *const *options, size_t count,
                                       double timeout_s, char **text, struct perfpred_error *error) {
  const struct ppi_preprocess how = { compiler, options, count, timeout_s };
  size_t length = 0;
  ppi_error_clear(error);
  *text = NULL;
  return ppi_preprocess(path, &how, text, &length, error);
}

Test(nest, preprocessor) {
  char folder[] = "/tmp/perfpred-source-XXXXXX", path[64], script[64], *text;
  struct perfpred_error error;
  cr_assert_neq(mkdtemp(folder), NULL);
  snprintf(path, sizeof path, "%s/a b.c", folder);
  snprintf(script, sizeof script, "%s/cc", folder);
  write_file(path, "#define TWICE(x) 2 * (x)\n#ifdef N\nint a[TWICE(N)];\n#endif\n#pragma scop\n#pragma endscop\n");
  cr_expect_eq(preprocess(path, PPI_TEST_CC, (const char *const[]){ "-DN=7; exit 3" }, 1, 60.0, &text, &error),
               PERFPRED_OK, "%s", error.text); /* no shell has seen it */
  cr_expect_neq(strstr(text, "int a[2 * (7; exit 3)];"), NULL);
  cr_expect_neq(strstr(text, "#pragma scop"), NULL);
  free(text);
  cr_expect_eq(preprocess("/nowhere/a.c", PPI_TEST_CC, NULL, 0, 60.0, &text, &error), PERFPRED_MISSING);
  cr_expect_str_eq(error.text, "'/nowhere/a.c': No such file or directory");
  cr_expect_eq(preprocess(path, "/nowhere/cc", NULL, 0, 60.0, &text, &error), PERFPRED_MISSING);
  cr_expect_str_eq(error.text, "compiler '/nowhere/cc' cannot be started: No such file or directory");
  write_file(path, "#include \"nowhere.h\"\n");
  cr_expect_eq(preprocess(path, PPI_TEST_CC, NULL, 0, 60.0, &text, &error), PERFPRED_IO);
  cr_expect_neq(strstr(error.text, "nowhere.h"), NULL, "%s", error.text);
  write_file(script, "#!/bin/sh\nsleep 60 & wait\n");
  cr_assert_eq(chmod(script, 0700), 0);
  cr_expect_eq(preprocess(path, script, NULL, 0, 0.05, &text, &error), PERFPRED_TIMEOUT, "%s", error.text);
  write_file(script, "#!/bin/sh\nkill -9 $$\n");
  cr_expect_eq(preprocess(path, script, NULL, 0, 60.0, &text, &error), PERFPRED_IO);
  cr_expect_neq(strstr(error.text, "signal 9"), NULL, "%s", error.text);
  cr_expect_eq(text, NULL);
  unlink(script);
  unlink(path);
  rmdir(folder);
}

/* Each of many names is found whatever was declared after it, and again when what hid it is forgotten. */
Test(nest, many_names) {
  char *text = calloc(1, 100000), *at = text + sprintf(text, "double A[999];\n");
  for (int i = 0; i < 700; i++)
    at +=
        sprintf(at, "const int c%d = %d;\n%s", i, i + 1, i % 100 == 0 ? "static void f(int c3) { int c7 = 5; }\n" : "");
  strcpy(at,
         "void g(void) {\n#pragma scop\nA[c3 + c699] = 1;\n{ const int c699 = 20; A[c699] = A[c7]; }\nA[c699] = 2;\n"
         "#pragma endscop\n}\n");
  expect_nest(text, "perfpred-text 1\n\nnest g()\n  double row-major A[999]\n  write A[4 + 700]\n"
                    "  read A[8]; write A[20]\n  write A[700]\nend\n");
  free(text);
}
