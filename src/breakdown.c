/* SPDX-License-Identifier: BSD-3-Clause */
#include "breakdown.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "progress.h"
#include "table.h"
#include "units.h"

/* --- Measuring ----------------------------------------------------------------------------------------------------- */

/* One bar for all points. */
struct bar {
  struct progress progress;
  size_t done, count;             /* points */
  double before_s, elapsed_s;     /* that the points before took; so far, of the present one */
  uint64_t before_samples, taken; /* the same of samples */
};

static int step(void *data, const struct perfpred_progress *part) {
  struct bar *bar = data;
  struct perfpred_progress whole = *part;
  bar->elapsed_s = part->elapsed_s;
  bar->taken = part->samples;
  whole.fraction = ((double)bar->done + part->fraction) / (double)bar->count;
  whole.elapsed_s = bar->before_s + part->elapsed_s;
  whole.samples = bar->before_samples + part->samples;
  whole.remaining_s =
      whole.fraction > 0.0 ? whole.elapsed_s * (1.0 - whole.fraction) / whole.fraction : (double)INFINITY;
  return progress_step(&bar->progress, &whole);
}

static void finish_point(struct bar *bar) {
  bar->done++;
  bar->before_s += bar->elapsed_s;
  bar->before_samples += bar->taken;
}

/* The rows of the same kernel are one in the sum. */
static bool add(struct breakdown_rows *rows, const struct breakdown_row *row) {
  size_t place = 0;
  while (place < rows->count && strcmp(rows->items[place].kernel, row->kernel) != 0)
    place++;
  if (place == SESSION_KERNELS)
    return false;
  struct breakdown_row *sum = &rows->items[place];
  if (place == rows->count)
    rows->items[rows->count++] = (struct breakdown_row){ .kernel = row->kernel };
  sum->calls += row->calls;
  sum->predicted_s += row->predicted_s;
  sum->measured_s += row->measured_s;
  sum->missed_s += row->missed_s;
  sum->noise_s += row->noise_s;
  return true;
}

static int too_many(void) {
  return message_fail("option --kernels: more than %d kernels", SESSION_KERNELS);
}

static int measure_point(struct session *session, const struct perfpred_measure_options *options,
                         const struct perfpred_validation_point *point, struct breakdown_rows *rows) {
  struct perfpred_kernel_error items[SESSION_KERNELS];
  size_t count = 0;
  enum perfpred_status status =
      perfpred_validate_kernels(session->plans[point->plan], session->sampler, options, point->parameters,
                                perfpred_program_parameter_count(session->programs[point->plan]), items,
                                SESSION_KERNELS, &count, &session->error);
  if (status != PERFPRED_OK)
    return status == PERFPRED_CANCELLED ? message_fail("interrupted") : session_fail(session);
  if (count > SESSION_KERNELS)
    return too_many();
  for (size_t i = 0; i < count; i++) {
    const struct perfpred_kernel_error *item = &items[i];
    rows->items[rows->count++] = (struct breakdown_row){ .kernel = item->kernel,
                                                         .calls = item->calls,
                                                         .predicted_s = item->predicted_s.med,
                                                         .measured_s = item->measured_s,
                                                         .missed_s = fabs(item->predicted_s.med - item->measured_s),
                                                         .noise_s = item->noise * item->measured_s };
  }
  return COMMAND_OK;
}

/* The worst first; of equal ones, the first. */
static int by_error(const void *a, const void *b) {
  const struct breakdown_row *x = a, *y = b;
  return (x->missed_s < y->missed_s) - (x->missed_s > y->missed_s);
}

static int sum_up(struct breakdown *breakdown) {
  for (size_t i = 0; i < breakdown->count; i++)
    for (size_t k = 0; k < breakdown->points[i].count; k++)
      if (!add(&breakdown->sum, &breakdown->points[i].items[k]))
        return too_many();
  qsort(breakdown->sum.items, breakdown->sum.count, sizeof *breakdown->sum.items, by_error);
  return COMMAND_OK;
}

int breakdown_measure(struct session *session, const struct perfpred_measure_options *options,
                      const struct perfpred_validation_point *points, size_t count, struct breakdown *breakdown) {
  struct perfpred_measure_options each = *options;
  struct bar bar = { .count = count };
  int result = COMMAND_OK;
  breakdown->points = calloc(count, sizeof *breakdown->points);
  if (breakdown->points == NULL)
    return message_fail("out of memory");
  breakdown->count = count;
  each.budget_s /= (double)count;
  each.progress = step;
  each.progress_data = &bar;
  progress_begin(&bar.progress, "kernels");
  for (size_t i = 0; i < count && result == COMMAND_OK; i++) {
    result = measure_point(session, &each, &points[i], &breakdown->points[i]);
    finish_point(&bar);
  }
  progress_end(&bar.progress);
  return result == COMMAND_OK ? sum_up(breakdown) : result;
}

void breakdown_release(struct breakdown *breakdown) {
  free(breakdown->points);
  breakdown->points = NULL;
}

/* --- Telling ------------------------------------------------------------------------------------------------------- */

static struct breakdown_row total_of(const struct breakdown_rows *rows) {
  struct breakdown_row total = { .kernel = "all" };
  for (size_t i = 0; i < rows->count; i++) {
    const struct breakdown_row *row = &rows->items[i];
    total.calls += row->calls;
    total.predicted_s += row->predicted_s;
    total.measured_s += row->measured_s;
    total.missed_s += row->missed_s;
    total.noise_s += row->noise_s;
  }
  return total;
}

static double error_of(const struct breakdown_row *row) {
  return (row->predicted_s - row->measured_s) / row->measured_s;
}

/* Where nothing is wrong nothing has a share of it. */
static double error_share(const struct breakdown_row *row, const struct breakdown_row *total) {
  return total->missed_s > 0.0 ? row->missed_s / total->missed_s : 0.0;
}

static void print_row(struct table *table, const struct breakdown_row *row, const struct breakdown_row *total,
                      const struct unit *unit) {
  char text[UNIT_TEXT];
  table_cell(table, "%s", row->kernel);
  table_cell(table, "%llu", (unsigned long long)row->calls);
  table_cell(table, "%s", unit_format(text, row->predicted_s, unit));
  table_cell(table, "%s", unit_format(text, row->measured_s, unit));
  table_cell(table, "%s", unit_percent(text, error_of(row), "%+.1f %%"));
  table_cell(table, "%s", unit_percent(text, row->noise_s / row->measured_s, "%.1f %%"));
  table_cell(table, "%s", unit_percent(text, row->measured_s / total->measured_s, "%.1f %%"));
  table_cell(table, "%s", unit_percent(text, error_share(row, total), "%.1f %%"));
}

/* The kernels, and all of them together where there are several. */
static void print_rows(struct table *table, const struct breakdown_rows *rows, const char *title,
                       const struct unit *unit) {
  const struct breakdown_row total = total_of(rows);
  for (size_t i = 0; i < rows->count; i++) {
    table_cell(table, "%s", i == 0 ? title : "");
    print_row(table, &rows->items[i], &total, unit);
  }
  if (rows->count > 1) {
    table_gap(table);
    print_row(table, &total, &total, unit);
  }
}

int breakdown_print(const struct breakdown *breakdown, const struct session *session,
                    const struct perfpred_validation_point *points) {
  char predicted[24], measured[24], title[SESSION_TEXT + 64], values[SESSION_TEXT];
  const char *const heads[] = { "<point", "<kernel", "calls",   predicted, measured,
                                "error",  "noise",   "of time", "of error" };
  const struct breakdown_row total = total_of(&breakdown->sum);
  const struct unit unit = unit_time(total.measured_s / (double)breakdown->count);
  struct table table;
  snprintf(predicted, sizeof predicted, "predicted/%s", unit.name);
  snprintf(measured, sizeof measured, "measured/%s", unit.name);
  table_begin(&table, (int)(sizeof heads / sizeof heads[0]), heads);
  for (size_t i = 0; i < breakdown->count; i++) {
    const struct perfpred_program *program = session->programs[points[i].plan];
    snprintf(title, sizeof title, "%s %s", perfpred_program_name(program),
             session_describe(program, points[i].parameters, values));
    print_rows(&table, &breakdown->points[i], title, &unit);
  }
  if (breakdown->count > 1)
    print_rows(&table, &breakdown->sum, "all points", &unit);
  return table_print(&table, 0);
}

static void write_rows(struct document *document, const struct breakdown_rows *rows) {
  const struct breakdown_row total = total_of(rows);
  document_open_array(document, "kernels");
  for (size_t i = 0; i < rows->count; i++) {
    const struct breakdown_row *row = &rows->items[i];
    document_open_object(document, NULL);
    document_string(document, "kernel", row->kernel);
    document_integer(document, "calls", (int64_t)row->calls);
    document_number(document, "predicted_s", row->predicted_s);
    document_number(document, "measured_s", row->measured_s);
    document_number(document, "re", error_of(row));
    document_number(document, "noise", row->noise_s / row->measured_s);
    document_number(document, "share", row->measured_s / total.measured_s);
    document_number(document, "error_share", error_share(row, &total));
    document_close(document);
  }
  document_close(document);
}

void breakdown_write_point(struct document *document, const struct breakdown *breakdown, size_t which) {
  if (breakdown->points != NULL)
    write_rows(document, &breakdown->points[which]);
}

void breakdown_write(struct document *document, const struct breakdown *breakdown) {
  if (breakdown->points != NULL)
    write_rows(document, &breakdown->sum);
}
