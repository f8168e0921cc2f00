/* SPDX-License-Identifier: BSD-3-Clause */
/* perfpred rank: all algorithms of an operation, fastest first. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "job.h"
#include "table.h"
#include "units.h"
#include "validated.h"

static int print_json(const struct session *session, const int64_t *values, const struct validated *validated,
                      const struct perfpred_ranked *ranking) {
  struct document document;
  document_begin(&document);
  document_string(&document, "operation", session->options->operands.items[0]);
  session_write_parameters(&document, session->programs[0], values);
  document_open_array(&document, "ranking");
  for (size_t i = 0; i < session->count; i++) {
    document_open_object(&document, NULL);
    document_string(&document, "name", perfpred_program_name(session->programs[ranking[i].plan]));
    document_number(&document, "time_s", ranking[i].time_s.med);
    document_statistics(&document, "statistics_s", &ranking[i].time_s);
    document_integer(&document, "group", ranking[i].group);
    document_number(&document, "likelihood", ranking[i].likelihood);
    document_number(&document, "loss_s", ranking[i].loss_s);
    session_write_notes(&document, ranking[i].notes);
    document_close(&document);
  }
  document_close(&document);
  document_number(&document, "noise", validated->noise > 0.0 ? validated->noise : (double)NAN);
  document_number(&document, "difference_error", validated->pairs > 0 ? validated->error : (double)NAN);
  session_write_unbound(&document, session);
  return document_print(&document);
}

/* What a choice costs on average, of the shortest time. */
static void loss_cell(struct table *table, double loss_s, double best_s) {
  char cell[UNIT_TEXT];
  table_cell(table, "%s", best_s > 0.0 ? unit_percent(cell, loss_s / best_s, "%.2f %%") : "-");
}

static int print_table(const struct session *session, const int64_t *values, const struct validated *validated,
                       const struct perfpred_ranked *ranking) {
  static const char *const heads[] = { "place", "<algorithm", "predicted", "<", "to best",
                                       "group", "fastest",    "loss",      "<" };
  char text[SESSION_TEXT], cell[UNIT_TEXT];
  struct table table;
  double best = ranking[0].time_s.med;
  struct unit unit = unit_time(best);
  printf("%s, %s\n\n", session->options->operands.items[0], session_describe(session->programs[0], values, text));
  table_begin(&table, 9, heads);
  for (size_t i = 0; i < session->count; i++) {
    table_cell(&table, "%zu", i + 1);
    table_cell(&table, "%s", perfpred_program_name(session->programs[ranking[i].plan]));
    table_cell(&table, "%s", unit_format(cell, ranking[i].time_s.med, &unit));
    table_cell(&table, "%s", unit.name);
    table_cell(&table, "%s", best > 0.0 ? unit_percent(cell, ranking[i].time_s.med / best - 1.0, "+%.1f %%") : "-");
    table_cell(&table, "%u", ranking[i].group + 1);
    table_cell(&table, "%s", unit_percent(cell, ranking[i].likelihood, "%.0f %%"));
    loss_cell(&table, ranking[i].loss_s, best);
    if (ranking[i].notes != 0)
      table_cell(&table, "%s", session_describe_notes(ranking[i].notes, text));
    else
      table_gap(&table);
  }
  int result = table_print(&table, 0);
  printf(
      "\nThe same group: too close to tell. fastest: how likely it is to be the fastest of all. loss: what choosing\n"
      "it costs on average, by the error of the models.\n");
  if (validated->noise > 0.0)
    printf("noise floor %s as validated\n", unit_percent(cell, validated->noise, "%.2f %%"));
  if (validated->pairs > 0)
    printf("error of a difference %s, from %zu pair%s of measured algorithms\n",
           unit_percent(cell, validated->error, "%.2f %%"), validated->pairs, unit_plural(validated->pairs));
  return result;
}

/* Drops what the models do not reach, as long as something is left to rank. */
static void drop_beyond(struct session *session, const int64_t *values) {
  for (size_t i = 0; i < session->count && session->count > 1;) {
    struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
    size_t count = perfpred_program_parameter_count(session->programs[i]);
    if (perfpred_plan_predict(session->plans[i], values, count, &prediction, NULL) == PERFPRED_OUT_OF_DOMAIN)
      session_drop(session, i);
    else
      i++;
  }
}

/* One set of values for all. Defaults of the algorithms must not make several of it. */
static int common_values(const struct session *session, int64_t *values) {
  const struct perfpred_program *first = session->programs[0];
  int result = session_values(session, first, NULL, values);
  for (size_t i = 1; result == COMMAND_OK && i < session->count; i++) {
    int64_t others[SESSION_PARAMETERS];
    const struct perfpred_program *program = session->programs[i];
    result = session_values(session, program, NULL, others);
    for (size_t k = 0; result == COMMAND_OK && k < perfpred_program_parameter_count(program); k++) {
      const char *name = perfpred_program_parameter_name(program, k);
      if (k < perfpred_program_parameter_count(first) && others[k] != values[k])
        result = message_misuse("the default of %s is %lld in '%s' and %lld in '%s': expected %s=VALUE", name,
                                (long long)values[k], perfpred_program_name(first), (long long)others[k],
                                perfpred_program_name(program), name);
    }
  }
  return result;
}

static int rank(struct session *session, void *data) {
  int64_t values[SESSION_PARAMETERS];
  struct perfpred_rank_options options = PERFPRED_RANK_OPTIONS_INIT;
  struct validated validated = { 0.0, 0.0, 0 };
  (void)data;
  int result = common_values(session, values);
  if (result == COMMAND_OK && session->options->measured != NULL)
    result = validated_read(session, session->options->measured, &validated);
  if (result != COMMAND_OK)
    return result;
  options.noise = validated.noise;
  options.error = validated.error;
  drop_beyond(session, values);
  struct perfpred_ranked *ranking = calloc(session->count, sizeof *ranking);
  if (ranking == NULL)
    return message_fail("out of memory");
  if (perfpred_rank((const struct perfpred_plan *const *)session->plans, session->count, values,
                    perfpred_program_parameter_count(session->programs[0]), &options, ranking,
                    &session->error) != PERFPRED_OK)
    result = session_fail(session);
  else if (session->options->json)
    result = print_json(session, values, &validated, ranking);
  else
    result = print_table(session, values, &validated, ranking);
  if (result == COMMAND_OK)
    session_note_unbound(session);
  free(ranking);
  return result;
}

static int run(const struct options *options) {
  const struct job job = { .takes = JOB_ALTERNATIVES, .names = options->operands.items[0], .work = rank };
  return job_run(options, &job);
}

const struct command command_rank = {
  .name = "rank",
  .synopsis = "OPERATION -m FILE PARAMETER=VALUE ... [--measured FILE] [--extrapolate] [--force] [-f FILE] ...",
  .summary = "All algorithms of an operation, fastest first",
  .details =
      "OPERATION is an operation such as chol-l, or a list of algorithms of one operation, NAME,NAME. Algorithms\n"
      "without models in the file are left out, and named in a note on standard error. Two are in one group if their\n"
      "times differ by less than the error of the models on the calls that they do not share; with --measured by less\n"
      "than the noise floor and the error of measured differences there.\n",
  .takes = TAKES_MODELS | TAKES_PARAMETERS | TAKES_LD | TAKES_EXTRAPOLATE | TAKES_FORCE | TAKES_FILES | TAKES_CHOICE |
           TAKES_NUMBER | TAKES_MEASURED,
  .operands_min = 1,
  .operands_max = 1,
  .run = run,
};
