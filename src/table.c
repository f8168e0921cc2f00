/* SPDX-License-Identifier: BSD-3-Clause */
#include "table.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

/* Takes text over. */
static void append(struct table *table, char *text) {
  if (text == NULL)
    table->failed = true;
  if (!table->failed && table->count == table->capacity) {
    size_t capacity = table->capacity == 0 ? 64 : 2 * table->capacity;
    char **cells = realloc(table->cells, capacity * sizeof *cells);
    if (cells == NULL) {
      table->failed = true;
    } else {
      table->cells = cells;
      table->capacity = capacity;
    }
  }
  if (table->failed) {
    free(text);
    return;
  }
  size_t column = table->count % (size_t)table->columns;
  size_t length = strlen(text);
  while (length > 0 && text[length - 1] == ' ')
    text[--length] = '\0';
  if (length > table->width[column])
    table->width[column] = length;
  table->cells[table->count++] = text;
}

void table_begin(struct table *table, int columns, const char *const *heads) {
  assert(columns > 0 && columns <= TABLE_COLUMNS);
  memset(table, 0, sizeof *table);
  table->columns = columns;
  for (int i = 0; i < columns; i++) {
    table->left[i] = heads[i][0] == '<';
    append(table, strdup(heads[i] + (table->left[i] ? 1 : 0)));
  }
}

void table_cell(struct table *table, const char *format, ...) {
  char *text = NULL;
  va_list arguments;
  va_start(arguments, format);
  int length = vasprintf(&text, format, arguments);
  va_end(arguments);
  append(table, length < 0 ? NULL : text);
}

void table_gap(struct table *table) {
  append(table, strdup(""));
}

static void print_row(const struct table *table, size_t first, int indent) {
  int pending = indent; /* spaces held back, so that no line ends in one */
  for (int i = 0; i < table->columns; i++) {
    const char *cell = table->cells[first + (size_t)i];
    int space = (int)(table->width[i] - strlen(cell));
    if (!table->left[i])
      pending += space;
    if (cell[0] != '\0') {
      printf("%*s%s", pending, "", cell);
      pending = 0;
    }
    pending += 2 + (table->left[i] ? space : 0);
  }
  putchar('\n');
}

void table_release(struct table *table) {
  for (size_t i = 0; i < table->count; i++)
    free(table->cells[i]);
  free(table->cells);
  table->cells = NULL;
  table->count = 0;
  table->capacity = 0;
}

int table_print(struct table *table, int indent) {
  int result = COMMAND_OK;
  if (table->failed) {
    result = message_fail("out of memory");
  } else {
    assert(table->count % (size_t)table->columns == 0);
    for (size_t first = 0; first < table->count; first += (size_t)table->columns)
      print_row(table, first, indent);
  }
  table_release(table);
  return result;
}
