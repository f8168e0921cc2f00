/* SPDX-License-Identifier: BSD-3-Clause */
/* Layout of a decision table: block sizes for ILAENV, written by the library, read by the override (src/ilaenv), which
   links nothing of ours. So this header needs nothing to be linked and includes none of ours. doc/decision-table.md
   describes the file.

   Header, routines, rows and cells follow one another without gaps, all numbers little-endian. A routine owns the rows
   that follow those of the routine before it, a row the cells that follow those of the row before it: a table has one
   form only, and ppi_table_check accepts no other. Hosts of the other byte order refuse every table. */
#ifndef PPI_STORE_TABLE_FORMAT_H
#define PPI_STORE_TABLE_FORMAT_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PPI_TABLE_MAGIC "PPTABLE1"
#define PPI_TABLE_VERSION 1
#define PPI_TABLE_VERSION_USES 2 /* xORMQR and the like have answers for options, too */
#define PPI_TABLE_BYTES_MAX 65536
#define PPI_TABLE_ROUTINES_MAX 1024
#define PPI_TABLE_OPEN UINT32_MAX /* bound of the last row of a routine and of the last cell of a row */
#define PPI_TABLE_NB_MAX 8192     /* of nb and nbmin */
#define PPI_TABLE_NX_MAX INT32_MAX
#define PPI_TABLE_NX_STOCK UINT32_MAX

/* What is made of the sizes N1..N4 of a question to pick a row or a cell. Negative ones, which ILAENV is given for those
   that a routine does not have, and results count as 0. */
enum ppi_table_size {
  PPI_TABLE_NONE, /* rows only: there is one, the table of the routine has one dimension */
  PPI_TABLE_N1,
  PPI_TABLE_N2,
  PPI_TABLE_N3,
  PPI_TABLE_N4,
  PPI_TABLE_MIN12,   /* the smaller one of N1 and N2 */
  PPI_TABLE_MAX12,   /* the larger one of them */
  PPI_TABLE_MAX123,  /* the largest one of N1, N2, N3 */
  PPI_TABLE_SPAN23,  /* N3 - N2 + 1: the active rows of xGEHRD, whose N2 and N3 are ILO and IHI */
  PPI_TABLE_SIZE_END /* not a size */
};

/* Texts end in a null byte and are filled with null bytes; they hold no control characters. */
struct ppi_table_header {
  char magic[8];
  uint32_t version;
  uint32_t bytes;    /* of the whole file */
  uint32_t checksum; /* CRC-32 of the whole file, with 0 in place of this member */
  uint32_t routine_count, row_count, cell_count;
  uint32_t threads; /* of the BLAS that the table was made for; 0: any */
  uint32_t reserved[3];
  char cpu[80];     /* model name, as /proc/cpuinfo has it, cut to fit; "": the table holds for every CPU */
  char blas[256];   /* what identifies it, for people */
  char lapack[256]; /* the same */
};

/* Routines stand in the order of the bytes of their names. Of several with one name the first that fits the options is
   taken, so that the one without options comes last. */
struct ppi_table_routine {
  char name[8];    /* "DPOTRF  ": upper case, filled with blanks */
  char options[2]; /* upper-case letters that OPTS has to start with; 0: any */
  uint8_t row_size, cell_size;
  uint16_t first_row, row_count; /* 1 where row_size is PPI_TABLE_NONE */
};

/* The first row whose bound is not below the size is taken; so is the cell. Bounds rise. */
struct ppi_table_row {
  uint32_t bound; /* PPI_TABLE_OPEN in the last one */
  uint16_t first_cell, cell_count;
};

struct ppi_table_cell {
  uint32_t bound; /* PPI_TABLE_OPEN in the last one */
  uint16_t nb;    /* ISPEC=1; 0: stock */
  uint16_t nbmin; /* ISPEC=2; 0: stock */
  uint32_t nx;    /* ISPEC=3; PPI_TABLE_NX_STOCK: stock */
};

static_assert(sizeof(struct ppi_table_header) == 640 && offsetof(struct ppi_table_header, checksum) == 16 &&
                  offsetof(struct ppi_table_header, cpu) == 48,
              "no gaps");
static_assert(sizeof(struct ppi_table_routine) == 16 && sizeof(struct ppi_table_row) == 8 &&
                  sizeof(struct ppi_table_cell) == 12,
              "no gaps");

/* A table in memory: places inside the bytes that were checked. */
struct ppi_table {
  const struct ppi_table_header *header;
  const struct ppi_table_routine *routines;
  const struct ppi_table_row *rows;
  const struct ppi_table_cell *cells;
};

enum ppi_table_fault {
  PPI_TABLE_GOOD,
  PPI_TABLE_SHORT,       /* too short for a header */
  PPI_TABLE_FOREIGN,     /* not a decision table */
  PPI_TABLE_OTHER_ORDER, /* this host stores numbers the other way round */
  PPI_TABLE_OTHER_VERSION,
  PPI_TABLE_BAD_SIZE,     /* larger than allowed, or not as long as the header and its counts say */
  PPI_TABLE_BAD_CHECKSUM, /* damaged */
  PPI_TABLE_BAD_TEXT,
  PPI_TABLE_BAD_ROUTINE, /* name, options, sizes or order */
  PPI_TABLE_BAD_ROWS,
  PPI_TABLE_BAD_CELLS,
  PPI_TABLE_BAD_DRIVER, /* see ppi_table_is_multiply */
};

/* What a fault is, as the end of "table 'x': ...". */
static inline const char *ppi_table_fault_text(enum ppi_table_fault fault) {
  static const char *const texts[] = {
    "",
    "too short for a decision table",
    "not a decision table",
    "decision tables cannot be used on machines of this byte order",
    "a decision table of another version, expected version 1 or 2",
    "its length is not what its header says, or above 65536 bytes",
    "damaged: its checksum is wrong",
    "a text of its header is not terminated or holds control characters",
    "a routine has a wrong name, wrong options or sizes, or stands out of order",
    "the rows of a routine do not follow one another with rising bounds up to an open one",
    "the cells of a row do not follow one another with rising bounds up to an open one and values in range",
    "xORMQR and the like need block sizes over the largest size that do not fall, those without options the largest",
  };
  return texts[fault];
}

/* CRC-32 as in zlib: reflected polynomial 0xEDB88320; "123456789" gives 0xCBF43926. Start with crc = 0. */
static inline uint32_t ppi_table_crc(uint32_t crc, const void *data, size_t bytes) {
  static const uint32_t nibbles[16] = {
    0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
    0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C, 0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C,
  };
  const unsigned char *at = (const unsigned char *)data;
  crc = ~crc;
  for (size_t i = 0; i < bytes; i++) {
    crc ^= at[i];
    crc = crc >> 4 ^ nibbles[crc & 15];
    crc = crc >> 4 ^ nibbles[crc & 15];
  }
  return ~crc;
}

/* The checksum that belongs into the header of a table of at least a header's length. */
static inline uint32_t ppi_table_checksum(const void *data, size_t bytes) {
  static const unsigned char zero[sizeof(uint32_t)] = { 0 };
  const size_t place = offsetof(struct ppi_table_header, checksum);
  const unsigned char *at = (const unsigned char *)data;
  uint32_t crc = ppi_table_crc(0, at, place);
  crc = ppi_table_crc(crc, zero, sizeof zero);
  return ppi_table_crc(crc, at + place + sizeof zero, bytes - place - sizeof zero);
}

/* xORMQR, xUNMQR and the three others like them. Drivers size their workspace with other options and permuted sizes
   than the routine asks with, so that its block size may depend on the largest size alone and must not fall, and the
   entry without options, which drivers get, has the largest block sizes of all. */
static inline bool ppi_table_is_multiply(const char *name) {
  return (memcmp(name + 1, "ORM", 3) == 0 || memcmp(name + 1, "UNM", 3) == 0) &&
         (name[4] == 'Q' || name[4] == 'R' || name[4] == 'L') && (name[5] == 'R' || name[5] == 'Q' || name[5] == 'L') &&
         (name[4] == 'Q') != (name[5] == 'Q') && name[6] == ' ';
}

static inline bool ppi_table_text_good(const char *text, size_t size) {
  size_t length = 0;
  while (length < size && text[length] != '\0')
    if ((unsigned char)text[length] < 0x20 || text[length++] == 0x7F)
      return false;
  if (length == size)
    return false;
  for (; length < size; length++)
    if (text[length] != '\0')
      return false;
  return true;
}

/* Capital letters and digits, the first one a letter, then blanks. */
static inline bool ppi_table_name_good(const char name[8]) {
  size_t length = 0;
  for (; length < 8 && name[length] != ' '; length++)
    if (!(name[length] >= 'A' && name[length] <= 'Z') && !(length > 0 && name[length] >= '0' && name[length] <= '9'))
      return false;
  if (length < 4)
    return false;
  for (; length < 8; length++)
    if (name[length] != ' ')
      return false;
  return true;
}

static inline bool ppi_table_option_good(char option) {
  return option == '\0' || (option >= 'A' && option <= 'Z');
}

static inline bool ppi_table_routine_good(const struct ppi_table_routine *routine) {
  return ppi_table_name_good(routine->name) && ppi_table_option_good(routine->options[0]) &&
         ppi_table_option_good(routine->options[1]) && routine->row_size < PPI_TABLE_SIZE_END &&
         routine->cell_size > PPI_TABLE_NONE && routine->cell_size < PPI_TABLE_SIZE_END && routine->row_count > 0 &&
         (routine->row_size != PPI_TABLE_NONE || routine->row_count == 1);
}

static inline bool ppi_table_cell_good(const struct ppi_table_cell *cell) {
  return cell->nb <= PPI_TABLE_NB_MAX && cell->nbmin <= PPI_TABLE_NB_MAX &&
         (cell->nx <= PPI_TABLE_NX_MAX || cell->nx == PPI_TABLE_NX_STOCK);
}

/* Cells of a row, the first of which is *next; moves *next behind them. */
static inline bool ppi_table_cells_good(const struct ppi_table *table, const struct ppi_table_row *row,
                                        uint32_t *next) {
  if (row->first_cell != *next || row->cell_count == 0 || row->cell_count > table->header->cell_count - *next)
    return false;
  const struct ppi_table_cell *cells = table->cells + *next;
  for (uint32_t i = 0; i < row->cell_count; i++)
    if (!ppi_table_cell_good(&cells[i]) || (i > 0 && cells[i].bound <= cells[i - 1].bound))
      return false;
  *next += row->cell_count;
  return cells[row->cell_count - 1].bound == PPI_TABLE_OPEN;
}

static inline bool ppi_table_rows_good(const struct ppi_table *table, const struct ppi_table_routine *routine,
                                       uint32_t *next) {
  if (routine->first_row != *next || routine->row_count > table->header->row_count - *next)
    return false;
  const struct ppi_table_row *rows = table->rows + *next;
  for (uint32_t i = 1; i < routine->row_count; i++)
    if (rows[i].bound <= rows[i - 1].bound)
      return false;
  *next += routine->row_count;
  return rows[routine->row_count - 1].bound == PPI_TABLE_OPEN;
}

/* The first of so many cells whose bound is not below the size; the last one is open. */
static inline const struct ppi_table_cell *ppi_table_cell_of(const struct ppi_table_cell *cells, uint32_t count,
                                                             int64_t size) {
  uint32_t low = 0, high = count - 1U;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (cells[middle].bound < size)
      low = middle + 1;
    else
      high = middle;
  }
  return &cells[low];
}

/* Whether no block size of one routine is above that of another one, of which none falls. Both have one row. */
static inline bool ppi_table_covers(const struct ppi_table *table, const struct ppi_table_routine *larger,
                                    const struct ppi_table_routine *smaller) {
  const struct ppi_table_row *all = &table->rows[larger->first_row], *some = &table->rows[smaller->first_row];
  const struct ppi_table_cell *cells = table->cells + some->first_cell;
  for (uint32_t i = 0; i < some->cell_count; i++) {
    const int64_t least = i > 0 ? (int64_t)cells[i - 1].bound + 1 : 0;
    if (ppi_table_cell_of(table->cells + all->first_cell, all->cell_count, least)->nb < cells[i].nb)
      return false;
  }
  return true;
}

/* One table over the largest size, whose block sizes do not fall. */
static inline bool ppi_table_use_good(const struct ppi_table *table, const struct ppi_table_routine *routine) {
  if (routine->row_size != PPI_TABLE_NONE || routine->cell_size != PPI_TABLE_MAX123)
    return false;
  const struct ppi_table_row *row = &table->rows[routine->first_row];
  const struct ppi_table_cell *cells = table->cells + row->first_cell;
  for (uint32_t i = 0; i < row->cell_count; i++)
    if (cells[i].nb == 0 || (i > 0 && cells[i].nb < cells[i - 1].nb))
      return false;
  return true;
}

/* What ppi_table_is_multiply asks for. The cells of the routine and those before it are known to be good. */
static inline bool ppi_table_driver_good(const struct ppi_table *table, uint32_t place) {
  const struct ppi_table_routine *routine = &table->routines[place];
  if (!ppi_table_is_multiply(routine->name))
    return true;
  if (!ppi_table_use_good(table, routine))
    return false;
  if (routine->options[0] != '\0' ||
      routine->options[1] != '\0') /* another one follows, at last that without options */
    return table->header->version >= PPI_TABLE_VERSION_USES && place + 1 < table->header->routine_count &&
           memcmp(routine[1].name, routine->name, 8) == 0;
  for (; place > 0 && memcmp(table->routines[place - 1].name, routine->name, 8) == 0; place--)
    if (!ppi_table_covers(table, routine, &table->routines[place - 1]))
      return false;
  return true;
}

static inline enum ppi_table_fault ppi_table_check_body(const struct ppi_table *table) {
  const struct ppi_table_header *header = table->header;
  uint32_t next_row = 0, next_cell = 0;
  for (uint32_t i = 0; i < header->routine_count; i++) {
    const struct ppi_table_routine *routine = &table->routines[i];
    if (!ppi_table_routine_good(routine) || (i > 0 && memcmp(routine[-1].name, routine->name, 8) > 0))
      return PPI_TABLE_BAD_ROUTINE;
    if (!ppi_table_rows_good(table, routine, &next_row))
      return PPI_TABLE_BAD_ROWS;
    for (uint32_t j = 0; j < routine->row_count; j++)
      if (!ppi_table_cells_good(table, &table->rows[routine->first_row + j], &next_cell))
        return PPI_TABLE_BAD_CELLS;
    if (!ppi_table_driver_good(table, i))
      return PPI_TABLE_BAD_DRIVER;
  }
  if (next_row != header->row_count)
    return PPI_TABLE_BAD_ROWS;
  return next_cell == header->cell_count ? PPI_TABLE_GOOD : PPI_TABLE_BAD_CELLS;
}

static inline enum ppi_table_fault ppi_table_check_header(const struct ppi_table_header *header, size_t bytes) {
  if (memcmp(header->magic, PPI_TABLE_MAGIC, sizeof header->magic) != 0)
    return PPI_TABLE_FOREIGN;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
  return PPI_TABLE_OTHER_ORDER;
#endif
  if (header->version != PPI_TABLE_VERSION && header->version != PPI_TABLE_VERSION_USES)
    return PPI_TABLE_OTHER_VERSION;
  uint64_t sum = sizeof *header + (uint64_t)header->routine_count * sizeof(struct ppi_table_routine) +
                 (uint64_t)header->row_count * sizeof(struct ppi_table_row) +
                 (uint64_t)header->cell_count * sizeof(struct ppi_table_cell);
  if (bytes > PPI_TABLE_BYTES_MAX || header->bytes != bytes || sum != bytes ||
      header->routine_count > PPI_TABLE_ROUTINES_MAX)
    return PPI_TABLE_BAD_SIZE;
  if (header->checksum != ppi_table_checksum(header, bytes))
    return PPI_TABLE_BAD_CHECKSUM;
  for (size_t i = 0; i < sizeof header->reserved / sizeof header->reserved[0]; i++)
    if (header->reserved[i] != 0)
      return PPI_TABLE_OTHER_VERSION;
  bool good = ppi_table_text_good(header->cpu, sizeof header->cpu) &&
              ppi_table_text_good(header->blas, sizeof header->blas) &&
              ppi_table_text_good(header->lapack, sizeof header->lapack);
  return good ? PPI_TABLE_GOOD : PPI_TABLE_BAD_TEXT;
}

/* Checks everything and sets *table (untouched unless good). The bytes are hostile, start at a multiple of 8, and must
   not change as long as the table is used. No allocation; time grows with bytes, which may be any number. */
static inline enum ppi_table_fault ppi_table_check(const void *data, size_t bytes, struct ppi_table *table) {
  if (bytes < sizeof(struct ppi_table_header))
    return PPI_TABLE_SHORT;
  struct ppi_table made = { .header = (const struct ppi_table_header *)data };
  enum ppi_table_fault fault = ppi_table_check_header(made.header, bytes);
  if (fault != PPI_TABLE_GOOD)
    return fault;
  made.routines = (const struct ppi_table_routine *)(made.header + 1);
  made.rows = (const struct ppi_table_row *)(made.routines + made.header->routine_count);
  made.cells = (const struct ppi_table_cell *)(made.rows + made.header->row_count);
  fault = ppi_table_check_body(&made);
  if (fault == PPI_TABLE_GOOD)
    *table = made;
  return fault;
}

static inline int64_t ppi_table_larger(int64_t a, int64_t b) {
  return a > b ? a : b;
}

/* The size that picks a row or a cell, at least 0. Sizes below 0 count as 0 before anything is made of them. */
static inline int64_t ppi_table_size(unsigned rule, const int64_t sizes[4]) {
  int64_t n[4];
  for (int i = 0; i < 4; i++)
    n[i] = ppi_table_larger(sizes[i], 0);
  if (rule >= PPI_TABLE_N1 && rule <= PPI_TABLE_N4)
    return n[rule - PPI_TABLE_N1];
  switch (rule) {
  case PPI_TABLE_MIN12:
    return n[0] < n[1] ? n[0] : n[1];
  case PPI_TABLE_MAX12:
    return ppi_table_larger(n[0], n[1]);
  case PPI_TABLE_MAX123:
    return ppi_table_larger(ppi_table_larger(n[0], n[1]), n[2]);
  case PPI_TABLE_SPAN23:
    return n[2] < n[1] ? 0 : n[2] - n[1] + (n[2] - n[1] < INT64_MAX);
  default:
    return 0;
  }
}

static inline bool ppi_table_options_fit(const struct ppi_table_routine *routine, const char options[2]) {
  return (routine->options[0] == '\0' || routine->options[0] == options[0]) &&
         (routine->options[1] == '\0' || routine->options[1] == options[1]);
}

/* The routine of a name (8 characters as in the table) that fits the first two letters of OPTS, in upper case, 0 where
   there are none; NULL: none. */
static inline const struct ppi_table_routine *ppi_table_find(const struct ppi_table *table, const char name[8],
                                                             const char options[2]) {
  uint32_t low = 0, high = table->header->routine_count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (memcmp(table->routines[middle].name, name, 8) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < table->header->routine_count && memcmp(table->routines[low].name, name, 8) == 0; low++)
    if (ppi_table_options_fit(&table->routines[low], options))
      return &table->routines[low];
  return NULL;
}

/* The cell for sizes N1..N4. */
static inline const struct ppi_table_cell *
ppi_table_look_up(const struct ppi_table *table, const struct ppi_table_routine *routine, const int64_t sizes[4]) {
  const struct ppi_table_row *row = &table->rows[routine->first_row];
  const int64_t row_size = ppi_table_size(routine->row_size, sizes);
  while (row->bound != PPI_TABLE_OPEN && row->bound < row_size)
    row++;
  return ppi_table_cell_of(table->cells + row->first_cell, row->cell_count, ppi_table_size(routine->cell_size, sizes));
}

#endif
