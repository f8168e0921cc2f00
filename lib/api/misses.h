/* SPDX-License-Identifier: BSD-3-Clause */
/* Misses of a nest or of an algorithm's calls, on their way to a report. */
#ifndef PPI_API_MISSES_H
#define PPI_API_MISSES_H

#include <perfpred/affine.h>

#include "affine/expand.h"
#include "affine/misses.h"

struct ppi_misses_job {
  const struct perfpred_program *program; /* what was asked about */
  const struct perfpred_program *nest;    /* what was counted: the same, or that of the expansion */
  const struct ppi_expansion *expansion;  /* of an algorithm, else NULL */
  const int64_t *parameters;
  struct ppi_misses_options options; /* its levels: those of the caller, then those of the curve */
  size_t asked;                      /* levels of the caller */
  const struct ppi_misses *misses;
};

/* The report (doc/json.md, "misses"). */
enum perfpred_status ppi_misses_print(const struct ppi_misses_job *job, char **json, struct perfpred_error *error);

#endif
