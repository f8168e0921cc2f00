/* SPDX-License-Identifier: BSD-3-Clause */
/* What ILAENV of reference LAPACK 3.11 answers, for every ISPEC and NAME. */
#ifndef ILAENV_STOCK_H
#define ILAENV_STOCK_H

#include "question.h"

/* -1: there is no such ISPEC. */
int64_t ppi_ilaenv_stock(const struct ppi_ilaenv_question *question);

#endif
