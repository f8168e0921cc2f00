/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables that must not be taken, and that those which are taken never lead outside of themselves. */
#include <criterion/criterion.h>

#include <stdlib.h>

#include "sample.h"

static const struct sample_routine routines[] = {
  { "DGETRF",
    "",
    PPI_TABLE_N2,
    PPI_TABLE_N1,
    { { 50, 8, 0, STOCK }, { OPEN, 16, 0, STOCK }, { OPEN, 32, 0, STOCK } },
    { 2, 1 },
    { 100, OPEN } },
  { "DORMQR", "", PPI_TABLE_NONE, PPI_TABLE_MAX123, { { 999, 48, 2, STOCK }, { OPEN, 64, 2, 9 } }, { 0 }, { 0 } },
  { "DPOTRF", "U", PPI_TABLE_NONE, PPI_TABLE_N1, { { OPEN, 72, 0, STOCK } }, { 0 }, { 0 } },
  { "DPOTRF", "", PPI_TABLE_NONE, PPI_TABLE_N1, { { 100, 104, 0, STOCK }, { OPEN, 88, 0, STOCK } }, { 0 }, { 0 } },
};
#define ROUTINES ((int)(sizeof routines / sizeof routines[0]))

static struct sample sample;
static struct ppi_table untouched;

static void set_up(void) {
  sample_make(&sample, routines, ROUTINES);
}
TestSuite(hostile, .init = set_up);

static enum ppi_table_fault check(void) {
  struct ppi_table table = untouched;
  const enum ppi_table_fault fault = ppi_table_check(sample.bytes, sample.length, &table);
  if (fault != PPI_TABLE_GOOD)
    cr_assert_null(table.header);
  cr_assert_not_null(ppi_table_fault_text(fault));
  return fault;
}

static struct ppi_table_header *header(void) {
  return (struct ppi_table_header *)sample.bytes;
}

static struct ppi_table_routine *routine(int place) {
  return (struct ppi_table_routine *)(header() + 1) + place;
}

static struct ppi_table_row *row(int place) {
  return (struct ppi_table_row *)routine(ROUTINES) + place;
}

static struct ppi_table_cell *cell(int place) {
  return (struct ppi_table_cell *)row((int)header()->row_count) + place;
}

Test(hostile, the_sample_itself_is_good) {
  cr_assert_eq(check(), PPI_TABLE_GOOD);
  cr_assert_eq(sample.length, 640 + 4 * 16 + 5 * 8 + 8 * 12);
}

Test(hostile, crc_is_the_known_one) {
  cr_assert_eq(ppi_table_crc(0, "123456789", 9), 0xCBF43926U);
  cr_assert_eq(ppi_table_crc(0, "", 0), 0U);
  cr_assert_eq(ppi_table_crc(ppi_table_crc(0, "1234", 4), "56789", 5), 0xCBF43926U);
}

Test(hostile, every_length_but_one_is_refused) {
  const size_t whole = sample.length;
  for (sample.length = 0; sample.length < whole; sample.length++)
    cr_assert_neq(check(), PPI_TABLE_GOOD, "%zu bytes", sample.length);
  sample.length = whole + 1;
  cr_assert_eq(check(), PPI_TABLE_BAD_SIZE);
}

Test(hostile, every_changed_bit_is_noticed) {
  for (size_t i = 0; i < 8 * sample.length; i++) {
    sample.bytes[i / 8] ^= (unsigned char)(1U << i % 8);
    cr_assert_neq(check(), PPI_TABLE_GOOD, "bit %zu", i);
    sample.bytes[i / 8] ^= (unsigned char)(1U << i % 8);
  }
  cr_assert_eq(check(), PPI_TABLE_GOOD);
}

/* With a right checksum: made by somebody who means harm. */
#define EXPECT(change, fault)                                                                                          \
  do {                                                                                                                 \
    set_up();                                                                                                          \
    change;                                                                                                            \
    sample_seal(&sample);                                                                                              \
    cr_expect_eq(check(), fault, #change);                                                                             \
  } while (0)

Test(hostile, headers) {
  EXPECT(header()->magic[7] = '2', PPI_TABLE_FOREIGN);
  EXPECT(header()->version = 3, PPI_TABLE_OTHER_VERSION);
  EXPECT(header()->reserved[2] = 1, PPI_TABLE_OTHER_VERSION);
  EXPECT(header()->bytes++, PPI_TABLE_BAD_SIZE);
  EXPECT(header()->routine_count = UINT32_MAX, PPI_TABLE_BAD_SIZE);
  EXPECT(header()->row_count = 0x80000000U, PPI_TABLE_BAD_SIZE);
  EXPECT(header()->cell_count = 0x55555556U, PPI_TABLE_BAD_SIZE);
  EXPECT((header()->row_count += 3, header()->cell_count -= 2), PPI_TABLE_BAD_CELLS);
  EXPECT(memset(header()->cpu, 'x', 80), PPI_TABLE_BAD_TEXT);
  EXPECT(header()->blas[0] = '\n', PPI_TABLE_BAD_TEXT);
  EXPECT(header()->lapack[200] = 'x', PPI_TABLE_BAD_TEXT);
}

Test(hostile, names) {
  EXPECT(routine(0)->name[0] = 'd', PPI_TABLE_BAD_ROUTINE);
  EXPECT(routine(0)->name[0] = '1', PPI_TABLE_BAD_ROUTINE);
  EXPECT(routine(0)->name[3] = ' ', PPI_TABLE_BAD_ROUTINE);
  EXPECT(routine(0)->name[7] = '\0', PPI_TABLE_BAD_ROUTINE);
  EXPECT(memset(routine(0)->name, ' ', 8), PPI_TABLE_BAD_ROUTINE);
  EXPECT(routine(0)->name[0] = 'E', PPI_TABLE_BAD_ROUTINE); /* out of order */
  EXPECT(routine(2)->options[0] = 'u', PPI_TABLE_BAD_ROUTINE);
}

Test(hostile, sizes_and_rows) {
  EXPECT(routine(0)->row_size = PPI_TABLE_SIZE_END, PPI_TABLE_BAD_ROUTINE);
  EXPECT(routine(0)->row_size = PPI_TABLE_NONE, PPI_TABLE_BAD_ROUTINE);
  EXPECT(routine(0)->cell_size = PPI_TABLE_NONE, PPI_TABLE_BAD_ROUTINE);
  EXPECT(routine(0)->cell_size = 255, PPI_TABLE_BAD_ROUTINE);
  EXPECT(routine(0)->row_count = 0, PPI_TABLE_BAD_ROUTINE);
  EXPECT(routine(0)->row_count = 65535, PPI_TABLE_BAD_ROWS);
  EXPECT(routine(0)->first_row = 1, PPI_TABLE_BAD_ROWS);
  EXPECT(routine(3)->first_row = 0, PPI_TABLE_BAD_ROWS);
  EXPECT(row(0)->bound = OPEN, PPI_TABLE_BAD_ROWS);
  EXPECT(row(1)->bound = 1000, PPI_TABLE_BAD_ROWS);
  EXPECT(row(1)->first_cell = 65535, PPI_TABLE_BAD_CELLS);
  EXPECT(row(1)->cell_count = 65535, PPI_TABLE_BAD_CELLS);
  EXPECT(row(1)->cell_count = 0, PPI_TABLE_BAD_CELLS);
  EXPECT(row(4)->cell_count = 1, PPI_TABLE_BAD_CELLS);
}

Test(hostile, cells) {
  EXPECT(cell(0)->bound = OPEN, PPI_TABLE_BAD_CELLS);
  EXPECT(cell(1)->bound = 49, PPI_TABLE_BAD_CELLS);
  EXPECT(cell(7)->bound = 500, PPI_TABLE_BAD_CELLS);
  EXPECT(cell(0)->nb = PPI_TABLE_NB_MAX + 1, PPI_TABLE_BAD_CELLS);
  EXPECT(cell(0)->nbmin = 65535, PPI_TABLE_BAD_CELLS);
  EXPECT(cell(0)->nx = 0x80000000U, PPI_TABLE_BAD_CELLS);
}

Test(hostile, what_drivers_depend_on) {
  EXPECT(routine(1)->options[0] = 'L', PPI_TABLE_BAD_DRIVER);
  EXPECT(routine(1)->cell_size = PPI_TABLE_N1, PPI_TABLE_BAD_DRIVER);
  EXPECT(cell(4)->nb = 40, PPI_TABLE_BAD_DRIVER);
  EXPECT(cell(3)->nb = 0, PPI_TABLE_BAD_DRIVER);
}

static const struct sample_routine uses[] = {
  { "DORMQR", "LN", PPI_TABLE_NONE, PPI_TABLE_MAX123, { { 500, 24, 2, STOCK }, { OPEN, 64, 2, STOCK } }, { 0 }, { 0 } },
  { "DORMQR", "RT", PPI_TABLE_NONE, PPI_TABLE_MAX123, { { OPEN, 32, 2, STOCK } }, { 0 }, { 0 } },
  { "DORMQR", "", PPI_TABLE_NONE, PPI_TABLE_MAX123, { { 500, 32, 2, STOCK }, { OPEN, 64, 2, STOCK } }, { 0 }, { 0 } },
};

static enum ppi_table_fault check_uses(uint32_t version, int place, uint32_t bound, uint16_t nb) {
  sample_make(&sample, uses, 3);
  struct ppi_table_cell *cells = (struct ppi_table_cell *)((struct ppi_table_row *)routine(3) + 3);
  header()->version = version;
  cells[place].bound = bound;
  cells[place].nb = nb;
  sample_seal(&sample);
  return check();
}

/* Cells: LN up to 500, LN; RT; all up to 500, all. */
Test(hostile, entries_for_uses_lie_below_that_for_all) {
  cr_assert_eq(check_uses(2, 0, 500, 24), PPI_TABLE_GOOD);
  cr_assert_eq(check_uses(1, 0, 500, 24), PPI_TABLE_BAD_DRIVER, "of version 2");
  cr_assert_eq(check_uses(3, 0, 500, 24), PPI_TABLE_OTHER_VERSION);
  cr_assert_eq(check_uses(2, 0, 499, 24), PPI_TABLE_BAD_DRIVER, "64 for LN at 500, 32 for all");
  cr_assert_eq(check_uses(2, 0, 501, 24), PPI_TABLE_GOOD);
  cr_assert_eq(check_uses(2, 0, 500, 33), PPI_TABLE_BAD_DRIVER);
  cr_assert_eq(check_uses(2, 2, OPEN, 33), PPI_TABLE_BAD_DRIVER);
  cr_assert_eq(check_uses(2, 3, 500, 31), PPI_TABLE_BAD_DRIVER);
  cr_assert_eq(check_uses(2, 4, OPEN, 63), PPI_TABLE_BAD_DRIVER);
  cr_assert_eq(check_uses(2, 0, 500, 0), PPI_TABLE_BAD_DRIVER);
  cr_assert_eq(check_uses(2, 0, 500, 65), PPI_TABLE_BAD_DRIVER, "it falls");
  sample_make(&sample, uses, 2);
  header()->version = 2;
  sample_seal(&sample);
  cr_assert_eq(check(), PPI_TABLE_BAD_DRIVER, "none for all");
}

Test(hostile, multiplications_are_told_from_others) {
  static const char *const are[] = { "DORMQR  ", "SORMRQ  ", "ZUNMLQ  ", "CUNMQL  " };
  static const char *const are_not[] = { "DORMTR  ", "DORMBR  ", "DORMHR  ", "DORGQR  ", "DORMQQ  ",
                                         "DORMLR  ", "DORMQRX ", "DGEQRF  ", "DORMRZ  ", "DORM2R  " };
  for (size_t i = 0; i < sizeof are / sizeof are[0]; i++)
    cr_expect(ppi_table_is_multiply(are[i]), "%s", are[i]);
  for (size_t i = 0; i < sizeof are_not / sizeof are_not[0]; i++)
    cr_expect_not(ppi_table_is_multiply(are_not[i]), "%s", are_not[i]);
}

/* Looks up everything that is in a table, at sizes from below 0 to beyond 32 bits. */
static void ask_everything(const struct ppi_table *table) {
  static const int64_t sizes[][4] = { { 0, 0, 0, 0 },
                                      { INT64_MIN, INT64_MAX, INT64_MIN, -1 },
                                      { INT64_MAX, INT64_MIN, INT64_MAX, INT64_MAX },
                                      { INT64_MAX, 0, INT64_MAX, 7 },
                                      { 100, 100, 100, 100 } };
  for (uint32_t i = 0; i < table->header->routine_count; i++)
    for (size_t j = 0; j < sizeof sizes / sizeof sizes[0]; j++) {
      const struct ppi_table_routine *found =
          ppi_table_find(table, table->routines[i].name, table->routines[i].options);
      cr_assert_not_null(found);
      const struct ppi_table_cell *answer = ppi_table_look_up(table, found, sizes[j]);
      cr_assert(answer >= table->cells && answer < table->cells + table->header->cell_count);
    }
}

/* A generator of our own, so that every run is the same. */
static uint32_t next(uint32_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state;
}

Test(hostile, damaged_at_random_with_a_right_checksum) {
  uint32_t state = 12345;
  int taken = 0;
  for (int round = 0; round < 200000; round++) {
    struct ppi_table table;
    set_up();
    for (uint32_t changes = 1 + next(&state) % 3; changes > 0; changes--) {
      const uint32_t place = 20 + next(&state) % (uint32_t)(sample.length - 20);
      if (place >= 48 && place < 640)
        continue;
      sample.bytes[place] = (unsigned char)(next(&state) % 4 ? next(&state) % 8 : next(&state));
    }
    sample_seal(&sample);
    if (ppi_table_check(sample.bytes, sample.length, &table) == PPI_TABLE_GOOD) {
      ask_everything(&table);
      taken++;
    }
  }
  cr_assert_gt(taken, 100, "some changes are harmless; without them nothing was looked up");
}

/* The largest table, and one that is larger. */
Test(hostile, sixty_four_kilobytes) {
  enum { CELLS = (PPI_TABLE_BYTES_MAX - 640 - 16 - 8) / 12 };
  static struct { _Alignas(8) unsigned char bytes[PPI_TABLE_BYTES_MAX + 12]; } large;
  struct ppi_table_header *head = (struct ppi_table_header *)large.bytes;
  for (int extra = 0; extra <= 1; extra++) {
    const uint32_t cells = CELLS + (uint32_t)extra;
    const size_t length = 640 + 16 + 8 + 12 * (size_t)cells;
    struct ppi_table table;
    memset(&large, 0, sizeof large);
    *head = *header();
    head->routine_count = head->row_count = 1;
    head->cell_count = cells;
    head->bytes = (uint32_t)length;
    struct ppi_table_routine *only = (struct ppi_table_routine *)(head + 1);
    *only = *routine(2);
    only->first_row = 0;
    struct ppi_table_row *single = (struct ppi_table_row *)(only + 1);
    *single = (struct ppi_table_row){ OPEN, 0, (uint16_t)cells };
    struct ppi_table_cell *all = (struct ppi_table_cell *)(single + 1);
    for (uint32_t i = 0; i < cells; i++)
      all[i] = (struct ppi_table_cell){ i + 1 < cells ? i : OPEN, (uint16_t)(1 + i), 0, STOCK };
    head->checksum = ppi_table_checksum(large.bytes, length);
    cr_assert_eq(ppi_table_check(large.bytes, length, &table), extra ? PPI_TABLE_BAD_SIZE : PPI_TABLE_GOOD);
    if (!extra)
      for (int64_t n = 0; n < CELLS - 1; n++)
        cr_assert_eq(ppi_table_look_up(&table, only, (const int64_t[4]){ n, 0, 0, 0 })->nb, n + 1);
  }
}
