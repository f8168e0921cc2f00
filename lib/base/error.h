/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing the caller's error text. */
#ifndef PPI_BASE_ERROR_H
#define PPI_BASE_ERROR_H

#include <perfpred/status.h>

/* Clears the text; every public function that takes one does so on entry. NULL is fine. */
void ppi_error_clear(struct perfpred_error *error);

/* Records status and text unless something is recorded already (the first message wins). Returns status, so that
   callers write `return ppi_error_set(...)`. NULL is fine. Line breaks and control characters become spaces. */
enum perfpred_status ppi_error_set(struct perfpred_error *error, enum perfpred_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same with a place: the text begins "SOURCE:LINE:COLUMN: ". */
enum perfpred_status ppi_error_at(struct perfpred_error *error, enum perfpred_status status, const char *source,
                                  int line, int column, const char *format, ...) __attribute__((format(printf, 6, 7)));

/* PERFPRED_NO_MEMORY with its text. */
enum perfpred_status ppi_error_memory(struct perfpred_error *error);

#endif
