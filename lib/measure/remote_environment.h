/* SPDX-License-Identifier: BSD-3-Clause */
/* The environment that a worker is started with. */
#ifndef PPI_MEASURE_REMOTE_ENVIRONMENT_H
#define PPI_MEASURE_REMOTE_ENVIRONMENT_H

#include "base/error.h"
#include "base/text.h"

struct ppi_remote_environment {
  char **entries; /* NULL-terminated */
  size_t owned;   /* how many of them, from the first, belong to the struct; the others are borrowed */
  bool failed;
};

/* folder: first in LD_LIBRARY_PATH. added: NULL-terminated entries of the caller's, which win over the host's; borrowed. */
enum perfpred_status ppi_remote_environment_create(struct ppi_remote_environment *environment, const char *folder,
                                                   int threads, char *const *added, struct perfpred_error *error);
void ppi_remote_environment_free(struct ppi_remote_environment *environment);

#endif
