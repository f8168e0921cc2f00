/* SPDX-License-Identifier: BSD-3-Clause */
/* Routines that have kernels in common are measured together; what is in the file already is not measured again. */
#include "lapack.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "decided.h"
#include "generating.h"
#include "progress.h"
#include "target.h"
#include "units.h"

#define GROUPS 3
#define NAMES_SIZE 1024
#define BUDGET_S 600.0
#define N_LOWER 8
#define N_UPPER 3000 /* beyond it decisions hardly change */
#define B_LOWER 8
#define LEAST_S 0.001  /* what a group has where those before it took more than their part */
#define MEASURING 0.97 /* part of the budget; the rest is for deciding */
#define TESTING 0.12   /* and this part is for testing what was decided */

/* One generation. */
struct group {
  char names[NAMES_SIZE]; /* of its algorithms, with commas */
  int64_t b_upper;
  double share; /* of the budget */
};

struct work {
  const struct options *options;
  struct perfpred_generate_options generate;
  struct decided_target target;
  char types[5];
  struct perfpred_generate_report total;
  struct perfpred_decisions_tested test; /* pieces 0: none was made, or there was nothing to test */
  int done, count;                       /* groups */
};

bool lapack_is_meant(const struct options *options) {
  return options->algorithms != NULL && strcmp(options->algorithms, "lapack") == 0;
}

int lapack_check_absent(const struct options *options) {
  if (options->types != NULL || options->table != NULL || options->emit != NULL || options->name != NULL ||
      options->untested)
    return message_misuse("--types, --table, --untested, --emit and --name go with --for lapack");
  return COMMAND_OK;
}

/* --- Groups -------------------------------------------------------------------------------------------------------- */

static void find_group(char type, int place, struct group *group) {
  size_t length = 0;
  *group = (struct group){ .share = 0.0 };
  for (size_t i = 0; i < perfpred_tunable_count(); i++) {
    struct perfpred_tunable tunable = PERFPRED_TUNABLE_INIT;
    if (perfpred_tunable_info(i, &tunable, NULL) != PERFPRED_OK || tunable.group != place ||
        tunable.algorithm[0] != type)
      continue;
    int written =
        snprintf(group->names + length, sizeof group->names - length, "%s%s", length > 0 ? "," : "", tunable.algorithm);
    length += (size_t)written < sizeof group->names - length ? (size_t)written : 0;
    group->b_upper = tunable.b_upper > group->b_upper ? tunable.b_upper : group->b_upper;
    group->share = tunable.share;
  }
}

/* Whether the models reach a program's largest size with its largest block size. */
static bool reaches(const struct session *session, struct perfpred_models *models, struct perfpred_program *program,
                    const struct perfpred_generate_options *generate) {
  struct perfpred_plan_options plan_options = PERFPRED_PLAN_OPTIONS_INIT;
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  struct perfpred_plan *plan = NULL;
  int64_t values[SESSION_PARAMETERS];
  const size_t count = perfpred_program_parameter_count(program);
  plan_options.threads = (int)session->options->threads;
  plan_options.blas = session->options->blas;
  if (perfpred_plan_create(program, models, &plan_options, &plan, NULL) != PERFPRED_OK)
    return false;
  for (size_t i = 0; i < count && i < SESSION_PARAMETERS; i++) {
    const int64_t proposed = perfpred_program_parameter_default(program, i);
    values[i] = (int)i == perfpred_program_parameter(program, "b") ? generate->b_upper
                : proposed >= 0                                    ? proposed
                                                                   : generate->n_upper;
  }
  bool good = perfpred_plan_predict(plan, values, count, &prediction, NULL) == PERFPRED_OK;
  perfpred_plan_destroy(plan);
  return good;
}

static bool is_there(const struct session *session, const struct perfpred_generate_options *generate) {
  struct perfpred_models *models = NULL;
  if (session->options->replace ||
      perfpred_models_load(session->context, session->options->output, NULL, &models, NULL) != PERFPRED_OK)
    return false;
  bool good = true;
  for (size_t i = 0; i < session->count && good; i++)
    good = reaches(session, models, session->programs[i], generate);
  perfpred_models_unref(models);
  return good;
}

static void add_report(struct perfpred_generate_report *total, const struct perfpred_generate_report *report) {
  total->models += report->models;
  total->points += report->points;
  total->samples += report->samples;
  total->disturbed += report->disturbed;
  total->measure_s += report->measure_s;
  total->wall_s += report->wall_s;
  total->max_error = fmax(total->max_error, report->max_error);
  total->budget_exhausted |= report->budget_exhausted;
}

static int measure_group(struct work *work, struct session *session, struct perfpred_generate_options *generate,
                         double begin_s) {
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  char what[32];
  snprintf(what, sizeof what, "generate %d/%d", work->done + 1, work->count);
  int result = session_sample(session);
  if (result == COMMAND_OK)
    result = generating_run(session, generate, begin_s, what, &report);
  if (result == COMMAND_OK)
    add_report(&work->total, &report);
  return result;
}

/* The first one that is measured writes the file anew where that is wanted; the others add to it. */
static int run_group(struct work *work, const struct options *options, const struct group *group, double budget_s) {
  struct perfpred_generate_options generate = work->generate;
  struct session session;
  double begin_s = generating_seconds();
  generate.budget_s = budget_s;
  if (generate.b_upper == 0 || generate.b_upper > group->b_upper)
    generate.b_upper = group->b_upper;
  if (generate.b_lower > generate.b_upper)
    generate.b_lower = generate.b_upper;
  int result = session_open(&session, options);
  if (result == COMMAND_OK)
    result = session_find(&session, group->names);
  if (result == COMMAND_OK && is_there(&session, &generate))
    message_note("%s has models for %s already; --replace measures all anew", options->output, group->names);
  else if (result == COMMAND_OK)
    result = measure_group(work, &session, &generate, begin_s);
  session_close(&session);
  work->done++;
  return result;
}

static double budget_of(const struct options *options) {
  return options->budget_s > 0.0 ? options->budget_s : BUDGET_S;
}

/* What a group leaves of its part of the budget goes to those behind it. */
static int run_groups(struct work *work) {
  struct options options = *work->options;
  double left_s = (MEASURING - (options.untested ? 0.0 : TESTING)) * budget_of(&options);
  double shares = (double)strlen(work->types); /* of the groups that are left */
  int result = COMMAND_OK;
  work->count = GROUPS * (int)strlen(work->types);
  for (const char *type = work->types; *type != '\0' && result == COMMAND_OK; type++)
    for (int place = 0; place < GROUPS && result == COMMAND_OK; place++) {
      struct group group;
      const double begin_s = generating_seconds();
      find_group(*type, place, &group);
      result = run_group(work, &options, &group, fmax(left_s * fmin(group.share / shares, 1.0), LEAST_S));
      left_s -= generating_seconds() - begin_s;
      shares = fmax(shares - group.share, 1e-9); /* the last one has all that is left, however sums are rounded */
      options.replace = false;
    }
  return result;
}

/* --- The table ----------------------------------------------------------------------------------------------------- */

static int print_json(const struct work *work, const struct perfpred_decisions *decisions) {
  struct document document;
  document_begin(&document);
  document_string(&document, "file", work->options->output);
  decided_summarise(&document, decisions, &work->target);
  document_integer(&document, "models", (int64_t)work->total.models);
  document_integer(&document, "points", (int64_t)work->total.points);
  document_integer(&document, "samples", (int64_t)work->total.samples);
  document_integer(&document, "disturbed", (int64_t)work->total.disturbed);
  document_number(&document, "measure_s", work->total.measure_s);
  document_number(&document, "wall_s", work->total.wall_s);
  document_number(&document, "max_error", work->total.max_error);
  document_boolean(&document, "budget_exhausted", work->total.budget_exhausted != 0);
  document_integer(&document, "test_pieces", (int64_t)work->test.pieces);
  document_integer(&document, "tested", (int64_t)work->test.measured);
  document_integer(&document, "given_up", (int64_t)work->test.given_up);
  return document_print(&document);
}

static int print_text(const struct work *work, const struct perfpred_decisions *decisions) {
  char text[UNIT_TEXT];
  printf("%s: %llu models from %llu samples at %llu points, %.1f s\n", work->options->output,
         (unsigned long long)work->total.models, (unsigned long long)work->total.samples,
         (unsigned long long)work->total.points, work->total.wall_s);
  if (work->total.models > 0)
    printf("largest error  %s at the sampling points\n", unit_percent(text, work->total.max_error, "%.2f %%"));
  decided_print(decisions, &work->target);
  if (work->test.pieces > 0)
    printf("tested         %llu of %llu ranges of sizes with other answers than LAPACK's, %.1f s; %llu were no faster "
           "and have LAPACK's now\n",
           (unsigned long long)work->test.measured, (unsigned long long)work->test.pieces, work->test.wall_s,
           (unsigned long long)work->test.given_up);
  if (work->total.budget_exhausted)
    printf("The budget ended the refinement early: more time makes better models.\n");
  return COMMAND_OK;
}

/* Routines that got no decision: of some kernels there are no models in these ranges. */
static void note_missing(const struct work *work, const struct perfpred_decisions *decisions) {
  char names[NAMES_SIZE] = "";
  size_t length = 0;
  for (size_t i = 0; i < perfpred_tunable_count(); i++) {
    struct perfpred_tunable tunable = PERFPRED_TUNABLE_INIT;
    struct perfpred_decision decision = PERFPRED_DECISION_INIT;
    if (perfpred_tunable_info(i, &tunable, NULL) != PERFPRED_OK || strchr(work->types, tunable.algorithm[0]) == NULL ||
        strstr(names, tunable.routine) != NULL ||
        perfpred_decisions_look_up(decisions, tunable.routine, tunable.options, NULL, 0, &decision, NULL) ==
            PERFPRED_OK)
      continue;
    int written = snprintf(names + length, sizeof names - length, "%s%s", length > 0 ? ", " : "", tunable.routine);
    length += (size_t)written < sizeof names - length ? (size_t)written : 0;
  }
  if (length > 0)
    message_note("no decision for %s: some of their kernels have no models in these ranges of -n and -b", names);
}

/* Where a decision is no faster than LAPACK's own answer the latter takes its place. That nothing can be tested is no reason to have no table. */
static int test(struct work *work, struct session *session, struct perfpred_decisions **decisions) {
  struct perfpred_measure_options measure = PERFPRED_MEASURE_OPTIONS_INIT;
  struct perfpred_decisions *tested = NULL;
  struct progress progress;
  int result = session_sample(session);
  if (result != COMMAND_OK)
    return result;
  measure.gate = session->options->gate;
  measure.budget_s = TESTING * budget_of(session->options);
  measure.progress = progress_step;
  measure.progress_data = &progress;
  progress_begin(&progress, "test");
  enum perfpred_status status =
      perfpred_decisions_test(session->context, session->sampler, *decisions, work->generate.n_lower,
                              work->generate.n_upper, &measure, &tested, &work->test, &session->error);
  if (progress_end(&progress))
    return message_fail("interrupted: no table is written");
  if (status != PERFPRED_OK) {
    message_note("the decisions are not tested: %s", session->error.text);
    return COMMAND_OK;
  }
  perfpred_decisions_destroy(*decisions);
  *decisions = tested;
  return COMMAND_OK;
}

static int decide(struct work *work) {
  struct options options = *work->options;
  struct perfpred_decisions *decisions = NULL;
  struct session session;
  options.models = options.output;
  int result = session_open(&session, &options);
  if (result == COMMAND_OK)
    result = session_load(&session);
  if (result == COMMAND_OK)
    result = decided_make(&session, work->types, &decisions);
  if (result == COMMAND_OK && !options.untested)
    result = test(work, &session, &decisions);
  if (result == COMMAND_OK)
    result = decided_write(&options, decisions, &work->target);
  if (result == COMMAND_OK)
    note_missing(work, decisions);
  if (result == COMMAND_OK)
    result = options.json ? print_json(work, decisions) : print_text(work, decisions);
  perfpred_decisions_destroy(decisions);
  session_close(&session);
  return result;
}

int lapack_run(const struct options *options, const struct perfpred_generate_options *generate) {
  struct work work = { .options = options,
                       .generate = *generate,
                       .total = PERFPRED_GENERATE_REPORT_INIT,
                       .test = PERFPRED_DECISIONS_TEST_INIT };
  int result = decided_types(options, work.types);
  if (result == COMMAND_OK)
    result = target_check(options->output);
  if (result == COMMAND_OK)
    result = decided_target(options, options->table, &work.target);
  if (result != COMMAND_OK)
    return result;
  if (work.generate.n_upper == 0) {
    work.generate.n_lower = N_LOWER;
    work.generate.n_upper = N_UPPER;
  }
  if (work.generate.b_lower == 0)
    work.generate.b_lower = B_LOWER;
  result = run_groups(&work);
  return result == COMMAND_OK ? decide(&work) : result;
}
