/* SPDX-License-Identifier: BSD-3-Clause */
/* Contractions from text, their algorithms by number and by name, and the calls in them. Counts and names are the dissertation's
 * (Sections 22 and 24), or worked out by hand. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract/call.h"
#include "contract/einsum.h"
#include "contract/enumerate.h"
#include "contract/fuse.h"
#include "contract/name.h"

static struct perfpred_error error;
static const struct ppi_contract_filter all = { 0 };

static enum perfpred_status read_extents(const char *einsum, const char *const *names, const int64_t *extents,
                                         size_t count, struct ppi_contraction *contraction) {
  const struct ppi_contract_given given = { .type = PPI_TYPE_D, .names = names, .extents = extents, .count = count };
  ppi_error_clear(&error);
  return ppi_contraction_read(einsum, &given, contraction, &error);
}

/* Each different letter gets the next extent; 10 where the list has ended. */
static struct ppi_contraction read_typed(const char *einsum, enum ppi_type type, const int64_t *given_extents) {
  struct ppi_contraction contraction;
  char text[PPI_INDEX_MAX][2], seen[PPI_INDEX_MAX + 1] = "";
  const char *names[PPI_INDEX_MAX];
  int64_t extents[PPI_INDEX_MAX];
  struct ppi_contract_given given = { .type = type, .names = names, .extents = extents };
  for (const char *at = einsum; *at; at++)
    if (!strchr(",-> \t\n", *at) && !strchr(seen, *at)) {
      seen[given.count] = *at;
      snprintf(text[given.count], 2, "%c", *at);
      names[given.count] = text[given.count];
      extents[given.count] = given_extents && *given_extents ? *given_extents++ : 10;
      given.count++;
    }
  ppi_error_clear(&error);
  cr_assert_eq(ppi_contraction_read(einsum, &given, &contraction, &error), PERFPRED_OK, "%s", error.text);
  return contraction;
}

static struct ppi_contraction read_plain(const char *einsum) {
  return read_typed(einsum, PPI_TYPE_D, NULL);
}

static uint64_t count_of(const struct ppi_contraction *contraction, const struct ppi_contract_filter *filter) {
  uint64_t count = 0;
  cr_assert_eq(ppi_contract_count(contraction, filter, &count, &error), PERFPRED_OK, "%s", error.text);
  return count;
}

static const char *name_at(const struct ppi_contraction *contraction, const struct ppi_contract_filter *filter,
                           uint64_t place) {
  static char name[PPI_CONTRACT_NAME_MAX];
  struct ppi_contract_algorithm algorithm;
  cr_assert(ppi_contract_at(contraction, filter, place, &algorithm));
  ppi_contract_name(contraction, &algorithm, name);
  return name;
}

static struct ppi_contract_algorithm find(const struct ppi_contraction *contraction, const char *name) {
  struct ppi_contract_algorithm algorithm;
  ppi_error_clear(&error);
  cr_assert_eq(ppi_contract_find(contraction, name, &algorithm, &error), PERFPRED_OK, "%s", error.text);
  return algorithm;
}

/* --- Text ---------------------------------------------------------------------------------------------------------- */

Test(einsum, both_forms_mean_the_same) {
  const struct ppi_contraction plain = read_plain("ai,ibc->abc");
  const struct ppi_contraction spaced = read_plain(" a i ,\ti b c\n-> a b c ");
  cr_assert_eq(memcmp(&plain, &spaced, sizeof plain), 0);
  cr_expect_eq(plain.index_count, 4);
  const char letters[] = "aibc";
  const enum ppi_index_kind kinds[] = { PPI_INDEX_FREE_A, PPI_INDEX_CONTRACTED, PPI_INDEX_FREE_B, PPI_INDEX_FREE_B };
  const int64_t strides[][3] = { { 1, 0, 1 }, { 10, 1, 0 }, { 0, 10, 10 }, { 0, 100, 100 } };
  for (int i = 0; i < 4; i++) {
    cr_expect_eq(plain.index[i].name, letters[i]);
    cr_expect_eq(plain.index[i].kind, kinds[i]);
    for (int o = 0; o < 3; o++)
      cr_expect_eq(plain.index[i].stride[o], strides[i][o]);
  }
  cr_expect_eq(plain.tensor[1].elements, 1000);
  cr_expect_eq(plain.flops, 20000.0);
}

Test(einsum, upper_case_is_another_letter_and_complex_flops_count_eight) {
  const struct ppi_contraction contraction = read_typed("aA,Ab->ab", PPI_TYPE_Z, (const int64_t[]){ 2, 3, 5, 0 });
  cr_expect_eq(contraction.index_count, 3);
  cr_expect_eq(contraction.flops, 240.0);
}

Test(einsum, says_what_is_wrong) {
  static const struct {
    const char *einsum;
    enum perfpred_status status;
    const char *text;
  } cases[] = {
    { "ab,bc", PERFPRED_SYNTAX, "einsum:1:6: expected '->' and the indices of the result, found the end of the text" },
    { "", PERFPRED_SYNTAX, "einsum:1:1: expected '->' and the indices of the result, found the end of the text" },
    { "ab,bc-ac", PERFPRED_SYNTAX, "einsum:1:6: expected '->', found '-'" },
    { "ab,bc->a->c", PERFPRED_SYNTAX, "einsum:1:9: expected one '->', found '-'" },
    { "ab,bc->a,c", PERFPRED_SYNTAX, "einsum:1:9: expected one tensor behind '->', found ','" },
    { "a1,bc->ac", PERFPRED_SYNTAX, "einsum:1:2: expected an index, which is a single letter, ',' or '->', found '1'" },
    { "...a,ab->b", PERFPRED_SYNTAX,
      "einsum:1:1: expected an index, which is a single letter, ',' or '->', found '.'" },
    { "a\xC3\xA4,b->ab", PERFPRED_SYNTAX,
      "einsum:1:2: expected an index, which is a single letter, ',' or '->', found byte 0xC3" },
    { "ab,bc,cd->ad", PERFPRED_UNSUPPORTED,
      "einsum:1:6: the operand behind 'ab,bc' is the third, expected two: contract more tensors pair by pair" },
    { "ab->ba", PERFPRED_UNSUPPORTED,
      "einsum:1:3: there is one operand before '->', expected two with a comma between them" },
    { "aa,ab->b", PERFPRED_INVALID,
      "einsum:1:2: index a stands twice in A, expected each index of a tensor once (a diagonal or a trace is no "
      "contraction of two tensors)" },
    { "ab,bcc->ac", PERFPRED_INVALID,
      "einsum:1:6: index c stands twice in B, expected each index of a tensor once (a diagonal or a trace is no "
      "contraction of two tensors)" },
    { "ab,b->", PERFPRED_INVALID,
      "index a stands in A alone, expected every index in two of the tensors or in all three" },
    { "a,ab->ac", PERFPRED_INVALID,
      "index b stands in B alone, expected every index in two of the tensors or in all three" },
    { "ab,bc->acd", PERFPRED_INVALID,
      "index d stands in C alone, expected every index in two of the tensors or in all three" },
    { "abcdefghijklmnopq,a->bcdefghijklmnopq", PERFPRED_LIMIT,
      "einsum:1:17: A has more than 16 indices, expected at most so many" },
    { "abcdefghijklm,nopqrstuvwxyz->a", PERFPRED_LIMIT,
      "index y is one more than 24, expected at most so many different" },
  };
  struct ppi_contraction contraction = { .index_count = -1 };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cr_expect_eq(read_extents(cases[i].einsum, NULL, NULL, 0, &contraction), cases[i].status, "%s", cases[i].einsum);
    cr_expect_str_eq(error.text, cases[i].text);
    cr_expect_eq(contraction.index_count, -1);
  }
}

Test(einsum, says_what_is_wrong_with_extents) {
  static const char *const good[] = { "a", "b", "c" }, *const twice[] = { "a", "b", "a" },
                           *const other[] = { "a", "b", "x" }, *const named[] = { "a", "b", "cc" },
                           *const missing[] = { "a", "b", NULL };
  static const int64_t plain[] = { 2, 3, 4 }, negative[] = { 2, -1, 4 },
                       huge[] = { INT64_C(1) << 30, INT64_C(1) << 31, 1 };
  static const struct {
    const char *const *names;
    const int64_t *extents;
    size_t count;
    enum perfpred_status status;
    const char *text;
  } cases[] = {
    { good, plain, 2, PERFPRED_INVALID, "index c has no extent, expected one such as c=100" },
    { twice, plain, 3, PERFPRED_INVALID, "the extent of a is given twice: 2 and 4" },
    { other, plain, 3, PERFPRED_INVALID, "an extent is given for x, which is no index of the contraction" },
    { named, plain, 3, PERFPRED_INVALID, "an extent is given for 'cc', expected an index, a single letter" },
    { missing, plain, 3, PERFPRED_INVALID, "an extent is given for NULL, expected an index, a single letter" },
    { good, negative, 3, PERFPRED_INVALID, "the extent of b is -1, expected >= 0" },
    { good, huge, 3, PERFPRED_OVERFLOW, "A reaches beyond 2^63 bytes with index b of extent 2147483648" },
  };
  struct ppi_contraction contraction;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cr_expect_eq(read_extents("ab,bc->ac", cases[i].names, cases[i].extents, cases[i].count, &contraction),
                 cases[i].status);
    cr_expect_str_eq(error.text, cases[i].text);
  }
}

Test(einsum, strides) {
  static const char *const names[] = { "a", "b", "c" };
  static const int64_t extents[] = { 2, 3, 4 }, good[] = { 5, 1 }, zero[] = { 1, 0 }, close[] = { 1, 1 },
                       near[] = { 4, 1 };
  struct ppi_contract_given given = { .type = PPI_TYPE_D, .names = names, .extents = extents, .count = 3 };
  struct ppi_contraction contraction;
  given.strides[2] = good; /* c runs with stride 1, four elements; a goes beyond them */
  cr_assert_eq(ppi_contraction_read("ab,bc->ac", &given, &contraction, &error), PERFPRED_OK);
  cr_expect_eq(contraction.index[0].stride[2], 5);
  cr_expect_eq(contraction.tensor[2].elements, 5 + 3 + 1);
  given.strides[2] = near;
  cr_assert_eq(ppi_contraction_read("ab,bc->ac", &given, &contraction, &error), PERFPRED_OK);
  given.strides[2] = close;
  cr_assert_eq(ppi_contraction_read("ab,bc->ac", &given, &contraction, &error), PERFPRED_INVALID);
  cr_expect_str_eq(error.text,
                   "the stride of c in C is 1, expected at least 2: dimensions of smaller strides reach that "
                   "far, elements would overlap");
  given.strides[2] = NULL;
  given.strides[0] = zero;
  ppi_error_clear(&error);
  cr_assert_eq(ppi_contraction_read("ab,bc->ac", &given, &contraction, &error), PERFPRED_INVALID);
  cr_expect_str_eq(error.text, "the stride of b in A is 0, expected >= 1");
}

/* --- Enumeration --------------------------------------------------------------------------------------------------- */

Test(algorithms, counts) {
  static const struct {
    const char *einsum;
    uint64_t dot, axpy, gemv, ger, gemm, total;
  } cases[] = {
    { "ai,ibc->abc", 6, 18, 6, 4, 2, 36 },
    { "iaj,ji->a", 4, 2, 2, 0, 0, 8 },
    { "ija,jbic->abc", 48, 72, 36, 12, 8, 176 },
    { "ac,cb->ab", 2, 4, 2, 1, 1, 10 },
    { "aebf,dfce->abcd", 240, 480, 192, 96, 48, 1056 },
    { "gfbc,dega->abcdef", 720, 4320, 720, 1080, 216, 7056 },
    { "qij,qjk->qik", 6, 12, 4, 2, 1, 25 },
    { "q,q->q", 0, 0, 0, 0, 0, 0 },
    { ",->", 0, 0, 0, 0, 0, 0 },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const struct ppi_contraction contraction = read_plain(cases[i].einsum);
    const uint64_t expected[] = { cases[i].dot, cases[i].axpy, cases[i].gemv, cases[i].ger, cases[i].gemm };
    for (unsigned k = 0; k < PPI_CONTRACT_KERNELS; k++)
      cr_expect_eq(count_of(&contraction, &(struct ppi_contract_filter){ .kernels = 1U << k }), expected[k], "%s %u",
                   cases[i].einsum, k);
    cr_expect_eq(count_of(&contraction, &all), cases[i].total, "%s", cases[i].einsum);
  }
}

static int by_text(const void *a, const void *b) {
  return strcmp(a, b);
}

typedef char name_text[PPI_CONTRACT_NAME_MAX];

/* All names, sorted; free. */
static name_text *names_of(const struct ppi_contraction *contraction, const struct ppi_contract_filter *filter,
                           size_t *count) {
  *count = (size_t)count_of(contraction, filter);
  name_text *names = calloc(*count + 1, sizeof *names);
  for (size_t i = 0; i < *count; i++)
    strcpy(names[i], name_at(contraction, filter, i));
  qsort(names, *count, sizeof *names, by_text);
  return names;
}

Test(algorithms, all_are_different_and_found_again) {
  static const char *const einsums[] = { "ai,ibc->abc", "iaj,ji->a", "ija,jbic->abc", "qij,qjk->qik",
                                         "aebf,dfce->abcd" };
  for (size_t e = 0; e < sizeof einsums / sizeof *einsums; e++) {
    const struct ppi_contraction contraction = read_plain(einsums[e]);
    struct ppi_contract_algorithm algorithm;
    size_t count = 0;
    for (uint64_t i = 0; ppi_contract_at(&contraction, &all, i, &algorithm); i++, count++) {
      const struct ppi_contract_algorithm found = find(&contraction, name_at(&contraction, &all, i));
      cr_assert_eq(memcmp(&found, &algorithm, sizeof found), 0);
      cr_assert_eq(ppi_contract_place(&contraction, &all, &algorithm), i);
    }
    cr_expect_eq(count, count_of(&contraction, &all));
    name_text *names = names_of(&contraction, &all, &count);
    for (size_t i = 1; i < count; i++)
      cr_assert_str_neq(names[i - 1], names[i]);
    free(names);
  }
}

/* gemm before gemv, ger, axpy and dot; loops over the last dimensions outermost first. */
Test(algorithms, their_order) {
  const struct ppi_contraction contraction = read_plain("ai,ibc->abc");
  cr_expect_str_eq(name_at(&contraction, &all, 0), "c-dgemm");
  cr_expect_str_eq(name_at(&contraction, &all, 1), "b-dgemm");
  cr_expect_str_eq(name_at(&contraction, &all, 2), "cb-dgemv");
  cr_expect_str_eq(name_at(&contraction, &all, 3), "ca-dgemv");
  cr_expect_str_eq(name_at(&contraction, &all, 4), "ba-dgemv");
  cr_expect_str_eq(name_at(&contraction, &all, 5), "bc-dgemv");
  cr_expect_str_eq(name_at(&contraction, &all, 8), "ci-dger");
  cr_expect_str_eq(name_at(&contraction, &all, 35), "abc-ddot");
}

Test(algorithms, copies) {
  static const char *const gemms[] = { "bi'-dgemm", "bj'-dgemm", "ci'-dgemm", "cj'-dgemm",
                                       "i'b-dgemm", "i'c-dgemm", "jb'-dgemm", "jc'-dgemm" };
  const struct ppi_contraction first = read_plain("ai,ibc->abc"), second = read_plain("iaj,ji->a");
  const struct ppi_contraction third = read_plain("ija,jbic->abc");
  struct ppi_contract_filter filter = { .copies = PPI_COPIES_SOME };
  size_t count = 0;
  cr_expect_eq(count_of(&first, &filter), 0);
  cr_expect_eq(count_of(&second, &filter), 1);
  cr_expect_str_eq(name_at(&second, &filter, 0), "i'-dgemv");
  find(&second, "j-dgemv");
  cr_expect_eq(count_of(&third, &filter), 8 + 18);
  filter.kernels = 1U << PPI_CONTRACT_GEMV;
  cr_expect_eq(count_of(&third, &filter), 18);
  filter.kernels = 1U << PPI_CONTRACT_GEMM;
  name_text *names = names_of(&third, &filter, &count);
  cr_assert_eq(count, 8);
  for (size_t i = 0; i < count; i++)
    cr_expect_str_eq(names[i], gemms[i]);
  free(names);
  filter = (struct ppi_contract_filter){ .copies = PPI_COPIES_NONE };
  cr_expect_eq(count_of(&third, &filter), 176 - 8 - 18);
}

Test(algorithms, copies_are_made_8_800_and_800_times) {
  const struct ppi_contraction third =
      read_typed("ija,jbic->abc", PPI_TYPE_D, (const int64_t[]){ 8, 8, 100, 100, 100, 0 });
  static const char *const names[] = { "i'c-dgemm", "i'b-dgemm", "ci'-dgemm", "bi'-dgemm",
                                       "jc'-dgemm", "cj'-dgemm", "jb'-dgemm", "bj'-dgemm" };
  for (int i = 0; i < 8; i++) {
    const struct ppi_contract_algorithm algorithm = find(&third, names[i]);
    struct ppi_contract_call call;
    ppi_contract_resolve(&third, &algorithm, &call);
    cr_assert_eq(call.copy_count, 1);
    cr_expect_eq(call.copies[0].operand, i < 4 ? 0 : 1);
    cr_expect_eq(ppi_contract_copies_made(&call, &call.copies[0]), i < 2 ? 8.0 : 800.0, "%s", names[i]);
    cr_expect_eq(call.work_bytes, 8.0 * 8.0 * 100.0);
    cr_expect_eq(call.calls, 800.0);
  }
}

Test(algorithms, filters) {
  const struct ppi_contraction third = read_plain("ija,jbic->abc");
  struct ppi_contract_filter filter = { .at_most = 5 };
  struct ppi_contract_algorithm algorithm;
  cr_expect_eq(count_of(&third, &filter), 5);
  cr_expect(ppi_contract_at(&third, &filter, 4, &algorithm));
  cr_expect_not(ppi_contract_at(&third, &filter, 5, &algorithm));
  filter = (struct ppi_contract_filter){ .kernels = 1U << PPI_CONTRACT_GER | 1U << PPI_CONTRACT_DOT };
  cr_expect_eq(count_of(&third, &filter), 60);
  for (uint64_t i = 0; i < 60; i++) {
    cr_assert(ppi_contract_at(&third, &filter, i, &algorithm));
    cr_expect_eq(algorithm.kernel, i < 12 ? PPI_CONTRACT_GER : PPI_CONTRACT_DOT);
    cr_expect_eq(ppi_contract_place(&third, &filter, &algorithm), i);
  }
  algorithm = find(&third, "i'c-dgemm");
  cr_expect_eq(ppi_contract_place(&third, &filter, &algorithm), UINT64_MAX);
}

/* 24 indices, 8 of each kind that is not a batch: dot alone has 8 * 23!, which is beyond 64 bits, but each can be had at once. */
Test(algorithms, more_than_64_bits_count) {
  int64_t extents[PPI_INDEX_MAX + 1] = { 0 };
  for (int i = 0; i < PPI_INDEX_MAX; i++)
    extents[i] = 2;
  const struct ppi_contraction contraction =
      read_typed("abcdefghijklmnop,ijklmnopqrstuvwx->abcdefghqrstuvwx", PPI_TYPE_D, extents);
  struct ppi_contract_filter filter = { .kernels = 1U << PPI_CONTRACT_GEMM };
  struct ppi_contract_algorithm algorithm;
  uint64_t count = 7;
  ppi_error_clear(&error);
  cr_expect_eq(ppi_contract_count(&contraction, &all, &count, &error), PERFPRED_OVERFLOW);
  cr_expect_str_eq(error.text, "24 indices make 2^64 algorithms or more, expected a filter that leaves fewer");
  cr_expect_eq(count, 7);
  filter.at_most = 1000;
  cr_expect_eq(count_of(&contraction, &filter), 1000);
  cr_assert(ppi_contract_at(&contraction, &filter, 999, &algorithm));
  cr_expect_eq(ppi_contract_place(&contraction, &filter, &algorithm), 999);
  cr_assert(ppi_contract_at(&contraction, &all, UINT64_MAX - 1, &algorithm));
  cr_expect_eq(algorithm.kernel, PPI_CONTRACT_GEMM);
  cr_expect_eq(algorithm.loop_count, 21);
}

Test(algorithms, renaming_changes_names_only) {
  const struct ppi_contraction one = read_plain("ija,jbic->abc"), other = read_plain("IJx,JyIz->xyz");
  static const char from[] = "ijabc", to[] = "IJxyz";
  for (uint64_t i = 0; i < 176; i++) {
    name_text name;
    strcpy(name, name_at(&one, &all, i));
    for (char *at = name; *at && *at != '-'; at++)
      if (strchr(from, *at))
        *at = to[strchr(from, *at) - from];
    cr_assert_str_eq(name, name_at(&other, &all, i));
  }
}

Test(algorithms, swapping_operands_changes_nothing) {
  const struct ppi_contraction one = read_plain("ija,jbic->abc"), other = read_plain("jbic,ija->abc");
  size_t count = 0, count_other = 0;
  name_text *names = names_of(&one, &all, &count), *names_other = names_of(&other, &all, &count_other);
  cr_assert_eq(count, count_other);
  for (size_t i = 0; i < count; i++) {
    struct ppi_contract_call call, call_other;
    const struct ppi_contract_algorithm algorithm = find(&one, names[i]), same = find(&other, names[i]);
    cr_assert_str_eq(names[i], names_other[i]);
    ppi_contract_resolve(&one, &algorithm, &call);
    ppi_contract_resolve(&other, &same, &call_other);
    if (algorithm.kernel == PPI_CONTRACT_DOT)
      continue; /* its vectors come in the order of the operands */
    for (int k = 0; k < call.argument_count; k++) {
      cr_expect_eq(call.arguments[k].kind, call_other.arguments[k].kind);
      cr_expect_eq(call.arguments[k].flag, call_other.arguments[k].flag);
      cr_expect_eq(call.arguments[k].value, call_other.arguments[k].value);
    }
  }
  free(names);
  free(names_other);
}

Test(algorithms, names_that_are_none) {
  static const struct {
    const char *name, *text;
  } cases[] = {
    { "c-gemm", "algorithm c-gemm: expected loops, a hyphen and ddot, daxpy, dgemv, dger or dgemm, as in i-dgemm" },
    { "c", "algorithm c: expected loops, a hyphen and ddot, daxpy, dgemv, dger or dgemm, as in i-dgemm" },
    { "x-dgemm", "algorithm x-dgemm: expected indices of the contraction before the hyphen, 'x' is none" },
    { "bb-dgemm", "algorithm bb-dgemm: there are two loops over b" },
    { "b-dgemm",
      "algorithm b-dgemm: its loops leave ijac to the kernel, expected one contracted index, one free index of "
      "A and one of B, all others as loops" },
    { "abcij-ddot", "algorithm abcij-ddot: its loops leave nothing to the kernel, expected one contracted index, all "
                    "others as loops" },
    { "ic'-dgemm", "algorithm ic'-dgemm: its copies are elsewhere, expected i'c-dgemm" },
    { "jc''-dgemm", "algorithm jc''-dgemm: its copies are elsewhere, expected jc'-dgemm" },
    { "", "algorithm : expected loops, a hyphen and ddot, daxpy, dgemv, dger or dgemm, as in i-dgemm" },
  };
  const struct ppi_contraction third = read_plain("ija,jbic->abc");
  struct ppi_contract_algorithm algorithm;
  char name[PPI_CONTRACT_NAME_MAX];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ppi_error_clear(&error);
    cr_expect_eq(ppi_contract_find(&third, cases[i].name, &algorithm, &error), PERFPRED_NOT_FOUND, "%s", cases[i].name);
    cr_expect_str_eq(error.text, cases[i].text);
  }
  static const char *const ways[] = { "i'c-dgemm", "ic-dgemm", "i_c-dgemm" };
  for (int i = 0; i < 3; i++) {
    algorithm = find(&third, ways[i]);
    ppi_contract_name(&third, &algorithm, name);
    cr_expect_str_eq(name, "i'c-dgemm");
  }
  const struct ppi_contraction product = read_typed("ac,cb->ab", PPI_TYPE_C, NULL);
  algorithm = find(&product, "cgemm");
  find(&product, "-cgemm");
  ppi_contract_name(&product, &algorithm, name);
  cr_expect_str_eq(name, "cgemm");
  find(&product, "c-cgeru");
  find(&product, "ab-cdotu");
}

/* --- Calls --------------------------------------------------------------------------------------------------------- */

/* "dgemm(N,N,3,4,2,1,A,3,B,2,0,C,3)" */
static const char *text_of(const struct ppi_contraction *contraction, const char *name,
                           struct ppi_contract_call *call) {
  static char text[200];
  const struct ppi_contract_algorithm algorithm = find(contraction, name);
  ppi_contract_resolve(contraction, &algorithm, call);
  int length = snprintf(text, sizeof text, "%s", call->routine);
  for (int i = 0; i < call->argument_count; i++) {
    const struct ppi_contract_argument *argument = &call->arguments[i];
    const size_t room = sizeof text - (size_t)length;
    if (argument->kind == PPI_CONTRACT_FLAG)
      length += snprintf(text + length, room, "%c%c", i ? ',' : '(', argument->flag);
    else if (argument->kind == PPI_CONTRACT_DATA)
      length += snprintf(text + length, room, "%c%c", i ? ',' : '(', "ABC"[argument->operand]);
    else
      length += snprintf(text + length, room, "%c%lld", i ? ',' : '(', (long long)argument->value);
  }
  snprintf(text + length, sizeof text - (size_t)length, ")");
  return text;
}

/* a=3, i=2, b=4, c=5: A is 3 x 2, B 2 x 4 x 5, C 3 x 4 x 5. */
Test(calls, of_the_first_contraction) {
  const struct ppi_contraction first = read_typed("ai,ibc->abc", PPI_TYPE_D, (const int64_t[]){ 3, 2, 4, 5, 0 });
  struct ppi_contract_call call;
  cr_expect_str_eq(text_of(&first, "c-dgemm", &call), "dgemm(N,N,3,4,2,1,A,3,B,2,0,C,3)");
  cr_expect(!call.zero && !call.accumulates && !call.returns);
  cr_expect(call.loop_count == 1 && call.trips[0] == 5);
  cr_expect(call.step[0][0] == 0 && call.step[1][0] == 8 && call.step[2][0] == 12);
  cr_expect_str_eq(text_of(&first, "b-dgemm", &call), "dgemm(N,N,3,5,2,1,A,3,B,8,0,C,12)");
  cr_expect_str_eq(text_of(&first, "cb-dgemv", &call), "dgemv(N,3,2,1,A,3,B,1,0,C,1)");
  cr_expect_str_eq(text_of(&first, "ca-dgemv", &call), "dgemv(T,2,4,1,B,2,A,3,0,C,3)");
  cr_expect_str_eq(text_of(&first, "ab-dgemv", &call), "dgemv(T,2,5,1,B,8,A,3,0,C,12)");
  cr_expect_str_eq(text_of(&first, "ci-dger", &call), "dger(3,4,1,A,1,B,2,C,3)");
  cr_expect(call.zero && call.accumulates);
  cr_expect_str_eq(text_of(&first, "cbi-daxpy", &call), "daxpy(3,B,A,1,C,1)");
  cr_expect(call.zero && call.accumulates && !call.returns);
  cr_expect_str_eq(text_of(&first, "abc-ddot", &call), "ddot(2,A,3,B,1)");
  cr_expect(!call.zero && !call.accumulates && call.returns);
  cr_expect_eq(call.calls, 60.0);
}

/* j=2, b=3, i=4, c=5, a=6: B is the first operand here, and its slice (b, i) is copied. */
Test(calls, with_copies) {
  const struct ppi_contraction third = read_typed("jbic,ija->abc", PPI_TYPE_Z, (const int64_t[]){ 2, 3, 4, 5, 6, 0 });
  struct ppi_contract_call call;
  cr_expect_str_eq(text_of(&third, "jc'-zgemm", &call), "zgemm(T,T,6,3,4,1,B,8,A,3,1,C,6)");
  cr_assert_eq(call.copy_count, 1);
  const struct ppi_contract_copy *copy = &call.copies[0];
  cr_expect(copy->operand == 0 && copy->loops == 2 && !copy->out);
  cr_expect(copy->length == 3 && copy->inc == 2 && copy->count == 4 && copy->step == 6);
  cr_expect_eq(call.work_bytes, 12.0 * 16.0);
  cr_expect(call.zero && call.accumulates); /* j is summed up by a loop */
}

/* A result whose slice has no unit stride goes in and out. */
Test(calls, copies_of_the_result_go_back) {
  const struct ppi_contraction contraction = read_typed("aiq,qib->qab", PPI_TYPE_D, (const int64_t[]){ 3, 2, 4, 5, 0 });
  struct ppi_contract_call call;
  text_of(&contraction, "q-dgemm", &call);
  cr_expect_str_eq(call.copy_routine, "dcopy");
  bool seen = false;
  for (int i = 0; i < call.copy_count; i++) {
    const struct ppi_contract_copy *copy = &call.copies[i];
    cr_expect_eq(copy->out, copy->operand == 2);
    cr_expect_eq(ppi_contract_copies_made(&call, copy), copy->out ? 8.0 : 4.0);
    seen = seen || copy->out;
  }
  cr_expect(seen);
}

/* gemv does nothing where there is nothing to sum up: zeros do it. */
Test(calls, an_empty_sum_is_zero) {
  struct ppi_contraction empty;
  struct ppi_contract_call call;
  static const char *const names[] = { "a", "i", "b" };
  static const int64_t extents[] = { 3, 0, 4 };
  cr_assert_eq(read_extents("ai,ib->ab", names, extents, 3, &empty), PERFPRED_OK);
  cr_expect_eq(empty.flops, 0.0);
  cr_expect_str_eq(text_of(&empty, "b-dgemv", &call), "dgemv(N,3,0,1,A,3,B,1,1,C,1)");
  cr_expect(call.zero && call.accumulates);
  cr_expect_str_eq(text_of(&empty, "dgemm", &call), "dgemm(N,N,3,4,0,1,A,3,B,1,1,C,3)");
}

Test(fusion, neighbours_become_one_index) {
  struct ppi_contraction first = read_typed("ai,ibc->abc", PPI_TYPE_D, (const int64_t[]){ 3, 2, 4, 5, 0 });
  struct ppi_contract_call call;
  ppi_contraction_fuse(&first);
  cr_assert_eq(first.index_count, 3);
  cr_expect_eq(first.index[2].extent, 20);
  cr_expect_str_eq(first.index[2].joined, "bc");
  cr_expect_str_eq(first.index[0].joined, "a");
  cr_expect_eq(first.flops, 240.0);
  cr_expect_eq(count_of(&first, &all), 10);
  cr_expect_str_eq(text_of(&first, "dgemm", &call), "dgemm(N,N,3,20,2,1,A,3,B,2,0,C,3)");
  /* three in a row, and not in the other order, nor where they are of different kinds */
  struct ppi_contraction many = read_plain("xyzk,kab->xyzba");
  ppi_contraction_fuse(&many);
  cr_expect_eq(many.index_count, 4);
  cr_expect_str_eq(many.index[0].joined, "xyz");
  struct ppi_contraction none = read_plain("ija,jbic->abc");
  ppi_contraction_fuse(&none);
  cr_expect_eq(none.index_count, 5);
}
