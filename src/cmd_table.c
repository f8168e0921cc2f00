/* SPDX-License-Identifier: BSD-3-Clause */
/* perfpred table: shows a decision table, prints it as C, or makes one from models. */
#include <math.h>
#include <stdio.h>

#include "commands.h"
#include "decided.h"
#include "table.h"

static const char *const members[] = { "format", "version", "bytes", "cpu", "blas", "lapack", "threads", "routines" };

static int print_json(const char *path, const struct node *root) {
  struct document document;
  document_begin(&document);
  document_string(&document, "file", path);
  for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
    document_copy(&document, members[i], node_member(root, members[i]));
  return document_print(&document);
}

/* An answer, or a dash where LAPACK's own holds. */
static void answer(struct table *table, const struct node *cell, const char *key) {
  double value = node_number(node_member(cell, key));
  if (isfinite(value))
    table_cell(table, "%.0f", value);
  else
    table_cell(table, "-");
}

static void add_cell(struct table *table, const struct node *routine, const struct node *row, double lower,
                     const struct node *cell) {
  const char *row_size = node_string(node_member(routine, "row_size"));
  double bound = node_number(node_member(cell, "bound")), row_bound = node_number(node_member(row, "bound"));
  table_cell(table, "%s", node_string(node_member(routine, "routine")));
  table_cell(table, "%s", node_string(node_member(routine, "options")));
  if (row_size[0] != '\0' && isfinite(row_bound))
    table_cell(table, "%s, %s <= %.0f", node_string(node_member(routine, "cell_size")), row_size, row_bound);
  else
    table_cell(table, "%s", node_string(node_member(routine, "cell_size")));
  table_cell(table, "%.0f", lower);
  if (isfinite(bound))
    table_cell(table, "%.0f", bound);
  else
    table_cell(table, "-");
  answer(table, cell, "nb");
  answer(table, cell, "nbmin");
  answer(table, cell, "nx");
}

static void add_routine(struct table *table, const struct node *routine) {
  const struct node *rows = node_member(routine, "rows");
  for (size_t i = 0; i < node_count(rows); i++) {
    const struct node *row = node_element(rows, i), *cells = node_member(row, "cells");
    double lower = 0.0;
    for (size_t k = 0; k < node_count(cells); k++) {
      const struct node *cell = node_element(cells, k);
      add_cell(table, routine, row, lower, cell);
      lower = node_number(node_member(cell, "bound")) + 1.0;
    }
  }
}

static int print_text(const char *path, const struct node *root) {
  static const char *const heads[] = { "<routine", "<options", "<size", "from", "to", "NB", "NBMIN", "NX" };
  static const char *const labels[][2] = { { "cpu", "CPU" }, { "blas", "BLAS" }, { "lapack", "LAPACK" } };
  const struct node *routines = node_member(root, "routines");
  double threads = node_number(node_member(root, "threads"));
  struct table table;
  printf("%-8s %s, %.0f bytes\n", "table", path, node_number(node_member(root, "bytes")));
  for (size_t i = 0; i < 3; i++) {
    const char *text = node_string(node_member(root, labels[i][0]));
    printf("%-8s %s\n", labels[i][1], text[0] != '\0' ? text : "any");
  }
  if (threads > 0.0)
    printf("%-8s %.0f\n\n", "threads", threads);
  else
    printf("%-8s any\n\n", "threads");
  table_begin(&table, 8, heads);
  for (size_t i = 0; i < node_count(routines); i++)
    add_routine(&table, node_element(routines, i));
  return table_print(&table, 0);
}

static int print_c(const struct options *options, const struct perfpred_decisions *decisions) {
  struct perfpred_error error;
  char *text = NULL;
  const char *name = options->name != NULL ? options->name : "perfpred_lapack";
  if (perfpred_decisions_print_c(decisions, name, &text, &error) != PERFPRED_OK)
    return message_fail("%s", error.text);
  fputs(text, stdout);
  perfpred_free(text);
  return COMMAND_OK;
}

static int show(const struct options *options, const struct perfpred_decisions *decisions) {
  const char *path = options->operands.items[0];
  struct perfpred_error error;
  char *text = NULL;
  if (options->emit != NULL)
    return print_c(options, decisions);
  if (perfpred_decisions_print(decisions, &text, &error) != PERFPRED_OK)
    return message_fail("%s", error.text);
  struct node *root = node_parse(text);
  perfpred_free(text);
  if (root == NULL)
    return message_fail("out of memory");
  int result = options->json ? print_json(path, root) : print_text(path, root);
  node_release(root);
  return result;
}

/* Options of making a table that have no meaning when one is shown. */
static bool is_for_making(const struct options *options) {
  return options->output != NULL || options->types != NULL || options->n.upper != 0 || options->b.upper != 0 ||
         options->blas != NULL || options->threads != 0 || options->setup != 0 || options->force;
}

static int show_file(const struct options *options) {
  struct perfpred_decisions *decisions = NULL;
  struct perfpred_error error;
  bool as_c = false;
  int result = decided_form(options, &as_c);
  if (result == COMMAND_OK && is_for_making(options))
    result = message_misuse("'table FILE' shows a table: -o and how one is made go with -m MODELS");
  if (result == COMMAND_OK && as_c && options->json)
    result = message_misuse("'table': --json and --emit are two forms of one answer: expected one of them");
  if (result != COMMAND_OK)
    return result;
  if (perfpred_decisions_load(options->operands.items[0], &decisions, &error) != PERFPRED_OK)
    return message_fail("%s", error.text);
  result = show(options, decisions);
  perfpred_decisions_destroy(decisions);
  return result;
}

static int report(const struct options *options, const struct perfpred_decisions *decisions,
                  const struct decided_target *target) {
  struct document document;
  if (!options->json) {
    decided_print(decisions, target);
    return COMMAND_OK;
  }
  document_begin(&document);
  document_string(&document, "file", options->models);
  decided_summarise(&document, decisions, target);
  return document_print(&document);
}

static int make(const struct options *options) {
  struct decided_target target;
  struct perfpred_decisions *decisions = NULL;
  struct session session;
  char types[5] = "";
  int result = options->types != NULL ? decided_types(options, types) : COMMAND_OK;
  if (result == COMMAND_OK && options->n.step != 0)
    result = message_misuse("'table' chooses the sizes itself: expected -n LO:HI without a STEP");
  if (result == COMMAND_OK)
    result = decided_target(options, options->output, &target);
  if (result != COMMAND_OK)
    return result;
  result = session_open(&session, options);
  if (result == COMMAND_OK)
    result = session_load(&session);
  if (result == COMMAND_OK)
    result = decided_make(&session, types[0] != '\0' ? types : NULL, &decisions);
  if (result == COMMAND_OK)
    result = decided_write(options, decisions, &target);
  if (result == COMMAND_OK)
    result = report(options, decisions, &target);
  perfpred_decisions_destroy(decisions);
  session_close(&session);
  return result;
}

static int run(const struct options *options) {
  if (options->operands.count == 1 && options->models != NULL)
    return message_misuse("'table': expected FILE to show it, or -m MODELS to make one, not both");
  if (options->operands.count == 0 && options->models == NULL)
    return message_misuse("'table' needs more: expected FILE, a decision table, or -m MODELS to make one");
  return options->operands.count == 1 ? show_file(options) : make(options);
}

const struct command command_table = {
  .name = "table",
  .synopsis = "FILE [--emit c-table] | table -m MODELS [-o FILE] [--types LETTERS] ...",
  .summary = "Shows a table of block sizes for LAPACK, or decides one from models",
  .details =
      "A decision table answers what LAPACK's routines ask ILAENV: NB (ISPEC=1), NBMIN (2), NX (3), for ranges of\n"
      "sizes; 'perfpred generate --for lapack' makes one with its models, and 'perfpred run' gives it to programs.\n"
      "A dash stands for LAPACK's own value, behind 'to' for any size.\n\n"
      "With -m the table is decided from models that are there: for every routine that they have all kernels of,\n"
      "-n bounds the sizes that are looked at, -b the block sizes. Without -o it goes where programs look for it:\n"
      "PERFPRED_TABLE, else perfpred/lapack.table in XDG_DATA_HOME or ~/.local/share.\n\n"
      "--emit c-table makes C99 of a table: one file without any dependency, with functions NAME_block_size,\n"
      "NAME_routine, NAME_nb, NAME_nbmin and NAME_nx.\n",
  .takes = TAKES_MODELS | TAKES_OUTPUT | TAKES_N | TAKES_B | TAKES_TYPES | TAKES_CHOICE | TAKES_NUMBER | TAKES_FORCE |
           TAKES_EMIT,
  .operands_min = 0,
  .operands_max = 1,
  .run = run,
};
