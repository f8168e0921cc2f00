/* SPDX-License-Identifier: BSD-3-Clause */
/* Misses through the public interface: a nest that is built, one from C, an algorithm, options, and what is refused. */
#include "world.h"

static struct perfpred_context *context;
static struct perfpred_error error;

static void begin(void) {
  context = make_context();
}

static void finish(void) {
  perfpred_context_destroy(context);
}

TestSuite(misses, .init = begin, .fini = finish);

static const char source[] =
    "double A[n][n], x[n], y[n];\n#pragma scop\nfor (int i = 0; i < n; i++)\n  for (int j = 0; j < n; j++)\n"
    "    y[i] += A[i][j] * x[j];\n#pragma endscop\n";

static struct perfpred_program *parse_c(const char *text) {
  struct perfpred_program *program = NULL;
  cr_assert_ok(perfpred_nest_parse_c(context, text, strlen(text), "mv.c", NULL, &program, &error), error);
  return program;
}

/* The same as source, statement by statement. */
static struct perfpred_program *build(void) {
  struct perfpred_builder *builder = NULL;
  struct perfpred_program *program = NULL;
  cr_assert_ok(perfpred_builder_create(context, "mv", &builder, &error), error);
  cr_assert_ok(perfpred_builder_parameter(builder, "n", &error), error);
  cr_assert_ok(perfpred_builder_buffer(builder, "double row-major A[n, n], x[n], y[n]", &error), error);
  cr_assert_ok(perfpred_builder_loop(builder, "i in 0:n", &error), error);
  cr_assert_ok(perfpred_builder_loop(builder, "j in 0:n", &error), error);
  cr_assert_ok(perfpred_builder_statement(builder, "read y[i], A[i, j], x[j]; write y[i]", &error), error);
  cr_assert_ok(perfpred_builder_end(builder, &error), error);
  cr_assert_ok(perfpred_builder_end(builder, &error), error);
  cr_assert_ok(perfpred_builder_finish(builder, &program, &error), error);
  return program;
}

/* n = 64: A has 512 lines, x and y 8 each. With 4 lines x is gone before each row, with 16 it stays. */
static void check(const struct perfpred_program *program, enum perfpred_misses_engine engine) {
  const int64_t n = 64, caches[] = { 4 * 64, 16 * 64 };
  struct perfpred_misses_options options = PERFPRED_MISSES_OPTIONS_INIT;
  struct perfpred_misses_level levels[2];
  char *json = NULL;
  options.cache_bytes = caches;
  options.cache_count = 2;
  options.engine = engine;
  cr_assert_ok(perfpred_misses(NULL, program, &n, 1, &options, levels, &json, &error), error);
  for (int i = 0; i < 2; i++) {
    cr_expect_eq(levels[i].cache_bytes, caches[i]);
    cr_expect_eq(levels[i].accesses, 64 * 64 * 4);
    cr_expect_eq(levels[i].compulsory, 512 + 8 + 8);
  }
  cr_expect_eq(levels[0].capacity, 63 * 8);
  cr_expect_eq(levels[1].capacity, 63 * 8); /* 8 lines of x, 8 of A, 1 of y: one more than it has */
  cr_expect_not_null(strstr(json, "\"statements\""));
  perfpred_free(json);
}

Test(misses, three_ways_in) {
  struct perfpred_program *made[] = {
    parse(context, "perfpred-text 1\nnest mv(n)\n  double A[n, n], x[n], y[n]\n  for i in 0:n\n    for j in 0:n\n"
                   "      read y[i], A[i, j], x[j]; write y[i]\n    end\n  end\nend\n"),
    parse_c(source), build()
  };
  for (size_t i = 0; i < 3; i++) {
    check(made[i], PERFPRED_MISSES_SIMULATE);
    check(made[i], PERFPRED_MISSES_AUTO);
    check(made[i], PERFPRED_MISSES_ANALYTIC);
    perfpred_program_unref(made[i]);
  }
}

/* dpotrf2 is recursive where its size is a number, as in a count, and a nest for all sizes cannot be. */
Test(misses, algorithms) {
  char text[sizeof chol_3];
  strcpy(text, chol_3);
  char *kernel = strstr(text, "dpotrf2(");
  memcpy(kernel, " dpotf2(", 8); /* one letter less */
  struct perfpred_program *program = parse(context, text), *nest = NULL;
  struct perfpred_misses_level direct[2], expanded[2];
  const int64_t values[] = { 40, 16 };
  cr_assert_ok(perfpred_misses(context, program, values, 2, NULL, direct, NULL, &error), error);
  cr_assert_ok(perfpred_nest_expand(context, program, &nest, &error), error);
  cr_assert_ok(perfpred_misses(NULL, nest, values, 2, NULL, expanded, NULL, &error), error);
  for (int i = 0; i < 2; i++) {
    cr_expect_eq(direct[i].cache_bytes, i == 0 ? 32768 : 1048576);
    cr_expect_eq(direct[i].compulsory, 8 * (5 + 4 + 3 + 2 + 1)); /* the lower triangle */
    cr_expect_eq(expanded[i].accesses, direct[i].accesses);
    cr_expect_eq(expanded[i].capacity, direct[i].capacity);
  }
  perfpred_program_unref(nest);
  perfpred_program_unref(program);
}

/* Members beyond the caller's size are zero: here all but the caches. */
Test(misses, options_of_an_older_caller) {
  struct perfpred_program *program = parse_c(source);
  const int64_t n = 8, cache = 640;
  struct perfpred_misses_options options = PERFPRED_MISSES_OPTIONS_INIT;
  struct perfpred_misses_level level;
  options.size = offsetof(struct perfpred_misses_options, line_bytes);
  options.cache_bytes = &cache;
  options.cache_count = 1;
  options.line_bytes = 3; /* not read */
  cr_assert_ok(perfpred_misses(NULL, program, &n, 1, &options, &level, NULL, &error), error);
  cr_expect_eq(level.compulsory, 10);
  perfpred_program_unref(program);
}

static void expect_invalid(const struct perfpred_program *program, const struct perfpred_misses_options *options,
                           const char *word) {
  const int64_t n = 8;
  char *json = (char *)&error;
  cr_expect_eq(perfpred_misses(context, program, &n, 1, options, NULL, &json, &error), PERFPRED_INVALID, "%s", word);
  cr_expect_not_null(strstr(error.text, word), "%s: %s", word, error.text);
  cr_expect_eq(json, (char *)&error);
}

Test(misses, invalid_options) {
  struct perfpred_program *program = parse_c(source);
  const int64_t small = 63, fine = 64;
  const struct perfpred_misses_options usual = PERFPRED_MISSES_OPTIONS_INIT;
  struct perfpred_misses_options options = usual;
  options.cache_count = 1;
  expect_invalid(program, &options, "options->cache_bytes is NULL");
  options.cache_bytes = &small;
  expect_invalid(program, &options, "options->cache_bytes[0] is 63, expected at least a line of 64 bytes");
  options.cache_bytes = &fine;
  options.cache_count = 257;
  expect_invalid(program, &options, "options->cache_count is 257, expected at most 256");
  options = usual;
  options.line_bytes = -1;
  expect_invalid(program, &options, "options->line_bytes is -1");
  options.line_bytes = 60;
  expect_invalid(program, &options, "a line of 60 bytes is not a whole number of elements of y");
  options = usual;
  options.budget_s = NAN;
  expect_invalid(program, &options, "options->budget_s is");
  options = usual;
  options.engine = (enum perfpred_misses_engine)3;
  expect_invalid(program, &options, "options->engine is 3");
  options = usual;
  options.size = 3;
  expect_invalid(program, &options, "options->size is 3");
  perfpred_program_unref(program);
}

static int cancel(void *data, const struct perfpred_progress *progress) {
  *(double *)data = progress->elapsed_s;
  return 1;
}

Test(misses, limits) {
  struct perfpred_program *program = parse_c(source);
  struct perfpred_misses_options options = PERFPRED_MISSES_OPTIONS_INIT;
  const int64_t n = 100000;
  double elapsed_s = -1.0;
  options.engine = PERFPRED_MISSES_SIMULATE;
  options.budget_s = 1e-6;
  cr_expect_eq(perfpred_misses(NULL, program, &n, 1, &options, NULL, NULL, &error), PERFPRED_TIMEOUT);
  options.budget_s = 0.0;
  options.budget_bytes = 1;
  cr_expect_eq(perfpred_misses(NULL, program, &n, 1, &options, NULL, NULL, &error), PERFPRED_LIMIT, "%s", error.text);
  options.budget_bytes = 0;
  options.progress = cancel;
  options.progress_data = &elapsed_s;
  cr_expect_eq(perfpred_misses(NULL, program, &n, 1, &options, NULL, NULL, &error), PERFPRED_CANCELLED);
  cr_expect_geq(elapsed_s, 0.0);
  perfpred_program_unref(program);
}

#define cr_assert_invalid(expression)                                                                                  \
  do {                                                                                                                 \
    cr_assert_eq((expression), PERFPRED_INVALID, "%s gives %s", #expression, perfpred_status_name(error.status));      \
    cr_assert(error.text[0], "%s says nothing", #expression);                                                          \
  } while (0)

Test(misses, null) {
  struct perfpred_program *program = parse(context, chol_3), *nest = parse_c(source), *made = NULL;
  struct perfpred_source_options options = PERFPRED_SOURCE_OPTIONS_INIT;
  const int64_t values[] = { 8, 4 };
  const char *const arguments[] = { "-DX", NULL };
  cr_assert_invalid(perfpred_misses(context, NULL, values, 2, NULL, NULL, NULL, &error));
  cr_assert_invalid(perfpred_misses(context, program, NULL, 2, NULL, NULL, NULL, &error));
  cr_assert_invalid(perfpred_misses(NULL, program, values, 2, NULL, NULL, NULL, &error));
  cr_assert_invalid(perfpred_misses(context, program, values, 1, NULL, NULL, NULL, &error));
  cr_assert_invalid(perfpred_nest_expand(NULL, program, &made, &error));
  cr_assert_invalid(perfpred_nest_expand(context, NULL, &made, &error));
  cr_assert_invalid(perfpred_nest_expand(context, program, NULL, &error));
  cr_assert_invalid(perfpred_nest_expand(context, nest, &made, &error));
  cr_assert_invalid(perfpred_nest_parse_c(NULL, source, 5, "t", NULL, &made, &error));
  cr_assert_invalid(perfpred_nest_parse_c(context, NULL, 5, "t", NULL, &made, &error));
  cr_assert_invalid(perfpred_nest_parse_c(context, source, 5, NULL, NULL, &made, &error));
  cr_assert_invalid(perfpred_nest_parse_c(context, source, 5, "t", NULL, NULL, &error));
  cr_assert_invalid(perfpred_nest_read_c(NULL, "t.c", NULL, &made, &error));
  cr_assert_invalid(perfpred_nest_read_c(context, NULL, NULL, &made, &error));
  cr_assert_invalid(perfpred_nest_read_c(context, "t.c", NULL, NULL, &error));
  options.arguments = arguments;
  options.argument_count = 2;
  cr_assert_invalid(perfpred_nest_read_c(context, "t.c", &options, &made, &error));
  options.argument_count = 1001;
  cr_assert_invalid(perfpred_nest_read_c(context, "t.c", &options, &made, &error));
  options = (struct perfpred_source_options)PERFPRED_SOURCE_OPTIONS_INIT;
  options.timeout_s = -1.0;
  cr_assert_invalid(perfpred_nest_read_c(context, "t.c", &options, &made, &error));
  options.timeout_s = 0.0;
  options.compiler = "";
  cr_assert_invalid(perfpred_nest_read_c(context, "t.c", &options, &made, &error));
  options.size = 1;
  cr_assert_invalid(perfpred_nest_read_c(context, "t.c", &options, &made, &error));
  cr_assert_eq(perfpred_nest_read_c(context, "/nowhere/t.c", NULL, &made, &error), PERFPRED_MISSING);
  cr_assert_eq(perfpred_nest_parse_c(context, NULL, 0, "t", NULL, &made, &error), PERFPRED_NOT_FOUND);
  cr_assert_null(made);
  perfpred_program_unref(nest);
  perfpred_program_unref(program);
}
