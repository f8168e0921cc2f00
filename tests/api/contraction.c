/* SPDX-License-Identifier: BSD-3-Clause */
/* Contractions through the public interface: what they are, their algorithms, programs, C, and what is refused. */
#include "world.h"

static struct perfpred_context *context;
static struct perfpred_error error;
static struct perfpred_contraction *first, *third;

static struct perfpred_contraction *make(const char *einsum, const char *letters, const int64_t *extents,
                                         const struct perfpred_contraction_options *options) {
  struct perfpred_contraction *contraction = NULL;
  char text[16][2];
  const char *names[16];
  size_t count = 0;
  for (; letters[count]; count++) {
    text[count][0] = letters[count];
    text[count][1] = '\0';
    names[count] = text[count];
  }
  cr_assert_ok(perfpred_contraction_create(einsum, names, extents, count, options, &contraction, &error), error);
  return contraction;
}

static void begin(void) {
  context = make_context();
  first = make("a i, i b c -> a b c", "abci", (const int64_t[]){ 400, 400, 400, 8 }, NULL);
  third = make("ija,jbic->abc", "abcij", (const int64_t[]){ 100, 100, 100, 8, 8 }, NULL);
}

static void finish(void) {
  perfpred_contraction_destroy(first);
  perfpred_contraction_destroy(third);
  perfpred_contraction_destroy(NULL);
  perfpred_context_destroy(context);
}

TestSuite(contraction, .init = begin, .fini = finish);

Test(contraction, tells_of_itself) {
  struct perfpred_contraction_info info = PERFPRED_CONTRACTION_INFO_INIT;
  struct perfpred_contraction_index index = PERFPRED_CONTRACTION_INDEX_INIT;
  cr_assert_ok(perfpred_contraction_summary(first, &info, &error), error);
  cr_expect_str_eq(info.einsum, "ai,ibc->abc");
  cr_expect_eq(info.type, 'd');
  cr_expect(info.indices == 4 && info.contracted == 1 && info.free_a == 1 && info.free_b == 2 && info.batch == 0);
  cr_expect_eq(info.flops, 2.0 * 400 * 400 * 400 * 8);
  cr_expect(info.elements_a == 3200 && info.elements_b == 1280000 && info.elements_c == 64000000);
  cr_expect_eq(info.element_bytes, 8);
  cr_assert_ok(perfpred_contraction_index_at(first, 2, &index, &error), error);
  cr_expect_eq(index.name, 'b');
  cr_expect_str_eq(index.kind, "free-b");
  cr_expect_str_eq(index.joined, "b");
  cr_expect(index.extent == 400 && index.stride_a == 0 && index.stride_b == 8 && index.stride_c == 400);
  cr_expect_eq(perfpred_contraction_index_at(first, 4, &index, &error), PERFPRED_NOT_FOUND);
  cr_expect_str_eq(error.text, "there is no index 4, expected less than 4");
}

/* A caller of an older library sees the members that it knows. */
Test(contraction, structs_of_older_callers) {
  struct perfpred_contraction_info info = { .size = offsetof(struct perfpred_contraction_info, indices),
                                            .indices = 77 };
  struct perfpred_contraction_options options = { .size = offsetof(struct perfpred_contraction_options, fuse) };
  options.type = 'z';
  options.fuse = 4711;
  struct perfpred_contraction *contraction = make("ab,bc->ac", "abc", (const int64_t[]){ 2, 3, 4 }, &options);
  cr_assert_ok(perfpred_contraction_summary(contraction, &info, &error), error);
  cr_expect(info.type == 'z' && info.indices == 77);
  perfpred_contraction_destroy(contraction);
}

Test(contraction, counts_and_algorithms) {
  struct perfpred_contraction_filter filter = PERFPRED_CONTRACTION_FILTER_INIT;
  struct perfpred_contraction_algorithm algorithm = PERFPRED_CONTRACTION_ALGORITHM_INIT;
  uint64_t count = 0;
  cr_assert_ok(perfpred_contraction_count(third, NULL, &count, &error), error);
  cr_expect_eq(count, 176);
  filter.kernels = 1U << PERFPRED_CONTRACTION_GEMV;
  filter.copies = PERFPRED_CONTRACTION_COPIES_SOME;
  cr_assert_ok(perfpred_contraction_count(third, &filter, &count, &error), error);
  cr_expect_eq(count, 18);
  for (uint64_t i = 0; i < 18; i++) {
    cr_assert_ok(perfpred_contraction_algorithm_at(third, &filter, i, &algorithm, &error), error);
    cr_expect(algorithm.kernel == PERFPRED_CONTRACTION_GEMV && algorithm.copies == 1 && algorithm.loops == 3);
  }
  cr_expect_eq(perfpred_contraction_algorithm_at(third, &filter, 18, &algorithm, &error), PERFPRED_NOT_FOUND);
  cr_expect_str_eq(error.text, "there is no algorithm 18 of ija,jbic->abc, expected less than their number");
  cr_assert_ok(perfpred_contraction_find(third, "ci'-dgemm", &algorithm, &error), error);
  cr_expect_str_eq(algorithm.name, "ci'-dgemm");
  cr_expect_str_eq(algorithm.routine, "dgemm");
  cr_expect(algorithm.zero && algorithm.calls == 800.0 && algorithm.copies_made == 800.0);
  cr_expect(algorithm.copied_elements == 800.0 * 800.0 && algorithm.work_bytes == 6400.0);
}

Test(contraction, programs) {
  struct perfpred_program *program = NULL;
  char *text = NULL;
  cr_assert_ok(perfpred_contraction_program(context, first, "c-dgemm", &program, &error), error);
  cr_assert_ok(perfpred_program_print(program, PERFPRED_FORMAT_TEXT, &text, &error), error);
  cr_expect_str_eq(text, "perfpred-text 1\n\n"
                         "algorithm c-dgemm(na = 400, ni = 8, nb = 400, nc = 400)\n"
                         "  operation contract-ai-ibc-abc\n"
                         "  about C[a,b,c] := A[a,i] B[i,b,c]\n"
                         "  cost mul na*ni*nb*nc add na*ni*nb*nc\n"
                         "  in A: double matrix[na, ni]\n"
                         "  in B: double matrix[ni, nb*nc]\n"
                         "  out C: double matrix[na, nb*nc]\n"
                         "  for c in 0:nc\n"
                         "    dgemm(N, N, na, nb, ni, 1, A[0, 0], B[0, c*nb], 0, C[0, c*nb])\n"
                         "  end\n"
                         "end\n");
  perfpred_free(text);
  perfpred_program_unref(program);
  cr_assert_ok(perfpred_contraction_program(context, first, "bci-daxpy", &program, &error), error);
  cr_assert_ok(perfpred_program_print(program, PERFPRED_FORMAT_TEXT, &text, &error), error);
  cr_expect(strstr(text, "  dgezero(na, nb*nc, C[0, 0])\n"), "%s", text);
  cr_expect(strstr(text, "daxpy(na, B[i, b + c*nb], A[0, i], C[0, b + c*nb])\n"), "%s", text);
  perfpred_free(text);
  perfpred_program_unref(program);
  cr_assert_ok(perfpred_contraction_program(context, first, "abc-ddot", &program, &error), error);
  cr_assert_ok(perfpred_program_print(program, PERFPRED_FORMAT_TEXT, &text, &error), error);
  cr_expect(strstr(text, "C[a, b + c*nb] = ddot(ni, row A[a, 0], B[0, b + c*nb])\n"), "%s", text);
  perfpred_free(text);
  perfpred_program_unref(program);
  cr_assert_ok(perfpred_contraction_program(context, third, "i'c-dgemm", &program, &error), error);
  cr_expect_str_eq(perfpred_program_name(program), "i_c-dgemm");
  cr_assert_ok(perfpred_program_print(program, PERFPRED_FORMAT_TEXT, &text, &error), error);
  cr_expect(strstr(text, "  work PA: double matrix[nj, na]\n"), "%s", text);
  cr_expect(strstr(text, "      dcopy(nj, row A[i, a*nj], PA[0, a])\n"), "%s", text);
  perfpred_free(text);
  perfpred_program_unref(program);
}

/* Whoever reads programs reads these: calls of the cache analysis, and accesses of the calls expanded (dot 2 for each element and its result,
   axpy 3 and its scalar, zeros 1). */
Test(contraction, programs_are_analysed) {
  static const struct {
    const char *name;
    size_t calls;
    int64_t accesses;
  } cases[] = {
    { "c-dgemm", 5, 0 },
    { "ba-dgemv", 12, 0 },
    { "ci-dger", 1 + 10, 0 },
    { "bci-daxpy", 1 + 30, 60 + 30 * (4 * 3 + 1) },
    { "abc-ddot", 60, 60 * (2 * 2 + 1) },
  };
  static const int64_t values[] = { 4, 2, 3, 5 }; /* a, i, b, c */
  const int64_t line = 64;
  struct perfpred_misses_options options = PERFPRED_MISSES_OPTIONS_INIT;
  options.cache_bytes = &line;
  options.cache_count = 1;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct perfpred_program *program = NULL;
    struct perfpred_cache *cache = NULL;
    struct perfpred_cache_info info = PERFPRED_CACHE_INFO_INIT;
    struct perfpred_misses_level level = { 0, 0, 0, 0 };
    cr_assert_ok(perfpred_contraction_program(context, first, cases[i].name, &program, &error), error);
    cr_assert_ok(perfpred_cache_create(program, values, 4, NULL, &cache, &error), error);
    cr_assert_ok(perfpred_cache_summary(cache, &info, &error), error);
    cr_expect_eq(info.calls, cases[i].calls, "%s: %zu", cases[i].name, info.calls);
    cr_assert_ok(perfpred_misses(context, program, values, 4, &options, &level, NULL, &error), error);
    if (cases[i].accesses > 0)
      cr_expect_eq(level.accesses, cases[i].accesses, "%s: %lld", cases[i].name, (long long)level.accesses);
    perfpred_cache_destroy(cache);
    perfpred_program_unref(program);
  }
}

/* Strides and extents of 1 leave no parameters; inputs whose elements share places are no matrices. */
Test(contraction, programs_of_given_strides) {
  static const int64_t padded[] = { 1, 8 }, shared[] = { 1, 1 }, extents[] = { 5, 6, 7 };
  struct perfpred_contraction_options options = PERFPRED_CONTRACTION_OPTIONS_INIT;
  struct perfpred_program *program = NULL;
  char *text = NULL;
  options.strides_a = padded;
  struct perfpred_contraction *contraction = make("ab,bc->ac", "abc", extents, &options);
  cr_assert_ok(perfpred_contraction_program(context, contraction, "b-dger", &program, &error), error);
  cr_assert_ok(perfpred_program_print(program, PERFPRED_FORMAT_TEXT, &text, &error), error);
  cr_expect(strstr(text, "algorithm b-dger()\n"), "%s", text);
  cr_expect(strstr(text, "in A: double matrix[8, 6]\n"), "%s", text);
  cr_expect(strstr(text, "dger(5, 7, 1, A[0, b], row B[b, 0], C[0, 0])\n"), "%s", text);
  perfpred_free(text);
  perfpred_program_unref(program);
  perfpred_contraction_destroy(contraction);
  options.strides_a = shared;
  contraction = make("ab,bc->ac", "abc", extents, &options);
  cr_expect_eq(perfpred_contraction_program(context, contraction, "b-dger", &program, &error), PERFPRED_UNSUPPORTED);
  cr_expect_str_eq(error.text, "the stride of b in A is 1, expected at least 5 for a program: smaller strides reach "
                               "that far, A is no matrix");
  perfpred_contraction_destroy(contraction);
}

Test(contraction, c) {
  char *text = NULL;
  cr_assert_ok(perfpred_contraction_emit_c(first, "c-dgemm", "product", &text, &error), error);
  cr_expect(strstr(text,
                   "size_t product_workspace(void) {\n"
                   "  return 0;\n"
                   "}\n\n"
                   "int product(const double *A, const double *B, double *C, void *work) {\n"
                   "  (void)work;\n"
                   "  for (int64_t c = 0; c < 400; c++) {\n"
                   "    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, 400, 400, 8, 1, A, 400, B + 3200 * c, "
                   "8, 0, C + 160000 * c, 400);\n"
                   "  }\n"
                   "  return 0;\n"
                   "}\n"),
            "%s", text);
  perfpred_free(text);
  static const char *const wrong[] = { "", "3x", "a-b", "int", "while", "f()", "memcpy", "size_t" };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    text = NULL;
    cr_expect_eq(perfpred_contraction_emit_c(first, "c-dgemm", wrong[i], &text, &error), PERFPRED_INVALID);
    cr_expect_null(text);
  }
  cr_expect_eq(perfpred_contraction_emit_c(first, "x-dgemm", NULL, &text, &error), PERFPRED_NOT_FOUND);
  struct perfpred_contraction *large = make("ab,bc->ac", "abc", (const int64_t[]){ 2, INT64_C(3000000000), 2 }, NULL);
  cr_expect_eq(perfpred_contraction_emit_c(large, "dgemm", NULL, &text, &error), PERFPRED_OVERFLOW);
  cr_expect_str_eq(error.text, "dgemm would have to take 3000000000 as an argument, expected extents and strides of "
                               "slices below 2^31");
  cr_assert_ok(perfpred_contraction_emit_c(large, "bc-daxpy", NULL, &text, &error), error);
  cr_expect(strstr(text, "b < 3000000000; b++"), "%s", text);
  perfpred_free(text);
  perfpred_contraction_destroy(large);
}

/* Lines of 64 bytes: A has 5 x 3 x 2 floats = 120 bytes, B 3 x 4 x 2 = 96, C 5 x 4 x 2 = 160. */
Test(contraction, memory_of_packed_copies_in_c) {
  struct perfpred_contraction_options options = PERFPRED_CONTRACTION_OPTIONS_INIT;
  const int64_t extents[] = { 5, 3, 4, 2 }, many[] = { 32768, 32768, 32768, 32768, 32768, 32768 };
  char *text = NULL;
  options.type = 's';
  struct perfpred_contraction *small = make("hai,hib->hab", "aibh", extents, &options);
  cr_assert_ok(perfpred_contraction_emit_c(small, "ABC*-sgemm", NULL, &text, &error), error);
  cr_expect(strstr(text, "  return 512;\n"), "%s", text); /* 64 + 128 + 128 + 192 */
  cr_expect(strstr(text, "  float *PB = PA + 32;\n  float *PC = PB + 32;\n"), "%s", text);
  cr_expect_null(strstr(text, "#error"));
  perfpred_free(text);
  perfpred_contraction_destroy(small);
  struct perfpred_contraction *large =
      make("mhkn,ukvh->munv", "mhknuv", many, &options); /* each 2^60 floats: 2^62 bytes */
  text = NULL;
  cr_expect_eq(perfpred_contraction_emit_c(large, "ABC*-sgemm", NULL, &text, &error), PERFPRED_OVERFLOW);
  cr_expect_str_eq(error.text, "the packed copies of all tensors reach beyond 2^63 bytes");
  cr_expect_null(text);
  perfpred_contraction_destroy(large);
}

#define cr_expect_invalid(expression, message)                                                                         \
  do {                                                                                                                 \
    cr_expect_eq((expression), PERFPRED_INVALID, "%s", #expression);                                                   \
    cr_expect_str_eq(error.text, message);                                                                             \
  } while (0)

Test(contraction, what_is_refused) {
  static const char *const names[] = { "a", "b", "c" };
  static const int64_t extents[] = { 2, 3, 4 };
  struct perfpred_contraction_options options = PERFPRED_CONTRACTION_OPTIONS_INIT;
  struct perfpred_contraction_filter filter = PERFPRED_CONTRACTION_FILTER_INIT;
  struct perfpred_contraction_algorithm algorithm = PERFPRED_CONTRACTION_ALGORITHM_INIT;
  struct perfpred_contraction_info info = PERFPRED_CONTRACTION_INFO_INIT;
  struct perfpred_contraction_index index = PERFPRED_CONTRACTION_INDEX_INIT;
  struct perfpred_contraction *made = first;
  struct perfpred_program *program = NULL;
  char *text = NULL;
  uint64_t count = 0;
  cr_expect_invalid(perfpred_contraction_create(NULL, names, extents, 3, NULL, &made, &error), "einsum is NULL");
  cr_expect_invalid(perfpred_contraction_create("ab,bc->ac", NULL, extents, 3, NULL, &made, &error), "names is NULL");
  cr_expect_invalid(perfpred_contraction_create("ab,bc->ac", names, NULL, 3, NULL, &made, &error), "extents is NULL");
  cr_expect_invalid(perfpred_contraction_create("ab,bc->ac", names, extents, 3, NULL, NULL, &error),
                    "contraction is NULL");
  cr_expect_invalid(perfpred_contraction_create("ab,bc->ac", NULL, NULL, 0, NULL, &made, &error),
                    "indices a,b,c have no extents, expected some such as a=100");
  options.type = 'x';
  cr_expect_invalid(perfpred_contraction_create("ab,bc->ac", names, extents, 3, &options, &made, &error),
                    "options->type is 120, expected 's', 'd', 'c' or 'z'");
  options.type = 's';
  options.fuse = 2;
  cr_expect_invalid(perfpred_contraction_create("ab,bc->ac", names, extents, 3, &options, &made, &error),
                    "options->fuse is 2, expected 0 or 1");
  options.size = 3;
  cr_expect_invalid(perfpred_contraction_create("ab,bc->ac", names, extents, 3, &options, &made, &error),
                    "options->size is 3, expected sizeof *options");
  cr_expect_eq(perfpred_contraction_create("ab,bc", names, extents, 3, NULL, &made, &error), PERFPRED_SYNTAX);
  cr_expect(error.line == 1 && error.column == 6);
  cr_expect_eq(made, first);
  cr_expect_invalid(perfpred_contraction_summary(NULL, &info, &error), "contraction is NULL");
  cr_expect_invalid(perfpred_contraction_summary(first, NULL, &error), "info is NULL");
  cr_expect_invalid(perfpred_contraction_index_at(NULL, 0, &index, &error), "contraction is NULL");
  cr_expect_invalid(perfpred_contraction_index_at(first, 0, NULL, &error), "index is NULL");
  cr_expect_invalid(perfpred_contraction_count(NULL, NULL, &count, &error), "contraction is NULL");
  cr_expect_invalid(perfpred_contraction_count(first, NULL, NULL, &error), "count is NULL");
  filter.kernels = 32;
  cr_expect_invalid(perfpred_contraction_count(first, &filter, &count, &error),
                    "filter->kernels is 32, expected bits of the 5 kernels");
  filter.kernels = 0;
  filter.copies = (enum perfpred_contraction_copies)3;
  cr_expect_invalid(perfpred_contraction_algorithm_at(first, &filter, 0, &algorithm, &error),
                    "filter->copies is 3, expected PERFPRED_CONTRACTION_COPIES_ANY, NONE or SOME");
  filter.size = 1;
  cr_expect_invalid(perfpred_contraction_count(first, &filter, &count, &error),
                    "filter->size is 1, expected sizeof *filter");
  cr_expect_invalid(perfpred_contraction_algorithm_at(first, NULL, 0, NULL, &error), "algorithm is NULL");
  cr_expect_invalid(perfpred_contraction_algorithm_at(NULL, NULL, 0, &algorithm, &error), "contraction is NULL");
  cr_expect_invalid(perfpred_contraction_find(first, NULL, &algorithm, &error), "name is NULL");
  cr_expect_invalid(perfpred_contraction_find(NULL, "c-dgemm", &algorithm, &error), "contraction is NULL");
  algorithm.size = 2;
  cr_expect_invalid(perfpred_contraction_find(first, "c-dgemm", &algorithm, &error),
                    "algorithm->size is 2, expected sizeof *algorithm");
  cr_expect_invalid(perfpred_contraction_program(NULL, first, "c-dgemm", &program, &error), "context is NULL");
  cr_expect_invalid(perfpred_contraction_program(context, first, "c-dgemm", NULL, &error), "program is NULL");
  cr_expect_eq(perfpred_contraction_program(context, first, "c-sgemm", &program, &error), PERFPRED_NOT_FOUND);
  cr_expect_invalid(perfpred_contraction_emit_c(NULL, "c-dgemm", NULL, &text, &error), "contraction is NULL");
  cr_expect_invalid(perfpred_contraction_emit_c(first, "c-dgemm", NULL, NULL, &error), "text is NULL");
}
