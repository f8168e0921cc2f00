/* SPDX-License-Identifier: BSD-3-Clause */
/* Answers in memory, and adding to a file of them that other processes add to as well. */
#include "store/answers.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "model/model.h"
#include "store/lock.h"
#include "store/parts.h"

const char *const ppi_answer_bounds[] = { "none", "scaled", "warm", "models", "calls" };
const char *const ppi_answer_sources[] = { "measured", "models", "dropped", "rough", "executed" };

bool ppi_answers_same_setup(const struct ppi_setup *a, const struct ppi_setup *b) {
  return ppi_setup_same(a, b) && strcmp(a->library, b->library) == 0;
}

bool ppi_answers_same_caches(const struct ppi_setup *a, const struct ppi_setup *b) {
  return a->threads == b->threads && a->protocol == b->protocol && strcmp(a->clock, b->clock) == 0 &&
         strcmp(a->library, b->library) == 0;
}

void ppi_answer_release(struct ppi_answer *answer) {
  free(answer->entries);
  free(answer->groups);
  free(answer->asked);
  free(answer->contraction);
  *answer = (struct ppi_answer){ .setup = 0 };
}

void ppi_answers_release(struct ppi_answers *answers) {
  for (size_t i = 0; i < answers->count; i++)
    ppi_answer_release(&answers->answers[i]);
  free(answers->answers);
  free(answers->caches);
  free(answers->setups);
}

enum perfpred_status ppi_answers_add_setup(struct ppi_answers *answers, const struct ppi_setup *setup, int *place,
                                           struct perfpred_error *error) {
  for (*place = 0; *place < answers->setup_count; ++*place)
    if (ppi_answers_same_setup(&answers->setups[*place], setup))
      return PERFPRED_OK;
  struct ppi_setup *setups = realloc(answers->setups, ((size_t)answers->setup_count + 1) * sizeof *setups);
  if (!setups)
    return ppi_error_memory(error);
  answers->setups = setups;
  answers->setups[answers->setup_count++] = *setup;
  return PERFPRED_OK;
}

static bool is_same(const struct ppi_answer *a, const struct ppi_answer *b) {
  return a->setup == b->setup && strcmp(a->contraction, b->contraction) == 0 && strcmp(a->asked, b->asked) == 0;
}

enum perfpred_status ppi_answers_put(struct ppi_answers *answers, struct ppi_answer *answer,
                                     struct perfpred_error *error) {
  size_t place = 0;
  while (place < answers->count && !is_same(&answers->answers[place], answer))
    place++;
  if (place < answers->count) {
    ppi_answer_release(&answers->answers[place]);
  } else {
    struct ppi_answer *larger = realloc(answers->answers, (answers->count + 1) * sizeof *larger);
    if (!larger) {
      ppi_answer_release(answer);
      return ppi_error_memory(error);
    }
    answers->answers = larger;
    answers->count++;
  }
  answers->answers[place] = *answer;
  *answer = (struct ppi_answer){ .setup = 0 };
  return PERFPRED_OK;
}

enum perfpred_status ppi_answers_put_caches(struct ppi_answers *answers, const struct ppi_answer_caches *caches,
                                            struct perfpred_error *error) {
  size_t place = 0;
  while (place < answers->caches_count &&
         !ppi_answers_same_caches(&answers->setups[answers->caches[place].setup], &answers->setups[caches->setup]))
    place++;
  if (place == answers->caches_count) {
    struct ppi_answer_caches *larger = realloc(answers->caches, (answers->caches_count + 1) * sizeof *larger);
    if (!larger)
      return ppi_error_memory(error);
    answers->caches = larger;
    answers->caches_count++;
  }
  answers->caches[place] = *caches;
  return PERFPRED_OK;
}

enum perfpred_status ppi_answers_check_machine(const struct ppi_answers *answers, const char *path,
                                               const struct ppi_machine *here, struct perfpred_error *error) {
  struct perfpred_error why;
  ppi_error_clear(&why);
  const enum perfpred_status status = ppi_machine_compare(&answers->machine, here, &why);
  return status ? ppi_error_set(error, status, "%.200s: machine: %s: the answers of another machine are not used", path,
                                why.text)
                : PERFPRED_OK;
}

/* --- Files --------------------------------------------------------------------------------------------------------- */

static enum perfpred_status update(const char *path, const struct ppi_machine *here, ppi_answers_add_fn *add,
                                   void *data, struct ppi_answers *answers, struct perfpred_error *error) {
  struct stat about;
  enum perfpred_status status = PERFPRED_OK;
  if (stat(path, &about) == 0 && S_ISREG(about.st_mode)) {
    status = ppi_answers_read(path, answers, error);
    if (!status)
      status = ppi_answers_check_machine(answers, path, here, error);
  } else {
    answers->machine = *here;
  }
  if (!status)
    status = add(data, answers, error);
  if (status)
    return status;
  char *text = ppi_answers_print(answers);
  status = text ? ppi_store_replace_file(path, text, strlen(text), error) : ppi_error_memory(error);
  free(text);
  return status;
}

enum perfpred_status ppi_answers_update(const char *path, const struct ppi_machine *here, ppi_answers_add_fn *add,
                                        void *data, struct perfpred_error *error) {
  struct ppi_answers *answers = calloc(1, sizeof *answers);
  char real[PATH_MAX];
  int lock = -1;
  if (!answers)
    return ppi_error_memory(error);
  enum perfpred_status status = ppi_store_resolve(path, real, error);
  if (!status)
    status = ppi_lock_folder(real, path, &lock, error);
  if (!status) {
    ppi_lock_sweep(real);
    status = update(path, here, add, data, answers, error);
  }
  ppi_lock_release(lock);
  ppi_answers_release(answers);
  free(answers);
  return status;
}
