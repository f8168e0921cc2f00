/* SPDX-License-Identifier: BSD-3-Clause */
#include "affine/runs.h"

static ppi_wide value_at(const struct ppi_univariate *poly, int64_t at, bool *fits) {
  ppi_wide value = 0;
  for (int i = poly->degree; i >= 0; i--)
    if (__builtin_mul_overflow(value, (ppi_wide)at, &value) || __builtin_add_overflow(value, poly->c[i], &value))
      *fits = false;
  return value;
}

/* p(x + 1) - p(x) */
static struct ppi_univariate difference_of(const struct ppi_univariate *poly, bool *fits) {
  struct ppi_univariate difference = { .degree = poly->degree > 0 ? poly->degree - 1 : 0 };
  for (int i = 1; i <= poly->degree; i++) {
    ppi_wide binomial = 1;
    for (int j = 0; j < i; j++) { /* binomial: i over j */
      ppi_wide term = 0;
      if (__builtin_mul_overflow(binomial, poly->c[i], &term) ||
          __builtin_add_overflow(difference.c[j], term, &difference.c[j]))
        *fits = false;
      binomial = binomial * (i - j) / (j + 1);
    }
  }
  return difference;
}

/* The first place from `low` on at which the polynomial, monotonic up to high, is >= 0 (or, falling, < 0); high + 1: none. */
static int64_t find_turn(const struct ppi_univariate *poly, int64_t low, int64_t high, bool rises, bool *fits) {
  if (low > high || (value_at(poly, low, fits) >= 0) == rises)
    return low;
  if ((value_at(poly, high, fits) >= 0) != rises)
    return high + 1;
  while (low <= high) {
    const int64_t middle = low + (high - low) / 2;
    if ((value_at(poly, middle, fits) >= 0) == rises)
      high = middle - 1;
    else
      low = middle + 1;
  }
  return low;
}

static void add_run(struct ppi_runs *runs, int64_t first, int64_t last) {
  if (first > last)
    return;
  if (runs->count > 0 && runs->last[runs->count - 1] == first - 1) {
    runs->last[runs->count - 1] = last;
    return;
  }
  if (runs->count == PPI_RUNS_DEGREE + 2)
    return;
  runs->first[runs->count] = first;
  runs->last[runs->count++] = last;
}

/* Where low .. high the polynomial is >= 0. Between two changes of sign of its difference it is monotonic. */
void ppi_runs_find(const struct ppi_univariate *poly, int64_t low, int64_t high, struct ppi_runs *runs, bool *fits) {
  struct ppi_runs rising = { .count = 0 };
  runs->count = 0;
  if (poly->degree == 0) {
    if (poly->c[0] >= 0)
      add_run(runs, low, high);
    return;
  }
  const struct ppi_univariate difference = difference_of(poly, fits);
  if (low < high)
    ppi_runs_find(&difference, low, high - 1, &rising, fits);
  int64_t at = low; /* what is before is done */
  for (int i = 0; i < rising.count; i++) {
    const int64_t bottom = rising.first[i], top = rising.last[i] + 1;
    if (at < bottom) /* falls from `at` to `bottom` */
      add_run(runs, at, find_turn(poly, at, bottom - 1, false, fits) - 1);
    add_run(runs, find_turn(poly, bottom, top - 1, true, fits), top - 1);
    at = top;
  }
  if (at <= high)
    add_run(runs, at, find_turn(poly, at, high, false, fits) - 1);
}

bool ppi_bivariate_make(const struct ppi_poly *poly, int over, int in, struct ppi_bivariate *made) {
  memset(made, 0, sizeof *made);
  made->degree_over = ppi_poly_degree(poly, over);
  made->degree_in = ppi_poly_degree(poly, in);
  if (made->degree_over > PPI_RUNS_DEGREE || made->degree_in > PPI_RUNS_DEGREE)
    return false;
  for (int i = 0; i < poly->count; i++)
    made->c[ppi_power_of(poly->terms[i].powers, over)][ppi_power_of(poly->terms[i].powers, in)] =
        poly->terms[i].coefficient;
  return true;
}

struct ppi_univariate ppi_bivariate_put(const struct ppi_bivariate *poly, int64_t value, bool *fits) {
  struct ppi_univariate result = { .degree = poly->degree_in };
  for (int i = poly->degree_over; i >= 0; i--)
    for (int j = 0; j <= poly->degree_in; j++)
      if (__builtin_mul_overflow(result.c[j], (ppi_wide)value, &result.c[j]) ||
          __builtin_add_overflow(result.c[j], poly->c[i][j], &result.c[j]))
        *fits = false;
  while (result.degree > 0 && result.c[result.degree] == 0)
    result.degree--;
  return result;
}
