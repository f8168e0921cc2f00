/* SPDX-License-Identifier: BSD-3-Clause */
/* /etc/ld.so.cache: names of libraries and where they lie, as ldconfig has found them. */
#ifndef PPI_MACHINE_LINKER_CACHE_H
#define PPI_MACHINE_LINKER_CACHE_H

#include <stddef.h>

#include "base/error.h"

struct ppi_linker_cache {
  char *bytes; /* of the file; NULL: there is none */
  size_t length;
  size_t start, count; /* where its present form starts, and its entries */
};

/* path NULL: the usual one. A missing, foreign or damaged file is an empty cache: the linker does without as well. PERFPRED_NO_MEMORY. */
enum perfpred_status ppi_linker_cache_open(const char *path, struct ppi_linker_cache *cache,
                                           struct perfpred_error *error);
void ppi_linker_cache_close(struct ppi_linker_cache *cache);
/* The next path for a name, from the entry *at on (0 at first); NULL: there is none any more. special: of libraries for processors of this
   level (a folder of glibc-hwcaps, such as "x86-64-v3"); NULL: of those for all. */
const char *ppi_linker_cache_next(const struct ppi_linker_cache *cache, const char *name, const char *special,
                                  size_t *at);

#endif
