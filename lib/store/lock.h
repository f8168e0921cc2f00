/* SPDX-License-Identifier: BSD-3-Clause */
/* Locks between processes, and what processes that died left behind. Inside of the module. */
#ifndef PPI_STORE_LOCK_H
#define PPI_STORE_LOCK_H

#include <stdbool.h>

#include "base/error.h"

/* Locks an open file for this process alone; true as well where the file system has no locks. Closing ends it. */
bool ppi_lock_try(int descriptor);

/* Locks the folder of a file, so that it takes no file of its own. path: for messages. PERFPRED_IO, PERFPRED_TIMEOUT. */
enum perfpred_status ppi_lock_folder(const char *real, const char *path, int *descriptor, struct perfpred_error *error);
void ppi_lock_release(int descriptor);

/* Removes temporary files of a file whose writers are gone. */
void ppi_lock_sweep(const char *real);

#endif
