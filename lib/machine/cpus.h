/* SPDX-License-Identifier: BSD-3-Clause */
/* The processing units on which this process may run: fewer than the machine has under taskset, in a cgroup's cpuset, in a
 * container. */
#ifndef PPI_MACHINE_CPUS_H
#define PPI_MACHINE_CPUS_H

#include <stdbool.h>
#include <stddef.h>

/* Numbers in rising order as Linux lists them, "0-3,8"; what does not fit is cut before a comma and ends in "...". */
void ppi_cpus_format(const int *cpus, size_t count, char *text, size_t size);
/* How many there are in such a list; spans of more than 65536 are not counted. */
int ppi_cpus_count(const char *list);
/* Those of the calling thread; "" where the system does not tell. */
void ppi_cpus_allowed(char *text, size_t size);
/* The one that the calling thread is confined to; -1: several, or not known. */
int ppi_cpus_pinned(void);

#endif
