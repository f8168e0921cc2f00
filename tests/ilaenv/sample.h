/* SPDX-License-Identifier: BSD-3-Clause */
/* Decision tables for tests, made by hand so that what they answer is known. */
#ifndef TESTS_ILAENV_SAMPLE_H
#define TESTS_ILAENV_SAMPLE_H

#include "store/table_format.h"

#define SAMPLE_CELLS 8

/* A routine of a table, one row unless bounds says where rows end. */
struct sample_routine {
  const char *name, *options;
  unsigned row_size, cell_size;
  struct ppi_table_cell cells[SAMPLE_CELLS];
  int row_cells[SAMPLE_CELLS]; /* cells of each row; all zero: all are of one row */
  uint32_t row_bounds[SAMPLE_CELLS];
};

struct sample {
  _Alignas(8) unsigned char bytes[PPI_TABLE_BYTES_MAX];
  size_t length;
};

#define OPEN PPI_TABLE_OPEN
#define STOCK PPI_TABLE_NX_STOCK

static inline void sample_seal(struct sample *sample) {
  struct ppi_table_header *header = (struct ppi_table_header *)sample->bytes;
  header->checksum = ppi_table_checksum(sample->bytes, sample->length);
}

static inline int sample_cell_count(const struct sample_routine *routine) {
  int count = 0;
  if (routine->row_cells[0] > 0) {
    for (int i = 0; i < SAMPLE_CELLS; i++)
      count += routine->row_cells[i];
    return count;
  }
  while (routine->cells[count++].bound != OPEN)
    continue;
  return count;
}

static inline int sample_row_count(const struct sample_routine *routine) {
  int count = 0;
  while (count < SAMPLE_CELLS && routine->row_cells[count] > 0)
    count++;
  return count > 0 ? count : 1;
}

static inline void sample_put(struct sample *sample, const void *data, size_t size) {
  memcpy(sample->bytes + sample->length, data, size);
  sample->length += size;
}

static inline void sample_put_routines(struct sample *sample, const struct sample_routine *routines, int count) {
  uint16_t row = 0;
  for (int i = 0; i < count; i++) {
    struct ppi_table_routine made = { .row_size = (uint8_t)routines[i].row_size,
                                      .cell_size = (uint8_t)routines[i].cell_size };
    memset(made.name, ' ', sizeof made.name);
    memcpy(made.name, routines[i].name, strlen(routines[i].name));
    memcpy(made.options, routines[i].options, strlen(routines[i].options));
    made.first_row = row;
    made.row_count = (uint16_t)sample_row_count(&routines[i]);
    row = (uint16_t)(row + made.row_count);
    sample_put(sample, &made, sizeof made);
  }
}

static inline void sample_put_rows(struct sample *sample, const struct sample_routine *routines, int count) {
  uint16_t cell = 0;
  for (int i = 0; i < count; i++) {
    const int rows = sample_row_count(&routines[i]);
    for (int j = 0; j < rows; j++) {
      const int cells = routines[i].row_cells[0] > 0 ? routines[i].row_cells[j] : sample_cell_count(&routines[i]);
      struct ppi_table_row made = { rows > 1 ? routines[i].row_bounds[j] : OPEN, cell, (uint16_t)cells };
      cell = (uint16_t)(cell + cells);
      sample_put(sample, &made, sizeof made);
    }
  }
}

/* The routines stand in the order of their names already. */
static inline void sample_make(struct sample *sample, const struct sample_routine *routines, int count) {
  struct ppi_table_header header = { .version = PPI_TABLE_VERSION, .routine_count = (uint32_t)count };
  memset(sample, 0, sizeof *sample);
  memcpy(header.magic, PPI_TABLE_MAGIC, sizeof header.magic);
  for (int i = 0; i < count; i++) {
    header.row_count += (uint32_t)sample_row_count(&routines[i]);
    header.cell_count += (uint32_t)sample_cell_count(&routines[i]);
  }
  sample->length = sizeof header;
  sample_put_routines(sample, routines, count);
  sample_put_rows(sample, routines, count);
  for (int i = 0; i < count; i++)
    sample_put(sample, routines[i].cells, (size_t)sample_cell_count(&routines[i]) * sizeof(struct ppi_table_cell));
  header.bytes = (uint32_t)sample->length;
  memcpy(sample->bytes, &header, sizeof header);
  sample_seal(sample);
}

#endif
