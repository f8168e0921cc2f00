/* SPDX-License-Identifier: BSD-3-Clause */
/* Moments at which long counting looks at its budget of time and lets the caller cancel. */
#ifndef PPI_AFFINE_PAUSE_H
#define PPI_AFFINE_PAUSE_H

#include "affine/misses.h"

struct ppi_pause {
  const struct ppi_misses_options *options;
  double start_s;
};

double ppi_pause_now_s(void); /* of a clock that never goes back */
void ppi_pause_start(struct ppi_pause *pause, const struct ppi_misses_options *options);
/* PERFPRED_TIMEOUT, PERFPRED_CANCELLED; name: of the nest. About a microsecond: not for every point. */
enum perfpred_status ppi_pause_check(const struct ppi_pause *pause, const char *name, struct perfpred_error *error);

#endif
