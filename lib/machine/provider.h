/* SPDX-License-Identifier: BSD-3-Clause */
/* What a file provides of BLAS and LAPACK, from its symbols and names, without loading it. */
#ifndef PPI_MACHINE_PROVIDER_H
#define PPI_MACHINE_PROVIDER_H

#include "machine/machine.h"

struct ppi_provider {
  struct ppi_library file; /* path free of links; version where a name tells; kernels are not known */
  char alternative[1024];  /* link below /etc/alternatives that leads to it; "": none does */
  char threading[16];      /* "serial", "openmp", "pthread", "tbb"; "" where the file does not tell */
  bool blas, lapack;       /* defines DGEMM, DPOTRF */
  bool ilaenv;             /* defines ILAENV */
  bool override;           /* is this library's own answer to ILAENV */
  bool symbolic;           /* its own definitions come first for its own calls */
  bool ilp64, suffixed;    /* integers of 64 bits, as far as names tell; names end in _64_ */
};

/* prefix: in front of path to reach the file, or "". PERFPRED_MISSING, PERFPRED_IO, PERFPRED_INVALID (no library for this kind of machine),
   PERFPRED_CORRUPT, PERFPRED_NO_MEMORY. */
enum perfpred_status ppi_provider_read(const char *prefix, const char *path, struct ppi_provider *provider,
                                       struct perfpred_error *error);

#endif
