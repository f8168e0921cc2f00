/* SPDX-License-Identifier: BSD-3-Clause */
/* Scripts: what they are read as, and what is wrong with those that are not. */
#include <stdlib.h>

#include "base/text.h"
#include "measure/script_tree.h"
#include "world.h"

TestSuite(script_text, .init = world_start, .fini = world_stop);

static struct ppi_script script;

static enum perfpred_status parse_bytes(const char *text, size_t length) {
  memset(&error, 0, sizeof error);
  return ppi_script_parse(context.kernels, text, length, "calls", 0, &script, &error);
}

static enum perfpred_status parse(const char *text) {
  return parse_bytes(text, strlen(text));
}

static void read_well(const char *text) {
  cr_assert_eq(parse(text), PERFPRED_OK, "%s", error.text);
}

Test(script_text, three_ways_to_write_a_call) {
  char what[200];
  read_well("dgemm(N, T, 3, 4, 5, 1, ., 7, ., 8, 0, ., 9)\n"
            "dgemm(N, T, 3, 4, 5, 1, ., ., 0, .)\n"
            "dgemm(N, T, 3, 4, 5, 1, 0) # sizes and scalars\n");
  cr_assert_eq(script.unit_count, 3);
  for (size_t i = 0; i < 3; i++) {
    ppi_script_describe(&script, i, what, sizeof what);
    cr_expect_str_eq(what, "dgemm(N,T,3,4,5)");
    cr_assert_eq(script.calls[i].operand_count, 3);
    cr_expect_eq(script.units[i].line, (int)i + 1);
  }
  /* A is 3 x 5, B (transposed) 4 x 5, C 3 x 4; the elements up to the end of the last one. */
  cr_expect_eq(script.calls[0].operands[0].length, 4 * 7 + 3);
  cr_expect_eq(script.calls[0].operands[1].length, 4 * 8 + 4);
  cr_expect_eq(script.calls[0].operands[2].length, 3 * 9 + 3);
  cr_expect_eq(script.calls[1].operands[0].ld, 8);
  ppi_script_free(&script);
}

Test(script_text, operands_in_buffers_and_scratch) {
  read_well("double A[10*100], x[50]\nfree x\ndouble x[60]\n"
            "dgemv(N, 10, 5, 1, A+3, 20, x, 2, 0, [19], -2)\n");
  const struct ppi_script_operand *operands = script.calls[0].operands;
  cr_expect_eq(operands[0].place, PPI_PLACE_BUFFER);
  cr_expect_eq(operands[0].offset, 3);
  cr_expect_eq(operands[0].ld, 20);
  cr_expect_eq(operands[1].buffer, 2, "the second buffer of that name");
  cr_expect_eq(operands[1].step, 2);
  cr_expect_eq(operands[2].place, PPI_PLACE_SCRATCH);
  cr_expect_eq(operands[2].length, 19);
  cr_expect_eq(operands[2].step, 2, "backwards, on the same elements");
  cr_expect_eq(script.buffers[0].length, 1000);
  ppi_script_free(&script);
}

/* Parts of a buffer by name: all are the buffer itself, and go with it or alone. */
Test(script_text, parts_of_buffers) {
  read_well("double A[100], B = A+40, C = B + 2*5\nset prepare C[1:3]\ndaxpy(5, 1, B+1, C)\n"
            "free B\ndaxpy(5, 1, A, C)\nfloat B[3]\n");
  const struct ppi_script_operand *operands = script.calls[0].operands;
  cr_expect_eq(operands[0].buffer, 0);
  cr_expect_eq(operands[0].offset, 41);
  cr_expect_eq(operands[1].buffer, 0);
  cr_expect_eq(operands[1].offset, 50);
  cr_expect_eq(script.buffers[2].length, 50);
  cr_expect_eq(script.accesses[0].buffer, 0);
  cr_expect_eq(script.accesses[0].first, 51);
  cr_expect_eq(script.accesses[0].end, 53);
  cr_expect_eq(script.units[1].settings.access_count, 1);
  ppi_script_free(&script);
}

Test(script_text, settings_hold_from_where_they_stand) {
  read_well("double A[100]\nset repetitions 7; set precondition cold-sweep; set operands fresh\n"
            "set align 128; set ld 40; set stable 0.02 max 50; set prepare A A[10:20]\n"
            "counters PAPI_L1_DCM perf::CYCLES:u\n"
            "daxpy(5, 1)\ngo\nset stable off; counters\ndaxpy(5, 1)\n");
  const struct ppi_script_settings *first = &script.units[0].settings, *second = &script.units[1].settings;
  cr_expect_eq(first->repetitions, 7);
  cr_expect_eq(first->precondition, PPI_SWEEP);
  cr_expect(first->fresh);
  cr_expect_eq(first->align, 128);
  cr_expect_eq(first->ld, 40);
  cr_expect_eq(first->repetitions_max, 50);
  cr_expect_float_eq(first->stable, 0.02, 1e-15);
  cr_assert_eq(first->access_count, 2);
  cr_expect_eq(script.accesses[1].first, 10);
  cr_expect_eq(script.accesses[1].end, 20);
  cr_assert_eq(first->event_count, 2);
  cr_expect_str_eq(script.events[1].name, "perf::CYCLES:u");
  cr_expect_eq(script.events[1].line, 4);
  cr_expect_eq(script.events[1].column, 22);
  cr_expect_float_eq(second->stable, 0.0, 1e-15);
  cr_expect_eq(second->event_count, 0);
  cr_expect_eq(second->repetitions, 7);
  cr_expect_eq(script.units[0].batch, 0);
  cr_expect_eq(script.units[1].batch, 1);
  ppi_script_free(&script);
}

Test(script_text, regions) {
  char what[200];
  read_well("{ dpotrf2(L, 8); dtrsm(R, L, T, N, 9, 8, 1) }\n"
            "{omp\n daxpy(3, 1)\n { dscal(4, 2); dscal(5, 2) }\n}\n");
  cr_assert_eq(script.unit_count, 2);
  cr_expect(script.units[0].region && !script.units[0].parallel);
  cr_expect_eq(script.units[0].lane_count, 1);
  cr_expect(script.units[1].parallel);
  cr_assert_eq(script.units[1].lane_count, 2);
  cr_expect_eq(script.lanes[2].call_count, 2);
  ppi_script_describe(&script, 0, what, sizeof what);
  cr_expect_str_eq(what, "{dpotrf2(L,8); dtrsm(R,L,T,N,9,8)}");
  ppi_script_describe(&script, 1, what, sizeof what);
  cr_expect_str_eq(what, "{omp daxpy(3); {dscal(4); dscal(5)}}");
  ppi_script_free(&script);
}

Test(script_text, says_where_and_what_is_wrong) {
  static const struct {
    const char *text;
    enum perfpred_status status;
    int line, column;
    const char *word;
  } bad[] = {
    { "dgemn(N)", PERFPRED_NOT_FOUND, 1, 1, "dgemm" },
    { "\n  daxpy(1)", PERFPRED_SYNTAX, 2, 9, "expected 6" },
    { "daxpy(1, 2", PERFPRED_SYNTAX, 1, 7, "')'" },
    { "dgemm(X, N, 1, 1, 1, 1, 0)", PERFPRED_SYNTAX, 1, 7, "transa" },
    { "daxpy(-1, 1)", PERFPRED_SYNTAX, 1, 7, "at least 0" },
    { "daxpy(9, 1, A, .)", PERFPRED_NOT_FOUND, 1, 13, "'A'" },
    { "float A[9]\ndaxpy(9, 1, A, .)", PERFPRED_SYNTAX, 2, 13, "type s" },
    { "double A[9]\ndaxpy(9, 1, A+1, .)", PERFPRED_INVALID, 2, 13, "needs 9 elements, there are 8" },
    { "daxpy(9, 1, [8], .)", PERFPRED_INVALID, 1, 13, "there are 8" },
    { "dgemm(N,N,5,5,5,1,.,4,.,5,0,.,5)", PERFPRED_INVALID, 1, 21, "rows" },
    { "double A[0]", PERFPRED_SYNTAX, 1, 10, "expected 1" },
    { "double A[4], A[5]", PERFPRED_EXISTS, 1, 14, "already" },
    { "free A", PERFPRED_NOT_FOUND, 1, 6, "'A'" },
    { "set align 48", PERFPRED_SYNTAX, 1, 11, "power of two" },
    { "set stable 0 max 3", PERFPRED_SYNTAX, 1, 12, "more than 0" },
    { "set stable 0.1", PERFPRED_SYNTAX, 1, 15, "'max'" },
    { "set precondition hot", PERFPRED_SYNTAX, 1, 18, "warm" },
    { "set repetitions 0", PERFPRED_SYNTAX, 1, 17, "expected 1" },
    { "double A[4]\nset prepare A[2:5]", PERFPRED_SYNTAX, 2, 17, "2 to 4" },
    { "{ daxpy(1, 1)", PERFPRED_SYNTAX, 1, 14, "'}'" },
    { "{ }", PERFPRED_SYNTAX, 1, 3, "a call" },
    { "{omp { { daxpy(1, 1) } } }", PERFPRED_SYNTAX, 1, 8, "kernel" },
    { "daxpy(1, 1) daxpy(1, 1)", PERFPRED_SYNTAX, 1, 13, "end of the statement" },
    { "double A[9*99999999999999*9999999999]", PERFPRED_OVERFLOW, 1, 0, "range" },
    { "double A[9223372036854775808]", PERFPRED_OVERFLOW, 1, 10, "9223372036854775808 does not fit into 64 bits" },
    { "daxpy( -9223372036854775809, 1)", PERFPRED_OVERFLOW, 1, 8, "-9223372036854775809 does not fit" },
    { "double A[-]", PERFPRED_SYNTAX, 1, 10, "found '-'" },
    { "nonsense", PERFPRED_SYNTAX, 1, 1, "nonsense" },
    { "?", PERFPRED_SYNTAX, 1, 1, "'?'" },
    { "daxpy(9, 1, A, .)\ndouble A[9]", PERFPRED_NOT_FOUND, 1, 13, "such as 'double A[1000]'" },
    { "double A[9]\nfree A\ndaxpy(9, 1, A, .)", PERFPRED_NOT_FOUND, 3, 13, "any more: line 2 frees it" },
    { "double A[9]\nfree A; free A", PERFPRED_NOT_FOUND, 2, 14, "any more: line 2 frees it" },
    { "double A[9]\nfree A\nset prepare A", PERFPRED_NOT_FOUND, 3, 13, "any more" },
    { "daxpy(9, 1, [4611686018427387904], .)", PERFPRED_SYNTAX, 1, 14, "expected 0 to 2^42" },
    { "daxpy(9, 1, [4398046511105], .)", PERFPRED_SYNTAX, 1, 14, "expected 0 to 2^42" },
    { "daxpy(9, 1, [-1], .)", PERFPRED_SYNTAX, 1, 14, "expected 0 to 2^42" },
    { "daxpy(9, 1, [9, .)", PERFPRED_SYNTAX, 1, 15, "expected ']'" },
    { "daxpy(9, 1, [], .)", PERFPRED_SYNTAX, 1, 14, "a number of elements" },
    { "double A[4398046511105]", PERFPRED_SYNTAX, 1, 10, "1 to 2^42" },
    { "double A[1*]", PERFPRED_SYNTAX, 1, 12, "a number of elements" },
    { "double A", PERFPRED_SYNTAX, 1, 9, "expected '['" },
    { "double", PERFPRED_SYNTAX, 1, 7, "the name of a buffer" },
    { "double A[9]\ndaxpy(1, 1, A+9, .)", PERFPRED_INVALID, 2, 13, "needs 1 elements, there are 0" },
    { "double A[9]\ndaxpy(1, 1, A+9223372036854775807, .)", PERFPRED_SYNTAX, 2, 15, "expected 0 to 2^42" },
    { "double A[9]\ndaxpy(1, 1, A+-1, .)", PERFPRED_SYNTAX, 2, 15, "expected 0 to 2^42" },
    { "double A[9], B = A+4\ndaxpy(6, 1, B, .)", PERFPRED_INVALID, 2, 13, "needs 6 elements, there are 5" },
    { "double A[9], B = A+4, C = B+1\ndaxpy(4, 1, C+1, .)", PERFPRED_INVALID, 2, 13, "there are 3" },
    { "double A[9], B = A+9", PERFPRED_SYNTAX, 1, 20, "expected 0 to 8" },
    { "double A[9], B = A+-1", PERFPRED_SYNTAX, 1, 20, "expected 0 to 8" },
    { "double B = A", PERFPRED_NOT_FOUND, 1, 12, "'A'" },
    { "double A = A", PERFPRED_NOT_FOUND, 1, 12, "'A'" },
    { "double A[9]\nfloat B = A", PERFPRED_SYNTAX, 2, 11, "type d" },
    { "double A[9], A = A+1", PERFPRED_EXISTS, 1, 14, "already" },
    { "double A[9], B = A+4\nfree A\ndaxpy(1, 1, B, .)", PERFPRED_NOT_FOUND, 3, 13, "line 2 frees it" },
    { "double A[9], B = A+4\nset prepare B[0:6]", PERFPRED_SYNTAX, 2, 17, "0 to 5" },
    { "double A[9]\ndaxpy(1, 1, A+, .)", PERFPRED_SYNTAX, 2, 15, "an offset in elements" },
    { "double A[9]\nset prepare A[0:10]", PERFPRED_SYNTAX, 2, 17, "0 to 9" },
    { "double A[9]\nset prepare A[10:10]", PERFPRED_SYNTAX, 2, 15, "0 to 9" },
    { "double A[9]\nset prepare A[3]", PERFPRED_SYNTAX, 2, 16, "expected ':'" },
    { "daxpy(9223372036854775807, 1)", PERFPRED_LIMIT, 1, 0, "64 TiB" },
    { "dgemm(N, N, 9223372036854775807, 9223372036854775807, 2, 1, 0)", PERFPRED_LIMIT, 1, 0, "64 TiB" },
    { "dgemm(N, N, 4000000000, 4000000000, 1, 1, 0)", PERFPRED_LIMIT, 1, 0, "64 TiB" },
    { "dgemm(N,N,2,2,2,1,.,9223372036854775807,.,2,0,.,2)", PERFPRED_LIMIT, 1, 19, "64 TiB" },
    { "daxpy(9, 1, ., 9223372036854775807, ., 1)", PERFPRED_LIMIT, 1, 13, "64 TiB" },
    { "daxpy(9, 1, ., -9223372036854775807, ., 1)", PERFPRED_SYNTAX, 1, 16, "at least -2147483648" },
    { "daxpy(9, 1, ., 0, ., 1)", PERFPRED_SYNTAX, 1, 16, "any other whole number" },
    { "set repetitions 1000001", PERFPRED_SYNTAX, 1, 17, "1 to 1000000" },
    { "set repetitions 99999999999999999999", PERFPRED_OVERFLOW, 1, 17, "64 bits" },
    { "set repetitions", PERFPRED_SYNTAX, 1, 16, "found the end of the text" },
    { "set align 4194304", PERFPRED_SYNTAX, 1, 11, "0 to 2097152" },
    { "set ld -1", PERFPRED_SYNTAX, 1, 8, "0 to 2147483647" },
    { "set stable nan max 9", PERFPRED_SYNTAX, 1, 12, "a relative width" },
    { "set stable 1e999 max 9", PERFPRED_SYNTAX, 1, 12, "a relative width" },
    { "set stable 0.1 most 9", PERFPRED_SYNTAX, 1, 20, "'max'" },
    { "set colour blue", PERFPRED_SYNTAX, 1, 5, "repetitions, stable, precondition" },
    { "set", PERFPRED_SYNTAX, 1, 4, "repetitions, stable, precondition" },
    { "set operands stale", PERFPRED_SYNTAX, 1, 14, "fixed or fresh" },
    { "free", PERFPRED_SYNTAX, 1, 5, "the name of a buffer" },
    { "counters PAPI_L1_DCM, PAPI_L2_DCM", PERFPRED_SYNTAX, 1, 21, "the name of an event" },
    { "go go", PERFPRED_SYNTAX, 1, 4, "end of the statement" },
    { "{omp daxpy(1, 1)\n\n", PERFPRED_SYNTAX, 3, 1, "'}'" },
    { "{omp", PERFPRED_SYNTAX, 1, 5, "a call or '{'" },
    { "{omp }", PERFPRED_SYNTAX, 1, 6, "a call or '{'" },
    { "{", PERFPRED_SYNTAX, 1, 2, "a call" },
    { "}", PERFPRED_SYNTAX, 1, 1, "found '}'" },
    { "{ daxpy(1, 1) } }", PERFPRED_SYNTAX, 1, 17, "found '}'" },
    { "{ set ld 5 }", PERFPRED_NOT_FOUND, 1, 3, "set" },
    { "{omp {omp daxpy(1, 1) } }", PERFPRED_NOT_FOUND, 1, 7, "omp" },
    { "daxpy()", PERFPRED_SYNTAX, 1, 7, "0 arguments" },
    { "daxpy(1, 1))", PERFPRED_SYNTAX, 1, 12, "end of the statement" },
    { "daxpy(1, 1,)", PERFPRED_SYNTAX, 1, 7, "3 arguments" },
    { "daxpy(one, 1)", PERFPRED_SYNTAX, 1, 7, "a whole number for 'n', found 'one'" },
    { "daxpy(1, one)", PERFPRED_SYNTAX, 1, 10, "a number for scalar 'alpha'" },
    { "daxpy(1, (1, 2))", PERFPRED_SYNTAX, 1, 10, "a number for scalar 'alpha'" },
    { "zaxpy(1, (1 2))", PERFPRED_SYNTAX, 1, 13, "expected ','" },
    { "\x7f"
      "ELF\x02\x01",
      PERFPRED_SYNTAX, 1, 1, "found the byte 0x7F" },
    { "daxpy(1, 1)\n\xff\xfe", PERFPRED_SYNTAX, 2, 1, "found the byte 0xFF" },
    { "daxpy(\x01, 1)", PERFPRED_SYNTAX, 1, 7, "found the byte 0x01" },
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    cr_expect_eq(parse(bad[i].text), bad[i].status, "%s: %s", bad[i].text, error.text);
    cr_expect_eq(error.line, bad[i].line, "%s: %s", bad[i].text, error.text);
    cr_expect(bad[i].column == 0 || error.column == bad[i].column, "%s: %s", bad[i].text, error.text);
    cr_expect_not_null(strstr(error.text, bad[i].word), "%s: %s", bad[i].text, error.text);
  }
}

/* NUL is a byte as others are, and the text ends where its length says. */
Test(script_text, bytes_of_all_kinds) {
  static const char zeros[16];
  static const char open[] = "{omp\0daxpy(1, 1) }", cut[] = "daxpy(1, 1)";
  cr_expect_eq(parse_bytes(zeros, sizeof zeros), PERFPRED_SYNTAX);
  cr_expect_not_null(strstr(error.text, "found the byte 0x00"), "%s", error.text);
  cr_expect_eq(parse_bytes(open, sizeof open - 1), PERFPRED_SYNTAX);
  cr_expect_eq(error.line, 1);
  cr_expect_eq(error.column, 5, "%s", error.text);
  for (size_t length = 1; length < sizeof cut - 1; length++) {
    char *exact = malloc(length); /* a checker sees what is read beyond */
    memcpy(exact, cut, length);
    cr_expect_eq(parse_bytes(exact, length), PERFPRED_SYNTAX, "%zu bytes: %s", length, error.text);
    cr_expect_eq(error.line, 1);
    free(exact);
  }
}

static char *repeat(const char *head, const char *part, size_t count, const char *tail) {
  struct ppi_text made = PPI_TEXT_INIT;
  ppi_text_append(&made, head);
  for (size_t i = 0; i < count; i++)
    ppi_text_append(&made, part);
  ppi_text_append(&made, tail);
  return ppi_text_take(&made);
}

Test(script_text, long_things) {
  static const struct {
    const char *head, *part;
    size_t count;
    const char *tail;
    enum perfpred_status status;
    int line, column;
    const char *word;
  } long_ones[] = {
    { "daxpy(1, 1", " ", 100000, ") x", PERFPRED_SYNTAX, 1, 100013, "end of the statement" },
    { "", "x", 64, "(1, 1)", PERFPRED_LIMIT, 1, 1, "more than 63 characters" },
    { "double ", "x", 64, "[9]", PERFPRED_LIMIT, 1, 8, "more than 63 characters" },
    { "double A[", "1", 1000, "]", PERFPRED_OVERFLOW, 1, 10, "does not fit into 64 bits" },
    { "daxpy(1, ", "1", 1000, ")", PERFPRED_SYNTAX, 1, 10, "a number for scalar" },
    { "counters", " PAPI_TOT_CYC", 65, "", PERFPRED_LIMIT, 1, 842, "more than 64 events" },
    { "counters ", "x", 256, "", PERFPRED_LIMIT, 1, 10, "more than 255 characters" },
    { "{omp", " daxpy(1, 1)", 257, " }", PERFPRED_LIMIT, 1, 3078, "more than 256 threads" },
    { "", "{", 100000, "", PERFPRED_SYNTAX, 1, 2, "kernel" },
    { "daxpy(1, ", "(", 100000, "", PERFPRED_SYNTAX, 1, 7, "no ')'" },
    { "daxpy(1, 1\n", "\n", 100000, ")", PERFPRED_SYNTAX, 1, 7, "no ')'" },
    { "", "\n", 100000, "?", PERFPRED_SYNTAX, 100001, 1, "'?'" },
  };
  for (size_t i = 0; i < sizeof long_ones / sizeof long_ones[0]; i++) {
    char *text = repeat(long_ones[i].head, long_ones[i].part, long_ones[i].count, long_ones[i].tail);
    cr_expect_eq(parse(text), long_ones[i].status, "%zu: %s", i, error.text);
    cr_expect_eq(error.line, long_ones[i].line, "%zu: %s", i, error.text);
    cr_expect_eq(error.column, long_ones[i].column, "%zu: column %d: %s", i, error.column, error.text);
    cr_expect_not_null(strstr(error.text, long_ones[i].word), "%zu: %s", i, error.text);
    free(text);
  }
  char *text = repeat("{omp", " daxpy(1, 1)", 256, " }\ncounters a::b:c=1,");
  text[strlen(text) - 1] = '\0';
  read_well(text);
  cr_expect_eq(script.units[0].lane_count, 256);
  ppi_script_free(&script);
  free(text);
}

Test(script_text, words_of_regions) {
  read_well("{ omp # side by side\n daxpy(1, 1); {seq dscal(2, 2); dscal(3, 2)} }\n{seq daxpy(4, 1) }\n");
  cr_assert_eq(script.unit_count, 2);
  cr_expect(script.units[0].parallel);
  cr_expect_eq(script.units[0].lane_count, 2);
  cr_expect_not(script.units[1].parallel);
  cr_expect_eq(script.calls[3].line, 3);
  ppi_script_free(&script);
}

/* Only what touches the buffer goes with it. */
Test(script_text, a_buffer_takes_its_accesses_along) {
  read_well("double A[9], B[9]\nset prepare A\nfree B\ndaxpy(1, 1)\nfree A\ndaxpy(1, 1)\n");
  cr_expect_eq(script.units[0].settings.access_count, 1);
  cr_expect_eq(script.units[1].settings.access_count, 0);
  ppi_script_free(&script);
}

Test(script_text, nothing_is_a_script_of_no_calls) {
  read_well("");
  cr_expect_eq(script.unit_count, 0);
  read_well(" # nothing\n\n;;\n");
  cr_expect_eq(script.unit_count, 0);
}

Test(script_text, sizes_that_a_kernel_does_not_admit) {
  cr_expect_eq(parse("dorgqr(5, 3, 2)\n"), PERFPRED_OK, "%s", error.text);
  ppi_script_free(&script);
  cr_expect_eq(parse("dgemm(N, N, 2, 2, 2, 1, 0)\n  dorgqr(3, 5, 2)\n"), PERFPRED_INVALID);
  cr_expect_str_eq(error.text, "calls:2:3: dorgqr: m = 3, n = 5; expected m >= n");
  cr_expect_eq(parse("{ dormqr(R, N, 9, 4, 5, ., ., .) }\n"), PERFPRED_INVALID);
  cr_expect_str_eq(error.text, "calls:1:3: dormqr: side = R, m = 9, n = 4, k = 5; expected k <= (side == L ? m : n)");
}
