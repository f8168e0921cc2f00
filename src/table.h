/* SPDX-License-Identifier: BSD-3-Clause */
/* Text tables: columns as wide as their widest cell, numbers to the right. */
#ifndef COMMAND_TABLE_H
#define COMMAND_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#define TABLE_COLUMNS 12

struct table {
  int columns;
  bool left[TABLE_COLUMNS]; /* text columns */
  size_t width[TABLE_COLUMNS];
  char **cells;
  size_t count, capacity;
  bool failed; /* an allocation failed */
};

/* Heads of the columns; a head that begins with '<' is set to the left, as are its cells. */
void table_begin(struct table *table, int columns, const char *const *heads);
void table_cell(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* An empty cell. */
void table_gap(struct table *table);
/* Prints with an indent and releases; returns an exit code. */
int table_print(struct table *table, int indent);
/* Releases without printing. */
void table_release(struct table *table);

#endif
