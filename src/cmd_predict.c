/* SPDX-License-Identifier: BSD-3-Clause */
/* perfpred predict: statistics of one algorithm at one point. */
#include <math.h>
#include <stdio.h>

#include "commands.h"
#include "job.h"
#include "replayed.h"
#include "table.h"
#include "units.h"

/* A prediction and whose calls it is the sum of. */
struct answer {
  struct perfpred_prediction prediction;
  struct perfpred_share shares[SESSION_KERNELS];
  size_t share_count;
};

static void write_kernels(struct document *document, const struct answer *answer) {
  document_open_array(document, "kernels");
  for (size_t i = 0; i < answer->share_count; i++) {
    const struct perfpred_share *share = &answer->shares[i];
    document_open_object(document, NULL);
    document_string(document, "kernel", share->kernel);
    document_integer(document, "calls", (int64_t)share->calls);
    document_statistics(document, "time_s", &share->time_s);
    document_number(document, "share", share->time_s.med / answer->prediction.time_s.med);
    document_number(document, "flops", share->flops);
    document_close(document);
  }
  document_close(document);
}

static int print_json(const struct perfpred_program *program, const int64_t *values, const struct answer *answer) {
  const struct perfpred_prediction *prediction = &answer->prediction;
  static const char *const bounds[] = { "bandwidth", "compute" };
  struct document document;
  document_begin(&document);
  document_string(&document, "name", perfpred_program_name(program));
  session_write_parameters(&document, program, values);
  document_statistics(&document, "time_s", &prediction->time_s);
  document_number(&document, "flops", prediction->flops);
  document_statistics(&document, "flops_per_s", &prediction->flops_per_s);
  document_statistics(&document, "efficiency", &prediction->efficiency);
  document_number(&document, "data_bytes", prediction->data_bytes);
  document_number(&document, "movement_bytes", prediction->movement_bytes);
  document_number(&document, "intensity_flops_per_byte", prediction->intensity_flops_per_byte);
  document_statistics(&document, "bandwidth_bytes_per_s", &prediction->bandwidth_bytes_per_s);
  document_string(&document, "bound", prediction->compute_bound < 0 ? NULL : bounds[prediction->compute_bound != 0]);
  document_statistics(&document, "efficiency_bandwidth", &prediction->efficiency_bandwidth);
  document_number(&document, "roofline_flops_per_s", prediction->roofline_flops_per_s);
  session_write_notes(&document, prediction->notes);
  document_integer(&document, "calls", (int64_t)prediction->calls);
  document_number(&document, "model_error", prediction->model_error);
  document_string(&document, "models", session_kind(prediction));
  document_integer(&document, "context_calls", (int64_t)prediction->context_calls);
  document_integer(&document, "warm_calls", (int64_t)prediction->warm_calls);
  document_integer(&document, "cache_calls", (int64_t)prediction->cache_calls);
  write_kernels(&document, answer);
  return document_print(&document);
}

static void row(struct table *table, const char *head, const struct perfpred_statistics *value, struct unit unit,
                const char *tail) {
  char text[UNIT_TEXT];
  table_cell(table, "%s", head);
  table_cell(table, "%s", unit_format(text, value->min, &unit));
  table_cell(table, "%s", unit_format(text, value->med, &unit));
  table_cell(table, "%s", unit_format(text, value->max, &unit));
  table_cell(table, "%s", unit_format(text, value->mean, &unit));
  table_cell(table, "%s", unit_format(text, value->std, &unit));
  table_cell(table, "%s%s", unit.name, tail);
}

/* named_kind: models of one kind were asked for, so that it is told which answered. */
static void show_work(const struct perfpred_prediction *prediction, bool named_kind) {
  char text[UNIT_TEXT], notes[SESSION_TEXT];
  struct unit bytes = unit_bytes(prediction->data_bytes), rate = unit_rate(prediction->roofline_flops_per_s);
  printf("\nwork     %.6g flop in %llu kernel call%s\n", prediction->flops, (unsigned long long)prediction->calls,
         unit_plural(prediction->calls));
  printf("data     %s %s", unit_format(text, prediction->data_bytes, &bytes), bytes.name);
  bytes = unit_bytes(prediction->movement_bytes);
  printf(", at least %s %s moved", unit_format(text, prediction->movement_bytes, &bytes), bytes.name);
  if (isfinite(prediction->intensity_flops_per_byte))
    printf(": %.4g flop/B", prediction->intensity_flops_per_byte);
  putchar('\n');
  if (isfinite(prediction->roofline_flops_per_s))
    printf("bound    by %s, at most %s %sflop/s\n", prediction->compute_bound > 0 ? "computing" : "memory bandwidth",
           unit_format(text, prediction->roofline_flops_per_s, &rate), rate.name);
  printf("status   %s", session_describe_notes(prediction->notes, notes));
  if (isfinite(prediction->model_error))
    printf(", models fit within %s", unit_percent(text, prediction->model_error, "%.2f %%"));
  putchar('\n');
  if (prediction->cache_calls > 0)
    printf("models   cache: %llu call%s blended by what is in the caches\n",
           (unsigned long long)prediction->cache_calls, unit_plural(prediction->cache_calls));
  else if (prediction->context_calls > 0 || named_kind)
    printf("models   %s: %llu call%s in the steps of the algorithm, %llu alone\n", session_kind(prediction),
           (unsigned long long)prediction->context_calls, unit_plural(prediction->context_calls),
           (unsigned long long)prediction->warm_calls);
}

static void show_kernels(const struct answer *answer) {
  double whole_s = answer->prediction.time_s.med;
  char text[UNIT_TEXT];
  for (size_t i = 0; i < answer->share_count && whole_s > 0.0; i++)
    printf("%s %s %s", i > 0 ? "," : "kernels ", answer->shares[i].kernel,
           unit_percent(text, answer->shares[i].time_s.med / whole_s, "%.1f %%"));
  if (answer->share_count > 0 && whole_s > 0.0)
    puts(" of the time");
}

static int print_table(const struct session *session, const int64_t *values, const struct answer *answer) {
  const struct perfpred_program *program = session->programs[0];
  const struct perfpred_prediction *prediction = &answer->prediction;
  static const char *const heads[] = { "<", "min", "med", "max", "mean", "std", "<" };
  static const struct unit percent = { 100.0, "%", 1 };
  char text[SESSION_TEXT];
  struct table table;
  printf("%s, %s\n\n", perfpred_program_name(program), session_describe(program, values, text));
  table_begin(&table, 7, heads);
  row(&table, "time", &prediction->time_s, unit_time(prediction->time_s.med), "");
  row(&table, "performance", &prediction->flops_per_s, unit_rate(prediction->flops_per_s.med), "flop/s");
  if (isfinite(prediction->efficiency.med))
    row(&table, "efficiency", &prediction->efficiency, percent, " of peak");
  row(&table, "bandwidth", &prediction->bandwidth_bytes_per_s, unit_rate(prediction->bandwidth_bytes_per_s.med), "B/s");
  if (isfinite(prediction->efficiency_bandwidth.med))
    row(&table, "", &prediction->efficiency_bandwidth, percent, " of memory bandwidth");
  int result = table_print(&table, 0);
  show_work(prediction, session->options->kind != NULL);
  show_kernels(answer);
  return result;
}

static int predict(struct session *session, void *data) {
  struct answer answer = { .prediction = PERFPRED_PREDICTION_INIT };
  int64_t values[SESSION_PARAMETERS];
  struct perfpred_program *program = session->programs[0];
  (void)data;
  int result = session_values(session, program, NULL, values);
  if (result != COMMAND_OK)
    return result;
  size_t count = perfpred_program_parameter_count(program);
  if (perfpred_plan_predict(session->plans[0], values, count, &answer.prediction, &session->error) != PERFPRED_OK ||
      perfpred_plan_shares(session->plans[0], values, count, answer.shares, SESSION_KERNELS, &answer.share_count,
                           &session->error) != PERFPRED_OK)
    return session_fail(session);
  return session->options->json ? print_json(program, values, &answer) : print_table(session, values, &answer);
}

static int run(const struct options *options) {
  int result = replayed_check(options);
  if (result != COMMAND_OK)
    return result;
  if (replayed_is_meant(options))
    return replayed_run(options);
  const struct job job = { .takes = JOB_ONE, .names = options->operands.items[0], .work = predict };
  return job_run(options, &job);
}

const struct command command_predict = {
  .name = "predict",
  .synopsis = "NAME -m FILE PARAMETER=VALUE ... [--extrapolate] [--force] [-f FILE] [--mode replay] [--json]",
  .summary = "Run time, performance and efficiency of an algorithm, without running it",
  .details =
      "Parameters are those of the algorithm, such as n=1000 b=128; 'perfpred algorithms' shows them, and the values\n"
      "that they have where none is given (b=64). With --mode replay no models are needed: a few steps of the "
      "algorithm's\n"
      "loop are measured where they stand and the others interpolated, for an algorithm that is asked about once; "
      "what\n"
      "that cost is told. With --mode setup nothing but those steps is run: the caches are brought into the state "
      "that\n"
      "they would find by touching memory.\n",
  .takes = TAKES_MODELS | TAKES_PARAMETERS | TAKES_LD | TAKES_EXTRAPOLATE | TAKES_FORCE | TAKES_FILES | TAKES_CHOICE |
           TAKES_EMULATED | TAKES_NUMBER | TAKES_MODE | TAKES_REPS | TAKES_BUDGET | TAKES_GATE | TAKES_SETUP,
  .operands_min = 1,
  .operands_max = 1,
  .run = run,
};
