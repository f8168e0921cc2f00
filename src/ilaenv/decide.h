/* SPDX-License-Identifier: BSD-3-Clause */
/* What a decision table answers. */
#ifndef ILAENV_DECIDE_H
#define ILAENV_DECIDE_H

#include "question.h"
#include "store/table_format.h"

/* Answer to ISPEC 1 to 3; false: the table has none, the stock value holds. A pure function of table and question. */
bool ppi_ilaenv_decide(const struct ppi_table *table, const struct ppi_ilaenv_question *question, int64_t *answer);

#endif
