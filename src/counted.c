/* SPDX-License-Identifier: BSD-3-Clause */
#include "counted.h"

#include <stdio.h>
#include <string.h>

#include "document.h"
#include "message.h"
#include "table.h"
#include "units.h"

#define LEVELS_SHOWN 4 /* columns of a table; --json has all */
#define PIECES_SHOWN 200
#define TEXT_SHOWN 60

static int64_t integer_of(const struct node *node, const char *key) {
  int64_t value = 0;
  node_integer(node_member(node, key), &value);
  return value;
}

static const char *text_of(const struct node *node, const char *key) {
  return node_string(node_member(node, key));
}

static void cell_integer(struct table *table, int64_t value) {
  table_cell(table, "%lld", (long long)value);
}

static void cell_bytes(struct table *table, int64_t bytes) {
  char text[UNIT_TEXT];
  const struct unit unit = unit_bytes((double)bytes);
  table_cell(table, "%s %s", unit_format(text, (double)bytes, &unit), unit.name);
}

static void cell_share(struct table *table, int64_t part, int64_t whole) {
  char text[UNIT_TEXT];
  if (whole > 0)
    table_cell(table, "%s", unit_percent(text, (double)part / (double)whole, "%.2f %%"));
  else
    table_gap(table);
}

static void cell_text(struct table *table, const char *text) {
  const size_t length = strlen(text);
  table_cell(table, "%.*s%s", TEXT_SHOWN, text, length > TEXT_SHOWN ? "..." : "");
}

static void print_head(const struct node *report) {
  printf("%s: %lld accesses, lines of %lld bytes\n", text_of(report, "name"), (long long)integer_of(report, "accesses"),
         (long long)integer_of(report, "line_bytes"));
}

static int print_levels(const struct node *report) {
  static const char *const heads[] = { "cache", "compulsory", "capacity", "misses", "of accesses" };
  const struct node *levels = node_member(report, "levels");
  const int64_t accesses = integer_of(report, "accesses");
  struct table table;
  table_begin(&table, 5, heads);
  for (size_t i = 0; i < node_count(levels); i++) {
    const struct node *level = node_element(levels, i);
    cell_bytes(&table, integer_of(level, "bytes"));
    cell_integer(&table, integer_of(level, "compulsory"));
    cell_integer(&table, integer_of(level, "capacity"));
    cell_integer(&table, integer_of(level, "misses"));
    cell_share(&table, integer_of(level, "misses"), accesses);
  }
  return table_print(&table, 2);
}

/* first heads, then "accesses" and the misses in the first levels. */
static void begin_counts(struct table *table, const struct node *report, const char *const *first, int count,
                         char names[LEVELS_SHOWN][40]) {
  const char *heads[TABLE_COLUMNS];
  const struct node *levels = node_member(report, "levels");
  memcpy(heads, first, (size_t)count * sizeof *first);
  heads[count++] = "accesses";
  for (size_t i = 0; i < node_count(levels) && i < LEVELS_SHOWN; i++) {
    char text[UNIT_TEXT];
    const int64_t bytes = integer_of(node_element(levels, i), "bytes");
    const struct unit unit = unit_bytes((double)bytes);
    snprintf(names[i], sizeof names[i], "%s %s", unit_format(text, (double)bytes, &unit), unit.name);
    heads[count++] = names[i];
  }
  table_begin(table, count, heads);
}

static void cell_counts(struct table *table, const struct node *item) {
  const struct node *capacity = node_member(item, "capacity");
  cell_integer(table, integer_of(item, "accesses"));
  for (size_t i = 0; i < node_count(capacity) && i < LEVELS_SHOWN; i++) {
    int64_t misses = 0;
    node_integer(node_element(capacity, i), &misses);
    cell_integer(table, integer_of(item, "compulsory") + misses);
  }
}

static int print_statements(const struct node *report) {
  const struct node *statements = node_member(report, "statements");
  const char *const heads[] = { "line", "<misses of" };
  char names[LEVELS_SHOWN][40];
  struct table table;
  begin_counts(&table, report, heads, 2, names);
  for (size_t i = 0; i < node_count(statements); i++) {
    const struct node *statement = node_element(statements, i);
    cell_integer(&table, integer_of(statement, "line"));
    cell_text(&table, text_of(statement, "text"));
    cell_counts(&table, statement);
  }
  printf("\n");
  return table_print(&table, 2);
}

static int print_calls(const struct node *report) {
  const struct node *calls = node_member(report, "calls");
  const char *const heads[] = { "<misses of", "<" };
  char names[LEVELS_SHOWN][40];
  struct table table;
  begin_counts(&table, report, heads, 2, names);
  for (size_t i = 0; i < node_count(calls); i++) {
    const struct node *call = node_element(calls, i), *operands = node_member(call, "operands");
    cell_text(&table, text_of(call, "call"));
    table_gap(&table);
    cell_counts(&table, call);
    for (size_t k = 0; k < node_count(operands); k++) {
      const struct node *operand = node_element(operands, k);
      table_gap(&table);
      table_cell(&table, "%s: %s", text_of(operand, "argument"), text_of(operand, "buffer"));
      cell_counts(&table, operand);
    }
  }
  printf("\n");
  return table_print(&table, 2);
}

static int print_curve(const struct node *report) {
  static const char *const heads[] = { "cache", "misses", "of accesses" };
  const struct node *curve = node_member(report, "curve");
  const int64_t accesses = integer_of(report, "accesses");
  struct table table;
  if (node_count(curve) == 0)
    return COMMAND_OK;
  table_begin(&table, 3, heads);
  for (size_t i = 0; i < node_count(curve); i++) {
    const struct node *point = node_element(curve, i);
    cell_bytes(&table, integer_of(point, "bytes"));
    cell_integer(&table, integer_of(point, "misses"));
    cell_share(&table, integer_of(point, "misses"), accesses);
  }
  printf("\n");
  return table_print(&table, 2);
}

static int print_pieces(const struct node *report) {
  static const char *const heads[] = { "site", "accesses", "<distance in lines", "<where" };
  const struct node *pieces = node_member(report, "pieces");
  const size_t count = node_count(pieces), shown = count < PIECES_SHOWN ? count : PIECES_SHOWN;
  struct table table;
  if (count == 0)
    return COMMAND_OK;
  table_begin(&table, 4, heads);
  for (size_t i = 0; i < shown; i++) {
    const struct node *piece = node_element(pieces, i);
    cell_integer(&table, integer_of(piece, "site"));
    cell_integer(&table, integer_of(piece, "accesses"));
    table_cell(&table, "%s", text_of(piece, "distance"));
    table_cell(&table, "%s", text_of(piece, "conditions"));
  }
  printf("\n");
  const int result = table_print(&table, 2);
  if (shown < count)
    printf("  ... %zu more (--json has all)\n", count - shown);
  return result;
}

static void print_foot(const struct node *report) {
  const double time_s = node_number(node_member(report, "time_s"));
  const struct unit unit = unit_time(time_s);
  char text[UNIT_TEXT];
  printf("\n%s in %s %s, %s\n", strcmp(text_of(report, "engine"), "simulate") == 0 ? "Simulated" : "Analysed",
         unit_format(text, time_s, &unit), unit.name, node_true(node_member(report, "exact")) ? "exact" : "estimated");
  if (node_true(node_member(report, "may")))
    printf("Conditions that depend on data were taken as met.\n");
}

static int print_report(const struct node *report) {
  print_head(report);
  int result = print_levels(report);
  if (result == COMMAND_OK)
    result = node_member(report, "calls") != NULL ? print_calls(report) : print_statements(report);
  if (result == COMMAND_OK)
    result = print_curve(report);
  if (result == COMMAND_OK)
    result = print_pieces(report);
  if (result == COMMAND_OK)
    print_foot(report);
  return result;
}

int counted_print(const char *json, bool plain) {
  if (plain) {
    printf("%s\n", json);
    return COMMAND_OK;
  }
  struct node *report = node_parse(json);
  if (report == NULL)
    return message_fail("out of memory");
  const int result = print_report(report);
  node_release(report);
  return result;
}
