/* SPDX-License-Identifier: BSD-3-Clause */
/* What the override notes of the questions that it is asked: PERFPRED_ILAENV_LOG. */
#ifndef PPI_API_DOCTOR_LOG_H
#define PPI_API_DOCTOR_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

#define PPI_ASKED_LINE 640 /* longest line that is read */

struct ppi_asked {
  int64_t ispec, sizes[4], answer;
  char name[24], options[8]; /* options "": none */
  bool table;                /* a decision table answered */
  uint64_t count;            /* so often */
};

struct ppi_asked_list {
  struct ppi_asked *items; /* different ones, in the order in which they came */
  size_t count, capacity;
  uint64_t lines, unreadable; /* all that were read; those among them that are none */
  bool cut;                   /* there were more different ones than are kept */
};

/* One line "ISPEC NAME OPTS N1 N2 N3 N4 ANSWER stock|table"; false: it is none. */
bool ppi_asked_read(const char *line, struct ppi_asked *asked);
/* All lines of a file, from the present place on. PERFPRED_NO_MEMORY. */
enum perfpred_status ppi_asked_read_all(FILE *file, struct ppi_asked_list *list, struct perfpred_error *error);
void ppi_asked_free(struct ppi_asked_list *list);

#endif
