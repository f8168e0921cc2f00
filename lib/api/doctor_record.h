/* SPDX-License-Identifier: BSD-3-Clause */
/* The record of a run: a folder with what the dynamic linker and the override noted. */
#ifndef PPI_API_DOCTOR_RECORD_H
#define PPI_API_DOCTOR_RECORD_H

#include <stdio.h>

#include "machine/loaded.h"

#define PPI_RECORD_QUESTIONS "questions" /* the override's log */
#define PPI_RECORD_LOADED "loaded"       /* the linker's, with the number of a process behind it */

/* Libraries that were loaded according to the linker's notes of one process (LD_DEBUG=files), in the order in which symbols are searched
   for; those of a program that the process ran before (exec) are not among them. program: the last one that was started; owned by the
   caller, NULL: none. PERFPRED_NO_MEMORY, PERFPRED_LIMIT. */
enum perfpred_status ppi_record_read(FILE *file, struct ppi_loaded *loaded, char **program,
                                     struct perfpred_error *error);

#endif
