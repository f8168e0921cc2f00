/* SPDX-License-Identifier: BSD-3-Clause */
/* Least squares by LAPACK; what has been solved before is remembered, for many configurations ask the same. */
#ifndef STUDY_SOLVER_H
#define STUDY_SOLVER_H

#include "model/generate.h"

struct solver {
  struct solver_entry *entries; /* hash table */
  size_t count, capacity;
  size_t solved, remembered;
};

void solver_forget(struct solver *solver);
/* least_squares of struct ppi_source; data is the solver. */
enum perfpred_status solver_solve(void *data, int m, int n, int nrhs, double *a, double *b, int *rank,
                                  struct perfpred_error *error);

#endif
