/* SPDX-License-Identifier: BSD-3-Clause */
#include "affine/quotient.h"

struct summation {
  struct ppi_path *path;
  int64_t divisor;
  bool fits;
};

/* sum += a * b * factor */
static void add_product(struct ppi_poly *sum, const struct ppi_poly *a, const struct ppi_poly *b, int64_t factor) {
  struct ppi_poly product;
  ppi_poly_multiply(a, b, &product);
  ppi_poly_add(sum, &product, factor);
}

/* Sums over u from 0 to limit - 1 of the quotient of u itself, by itself and times u. With limit = d n + w:
   d n (n - 1) / 2 + w n, and the sum over k < n of d^2 k^2 + k d (d - 1) / 2, + d n^2 w + n w (w - 1) / 2. */
static void sum_below(struct summation *summation, const struct ppi_form *limit, struct ppi_poly sums[2]) {
  const int64_t d = summation->divisor;
  const struct ppi_form n = ppi_path_floor(summation->path, limit, d);
  const struct ppi_form w = ppi_form_combine(limit, 1, &n, -d, &summation->fits);
  struct ppi_poly line, rest, lines, squares, pairs, square;
  ppi_poly_form(&line, &n);
  ppi_poly_form(&rest, &w);
  ppi_poly_power_sum(&n, 1, &lines);
  ppi_poly_power_sum(&n, 2, &squares);
  ppi_poly_power_sum(&w, 1, &pairs);
  ppi_poly_multiply(&line, &line, &square);
  ppi_poly_constant(&sums[0], 0);
  ppi_poly_add(&sums[0], &lines, d);
  add_product(&sums[0], &line, &rest, 1);
  ppi_poly_constant(&sums[1], 0);
  ppi_poly_add(&sums[1], &squares, d * d);
  ppi_poly_add(&sums[1], &lines, d * (d - 1) / 2);
  add_product(&sums[1], &square, &rest, d);
  add_product(&sums[1], &line, &pairs, 1);
}

/* Of (slope * u + form) / divisor, slope 1 or -1: with t = slope * u + form, the sum of t's quotient, or of that times slope * (t - form). */
static void sum_slope(struct summation *summation, int64_t slope, const struct ppi_form *form,
                      const struct ppi_form *low, const struct ppi_form *high, int power, struct ppi_poly *sum) {
  const struct ppi_form at_low = ppi_form_combine(form, 1, low, slope, &summation->fits),
                        at_high = ppi_form_combine(form, 1, high, slope, &summation->fits);
  const struct ppi_form beyond = ppi_form_plus(slope > 0 ? &at_high : &at_low, 1);
  struct ppi_poly sums[2], below[2], offset;
  sum_below(summation, &beyond, sums);
  sum_below(summation, slope > 0 ? &at_low : &at_high, below);
  ppi_poly_add(&sums[0], &below[0], -1);
  ppi_poly_add(&sums[1], &below[1], -1);
  ppi_poly_constant(sum, 0);
  if (power == 0) {
    ppi_poly_add(sum, &sums[0], 1);
    return;
  }
  ppi_poly_form(&offset, form);
  ppi_poly_add(sum, &sums[1], slope);
  add_product(sum, &offset, &sums[0], -slope);
}

/* sum += factor * the sum of u^power */
static void add_powers(int64_t factor, int power, const struct ppi_form *low, const struct ppi_form *high,
                       struct ppi_poly *sum) {
  const struct ppi_form beyond = ppi_form_plus(high, 1);
  struct ppi_poly range, below;
  ppi_poly_power_sum(&beyond, power, &range);
  ppi_poly_power_sum(low, power, &below);
  ppi_poly_add(&range, &below, -1);
  ppi_poly_add(sum, &range, factor);
}

void ppi_quotient_sum(struct ppi_path *path, const struct ppi_quotient *quotient, const struct ppi_form *low,
                      const struct ppi_form *high, int power, struct ppi_poly *sum) {
  const int64_t divisor = quotient->divisor;
  int64_t whole = ppi_floor_div(quotient->factor, divisor), slope = quotient->factor - whole * divisor;
  if (2 * slope > divisor) {
    whole++;
    slope -= divisor;
  }
  const int64_t size = slope < 0 ? -slope : slope;
  ppi_poly_constant(sum, 0);
  if (size == 0 || divisor % size != 0) {
    ppi_path_give_up(path, "slopes along lines that do not divide a line");
    return;
  }
  struct summation summation = { path, divisor / size, true };
  const struct ppi_form form = ppi_path_floor(path, &quotient->form, size);
  sum_slope(&summation, slope / size, &form, low, high, power, sum);
  if (!summation.fits)
    ppi_path_give_up(path, "numbers become too large");
  if (whole != 0)
    add_powers(whole, power + 1, low, high, sum);
}
