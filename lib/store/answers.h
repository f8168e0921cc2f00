/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of answers: what planners of contractions found out, kept for later ones (doc/contractions.md, "Answers in a file"). */
#ifndef PPI_STORE_ANSWERS_H
#define PPI_STORE_ANSWERS_H

#include <perfpred/contraction_plan.h>

#include "machine/machine.h"
#include "model/anchor.h"
#include "store/json.h"

#define PPI_ANSWERS_FORMAT "perfpred-answers"
#define PPI_ANSWERS_VERSION 1
#define PPI_ANSWER_KEY_MAX 4096 /* of each text that tells answers apart, with its NUL */
#define PPI_ANSWER_CALL_MAX 128

/* Words of enum perfpred_contraction_bound and _source; "none" where there is no bound. */
extern const char *const ppi_answer_bounds[PERFPRED_CONTRACTION_BOUND_CALLS + 1];
extern const char *const ppi_answer_sources[PERFPRED_CONTRACTION_EXECUTED + 1];

struct ppi_answer_group {
  char call[PPI_ANSWER_CALL_MAX]; /* "dgemm(N,T,200,200,8)" */
  enum perfpred_contraction_bound bound;
  double bound_s, call_s; /* call_s NaN: not known */
  double best_s;          /* infinite: none is predicted */
  uint64_t predicted;
};

/* An algorithm that was not dropped. */
struct ppi_answer_entry {
  char name[PERFPRED_CONTRACTION_NAME];
  enum perfpred_contraction_source source;
  struct perfpred_statistics time_s;
  double copy_s, zero_s, cost_s;
};

struct ppi_answer {
  int setup;         /* place among those of the file */
  char *contraction; /* type, indices, extents and strides; the indices are called a, b, ... in their order */
  char *asked;       /* the options that an answer depends on */
  char made[PPI_DATE_MAX];
  uint64_t benchmarks;
  double made_s, budget_s, calibration_s; /* budget_s infinite: no limit */
  bool bounded;
  int64_t cache_bytes;
  size_t group_count, entry_count;
  struct ppi_answer_group *groups;
  struct ppi_answer_entry *entries;
};

/* What was found of the caches with so many threads. */
struct ppi_answer_caches {
  int setup, count;
  struct ppi_effective levels[PPI_CACHE_MAX];
  double found_s; /* time that it took */
  char made[PPI_DATE_MAX];
};

struct ppi_answers {
  struct ppi_machine machine;
  int setup_count;
  struct ppi_setup *setups;
  size_t caches_count, count;
  struct ppi_answer_caches *caches;
  struct ppi_answer *answers;
};

/* Setups whose times hold for each other, and those whose caches do. Another release predicts in another way. */
bool ppi_answers_same_setup(const struct ppi_setup *a, const struct ppi_setup *b);
bool ppi_answers_same_caches(const struct ppi_setup *a, const struct ppi_setup *b);

/* answers: zeroed; to be freed whatever is returned. PERFPRED_MISSING, PERFPRED_IO, PERFPRED_CORRUPT and PERFPRED_VERSION tell the file and the
   place in it. */
enum perfpred_status ppi_answers_read(const char *path, struct ppi_answers *answers, struct perfpred_error *error);
/* The text of a file; NULL: no memory. */
char *ppi_answers_print(const struct ppi_answers *answers);

/* A setup's place, appended where there is none like it. */
enum perfpred_status ppi_answers_add_setup(struct ppi_answers *answers, const struct ppi_setup *setup, int *place,
                                           struct perfpred_error *error);
/* In place of what the file says of the same; answer: given, also on failure. */
enum perfpred_status ppi_answers_put(struct ppi_answers *answers, struct ppi_answer *answer,
                                     struct perfpred_error *error);
enum perfpred_status ppi_answers_put_caches(struct ppi_answers *answers, const struct ppi_answer_caches *caches,
                                            struct perfpred_error *error);
void ppi_answer_release(struct ppi_answer *answer);
void ppi_answers_release(struct ppi_answers *answers);

/* Reads what is there, lets `add` add to it, and replaces the file, all under a lock. here: the machine; a file of another one is left as it
   is: PERFPRED_OTHER_MACHINE. */
typedef enum perfpred_status ppi_answers_add_fn(void *data, struct ppi_answers *answers, struct perfpred_error *error);
enum perfpred_status ppi_answers_update(const char *path, const struct ppi_machine *here, ppi_answers_add_fn *add,
                                        void *data, struct perfpred_error *error);
/* PERFPRED_OTHER_MACHINE names the file. */
enum perfpred_status ppi_answers_check_machine(const struct ppi_answers *answers, const char *path,
                                               const struct ppi_machine *here, struct perfpred_error *error);

#endif
