/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of points within made-up constraints, and of those at which a polynomial exceeds a number, against going through all. */
#include "affine/total.h"

#include <criterion/criterion.h>
#include <inttypes.h>

static uint64_t state;

static int below(int limit) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (int)((state >> 33) % (uint64_t)limit);
}

static void make_set(struct ppi_set *set) {
  memset(set, 0, sizeof *set);
  set->variables = 1 + below(3);
  for (int i = 0; i < set->variables; i++) {
    set->low[i] = below(5) - 2;
    set->high[i] = set->low[i] + below(8);
  }
  set->count = below(11);
  for (int i = 0; i < set->count; i++) {
    for (int j = 0; j < set->variables; j++)
      set->rows[i].c[j] = below(3) ? below(3) - 1 : below(7) - 3;
    set->rows[i].constant = below(7) - 2;
  }
}

/* Sum of three products of forms, and a number. */
static void make_poly(struct ppi_poly *poly, int variables) {
  ppi_poly_constant(poly, below(10) - 5);
  for (int i = 0; i < 3; i++) {
    struct ppi_form a = ppi_form_constant(below(5) - 2), b = ppi_form_constant(below(5) - 2);
    struct ppi_poly left, right, product;
    for (int j = 0; j < variables; j++) {
      a.c[PPI_BLOCK_VAR(j)] = below(4) - 1;
      b.c[PPI_BLOCK_VAR(j)] = below(3) - 1;
    }
    ppi_poly_form(&left, &a);
    ppi_poly_form(&right, &b);
    ppi_poly_multiply(&left, &right, &product);
    ppi_poly_add(poly, &product, 1);
  }
}

static bool is_inside(const struct ppi_set *set, const int64_t *point) {
  for (int i = 0; i < set->count; i++) {
    int64_t value = set->rows[i].constant;
    for (int j = 0; j < set->variables; j++)
      value += set->rows[i].c[j] * point[j];
    if (value < 0)
      return false;
  }
  return true;
}

static bool exceeds(const struct ppi_poly *poly, const int64_t *point, int variables, int64_t limit) {
  struct ppi_poly value;
  ppi_poly_copy(&value, poly);
  for (int j = 0; j < variables; j++)
    ppi_poly_assign(&value, PPI_BLOCK_VAR(j), point[j]);
  return (value.count ? value.terms[0].coefficient : 0) > limit;
}

/* Goes through all points; poly: NULL or the polynomial that has to exceed the limit. */
static uint64_t enumerated(const struct ppi_set *set, const struct ppi_poly *poly, int64_t limit) {
  int64_t point[PPI_LOOPS] = { set->low[0], set->low[1], set->low[2] };
  uint64_t count = 0;
  for (;;) {
    count += is_inside(set, point) && (!poly || exceeds(poly, point, set->variables, limit));
    int i = 0;
    while (i < set->variables && ++point[i] > set->high[i]) {
      point[i] = set->low[i];
      i++;
    }
    if (i == set->variables)
      return count;
  }
}

Test(total, made_up_constraints) {
  const struct ppi_misses_options options = { .budget_s = 60 };
  struct ppi_pause pause;
  struct perfpred_error error;
  ppi_error_clear(&error);
  ppi_pause_start(&pause, &options);
  struct ppi_total total = { .pause = &pause, .name = "made", .error = &error };
  state = 1;
  for (int i = 0; i < 8000; i++) {
    struct ppi_set set;
    struct ppi_poly poly;
    make_set(&set);
    make_poly(&poly, set.variables);
    const int64_t limit = below(12) - 3;
    cr_assert_eq(ppi_total_points(&total, &set), enumerated(&set, NULL, 0), "set %d", i);
    cr_assert_eq(ppi_total_beyond(&total, &set, &poly, limit), enumerated(&set, &poly, limit), "set %d", i);
    cr_assert_eq(total.status, PERFPRED_OK, "%s", error.text);
  }
}

/* A tetrahedron: 0 <= x <= y <= z < n has n (n + 1) (n + 2) / 6 points. */
Test(total, large_tetrahedron) {
  const struct ppi_misses_options options = { .budget_s = 60 };
  struct ppi_pause pause;
  struct perfpred_error error;
  ppi_error_clear(&error);
  ppi_pause_start(&pause, &options);
  struct ppi_total total = { .pause = &pause, .name = "tetrahedron", .error = &error };
  struct ppi_set set = { .variables = 3, .count = 2, .high = { 99999, 99999, 99999 } };
  set.rows[0] = (struct ppi_constraint){ { -1, 1, 0 }, 0 };
  set.rows[1] = (struct ppi_constraint){ { 0, -1, 1 }, 0 };
  cr_expect_eq(ppi_total_points(&total, &set), UINT64_C(166671666700000));
  cr_expect_lt(total.steps, 1000); /* not gone through */
}

/* Within 3 x + 5 y <= 15 k, by Pick's theorem on a triangle of area 15 k^2 / 2 with 9 k points on its border. */
Test(total, large_triangle) {
  const struct ppi_misses_options options = { .budget_s = 60 };
  struct ppi_pause pause;
  struct perfpred_error error;
  ppi_error_clear(&error);
  ppi_pause_start(&pause, &options);
  struct ppi_total total = { .pause = &pause, .name = "triangle", .error = &error };
  struct ppi_set set = { .variables = 2, .count = 1, .high = { 2000000000, 2000000000 } };
  const int64_t k = 100000000;
  set.rows[0] = (struct ppi_constraint){ { -3, -5 }, 15 * k };
  cr_expect_eq(ppi_total_points(&total, &set), (uint64_t)((15 * k + 9) * k / 2 + 1));
  cr_expect_lt(total.steps, 100); /* not gone through */
}
