/* SPDX-License-Identifier: BSD-3-Clause */
/* Decision tables from models. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/question.h"
#include "api/uses.h"
#include "machine/clock.h"
#include "store/table.h"

#define N_DEFAULT_LOWER 8
#define N_DEFAULT_UPPER 1024
#define B_DEFAULT 8 /* least block size and step */
#define GROWTH 1.12
#define SPREAD 0.03
#define TIE 0.005
#define RESOLUTION (1.0 / 64)
#define ROUTINE_MAX 16 /* longest name that is looked at */

struct decision {
  const struct perfpred_context *context;
  struct perfpred_models *models;
  struct perfpred_decide_options options;
  struct ppi_question_knobs knobs;
  struct ppi_clock clock;
  double begin_s;
  struct ppi_entries entries;
  int setup;                     /* that the plans are of; -1: none yet */
  struct perfpred_error skipped; /* why the first one that was left out was */
};

/* --- Options ------------------------------------------------------------------------------------------------------- */

static double real_or(double value, double usual) {
  if (isnan(value))
    return value; /* it is refused as no number is below anything */
  return value < 0.0 ? 0.0 : value > 0.0 ? value : usual;
}

static int64_t integer_or(int64_t value, int64_t usual) {
  return value != 0 ? value : usual;
}

static enum perfpred_status check_sizes(const struct ppi_question_knobs *knobs, struct perfpred_error *error) {
  if (knobs->n_lower < 1 || knobs->n_upper < knobs->n_lower || knobs->n_upper > INT32_MAX)
    return ppi_error_set(error, PERFPRED_INVALID,
                         "options: sizes from %lld to %lld; expected 1 <= lower <= upper <= %d",
                         (long long)knobs->n_lower, (long long)knobs->n_upper, INT32_MAX);
  if (knobs->b_lower < 2 || knobs->b_step < 1 || knobs->b_upper < 0 || knobs->b_upper > PPI_TABLE_NB_MAX ||
      (knobs->b_upper > 0 && knobs->b_upper < knobs->b_lower))
    return ppi_error_set(
        error, PERFPRED_INVALID,
        "options: block sizes from %lld to %lld by %lld; expected 2 <= lower <= upper <= %d, step >= 1",
        (long long)knobs->b_lower, (long long)knobs->b_upper, (long long)knobs->b_step, PPI_TABLE_NB_MAX);
  return PERFPRED_OK;
}

static enum perfpred_status check_knobs(const struct ppi_question_knobs *knobs, struct perfpred_error *error) {
  if (!(knobs->growth > 1.0 && knobs->growth <= 16.0) || !(knobs->spread < 0.5) || !(knobs->tie < 1.0) ||
      !(knobs->resolution < 1.0))
    return ppi_error_set(
        error, PERFPRED_INVALID,
        "options: growth %g, spread %g, tie %g, resolution %g; expected 1 < growth <= 16, spread < 0.5 "
        "and the others below 1",
        knobs->growth, knobs->spread, knobs->tie, knobs->resolution);
  return check_sizes(knobs, error);
}

static enum perfpred_status read_knobs(struct decision *decision, struct perfpred_error *error) {
  const struct perfpred_decide_options *options = &decision->options;
  const struct perfpred_generate_options *made = &decision->models->options;
  struct ppi_question_knobs *knobs = &decision->knobs;
  *knobs = (struct ppi_question_knobs){
    .n_lower = integer_or(options->n_lower, integer_or(made->n_lower, N_DEFAULT_LOWER)),
    .n_upper = integer_or(options->n_upper, integer_or(made->n_upper, N_DEFAULT_UPPER)),
    .b_lower = integer_or(options->b_lower, B_DEFAULT),
    .b_upper = options->b_upper,
    .b_step = integer_or(options->b_step, B_DEFAULT),
    .growth = real_or(options->growth, GROWTH),
    .spread = real_or(options->spread, SPREAD),
    .tie = real_or(options->tie, TIE),
    .resolution = real_or(options->resolution, RESOLUTION),
  };
  return check_knobs(knobs, error);
}

static char upper(char letter) {
  return letter >= 'a' && letter <= 'z' ? (char)(letter - 'a' + 'A') : letter;
}

static bool is_same(const char *text, size_t length, const char *routine) {
  if (strlen(routine) != length)
    return false;
  for (size_t i = 0; i < length; i++)
    if (upper(text[i]) != routine[i])
      return false;
  return true;
}

static const char *name_of(const void *data, size_t index) {
  (void)data;
  return ppi_tunable_at(index)->routine;
}

static enum perfpred_status refuse_name(const char *text, size_t length, struct perfpred_error *error) {
  char name[ROUTINE_MAX + 1] = "";
  for (size_t i = 0; i < length && i < ROUTINE_MAX; i++)
    name[i] = upper(text[i]);
  const char *near = ppi_text_nearest(name, ppi_tunable_count(), name_of, NULL);
  if (length == 0)
    return ppi_error_set(error, PERFPRED_INVALID, "routines: an empty name; expected names with commas between them");
  return ppi_error_set(error, PERFPRED_NOT_FOUND, "routines: %s is none that asks ILAENV%s%s%s", name,
                       near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

/* Calls see for every name of the list until it says no. */
static enum perfpred_status each_name(const char *list,
                                      enum perfpred_status (*see)(void *data, const char *text, size_t length,
                                                                  struct perfpred_error *error),
                                      void *data, struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  for (const char *at = list; !status; at++) {
    size_t length = strcspn(at, ",");
    status = see(data, at, length, error);
    at += length;
    if (*at == '\0')
      break;
  }
  return status;
}

static enum perfpred_status check_name(void *data, const char *text, size_t length, struct perfpred_error *error) {
  (void)data;
  for (size_t i = 0; i < ppi_tunable_count(); i++)
    if (is_same(text, length, ppi_tunable_at(i)->routine))
      return PERFPRED_OK;
  return refuse_name(text, length, error);
}

static enum perfpred_status check_names(const struct perfpred_decide_options *options, struct perfpred_error *error) {
  if (options->types && (options->types[0] == '\0' || strspn(options->types, "sdcz") != strlen(options->types)))
    return ppi_error_set(error, PERFPRED_INVALID, "types is '%.40s'; expected letters of s, d, c, z", options->types);
  return options->routines ? each_name(options->routines, check_name, NULL, error) : PERFPRED_OK;
}

/* --- Routines ------------------------------------------------------------------------------------------------------ */

/* PERFPRED_EXISTS: it is this one. */
static enum perfpred_status match_name(void *data, const char *text, size_t length, struct perfpred_error *error) {
  (void)error;
  return is_same(text, length, data) ? PERFPRED_EXISTS : PERFPRED_OK;
}

static bool is_wanted(const struct decision *decision, const struct ppi_tunable *tunable) {
  const struct perfpred_decide_options *options = &decision->options;
  if (options->types && !strchr(options->types, tunable->routine[0] - 'A' + 'a'))
    return false;
  char name[ROUTINE_MAX];
  snprintf(name, sizeof name, "%s", tunable->routine);
  return !options->routines || each_name(options->routines, match_name, name, NULL) == PERFPRED_EXISTS;
}

static bool is_one_question(const struct ppi_tunable *a, const struct ppi_tunable *b) {
  return strcmp(a->routine, b->routine) == 0 && strcmp(a->options, b->options) == 0;
}

static void release_question(struct ppi_question *question) {
  for (int i = 0; i < question->plan_count; i++)
    perfpred_plan_destroy(question->plans[i]);
}

static enum perfpred_status bind(const struct decision *decision, const struct ppi_tunable *tunable,
                                 struct ppi_question *question, struct perfpred_error *error) {
  struct perfpred_program *program = NULL;
  assert(question->plan_count < PPI_QUESTION_PLANS);
  enum perfpred_status status = perfpred_program_find(decision->context, tunable->algorithm, &program, error);
  if (!status)
    status = perfpred_plan_create(program, decision->models, decision->options.plan,
                                  &question->plans[question->plan_count], error);
  perfpred_program_unref(program);
  if (!status)
    question->plan_count++;
  return status;
}

static enum perfpred_status add_entry(struct decision *decision, const struct ppi_question *question,
                                      struct perfpred_error *error) {
  struct ppi_table_cell *cells = NULL;
  size_t count = 0;
  assert(question->plans[0]);
  enum perfpred_status status = ppi_question_decide(question, &decision->knobs, &cells, &count, error);
  if (status)
    return status;
  decision->entries.items[decision->entries.count++] = (struct ppi_table_entry){ .routine = question->tunable->routine,
                                                                                 .options = question->tunable->options,
                                                                                 .cell_size = question->tunable->size,
                                                                                 .cells = cells,
                                                                                 .cell_count = count };
  decision->setup = question->plans[0]->setup;
  return PERFPRED_OK;
}

/* Decides one question, of the algorithms from place on; *next is behind them. What has no models is left out. */
static enum perfpred_status take(struct decision *decision, size_t place, size_t *next, struct perfpred_error *error) {
  const struct ppi_tunable *first = ppi_tunable_at(place);
  struct ppi_question question = { .tunable = first };
  struct perfpred_error why;
  enum perfpred_status status = PERFPRED_OK;
  ppi_error_clear(&why);
  for (*next = place; *next < ppi_tunable_count() && is_one_question(first, ppi_tunable_at(*next)); ++*next)
    if (!status)
      status = bind(decision, ppi_tunable_at(*next), &question, &why);
  if (!status)
    status = add_entry(decision, &question, &why);
  release_question(&question);
  if (status == PERFPRED_UNMODELLED || status == PERFPRED_OUT_OF_DOMAIN) {
    if (decision->skipped.text[0] == '\0')
      decision->skipped = why;
    return PERFPRED_OK;
  }
  return status ? ppi_error_set(error, status, "%s", why.text) : PERFPRED_OK;
}

static bool is_cancelled(struct decision *decision, size_t place) {
  const double share = (double)place / (double)ppi_tunable_count();
  struct perfpred_progress progress = { .size = sizeof progress, .stage = "decide", .fraction = share };
  if (!decision->options.progress)
    return false;
  progress.elapsed_s = decision->clock.now(decision->clock.state) - decision->begin_s;
  progress.remaining_s = (double)NAN;
  return decision->options.progress(decision->options.progress_data, &progress) != 0;
}

static enum perfpred_status take_all(struct decision *decision, struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  for (size_t place = 0; place < ppi_tunable_count() && !status;) {
    if (!is_wanted(decision, ppi_tunable_at(place))) {
      place++;
      continue;
    }
    if (is_cancelled(decision, place))
      return ppi_error_set(error, PERFPRED_CANCELLED, "cancelled");
    status = take(decision, place, &place, error);
  }
  return status;
}

static enum perfpred_status check_decided(void *data, const char *text, size_t length, struct perfpred_error *error) {
  const struct decision *decision = data;
  for (size_t i = 0; i < decision->entries.count; i++)
    if (is_same(text, length, decision->entries.items[i].routine))
      return PERFPRED_OK;
  return ppi_error_set(error, PERFPRED_UNMODELLED, "%.*s is not decided: %s", (int)(length < 8 ? length : 8), text,
                       decision->skipped.text[0] != '\0' ? decision->skipped.text : "it is not of these types");
}

static enum perfpred_status check_all(struct decision *decision, struct perfpred_error *error) {
  if (decision->options.routines)
    return each_name(decision->options.routines, check_decided, decision, error);
  if (decision->entries.count > 0)
    return PERFPRED_OK;
  if (decision->skipped.status == PERFPRED_OUT_OF_DOMAIN)
    return ppi_error_set(error, PERFPRED_OUT_OF_DOMAIN, "%s", decision->skipped.text);
  return ppi_error_set(error, PERFPRED_UNMODELLED, "there are models for none of the routines that ask ILAENV: %s",
                       decision->skipped.text);
}

/* --- The table ----------------------------------------------------------------------------------------------------- */

static void describe(const struct ppi_library *library, char *text, size_t size) {
  snprintf(text, size, "%s%s%s%s%s%s%s", library->family, library->version[0] != '\0' ? " " : "", library->version,
           library->kernels[0] != '\0' ? ", kernels " : "", library->kernels, library->path[0] != '\0' ? ", " : "",
           library->path);
}

static enum perfpred_status make(const struct decision *decision, struct perfpred_decisions **decisions,
                                 struct perfpred_error *error) {
  const struct ppi_setup *setup = &decision->models->setups[decision->setup];
  char blas[2 * PPI_TEXT_MAX + 1100], lapack[2 * PPI_TEXT_MAX + 1100];
  describe(&setup->blas, blas, sizeof blas);
  describe(&setup->lapack, lapack, sizeof lapack);
  const struct ppi_table_origin origin = { decision->models->machine.cpu, blas, lapack, setup->threads };
  return ppi_table_make(&origin, decision->entries.items, decision->entries.count, decisions, error);
}

static enum perfpred_status check_arguments(const struct perfpred_context *context,
                                            const struct perfpred_models *models,
                                            const struct perfpred_decide_options *options,
                                            struct perfpred_decisions *const *decisions, struct perfpred_error *error) {
  if (!context || !models || !decisions)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL",
                         !context  ? "context"
                         : !models ? "models"
                                   : "decisions");
  if (options && options->size < sizeof options->size)
    return ppi_error_set(error, PERFPRED_INVALID, "options: size is %zu; expected PERFPRED_DECIDE_OPTIONS_INIT",
                         options->size);
  return PERFPRED_OK;
}

static enum perfpred_status begin(struct decision *decision, const struct perfpred_decide_options *options,
                                  struct perfpred_error *error) {
  if (options)
    memcpy(&decision->options, options,
           options->size < sizeof decision->options ? options->size : sizeof decision->options);
  ppi_clock_monotonic(&decision->clock);
  decision->begin_s = decision->clock.now(decision->clock.state);
  ppi_error_clear(&decision->skipped);
  enum perfpred_status status = check_names(&decision->options, error);
  if (!status)
    status = read_knobs(decision, error);
  if (status)
    return status;
  decision->entries.items = calloc(2 * ppi_tunable_count(), sizeof *decision->entries.items);
  return decision->entries.items ? PERFPRED_OK : ppi_error_memory(error);
}

enum perfpred_status perfpred_decide(const struct perfpred_context *context, struct perfpred_models *models,
                                     const struct perfpred_decide_options *options,
                                     struct perfpred_decisions **decisions, struct perfpred_error *error) {
  ppi_error_clear(error);
  struct decision decision = { .context = context, .models = models };
  enum perfpred_status status = check_arguments(context, models, options, decisions, error);
  if (!status)
    status = begin(&decision, options, error);
  if (!status)
    status = take_all(&decision, error);
  if (!status)
    status = check_all(&decision, error);
  if (!status)
    status = ppi_uses_cover(&decision.entries, error);
  if (!status)
    status = make(&decision, decisions, error);
  ppi_entries_free(&decision.entries);
  return status;
}
