/* SPDX-License-Identifier: BSD-3-Clause */
/* Decision tables as JSON and as C. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "store/json.h"
#include "store/table.h"

static enum perfpred_status hand_over(struct ppi_text *text, char **result, struct perfpred_error *error) {
  char *taken = ppi_text_take(text);
  if (!taken)
    return ppi_error_memory(error);
  *result = taken;
  return PERFPRED_OK;
}

/* --- JSON ---------------------------------------------------------------------------------------------------------- */

static void put_or_null(struct ppi_json_out *out, const char *key, int64_t value, bool stock) {
  if (stock)
    ppi_json_put_null(out, key);
  else
    ppi_json_put_integer(out, key, value);
}

static void put_cell(struct ppi_json_out *row, const struct ppi_table_cell *cell) {
  struct ppi_json_out out;
  ppi_json_begin(&out);
  put_or_null(&out, "bound", cell->bound, cell->bound == PPI_TABLE_OPEN);
  put_or_null(&out, "nb", cell->nb, cell->nb == 0);
  put_or_null(&out, "nbmin", cell->nbmin, cell->nbmin == 0);
  put_or_null(&out, "nx", cell->nx, cell->nx == PPI_TABLE_NX_STOCK);
  ppi_json_append(row, "cells", &out);
}

static void put_row(struct ppi_json_out *routine, const struct ppi_table *table, const struct ppi_table_row *row) {
  struct ppi_json_out out;
  ppi_json_begin(&out);
  put_or_null(&out, "bound", row->bound, row->bound == PPI_TABLE_OPEN);
  for (size_t i = 0; i < row->cell_count; i++)
    put_cell(&out, &table->cells[row->first_cell + i]);
  ppi_json_append(routine, "rows", &out);
}

static void put_routine(struct ppi_text *text, const struct ppi_table *table, const struct ppi_table_routine *routine) {
  char name[9], options[3] = "";
  struct ppi_json_out out;
  memcpy(options, routine->options, sizeof routine->options);
  ppi_table_name(routine, name);
  ppi_json_begin(&out);
  ppi_json_put_string(&out, "routine", name);
  ppi_json_put_string(&out, "options", options);
  if (routine->row_size == PPI_TABLE_NONE)
    ppi_json_put_null(&out, "row_size");
  else
    ppi_json_put_string(&out, "row_size", ppi_table_size_text(routine->row_size));
  ppi_json_put_string(&out, "cell_size", ppi_table_size_text(routine->cell_size));
  for (size_t i = 0; i < routine->row_count; i++)
    put_row(&out, table, &table->rows[routine->first_row + i]);
  ppi_json_end(&out, text);
}

static void put_member(struct ppi_text *text, const char *key, const char *value) {
  struct ppi_json_out out;
  struct ppi_text object = PPI_TEXT_INIT;
  ppi_json_begin(&out);
  ppi_json_put_string(&out, key, value);
  ppi_json_end(&out, &object);
  /* {"key": "value"} without its braces */
  if (object.data && object.length > 2)
    ppi_text_append_n(text, object.data + 1, object.length - 2);
  text->failed |= object.failed;
  ppi_text_append(text, ",\n ");
  ppi_text_free(&object);
}

enum perfpred_status perfpred_decisions_print(const struct perfpred_decisions *decisions, char **json,
                                              struct perfpred_error *error) {
  struct ppi_text text = PPI_TEXT_INIT;
  ppi_error_clear(error);
  if (!decisions || !json)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", !decisions ? "decisions" : "json");
  const struct ppi_table_header *header = decisions->table.header;
  ppi_text_append(&text, "{");
  put_member(&text, "format", "perfpred-table");
  ppi_text_printf(&text, "\"version\": %lu,\n \"bytes\": %zu,\n ", (unsigned long)header->version, decisions->bytes);
  put_member(&text, "cpu", header->cpu);
  put_member(&text, "blas", header->blas);
  put_member(&text, "lapack", header->lapack);
  ppi_text_printf(&text, "\"threads\": %lu,\n \"routines\": [", (unsigned long)header->threads);
  for (size_t i = 0; i < header->routine_count; i++) {
    ppi_text_append(&text, i ? ",\n  " : "\n  ");
    put_routine(&text, &decisions->table, &decisions->table.routines[i]);
  }
  ppi_text_append(&text, "]}\n");
  return hand_over(&text, json, error);
}

/* --- C ------------------------------------------------------------------------------------------------------------- */

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Words that would be no name, which is all that a prefix can clash with: whatever follows begins with an underscore. */
static bool is_identifier(const char *name) {
  size_t length = 0;
  for (; length < PPI_NAME_MAX && name[length] != '\0'; length++)
    if (!is_letter(name[length]) && !(length > 0 && name[length] >= '0' && name[length] <= '9'))
      return false;
  return length > 0 && length < PPI_NAME_MAX && name[0] != '_';
}

/* "DPOTRF_L" */
static void print_id(struct ppi_text *text, const char *name, const struct ppi_table_routine *routine) {
  char bare[9];
  ppi_table_name(routine, bare);
  ppi_text_printf(text, "%s_%s", name, bare);
  if (routine->options[0] != '\0')
    ppi_text_printf(text, "_%c", routine->options[0]);
  if (routine->options[0] != '\0' && routine->options[1] != '\0')
    ppi_text_printf(text, "%c", routine->options[1]);
}

/* A text of the header in a comment, which it must not end; no question mark is left that could be a trigraph's. */
static void print_comment(struct ppi_text *text, const char *label, const char *value) {
  ppi_text_printf(text, "   %s: ", label);
  for (const char *at = value; *at != '\0'; at++) {
    bool bad = (at[0] == '*' && at[1] == '/') || (at[0] == '/' && at[1] == '*') || *at == '\\' || *at == '?';
    ppi_text_append_n(text, bad ? "." : at, 1);
  }
  ppi_text_append(text, value[0] != '\0' ? "\n" : "any\n");
}

static void print_head(struct ppi_text *text, const char *name, const struct ppi_table *table) {
  ppi_text_printf(
      text,
      "/* Block sizes of LAPACK's routines, from a decision table; made by libperfpred %s. C99, needs no library.\n",
      perfpred_version());
  print_comment(text, "CPU", table->header->cpu);
  print_comment(text, "BLAS", table->header->blas);
  print_comment(text, "LAPACK", table->header->lapack);
  ppi_text_append(text, "   Answers: 0 (of nx: -1) means that LAPACK's own value is to be used. */\n");
  ppi_text_printf(
      text,
      "\n/* The number of a routine by its name in capitals; of several with options the first one. -1: unknown. */\n"
      "int %s_routine(const char *routine);\n"
      "/* Block size, least block size, crossover point of a routine by its number, for a size (see below). */\n"
      "int %s_nb(int id, int n);\nint %s_nbmin(int id, int n);\nint %s_nx(int id, int n);\n"
      "/* Block size of a routine by its name. */\nint %s_block_size(const char *routine, int n);\n",
      name, name, name, name, name);
}

static void print_ids(struct ppi_text *text, const char *name, const struct ppi_table *table) {
  ppi_text_append(text, "\n/* Numbers of the routines, and which of the sizes that ILAENV is told is n. */\nenum {\n");
  for (size_t i = 0; i < table->header->routine_count; i++) {
    ppi_text_append(text, "  ");
    print_id(text, name, &table->routines[i]);
    ppi_text_printf(text, " = %zu, /* %s */\n", i, ppi_table_size_text(table->routines[i].cell_size));
  }
  ppi_text_printf(text, "  %s_ROUTINES = %lu\n};\n", name, (unsigned long)table->header->routine_count);
}

static void print_cells(struct ppi_text *text, const struct ppi_table *table) {
  ppi_text_append(
      text, "\nstatic const struct {\n  long long bound; /* largest size */\n  int nb, nbmin, nx;\n} cells[] = {\n");
  for (size_t i = 0; i < table->header->cell_count; i++) {
    const struct ppi_table_cell *cell = &table->cells[i];
    ppi_text_printf(text, "  { %lluLL, %d, %d, %lld },\n", (unsigned long long)cell->bound, cell->nb, cell->nbmin,
                    cell->nx == PPI_TABLE_NX_STOCK ? -1LL : (long long)cell->nx);
  }
  ppi_text_append(text, "};\n\nstatic const struct {\n  const char *name;\n  int first;\n} routines[] = {\n");
  for (size_t i = 0; i < table->header->routine_count; i++) {
    char bare[9];
    ppi_table_name(&table->routines[i], bare);
    ppi_text_printf(text, "  { \"%s\", %d },\n", bare, table->rows[table->routines[i].first_row].first_cell);
  }
  ppi_text_append(text, "};\n");
}

static const char search[] =
    "\n/* Place of the cell, -1 for a number that is none. */\n"
    "static int find(int id, int n) {\n"
    "  int cell;\n"
    "  if (id < 0 || id >= %s_ROUTINES)\n    return -1;\n"
    "  for (cell = routines[id].first; cells[cell].bound < n; cell++)\n    ;\n"
    "  return cell;\n}\n"
    "\nint %s_routine(const char *routine) {\n"
    "  int id, i;\n"
    "  for (id = 0; id < %s_ROUTINES; id++) {\n"
    "    for (i = 0; routines[id].name[i] != '\\0' && routines[id].name[i] == routine[i]; i++)\n      ;\n"
    "    if (routines[id].name[i] == routine[i])\n      return id;\n"
    "  }\n  return -1;\n}\n";

static void print_getter(struct ppi_text *text, const char *name, const char *what, int none) {
  ppi_text_printf(
      text, "\nint %s_%s(int id, int n) {\n  int cell = find(id, n);\n  return cell < 0 ? %d : cells[cell].%s;\n}\n",
      name, what, none, what);
}

static enum perfpred_status check_flat(const struct ppi_table *table, struct perfpred_error *error) {
  if (table->header->routine_count == 0)
    return ppi_error_set(error, PERFPRED_UNSUPPORTED, "the table is empty; expected at least one routine");
  for (size_t i = 0; i < table->header->routine_count; i++) {
    char name[9];
    ppi_table_name(&table->routines[i], name);
    if (table->routines[i].row_count > 1)
      return ppi_error_set(error, PERFPRED_UNSUPPORTED,
                           "%s has rows over %s; expected a table over one size alone to be printed as C", name,
                           ppi_table_size_text(table->routines[i].row_size));
  }
  return PERFPRED_OK;
}

enum perfpred_status perfpred_decisions_print_c(const struct perfpred_decisions *decisions, const char *name,
                                                char **text, struct perfpred_error *error) {
  struct ppi_text out = PPI_TEXT_INIT;
  ppi_error_clear(error);
  if (!decisions || !text)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", !decisions ? "decisions" : "text");
  if (!name || !is_identifier(name))
    return ppi_error_set(error, PERFPRED_INVALID,
                         "name is '%.80s'; expected letters, digits and _, a letter first, at most %d of them",
                         name ? name : "NULL", PPI_NAME_MAX - 1);
  enum perfpred_status status = check_flat(&decisions->table, error);
  if (status)
    return status;
  print_head(&out, name, &decisions->table);
  print_ids(&out, name, &decisions->table);
  print_cells(&out, &decisions->table);
  ppi_text_printf(&out, search, name, name, name);
  print_getter(&out, name, "nb", 0);
  print_getter(&out, name, "nbmin", 0);
  print_getter(&out, name, "nx", -1);
  ppi_text_printf(&out,
                  "\nint %s_block_size(const char *routine, int n) {\n  return %s_nb(%s_routine(routine), n);\n}\n",
                  name, name, name);
  return hand_over(&out, text, error);
}
