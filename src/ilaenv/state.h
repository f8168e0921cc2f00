/* SPDX-License-Identifier: BSD-3-Clause */
/* What is settled at the first question of a process and never changes afterwards. */
#ifndef ILAENV_STATE_H
#define ILAENV_STATE_H

#include <stdatomic.h>

#include "store/table_format.h"

#define PPI_ILAENV_SEEN 4096 /* questions that are told apart; a power of two */

struct ppi_ilaenv_state {
  struct ppi_table table; /* header NULL: there is none, stock values hold */
  const char *log;        /* path; NULL: nothing is logged */
  _Atomic uint64_t *seen; /* marks of the questions that were reported on standard error; NULL: none is */
};

/* Reads the environment and the table at the first call, in at most a millisecond; wait-free afterwards. Several threads may
   be the first: one of them wins, and all see what it saw. The state lives as long as the process; a child that is forked
   has it as well. */
const struct ppi_ilaenv_state *ppi_ilaenv_state(void);

#endif
