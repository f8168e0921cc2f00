/* SPDX-License-Identifier: BSD-3-Clause */
/* Asking a decision table. */
#include <stddef.h>
#include <string.h>

#include "store/table.h"

#define SIZES 4
#define ENTRY_LEAST (offsetof(struct perfpred_decision_entry, cells) + sizeof(size_t)) /* of release 0.1 */
#define DECISION_LEAST (offsetof(struct perfpred_decision, nx) + sizeof(int64_t))

size_t perfpred_decisions_count(const struct perfpred_decisions *decisions) {
  return decisions ? decisions->table.header->routine_count : 0;
}

enum perfpred_status perfpred_decisions_entry(const struct perfpred_decisions *decisions, size_t index,
                                              struct perfpred_decision_entry *entry, struct perfpred_error *error) {
  ppi_error_clear(error);
  if (!decisions)
    return ppi_error_set(error, PERFPRED_INVALID, "decisions is NULL");
  if (!entry || entry->size < ENTRY_LEAST)
    return ppi_error_set(error, PERFPRED_INVALID,
                         "entry is NULL or its size wrong; expected PERFPRED_DECISION_ENTRY_INIT");
  if (index >= perfpred_decisions_count(decisions))
    return ppi_error_set(error, PERFPRED_NOT_FOUND, "index is %zu; the table has %zu entries", index,
                         perfpred_decisions_count(decisions));
  const struct ppi_table_routine *routine = &decisions->table.routines[index];
  struct perfpred_decision_entry full = { .size = entry->size, .rows = routine->row_count };
  ppi_table_name(routine, full.routine);
  memcpy(full.options, routine->options, sizeof routine->options);
  full.row_size = ppi_table_size_text(routine->row_size);
  full.cell_size = ppi_table_size_text(routine->cell_size);
  for (size_t i = 0; i < routine->row_count; i++)
    full.cells += decisions->table.rows[routine->first_row + i].cell_count;
  memcpy(entry, &full, full.size < sizeof full ? full.size : sizeof full);
  return PERFPRED_OK;
}

static char upper(char letter) {
  return letter >= 'a' && letter <= 'z' ? (char)(letter - 'a' + 'A') : letter;
}

/* In upper case, filled with blanks. */
static bool read_name(const char *routine, char name[8]) {
  size_t length = strlen(routine);
  if (length == 0 || length > 8)
    return false;
  memset(name, ' ', 8);
  for (size_t i = 0; i < length; i++)
    name[i] = upper(routine[i]);
  return true;
}

/* Up to two letters; the rest are null bytes already. */
static void read_options(const char *options, char letters[2]) {
  for (size_t i = 0; options && i < 2 && options[i] != '\0' && options[i] != ' '; i++)
    letters[i] = upper(options[i]);
}

static enum perfpred_status check_question(const struct perfpred_decisions *decisions, const char *routine,
                                           const int64_t *sizes, size_t count, const struct perfpred_decision *decision,
                                           struct perfpred_error *error) {
  if (!decisions || !routine)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", !decisions ? "decisions" : "routine");
  if (count > SIZES || (count > 0 && !sizes))
    return ppi_error_set(error, PERFPRED_INVALID, "sizes: %zu of them%s; expected at most %d", count,
                         sizes ? "" : ", and NULL", SIZES);
  if (!decision || decision->size < DECISION_LEAST)
    return ppi_error_set(error, PERFPRED_INVALID,
                         "decision is NULL or its size wrong; expected PERFPRED_DECISION_INIT");
  return PERFPRED_OK;
}

enum perfpred_status perfpred_decisions_look_up(const struct perfpred_decisions *decisions, const char *routine,
                                                const char *options, const int64_t *sizes, size_t count,
                                                struct perfpred_decision *decision, struct perfpred_error *error) {
  ppi_error_clear(error);
  int64_t n[SIZES] = { -1, -1, -1, -1 };
  char name[8], letters[2] = "";
  enum perfpred_status status = check_question(decisions, routine, sizes, count, decision, error);
  if (status)
    return status;
  read_options(options, letters);
  if (count > 0)
    memcpy(n, sizes, count * sizeof *n);
  const struct ppi_table *table = &decisions->table;
  const struct ppi_table_routine *found = read_name(routine, name) ? ppi_table_find(table, name, letters) : NULL;
  if (!found)
    return ppi_error_set(error, PERFPRED_NOT_FOUND, "the table has no answer for %.16s with options '%.2s'", routine,
                         options ? options : "");
  const struct ppi_table_cell *cell = ppi_table_look_up(table, found, n);
  const struct perfpred_decision full = { .size = decision->size,
                                          .entry = (size_t)(found - table->routines),
                                          .bound = cell->bound == PPI_TABLE_OPEN ? INT64_MAX : (int64_t)cell->bound,
                                          .nb = cell->nb,
                                          .nbmin = cell->nbmin,
                                          .nx = cell->nx == PPI_TABLE_NX_STOCK ? -1 : (int64_t)cell->nx };
  memcpy(decision, &full, full.size < sizeof full ? full.size : sizeof full);
  return PERFPRED_OK;
}
