/* SPDX-License-Identifier: BSD-3-Clause */
/* A running process, from /proc and the control groups below /sys: its files, environment, and how much of the machine it may use. */
#ifndef PPI_MACHINE_PROCESS_H
#define PPI_MACHINE_PROCESS_H

#include <stdint.h>

#include "machine/loaded.h"
#include "machine/machine.h"

struct ppi_process {
  char executable[1024];    /* "" where the system does not tell */
  char prefix[64];          /* in front of its paths where it sees another tree of files than we do; else "" */
  struct ppi_loaded loaded; /* files that it runs code of, by rising address; their order of loading is not known */
  char *environment; /* that it was started with: entries, each with its NUL; NULL where the system does not tell */
  size_t environment_bytes;
  char cpus[PPI_TEXT_MAX]; /* on which it may run, "0-3,8"; "" where the system does not tell */
  int cpu_count;           /* so many are these; 0: not known */
  double quota;            /* processors' worth of time that its control groups allow; 0: no limit is known */
};

/* root: "" or a folder that stands in for /. pid 0: this process. PERFPRED_NOT_FOUND: there is none; PERFPRED_IO: it may not be looked at. */
enum perfpred_status ppi_process_read(const char *root, int64_t pid, struct ppi_process *process,
                                      struct perfpred_error *error);
void ppi_process_free(struct ppi_process *process);
/* Value in the environment that it was started with; NULL: not set, or not known. */
const char *ppi_process_variable(const struct ppi_process *process, const char *name);
/* Files in a text as of /proc/N/maps. */
enum perfpred_status ppi_process_maps(const char *path, struct ppi_loaded *loaded, struct perfpred_error *error);

#endif
