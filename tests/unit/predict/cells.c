/* SPDX-License-Identifier: BSD-3-Clause */
/* Choosing candidates along sizes: cases worked by hand. */
#include "predict/cells.h"

#include <criterion/criterion.h>
#include <math.h>

#define INF (double)INFINITY

static struct perfpred_error error;

static void expect(const struct ppi_cells_rule *rule, const double *losses, size_t points, const size_t *expected) {
  const double *rows[16];
  size_t chosen[16];
  for (size_t i = 0; i < points; i++)
    rows[i] = losses + i * rule->candidate_count;
  cr_assert_eq(ppi_cells_choose(rule, rows, points, chosen, &error), PERFPRED_OK, "%s", error.text);
  for (size_t i = 0; i < points; i++)
    cr_expect_eq(chosen[i], expected[i], "point %zu: %zu, expected %zu", i, chosen[i], expected[i]);
}

/* Without a tie the best one is taken everywhere. */
Test(cells, the_best_one) {
  const struct ppi_cells_rule rule = { .candidate_count = 3 };
  expect(&rule, (double[]){ 0.1, 0, 0.2, 0.1, 0.3, 0, 0, 0.1, 0.1 }, 3, (size_t[]){ 1, 2, 0 });
}

/* 1, 2, 1 within the tie: candidate 1 is good at all of them. */
Test(cells, the_fewest_changes) {
  const struct ppi_cells_rule rule = { .candidate_count = 3, .tie = 0.01 };
  expect(&rule, (double[]){ 0.1, 0, 0.2, 0.1, 0.009, 0, 0.1, 0, 0.1 }, 3, (size_t[]){ 1, 1, 1 });
  expect(&rule, (double[]){ 0.1, 0, 0.2, 0.1, 0.011, 0, 0.1, 0, 0.1 }, 3, (size_t[]){ 1, 2, 1 });
}

/* One change is needed; it lies where the losses add up to the least. */
Test(cells, the_least_losses_among_the_fewest_changes) {
  const struct ppi_cells_rule rule = { .candidate_count = 3, .tie = 0.01, .stock = 2 };
  expect(&rule, (double[]){ 0, 0.02, 1, 0.001, 0.004, 1, 0.006, 0.003, 1, 0.02, 0, 1 }, 4, (size_t[]){ 0, 0, 1, 1 });
}

/* The stock candidate counts as the best one wherever it is good, and nowhere else; for its sake there is no change. */
Test(cells, the_stock_one_stays) {
  const struct ppi_cells_rule rule = { .candidate_count = 2, .tie = 0.005 };
  expect(&rule, (double[]){ 0.004, 0, 0.0049, 0, 0.005, 0 }, 3, (size_t[]){ 0, 0, 0 });
  expect(&rule, (double[]){ 0.004, 0, 0.0051, 0, 0.006, 0 }, 3, (size_t[]){ 1, 1, 1 });
  expect(&rule, (double[]){ 0, 0.1, 0.004, 0, 0.0051, 0 }, 3, (size_t[]){ 0, 0, 1 });
}

/* A candidate that cannot be taken is not, however long the sequence would be without it. */
Test(cells, what_cannot_be_taken) {
  const struct ppi_cells_rule rule = { .candidate_count = 2, .tie = 0.5 };
  expect(&rule, (double[]){ INF, 0.3, 0.1, 0, INF, 0.4 }, 3, (size_t[]){ 1, 1, 1 });
  const double none[] = { INF, INF };
  const double *rows[] = { none };
  size_t chosen[] = { 7 };
  cr_expect_eq(ppi_cells_choose(&rule, rows, 1, chosen, &error), PERFPRED_NOT_FOUND);
  cr_expect_eq(chosen[0], 7);
}

/* Block sizes 32, 64, 16 are best one after another; falling is not allowed: 32 all along exceeds the tie by less than 32, 64, 64. */
Test(cells, an_order_that_must_not_fall) {
  const int64_t order[] = { 16, 32, 64 };
  const struct ppi_cells_rule rule = { .candidate_count = 3, .tie = 0.01, .stock = 1, .order = order };
  expect(&rule, (double[]){ 0.2, 0, 0.2, 0.2, 0.05, 0, 0, 0.1, 0.4 }, 3, (size_t[]){ 1, 1, 1 });
  expect(&rule, (double[]){ 0, 0.2, 0.2, 0.2, 0, 0.2, 0.2, 0.2, 0 }, 3, (size_t[]){ 0, 1, 2 });
}
