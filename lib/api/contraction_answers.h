/* SPDX-License-Identifier: BSD-3-Clause */
/* What a planner has from files of answers. */
#ifndef PPI_API_CONTRACTION_ANSWERS_H
#define PPI_API_CONTRACTION_ANSWERS_H

#include "api/contraction_plan.h"
#include "store/answers.h"

struct perfpred_contraction_planner;

struct ppi_contraction_answers {
  /* what the planner's sampler measures; NULL before a file was asked for */
  struct ppi_machine *machine;
  struct ppi_setup *setup;
  char *asked; /* the options that answers depend on */
  size_t count;
  struct ppi_answer *items;        /* those of this setup and these options */
  struct ppi_answer_caches caches; /* count 0: not known */
  bool caches_are_new;             /* they were found here, and no file has them yet */
};

void ppi_contraction_answers_free(struct ppi_contraction_answers *answers);
/* The answer that a file had, as findings with one reference; *findings NULL: there is none. */
enum perfpred_status ppi_contraction_recall(struct perfpred_contraction_planner *planner,
                                            const struct ppi_contraction *contraction,
                                            struct ppi_contraction_findings **findings, struct perfpred_error *error);

/* contraction_asked.c: what tells answers apart, as texts: NULL: no memory. letters: those of the indices count. */
char *ppi_contraction_text(const struct ppi_contraction *contraction, bool letters);
enum perfpred_status ppi_contraction_asked(const struct perfpred_contraction_planner *planner, char **asked,
                                           struct perfpred_error *error);
/* The same contraction with a, b, ... as indices. */
void ppi_contraction_rename(const struct ppi_contraction *contraction, struct ppi_contraction *renamed);

#endif
