/* SPDX-License-Identifier: BSD-3-Clause */
/* Set-ups: what is touched before a call that is measured by itself, so that it finds the caches as in its algorithm (dissertation,
   Section 23.3). */
#ifndef PPI_CONTRACT_SETUPS_H
#define PPI_CONTRACT_SETUPS_H

#include <stdbool.h>
#include <stdint.h>

enum ppi_setup_kind {
  PPI_SETUP_REMOTE, /* memory that belongs to nothing else */
  PPI_SETUP_WHOLE,  /* all that the call touches of an operand */
  PPI_SETUP_LINE    /* of that one line along the tensor's first dimension, of all other elements */
};

struct ppi_setup_item {
  enum ppi_setup_kind kind;
  int operand;       /* A, B, C; -1: REMOTE */
  bool packed;       /* its packed copy and not the slice in the tensor */
  int64_t extent[2]; /* elements of the slice along its dimensions; 0: all */
  int64_t bytes;
};

#define PPI_SETUP_ITEMS_MAX 16
struct ppi_contract_setup {
  int count; /* 0: none is needed, calls one after another find the caches like this */
  struct ppi_setup_item items[PPI_SETUP_ITEMS_MAX]; /* in the order in which they are touched */
};

/* An access before the call and how long ago it was. */
struct ppi_setup_access {
  struct ppi_setup_item item;
  int64_t distance; /* bytes */
};

/* Orders the accesses, at most 2 * 3, and puts remote ones between them so that each is as far back as it should be. Accesses farther back
   than limit are left out, there is one remote access up to it instead; INT64_MAX: no limit. */
void ppi_setup_make(struct ppi_setup_access *accesses, int count, int64_t limit, struct ppi_contract_setup *setup);

#endif
