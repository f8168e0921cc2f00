/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits of control groups: a container may see all processors and get the time of one. */
#ifndef PPI_MACHINE_QUOTA_H
#define PPI_MACHINE_QUOTA_H

/* Processors' worth of time that the control groups of a process allow, the tightest of them; 0: no limit is known. root: "" or a folder
   that stands in for /; process: a number or "self". */
double ppi_quota_read(const char *root, const char *process);

#endif
