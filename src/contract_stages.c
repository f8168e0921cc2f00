/* SPDX-License-Identifier: BSD-3-Clause */
#include "contract_stages.h"

#include <math.h>
#include <stdio.h>

#include "gnuplot.h"
#include "table.h"
#include "units.h"

/* Sections 23.2 to 23.6, by accesses and by flushing; windows of iterations have all of that in them. */
static const struct contracting_way ways[] = {
  { PERFPRED_CONTRACTION_REMOTE, PERFPRED_CONTRACTION_STAGE_REPEATED },
  { PERFPRED_CONTRACTION_REMOTE, PERFPRED_CONTRACTION_STAGE_DISTANCES },
  { PERFPRED_CONTRACTION_REMOTE, PERFPRED_CONTRACTION_STAGE_PREFETCH },
  { PERFPRED_CONTRACTION_REMOTE, PERFPRED_CONTRACTION_STAGE_FAILURES },
  { PERFPRED_CONTRACTION_REMOTE, PERFPRED_CONTRACTION_STAGE_FIRST },
  { PERFPRED_CONTRACTION_FLUSH, PERFPRED_CONTRACTION_STAGE_DISTANCES },
  { PERFPRED_CONTRACTION_FLUSH, PERFPRED_CONTRACTION_STAGE_PREFETCH },
  { PERFPRED_CONTRACTION_FLUSH, PERFPRED_CONTRACTION_STAGE_FAILURES },
  { PERFPRED_CONTRACTION_FLUSH, PERFPRED_CONTRACTION_STAGE_FIRST },
  { PERFPRED_CONTRACTION_REPLAY, PERFPRED_CONTRACTION_STAGE_FIRST },
};
#define WAYS (sizeof ways / sizeof ways[0])

static int predict(struct session *session, const struct perfpred_contraction *contraction,
                   const struct perfpred_contraction_filter *filter, const struct contracting_way *way,
                   struct perfpred_contraction_plan **plan) {
  struct perfpred_contraction_planner *planner = NULL;
  struct progress progress;
  int result = contracting_planner(session, filter, way, &progress, &planner);
  if (result == COMMAND_OK)
    result = contracting_ask(session, planner, contraction, &progress, plan);
  const int kept = contracting_release(session, planner);
  if (result != COMMAND_OK || kept == COMMAND_OK)
    return result;
  perfpred_contraction_plan_destroy(*plan);
  return kept;
}

static int compare(struct session *session, const struct perfpred_contraction *contraction,
                   const struct perfpred_contraction_filter *filter, const struct perfpred_contraction_plan *measured,
                   struct contract_stage *stage) {
  struct perfpred_contraction_plan_info info = PERFPRED_CONTRACTION_PLAN_INFO_INIT;
  struct perfpred_contraction_plan *plan = NULL;
  int result = predict(session, contraction, filter, &stage->way, &plan);
  if (result != COMMAND_OK)
    return result;
  stage->validation = (struct perfpred_contraction_validation)PERFPRED_CONTRACTION_VALIDATION_INIT;
  if (perfpred_contraction_plan_compare(plan, measured, &stage->validation, &session->error) != PERFPRED_OK ||
      perfpred_contraction_plan_summary(plan, &info, &session->error) != PERFPRED_OK)
    result = session_fail(session);
  stage->predicted = (size_t)info.predicted;
  stage->planning_s = info.planning_s;
  perfpred_contraction_plan_destroy(plan);
  return result;
}

int contract_stages_find(struct session *session, const struct perfpred_contraction *contraction,
                         const struct perfpred_contraction_filter *filter, struct contract_stages *stages) {
  static const struct contracting_way first = { PERFPRED_CONTRACTION_REPLAY, PERFPRED_CONTRACTION_STAGE_DEFAULT };
  struct perfpred_contraction_validation validation = PERFPRED_CONTRACTION_VALIDATION_INIT;
  struct perfpred_contraction_plan *measured = NULL;
  struct progress progress;
  int result = predict(session, contraction, filter, &first, &measured);
  if (result == COMMAND_OK)
    result = contracting_measure(session, measured, &progress, &validation);
  stages->executed = validation.executed;
  stages->noise_floor = validation.noise_floor;
  stages->count = 0;
  for (size_t i = 0; result == COMMAND_OK && i < WAYS; i++) {
    stages->items[i].way = ways[i];
    result = compare(session, contraction, filter, measured, &stages->items[i]);
    stages->count = i + 1;
  }
  perfpred_contraction_plan_destroy(measured);
  return result;
}

static int print_json(const struct contract_stages *stages, const char *einsum, const struct extents *extents) {
  struct document document;
  document_begin(&document);
  document_string(&document, "einsum", einsum);
  document_open_object(&document, "extents");
  for (size_t i = 0; i < extents->count; i++)
    document_integer(&document, extents->names[i], extents->values[i]);
  document_close(&document);
  document_integer(&document, "executed", (int64_t)stages->executed);
  document_number(&document, "noise_floor", stages->noise_floor);
  document_open_array(&document, "stages");
  for (size_t i = 0; i < stages->count; i++) {
    const struct contract_stage *one = &stages->items[i];
    document_open_object(&document, NULL);
    document_string(&document, "mode", contracting_mode(one->way.mode));
    document_string(&document, "stage", contracting_stage(one->way.stage));
    document_integer(&document, "predicted", (int64_t)one->predicted);
    document_integer(&document, "compared", (int64_t)one->validation.compared);
    document_number(&document, "mean_are", one->validation.mean_are);
    document_number(&document, "median_are", one->validation.median_are);
    document_number(&document, "worst_are", one->validation.worst_are);
    document_number(&document, "tau", one->validation.tau);
    document_number(&document, "loss", one->validation.loss);
    document_number(&document, "planning_s", one->planning_s);
    document_close(&document);
  }
  document_close(&document);
  return document_print(&document);
}

static int print_table(const struct contract_stages *stages, const char *einsum, const struct extents *extents) {
  static const char *const heads[] = { "<mode",   "<stage", "compared", "mean error",  "median",
                                       "largest", "tau",    "loss",     "predicted in" };
  char text[EXTENTS_TEXT], cell[UNIT_TEXT];
  struct table table;
  printf("%s, %s: %zu algorithms executed, noise floor %s\n\n", einsum, extents_describe(extents, text),
         stages->executed, unit_percent(cell, stages->noise_floor, "%.1f %%"));
  table_begin(&table, sizeof heads / sizeof heads[0], heads);
  for (size_t i = 0; i < stages->count; i++) {
    const struct contract_stage *one = &stages->items[i];
    const struct unit unit = unit_time(one->planning_s);
    table_cell(&table, "%s", contracting_mode(one->way.mode));
    table_cell(&table, "%s", contracting_stage(one->way.stage));
    table_cell(&table, "%zu", one->validation.compared);
    table_cell(&table, "%s", unit_percent(cell, one->validation.mean_are, "%.1f %%"));
    table_cell(&table, "%s", unit_percent(cell, one->validation.median_are, "%.1f %%"));
    table_cell(&table, "%s", unit_percent(cell, one->validation.worst_are, "%.1f %%"));
    if (isfinite(one->validation.tau))
      table_cell(&table, "%.2f", one->validation.tau);
    else
      table_cell(&table, "-");
    table_cell(&table, "%s", unit_percent(cell, one->validation.loss, "%.1f %%"));
    table_cell(&table, "%s %s", unit_format(cell, one->planning_s, &unit), unit.name);
  }
  return table_print(&table, 0);
}

int contract_stages_run(struct session *session, const struct perfpred_contraction *contraction,
                        const struct perfpred_contraction_filter *filter, const struct extents *extents) {
  struct perfpred_contraction_info info = PERFPRED_CONTRACTION_INFO_INIT;
  struct contract_stages stages;
  int result = contract_stages_find(session, contraction, filter, &stages);
  if (result != COMMAND_OK)
    return result;
  if (perfpred_contraction_summary(contraction, &info, &session->error) != PERFPRED_OK)
    return session_fail(session);
  return session->options->json ? print_json(&stages, info.einsum, extents)
                                : print_table(&stages, info.einsum, extents);
}

/* --- The picture ---------------------------------------------------------------------------------------------------- */

static void write_bars(struct gnuplot *gnuplot, const struct contract_stages *stages) {
  FILE *script = gnuplot->script;
  fputs("$errors << EOD\n", script);
  for (size_t i = 0; i < stages->count; i++)
    fprintf(script, "%zu %.6g %d \"%s %s\"\n", i, 100.0 * stages->items[i].validation.mean_are,
            (int)stages->items[i].way.mode, contracting_mode(stages->items[i].way.mode),
            contracting_stage(stages->items[i].way.stage));
  fputs("EOD\nset boxwidth 0.7\nset style fill solid 0.8 noborder\nset yrange [0:*]\nset xrange [-0.6:*]\n"
        "set xtics rotate by 30 right\nunset xlabel\nset offsets 0, 0.6, graph 0.08, 0\nplot ",
        script);
  if (isfinite(stages->noise_floor))
    fprintf(script, "%.6g with lines lc rgb '#808080' dt 2 lw 1.5 title 'noise floor', ", 100.0 * stages->noise_floor);
  fputs("$errors using 1:2:3:xtic(4) with boxes lc variable notitle, "
        "$errors using 1:2:(sprintf('%.1f', $2)) with labels offset 0,0.6 font ',12' notitle\n",
        script);
}

static int draw(struct session *session, const struct extents *extents, const char *einsum,
                const struct perfpred_contraction *contraction, const struct perfpred_contraction_filter *filter) {
  char sizes[EXTENTS_TEXT], title[EXTENTS_TEXT + 100];
  struct contract_stages stages;
  struct gnuplot gnuplot;
  int result = contract_stages_find(session, contraction, filter, &stages);
  if (result != COMMAND_OK)
    return result;
  snprintf(title, sizeof title, "%.60s, %s: %zu algorithms", einsum, extents_describe(extents, sizes), stages.executed);
  result = gnuplot_begin(&gnuplot, title, "", "mean error of the predicted time in %");
  if (result != COMMAND_OK)
    return result;
  write_bars(&gnuplot, &stages);
  return gnuplot_run(&gnuplot, session->options->output);
}

int plot_contract_stages(const struct options *options) {
  struct perfpred_contraction_filter filter;
  struct perfpred_contraction *contraction = NULL;
  struct extents extents;
  struct session session;
  int result = contracting_read_filter(options, &filter);
  if (result == COMMAND_OK)
    result = extents_read(&options->extents, false, &extents);
  if (result != COMMAND_OK)
    return result;
  result = session_open(&session, options);
  if (result == COMMAND_OK)
    result = contracting_create(&session, options->operands.items[1], &extents, &contraction);
  if (result == COMMAND_OK)
    result = draw(&session, &extents, options->operands.items[1], contraction, &filter);
  perfpred_contraction_destroy(contraction);
  session_close(&session);
  return result;
}
