/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans of many routines behind one handle. Everything but the table of answers stays as it was made. */
#include <perfpred/tuner.h>

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "predict/routine.h"

#define ANSWERS_DEFAULT 4096
#define INFO_LEAST (offsetof(struct perfpred_routine_info, threads_max) + sizeof(int))  /* of release 0.1 */
#define ANSWER_LEAST (offsetof(struct perfpred_tuner_answer, notes) + sizeof(unsigned)) /* of release 0.1 */

struct perfpred_tuner {
  struct perfpred_range range;
  size_t routine_count;
  struct ppi_routine *routines;
  struct ppi_answers *answers;
};

static enum perfpred_status check_names(const char *const *names, size_t count, struct perfpred_error *error) {
  if (!names || count == 0)
    return ppi_error_set(error, PERFPRED_INVALID, "names is empty; expected at least one routine");
  if (count > PPI_ANSWER_NUMBER)
    return ppi_error_set(error, PERFPRED_LIMIT, "name_count is %zu; expected at most %d", count, PPI_ANSWER_NUMBER);
  for (size_t i = 0; i < count; i++) {
    if (!names[i])
      return ppi_error_set(error, PERFPRED_INVALID, "names[%zu] is NULL", i);
    for (size_t k = 0; k < i; k++)
      if (strcmp(names[i], names[k]) == 0)
        return ppi_error_set(error, PERFPRED_EXISTS, "names[%zu] is %.100s, as names[%zu] is", i, names[i], k);
  }
  return PERFPRED_OK;
}

/* Members beyond the caller's size count as zero. */
static enum perfpred_status read_options(const struct perfpred_tuner_options *options,
                                         struct perfpred_tuner_options *full, struct perfpred_error *error) {
  *full = (struct perfpred_tuner_options)PERFPRED_TUNER_OPTIONS_INIT;
  if (options && options->size < sizeof options->size)
    return ppi_error_set(error, PERFPRED_INVALID, "options: size is %zu; expected PERFPRED_TUNER_OPTIONS_INIT",
                         options->size);
  if (options)
    memcpy(full, options, options->size < sizeof *full ? options->size : sizeof *full);
  if (!full->parameter)
    full->parameter = "b";
  if (full->range.lower == 0 && full->range.upper == 0 && full->range.step == 0)
    full->range = (struct perfpred_range){ 8, 256, 8 };
  if (full->answers == 0)
    full->answers = ANSWERS_DEFAULT;
  if (full->answers > PPI_ANSWERS_MAX)
    return ppi_error_set(error, PERFPRED_LIMIT, "options.answers is %zu; expected at most %u", full->answers,
                         PPI_ANSWERS_MAX);
  return ppi_range_check(&full->range, error);
}

static enum perfpred_status read_plan_options(const struct perfpred_plan_options *options,
                                              struct perfpred_plan_options *full, struct perfpred_error *error) {
  *full = (struct perfpred_plan_options)PERFPRED_PLAN_OPTIONS_INIT;
  if (!options)
    return PERFPRED_OK;
  if (options->size < sizeof options->size)
    return ppi_error_set(error, PERFPRED_INVALID, "options.plan: size is %zu; expected PERFPRED_PLAN_OPTIONS_INIT",
                         options->size);
  memcpy(full, options, options->size < sizeof *full ? options->size : sizeof *full);
  full->size = sizeof *full;
  if (full->cache) /* which goes through all calls and allocates */
    return ppi_error_set(error, PERFPRED_INVALID, "options.plan: a tuner answers at once; expected no cache");
  return PERFPRED_OK;
}

static enum perfpred_status fill(struct perfpred_tuner *tuner, const struct ppi_routine_options *options,
                                 const char *const *names, size_t count, struct perfpred_error *error) {
  struct perfpred_error refusal;
  enum perfpred_status status = PERFPRED_OK;
  size_t plans = 0;
  ppi_error_clear(&refusal);
  tuner->routines = calloc(count, sizeof *tuner->routines);
  if (!tuner->routines)
    return ppi_error_memory(error);
  for (size_t i = 0; i < count && !status; i++) {
    struct ppi_routine *routine = &tuner->routines[tuner->routine_count++];
    status = ppi_routine_make(routine, names[i], options, &refusal, error);
    plans += routine->plan_count;
  }
  if (!status && plans == 0 && refusal.status) /* where no setup fits nothing ever will */
    status = ppi_error_set(error, refusal.status, "%s", refusal.text);
  return status;
}

enum perfpred_status perfpred_tuner_create(const struct perfpred_context *context, struct perfpred_models *models,
                                           const char *const *names, size_t name_count,
                                           const struct perfpred_tuner_options *options, struct perfpred_tuner **tuner,
                                           struct perfpred_error *error) {
  struct perfpred_tuner_options full;
  struct ppi_routine_options common = { .context = context, .models = models };
  ppi_error_clear(error);
  if (!context || !models || !tuner)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", !context ? "context" : !models ? "models" : "tuner");
  enum perfpred_status status = check_names(names, name_count, error);
  if (!status)
    status = read_options(options, &full, error);
  if (!status)
    status = read_plan_options(full.plan, &common.plan, error);
  if (status)
    return status;
  struct perfpred_tuner *made = calloc(1, sizeof *made);
  if (!made)
    return ppi_error_memory(error);
  common.parameter = full.parameter;
  made->range = full.range;
  status = fill(made, &common, names, name_count, error);
  if (!status)
    status = ppi_answers_create(full.answers, &made->answers, error);
  if (status) {
    perfpred_tuner_destroy(made);
    return status;
  }
  *tuner = made;
  return PERFPRED_OK;
}

void perfpred_tuner_destroy(struct perfpred_tuner *tuner) {
  if (!tuner)
    return;
  ppi_answers_destroy(tuner->answers);
  for (size_t i = 0; i < tuner->routine_count; i++)
    ppi_routine_release(&tuner->routines[i]);
  free(tuner->routines);
  free(tuner);
}

size_t perfpred_tuner_routine_count(const struct perfpred_tuner *tuner) {
  return tuner ? tuner->routine_count : 0;
}

/* NULL: there is none. */
static const struct ppi_routine *routine_of(const struct perfpred_tuner *tuner, int routine) {
  return tuner && routine >= 0 && (size_t)routine < tuner->routine_count ? &tuner->routines[routine] : NULL;
}

int perfpred_tuner_routine(const struct perfpred_tuner *tuner, const char *name) {
  for (size_t i = 0; name && i < perfpred_tuner_routine_count(tuner); i++)
    if (strcmp(tuner->routines[i].name, name) == 0)
      return (int)i;
  return -1;
}

enum perfpred_status perfpred_tuner_info(const struct perfpred_tuner *tuner, int routine,
                                         struct perfpred_routine_info *info, struct perfpred_error *error) {
  const struct ppi_routine *found = routine_of(tuner, routine);
  ppi_error_clear(error);
  if (!tuner || !info)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", !tuner ? "tuner" : "info");
  if (info->size < INFO_LEAST)
    return ppi_error_set(error, PERFPRED_INVALID, "info: size is %zu; expected PERFPRED_ROUTINE_INFO_INIT", info->size);
  if (!found)
    return ppi_error_set(error, PERFPRED_NOT_FOUND, "routine is %d; expected 0 to %zu", routine,
                         tuner->routine_count - 1);
  struct perfpred_routine_info full = PERFPRED_ROUTINE_INFO_INIT;
  full.size = info->size;
  full.name = found->name;
  full.size_count = found->size_count;
  memcpy((void *)full.size_names, (const void *)found->size_names, sizeof full.size_names);
  full.variant_count = found->variant_count;
  full.plan_count = found->plan_count;
  if (found->level_count > 0)
    full.threads_max = found->levels[found->level_count - 1].threads;
  memcpy(info, &full, full.size < sizeof full ? full.size : sizeof full);
  return PERFPRED_OK;
}

const char *perfpred_tuner_variant(const struct perfpred_tuner *tuner, int routine, int variant) {
  const struct ppi_routine *found = routine_of(tuner, routine);
  return found && variant >= 0 && (size_t)variant < found->variant_count ? found->variants[variant] : NULL;
}

/* How many of the plans are for no more threads. */
static size_t admitted(const struct ppi_routine *routine, int limit) {
  size_t level = routine->level_count;
  while (level > 0 && limit > 0 && routine->levels[level - 1].threads > limit)
    level--;
  return level > 0 ? routine->levels[level - 1].plans : 0;
}

/* Of checked arguments. */
static void answer_of(const struct perfpred_tuner *tuner, int routine, size_t plans, const int64_t *sizes,
                      struct ppi_answer *answer) {
  const struct ppi_routine *found = &tuner->routines[routine];
  struct ppi_question question = { (uint16_t)routine, (uint16_t)plans, { 0 } };
  const bool kept = found->size_count <= PPI_ANSWER_SIZES;
  for (size_t i = 0; kept && i < found->size_count; i++)
    question.sizes[i] = sizes[i];
  if (kept && ppi_answers_find(tuner->answers, &question, answer))
    return;
  ppi_routine_search(found, plans, &tuner->range, sizes, answer);
  if (kept)
    ppi_answers_keep(tuner->answers, &question, answer);
}

static enum perfpred_status ask(const struct perfpred_tuner *tuner, int routine, const int64_t *sizes,
                                size_t size_count, int thread_limit, struct ppi_answer *answer) {
  const struct ppi_routine *found = routine_of(tuner, routine);
  if (!tuner || thread_limit < 0)
    return PERFPRED_INVALID;
  if (!found)
    return PERFPRED_NOT_FOUND;
  if (found->plan_count == 0)
    return PERFPRED_UNMODELLED;
  if (size_count != found->size_count || (!sizes && size_count > 0))
    return PERFPRED_INVALID;
  const size_t plans = admitted(found, thread_limit);
  if (plans == 0)
    return PERFPRED_NOT_FOUND;
  answer_of(tuner, routine, plans, sizes, answer);
  return answer->plan >= 0 ? PERFPRED_OK : (enum perfpred_status)(-answer->plan);
}

enum perfpred_status perfpred_tuner_ask(const struct perfpred_tuner *tuner, int routine, const int64_t *sizes,
                                        size_t size_count, int thread_limit, struct perfpred_tuner_answer *answer) {
  struct ppi_answer found;
  if (!answer || answer->size < ANSWER_LEAST)
    return PERFPRED_INVALID;
  enum perfpred_status status = ask(tuner, routine, sizes, size_count, thread_limit, &found);
  if (status)
    return status;
  const struct ppi_routine_plan *plan = &tuner->routines[routine].plans[found.plan];
  answer->value = found.value;
  answer->variant = plan->variant;
  answer->threads = plan->threads;
  answer->time_s = found.time_s;
  answer->notes = found.notes;
  return PERFPRED_OK;
}

int64_t perfpred_tuner_block_size(const struct perfpred_tuner *tuner, int routine, const int64_t *sizes,
                                  size_t size_count, int thread_limit, int64_t default_value) {
  struct ppi_answer found;
  return ask(tuner, routine, sizes, size_count, thread_limit, &found) ? default_value : found.value;
}
