/* SPDX-License-Identifier: BSD-3-Clause */
/* All configurations on one recording. */
#ifndef STUDY_SWEEP_H
#define STUDY_SWEEP_H

#include "prune.h"
#include "trial.h"

#define STUDY_SETS 8

/* On so many threads; what comes out does not depend on their number. */
enum perfpred_status sweep(const struct recording *recording, int jobs, outcomes results, struct perfpred_error *error);
/* The outcome of one configuration. */
enum perfpred_status sweep_one(const struct recording *recording, int index, struct solver *solver,
                               struct outcome *outcome, struct perfpred_error *error);
void sweep_print_head(FILE *file);
void sweep_print_line(int index, const struct outcome *outcome, bool left, FILE *file);
void sweep_print(const struct outcome *results, const struct pruning *pruning, FILE *file);
void sweep_print_pruning(const struct pruning *pruning);
/* The least error, the least cost, the published default, the one that pruning leads to. */
void sweep_print_chosen(const char *name, const struct outcome *results, const struct pruning *pruning,
                        int repetitions);
int sweep_cheapest(const struct outcome *results);
int sweep_most_accurate(const struct outcome *results);

#endif
