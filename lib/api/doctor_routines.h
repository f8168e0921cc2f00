/* SPDX-License-Identifier: BSD-3-Clause */
/* Routines of LAPACK that may ask for their block size, and what a library's do. */
#ifndef PPI_API_DOCTOR_ROUTINES_H
#define PPI_API_DOCTOR_ROUTINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct ppi_doctor;

#define PPI_ROUTINE_ORDER INT64_MAX /* a size that was that of the matrix */

struct ppi_routine {
  const char *kernel, *flags; /* of the catalogue: how it is tried */
  char name[9];               /* as ILAENV gets it */
  bool tried, asks;
  bool ispecs[3];     /* 1 to 3 */
  int64_t answers[3]; /* stock ones; -1: it did not ask */
  int64_t sizes[4];   /* N1 to N4 of its first question */
  char failure[160];  /* why it could not be tried, or "" */
};

/* doctor_table.c */
enum perfpred_status ppi_doctor_table(struct ppi_doctor *doctor, const struct ppi_routine *routines, size_t count);

#endif
