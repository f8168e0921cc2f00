/* SPDX-License-Identifier: BSD-3-Clause */
/* What the override tells of itself, to those who ask: PERFPRED_VERBOSE and PERFPRED_ILAENV_LOG. */
#ifndef ILAENV_TRACE_H
#define ILAENV_TRACE_H

#include "question.h"
#include "state.h"

/* One line on standard error: which table is used, or why none is (NULL: it is). */
void ppi_ilaenv_trace_table(const char *path, const char *why);
/* One line in the log; one on standard error for a question that was not there yet. */
void ppi_ilaenv_trace(const struct ppi_ilaenv_state *state, const struct ppi_ilaenv_question *question, int64_t answer,
                      bool from_table);

#endif
