/* SPDX-License-Identifier: BSD-3-Clause */
/* perfpred validate: predictions beside measurements. */
#include <perfpred/drift.h>

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "breakdown.h"
#include "commands.h"
#include "progress.h"
#include "session.h"
#include "table.h"
#include "units.h"

#define DEFAULT_B 64
#define POINTS_MAX 100000

/* The points: every algorithm at every n and b. */
struct grid {
  struct range n, b;
  struct perfpred_validation_point *points;
  size_t count;
  unsigned notes;     /* on any of the predictions */
  const char **kinds; /* of the models that each point was predicted by */
  double *warm_s;     /* what models of calls alone say of each point that was predicted by others; NAN: nothing */
  bool any_warm;
  struct breakdown breakdown;
  struct perfpred_drift_point *corrected; /* of each point, the machine's drift taken out; NULL: not asked for */
  struct perfpred_drift_validation drift;
};

static int check_steps(const struct options *options, struct grid *grid) {
  grid->n = options->n;
  grid->b = options->b.upper > 0 ? options->b : (struct range){ DEFAULT_B, DEFAULT_B, 0 };
  if (grid->n.upper == 0)
    return message_misuse("'validate' needs sizes: -n LO:HI:STEP");
  if (grid->n.lower != grid->n.upper && grid->n.step == 0)
    return message_misuse("option -n: 'validate' needs a step: expected LO:HI:STEP");
  if (grid->b.lower != grid->b.upper && grid->b.step == 0)
    return message_misuse("option -b: 'validate' needs a step: expected LO:HI:STEP");
  return COMMAND_OK;
}

/* Where n and b stand among a program's parameters; -1: not at all. */
static int find_places(const struct session *session, const struct perfpred_program *program, int *n_place,
                       int *b_place, int64_t *values) {
  static const char *const open[2] = { "n", "b" };
  *n_place = perfpred_program_parameter(program, "n");
  *b_place = perfpred_program_parameter(program, "b");
  if (*n_place < 0)
    return message_fail("'%s' has no parameter n to vary", perfpred_program_name(program));
  if (*b_place < 0 && session->options->b.upper > 0)
    return message_misuse("option -b: '%s' has no block size b", perfpred_program_name(program));
  return session_values(session, program, open, values);
}

static int add_points(const struct session *session, size_t which, struct grid *grid) {
  const struct perfpred_program *program = session->programs[which];
  int64_t values[SESSION_PARAMETERS];
  int n_place, b_place;
  int result = find_places(session, program, &n_place, &b_place, values);
  int64_t n_count = range_count(&grid->n, 1), b_count = b_place < 0 ? 1 : range_count(&grid->b, 1);
  if (result != COMMAND_OK)
    return result;
  if (n_count > POINTS_MAX / b_count || grid->count + (size_t)(n_count * b_count) > POINTS_MAX)
    return message_misuse("'validate': more than %d points", POINTS_MAX);
  size_t added = (size_t)(n_count * b_count);
  struct perfpred_validation_point *points = realloc(grid->points, (grid->count + added) * sizeof *points);
  if (points == NULL)
    return message_fail("out of memory");
  grid->points = points;
  for (int64_t i = 0; i < n_count * b_count; i++) {
    struct perfpred_validation_point *point = &points[grid->count++];
    memset(point, 0, sizeof *point);
    point->plan = which;
    memcpy(point->parameters, values, sizeof point->parameters);
    point->parameters[n_place] = grid->n.lower + (i / b_count) * grid->n.step;
    if (b_place >= 0)
      point->parameters[b_place] = grid->b.lower + (i % b_count) * grid->b.step;
  }
  return COMMAND_OK;
}

static double parameter(const struct session *session, const struct perfpred_validation_point *point,
                        const char *name) {
  int place = perfpred_program_parameter(session->programs[point->plan], name);
  return place < 0 ? (double)NAN : (double)point->parameters[place];
}

/* Of the models of calls alone, with its sign. */
static double warm_error(const struct grid *grid, size_t which) {
  double measured_s = grid->points[which].measured_s.med;
  return (grid->warm_s[which] - measured_s) / measured_s;
}

/* Mean absolute error of the models of calls alone, and of the others on the same points. */
static double mean_errors(const struct grid *grid, double *others) {
  double sum = 0.0, count = 0.0;
  *others = 0.0;
  for (size_t i = 0; i < grid->count; i++) {
    if (isnan(grid->warm_s[i]))
      continue;
    sum += fabs(warm_error(grid, i));
    *others += grid->points[i].are;
    count += 1.0;
  }
  *others /= count;
  return sum / count;
}

static void write_point(struct document *document, const struct session *session, const struct grid *grid,
                        size_t which) {
  const struct perfpred_validation_point *point = &grid->points[which];
  const struct perfpred_program *program = session->programs[point->plan];
  size_t count = perfpred_program_parameter_count(program);
  double flops;
  document_open_object(document, NULL);
  document_string(document, "name", perfpred_program_name(program));
  for (size_t i = 0; i < count; i++)
    document_integer(document, perfpred_program_parameter_name(program, i), point->parameters[i]);
  document_number(document, "predicted_s", point->predicted_s.med);
  document_number(document, "measured_s", point->measured_s.med);
  document_number(document, "are", point->are);
  document_number(document, "re", point->re);
  document_string(document, "models", grid->kinds[which]);
  if (grid->any_warm) {
    document_number(document, "warm_s", grid->warm_s[which]);
    document_number(document, "warm_re", warm_error(grid, which));
  }
  document_number(document, "noise", point->noise);
  document_integer(document, "disturbed", (int64_t)point->disturbed);
  document_integer(document, "ld", point->ld);
  document_boolean(document, "gated", point->gated != 0);
  if (perfpred_program_cost(program, point->parameters, count, &flops, NULL) == PERFPRED_OK)
    document_number(document, "flops", flops);
  document_statistics(document, "predicted_statistics_s", &point->predicted_s);
  document_statistics(document, "measured_statistics_s", &point->measured_s);
  breakdown_write_point(document, &grid->breakdown, which);
  if (grid->corrected != NULL) {
    document_number(document, "drift_corrected_s", grid->corrected[which].corrected_s);
    document_number(document, "drift_corrected_are", grid->corrected[which].corrected_are);
    document_number(document, "drift_corrected_re", grid->corrected[which].corrected_re);
  }
  document_close(document);
}

static int print_json(const struct session *session, const struct grid *grid,
                      const struct perfpred_validation *validation) {
  struct document document;
  document_begin(&document);
  document_open_array(&document, "points");
  for (size_t i = 0; i < grid->count; i++)
    write_point(&document, session, grid, i);
  document_close(&document);
  breakdown_write(&document, &grid->breakdown);
  document_number(&document, "mean_are", validation->mean_are);
  document_number(&document, "median_are", validation->median_are);
  if (grid->any_warm) {
    double others;
    document_number(&document, "warm_mean_are", mean_errors(grid, &others));
    document_number(&document, "context_mean_are", others);
  }
  document_number(&document, "noise_floor", validation->noise_floor);
  document_integer(&document, "disturbed", (int64_t)validation->disturbed);
  document_number(&document, "wall_s", validation->wall_s);
  session_write_yardstick(&document, session, validation->yardstick_s, validation->yardstick_reference_s);
  session_write_notes(&document, grid->notes);
  if (grid->corrected != NULL) {
    document_number(&document, "drift_corrected_mean_are", grid->drift.corrected_mean_are);
    document_number(&document, "drift_corrected_median_are", grid->drift.corrected_median_are);
    document_number(&document, "drift_ratio", grid->drift.ratio);
    document_integer(&document, "drift_readings", (int64_t)grid->drift.readings);
    document_number(&document, "drift_s", grid->drift.anchor_s);
  }
  return document_print(&document);
}

static void point_row(struct table *table, const struct session *session, const struct grid *grid, size_t which,
                      const struct unit *unit) {
  const struct perfpred_validation_point *point = &grid->points[which];
  char text[UNIT_TEXT];
  double b = parameter(session, point, "b");
  table_cell(table, "%s", perfpred_program_name(session->programs[point->plan]));
  table_cell(table, "%.0f", parameter(session, point, "n"));
  if (isnan(b))
    table_gap(table);
  else
    table_cell(table, "%.0f", b);
  table_cell(table, "%s", unit_format(text, point->predicted_s.med, unit));
  table_cell(table, "%s", unit_format(text, point->measured_s.med, unit));
  table_cell(table, "%s", unit_percent(text, point->re, "%+.1f %%"));
  if (grid->any_warm)
    table_cell(table, "%s", unit_percent(text, warm_error(grid, which), "%+.1f %%"));
  if (grid->corrected != NULL)
    table_cell(table, "%s", unit_percent(text, grid->corrected[which].corrected_re, "%+.1f %%"));
  table_cell(table, "%s", unit_percent(text, point->noise, "%.1f %%"));
  table_cell(table, "%llu", (unsigned long long)point->disturbed);
  table_cell(table, "%s", point->gated ? "" : "not gated");
}

/* Where it is the run's own best one, as of any measurement, there is nothing to say. */
static void print_reference(const struct session *session, const struct perfpred_validation *validation) {
  if (!session->of_models && session->options->yardstick_s <= 0.0)
    return;
  printf("measured times are brought to a reading of the yardstick of %.3g us, %s (best of this run: %.3g us)\n",
         1e6 * validation->yardstick_reference_s, session->of_models ? "that of the models" : "as given",
         1e6 * validation->yardstick_s);
}

/* Those behind the first `count`; how many there are then. */
static int add_heads(const struct grid *grid, const char **heads, int count) {
  if (grid->any_warm)
    heads[count++] = "warm";
  if (grid->corrected != NULL)
    heads[count++] = "drift out";
  heads[count++] = "noise";
  heads[count++] = "disturbed";
  heads[count++] = "<";
  return count;
}

/* The plain error is what predictions are off by; this one says how much of it is the models'. */
static void print_drift(const struct grid *grid) {
  char are[UNIT_TEXT], median[UNIT_TEXT], ratio[UNIT_TEXT];
  if (grid->corrected == NULL)
    return;
  printf("with the machine's drift taken out: mean %s, median %s; calls took %s than when the models were made "
         "(%llu readings of the anchors, %.1f s)\n",
         unit_percent(are, grid->drift.corrected_mean_are, "%.2f %%"),
         unit_percent(median, grid->drift.corrected_median_are, "%.2f %%"),
         unit_percent(ratio, grid->drift.ratio - 1.0, "%+.1f %%"), (unsigned long long)grid->drift.readings,
         grid->drift.anchor_s);
}

static int print_text(const struct session *session, const struct grid *grid,
                      const struct perfpred_validation *validation) {
  char predicted[24], measured[24], are[UNIT_TEXT], median[UNIT_TEXT], noise[UNIT_TEXT], status[SESSION_TEXT];
  const char *heads[11] = { "<algorithm", "n", "b", predicted, measured, "error" };
  struct table table;
  assert(grid->points != NULL && grid->count > 0);
  struct unit unit = unit_time(grid->points[grid->count / 2].measured_s.med);
  snprintf(predicted, sizeof predicted, "predicted/%s", unit.name);
  snprintf(measured, sizeof measured, "measured/%s", unit.name);
  table_begin(&table, add_heads(grid, heads, 6), heads);
  for (size_t i = 0; i < grid->count; i++)
    point_row(&table, session, grid, i, &unit);
  int result = table_print(&table, 0);
  if (result == COMMAND_OK && grid->breakdown.points != NULL) {
    printf("\n");
    result = breakdown_print(&grid->breakdown, session, grid->points);
  }
  printf("\nabsolute relative error: mean %s, median %s; noise floor %s (%zu point%s, %.1f s)\n",
         unit_percent(are, validation->mean_are, "%.2f %%"), unit_percent(median, validation->median_are, "%.2f %%"),
         unit_percent(noise, validation->noise_floor, "%.2f %%"), grid->count, unit_plural(grid->count),
         validation->wall_s);
  if (grid->any_warm) {
    double others, alone = mean_errors(grid, &others);
    printf("mean error by models of calls in the algorithm: %s, of calls alone (warm): %s\n",
           unit_percent(are, others, "%.2f %%"), unit_percent(median, alone, "%.2f %%"));
  }
  print_drift(grid);
  print_reference(session, validation);
  if (grid->notes != 0)
    printf("status %s\n", session_describe_notes(grid->notes, status));
  return result;
}

static enum perfpred_status validate_drift(struct session *session, const struct perfpred_measure_options *measure,
                                           struct grid *grid, struct perfpred_validation *validation) {
  struct perfpred_drift *drift = NULL;
  grid->drift = (struct perfpred_drift_validation)PERFPRED_DRIFT_VALIDATION_INIT;
  enum perfpred_status status = perfpred_drift_create(session->models, &drift, &session->error);
  if (status == PERFPRED_OK)
    status = perfpred_drift_validate(drift, (const struct perfpred_plan *const *)session->plans, session->count,
                                     session->sampler, measure, grid->points, grid->corrected, grid->count, validation,
                                     &grid->drift, &session->error);
  perfpred_drift_destroy(drift);
  return status;
}

static int validate(struct session *session, const struct perfpred_measure_options *given, struct grid *grid,
                    struct perfpred_validation *validation) {
  struct perfpred_measure_options measure = *given;
  struct progress progress;
  measure.progress = progress_step;
  measure.progress_data = &progress;
  progress_begin(&progress, "validate");
  enum perfpred_status status =
      grid->corrected != NULL
          ? validate_drift(session, &measure, grid, validation)
          : perfpred_validate((const struct perfpred_plan *const *)session->plans, session->count, session->sampler,
                              &measure, grid->points, grid->count, validation, &session->error);
  bool interrupted = progress_end(&progress);
  if (status != PERFPRED_OK && interrupted)
    return message_fail("interrupted");
  grid->notes |= validation->notes;
  if (status == PERFPRED_OTHER_BLAS)
    return message_fail("%s; --force compares all the same", session->error.text);
  if (status == PERFPRED_INVALID && session->of_models && strstr(session->error.text, "yardstick_s") != NULL)
    return message_fail("%s; that is the models' reading, --yardstick gives another", session->error.text);
  return status == PERFPRED_OK ? COMMAND_OK : session_fail(session);
}

/* Kernels are timed in executions of their own: readings of the clock inside of one have no place in the time of the whole. */
static int execute(struct session *session, struct grid *grid) {
  struct perfpred_measure_options measure = PERFPRED_MEASURE_OPTIONS_INIT;
  struct perfpred_validation validation = PERFPRED_VALIDATION_INIT;
  const struct options *options = session->options;
  measure.repetitions = (int)options->repetitions;
  measure.ld = options->ld;
  measure.gate = options->gate;
  measure.budget_s = options->kernels ? 0.5 * options->budget_s : options->budget_s;
  int result = validate(session, &measure, grid, &validation);
  if (result == COMMAND_OK && options->kernels)
    result = breakdown_measure(session, &measure, grid->points, grid->count, &grid->breakdown);
  if (result != COMMAND_OK)
    return result;
  return options->json ? print_json(session, grid, &validation) : print_text(session, grid, &validation);
}

/* What models of calls alone say of the points of a plan that has others. */
static void predict_warm(struct session *session, size_t place, struct grid *grid) {
  size_t count = perfpred_program_parameter_count(session->programs[place]);
  struct perfpred_plan *plan = session_bind_warm(session, place);
  for (size_t i = 0; i < grid->count && plan != NULL; i++) {
    struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
    if (grid->points[i].plan != place || strcmp(grid->kinds[i], "warm") == 0 ||
        perfpred_plan_predict(plan, grid->points[i].parameters, count, &prediction, NULL) != PERFPRED_OK)
      continue;
    grid->warm_s[i] = prediction.time_s.med;
    grid->any_warm = true;
  }
  perfpred_plan_destroy(plan);
}

static int predict_point(struct session *session, struct grid *grid, size_t which) {
  const struct perfpred_validation_point *point = &grid->points[which];
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  if (perfpred_plan_predict(session->plans[point->plan], point->parameters,
                            perfpred_program_parameter_count(session->programs[point->plan]), &prediction,
                            &session->error) != PERFPRED_OK)
    return session_fail(session);
  grid->notes |= prediction.notes;
  grid->kinds[which] = session_kind(&prediction);
  grid->warm_s[which] = (double)NAN;
  return COMMAND_OK;
}

/* Room for what is told of each point. */
static int make_room(const struct session *session, struct grid *grid) {
  const bool drift = session->options->drift;
  grid->kinds = calloc(grid->count + 1, sizeof(const char *));
  grid->warm_s = calloc(grid->count + 1, sizeof *grid->warm_s);
  grid->corrected = drift ? calloc(grid->count + 1, sizeof *grid->corrected) : NULL;
  if (grid->kinds == NULL || grid->warm_s == NULL || (drift && grid->corrected == NULL))
    return message_fail("out of memory");
  return COMMAND_OK;
}

/* Everything that can be refused is refused before the worker starts. */
static int prepare(struct session *session, struct grid *grid) {
  int result = session_find(session, session->options->operands.items[0]);
  if (result == COMMAND_OK)
    result = session_load(session);
  if (result == COMMAND_OK)
    result = session_bind(session, false);
  for (size_t i = 0; result == COMMAND_OK && i < session->count; i++)
    result = add_points(session, i, grid);
  if (result == COMMAND_OK)
    result = make_room(session, grid);
  for (size_t i = 0; result == COMMAND_OK && i < grid->count; i++)
    result = predict_point(session, grid, i);
  for (size_t i = 0; result == COMMAND_OK && i < session->count; i++)
    predict_warm(session, i, grid);
  return result;
}

static int run(const struct options *options) {
  struct session session;
  struct grid grid = { .points = NULL };
  int result = check_steps(options, &grid);
  if (result != COMMAND_OK)
    return result;
  result = session_open(&session, options);
  if (result == COMMAND_OK)
    result = prepare(&session, &grid);
  if (result == COMMAND_OK)
    result = session_sample(&session);
  if (result == COMMAND_OK)
    result = execute(&session, &grid);
  breakdown_release(&grid.breakdown);
  free(grid.corrected);
  free(grid.warm_s);
  free(grid.kinds);
  free(grid.points);
  session_close(&session);
  return result;
}

const struct command command_validate = {
  .name = "validate",
  .synopsis = "NAME[,NAME] -m FILE -n LO:HI:STEP [-b LO:HI:STEP] [--reps R] [--blas PATH] [--lapack PATH] ...",
  .summary = "Measures beside predictions, interleaved",
  .details =
      "NAME is an algorithm, or an operation for all its algorithms. Without -b the block size is 64. Libraries and\n"
      "threads are those of the models where no option names others, and so is the reading of the yardstick that\n"
      "times are brought to. Executed matrices have the smallest leading\n"
      "dimension that holds them and is a multiple of 8 and not of 256. Where the models are of calls in the steps of\n"
      "the algorithm (generate --context), the error that models of calls alone would have had stands beside theirs,\n"
      "as far as the file has such. The noise floor is how far two halves of the\n"
      "same measurement are apart: an error below it says nothing. With --kernels a second table has the calls of "
      "each\n"
      "kernel as predicted and as timed in the running algorithm: whose model is wrong has the error. With --drift "
      "the\n"
      "models' anchors ('perfpred drift') are timed in between, and beside the errors stand those that are left when "
      "the\n"
      "machine's drift since the models were made is taken out.\n",
  .takes = TAKES_MODELS | TAKES_N | TAKES_B | TAKES_PARAMETERS | TAKES_REPS | TAKES_BUDGET | TAKES_SETUP | TAKES_GATE |
           TAKES_LD | TAKES_EXTRAPOLATE | TAKES_FORCE | TAKES_FILES | TAKES_NUMBER | TAKES_KERNELS,
  .operands_min = 1,
  .operands_max = 1,
  .run = run,
};
