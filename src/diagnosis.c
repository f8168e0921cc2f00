/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnosis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "document.h"
#include "message.h"
#include "table.h"

#define INDENT 10

/* Names of files may hold anything: what would move the cursor becomes a question mark. */
static void print_line(const char *head, const char *text) {
  if (text[0] == '\0')
    return;
  printf("%-*s", INDENT, head);
  for (const char *c = text; *c != '\0'; c++)
    putchar((unsigned char)*c < ' ' || *c == 0x7F ? '?' : *c);
  putchar('\n');
}

static const char *text_of(const struct node *node, const char *key) {
  return node_string(node_member(node, key));
}

static double number_of(const struct node *node, const char *key) {
  return node_number(node_member(node, key));
}

static void cell_rate(struct table *table, double flops_per_s) {
  if (isfinite(flops_per_s))
    table_cell(table, "%.1f", 1e-9 * flops_per_s);
  else
    table_gap(table);
}

static int print_settings(const struct node *finding) {
  const struct node *settings = node_member(finding, "settings");
  struct table table;
  table_begin(&table, 5, (const char *const[]){ "<setting", "<kernels", "Gflop/s", "small", "<" });
  for (size_t i = 0; i < node_count(settings); i++) {
    const struct node *setting = node_element(settings, i);
    if (strcmp(text_of(setting, "state"), "same") == 0)
      continue;
    table_cell(&table, "%s", text_of(setting, "setting")[0] != '\0' ? text_of(setting, "setting") : "as it is");
    table_cell(&table, "%s", text_of(setting, "kernels"));
    cell_rate(&table, number_of(setting, "flops_per_s"));
    cell_rate(&table, number_of(setting, "flops_per_s_small"));
    table_cell(&table, "%s%s%s", text_of(setting, "state"), text_of(setting, "reason")[0] != '\0' ? ": " : "",
               text_of(setting, "reason"));
  }
  return table_print(&table, INDENT);
}

static void cell_integer(struct table *table, const struct node *node, const char *key) {
  int64_t value;
  if (node_integer(node_member(node, key), &value))
    table_cell(table, "%lld", (long long)value);
  else
    table_gap(table);
}

static int print_routines(const struct node *finding) {
  const struct node *routines = node_member(finding, "routines");
  struct table table;
  if (node_count(routines) == 0)
    return COMMAND_OK;
  table_begin(&table, 6, (const char *const[]){ "<routine", "<asks", "nb", "nbmin", "nx", "<" });
  for (size_t i = 0; i < node_count(routines); i++) {
    const struct node *routine = node_element(routines, i);
    bool failed = text_of(routine, "failure")[0] != '\0';
    table_cell(&table, "%s", text_of(routine, "routine"));
    table_cell(&table, "%s", failed ? "?" : node_true(node_member(routine, "asks")) ? "yes" : "no");
    cell_integer(&table, routine, "nb_stock");
    cell_integer(&table, routine, "nbmin_stock");
    cell_integer(&table, routine, "nx_stock");
    table_cell(&table, "%s", text_of(routine, "failure"));
  }
  return table_print(&table, INDENT);
}

static int print_questions(const struct node *finding) {
  const struct node *questions = node_member(finding, "questions");
  struct table table;
  if (node_count(questions) == 0)
    return COMMAND_OK;
  table_begin(&table, 7,
              (const char *const[]){ "<routine", "ispec", "<options", "<sizes", "answer", "<from", "times" });
  for (size_t i = 0; i < node_count(questions); i++) {
    const struct node *question = node_element(questions, i), *sizes = node_member(question, "sizes");
    table_cell(&table, "%s", text_of(question, "routine"));
    cell_integer(&table, question, "ispec");
    table_cell(&table, "%s", text_of(question, "options"));
    table_cell(&table, "%.0f %.0f %.0f %.0f", node_number(node_element(sizes, 0)), node_number(node_element(sizes, 1)),
               node_number(node_element(sizes, 2)), node_number(node_element(sizes, 3)));
    cell_integer(&table, question, "answer");
    table_cell(&table, "%s", text_of(question, "source"));
    cell_integer(&table, question, "count");
  }
  return table_print(&table, INDENT);
}

static int print_covered(const struct node *finding) {
  const struct node *covers = node_member(finding, "covers");
  struct table table;
  if (node_count(covers) == 0)
    return COMMAND_OK;
  table_begin(&table, 7, (const char *const[]){ "<routine", "<options", "stock", "n=100", "300", "1000", "3000" });
  for (size_t i = 0; i < node_count(covers); i++) {
    const struct node *entry = node_element(covers, i), *effect = node_member(entry, "effect");
    table_cell(&table, "%s", text_of(entry, "routine"));
    table_cell(&table, "%s", text_of(entry, "options"));
    cell_integer(&table, node_element(effect, 0), "nb_stock");
    for (size_t n = 0; n < 4; n++)
      cell_integer(&table, node_element(effect, n), "nb");
  }
  return table_print(&table, INDENT);
}

static int print_finding(const struct node *finding) {
  static const struct {
    const char *id;
    int (*print)(const struct node *finding);
  } lists[] = { { "settings", print_settings },
                { "ilaenv", print_routines },
                { "questions", print_questions },
                { "table", print_covered } };
  const char *id = text_of(finding, "id");
  char head[16];
  int result = COMMAND_OK;
  snprintf(head, sizeof head, "%s", text_of(finding, "severity"));
  print_line(head, text_of(finding, "title"));
  print_line("", text_of(finding, "detail"));
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
    if (strcmp(lists[i].id, id) == 0)
      result = lists[i].print(finding);
  if (text_of(finding, "advice")[0] != '\0')
    print_line("  ->", text_of(finding, "advice"));
  return result;
}

static int print_text(const char *json) {
  struct node *report = node_parse(json);
  int result = COMMAND_OK;
  if (report == NULL)
    return message_fail("out of memory");
  const struct node *findings = node_member(report, "findings");
  print_line("subject", text_of(report, "target"));
  for (size_t i = 0; i < node_count(findings) && result == COMMAND_OK; i++)
    result = print_finding(node_element(findings, i));
  node_release(report);
  return result;
}

int diagnosis_print(const char *json, bool as_json) {
  size_t length = strlen(json);
  if (!as_json)
    return print_text(json);
  fputs(json, stdout);
  if (length == 0 || json[length - 1] != '\n')
    putchar('\n');
  return COMMAND_OK;
}
