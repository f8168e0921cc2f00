/* SPDX-License-Identifier: BSD-3-Clause */
/* Model files and reports as JSON. Functions that read or write files and texts; perfpred/models.h has the public ones. */
#ifndef PPI_STORE_STORE_H
#define PPI_STORE_STORE_H

#include "machine/machine.h"
#include "model/model.h"

#define PPI_FORMAT_VERSION 2

/* The object of `perfpred machine --json` (doc/json.md): free. */
enum perfpred_status ppi_store_machine(const struct ppi_machine *machine, const struct ppi_setup *setup, char **json,
                                       struct perfpred_error *error);

#endif
