/* SPDX-License-Identifier: BSD-3-Clause */
#include "apex_tables.h"

#include <math.h>
#include <stdio.h>

#include "message.h"
#include "table.h"
#include "units.h"

static void cell_time(struct table *table, double seconds) {
  char cell[UNIT_TEXT];
  struct unit unit = unit_time(seconds);
  table_cell(table, "%s %s", unit_format(cell, seconds, &unit), unit.name);
}

static void cell_rate(struct table *table, double rate) {
  char cell[UNIT_TEXT];
  struct unit unit = unit_rate(rate);
  table_cell(table, "%s %sflop/s", unit_format(cell, rate, &unit), unit.name);
}

static void cell_number(struct table *table, const struct node *object, const char *key, int decimals) {
  table_cell(table, "%.*f", decimals, node_number(node_member(object, key)));
}

static void print_place(const struct node *report) {
  char cell[UNIT_TEXT];
  struct unit bytes = unit_bytes(node_number(node_member(report, "cache_bytes")));
  printf("%s, %s, %.0f thread%s, clock %.3f GHz, cache %s %s\n", node_string(node_member(report, "cpu")),
         node_string(node_member(report, "instruction_set")), node_number(node_member(report, "threads")),
         unit_plural((uint64_t)node_number(node_member(report, "threads"))),
         1e-9 * node_number(node_member(report, "clock_hz")),
         unit_format(cell, node_number(node_member(report, "cache_bytes")), &bytes), bytes.name);
}

static void print_coverage(const struct node *report) {
  const struct node *cover = node_member(report, "coverage");
  if (cover == NULL)
    return;
  printf("coverage     %.1f %% of the time, %.1f %% of what can be reached (%.1f %%)\n",
         100.0 * node_number(node_member(cover, "covered")),
         100.0 * node_number(node_member(cover, "covered_of_reachable")),
         100.0 * node_number(node_member(cover, "reachable")));
}

int apex_print_points(const struct node *report) {
  static const char *const heads[] = { "<run", "time", "B/cycle", "flop/cycle", "", "<" };
  const struct node *points = node_member(report, "points");
  const char *note = node_string(node_member(report, "counters_note"));
  struct table table;
  print_place(report);
  putchar('\n');
  table_begin(&table, 6, heads);
  for (size_t i = 0; i < node_count(points); i++) {
    const struct node *point = node_element(points, i);
    table_cell(&table, "%s", node_string(node_member(point, "run")));
    cell_time(&table, node_number(node_member(point, "time_s")));
    cell_number(&table, point, "bytes_per_cycle", 3);
    cell_number(&table, point, "flops_per_cycle", 3);
    cell_rate(&table, node_number(node_member(point, "flops_per_s")));
    table_cell(&table, "%s%s", node_string(node_member(point, "bytes_source")),
               node_true(node_member(point, "gated")) ? "" : ", not gated");
  }
  int result = table_print(&table, 0);
  printf("\nruns         %zu\n", node_count(points));
  print_coverage(report);
  if (note[0] != '\0')
    printf("counters     %s\n", note);
  return result;
}

static void cell_interval(struct table *table, const struct node *interval) {
  table_cell(table, "%.4g - %.4g", node_number(node_element(interval, 0)), node_number(node_element(interval, 1)));
}

int apex_print_weights(const struct node *report) {
  static const char *const heads[] = { "weight", "<B/cycle", "<flop/cycle", "samples", "<", "<representative", "" };
  const struct node *rectangles = node_member(report, "rectangles");
  char cell[UNIT_TEXT];
  double rate = node_number(node_member(report, "flops_per_s"));
  struct unit unit = unit_rate(rate);
  struct table table;
  print_place(report);
  printf("%.0f samples, %.4g s, %s %sflop/s, %.4g bytes and %.4g flops per cycle\n\n",
         node_number(node_member(report, "samples")), node_number(node_member(report, "time_s")),
         unit_format(cell, rate, &unit), unit.name, node_number(node_member(report, "bytes_per_cycle")),
         node_number(node_member(report, "flops_per_cycle")));
  table_begin(&table, 7, heads);
  for (size_t i = 0; i < node_count(rectangles); i++) {
    const struct node *one = node_element(rectangles, i), *run = node_member(one, "representative");
    table_cell(&table, "%.2f %%", 100.0 * node_number(node_member(one, "weight")));
    cell_interval(&table, node_member(one, "bytes_per_cycle"));
    cell_interval(&table, node_member(one, "flops_per_cycle"));
    cell_number(&table, one, "samples", 0);
    table_cell(&table, "%s",
               !node_true(node_member(one, "kept"))     ? "left out"
               : node_true(node_member(one, "covered")) ? ""
                                                        : "not covered");
    table_cell(&table, "%s", node_string(node_member(run, "run")));
    if (node_true(node_member(one, "kept")))
      cell_rate(&table, node_number(node_member(run, "flops_per_s")));
    else
      table_gap(&table);
  }
  int result = table_print(&table, 0);
  putchar('\n');
  print_coverage(report);
  printf("represented  %.1f %% of the time\n",
         100.0 * node_number(node_member(node_member(report, "coverage"), "represented")));
  return result;
}

static void add_formula(struct table *table, const struct node *report, const char *key, const char *what) {
  const struct node *formula = node_member(report, key);
  char cell[UNIT_TEXT];
  table_cell(table, "%s", what);
  cell_rate(table, node_number(node_member(formula, "flops_per_s")));
  table_cell(table, "%s", unit_percent(cell, node_number(node_member(formula, "error")), "%+.1f %%"));
  table_cell(table, "%s", node_string(node_member(formula, "formula")));
}

int apex_print_prediction(const struct node *report) {
  static const char *const heads[] = { "<", "", "error", "<" };
  const double measured = node_number(node_member(report, "measured_flops_per_s"));
  struct table table;
  printf("weights of   ");
  print_place(node_member(report, "old"));
  printf("asked about  ");
  print_place(node_member(report, "new"));
  printf("represented  %.1f %% of the time, by %zu runs\n\n", 100.0 * node_number(node_member(report, "represented")),
         node_count(node_member(report, "parts")));
  table_begin(&table, 4, heads);
  add_formula(&table, report, "sum_of_rates", "same machine");
  add_formula(&table, report, "same_work", "another one");
  if (!node_true(node_member(report, "same_machine")))
    add_formula(&table, report, "scaled_rate", "from its own rate");
  if (isfinite(measured)) {
    table_cell(&table, "measured");
    cell_rate(&table, measured);
    table_gap(&table);
    table_gap(&table);
  }
  return table_print(&table, 0);
}
