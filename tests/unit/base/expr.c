/* SPDX-License-Identifier: BSD-3-Clause */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/expr.h"

static const char *const names[] = { "n", "m", "b", "i" };
static const struct ppi_scope scope = { names, 4, "LRNTU" };
static struct perfpred_error error;

static struct ppi_expr *parse(const char *text) {
  struct ppi_scanner scanner;
  struct ppi_expr *expr = NULL;
  ppi_error_clear(&error);
  ppi_scan_init(&scanner, text, strlen(text), "t", &error);
  cr_assert_eq(ppi_expr_parse(&scanner, &scope, &expr), PERFPRED_OK, "%s: %s", text, error.text);
  cr_assert_eq(scanner.token.kind, PPI_TOKEN_END, "%s", text);
  return expr;
}

static void check_value(const char *text, int64_t expected) {
  static const int64_t values[] = { 10, 3, 4, -7 };
  struct ppi_expr *expr = parse(text);
  int64_t value = 0;
  cr_assert_eq(ppi_expr_eval(expr, values, &value, &error), PERFPRED_OK, "%s: %s", text, error.text);
  cr_assert_eq(value, expected, "%s is %lld", text, (long long)value);
  ppi_expr_destroy(expr);
}

Test(expr, precedence) {
  check_value("2+3*4", 14);
  check_value("(2+3)*4", 20);
  check_value("10-4-3", 3);
  check_value("24/4/2", 3);
  check_value("24/(4/2)", 12);
  check_value("-2*3", -6);
  check_value("-n+1", -9);
  check_value("2*-3", -6);
  check_value("--5", 5);
  check_value("1+2 < 4 && 2 == 2", 1);
  check_value("0 || 1 && 0", 0);
  check_value("1 || 0 && 0", 1);
  check_value("1 ? 2 : 0 ? 3 : 4", 2);
  check_value("0 ? 2 : 0 ? 3 : 4", 4);
  check_value("1 ? 0 ? 1 : 2 : 3", 2);
  check_value("n > m ? n - m : m - n", 7);
  check_value("7 && 3", 1);
  check_value("0 || 0", 0);
}

Test(expr, comparisons) {
  check_value("n == 10", 1);
  check_value("n != 10", 0);
  check_value("m < 3", 0);
  check_value("m <= 3", 1);
  check_value("m > 3", 0);
  check_value("m >= 3", 1);
  check_value("i < m", 1);
}

Test(expr, division_rounds_down) {
  check_value("7//2", 3);
  check_value("-7//2", -4);
  check_value("7//-2", -4);
  check_value("-7//-2", 3);
  check_value("6//3", 2);
  check_value("-6//3", -2);
  check_value("-7%2", 1);
  check_value("7%-2", -1);
  check_value("-7%-2", -1);
  check_value("6%3", 0);
  check_value("floordiv(i, 2)", -4);
  check_value("ceildiv(7, 2)", 4);
  check_value("ceildiv(-7, 2)", -3);
  check_value("ceildiv(7, -2)", -3);
  check_value("ceildiv(-7, -2)", 4);
  check_value("ceildiv(8, 2)", 4);
  check_value("-8/4", -2);
}

Test(expr, functions) {
  check_value("min(n, m)", 3);
  check_value("max(n, m, 12, b)", 12);
  check_value("min(b, n-i)", 4);
  check_value("max(5)", 5);
  check_value("min(3, max(1, 2))", 2);
}

Test(expr, published_costs) {
  check_value("n*(n+1)*(2*n+1)/6", 385); /* 1 + 4 + ... + 100 */
  check_value("n*(n*n+2)/3", 340);
}

Test(expr, letters_and_hidden_names) {
  check_value("L == L", 1);
  check_value("L == R ? 1 : 2", 2);
  static const char *const twice[] = { "n", "L", "n" };
  const struct ppi_scope inner = { twice, 3, "L" };
  static const int64_t values[] = { 1, 50, 3 };
  struct ppi_scanner scanner;
  ppi_scan_init(&scanner, "n + L", 5, "t", NULL);
  struct ppi_expr *expr = NULL;
  int64_t value = 0;
  cr_assert_eq(ppi_expr_parse(&scanner, &inner, &expr), PERFPRED_OK);
  cr_assert_eq(ppi_expr_eval(expr, values, &value, NULL), PERFPRED_OK);
  cr_assert_eq(value, 53); /* the later n; the name L hides the letter */
  ppi_expr_destroy(expr);
}

Test(expr, a_name_of_a_function_may_be_a_value) {
  static const char *const odd[] = { "min" };
  const struct ppi_scope inner = { odd, 1, NULL };
  const int64_t values[] = { 6 };
  struct ppi_scanner scanner;
  ppi_scan_init(&scanner, "min + min(min, 2)", 17, "t", NULL);
  struct ppi_expr *expr = NULL;
  int64_t value = 0;
  cr_assert_eq(ppi_expr_parse(&scanner, &inner, &expr), PERFPRED_OK);
  ppi_expr_eval(expr, values, &value, NULL);
  cr_assert_eq(value, 8);
  ppi_expr_destroy(expr);
}

static void check_failure(const char *text, enum perfpred_status status, const char *message) {
  static const int64_t values[] = { INT64_MAX, INT64_MIN, 0, 2 };
  struct ppi_expr *expr = parse(text);
  int64_t value = 99;
  cr_assert_eq(ppi_expr_eval(expr, values, &value, &error), status, "%s", text);
  cr_assert_eq(error.status, status);
  cr_assert_not_null(strstr(error.text, message), "%s: %s", text, error.text);
  cr_assert_eq(value, 99);
  ppi_expr_destroy(expr);
}

Test(expr, no_wrap) {
  check_failure("n + 1", PERFPRED_OVERFLOW, "9223372036854775807 + 1");
  check_failure("m - 1", PERFPRED_OVERFLOW, "- 1");
  check_failure("n * 2", PERFPRED_OVERFLOW, "* 2");
  check_failure("-m", PERFPRED_OVERFLOW, "64 bits");
  check_failure("m / -1", PERFPRED_OVERFLOW, "64 bits");
  check_failure("m // -1", PERFPRED_OVERFLOW, "64 bits");
  check_failure("ceildiv(m, -1)", PERFPRED_OVERFLOW, "64 bits");
}

Test(expr, impossible_divisions) {
  check_failure("7 / 2", PERFPRED_INVALID, "7 / 2 leaves a remainder of 1");
  check_failure("1 / b", PERFPRED_INVALID, "1 / 0 divides by zero");
  check_failure("1 // b", PERFPRED_INVALID, "zero");
  check_failure("1 % b", PERFPRED_INVALID, "zero");
  check_failure("ceildiv(1, b)", PERFPRED_INVALID, "zero");
}

Test(expr, branches_not_taken_cannot_fail) {
  check_value("1 ? 5 : 1/0", 5);
  check_value("0 && 1/0", 0);
  check_value("1 || 1/0", 1);
  check_value("i % -1", 0);
}

static void check_syntax(const char *text, enum perfpred_status status, const char *message) {
  struct ppi_scanner scanner;
  struct ppi_expr *const untouched = (struct ppi_expr *)&error;
  struct ppi_expr *expr = untouched;
  ppi_error_clear(&error);
  ppi_scan_init(&scanner, text, strlen(text), "t", &error);
  cr_assert_eq(ppi_expr_parse(&scanner, &scope, &expr), status, "%s", text);
  cr_assert_eq(expr, untouched);
  cr_assert_not_null(strstr(error.text, message), "%s: %s", text, error.text);
}

Test(expr, malformed) {
  check_syntax("", PERFPRED_SYNTAX, "t:1:1: expected an expression, found the end of the text");
  check_syntax("1 +", PERFPRED_SYNTAX, "t:1:4: expected an expression");
  check_syntax("(1", PERFPRED_SYNTAX, "expected ')'");
  check_syntax("1 ? 2", PERFPRED_SYNTAX, "expected ':'");
  check_syntax("nn", PERFPRED_SYNTAX, "unknown name 'nn'");
  check_syntax("Q == 1", PERFPRED_SYNTAX, "unknown name 'Q'");
  check_syntax("floordiv(1)", PERFPRED_SYNTAX, "a second argument");
  check_syntax("ceildiv(1, 2, 3)", PERFPRED_SYNTAX, "expected ')', found ','");
  check_syntax("min()", PERFPRED_SYNTAX, "expected an expression");
  check_syntax("0 < n < 5", PERFPRED_SYNTAX, "t:1:7: comparisons do not chain");
  check_syntax("1.5", PERFPRED_SYNTAX, "expected an expression, found '1.5'");
  check_syntax("*", PERFPRED_SYNTAX, "expected an expression, found '*'");
  check_syntax("99999999999999999999", PERFPRED_SYNTAX, "64 bits");
}

Test(expr, did_you_mean) {
  static const char *const long_names[] = { "width" };
  const struct ppi_scope inner = { long_names, 1, NULL };
  struct ppi_scanner scanner;
  struct ppi_expr *expr = NULL;
  ppi_error_clear(&error);
  ppi_scan_init(&scanner, "1 + wdith", 9, "t", &error);
  cr_assert_eq(ppi_expr_parse(&scanner, &inner, &expr), PERFPRED_SYNTAX);
  cr_assert_str_eq(error.text, "t:1:5: unknown name 'wdith' in an expression; did you mean 'width'?");
}

/* Repeats `piece` and appends `tail`. */
static char *repeated(const char *piece, size_t count, const char *tail) {
  const size_t length = strlen(piece);
  char *text = malloc(count * length + strlen(tail) + 1);
  for (size_t i = 0; i < count; i++)
    memcpy(text + i * length, piece, length);
  strcpy(text + count * length, tail);
  return text;
}

Test(expr, hostile_depth_is_an_error) {
  static const char *const pieces[] = { "(", "-", "1+", "1 ? 1 : ", "max(1,", "1-(" };
  for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
    char *text = repeated(pieces[i], 100000, "n");
    check_syntax(text, PERFPRED_LIMIT, "levels deep");
    free(text);
  }
}

Test(expr, usual_depth_is_fine) {
  char *text = repeated("1+", 150, "n");
  check_value(text, 160);
  free(text);
  text = repeated("(", 50, "n");
  char *closed = repeated(")", 50, "");
  char *both = malloc(200);
  snprintf(both, 200, "%s%s", text, closed);
  check_value(both, 10);
  free(both);
  free(closed);
  free(text);
}

static void check_print(const char *text, const char *expected, bool c_style) {
  struct ppi_expr *expr = parse(text);
  struct ppi_text printed = PPI_TEXT_INIT;
  ppi_expr_print(expr, &scope, c_style, &printed);
  cr_assert_str_eq(printed.data, expected);
  if (!c_style) {
    struct ppi_expr *again = parse(printed.data);
    cr_assert(ppi_expr_equal(expr, again), "%s", text);
    ppi_expr_destroy(again);
  }
  ppi_text_free(&printed);
  ppi_expr_destroy(expr);
}

Test(expr, print_and_parse_again) {
  check_print("n*(n+1)*(2*n+1)/6", "n*(n + 1)*(2*n + 1)/6", false);
  check_print("((n))+(m*b)", "n + m*b", false);
  check_print("n-(m-b)", "n - (m - b)", false);
  check_print("(n-m)-b", "n - m - b", false);
  check_print("n/(m/b)", "n/(m/b)", false);
  check_print("n*(m//b)", "n*(m//b)", false);
  check_print("-(n+1)", "-(n + 1)", false);
  check_print("-n*m", "-n*m", false);
  check_print("-(n*m)", "-(n*m)", false);
  check_print("--n", "-(-n)", false);
  check_print("n- -1", "n - -1", false);
  check_print("min(n,m,b)", "min(n, m, b)", false);
  check_print("min(n,min(m,b))", "min(n, min(m, b))", false);
  check_print("floordiv(n, 2)", "n//2", false);
  check_print("ceildiv(n+1, b)*2", "ceildiv(n + 1, b)*2", false);
  check_print("(n==1)==(m==1)", "(n == 1) == (m == 1)", false);
  check_print("L == R ? n : m", "L == R ? n : m", false);
  check_print("(n ? m : b) ? 1 : 2", "(n ? m : b) ? 1 : 2", false);
  check_print("n ? m : b ? 1 : 2", "n ? m : b ? 1 : 2", false);
  check_print("(n || m) && b", "(n || m) && b", false);
  check_print("(n && m) || b", "n && m || b", false);
}

Test(expr, print_as_c) {
  check_print("n && m || b", "(n && m) || b", true);
  check_print("n || m && b || n", "n || (m && b) || n", true);
  check_print("n || (m || b)", "n || (m || b)", true);
  check_print("n//2 + n%3", "n/2 + n%3", true);
  check_print("min(n, m, b)", "min(min(n, m), b)", true);
  check_print("L == R", "'L' == 'R'", true);
}

static void check_affine(const char *text, bool expected, int64_t n, int64_t m, int64_t constant) {
  struct ppi_expr *expr = parse(text);
  int64_t coefficients[4] = { 0, 0, 0, 0 }, rest = 0;
  cr_assert_eq(ppi_expr_affine(expr, 4, coefficients, &rest), expected, "%s", text);
  if (expected) {
    cr_assert_eq(coefficients[0], n, "%s", text);
    cr_assert_eq(coefficients[1], m, "%s", text);
    cr_assert_eq(coefficients[2], 0, "%s", text);
    cr_assert_eq(rest, constant, "%s: constant %lld", text, (long long)rest);
  }
  ppi_expr_destroy(expr);
}

Test(expr, affine) {
  check_affine("n - m + 3", true, 1, -1, 3);
  check_affine("2*(n+1) - 3*(m-2)*2", true, 2, -6, 14);
  check_affine("n*4//2", true, 2, 0, 0);
  check_affine("(4*n+7)//2", true, 2, 0, 3);
  check_affine("ceildiv(4*n+7, 2)", true, 2, 0, 4);
  check_affine("(4*n+7)%4", true, 0, 0, 3);
  check_affine("(6*n-9)/3", true, 2, 0, -3);
  check_affine("-n", true, -1, 0, 0);
  check_affine("n - n", true, 0, 0, 0);
  check_affine("7", true, 0, 0, 7);
  check_affine("1 < 2 ? n : n*n", true, 1, 0, 0);
  check_affine("min(1, 2)*n", true, 1, 0, 0);
  check_affine("n*m", false, 0, 0, 0);
  check_affine("n*n", false, 0, 0, 0);
  check_affine("n//2", false, 0, 0, 0);
  check_affine("(2*n+1)/2", false, 0, 0, 0);
  check_affine("min(n, m)", false, 0, 0, 0);
  check_affine("n > 1", false, 0, 0, 0);
  check_affine("n ? 1 : 2", false, 0, 0, 0);
  check_affine("n/0", false, 0, 0, 0);
  check_affine("9223372036854775807*(2*n)", false, 0, 0, 0);
}

Test(expr, affine_in_fewer_values_than_used) {
  struct ppi_expr *expr = parse("n + i");
  int64_t coefficients[4], rest;
  cr_assert_not(ppi_expr_affine(expr, 3, coefficients, &rest));
  cr_assert_not(ppi_expr_affine(expr, 0, NULL, &rest));
  ppi_expr_destroy(expr);
  expr = parse("3*4");
  cr_assert(ppi_expr_affine(expr, 0, NULL, &rest));
  cr_assert_eq(rest, 12);
  ppi_expr_destroy(expr);
}

/* A comparison holds where its slack is at least 0; where it is affine it is the same for all values. */
static void check_slack(const char *text, bool expected, int64_t n, int64_t m, int64_t constant) {
  struct ppi_expr *expr = parse(text);
  int64_t coefficients[4] = { 0, 0, 0, 0 }, rest = 0;
  cr_assert_eq(ppi_expr_affine_slack(expr, 4, coefficients, &rest), expected, "%s", text);
  if (expected) {
    cr_expect_eq(coefficients[0], n, "%s", text);
    cr_expect_eq(coefficients[1], m, "%s", text);
    cr_expect_eq(rest, constant, "%s: constant %lld", text, (long long)rest);
    for (int64_t value = -3; value <= 3; value++) {
      const int64_t values[] = { value, 1, 0, 0 };
      int64_t holds = 7;
      cr_assert_eq(ppi_expr_eval(expr, values, &holds, NULL), PERFPRED_OK);
      cr_expect_eq(holds, n * value + m + constant >= 0, "%s: n = %lld", text, (long long)value);
    }
  }
  ppi_expr_destroy(expr);
}

Test(expr, affine_slack) {
  check_slack("n > 0", true, 1, 0, -1);
  check_slack("n >= 0", true, 1, 0, 0);
  check_slack("n < 2*m", true, -1, 2, -1);
  check_slack("n + m <= 3", true, -1, -1, 3);
  check_slack("1 < n", true, 1, 0, -2);
  check_slack("1 > 2", true, 0, 0, -2);
  check_slack("n == 0", false, 0, 0, 0);
  check_slack("n - 1", false, 0, 0, 0);
  check_slack("n*m > 0", false, 0, 0, 0);
  check_slack("n > 0 && m > 0", false, 0, 0, 0);
  check_slack("(n > 0) + 1", false, 0, 0, 0);
  check_slack("n > 0-9223372036854775807-1", false, 0, 0, 0); /* the slack does not fit */
}

static void check_degree(const char *text, int in_n, int in_m) {
  static const int64_t values[] = { 5, 6, 7, 8 };
  struct ppi_expr *expr = parse(text);
  cr_assert_eq(ppi_expr_degree(expr, 0, values), in_n, "%s in n", text);
  cr_assert_eq(ppi_expr_degree(expr, 1, values), in_m, "%s in m", text);
  ppi_expr_destroy(expr);
}

Test(expr, degree) {
  check_degree("n*(n+1)*(2*n+1)/6", 3, 0);
  check_degree("L == L ? n*m*(m+1)/2 : m*n*(n+1)/2", 1, 2);
  check_degree("L == R ? n*m*(m+1)/2 : m*n*(n+1)/2", 2, 1);
  check_degree("b == 7 ? n : m", 1, 0);
  check_degree("4", 0, 0);
  check_degree("n*n - m", 2, 1);
  check_degree("1/n", -1, 0);
  check_degree("min(n, b)", -1, 0);
  check_degree("n//2 + m", -1, 1);
  check_degree("n > 1 ? m : 0", -1, 1);
}

Test(expr, constants_and_uses) {
  struct ppi_expr *expr = parse("2*3 - 1");
  int64_t value = 0;
  cr_assert(ppi_expr_is_constant(expr, &value));
  cr_assert_eq(value, 5);
  cr_assert_not(ppi_expr_uses(expr, 0));
  ppi_expr_destroy(expr);
  expr = parse("n + b");
  cr_assert_not(ppi_expr_is_constant(expr, &value));
  cr_assert(ppi_expr_uses(expr, 0));
  cr_assert_not(ppi_expr_uses(expr, 1));
  cr_assert(ppi_expr_uses(expr, 2));
  ppi_expr_destroy(expr);
  cr_assert_eq(ppi_expr_constant(-12, &expr, &error), PERFPRED_OK);
  cr_assert(ppi_expr_is_constant(expr, &value));
  cr_assert_eq(value, -12);
  struct ppi_expr *read = parse("-12"), *other = parse("12");
  cr_assert(ppi_expr_equal(expr, read));
  cr_assert_not(ppi_expr_equal(expr, other));
  ppi_expr_destroy(other);
  ppi_expr_destroy(read);
  ppi_expr_destroy(expr);
  ppi_expr_destroy(NULL);
}

static double real(const char *text) {
  static const int64_t values[] = { 3, 4, 0, -7 };
  struct ppi_expr *expr = parse(text);
  const double value = ppi_expr_real(expr, values);
  ppi_expr_destroy(expr);
  return value;
}

Test(expr, in_floating_point) {
  cr_assert_eq(real("n/2"), 1.5);
  cr_assert_eq(real("n//2"), 1.0);
  cr_assert_eq(real("i//2"), -4.0);
  cr_assert_eq(real("ceildiv(n, 2)"), 2.0);
  cr_assert_eq(real("i%2"), 1.0);
  cr_assert_eq(real("min(n, m) + max(n, m, 9)"), 12.0);
  cr_assert_eq(real("9223372036854775807*4"), 4 * 9223372036854775808.0);
  cr_assert_eq(real("n < m && L != R ? 5 : 6"), 5.0);
  cr_assert_eq(real("n/2 == 1"), 0.0);
  cr_assert_eq(real("b ? 1/b : -1"), -1.0);
  cr_assert_eq(real("1 || 1/b"), 1.0);
  cr_assert(isnan(real("1/b")));
  cr_assert(isnan(real("min(1, 1/b)")));
  cr_assert(isnan(real("max(1/b, 1)")));
  cr_assert(isnan(real("1/b < 2")));
  cr_assert(isnan(real("1%b + 1")));
}
