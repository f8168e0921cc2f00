/* SPDX-License-Identifier: BSD-3-Clause */
/* perfpred-hardware.so: what hwloc and PAPI know. A module beside the worker that is loaded when a description is asked for,
 * because the two libraries take longer to load than everything else at the worker's start. */
#ifndef PPI_WORKER_HARDWARE_H
#define PPI_WORKER_HARDWARE_H

#include "machine/machine.h"

struct ppi_papi; /* counters.h */

/* Cores and caches; unchanged where hwloc fails. */
PERFPRED_API void perfpred_hardware_topology(struct ppi_machine *machine);
/* PAPI itself; the symbol is missing in a module without it. */
PERFPRED_API extern const struct ppi_papi perfpred_hardware_papi;

#endif
