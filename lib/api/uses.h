/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries of a table to be, and what drivers get that ask for xORMQR and the like without its options, or with others: an answer that is enough
   for every use of it. */
#ifndef PPI_API_USES_H
#define PPI_API_USES_H

#include "store/table.h"

struct ppi_entries {
  struct ppi_table_entry *items; /* room for twice as many */
  size_t count;                  /* entries of one routine stand side by side */
};

/* Adds an entry without options for each routine of that kind that has entries with options and none without. */
enum perfpred_status ppi_uses_cover(struct ppi_entries *entries, struct perfpred_error *error);
/* With the cells; items NULL is fine. */
void ppi_entries_free(struct ppi_entries *entries);

#endif
