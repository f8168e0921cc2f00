/* SPDX-License-Identifier: BSD-3-Clause */
/* The catalogue texts, compiled in (embed.py writes the tables). */
#ifndef PPI_CATALOG_CATALOG_H
#define PPI_CATALOG_CATALOG_H

#include <stddef.h>

struct ppi_catalog_text {
  const char *source; /* file name, for messages */
  const char *text;
  size_t length;
};

/* Where the text of a kernel is. */
struct ppi_catalog_entry {
  const char *name;
  unsigned text;  /* number of the catalogue text */
  size_t offset;  /* of the block in it */
  unsigned entry; /* of the block's family */
};

/* Where the text of an algorithm is. */
struct ppi_catalog_algorithm {
  const char *name, *operation; /* "": none */
  unsigned text;                /* number of the catalogue text */
  int place;                    /* among the algorithms of that text */
};

extern const struct ppi_catalog_text ppi_kernel_catalog[];
extern const size_t ppi_kernel_catalog_count;
extern const struct ppi_catalog_entry ppi_kernel_catalog_index[]; /* in the order of names */
extern const size_t ppi_kernel_catalog_index_count;
extern const struct ppi_catalog_text ppi_algorithm_catalog[];
extern const size_t ppi_algorithm_catalog_count;
extern const struct ppi_catalog_algorithm ppi_algorithm_catalog_index[]; /* in the order of the texts */
extern const size_t ppi_algorithm_catalog_index_count;
extern const size_t ppi_algorithm_catalog_named[]; /* places in it in the order of names */

/* Loops of the kernels' reference implementations. */
extern const struct ppi_catalog_text ppi_nest_catalog[];
extern const size_t ppi_nest_catalog_count;

#endif
