/* SPDX-License-Identifier: BSD-3-Clause */
/* Which steps of a loop are measured, and how far back the caches are set up before them, worked by hand. */
#include "api/replay_plan.h"

#include <criterion/criterion.h>
#include <string.h>

#include "cache/settings.h"
#include "program/registry.h"

static struct ppi_kernels *kernels;
static struct ppi_programs *programs;
static struct perfpred_error error;

static void begin(void) {
  ppi_error_clear(&error);
  cr_assert_eq(ppi_kernels_create(&kernels, NULL), PERFPRED_OK);
  cr_assert_eq(ppi_programs_create(kernels, &programs, NULL), PERFPRED_OK);
}

static void finish(void) {
  ppi_programs_destroy(programs);
  ppi_kernels_destroy(kernels);
}

TestSuite(windowed, .init = begin, .fini = finish);

static void expect_chosen(const char *name, const int64_t *parameters, size_t most, const size_t *expected,
                          size_t count) {
  struct ppi_replay_plan plan;
  size_t chosen[64];
  const struct perfpred_program *program = ppi_programs_find(programs, name);
  cr_assert_not_null(program, "%s", name);
  cr_assert_eq(ppi_replay_plan_init(&plan, program, parameters, 2, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_eq(ppi_replay_choose(&plan, most, chosen), count, "%s", name);
  for (size_t i = 0; i < count; i++)
    cr_expect_eq(chosen[i], expected[i], "%s: step %zu, expected %zu", name, chosen[i], expected[i]);
  ppi_replay_plan_release(&plan);
}

/* 42 steps, of which the last is of 4 columns: that one, and seven of the others by 20 (1 - cos(i pi / 6)). Of 39 full ones eight, by
   19 (1 - cos(i pi / 7)). dtrtri goes from the end: there the narrow one is the first. */
Test(windowed, narrow_steps_stand_apart) {
  expect_chosen("chol-l-3", (const int64_t[]){ 2628, 64 }, 8, (const size_t[]){ 0, 3, 10, 20, 30, 37, 40, 41 }, 8);
  expect_chosen("chol-l-3", (const int64_t[]){ 2496, 64 }, 8, (const size_t[]){ 0, 2, 7, 15, 23, 31, 36, 38 }, 8);
  expect_chosen("dtrtri", (const int64_t[]){ 2628, 64 }, 8, (const size_t[]){ 0, 1, 4, 11, 21, 31, 38, 41 }, 8);
  expect_chosen("chol-l-3", (const int64_t[]){ 2500, 64 }, 2, (const size_t[]){ 0, 38 }, 2);
  expect_chosen("chol-l-3", (const int64_t[]){ 2500, 64 }, 3, (const size_t[]){ 0, 38, 39 }, 3);
  expect_chosen("chol-l-3", (const int64_t[]){ 72, 64 }, 2, (const size_t[]){ 0, 1 }, 2);
  expect_chosen("chol-l-3", (const int64_t[]){ 200, 64 }, 8, (const size_t[]){ 0, 1, 2, 3 }, 4);
  expect_chosen("chol-l-3", (const int64_t[]){ 64, 64 }, 8, (const size_t[]){ 0 }, 1);
}

/* Step i copies the block that step i - 2 has written, 8 lines, into the next one, another 8. It was touched by step i - 2 with 16 lines, and 16 more
   by the step between: it lies 32 lines deep. Nothing is found by the first two steps. */
static const char copies[] = "perfpred-text 1\n"
                             "algorithm copies(n, b)\n"
                             "  inout A: double matrix[8, n + 2 * b]\n"
                             "  for i in 0:n by b as w\n"
                             "    dlacpy(A, 8, w, A[0, i], A[0, i + 2 * b])\n"
                             "  end\n"
                             "end\n";
/* One block that every step reads, and a line of its own that it writes: 9 lines are touched at once, and the block lies 9 deep in each. */
static const char reads[] = "perfpred-text 1\n"
                            "algorithm reads(n, b)\n"
                            "  in A: double matrix[8, 8]\n"
                            "  inout B: double matrix[8, n]\n"
                            "  for i in 0:n by b as w\n"
                            "    dlacpy(A, 8, 1, A[0, 0], B[0, i])\n"
                            "    dlacpy(A, 8, 8, A[0, 0], B[0, i])\n"
                            "  end\n"
                            "end\n";

static void expect_reaches(const char *text, int64_t lines, const size_t *expected) {
  static const int64_t parameters[] = { 48, 8 };
  struct perfpred_program *program = NULL;
  struct perfpred_cache_options options = PERFPRED_CACHE_OPTIONS_INIT, full;
  struct perfpred_cache *cache = NULL;
  struct ppi_replay_plan plan;
  cr_assert_eq(ppi_program_parse(programs, kernels, text, strlen(text), "test", &program, &error), PERFPRED_OK, "%s",
               error.text);
  options.level_count = 2; /* the first one does not matter */
  options.level_bytes[0] = 64;
  options.level_bytes[1] = 64 * lines;
  cr_assert_eq(ppi_cache_settings(&options, NULL, &full, &error), PERFPRED_OK);
  cr_assert_eq(ppi_cache_analyze(program, parameters, 2, &full, &cache, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_eq(ppi_replay_plan_init(&plan, program, parameters, 2, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_eq(plan.step_count, 6);
  for (size_t step = 0; step < plan.step_count; step++)
    cr_expect_eq(ppi_replay_reach(&plan, cache, step), expected[step], "%lld lines, step %zu: %zu", (long long)lines,
                 step, ppi_replay_reach(&plan, cache, step));
  ppi_replay_plan_release(&plan);
  perfpred_cache_destroy(cache);
  perfpred_program_unref(program);
}

Test(windowed, set_ups_reach_as_far_back_as_the_cache_does) {
  expect_reaches(copies, 32, (const size_t[]){ 0, 0, 2, 2, 2, 2 });
  expect_reaches(copies, 31, (const size_t[]){ 0, 0, 0, 0, 0, 0 });
  expect_reaches(copies, 1 << 20, (const size_t[]){ 0, 0, 2, 2, 2, 2 });
  expect_reaches(reads, 1 << 20, (const size_t[]){ 0, 1, 1, 1, 1, 1 });
  expect_reaches(reads, 8, (const size_t[]){ 0, 0, 0, 0, 0, 0 });
}
