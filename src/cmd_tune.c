/* SPDX-License-Identifier: BSD-3-Clause */
/* perfpred tune: the block size (and the algorithm) with the shortest predicted time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "job.h"
#include "table.h"
#include "tune_sizes.h"
#include "units.h"

#define DEFAULT_LOWER 8
#define DEFAULT_UPPER 256
#define DEFAULT_STEP 8
#define NEARBY 4 /* candidates shown on each side of the best one */

/* The search over one algorithm. */
struct search {
  const struct perfpred_plan *plan;
  int place; /* of b */
  size_t count;
  int64_t values[SESSION_PARAMETERS]; /* that of b is overwritten */
  struct perfpred_range range;
  struct perfpred_tuning tuning;
  int64_t unblocked;  /* any block size from here on is one step */
  double unblocked_s; /* NaN: outside the models */
};

static enum perfpred_status predict(struct search *search, int64_t b, struct perfpred_prediction *prediction,
                                    struct perfpred_error *error) {
  *prediction = (struct perfpred_prediction)PERFPRED_PREDICTION_INIT;
  search->values[search->place] = b;
  return perfpred_plan_predict(search->plan, search->values, search->count, prediction, error);
}

/* Without -b: the longest part of the default range, from its first value inside the models on. */
static enum perfpred_status shorten(struct search *search, struct perfpred_error *error) {
  struct perfpred_prediction prediction;
  struct perfpred_range *range = &search->range;
  enum perfpred_status status = predict(search, range->lower, &prediction, error);
  while (status == PERFPRED_OUT_OF_DOMAIN && range->lower + range->step <= range->upper) {
    range->lower += range->step;
    status = predict(search, range->lower, &prediction, error);
  }
  if (status != PERFPRED_OK)
    return status;
  int64_t upper = range->lower;
  while (upper + range->step <= range->upper && predict(search, upper + range->step, &prediction, NULL) == PERFPRED_OK)
    upper += range->step;
  range->upper = upper;
  return PERFPRED_OK;
}

static const char *const open[2] = { "b", NULL };

static int begin(struct session *session, size_t which, struct search *search) {
  const struct perfpred_program *program = session->programs[which];
  const struct range *asked = &session->options->b;
  search->plan = session->plans[which];
  search->place = perfpred_program_parameter(program, "b");
  search->count = perfpred_program_parameter_count(program);
  if (search->place < 0)
    return message_fail("'%s' has no block size b to tune", perfpred_program_name(program));
  int result = session_values(session, program, open, search->values);
  for (size_t i = 0; i < search->count; i++) {
    if (search->values[i] > search->unblocked)
      search->unblocked = search->values[i];
  }
  search->range = (struct perfpred_range){ DEFAULT_LOWER, DEFAULT_UPPER, DEFAULT_STEP };
  if (asked->upper > 0)
    search->range = (struct perfpred_range){ asked->lower, asked->upper, asked->step > 0 ? asked->step : DEFAULT_STEP };
  return result;
}

/* One step over everything is a candidate too, wherever the models reach that far. */
static void try_unblocked(struct search *search) {
  struct perfpred_prediction prediction;
  double best_s = search->tuning.prediction.time_s.med;
  search->unblocked_s = (double)NAN;
  if (predict(search, search->unblocked, &prediction, NULL) != PERFPRED_OK)
    return;
  search->unblocked_s = prediction.time_s.med;
  if (search->unblocked > search->range.upper)
    search->tuning.candidates++;
  if (!(search->unblocked_s < best_s))
    return;
  search->tuning.best = search->unblocked;
  search->tuning.prediction = prediction;
  search->tuning.yield_default *= search->unblocked_s / best_s;
}

/* An algorithm that the models do not reach is dropped as long as another one is left; *dropped tells. */
static int tune(struct session *session, size_t which, struct search *search, bool *dropped) {
  enum perfpred_status status = PERFPRED_OK;
  *search = (struct search){ .tuning = PERFPRED_TUNING_INIT };
  *dropped = false;
  int result = begin(session, which, search);
  if (result != COMMAND_OK)
    return result;
  if (session->options->b.upper == 0)
    status = shorten(search, &session->error);
  if (status == PERFPRED_OK)
    status = perfpred_plan_tune(search->plan, search->place, &search->range, search->values, search->count,
                                &search->tuning, &session->error);
  *dropped = status == PERFPRED_OUT_OF_DOMAIN && session->count > 1;
  if (*dropped)
    session_drop(session, which);
  else if (status != PERFPRED_OK)
    return session_fail(session);
  else
    try_unblocked(search);
  return COMMAND_OK;
}

static void write_candidates(struct document *document, struct search *search) {
  document_open_array(document, "candidates");
  for (int64_t b = search->range.lower; b <= search->range.upper; b += search->range.step) {
    struct perfpred_prediction prediction;
    if (predict(search, b, &prediction, NULL) != PERFPRED_OK)
      continue;
    document_open_object(document, NULL);
    document_integer(document, "b", b);
    document_number(document, "time_s", prediction.time_s.med);
    document_close(document);
  }
  document_close(document);
}

static int print_json(const struct session *session, struct search *searches, const struct perfpred_choice *choice) {
  struct document document;
  size_t best = choice->plan;
  struct search *search = &searches[best];
  document_begin(&document);
  document_string(&document, "name", perfpred_program_name(session->programs[best]));
  search->values[search->place] = search->tuning.best;
  session_write_parameters(&document, session->programs[best], search->values);
  document_integer(&document, "b", search->tuning.best);
  document_integer(&document, "threads", choice->threads);
  document_number(&document, "time_s", search->tuning.prediction.time_s.med);
  document_statistics(&document, "statistics_s", &search->tuning.prediction.time_s);
  document_integer(&document, "default_b", search->tuning.default_value);
  document_number(&document, "yield_default", search->tuning.yield_default);
  document_number(&document, "expected_yield", choice->yield);
  document_integer(&document, "unblocked_b", search->unblocked);
  document_number(&document, "unblocked_s", search->unblocked_s);
  session_write_notes(&document, search->tuning.prediction.notes);
  write_candidates(&document, search);
  document_open_array(&document, "algorithms");
  for (size_t i = 0; i < session->count; i++) {
    document_open_object(&document, NULL);
    document_string(&document, "name", perfpred_program_name(session->programs[i]));
    document_integer(&document, "b", searches[i].tuning.best);
    document_integer(&document, "threads", session_threads(session, i));
    document_number(&document, "time_s", searches[i].tuning.prediction.time_s.med);
    document_close(&document);
  }
  document_close(&document);
  session_write_unbound(&document, session);
  return document_print(&document);
}

static void candidate_row(struct table *table, struct search *search, int64_t b, const struct unit *unit) {
  char text[UNIT_TEXT];
  struct perfpred_prediction prediction;
  const struct perfpred_tuning *tuning = &search->tuning;
  if (predict(search, b, &prediction, NULL) != PERFPRED_OK)
    return;
  table_cell(table, "%lld", (long long)b);
  table_cell(table, "%s", unit_format(text, prediction.time_s.med, unit));
  table_cell(table, "%s", unit_percent(text, prediction.time_s.med / tuning->prediction.time_s.med - 1.0, "%+.1f %%"));
  table_cell(table, "%s%s%s", b == tuning->best ? "best " : "", b == tuning->default_value ? "default " : "",
             b == search->unblocked ? "unblocked" : "");
}

/* Inserts b in its place unless it is there. */
static void insert(int64_t *values, size_t *count, int64_t b) {
  size_t place = 0;
  while (place < *count && values[place] < b)
    place++;
  if (place < *count && values[place] == b)
    return;
  for (size_t i = *count; i > place; i--)
    values[i] = values[i - 1];
  values[place] = b;
  ++*count;
}

/* The best value with its neighbours, the default and the unblocked one, in order of b. */
static int print_candidates(struct search *search) {
  struct table table;
  const struct perfpred_range *range = &search->range;
  struct unit unit = unit_time(search->tuning.prediction.time_s.med);
  char time_head[16];
  const char *const heads[] = { "b", time_head, "to best", "<" };
  int64_t values[2 * NEARBY + 4];
  size_t count = 0;
  int64_t last = range->lower + (range->upper - range->lower) / range->step * range->step;
  int64_t centre = search->tuning.best <= range->upper ? search->tuning.best : last; /* unblocked: it may lie beyond */
  for (int i = -NEARBY; i <= NEARBY; i++) {
    int64_t b = centre + i * range->step;
    if (b >= range->lower && b <= range->upper)
      insert(values, &count, b);
  }
  insert(values, &count, search->tuning.best);
  insert(values, &count, search->tuning.default_value);
  insert(values, &count, search->unblocked);
  snprintf(time_head, sizeof time_head, "time/%s", unit.name);
  table_begin(&table, 4, heads);
  for (size_t i = 0; i < count; i++)
    candidate_row(&table, search, values[i], &unit);
  return table_print(&table, 2);
}

static int print_algorithms(const struct session *session, const struct search *searches, size_t best) {
  static const char *const heads[] = { "<algorithm", "threads", "best b", "predicted", "<", "to best" };
  struct table table;
  char text[UNIT_TEXT];
  double best_s = searches[best].tuning.prediction.time_s.med;
  struct unit unit = unit_time(best_s);
  table_begin(&table, 6, heads);
  for (size_t i = 0; i < session->count; i++) {
    double time_s = searches[i].tuning.prediction.time_s.med;
    table_cell(&table, "%s", perfpred_program_name(session->programs[i]));
    table_cell(&table, "%d", session_threads(session, i));
    table_cell(&table, "%lld", (long long)searches[i].tuning.best);
    table_cell(&table, "%s", unit_format(text, time_s, &unit));
    table_cell(&table, "%s", unit.name);
    table_cell(&table, "%s", unit_percent(text, time_s / best_s - 1.0, "%+.1f %%"));
  }
  putchar('\n');
  return table_print(&table, 2);
}

static int print_table(const struct session *session, struct search *searches, const struct perfpred_choice *choice) {
  char text[SESSION_TEXT], time[UNIT_TEXT], yield[UNIT_TEXT];
  size_t best = choice->plan;
  struct search *search = &searches[best];
  const struct perfpred_tuning *tuning = &search->tuning;
  struct unit unit = unit_time(tuning->prediction.time_s.med);
  search->values[search->place] = tuning->best;
  printf("%s, %s", perfpred_program_name(session->programs[best]),
         session_describe(session->programs[best], search->values, text));
  if (session->options->thread_counts.count > 0)
    printf(" on %d thread%s", choice->threads, choice->threads == 1 ? "" : "s");
  printf(": best predicted time %s %s\n", unit_format(time, tuning->prediction.time_s.med, &unit), unit.name);
  if (isfinite(tuning->yield_default))
    printf("the default b=%lld yields %s of that performance\n", (long long)tuning->default_value,
           unit_percent(yield, tuning->yield_default, "%.1f %%"));
  else
    printf("the default b=%lld has no prediction here\n", (long long)tuning->default_value);
  printf("the choice is expected to yield %s of the best performance, by the error of the models\n",
         unit_percent(yield, choice->yield, "%.1f %%"));
  printf("candidates %lld:%lld:%lld", (long long)search->range.lower, (long long)search->range.upper,
         (long long)search->range.step);
  printf(isnan(search->unblocked_s) ? ", without the unblocked b=%lld, which the models do not reach\n"
                                    : " and the unblocked b=%lld\n",
         (long long)search->unblocked);
  if (tuning->prediction.notes != 0)
    printf("status %s\n", session_describe_notes(tuning->prediction.notes, text));
  putchar('\n');
  int result = print_candidates(search);
  if (result == COMMAND_OK && session->count > 1)
    result = print_algorithms(session, searches, best);
  return result;
}

/* Algorithm, threads and block size together; what the searches found for each is compared once more, with the errors of
   the models. */
static int choose(struct session *session, const struct search *searches, struct perfpred_choice *choice) {
  struct perfpred_choose_options options = PERFPRED_CHOOSE_OPTIONS_INIT;
  struct perfpred_range *ranges = calloc(session->count, sizeof *ranges);
  int result = COMMAND_OK;
  if (ranges == NULL)
    return message_fail("out of memory");
  for (size_t i = 0; i < session->count; i++)
    ranges[i] = searches[i].range;
  options.extra = searches[0].unblocked;
  if (perfpred_choose((const struct perfpred_plan *const *)session->plans, session->count, searches[0].place, ranges,
                      searches[0].values, searches[0].count, &options, choice, &session->error) != PERFPRED_OK)
    result = session_fail(session);
  free(ranges);
  return result;
}

static int tune_all(struct session *session, void *data) {
  struct perfpred_choice choice = PERFPRED_CHOICE_INIT;
  (void)data;
  struct search *searches = calloc(session->count, sizeof *searches);
  int result = COMMAND_OK;
  if (searches == NULL)
    return message_fail("out of memory");
  for (size_t i = 0; result == COMMAND_OK && i < session->count;) {
    bool dropped;
    result = tune(session, i, &searches[i], &dropped);
    i += dropped ? 0 : 1;
  }
  if (result == COMMAND_OK)
    result = choose(session, searches, &choice);
  if (result == COMMAND_OK && session->options->json)
    result = print_json(session, searches, &choice);
  else if (result == COMMAND_OK)
    result = print_table(session, searches, &choice);
  if (result == COMMAND_OK)
    session_note_unbound(session);
  free(searches);
  return result;
}

static int run(const struct options *options) {
  if (options->n.upper > 0)
    return tune_sizes(options);
  const struct job job = {
    .takes = JOB_ALTERNATIVES, .names = options->operands.items[0], .open = open, .work = tune_all
  };
  return job_run(options, &job);
}

const struct command command_tune = {
  .name = "tune",
  .synopsis = "NAME -m FILE PARAMETER=VALUE ... [-b LO:HI[:STEP]] [--threads T[,T]] [--extrapolate] [--force] ...\n"
              "       perfpred tune NAME[,NAME] -m FILE -n LO:HI[:STEP] [PARAMETER=VALUE ...] [-b LO:HI[:STEP]] ...",
  .summary = "The best block size by predicted time",
  .details =
      "NAME is an algorithm, or an operation for its best algorithm and block size together. Candidates are the "
      "values\n"
      "of -b (STEP 8 where none is given), all of which the models must reach; without -b those of 8:256:8 that the\n"
      "models reach. One step over everything, unblocked, is always a candidate where the models reach it.\n"
      "The best is compared with the default of LAPACK: what the algorithm's text proposes, else b=64. With several\n"
      "--threads the number of threads is chosen, too, among those that FILE has models for.\n"
      "\n"
      "With -n: one line for every n, as a library finds it that asks perfpred_tuner at every call. Other sizes (m, "
      "k)\n"
      "are n unless they are given. Candidates need not all be inside the models. The largest of several --threads is "
      "a\n"
      "limit.\n",
  .takes = TAKES_MODELS | TAKES_PARAMETERS | TAKES_N | TAKES_B | TAKES_LD | TAKES_EXTRAPOLATE | TAKES_FORCE |
           TAKES_FILES | TAKES_COUNTS | TAKES_NUMBER,
  .operands_min = 1,
  .operands_max = 1,
  .run = run,
};
