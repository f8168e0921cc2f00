/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures how long loads take, and how fast streams are, over working sets of rising size: a pointer is chased through all lines of a
 * buffer in an order that no prefetcher foresees. */
#ifndef PPI_MACHINE_CHASE_H
#define PPI_MACHINE_CHASE_H

#include "machine/clock.h"
#include "machine/levels.h"

#define PPI_CHASE_LINE 64 /* bytes between two pointers */

/* Links the first `lines` lines of a buffer to one ring that goes through each of them once; where it begins. At random within regions that
   translations of addresses cover, one region after the other: capacities are those of caches, not of translations, where a host has small pages
   under the large ones of a virtual machine. */
void **ppi_chase_link(void *buffer, int64_t lines);
/* Working sets from 4 KiB to 4 times the last cache that the machine reports, 64 to 256 MiB, in at most limit_s (infinite: takes 1 to
   2 s): those that there is no time for are left out. Each time is the best of several: neighbours only slow down. */
enum perfpred_status ppi_chase_measure(const struct ppi_machine *machine, double limit_s, struct ppi_curve *curve,
                                       struct perfpred_error *error);

#endif
