/* SPDX-License-Identifier: BSD-3-Clause */
/* perfpred contract: algorithms in the order of their predicted times. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contract_tables.h"
#include "table.h"
#include "units.h"

#define SHOWN_MAX 40 /* predicted algorithms of a table */
#define GROUPS_MAX 12

struct view {
  struct session *session;
  const struct perfpred_contraction_plan *plan;
  struct perfpred_contraction_plan_info info;
  const struct perfpred_contraction_validation *validation; /* NULL: nothing was executed */
  struct unit time, rate;
};

static int at(const struct view *view, size_t rank, struct perfpred_contraction_prediction *prediction) {
  *prediction = (struct perfpred_contraction_prediction)PERFPRED_CONTRACTION_PREDICTION_INIT;
  if (perfpred_contraction_plan_at(view->plan, rank, prediction, &view->session->error) != PERFPRED_OK)
    return session_fail(view->session);
  return COMMAND_OK;
}

static void tabulate(struct table *table, const struct view *view, size_t rank,
                     const struct perfpred_contraction_prediction *one) {
  static const char *const sources[] = { "micro-benchmarks", "models", "dropped", "its bound", "executions" };
  char text[UNIT_TEXT];
  const struct unit memory = unit_bytes(one->memory_bytes);
  table_cell(table, "%zu", rank + 1);
  table_cell(table, "%s", one->name);
  table_cell(table, "%s", unit_format(text, one->time_s.med, &view->time));
  table_cell(table, "%s", unit_percent(text, one->time_s.med / view->info.best_s - 1.0, "%+.1f %%"));
  table_cell(table, "%s", unit_format(text, one->flops_per_s, &view->rate));
  table_cell(table, "%d", one->copies);
  table_cell(table, "%s %s", unit_format(text, one->memory_bytes, &memory), memory.name);
  table_cell(table, "%s", one->source <= PERFPRED_CONTRACTION_EXECUTED ? sources[one->source] : "?");
  if (view->validation == NULL)
    return;
  table_cell(table, "%s", unit_format(text, one->measured_s, &view->time));
  table_cell(table, "%s", unit_percent(text, one->error, "%+.1f %%"));
  table_cell(table, "%s", unit_percent(text, one->noise, "%.1f %%"));
}

/* Predicted ones, and of the dropped ones those that were executed. */
static int fill(const struct view *view, struct table *table, size_t *left_out) {
  const size_t last = (size_t)(view->validation != NULL ? view->info.listed : view->info.predicted);
  for (size_t rank = 0; rank < last; rank++) {
    struct perfpred_contraction_prediction one;
    const bool predicted = rank < view->info.predicted;
    if (at(view, rank, &one) != COMMAND_OK)
      return COMMAND_FAILED;
    if (isfinite(one.measured_s) || (predicted && rank < SHOWN_MAX))
      tabulate(table, view, rank, &one);
    else if (predicted)
      ++*left_out;
  }
  return COMMAND_OK;
}

static int show_algorithms(const struct view *view) {
  char time[32], rate[32];
  const char *heads[] = { "place",  "<algorithm", time,       "to best", rate,   "copies",
                          "memory", "<by",        "measured", "error",   "noise" };
  struct table table;
  size_t left_out = 0;
  snprintf(time, sizeof time, "predicted/%s", view->time.name);
  snprintf(rate, sizeof rate, "%sflop/s", view->rate.name);
  table_begin(&table, view->validation != NULL ? 11 : 8, heads);
  int result = fill(view, &table, &left_out);
  if (result != COMMAND_OK) {
    table_release(&table);
    return result;
  }
  result = table_print(&table, 0);
  if (left_out > 0)
    printf("... and %zu more predicted ones, which --json lists\n", left_out);
  return result;
}

/* Why the others were not predicted. */
static int show_dropped(const struct view *view) {
  static const char *const heads[] = { "<kernel", "algorithms", "predicted", "at least", "<", "<by" };
  static const char *const bounds[] = { "-", "a smaller warm call", "a warm call", "models", "10 ns a call" };
  const uint64_t dropped = view->info.candidates - view->info.predicted;
  struct table table;
  char text[UNIT_TEXT];
  if (dropped == 0)
    return COMMAND_OK;
  printf("\ndropped  %llu algorithm%s: %s\n", (unsigned long long)dropped, unit_plural(dropped),
         view->info.bounded ? "none of them can be faster, by these bounds"
                            : "more time (--budget, --complete) would find out whether one of them is faster");
  table_begin(&table, sizeof heads / sizeof heads[0], heads);
  for (size_t i = 0; i < view->info.groups && i < GROUPS_MAX; i++) {
    struct perfpred_contraction_group group = PERFPRED_CONTRACTION_GROUP_INIT;
    if (perfpred_contraction_plan_group_at(view->plan, i, &group, &view->session->error) != PERFPRED_OK) {
      table_release(&table);
      return session_fail(view->session);
    }
    table_cell(&table, "%s", group.call);
    table_cell(&table, "%llu", (unsigned long long)group.algorithms);
    table_cell(&table, "%llu", (unsigned long long)group.predicted);
    table_cell(&table, "%s", group.bound_s > 0.0 ? unit_format(text, group.bound_s, &view->time) : "-");
    table_cell(&table, "%s", group.bound_s > 0.0 ? view->time.name : "");
    table_cell(&table, "%s", group.bound <= PERFPRED_CONTRACTION_BOUND_CALLS ? bounds[group.bound] : "?");
  }
  int result = table_print(&table, 2);
  if (view->info.groups > GROUPS_MAX)
    printf("  ... and %zu more ways to call a kernel\n", view->info.groups - GROUPS_MAX);
  return result;
}

static int show_validation(const struct view *view) {
  struct perfpred_contraction_prediction fastest;
  char text[UNIT_TEXT];
  if (view->validation == NULL || view->validation->executed == 0)
    return COMMAND_OK;
  const struct perfpred_contraction_validation *found = view->validation;
  int result = at(view, found->fastest, &fastest);
  if (result != COMMAND_OK)
    return result;
  printf("executed %zu: fastest %s; the pick takes %s more\n", found->executed, fastest.name,
         unit_percent(text, found->loss, "%.1f %%"));
  printf("errors   mean %s, ", unit_percent(text, found->mean_are, "%.1f %%"));
  printf("largest %s; ", unit_percent(text, found->worst_are, "%.1f %%"));
  printf("noise floor %s; ", unit_percent(text, found->noise_floor, "%.1f %%"));
  if (isfinite(found->tau))
    printf("Kendall's tau %.2f of %zu pairs that can be told apart\n", found->tau, found->pairs);
  else
    printf("no two can be told apart\n");
  return COMMAND_OK;
}

/* What --answers saved. */
static void show_file(const struct view *view) {
  const struct unit cost = unit_time(view->info.made_s), found = unit_time(view->info.calibration_s);
  char text[UNIT_TEXT];
  if (view->info.from_file) {
    printf("answered from %s: making it took %s %s", view->session->options->answers,
           unit_format(text, view->info.made_s, &cost), cost.name);
    if (view->info.calibration_s > 0.0)
      printf(", and %s %s before it", unit_format(text, view->info.calibration_s, &found), found.name);
    putchar('\n');
  } else if (view->info.caches_from_file) {
    printf("caches   as %s has them\n", view->session->options->answers);
  }
}

static int show_pick(const struct view *view) {
  struct perfpred_contraction_prediction pick;
  char text[UNIT_TEXT];
  const struct unit cost = unit_time(view->info.planning_s);
  if (view->info.predicted == 0)
    return COMMAND_OK;
  int result = at(view, 0, &pick);
  if (result != COMMAND_OK)
    return result;
  printf("\npick     %s", pick.name);
  if (view->info.ties > 1)
    printf("; %zu other%s as fast, as far as the predictions tell", view->info.ties - 1,
           view->info.ties == 2 ? " is" : "s are");
  printf("\nplanned  in %s %s", unit_format(text, view->info.planning_s, &cost), cost.name);
  const double ratio = view->info.planning_s / view->info.best_s;
  if (isfinite(ratio) && ratio < 10.0)
    printf(", %s of the pick's time", unit_percent(text, ratio, "%.1f %%"));
  else if (isfinite(ratio))
    printf(", %.0f times the pick's time", ratio);
  if (view->info.benchmarks > 0 && !view->info.from_file)
    printf("; %llu micro-benchmark%s", (unsigned long long)view->info.benchmarks, unit_plural(view->info.benchmarks));
  printf("%s\n", view->info.from_cache && !view->info.from_file ? "; the answer was kept" : "");
  show_file(view);
  return show_validation(view);
}

static int show(struct view *view, const struct perfpred_contraction *contraction, const struct extents *extents) {
  struct perfpred_contraction_info info = PERFPRED_CONTRACTION_INFO_INIT;
  char text[EXTENTS_TEXT], size[UNIT_TEXT];
  const struct unit bytes = unit_bytes(view->info.tensor_bytes);
  if (perfpred_contraction_summary(contraction, &info, &view->session->error) != PERFPRED_OK)
    return session_fail(view->session);
  printf("%s%s%s: %.6g flops on %s %s\n", info.einsum, extents->count > 0 ? ", " : "", extents_describe(extents, text),
         info.flops, unit_format(size, view->info.tensor_bytes, &bytes), bytes.name);
  int result = contract_print_counts(view->session, contraction);
  putchar('\n');
  view->time = unit_time(view->info.best_s);
  view->rate = unit_rate(info.flops / view->info.best_s);
  if (result == COMMAND_OK)
    result = show_algorithms(view);
  if (result == COMMAND_OK)
    result = show_pick(view);
  if (result == COMMAND_OK)
    result = contracting_hint(view->session, info.einsum, extents);
  return result == COMMAND_OK ? show_dropped(view) : result;
}

void contract_print_report(const char *json) {
  const size_t length = strlen(json);
  fputs(json, stdout);
  if (length == 0 || json[length - 1] != '\n')
    putchar('\n');
}

int contract_print_plan(struct session *session, const struct perfpred_contraction *contraction,
                        const struct perfpred_contraction_plan *plan, const struct extents *extents,
                        const struct perfpred_contraction_validation *validation) {
  struct view view = {
    .session = session, .plan = plan, .info = PERFPRED_CONTRACTION_PLAN_INFO_INIT, .validation = validation
  };
  if (session->options->json) {
    char *json;
    if (perfpred_contraction_plan_report(plan, 0, &json, &session->error) != PERFPRED_OK)
      return session_fail(session);
    contract_print_report(json);
    perfpred_free(json);
    return COMMAND_OK;
  }
  if (perfpred_contraction_plan_summary(plan, &view.info, &session->error) != PERFPRED_OK)
    return session_fail(session);
  return show(&view, contraction, extents);
}
