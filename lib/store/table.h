/* SPDX-License-Identifier: BSD-3-Clause */
/* Decision tables: made, checked, read, written. perfpred/decisions.h has the public functions. */
#ifndef PPI_STORE_TABLE_H
#define PPI_STORE_TABLE_H

#include <perfpred/decisions.h>

#include "base/error.h"
#include "store/table_format.h"

/* The bytes of the file, checked, and places in them. */
struct perfpred_decisions {
  size_t bytes;
  struct ppi_table table;
  uint64_t image[];
};

/* What a table is made for. Texts that are too long are cut, control characters become blanks. */
struct ppi_table_origin {
  const char *cpu, *blas, *lapack;
  int threads; /* 0: any */
};

/* A routine that is to be written: one row. */
struct ppi_table_entry {
  const char *routine;                /* "DPOTRF" */
  const char *options;                /* "", "U" */
  enum ppi_table_size cell_size;      /* what picks the cell */
  const struct ppi_table_cell *cells; /* bounds rise; the last one is PPI_TABLE_OPEN */
  size_t cell_count;
};

/* Entries in any order; those of one name that have options go before the one that has none. PERFPRED_LIMIT where they do not fit
   into a table, PERFPRED_INVALID where they are none of which one could be made. */
enum perfpred_status ppi_table_make(const struct ppi_table_origin *origin, const struct ppi_table_entry *entries,
                                    size_t count, struct perfpred_decisions **decisions, struct perfpred_error *error);

/* Whether a routine, "DORMQR", is one of those of ppi_table_is_multiply. */
bool ppi_table_multiplies(const char *routine);

/* "min(n1, n2)"; "" for PPI_TABLE_NONE. */
const char *ppi_table_size_text(unsigned rule);

/* A name without the blanks behind it. */
void ppi_table_name(const struct ppi_table_routine *routine, char name[9]);

#endif
