/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that are created once: parked they sleep, armed they wait for the start in a loop, so that all begin at once. */
#ifndef PPI_MEASURE_TEAM_H
#define PPI_MEASURE_TEAM_H

#include "base/error.h"

struct ppi_team;

/* count threads with the caller, who is number 0. cpus: thread i > 0 runs on cpus[i % cpu_count]; NULL or 0: where the system lets it. */
enum perfpred_status ppi_team_create(int count, const int *cpus, int cpu_count, struct ppi_team **team,
                                     struct perfpred_error *error);
void ppi_team_destroy(struct ppi_team *team); /* NULL is fine */
int ppi_team_count(const struct ppi_team *team);
void ppi_team_arm(struct ppi_team *team);
/* Runs work(data, i) on every thread i at once and returns when all are done; they stay armed. */
void ppi_team_run(struct ppi_team *team, void (*work)(void *data, int index), void *data);
void ppi_team_park(struct ppi_team *team);

#endif
