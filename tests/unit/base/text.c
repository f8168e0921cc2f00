/* SPDX-License-Identifier: BSD-3-Clause */
#include <criterion/criterion.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

Test(status, names_and_texts) {
  cr_assert_str_eq(perfpred_status_name(PERFPRED_OK), "OK");
  cr_assert_str_eq(perfpred_status_name(PERFPRED_EXISTS), "EXISTS");
  cr_assert_str_eq(perfpred_status_text(PERFPRED_NOT_FOUND), "no such name");
  cr_assert_str_eq(perfpred_status_name((enum perfpred_status)9999), "UNKNOWN");
  cr_assert_str_eq(perfpred_status_name((enum perfpred_status) - 1), "UNKNOWN");
  cr_assert_str_eq(perfpred_status_text((enum perfpred_status) - 1), "unknown status");
}

Test(status, numbers_are_frozen) {
  cr_assert_eq(PERFPRED_OK, 0);
  cr_assert_eq(PERFPRED_NO_MEMORY, 1);
  cr_assert_eq(PERFPRED_SYNTAX, 4);
  cr_assert_eq(PERFPRED_CORRUPT, 8);
  cr_assert_eq(PERFPRED_WORKER, 14);
  cr_assert_eq(PERFPRED_EXISTS, 22);
}

Test(status, version_has_three_numbers) {
  int major, minor, patch, end = 0;
  cr_assert_eq(sscanf(perfpred_version(), "%d.%d.%d%n", &major, &minor, &patch, &end), 3);
  cr_assert_eq(perfpred_version()[end], '\0');
  perfpred_free(NULL);
}

Test(error, first_message_wins) {
  struct perfpred_error error;
  memset(&error, 0xAA, sizeof error);
  ppi_error_clear(&error);
  cr_assert_str_eq(error.text, "");
  cr_assert_eq(ppi_error_set(&error, PERFPRED_IO, "disk %d", 7), PERFPRED_IO);
  cr_assert_eq(ppi_error_set(&error, PERFPRED_LIMIT, "later"), PERFPRED_LIMIT);
  cr_assert_eq(error.status, PERFPRED_IO);
  cr_assert_str_eq(error.text, "disk 7");
  cr_assert_eq(error.line, 0);
}

Test(error, place_and_control_characters) {
  struct perfpred_error error = { PERFPRED_OK, 0, 0, "" };
  ppi_error_at(&error, PERFPRED_SYNTAX, "a.text", 3, 14, "found '%s'", "x\ny\033[1m");
  cr_assert_str_eq(error.text, "a.text:3:14: found 'x y [1m'");
  cr_assert_eq(error.line, 3);
  cr_assert_eq(error.column, 14);
}

Test(error, no_error_wanted) {
  ppi_error_clear(NULL);
  cr_assert_eq(ppi_error_set(NULL, PERFPRED_IO, "x"), PERFPRED_IO);
  cr_assert_eq(ppi_error_at(NULL, PERFPRED_IO, NULL, 1, 1, "x"), PERFPRED_IO);
  cr_assert_eq(ppi_error_memory(NULL), PERFPRED_NO_MEMORY);
}

Test(error, long_text_is_cut_between_characters) {
  struct perfpred_error error = { PERFPRED_OK, 0, 0, "" };
  char text[1000];
  for (size_t i = 0; i + 1 < sizeof text; i += 2)
    memcpy(text + i, "\xC3\xA4", 2);
  text[998] = '\0';
  ppi_error_set(&error, PERFPRED_IO, "%s", text);
  cr_assert_eq(strlen(error.text), 498); /* 499 bytes would end within a character of two */
  ppi_error_clear(&error);
  ppi_error_at(&error, PERFPRED_IO, text, 1, 2, "the message is still there");
  cr_assert_not_null(strstr(error.text, "the message is still there"));
}

Test(text, grows_and_is_taken) {
  struct ppi_text text = PPI_TEXT_INIT;
  for (int i = 0; i < 1000; i++)
    ppi_text_printf(&text, "%d,", i % 10);
  ppi_text_append(&text, "end");
  cr_assert_eq(text.length, 2003);
  char *taken = ppi_text_take(&text);
  cr_assert_str_eq(taken + 1996, "8,9,end");
  cr_assert_null(text.data);
  free(taken);
}

Test(text, empty_builder_gives_empty_string) {
  struct ppi_text text = PPI_TEXT_INIT;
  char *taken = ppi_text_take(&text);
  cr_assert_str_eq(taken, "");
  free(taken);
}

Test(text, failure_sticks) {
  struct ppi_text text = { 0, 0, 0, true };
  ppi_text_append(&text, "x");
  ppi_text_printf(&text, "%d", 1);
  cr_assert_eq(text.length, 0);
  cr_assert_null(ppi_text_take(&text));
  cr_assert_not(text.failed, "the builder is usable again");
}

static void check_real(double value, const char *expected) {
  struct ppi_text text = PPI_TEXT_INIT;
  ppi_text_real(&text, value);
  char *taken = ppi_text_take(&text);
  cr_assert_str_eq(taken, expected);
  free(taken);
}

static void check_reals(void) {
  check_real(0.0, "0");
  check_real(-1.0, "-1");
  check_real(0.1, "0.1");
  check_real(1e300, "1e+300");
  check_real(1.0 / 3.0, "0.3333333333333333");
  check_real(5e-324, "5e-324");
  double value = 0.0;
  cr_assert(ppi_text_parse_real("0.5", &value) && value == 0.5);
  cr_assert(ppi_text_parse_real("-12.25e-2", &value) && value == -0.1225);
  cr_assert(ppi_text_parse_real("9007199254740993", &value) && value == 9007199254740992.0); /* ties to even */
  cr_assert(ppi_text_parse_real("1.7976931348623157e308", &value) && value == 1.7976931348623157e308);
}

Test(text, reals) {
  check_reals();
}

Test(text, reals_under_a_decimal_comma) {
  static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "nl_NL.UTF-8" };
  const char *found = NULL;
  for (size_t i = 0; i < sizeof names / sizeof names[0] && !found; i++)
    found = setlocale(LC_ALL, names[i]);
  if (!found)
    cr_skip_test("no locale with a decimal comma is installed (package locales-all)");
  cr_assert_str_eq(localeconv()->decimal_point, ",");
  check_reals();
}

Test(text, malformed_reals) {
  static const char *const bad[] = { "",    ".",   "e5",    "1e", "1e+", "0x10", "inf",
                                     "nan", "1,5", "1.5.2", " 1", "1 ",  "--1",  "1e400" };
  double value = 42.0;
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    cr_assert_not(ppi_text_parse_real(bad[i], &value), "'%s'", bad[i]);
  cr_assert_eq(value, 42.0);
}

Test(text, integers) {
  int64_t value = 0;
  cr_assert(ppi_text_parse_integer("9223372036854775807", &value) && value == INT64_MAX);
  cr_assert(ppi_text_parse_integer("-9223372036854775808", &value) && value == INT64_MIN);
  cr_assert(ppi_text_parse_integer("+007", &value) && value == 7);
  static const char *const bad[] = {
    "", "-", "9223372036854775808", "-9223372036854775809", "1.0", "1e3", "0x1", " 1"
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    cr_assert_not(ppi_text_parse_integer(bad[i], &value), "'%s'", bad[i]);
  cr_assert_eq(value, 7);
}

static const char *at(const void *data, size_t index) {
  return ((const char *const *)data)[index];
}

Test(text, nearest_name) {
  static const char *const names[] = { "dgemm", "dtrsm", "dsyrk", "chol-l-1" };
  cr_assert_str_eq(ppi_text_nearest("dgmm", 4, at, names), "dgemm");
  cr_assert_str_eq(ppi_text_nearest("dtrms", 4, at, names), "dtrsm"); /* letters swapped */
  cr_assert_str_eq(ppi_text_nearest("chol-l", 4, at, names), "chol-l-1");
  cr_assert_null(ppi_text_nearest("zebra", 4, at, names));
  cr_assert_null(ppi_text_nearest("", 4, at, names));
  static const char *const small[] = { "n", "nb", "lda" };
  cr_assert_null(ppi_text_nearest("c", 3, at, small)); /* nothing in common */
  cr_assert_null(ppi_text_nearest("kb", 3, at, small));
  cr_assert_str_eq(ppi_text_nearest("ldb", 3, at, small), "lda");
  cr_assert_null(ppi_text_nearest("xdb", 3, at, small));
  cr_assert_null(ppi_text_nearest("dgemm", 0, at, names));
}
