/* SPDX-License-Identifier: BSD-3-Clause */
/* Identity of a library: the file, its ELF build id, what family of BLAS it belongs to. */
#ifndef PPI_MACHINE_LIBRARY_H
#define PPI_MACHINE_LIBRARY_H

#include "machine/elf.h"
#include "machine/machine.h"

/* Build id of the shared library at path, in lower-case hexadecimal, "" where it carries none. PERFPRED_MISSING,
   PERFPRED_IO, PERFPRED_INVALID (not a shared library for this kind of machine); the text begins with `what`. */
enum perfpred_status ppi_library_file_id(const char *path, const char *what, char id[PPI_BUILD_ID_MAX],
                                         struct perfpred_error *error);

/* File and build id of the loaded object that an address lies in; false when it lies in none. The path is free of links. */
bool ppi_library_loaded(const void *address, struct ppi_library *library);

/* Family by the name of file and folder ("blis", "openblas", "reference", "other"), for libraries that have no
   function that tells; and the version in names such as libblas.so.3.11.0 of reference libraries, else "". */
void ppi_library_guess(struct ppi_library *library);

#endif
