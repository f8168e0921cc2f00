/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of answers, read and checked. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/answers.h"
#include "store/parts.h"

#define SETUPS_MAX 1000
#define ANSWERS_MAX 100000
#define GROUPS_MAX 100000
#define ENTRIES_MAX 100000
#define TIME_MAX 1e15 /* seconds */

static enum perfpred_status get_word(const struct ppi_json_node *node, const char *key, const char *const *words,
                                     int count, int *place) {
  char word[32];
  enum perfpred_status status = ppi_json_string(node, key, word, sizeof word);
  for (*place = 0; !status && *place < count && strcmp(word, words[*place]) != 0;)
    ++*place;
  return status || *place < count ? status
                                  : ppi_json_fail(node, key, PERFPRED_CORRUPT,
                                                  "'%s': expected a word of this format, such as '%s'", word, words[0]);
}

static enum perfpred_status get_text(const struct ppi_json_node *node, const char *key, char **text) {
  char *buffer = malloc(PPI_ANSWER_KEY_MAX);
  if (!buffer)
    return ppi_error_memory(node->error);
  enum perfpred_status status = ppi_json_string(node, key, buffer, PPI_ANSWER_KEY_MAX);
  if (!status)
    *text = strdup(buffer);
  free(buffer);
  return status || *text ? status : ppi_error_memory(node->error);
}

static enum perfpred_status get_count(const struct ppi_json_node *node, const char *key, uint64_t *count) {
  int64_t integer = 0;
  const enum perfpred_status status = ppi_json_integer(node, key, 0, PPI_JSON_INTEGER_MAX, &integer);
  *count = (uint64_t)integer;
  return status;
}

static enum perfpred_status get_group(const struct ppi_json_node *list, size_t index, struct ppi_answer_group *group) {
  struct ppi_json_node node;
  int bound = 0;
  enum perfpred_status status = ppi_json_item(list, index, &node);
  if (!status)
    status = ppi_json_string(&node, "call", group->call, sizeof group->call);
  if (!status)
    status = get_word(&node, "bound", ppi_answer_bounds, PERFPRED_CONTRACTION_BOUND_CALLS + 1, &bound);
  if (!status)
    status = ppi_json_real(&node, "bound_s", 0.0, TIME_MAX, false, &group->bound_s);
  if (!status)
    status = ppi_json_real(&node, "call_s", 0.0, TIME_MAX, true, &group->call_s);
  if (!status)
    status = ppi_json_real(&node, "best_s", 0.0, TIME_MAX, true, &group->best_s);
  if (!status && isnan(group->best_s))
    group->best_s = (double)INFINITY;
  group->bound = (enum perfpred_contraction_bound)bound;
  return status ? status : get_count(&node, "predicted", &group->predicted);
}

static enum perfpred_status get_entry(const struct ppi_json_node *list, size_t index, struct ppi_answer_entry *entry) {
  struct ppi_json_node node;
  double values[5] = { 0.0 };
  int source = 0;
  enum perfpred_status status = ppi_json_item(list, index, &node);
  if (!status)
    status = ppi_json_string(&node, "name", entry->name, sizeof entry->name);
  if (!status)
    status = get_word(&node, "source", ppi_answer_sources, PERFPRED_CONTRACTION_EXECUTED + 1, &source);
  if (!status && source == PERFPRED_CONTRACTION_DROPPED)
    status = ppi_json_fail(&node, "source", PERFPRED_CORRUPT, "expected an algorithm that was not dropped");
  if (!status)
    status = ppi_json_reals(&node, "time_s", sizeof values / sizeof values[0], 0.0, TIME_MAX, values);
  if (!status)
    status = ppi_json_real(&node, "copy_s", 0.0, TIME_MAX, false, &entry->copy_s);
  if (!status)
    status = ppi_json_real(&node, "zero_s", 0.0, TIME_MAX, false, &entry->zero_s);
  if (!status)
    status = ppi_json_real(&node, "cost_s", 0.0, TIME_MAX, false, &entry->cost_s);
  entry->source = (enum perfpred_contraction_source)source;
  entry->time_s = (struct perfpred_statistics){ values[0], values[1], values[2], values[3], values[4] };
  return status;
}

static enum perfpred_status get_groups(const struct ppi_json_node *node, struct ppi_answer *answer) {
  struct ppi_json_node list;
  enum perfpred_status status = ppi_json_list(node, "groups", 1, GROUPS_MAX, &list, &answer->group_count);
  if (status)
    return status;
  answer->groups = calloc(answer->group_count, sizeof *answer->groups);
  if (!answer->groups)
    return ppi_error_memory(node->error);
  for (size_t i = 0; !status && i < answer->group_count; i++)
    status = get_group(&list, i, &answer->groups[i]);
  return status;
}

static enum perfpred_status get_entries(const struct ppi_json_node *node, struct ppi_answer *answer) {
  struct ppi_json_node list;
  enum perfpred_status status = ppi_json_list(node, "algorithms", 1, ENTRIES_MAX, &list, &answer->entry_count);
  if (status)
    return status;
  answer->entries = calloc(answer->entry_count, sizeof *answer->entries);
  if (!answer->entries)
    return ppi_error_memory(node->error);
  for (size_t i = 0; !status && i < answer->entry_count; i++)
    status = get_entry(&list, i, &answer->entries[i]);
  return status;
}

/* What making it took. */
static enum perfpred_status get_cost(const struct ppi_json_node *node, struct ppi_answer *answer) {
  enum perfpred_status status = ppi_json_string(node, "made", answer->made, sizeof answer->made);
  if (!status)
    status = ppi_json_real(node, "made_s", 0.0, TIME_MAX, false, &answer->made_s);
  if (!status)
    status = ppi_json_real(node, "calibration_s", 0.0, TIME_MAX, false, &answer->calibration_s);
  if (!status)
    status = ppi_json_real(node, "budget_s", 0.0, TIME_MAX, true, &answer->budget_s);
  if (!status && isnan(answer->budget_s))
    answer->budget_s = (double)INFINITY;
  return status ? status : get_count(node, "benchmarks", &answer->benchmarks);
}

static enum perfpred_status get_answer(const struct ppi_json_node *list, size_t index, int setup_count,
                                       struct ppi_answer *answer) {
  struct ppi_json_node node;
  enum perfpred_status status = ppi_json_item(list, index, &node);
  if (!status)
    status = ppi_json_int(&node, "setup", 0, setup_count - 1, &answer->setup);
  if (!status)
    status = get_text(&node, "contraction", &answer->contraction);
  if (!status)
    status = get_text(&node, "asked", &answer->asked);
  if (!status)
    status = get_cost(&node, answer);
  if (!status)
    status = ppi_json_bool(&node, "bounded", &answer->bounded);
  if (!status)
    status = ppi_json_integer(&node, "cache_bytes", 0, PPI_JSON_INTEGER_MAX, &answer->cache_bytes);
  if (!status)
    status = get_groups(&node, answer);
  return status ? status : get_entries(&node, answer);
}

static enum perfpred_status get_answers(const struct ppi_json_node *root, struct ppi_answers *answers) {
  struct ppi_json_node list;
  size_t count = 0;
  enum perfpred_status status = ppi_json_list(root, "answers", 0, ANSWERS_MAX, &list, &count);
  if (status)
    return status;
  answers->answers = calloc(count + 1, sizeof *answers->answers);
  if (!answers->answers)
    return ppi_error_memory(root->error);
  for (; !status && answers->count < count; answers->count++)
    status = get_answer(&list, answers->count, answers->setup_count, &answers->answers[answers->count]);
  return status;
}

static enum perfpred_status get_found(const struct ppi_json_node *list, size_t index, int setup_count,
                                      struct ppi_answer_caches *caches) {
  struct ppi_json_node node;
  enum perfpred_status status = ppi_json_item(list, index, &node);
  if (!status)
    status = ppi_json_int(&node, "setup", 0, setup_count - 1, &caches->setup);
  if (!status)
    status = ppi_json_string(&node, "made", caches->made, sizeof caches->made);
  if (!status)
    status = ppi_json_real(&node, "found_s", 0.0, TIME_MAX, false, &caches->found_s);
  return status ? status : ppi_store_get_levels(&node, 2, caches->levels, &caches->count);
}

static enum perfpred_status get_caches(const struct ppi_json_node *root, struct ppi_answers *answers) {
  struct ppi_json_node list;
  size_t count = 0;
  enum perfpred_status status = ppi_json_list(root, "caches", 0, SETUPS_MAX, &list, &count);
  if (status)
    return status;
  answers->caches = calloc(count + 1, sizeof *answers->caches);
  if (!answers->caches)
    return ppi_error_memory(root->error);
  for (; !status && answers->caches_count < count; answers->caches_count++)
    status = get_found(&list, answers->caches_count, answers->setup_count, &answers->caches[answers->caches_count]);
  return status;
}

static enum perfpred_status get_setups(const struct ppi_json_node *root, struct ppi_answers *answers) {
  struct ppi_json_node list, node;
  size_t count = 0;
  enum perfpred_status status = ppi_json_list(root, "setups", 1, SETUPS_MAX, &list, &count);
  if (status)
    return status;
  answers->setups = calloc(count, sizeof *answers->setups);
  if (!answers->setups)
    return ppi_error_memory(root->error);
  for (; !status && answers->setup_count < (int)count; answers->setup_count++) {
    status = ppi_json_item(&list, (size_t)answers->setup_count, &node);
    if (!status)
      status = ppi_store_get_setup(&node, &answers->setups[answers->setup_count]);
  }
  return status;
}

static enum perfpred_status check_format(const struct ppi_json_node *root) {
  char format[64];
  int64_t version = 0;
  enum perfpred_status status = ppi_json_string(root, "format", format, sizeof format);
  if (!status && strcmp(format, PPI_ANSWERS_FORMAT) != 0)
    return ppi_json_fail(root, "format", PERFPRED_CORRUPT, "expected \"%s\", found \"%s\"", PPI_ANSWERS_FORMAT, format);
  if (!status)
    status = ppi_json_integer(root, "version", 0, PPI_JSON_INTEGER_MAX, &version);
  if (!status && version != PPI_ANSWERS_VERSION)
    return ppi_json_fail(root, "version", PERFPRED_VERSION,
                         "%lld: this release reads version %d: use another file, or remove this one",
                         (long long)version, PPI_ANSWERS_VERSION);
  return status;
}

enum perfpred_status ppi_answers_read(const char *path, struct ppi_answers *answers, struct perfpred_error *error) {
  struct ppi_json_node root;
  char *text = NULL;
  size_t length = 0;
  enum perfpred_status status = ppi_store_read_expected(path, "a file of answers", &text, &length, error);
  if (status)
    return status;
  status = ppi_json_parse(text, length, path, &root, error);
  free(text);
  if (status)
    return status;
  status = check_format(&root);
  if (!status)
    status = ppi_store_get_machine(&root, &answers->machine);
  if (!status)
    status = get_setups(&root, answers);
  if (!status)
    status = get_caches(&root, answers);
  if (!status)
    status = get_answers(&root, answers);
  ppi_json_release(&root);
  return status;
}
