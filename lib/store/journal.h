/* SPDX-License-Identifier: BSD-3-Clause */
/* The journal of a measurement: samples on disk as they come, so that whoever stops (or is stopped) can go on. A file of lines,
   each a JSON object: the first says whose samples they are, the others hold them. A last line that is not whole is dropped.
   PATH is locked while it is open; PATH.2 to PATH.9 stand in where another process has it. */
#ifndef PPI_STORE_JOURNAL_H
#define PPI_STORE_JOURNAL_H

#include "machine/machine.h"
#include "model/samples.h"

struct ppi_journal;

/* Whose samples a journal holds, and what is done with one that is there. */
struct ppi_journal_owner {
  const struct ppi_machine *machine;
  const struct ppi_setup *setup;
  const struct ppi_marks *known; /* journals whose samples are known already: removed unread; or NULL */
  bool restart;                  /* all are removed unread */
};
/* Opens or makes the journal and adds what it holds to samples, which is to outlive it, as the owner is. PERFPRED_OTHER_MACHINE,
   PERFPRED_OTHER_BLAS, PERFPRED_VERSION: it is not of this machine, setup or library. */
enum perfpred_status ppi_journal_open(const struct perfpred_context *context, const char *path,
                                      const struct ppi_journal_owner *owner, struct ppi_samples *samples,
                                      struct ppi_journal **journal, struct perfpred_error *error);
/* Writes what came to records of the set since the last time. The `added` of struct ppi_replay; data is the journal. */
enum perfpred_status ppi_journal_added(void *data, const struct ppi_record *const *records, size_t count,
                                       struct perfpred_error *error);
/* The journal stays if a record that it held was not used (used[place] is 0): it is of other work. */
void ppi_journal_check_use(struct ppi_journal *journal, const size_t *used, size_t used_count);
/* Adds the journal's identifiers, unless it stays: to be saved with its samples, for somebody who finds it all the same. */
void ppi_journal_mark(const struct ppi_journal *journal, struct ppi_marks *marks);
/* What it holds is safe elsewhere: its files are removed, unless it stays. To be called before the lock of the model file is given back, or the
   next generation might take its samples a second time. NULL is fine. */
void ppi_journal_finish(struct ppi_journal *journal);
void ppi_journal_close(struct ppi_journal *journal); /* NULL is fine; the set need not be there any more */

#endif
