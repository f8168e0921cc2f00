/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the override finds its decision table. Shared with it, so that nothing but the C library is needed. */
#ifndef PPI_STORE_TABLE_PLACE_H
#define PPI_STORE_TABLE_PLACE_H

#include <stdbool.h>
#include <stdio.h>

/* By the values of PERFPRED_TABLE, XDG_DATA_HOME and HOME (NULL: not set); an empty name switches the override off. False: nowhere, or
   the path does not fit. */
static inline bool ppi_table_place(const char *named, const char *data, const char *home, char *path, size_t size) {
  int length = 0;
  if (named)
    length = snprintf(path, size, "%s", named);
  else if (data && data[0] == '/')
    length = snprintf(path, size, "%s/perfpred/lapack.table", data);
  else if (home && home[0] == '/')
    length = snprintf(path, size, "%s/.local/share/perfpred/lapack.table", home);
  return length > 0 && (size_t)length < size;
}

#endif
