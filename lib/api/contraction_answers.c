/* SPDX-License-Identifier: BSD-3-Clause */
/* Answers from files and for files. */
#include "api/contraction_answers.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "api/contraction_planner.h"
#include "measure/sampler.h"

#define INFO_LEAST (offsetof(struct perfpred_contraction_answers_info, caches) + sizeof(int)) /* of release 0.1 */

void ppi_contraction_answers_free(struct ppi_contraction_answers *answers) {
  for (size_t i = 0; i < answers->count; i++)
    ppi_answer_release(&answers->items[i]);
  free(answers->items);
  free(answers->asked);
  free(answers->setup);
  free(answers->machine);
}

/* --- From a file to findings --------------------------------------------------------------------------------------- */

static bool take_groups(const struct ppi_answer *answer, struct ppi_contraction_candidates *candidates) {
  if (answer->group_count != candidates->group_count)
    return false;
  for (size_t i = 0; i < answer->group_count; i++) {
    const struct ppi_answer_group *from = &answer->groups[i];
    struct ppi_contraction_group *group = &candidates->groups[i];
    if (strcmp(from->call, group->text) != 0)
      return false;
    group->bound = from->bound;
    group->bound_s = from->bound_s;
    group->call_s = from->call_s;
    group->best_s = from->best_s;
    group->predicted = from->predicted;
  }
  return true;
}

static void take_entry(const struct ppi_answer_entry *from, struct ppi_contraction_entry *entry) {
  entry->source = from->source;
  entry->time_s = from->time_s;
  entry->copy_s = from->copy_s;
  entry->zero_s = from->zero_s;
  entry->cost_s = from->cost_s;
  entry->priced = true;
}

/* They stand in the order of the candidates. */
static bool take_entries(const struct ppi_answer *answer, struct ppi_contraction_candidates *candidates) {
  struct ppi_contraction renamed;
  size_t taken = 0;
  ppi_contraction_rename(&candidates->contraction, &renamed);
  for (size_t i = 0; i < candidates->entry_count && taken < answer->entry_count; i++) {
    char name[PPI_CONTRACT_NAME_MAX];
    ppi_contract_name(&renamed, &candidates->entries[i].algorithm, name);
    if (strcmp(name, answer->entries[taken].name) == 0)
      take_entry(&answer->entries[taken++], &candidates->entries[i]);
  }
  return taken == answer->entry_count;
}

/* An answer of other algorithms than there are now, as where a sampler has other memory, is none: *findings NULL. */
static enum perfpred_status restore(const struct perfpred_contraction_planner *planner,
                                    const struct ppi_contraction *contraction, const struct ppi_answer *answer,
                                    struct ppi_contraction_findings **findings, struct perfpred_error *error) {
  struct ppi_contraction_findings *made = ppi_contraction_findings_new(&planner->options);
  if (!made)
    return ppi_error_memory(error);
  made->benchmarks = answer->benchmarks;
  made->made_s = answer->made_s;
  made->budget_s = answer->budget_s;
  made->calibration_s = answer->calibration_s;
  made->bounded = answer->bounded;
  made->cache_bytes = answer->cache_bytes;
  made->from_file = true;
  enum perfpred_status status = ppi_contraction_candidates_of(contraction, &planner->choice, &made->candidates, error);
  const bool fits = !status && take_groups(answer, &made->candidates) && take_entries(answer, &made->candidates);
  if (fits)
    status = ppi_contraction_findings_rank(made, error);
  if (fits && !status)
    *findings = made;
  else
    ppi_contraction_findings_unref(made);
  return status;
}

enum perfpred_status ppi_contraction_recall(struct perfpred_contraction_planner *planner,
                                            const struct ppi_contraction *contraction,
                                            struct ppi_contraction_findings **findings, struct perfpred_error *error) {
  const struct ppi_contraction_answers *answers = &planner->stored;
  enum perfpred_status status = PERFPRED_OK;
  *findings = NULL;
  if (answers->count == 0)
    return PERFPRED_OK;
  char *text = ppi_contraction_text(contraction, planner->names != NULL);
  if (!text)
    return ppi_error_memory(error);
  for (size_t i = answers->count; i > 0 && !*findings && !status; i--) /* the file that was loaded last comes first */
    if (strcmp(answers->items[i - 1].contraction, text) == 0)
      status = restore(planner, contraction, &answers->items[i - 1], findings, error);
  free(text);
  return status;
}

/* --- From findings to a file --------------------------------------------------------------------------------------- */

static bool is_storable(const struct ppi_contraction_entry *entry) {
  const struct perfpred_statistics *of = &entry->time_s;
  return isfinite(of->min) && isfinite(of->med) && isfinite(of->max) && isfinite(of->mean) && isfinite(of->std);
}

static void give_groups(const struct ppi_contraction_candidates *candidates, struct ppi_answer *answer) {
  for (; answer->group_count < candidates->group_count; answer->group_count++) {
    const struct ppi_contraction_group *from = &candidates->groups[answer->group_count];
    struct ppi_answer_group *group = &answer->groups[answer->group_count];
    _Static_assert(sizeof group->call == sizeof from->text, "one length for both");
    *group = (struct ppi_answer_group){ .bound = from->bound,
                                        .bound_s = from->bound_s,
                                        .call_s = from->call_s,
                                        .best_s = from->best_s,
                                        .predicted = from->predicted };
    memcpy(group->call, from->text, sizeof group->call);
  }
}

/* False: something is not a number. */
static bool give_entries(const struct ppi_contraction_candidates *candidates, struct ppi_answer *answer) {
  struct ppi_contraction renamed;
  ppi_contraction_rename(&candidates->contraction, &renamed);
  for (size_t i = 0; i < candidates->entry_count; i++) {
    const struct ppi_contraction_entry *from = &candidates->entries[i];
    struct ppi_answer_entry *entry = &answer->entries[answer->entry_count];
    if (from->source == PERFPRED_CONTRACTION_DROPPED)
      continue;
    if (!is_storable(from))
      return false;
    *entry = (struct ppi_answer_entry){ .source = from->source,
                                        .time_s = from->time_s,
                                        .copy_s = from->copy_s,
                                        .zero_s = from->zero_s,
                                        .cost_s = from->cost_s };
    ppi_contract_name(&renamed, &from->algorithm, entry->name);
    answer->entry_count++;
  }
  return answer->entry_count > 0;
}

/* *given false: it cannot be kept. */
static enum perfpred_status give(const struct perfpred_contraction_planner *planner,
                                 const struct ppi_contraction_findings *findings, struct ppi_answer *answer,
                                 bool *given, struct perfpred_error *error) {
  const struct ppi_contraction_candidates *candidates = &findings->candidates;
  *answer = (struct ppi_answer){ .benchmarks = findings->benchmarks,
                                 .made_s = findings->made_s,
                                 .budget_s = findings->budget_s,
                                 .calibration_s = findings->calibration_s,
                                 .bounded = findings->bounded,
                                 .cache_bytes = findings->cache_bytes };
  ppi_date_now(answer->made);
  answer->contraction = ppi_contraction_text(&candidates->contraction, planner->names != NULL);
  answer->asked = strdup(planner->stored.asked);
  answer->groups = calloc(candidates->group_count + 1, sizeof *answer->groups);
  answer->entries = calloc(candidates->entry_count + 1, sizeof *answer->entries);
  if (!answer->contraction || !answer->asked || !answer->groups || !answer->entries)
    return ppi_error_memory(error);
  give_groups(candidates, answer);
  *given = give_entries(candidates, answer);
  return PERFPRED_OK;
}

/* --- What a planner measures --------------------------------------------------------------------------------------- */

static enum perfpred_status describe(struct perfpred_contraction_planner *planner, struct perfpred_error *error) {
  struct ppi_contraction_answers *stored = &planner->stored;
  if (stored->asked)
    return PERFPRED_OK;
  if (!stored->machine)
    stored->machine = calloc(1, sizeof *stored->machine);
  if (!stored->setup)
    stored->setup = calloc(1, sizeof *stored->setup);
  if (!stored->machine || !stored->setup)
    return ppi_error_memory(error);
  const enum perfpred_status status = planner->sampler->ops->describe(planner->sampler, PPI_DESCRIBE_NOTHING_MEASURED,
                                                                      stored->machine, stored->setup, error);
  return status ? status : ppi_contraction_asked(planner, &stored->asked, error);
}

static enum perfpred_status check(const struct perfpred_contraction_planner *planner, const char *path,
                                  const struct perfpred_contraction_answers_info *info, struct perfpred_error *error) {
  if (!planner || !path || !path[0])
    return ppi_error_set(error, PERFPRED_INVALID, "planner or path is NULL, or path empty, expected both");
  if (info && info->size < INFO_LEAST)
    return ppi_error_set(error, PERFPRED_INVALID, "info.size is %zu, expected PERFPRED_CONTRACTION_ANSWERS_INFO_INIT",
                         info->size);
  if (!planner->sampler)
    return ppi_error_set(error, PERFPRED_INVALID,
                         "the planner has no sampler, expected one: models answer at once, there is nothing to keep");
  return PERFPRED_OK;
}

static void tell(const struct perfpred_contraction_answers_info *full, struct perfpred_contraction_answers_info *info) {
  if (!info)
    return;
  const size_t size = info->size;
  memcpy(info, full, size < sizeof *full ? size : sizeof *full);
  info->size = size;
}

/* --- Loading ------------------------------------------------------------------------------------------------------- */

static enum perfpred_status take_all(struct ppi_contraction_answers *stored, struct ppi_answers *read,
                                     struct perfpred_contraction_answers_info *info, struct perfpred_error *error) {
  struct ppi_answer *items = realloc(stored->items, (stored->count + read->count + 1) * sizeof *items);
  if (!items)
    return ppi_error_memory(error);
  stored->items = items;
  for (size_t i = 0; i < read->count; i++) {
    struct ppi_answer *answer = &read->answers[i];
    if (!ppi_answers_same_setup(&read->setups[answer->setup], stored->setup)) {
      info->foreign++;
    } else if (strcmp(answer->asked, stored->asked) != 0) {
      info->others++;
    } else {
      info->answers++;
      stored->items[stored->count++] = *answer;
      *answer = (struct ppi_answer){ .setup = 0 };
    }
  }
  for (size_t i = 0; i < read->caches_count; i++)
    if (ppi_answers_same_caches(&read->setups[read->caches[i].setup], stored->setup)) {
      stored->caches = read->caches[i];
      stored->caches_are_new = false;
      info->caches = 1;
    }
  return PERFPRED_OK;
}

static enum perfpred_status load(struct perfpred_contraction_planner *planner, const char *path,
                                 struct perfpred_contraction_answers_info *info, struct perfpred_error *error) {
  struct ppi_answers *read = calloc(1, sizeof *read);
  if (!read)
    return ppi_error_memory(error);
  enum perfpred_status status = ppi_answers_read(path, read, error);
  if (!status)
    status = describe(planner, error);
  if (!status)
    status = ppi_answers_check_machine(read, path, planner->stored.machine, error);
  if (!status)
    status = take_all(&planner->stored, read, info, error);
  ppi_answers_release(read);
  free(read);
  return status;
}

enum perfpred_status perfpred_contraction_planner_load(struct perfpred_contraction_planner *planner, const char *path,
                                                       struct perfpred_contraction_answers_info *info,
                                                       struct perfpred_error *error) {
  struct perfpred_contraction_answers_info full = PERFPRED_CONTRACTION_ANSWERS_INFO_INIT;
  ppi_error_clear(error);
  enum perfpred_status status = check(planner, path, info, error);
  if (status)
    return status;
  pthread_mutex_lock(&planner->making);
  status = load(planner, path, &full, error);
  pthread_mutex_unlock(&planner->making);
  if (!status)
    tell(&full, info);
  return status;
}

/* --- Saving -------------------------------------------------------------------------------------------------------- */

struct saving {
  struct perfpred_contraction_planner *planner;
  struct ppi_contraction_findings **news; /* references */
  size_t count;
  struct perfpred_contraction_answers_info info;
};

/* Of what is kept, what no file has. */
static enum perfpred_status gather(struct saving *saving, struct perfpred_error *error) {
  struct perfpred_contraction_planner *planner = saving->planner;
  saving->news = calloc(planner->options.answers, sizeof(struct ppi_contraction_findings *));
  if (!saving->news)
    return ppi_error_memory(error);
  pthread_mutex_lock(&planner->keeping);
  for (size_t i = 0; i < planner->options.answers; i++) {
    struct ppi_contraction_findings *findings = planner->answers[i].findings;
    if (!findings || findings->from_file)
      continue;
    atomic_fetch_add(&findings->references, 1);
    saving->news[saving->count++] = findings;
  }
  pthread_mutex_unlock(&planner->keeping);
  return PERFPRED_OK;
}

static enum perfpred_status put(struct saving *saving, const struct ppi_contraction_findings *findings, int setup,
                                struct ppi_answers *answers, struct perfpred_error *error) {
  struct ppi_answer answer;
  bool given = false;
  enum perfpred_status status = give(saving->planner, findings, &answer, &given, error);
  answer.setup = setup;
  if (status || !given) {
    ppi_answer_release(&answer);
    return status;
  }
  status = ppi_answers_put(answers, &answer, error);
  saving->info.answers += status ? 0 : 1;
  return status;
}

static enum perfpred_status add(void *data, struct ppi_answers *answers, struct perfpred_error *error) {
  struct saving *saving = data;
  const struct ppi_contraction_answers *stored = &saving->planner->stored;
  int setup = 0;
  enum perfpred_status status = ppi_answers_add_setup(answers, stored->setup, &setup, error);
  for (size_t i = 0; i < saving->count && !status; i++)
    status = put(saving, saving->news[i], setup, answers, error);
  for (size_t i = 0; i < answers->count; i++)
    saving->info.foreign += ppi_answers_same_setup(&answers->setups[answers->answers[i].setup], stored->setup) ? 0 : 1;
  saving->info.others = answers->count - saving->info.answers - saving->info.foreign;
  if (status || !stored->caches_are_new)
    return status;
  struct ppi_answer_caches caches = stored->caches;
  caches.setup = setup;
  saving->info.caches = 1;
  return ppi_answers_put_caches(answers, &caches, error);
}

static enum perfpred_status save(struct saving *saving, const char *path, struct perfpred_error *error) {
  struct perfpred_contraction_planner *planner = saving->planner;
  enum perfpred_status status = describe(planner, error);
  if (!status)
    status = gather(saving, error);
  if (!status && (saving->count > 0 || planner->stored.caches_are_new))
    status = ppi_answers_update(path, planner->stored.machine, add, saving, error);
  if (!status)
    planner->stored.caches_are_new = false;
  for (size_t i = 0; i < saving->count; i++)
    ppi_contraction_findings_unref(saving->news[i]);
  free(saving->news);
  return status;
}

enum perfpred_status perfpred_contraction_planner_save(struct perfpred_contraction_planner *planner, const char *path,
                                                       struct perfpred_contraction_answers_info *info,
                                                       struct perfpred_error *error) {
  struct saving saving = { .planner = planner, .info = PERFPRED_CONTRACTION_ANSWERS_INFO_INIT };
  ppi_error_clear(error);
  enum perfpred_status status = check(planner, path, info, error);
  if (status)
    return status;
  pthread_mutex_lock(&planner->making);
  status = save(&saving, path, error);
  pthread_mutex_unlock(&planner->making);
  if (!status)
    tell(&saving.info, info);
  return status;
}
