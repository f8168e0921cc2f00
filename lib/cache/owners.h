/* SPDX-License-Identifier: BSD-3-Clause */
/* Which access touched each line last. Lines are kept in groups of 64 with one owner as long as they have one, so that large regions cost
   little. */
#ifndef PPI_CACHE_OWNERS_H
#define PPI_CACHE_OWNERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PPI_OWNERS_GROUP 64

struct ppi_owner_group {
  uint32_t owner;  /* of all its lines, where */
  uint32_t *lines; /* this is NULL; else of each */
};

struct ppi_owners {
  struct ppi_owner_group *groups;
  size_t count;
  bool failed; /* an allocation did: sticks */
};

/* How many lines of each owner were met. */
struct ppi_owner_tally {
  int64_t *lines; /* by owner; all 0 but for those that are listed */
  uint32_t *met;  /* which are not 0 */
  size_t met_count, capacity;
};

/* All lines [0, lines) belong to owner 0: nobody. False: no memory. */
bool ppi_owners_begin(struct ppi_owners *owners, int64_t lines);
void ppi_owners_end(struct ppi_owners *owners); /* twice is fine */
/* Adds the owners of lines [first, end) to the tally, which has room for all of them. */
void ppi_owners_count(const struct ppi_owners *owners, int64_t first, int64_t end, struct ppi_owner_tally *tally);
/* The same, and makes `owner` the owner of all of them. */
void ppi_owners_take(struct ppi_owners *owners, int64_t first, int64_t end, uint32_t owner,
                     struct ppi_owner_tally *tally);

bool ppi_owner_tally_reserve(struct ppi_owner_tally *tally,
                             size_t capacity); /* for owners below capacity; false: no memory */
void ppi_owner_tally_clear(struct ppi_owner_tally *tally);
void ppi_owner_tally_free(struct ppi_owner_tally *tally);

#endif
