/* SPDX-License-Identifier: BSD-3-Clause */
#include "replayed.h"

#include <math.h>
#include <perfpred/replay.h>

#include <stdio.h>
#include <string.h>

#include "emulation.h"
#include "progress.h"
#include "session.h"
#include "table.h"
#include "units.h"

bool replayed_is_meant(const struct options *options) {
  return options->mode != NULL && strcmp(options->mode, "models") != 0;
}

static int check_replay(const struct options *options) {
  if (options->models != NULL || options->kind != NULL || options->extrapolate || options->force || options->setup > 0)
    return message_misuse(
        "option --mode %s: no models are used; -m, --models, --setup, --extrapolate and --force belong to "
        "'--mode models'",
        options->mode);
  if (emulation_weighed(options))
    return message_misuse("option --mode %s: of how caches are emulated only --cache and --line count, with 'setup'",
                          options->mode);
  if (strcmp(options->mode, "replay") == 0 && emulation_given(options))
    return message_misuse("option --mode replay: no caches are emulated; --cache and --line belong to '--mode setup'");
  return COMMAND_OK;
}

static int check_models(const struct options *options) {
  const char *name = NULL;
  if (options->steps > 0)
    name = "--steps";
  else if (options->repetitions > 0)
    name = "--reps";
  else if (options->budget_s > 0.0)
    name = "--budget";
  else if (options->gate < 0.0 || options->gate > 0.0)
    name = "--gate";
  else if (options->lapack != NULL)
    name = "--lapack";
  else if (options->worker != NULL)
    name = "--worker";
  else if (options->environment.count > 0)
    name = "--env";
  else if (options->yardstick_s > 0.0)
    name = "--yardstick";
  return name == NULL
             ? COMMAND_OK
             : message_misuse("option %s: nothing is measured; expected '--mode replay' or '--mode setup' beside it",
                              name);
}

int replayed_check(const struct options *options) {
  if (options->mode != NULL && strcmp(options->mode, "models") != 0 && strcmp(options->mode, "replay") != 0 &&
      strcmp(options->mode, "setup") != 0)
    return message_misuse("option --mode: '%s': expected 'models', 'replay' or 'setup'", options->mode);
  return replayed_is_meant(options) ? check_replay(options) : check_models(options);
}

static int print_json(const struct session *session, const int64_t *values, double flops,
                      const struct perfpred_replayed *replay) {
  struct document document;
  document_begin(&document);
  document_string(&document, "name", perfpred_program_name(session->programs[0]));
  session_write_parameters(&document, session->programs[0], values);
  document_string(&document, "mode", session->options->mode);
  document_statistics(&document, "time_s", &replay->time_s);
  document_number(&document, "flops", flops);
  document_number(&document, "flops_per_s", flops / replay->time_s.med);
  document_number(&document, "cost_s", replay->cost_s);
  document_number(&document, "cost_ratio", replay->ratio);
  document_integer(&document, "steps", (int64_t)replay->steps);
  document_integer(&document, "measured_steps", (int64_t)replay->measured);
  document_number(&document, "measured_share", replay->measured_share);
  document_integer(&document, "outside_calls", (int64_t)replay->outside);
  document_number(&document, "outside_s", replay->outside_s);
  document_integer(&document, "disturbed", (int64_t)replay->disturbed);
  document_integer(&document, "ld", replay->ld);
  document_integer(&document, "touched_steps", (int64_t)replay->reach);
  return document_print(&document);
}

static int print_text(const struct session *session, const int64_t *values, double flops,
                      const struct perfpred_replayed *replay) {
  static const char *const heads[] = { "<", "min", "med", "max", "mean", "std", "<" };
  const struct perfpred_statistics *time = &replay->time_s;
  const double numbers[] = { time->min, time->med, time->max, time->mean, time->std };
  char text[SESSION_TEXT], cell[UNIT_TEXT];
  struct table table;
  struct unit unit = unit_time(time->med), rate = unit_rate(flops / time->med), cost = unit_time(replay->cost_s);
  printf("%s, %s\n\n", perfpred_program_name(session->programs[0]),
         session_describe(session->programs[0], values, text));
  table_begin(&table, 7, heads);
  table_cell(&table, "time");
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    table_cell(&table, "%s", unit_format(cell, numbers[i], &unit));
  table_cell(&table, "%s", unit.name);
  int result = table_print(&table, 0);
  printf("\nperformance  %s %sflop/s at the median\n", unit_format(cell, flops / time->med, &rate), rate.name);
  printf("measured     %llu of %llu steps, %s of the time", (unsigned long long)replay->measured,
         (unsigned long long)replay->steps, unit_percent(cell, replay->measured_share, "%.1f %%"));
  if (replay->reach > 0)
    printf("; up to %llu steps touched before", (unsigned long long)replay->reach);
  if (replay->outside > 0)
    printf("; %llu call%s outside of the loop alone", (unsigned long long)replay->outside,
           unit_plural(replay->outside));
  printf("\ncost         %s %s", unit_format(cell, replay->cost_s, &cost), cost.name);
  printf(": the time of %.3g executions\n", replay->ratio);
  return result;
}

static int replay(struct session *session, const int64_t *values) {
  struct perfpred_replay_options asked = PERFPRED_REPLAY_OPTIONS_INIT;
  struct perfpred_replayed answer = PERFPRED_REPLAYED_INIT;
  struct progress progress;
  const struct options *options = session->options;
  const struct perfpred_program *program = session->programs[0];
  size_t count = perfpred_program_parameter_count(program);
  double flops = (double)NAN;
  asked.steps = (int)options->steps;
  asked.repetitions = (int)options->repetitions;
  asked.mode = strcmp(options->mode, "setup") == 0 ? PERFPRED_REPLAY_TOUCH : PERFPRED_REPLAY_RUN;
  asked.cache = &session->emulation;
  asked.ld = options->ld;
  asked.gate = options->gate;
  asked.budget_s = options->budget_s;
  asked.progress = progress_step;
  asked.progress_data = &progress;
  if (perfpred_program_cost(program, values, count, &flops, &session->error) != PERFPRED_OK)
    return session_fail(session);
  progress_begin(&progress, "predict");
  enum perfpred_status status =
      perfpred_replay(session->sampler, program, values, count, &asked, &answer, &session->error);
  bool interrupted = progress_end(&progress);
  if (status != PERFPRED_OK && interrupted)
    return message_fail("interrupted");
  if (status != PERFPRED_OK)
    return session_fail(session);
  return options->json ? print_json(session, values, flops, &answer) : print_text(session, values, flops, &answer);
}

int replayed_run(const struct options *options) {
  struct session session;
  int64_t values[SESSION_PARAMETERS];
  int result = session_open(&session, options);
  if (result == COMMAND_OK)
    result = emulation_read(options, &session.emulation);
  if (result == COMMAND_OK)
    result = session_find(&session, options->operands.items[0]);
  if (result == COMMAND_OK && session.count > 1)
    result = message_fail("'%s' is an operation of %zu algorithms: expected one of them", options->operands.items[0],
                          session.count);
  if (result == COMMAND_OK)
    result = session_values(&session, session.programs[0], NULL, values);
  if (result == COMMAND_OK)
    result = session_sample(&session);
  if (result == COMMAND_OK)
    result = replay(&session, values);
  session_close(&session);
  return result;
}
