/* SPDX-License-Identifier: BSD-3-Clause */
/* Which calls are modelled in the steps of their algorithm, over which sizes, against what their texts say. */
#include "api/steps.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

TestSuite(steps, .init = begin, .fini = finish);

/* A kernel's sizes, each as coefficients of the sizes of the step, and where its domain begins. */
struct expected {
  const char *kernel, *context;
  int64_t matrix[3][3];
  int64_t lower[3];
};

static const struct perfpred_generate_options options = {
  .size = sizeof options, .n_lower = 8, .n_upper = 1000, .b_lower = 16, .b_upper = 100
};

static void expect_steps(const char *name, const char *const *sizes, const int64_t *upper, int64_t limit,
                         const struct expected *expected, size_t count) {
  const struct perfpred_program *program = ppi_programs_find(programs, name);
  struct ppi_steps steps;
  struct ppi_target *targets = NULL;
  size_t target_count = 0;
  cr_assert_not_null(program, "%s", name);
  cr_assert_eq(ppi_steps_of(&program, 1, &steps, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_eq(ppi_steps_targets(&steps, &options, &targets, &target_count, &error), PERFPRED_OK);
  cr_assert_eq(target_count, count, "%s: %zu calls", name, target_count);
  for (size_t i = 0; i < count; i++) {
    const struct ppi_target *target = &targets[i];
    const struct ppi_basis *basis = target->basis;
    cr_expect_str_eq(target->kernel->name, expected[i].kernel);
    cr_expect_str_eq(target->context, expected[i].context);
    cr_expect_eq(target->group, targets[0].group);
    cr_expect_eq(basis->limit, limit);
    for (int d = 0; d < basis->dimensions; d++) {
      cr_assert_not_null(sizes[d], "%s: more sizes than expected", name);
      cr_expect_str_eq(basis->names[d], sizes[d]);
      cr_expect_eq(target->lower[d], expected[i].lower[d], "%s of %s: %s from %lld", target->kernel->name, name,
                   sizes[d], (long long)target->lower[d]);
      cr_expect_eq(target->upper[d], upper[d], "%s: %s up to %lld", name, sizes[d], (long long)target->upper[d]);
      for (int k = 0; k < target->kernel->size_count; k++)
        cr_expect_eq(basis->matrix[k][d], expected[i].matrix[k][d], "%s: size %d of %s in %s: %lld", name, k,
                     target->kernel->name, sizes[d], (long long)basis->matrix[k][d]);
    }
    cr_expect_null(sizes[basis->dimensions]);
    for (int k = 0; k < target->kernel->size_count; k++)
      cr_expect_eq(basis->constants[k], 0);
  }
  free(targets);
  ppi_steps_free(&steps);
}

static const char *const width_rest[] = { "width", "rest", NULL };
static const char *const done_width[] = { "done", "width", NULL };
static const char *const all_sizes[] = { "done", "width", "rest", NULL };

/* The rest is at most 1000 - 16, done is at most 999, both upwards to multiples of 8. */
Test(steps, right_looking_cholesky_has_two_sizes) {
  static const struct expected calls[] = { { "dpotrf2", "chol-l-3:0", { { 1, 0 } }, { 8, 0 } },
                                           { "dtrsm", "chol-l-3:1", { { 0, 1 }, { 1, 0 } }, { 8, 8 } },
                                           { "dsyrk", "chol-l-3:2", { { 0, 1 }, { 1, 0 } }, { 8, 8 } } };
  expect_steps("chol-l-3", width_rest, (int64_t[]){ 104, 984 }, 0, calls, 3);
}

Test(steps, bordered_cholesky_has_two_others) {
  static const struct expected calls[] = { { "dtrsm", "chol-l-1:0", { { 0, 1 }, { 1, 0 } }, { 8, 8 } },
                                           { "dsyrk", "chol-l-1:1", { { 0, 1 }, { 1, 0 } }, { 8, 8 } },
                                           { "dpotrf2", "chol-l-1:2", { { 0, 1 } }, { 0, 8 } } };
  expect_steps("chol-l-1", done_width, (int64_t[]){ 1000, 104 }, 0, calls, 3);
}

/* DPOTRF is left-looking; its first call is the unblocked one, its last two have a condition. */
Test(steps, left_looking_cholesky_has_three) {
  static const struct expected calls[] = {
    { "dsyrk", "dpotrf:1", { { 0, 1, 0 }, { 1, 0, 0 } }, { 8, 8, 0 } },
    { "dpotrf2", "dpotrf:2", { { 0, 1, 0 } }, { 0, 8, 0 } },
    { "dgemm", "dpotrf:3", { { 0, 0, 1 }, { 0, 1, 0 }, { 1, 0, 0 } }, { 8, 8, 8 } },
    { "dtrsm", "dpotrf:4", { { 0, 0, 1 }, { 0, 1, 0 } }, { 0, 8, 8 } }
  };
  expect_steps("dpotrf", all_sizes, (int64_t[]){ 1000, 104, 984 }, 1000, calls, 4);
}

/* DTRTRI of a lower triangle begins at the lower right corner: what is done lies below. */
Test(steps, loops_may_run_downwards) {
  static const struct expected calls[] = { { "dtrmm", "dtrtri:1", { { 1, 0 }, { 0, 1 } }, { 8, 8 } },
                                           { "dtrsm", "dtrtri:2", { { 1, 0 }, { 0, 1 } }, { 8, 8 } },
                                           { "dtrti2", "dtrtri:3", { { 0, 1 } }, { 0, 8 } } };
  expect_steps("dtrtri", done_width, (int64_t[]){ 1000, 104 }, 0, calls, 3);
}

/* The loop of DGETRF stands in dgetrf-mn; m - j is the block and the rest. */
Test(steps, the_loop_may_stand_in_a_called_program) {
  static const struct expected calls[] = {
    { "dgetrf2", "dgetrf:dgetrf-mn:1", { { 0, 1, 1 }, { 0, 1, 0 } }, { 0, 8, 0 } },
    { "dlaswp", "dgetrf:dgetrf-mn:2", { { 1, 0, 0 }, { 0, 1, 0 } }, { 8, 8, 0 } },
    { "dlaswp", "dgetrf:dgetrf-mn:3", { { 0, 0, 1 }, { 0, 1, 0 } }, { 0, 8, 8 } },
    { "dtrsm", "dgetrf:dgetrf-mn:4", { { 0, 1, 0 }, { 0, 0, 1 } }, { 0, 8, 8 } },
    { "dgemm", "dgetrf:dgetrf-mn:5", { { 0, 0, 1 }, { 0, 0, 1 }, { 0, 1, 0 } }, { 0, 8, 8 } },
    { "dpivadd", "dgetrf:dgetrf-mn:6", { { 0, 1, 0 }, { 1, 0, 0 } }, { 8, 8, 0 } }
  };
  expect_steps("dgetrf", all_sizes, (int64_t[]){ 1000, 104, 984 }, 1000, calls, 6);
}

static size_t step_count(const char *name) {
  const struct perfpred_program *program = ppi_programs_find(programs, name);
  struct ppi_steps steps;
  cr_assert_not_null(program, "%s", name);
  cr_assert_eq(ppi_steps_of(&program, 1, &steps, &error), PERFPRED_OK);
  size_t count = steps.count;
  ppi_steps_free(&steps);
  return count;
}

/* Recursive, tiled (a step's calls grow in number with what is left), of several sizes, without a loop. */
Test(steps, programs_without_steps) {
  static const char *const names[] = { "chol-l-rec", "chol-l-tiled", "sylv-rec", "chain-3-1", "lstsq-qr" };
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    cr_expect_eq(step_count(names[i]), 0, "%s", names[i]);
}

/* The inverse of a positive definite matrix is DPOTRF, DTRTRI and DLAUUM, each with steps of its own. */
Test(steps, composites_have_those_of_their_parts) {
  const struct perfpred_program *program = ppi_programs_find(programs, "spdinv-l");
  struct ppi_steps steps;
  cr_assert_eq(ppi_steps_of(&program, 1, &steps, &error), PERFPRED_OK);
  cr_assert_eq(steps.count, 3);
  cr_expect_str_eq(steps.items[0]->program->name, "dpotrf");
  cr_expect_str_eq(steps.items[1]->program->name, "dtrtri");
  cr_expect_str_eq(steps.items[2]->program->name, "dlauum");
  const struct perfpred_program *potrf = steps.items[0]->program;
  cr_expect_not(ppi_steps_have(&steps, potrf, steps.items[0]->calls.sites[0].node), "the unblocked call");
  cr_expect(ppi_steps_have(&steps, potrf, steps.items[0]->calls.sites[1].node));
  cr_expect_not(ppi_steps_have(&steps, steps.items[1]->program, steps.items[0]->calls.sites[1].node));
  cr_expect_not(ppi_steps_have(NULL, potrf, steps.items[0]->calls.sites[1].node));
  ppi_steps_free(&steps);
}

/* m1n2: block rows, each of which is solved in block columns by a program of its own, which the other seven share. */
Test(steps, loops_in_loops_have_steps_of_their_own) {
  const struct perfpred_program *program = ppi_programs_find(programs, "sylv-m1n2");
  struct ppi_steps steps;
  cr_assert_eq(ppi_steps_of(&program, 1, &steps, &error), PERFPRED_OK);
  cr_assert_eq(steps.count, 2);
  const struct ppi_stepped *rows = steps.items[0], *columns = steps.items[1];
  cr_expect_str_eq(rows->program->name, "sylv2-m1n2");
  cr_expect_str_eq(columns->program->name, "sylv2-n2");
  cr_expect(!rows->nested && rows->down);
  cr_expect(columns->nested && !columns->down);
  cr_expect(rows->blocking.size == 0 && rows->blocking.block == 2 && rows->blocking.other == 1, "m by bm, n");
  cr_expect(columns->blocking.size == 1 && columns->blocking.block == 3 && columns->blocking.other == 0, "n by bn, m");
  for (int d = 0; d < PPI_STEP_SIZES; d++) {
    cr_expect_eq(rows->counts[d], d != PPI_STEP_REST, "rows: %d", d);
    cr_expect_eq(columns->counts[d], d != PPI_STEP_DONE, "columns: %d", d);
  }
  ppi_steps_free(&steps);
}

/* Neither a third size, nor bounds and steps that are no parameters, nor several loops; LAPACK's routine for any matrix has its one of squares. */
Test(steps, what_is_told_by_two_sizes) {
  static const struct {
    const char *head, *loop;
    bool told;
  } cases[] = {
    { "x(m, n, b)", "for i in 0:m by b as w", true },
    { "x(m, n, b)", "for i in 0:n down by b as w", true },
    { "x(m, n, b, c)", "for i in 0:n by c as w", true },
    { "x(m, n, k, b)", "for i in 0:m by b as w", false },
    { "x(m, n = 64, b)", "for i in 0:m by b as w", false },
    { "x(m, n, b)", "for i in b:m by b as w", false },
    { "x(m, n, b)", "for i in 0:min(m, n) by b as w", false },
    { "x(m, n, b)", "for i in 0:2*m by b as w", false },
    { "x(m, n, b)", "for i in 0:m by 2*b as w", false },
    { "x(m, n, b)", "for i in 0:m-8 by b as w", false },
    { "x(m, n, b)", "for i in 0:m by b as w\nend\nfor j in 0:n by b as v", false },
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct perfpred_program *program = NULL;
    struct ppi_blocking blocking;
    char text[256];
    int length =
        snprintf(text, sizeof text, "perfpred-text 1\nalgorithm %s\n%s\nend\nend\n", cases[i].head, cases[i].loop);
    cr_assert_eq(ppi_program_parse(programs, kernels, text, (size_t)length, "test", &program, &error), PERFPRED_OK,
                 "%s: %s", text, error.text);
    cr_expect_eq(ppi_program_blocking(program, &blocking), cases[i].told, "%s", text);
    perfpred_program_unref(program);
  }
}

/* DGEQRF copies the columns of a block one by one, each as long as what is left. */
Test(steps, calls_that_are_made_once_for_every_column) {
  const struct perfpred_program *program = ppi_programs_find(programs, "dgeqrf");
  struct ppi_steps steps;
  size_t copies = 0, modelled = 0;
  cr_assert_eq(ppi_steps_of(&program, 1, &steps, &error), PERFPRED_OK);
  cr_assert_eq(steps.count, 1);
  for (size_t i = 0; i < steps.items[0]->calls.count; i++) {
    bool copy = strcmp(steps.items[0]->calls.sites[i].node->kernel->name, "dcopy") == 0;
    copies += copy;
    modelled += steps.items[0]->list[i].modelled;
    if (steps.items[0]->list[i].modelled) {
      cr_expect_eq(steps.items[0]->list[i].repeats[0], copy ? 0 : 1);
      cr_expect_eq(steps.items[0]->list[i].repeats[1], copy ? 1 : 0);
    }
  }
  cr_expect_eq(copies, 1);
  /* dgeqr2, dlarft and the seven calls of dlarfb: the copy, three dtrmm, two dgemm, dgesub */
  cr_expect_eq(modelled, 9);
  ppi_steps_free(&steps);
}

/* --- The part of a box that matters ---------------------------------------------------------------------------------- */

static const struct ppi_basis corner = { .dimensions = 3, .limit = 104, .sharing = { true, false, true } };

Test(steps, points_beyond_the_limit_are_folded_back) {
  static const int64_t lower[] = { 8, 8, 8 };
  int64_t sizes[] = { 80, 24, 80 };
  cr_expect_not(ppi_basis_holds(&corner, sizes));
  ppi_basis_fold(&corner, lower, 8,
                 sizes); /* of 64 that can be shared 72 are wanted twice, so at most 64: mirrored to 0 */
  cr_expect_eq(sizes[0], 8);
  cr_expect_eq(sizes[1], 24);
  cr_expect_eq(sizes[2], 8);
  int64_t half[] = { 56, 24, 40 }; /* 48 and 32 of 64: 3/4 and 1/2 become 1/4 and 1/2 */
  ppi_basis_fold(&corner, lower, 8, half);
  cr_expect_eq(half[0], 24);
  cr_expect_eq(half[2], 40);
  int64_t held[] = { 40, 24, 40 };
  ppi_basis_fold(&corner, lower, 8, held);
  cr_expect_eq(held[0], 40);
}

/* DPOTRF of one block is the unblocked routine: no step is first and last at once. */
Test(steps, a_step_that_is_not_made_is_not_admitted) {
  static const struct ppi_basis basis = { .dimensions = 3, .limit = 104, .sharing = { true, false, true }, .least = 8 };
  static const int64_t lower[3] = { 0, 8, 0 };
  int64_t sizes[] = { 0, 24, 0 };
  cr_expect(ppi_basis_holds(&basis, sizes));
  cr_expect_not(ppi_basis_admits(&basis, sizes));
  cr_expect(ppi_basis_admits(&basis, (int64_t[]){ 0, 24, 8 }));
  cr_expect(ppi_basis_admits(&basis, (int64_t[]){ 8, 24, 0 }));
  cr_expect(ppi_basis_admits(&corner, sizes), "where it does not matter");
  ppi_basis_fold(&basis, lower, 8, sizes);
  cr_expect_eq(sizes[0], 0);
  cr_expect_eq(sizes[2], 8);
}

Test(steps, the_only_step_of_an_execution_may_be_another) {
  static const struct {
    const char *name;
    int64_t least;
  } cases[] = { { "dpotrf", 8 }, { "chol-l-2", 0 }, { "chol-l-3", 0 } };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const struct perfpred_program *program = ppi_programs_find(programs, cases[i].name);
    struct ppi_steps steps;
    struct ppi_target *targets = NULL;
    size_t count = 0;
    cr_assert_eq(ppi_steps_of(&program, 1, &steps, &error), PERFPRED_OK);
    cr_assert_eq(ppi_steps_targets(&steps, &options, &targets, &count, &error), PERFPRED_OK);
    for (size_t k = 0; k < count; k++)
      cr_expect_eq(targets[k].basis->least, cases[i].least, "%s: %lld", cases[i].name,
                   (long long)targets[k].basis->least);
    free(targets);
    ppi_steps_free(&steps);
  }
}

Test(steps, points_beyond_the_limit_are_shrunk) {
  static const int64_t lower[] = { 8, 8, 8 };
  int64_t sizes[] = { 136, 24, 72 }; /* 128 and 64 share 64: a third of each, rounded down */
  ppi_basis_shrink(&corner, lower, sizes);
  cr_expect_eq(sizes[0], 8 + 42);
  cr_expect_eq(sizes[1], 24);
  cr_expect_eq(sizes[2], 8 + 21);
  cr_expect(ppi_basis_holds(&corner, sizes));
}
