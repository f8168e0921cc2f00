/* SPDX-License-Identifier: BSD-3-Clause */
#include "affine/poly.h"

#include <inttypes.h>

/* A product of two coefficients has to stay below 2^126. */
static bool multiply(ppi_wide a, ppi_wide b, ppi_wide *product) {
  return !__builtin_mul_overflow(a, b, product);
}

static ppi_wide wide_gcd(ppi_wide a, ppi_wide b) {
  while (b != 0) {
    const ppi_wide rest = a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? -a : a;
}

void ppi_poly_constant(struct ppi_poly *poly, int64_t value) {
  poly->bad = false;
  poly->denominator = 1;
  poly->count = value != 0;
  poly->terms[0] = (struct ppi_poly_term){ 0, value };
}

void ppi_poly_form(struct ppi_poly *poly, const struct ppi_form *form) {
  ppi_poly_constant(poly, form->c[PPI_VARS]);
  for (int i = 0; i < PPI_VARS; i++)
    if (form->c[i] != 0)
      poly->terms[poly->count++] = (struct ppi_poly_term){ ppi_power(i, 1), form->c[i] };
}

void ppi_poly_copy(struct ppi_poly *to, const struct ppi_poly *from) {
  to->count = from->count;
  to->bad = from->bad;
  to->denominator = from->denominator;
  memcpy(to->terms, from->terms, (size_t)from->count * sizeof from->terms[0]);
}

/* Adds a term, over the polynomial's own denominator. */
static void add_term(struct ppi_poly *poly, ppi_powers powers, ppi_wide coefficient) {
  for (int i = 0; i < poly->count; i++) {
    if (poly->terms[i].powers != powers)
      continue;
    if (__builtin_add_overflow(poly->terms[i].coefficient, coefficient, &poly->terms[i].coefficient))
      poly->bad = true;
    if (poly->terms[i].coefficient == 0)
      poly->terms[i] = poly->terms[--poly->count];
    return;
  }
  if (poly->count == PPI_POLY_TERMS)
    poly->bad = true;
  else if (coefficient != 0)
    poly->terms[poly->count++] = (struct ppi_poly_term){ powers, coefficient };
}

static void scale(struct ppi_poly *poly, int64_t factor) {
  for (int i = 0; i < poly->count; i++)
    if (!multiply(poly->terms[i].coefficient, factor, &poly->terms[i].coefficient))
      poly->bad = true;
}

void ppi_poly_add(struct ppi_poly *sum, const struct ppi_poly *term, int64_t factor) {
  const int64_t common = ppi_gcd(sum->denominator, term->denominator);
  const int64_t widen = term->denominator / common, other = sum->denominator / common;
  int64_t denominator = 0;
  ppi_wide times = 0;
  if (__builtin_mul_overflow(sum->denominator, widen, &denominator) || !multiply(other, factor, &times) ||
      denominator > (1 << 30))
    sum->bad = true;
  sum->bad = sum->bad || term->bad;
  if (sum->bad)
    return;
  if (widen != 1)
    scale(sum, widen);
  sum->denominator = denominator;
  for (int i = 0; i < term->count && !sum->bad; i++) {
    ppi_wide coefficient = 0;
    if (!multiply(term->terms[i].coefficient, times, &coefficient))
      sum->bad = true;
    else
      add_term(sum, term->terms[i].powers, coefficient);
  }
}

/* Takes common factors out of coefficients and denominator. */
static void reduce(struct ppi_poly *poly) {
  ppi_wide common = poly->denominator;
  for (int i = 0; i < poly->count && common != 1; i++)
    common = wide_gcd(common, poly->terms[i].coefficient);
  if (common <= 1)
    return;
  poly->denominator = (int64_t)(poly->denominator / common);
  for (int i = 0; i < poly->count; i++)
    poly->terms[i].coefficient /= common;
}

static bool powers_fit(ppi_powers a, ppi_powers b) {
  for (int i = 0; i < PPI_VARS; i++)
    if (ppi_power_of(a, i) + ppi_power_of(b, i) > PPI_POLY_DEGREE)
      return false;
  return true;
}

void ppi_poly_multiply(const struct ppi_poly *a, const struct ppi_poly *b, struct ppi_poly *product) {
  ppi_poly_constant(product, 0);
  product->bad = a->bad || b->bad || __builtin_mul_overflow(a->denominator, b->denominator, &product->denominator) ||
                 product->denominator > (1 << 30);
  for (int i = 0; i < a->count; i++)
    for (int j = 0; j < b->count && !product->bad; j++) {
      ppi_wide coefficient = 0;
      if (!multiply(a->terms[i].coefficient, b->terms[j].coefficient, &coefficient) ||
          !powers_fit(a->terms[i].powers, b->terms[j].powers))
        product->bad = true;
      else
        add_term(product, a->terms[i].powers + b->terms[j].powers, coefficient);
    }
  if (!product->bad)
    reduce(product);
}

/* Faulhaber's formulas for the sum over u < n: coefficients of n, n^2, ... and their denominator. */
static const struct {
  int denominator, coefficients[7];
} faulhaber[] = {
  { 1, { 1 } },
  { 2, { -1, 1 } },
  { 6, { 1, -3, 2 } },
  { 4, { 0, 1, -2, 1 } },
  { 30, { -1, 0, 10, -15, 6 } },
  { 12, { 0, -1, 0, 5, -6, 2 } },
  { 42, { 1, 0, -7, 0, 21, -21, 6 } },
};

void ppi_poly_power_sum(const struct ppi_form *form, int power, struct ppi_poly *sum) {
  struct ppi_poly base, product;
  ppi_poly_form(&base, form);
  ppi_poly_constant(sum, 0);
  if (power < 0 || (size_t)power >= sizeof faulhaber / sizeof faulhaber[0]) {
    sum->bad = true;
    return;
  }
  if (power == 0) {
    ppi_poly_copy(sum, &base);
    return;
  }
  ppi_poly_copy(sum, &base);
  for (int i = 0; i < sum->count; i++)
    sum->terms[i].coefficient *= faulhaber[power].coefficients[power];
  for (int i = power - 1; i >= 0; i--) { /* Horner's scheme, all terms times n */
    struct ppi_poly constant;
    ppi_poly_constant(&constant, faulhaber[power].coefficients[i]);
    ppi_poly_add(sum, &constant, 1);
    ppi_poly_multiply(sum, &base, &product);
    ppi_poly_copy(sum, &product);
  }
  sum->denominator *= faulhaber[power].denominator;
  reduce(sum);
}

/* What multiplies var^power, with the polynomial's denominator. */
static void coefficient_of(const struct ppi_poly *poly, int var, int power, struct ppi_poly *coefficient) {
  coefficient->count = 0;
  coefficient->bad = poly->bad;
  coefficient->denominator = poly->denominator;
  for (int i = 0; i < poly->count; i++)
    if (ppi_power_of(poly->terms[i].powers, var) == power)
      coefficient->terms[coefficient->count++] =
          (struct ppi_poly_term){ poly->terms[i].powers - ppi_power(var, power), poly->terms[i].coefficient };
}

void ppi_poly_sum(const struct ppi_poly *poly, int var, const struct ppi_form *first, const struct ppi_form *last,
                  struct ppi_poly *sum) {
  const struct ppi_form beyond = ppi_form_plus(last, 1);
  ppi_poly_constant(sum, 0);
  sum->bad = poly->bad;
  for (int power = ppi_poly_degree(poly, var); power >= 0 && !sum->bad; power--) {
    struct ppi_poly coefficient, range, below, product;
    coefficient_of(poly, var, power, &coefficient);
    if (coefficient.count == 0)
      continue;
    ppi_poly_power_sum(&beyond, power, &range);
    ppi_poly_power_sum(first, power, &below);
    ppi_poly_add(&range, &below, -1);
    ppi_poly_multiply(&coefficient, &range, &product);
    ppi_poly_add(sum, &product, 1);
  }
  if (!sum->bad)
    reduce(sum);
}

void ppi_poly_assign(struct ppi_poly *poly, int var, int64_t value) {
  struct ppi_poly_term moved[PPI_POLY_TERMS];
  int count = 0;
  for (int i = 0; i < poly->count;) {
    if (ppi_power_of(poly->terms[i].powers, var) == 0) {
      i++;
      continue;
    }
    moved[count++] = poly->terms[i];
    poly->terms[i] = poly->terms[--poly->count];
  }
  for (int i = 0; i < count; i++) {
    const int power = ppi_power_of(moved[i].powers, var);
    for (int j = 0; j < power && !poly->bad; j++)
      if (!multiply(moved[i].coefficient, value, &moved[i].coefficient))
        poly->bad = true;
    add_term(poly, moved[i].powers - ppi_power(var, power), moved[i].coefficient);
  }
}

bool ppi_poly_uses(const struct ppi_poly *poly, int var) {
  for (int i = 0; i < poly->count; i++)
    if (ppi_power_of(poly->terms[i].powers, var) > 0)
      return true;
  return false;
}

int ppi_poly_degree(const struct ppi_poly *poly, int var) {
  int degree = 0;
  for (int i = 0; i < poly->count; i++)
    if (ppi_power_of(poly->terms[i].powers, var) > degree)
      degree = ppi_power_of(poly->terms[i].powers, var);
  return degree;
}

static int term_degree(ppi_powers powers) {
  int degree = 0;
  for (int var = 0; var < PPI_VARS; var++)
    degree += ppi_power_of(powers, var);
  return degree;
}

int ppi_poly_total_degree(const struct ppi_poly *poly) {
  int degree = 0;
  for (int i = 0; i < poly->count; i++)
    if (term_degree(poly->terms[i].powers) > degree)
      degree = term_degree(poly->terms[i].powers);
  return degree;
}

static void print_magnitude(ppi_wide value, struct ppi_text *text) {
  if (value > INT64_MAX)
    ppi_text_printf(text, "%" PRId64 "%018" PRId64, (int64_t)(value / 1000000000000000000),
                    (int64_t)(value % 1000000000000000000));
  else
    ppi_text_printf(text, "%" PRId64, (int64_t)value);
}

static void print_term(const struct ppi_poly_term *term, const char *const *names, bool first, struct ppi_text *text) {
  const ppi_wide magnitude = term->coefficient < 0 ? -term->coefficient : term->coefficient;
  ppi_text_append(text, term->coefficient < 0 ? (first ? "-" : " - ") : (first ? "" : " + "));
  bool factor = magnitude != 1 || term->powers == 0;
  if (factor)
    print_magnitude(magnitude, text);
  for (int var = 0; var < PPI_VARS; var++)
    for (int i = 0; i < ppi_power_of(term->powers, var); i++) {
      ppi_text_printf(text, "%s%s", factor ? "*" : "", names[var]);
      factor = true;
    }
}

void ppi_poly_print(const struct ppi_poly *poly, const char *const *names, struct ppi_text *text) {
  bool first = true;
  if (poly->denominator != 1)
    ppi_text_append(text, "(");
  for (int degree = ppi_poly_total_degree(poly); degree >= 0; degree--)
    for (int i = 0; i < poly->count; i++)
      if (term_degree(poly->terms[i].powers) == degree) {
        print_term(&poly->terms[i], names, first, text);
        first = false;
      }
  if (first)
    ppi_text_append(text, "0");
  if (poly->denominator != 1)
    ppi_text_printf(text, ")/%" PRId64, poly->denominator);
}
