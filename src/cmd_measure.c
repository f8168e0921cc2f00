/* SPDX-License-Identifier: BSD-3-Clause */
/* perfpred measure: executes an algorithm and times it. */
#include <math.h>
#include <stdio.h>

#include "commands.h"
#include "progress.h"
#include "session.h"
#include "table.h"
#include "units.h"

static int print_json(const struct session *session, const struct perfpred_program *program, const int64_t *values,
                      double flops, const struct perfpred_measurement *measurement) {
  struct document document;
  document_begin(&document);
  document_string(&document, "name", perfpred_program_name(program));
  session_write_parameters(&document, program, values);
  document_statistics(&document, "time_s", &measurement->time_s);
  document_number(&document, "flops", flops);
  document_number(&document, "flops_per_s", flops / measurement->time_s.med);
  document_integer(&document, "reps", (int64_t)measurement->repetitions);
  document_integer(&document, "disturbed", (int64_t)measurement->disturbed);
  document_number(&document, "noise", measurement->noise);
  document_integer(&document, "ld", measurement->ld);
  document_boolean(&document, "gated", measurement->gated != 0);
  document_number(&document, "residual", measurement->residual);
  session_write_yardstick(&document, session, measurement->yardstick_s, measurement->yardstick_reference_s);
  return document_print(&document);
}

static int print_text(const struct perfpred_program *program, const int64_t *values, double flops,
                      const struct perfpred_measurement *measurement) {
  static const char *const heads[] = { "<", "min", "med", "max", "mean", "std", "<" };
  const struct perfpred_statistics *time = &measurement->time_s;
  char text[SESSION_TEXT], cell[UNIT_TEXT];
  struct table table;
  struct unit unit = unit_time(time->med), rate = unit_rate(flops / time->med);
  printf("%s, %s\n\n", perfpred_program_name(program), session_describe(program, values, text));
  table_begin(&table, 7, heads);
  table_cell(&table, "time");
  table_cell(&table, "%s", unit_format(cell, time->min, &unit));
  table_cell(&table, "%s", unit_format(cell, time->med, &unit));
  table_cell(&table, "%s", unit_format(cell, time->max, &unit));
  table_cell(&table, "%s", unit_format(cell, time->mean, &unit));
  table_cell(&table, "%s", unit_format(cell, time->std, &unit));
  table_cell(&table, "%s", unit.name);
  int result = table_print(&table, 0);
  printf("\nperformance  %s %sflop/s at the median\n", unit_format(cell, flops / time->med, &rate), rate.name);
  printf("samples      %llu kept, %llu disturbed ones thrown away\n", (unsigned long long)measurement->repetitions,
         (unsigned long long)measurement->disturbed);
  printf("noise floor  %s\n", unit_percent(cell, measurement->noise, "%.2f %%"));
  printf("operands     leading dimension %lld\n", (long long)measurement->ld);
  if (!measurement->gated)
    printf("gate         too few samples passed: times are divided by the yardstick instead\n");
  if (isfinite(measurement->residual))
    printf("residual     %.2e, relative\n", measurement->residual);
  return result;
}

static int execute(struct session *session, const int64_t *values) {
  struct perfpred_measure_options measure = PERFPRED_MEASURE_OPTIONS_INIT;
  struct perfpred_measurement measurement = PERFPRED_MEASUREMENT_INIT;
  struct progress progress;
  const struct options *options = session->options;
  const struct perfpred_program *program = session->programs[0];
  size_t count = perfpred_program_parameter_count(program);
  double flops;
  measure.repetitions = (int)options->repetitions;
  measure.ld = options->ld;
  measure.gate = options->gate;
  measure.budget_s = options->budget_s;
  measure.progress = progress_step;
  measure.progress_data = &progress;
  if (perfpred_program_cost(program, values, count, &flops, &session->error) != PERFPRED_OK)
    return session_fail(session);
  progress_begin(&progress, "measure");
  enum perfpred_status status =
      perfpred_measure(session->sampler, program, values, count, &measure, &measurement, &session->error);
  bool interrupted = progress_end(&progress);
  if (status != PERFPRED_OK && interrupted)
    return message_fail("interrupted");
  if (status != PERFPRED_OK)
    return session_fail(session);
  return options->json ? print_json(session, program, values, flops, &measurement)
                       : print_text(program, values, flops, &measurement);
}

static int run(const struct options *options) {
  struct session session;
  int64_t values[SESSION_PARAMETERS];
  int result = session_open(&session, options);
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
    result = execute(&session, values);
  session_close(&session);
  return result;
}

const struct command command_measure = {
  .name = "measure",
  .synopsis = "NAME PARAMETER=VALUE ... [--reps R] [--blas PATH] [--lapack PATH] [--threads T] ...",
  .summary = "Executes an algorithm and times it",
  .details =
      "Samples that were preempted, or taken while the machine was slower than its best (the yardstick gate), are\n"
      "thrown away and taken again.\n",
  .takes = TAKES_PARAMETERS | TAKES_REPS | TAKES_BUDGET | TAKES_SETUP | TAKES_GATE | TAKES_LD | TAKES_FILES,
  .operands_min = 1,
  .operands_max = 1,
  .run = run,
};
