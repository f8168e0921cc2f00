/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that a process loads: in the order in which the dynamic linker looks into them, where that is known. */
#ifndef PPI_MACHINE_LOADED_H
#define PPI_MACHINE_LOADED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#define PPI_LOADED_MAX 4096 /* files of one process */
#define PPI_LOADED_NOBODY ((size_t)-1)

struct ppi_loaded_file {
  char *name;   /* as it was asked for; NULL: nobody did, it was seen */
  char *path;   /* NULL: there is no such file */
  size_t by;    /* place of the file that asked first; PPI_LOADED_NOBODY: none, or not known */
  bool deleted; /* the file was removed or replaced since */
};

struct ppi_loaded {
  struct ppi_loaded_file *files;
  size_t count;
};
#define PPI_LOADED_INIT                                                                                                \
  { 0, 0 }

/* Copies both texts; either may be NULL. PERFPRED_NO_MEMORY, PERFPRED_LIMIT. */
enum perfpred_status ppi_loaded_add(struct ppi_loaded *loaded, const char *name, const char *path, size_t by,
                                    struct perfpred_error *error);
/* Whether a file of this path is there, by the names of both, and by links where `real`. */
bool ppi_loaded_has(const struct ppi_loaded *loaded, const char *path);
void ppi_loaded_free(struct ppi_loaded *loaded); /* and empties it */

/* linker.c: where the dynamic linker would look. */
struct ppi_linker {
  const char *library_path;   /* LD_LIBRARY_PATH; NULL: none */
  const char *preload;        /* LD_PRELOAD; NULL: none */
  const char *cache;          /* NULL: /etc/ld.so.cache */
  const char *const *folders; /* searched last, NULL at the end; NULL: the usual ones */
  const char *const
      *levels; /* folders of glibc-hwcaps that are looked into, best first, NULL at the end; NULL: those of this CPU */
};
/* Levels of this CPU, as in struct ppi_linker. */
const char *const *ppi_linker_levels(void);
/* A program and all that it would load when it starts, found as glibc's linker does, without running anything. What cannot be found has
   no path. A file that is linked statically is alone. PERFPRED_MISSING, PERFPRED_IO,
   PERFPRED_INVALID, PERFPRED_CORRUPT (the program), PERFPRED_LIMIT, PERFPRED_NO_MEMORY. */
enum perfpred_status ppi_linker_trace(const struct ppi_linker *linker, const char *program, struct ppi_loaded *loaded,
                                      struct perfpred_error *error);
/* The same for the library that a program gets which asks for `name`. A library that is not there is a file without a path. */
enum perfpred_status ppi_linker_trace_name(const struct ppi_linker *linker, const char *name, struct ppi_loaded *loaded,
                                           struct perfpred_error *error);

#endif
