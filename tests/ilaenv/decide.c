/* SPDX-License-Identifier: BSD-3-Clause */
/* What a table answers: bounds, options, questions of drivers, absurd sizes and names (cases C01-C03, C05, C09, C12). */
#include <criterion/criterion.h>

#include <sys/mman.h>
#include <unistd.h>

#include "decide.h"
#include "sample.h"
#include "stock.h"

static const struct sample_routine routines[] = {
  { "DGEHRD", "", PPI_TABLE_NONE, PPI_TABLE_N1, { { 200, 20, 3, 150 }, { OPEN, 160, 4, 130 } }, { 0 }, { 0 } },
  { "DGEQRF", "", PPI_TABLE_NONE, PPI_TABLE_MIN12, { { 300, 24, 2, 64 }, { OPEN, 40, 2, 96 } }, { 0 }, { 0 } },
  { "DGETRF",
    "",
    PPI_TABLE_N2,
    PPI_TABLE_N1,
    { { 50, 8, 0, STOCK }, { OPEN, 16, 0, STOCK }, { OPEN, 32, 0, STOCK } },
    { 2, 1 },
    { 100, OPEN } },
  { "DGETRI", "", PPI_TABLE_NONE, PPI_TABLE_N1, { { OPEN, 8192, 0, STOCK } }, { 0 }, { 0 } },
  { "DORGLQ", "", PPI_TABLE_NONE, PPI_TABLE_MAX123, { { OPEN, 18, 2, 128 } }, { 0 }, { 0 } },
  { "DORGQR", "", PPI_TABLE_NONE, PPI_TABLE_N2, { { 99, 12, 2, 128 }, { OPEN, 36, 2, 128 } }, { 0 }, { 0 } },
  { "DORMLQ", "", PPI_TABLE_NONE, PPI_TABLE_MAX123, { { OPEN, 44, 2, STOCK } }, { 0 }, { 0 } },
  { "DORMQL", "", PPI_TABLE_NONE, PPI_TABLE_MAX123, { { OPEN, 52, 2, STOCK } }, { 0 }, { 0 } },
  { "DORMQR", "", PPI_TABLE_NONE, PPI_TABLE_MAX123, { { 999, 48, 2, STOCK }, { OPEN, 160, 2, STOCK } }, { 0 }, { 0 } },
  { "DPOTRF", "U", PPI_TABLE_NONE, PPI_TABLE_N1, { { OPEN, 72, 0, STOCK } }, { 0 }, { 0 } },
  { "DPOTRF",
    "",
    PPI_TABLE_NONE,
    PPI_TABLE_N1,
    { { 100, 104, 0, STOCK }, { 200, 0, 5, 7 }, { OPEN, 88, 0, STOCK } },
    { 0 },
    { 0 } },
  { "DSYTRD", "", PPI_TABLE_NONE, PPI_TABLE_N1, { { OPEN, 56, 2, 40 } }, { 0 }, { 0 } },
  { "DTRTRI", "LN", PPI_TABLE_NONE, PPI_TABLE_N1, { { OPEN, 96, 0, STOCK } }, { 0 }, { 0 } },
};
#define ROUTINES ((int)(sizeof routines / sizeof routines[0]))

static struct sample sample;
static struct ppi_table table;

static void set_up(void) {
  sample_make(&sample, routines, ROUTINES);
  cr_assert_eq(ppi_table_check(sample.bytes, sample.length, &table), PPI_TABLE_GOOD);
}
TestSuite(decide, .init = set_up);

static struct ppi_ilaenv_question question(int ispec, const char *name, const char *options, int64_t n1, int64_t n2,
                                           int64_t n3, int64_t n4) {
  struct ppi_ilaenv_question made = { .ispec = ispec, .sizes = { n1, n2, n3, n4 } };
  ppi_ilaenv_question_set(&made, name, strlen(name), options, strlen(options));
  return made;
}

/* The answer, or -1000 where the table has none. */
static int64_t ask(int ispec, const char *name, const char *options, int64_t n1, int64_t n2, int64_t n3, int64_t n4) {
  const struct ppi_ilaenv_question asked = question(ispec, name, options, n1, n2, n3, n4);
  int64_t answer = -1000;
  const bool decided = ppi_ilaenv_decide(&table, &asked, &answer);
  cr_assert_eq(decided, answer != -1000);
  return answer;
}
#define NONE (-1000)

Test(decide, bounds_are_inclusive) {
  cr_assert_eq(ask(1, "DPOTRF", "L", 1, -1, -1, -1), 104);
  cr_assert_eq(ask(1, "DPOTRF", "L", 100, -1, -1, -1), 104);
  cr_assert_eq(ask(1, "DPOTRF", "L", 101, -1, -1, -1), NONE);
  cr_assert_eq(ask(1, "DPOTRF", "L", 201, -1, -1, -1), 88);
}

Test(decide, parts_of_a_cell_may_be_stock) {
  cr_assert_eq(ask(2, "DPOTRF", "L", 150, -1, -1, -1), 5);
  cr_assert_eq(ask(3, "DPOTRF", "L", 150, -1, -1, -1), 7);
  cr_assert_eq(ask(2, "DPOTRF", "L", 50, -1, -1, -1), NONE);
  cr_assert_eq(ask(3, "DPOTRF", "L", 50, -1, -1, -1), NONE);
}

Test(decide, options_choose_the_entry) {
  cr_assert_eq(ask(1, "DPOTRF", "U", 50, -1, -1, -1), 72);
  cr_assert_eq(ask(1, "DPOTRF", "u", 50, -1, -1, -1), 72);
  cr_assert_eq(ask(1, "DPOTRF", "", 50, -1, -1, -1), 104);
  cr_assert_eq(ask(1, "DTRTRI", "LN", 50, -1, -1, -1), 96);
  cr_assert_eq(ask(1, "DTRTRI", "LU", 50, -1, -1, -1), NONE);
  cr_assert_eq(ask(1, "DTRTRI", "L", 50, -1, -1, -1), NONE);
}

Test(decide, two_sizes) {
  cr_assert_eq(ask(1, "DGETRF", " ", 50, 100, -1, -1), 8);
  cr_assert_eq(ask(1, "DGETRF", " ", 51, 100, -1, -1), 16);
  cr_assert_eq(ask(1, "DGETRF", " ", 51, 101, -1, -1), 32);
  cr_assert_eq(ask(1, "DGEQRF", " ", 5000, 300, -1, -1), 24);
  cr_assert_eq(ask(3, "DGEQRF", " ", 301, 5000, -1, -1), 96);
}

Test(decide, unknown_names_have_no_answer) {
  static const char *const names[] = { "",      "D",      "SPOTRF",     "DPOTR", "DPOTRF2", "DPOTRFX", "DSYTRD_2STAGE",
                                       "DGEQR", "XPOTRF", "     DPOTRF" };
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    for (int ispec = 1; ispec <= 3; ispec++)
      cr_assert_eq(ask(ispec, names[i], "L", 50, -1, -1, -1), NONE, "%s", names[i]);
}

Test(decide, names_in_any_case_and_length) {
  cr_assert_eq(ask(1, "dpotrf", "L", 50, -1, -1, -1), 104);
  cr_assert_eq(ask(1, "dpotrf   ", "L", 50, -1, -1, -1), 104);
  cr_assert_eq(ask(1, "DPOTRF                  ", "L", 50, -1, -1, -1), 104);
}

/* C09: a name that ends where the readable memory ends; lengths in the lower half of a word alone; none at all. */
Test(decide, nothing_is_read_behind_a_name) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  cr_assert_neq(pages, MAP_FAILED);
  cr_assert_eq(mprotect(pages + page, page, PROT_NONE), 0);
  char *name = pages + page - 6;
  struct ppi_ilaenv_question asked = { .ispec = 1, .sizes = { 50, -1, -1, -1 } };
  int64_t answer = 0;
  memcpy(name, "DPOTRF", 6);
  ppi_ilaenv_question_set(&asked, name, 6, pages + page - 1, 1);
  cr_assert(ppi_ilaenv_decide(&table, &asked, &answer));
  cr_assert_eq(answer, 104);
  ppi_ilaenv_question_set(&asked, name, (size_t)0xDEADBEEF00000006U, name, (size_t)0xDEADBEEF00000000U);
  cr_assert(ppi_ilaenv_decide(&table, &asked, &answer));
  ppi_ilaenv_question_set(&asked, pages + page, 0, pages + page, 0);
  cr_assert_not(ppi_ilaenv_decide(&table, &asked, &answer));
  ppi_ilaenv_question_set(&asked, name, (size_t)-1, NULL, 5);
  cr_assert_not(ppi_ilaenv_decide(&table, &asked, &answer));
  cr_assert_eq(asked.options[0], ' ');
  memcpy(name, "DLATR\0", 6);
  ppi_ilaenv_question_set(&asked, name, 4096, "L", 4096);
  cr_assert_eq(memcmp(asked.name, "DLATR           ", 16), 0);
  cr_assert_eq(memcmp(asked.options, "L       ", 8), 0);
  munmap(pages, 2 * page);
}

/* C01: without the 7 columns more, DORMQR would compute with (48 * 600 - 4160) / 600 = 41 columns in DGELSY. */
Test(decide, a_driver_gets_room_for_the_factor) {
  cr_assert_eq(ask(1, "DORMQR", "LT", 600, 600, 600, -1), 48);
  cr_assert_eq(ask(1, "DORMQR", " ", 600, 600, 600, -1), 48 + 7);
  cr_assert_eq(ask(1, "DORMQR", "", 600, 600, 600, -1), 48 + 7);
  cr_assert_eq(ask(1, "DORMQR", " ", 500, 500, 1, -1), 48 + 4160);
  cr_assert_eq(ask(1, "DORMQR", " ", 500, 500, 0, -1), 48 + 4160);
  cr_assert_eq(ask(1, "DORMLQ", " ", 500, 500, 4160, -1), 44 + 1);
  for (int64_t n = 1; n < 1500; n += 7)
    for (int64_t nrhs = 1; nrhs < 1500; nrhs += 11) {
      const int64_t used = ask(1, "DORMQR", "LT", n, nrhs, n, -1);
      cr_assert_geq((ask(1, "DORMQR", " ", n, n, nrhs, -1) * nrhs - 4160) / nrhs, used);
    }
}

/* A table of version 2: what the routine asks for is its own, what drivers ask for is enough for all of them. */
Test(decide, uses_with_answers_of_their_own) {
  static const struct sample_routine uses[] = {
    { "DORMQR",
      "LN",
      PPI_TABLE_NONE,
      PPI_TABLE_MAX123,
      { { 99, 16, 2, STOCK }, { OPEN, 56, 2, STOCK } },
      { 0 },
      { 0 } },
    { "DORMQR", "LT", PPI_TABLE_NONE, PPI_TABLE_MAX123, { { OPEN, 24, 2, STOCK } }, { 0 }, { 0 } },
    { "DORMQR", "", PPI_TABLE_NONE, PPI_TABLE_MAX123, { { 99, 24, 2, STOCK }, { OPEN, 56, 2, STOCK } }, { 0 }, { 0 } },
  };
  sample_make(&sample, uses, 3);
  ((struct ppi_table_header *)sample.bytes)->version = 2;
  sample_seal(&sample);
  cr_assert_eq(ppi_table_check(sample.bytes, sample.length, &table), PPI_TABLE_GOOD);
  cr_assert_eq(ask(1, "DORMQR", "LN", 99, 9, 9, -1), 16);
  cr_assert_eq(ask(1, "DORMQR", "ln", 99, 9, 100, -1), 56);
  cr_assert_eq(ask(1, "DORMQR", "LT", 600, 9, 9, -1), 24);
  cr_assert_eq(ask(1, "DORMQR", "RN", 99, 9, 9, -1), 24);
  cr_assert_eq(ask(1, "DORMQR", "RT", 600, 600, 600, -1), 56);
  cr_assert_eq(ask(1, "DORMQR", " ", 600, 600, 600, -1), 56 + 7);
  cr_assert_eq(ask(1, "DORMTR", "L", 416, -1, -1, -1), 56 + 10 + 1); /* of DSYEVR, with UPLO */
  cr_assert_eq(ask(1, "DORMBR", "QLT", 416, 416, 416, -1), 56 + 10); /* of DGELSD, with VECT before SIDE */
}

/* C03 */
Test(decide, no_block_above_64_where_lapack_has_none) {
  cr_assert_eq(ask(1, "DORMQR", "LT", 1000, 1000, 1000, -1), 64);
  cr_assert_eq(ask(1, "DGEHRD", " ", 500, 1, 500, -1), 64);
}

Test(decide, questions_of_the_eigenvalue_drivers) {
  cr_assert_eq(ask(1, "DGEHRD", " ", 200, 1, 200, -1), 20);
  cr_assert_eq(ask(1, "DGEHRD", " ", 200, 1, 200, 0), 20 + 21); /* 4160 / 200 = 20.8 */
  cr_assert_eq(ask(3, "DGEHRD", " ", 200, 1, 200, -1), 150);
  cr_assert_eq(ask(1, "DORGHR", " ", 100, 1, 100, -1), 12); /* DORGQR of 99 columns */
  cr_assert_eq(ask(1, "DORGHR", " ", 101, 1, 101, -1), 36);
  cr_assert_eq(ask(1, "DORGHR", " ", 0, 1, 0, -1), 12);
  cr_assert_eq(ask(1, "DGEQRF", " ", 400, 1, 400, 0), 40); /* of DGGEV: 400 x 400 */
  cr_assert_eq(ask(1, "DGEQRF", " ", 400, 1, -1, -1), 24);
  cr_assert_eq(ask(1, "DORGQR", " ", 400, 1, 400, -1), 36);
  cr_assert_eq(ask(1, "DORMTR", "U", 416, -1, -1, -1), 52 + 10 + 1);
  cr_assert_eq(ask(1, "DORMTR", "L", 416, -1, -1, -1), 48 + 10 + 1);
}

Test(decide, questions_of_the_singular_value_drivers) {
  cr_assert_eq(ask(1, "DORMBR", "QLT", 500, 416, 500, -1), 48 + 10);
  cr_assert_eq(ask(1, "DORMBR", "PLN", 500, 416, 500, -1), 44 + 10);
  cr_assert_eq(ask(1, "DORMBR", "QRN", 416, 500, 500, -1), 48 + 10);
  cr_assert_eq(ask(1, "DORGBR", "P", 300, 300, 300, -1), 18);
  cr_assert_eq(ask(1, "DORGBR", "Q", 300, 300, 300, -1), 36);
}

/* C02: the workspaces of callers are counted in 32 bits. */
Test(decide, products_with_the_sizes_fit) {
  static const int64_t sizes[] = { 200000, 1000000, 100000000, 1000000000, INT32_MAX };
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    const int64_t n = sizes[i], nb = ask(1, "DGETRI", " ", n, -1, -1, -1);
    cr_assert_geq(nb, 1);
    cr_assert(nb == 1 || (nb + 3) * n <= INT32_MAX, "%ld columns of %ld", (long)nb, (long)n);
    const int64_t driver = ask(1, "DORMQR", " ", n, n, 1, -1);
    cr_assert_geq(driver, 1);
    cr_assert(driver == 1 || driver * (n + 1) + 3 * n <= INT32_MAX);
  }
  cr_assert_eq(ask(1, "DGETRI", " ", 1000, -1, -1, -1), 8192);
}

Test(decide, wide_integers_have_room) {
  struct ppi_ilaenv_question asked = question(1, "DGETRI", " ", (int64_t)1 << 40, -1, -1, -1);
  int64_t answer = 0;
  asked.wide = true;
  cr_assert(ppi_ilaenv_decide(&table, &asked, &answer));
  cr_assert_eq(answer, 8192);
  asked = question(1, "DORMQR", " ", INT64_MAX, INT64_MAX, INT64_MAX, -1);
  asked.wide = true;
  cr_assert(ppi_ilaenv_decide(&table, &asked, &answer));
  cr_assert_eq(answer, 64 + 1);
  asked = question(1, "DORGHR", " ", INT64_MAX, INT64_MIN, INT64_MAX, -1);
  asked.wide = true;
  cr_assert(ppi_ilaenv_decide(&table, &asked, &answer));
  cr_assert_eq(answer, 36);
}

/* C12 and worse: every answer to ISPEC 1 is at least 1 */
Test(decide, any_sizes) {
  static const int64_t sizes[] = { INT32_MIN, -5, -1, 0, 1, 7, 999, INT32_MAX };
  enum { SIZES = sizeof sizes / sizeof sizes[0] };
  for (int i = 0; i < ROUTINES; i++)
    for (int at = 0; at < SIZES * SIZES * SIZES * 2; at++) {
      const int64_t nb = ask(1, routines[i].name, at % 2 ? "LT" : " ", sizes[at / 2 % SIZES],
                             sizes[at / 2 / SIZES % SIZES], sizes[at / 2 / SIZES / SIZES], -1);
      cr_assert(nb >= 1 || nb == NONE);
    }
}

/* C05 */
Test(decide, only_ispec_1_to_3_are_the_tables) {
  for (int ispec = -3; ispec < 20; ispec++)
    if (ispec < 1 || ispec > 3)
      cr_assert_eq(ask(ispec, "DPOTRF", "L", 50, -1, -1, -1), NONE);
}

Test(decide, an_empty_table_has_no_answer) {
  static struct sample empty;
  sample_make(&empty, routines, 0);
  cr_assert_eq(ppi_table_check(empty.bytes, empty.length, &table), PPI_TABLE_GOOD);
  cr_assert_eq(ask(1, "DPOTRF", "L", 50, -1, -1, -1), NONE);
}
