/* SPDX-License-Identifier: BSD-3-Clause */
/* Bounds on a polynomial in a box. */
#include "affine/poly.h"

/* [low, high]^power */
static bool power_range(int64_t low, int64_t high, int power, ppi_wide *least, ppi_wide *most) {
  ppi_wide at_low = 1, at_high = 1;
  for (int i = 0; i < power; i++)
    if (__builtin_mul_overflow(at_low, (ppi_wide)low, &at_low) ||
        __builtin_mul_overflow(at_high, (ppi_wide)high, &at_high))
      return false;
  *least = at_low < at_high ? at_low : at_high;
  *most = at_low < at_high ? at_high : at_low;
  if (power % 2 == 0 && power > 0 && low < 0 && high > 0)
    *least = 0;
  return true;
}

static bool multiply_range(ppi_wide *least, ppi_wide *most, ppi_wide low, ppi_wide high) {
  ppi_wide ends[4];
  if (__builtin_mul_overflow(*least, low, &ends[0]) || __builtin_mul_overflow(*least, high, &ends[1]) ||
      __builtin_mul_overflow(*most, low, &ends[2]) || __builtin_mul_overflow(*most, high, &ends[3]))
    return false;
  *least = *most = ends[0];
  for (int i = 1; i < 4; i++) {
    *least = ends[i] < *least ? ends[i] : *least;
    *most = ends[i] > *most ? ends[i] : *most;
  }
  return true;
}

/* Of the derivative in variable `by`, or of the polynomial itself (by < 0): term by term, denominators left out. */
static bool terms_range(const struct ppi_poly *poly, int by, const int64_t *low, const int64_t *high, ppi_wide *least,
                        ppi_wide *most) {
  *least = *most = 0;
  for (int i = 0; i < poly->count; i++) {
    ppi_powers powers = poly->terms[i].powers;
    ppi_wide term_least = poly->terms[i].coefficient, term_most = term_least;
    if (by >= 0) {
      const int power = ppi_power_of(powers, by);
      if (power == 0)
        continue;
      powers -= ppi_power(by, 1);
      term_least = term_most = term_least * power;
    }
    for (int var = 0; powers >> (4 * var); var++) {
      ppi_wide a = 0, b = 0;
      const int power = ppi_power_of(powers, var);
      if (power > 0 &&
          (!power_range(low[var], high[var], power, &a, &b) || !multiply_range(&term_least, &term_most, a, b)))
        return false;
      if (var == PPI_VARS - 1)
        break;
    }
    if (__builtin_add_overflow(*least, term_least, least) || __builtin_add_overflow(*most, term_most, most))
      return false;
  }
  return true;
}

bool ppi_poly_range(const struct ppi_poly *poly, const int64_t low[PPI_VARS], const int64_t high[PPI_VARS],
                    ppi_wide *least, ppi_wide *most) {
  int64_t bottom[2][PPI_VARS], top[2][PPI_VARS]; /* for the least and for the most value */
  ppi_wide unused = 0;
  for (int side = 0; side < 2; side++) {
    memcpy(bottom[side], low, sizeof bottom[side]);
    memcpy(top[side], high, sizeof top[side]);
  }
  for (int var = 0; var < PPI_VARS; var++) {
    ppi_wide a = 0, b = 0;
    if (low[var] == high[var] || !ppi_poly_uses(poly, var))
      continue;
    if (!terms_range(poly, var, low, high, &a, &b))
      return false;
    if (a >= 0) {
      top[0][var] = low[var];
      bottom[1][var] = high[var];
    } else if (b <= 0) {
      bottom[0][var] = high[var];
      top[1][var] = low[var];
    }
  }
  return terms_range(poly, -1, bottom[0], top[0], least, &unused) &&
         terms_range(poly, -1, bottom[1], top[1], &unused, most);
}
