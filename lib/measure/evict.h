/* SPDX-License-Identifier: BSD-3-Clause */
/* Taking operands out of the caches, and into them. */
#ifndef PPI_MEASURE_EVICT_H
#define PPI_MEASURE_EVICT_H

#include "measure/pattern.h"

#define PPI_LINE_BYTES 64

/* Calls visit with the first byte of every cache line that holds an element of the area; lines between columns are left out, and so is what
   is no part of a triangle. A line on which two columns meet comes twice. */
void ppi_area_lines(const struct ppi_area *area, void (*visit)(void *data, const unsigned char *line), void *data);
/* How lines can be evicted one by one on this machine. */
enum ppi_eviction { PPI_EVICT_NONE, PPI_EVICT_FLUSH, PPI_EVICT_FLUSH_UNORDERED };
enum ppi_eviction ppi_evict_kind(void); /* asks the processor, which takes a while in a virtual machine */
void ppi_evict_area(enum ppi_eviction kind, const struct ppi_area *area);
void ppi_evict_range(enum ppi_eviction kind, const unsigned char *begin, const unsigned char *end);
void ppi_evict_finish(void); /* after the last area */
/* Reads a byte of every line of the area. */
void ppi_touch_area(const struct ppi_area *area);
/* Reads a byte of every line of [begin, end). */
void ppi_touch(const unsigned char *begin, const unsigned char *end);

#endif
