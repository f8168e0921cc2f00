/* SPDX-License-Identifier: BSD-3-Clause */
/* perfpred-hardware.so: what hwloc and PAPI know. A module beside the worker that is loaded when a description is asked for,
 * because the two libraries take longer to load than everything else at the worker's start. */
#ifndef PPI_WORKER_HARDWARE_H
#define PPI_WORKER_HARDWARE_H

#include "machine/machine.h"

/* Cores and caches; unchanged where hwloc fails. */
PERFPRED_API void perfpred_hardware_topology(struct ppi_machine *machine);
/* Number of counters that PAPI can count here; -1: it is missing or fails. */
PERFPRED_API int perfpred_hardware_counters(void);

#endif
