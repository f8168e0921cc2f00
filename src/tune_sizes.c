/* SPDX-License-Identifier: BSD-3-Clause */
/* perfpred tune -n: what a tuner answers for many sizes of some routines, one line each. */
#include "tune_sizes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session.h"
#include "table.h"
#include "units.h"

#define ROUTINES_MAX 64
#define STEP_DEFAULT 8

struct asking {
  struct session session;
  char *copy; /* of the names, cut apart */
  const char *names[ROUTINES_MAX];
  size_t name_count;
  struct perfpred_tuner *tuner;
  int thread_limit;
  size_t answered;
  struct table table;
  struct document document;
};

static int split(struct asking *asking, const char *names) {
  asking->copy = strdup(names);
  if (asking->copy == NULL)
    return message_fail("out of memory");
  for (char *name = asking->copy, *next; name != NULL; name = next) {
    next = strchr(name, ',');
    if (next != NULL)
      *next++ = '\0';
    if (name[0] == '\0')
      return message_misuse("'%s': expected names separated by single commas", names);
    if (asking->name_count == ROUTINES_MAX)
      return message_fail("'%s': more than %d names", names, ROUTINES_MAX);
    asking->names[asking->name_count++] = name;
  }
  return COMMAND_OK;
}

/* One number of threads is the one that is meant, the largest of several a limit. */
static int make_tuner(struct asking *asking) {
  struct session *session = &asking->session;
  const struct options *options = session->options;
  const struct counts *threads = &options->thread_counts;
  struct perfpred_plan_options plan = PERFPRED_PLAN_OPTIONS_INIT;
  struct perfpred_tuner_options tuner = PERFPRED_TUNER_OPTIONS_INIT;
  int result = session_choose_kind(session, &plan);
  if (result != COMMAND_OK)
    return result;
  plan.extrapolate = options->extrapolate;
  plan.blas = options->blas;
  plan.setup = (size_t)options->setup;
  plan.force = options->force;
  plan.ld = options->ld;
  if (threads->count == 1)
    plan.threads = (int)threads->items[0];
  else if (threads->count > 1)
    asking->thread_limit = (int)threads->items[threads->count - 1];
  tuner.plan = &plan;
  if (options->b.upper > 0)
    tuner.range = (struct perfpred_range){ options->b.lower, options->b.upper,
                                           options->b.step > 0 ? options->b.step : STEP_DEFAULT };
  if (perfpred_tuner_create(session->context, session->models, asking->names, asking->name_count, &tuner,
                            &asking->tuner, &session->error) != PERFPRED_OK)
    return session_fail(session);
  return COMMAND_OK;
}

/* A value from the command line must be one of somebody's sizes. */
static int check_parameters(const struct asking *asking) {
  const struct options *options = asking->session.options;
  for (size_t k = 0; k < options->parameter_count; k++) {
    const char *name = options->parameters[k].name;
    bool known = false;
    if (strcmp(name, "n") == 0)
      return message_misuse("parameter 'n' is varied here: give its values with -n alone");
    for (size_t i = 0; i < asking->name_count; i++) {
      struct perfpred_routine_info info = PERFPRED_ROUTINE_INFO_INIT;
      if (perfpred_tuner_info(asking->tuner, (int)i, &info, NULL) != PERFPRED_OK)
        continue;
      for (size_t d = 0; d < info.size_count; d++)
        known = known || strcmp(info.size_names[d], name) == 0;
    }
    if (!known)
      return message_misuse("parameter '%s' is no size of %s", name, options->operands.items[0]);
  }
  return COMMAND_OK;
}

/* What was not given is n. */
static void set_sizes(const struct options *options, const struct perfpred_routine_info *info, int64_t n,
                      int64_t *sizes) {
  for (size_t d = 0; d < info->size_count; d++) {
    sizes[d] = n;
    for (size_t k = 0; k < options->parameter_count; k++)
      if (strcmp(options->parameters[k].name, info->size_names[d]) == 0)
        sizes[d] = options->parameters[k].value;
  }
}

static void write_answer(struct asking *asking, const struct perfpred_routine_info *info, int routine,
                         const int64_t *sizes, enum perfpred_status status,
                         const struct perfpred_tuner_answer *answer) {
  struct document *document = &asking->document;
  const bool known = status == PERFPRED_OK;
  document_open_object(document, NULL);
  document_string(document, "routine", info->name);
  document_open_object(document, "parameters");
  for (size_t d = 0; d < info->size_count; d++)
    document_integer(document, info->size_names[d], sizes[d]);
  document_close(document);
  document_string(document, "name", known ? perfpred_tuner_variant(asking->tuner, routine, answer->variant) : "");
  document_number(document, "b", known && answer->value > 0 ? (double)answer->value : (double)NAN);
  document_number(document, "threads", known ? (double)answer->threads : (double)NAN);
  document_number(document, "time_s", known ? answer->time_s : (double)NAN);
  if (known)
    session_write_notes(document, answer->notes);
  else
    document_string(document, "status", perfpred_status_text(status));
  document_close(document);
}

static void tabulate(struct asking *asking, const struct perfpred_routine_info *info, int routine, int64_t n,
                     enum perfpred_status status, const struct perfpred_tuner_answer *answer) {
  struct table *table = &asking->table;
  char text[UNIT_TEXT];
  table_cell(table, "%s", info->name);
  table_cell(table, "%lld", (long long)n);
  if (status != PERFPRED_OK) {
    for (int i = 0; i < 4; i++)
      table_cell(table, "-");
    table_cell(table, "%s", perfpred_status_text(status));
    return;
  }
  const struct unit unit = unit_time(answer->time_s);
  table_cell(table, "%s", perfpred_tuner_variant(asking->tuner, routine, answer->variant));
  table_cell(table, "%d", answer->threads);
  if (answer->value > 0)
    table_cell(table, "%lld", (long long)answer->value);
  else
    table_cell(table, "-");
  table_cell(table, "%s", unit_format(text, answer->time_s, &unit));
  table_cell(table, "%s", unit.name);
}

static int ask(struct asking *asking, int routine) {
  const struct options *options = asking->session.options;
  const int64_t step = options->n.step > 0 ? options->n.step : STEP_DEFAULT;
  struct perfpred_routine_info info = PERFPRED_ROUTINE_INFO_INIT;
  if (perfpred_tuner_info(asking->tuner, routine, &info, &asking->session.error) != PERFPRED_OK)
    return session_fail(&asking->session);
  for (int64_t n = options->n.lower; n <= options->n.upper; n += step) {
    struct perfpred_tuner_answer answer = PERFPRED_TUNER_ANSWER_INIT;
    int64_t sizes[8] = { 0 };
    set_sizes(options, &info, n, sizes);
    enum perfpred_status status =
        perfpred_tuner_ask(asking->tuner, routine, sizes, info.size_count, asking->thread_limit, &answer);
    asking->answered += status == PERFPRED_OK;
    if (options->json)
      write_answer(asking, &info, routine, sizes, status, &answer);
    else
      tabulate(asking, &info, routine, n, status, &answer);
  }
  return COMMAND_OK;
}

static int ask_all(struct asking *asking) {
  static const char *const heads[] = { "<routine", "n", "<algorithm", "threads", "b", "predicted", "<" };
  const bool json = asking->session.options->json;
  int result = COMMAND_OK;
  table_begin(&asking->table, 7, heads);
  document_begin(&asking->document);
  document_open_array(&asking->document, "answers");
  for (size_t i = 0; i < asking->name_count && result == COMMAND_OK; i++)
    result = ask(asking, (int)i);
  document_close(&asking->document);
  if (result == COMMAND_OK && asking->answered == 0)
    result = message_fail("the models have no answer for any of these sizes: expected routines and sizes that '%s' "
                          "holds models for",
                          asking->session.options->models);
  if (result != COMMAND_OK || json)
    table_release(&asking->table);
  if (result != COMMAND_OK || !json)
    document_discard(&asking->document);
  if (result != COMMAND_OK)
    return result;
  return json ? document_print(&asking->document) : table_print(&asking->table, 2);
}

int tune_sizes(const struct options *options) {
  struct asking asking = { .answered = 0 };
  int result = session_open(&asking.session, options);
  if (result == COMMAND_OK)
    result = split(&asking, options->operands.items[0]);
  if (result == COMMAND_OK)
    result = session_load(&asking.session);
  if (result == COMMAND_OK)
    result = make_tuner(&asking);
  if (result == COMMAND_OK)
    result = check_parameters(&asking);
  if (result == COMMAND_OK)
    result = ask_all(&asking);
  perfpred_tuner_destroy(asking.tuner);
  session_close(&asking.session);
  free(asking.copy);
  return result;
}
