/* SPDX-License-Identifier: BSD-3-Clause */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/scan.h"

static struct perfpred_error error;

static struct ppi_scanner start(const char *text) {
  struct ppi_scanner scanner;
  ppi_error_clear(&error);
  ppi_scan_init(&scanner, text, strlen(text), "t", &error);
  return scanner;
}

static void check_token(struct ppi_scanner *scanner, enum ppi_token_kind kind, const char *text, int line, int column) {
  cr_assert_eq(scanner->token.kind, kind, "'%s' has kind %d", scanner->token.text, (int)scanner->token.kind);
  cr_assert_str_eq(scanner->token.text, text);
  cr_assert_eq(scanner->token.line, line, "'%s' in line %d", text, scanner->token.line);
  cr_assert_eq(scanner->token.column, column, "'%s' in column %d", text, scanner->token.column);
  ppi_scan_next(scanner);
}

Test(scan, tokens_with_places) {
  struct ppi_scanner scanner = start("# head\n\n  for i in 0:n//2 # blocks\n\tx_1<=1.5");
  check_token(&scanner, PPI_TOKEN_NAME, "for", 3, 3);
  check_token(&scanner, PPI_TOKEN_NAME, "i", 3, 7);
  check_token(&scanner, PPI_TOKEN_NAME, "in", 3, 9);
  cr_assert_eq(scanner.token.integer, 0);
  check_token(&scanner, PPI_TOKEN_INTEGER, "0", 3, 12);
  check_token(&scanner, PPI_TOKEN_MARK, ":", 3, 13);
  check_token(&scanner, PPI_TOKEN_NAME, "n", 3, 14);
  check_token(&scanner, PPI_TOKEN_MARK, "//", 3, 15);
  check_token(&scanner, PPI_TOKEN_INTEGER, "2", 3, 17);
  check_token(&scanner, PPI_TOKEN_LINE, "", 3, 27);
  check_token(&scanner, PPI_TOKEN_NAME, "x_1", 4, 2);
  check_token(&scanner, PPI_TOKEN_MARK, "<=", 4, 5);
  cr_assert_eq(scanner.token.real, 1.5);
  check_token(&scanner, PPI_TOKEN_REAL, "1.5", 4, 7);
  check_token(&scanner, PPI_TOKEN_END, "", 4, 10);
  check_token(&scanner, PPI_TOKEN_END, "", 4, 10); /* the end stays */
}

Test(scan, every_mark) {
  static const char *const marks[] = { "(", ")", "[", "]", ",", ":", "=",  "+",  "-",  "*",  "/",  "//",
                                       "%", "<", ">", "?", "'", ";", "<=", ">=", "==", "!=", "&&", "||" };
  struct ppi_scanner scanner = start("( ) [ ] , : = + - * / // % < > ? ' ; <= >= == != && ||");
  for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
    cr_assert(ppi_scan_is(&scanner, marks[i]), "%s", marks[i]);
    ppi_scan_next(&scanner);
  }
  cr_assert_eq(scanner.token.kind, PPI_TOKEN_END);
}

Test(scan, no_line_breaks_in_brackets) {
  struct ppi_scanner scanner = start("f(a, # first\n  b[\n1])\ng");
  static const char *const expected[] = { "f", "(", "a", ",", "b", "[", "1", "]", ")" };
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
    cr_assert_str_eq(scanner.token.text, expected[i]);
    ppi_scan_next(&scanner);
  }
  cr_assert_eq(scanner.token.kind, PPI_TOKEN_LINE);
  cr_assert_eq(ppi_scan_line(&scanner), PERFPRED_OK);
  check_token(&scanner, PPI_TOKEN_NAME, "g", 4, 1);
}

static void check_bad(const char *text, const char *reason) {
  struct ppi_scanner scanner = start(text);
  cr_assert_eq(scanner.token.kind, PPI_TOKEN_BAD, "%s", text);
  cr_assert_not_null(strstr(scanner.token.text, reason), "%s: '%s'", text, scanner.token.text);
  cr_assert_eq(ppi_scan_expected(&scanner, "a name"), PERFPRED_SYNTAX);
  cr_assert_eq(error.line, 1);
}

Test(scan, bad_tokens_name_their_fault) {
  check_bad("$", "'$'");
  check_bad("!", "'!'");
  check_bad("\xC3\xA4", "value 195");
  check_bad("9223372036854775808", "64 bits");
  check_bad("1e999", "out of range");
  check_bad("2n", "runs into 'n'");
  check_bad("1.2.3", "runs into '.'");
  check_bad("{}x", "no family");
  check_bad("{s,d", "not closed");
  check_bad("{s,d+}x", "not closed");
  check_bad("{1,2}x", "starts with a digit");
}

/* Whatever was expected in its place: the number is the fault. */
Test(scan, numbers_that_no_place_can_take) {
  static const char *const cases[][2] = {
    { "\n  99999999999999999999", "t:2:3: the number 99999999999999999999 does not fit into 64 bits" },
    { "9223372036854775808", "t:1:1: the number 9223372036854775808 does not fit into 64 bits" },
    { "1234567890123456789012345", "t:1:1: the number 12345678901234567890... does not fit into 64 bits" },
    { " 1e999", "t:1:2: the number 1e999 is out of range" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct ppi_scanner scanner = start(cases[i][0]);
    cr_assert_eq(ppi_scan_expected(&scanner, "a name"), PERFPRED_SYNTAX);
    cr_assert_str_eq(error.text, cases[i][1]);
  }
  struct ppi_scanner fits = start("9223372036854775807");
  cr_assert_eq(fits.token.kind, PPI_TOKEN_INTEGER);
  cr_assert_eq(fits.token.integer, INT64_MAX);
}

Test(scan, longest_name) {
  char text[100];
  memset(text, 'a', 63);
  text[63] = '\0';
  struct ppi_scanner scanner = start(text);
  check_token(&scanner, PPI_TOKEN_NAME, text, 1, 1);
  text[63] = 'a';
  text[64] = '\0';
  check_bad(text, "more than 63");
  memset(text, '1', 64);
  check_bad(text, "more than 63");
}

Test(scan, text_is_not_terminated) {
  struct ppi_scanner scanner;
  ppi_scan_init(&scanner, "ab<=12", 3, "t", &error);
  check_token(&scanner, PPI_TOKEN_NAME, "ab", 1, 1);
  check_token(&scanner, PPI_TOKEN_MARK, "<", 1, 3);
  check_token(&scanner, PPI_TOKEN_END, "", 1, 4);
  ppi_scan_init(&scanner, "ab\0cd", 5, "t", &error);
  ppi_scan_next(&scanner);
  cr_assert_eq(scanner.token.kind, PPI_TOKEN_BAD);
  ppi_scan_init(&scanner, "", 0, "t", &error);
  cr_assert_eq(scanner.token.kind, PPI_TOKEN_END);
}

Test(scan, what_was_expected) {
  struct ppi_scanner scanner = start("for x");
  cr_assert(ppi_scan_accept(&scanner, "for"));
  cr_assert_not(ppi_scan_accept(&scanner, "in"));
  cr_assert_eq(ppi_scan_expect(&scanner, "in"), PERFPRED_SYNTAX);
  cr_assert_str_eq(error.text, "t:1:5: expected 'in', found 'x'");
  cr_assert_eq(error.column, 5);
  ppi_error_clear(&error);
  cr_assert_eq(ppi_scan_line(&scanner), PERFPRED_SYNTAX);
  cr_assert_str_eq(error.text, "t:1:5: expected the end of the line, found 'x'");
  ppi_error_clear(&error);
  ppi_scan_next(&scanner);
  char name[PPI_NAME_MAX] = "untouched";
  cr_assert_eq(ppi_scan_name(&scanner, name, "a name"), PERFPRED_SYNTAX);
  cr_assert_str_eq(error.text, "t:1:6: expected a name, found the end of the text");
  cr_assert_str_eq(name, "untouched");
}

Test(scan, hyphenated_names) {
  struct ppi_scanner scanner = start("chol-l-3(n - 1) dgemm");
  char name[PPI_NAME_MAX];
  cr_assert_eq(ppi_scan_hyphenated(&scanner, name, "a name"), PERFPRED_OK);
  cr_assert_str_eq(name, "chol-l-3");
  check_token(&scanner, PPI_TOKEN_MARK, "(", 1, 9);
  check_token(&scanner, PPI_TOKEN_NAME, "n", 1, 10);
  check_token(&scanner, PPI_TOKEN_MARK, "-", 1, 12);
  check_token(&scanner, PPI_TOKEN_INTEGER, "1", 1, 14);
  check_token(&scanner, PPI_TOKEN_MARK, ")", 1, 15);
  cr_assert_eq(ppi_scan_hyphenated(&scanner, name, "a name"), PERFPRED_OK);
  cr_assert_str_eq(name, "dgemm");
  cr_assert_eq(ppi_scan_hyphenated(&scanner, name, "a name"), PERFPRED_SYNTAX);
}

Test(scan, family_with_right_columns) {
  struct ppi_scanner scanner = start("kernel {s,d,cc}syrk x{}y {ssyrk,dsyrk,cherk} z\nkernel plain {s}q");
  cr_assert(ppi_scan_accept(&scanner, "kernel"));
  const struct ppi_place place = ppi_scan_place(&scanner);
  int entries = -1;
  cr_assert_eq(ppi_scan_family(&scanner, &entries), PERFPRED_OK);
  cr_assert_eq(entries, 3);
  static const char *const expected[3][3] = { { "ssyrk", "xsy", "ssyrk" },
                                              { "dsyrk", "xdy", "dsyrk" },
                                              { "ccsyrk", "xccy", "cherk" } };
  for (int entry = 0; entry < entries; entry++) {
    ppi_scan_choose(&scanner, entry);
    ppi_scan_return(&scanner, place);
    check_token(&scanner, PPI_TOKEN_NAME, expected[entry][0], 1, 8);
    check_token(&scanner, PPI_TOKEN_NAME, expected[entry][1], 1, 21);
    check_token(&scanner, PPI_TOKEN_NAME, expected[entry][2], 1, 26);
    check_token(&scanner, PPI_TOKEN_NAME, "z", 1, 46);
  }
  ppi_scan_line(&scanner);
  cr_assert(ppi_scan_accept(&scanner, "kernel"));
  cr_assert_eq(ppi_scan_family(&scanner, &entries), PERFPRED_OK);
  cr_assert_eq(entries, 0);
  check_token(&scanner, PPI_TOKEN_NAME, "plain", 2, 8);
}

Test(scan, choosing_rereads_the_present_token) {
  struct ppi_scanner scanner = start("{s,d}x");
  int entries = 0;
  ppi_scan_family(&scanner, &entries);
  cr_assert_str_eq(scanner.token.text, "sx");
  ppi_scan_choose(&scanner, 1);
  cr_assert_str_eq(scanner.token.text, "dx");
}

Test(scan, hyphenated_family) {
  struct ppi_scanner scanner = start("chol-{l,u}-1 {potf,potu}");
  int entries = 0;
  cr_assert_eq(ppi_scan_family(&scanner, &entries), PERFPRED_OK);
  cr_assert_eq(entries, 2);
  ppi_scan_choose(&scanner, 1);
  char name[PPI_NAME_MAX];
  cr_assert_eq(ppi_scan_hyphenated(&scanner, name, "a name"), PERFPRED_OK);
  cr_assert_str_eq(name, "chol-u-1");
  check_token(&scanner, PPI_TOKEN_NAME, "potu", 1, 14);
}

Test(scan, lists_must_fit_the_head) {
  struct ppi_scanner scanner = start("{s,d}x {a,b,c} {a,} z");
  int entries = 0;
  ppi_scan_family(&scanner, &entries);
  ppi_scan_choose(&scanner, 1);
  ppi_scan_next(&scanner);
  cr_assert_eq(scanner.token.kind, PPI_TOKEN_BAD);
  ppi_scan_expected(&scanner, "a name");
  cr_assert_str_eq(error.text, "t:1:8: expected a name, found a list '{...}' of another length than the head's");
  ppi_scan_next(&scanner);
  cr_assert_eq(scanner.token.kind, PPI_TOKEN_BAD);
  ppi_scan_next(&scanner);
  check_token(&scanner, PPI_TOKEN_NAME, "z", 1, 21);
}

Test(scan, malformed_heads) {
  static const char *const heads[] = { "{}x", "{s,}x", "{,s}x", "{s,d", "{s d}x" };
  for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
    struct ppi_scanner scanner = start(heads[i]);
    int entries = 77;
    cr_assert_eq(ppi_scan_family(&scanner, &entries), PERFPRED_SYNTAX, "%s", heads[i]);
    cr_assert_eq(entries, 77);
  }
}

Test(scan, rest_of_the_line) {
  struct ppi_scanner scanner = start("about  B := inv(op(A)) B; \xC2\xB1 x \t # note\nnext");
  char text[64];
  cr_assert(ppi_scan_accept(&scanner, "about"));
  cr_assert_eq(ppi_scan_rest(&scanner, text, sizeof text), PERFPRED_OK);
  cr_assert_str_eq(text, "B := inv(op(A)) B; \xC2\xB1 x");
  cr_assert_eq(ppi_scan_line(&scanner), PERFPRED_OK);
  check_token(&scanner, PPI_TOKEN_NAME, "next", 2, 1);
}

Test(scan, rest_after_an_open_bracket) {
  struct ppi_scanner scanner = start("about (a\nnext");
  char text[64];
  ppi_scan_next(&scanner);
  cr_assert_eq(ppi_scan_rest(&scanner, text, sizeof text), PERFPRED_OK);
  cr_assert_str_eq(text, "(a");
  cr_assert_eq(scanner.token.kind, PPI_TOKEN_LINE);
}

Test(scan, rest_in_a_family) {
  struct ppi_scanner scanner = start("{s,d}x {}potrf {single,double} {odd} {\n");
  int entries;
  char text[64];
  ppi_scan_family(&scanner, &entries);
  ppi_scan_choose(&scanner, 1);
  ppi_scan_next(&scanner);
  cr_assert_eq(ppi_scan_rest(&scanner, text, sizeof text), PERFPRED_OK);
  cr_assert_str_eq(text, "dpotrf double {odd} {");
}

Test(scan, rest_empty_or_too_long) {
  struct ppi_scanner scanner = start("about\nabout abcd");
  char text[4];
  ppi_scan_next(&scanner);
  cr_assert_eq(ppi_scan_rest(&scanner, text, sizeof text), PERFPRED_OK);
  cr_assert_str_eq(text, "");
  ppi_scan_line(&scanner);
  ppi_scan_next(&scanner);
  cr_assert_eq(ppi_scan_rest(&scanner, text, sizeof text), PERFPRED_SYNTAX);
  cr_assert_str_eq(error.text, "t:2:7: the text is longer than 3 bytes");
}

Test(scan, several_lists_make_all_combinations) {
  struct ppi_scanner scanner = start("s-{m1,m2}{n1,n2,n3} {1}x{2} {a,b,c,d,e,f} {} {3}");
  static const char *const expected[6][3] = { { "s-m1n1", "m1xn1", "a" }, { "s-m1n2", "m1xn2", "b" },
                                              { "s-m1n3", "m1xn3", "c" }, { "s-m2n1", "m2xn1", "d" },
                                              { "s-m2n2", "m2xn2", "e" }, { "s-m2n3", "m2xn3", "f" } };
  int entries = 0;
  char name[PPI_NAME_MAX];
  cr_assert_eq(ppi_scan_family(&scanner, &entries), PERFPRED_OK);
  cr_assert_eq(entries, 6);
  const struct ppi_place place = ppi_scan_place(&scanner);
  for (int entry = 0; entry < 6; entry++) {
    ppi_scan_return(&scanner, place);
    ppi_scan_choose(&scanner, entry);
    cr_assert_eq(ppi_scan_hyphenated(&scanner, name, "a name"), PERFPRED_OK);
    cr_expect_str_eq(name, expected[entry][0]);
    check_token(&scanner, PPI_TOKEN_NAME, expected[entry][1], 1, 21);
    check_token(&scanner, PPI_TOKEN_NAME, expected[entry][2], 1, 29);
    cr_expect_eq(scanner.token.kind, PPI_TOKEN_BAD);
    cr_expect_str_eq(scanner.token.text, "'{}' in a block of several lists, which are {1}, {2}, ...");
    ppi_scan_next(&scanner);
    cr_expect_eq(scanner.token.kind, PPI_TOKEN_BAD);
    cr_expect_str_eq(scanner.token.text, "a list '{...}' of another length than the head's");
  }
}

Test(scan, lists_of_a_head_are_limited) {
  static char text[4096];
  int entries = 77;
  struct ppi_scanner scanner = start("{a,b}{c,d}{e,f}{g,h}{i,j}");
  cr_assert_eq(ppi_scan_family(&scanner, &entries), PERFPRED_LIMIT);
  cr_expect_str_eq(error.text, "t:1:1: expected at most 4 lists '{...}' in the head of a block");
  for (int list = 0; list < 4; list++) { /* 12^4 = 20,736 */
    strcat(text, "{");
    for (int i = 0; i < 12; i++)
      sprintf(text + strlen(text), "%sx%d", i > 0 ? "," : "", i);
    strcat(text, "}");
  }
  scanner = start(text);
  cr_assert_eq(ppi_scan_family(&scanner, &entries), PERFPRED_LIMIT);
  cr_expect_str_eq(error.text, "t:1:1: expected at most 16384 entries of a family");
  scanner = start("{a,b}{c,}x");
  cr_assert_eq(ppi_scan_family(&scanner, &entries), PERFPRED_SYNTAX);
  cr_expect_str_eq(error.text, "t:1:1: the list '{c,}' has an empty entry");
  cr_expect_eq(entries, 77);
}

Test(scan, lists_of_prose) {
  struct ppi_scanner scanner = start("{1,2}x product {A (B C),(A B) C}, {} or {one} {");
  int entries;
  char text[64];
  ppi_scan_family(&scanner, &entries);
  ppi_scan_choose(&scanner, 1);
  ppi_scan_next(&scanner);
  cr_assert_eq(ppi_scan_rest(&scanner, text, sizeof text), PERFPRED_OK);
  cr_expect_str_eq(text, "product (A B) C, 2 or {one} {");
}
